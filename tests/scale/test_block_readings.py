"""What all readings of the blocks have to agree on, and what all blocks decide together."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import CFS, FCBF, JMI, MRMR, FastEnsemble, InnerEnsemble, RowBlocks
from ensfs.data.table import make_table
from ensfs.scale import block_reading, partitioned


def cut(X, y, size):
    take = X.iloc if hasattr(X, "iloc") else X
    return [(take[a : a + size], y[a : a + size]) for a in range(0, len(y), size)]


# ---------------------------------------- blocks that change


class Readings:
    """Blocks that are others from some reading on."""

    def __init__(self, before, after, change_at):
        self.before, self.after, self.change_at, self.count = before, after, change_at, 0

    def __call__(self):
        self.count += 1
        return iter(self.before if self.count <= self.change_at else self.after)


def changes(X, y):
    """Tables that differ from X by little."""
    value = X.copy()
    value[3, 1] = 7000
    code = X.copy()
    code[3, 1] = X[4, 1] if X[4, 1] != X[3, 1] else X[X[:, 1] != X[3, 1], 1][0]
    many = X.copy()
    many[:, 2] = np.arange(len(X))
    rows = np.random.default_rng(1).permutation(len(X))
    return {
        "a new value": (value, y),
        "a value that occurs": (code, y),
        "many new values": (many, y),
        "rows shuffled": (X[rows], y[rows]),
        "two rows exchanged": (np.r_[X[[1, 0]], X[2:]], y),
        "a column less": (X[:, :-1], y),
        "columns exchanged": (X[:, ::-1], y),
        "rows fewer": (X[:-1], y[:-1]),
        "another class": (X, np.r_[1 - y[0], y[1:]]),
        "a new class": (X, np.r_[y[:-1], 2]),
        "a target of text": (X, np.array(["no", "yes"])[y]),
        "targets shuffled": (X, y[rows]),
        "targets fewer": (X, y[:-1]),
    }


SELECTORS = {
    "numbers": MRMR(3, scheme="FCQ"),
    "numbers, parts": FastEnsemble(MRMR(3, scheme="FCD"), n_parts=3),
    "numbers, averaged": InnerEnsemble(MRMR(3, scheme="FCQ"), n_parts=3),
    "codes": MRMR(3, scheme="MIQ"),
    "codes, FCBF": FCBF(0.0),
    "codes, CFS": CFS(),
    "codes, parts": FastEnsemble(JMI(3), n_parts=3),
}


@pytest.mark.parametrize("name", SELECTORS)
def test_every_later_reading_is_checked(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = np.where(rng.random((60, 5)) < 0.6, y[:, None], rng.integers(0, 4, (60, 5)))
    if name.startswith("numbers"):
        X = X + rng.normal(size=X.shape)
    good = Readings(cut(X, y, 25), None, np.inf)
    SELECTORS[name].fit(RowBlocks(good))
    assert good.count > 2
    for changed in changes(X, y).values():
        for reading in range(1, good.count):
            blocks = RowBlocks(Readings(cut(X, y, 25), cut(*changed, 25), reading))
            with pytest.raises(ValueError, match="The blocks changed between two readings"):
                SELECTORS[name].fit(blocks)


def test_names_of_later_readings_are_checked():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc")), np.arange(30) % 2
    other = X.rename(columns={"a": "d"})
    with pytest.raises(ValueError, match="The blocks changed between two readings"):
        MRMR(2).fit(RowBlocks(Readings(cut(X, y, 10), cut(other, y, 10), 1)))


def test_text_of_later_readings_is_checked(monkeypatch):
    monkeypatch.setattr(partitioned, "KEPT_BYTES", 0)
    rng = np.random.default_rng(0)
    X, y = rng.choice(["a", "b", "c"], (30, 3)).astype(object), np.arange(30) % 2
    other = X.copy()
    other[:, 1] = [f"new {i}" for i in range(30)]
    for reading in (1, 2, 3):
        with pytest.raises(ValueError, match="The blocks changed between two readings"):
            MRMR(2).fit(RowBlocks(Readings(cut(X, y, 10), cut(other, y, 10), reading)))


@pytest.mark.parametrize("make", [np.asarray, pd.Categorical, pd.Series, list])
def test_text_of_the_target_is_checked(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.array(["a", "b", "c"])[np.arange(30) % 3]
    other = y.copy()
    other[11] = "a"
    MRMR(2).fit(RowBlocks(lambda: iter(cut(X, make(y), 10))))
    with pytest.raises(ValueError, match="The target of block 1 is not what it was before"):
        MRMR(2).fit(RowBlocks(Readings(cut(X, make(y), 10), cut(X, make(other), 10), 1)))


def test_numbers_of_the_target_are_checked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    other = y.copy()
    other[25] = np.nextafter(y[25], 9)
    MRMR(2).fit(RowBlocks(lambda: iter(cut(X, y.copy(), 10))))
    with pytest.raises(ValueError, match="The target of block 2 is not what it was before"):
        MRMR(2).fit(RowBlocks(Readings(cut(X, y, 10), cut(X, other, 10), 1)))


def test_levels_of_later_readings_are_checked(monkeypatch):
    """Also if the checksum of two blocks is the same by chance."""
    monkeypatch.setattr(block_reading, "checksum", lambda columns, n_threads: 0)
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 3)), np.arange(60) % 2
    for value in (-1, 7):
        other = X.copy()
        other[20, 1] = value
        blocks = RowBlocks(Readings(cut(X, y, 25), cut(other, y, 25), 2))
        with pytest.raises(ValueError, match=r"readings\. Column 1 holds other values than before"):
            MRMR(2).fit(blocks)


def test_kinds_of_later_readings_are_checked():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 3)), np.arange(60) % 2
    data = RowBlocks(Readings(cut(X, y, 25), cut(X[::-1], y, 25), 1)).make_data()
    with pytest.raises(ValueError, match=r"The blocks changed between two readings\. Block 0"):
        data.reads_alike({"discrete_features": "auto", "integral_is_discrete": True})


# ---------------------------------------- kinds


@st.composite
def tables(draw):
    """Columns of every type, most of them near the number of values that decides."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 120))
    columns = {}
    for j in range(draw(st.integers(1, 6))):
        values = np.sort(rng.integers(0, int(rng.choice([1, 2, 32, 33, 40, 400])), n))
        values = values if draw(st.booleans()) else rng.permutation(values)
        kind = draw(
            st.sampled_from(["int64", "uint8", "bool", "float64", "float32", "text", "far"])
        )
        if kind == "text":
            columns[f"c{j}"] = [f"v{v}" for v in values]
        elif kind == "far":
            columns[f"c{j}"] = values.astype(np.int64) * 10**15
        else:
            columns[f"c{j}"] = values.astype(kind) + (kind == "float32") * 0.5 * draw(st.booleans())
    return pd.DataFrame(columns), rng


@settings(max_examples=80)
@given(table=tables(), size=st.integers(1, 50), integral=st.booleans())
def test_kinds_are_those_of_the_whole_table(table, size, integral):
    X, rng = table
    y = rng.integers(0, 2, len(X))
    whole = make_table(X, integral_is_discrete=integral)
    data = RowBlocks(cut(X, y, size)).make_data(integral_is_discrete=integral)
    np.testing.assert_array_equal(data.discrete, whole.discrete)
    for options in (
        {"discrete_features": "auto", "integral_is_discrete": not integral},
        {"discrete_features": "auto", "integral_is_discrete": integral},
        {"discrete_features": [0]},
        {"discrete_features": False},
    ):
        assert data.reads_alike(options) == whole.has_same_kinds(**options)


@pytest.mark.parametrize("make", [lambda s: s, FastEnsemble, InnerEnsemble])
def test_a_first_block_with_few_values_decides_nothing(make):
    """20 values in the first block and more than 100 in all: continuous, as in memory."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = rng.integers(0, 106, (400, 4)) + 30 * y[:, None] * np.arange(4)
    X[:100] = rng.integers(0, 20, (100, 4))
    whole = make(MRMR(3)).fit(X, y)
    blocks = make(MRMR(3)).fit(RowBlocks(cut(X, y, 100)))
    np.testing.assert_array_equal(whole.indices_, blocks.indices_)
    np.testing.assert_array_equal(whole.relevance_, blocks.relevance_)


def test_blocks_of_different_types():
    """Integers beside floats are floats, booleans beside integers are integers, as in memory.

    No type of integers holds all values of int64 and uint64, so these give floats.
    """
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    first, second = rng.integers(0, 2, (2, 20, 3))
    for a, b in (
        (np.int64, np.float64),
        (bool, np.int64),
        (bool, np.float32),
        (np.uint8, np.int64),
        (np.uint32, np.int8),
        (np.uint64, np.int64),
        (np.uint64, np.int8),
        (np.uint64, bool),
        (np.uint64, np.uint8),
    ):
        pieces = [(first.astype(a), y[:20]), (second.astype(b), y[20:])]
        whole = make_table(np.concatenate([piece for piece, _ in pieces]))
        for blocks in (pieces, pieces[::-1]):
            np.testing.assert_array_equal(RowBlocks(blocks).make_data().discrete, whole.discrete)


@pytest.mark.parametrize("dtype", [np.float64, np.uint64])
def test_large_integers_beside_floats(dtype):
    """All of them are floats, as in memory, also those of the blocks of integers."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = 2**60 + (rng.integers(0, 2**20, (60, 3)) + y[:, None] * [0, 2**18, 2**19])
    pieces = [(X[:30], y[:30]), (X[30:].astype(dtype), y[30:])]
    whole = MRMR(2, scheme="FCQ").fit(np.concatenate([piece for piece, _ in pieces]), y)
    blocks = MRMR(2, scheme="FCQ").fit(RowBlocks(pieces))
    np.testing.assert_array_equal(whole.relevance_, blocks.relevance_)


def test_text_in_some_blocks_only():
    y = np.arange(4) % 2
    text, numbers = np.array([["a"], ["b"]] * 2, dtype=object), np.ones((4, 1))
    for blocks in ([(text, y), (numbers, y)], [(numbers, y), (numbers, y), (text, y)]):
        for options in ({}, {"discrete_features": True}):
            with pytest.raises(
                ValueError, match="column 0 holds text or categories in some blocks"
            ):
                RowBlocks(blocks).make_data(**options)


def test_categories_of_the_target_keep_their_order():
    """Categories that are numbers are ordered as numbers, though no block has all of them."""
    y = pd.Categorical([9, 9, 10, 9, 10, 10, 100, 9] * 5)
    X = np.random.default_rng(0).normal(size=(40, 3)) + np.asarray(y)[:, None] * [0, 0.01, 0.02]
    blocks = RowBlocks(cut(X, y, 3))
    target = blocks.make_data().target("auto")
    assert target.classes.tolist() == [9, 10, 100]
    whole, parts = FastEnsemble(MRMR(2), n_parts=3), FastEnsemble(MRMR(2), n_parts=3)
    np.testing.assert_array_equal(whole.fit(X, y).relevance_, parts.fit(blocks).relevance_)
