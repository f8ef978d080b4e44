"""Ensembles of models: oracles, hosts, trees, pruned forests."""

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import BaggingRegressor

from ensfs import (
    DecompositionRegressor,
    FeatureMaskClassifier,
    FitSelectClassifier,
    ForwardSelectionClassifier,
    InstancePruningClassifier,
    IteratedBaggingRegressor,
    RandomOracleClassifier,
    RandomOracleRegressor,
    ReducedErrorTreeClassifier,
    ReducedErrorTreeRegressor,
    ReweightedAdaBoostRegressor,
)
from ensfs.ensemble import order_members
from ensfs.ensemble._orders import prefix_right


class Regression:
    """Members on parts of the rows, on residuals, on weights."""

    params = (
        ["oracle", "bagged oracle", "iterated bagging", "boosting", "pruned tree", "subspaces"],
    )
    param_names = ("method",)

    def setup(self, method):
        self.X, self.y = make_friedman1(1_000, n_features=20, random_state=0)
        self.estimator = {
            "oracle": RandomOracleRegressor(random_state=0),
            "bagged oracle": BaggingRegressor(RandomOracleRegressor(), 20, random_state=0),
            "iterated bagging": IteratedBaggingRegressor(
                n_stages=3, n_estimators=20, random_state=0
            ),
            "boosting": ReweightedAdaBoostRegressor(n_estimators=20, random_state=0),
            "pruned tree": ReducedErrorTreeRegressor(random_state=0),
            "subspaces": DecompositionRegressor(random_state=0),
        }[method]

    def time_fit(self, method):
        self.estimator.fit(self.X, self.y)


class Pruning:
    """Orders of 500 members, and votes of the first of them in eleven orders."""

    params = ([(2, 2_000), (5, 2_000)],)
    param_names = ("classes_rows",)

    def setup(self, size):
        rng = np.random.default_rng(0)
        self.n_classes, n = size
        self.votes = rng.integers(self.n_classes, size=(500, n))
        self.y = rng.integers(self.n_classes, size=n)
        self.orders = [rng.permutation(500) for _ in range(11)]

    def time_order(self, size):
        order_members(self.votes, self.y)

    def time_prefix_votes(self, size):
        prefix_right(self.votes, self.y, self.n_classes, self.orders)


class Selection:
    """A whole fit and its predictions: most of it is trees."""

    params = (["fit select", "forward", "by instance", "oracle", "pruned tree"],)
    param_names = ("method",)

    def setup(self, method):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(600, 20))
        self.y = (self.X[:, :3].sum(axis=1) + rng.normal(size=600) > 0).astype(int)
        self.model = {
            "fit select": FitSelectClassifier(n_estimators=100, random_state=0),
            "forward": ForwardSelectionClassifier(n_estimators=100, random_state=0),
            "by instance": InstancePruningClassifier(random_state=0),
            "oracle": RandomOracleClassifier(random_state=0),
            "pruned tree": ReducedErrorTreeClassifier(random_state=0),
        }[method]
        self.fitted = self.model.fit(self.X, self.y)

    def time_fit(self, method):
        self.model.fit(self.X, self.y)

    def time_predict(self, method):
        self.fitted.predict(self.X)


class Masks:
    """Hill climbing with neighbours on the sizes of the paper, and by leave-one-out."""

    params = ([0.43, "loo"], [1, 3])
    param_names = ("validation", "n_neighbors")

    def setup(self, validation, n_neighbors):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(580, 53))
        self.y = (self.X[:, :4].sum(axis=1) > 0).astype(int)

    def time_fit(self, validation, n_neighbors):
        FeatureMaskClassifier(
            n_estimators=5, validation=validation, n_neighbors=n_neighbors, random_state=0
        ).fit(self.X, self.y)
