import tracemalloc
from itertools import product

import numpy as np
import pandas as pd
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from ensfs import MRMR, ITDecomposition, RowBlocks
from ensfs._utils import threads
from ensfs.search import allocation
from ensfs.search.allocation import chunk_tables, saturating_counts, short_ranges

TOLERANCE = 1e-12


def first_best(candidates, key):
    """The first candidate whose key is not exceeded by more than the tolerance."""
    best = max(key(f) for f in candidates)
    return next(f for f in candidates if key(f) >= best - TOLERANCE)


def itd_slow(X, y, n_subsets, threshold, order="relevance", overlap=1):
    """The three phases as they are written down."""
    columns = [list(column) for column in X.T]
    r = [twins.uncertainty(column, y) if len(set(column)) > 1 else 0.0 for column in columns]
    left = sorted((f for f in range(len(r)) if r[f] > 1e-10), key=lambda f: (-round(r[f], 12), f))
    relevant = list(left)
    seeds = []
    while left and len(seeds) < n_subsets:
        x = left[0]
        if seeds:
            x = first_best(
                left, lambda f: min(twins.conditional(columns[f], y, columns[s]) for s in seeds)
            )
        seeds.append(x)
        left.remove(x)
    subsets = [[s] for s in seeds]
    redundancy = {}
    for f in sorted(left) if order == "index" else left:
        worst = [max(twins.uncertainty(columns[f], columns[z]) for z in D) - r[f] for D in subsets]
        ranked = []
        while len(ranked) < min(overlap, len(worst)):
            free = [i for i in range(len(worst)) if i not in ranked]
            ranked.append(first_best(free, lambda i, worst=worst: -worst[i]))
        redundancy[f] = worst[ranked[0]]
        for mu in ranked:
            if worst[mu] < threshold - TOLERANCE:
                subsets[mu].append(f)
    return relevant, seeds, subsets, redundancy


# the data of the worked example
Y = "000000111111"
COLUMNS = [
    "000001111110", "000011111100", "000001111101", "010101010101", "000000000000", "000001111110",
]  # fmt: skip


@pytest.fixture
def worked():
    return np.array([list(column) for column in COLUMNS]).T, np.array(list(Y))


def as_lists(arrays):
    return [array.tolist() for array in arrays]


@pytest.mark.parametrize(
    ("n_subsets", "threshold", "subsets"),
    [
        (2, 0.1, [[0], [2, 5]]),
        (2, 0.3, [[0, 1], [2, 5]]),
        (2, -0.1, [[0], [2]]),
        (3, 0.5, [[0], [2, 5], [1]]),
        (1, 1, [[0, 2, 5, 1]]),
        (2, -1, [[0], [2]]),
    ],
)
def test_worked_example(worked, n_subsets, threshold, subsets):
    fitted = ITDecomposition(n_subsets, threshold).fit(*worked)
    assert as_lists(fitted.subsets_) == subsets
    assert fitted.seeds_.tolist() == [0, 2, 1][:n_subsets]
    assert fitted.n_subsets_ == n_subsets
    inside = {j for columns in subsets for j in columns}
    assert set(fitted.discarded_) == set(range(6)) - inside
    assert fitted.discarded_[3] == fitted.discarded_[4] == "not relevant"
    assert {fitted.discarded_[j] for j in {1, 2, 5} - inside} <= {"redundant to every subset"}


def test_worked_example_in_numbers(worked):
    fitted = ITDecomposition(2, 0.3).fit(*worked)
    r = [0.3499775784, 0.0817041659, 0.3499775784, 0, 0, 0.3499775784]
    np.testing.assert_allclose(fitted.relevance_, r, atol=1e-10)
    np.testing.assert_allclose(fitted.seed_scores_, [np.nan, 0.349219], atol=1e-6)
    np.testing.assert_allclose(fitted.redundancy_[[1, 5]], [0.2682734, 0.0], atol=1e-7)
    assert np.isnan(fitted.redundancy_[[0, 2, 3, 4]]).all()
    three = ITDecomposition(3, 0.5).fit(*worked)
    np.testing.assert_allclose(three.seed_scores_[2], 0.048416, atol=1e-6)


def test_fewer_relevant_columns_than_subsets(worked):
    with pytest.warns(UserWarning, match="Only 4 of 5 subsets could be made: 4 column"):
        fitted = ITDecomposition(5).fit(*worked)
    assert as_lists(fitted.subsets_) == [[0], [2], [1], [5]]


def test_stop_at_zero(worked):
    """Given the first seed its copy adds nothing; without the option it becomes a seed."""
    with pytest.warns(UserWarning, match="Only 3 of 4 subsets could be made: no further column"):
        fitted = ITDecomposition(4, stop_at_zero=True).fit(*worked)
    assert fitted.seeds_.tolist() == [0, 2, 1]
    assert ITDecomposition(4).fit(*worked).seeds_.tolist() == [0, 2, 1, 5]


def test_nothing_relevant():
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    with pytest.warns(UserWarning, match="Only 0 of 10"):
        fitted = ITDecomposition().fit(X, [0, 1, 1, 0])
    assert fitted.subsets_ == []
    assert fitted.discarded_ == {0: "not relevant", 1: "not relevant"}
    assert fitted.explain()["reason"] == ["not relevant"] * 2


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 140)), draw(st.integers(1, 20))
    y = rng.integers(draw(st.integers(2, 10)), size=n)
    levels = rng.integers(1, draw(st.sampled_from([2, 3, 4, 8, 12])) + 1, size=p)
    X = rng.integers(levels, size=(n, p))
    for j in range(1, p):  # some are near copies of others, or of the target
        other = X[:, rng.integers(j)] if rng.random() < 0.5 else y
        X[:, j] = np.where(rng.random(n) < rng.choice([0, 0.3, 0.9]), other, X[:, j])
    return X, y


@settings(max_examples=40)
@given(
    tables(),
    st.integers(1, 6),
    st.sampled_from([-1, -0.2, 0.0, 0.1, 0.3, 1]),
    st.sampled_from(["relevance", "index"]),
)
@pytest.mark.filterwarnings("ignore:Only:UserWarning")
@pytest.mark.filterwarnings("ignore:y is constant:UserWarning")
def test_against_the_definition(table, n_subsets, threshold, order):
    X, y = table
    relevant, seeds, subsets, redundancy = itd_slow(X, list(y), n_subsets, threshold, order)
    every = np.ones(X.shape[1], dtype=bool)
    fitted = ITDecomposition(n_subsets, threshold, order=order, discrete_features=every).fit(X, y)
    assert fitted.seeds_.tolist() == seeds
    assert as_lists(fitted.subsets_) == subsets
    placed = [f for columns in subsets for f in columns]
    assert set(fitted.discarded_) == set(range(X.shape[1])) - set(placed)
    for f, reason in fitted.discarded_.items():
        assert (reason == "not relevant") == (f not in relevant)
    for f, value in redundancy.items():
        if f in placed:
            assert fitted.redundancy_[f] == pytest.approx(value, abs=1e-9)
        else:  # the search ends as soon as no subset is left
            assert threshold - 1e-9 <= fitted.redundancy_[f] <= value + 1e-9


@settings(max_examples=40)
@given(
    tables(),
    st.integers(1, 6),
    st.integers(2, 7),
    st.sampled_from([-0.2, 0.1, 0.3, 1]),
    st.sampled_from(["relevance", "index"]),
)
@pytest.mark.filterwarnings("ignore:Only:UserWarning")
@pytest.mark.filterwarnings("ignore:y is constant:UserWarning")
def test_overlap_against_the_definition(table, n_subsets, overlap, threshold, order):
    X, y = table
    _, seeds, subsets, redundancy = itd_slow(X, list(y), n_subsets, threshold, order, overlap)
    every = np.ones(X.shape[1], dtype=bool)
    options = {"overlap": overlap, "order": order, "discrete_features": every}
    fitted = ITDecomposition(n_subsets, threshold, **options).fit(X, y)
    assert fitted.seeds_.tolist() == seeds
    assert as_lists(fitted.subsets_) == subsets
    for f, value in redundancy.items():
        assert fitted.redundancy_[f] == pytest.approx(value, abs=1e-9)
        if any(f in columns for columns in subsets):
            first = next(D for D in subsets if fitted.nearest_[f] in D and f in D)
            assert fitted.nearest_[f] in first[: first.index(f)]


def test_overlap(worked):
    """With the whole range allowed every column joins as many subsets as it may."""
    X, y = worked
    fitted = ITDecomposition(2, 1, overlap=2).fit(X, y)
    assert as_lists(fitted.subsets_) == [[0, 5, 1], [2, 5, 1]]
    assert fitted.explain()["subsets"] == ["0", "0, 1", "0, 1", "1", None, None]
    assert fitted.explain(5)["reason"] == ["least redundant"]
    # the threshold keeps column 5, a copy of column 0, away from it
    fitted = ITDecomposition(2, 0.3, overlap=2).fit(X, y)
    assert as_lists(fitted.subsets_) == [[0, 1], [2, 5, 1]]
    assert as_lists(ITDecomposition(2, 0.1, overlap=2).fit(X, y).subsets_) == [[0], [2, 5]]


def test_overlap_of_any_table():
    """Threads, sparse tables and tables with gaps."""
    X, y = wide(300)
    X[X == 2] = 0
    X[:, 7] = y
    options = {"overlap": 3, "discrete_features": np.arange(300)}
    one = ITDecomposition(5, 0.1, **options).fit(X, y)
    assert max(np.bincount(np.concatenate(one.subsets_))) == 3
    gaps = X.astype(float)
    gaps[0, 299] = np.nan
    for other in (
        ITDecomposition(5, 0.1, n_jobs=3, **options).fit(X, y),
        ITDecomposition(5, 0.1, **options).fit(sparse.csc_array(X), y),
    ):
        assert as_lists(other.subsets_) == as_lists(one.subsets_)
        np.testing.assert_allclose(other.redundancy_, one.redundancy_, atol=1e-12)
        assert other.n_pairs_read_ == one.n_pairs_read_
    several = ITDecomposition(5, 0.1, missing="available", **options).fit(gaps, y)
    assert max(np.bincount(np.concatenate(several.subsets_))) == 3


@pytest.mark.parametrize(("n", "levels"), [(64, 2), (60, 3), (100, 3), (150, 3), (100, 4)])
def test_many_columns_against_the_definition(n, levels):
    """Several blocks of members for each subset, and columns with fewer levels among them."""
    rng = np.random.default_rng(n)
    y = rng.integers(2, size=n)
    X = rng.integers(rng.integers(2, levels + 1, size=50), size=(n, 50))
    fitted = ITDecomposition(2, 0.2).fit(X, y)
    _, seeds, subsets, _ = itd_slow(X, list(y), 2, 0.2)
    assert fitted.seeds_.tolist() == seeds
    assert as_lists(fitted.subsets_) == subsets


def su_of_all(X):
    """Symmetrical uncertainty of all pairs of columns, by counting every cell of every table."""
    n, p = X.shape
    levels = int(X.max()) + 1
    shown = (X[:, :, None] == np.arange(levels)).reshape(n, p * levels).astype(np.float32)
    share = (shown.T @ shown).astype(float) / n
    part = np.where(share > 0, -share * np.log2(np.where(share > 0, share, 1)), 0)
    joint = part.reshape(p, levels, p, levels).sum(axis=(1, 3))
    h = np.diag(joint)
    return 2 * (h[:, None] + h - joint) / (h[:, None] + h)


def allocate_slow(su, relevance, seeds, order, threshold):
    subsets = [[int(s)] for s in seeds]
    for f in order:
        worst = np.array([su[f, D].max() - relevance[f] for D in subsets])
        mu = int(np.argmax(worst <= worst.min() + TOLERANCE))
        if worst[mu] < threshold - TOLERANCE:
            subsets[mu].append(int(f))
    return subsets


@pytest.mark.parametrize(
    ("n", "levels", "n_subsets", "common", "threshold"),
    [
        (100, 3, 3, 0.0, 0.1),  # noise: all columns are placed, in several chunks
        (100, 3, 8, 0.5, 0.1),
        (100, 3, 1, 0.2, 0.4),
        (90, 2, 4, 0.3, 0.2),
        (60, 4, 4, 0.2, 0.2),
        (40, 3, 3, 0.2, 1),
        (200, 3, 3, 0.2, 0.1),
        (128, 2, 3, 0.4, 0.1),
        (255, 3, 3, 0.2, 0.1),
        (256, 3, 3, 0.2, 0.1),
    ],
)
@pytest.mark.parametrize(
    ("kind", "order"), [("even", "relevance"), ("skewed", "index"), ("near copies", "index")]
)
def test_crowds_against_the_definition(n, levels, n_subsets, common, threshold, kind, order):
    """So many columns for each subset that they are compared side by side."""
    rng = np.random.default_rng(n + levels)
    p = 560
    y = rng.integers(2, size=n)
    X = rng.integers(levels, size=(n, p))
    X = np.where(rng.random((n, p)) < common, rng.integers(levels, size=(n, 1)), X)
    if kind == "skewed":  # rare levels, columns with fewer levels, copies
        X[rng.random((n, p)) < 0.4] = 0
        X[:, ::5] = np.minimum(X[:, ::5], 1)
        X[:, -60:] = X[:, :60]
    elif kind == "near copies":  # cells with more rows than a table has entries
        kept = rng.random((n, 200)) < 0.93
        X[:, -200:] = np.where(kept, np.tile(X[:, :50], 4), X[:, -200:])
    X[0], X[1] = 0, 1  # no constants
    fitted = ITDecomposition(n_subsets, threshold, order=order).fit(X, y)
    r = fitted.relevance_
    ranked = np.nonzero(r > 1e-12)[0]
    if order == "relevance":
        ranked = ranked[np.argsort(-r[ranked].round(12), kind="stable")]
    ranked = [f for f in ranked if f not in fitted.seeds_]
    su = su_of_all(X)
    subsets = allocate_slow(su, r, fitted.seeds_, ranked, threshold)
    assert as_lists(fitted.subsets_) == subsets
    for columns in subsets:
        for place, f in enumerate(columns[1:], 1):
            before = columns[:place]
            if order == "index":
                before = [z for z in before if z < f or z == columns[0]]
            assert fitted.redundancy_[f] == pytest.approx(su[f, before].max() - r[f], abs=1e-9)
            assert su[f, fitted.nearest_[f]] == pytest.approx(su[f, before].max(), abs=1e-9)
    out = [f for f, why in fitted.discarded_.items() if why.startswith("redundant")]
    assert (fitted.redundancy_[out] >= threshold - 1e-9).all()


@pytest.mark.parametrize("most_levels", [5, 6, 8])
@pytest.mark.parametrize("n", [40, 300, 2100])
def test_members_side_by_side_as_one_by_one(n, most_levels, monkeypatch):
    """Five to eight levels, also mixed with fewer, and copies with other labels, which are tied."""
    rng = np.random.default_rng(n + most_levels)
    y = rng.integers(2, size=n)
    levels = rng.integers(2, most_levels + 1, size=120)
    levels[::3] = most_levels
    X = rng.integers(levels, size=(n, 120))
    X = np.where(rng.random((n, 120)) < rng.random(120) * 0.7, (y[:, None] + X[:, :1]) % levels, X)
    for f in range(0, 120, 4):
        X[:, f] = rng.permutation(most_levels)[X[:, rng.integers(120)]]

    def found():
        made = ITDecomposition(4, threshold=1.0, discrete_features=True).fit(X, y)
        return [*made.subsets_, made.redundancy_, made.nearest_, made.n_pairs_read_]

    side_by_side = found()
    monkeypatch.setattr(allocation.kernels, "max_block_planes", 0)
    for one, other in zip(side_by_side, found(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("n", "n_levels", "units"), [(100, 3, 12.1), (60, 2, 9), (45, 4, 4)])
def test_saturating_counts_against_all_tables(n, n_levels, units):
    """Every way to share the rows of a level when a cell has more than a table has entries."""
    tables = chunk_tables(n, n_levels, 2, units)
    saturates = saturating_counts(tables, n_levels)
    assert 0 < saturates.sum() <= n
    assert not saturates[64:].any()
    for count in range(min(n + 1, 64)):
        entries = tables[count].astype(int)
        sums = [
            entries[list(others)].sum() + entries[count - sum(others) - 32]
            for others in product(range(max(count - 31, 0)), repeat=n_levels - 1)
            if sum(others) <= count - 32
        ]
        assert saturates[count] == all(total >= 255 for total in sums)


def test_random_order_has_a_seed():
    X, y = wide(400)
    fits = [ITDecomposition(4, order="random", random_state=s).fit(X, y) for s in (0, 0, 1)]
    assert as_lists(fits[0].subsets_) == as_lists(fits[1].subsets_)
    assert as_lists(fits[0].subsets_) != as_lists(fits[2].subsets_)


def wide(p, n=100):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    X = rng.integers(3, size=(n, p), dtype=np.int8)
    factor = rng.integers(3, size=n)
    shown = rng.random((n, p)) < 0.5
    X[shown] = np.broadcast_to(factor[:, None], (n, p))[shown]
    return np.asfortranarray(X), y


def test_any_number_of_threads_and_any_layout():
    X, y = wide(1000)
    one = ITDecomposition(5, 0.3).fit(X, y)
    for other in (
        ITDecomposition(5, 0.3, n_jobs=3).fit(X, y),
        ITDecomposition(5, 0.3).fit(np.ascontiguousarray(X), y),
        ITDecomposition(5, 0.3).fit(pd.DataFrame(X.astype(str)), y.astype(str)),
    ):
        assert as_lists(other.subsets_) == as_lists(one.subsets_)
        np.testing.assert_array_equal(other.redundancy_, one.redundancy_)
        np.testing.assert_array_equal(other.nearest_, one.nearest_)
        assert other.n_pairs_read_ == one.n_pairs_read_
    members = np.concatenate(one.subsets_)
    assert np.unique(members).size == members.size
    assert sorted([*members, *one.discarded_]) == list(range(1000))


@pytest.mark.parametrize("cells", [1, 2000, 100_000])
@pytest.mark.parametrize("levels", [3, 5, 20])
def test_any_number_of_calls(cells, levels, monkeypatch):
    """No call of the kernel is long, so that Ctrl-C takes effect: the result is the same."""
    rng = np.random.default_rng(levels)
    y = rng.integers(3, size=300)
    X = np.where(rng.random((300, 150)) < 0.3, y[:, None], rng.integers(levels, size=(300, 150)))
    options = {"discrete_features": np.arange(150), "threshold": 0.2}
    whole = ITDecomposition(4, **options).fit(X, y)
    monkeypatch.setattr(threads, "CALL_CELLS", cells)
    cut = ITDecomposition(4, **options).fit(X, y)
    assert [s.tolist() for s in cut.subsets_] == [s.tolist() for s in whole.subsets_]
    assert sum(map(len, cut.subsets_)) > 30
    assert cut.n_pairs_read_ == whole.n_pairs_read_
    assert str(cut.explain()) == str(whole.explain())


@pytest.mark.parametrize("most", [1, 7, 100, 10_000])
def test_calls_are_short(most, monkeypatch):
    monkeypatch.setattr(threads, "CALL_CELLS", most * 50)
    ranges = short_ranges(333, 4, 50)
    assert [i for a, b in ranges for i in range(a, b)] == list(range(333))
    for a, b in ranges:
        assert b - a == 1 or sum(4 + i + 1 for i in range(a, b)) <= most


@pytest.mark.parametrize("layout", ["C", "F"])
def test_memory_stays_below_twice_the_table(layout):
    X, y = wide(20_000)
    X = np.array(X, order=layout)
    assert X.dtype == np.int8
    ITDecomposition(30).fit(X[:, :200], y)
    tracemalloc.start()
    try:
        ITDecomposition(30).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * X.nbytes


def test_far_fewer_pairs_than_all():
    X, y = wide(2000)
    fitted = ITDecomposition(10).fit(X, y)
    assert 0 < fitted.n_pairs_read_ < 2000 * 1999 / 4
    assert MRMR(3).fit(X, y).n_features_in_ == 2000  # the table is left as it was


def test_continuous_columns_are_cut():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    X = rng.normal(size=(200, 5))
    X[:, 3] += 2 * y
    with pytest.warns(UserWarning, match="Only 1 of 2"):
        fitted = ITDecomposition(2).fit(X, y)
    assert as_lists(fitted.subsets_) == [[3]]
    assert len(fitted.cut_points_[3]) >= 1


def test_explain(worked):
    X = pd.DataFrame(worked[0], columns=list("abcdef"))
    fitted = ITDecomposition(2).fit(X, worked[1])
    table = fitted.explain()
    assert table["feature"] == ["a", "c", "f", "b", "d", "e"]
    assert table["subset"] == [0, 1, 1, None, None, None]
    assert table["reason"][:3] == ["seed", "seed", "least redundant"]
    assert fitted.explain("f")[0]["nearest"] == "c"
    assert fitted.explain(1)[0]["reason"] == "redundant to every subset"
    with pytest.raises(ValueError, match="no column 'z'"):
        fitted.explain("z")


@pytest.mark.parametrize(
    "parameters", [{"threshold": 1.1}, {"threshold": -1.1}, {"n_subsets": 0}, {"order": "none"}]
)
def test_bad_parameters(worked, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        ITDecomposition(**parameters).fit(*worked)


def test_bad_tables(worked):
    X, y = worked
    with pytest.raises(ValueError, match="requires y"):
        ITDecomposition().fit(X, None)
    with pytest.raises(ValueError, match="column 1 has 1 missing"):
        ITDecomposition(missing="error").fit([[1.5, np.nan], [2.5, 0.5], [0.5, 1.5]], [0, 1, 0])
    with pytest.raises(TypeError, match="ITDecomposition does not support RowBlocks"):
        ITDecomposition().fit(RowBlocks([(X, y)]), None)
