"""Tables as they are, with gaps, sparse cells and columns of all types, and what is learned.

Whatever must hold for every selector is tried on them: see ``common/test_properties.py``,
``common/test_together.py`` and ``fuzzing/rough.py``.
"""

import re
import warnings

import numpy as np
import pandas as pd
import scipy.sparse
from families import ESTIMATORS, SELECTORS, example
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

from ensfs import (
    ACE,
    CFS,
    FCBF,
    IAMB,
    JMI,
    MRMR,
    FastEnsemble,
    ForestImportance,
    ForwardSelection,
    InnerEnsemble,
    L1Path,
    RandomClusterEnsemble,
    RankEnsemble,
    SelectorCV,
    StabilitySelector,
)
from ensfs.causal._base import CausalSelector
from ensfs.decomposition._base import BaseDecomposition

DECOMPOSITIONS = [c for c in ESTIMATORS if issubclass(c, BaseDecomposition)]

#: Other ways to run a class than that of its `example`.
VARIANTS = {
    "MRMR by counts": MRMR(4, relevance="mutual_information"),
    "MRMR by correlation": MRMR(4, relevance="pearson", scheme="difference"),
    "MRMR auto": MRMR("auto", expected_false=3.0),
    "JMI auto": JMI("auto", expected_false=3.0, discretizer="equal_frequency"),
    "IAMB by z": IAMB(0.3, test="fisherz"),
    "FastEnsemble of JMI": FastEnsemble(JMI(3), n_parts=4),
    "FastEnsemble of FCBF": FastEnsemble(FCBF(), n_parts=4),
    "FastEnsemble of halves": FastEnsemble(MRMR(3), parts="halves", n_parts=4, n_folds=8),
    "InnerEnsemble of CFS": InnerEnsemble(CFS(), n_parts=4),
}


def made(c):
    """An instance that is quick."""
    estimator = example(c)
    if c is RankEnsemble:
        members = [("forward", ForwardSelection(4)), ("path", L1Path(4)), ("JMI", JMI(4))]
        estimator.set_params(estimators=members, n_halves=2)
    if issubclass(c, CausalSelector):
        estimator.set_params(alpha=0.3)
    if c is RandomClusterEnsemble:
        estimator.set_params(n_estimators=4, max_clusters=3)
    if c in (ACE, ForestImportance):
        estimator.set_params(n_estimators=8)
    if c is SelectorCV:  # whose models get gaps, and sparse cells
        model = make_pipeline(SimpleImputer(), BernoulliNB(binarize=0.5))
        estimator.set_params(estimator=model, cv=2)
    return estimator


#: Every selector and decomposition, by name.
EVERY = {c.__name__: made(c) for c in (*SELECTORS, *DECOMPOSITIONS)} | VARIANTS

#: What draws rows, contrasts or numbers, or begins with some: repeated or moved rows give others.
DRAWING = (ACE, ForestImportance, RankEnsemble, RandomClusterEnsemble, SelectorCV)


def parameters_of(estimator):
    """The parameters of what reads the table: an estimator, or the selector that it runs."""
    inner = getattr(estimator, "selector", None)
    inner = estimator if inner is None else inner
    return inner, inner.get_params(deep=False)


def with_options(estimator, **options):
    """A clone; options that it does not have are left out."""
    estimator = clone(estimator)
    inner, known = parameters_of(estimator)
    inner.set_params(**{name: value for name, value in options.items() if name in known})
    return estimator


# ------------------------------------ tables


def sparse_table(rng, n, p, gaps):
    """Counts and numbers, most of them 0."""
    X = np.where(rng.random((n, p)) < 0.4, rng.integers(1, 4, (n, p)), 0).astype(float)
    X[:, :2] *= 1 + rng.random((n, 2)).round(1)
    if gaps:
        X[(X != 0) & (rng.random(X.shape) < 0.25)] = np.nan
    return X


def mixed_frame(rng, n, p, gaps):
    """Columns of every type of pandas, nullable ones where cells are missing."""
    makers = (
        lambda: pd.Series(rng.normal(size=n).round(2)),
        lambda: pd.Series(rng.normal(size=n).astype(np.float32)),
        lambda: pd.Series(rng.integers(0, 4, n)).astype("Int64"),
        lambda: pd.Series(rng.choice(["a", "b", "cc"], n), dtype=object),
        lambda: pd.Series(pd.Categorical(rng.choice(["x", "y"], n), categories=["w", "x", "y"])),
        lambda: pd.Series(rng.random(n) < 0.5).astype("boolean"),
    )
    columns = {}
    for j in range(p):
        column = makers[rng.integers(len(makers))]()
        if gaps and rng.random() < 0.7:
            column[rng.random(n) < 0.25] = None
        columns[f"c{j}"] = column
    return pd.DataFrame(columns)


def numbers(rng, n, p, gaps):
    """Numbers, without ties but for the first column, the first half of which says something of y.

    Returns
    -------
    ndarray of shape (n, p), ndarray of shape (n,)
        The table and three classes.
    """
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p)) + np.outer(y, rng.normal(size=p) * (np.arange(p) < p // 2))
    X[:, 0] = rng.integers(0, 3, n)
    if gaps:
        X[rng.random(X.shape) < 0.2 * rng.random(p)] = np.nan
    return X, y


def rows_of(X, rows):
    """Some rows of a table."""
    return X.iloc[rows].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[rows]


def stored(X, kind="csr"):
    """A sparse table that stores whatever is not 0, NaN among it."""
    rows, columns = np.nonzero(X)
    cells = (X[rows, columns], (rows, columns))
    return scipy.sparse.coo_array(cells, shape=X.shape).asformat(kind)


# ------------------------------------ what is learned

NUMBERS = (
    "relevance_", "scores_", "pvalues_", "entry_pvalues_", "redundancy_", "selection_frequency_",
)  # fmt: skip


def learned(estimator, X, y, fold=None, **more):
    """What was selected and how it scored, or the error without its numbers of cells.

    Rows go to the folds given, where the estimator has any.
    """
    estimator = clone(estimator)
    if fold is not None and "folds" in estimator.get_params(deep=False):
        if isinstance(estimator, FastEnsemble | InnerEnsemble | StabilitySelector):
            estimator.set_params(folds=fold)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            estimator.fit(X, y, **more)
    except (TypeError, ValueError) as error:
        return re.sub(r" has \d+ (missing|infinite) value.*", "", str(error))
    columns = getattr(estimator, "indices_", None)
    columns = getattr(estimator, "subsets_", None) if columns is None else [columns]
    found = [getattr(estimator, name, None) for name in NUMBERS]
    return [each.tolist() for each in columns], [np.asarray(n) for n in found if n is not None]


def assert_same(found, expected, exact=False):
    """Compare what two fits have learned."""
    if isinstance(found, str) or isinstance(expected, str):
        assert found == expected
        return
    assert found[0] == expected[0]
    for one, other in zip(found[1], expected[1], strict=True):
        if exact:
            np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)
