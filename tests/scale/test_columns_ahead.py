"""A reading of the blocks is for many columns: fewer readings, and the same selection."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from ensfs import (
    CFS,
    FCBF,
    IAMB,
    JMI,
    MRMR,
    FastEnsemble,
    ForwardSelection,
    InnerEnsemble,
    RowBlocks,
    StabilitySelector,
)
from ensfs.scale import block_tables, partitioned
from ensfs.search.criteria import Criterion
from ensfs.statistics import by_score

P = 60  # columns of the standard table

SELECTORS = {
    "FCQ": MRMR(12, scheme="FCQ"),
    "FCD": MRMR(12, scheme="FCD"),
    "FCQ, parts": FastEnsemble(MRMR(8, scheme="FCQ"), n_parts=5),
    "FCD, averaged": InnerEnsemble(MRMR(8, scheme="FCD"), n_parts=5),
    "automatic": MRMR("auto", scheme="FCQ"),
    "included": MRMR(8, scheme="FCQ", include=[7, 3, 50]),
    "groups": MRMR(5, scheme="FCQ", feature_groups=[[0, 1, 2], [10, 30], [4, 5]]),
    "halves": StabilitySelector(MRMR(6, scheme="FCQ"), n_pairs=4),
    "forward": ForwardSelection(8),
    "partial correlations": IAMB(test="fisherz"),
}
COUNTING = {
    "MIQ": MRMR(10, scheme="MIQ"),
    "FCBF": FCBF(),
    "FCBF, parts": FastEnsemble(FCBF(), n_parts=4),
    "CFS": CFS(),
    "CFS, floating": CFS("floating", locally_predictive=True),
    "JMI": JMI(10),
    "JMI, automatic": JMI("auto"),
    "JMI, parts": FastEnsemble(JMI(6), n_parts=4),
}
#: Readings of the standard table, at most: with one column for each, and with the usual number.
READINGS = {
    "FCQ": (14, 4), "FCD": (14, 4), "FCQ, parts": (10, 5), "FCD, averaged": (10, 4),
    "included": (10, 5), "forward": (11, 4), "MIQ": (12, 5), "FCBF": (35, 6), "CFS": (40, 6),
    "JMI": (12, 5), "JMI, parts": (14, 5),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    """Codes that are kept are read once, however many columns are counted."""
    monkeypatch.setattr(partitioned, "KEPT_BYTES", 0)


def standard_table(seed=0, n=300, p=P):
    """Columns in groups that share a factor; some factors differ between two classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    factors = rng.normal(size=(n, p // 4)) + y[:, None] * rng.uniform(0, 1.2, p // 4)
    return factors[:, np.arange(p) % (p // 4)] + rng.normal(size=(n, p)), y


def codes_of(X):
    return np.clip(np.rint(X + 1.5), 0, 3).astype(np.int8)


def blocks_of(X, y, size=100):
    return RowBlocks([(X[a : a + size], y[a : a + size]) for a in range(0, len(y), size)])


def set_batch(monkeypatch, m):
    monkeypatch.setattr(block_tables, "SUMMED_PER_READING", m)
    monkeypatch.setattr(block_tables, "COUNTED_PER_READING", m)


LEARNED = (
    "indices_", "scores_", "relevance_", "redundancy_", "selection_frequency_", "removed_by_",
    "merits_", "n_pairs_needed_", "entry_pvalues_", "pvalues_",
)  # fmt: skip


def assert_same(one, other, of_pairs=True):
    for name in LEARNED:
        if hasattr(one, name) and (of_pairs or "pairs" not in name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("name", [*SELECTORS, *COUNTING])
def test_any_number_of_columns_for_a_reading(name, monkeypatch):
    X, y = standard_table()
    if name in COUNTING:
        X = codes_of(X)
    selector = (SELECTORS | COUNTING)[name]
    whole = clone(selector).fit(X, y)
    assert not hasattr(whole, "n_readings_")
    n_readings = []
    for m in (1, 2, 7, 64, P):
        set_batch(monkeypatch, m)
        found = clone(selector).fit(blocks_of(X, y))
        # tests in memory leave out columns that cannot enter before any pair is looked at
        assert_same(whole, found, of_pairs="auto" not in name)
        n_readings.append(found.n_readings_)
    assert n_readings[0] > n_readings[-1]
    assert n_readings[0] >= n_readings[1] >= n_readings[3]


@pytest.mark.parametrize("name", READINGS)
def test_readings_of_the_standard_table(name, monkeypatch):
    X, y = standard_table()
    blocks, count = blocks_of(codes_of(X) if name in COUNTING else X, y), []

    def read():
        count.append(1)
        return iter(blocks)

    selector = (SELECTORS | COUNTING)[name]
    found = clone(selector).fit(RowBlocks(read))
    assert found.n_readings_ == len(count)
    assert found.n_readings_ <= READINGS[name][1]
    set_batch(monkeypatch, 1)
    count.clear()
    found = clone(selector).fit(RowBlocks(read))
    assert found.n_readings_ == len(count)
    assert READINGS[name][1] < found.n_readings_ <= READINGS[name][0]


def test_readings_are_forgotten_by_a_fit_in_memory():
    X, y = standard_table()
    selector = MRMR(3).fit(blocks_of(X, y))
    assert selector.n_readings_ == 4
    assert not hasattr(selector.fit(X, y), "n_readings_")


@settings(max_examples=10)
@given(data=st.data())
@pytest.mark.parametrize("kind", ["numbers", "codes"])
def test_any_table_and_any_memory(kind, data):
    """The sums of few columns fit the memory, so that some are read again."""
    X, y = standard_table(data.draw(st.integers(0, 2**32 - 1)), 40, 20)
    selector = MRMR(8, scheme=data.draw(st.sampled_from(["FCQ", "FCD"])))
    if kind == "codes":
        X = codes_of(X)
        selector = data.draw(st.sampled_from([JMI(8), FCBF(), CFS(), MRMR(8, scheme="MID")]))
    if data.draw(st.booleans(), label="parts"):
        selector = FastEnsemble(selector, n_parts=3)
    with pytest.MonkeyPatch.context() as patch:
        set_batch(patch, data.draw(st.sampled_from([1, 2, 7, 64, 20])))
        patch.setattr("ensfs.statistics.source.CACHE_BYTES", data.draw(st.integers(1, 10**5)))
        patch.setattr(block_tables, "SUMS_BYTES", 1)
        size = data.draw(st.integers(1, 40))
        assert_same(clone(selector).fit(X, y), clone(selector).fit(blocks_of(X, y, size)))


def test_columns_by_score():
    scores = np.array([[3.0, 1.0, 2.0, -np.inf], [0.0, 5.0, -np.inf, np.nan]])
    assert list(by_score(scores)) == [0, 1, 2, 0, 1]


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        (Criterion(combine="mean", score="difference"), [4 - 3 / 2, -np.inf, 1.0]),
        (Criterion(combine="sum", score="difference"), [4 - 3.0, -np.inf, 1.0]),
        (Criterion(combine="mean", score="quotient"), [8 / 3, -np.inf, 1e12]),
        (Criterion(combine="sum"), [3.0, -np.inf, 0.0]),
        (Criterion(combine="maximum", score="discount"), [0.0, -np.inf, 1.0]),
    ],
)
def test_expected_scores(criterion, expected):
    relevance, terms = np.array([4.0, -np.inf, 1.0]), np.array([3.0, 1.0, 0.0])
    np.testing.assert_allclose(criterion.scores(relevance, terms, 2), expected)
    assert criterion.scores(relevance, np.zeros(3), 0) is relevance
