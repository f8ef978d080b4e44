"""Gaps, weights, sparse cells, groups, kept columns and several outputs, all at once.

Each is tested alone elsewhere; here random combinations of them meet in every kind of source.
"""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rough_tables import assert_same, learned, mixed_frame, rows_of, sparse_table, stored

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
