"""Partitions give what the whole table gives, to the last bit, however tasks are run."""

import itertools

import numpy as np
import pandas as pd
import pytest
from engines import CASES, COUNTS, MATRIX, Shuffled, assert_same, cut, cuts, table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from ensfs import (
    FCBF,
    IAMB,
    JMI,
    MMPC,
    MRMR,
    FastEnsemble,
    ForwardSelection,
    G2Test,
    RowBlocks,
    StabilitySelector,
)
from ensfs.independence import _partitions
from ensfs.scale import partition_counts, partitioned
from ensfs.scale.sent import packed, unpacked

pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning"),
    pytest.mark.filterwarnings("ignore:.* tests had too few rows:UserWarning"),
]


@settings(max_examples=3)
@given(data=st.data())
@pytest.mark.parametrize(("kind", "target", "name"), CASES)
def test_memory_is_blocks_is_partitions(kind, target, name, data):
    n = data.draw(st.integers(20, 130), label="rows")
    X, y = table_of(kind, target, data.draw(st.integers(0, 2**32 - 1), label="seed"), n)
    at = data.draw(cuts(n), label="cuts")
    selector = MATRIX[kind, target][name]
    whole = clone(selector).fit(X, y)
    partitions = cut(X, y, at)
    assert_same(whole, clone(selector).fit(Shuffled(partitions, data.draw(st.integers(0, 99)))))
    assert_same(
        whole, clone(selector).fit(RowBlocks([each for each in partitions if len(each[1])]))
    )


@pytest.mark.parametrize("at", [[4095], [4096], [4097], [0, 4095, 4096, 4097, 4097]])
@pytest.mark.parametrize(
    ("kind", "name"), [("numbers", "fast"), ("numbers", "FCQ"), ("codes", "MIQ")]
)
def test_cuts_near_a_leaf(kind, name, at):
    X, y = table_of(kind, "classes", 0, 4200, 5)
    selector = MATRIX[kind, "classes"][name]
    assert_same(clone(selector).fit(X, y), clone(selector).fit(Shuffled(cut(X, y, at))))


@pytest.mark.parametrize("kind", ["numbers", "codes"])
@pytest.mark.parametrize("missing", ["auto", "available", "mean"])
def test_missing_cells_and_weights(kind, missing):
    X, y = table_of("numbers" if kind == "numbers" else "codes", "classes", 0, 90)
    X = X.mask(np.random.default_rng(1).random(X.shape) < 0.1)
    weight = np.random.default_rng(2).integers(0, 4, 90).astype(float)
    weight[20:40] = 0  # none of these rows exists
    if kind == "codes" and missing == "mean":
        pytest.skip("codes have no mean")
    scheme = "FCQ" if kind == "numbers" else "MIQ"
    selector = FastEnsemble(
        MRMR(3, scheme=scheme, missing=missing, discrete_features=kind == "codes"), n_parts=3
    )
    whole = clone(selector).fit(X, y, sample_weight=weight)
    bounds = [0, 0, 1, 20, 40, 41, 90]
    parts = [(X[a:b], y[a:b], weight[a:b]) for a, b in itertools.pairwise(bounds)]
    assert_same(whole, clone(selector).fit(Shuffled(parts)))


def test_counts_of_64_bits(monkeypatch):
    X, y = table_of("codes", "classes", 0, 100)
    selector = FastEnsemble(MRMR(4, scheme="MIQ"), n_parts=3)
    whole = clone(selector).fit(X, y)
    monkeypatch.setattr(partition_counts, "MOST_SHORT", 50)
    assert_same(whole, clone(selector).fit(Shuffled(cut(X, y, [7, 60]))))
    assert_same(whole, clone(selector).fit(RowBlocks(cut(X, y, [7, 60]))))


@pytest.mark.parametrize("name", ["MIQ", "fast", "JMI", "FCBF"])
def test_codes_that_are_kept_or_read_again(name, monkeypatch):
    X, y = table_of("codes", "classes", 0, 120)
    X["many"] = np.random.default_rng(0).integers(0, 40, 120)
    selector = clone(COUNTS[name]).set_params(
        **{f"{'selector__' * (name == 'fast')}discrete_features": True}
    )
    whole = clone(selector).fit(X, y)
    parts = cut(X, y, [3, 50, 51])
    kept = clone(selector).fit(RowBlocks(parts))
    assert kept.n_readings_ == 3  # the target, the levels and the codes
    monkeypatch.setattr(partitioned, "KEPT_BYTES", 0)
    monkeypatch.setattr(Shuffled, "keeps_bytes", 0)
    read = clone(selector).fit(RowBlocks(parts))
    assert read.n_readings_ > 3
    for found in (kept, read, clone(selector).fit(Shuffled(parts))):
        assert_same(whole, found)


@pytest.mark.parametrize("kind", ["numbers", "values", "codes", "mixed"])
@pytest.mark.parametrize("at", [[], [1, 2, 4097, 8192, 8193], list(range(0, 9000, 150))])
def test_several_targets_over_several_leaves(kind, at):
    """Three leaves, the last in part; classes, numbers, and one of each."""
    n, rng = 9000, np.random.default_rng(0)
    X, y = table_of("codes" if kind == "codes" else "numbers", "classes", 3, n, 5)
    first, second = (y == "yes").astype(int), X["c1"] + rng.normal(size=n)
    outputs = {
        "numbers": (first, pd.cut(second, 3, labels=False)),
        "values": (X["c0"] * X["c2"], second),
    }
    Y = pd.DataFrame(dict(zip("yz", outputs.get(kind, (first, second)), strict=True)))
    selectors = {
        "numbers": [FastEnsemble(MRMR(3, scheme="FCQ"), n_parts=4), MRMR(3, scheme="FCD")],
        "values": [FastEnsemble(MRMR(3), n_parts=4), ForwardSelection(2)],
        "codes": [FastEnsemble(MRMR(3, scheme="MIQ"), n_parts=4), FCBF(discretizer="sigma")],
        "mixed": [FastEnsemble(JMI(3, discretizer="sigma"), n_parts=4)],
    }
    for selector in selectors[kind]:
        whole = clone(selector).fit(X, Y)
        for found in (Shuffled(cut(X, Y, at)), RowBlocks(cut(X, Y, [a for a in at if a]))):
            assert_same(whole, clone(selector).fit(found))


@pytest.mark.parametrize("weights", ["few", "many", "fractions"])
@pytest.mark.parametrize("kept", [True, False])
def test_tests_of_rows_with_weights(weights, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr(Shuffled, "keeps_bytes", 0)
    X, y = table_of("codes", "classes", 5, 150)
    rng = np.random.default_rng(1)
    weight = {
        "few": rng.integers(0, 3, 150).astype(float),
        "many": rng.integers(1, 30, 150).astype(float),
        "fractions": rng.random(150) + 0.01,
    }[weights]
    bounds = [0, 0, 1, 20, 41, 150]
    parts = [(X[a:b], y[a:b], weight[a:b]) for a, b in itertools.pairwise(bounds)]
    test = G2Test("adjusted", samples_per_df=1)
    selectors = [MMPC(0.2, test=test, discrete_features=True)]
    selectors.append(FastEnsemble(IAMB(0.2, test=test, discrete_features=True), n_parts=3))
    halves = StabilitySelector(
        IAMB(0.2, test=test, discrete_features=True), n_pairs=2, threshold=0.7
    )
    if weights == "few":
        selectors.append(halves)
    else:
        with pytest.raises(ValueError, match="need the table in memory where rows have weights"):
            halves.fit(Shuffled(parts))
    for selector in selectors:
        whole = clone(selector).fit(X, y, sample_weight=weight)
        assert_same(whole, clone(selector).fit(Shuffled(parts)))


def test_tests_with_many_strata(monkeypatch):
    """Combinations that do not occur are left out, and too many cells are an error."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (300, 6)), columns=list("abcdef"))
    y = pd.Series((X.sum(axis=1) + rng.integers(0, 9, 300)) % 4, name="y")
    for df in ("full", "slices", "adjusted"):
        test = G2Test(df, samples_per_df=0)
        for make in (IAMB, MMPC):
            selector = make(0.9, test=test, discrete_features=True)
            whole = clone(selector).fit(X, y)
            assert_same(whole, clone(selector).fit(RowBlocks(cut(X, y, [7, 100]))))
    assert whole.n_tests_ > 6
    monkeypatch.setattr(_partitions, "LARGEST_TABLE", 3000)
    with pytest.raises(ValueError, match=r"A test given \d columns has [\d,]+ cells"):
        selector.fit(RowBlocks(cut(X, y, [7, 100])))


def test_tests_with_missing_cells():
    X, y = table_of("codes", "classes", 0, 90)
    X = X.mask(np.random.default_rng(1).random(X.shape) < 0.1)
    selector = IAMB(0.2, test=G2Test(samples_per_df=1), missing="level", discrete_features=True)
    parts = Shuffled(cut(X, y, [3, 40]))
    assert_same(clone(selector).fit(X, y), clone(selector).fit(parts))
    with pytest.raises(ValueError, match="set missing='level'"):
        selector.set_params(missing="auto").fit(parts)


@pytest.mark.parametrize("kind", ["numbers", "apart", "codes", "tests"])
def test_threads_change_nothing(kind):
    X, y = table_of("codes" if kind in ("codes", "tests") else "numbers", "classes", 1, 9000, 40)
    if kind == "apart":  # folds that lie far apart are summed once more
        X = X + 1e6 * (np.arange(9000) % 3)[:, None]
    selector = {
        "codes": FastEnsemble(JMI(4, discrete_features=True), n_parts=3),
        "tests": IAMB(discrete_features=True),
    }.get(kind, FastEnsemble(MRMR(4, scheme="FCQ"), n_parts=3))
    blocks = RowBlocks(cut(X, y, [5, 5000]))
    for found in (blocks, Shuffled(cut(X, y, [4000, 4100]))):
        assert_same(clone(selector).fit(X, y), clone(selector).set_params(n_jobs=3).fit(found))


def test_partitions_without_rows():
    X, y = table_of("numbers", "classes", 0, 30)
    with pytest.raises(ValueError, match=r"no partitions with rows: found array with 0 sample"):
        MRMR(2).fit(Shuffled([(X[:0], y[:0])] * 3))
    with pytest.raises(ValueError, match=r"no partitions with rows"):
        MRMR(2).fit(Shuffled([]))


@given(
    values=st.one_of(
        st.lists(st.integers(-(2**40), 2**40), max_size=30),
        st.lists(st.integers(0, 5), max_size=30),
        st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 40)).map(
            lambda given: [(given[0] + i) % given[1] for i in range(given[2])]
        ),
    ),
    dtype=st.sampled_from([np.int64, np.int32, np.uint16]),
)
def test_what_is_sent_is_what_arrives(values, dtype):
    array = np.array(values, dtype=np.int64).astype(dtype)
    other = np.array([0.5, 2.0])
    back, (same, text) = unpacked(packed((array, (other, "text"))))
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    assert same is other
    assert text == "text"


def test_folds_in_turn_and_one_fold_are_sent_in_a_few_bytes():
    import pickle

    for array in (np.arange(10**5) % 20, np.zeros(10**5, dtype=np.int32)):
        assert len(pickle.dumps(packed(array))) < 500
    classes = np.random.default_rng(0).integers(0, 3, 10**5)
    assert len(pickle.dumps(packed(classes))) < 101_000


def test_a_task_that_needs_the_order_cannot_be_merged():
    from ensfs.scale.block_tables import AddMeans

    with pytest.raises(NotImplementedError, match="AddMeans adds partitions in their order"):
        AddMeans().merge(None, None)


def test_text_is_recognised_by_other_processes():
    """Python's own hash of text is another one in each process."""
    import subprocess
    import sys

    code = (
        "import pandas as pd; from ensfs.data.checksum import checksum; "
        "from ensfs.data.columns import read_columns; "
        "print(checksum(read_columns(pd.DataFrame({'a': ['u', 'v', 'u']}))))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    from ensfs.data.checksum import checksum
    from ensfs.data.columns import read_columns

    assert int(runs[0].stdout) == checksum(read_columns(pd.DataFrame({"a": ["u", "v", "u"]})))
