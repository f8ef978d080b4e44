"""Breiman's waves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ensfs._utils.checks import check_integer

_PEAKS = (7, 15, 11)
_PAIRS = ((0, 1), (0, 2), (1, 2))


def make_waveform(
    n_samples: int = 5000, *, n_noise: int = 19, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Waves with noise: three classes, 21 columns that tell them apart, and columns of noise.

    Each row is a random mixture of two of three triangular waves,
    :math:`h_m(j) = \max(6 - |j - c_m|, 0)` for :math:`j = 1, \ldots, 21`, with peaks at 7, 15 and
    11, plus standard normal noise in every column. The class says which two: the first and the
    second, the first and the third, or the second and the third. The columns after the first 21
    hold standard normal noise alone.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    n_noise : int, default=19
        Number of columns of noise after the first 21; 19 gives the table with 40 columns of the UCI
        repository.
    random_state : int, RandomState instance or None, default=None
        Seed. With the same seed, the first 21 columns do not depend on `n_noise`, and fewer columns
        of noise are the first ones of more.

    Returns
    -------
    X : ndarray of shape (n_samples, 21 + n_noise)
        The table.
    y : ndarray of shape (n_samples,)
        Classes 0, 1 and 2, each with the probability 1/3.

    Notes
    -----
    The first and the last column are noise too: all three waves are 0 there.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984), Classification and regression
    trees, Wadsworth, section 2.6.2.

    Examples
    --------
    >>> from ensfs.datasets import make_waveform
    >>> X, y = make_waveform(300, n_noise=4, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 25), [0, 1, 2])
    """
    check_integer("n_samples", n_samples, 1)
    check_integer("n_noise", n_noise, 0)
    rng = check_random_state(random_state)
    waves = np.maximum(6 - np.abs(np.arange(1, 22) - np.array(_PEAKS)[:, None]), 0.0)
    y = rng.randint(3, size=n_samples)
    share = rng.uniform(size=(n_samples, 1))
    first, second = np.array(_PAIRS)[y].T
    signal = share * waves[first] + (1 - share) * waves[second]
    X = np.empty((n_samples, 21 + n_noise))
    X[:, :21] = signal + rng.standard_normal((n_samples, 21))
    X[:, 21:] = rng.standard_normal((n_noise, n_samples)).T
    return X, y
