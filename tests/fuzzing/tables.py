"""Random tables: offsets, ties, constants, few rows, many levels, gaps between levels."""

import numpy as np


def continuous(rng, n, p, fold):
    """A table of numbers and the kind of it."""
    X = rng.normal(size=(n, p))
    kind = rng.choice(["plain", "offsets", "folds apart", "ties", "float32", "scales", "outlier"])
    if kind == "offsets":
        X += 10.0 ** rng.uniform(0, 12, p) * rng.choice([-1, 1], p)
    elif kind == "folds apart":
        e = fold.max() + 1
        size = 10.0 ** rng.uniform(0, 12, (e, p) if rng.random() < 0.5 else 1)
        X += (rng.normal(size=(e, p)) * size * rng.integers(0, 2, (e, p)))[fold]
    elif kind == "ties":
        X = rng.integers(0, rng.integers(2, 5), (n, p)).astype(float)
    elif kind == "float32":
        X = (X + rng.choice([0, 100.0, 1e4], p)).astype(np.float32)
    elif kind == "scales":
        X *= 10.0 ** rng.integers(-9, 9, p)
    elif kind == "outlier":
        X[rng.integers(n)] = 10.0 ** rng.uniform(0, 9)
    return X, kind


def with_copies(X, rng):
    """Some columns are copies of others, moved in sign or scale, or constant."""
    for _ in range(rng.integers(0, 3)):
        X[:, rng.integers(X.shape[1])] = X[:, rng.integers(X.shape[1])] * rng.choice([1, -1, 4])
    if rng.random() < 0.4:
        X[:, rng.integers(X.shape[1])] = 0.1
    return np.asarray(X, order=rng.choice(["C", "F"]))


def discrete(rng, n, p, y):
    """A table of discrete values and the kind of it."""
    kind = str(rng.choice(["few levels", "many levels", "gaps", "binary", "text", "bytes"]))
    top = {"few levels": 9, "many levels": 300, "gaps": 12, "binary": 3}.get(kind, 14)
    X = rng.integers(0, rng.integers(1, top, p), (n, p))
    X = np.where(rng.random((n, p)) < rng.uniform(0.2, 1.2, p), X, y[:, None])
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    X[:, rng.integers(p)] = 20 - X[:, rng.integers(p)]
    if kind == "gaps":
        values = np.sort(rng.choice(2**40, 400, replace=False)) - 2**39
        X = values[X + 20]
    elif kind == "text":
        X = np.char.add("v", X.astype(str)).astype(object)
    elif kind == "bytes":
        X = (X + 20).astype(np.uint8)
    return np.asarray(X, order=rng.choice(["C", "F"])), kind


def shape(rng):
    """Rows and columns: few rows, more columns than a panel holds, or small both."""
    which = rng.random()
    if which < 0.2:
        return int(rng.integers(3, 8)), int(rng.integers(1, 6))
    if which < 0.35:
        return int(rng.integers(10, 80)), int(rng.integers(33, 70))
    if which < 0.45:
        return int(rng.integers(200, 700)), int(rng.integers(2, 6))
    return int(rng.integers(8, 70)), int(rng.integers(2, 12))
