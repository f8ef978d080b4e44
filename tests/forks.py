"""Fits of several selectors, for processes that a test starts."""

import numpy as np

from ensfs import FCBF, IAMB, MRMR, FastEnsemble
from ensfs._utils import threads


def selections():
    """What selectors of each family select, with threads of their own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    codes = np.where(rng.random((300, 12)) < 0.4, y[:, None], rng.integers(0, 3, (300, 12)))
    numbers = codes + rng.normal(size=codes.shape)
    return [
        selector.fit(X, y).indices_.tolist()
        for selector, X in (
            (MRMR(4, n_jobs=2), numbers),
            (FastEnsemble(MRMR(4), n_parts=3, n_jobs=2), numbers),
            (FastEnsemble(MRMR(4), n_parts=3, n_jobs=2), codes),
            (FCBF(n_jobs=2), codes),
            (IAMB(n_jobs=2), codes),
        )
    ]


def answer(connection):
    """Fit in a process of its own, and send what is selected."""
    threads._MIN_SHARED_CELLS = 0  # threads share the least work
    connection.send(selections())
    connection.close()
