"""Sparse tables: a text, and the time that goes with its cells."""

import numpy as np
import scipy.sparse

from ensfs import CMIM, JMI, MRMR, FastEnsemble

SELECTORS = {
    "MRMR": MRMR(20),
    "CMIM": CMIM(20),
    "JMI": JMI(20),
    "FastEnsemble": FastEnsemble(MRMR(10), n_parts=10),
}


def words(n, p, n_cells, seed=0):
    """Words with the frequencies of Zipf's law, as counts."""
    rng = np.random.default_rng(seed)
    frequency = np.cumsum(1.0 / (np.arange(p) + 2.7))
    columns = np.searchsorted(frequency, rng.random(n_cells) * frequency[-1])
    rows, y = rng.integers(0, n, n_cells), rng.integers(0, 5, n)
    rows = np.where(columns % 10 == 0, rows - (y[rows] - columns // 10) % 5, rows) % n
    X = scipy.sparse.coo_array((np.ones(n_cells), (rows, columns)), shape=(n, p))
    return X.tocsr(), y


class Text:
    """Fits of a table of 20,000 columns."""

    params = (list(SELECTORS), [100_000, 400_000])
    param_names = ("selector", "n_cells")

    def setup(self, name, n_cells):
        self.X, self.y = words(4_000, 20_000, n_cells)
        self.selector = SELECTORS[name]

    def time_fit(self, name, n_cells):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, name, n_cells):
        self.selector.fit(self.X, self.y)
