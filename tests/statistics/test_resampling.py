"""Parts as unions of folds, and that every source and selector is right on any of them."""

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import (
    CFS,
    CMIM,
    FCBF,
    IAMB,
    JMI,
    MRMR,
    G2Test,
    HybridCausalSelector,
    PermutationTest,
    RowBlocks,
)
from ensfs.data.table import make_table
from ensfs.statistics import Resampling
from ensfs.training.memory import MemoryTrainingData

# ---------------------------------------- parts


def test_all_rows_are_one_part():
    parts = Resampling.all_rows(7)
    assert (parts.n_parts, parts.n_folds, parts.n_rows.tolist()) == (1, 1, [7])
    sums = np.arange(3.0)[None]
    np.testing.assert_array_equal(parts.combine(sums), sums)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 50), e=st.integers(2, 8))
def test_leave_one_out(seed, n, e):
    rng = np.random.default_rng(seed)
    fold = rng.integers(0, e, n)
    parts = Resampling.leave_one_out(fold, e)
    assert parts.n_parts == e
    assert parts.fold_sizes.tolist() == [int((fold == t).sum()) for t in range(e)]
    assert parts.n_rows.tolist() == [int((fold != t).sum()) for t in range(e)]
    order, bounds = parts.row_order()
    for t in range(e):
        np.testing.assert_array_equal(order[bounds[t] : bounds[t + 1]], np.nonzero(fold == t)[0])
    counts = rng.integers(0, 100, (e, 3))
    np.testing.assert_array_equal(
        parts.combine_counts(counts), [np.delete(counts, t, 0).sum(axis=0) for t in range(e)]
    )
    sums = rng.normal(size=(e, 2, 3))
    sums[0] = 1e20  # an outlier costs the parts without it nothing
    for t, part in enumerate(parts.combine(sums)):
        rest = np.delete(sums, t, 0).reshape(e - 1, -1).T
        expected = np.reshape([math.fsum(v) for v in rest], (2, 3))
        np.testing.assert_allclose(part, expected, rtol=1e-12, atol=1e-14)


@st.composite
def memberships(draw, least_folds=2):
    """A fold for each of some rows, none empty, and random parts, none without folds."""
    n_folds = draw(st.integers(least_folds, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = int(rng.integers(8 * n_folds, 16 * n_folds))
    fold = rng.permutation(np.arange(n) % n_folds)
    membership = rng.integers(0, 2, (int(rng.integers(1, 6)), n_folds)).astype(bool)
    membership[np.arange(len(membership)), rng.integers(0, n_folds, len(membership))] = True
    return rng, fold, membership


@given(case=memberships())
def test_any_membership(case):
    rng, fold, membership = case
    parts = Resampling(fold, membership)
    rows = [np.nonzero(np.isin(fold, np.nonzero(chosen)[0]))[0] for chosen in membership]
    assert parts.n_rows.tolist() == [each.size for each in rows]
    counts = rng.integers(0, 100, (parts.n_folds, 2, 3))
    sums = rng.normal(size=(parts.n_folds, 2, 3))
    combined = parts.combine(sums)
    for t, chosen in enumerate(membership):
        np.testing.assert_array_equal(parts.rows(t), rows[t])
        expected = counts[chosen].sum(axis=0)
        np.testing.assert_array_equal(parts.combine_counts(counts)[t], expected)
        one = parts.counts_of_part(t, counts, counts.sum(axis=0))
        np.testing.assert_array_equal(one, expected)
        np.testing.assert_allclose(combined[t], sums[chosen].sum(axis=0), rtol=1e-12, atol=1e-14)


def test_sums_are_added_and_never_subtracted():
    """A huge fold costs the parts without it nothing."""
    sums = np.array([[0.1], [1e20], [0.2], [0.3]])
    parts = Resampling(np.arange(4), np.array([[1, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 0]]))
    np.testing.assert_array_equal(parts.combine(sums)[:, 0], [0.1 + 0.2 + 0.3, 0.1 + 0.2, 1e20])


def test_halves_are_complementary():
    fold = np.arange(40) % 8
    parts = Resampling.halves(fold, 8, 6, np.random.default_rng(3))
    assert parts.membership.shape == (6, 8)
    assert (parts.membership.sum(axis=1) == 4).all()
    np.testing.assert_array_equal(parts.membership[::2], ~parts.membership[1::2])
    rng = np.random.default_rng(3)
    for first in parts.membership[::2]:
        assert set(np.nonzero(first)[0]) == set(rng.permutation(8)[:4])
    with pytest.raises(ValueError, match="even number of folds and of parts; got 7 and 6"):
        Resampling.halves(fold % 7, 7, 6, rng)
    with pytest.raises(ValueError, match="got 8 and 5"):
        Resampling.halves(fold, 8, 5, rng)


def test_kinds_are_recognised_by_their_matrix():
    fold = np.arange(6) % 3
    assert Resampling(fold, 1 - np.eye(3)).is_leave_one_out
    assert not Resampling(fold, np.eye(3)).is_leave_one_out
    assert Resampling(np.zeros(6), [[1]]).is_all_rows
    assert not Resampling(fold, [[1, 1, 1]]).is_all_rows


def test_bad_matrices():
    with pytest.raises(ValueError, match="from 0 to 1"):
        Resampling(np.array([0, 1, 2]), np.eye(2))
    with pytest.raises(ValueError, match="at least one fold"):
        Resampling(np.array([0, 1]), np.zeros((1, 2)))


def test_threads_can_share_it():
    """Everything is there from the start: no lock is held while another thread waits for it."""
    assert not [name for name, each in vars(Resampling).items() if hasattr(each, "attrname")]
    parts = Resampling.leave_one_out(np.arange(12) % 4, 4)
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(parts.n_rows.sum())) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [36] * 4


def test_worked_halves():
    """F statistics of the six halves of four folds, from the specification."""
    X = np.array(
        [
            [1, 2, 9, 4, 2, 3, 6, 5, 5, 7, 0, 6],
            [2, 1, 3, 3, 5, 4, 4, 6, 8, 8, 7, 9],
            [0, 0, 1, 0, 1, 0, 2, 1, 2, 2, 1, 2],
            [3, 1, 2, 5, 2, 4, 3, 2, 6, 4, 1, 5],
        ],
        dtype=float,
    ).T
    y = np.repeat([0, 1], 6)
    pairs = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]]
    membership = np.array([np.isin(range(4), folds) for folds in pairs])
    data = MemoryTrainingData(make_table(X, discrete_features=False), y)
    relevance, selection = select(
        MRMR(1, relevance="f_test"), data, Resampling(np.arange(12) % 4, membership)
    )
    expected = [
        [21.3333333333, 13.3333333333, 21.7777777778, 4.7619047619],
        [0.7248322148, 5.0256410256, 3.5555555556, 0.2264150943],
        [0.0113636364, 4.05, 4.5, 0.45],
        [13.5, 16.0714285714, 25, 0.05],
        [10.125, 12.0714285714, 8, 0.45],
        [0.0116279070, 6.05, 8, 0.0714285714],
    ]
    np.testing.assert_allclose(relevance, expected, atol=1e-10, rtol=1e-10)
    assert [int(columns[0]) for columns in selection.columns] == [2, 1, 2, 2, 1, 2]


# ---------------------------------------- every part is a fit on its rows

CONTINUOUS = {
    "F": MRMR(3, relevance="f_test"),
    "F, difference": MRMR(3, scheme="FCD"),
    "Pearson": MRMR(3, relevance="pearson"),
    "Fisher's z": IAMB(alpha=0.2, test="fisherz"),
}
CODED = {
    "MI": MRMR(3, relevance="mutual_information"),
    "JMI": JMI(3),
    "CMIM": CMIM(3),
    "FCBF": FCBF(),
    "CFS": CFS(),
}
IN_MEMORY = {
    "IAMB": IAMB(alpha=0.2, test=G2Test(samples_per_df=1)),
    "permutation": IAMB(alpha=0.2, test=PermutationTest(20)),
    "hybrid": HybridCausalSelector(causal=IAMB(alpha=0.2, test=G2Test(samples_per_df=1))),
}


def make_case(case, coded):
    rng, fold, membership = case
    n, p = fold.size, int(rng.integers(4, 40))
    y = rng.permutation(np.arange(n) % 2)
    if coded:
        X = rng.integers(0, 3, (n, p))
        X[:, 0] = np.where(rng.random(n) < 0.6, y, X[:, 0])
        X[:, 1] = np.where(rng.random(n) < 0.7, X[:, 0], X[:, 1])
    else:
        X = rng.normal(size=(n, p)) + 3 + rng.normal(size=p) * y[:, None]
        X[:, 1] = X[:, 0] + rng.normal(size=n)
    for chosen in membership:
        for f in np.nonzero(chosen)[0][:1]:  # both classes in every part
            y[np.nonzero(fold == f)[0][:2]] = [0, 1]
    return X, y, Resampling(fold, membership)


def select(selector, data, parts, n_threads=1):
    sources = selector.sources(data, parts, n_threads)
    selection = selector.select(sources, selector.size_for(data.variables), data.variables.included)
    return sources.relevance, selection


@settings(max_examples=25)
@given(case=memberships(), n_threads=st.integers(1, 2))
@pytest.mark.filterwarnings(
    "ignore:.*had too few rows", "ignore:The causal selector kept nothing",
    "ignore:Only .* columns were selected",
)  # fmt: skip
@pytest.mark.parametrize("name", [*CONTINUOUS, *CODED, *IN_MEMORY])
def test_selections_of_parts(name, case, n_threads):
    X, y, parts = make_case(case, coded=name not in CONTINUOUS)
    selector = (CONTINUOUS | CODED | IN_MEMORY)[name]
    data = MemoryTrainingData(make_table(X, **selector.read_options()), y)
    relevance, selection = select(selector, data, parts, n_threads)
    for t in range(parts.n_parts):
        rows = parts.rows(t)
        alone = selector.fit(X[rows], y[rows])
        np.testing.assert_allclose(relevance[t], alone.relevance_, rtol=1e-9, atol=1e-12)
        assert selection.columns[t].tolist() == alone.indices_.tolist()
        rtol = 1e-9
        if name == "Fisher's z" and alone.indices_.size:  # rounding grows with the inverse
            together = np.column_stack([X[rows][:, alone.indices_], y[rows]])
            rtol = max(rtol, 1e-13 * np.linalg.cond(np.corrcoef(together.T)))
        np.testing.assert_allclose(
            selection.scores[t], alone.scores_[alone.indices_], rtol=rtol, atol=1e-12
        )


@settings(max_examples=25)
@given(case=memberships(), signed=st.booleans())
@pytest.mark.parametrize("name", ["F", "Pearson", "MI", "JMI", "FCBF"])
def test_associations_of_parts(name, case, signed):
    X, y, parts = make_case(case, coded=name not in CONTINUOUS)
    selector = (CONTINUOUS | CODED)[name]
    options = selector.read_options()
    data = MemoryTrainingData(make_table(X, **options), y)
    source = selector.sources(data, parts, 1, signed).pairs
    p, out = X.shape[1], np.empty((parts.n_parts, X.shape[1]))
    wanted = [(g % p, np.array([t])) for g, t in enumerate(range(parts.n_parts))]
    source.association(wanted, out)
    for g, (t,) in wanted:
        rows = parts.rows(t)
        alone = MemoryTrainingData(make_table(X[rows], **options), y[rows])
        one = selector.sources(alone, Resampling.all_rows(rows.size), 1, signed).pairs
        expected = np.empty((1, p))
        one.association([(g, np.array([0]))], expected)
        np.testing.assert_allclose(out[t], expected[0], rtol=1e-9, atol=1e-12)


@settings(max_examples=25)
@given(case=memberships(), data=st.data())
@pytest.mark.parametrize("name", [*CONTINUOUS, *CODED])
def test_blocks_are_as_exact_as_memory(name, case, data):
    X, y, parts = make_case(case, coded=name not in CONTINUOUS)
    selector = (CONTINUOUS | CODED)[name]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(y) - 1), max_size=4)))
    blocks = RowBlocks([(X[a:b], y[a:b]) for a, b in zip([0, *cuts], [*cuts, len(y)], strict=True)])
    options = selector.read_options() | {"discrete_features": name not in CONTINUOUS}
    in_memory = MemoryTrainingData(make_table(X, **options), y)
    relevance, selection = select(selector, in_memory, parts)
    of_blocks, other = select(selector, blocks.make_data(**options), parts)
    np.testing.assert_array_equal(of_blocks, relevance)
    for t in range(parts.n_parts):
        np.testing.assert_array_equal(other.columns[t], selection.columns[t])
        np.testing.assert_array_equal(other.scores[t], selection.scores[t])
