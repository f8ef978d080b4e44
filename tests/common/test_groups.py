"""`feature_groups`: columns that enter and leave as one."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import twins
from families import CAUSAL, GREEDY, SELECTORS, example
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from ensfs import (
    CFS,
    CMIM,
    FCBF,
    IAMB,
    JMI,
    MIM,
    MRMR,
    FastEnsemble,
    G2Test,
    HybridCausalSelector,
    InnerEnsemble,
    PCSelector,
    RowBlocks,
    SelectorCV,
    StabilitySelector,
)

#: Those that take groups.
GROUPING = [c for c in SELECTORS if "feature_groups" in c().get_params(deep=False)]
ids = {"ids": lambda c: c.__name__}

Y = np.array([0] * 6 + [1] * 6)
A = [1, 2, 9, 4, 2, 3, 6, 5, 5, 7, 0, 6]
B = [2, 1, 3, 3, 5, 4, 4, 6, 8, 8, 7, 9]
Q = [0, 0, 1, 0, 1, 0, 2, 1, 2, 2, 1, 2]
E = [3, 1, 2, 5, 2, 4, 3, 2, 6, 4, 1, 5]
NUMBERS = np.array([A, B, Q, E], dtype=float).T
LETTERS = np.array(list("ppqqrrqqrrpr"))


def one_hot(column):
    return np.stack([column == level for level in np.unique(column)], axis=1)


# ---------------------------------------------------------------- the worked example


def test_worked_example_of_numbers():
    selector = MRMR(3, scheme="FCQ", feature_groups=[[1, 2]]).fit(NUMBERS, Y)
    assert [columns.tolist() for columns in selector.groups_] == [[1, 2], [0], [3]]
    assert selector.indices_.tolist() == [1, 2, 0, 3]
    assert selector.ranking_.tolist() == [2, 1, 1, 3]
    relevance = [0.7373271889, 19.2307692308, 19.2307692308, 0.4705882353]
    assert selector.relevance_ == pytest.approx(relevance, rel=1e-9)
    scores = [1.8154672703, 19.2307692308, 19.2307692308, 1.2850287584]
    assert selector.scores_ == pytest.approx(scores, rel=1e-9)
    two = MRMR(2, scheme="FCQ", feature_groups=[[1, 2]]).fit(NUMBERS, Y)
    assert two.redundancy_[0] == pytest.approx(0.4061363160, rel=1e-9)
    included = MRMR(2, scheme="FCQ", include=[1], exclude=[0], feature_groups=[[1, 2]])
    assert included.fit(NUMBERS, Y).redundancy_[3] == pytest.approx(0.3757055696, rel=1e-9)


def test_worked_example_of_indicators():
    X = np.column_stack([Q, one_hot(LETTERS)]).astype(int)
    alone = MIM(4, correction=None, discrete_features=True).fit(X, Y)
    assert alone.relevance_[1:] == pytest.approx([0.0271189966, 0, 0.0207208396], abs=1e-10)
    how = {"discrete_features": True, "feature_groups": {"letter": [1, 2, 3]}}
    group = MIM(2, correction=None, **how).fit(X, Y)
    assert group.relevance_[1:] == pytest.approx([0.0325299605] * 3, abs=1e-10)
    assert group.explain("x2")["group"] == ["letter"]
    assert FCBF(**how).fit(X, Y).relevance_[1] == pytest.approx(0.0254679005, abs=1e-10)
    conditional = CMIM(2, include_mi=False, correction=None, include=[1], **how).fit(X, Y)
    assert conditional.scores_[0] == pytest.approx(0.8008033729, abs=1e-10)


# ---------------------------------------------------------------- indicators and categories


def table_of(seed, n=150):
    """A categorical column and others, some of which say something."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.integers(0, 3, (n, 4))
    X[:, 1] = np.where(rng.random(n) < 0.5, y, X[:, 1])
    X[:, 3] = np.where(rng.random(n) < 0.5, X[:, 1], X[:, 3])
    levels = np.where(rng.random(n) < 0.4, y, rng.integers(0, 4, n))
    return X, levels, y


def coded_example(c):
    estimator = example(c)
    if c is MRMR:
        return estimator.set_params(relevance="mutual_information")
    return estimator


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("c", GROUPING, **ids)
@pytest.mark.filterwarnings("ignore:Only .* columns:UserWarning", "ignore:.*had too few rows")
@pytest.mark.filterwarnings("ignore:.*selected no column:UserWarning")
@pytest.mark.filterwarnings("ignore:The causal selector kept nothing:UserWarning")
def test_indicators_are_the_column_they_were_made_of(c, seed):
    """To the last bit, wherever the members stand."""
    X, levels, y = table_of(seed)
    plain = np.column_stack([X[:, :2], levels, X[:, 2:]])
    marks = one_hot(levels).astype(int)
    spread = np.column_stack([X[:, :2], marks, X[:, 2:]])
    m = marks.shape[1]
    group = list(range(2, 2 + m))
    how = {} if c is HybridCausalSelector else {"discrete_features": True}
    expected = coded_example(c).set_params(**how).fit(plain, y)
    found = coded_example(c).set_params(**how, feature_groups=[group]).fit(spread, y)
    members = [[0], [1], group, [2 + m], [3 + m]]
    assert [g.tolist() for g in found.groups_] == [members[j] for j in expected.indices_]
    lowest = [each[0] for each in members]
    np.testing.assert_array_equal(found.scores_[lowest], expected.scores_)
    np.testing.assert_array_equal(found.relevance_[lowest], expected.relevance_)
    np.testing.assert_array_equal(found.ranking_[lowest], expected.ranking_)
    assert np.unique(found.relevance_[group]).size == 1
    shuffled = coded_example(c).set_params(**how, feature_groups=[group[::-1]]).fit(spread, y)
    np.testing.assert_array_equal(shuffled.support_, found.support_)


def test_indicators_in_blocks():
    X, levels, y = table_of(3)
    plain = np.column_stack([X, levels])
    spread = np.column_stack([X, one_hot(levels)]).astype(int)
    text = pd.DataFrame(spread).astype(str).add_prefix("c")
    group = list(range(4, spread.shape[1]))
    for selector in (JMI(3), CMIM(3), FCBF(), CFS(), MRMR(3), JMI("auto")):
        selector.set_params(discrete_features=True)
        expected = selector.fit(plain, y)
        scores, columns = expected.scores_, expected.indices_
        selector.set_params(feature_groups=[group])
        for table in (spread, text):
            blocks = [(table[i : i + 40], y[i : i + 40]) for i in range(0, 150, 40)]
            found = selector.fit(RowBlocks(blocks))
            np.testing.assert_array_equal(found.scores_[:5], scores)
            assert found.indices_[: columns.tolist().index(4) + 1 if 4 in columns else 3].size
            assert found.support_[group].all() == (4 in columns)
        selector.set_params(feature_groups=None)


# ---------------------------------------------------------------- means of numbers


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), scheme=st.sampled_from(["quotient", "difference", "discount"]))
def test_groups_of_numbers_are_means(seed, scheme):
    """By the definition: relevance and redundancy are means over members and selected columns.

    The discount has the mean over the members of the selected group that is most alike.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 40)
    X = rng.normal(size=(40, 7)) + rng.normal(size=7) * y[:, None]
    groups = [[4, 1], [2, 6, 3], [0], [5]]
    order = sorted(range(4), key=lambda v: min(groups[v]))
    relevance = {v: np.mean([twins.f_classes(X[:, j], y) for j in groups[v]]) for v in range(4)}
    chosen = []
    for _ in range(3):
        left = [v for v in order if v not in chosen]
        selected = [j for v in chosen for j in groups[v]]
        scores = {}
        for v in left:
            r = [[abs(np.corrcoef(X[:, j], X[:, s])[0, 1]) for j in groups[v]] for s in selected]
            pairs = np.ravel(r)
            redundancy = np.mean(pairs) if pairs.size else 0.0
            if scheme == "discount":
                alike = [np.mean([r[selected.index(s)] for s in groups[g]]) for g in chosen]
                scores[v] = relevance[v] * (1 - max(alike, default=0.0) ** 2) ** 2
            elif scheme == "difference":
                scores[v] = relevance[v] - redundancy
            else:
                scores[v] = relevance[v] / redundancy if pairs.size else relevance[v]
        chosen.append(max(left, key=lambda v: scores[v]))
        score = scores[chosen[-1]]
    selector = MRMR(3, relevance="f_test", scheme=scheme, feature_groups=groups[:2]).fit(X, y)
    assert [g.tolist() for g in selector.groups_] == [groups[v] for v in chosen]
    assert selector.scores_[groups[chosen[-1]][0]] == pytest.approx(score, rel=1e-9)


@pytest.mark.parametrize("how", ["mean", "max"])
def test_outputs_are_combined_for_each_member(how):
    rng = np.random.default_rng(2)
    Y = rng.integers(0, 2, (60, 3))
    X = rng.normal(size=(60, 4)) + Y @ rng.normal(size=(3, 4))
    alone = MRMR(2, multi_output=how).fit(X, Y).relevance_
    group = MRMR(2, multi_output=how, feature_groups=[[1, 3]]).fit(X, Y).relevance_
    mean = alone[[1, 3]].mean()
    assert group == pytest.approx([alone[0], mean, alone[2], mean])


@pytest.mark.parametrize("k", [3, "auto"])
def test_groups_of_numbers_in_parts_and_blocks(k):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 7)) + np.array([1, 0.5, 0, 0, 0.8, 0, 0.2]) * y[:, None]
    selector = MRMR(k, feature_groups={"two": ["c4", "c1"], "rest": ["c5", "c6"]})
    frame = pd.DataFrame(X).add_prefix("c")
    blocks = RowBlocks([(frame[i : i + 50], y[i : i + 50]) for i in range(0, 120, 50)])
    inside = selector.fit(frame, y).scores_
    np.testing.assert_array_equal(inside, selector.fit(blocks).scores_)
    ensemble = FastEnsemble(selector, n_parts=4).fit(frame, y)
    for t, part in enumerate(ensemble.part_selections_):
        rows = np.arange(120) % 4 != t
        np.testing.assert_array_equal(part, selector.fit(frame[rows], y[rows]).indices_)
    frequency = ensemble.selection_frequency_
    assert frequency[4] == frequency[1]
    assert frequency[5] == frequency[6]
    if k == 3:
        assert len(ensemble.groups_) == 3
        assert len(InnerEnsemble(selector, n_parts=4).fit(frame, y).groups_) == 3


def test_tests_of_groups_of_numbers():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 5)) + np.array([1, 0, 0, 0, 0.9]) * y[:, None]
    alone = MRMR("auto", expected_false=1e-12, min_features_to_select=1)
    with pytest.warns(UserWarning, match="only 0 of 5 columns"):
        single = alone.fit(X, y).entry_pvalues_
    with pytest.warns(UserWarning, match="only 0 of 3 columns"):
        found = alone.set_params(feature_groups=[[0, 1, 2]]).fit(X, y).entry_pvalues_
    expected = [min(1, 3 * single[:3].min())] * 3 + single[3:].tolist()
    assert found == pytest.approx(expected, rel=1e-9)


# ---------------------------------------------------------------- around


def test_one_member_names_the_group():
    X, levels, y = table_of(1)
    marks = one_hot(levels).astype(int)
    table = np.column_stack([X, marks])
    group = list(range(4, table.shape[1]))
    for c in (JMI, FCBF, IAMB, MRMR):
        size = {"n_features_to_select": 3} if c in (JMI, MRMR) else {}
        how = {"discrete_features": True, "feature_groups": [group], **size}
        inside = c(include=[5], **how).fit(table, y)
        assert inside.groups_[0].tolist() == group
        assert inside.explain("x6")["reason"] == ["included"]
        outside = c(exclude=[5], **how).fit(table, y)
        assert not outside.support_[group].any()
        without = c(discrete_features=True, **size).fit(X, y)
        np.testing.assert_array_equal(outside.indices_, without.indices_)
        with pytest.raises(ValueError, match="include and exclude both name"):
            c(include=[4], exclude=[5], **how).fit(table, y)


def test_sizes_count_groups():
    X, levels, y = table_of(1)
    table = np.column_stack([X, one_hot(levels)]).astype(int)
    group = list(range(4, table.shape[1]))
    selector = JMI(2, discrete_features=True, feature_groups=[group], include=[4])
    fitted = selector.fit(table, y)
    assert fitted.indices_.size == len(group) + 1
    np.testing.assert_array_equal(fitted.selection_of_size(1), group)
    assert (
        JMI(0.4, discrete_features=True, feature_groups=[group]).fit(table, y)._selected.size == 2
    )
    search = SelectorCV(selector, cv=3).fit(table, y)
    assert search.cv_results_["size"].tolist() == [1, 2, 3, 5]
    stable = StabilitySelector(
        JMI(2, discrete_features=True, feature_groups=[group]), n_pairs=5, threshold=0.6
    ).fit(table, y)
    assert stable.mean_size_ == 2
    assert np.unique(stable.selection_frequency_[group]).size == 1


def test_a_graph_has_a_node_for_a_group():
    X, levels, y = table_of(2, 600)
    table = pd.DataFrame(np.column_stack([one_hot(levels), X]).astype(int)).add_prefix("c")
    m = table.shape[1] - 4
    groups = {"kind": [f"c{j}" for j in range(m)]}
    selector = PCSelector(discrete_features=True, feature_groups=groups).fit(table, y)
    assert selector.graph_.names[0] == "kind"
    assert selector.graph_.nodes.tolist() == [0, m, m + 1, m + 2, m + 3, m + 4]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[0, 1], [1, 2]], "column 1 is in group 0 and in group 1; groups must not overlap"),
        ({"a": [0, 1], "b": []}, "feature_groups: b is empty"),
        ([[0, 0]], r"feature_groups \(group 0\) names column 0 more than once"),
        ([[0, 9]], r"feature_groups \(group 0\) names columns \[9\]"),
        ([["x"]], "has no column names"),
        ("ab", "feature_groups"),
        ([0, 1], "feature_groups"),
    ],
)
@pytest.mark.parametrize("c", [MRMR, JMI, FCBF, IAMB], **ids)
def test_wrong_groups(c, groups, message):
    X, _, y = table_of(0)
    with pytest.raises((ValueError, TypeError), match=message):
        c(feature_groups=groups).fit(X, y)


def test_where_groups_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.normal(size=80)
    for c in CAUSAL:
        with pytest.raises(ValueError, match="feature_groups need a test that counts"):
            c(test="fisherz", feature_groups=[[0, 1]]).fit(X, y)
    assert not {"ACE", "ForwardSelection", "L1Path"} & {c.__name__ for c in GROUPING}
    assert set(GREEDY) <= set(GROUPING)


def test_too_many_combinations():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (70_000, 12))
    with pytest.raises(ValueError, match=r"group 0 has 6\d+ combinations of values; at most 65536"):
        JMI(1, discrete_features=True, feature_groups=[list(range(12))]).fit(X, X[:, 0] % 2)


@pytest.mark.filterwarnings("ignore:.*had too few rows", "ignore:.* selected no column")
@pytest.mark.parametrize(
    "selector",
    [
        JMI(3), CMIM(2), MRMR(2, scheme="MIQ"), FCBF(), CFS(), JMI("auto"), MRMR(3),
        IAMB(0.3, test=G2Test(samples_per_df=0)), FastEnsemble(MIM(2), n_parts=3),
    ],
    ids=lambda s: repr(s)[:40],
)  # fmt: skip
def test_groups_of_sparse_columns(selector):
    rng = np.random.default_rng(0)
    groups = [[1, 6], [0, 3, 4]]
    for dtype in (int, float):
        y = rng.integers(0, 3, 150)
        X = (rng.poisson(0.4, (150, 8)) * rng.integers(1, 3, (150, 8))).astype(dtype)
        X[:, 3] += y == 1
        X[:, 6] *= y == 2
        inner = getattr(selector, "selector", selector)
        chosen = clone(inner).set_params(feature_groups=groups)
        chosen = clone(selector).set_params(selector=chosen) if inner is not selector else chosen
        dense = clone(chosen).fit(X, y)
        for sparse in (scipy.sparse.csr_array(X), scipy.sparse.csc_matrix(X)):
            fitted = clone(chosen).fit(sparse, y)
            np.testing.assert_array_equal(fitted.indices_, dense.indices_)
            np.testing.assert_allclose(fitted.scores_, dense.scores_, rtol=1e-12)
            np.testing.assert_allclose(fitted.relevance_, dense.relevance_, rtol=1e-12, atol=1e-15)


def test_too_many_combinations_of_sparse_columns():
    X = scipy.sparse.csr_array(np.random.default_rng(0).integers(0, 20, (66_500, 6)))
    with pytest.raises(ValueError, match="combinations of values; at most 65536"):
        MIM(1, feature_groups=[list(range(6))], discrete_features=True).fit(
            X, np.arange(X.shape[0]) % 2
        )
