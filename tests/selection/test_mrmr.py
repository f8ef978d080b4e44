"""MRMR against a search that evaluates everything, from definitions only."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import twins
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from ensfs import MRMR, FastEnsemble, InnerEnsemble
from ensfs.data.table import make_table
from ensfs.search import greedy
from ensfs.search.criteria import Criterion
from ensfs.statistics import RelevanceSource, Resampling
from ensfs.statistics import source as source_contract
from ensfs.training.memory import MemoryTrainingData

# Tables to try have constant columns, which are never selected.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning")

# ---------------------------------------- the definitions, slowly


SLOW = {
    "pearson": lambda x, y: abs(twins.pearson(x, y)),
    "f_test": twins.f_classes,
    "mutual_information": twins.information,
    # without what chance gives; below that there is none, or it counts against a column
    "corrected": lambda x, y: max(0.0, twins.corrected(twins.information)(x, y)),
    "below chance": twins.corrected(twins.information),
    "at least chance": lambda x, y: max(
        twins.information(x, y), twins.chance(len(x), twins.n_levels(x), twins.n_levels(y))
    ),
}


def mrmr_slow(X, y, k, relevance, redundancy, scheme):
    """Columns, their scores and their mean redundancies when they were chosen."""
    p = X.shape[1]
    rel = [SLOW[relevance](X[:, f], y) for f in range(p)]
    constant = [x.min() == x.max() for x in X.T]
    chosen, scores, means = [], [], []
    for j in range(k):
        score, mean = {}, {}
        for f in set(range(p)) - set(chosen):
            red = [SLOW[redundancy](X[:, f], X[:, g]) for g in chosen]
            mean[f] = (max(red) if scheme == "discount" else sum(red) / j) if j else math.nan
            if constant[f]:
                score[f] = -math.inf
            elif j == 0 or (scheme == "quotient" and rel[f] == 0):
                score[f] = rel[f]
            elif scheme == "difference":
                score[f] = rel[f] - mean[f]
            elif scheme == "discount":
                score[f] = twins.discounted(rel[f], red)
            else:
                score[f] = rel[f] / mean[f] if mean[f] > 0 else math.inf
        best = max(score.values())
        if best == -math.inf:
            break  # constant columns say nothing
        size = abs(best) if scheme == "quotient" else max(abs(best), 1.0)
        cut = best if math.isinf(best) else best - 1e-12 * size
        g = min(f for f in score if score[f] >= cut)
        chosen.append(g)
        scores.append(score[g])
        means.append(mean[g])
    return chosen, scores, means


FAMILIES = {
    "FCQ": ("f_test", "pearson", "quotient"),
    "FCD": ("f_test", "pearson", "difference"),
    "MIQ": ("mutual_information", "mutual_information", "quotient"),
    "MID": ("mutual_information", "mutual_information", "difference"),
    "pearson quotient": ("pearson", "pearson", "quotient"),
    "pearson difference": ("pearson", "pearson", "difference"),
    "F and information": ("f_test", "mutual_information", "quotient"),
    "F minus information": ("f_test", "mutual_information", "difference"),
    "information and pearson": ("mutual_information", "pearson", "quotient"),
    "information minus pearson": ("mutual_information", "pearson", "difference"),
    "corrected information": ("corrected", "at least chance", "quotient"),
    "corrected information, difference": ("below chance", "corrected", "difference"),
    "corrected information and pearson": ("corrected", "pearson", "quotient"),
    "F and corrected information": ("f_test", "at least chance", "quotient"),
    "discount": ("f_test", "pearson", "discount"),
    "discounted information": ("below chance", "pearson", "discount"),
}


def names_of(family):
    """Relevance, redundancy and scheme of a family as parameters of MRMR."""
    return tuple(
        name
        if name in ("pearson", "f_test", "quotient", "difference", "discount")
        else "mutual_information"
        for name in FAMILIES[family]
    )


def selector_of(family, k, **options):
    if "MI" in family or "information" in family:
        options |= {"discrete_features": True}
    if family in ("FCQ", "FCD", "MIQ", "MID"):
        return MRMR(k, scheme=family, **options)
    relevance, redundancy, scheme = names_of(family)
    counted = "corrected" in family or "below chance" in FAMILIES[family]
    correction = "miller_madow" if counted else None
    return MRMR(
        k, relevance=relevance, redundancy=redundancy, scheme=scheme, correction=correction,
        **options,
    )  # fmt: skip


def rounding_decides(selector, relevance, X, y):
    """Whether equal relevances came out further apart than a tie.

    Information has an absolute error of some 1e-14 bits. Columns with different tables but
    the same information, below 0.01 bits, may so miss the relative 1e-12 of a tie.
    """
    if relevance in ("pearson", "f_test"):
        return False
    exact = np.array([SLOW[relevance](x, y) for x in X.T])
    order = np.argsort(exact)
    tied = np.diff(exact[order]) <= 1e-13 * np.abs(exact[order][1:])
    found = selector.relevance_[order]
    return bool((tied & (np.abs(np.diff(found)) > 1e-13 * np.abs(found[1:]))).any())


def assert_selects(selector, expected, X):
    chosen, scores, means = expected
    assert selector.indices_.tolist() == chosen
    real = [j for j, f in enumerate(chosen) if X[:, f].min() != X[:, f].max()]
    np.testing.assert_allclose(
        selector.scores_[chosen][real], np.array(scores)[real], rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(
        selector.redundancy_[chosen][real], np.array(means)[real], rtol=1e-9, atol=1e-12
    )


# ---------------------------------------- tables to try


def continuous_table(rng, n, p):
    """Related columns, a copy, a constant and a column of another size."""
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    X[:, rng.integers(p)] = 0.1 * rng.integers(3)
    X[:, rng.integers(p)] *= 1e6
    return X


def tied_table(rng, n, p):
    """Few small whole numbers: most scores are tied, and some columns are constant."""
    return rng.integers(0, rng.integers(1, 4, p), (n, p)).astype(np.float64)


def coded_table(rng, n, p):
    X = rng.integers(0, rng.integers(1, 13, p), (n, p))
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    return X


shapes = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(6, 40), st.integers(1, 9), st.integers(2, 4)
)


def check(family, table, shape, **options):
    seed, n, p, n_classes = shape
    rng = np.random.default_rng(seed)
    X = table(rng, n, p)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    if family.startswith("pearson"):
        y = rng.normal(size=n) + X[:, 0]
    k = int(rng.integers(1, p + 1))
    selector = selector_of(family, k, **options).fit(X, y)
    assume(not rounding_decides(selector, FAMILIES[family][0], X, y))
    assert_selects(selector, mrmr_slow(X, y, k, *FAMILIES[family]), X)
    assert selector.measures_ == names_of(family)
    k = selector.indices_.size
    assert selector.n_pairs_needed_ == p * max(k, 1) - k * (k - 1) // 2
    assert p <= selector.n_pairs_read_ <= selector.n_pairs_needed_


CONTINUOUS = ["FCQ", "FCD", "pearson quotient", "pearson difference", "discount"]
COUNTED = ["MIQ", "MID", "corrected information", "corrected information, difference"]


@settings(max_examples=40)
@given(shape=shapes)
@pytest.mark.parametrize("family", CONTINUOUS)
def test_continuous_columns(family, shape):
    check(family, continuous_table, shape)


@settings(max_examples=60)
@given(shape=shapes)
@pytest.mark.parametrize("family", FAMILIES)
def test_heavy_ties(family, shape):
    check(family, tied_table, shape)


@settings(max_examples=40)
@given(shape=shapes)
@pytest.mark.parametrize("family", COUNTED)
def test_coded_columns(family, shape):
    check(family, coded_table, shape)


@settings(max_examples=20)
@given(shape=shapes)
@pytest.mark.parametrize(
    "family",
    [name for name in FAMILIES if len(set(names_of(name)[:2])) == 2],
)
def test_whole_numbers_in_mixed_families(family, shape):
    if "information" not in family:
        shape = (*shape[:3], 2)
    check(family, coded_table, shape)


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32 - 1),
    levels=st.lists(st.integers(2, 4), min_size=2, max_size=4),
    n_classes=st.integers(2, 3),
)
@pytest.mark.parametrize("family", FAMILIES)
def test_balanced_designs(family, seed, levels, n_classes):
    """Columns without any redundancy, exactly: all quotients are infinite and tied."""
    rng = np.random.default_rng(seed)
    X = np.indices(levels).reshape(len(levels), -1).T.astype(np.float64)
    X = X[rng.permutation(len(X))][:, rng.permutation(len(levels))]
    X = np.stack([rng.integers(0, 6, 4)[x.astype(int)] for x in X.T], axis=1)
    y = (X[:, 0] + rng.integers(0, n_classes, len(X))) % n_classes
    y[:2] = 0, 1
    selector = selector_of(family, len(levels)).fit(X, y)
    assume(not rounding_decides(selector, FAMILIES[family][0], X, y))
    assert_selects(selector, mrmr_slow(X, y, len(levels), *FAMILIES[family]), X)


def test_more_columns_than_a_panel_and_more_rows_than_a_lane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 77)) @ rng.normal(size=(77, 77))
    y = rng.integers(0, 3, 70)
    for family in ("FCQ", "FCD"):
        assert_selects(MRMR(12, scheme=family).fit(X, y), mrmr_slow(X, y, 12, *FAMILIES[family]), X)
    codes = rng.integers(0, 9, (70, 77))
    for family in ("MIQ", "MID"):
        expected = mrmr_slow(codes, y, 12, *FAMILIES[family])
        assert_selects(selector_of(family, 12).fit(codes, y), expected, codes)


def test_float32_and_a_large_mean():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 50)
    X = 1e8 + rng.normal(size=(50, 8)) + y[:, None] * rng.random(8)
    single = (X - 1e8 + 1000).astype(np.float32)
    for family in ("FCQ", "discount"):
        expected = mrmr_slow(X - 1e8, y, 8, *FAMILIES[family])
        assert MRMR(8, scheme=family).fit(X, y).indices_.tolist() == expected[0]
        assert_selects(
            MRMR(8, scheme=family).fit(single, y),
            mrmr_slow(single.astype(float), y, 8, *FAMILIES[family]),
            X,
        )


# ---------------------------------------- lazy and full search


def both_searches(selector, X, y, parts=None, n_threads=1):
    """The lazy and the full search on the same source."""
    table = make_table(X, **selector.read_options())
    data = MemoryTrainingData(table, y)
    sources = selector.sources(data, parts or Resampling.all_rows(len(y)), n_threads)
    source, pairs = sources.columns, sources.pairs
    relevance = np.where(source.constant | pairs.constant, -np.inf, source.relevance)
    varying = (relevance > -np.inf).sum(axis=1)
    k, criterion = min(selector.n_features_to_select, int(varying.max())), selector._criterion
    assume(k > 0)
    lazy = greedy._lazy_search(source, pairs, k, criterion)
    return lazy, greedy.full_search(pairs, relevance, k, criterion)


def assert_same_selections(lazy, full):
    for mine, other in (
        (lazy.columns, full.columns),
        (lazy.scores, full.scores),
        (lazy.details.redundancy, full.details.redundancy),
    ):
        for of_part, of_other in zip(mine, other, strict=True):
            np.testing.assert_array_equal(of_part, of_other)
    if len(lazy.columns) == 1:  # of the columns that were compared with all others
        (columns,) = lazy.columns
        nearest = [found.details.nearest[columns] for found in (lazy, full)]
        np.testing.assert_array_equal(*nearest)


@settings(max_examples=25)
@given(shape=shapes, single=st.booleans())
@pytest.mark.parametrize("family", FAMILIES)
def test_the_lazy_search_is_the_full_search_to_the_last_bit(family, shape, single):
    seed, n, p, n_classes = shape
    rng = np.random.default_rng(seed)
    table = coded_table if "MI" in family or "information" in family else continuous_table
    X, y = table(rng, 3 * n, 5 * p), rng.integers(0, n_classes, 3 * n)
    if single and X.dtype.kind == "f":
        X = X.astype(np.float32)
    lazy, full = both_searches(selector_of(family, min(5 * p, 12)), X, y)
    assert_same_selections(lazy, full)
    if len(set(map(len, lazy.columns))) == 1:  # else constant columns are read as well
        assert lazy.n_pairs_read <= full.n_pairs_read


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shape=shapes, single=st.booleans(), n_folds=st.sampled_from([2, 3, 5, 9, 20, 37]),
    n_threads=st.integers(1, 2), any_folds=st.booleans(),
)  # fmt: skip
@pytest.mark.parametrize("family", FAMILIES)
def test_so_it_is_in_every_part(family, shape, single, n_folds, n_threads, any_folds, monkeypatch):
    monkeypatch.setattr(source_contract, "MAX_LAZY_READ_RATIO", math.inf)
    seed, n, p, n_classes = shape
    rng = np.random.default_rng(seed)
    table = coded_table if "MI" in family or "information" in family else continuous_table
    n = n_folds * max(3, n // 4)
    X, y = table(rng, n, 5 * p), rng.permutation(np.arange(n) % n_classes)
    if single and X.dtype.kind == "f":
        X = X.astype(np.float32)
    fold = rng.integers(0, n_folds, n)  # of very different sizes
    fold[:n_folds] = np.arange(n_folds)
    parts = Resampling.leave_one_out(fold, n_folds)
    if any_folds:
        membership = rng.random((int(rng.integers(2, 20)), n_folds)) < 0.5
        membership[np.arange(len(membership)), rng.integers(0, n_folds, len(membership))] = True
        parts = Resampling(fold, membership)
    lazy, full = both_searches(selector_of(family, min(5 * p, 12)), X, y, parts, n_threads)
    assert_same_selections(lazy, full)
    if len(set(map(len, lazy.columns))) == 1:  # else constant columns are read as well
        assert lazy.n_pairs_read <= full.n_pairs_read


def test_parts_that_need_most_pairs_are_searched_together():
    """Lazy searches would read every pair in each part, although all parts need the same ones."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 100)) + y[:, None]
    parts = Resampling.leave_one_out(np.arange(60) % 6, 6)
    selector = selector_of("FCQ", 10)
    data = MemoryTrainingData(make_table(X, **selector.read_options()), y)
    source = selector.sources(data, parts, 1).columns
    assert greedy._lazy_search(source, source, 10, selector._criterion) is None
    found = greedy.greedy_search(source, 10, selector._criterion)
    for t in range(6):
        alone = selector.fit(X[parts.fold != t], y[parts.fold != t])
        assert found.columns[t].tolist() == alone.indices_.tolist()


def test_the_lazy_search_reads_a_fraction_of_the_pairs():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 500)), rng.integers(0, 2, 100)
    X[:, :20] += y[:, None]
    for scheme, share in (("FCQ", 0.7), ("FCD", 0.2), ("discount", 0.2)):
        selector = MRMR(20, scheme=scheme).fit(X, y)
        assert selector.n_pairs_read_ < share * selector.n_pairs_needed_


# ---------------------------------------- the choice of measures


def test_measures_follow_the_kinds_of_columns_and_target():
    rng = np.random.default_rng(0)
    numbers, labels = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    codes = rng.integers(0, 4, (40, 3))
    mixed = pd.DataFrame(numbers, columns=list("abc")).assign(d=list("xyzz") * 10)
    information = ("mutual_information", "mutual_information", "quotient")
    assert MRMR(2).fit(numbers, labels).measures_ == ("f_test", "pearson", "discount")
    assert MRMR(2).fit(numbers, numbers[:, 0]).measures_ == ("pearson", "pearson", "difference")
    assert MRMR(2).fit(codes, labels).measures_ == information
    assert MRMR(2).fit(mixed, labels).measures_ == information
    assert MRMR(2).fit(codes, rng.normal(size=40)).measures_[:2] == (
        "pearson",
        "pearson",
    )
    pearson = MRMR(2, redundancy="pearson").fit(codes, labels)
    assert pearson.measures_ == ("f_test", "pearson", "discount")
    named = MRMR(2, relevance="f_test").fit(numbers, labels)
    assert named.measures_ == ("f_test", "pearson", "quotient")
    both = MRMR(2, redundancy="mutual_information").fit(numbers, labels)
    assert both.measures_[0] == "mutual_information"


def test_published_names_set_all_three():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 6)), rng.integers(0, 2, 40)
    for family in ("FCQ", "FCD", "MIQ", "MID"):
        relevance, redundancy, scheme = FAMILIES[family]
        named = MRMR(4, scheme=family).fit(X, y)
        spelt = MRMR(
            4, relevance=relevance, redundancy=redundancy, scheme=scheme, correction=None
        ).fit(X, y)
        assert named.measures_ == spelt.measures_ == FAMILIES[family]
        np.testing.assert_array_equal(named.scores_, spelt.scores_)
    with pytest.raises(ValueError, match="scheme='MIQ' means relevance='mutual_information'"):
        MRMR(4, scheme="MIQ", relevance="f_test").fit(X, y)


@pytest.mark.parametrize(
    ("scheme", "meant"), [("quotient", "miller_madow"), ("difference", "akaike")]
)
def test_the_correction_follows_the_scheme(scheme, meant):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, rng.integers(2, 6, 8), (60, 8)), rng.integers(0, 2, 60)
    options = {"relevance": "mutual_information", "scheme": scheme}
    one, other = (MRMR(5, correction=c, **options).fit(X, y) for c in ("auto", meant))
    np.testing.assert_array_equal(one.scores_, other.scores_)
    counted = MRMR(5, correction=None, **options).fit(X, y)
    assert not np.array_equal(one.scores_, counted.scores_, equal_nan=True)


def test_mixed_tables_are_cut_at_half_a_standard_deviation():
    rng = np.random.default_rng(0)
    numbers, words = rng.normal(size=(60, 3)), rng.choice(list("abc"), (60, 2))
    y = rng.integers(0, 2, 60)
    frame = pd.DataFrame(numbers, columns=list("pqr")).assign(s=words[:, 0], t=words[:, 1])
    selector = MRMR(5).fit(frame, y)
    codes = np.empty((60, 5), dtype=object)
    for j, x in enumerate(numbers.T):
        cuts = selector.cut_points_[j]
        half = x.std() / 2, x.std(ddof=1) / 2
        assert any(np.allclose(cuts, [x.mean() - h, x.mean() + h]) for h in half)
        codes[:, j] = np.searchsorted(cuts, x)
    codes[:, 3:] = np.array(list(map(ord, words.ravel()))).reshape(60, 2)
    expected = mrmr_slow(codes.astype(int), y, 5, *FAMILIES["corrected information"])
    assert_selects(selector, expected, codes.astype(int))
    assert sorted(selector.cut_points_) == [0, 1, 2]


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [False, True], ["no", "yes"]])
def test_pearson_with_two_classes(labels):
    rng = np.random.default_rng(0)
    X, code = rng.normal(size=(40, 6)), rng.integers(0, 2, 40)
    selector = MRMR(4, relevance="pearson").fit(X, np.array(labels)[code])
    assert_selects(selector, mrmr_slow(X, code, 4, *FAMILIES["pearson quotient"]), X)


def test_pearson_with_numbered_classes_takes_the_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 6)), rng.choice([0, 1, 10], 40)
    selector = MRMR(4, relevance="pearson").fit(X, y)
    assert_selects(selector, mrmr_slow(X, y, 4, *FAMILIES["pearson quotient"]), X)


# ---------------------------------------- constants, ties, counts


def test_constant_columns_are_not_selected():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), rng.integers(0, 2, 30)
    X[:, [0, 3]] = 0.1, 1e8 + 0.7
    for family in FAMILIES:
        target = rng.normal(size=30) if family.startswith("pearson") else y
        with pytest.warns(UserWarning, match="Only 4 of 6 columns were selected"):
            selector = selector_of(family, 6).fit(X, target)
        assert sorted(selector.indices_) == [1, 2, 4, 5]
        assert selector.relevance_[[0, 3]].tolist() == [0, 0]
        assert np.isnan(selector.scores_[[0, 3]]).all()


def test_all_columns_constant():
    X = np.ones((10, 4)) * [0.1, 0.2, 0.3, 0.4]
    with pytest.warns(UserWarning, match="MRMR selected no column"):
        selector = MRMR(3).fit(X, np.arange(10) % 2)
    assert selector.indices_.tolist() == []
    assert selector.relevance_.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("family", FAMILIES)
def test_of_equal_columns_the_lower_wins(family):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 40)
    y = x + rng.normal(size=40) if family.startswith("pearson") else x > 1
    X = np.stack([x, x, x], axis=1)
    assert selector_of(family, 3).fit(X, y).indices_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("k", "kept"), [(1, 1), (0.5, 4), (0.3, 2), (1.0, 7), (7, 7)])
def test_how_many(k, kept):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 7)), rng.integers(0, 2, 20)
    selector = MRMR(k).fit(X, y)
    assert selector.indices_.size == selector.support_.sum() == kept
    assert selector.transform(X).shape == (20, kept)
    assert sorted(selector.indices_.tolist()) == selector.get_support(indices=True).tolist()
    places = selector.ranking_[selector.indices_].tolist()
    assert places == list(range(1, kept + 1))
    assert (selector.ranking_[~selector.support_] == kept + 1).all()
    assert np.isnan(selector.scores_[~selector.support_]).all()


def test_the_same_result_for_any_threads_and_order():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    for X, schemes in [
        (rng.normal(size=(60, 90)), ("FCQ", "FCD")),
        (rng.normal(size=(60, 90)).astype(np.float32), ("FCQ", "FCD")),
        (rng.integers(0, 12, (60, 90)), ("MIQ", "MID", "FCQ")),
    ]:
        for scheme in schemes:
            one = MRMR(15, scheme=scheme).fit(X, y)
            for n_jobs in (1, 2, 4, -1):
                for order in "CF":
                    other = MRMR(15, scheme=scheme, n_jobs=n_jobs)
                    other.fit(np.asarray(X, order=order), y)
                    np.testing.assert_array_equal(one.indices_, other.indices_)
                    np.testing.assert_array_equal(one.scores_, other.scores_)
                    np.testing.assert_array_equal(one.redundancy_, other.redundancy_)
                    np.testing.assert_array_equal(one.relevance_, other.relevance_)


# ---------------------------------------- worked examples and published results


def test_wine():
    X, y = load_wine(return_X_y=True)
    published = MRMR(5, scheme="FCQ").fit(X, y).indices_.tolist()
    assert published == mrmr_slow(X, y, 5, *FAMILIES["FCQ"])[0]
    assert published == [6, 9, 12, 11, 0]
    assert MRMR(5).fit(X, y).indices_.tolist() == mrmr_slow(X, y, 5, *FAMILIES["discount"])[0]


SETS = ("colon_s3", "leukemia_s3", "lung_s3", "lymphoma_s3", "nci9_s3")


@pytest.mark.requires_data("manifest.json", *(f"{name}.csv.gz" for name in SETS))
@pytest.mark.parametrize("name", SETS)
def test_published_mid_selections(data_dir, load_real, name):
    X, y = load_real(name)
    manifest = json.loads((data_dir / "manifest.json").read_text())
    expected = manifest["reference_results"]["mid_top10_zero_based"][name]
    assert MRMR(10, scheme="MID").fit(X.astype(np.int8), y).indices_.tolist() == expected


@pytest.mark.requires_data("manifest.json", "colon_s3.csv.gz")
def test_published_miq_selection(data_dir, load_real):
    X, y = load_real("colon_s3", as_frame=True)
    manifest = json.loads((data_dir / "manifest.json").read_text())
    expected = manifest["reference_results"]["miq_top20_names"]["colon_s3"]
    for k in (10, 20):  # published as sets
        names = MRMR(k, scheme="MIQ").fit(X, y).get_feature_names_out()
        assert set(names) == set(expected[:k])


# ---------------------------------------- what bad input gets


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 4)), np.arange(12) % 2


@pytest.mark.parametrize("scheme", ["FCQ", "MID"])
@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "column 2 has 1 missing"), (np.inf, "column 2 has 1 infinite")],
)
def test_missing_and_infinite_values(table, scheme, value, message):
    X, y = table
    X[5, 2] = value
    selector = MRMR(2, scheme=scheme, missing="error")
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b", "age", "d"])
    with pytest.raises(ValueError, match="column 'age' has 1"):
        selector.fit(frame, y)


@pytest.mark.parametrize("size", [1e-150, 1e-200, 1e-320])
@pytest.mark.parametrize("relevance", ["f_test", "pearson"])
def test_squares_that_vanish(table, size, relevance):
    X, y = table
    small = X.copy()
    small[:, 2] *= size
    with pytest.raises(ValueError, match=r"column 2 differ by so little .* Scale"):
        MRMR(2, relevance=relevance).fit(small, y)
    with pytest.raises(ValueError, match=r"values of y differ by so little .* Scale"):
        MRMR(2, relevance="pearson").fit(X[:, :2], size * X[:, 3])
    small[:, 2] = size  # constant
    assert 2 not in MRMR(2, relevance=relevance).fit(small, y).indices_


def test_squares_that_overflow(table):
    X, y = table
    X[5, 2] = 1e200
    with pytest.raises(ValueError, match=r"too large for float64\. Scale"):
        MRMR(2).fit(X, y)
    with pytest.raises(ValueError, match=r"too large for float64\. Scale"):
        MRMR(2, relevance="pearson").fit(X[:, :2], 1e200 * X[:, 3])


def test_targets_that_say_nothing(table):
    X, _ = table
    for y in (np.zeros(12), ["a"] * 12, np.full(12, 0.5)):
        with pytest.warns(UserWarning, match="y is constant"):
            selector = MRMR(2).fit(X, y)
        assert selector.indices_.tolist() == [0, 1]
        assert selector.relevance_.tolist() == [0, 0, 0, 0]


def test_more_columns_wanted_than_there_are(table):
    with pytest.warns(UserWarning, match="exceeds the 4 columns"):
        selector = MRMR(9).fit(*table)
    assert sorted(selector.indices_.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("k", [0, -1, 1.5, 0.0, "all", None])
def test_how_many_must_make_sense(table, k):
    with pytest.raises(ValueError, match="n_features_to_select"):
        MRMR(k).fit(*table)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 3)), "0 sample"),
        (np.empty((12, 0)), "0 feature"),
        (np.arange(12.0), "2D array"),
        (np.array([["a", 1]] * 6 + [["b", None]] * 6, dtype=object), "column 1"),
        (np.array([["a", 1]] * 6 + [[3, 2]] * 6, dtype=object), "column 0"),
        (np.array([["2024-01-01", "2024-01-02"]] * 12, dtype="datetime64[D]"), "date"),
        (pd.DataFrame([[1, 2]] * 12, columns=["a", "a"]), "duplicate|twice|unique"),
    ],
    ids=["no rows", "no columns", "one axis", "None", "mixed types", "dates", "names"],
)
def test_tables_that_are_none(X, message):
    with pytest.raises((ValueError, TypeError), match=f"(?i){message}"):
        MRMR(1, missing="error").fit(X, np.arange(12)[: len(X)] % 2)


def test_targets_that_are_none(table):
    X, y = table
    with pytest.raises(ValueError, match="y is None"):
        MRMR(2).fit(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MRMR(2).fit(X, y[:-1])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        MRMR(2).fit(X, np.where(y, np.nan, 1.0))
    with pytest.raises(ValueError, match="y holds text"):
        MRMR(2, relevance="pearson").fit(X, list("abc") * 4)


def test_text_columns_need_mutual_information(table):
    frame = pd.DataFrame({"word": list("abcd") * 3, "x": table[0][:, 0]})
    with pytest.raises(ValueError, match="column 'word' holds text"):
        MRMR(1, scheme="FCQ").fit(frame, table[1])
    assert MRMR(2, scheme="MIQ").fit(frame, table[1]).indices_.size == 2


def test_no_threads_is_an_error(table):
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        MRMR(2, n_jobs=0).fit(*table)


@pytest.mark.parametrize("scheme", ["difference", "quotient"])
@pytest.mark.parametrize("ensemble", [False, True])
def test_one_column_needs_no_pairs(monkeypatch, ensemble, scheme):
    """The first column is the first of two, and no copy of the table is packed for it."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 8)) + np.outer(y, np.linspace(0, 1, 8))

    def fitted(k):
        selector = MRMR(k, scheme=scheme)
        return (FastEnsemble(selector, n_parts=5) if ensemble else selector).fit(X, y)

    two = fitted(2)

    def fail(self):
        raise AssertionError("packed")

    monkeypatch.setattr("ensfs.statistics.ContinuousSource._packed_workspace", fail)
    one = fitted(1)
    if ensemble:
        assert [part[0] for part in two.part_selections_] == [p[0] for p in one.part_selections_]
    else:
        assert one.indices_.tolist() == two.indices_[:1].tolist()
        assert one.n_pairs_read_ == 8
    with pytest.raises(AssertionError, match="packed"):
        fitted(2)


def test_a_discount_needs_a_redundancy_between_0_and_1():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="scheme='discount' needs a redundancy between 0 and 1"):
        MRMR(3, scheme="discount", redundancy="mutual_information").fit(X, y)


def test_a_discount_takes_copies_last():
    X, y = load_wine(return_X_y=True)
    X = np.hstack([X[:, [6]], X])  # a copy of the most relevant column
    selector = MRMR(14, scheme="discount", discrete_features=False).fit(X, y)
    assert selector.indices_[0] == 0
    assert selector.indices_[-1] == 7
    assert selector.redundancy_[7] == pytest.approx(1.0)
    assert selector.scores_[7] == pytest.approx(0.0, abs=1e-9)
    assert (np.diff(selector.scores_[selector.indices_]) <= 0).all()  # more terms only lower it


def test_a_discount_of_included_columns():
    X, y = load_wine(return_X_y=True)
    options = {"scheme": "discount", "discrete_features": False}
    first = MRMR(1, **options).fit(X, y).indices_
    free, given = MRMR(5, **options).fit(X, y), MRMR(5, include=first, **options).fit(X, y)
    assert given.indices_.tolist() == free.indices_.tolist()
    np.testing.assert_array_equal(given.scores_[free.indices_[1:]], free.scores_[free.indices_[1:]])


def test_a_copy_of_a_column_that_separates_the_classes():
    y = np.repeat([0, 1], 20)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40), y, y, rng.normal(size=40)]).astype(float)
    selector = MRMR(4, scheme="discount", discrete_features=False).fit(X, y)
    assert selector.indices_.tolist()[0] == 1
    assert selector.indices_.tolist()[-1] == 2


def test_of_an_affine_copy_nothing_is_left_either():
    y = np.repeat([0.0, 1.0], 20)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40), y, 0.1 + 0.7 * y, rng.normal(size=40)])
    selector = MRMR(4, scheme="discount", discrete_features=False).fit(X, y)
    assert np.isinf(selector.relevance_[[1, 2]]).all()
    assert selector.indices_[0] == 1
    assert selector.indices_[-1] == 2
    assert selector.scores_[2] == 0


class _Given(RelevanceSource):
    """Relevance as it is given, for the parts of a source."""

    n_pairs_read = 0

    def __init__(self, relevance, pairs):
        self.relevance, self.constant = relevance, pairs.constant
        self.n_parts, self.n_features = relevance.shape
        self.n_threads = pairs.n_threads


@settings(max_examples=60)
@given(shape=shapes, n_parts=st.sampled_from([1, 1, 4]), exact=st.booleans())
def test_a_discount_of_any_relevance(shape, n_parts, exact):
    """Also of negative, infinite and equal numbers: lazily, in full, and by the definition."""
    seed, n, p, _ = shape
    rng = np.random.default_rng(seed)
    X, k = continuous_table(rng, n_parts * n, 3 * p), int(rng.integers(1, 3 * p + 1))
    fold = np.arange(len(X)) % n_parts
    parts = Resampling.all_rows(len(X))
    if n_parts > 1:
        parts = Resampling.leave_one_out(fold, n_parts)
    data = MemoryTrainingData(make_table(X, discrete_features=False), np.arange(len(X)) % 2)
    pairs = MRMR(scheme="FCQ").sources(data, parts, 1).pairs
    relevance = rng.normal(size=(n_parts, 3 * p))
    if exact:
        relevance = rng.choice([-1.0, 0.0, 0.5, 2.0, np.inf], relevance.shape)
    criterion = Criterion(combine="maximum", score="discount")
    source = _Given(relevance, pairs)
    candidates = greedy.without_constants(source, pairs)
    k = min(k, int((candidates > -np.inf).sum(axis=1).max()))
    assume(k > 0)
    lazy = greedy._lazy_search(source, pairs, k, criterion)
    full = greedy.full_search(pairs, candidates.copy(), k, criterion)
    if lazy is not None:
        assert_same_selections(lazy, full)
    for t, found in enumerate(full.columns):
        rows = X[fold != t] if n_parts > 1 else X
        chosen, scores = discount_slow(candidates[t], rows, k)
        assert found.tolist() == chosen
        np.testing.assert_allclose(full.scores[t], scores, rtol=1e-9, atol=1e-12)


def discount_slow(relevance, X, k):
    """Columns and their scores, from any relevance; -inf of what is not to be selected."""
    chosen, scores = [], []
    while len(chosen) < k:
        each = {}
        for f in set(np.nonzero(relevance > -np.inf)[0].tolist()) - set(chosen):
            alike = [abs(twins.pearson(X[:, f], X[:, g])) for g in chosen]
            each[f] = twins.discounted(relevance[f], alike) if chosen else relevance[f]
        if not each:
            break
        best = max(each.values())
        cut = best if math.isinf(best) else best - 1e-12 * max(abs(best), 1.0)
        chosen.append(min(f for f in each if each[f] >= cut))
        scores.append(each[chosen[-1]])
    return chosen, scores


WAYS = {
    "alone": lambda s: s,
    "include": lambda s: s.set_params(include=[3, 11]),
    "groups": lambda s: s.set_params(feature_groups=[[0, 5, 7], [2, 13]]),
    "automatic": lambda s: s.set_params(n_features_to_select="auto", expected_false=3.0),
    "folds": lambda s: FastEnsemble(s, n_parts=5),
    "halves": lambda s: FastEnsemble(s, parts="halves", n_parts=6),
    "averaged": lambda s: InnerEnsemble(s, n_parts=5),
}
TABLES = ["numbers", "float32", "weights", "gaps", "corrected", "sparse"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", TABLES)
def test_a_discount_that_reads_few_pairs_is_that_which_reads_all(way, table, monkeypatch):
    rng = np.random.default_rng(len(way))
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 8)) @ rng.normal(size=(8, 40)) + rng.normal(size=40) * y[:, None]
    X[:, 20], X[:, 30] = X[:, 4], 1.0
    weight, options = None, {}
    if table == "float32":
        X = X.astype(np.float32)
    elif table == "weights":
        weight = rng.integers(0, 3, 90).astype(float)
    elif table in ("gaps", "corrected"):
        X[rng.random(X.shape) < 0.1] = np.nan
        options = {"missing": "corrected"} if table == "corrected" else {}
    elif table == "sparse":
        X = sp.csc_array(np.where(rng.random(X.shape) < 0.8, 0.0, X))
    if table == "sparse" and way == "groups":
        pytest.skip("sparse tables have no groups")

    def fitted(n_jobs):
        selector = MRMR(12, scheme="discount", discrete_features=False, n_jobs=n_jobs, **options)
        selector = WAYS[way](selector)
        found = selector.fit(X, y) if weight is None else selector.fit(X, y, weight)
        names = ("indices_", "scores_", "redundancy_", "part_selections_", "part_scores_")
        learned = [getattr(found, name) for name in names if hasattr(found, name)]
        if hasattr(found, "_nearest"):
            learned.append(found._nearest[found.indices_])
        return learned

    lazy = [fitted(n_jobs) for n_jobs in (1, 4)]
    monkeypatch.setattr(Criterion, "bounded", False)
    full = fitted(1)
    for mine in lazy:
        for one, other in zip(mine, full, strict=True):
            for a, b in zip(one, other, strict=True):
                np.testing.assert_array_equal(a, b)
