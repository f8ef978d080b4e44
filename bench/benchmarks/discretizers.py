"""The discretizers: learning the cut points, and coding by them."""

import ensfs
from benchmarks.common import continuous

SHAPES = [(500, 10_000), (500, 5_000), (1_000, 5_000), (100_000, 50)]


class Discretize:
    """Each one by its defaults."""

    params = (["MDLDiscretizer", "EqualFrequencyDiscretizer", "SigmaDiscretizer"], SHAPES)
    param_names = ("discretizer", "shape")

    def setup(self, name, shape):
        self.X, self.y = continuous(*shape)
        self.new = getattr(ensfs, name)()
        self.fitted = getattr(ensfs, name)().fit(self.X, self.y)

    def time_fit(self, name, shape):
        self.new.fit(self.X, self.y)

    def peakmem_fit(self, name, shape):
        self.new.fit(self.X, self.y)

    def time_transform(self, name, shape):
        self.fitted.transform(self.X)
