"""Output codes: drawing a code, decoding, coupling; and classifiers of many classes or labels."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

from ensfs import (
    ChainEnsembleClassifier,
    DDAGClassifier,
    ECOCClassifier,
    FisherSubspace,
    KernelTIPCACClassifier,
    LabelGroupClassifier,
    LocalBinaryPatterns,
    MinimalECOCClassifier,
    NestedDichotomiesClassifier,
    RandomLabelsetsClassifier,
    TIPCACClassifier,
)
from ensfs.codes import decode, dense_code, one_vs_one, pairwise_coupling


class Patterns:
    """The images of the paper: 75 by 150 pixels, ten radii, six grids."""

    def setup(self):
        rng = np.random.default_rng(0)
        self.X = rng.integers(256, size=(10, 75 * 150)).astype(float)
        self.model = LocalBinaryPatterns(image_shape=(75, 150)).fit(self.X)

    def time_transform(self):
        self.model.transform(self.X)


class Codes:
    """Codes for few and for many classes."""

    params = ([10, 26],)
    param_names = ("n_classes",)

    def setup(self, n_classes):
        rng = np.random.default_rng(0)
        self.code = dense_code(n_classes, rng=0, n_draws=10)
        self.outputs = rng.normal(size=(5_000, self.code.shape[1]))
        self.pairs = rng.uniform(0.1, 0.9, size=(500, n_classes, n_classes))
        self.of_pairs = rng.normal(size=(5_000, one_vs_one(n_classes).shape[1]))

    def time_draw(self, n_classes):
        dense_code(n_classes, rng=0, n_draws=200)

    def time_decode_hamming(self, n_classes):
        decode(self.outputs, self.code)

    def time_decode_loss(self, n_classes):
        decode(self.of_pairs, one_vs_one(n_classes), "loss")

    def time_coupling(self, n_classes):
        pairwise_coupling(self.pairs)


class Subspace:
    """The space between the means of ten classes, whitened."""

    def setup(self):
        self.X, self.y = load_digits(return_X_y=True)

    def time_fit(self):
        FisherSubspace().fit(self.X, self.y)


class ManyClasses:
    """Ten digits, or the first two for classifiers of two classes; trees are cheap members."""

    params = [
        "dense", "minimal", "nested", "pairs", "tipcac", "kernel tipcac", "groups", "label sets",
        "chains",
    ]  # fmt: skip
    param_names = ("kind",)

    def setup(self, kind):
        tree = DecisionTreeClassifier(max_depth=5)
        self.model = {
            "dense": ECOCClassifier(tree, random_state=0),
            "minimal": MinimalECOCClassifier(tree, generations=3, random_state=0),
            "nested": NestedDichotomiesClassifier(tree, 5, random_state=0),
            "pairs": DDAGClassifier(random_state=0),
            "tipcac": TIPCACClassifier(),
            "kernel tipcac": KernelTIPCACClassifier(),
            "groups": LabelGroupClassifier(tree, random_state=0),
            "label sets": RandomLabelsetsClassifier(tree, random_state=0),
            "chains": ChainEnsembleClassifier(tree, random_state=0),
        }[kind]
        self.X, self.y = load_digits(n_class=2 if "tipcac" in kind else 10, return_X_y=True)
        if kind in ("groups", "label sets", "chains"):
            self.y = (self.y[:, None] >> np.arange(4)) & 1
        self.fitted = self.model.fit(self.X, self.y)

    def time_fit(self, kind):
        self.model.fit(self.X, self.y)

    def time_predict(self, kind):
        self.fitted.predict(self.X)
