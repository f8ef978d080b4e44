"""Output codes: drawing a code, decoding, coupling; members are not what is measured."""

import numpy as np

from ensfs import LocalBinaryPatterns
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
