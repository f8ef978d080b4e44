"""Ensembles against separate runs on the rows of each part, and averages by definition."""

import math
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import KFold, StratifiedKFold

from ensfs import ACE, FCBF, IAMB, JMI, MRMR, FastEnsemble, InnerEnsemble, RowBlocks, statistics

# Tables to try have constant columns, which are never selected.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning")

# ---------------------------------------- the definitions, slowly


def vote_slow(parts, p, k):
    """The columns that most parts selected, the better placed first among equals."""
    votes = Counter(int(f) for part in parts for f in part)
    places = mean_places(parts, p)
    return sorted(votes, key=lambda f: (-votes[f], places[f], f))[:k], votes


def mean_places(parts, p):
    """Mean places as exact fractions; a column that is not in a part has the mean of the rest."""
    places = []
    for f in range(p):
        each = [
            Fraction(list(part).index(f) + 1) if f in part else Fraction(p + len(part) + 1, 2)
            for part in parts
        ]
        places.append(sum(each) / len(parts))
    return places


def average_rank_slow(parts, p, k):
    """The columns of some part with the least mean place."""
    places, votes = mean_places(parts, p), {int(f) for part in parts for f in part}
    return sorted(votes, key=lambda f: (places[f], f))[:k], places


def passes_slow(parts, p):
    """Every pair that a part evaluates, each counted once over the parts."""
    pairs = {frozenset([f, "y"]) for f in range(p)}
    last = max(map(len, parts)) - 1  # a part may have ended earlier
    for part in parts:
        for j, g in enumerate(part[: max(0, last)]):
            pairs |= {frozenset([g, f]) for f in range(p) if f not in part[: j + 1]}
    return len(pairs)


SLOW = {
    "pearson": twins.pearson,
    "f_test": twins.f_classes,
    "mutual_information": twins.information,
}


def inner_slow(X, y, fold, k, relevance, redundancy, scheme):
    """One greedy run on measures that are averaged with their signs, then made absolute."""
    p, parts = X.shape[1], [fold != t for t in np.unique(fold)]

    def average(measure, a, b):
        mean = abs(float(np.mean([SLOW[measure](a[rows], b[rows]) for rows in parts])))
        return mean if mean > 1e-14 else 0.0  # opposite correlations cancel but for rounding

    rel = [average(relevance, X[:, f], y) for f in range(p)]
    constant = [all(X[rows, f].min() == X[rows, f].max() for rows in parts) for f in range(p)]
    chosen, scores = [], []
    for j in range(k):
        score = {}
        for f in set(range(p)) - set(chosen):
            red = [average(redundancy, X[:, f], X[:, g]) for g in chosen]
            mean = sum(red) / max(j, 1)
            if constant[f]:
                score[f] = -math.inf
            elif j == 0 or (scheme == "quotient" and rel[f] == 0):
                score[f] = rel[f]
            elif scheme == "difference":
                score[f] = rel[f] - mean
            elif scheme == "discount":
                score[f] = twins.discounted(rel[f], red)
            else:
                score[f] = rel[f] / mean if mean > 0 else math.inf
        best = max(score.values())
        if best == -math.inf:
            break
        size = abs(best) if scheme == "quotient" else max(abs(best), 1.0)
        cut = best if math.isinf(best) else best - 1e-12 * size
        chosen.append(min(f for f in score if score[f] >= cut))
        scores.append(score[chosen[-1]])
    return chosen, scores


# ---------------------------------------- tables to try

shapes = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(9, 40), st.integers(2, 9), st.integers(2, 6)
)


def make(kind, seed, n, p):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    if kind == "codes":
        X = rng.integers(0, rng.integers(1, 13, p), (n, p))
    elif kind == "ties":
        X = rng.integers(0, 3, (n, p)).astype(np.float64)
    elif kind == "float32":
        X = (rng.normal(size=(n, p)) @ rng.normal(size=(p, p))).astype(np.float32)
    else:
        X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
        X[:, rng.integers(p)] = X[:, rng.integers(p)]
        X[:, rng.integers(p)] = 0.1
        if kind == "numeric":
            y = X[:, 0] + rng.normal(size=n)
    return X, y, int(rng.integers(1, p + 1)), rng


KINDS = {
    "continuous": ("FCQ", "FCD", "discount"),
    "float32": ("FCQ", "FCD", "discount"),
    "ties": ("FCQ", "FCD", "discount", "MIQ", "MID"),
    "codes": ("MIQ", "MID", "FCQ"),
    "numeric": ("quotient", "difference", "discount"),
}
CASES = [(kind, scheme) for kind, schemes in KINDS.items() for scheme in schemes]


def fold_arguments(n, e, rng):
    """Ways to give folds, each with the fold of every row."""
    blocks = np.repeat(np.arange(e), [len(b) for b in np.array_split(np.arange(n), e)])
    labels = rng.permutation(np.arange(n) % e)
    words = np.array([f"f{t:02d}" for t in range(e)])[labels]
    splitter = KFold(e, shuffle=True, random_state=0)
    split = np.empty(n, dtype=int)
    for t, (_, test) in enumerate(splitter.split(np.zeros((n, 1)))):
        split[test] = t
    return [
        ({"n_parts": e}, np.arange(n) % e),
        ({"n_parts": e, "folds": "blocks"}, blocks),
        ({"folds": e}, np.arange(n) % e),
        ({"folds": labels}, labels),
        ({"folds": words}, labels),
        ({"folds": splitter}, split),
    ]


# ---------------------------------------- FastEnsemble


@settings(max_examples=25)
@given(shape=shapes, way=st.integers(0, 5))
@pytest.mark.parametrize(("kind", "scheme"), CASES)
def test_every_part_is_a_run_on_its_rows(kind, scheme, shape, way):
    seed, n, p, e = shape
    X, y, k, rng = make(kind, seed, n, p)
    options, fold = fold_arguments(n, e, rng)[way]
    # what a column holds must not depend on the rows that are left
    selector = MRMR(k, scheme=scheme, discrete_features=np.full(p, kind in ("codes", "ties")))
    ensemble = FastEnsemble(selector, **options).fit(X, y)
    assert len(ensemble.part_selections_) == e
    frequency = np.zeros(p)
    for t, part in enumerate(ensemble.part_selections_):
        alone = MRMR(**selector.get_params()).fit(X[fold != t], y[fold != t])
        assert part.tolist() == alone.indices_.tolist()
        frequency[part] += 1 / e
    np.testing.assert_allclose(ensemble.selection_frequency_, frequency, rtol=1e-12)
    assert ensemble.n_pairs_needed_ == passes_slow(
        [part.tolist() for part in ensemble.part_selections_], p
    )
    if len({len(part) for part in ensemble.part_selections_}) == 1:  # else constants are read too
        assert p <= ensemble.n_pairs_read_ <= ensemble.n_pairs_needed_


@settings(max_examples=40)
@given(shape=shapes, scheme=st.sampled_from(["quotient", "difference"]))
@pytest.mark.parametrize(
    "measures",
    [("f_test", "mutual_information"), ("mutual_information", "pearson")],
    ids=["F and information", "information and pearson"],
)
def test_parts_of_mixed_families(measures, shape, scheme):
    seed, n, p, e = shape
    X, y, k, _ = make("codes", seed, n, p)
    selector = MRMR(
        k,
        relevance=measures[0],
        redundancy=measures[1],
        scheme=scheme,
        discrete_features=np.ones(p, dtype=bool),
    )
    ensemble = FastEnsemble(selector, n_parts=e).fit(X, y)
    for t, part in enumerate(ensemble.part_selections_):
        rows = np.arange(n) % e != t
        assert part.tolist() == selector.fit(X[rows], y[rows]).indices_.tolist()


def test_parts_of_a_larger_table():
    """More columns than a panel, more rows than a word, more levels than planes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    tables = {
        "FCQ": rng.normal(size=(150, 80)) @ rng.normal(size=(80, 80)),
        "MIQ": rng.integers(0, np.r_[[2] * 30, [5] * 30, [20] * 20], (150, 80)),
        "MID": rng.integers(0, 300, (150, 80)),
    }
    for scheme, X in tables.items():
        selector = MRMR(10, scheme=scheme, discrete_features=np.full(80, scheme != "FCQ"))
        ensemble = FastEnsemble(selector, n_parts=20).fit(X, y)
        for t, part in enumerate(ensemble.part_selections_):
            rows = np.arange(150) % 20 != t
            assert part.tolist() == selector.fit(X[rows], y[rows]).indices_.tolist()


@settings(max_examples=40)
@given(shape=shapes, kind=st.sampled_from(["continuous", "ties", "codes"]))
def test_votes_and_average_ranks(shape, kind):
    seed, n, p, e = shape
    X, y, k, _ = make(kind, seed, n, p)
    vote = FastEnsemble(MRMR(k), n_parts=e).fit(X, y)
    chosen, votes = vote_slow(vote.part_selections_, p, k)
    assert vote.indices_.tolist() == chosen
    np.testing.assert_allclose(vote.scores_, [votes[f] / e for f in range(p)], rtol=1e-15)
    rank = FastEnsemble(MRMR(k), n_parts=e, combine="average_rank").fit(X, y)
    for mine, other in zip(rank.part_selections_, vote.part_selections_, strict=True):
        assert mine.tolist() == other.tolist()
    chosen, places = average_rank_slow(rank.part_selections_, p, k)
    assert rank.indices_.tolist() == chosen
    np.testing.assert_allclose(rank.scores_, [-float(v) for v in places], rtol=1e-14)
    np.testing.assert_array_equal(rank.selection_frequency_, vote.selection_frequency_)


def test_ties_of_combinations_go_to_the_lower_column():
    from ensfs.selection.part_ensembles import _mean_ranks

    columns = np.array([[3, 1], [1, 3], [2, 0]])
    assert _mean_ranks(columns, 5)[[1, 3]].tolist() == [7 / 3, 7 / 3]
    assert average_rank_slow(columns.tolist(), 5, 2)[0] == [1, 3]
    assert vote_slow(columns, 5, 2)[0] == [1, 3]
    X = np.tile(np.arange(12.0)[:, None], (1, 4))  # equal columns
    for combine in ("vote", "average_rank"):
        ensemble = FastEnsemble(MRMR(2), n_parts=3, combine=combine)
        assert ensemble.fit(X, np.arange(12) % 2).indices_.tolist() == [0, 1]


def test_ties_of_votes_go_to_the_better_placed_column():
    """All parts select the same columns: their order is that of the parts, not of the table."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 4)) + y[:, None] * np.array([0.2, 0.8, 1.6, 3.2])
    ensemble = FastEnsemble(MRMR(4, scheme="FCD"), n_parts=5).fit(X, y)
    assert ensemble.selection_frequency_.tolist() == [1.0] * 4
    assert ensemble.indices_.tolist() == [3, 2, 1, 0]
    assert ensemble.explain()["feature"] == ["x3", "x2", "x1", "x0"]
    assert ensemble.selection_of_size(2).tolist() == [3, 2]


# ---------------------------------------- half samples


@settings(max_examples=25)
@given(shape=shapes, pairs=st.integers(1, 3), seed=st.integers(0, 100))
@pytest.mark.parametrize(("kind", "scheme"), CASES)
def test_every_half_is_a_run_on_its_rows(kind, scheme, shape, pairs, seed):
    n, p = shape[1] + 16, shape[2]
    X, y, k, _ = make(kind, shape[0], n, p)
    selector = MRMR(k, scheme=scheme, discrete_features=np.full(p, kind in ("codes", "ties")))
    how = {"parts": "halves", "n_parts": 2 * pairs, "n_folds": 10, "random_state": seed}
    ensemble = FastEnsemble(selector, **how).fit(X, y)
    n_folds = min(10, n // 4 * 2)
    rng, fold = np.random.default_rng(seed), np.arange(n) % n_folds
    for b in range(pairs):
        first = np.isin(fold, rng.permutation(n_folds)[: n_folds // 2])
        for t, rows in ((2 * b, first), (2 * b + 1, ~first)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a half may have one class
                alone = MRMR(**selector.get_params()).fit(X[rows], y[rows])
            assert ensemble.part_selections_[t].tolist() == alone.indices_.tolist()
    chosen, _ = vote_slow(ensemble.part_selections_, p, k)
    assert ensemble.indices_.tolist() == chosen


def test_halves_of_given_folds():
    X, y = load_wine(return_X_y=True)
    labels = np.random.default_rng(0).permutation(np.arange(178) % 12)
    by_labels = FastEnsemble(MRMR(3), parts="halves", folds=labels).fit(X, y)
    rng = np.random.default_rng(0)
    first = np.isin(labels, rng.permutation(12)[:6])
    alone = MRMR(3).fit(X[first], y[first])
    assert by_labels.part_selections_[0].tolist() == alone.indices_.tolist()
    assert len(by_labels.part_selections_) == 20
    same = FastEnsemble(MRMR(3), parts="halves", folds=labels).fit(X, y)
    np.testing.assert_array_equal(same.part_selections_, by_labels.part_selections_)
    other = FastEnsemble(MRMR(3), parts="halves", folds=labels, random_state=1).fit(X, y)
    assert (other.part_selections_ != by_labels.part_selections_).any()


@pytest.mark.parametrize("selector", [MRMR(3), MRMR(3, scheme="MID"), FCBF(), JMI(3), IAMB()])
def test_halves_of_any_selector_and_any_number_of_threads(selector):
    X, y = load_wine(return_X_y=True)
    how = {"parts": "halves", "n_parts": 4, "n_folds": 8}
    one = FastEnsemble(selector, **how).fit(X, y)
    two = FastEnsemble(selector, n_jobs=2, **how).fit(X, y)
    assert len(one.part_selections_) == 4
    for part, other in zip(one.part_selections_, two.part_selections_, strict=True):
        np.testing.assert_array_equal(part, other)
    np.testing.assert_array_equal(one.relevance_, two.relevance_)


def test_halves_in_blocks():
    X, y = load_wine(return_X_y=True)
    ensemble = FastEnsemble(MRMR(5), parts="halves", n_parts=6)
    whole = ensemble.fit(X, y).part_selections_
    blocks = RowBlocks([(X[:70], y[:70]), (X[70:], y[70:])])
    np.testing.assert_array_equal(ensemble.fit(blocks).part_selections_, whole)


def test_halves_say_what_they_need(table):
    X, y = table
    with pytest.raises(ValueError, match="at least 16 rows; got n_samples = 12"):
        FastEnsemble(MRMR(2), parts="halves").fit(X, y)
    X, y = np.tile(X, (2, 1)), np.tile(y, 2)
    with pytest.raises(ValueError, match=r"n_parts must be even for halves.*got 5"):
        FastEnsemble(MRMR(2), parts="halves", n_parts=5).fit(X, y)
    with pytest.raises(ValueError, match="even number of folds, at least 8; got 9"):
        FastEnsemble(MRMR(2), parts="halves", folds=9).fit(X, y)
    with pytest.raises(ValueError, match="even number of folds, at least 8; got 4"):
        FastEnsemble(MRMR(2), parts="halves", folds=np.arange(24) % 4).fit(X, y)
    with pytest.raises(ValueError, match="'n_folds' parameter"):
        FastEnsemble(MRMR(2), parts="halves", n_folds=6).fit(X, y)


def test_noise_is_not_taken_for_certain():
    """Leave-one-out parts share most rows, so that even noise reaches high frequencies."""
    highest = {"leave_one_out": 0, "halves": 0}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(150, 200)), rng.permutation(np.arange(150) % 2)
        for parts in highest:
            ensemble = FastEnsemble(MRMR(20), parts=parts).fit(X, y)
            highest[parts] += int((ensemble.selection_frequency_ >= 0.9).sum())
    assert highest["leave_one_out"] > 20
    assert highest["halves"] <= 1


def test_wine():
    """The acceptance figures of the specification."""
    X, y = load_wine(return_X_y=True)
    ensemble = FastEnsemble(MRMR(5, scheme="FCQ"), n_parts=5).fit(X, y)
    middle = [6, 9, 12, 11, 0]
    assert ensemble.part_selections_.tolist() == [
        [12, 11, 0, 6, 9],
        middle,
        middle,
        middle,
        [12, 11, 6, 0, 9],
    ]
    assert np.unique(ensemble.part_selections_[:, :-1]).size == 5
    assert ensemble.n_pairs_needed_ == 63
    assert 5 * MRMR(5).fit(X, y).n_pairs_needed_ == 275
    assert set(ensemble.indices_) == {0, 6, 9, 11, 12}


#: Distinct columns among the first k - 1 picks: Tables 3 and 4 of Schowe and Morik.
PRINTED = {
    "lung_s3": {
        10: (40, 56, 76),
        20: (71, 84, 99),
        30: (94, 108, 114),
        40: (107, 116, 121),
        50: (122, 126, 128),
    },
    "colon_s3": {
        10: (30, 49, 57),
        20: (52, 65, 69),
        30: (73, 79, 84),
        40: (93, 98, 101),
        50: (113, 119, 120),
    },
    "lymphoma_s3": {
        10: (43, 78, 142),
        20: (88, 157, 262),
        30: (132, 220, 335),
        40: (171, 273, 387),
        50: (203, 314, 427),
    },
}


@pytest.mark.requires_data(*(f"{name}.csv.gz" for name in PRINTED))
@pytest.mark.parametrize("name", PRINTED)
def test_tables_3_and_4(load_real, name):
    X, y = load_real(name)
    X = X.astype(np.int8)
    p = X.shape[1]
    for i, e in enumerate((5, 10, 20)):
        ensemble = FastEnsemble(MRMR(50, scheme="MIQ"), n_parts=e, n_jobs=2).fit(X, y)
        for k, printed in PRINTED[name].items():
            # a greedy run of k columns is the beginning of a longer one
            assert np.unique(ensemble.part_selections_[:, : k - 1]).size == printed[i]
        u = PRINTED[name][50][i]
        assert ensemble.n_pairs_needed_ == (u + 1) * (2 * p - u) // 2
    short = FastEnsemble(MRMR(10, scheme="MIQ"), n_parts=20).fit(X, y)
    np.testing.assert_array_equal(short.part_selections_, ensemble.part_selections_[:, :10])


# ---------------------------------------- InnerEnsemble


@settings(max_examples=25)
@given(shape=shapes, way=st.integers(0, 5))
@pytest.mark.parametrize(
    ("kind", "scheme"), [case for case in CASES if case[0] not in ("ties", "float32")]
)
def test_inner_ensemble(kind, scheme, shape, way):
    seed, n, p, e = shape
    X, y, k, rng = make(kind, seed, n, p)
    options, fold = fold_arguments(n, e, rng)[way]
    selector = MRMR(k, scheme=scheme, discrete_features=np.full(p, kind == "codes"))
    if (kind, scheme) == ("numeric", "discount"):  # the slow F is that of classes
        selector.set_params(relevance="pearson")
    ensemble = InnerEnsemble(selector, **options).fit(X, y)
    chosen, scores = inner_slow(X, y, fold, k, *ensemble.measures_)
    assert ensemble.indices_.tolist() == chosen
    real = np.isfinite(scores)
    np.testing.assert_allclose(
        ensemble.scores_[chosen][real], np.array(scores)[real], rtol=1e-9, atol=1e-12
    )
    k = len(chosen)
    assert ensemble.n_pairs_needed_ == p * max(k, 1) - k * (k - 1) // 2
    assert p <= ensemble.n_pairs_read_ <= ensemble.n_pairs_needed_


def test_signs_are_averaged_before_they_are_dropped():
    """Opposite slopes in two blocks cancel in the average, not in either part."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    y = np.r_[x[:20], -x[20:]] + 0.01 * rng.normal(size=40)
    X = np.stack([x, 0.3 * y + rng.normal(size=40)], axis=1)
    inner = InnerEnsemble(MRMR(1, relevance="pearson"), n_parts=2, folds="blocks").fit(X, y)
    fast = FastEnsemble(MRMR(1, relevance="pearson"), n_parts=2, folds="blocks").fit(X, y)
    assert inner.indices_.tolist() == [1]
    assert fast.part_selections_.tolist() == [[0], [0]]


def test_correlations_that_cancel_are_no_redundancy():
    """Two columns that agree in one block and disagree in the other: r and -r in the parts."""
    x = np.tile([0.1, 0.7, 0.3, 0.2, 0.9, 0.4, 0.6], 2)
    X = np.stack([x, np.r_[x[:7], -x[7:]]], axis=1) + 0.1
    y = np.r_[X[:7, 0] * 2, X[7:, 0] * 3 + 1]
    selector = MRMR(2, relevance="pearson", redundancy="pearson", scheme="quotient")
    inner = InnerEnsemble(selector, n_parts=2, folds="blocks").fit(X, y)
    assert inner.scores_[inner.indices_[1]] in (0.0, math.inf)
    assert inner.redundancy_[inner.indices_[1]] == 0.0


def test_inner_wine():
    X, y = load_wine(return_X_y=True)
    ensemble = InnerEnsemble(MRMR(5, scheme="FCQ"), n_parts=5).fit(X, y)
    assert ensemble.indices_.tolist() == [6, 9, 12, 11, 0]
    chosen, _ = inner_slow(X, y, np.arange(178) % 5, 5, "f_test", "pearson", "quotient")
    assert ensemble.indices_.tolist() == chosen


# ---------------------------------------- the same result, however it is computed

LEARNED = (
    "indices_",
    "part_selections_",
    "scores_",
    "relevance_",
    "n_pairs_needed_",
    "n_pairs_read_",
)


def learned(ensemble):
    return {name: getattr(ensemble, name) for name in LEARNED if hasattr(ensemble, name)}


def assert_same(one, other):
    for name, value in learned(one).items():
        np.testing.assert_array_equal(value, getattr(other, name), err_msg=name)


TABLES = {
    "float64": lambda rng: rng.normal(size=(60, 90)),
    "float32": lambda rng: rng.normal(size=(60, 90)).astype(np.float32),
    "few levels": lambda rng: rng.integers(0, 4, (60, 90)),
    "many levels": lambda rng: rng.integers(0, 30, (60, 90)),
}


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
@pytest.mark.parametrize("kind", TABLES)
def test_threads_and_order_do_not_matter(ensemble, kind):
    rng = np.random.default_rng(0)
    X, y = TABLES[kind](rng), rng.integers(0, 3, 60)
    for scheme in ("quotient", "difference"):
        one = ensemble(MRMR(8, scheme=scheme), n_parts=7).fit(X, y)
        for n_jobs in (1, 2, 4):
            for order in "CF":
                other = ensemble(MRMR(8, scheme=scheme), n_parts=7, n_jobs=n_jobs)
                assert_same(one, other.fit(np.asarray(X, order=order), y))


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
@pytest.mark.parametrize("kind", TABLES)
def test_a_small_cache_changes_nothing(ensemble, kind, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = TABLES[kind](rng), rng.integers(0, 3, 60)
    one = ensemble(MRMR(8), n_parts=7).fit(X, y)
    monkeypatch.setattr(statistics.source, "CACHE_BYTES", 1)
    small = ensemble(MRMR(8), n_parts=7).fit(X[:3].repeat(20, axis=0), y)  # may evict too
    assert small.indices_.size == 8
    init = statistics.CachingSource.__init__

    def tiny(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self._budget = 1

    monkeypatch.setattr(statistics.CachingSource, "__init__", tiny)
    assert_same(one, ensemble(MRMR(8), n_parts=7).fit(X, y))


# ---------------------------------------- what bad input gets


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 4)), np.arange(12) % 2


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
class TestBadInput:
    @pytest.mark.parametrize("scheme", ["FCQ", "MID"])
    @pytest.mark.parametrize(
        ("value", "message"),
        [(np.nan, "column 2 has 1 missing"), (np.inf, "column 2 has 1 infinite")],
    )
    def test_missing_and_infinite_values(self, ensemble, table, scheme, value, message):
        X, y = table
        X[5, 2] = value
        with pytest.raises(ValueError, match=message):
            ensemble(MRMR(2, scheme=scheme, missing="error"), n_parts=3).fit(X, y)

    def test_squares_that_overflow(self, ensemble, table):
        X, y = table
        X[5, 2] = 1e200
        with pytest.raises(ValueError, match=r"too large for float64\. Scale"):
            ensemble(MRMR(2), n_parts=3).fit(X, y)

    def test_targets_that_say_nothing(self, ensemble, table):
        for y in (np.zeros(12), ["a"] * 12, np.full(12, 0.5)):
            with pytest.warns(UserWarning, match="y is constant"):
                fitted = ensemble(MRMR(2), n_parts=3).fit(table[0], y)
            assert fitted.indices_.tolist() == [0, 1]

    def test_fewer_rows_than_parts(self, ensemble, table):
        with pytest.warns(UserWarning, match="12 folds of one row"):
            fitted = ensemble(MRMR(2), n_parts=20).fit(*table)
        assert_same(fitted, ensemble(MRMR(2), n_parts=12).fit(*table))

    def test_more_columns_wanted_than_there_are(self, ensemble, table):
        with pytest.warns(UserWarning, match="exceeds the 4 columns"):
            fitted = ensemble(MRMR(9), n_parts=3).fit(*table)
        assert sorted(fitted.indices_.tolist()) == [0, 1, 2, 3]

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (np.empty((0, 3)), "0 sample"),
            (np.empty((12, 0)), "0 feature"),
            (np.array([["a", 1]] * 6 + [[3, 2]] * 6, dtype=object), "column 0"),
            (np.array([["2024-01-01"]] * 12, dtype="datetime64[D]"), "date"),
            (pd.DataFrame([[1, 2]] * 12, columns=["a", "a"]), "duplicate|twice|unique"),
        ],
        ids=["no rows", "no columns", "mixed types", "dates", "names"],
    )
    def test_tables_that_are_none(self, ensemble, X, message):
        with pytest.raises((ValueError, TypeError), match=f"(?i){message}"):
            ensemble(MRMR(1), n_parts=3).fit(X, np.arange(12)[: len(X)] % 2)

    def test_targets_and_folds_that_are_none(self, ensemble, table):
        X, y = table
        with pytest.raises(ValueError, match="y is None"):
            ensemble(MRMR(2), n_parts=3).fit(X)
        with pytest.raises(ValueError, match="y holds text"):
            ensemble(MRMR(2, relevance="pearson"), n_parts=3).fit(X, list("abc") * 4)
        with pytest.raises(ValueError, match="n_parts"):
            ensemble(MRMR(2), n_parts=1).fit(X, y)
        with pytest.raises(ValueError, match="folds"):
            ensemble(MRMR(2), folds="random").fit(X, y)
        with pytest.raises(ValueError, match="one fold label for each of the 12 rows"):
            ensemble(MRMR(2), folds=[0, 1]).fit(X, y)
        with pytest.raises(ValueError, match="selector"):
            ensemble(KFold()).fit(X, y)
        for selector in (ACE(), SelectKBest(), MRMR):
            with pytest.raises(ValueError, match=r"'selector' parameter.* such as MRMR\(\)"):
                ensemble(selector).fit(X, y)

    def test_a_splitter_that_looks_at_the_target(self, ensemble, table):
        X, y = table
        labels = np.empty(12, dtype=int)
        for t, (_, test) in enumerate(StratifiedKFold(3).split(X, y)):
            labels[test] = t
        by_splitter = ensemble(MRMR(2), folds=StratifiedKFold(3)).fit(X, y)
        assert_same(by_splitter, ensemble(MRMR(2), folds=labels).fit(X, y))

    def test_the_selector_is_cloned(self, ensemble, table):
        selector = MRMR(2)
        fitted = ensemble(selector, n_parts=3).fit(*table)
        assert not hasattr(selector, "indices_")
        assert fitted.selector is selector
        assert fitted.selector_ is not selector
        with pytest.warns(UserWarning, match="exceeds the 4 columns"):
            assert ensemble(n_parts=3).fit(*table).indices_.size == 4  # None is MRMR()


def test_the_selectors_own_bad_parameters_are_found(table):
    with pytest.raises(ValueError, match="'scheme' parameter of MRMR"):
        FastEnsemble(MRMR(2, scheme="best"), n_parts=3).fit(*table)


# ---------------------------------------- a number of columns of their own


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
@pytest.mark.parametrize("selector", [MRMR(9), JMI(9), None])
def test_ensembles_have_a_number_of_columns(ensemble, selector):
    X, y = load_wine(return_X_y=True)
    own = ensemble(selector, n_features_to_select=3, n_parts=4).fit(X, y)
    inner = (MRMR() if selector is None else selector).set_params(n_features_to_select=3)
    expected = ensemble(inner, n_parts=4).fit(X, y)
    assert own.indices_.tolist() == expected.indices_.tolist()
    np.testing.assert_array_equal(own.scores_, expected.scores_)
    share = ensemble(selector, n_features_to_select=0.5, n_parts=4).fit(X, y)
    assert share.indices_.size == 7


def test_the_number_of_an_ensemble_may_be_automatic():
    X, y = load_wine(return_X_y=True)
    own = FastEnsemble(MRMR(2), n_features_to_select="auto", n_parts=4).fit(X, y)
    expected = FastEnsemble(MRMR("auto"), n_parts=4).fit(X, y)
    assert own.indices_.tolist() == expected.indices_.tolist()
    assert own.indices_.size > 2


def test_selectors_without_a_number_have_none_in_an_ensemble():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="n_features_to_select must be None for IAMB, which"):
        FastEnsemble(IAMB(), n_features_to_select=3).fit(X, y)
