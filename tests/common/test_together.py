"""Gaps, weights, sparse cells, groups, kept columns and several outputs, all at once.

Each is tested alone elsewhere; here random combinations of them meet in every kind of source.
"""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from ensfs import (
    CFS,
    FCBF,
    IAMB,
    JMI,
    MMPC,
    MRMR,
    FastEnsemble,
    G2Test,
    HybridCausalSelector,
    InnerEnsemble,
    ITDecomposition,
    IteratedFCBFDecomposition,
    RowBlocks,
    StabilitySelector,
)

TEST = G2Test(samples_per_df=1)
ESTIMATORS = {
    "F": lambda: MRMR(3),
    "difference": lambda: MRMR(3, scheme="difference"),
    "counts": lambda: MRMR(3, relevance="mutual_information"),
    "auto": lambda: MRMR("auto"),
    "JMI": lambda: JMI(3),
    "JMI auto": lambda: JMI("auto", discretizer="equal_frequency"),
    "FCBF": FCBF,
    "CFS": CFS,
    "IAMB": lambda: IAMB(0.3, test=TEST),
    "MMPC": lambda: MMPC(0.3, test=TEST),
    "hybrid": lambda: HybridCausalSelector(causal=IAMB(0.3, test=TEST)),
    "ITD": lambda: ITDecomposition(2),
    "iterated": lambda: IteratedFCBFDecomposition(2),
    "fast F": lambda: FastEnsemble(MRMR(2), n_parts=4),
    "fast JMI": lambda: FastEnsemble(JMI(2), n_parts=4),
    "inner": lambda: InnerEnsemble(MRMR(2), n_parts=4),
    "halves": lambda: StabilitySelector(MRMR(2), n_pairs=4, n_folds=8, threshold=0.6),
}
WAYS = ("auto", "auto", "level", "corrected", "mean", "available", "distribute")


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


def rows_of(X, rows):
    return X.iloc[rows].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[rows]


def stored(X, kind):
    rows, columns = np.nonzero(X)
    cells = (X[rows, columns], (rows, columns))
    return scipy.sparse.coo_array(cells, shape=X.shape).asformat(kind)


def learned(estimator, X, y, fold, **more):
    """What was selected and how it scored, or the error without its numbers of cells."""
    estimator = clone(estimator)
    if "folds" in estimator.get_params(deep=False):
        estimator.set_params(folds=fold)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(X, y, **more)
    except (TypeError, ValueError) as error:
        return re.sub(r" has \d+ (missing|infinite) value.*", "", str(error))
    columns = getattr(estimator, "indices_", None)
    columns = getattr(estimator, "subsets_", None) if columns is None else [columns]
    numbers = [getattr(estimator, name, None) for name in ("relevance_", "scores_", "pvalues_")]
    return [each.tolist() for each in columns], [np.asarray(n) for n in numbers if n is not None]


def assert_same(found, expected):
    if isinstance(found, str) or isinstance(expected, str):
        assert found == expected
        return
    assert found[0] == expected[0]
    for one, other in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


@st.composite
def cases(draw, form):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(24, 50)), draw(st.integers(5, 7))
    target = draw(st.sampled_from(["classes", "numbers", "labels", "several numbers"]))
    y = {
        "classes": rng.integers(0, 3, n), "numbers": rng.normal(size=n).round(2),
        "labels": rng.integers(0, 2, (n, 2)), "several numbers": rng.normal(size=(n, 2)).round(2),
    }[target]  # fmt: skip
    X = {"sparse": sparse_table, "frame": mixed_frame}[form](rng, n, p, draw(st.booleans()))
    estimator = ESTIMATORS[draw(st.sampled_from(sorted(ESTIMATORS)))]()
    order = rng.permutation(p).tolist()
    options = {
        "include": draw(st.sampled_from([None, order[:1]])),
        "exclude": draw(st.sampled_from([None, order[1:2]])),
        "feature_groups": draw(st.sampled_from([None, None, [order[2:4]]])),
        "multi_output": draw(st.sampled_from(["mean", "max", "joint"])),
        "missing": draw(st.sampled_from(WAYS)),
        "discrete_features": draw(st.sampled_from(["auto", True])),
    }
    inner = getattr(estimator, "selector", estimator)
    known = inner.get_params(deep=False)
    inner.set_params(**{name: value for name, value in options.items() if name in known})
    return estimator, X, y, rng


@pytest.mark.parametrize("form", ["sparse", "frame"])
@given(data=st.data())
@settings(max_examples=60)
def test_weights_are_repeated_rows(form, data):
    estimator, X, y, rng = data.draw(cases(form))
    fold, weight = np.arange(len(y)) % 8, rng.integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    found = learned(estimator, X, y, fold, sample_weight=weight)
    assert_same(found, learned(estimator, rows_of(X, rows), y[rows], fold[rows]))
    weight = rng.random(len(y)) + 0.1
    weight[::5] = 0
    rows = np.nonzero(weight)[0]
    found = learned(estimator, X, y, fold, sample_weight=weight)
    there = (rows_of(X, rows), y[rows], fold[rows])
    assert_same(found, learned(estimator, *there, sample_weight=weight[rows]))


@given(data=st.data(), kind=st.sampled_from(["csr", "csc", "coo", "lil"]))
@settings(max_examples=60)
def test_sparse_tables_are_dense_ones(data, kind):
    estimator, X, y, rng = data.draw(cases("sparse"))
    fold, whole = np.arange(len(y)) % 8, rng.integers(0, 4, len(y))
    for weight in (None, whole, 50 * whole, rng.random(len(y)) + 0.1):
        expected = learned(estimator, X, y, fold, sample_weight=weight)
        found = learned(estimator, stored(X, kind), y, fold, sample_weight=weight)
        assert_same(found, expected)


@given(data=st.data(), form=st.sampled_from(["sparse", "frame"]))
@settings(max_examples=60)
def test_blocks_are_the_table(data, form):
    estimator, X, y, _ = data.draw(cases(form))
    n, fold = len(y), np.arange(len(y)) % 8
    some = [(rows_of(X, slice(a, b)), y[a:b]) for a, b in ((0, 7), (7, n // 2), (n // 2, n))]
    found = learned(estimator, RowBlocks(some), None, fold)
    if isinstance(found, str) and ("memory" in found or "blocks" in found):
        return  # refused as a whole
    assert_same(found, learned(estimator, X, y, fold))


@given(data=st.data())
@settings(max_examples=40)
def test_libraries_give_the_same(data):
    estimator, X, y, _ = data.draw(cases("frame"))
    fold = np.arange(len(y)) % 8
    expected = learned(estimator, X, y, fold)
    for frame in (pl.from_pandas(X), pa.Table.from_pandas(X)):
        assert_same(learned(estimator, frame, y, fold), expected)
