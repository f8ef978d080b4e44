"""Numeric targets that are counted, and targets of several outputs."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import twins
from families import ESTIMATORS, GREEDY, SELECTORS, example
from hypothesis import given, settings
from hypothesis import strategies as st

import ensfs
from ensfs import (
    CFS,
    CMIM,
    FCBF,
    IAMB,
    JMI,
    MIM,
    MMPC,
    MRMR,
    FastEnsemble,
    ForwardSelection,
    G2Test,
    HybridCausalSelector,
    InnerEnsemble,
    ITDecomposition,
    L1Path,
    MDLDiscretizer,
    PCSelector,
    RankEnsemble,
    RowBlocks,
    SelectorCV,
    StabilitySelector,
)
from ensfs.measures import conditional_mutual_information
from ensfs.training.classes import read_target_as
from ensfs.training.estimator import TableEstimator

#: Those that take several outputs, themselves or by their selector.
SEVERAL = [
    c
    for c in ESTIMATORS
    if issubclass(c, TableEstimator) and c().__sklearn_tags__().target_tags.multi_output
]
WITH_PARAMETER = [c for c in SEVERAL if "multi_output" in c().get_params(deep=False)]
ids = {"ids": lambda c: c.__name__}


def quiet_fit(estimator, X, y):
    with warnings.catch_warnings():
        for message in ("Only .* subsets", "Only .* columns were", ".*too few rows", "No thresh"):
            warnings.filterwarnings("ignore", message=message)
        return estimator.fit(X, y)


# ---------------------------------------------------------------- the worked example

Y = np.array([0] * 6 + [1] * 6)
Y2 = np.array([0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0])
Z = np.array([3.1, 2.0, 4.5, 1.2, 5.0, 2.2, 7.5, 6.1, 8.8, 9.4, 5.9, 7.0])
D = np.array(list("rrsrrssttttt"))
Q = np.array([0, 0, 1, 0, 1, 0, 2, 1, 2, 2, 1, 2])
BOTH = np.column_stack([Y, Y2])
TABLE = pd.DataFrame({"D": D, "Q": Q})


def test_worked_example_of_bins():
    selector = MIM(1, correction=None).fit(TABLE[["D"]], Z)
    assert selector.target_cut_points_ == pytest.approx([4.0333333333, 6.4])
    assert selector.relevance_ == pytest.approx([0.5137330864], abs=1e-10)
    assert FCBF().fit(TABLE[["D"]], Z).relevance_ == pytest.approx([0.3272656703], abs=1e-10)
    assert read_target_as(Z, 12, "counted").codes.tolist() == Q.tolist()


@pytest.mark.parametrize(
    ("how", "d", "q"),
    [
        ("mean", 0.4014780010, 0.3962406252),
        ("max", 0.7704260415, 0.6666666667),
        ("joint", 0.9508257945, 0.8145364592),
    ],
)
def test_worked_example_of_outputs(how, d, q):
    selector = MIM(2, correction=None, multi_output=how).fit(TABLE, BOTH)
    assert selector.relevance_ == pytest.approx([d, q], abs=1e-10)
    if how == "joint":
        assert not hasattr(selector, "output_relevance_")
    else:
        expected = np.array([[0.7704260415, 0.6666666667], [0.0325299605, 0.1258145837]])
        assert selector.output_relevance_ == pytest.approx(expected, abs=1e-10)


def test_worked_example_of_terms():
    terms = [conditional_mutual_information(TABLE[["Q"]], y, TABLE[["D"]])[0] for y in BOTH.T]
    assert terms == pytest.approx([0.2295739585, 0.3416554558], abs=1e-10)
    selector = CMIM(2, correction=None).fit(TABLE, BOTH)
    assert selector.indices_.tolist() == [0, 1]
    assert selector.scores_ == pytest.approx([0.4014780010, 0.2856147072], abs=1e-10)


# ---------------------------------------------------------------- numbers that are counted


COUNTING = [c for c in ESTIMATORS if "target_bins" in c().get_params(deep=False)]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 6))
    return X, X[:, 0] + 0.7 * X[:, 1] + 0.5 * rng.normal(size=200)


@pytest.mark.parametrize("c", COUNTING, **ids)
def test_bins_are_classes(c, numbers):
    """A numeric target gives what the classes of its quantiles give."""
    X, y = numbers
    how = {"relevance": "mutual_information"} if c is MRMR else {}
    how |= {"test": "g2"} if "test" in c().get_params() else {}
    how |= {"causal": IAMB(test="g2")} if "causal" in c().get_params() else {}
    for n_bins in (2, 3, 4):
        cuts = np.quantile(y, np.arange(1, n_bins) / n_bins)
        fitted = quiet_fit(example(c).set_params(**how, target_bins=n_bins), X, y)
        classes = quiet_fit(example(c).set_params(**how), X, np.searchsorted(cuts, y))
        np.testing.assert_allclose(fitted.target_cut_points_, cuts)
        assert classes.target_cut_points_ is None
        if c is MDLDiscretizer:
            for found, expected in zip(fitted.cut_points_, classes.cut_points_, strict=True):
                np.testing.assert_array_equal(found, expected)
            assert fitted.cut_points_[0].size
            continue
        if hasattr(fitted, "subsets_"):
            assert [s.tolist() for s in fitted.subsets_] == [s.tolist() for s in classes.subsets_]
        else:
            np.testing.assert_array_equal(fitted.indices_, classes.indices_)
        np.testing.assert_array_equal(fitted.relevance_, classes.relevance_)
    with pytest.raises(ValueError, match="classes are needed"):
        example(c).set_params(**how, target_bins=None).fit(X, y)
    with pytest.raises(ValueError, match="target_bins"):
        example(c).set_params(**how, target_bins=1).fit(X, y)


def test_ties_leave_fewer_bins():
    X, y = np.random.default_rng(0).integers(0, 2, (60, 3)), np.r_[np.zeros(45), np.arange(15)] / 7
    with pytest.warns(UserWarning, match="Equal values leave 2 of target_bins=3 classes"):
        JMI(1).fit(X, y)


def test_cut_points_of_large_integers():
    y = 2**60 + 1000 * np.arange(90) ** 2
    cuts = MIM(1, discrete_features=True).fit(np.arange(90)[:, None] % 3, y).target_cut_points_
    np.testing.assert_allclose(cuts, np.quantile(y.astype(float), [1 / 3, 2 / 3]), rtol=1e-12)


# ---------------------------------------------------------------- several outputs


@pytest.fixture(scope="module")
def labels():
    """A column for each of three labels, one for two of them, and noise."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, (180, 3))
    X = rng.normal(size=(180, 7))
    X[:, :3] += 1.5 * y
    X[:, 3] += y[:, 0] + y[:, 2]
    return X, y


def test_who_takes_several_outputs():
    names = {c.__name__ for c in SEVERAL}
    assert {"MRMR", "JMI", "FCBF", "CFS", "IAMB", "PCSelector", "ForwardSelection"} <= names
    assert {"FastEnsemble", "InnerEnsemble", "ITDecomposition", "L1Path"} <= names
    assert not names & {"ACE", "RandomClusterEnsemble", "InputDecimation", "PCASubspace"}


@pytest.mark.parametrize("c", ["ACE", "InputDecimation", "DecompositionClassifier"])
def test_who_does_not(c, labels):
    X, y = labels
    with pytest.raises(ValueError, match="1d array"):
        getattr(ensfs, c)().fit(X, y)


def found(fitted):
    if hasattr(fitted, "subsets_"):
        return [columns.tolist() for columns in fitted.subsets_]
    return fitted.indices_.tolist()


@pytest.mark.parametrize("c", SEVERAL, **ids)
def test_ways_to_give_outputs(c, labels):
    """Arrays, frames, lists and sparse indicators; labels may be called anything."""
    X, y = labels
    expected = found(quiet_fit(example(c), X, y))
    frame = pd.DataFrame(y, columns=list("uvw"))
    for other in (frame, pl.from_pandas(frame), y.tolist(), y.astype(bool), y.astype(float)):
        assert found(quiet_fit(example(c), X, other)) == expected
    for sparse in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        assert found(quiet_fit(example(c), X, sparse(y))) == expected
    assert found(quiet_fit(example(c), X, np.where(y, "yes", "no"))) == expected


@pytest.mark.parametrize("c", SEVERAL, **ids)
def test_one_output_twice(c, labels):
    """The same target twice is that target."""
    X, y = labels
    y = y[:, 0]
    once = found(quiet_fit(example(c), X, y))
    for how in ("mean", "max", "joint"):
        estimator = example(c)
        if "multi_output" in estimator.get_params(deep=False):
            estimator.set_params(multi_output=how)
        assert found(quiet_fit(estimator, X, np.column_stack([y, y]))) == once


@pytest.mark.parametrize("c", WITH_PARAMETER, **ids)
def test_joint_outputs_are_classes(c, labels):
    X, y = labels
    fitted = quiet_fit(example(c).set_params(multi_output="joint"), X, y)
    assert found(fitted) == found(quiet_fit(example(c), X, y @ [4, 2, 1]))
    assert found(fitted) == found(
        quiet_fit(example(c).set_params(multi_output="joint"), X, y[:, [2, 0, 1]])
    )


@pytest.mark.parametrize("c", [*GREEDY, FCBF, CFS, MRMR, ForwardSelection], **ids)
@pytest.mark.parametrize("how", ["mean", "max"])
def test_relevance_is_combined(c, how, labels):
    X, y = labels
    coded = (X > 0.5).astype(int)
    table = X if c in (MRMR, ForwardSelection) else coded
    fitted = c(multi_output=how)
    if "n_features_to_select" in fitted.get_params():
        fitted.set_params(n_features_to_select=3)
    fitted.fit(table, y)
    alone = [c().set_params(**{k: v for k, v in fitted.get_params().items()}) for _ in range(3)]
    each = np.array([one.fit(table, y[:, j]).relevance_ for j, one in enumerate(alone)])
    combined = each.max(axis=0) if how == "max" else each.mean(axis=0)
    np.testing.assert_allclose(fitted.relevance_, combined, rtol=1e-12, atol=1e-12)
    if c is not ForwardSelection:
        np.testing.assert_allclose(fitted.output_relevance_, each, rtol=1e-12)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    how=st.sampled_from(["mean", "max"]),
    c=st.sampled_from([JMI, CMIM]),
)
def test_terms_are_combined_before_the_scheme(seed, how, c):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (30, 5)), rng.integers(0, 2, (30, 2))
    X[0], X[1], y[0], y[1] = 0, 1, 0, 1
    combine = max if how == "max" else lambda values: sum(values) / 2

    def with_outputs(measure):
        return combine([measure(y[:, 0].tolist()), measure(y[:, 1].tolist())])

    columns = X.T.tolist()
    relevance = [with_outputs(lambda t, f=f: twins.information(f, t)) for f in columns]
    term = twins.joint if c is JMI else (lambda f, g, t: twins.conditional(f, t, g))
    chosen, scores, terms = [], [], {f: [] for f in range(5)}
    for _ in range(4):
        left = [f for f in range(5) if f not in chosen]
        if not chosen:
            each = {f: relevance[f] for f in left}
        elif c is JMI:
            each = {f: sum(terms[f]) for f in left}
        else:
            each = {f: min(relevance[f], *terms[f]) for f in left}
        chosen.append(min(f for f in left if each[f] >= max(each.values()) - 1e-12))
        scores.append(each[chosen[-1]])
        for f in left:
            g = columns[chosen[-1]]
            terms[f].append(with_outputs(lambda t, f=f, g=g: term(columns[f], g, t)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*relevance 0")
        selector = c(4, correction=None, discrete_features=True, multi_output=how).fit(X, y)
    assert selector.indices_.tolist() == chosen
    assert selector.scores_[chosen] == pytest.approx(scores, abs=1e-9)


def test_gains_of_several_outputs_are_those_of_regressions(labels):
    X, _ = labels
    rng = np.random.default_rng(0)
    y = X[:, :2] @ rng.normal(size=(2, 2)) + rng.normal(size=(180, 2))

    def explained(columns, t):
        design = np.column_stack([np.ones(180), X[:, columns]])
        left = t - design @ np.linalg.lstsq(design, t, rcond=None)[0]
        return 1 - (left @ left) / ((t - t.mean()) @ (t - t.mean()))

    for how, combine in (("mean", np.mean), ("max", np.max)):
        selector = ForwardSelection(3, multi_output=how).fit(X, y)
        before = []
        for f in selector.indices_.tolist():
            gains = [explained([*before, f], t) - explained(before, t) for t in y.T]
            assert selector.scores_[f] == pytest.approx(combine(gains), abs=1e-9)
            before.append(f)


@pytest.mark.parametrize("c", [IAMB, MMPC, PCSelector, HybridCausalSelector], **ids)
def test_blankets_are_united(c):
    """y0 - a, y1 - b: each output has its own blanket; other outputs are no candidates."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, (1000, 2))
    flip = rng.random((1000, 3)) < 0.1
    a, b = y[:, 0] ^ flip[:, 0], y[:, 1] ^ flip[:, 1]
    X = np.column_stack([a ^ flip[:, 2], b, a, rng.integers(0, 2, 1000)])
    selector = c().fit(X, y)
    assert selector.indices_.tolist() == [2, 1]
    each = [c().fit(X, y[:, j]) for j in range(2)]
    assert [one.indices_.tolist() for one in each] == [[2], [1]]
    assert set(selector.roles_) == {1, 2}
    assert selector.explain("x1")["reason"] == ["dependent"]
    if c is PCSelector:
        assert [graph.neighbours().tolist() for graph in selector.graph_] == [[2], [1]]
    excluded = c(exclude=[0]).fit(X, y)
    assert excluded.indices_.tolist() == [2, 1]


def test_cuts_of_all_outputs_are_united(labels):
    X, y = labels
    united = JMI(1).fit(X, y).cut_points_
    each = [JMI(1).fit(X, y[:, j]).cut_points_ for j in range(3)]
    for j in range(7):
        expected = np.unique(np.concatenate([cuts[j] for cuts in each]))
        np.testing.assert_array_equal(united[j], expected)


def test_outputs_of_different_kinds():
    rng = np.random.default_rng(1)
    y = pd.DataFrame({"class": np.arange(90) % 2, "number": rng.normal(size=90)})
    X = rng.normal(size=(90, 4)) + y.to_numpy() @ rng.normal(size=(2, 4))
    assert MRMR(2).fit(X, y).measures_[0] == "mutual_information"
    assert [cuts is None for cuts in JMI(2).fit(X, y).target_cut_points_] == [True, False]
    with pytest.raises(ValueError, match=r"of different kinds.*mutual_information"):
        MRMR(2, relevance="f_test").fit(X, y)
    assert IAMB(test=G2Test(samples_per_df=1)).fit(X, y).indices_.size


def test_constant_outputs_count_nothing(labels):
    X, y = labels
    constant = np.column_stack([y[:, 0], np.zeros(180, dtype=int)])
    with pytest.warns(UserWarning, match=r"Output\(s\) \[1\] of y are constant"):
        selector = MRMR(2).fit(X, constant)
    np.testing.assert_allclose(selector.relevance_, MRMR(2).fit(X, y[:, 0]).relevance_ / 2)
    with pytest.warns(UserWarning, match="y is constant"):
        MRMR(2).fit(X, np.zeros((180, 2)))


def test_a_single_column_is_taken_with_a_warning(labels):
    X, y = labels
    with pytest.warns(UserWarning, match="column-vector y"):
        assert (
            MRMR(2).fit(X, y[:, :1]).indices_.tolist() == MRMR(2).fit(X, y[:, 0]).indices_.tolist()
        )


def test_many_combinations():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (70_000, 30))
    with pytest.raises(ValueError, match=r"'joint' makes 6[\d]+ classes of 30 outputs"):
        JMI(1, multi_output="joint").fit(rng.integers(0, 2, (70_000, 2)), y)
    with pytest.raises(ValueError, match="indicator matrix"):
        JMI(1).fit(np.zeros((4, 2)), scipy.sparse.csr_array(np.diag([1.0, 2, 1, 1])))


# ---------------------------------------------------------------- "auto", parts, blocks, others


def test_as_many_columns_as_pass_for_some_output(labels):
    X, y = labels
    coded = (X > 0.5).astype(int)
    for c, table in ((JMI, coded), (CMIM, coded), (MRMR, X)):
        selector = c("auto", n_jobs=2).fit(table, y)
        assert set(selector.indices_.tolist()) >= {0, 1, 2}
    least = np.min([MIM("auto").fit(coded, y[:, j]).entry_pvalues_ for j in range(3)], axis=0)
    np.testing.assert_allclose(MIM("auto").fit(coded, y).entry_pvalues_, np.minimum(3 * least, 1))


@pytest.mark.parametrize("how", ["mean", "max", "joint"])
def test_parts_and_blocks(how, labels):
    X, y = labels
    coded = (X > 0.5).astype(int)
    for selector, table in (
        (MRMR(3, multi_output=how), X),
        (MRMR("auto", multi_output=how), X),
        (JMI(3, multi_output=how), coded),
        (FCBF(multi_output=how), coded),
        (ForwardSelection(3, multi_output=how), X),
    ):
        blocks = RowBlocks([(table[i : i + 70], y[i : i + 70]) for i in range(0, 180, 70)])
        np.testing.assert_array_equal(selector.fit(table, y).scores_, selector.fit(blocks).scores_)
        ensemble = FastEnsemble(selector, n_parts=3).fit(table, y)
        for t, part in enumerate(ensemble.part_selections_):
            rows = np.arange(180) % 3 != t
            np.testing.assert_array_equal(part, selector.fit(table[rows], y[rows]).indices_)
        np.testing.assert_array_equal(
            ensemble.indices_, FastEnsemble(selector, n_parts=3).fit(blocks).indices_
        )
    inner = InnerEnsemble(MRMR(3, multi_output=how), n_parts=3).fit(X, y)
    assert set(inner.indices_.tolist()) <= {0, 1, 2, 3}


def test_around_a_selector(labels):
    X, y = labels
    assert {0, 1, 2} <= set(SelectorCV(MRMR(), cv=3, sizes=[4]).fit(X, y).indices_.tolist())
    stable = StabilitySelector(MRMR(4), n_pairs=5, threshold=0.7).fit(X, scipy.sparse.csr_array(y))
    assert {0, 1, 2} <= set(stable.indices_.tolist())
    ranks = RankEnsemble(
        [("forward", ForwardSelection()), ("path", L1Path())], 4, n_halves=2, random_state=0
    )
    assert set(ranks.fit(X, y).indices_.tolist()) == {0, 1, 2, 3}
    subsets = ITDecomposition(2).fit(X, y)
    assert {0, 1, 2} <= set(np.concatenate(subsets.subsets_).tolist())
    assert subsets.output_relevance_.shape == (3, 7)


def test_every_selector_says_whether_it_takes_several_outputs():
    for c in SELECTORS:
        tag = c().__sklearn_tags__().target_tags.multi_output
        assert tag == (c in SEVERAL)
