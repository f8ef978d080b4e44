"""Sparse tables for tests: every kind of column, and every format that they come in."""

import numpy as np
import scipy.sparse
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

from ensfs import JMI, MRMR, RankEnsemble

FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")

#: What makes the values of the cells that are not 0.
VALUES = {
    "few counts": lambda rng, n: rng.integers(1, 4, n),
    "counts": lambda rng, n: rng.integers(1, 40, n),
    "signed": lambda rng, n: rng.choice([-2, -1, 1, 3], n),
    "numbers": lambda rng, n: rng.normal(size=n).round(2),
    "large": lambda rng, n: 1e6 + rng.normal(size=n),
}
DTYPES = (np.float64, np.float32, np.int64, np.int8, np.uint16, bool)


def column(rng, n, kind, density):
    """A dense column with so many cells that are not 0."""
    return np.where(rng.random(n) < density, VALUES[kind](rng, n), 0)


def dense_table(rng, n, p, dtype=np.float64):
    """Columns of all kinds; some are empty, some have no zero."""
    kinds = rng.choice(list(VALUES), p)
    density = rng.choice([0.0, 0.05, 0.3, 0.6, 0.95, 1.0], p)
    X = np.stack([column(rng, n, k, d) for k, d in zip(kinds, density, strict=True)], axis=1)
    if np.dtype(dtype).kind == "f":
        return X.astype(dtype)
    return np.rint(np.clip(np.abs(X) if np.dtype(dtype).kind in ("b", "u") else X, -99, 99)).astype(
        dtype
    )


def untidy(X, kind="csr", index=np.int32):
    """A dense table as a sparse one with duplicates, stored zeros and indices out of order."""
    rng = np.random.default_rng(X.size)
    rows, columns = np.nonzero(X)
    values = X[rows, columns]
    zeros = np.argwhere(X == 0)[:5]
    rows = np.concatenate([rows, zeros[:, 0]])
    columns = np.concatenate([columns, zeros[:, 1]])
    values = np.concatenate([values, np.zeros(len(zeros), dtype=X.dtype)])
    if X.dtype.kind != "b" and values.size:  # 3 is stored as 2 and 1
        halves = (values / 2).astype(X.dtype)
        rows, columns = np.tile(rows, 2), np.tile(columns, 2)
        values = np.concatenate([halves, values - halves])
        whole = halves + (values[halves.size :]) == X[rows[: halves.size], columns[: halves.size]]
        assert whole.all() or X.dtype.kind == "f"
    order = rng.permutation(values.size)
    rows, columns, values = rows[order], columns[order], values[order]
    make = {"csr": (rows, columns), "csc": (columns, rows)}[kind]
    n_major = X.shape[0] if kind == "csr" else X.shape[1]
    place = np.argsort(make[0], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(make[0], minlength=n_major))])
    parts = (values[place], make[1][place].astype(index), starts.astype(index))
    return getattr(scipy.sparse, f"{kind}_array")(parts, shape=X.shape)


@st.composite
def tables(draw, rows=(2, 40), columns=(1, 7)):
    """A dense table, and classes."""
    n, p = draw(st.integers(*rows)), draw(st.integers(*columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = dense_table(rng, n, p, draw(st.sampled_from(DTYPES)))
    y = rng.integers(0, draw(st.integers(1, 4)), n)
    if draw(st.booleans()):  # something to find
        X[:, 0] = np.where(y == y.max(), X[:, 0], 0)
    return X, y


#: Learned from counts: equal to the bit. The others come from sums in another order.
COUNTED = {"n_features_in_", "support_", "indices_", "ranking_", "cut_points_", "removed_by_"}


def make(c):
    """An instance that is quick, with members that take sparse tables where it has any."""
    estimator = c()
    parameters = estimator.get_params(deep=False)
    wanted = {"n_features_to_select": 4, "n_parts": 4, "n_pairs": 3, "random_state": 0}
    if "n_pairs" in parameters:
        wanted["threshold"] = 0.6
    if "sizes" in parameters:
        wanted |= {"sizes": [3], "cv": 3, "estimator": LogisticRegression(max_iter=500)}
    if c is RankEnsemble:
        wanted["estimators"] = [("a", MRMR(3)), ("b", JMI(3))]
    return estimator.set_params(**{k: v for k, v in wanted.items() if k in parameters})


def takes(c):
    return get_tags(make(c)).input_tags.sparse


def text(n=120, p=25, seed=0):
    """Counts of words, some of which depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.poisson(0.3, (n, p)) * rng.integers(1, 5, (n, p))
    X[:, 3] += 2 * (y == 1)
    X[:, 7] *= y == 2
    return X.astype(np.float64), y
