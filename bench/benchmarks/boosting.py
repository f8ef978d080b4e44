"""Stumps and their boosting, weights of subspaces, local experts, mixtures."""

import numpy as np

from ensfs import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    ExpertAverageClassifier,
    HierarchicalMixtureClassifier,
    IntervalExpertsClassifier,
    PrototypeMixtureClassifier,
    RandomExpertsClassifier,
    RpBoostClassifier,
    WeightedSubspaceBaggingClassifier,
)
from ensfs.ensemble._margin_weights import Margins, least_slack
from ensfs.ensemble._stumps import best_stump


class Stumps:
    """One round: the best stump of columns that are seen for the first time."""

    params = ([(1_000, 2), (700, 34), (5_000, 60), (20_000, 20)],)
    param_names = ("shape",)

    def setup(self, shape):
        rng = np.random.default_rng(0)
        self.values = np.asfortranarray(rng.normal(size=shape))
        self.gradient = rng.normal(size=shape[0])

    def time_round(self, shape):
        best_stump(self.values, self.gradient)


class RpBoost:
    """A hundred rounds."""

    params = [None, "normal"]
    param_names = ("projection",)

    def setup(self, projection):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(1_000, 20))
        self.y = self.X[:, :3].sum(axis=1) > 0
        self.model = RpBoostClassifier(100, projection=projection, random_state=0)

    def time_fit(self, projection):
        self.model.fit(self.X, self.y)


class MarginWeights:
    """21 linear programmes of 25 subspaces."""

    params = [300, 1_000]
    param_names = ("rows",)

    def setup(self, rows):
        rng = np.random.default_rng(0)
        right = np.clip(rng.beta(2, 1, size=rows) + rng.normal(0, 0.15, size=(25, rows)), 0, 1)
        votes = rng.binomial(37, right) / 37
        self.margins = Margins(2 * votes - 1, np.arange(rows), rows)

    def time_weights(self, rows):
        for gamma in np.linspace(0, 1, 21):
            least_slack(self.margins, gamma)


class Experts:
    """Four parts, each with a logistic regression."""

    params = ["clusters", "clusters of classes", "intervals", "random", "average"]
    param_names = ("parts",)

    def setup(self, parts):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(2_000, 10))
        self.y = (self.X[:, :2].prod(axis=1) > 0).astype(int)
        self.model = {
            "clusters": ClusterExpertsClassifier(random_state=0),
            "clusters of classes": ClassClusterExpertsClassifier(random_state=0),
            "intervals": IntervalExpertsClassifier(),
            "random": RandomExpertsClassifier(random_state=0),
            "average": ExpertAverageClassifier(random_state=0),
        }[parts]
        self.fitted = self.model.fit(self.X, self.y)

    def time_fit(self, parts):
        self.model.fit(self.X, self.y)

    def time_predict(self, parts):
        self.fitted.predict(self.X)


class WeightedSubspaces:
    """A whole fit: most of it is growing trees."""

    def setup(self):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(300, 12))
        self.y = (self.X[:, :3].sum(axis=1) + rng.normal(size=300) > 0).astype(int)

    def time_fit(self):
        WeightedSubspaceBaggingClassifier(
            n_estimators=20, n_subspaces=8, n_oob_estimators=20, random_state=0
        ).fit(self.X, self.y)


class Mixtures:
    """Four networks of ten units: by prototypes, and with gates that learn."""

    params = ["static", "dynamic", "em", "learned"]
    param_names = ("kind",)

    def setup(self, kind):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(1_000, 10))
        self.y = (self.X[:, :2].prod(axis=1) + 0.5 * rng.normal(size=1_000) > 0).astype(int)
        self.model = {
            "static": PrototypeMixtureClassifier(weights="static", random_state=0),
            "dynamic": PrototypeMixtureClassifier(random_state=0),
            "em": PrototypeMixtureClassifier(gate_fit="em", random_state=0),
            "learned": HierarchicalMixtureClassifier(random_state=0),
        }[kind].fit(self.X, self.y)

    def time_fit(self, kind):
        self.model.fit(self.X, self.y)

    def time_predict(self, kind):
        self.model.predict_proba(self.X)
