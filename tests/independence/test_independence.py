"""The tests of independence against their definitions and the numbers of the literature."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ensfs import OracleTest
from ensfs.data.target import make_target
from ensfs.data.variables import Variables
from ensfs.independence import (
    CodedRule,
    CodedTester,
    CorrelationTester,
    SeparationTester,
    fisher_z,
    partial_correlation,
)
from ensfs.statistics import ContinuousSource, Resampling


def codes(text):
    return np.array(list(map(int, text)))


def coded_tests(columns, y, fold=None, **rule):
    table = np.asfortranarray(np.column_stack(columns).astype(np.uint8))
    parts = (
        Resampling.all_rows(len(y))
        if fold is None
        else Resampling.leave_one_out(fold, fold.max() + 1)
    )
    target = make_target(y, len(y), kind="classes")
    levels = (table.max(axis=0) + 1).astype(np.int32)
    return CodedTester(table, levels, target, parts, CodedRule(**rule))


def test_first_check_of_the_specification():
    x, y, z = codes("00001111"), codes("00011110"), codes("01010101")
    tests = coded_tests([x, z], y).part(0)
    plain = tests.pair(0, 2, ())
    assert plain.information == pytest.approx(0.1887218755, abs=1e-10)
    assert plain.statistic == pytest.approx(2.0929925751, abs=1e-10)
    assert plain.df == 1
    assert not plain.reliable or plain.pvalue == pytest.approx(0.1479759594, abs=1e-10)
    free = coded_tests([x, z], y, samples_per_df=0).part(0)
    assert free.pair(0, 2, ()).pvalue == pytest.approx(0.1479759594, abs=1e-10)
    given_z = free.pair(0, 2, (1,))
    assert given_z.information == 0.5
    assert given_z.statistic == pytest.approx(5.5451774445, abs=1e-10)
    assert given_z.df == 2
    assert given_z.pvalue == pytest.approx(0.0625, abs=1e-15)


@pytest.mark.parametrize(("df", "degrees"), [("full", 6), ("slices", 6), ("adjusted", 1)])
def test_degrees_of_freedom_of_the_fourth_check(df, degrees):
    x, y, z = codes("00112201"), codes("01010011"), codes("00001122")
    tests = coded_tests([x, z], y, df=df, samples_per_df=0).part(0)
    for outcome in (tests.pair(0, 2, (1,)), tests.columns(2, np.array([0]), (1,))):
        assert outcome.statistic == 0
        assert outcome.df == degrees
        assert outcome.pvalue == 1


def test_exclusive_or():
    a, b = codes("00110011"), codes("01010101")
    tests = coded_tests([a, b], a ^ b, samples_per_df=0).part(0)
    assert tests.pair(0, 2, ()).information == 0
    assert tests.pair(0, 2, (1,)).information == 1


def test_no_degrees_of_freedom_means_no_dependence():
    y = codes("0101010101")
    tests = coded_tests([np.zeros(10, dtype=int), y], y, samples_per_df=0).part(0)
    outcome = tests.columns(2, np.array([0, 1]), ())
    assert outcome.pvalue[0] == 1
    assert outcome.dependent.tolist() == [False, True]


def test_too_few_rows_decide_nothing():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 44)
    outcome = coded_tests([x], x).part(0).columns(1, np.array([0]), ())  # needs 5 * 9 rows
    assert not outcome.reliable[0]
    assert not outcome.dependent[0]
    assert np.isnan(outcome.pvalue[0])
    relied = coded_tests([x], x, samples_per_df=4).part(0)
    assert relied.columns(1, np.array([0]), ()).dependent[0]
    assert (relied.n_tests, relied.n_unreliable) == (1, 0)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    df=st.sampled_from(["full", "slices", "adjusted"]),
    kind=st.sampled_from(["g2", "mi"]),
    h=st.sampled_from([0, 1, 5]),
)
def test_outcomes_of_parts_are_those_of_their_rows(seed, df, kind, h):
    """Levels that a part lacks are no levels there."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    table = rng.integers(0, [2, 3, 4, 2], (n, 4))
    table[:, 3] = (table[:, 0] + (rng.random(n) < 0.3)) % 2
    table[:2, 3] = [0, 1]
    fold = np.arange(n) % 3
    table = np.column_stack([np.unique(c, return_inverse=True)[1] for c in table.T])
    rule = {"df": df, "kind": kind, "samples_per_df": h}
    together = coded_tests(table[:, :3].T, table[:, 3], fold, **rule)
    for t in range(3):
        rows = table[fold != t]
        if np.unique(rows[:, 3]).size < 2:
            continue
        rows = np.column_stack([np.unique(c, return_inverse=True)[1] for c in rows.T])
        alone = coded_tests(rows[:, :3].T, rows[:, 3], **rule)
        np.testing.assert_allclose(together.relevance[t], alone.relevance[0], atol=1e-14)
        for given_columns in ((), (1,), (1, 2)):
            one = together.part(t).columns(3, np.array([0]), given_columns)
            other = alone.part(0).columns(3, np.array([0]), given_columns)
            for a, b in zip(one, other, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


# ---------------------------------------------------------------------- permutations


def test_permutation_p_values():
    """Against the exact distribution of a two by two table, by all its tables."""
    x, y = codes("0000111111"), codes("0000111110")
    tests = coded_tests([x], y, kind="permutation", n_permutations=20000).part(0)
    outcome = tests.pair(0, 1, ())
    a = np.arange(0, 5)
    weights = stats.hypergeom(10, 5, 4).pmf(a)
    tables = [np.array([[k, 4 - k], [5 - k, 1 + k]]) for k in a]
    with np.errstate(divide="ignore", invalid="ignore"):
        g2 = [
            2 * np.nansum(t * np.log(t * 10 / np.outer(t.sum(axis=1), t.sum(axis=0))))
            for t in tables
        ]
    exact = weights[np.array(g2) >= outcome.statistic - 1e-9].sum()
    assert outcome.pvalue == pytest.approx(exact, abs=0.01)
    assert outcome.reliable
    assert outcome.pvalue == tests.pair(1, 0, ()).pvalue


def test_permutations_stay_in_their_strata():
    rng = np.random.default_rng(0)
    z = rng.integers(0, 2, 80)
    x, y = (z ^ (rng.random(80) < 0.05) for _ in range(2))
    tests = coded_tests([x, z], y.astype(int), kind="permutation").part(0)
    assert tests.pair(0, 2, ()).dependent
    assert tests.pair(0, 2, ()).pvalue == 1 / 1001
    assert not tests.pair(0, 2, (1,)).dependent
    order = tests.columns(2, np.array([1, 0]), ())
    again = coded_tests([x, z], y.astype(int), kind="permutation").part(0)
    np.testing.assert_array_equal(order.pvalue, again.columns(2, np.array([0, 1]), ()).pvalue[::-1])


@pytest.mark.parametrize("distribution", ["permuted", "chi2"])
@pytest.mark.parametrize("seed", range(3))
def test_permutations_depend_neither_on_rows_nor_on_names(distribution, seed):
    """The same counts give the same p-value: other order, other codes, a part or its rows alone."""
    rule = {"kind": "permutation", "distribution": distribution}
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (60, 4))
    fold = rng.integers(0, 2, 60)
    rows = table[fold != 0]
    part = coded_tests(table[:, :3].T, table[:, 3], fold, **rule).part(0)
    shuffled, recoded = rng.permutation(rows), rng.permutation(3)[rows]
    for given_columns in ((), (1,), (1, 2)):
        expected = part.pair(0, 3, given_columns)
        for same in (rows, shuffled, recoded):
            alone = coded_tests(same[:, :3].T, same[:, 3], **rule).part(0)
            assert alone.pair(0, 3, given_columns) == expected


def test_degrees_of_freedom_from_permutations():
    """For many rows the mean of the permuted G² is the number of degrees of freedom."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 3, (2, 3000))
    outcome = coded_tests([x], y, kind="permutation", distribution="chi2").part(0).pair(0, 1, ())
    assert outcome.df == pytest.approx(4, rel=0.1)
    assert outcome.pvalue == pytest.approx(stats.chi2.sf(outcome.statistic, 4), abs=0.03)


def test_nothing_to_permute():
    x = codes("0011")
    tests = coded_tests([x, x], codes("0101"), kind="permutation").part(0)
    outcome = tests.pair(0, 2, (1,))
    assert (outcome.pvalue, outcome.dependent) == (1, False)


# ---------------------------------------------------------------------- correlations


def test_fifth_check_of_the_specification():
    z, pvalue = fisher_z(np.array([0.5]), 103, 0)
    assert z[0] == pytest.approx(5.4930614433, abs=1e-10)
    assert pvalue[0] == pytest.approx(3.95025e-08, rel=1e-5)


def test_sixth_check_of_the_specification():
    r = partial_correlation(
        np.array([0.5]), np.array([[0.6]]), np.array([[0.7]]), np.array([[[1.0]]])
    )
    z, pvalue = fisher_z(r, 100, 1)
    assert r[0] == pytest.approx(0.1400280084, abs=1e-10)
    assert z[0] == pytest.approx(1.3810629249, abs=1e-10)
    assert pvalue[0] == pytest.approx(0.1672596139, abs=1e-10)
    assert -0.5 * np.log1p(-(r[0] ** 2)) == pytest.approx(0.0099013136, abs=1e-10)


def gaussian_tests(X, y, fold=None, alpha=0.01):
    parts = (
        Resampling.all_rows(len(y))
        if fold is None
        else Resampling.leave_one_out(fold, fold.max() + 1)
    )
    target = make_target(y, len(y), kind="numeric")
    return CorrelationTester(
        ContinuousSource(X, target, parts, relevance="pearson", signed=True), parts, alpha
    )


def partial_slow(X, i, j, given):
    """Correlation of what is left after regression on the given columns."""
    basis = np.column_stack([np.ones(len(X)), X[:, list(given)]])
    left = [
        X[:, k] - basis @ np.linalg.lstsq(basis, X[:, k], rcond=None)[0] for k in (i, j)
    ]  # fmt: skip
    return np.corrcoef(*left)[0, 1]


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), n_given=st.integers(0, 3), folds=st.sampled_from([0, 3]))
def test_partial_correlations(seed, n_given, folds):
    rng = np.random.default_rng(seed)
    n = 40
    table = rng.standard_normal((n, 6)) @ rng.standard_normal((6, 6))
    fold = np.arange(n) % folds if folds else None
    tests = gaussian_tests(np.asfortranarray(table[:, :5]), table[:, 5], fold)
    given_columns = tuple(range(n_given))
    columns = np.arange(n_given, 5)
    for t in range(tests.n_parts):
        rows = table if fold is None else table[fold != t]
        part = tests.part(t)
        outcome = part.columns(5, columns, given_columns)
        pairs = part.pairs(np.array([[j, 5, *given_columns] for j in columns]))
        r = np.array([partial_slow(rows, j, 5, given_columns) for j in columns])
        z = np.arctanh(r) * np.sqrt(len(rows) - n_given - 3)
        np.testing.assert_allclose(outcome.statistic, z**2, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(pairs.statistic, z**2, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(outcome.pvalue, 2 * stats.norm.sf(abs(z)), atol=1e-9)
        np.testing.assert_allclose(outcome.information, -0.5 * np.log2(1 - r**2), atol=1e-9)


def test_linear_functions_of_what_is_given_are_independent():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 50))
    X = np.column_stack([a, b, a + b, 2 * a, np.zeros(50)])
    y = a + rng.standard_normal(50)
    part = gaussian_tests(np.asfortranarray(X), y).part(0)
    outcome = part.columns(5, np.array([2, 3, 4]), (0, 1))
    np.testing.assert_array_equal(outcome.pvalue, 1)
    twice, once = part.pair(1, 5, (0, 3)), part.pair(1, 5, (0,))
    assert twice.information == pytest.approx(once.information, abs=1e-9)
    assert part.pair(0, 3, ()).dependent


def test_fisher_z_needs_rows():
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((5, 3)))
    part = gaussian_tests(X, X[:, 0].copy()).part(0)
    assert part.pair(0, 3, ()).dependent
    assert not part.pair(0, 3, (1, 2)).reliable
    assert not part.pair(0, 3, (1, 2)).dependent


# ---------------------------------------------------------------------- graphs


def random_dag(seed, n, share=0.4):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    return (np.triu(rng.random((n, n)) < share, 1))[np.ix_(order, order)]


def separated_slow(dag, x, y, given):
    """Separation in the moral graph of the ancestors."""
    kept = {x, y, *given}
    for _ in dag:
        kept |= {i for i, j in np.argwhere(dag) if j in kept}
    edges = {(i, j) for i, j in np.argwhere(dag) if j in kept}
    edges |= {(i, k) for i, j in edges for k, other in edges if j == other and i != k}
    reached = {x}
    for _ in dag:
        reached |= {b for a, b in edges if a in reached} | {a for a, b in edges if b in reached}
        reached -= set(given)
    return y not in reached


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 8))
def test_separation(seed, n):
    dag = random_dag(seed, n)
    rng = np.random.default_rng(seed)
    oracle = OracleTest(dag)
    for _ in range(10):
        x, y, *given = rng.permutation(n)[: rng.integers(2, n + 1)].tolist()
        assert oracle.separated(x, y, given) == separated_slow(dag, x, y, given)


def test_forms_of_graphs():
    parents = {"c": ["a", "b"], "a": [], "b": []}
    from_parents = OracleTest(parents, target="c")
    assert from_parents.names == ["a", "b", "c"]
    for oracle in (from_parents, OracleTest([[0, 0, 1], [0, 0, 1], [0, 0, 0]])):
        assert oracle.separated(0, 1)
        assert not oracle.separated(0, 1, [2])
        assert oracle.separated(0, 1, [0])
    assert OracleTest(parents, target=0).names == ["a", "b", "c"]
    assert OracleTest([[0, 1], [0, 0]], target=0).names == [1, 0]


def test_networkx_graphs():
    networkx = pytest.importorskip("networkx")
    oracle = OracleTest(networkx.DiGraph([("a", "c"), ("b", "c")]), target="c")
    assert oracle.names == ["a", "b", "c"]
    assert oracle.separated(0, 1)


@pytest.mark.parametrize(
    ("dag", "target", "message"),
    [
        ([[0, 1], [1, 0]], None, "cycle"),
        ([[1, 0], [0, 0]], None, "cycle"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, None, "cycle"),
        ({"a": ["b"]}, None, "lists parents that are not nodes"),
        ({"a": []}, "b", r"one of \['a'\]; got 'b'"),
        ([[0, 1], [0, 0]], 2, "must be a node of the graph"),
        ([[0, 1]], None, "square"),
        ({}, None, "no nodes"),
    ],
)
def test_bad_graphs(dag, target, message):
    with pytest.raises(ValueError, match=message):
        OracleTest(dag, target)


def test_unknown_nodes():
    oracle = OracleTest([[0, 1], [0, 0]])
    with pytest.raises(ValueError, match="nodes 0 to 1; got 2"):
        oracle.separated(0, 1, [2])
    with pytest.raises(ValueError, match="it has 2 nodes, X has 3 columns"):
        SeparationTester(oracle, Variables(3), 1)
