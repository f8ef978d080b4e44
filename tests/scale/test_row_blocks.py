"""Row blocks give what the whole table gives, to the last bit."""

import itertools
import math
import threading
import time
import weakref
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from greedy_twins import CORRECTED, CRITERIA
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from ensfs import CFS, FCBF, JMI, MRMR, FastEnsemble, InnerEnsemble, RowBlocks
from ensfs.scale import block_tables

LEARNED = (
    "indices_",
    "scores_",
    "relevance_",
    "redundancy_",
    "part_selections_",
    "selection_frequency_",
    "measures_",
    "n_pairs_needed_",
)


def assert_same(one, other):
    for name in LEARNED:
        if isinstance(getattr(one, name, None), list):  # parts of different lengths
            for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
                np.testing.assert_array_equal(a, b, err_msg=name)
        elif hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def cut(X, y, cuts):
    """The table in blocks that begin at the given rows."""
    bounds = [0, *sorted(set(cuts) - {0, len(y)}), len(y)]
    return [(X[a:b], y[a:b]) for a, b in itertools.pairwise(bounds)]


SELECTORS = {
    "MRMR": lambda selector: selector,
    "FastEnsemble": lambda selector: FastEnsemble(selector, n_parts=4),
    "InnerEnsemble": lambda selector: InnerEnsemble(selector, n_parts=4),
    "blocks of folds": lambda selector: FastEnsemble(selector, n_parts=3, folds="blocks"),
}


def table_of(kind, rng, n, p):
    y = rng.permutation(np.arange(n) % 3)
    if kind == "codes":
        return rng.integers(0, rng.integers(1, 13, p), (n, p)), y
    X = 100 + rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    X[:, rng.integers(p)] = 0.1
    if kind == "float32":
        return X.astype(np.float32), y
    return X, y if kind == "float64" else X[:, 0] + rng.normal(size=n)


SCHEMES = {
    "float64": ("FCQ", "FCD", "discount"),
    "float32": ("FCQ", "FCD", "discount"),
    "numeric": ("quotient", "difference"),
    "codes": ("MIQ", "MID", "FCQ"),
}


@settings(max_examples=8)
@given(data=st.data())
@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.parametrize(
    ("kind", "scheme"), [(kind, scheme) for kind, s in SCHEMES.items() for scheme in s]
)
def test_blocks_of_any_size(name, kind, scheme, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), label="seed"))
    n = data.draw(st.integers(5, 90), label="rows")
    p = data.draw(st.integers(1, 40), label="columns")
    X, y = table_of(kind, rng, n, p)
    cuts = data.draw(
        st.one_of(
            st.just(range(n)),  # blocks of one row
            st.just([1]),
            st.lists(st.integers(1, n - 1), max_size=6),
        ),
        label="cuts",
    )
    selector = MRMR(min(p, 6), scheme=scheme, discrete_features=np.full(p, kind == "codes"))
    whole = SELECTORS[name](selector).fit(X, y)
    blocks = RowBlocks(cut(X, y, cuts))
    assert_same(whole, SELECTORS[name](selector).fit(blocks))


INFORMATION = {
    "FCBF": FCBF(),
    "FCBF corrected": FCBF(correction="miller_madow"),
    "FCBF, capped": FCBF(0.01, n_features_to_select=2),
    "CFS": CFS(),
    "CFS forward": CFS("forward"),
    "CFS floating": CFS("floating", locally_predictive=True),
    **{name: make(4) for name, make in (CRITERIA | CORRECTED).items()},
}
INFORMATION = {name: s.set_params(discrete_features=True) for name, s in INFORMATION.items()}


def related_codes(rng, n, p, n_classes=3):
    """Codes of few and of many levels, some of them related to the classes."""
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.integers(0, rng.integers(1, 13, p), (n, p))
    return np.where(rng.random((n, p)) < rng.uniform(0.4, 1.2, p), X, y[:, None]), y


@settings(max_examples=4)
@given(data=st.data())
@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.parametrize("method", INFORMATION)
def test_information_filters_on_blocks_of_any_size(name, method, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), label="seed"))
    n = data.draw(st.integers(6, 90), label="rows")
    p = data.draw(st.integers(4, 20), label="columns")
    X, y = related_codes(rng, n, p, data.draw(st.sampled_from([2, 3, 10]), label="classes"))
    cuts = data.draw(
        st.one_of(
            st.just(range(n)),  # blocks of one row
            st.just([1]),
            st.lists(st.integers(1, n - 1), max_size=6),
        ),
        label="cuts",
    )
    discrete = np.ones(p, dtype=bool)
    selector = clone(INFORMATION[method]).set_params(discrete_features=discrete)
    whole = SELECTORS[name](selector).fit(X, y)
    blocks = SELECTORS[name](clone(selector)).fit(RowBlocks(cut(X, y, cuts)))
    assert_same(whole, blocks)
    for attribute in ("removed_by_", "merits_", "informative_"):
        if hasattr(whole, attribute):
            np.testing.assert_array_equal(getattr(whole, attribute), getattr(blocks, attribute))


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.parametrize("method", INFORMATION)
def test_information_filters_with_threads_and_a_small_cache(name, method, monkeypatch):
    """The parts may ask for columns at the same time, and the cache may hold one of them."""
    from ensfs import statistics

    X, y = related_codes(np.random.default_rng(0), 80, 30)
    blocks = RowBlocks(cut(X, y, [7, 20]))
    one = SELECTORS[name](clone(INFORMATION[method])).fit(X, y)
    for n_jobs in (1, 2, 4):
        many = SELECTORS[name](clone(INFORMATION[method])).set_params(n_jobs=n_jobs)
        assert_same(one, many.fit(blocks))
    monkeypatch.setattr(statistics.source, "CACHE_BYTES", 1)
    monkeypatch.setattr(block_tables, "SUMS_BYTES", 1)
    for n_jobs in (1, 4):
        many = SELECTORS[name](clone(INFORMATION[method])).set_params(n_jobs=n_jobs)
        assert_same(one, many.fit(blocks))


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.parametrize("method", ["FCBF", "CFS", "CMIM", "JMI"])
def test_blocks_are_read_by_one_thread_at_a_time(name, method):
    """A reader of a file has one place in it."""
    X, y = related_codes(np.random.default_rng(0), 80, 30)
    reading = threading.Lock()

    def read():
        if not reading.acquire(blocking=False):
            raise RuntimeError("two readings at the same time")
        try:
            for block in cut(X, y, [7, 20, 60]):
                time.sleep(0.0002)
                yield block
        finally:
            reading.release()

    selector = SELECTORS[name](clone(INFORMATION[method]))
    whole = clone(selector).fit(X, y)
    assert_same(whole, selector.set_params(n_jobs=4).fit(RowBlocks(read)))


@pytest.mark.parametrize("method", INFORMATION)
def test_cuts_by_the_target_need_the_table_in_memory(method):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 5)), np.arange(20) % 2
    selector = clone(INFORMATION[method]).set_params(discrete_features="auto", discretizer="mdl")
    with pytest.raises(ValueError, match="discretizer='mdl' needs the table in memory"):
        selector.fit(RowBlocks(cut(X, y, [9])))


@pytest.mark.parametrize("method", ["FCBF", "CFS"])
def test_blocks_of_one_class_select_nothing(method):
    X, y = related_codes(np.random.default_rng(0), 30, 6)
    with pytest.warns(UserWarning, match="y is constant"):
        selector = clone(INFORMATION[method]).fit(RowBlocks(cut(X, 0 * y, [9])))
    assert selector.indices_.tolist() == []


def test_more_than_one_panel_and_lane():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    for X in (rng.normal(size=(150, 80)), rng.integers(0, 12, (150, 80))):
        blocks = RowBlocks(cut(X, y, [1, 2, 33, 100]))
        for make in SELECTORS.values():
            assert_same(make(MRMR(8)).fit(X, y), make(MRMR(8)).fit(blocks))


@pytest.mark.parametrize("make", SELECTORS.values(), ids=SELECTORS)
def test_threads_do_not_matter(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), rng.integers(0, 3, 60)
    blocks = RowBlocks(cut(X, y, [7, 20]))
    one = make(MRMR(5)).fit(blocks)
    for n_jobs in (2, 4):
        assert_same(one, make(MRMR(5)).set_params(n_jobs=n_jobs).fit(blocks))


@pytest.mark.parametrize("make", SELECTORS.values(), ids=SELECTORS)
@pytest.mark.parametrize("kind", ["float64", "codes"])
def test_a_small_cache_changes_nothing(make, kind, monkeypatch):
    from ensfs import statistics

    rng = np.random.default_rng(0)
    X, y = table_of(kind, rng, 60, 20)
    blocks = RowBlocks(cut(X, y, [7, 20]))
    selector = MRMR(8, discrete_features=kind == "codes")
    one = make(clone(selector)).fit(blocks)
    monkeypatch.setattr(statistics.source, "CACHE_BYTES", 1)
    monkeypatch.setattr(block_tables, "SUMS_BYTES", 1)
    assert_same(one, make(clone(selector)).fit(blocks))


def test_blocks_of_different_types_are_the_whole_table():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)).astype(np.float32), rng.integers(0, 2, 30)
    blocks = [
        (X[:10], y[:10].tolist()),
        (X[10:20].astype(np.float64), y[10:20]),
        (np.asfortranarray(X[20:]), pd.Series(y[20:])),
    ]
    assert_same(MRMR(3).fit(X.astype(np.float64), y), MRMR(3).fit(RowBlocks(blocks)))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, pa.table],
    ids=["pandas", "polars", "pyarrow"],
)
def test_frames_keep_their_names(frame):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.array(["no", "yes"])[rng.integers(0, 2, 30)]
    names = ["age", "size", "mass"]
    blocks = [
        (frame({name: X[a : a + 7, j] for j, name in enumerate(names)}), y[a : a + 7])
        for a in range(0, 30, 7)
    ]
    for make in SELECTORS.values():
        fitted = make(MRMR(2)).fit(RowBlocks(blocks))
        assert_same(make(MRMR(2)).fit(X, y), fitted)
        assert fitted.feature_names_in_.tolist() == names
        assert set(fitted.get_feature_names_out()) <= set(names)
        assert fitted.n_features_in_ == 3


def test_words_of_all_blocks_are_levels():
    rng = np.random.default_rng(0)
    words = np.array(["kiwi", "fig", "apple", "date", "plum"], dtype=object)
    X, y = words[rng.integers(0, 5, (40, 4))], rng.integers(0, 2, 40)
    X[:10] = "plum"  # the first block knows one word
    for make in SELECTORS.values():
        blocks = RowBlocks(cut(X, y, [10, 25]))
        assert_same(make(MRMR(3)).fit(X, y), make(MRMR(3)).fit(blocks))


def test_information_of_blocks_by_definition():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 20, (70, 3)), rng.integers(0, 4, 70)
    selector = MRMR(3, scheme="MID", discrete_features=True).fit(RowBlocks(cut(X, y, [3, 40])))
    for x, value in zip(X.T.tolist(), selector.relevance_, strict=True):
        a, b = Counter(x), Counter(y.tolist())
        expected = math.fsum(
            c / 70 * math.log2(c * 70 / (a[u] * b[v]))
            for (u, v), c in Counter(zip(x, y.tolist(), strict=True)).items()
        )
        assert value == pytest.approx(expected, rel=1e-9)


def test_a_callable_is_asked_for_each_reading():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), rng.integers(0, 2, 30)
    readings = []

    def read():
        readings.append(len(readings))
        yield from cut(X, y, [10, 20])

    fitted = FastEnsemble(MRMR(3), n_parts=5).fit(RowBlocks(read))
    assert_same(FastEnsemble(MRMR(3), n_parts=5).fit(X, y), fitted)
    assert len(readings) > 1


# Tables to try have constant columns, which are never selected.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning")

# ---------------------------------------- what bad input gets


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 3)), np.arange(12) % 2


ENSEMBLES = [MRMR(2), FastEnsemble(MRMR(2), n_parts=3), InnerEnsemble(MRMR(2), n_parts=3)]


def test_an_iterator_cannot_be_read_twice(table):
    with pytest.raises(TypeError, match=r"iterator.*only once\. Give a list, or a callable"):
        RowBlocks(iter(cut(*table, [5])))
    with pytest.raises(TypeError, match="only once"):
        RowBlocks(block for block in cut(*table, [5]))


@pytest.mark.parametrize("selector", ENSEMBLES, ids=lambda s: type(s).__name__)
class TestBadBlocks:
    def test_no_blocks(self, selector):
        with pytest.raises(ValueError, match="no blocks"):
            selector.fit(RowBlocks([]))

    def test_blocks_without_a_target(self, selector, table):
        X, y = table
        for blocks, found in (
            ([X], "Block 0 .* ndarray"),
            ([X[:2]], "Block 0 .* ndarray"),  # two rows are no pair
            ((X, y), "Block 0 .* ndarray"),
            ([(X,)], "Block 0 .* tuple of length 1"),
            ([(X, y), [X, y, y, y]], "Block 1 .* list of length 4"),
            ([{"X": X, "y": y}], "Block 0 .* dict"),
            (lambda: [X], "Block 0 .* ndarray"),
        ):
            expected = found.replace(".*", r"must be a pair \(X_block, y_block\); got")
            with pytest.raises(ValueError, match=expected):
                selector.fit(RowBlocks(blocks))

    def test_a_pair_is_looked_for_in_every_reading(self, selector, table):
        readings = iter([[table], [table[0]], [table[0]]])
        with pytest.raises(ValueError, match="Block 0 must be a pair"):
            selector.fit(RowBlocks(lambda: next(readings)))

    def test_a_target_beside_the_blocks(self, selector, table):
        with pytest.raises(ValueError, match="y must be None for row blocks"):
            selector.fit(RowBlocks(cut(*table, [5])), table[1])

    def test_different_columns(self, selector, table):
        X, y = table
        with pytest.raises(ValueError, match="Block 1 has 2 columns, block 0 has 3"):
            selector.fit(RowBlocks([(X[:6], y[:6]), (X[6:, :2], y[6:])]))
        frame = pd.DataFrame(X, columns=list("abc"))
        other = frame.rename(columns={"c": "d"})
        with pytest.raises(ValueError, match="column names of block 1"):
            selector.fit(RowBlocks([(frame[:6], y[:6]), (other[6:], y[6:])]))

    def test_lengths_that_do_not_agree(self, selector, table):
        X, y = table
        with pytest.raises(ValueError, match=r"Block 1: found .* inconsistent numbers"):
            selector.fit(RowBlocks([(X[:6], y[:6]), (X[6:], y[7:])]))

    @pytest.mark.parametrize("last", ["shorter", "longer", "fewer", "more"])
    def test_blocks_that_change(self, selector, table, last):
        X, y = table
        changed = {
            "shorter": cut(X[:-1], y[:-1], [6]),
            "longer": [(X[:6], y[:6]), (X[5:], y[5:])],
            "fewer": cut(X[:6], y[:6], []),
            "more": [*cut(X, y, [6]), (X[:1], y[:1])],
        }[last]
        readings = iter([cut(X, y, [6])])
        with pytest.raises(ValueError, match="blocks changed between two readings"):
            selector.fit(RowBlocks(lambda: iter(next(readings, changed))))

    @pytest.mark.parametrize(
        ("value", "message"),
        [(np.nan, "column 2 has 1 missing"), (np.inf, "column 2 has 1 inf"), (1e200, "large")],
    )
    def test_values_that_are_no_numbers(self, selector, table, value, message):
        X, y = table
        X[8, 2] = value
        fresh = clone(selector)
        names = [name for name in fresh.get_params() if name.split("__")[-1] == "missing"]
        with pytest.raises(ValueError, match=message):
            fresh.set_params(**dict.fromkeys(names, "error")).fit(RowBlocks(cut(X, y, [5])))

    def test_an_empty_block(self, selector, table):
        X, y = table
        with pytest.raises(ValueError, match="0 sample"):
            selector.fit(RowBlocks([(X, y), (X[:0], y[:0])]))

    def test_continuous_columns_are_cut(self, selector, table):
        X, y = table
        fresh = type(selector)(**selector.get_params(deep=False))
        wish = {"scheme": "MIQ"} if isinstance(fresh, MRMR) else {"selector__scheme": "MIQ"}
        fresh.set_params(**wish)
        whole = clone(fresh).fit(X, y)
        assert_same(whole, fresh.fit(RowBlocks(cut(X, y, [5]))))
        fresh.set_params(**{key: "quotient" for key in wish})

    def test_one_class(self, selector, table):
        X, _ = table
        with pytest.warns(UserWarning, match="y is constant"):
            selector.fit(RowBlocks(cut(X, np.zeros(12), [5])))
        assert selector.indices_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["continuous", "codes"])
def test_a_block_is_let_go_before_the_next_is_read(kind):
    # the classes begin in different blocks: their centres must not keep the blocks alive
    y = np.repeat(np.arange(6), 20)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8)) if kind == "continuous" else rng.integers(3, size=(120, 8))
    alive = []

    def read():
        seen = []
        for start in range(0, 120, 20):
            alive.append(sum(one() is not None for one in seen))
            block = X[start : start + 20].copy()
            seen.append(weakref.ref(block))
            pair = block, y[start : start + 20]
            del block
            yield pair
            del pair

    FastEnsemble(MRMR(3), n_parts=4).fit(RowBlocks(read))
    assert max(alive) == 0


# ---------------------------------------- as in memory


def test_identifiers_count_as_constant_as_in_memory():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(40)], "a": rng.choice(list("uvw"), 40)})
    frame["b"] = np.where(y, "x", rng.choice(list("xz"), 40))
    blocks = RowBlocks(cut(frame, y, [3, 17]))
    with pytest.warns(UserWarning, match="column 'id' .* as an identifier has"):
        expected = JMI(2).fit(frame, y)
    with pytest.warns(UserWarning, match="column 'id' .* as an identifier has"):
        found = JMI(2).fit(blocks)
    assert_same(found, expected)
    assert found.relevance_[0] == 0
    named = JMI(2, discrete_features=["id", "a", "b"], correction=None)
    assert_same(clone(named).fit(blocks), named.fit(frame, y))
    assert named.indices_[0] == 0


@pytest.mark.parametrize("cuts", [[], [1], [13, 40]])
def test_large_integers_as_in_memory(cuts):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    small = rng.integers(0, 200, (60, 4)) + 100 * y[:, None] * [1, 0, 2, 1]
    X = 2**60 + small
    X[:30, 3] -= 2**60  # beyond floats in later blocks only
    blocks = RowBlocks(cut(X, y, cuts))
    mrmr = MRMR(2, discrete_features=[])
    for selector in (mrmr, FastEnsemble(mrmr, n_parts=3)):
        assert_same(clone(selector).fit(blocks), clone(selector).fit(X, y))
    relevance = clone(mrmr).fit(small[:, :3], y).relevance_
    np.testing.assert_allclose(mrmr.fit(blocks).relevance_[:3], relevance, rtol=1e-9)
