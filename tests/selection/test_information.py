"""Greedy criteria against a search that evaluates everything."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
import twins
from families import GREEDY
from greedy_twins import CORRECTED, CRITERIA, DEFINITIONS, search_slow
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler

from ensfs import (
    CFS,
    CMIM,
    FCBF,
    JMI,
    JMIM,
    MIM,
    EqualFrequencyDiscretizer,
    FastEnsemble,
    MDLDiscretizer,
    SigmaDiscretizer,
)
from ensfs.data.table import make_table
from ensfs.measures import conditional_mutual_information
from ensfs.search import greedy
from ensfs.statistics import Resampling
from ensfs.training.memory import MemoryTrainingData

# Tables to try have constant columns, which are never selected.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning")

# ---------------------------------------- tables to try


def table(kind, seed, n, p):
    """Codes, some of them related to the classes; copies, relabelled copies and constants."""
    rng = np.random.default_rng(seed)
    top, n_classes = {
        "planes": (9, 4), "codes": (15, 3), "classes": (5, 12), "ties": (3, 2),
    }[kind]  # fmt: skip
    X = rng.integers(0, rng.integers(1, top, p), (n, p))
    y = rng.integers(0, n_classes, n)
    y[0] = (y[1] + 1) % n_classes  # two classes at least
    X = np.where(rng.random((n, p)) < rng.uniform(0.3, 1.5, p), X, y[:, None])
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    X[:, rng.integers(p)] = 20 - X[:, rng.integers(p)]
    return X, y, int(rng.integers(1, p + 1))


#: All criteria, with every value a level.
EVERY = {
    name: partial(make, discrete_features=True) for name, make in (CRITERIA | CORRECTED).items()
}
LAZY = [name for name, make in EVERY.items() if make()._scoring.bounded]
tables = st.tuples(st.integers(0, 2**32 - 1), st.integers(4, 80), st.integers(1, 8))
KINDS = ["planes", "codes", "classes", "ties"]


def source_of(selector, X, y):
    data = MemoryTrainingData(make_table(X, discrete_features=True), y)
    return selector.sources(data, Resampling.all_rows(len(y)), 1).columns


# ---------------------------------------- the worked example

Y = np.array(list("000000111111"))
X = np.array(
    [
        list("000001111110"),
        list("000011111100"),
        list("000001111101"),
        list("010101010101"),
        list("000000000000"),
        list("000001111110"),
    ]
).T


def test_worked_example():
    """Check 12 of the specification."""
    selector = CMIM(4, correction=None).fit(X, Y)
    assert selector.indices_.tolist() == [0, 2, 1, 3]
    scores = [0.3499775784, 0.3492190488, 0.0484156759, 0]
    np.testing.assert_allclose(selector.scores_[[0, 2, 1, 3]], scores, rtol=0, atol=1e-9)
    assert selector.scores_[3] == 0
    assert selector.informative_.tolist() == [True, True, True, False]
    assert selector.n_pairs_needed_ == 6 * 4 - 6
    assert conditional_mutual_information(X[:, [3]], Y, X[:, 0])[0] == pytest.approx(
        0.190875, abs=1e-6
    )


def test_worked_example_without_mi():
    selector = CMIM(4, include_mi=False, correction=None).fit(X, Y)
    assert selector.indices_.tolist() == [0, 2, 3, 1]
    assert selector.scores_[3] == pytest.approx(0.109170, abs=1e-6)
    assert selector.scores_[1] == pytest.approx(0.048416, abs=1e-6)
    third = CMIM(3, include_mi=False, correction=None).fit(X, Y)
    assert third.indices_.tolist() == [0, 2, 3]


def test_either_or():
    """Check 2: neither column says anything alone."""
    a, b = np.array(list("00110011")), np.array(list("01010101"))
    Z, y = np.stack([a, b], axis=1), a != b

    def scores(name):
        return CRITERIA[name](2).fit(Z, y).scores_.tolist()

    assert scores("CMIM") == [0, 0]
    assert scores("CMIM without MI") == [0, 1]
    assert scores("JMI") == [0, 1]
    assert scores("JMIM") == [0, 1]
    np.testing.assert_allclose(scores("DISR"), [0, 0.5])
    assert scores("MIM") == [0, 0]


def test_explanation_of_cmim():
    """The conditioning column is the one that leaves least."""
    frame = pd.DataFrame(X, columns=list("abcdef"))
    selector = CMIM(4, correction=None).fit(frame, Y)
    rows = {row["feature"]: row for row in selector.explain()}
    assert list(rows)[:4] == ["a", "c", "b", "d"]
    assert [rows[name]["rank"] for name in "acbd"] == [1, 2, 3, 4]
    assert rows["a"]["least given"] is None
    assert rows["c"]["least given"] == "a"
    given = {
        g: twins.conditional(X[:, 1].tolist(), Y.tolist(), X[:, j].tolist())
        for g, j in (("a", 0), ("c", 2))
    }
    assert rows["b"]["least given"] == min(given, key=given.get)
    assert rows["f"]["least given"] == "a"  # a copy: nothing is left
    assert math.isnan(rows["f"]["score"])
    assert rows["b"]["score"] == pytest.approx(0.0484156759, abs=1e-9)
    assert "most with" in JMI(2).fit(X, Y).explain().columns
    assert "least with" in JMIM(2).fit(X, Y).explain().columns
    assert "most with" not in MIM(2).fit(X, Y).explain().columns


@settings(max_examples=30)
@given(shape=tables)
@pytest.mark.parametrize("name", sorted(set(CRITERIA) - {"MIM"}))
def test_explained_columns_are_those_of_the_definition(name, shape):
    """Of a selected column every term was looked at."""
    Z, y, _ = table("planes", *shape)
    selector = EVERY[name](Z.shape[1]).fit(Z, y)
    columns, labels, order = Z.T.tolist(), y.tolist(), selector.indices_.tolist()
    heading, term = selector._nearest_heading, DEFINITIONS[name][0]
    for place, f in enumerate(order):
        terms = {g: term(columns[f], columns[g], labels) for g in order[:place]}
        explained = selector.explain(f)[0][heading]
        if not terms or (name == "CMIM" and selector.scores_[f] >= selector.relevance_[f] - 1e-12):
            continue  # nothing decides but the relevance
        if explained is None:
            assert not heading.startswith("least")
            assert max(terms.values()) < 1e-12
            continue
        best = min(terms.values()) if heading.startswith("least") else max(terms.values())
        assert terms[int(explained[1:])] == pytest.approx(best, abs=1e-12)


# ---------------------------------------- any table


@settings(max_examples=30)
@given(shape=tables)
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("kind", KINDS)
def test_full_evaluation(kind, name, shape):
    Z, y, k = table(kind, *shape)
    p = Z.shape[1]
    selector = EVERY[name](k).fit(Z, y)
    chosen, scores, relevance = search_slow(name, Z, y, k)
    assert selector.indices_.tolist() == chosen
    real = [f for f in chosen if len(set(Z[:, f])) > 1]
    expected = [s for s, f in zip(scores, chosen, strict=True) if f in real]
    np.testing.assert_allclose(selector.scores_[real], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(selector.relevance_, relevance, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(selector.informative_, np.array(scores) > 1e-12)
    k = len(chosen)
    assert selector.n_pairs_needed_ == p * max(k, 1) - k * (k - 1) // 2
    assert p <= selector.n_pairs_read_ <= selector.n_pairs_needed_


@settings(max_examples=40)
@given(shape=tables)
@pytest.mark.parametrize("name", LAZY)
@pytest.mark.parametrize("kind", KINDS)
def test_lazy_is_full(kind, name, shape):
    Z, y, k = table(kind, *shape)
    selector = EVERY[name](k)
    lazy, full = source_of(selector, Z, y), source_of(selector, Z, y)
    full.supports_lazy = False
    one = greedy.greedy_search(lazy, k, selector._scoring)
    other = greedy.greedy_search(full, k, selector._scoring)
    np.testing.assert_array_equal(one.columns, other.columns)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.n_pairs_read <= other.n_pairs_read


def test_lazy_reads_less():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    Z = np.where(rng.random((150, 80)) < rng.random(80), rng.integers(0, 4, (150, 80)), 1)
    Z = np.where(rng.random((150, 80)) < rng.uniform(0.5, 1, 80), Z, y[:, None])
    for name in ("CMIM", "JMIM"):
        selector = EVERY[name](6).fit(Z, y)
        assert selector.n_pairs_read_ < 0.7 * selector.n_pairs_needed_
        assert selector.indices_.tolist() == search_slow(name, Z, y, 6)[0]


@settings(max_examples=15)
@given(shape=tables, other=st.integers(0, 999))
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_labels_do_not_matter(kind, name, shape, other):
    Z, y, k = table(kind, *shape)
    rng = np.random.default_rng(other)
    rows, label = rng.permutation(len(y)), rng.permutation(41)
    one = EVERY[name](k).fit(Z, y)
    words = np.array([f"w{i:02d}" for i in label])
    for same in (
        EVERY[name](k).fit(Z[rows], y[rows]),
        EVERY[name](k).fit(label[20 + Z], label[y]),
        EVERY[name](k).fit(words[20 + Z], words[y]),
    ):
        np.testing.assert_array_equal(one.indices_, same.indices_)
        np.testing.assert_array_equal(one.scores_, same.scores_)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("levels", [5, 12])
def test_the_order_of_columns_does_not_matter_without_ties(name, levels):
    rng = np.random.default_rng(levels)
    Z, y = rng.integers(0, levels, (101, 12)), rng.integers(0, 3, 101)
    one = EVERY[name](5).fit(Z, y)
    order = rng.permutation(12)
    other = EVERY[name](5).fit(Z[:, order], y)
    assert order[other.indices_].tolist() == one.indices_.tolist()
    np.testing.assert_array_equal(one.scores_[order], other.scores_)


@pytest.mark.parametrize("name", EVERY)
def test_threads_do_not_matter(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    for levels in (4, 20):
        Z = rng.integers(0, levels, (90, 150))
        one = EVERY[name](9).fit(Z, y)
        for n_jobs in (2, 4):
            other = EVERY[name](9, n_jobs=n_jobs).fit(Z, y)
            np.testing.assert_array_equal(one.indices_, other.indices_)
            np.testing.assert_array_equal(one.scores_, other.scores_)
            assert one.n_pairs_read_ == other.n_pairs_read_


@pytest.mark.parametrize("name", EVERY)
def test_shares_and_too_many(name):
    assert EVERY[name](0.5).fit(X, Y).indices_.size == 3
    with pytest.warns(UserWarning, match="Only 5 of 6 columns were selected"):
        selector = EVERY[name](6).fit(X, Y)
    assert sorted(selector.indices_) == [0, 1, 2, 3, 5]  # the other is constant


@pytest.mark.parametrize("name", CRITERIA)
def test_columns_without_cuts_get_no_votes(name):
    """MDL cuts few of the columns of noise; the others say nothing, and are not there to fill."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(100, 300))
    cause = (noise[:, 200] + 0.3 * rng.normal(size=100) > 0).astype(int)
    with pytest.warns(UserWarning, match="Only 2 of 10 columns were selected"):
        alone = CRITERIA[name](10).fit(noise, cause)
    assert alone.indices_.tolist() == [200, 254]
    with pytest.warns(UserWarning, match="columns were selected"):
        ensemble = FastEnsemble(CRITERIA[name](10)).fit(noise, cause)
    assert set(np.nonzero(ensemble.selection_frequency_)[0]) == set(ensemble.indices_)
    assert ensemble.indices_[0] == 200


@pytest.mark.parametrize("name", CRITERIA)
def test_one_class(name):
    with pytest.warns(UserWarning, match="y is constant"):
        selector = CRITERIA[name](3).fit(X, np.zeros(12))
    chosen, scores, _ = search_slow(name, X, np.zeros(12), 3)
    assert selector.indices_.tolist() == chosen
    np.testing.assert_array_equal(selector.informative_, np.array(scores) > 1e-12)
    assert not selector.relevance_.any()


# ---------------------------------------- continuous columns

ALL = [FCBF(), CFS(), *(c(4) for c in GREEDY)]
all_selectors = pytest.mark.parametrize("selector", ALL, ids=lambda s: type(s).__name__)


def fresh(selector, **options):
    return type(selector)(**selector.get_params() | options)


def assert_same(one, other):
    np.testing.assert_array_equal(one.indices_, other.indices_)
    np.testing.assert_array_equal(one.scores_, other.scores_)
    np.testing.assert_array_equal(one.relevance_, other.relevance_)


@all_selectors
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_mdl_is_the_default(selector, load):
    Z, y = load(return_X_y=True)
    mdl = MDLDiscretizer(better_encoding=True).fit(Z, y)
    # a whole number is discrete unless said otherwise
    selector = fresh(selector, discrete_features=np.zeros(Z.shape[1], dtype=bool)).fit(Z, y)
    assert sorted(selector.cut_points_) == list(range(Z.shape[1]))
    for j, cuts in selector.cut_points_.items():
        np.testing.assert_array_equal(cuts, mdl.cut_points_[j])
    coded = mdl.transform(Z)
    everything = np.ones(Z.shape[1], dtype=bool)
    assert_same(selector, fresh(selector, discrete_features=everything).fit(coded, y))


@all_selectors
@pytest.mark.parametrize(
    ("name", "discretizer"),
    [
        ("mdl", MDLDiscretizer(better_encoding=True)),
        ("equal_frequency", EqualFrequencyDiscretizer()),
        ("sigma", SigmaDiscretizer()),
    ],
)
def test_ways_to_give_a_discretizer(selector, name, discretizer):
    Z, y = load_wine(return_X_y=True)
    Z = Z + 0.001 * np.arange(13) + 0.0001
    by_name = fresh(selector, discretizer=name).fit(Z, y)
    unfitted = fresh(selector, discretizer=discretizer).fit(Z, y)
    assert not hasattr(discretizer, "cut_points_")  # it was cloned
    fitted = type(discretizer)(**discretizer.get_params()).fit(Z, y)
    given = fresh(selector, discretizer=fitted).fit(Z, y)
    coded = fresh(selector, discrete_features=np.ones(13, dtype=bool)).fit(fitted.transform(Z), y)
    assert coded.cut_points_ == {}
    for other in (unfitted, given, coded):
        assert_same(by_name, other)
    for j, cuts in given.cut_points_.items():
        np.testing.assert_array_equal(cuts, fitted.cut_points_[j])
        np.testing.assert_array_equal(cuts, by_name.cut_points_[j])


def test_a_fitted_discretizer_keeps_its_cuts():
    """Cuts learned elsewhere are used as they are."""
    Z, y = load_iris(return_X_y=True)
    Z = Z + 0.00001
    half = np.arange(150) % 2 == 0
    fitted = MDLDiscretizer(better_encoding=True).fit(Z[half], y[half])
    other = MDLDiscretizer(better_encoding=True).fit(Z, y)
    assert any(
        not np.array_equal(a, b)
        for a, b in zip(fitted.cut_points_, other.cut_points_, strict=True)
    )  # fmt: skip
    selector = MIM(4, discretizer=fitted, correction=None).fit(Z, y)
    for j in range(4):
        np.testing.assert_array_equal(selector.cut_points_[j], fitted.cut_points_[j])
    coded = fitted.transform(Z)
    expected = [twins.information(x, y.tolist()) for x in coded.T.tolist()]
    np.testing.assert_allclose(selector.relevance_, expected, rtol=1e-9, atol=1e-12)


def test_discrete_columns_are_not_cut():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    frame = pd.DataFrame(
        {"size": y + 0.4 * rng.normal(size=80), "word": np.array(["no", "yes"])[y]}
    )
    selector = MIM(2).fit(frame, y)
    assert list(selector.cut_points_) == [0]
    assert selector.indices_.tolist() == [1, 0]


@all_selectors
@pytest.mark.parametrize("discretizer", ["fayyad", object(), None, 3])
def test_what_is_no_discretizer(selector, discretizer):
    with pytest.raises(ValueError, match="'discretizer' parameter"):
        fresh(selector, discretizer=discretizer).fit(X, Y)


@pytest.mark.parametrize(
    "transformer",
    [StandardScaler(), KBinsDiscretizer(3, encode="onehot"), PCA(2), OneHotEncoder()],
    ids=lambda t: type(t).__name__,
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_transformers_that_give_no_codes(transformer):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"does not give one whole number .* cannot be used"):
        MIM(2, discretizer=transformer).fit(rng.normal(size=(40, 4)), np.arange(40) % 2)
