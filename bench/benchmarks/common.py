"""Tables for the benchmarks: some columns follow the classes, some repeat others."""

import numpy as np


def continuous(n, p, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.standard_normal((n, p))
    relevant = max(1, p // 100)
    X[:, :relevant] += np.outer(y, rng.uniform(0, 1.25, relevant))
    copies = slice(relevant, 6 * relevant)
    X[:, copies] += X[:, rng.integers(relevant, size=5 * relevant)]
    return np.ascontiguousarray(X[:, rng.permutation(p)], dtype=dtype), y


def coded(n, p, n_levels, n_classes=2, seed=0, common=0.5):
    """Make codes that all show a common factor, and some of them the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.integers(n_levels, size=(n, p), dtype=np.int8)
    factor = rng.integers(n_levels, size=n)
    shown = rng.random((n, p)) < common
    X[shown] = np.broadcast_to(factor[:, None], (n, p))[shown]
    for j in range(max(1, p // 50)):
        cells = rng.random(n) < rng.uniform(0, 0.6)
        X[cells, j] = rng.integers(n_levels, size=n_classes)[y][cells]
    return np.ascontiguousarray(X[:, rng.permutation(p)]), y


def continuous_mask(p):
    return np.zeros(p, dtype=bool)


def coded_mask(p):
    return np.ones(p, dtype=bool)
