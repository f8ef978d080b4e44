"""Rank tests against SciPy, and against what the papers print."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, rankdata

from ensfs.evaluation import friedman_holm, holm

NAMES = ("RSM", "IFCBF", "CERP", "ITD")
# Table 1 of the paper on information theoretic decomposition: balanced accuracies in per cent.
ITD_TABLE = np.array([
    [74, 77, 78, 78], [76, 65, 58, 71], [93, 92, 93, 93], [83, 85, 83, 84], [65, 65, 63, 65],
    [89, 89, 88, 90], [40, 41, 40, 43], [62, 63, 63, 64], [52, 53, 55, 57], [93, 92, 93, 96],
    [64, 67, 69, 69], [51, 51, 53, 55], [75, 75, 80, 79], [53, 54, 57, 55], [87, 91, 93, 92],
    [93, 95, 96, 96], [98, 97, 98, 98], [87, 87, 89, 90], [76, 79, 76, 81],
]) / 100  # fmt: skip


@pytest.fixture(scope="module")
def itd():
    return friedman_holm(ITD_TABLE, names=NAMES)


def test_printed_ranks(itd):
    np.testing.assert_allclose(itd.mean_ranks, [3.210526, 2.921053, 2.368421, 1.5], atol=5e-7)
    assert itd.names[itd.control] == "ITD"


def test_printed_comparisons(itd):
    np.testing.assert_allclose(itd.z[[2, 1, 0]], [2.073327, 3.392717, 4.083826], atol=5e-7)
    np.testing.assert_allclose(
        itd.pvalues[[2, 1, 0]], [0.0381419, 0.000692032, 4.43003e-05], rtol=2e-6
    )
    np.testing.assert_allclose(
        itd.adjusted_pvalues[[2, 1, 0]], [0.03814, 0.00138, 0.000133], rtol=3e-3
    )
    assert itd.rejected().tolist() == [True, True, True, False]
    assert itd.rejected(0.01).tolist() == [True, True, False, False]


def test_statistics_of_the_printed_table(itd):
    np.testing.assert_allclose(itd.friedman, (19.373684, 2.28822e-4), rtol=3e-6)
    np.testing.assert_allclose(itd.friedman_ties, (22.174699, 5.99928e-5), rtol=3e-6)
    np.testing.assert_allclose(itd.iman_davenport, (9.268149, 4.82813e-5), rtol=3e-6)


def test_it_reads_as_a_table(itd):
    lines = str(itd).splitlines()
    assert lines[0] == "19 data sets, 4 methods, compared with ITD"
    assert [line.split()[0] for line in lines[5:]] == ["ITD", "CERP", "IFCBF", "RSM"]
    assert "0.03814" in lines[6]


def test_worked_ranks():
    """Twelve rankings with the rank sums of a published table; its own statistics are misprints."""
    ranks = [
        [3, 4, 2, 1], [1, 2, 4, 3], [1, 3, 2, 4], [3, 1, 4, 2], [4, 1, 2, 3], [3, 4, 2, 1],
        [4, 1, 3, 2], [3, 4, 2, 1], [2, 1, 3, 4], [4, 2, 3, 1], [4, 1, 3, 2], [4, 1, 2.5, 2.5],
    ]  # fmt: skip
    result = friedman_holm(ranks, greater_is_better=False)
    np.testing.assert_allclose(result.mean_ranks, [3.0, 2.0833, 2.7083, 2.2083], atol=5e-5)
    assert result.friedman.statistic == pytest.approx(3.975, abs=1e-9)
    assert result.iman_davenport.statistic == pytest.approx(1.365339578, abs=1e-9)


@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), k=st.integers(3, 6),
    levels=st.integers(2, 50),
)  # fmt: skip
def test_against_scipy(seed, n, k, levels):
    table = np.random.default_rng(seed).integers(levels, size=(n, k)) / levels
    assume((np.ptp(table, axis=1) > 0).any())
    result = friedman_holm(table, greater_is_better=False)
    np.testing.assert_allclose(result.friedman_ties, friedmanchisquare(*table.T), atol=1e-9)
    np.testing.assert_allclose(result.mean_ranks, rankdata(table, axis=1).mean(axis=0))
    assert result.mean_ranks.sum() == pytest.approx(k * (k + 1) / 2)
    other_way = friedman_holm(-table)
    np.testing.assert_array_equal(other_way.mean_ranks, result.mean_ranks)
    np.testing.assert_array_equal(other_way.adjusted_pvalues, result.adjusted_pvalues)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 5))
def test_the_order_of_sets_and_methods_does_not_matter(seed, k):
    rng = np.random.default_rng(seed)
    table = rng.random((6, k))
    order = rng.permutation(k)
    names = [f"m{j}" for j in range(k)]
    result = friedman_holm(table, names=names, control="m0")
    moved = friedman_holm(
        table[rng.permutation(6)][:, order], names=[names[j] for j in order], control="m0"
    )
    np.testing.assert_allclose(moved.mean_ranks, result.mean_ranks[order])
    np.testing.assert_allclose(moved.adjusted_pvalues, result.adjusted_pvalues[order])


def test_two_methods_are_a_sign_test():
    """With two methods chi-square is the square of z."""
    table = [[1, 2], [1, 2], [2, 1], [1, 2], [1, 2]]
    result = friedman_holm(table, control=1, greater_is_better=False)
    assert result.friedman.statistic == pytest.approx(result.z[0] ** 2)
    assert result.friedman.pvalue == pytest.approx(result.pvalues[0])
    assert result.adjusted_pvalues[0] == result.pvalues[0]


def test_rounding_makes_no_ranks():
    third = 0.1 + 0.2
    result = friedman_holm([[third, 0.3, 0.1], [0.3, third, 0.1]])
    assert result.mean_ranks.tolist() == [1.5, 1.5, 3]
    assert result.control == 0  # the first of the best


def test_an_edge_of_rounding_makes_no_ranks():
    """Two results that differ by 2e-14, one below 0.1234567890125 and one above it."""
    a, b = 0.1234567890125 - 1e-14, 0.1234567890125 + 1e-14
    assert friedman_holm([[1.0, a, b], [1.0, 0.2, 0.2]]).mean_ranks.tolist() == [1, 2.5, 2.5]


def test_all_tied():
    result = friedman_holm(np.ones((4, 3)))
    assert result.friedman == result.friedman_ties == (0.0, 1.0)
    assert result.iman_davenport == (0.0, 1.0)
    assert result.adjusted_pvalues[1:].tolist() == [1, 1]
    assert not result.rejected().any()


def test_the_same_order_everywhere():
    result = friedman_holm([[1, 2, 3]] * 5)
    assert result.friedman.statistic == pytest.approx(10)
    assert result.iman_davenport == (math.inf, 0.0)
    assert "inf" in str(result)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_bring_their_names(itd, make):
    result = friedman_holm(make({name: ITD_TABLE[:, j] for j, name in enumerate(NAMES)}))
    assert result.names == NAMES
    np.testing.assert_array_equal(result.adjusted_pvalues, itd.adjusted_pvalues)


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ([[1, 2]], {}, "at least two data sets"),
        ([[1], [2]], {}, "two methods"),
        ([1, 2, 3], {}, "shape"),
        ([[1, 2], [3, np.nan]], {"names": ["a", "b"]}, "result of 'b' on data set 1 is nan"),
        ([["x", 2], [3, 4]], {}, "numbers"),
        ([[1, 2], [3, 4]], {"names": ["a"]}, "each of 2 methods; got 1"),
        ([[1, 2], [3, 4]], {"names": ["a", "a"]}, "differ from each other"),
        ([[1, 2], [3, 4]], {"control": "c"}, "control must be one of"),
        ([[1, 2], [3, 4]], {"control": 2}, "control must be one of"),
        ([[1, 2], [3, 4]], {"control": True}, "control must be one of"),
        ([[1, 2j], [3, 4]], {}, "numbers"),
        (np.ma.masked_array([[1, 2], [3, 4]], [[0, 0], [0, 1]]), {}, "masked"),
    ],
)
def test_bad_results(results, options, message):
    with pytest.raises(ValueError, match=message):
        friedman_holm(results, **options)


def test_results_can_be_compared_and_kept_in_sets(itd):
    assert itd == itd
    assert len({itd, friedman_holm([[1, 2], [3, 5]])}) == 2


def test_bad_alpha(itd):
    with pytest.raises(ValueError, match="alpha"):
        itd.rejected(1.0)


# ---------------------------------------- Holm


def holm_slow(pvalues):
    """Adjusted: the smallest level at which the step-down procedure rejects."""
    m = len(pvalues)
    order = sorted(range(m), key=lambda i: pvalues[i])
    adjusted = [0.0] * m
    for place, i in enumerate(order):
        adjusted[i] = max(min(1.0, (m - q) * pvalues[order[q]]) for q in range(place + 1))
    return adjusted


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm(pvalues):
    np.testing.assert_allclose(holm(pvalues), holm_slow(pvalues))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0.001, 0.2))
def test_holm_steps_down(pvalues, alpha):
    """Compare the i-th smallest with alpha / (m - i + 1) and stop at the first failure."""
    m, rejected = len(pvalues), set()
    for place, i in enumerate(sorted(range(m), key=lambda i: pvalues[i])):
        level = (m - place) * pvalues[i]
        assume(abs(level - alpha) > 1e-12)
        if level > alpha:
            break
        rejected.add(i)
    assert set(np.flatnonzero(holm(pvalues) <= alpha)) == rejected


@pytest.mark.parametrize("bad", [[-0.1], [1.1], [np.nan], [[0.5]]])
def test_bad_pvalues(bad):
    with pytest.raises(ValueError, match="pvalues must"):
        holm(bad)
