"""CFS against a literal transcription of its searches on a full matrix."""

import math
from functools import partial

import numpy as np
import pytest
from exact_twins import CountsPart
from hypothesis import given, settings
from hypothesis import strategies as st
from uncertainty_twins import SlowCFS

from ensfs import CFS
from ensfs.measures import pairwise

SEARCHES = ["forward", "best_first", "floating"]

# ---------------------------------------- the definitions, slowly


def slow_cfs(X, y, measure="uncertainty"):
    return SlowCFS(CountsPart(X, y), measure)


# ---------------------------------------- tables to try


def table(kind, seed, n, p):
    """Codes, some of them related to the classes; copies and constants."""
    rng = np.random.default_rng(seed)
    top, n_classes = {"planes": (9, 4), "codes": (15, 12), "ties": (3, 2)}[kind]
    X = rng.integers(0, rng.integers(1, top, p), (n, p))
    y = rng.integers(0, n_classes, n)
    y[0] = (y[1] + 1) % n_classes  # two classes at least
    noise = rng.random((n, p)) < rng.uniform(0.2, 1.0, p)
    X = np.where(noise, X, y[:, None])
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    X[:, rng.integers(p)] = 20 - X[:, rng.integers(p)]
    return X, y


tables = st.tuples(st.integers(0, 2**32 - 1), st.integers(4, 60), st.integers(1, 9))
KINDS = ["planes", "codes", "ties"]

#: Every value is a level, and information is as counted.
published = partial(CFS, discrete_features=True, correction=None)

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


@pytest.mark.parametrize("search", SEARCHES)
def test_worked_example(search):
    """Check 11 of the specification."""
    selector = published(search).fit(X, Y)
    assert selector.indices_.tolist() == [0, 2]
    assert selector.merit_ == pytest.approx(0.4259826804, abs=1e-9)
    np.testing.assert_allclose(selector.merits_, [0.3499775784, 0.4259826804], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(selector.scores_[[0, 2]], selector.merits_)
    assert np.isnan(selector.scores_[[1, 3, 4, 5]]).all()
    assert selector.n_expanded_ >= 2


@pytest.mark.parametrize(
    ("columns", "merit"),
    [
        ([0], 0.349978),
        ([1], 0.081704),
        ([0, 1], 0.262715),
        ([0, 2], 0.425983),
        ([0, 5], 0.349978),
        ([0, 1, 2], 0.346129),
    ],
)
def test_merits_of_the_worked_example(columns, merit):
    assert slow_cfs(X, Y).merit(columns) == pytest.approx(merit, abs=1e-6)
    from ensfs.data.table import make_table
    from ensfs.selection.cfs import Merits
    from ensfs.statistics import Resampling
    from ensfs.training.memory import MemoryTrainingData

    data = MemoryTrainingData(make_table(X), Y)
    source = published().sources(data, Resampling.all_rows(12), 1).columns
    merits = Merits(source, 0, 6)
    assert merits.merit(columns) == pytest.approx(slow_cfs(X, Y).merit(columns), abs=1e-12)
    assert merits.merit([]) == 0
    assert merits.extensions(tuple(columns[:-1]))[columns[-1]] == pytest.approx(
        slow_cfs(X, Y).merit(columns), abs=1e-12
    )


def test_explanation():
    rows = published().fit(X, Y).explain()
    assert rows["feature"] == ["x0", "x2", "x5", "x1", "x3", "x4"]
    assert rows["rank"][:3] == [1, 2, None]
    np.testing.assert_allclose(rows["merit with it"][:2], [0.3499775784, 0.4259826804], atol=1e-9)
    assert math.isnan(rows["merit with it"][2])
    assert rows[1]["relevance"] == pytest.approx(0.3499775784, abs=1e-9)


def test_locally_predictive():
    """f1 and f5 have a larger uncertainty with f0 than with the target; nothing else is left."""
    assert published(locally_predictive=True).fit(X, Y).indices_.tolist() == [0, 2]
    # with nothing but a weak column beside a strong one: not in the best set, but added
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    weak = np.where(rng.random(200) < 0.8, rng.integers(0, 2, 200), y)
    Z = np.stack([y, weak], axis=1)
    assert published().fit(Z, y).indices_.tolist() == [0]
    slow = slow_cfs(Z, y)
    assert slow.r[1] > 0
    expected = slow.locally_predictive([0])
    assert published(locally_predictive=True).fit(Z, y).indices_.tolist() == expected


# ---------------------------------------- any table


def assert_finds(selector, slow, most):
    expected = getattr(slow, selector.search)(most)
    found = selector.indices_.tolist()
    assert found == expected
    assert selector.merit_ == pytest.approx(slow.merit(expected), abs=1e-12)
    path = [slow.merit(expected[: i + 1]) for i in range(len(expected))]
    np.testing.assert_allclose(selector.merits_, path, rtol=0, atol=1e-12)
    np.testing.assert_allclose(selector.relevance_, slow.r, rtol=1e-9, atol=1e-12)


@settings(max_examples=50)
@given(shape=tables)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("kind", KINDS)
def test_searches(kind, search, shape):
    Z, y = table(kind, *shape)
    selector = published(search).fit(Z, y)
    assert_finds(selector, slow_cfs(Z, y), Z.shape[1])
    assert Z.shape[1] <= selector.n_pairs_read_ <= selector.n_pairs_needed_


@settings(max_examples=50)
@given(shape=tables)
@pytest.mark.parametrize("search", SEARCHES)
def test_searches_without_what_chance_gives(search, shape):
    Z, y = table("planes", *shape)
    selector = published(search, correction="miller_madow").fit(Z, y)
    assert_finds(selector, slow_cfs(Z, y, "corrected uncertainty"), Z.shape[1])


@pytest.mark.parametrize(
    ("seed", "n", "p", "columns"),
    [
        (1261, 33, 6, [5, 1, 5, 4, 4, 1, 0, 0, 0]),
        (4717, 11, 4, [2, 1, 1, 1, 0, 0, 1]),
    ],
)
def test_equal_sets_are_expanded_in_the_order_of_their_discovery(seed, n, p, columns):
    """Copies make sets of equal merit, which rounding must not put in another order."""
    Z, y = table("codes", seed, n, p)
    Z = Z[:, columns]
    assert_finds(published().fit(Z, y), slow_cfs(Z, y), Z.shape[1])


@settings(max_examples=20)
@given(shape=tables, most=st.integers(1, 3))
@pytest.mark.parametrize("search", SEARCHES)
def test_the_number_is_capped(search, shape, most):
    Z, y = table("planes", *shape)
    most = min(most, Z.shape[1])
    selector = published(search, n_features_to_select=most).fit(Z, y)
    assert selector.indices_.size <= most
    assert_finds(selector, slow_cfs(Z, y), most)


@settings(max_examples=30)
@given(shape=tables)
@pytest.mark.parametrize("kind", KINDS)
def test_locally_predictive_columns(kind, shape):
    Z, y = table(kind, *shape)
    slow = slow_cfs(Z, y)
    found = published(locally_predictive=True).fit(Z, y).indices_.tolist()
    assert found == slow.locally_predictive(published().fit(Z, y).indices_.tolist())


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("seed", range(4))
def test_a_wider_table(search, seed):
    """More columns than the patience of the floating search."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 120)
    noise = rng.random((120, 40)) < rng.uniform(0.6, 1.0, 40)
    Z = np.where(noise, rng.integers(0, 4, (120, 40)), y[:, None])
    one = published(search).fit(Z, y)
    assert_finds(one, slow_cfs(Z, y), 40)
    for n_jobs in (2, 4):
        other = published(search, n_jobs=n_jobs).fit(Z, y)
        np.testing.assert_array_equal(one.indices_, other.indices_)
        np.testing.assert_array_equal(one.scores_, other.scores_)
    order = rng.permutation(40)
    other = published(search).fit(Z[:, order], y)
    assert set(order[other.indices_]) == set(one.indices_)


@settings(max_examples=20)
@given(shape=tables, other=st.integers(0, 999))
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_labels_do_not_matter(kind, search, shape, other):
    Z, y = table(kind, *shape)
    rng = np.random.default_rng(other)
    rows, label = rng.permutation(len(y)), rng.permutation(41)
    one = published(search).fit(Z, y)
    for same in (
        published(search).fit(Z[rows], y[rows]),
        published(search).fit(label[20 + Z], label[y]),
    ):
        np.testing.assert_array_equal(one.indices_, same.indices_)
        np.testing.assert_array_equal(one.scores_, same.scores_)


@pytest.mark.parametrize("search", SEARCHES)
def test_nothing_to_find(search):
    cells = np.repeat(np.arange(6), 3)
    Z, y = np.stack([cells // 2, cells // 2], axis=1), cells % 2
    selector = published(search).fit(Z, y)
    assert selector.indices_.tolist() == []
    assert selector.merit_ == 0
    assert selector.merits_.shape == (0,)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(Z).shape == (18, 0)
    with pytest.warns(UserWarning, match="y is constant"):
        selector = published(search, locally_predictive=True).fit(X, np.zeros(12))
    assert selector.indices_.tolist() == []


def test_no_matrix_unless_needed():
    """The pairs that a forward search reads are those with its own columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    Z = np.where(rng.random((100, 60)) < 0.8, rng.integers(0, 2, (100, 60)), y[:, None])
    selector = published("forward").fit(Z, y)
    k = selector.indices_.size
    assert 0 < k < 60
    assert selector.n_pairs_read_ <= 60 + k * 60
    among = pairwise(Z, "symmetrical_uncertainty")[np.ix_(selector.indices_, selector.indices_)]
    merit = selector.relevance_[selector.indices_].sum() / math.sqrt(among.sum())
    assert selector.merit_ == pytest.approx(merit, abs=1e-12)
