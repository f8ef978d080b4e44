"""Row blocks from files give what the files read at once give."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensfs import JMI, MRMR, FastEnsemble, RowBlocks


def table(n=230, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame(rng.normal(size=(n, 6)) + y[:, None] * np.linspace(0, 1, 6)).round(3)
    frame.columns = [f"c{j}" for j in range(6)]
    return frame.assign(outcome=np.array(["no", "yes"])[y], weight=rng.integers(1, 4, n))


def write(frame, folder, form, n_files=3):
    """The rows in some files of different lengths."""
    bounds = np.linspace(0, 1, n_files + 1) ** 2 * len(frame)
    for i, (a, b) in enumerate(zip(bounds[:-1].astype(int), bounds[1:].astype(int), strict=True)):
        piece, path = frame.iloc[a:b], folder / f"part{i}.{form}"
        if form == "parquet":
            pq.write_table(pa.Table.from_pandas(piece, preserve_index=False), path, 17)
        elif form == "csv":
            piece.to_csv(path, index=False)
        else:
            np.save(path, np.ascontiguousarray(piece.to_numpy(dtype=np.float32)))
    return str(folder / f"*.{form}")


READERS = {"parquet": RowBlocks.from_parquet, "csv": RowBlocks.from_csv}


def assert_same(one, other):
    for name in ("indices_", "relevance_", "scores_", "selection_frequency_"):
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    if hasattr(one, "feature_names_in_"):
        assert list(one.feature_names_in_) == list(other.feature_names_in_)


@pytest.mark.parametrize("block_rows", [None, 1, 10, 1000])
@pytest.mark.parametrize("form", READERS)
def test_named_columns(form, block_rows, tmp_path):
    frame = table()
    paths = write(frame, tmp_path, form)
    X, y = frame.drop(columns=["outcome", "weight"]), frame["outcome"]
    blocks = READERS[form](paths, target="outcome", weights="weight", block_rows=block_rows)
    for selector in (MRMR(3), FastEnsemble(MRMR(3), n_parts=4)):
        whole = selector.fit(X, y, sample_weight=frame["weight"])
        relevance, frequency = whole.relevance_, getattr(whole, "selection_frequency_", None)
        found = selector.fit(blocks)
        np.testing.assert_array_equal(relevance, found.relevance_)
        if frequency is not None:
            np.testing.assert_array_equal(frequency, found.selection_frequency_)
    assert list(found.feature_names_in_) == list(X.columns)
    if block_rows is not None:
        assert max(len(y) for _, y, _ in blocks) <= block_rows


@pytest.mark.parametrize("form", READERS)
def test_one_file_several_targets_and_columns_in_another_order(form, tmp_path):
    frame = table().drop(columns=["weight", "outcome"])
    write(frame, tmp_path, form, 1)
    (tmp_path / "more").mkdir()
    write(frame[frame.columns[::-1]], tmp_path / "more", form, 1)
    paths = [tmp_path / f"part0.{form}", tmp_path / "more" / f"part0.{form}"]
    whole = pd.concat([frame, frame])
    targets = ["c2", "c5"]
    found = MRMR(3).fit(READERS[form](paths, targets))
    assert_same(MRMR(3).fit(whole.drop(columns=targets), whole[targets]), found)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays(order, tmp_path):
    frame = table().drop(columns="outcome")
    y = np.arange(len(frame)) % 3
    paths = write(frame, tmp_path, "npy")
    for path in tmp_path.iterdir():
        np.save(path, np.asarray(np.load(path), order=order))
    np.save(tmp_path / "y.target", y)
    X = frame.to_numpy(dtype=np.float32)
    whole = MRMR(3).fit(X, y)
    for target in (y, list(y), tmp_path / "y.target.npy", str(tmp_path / "y.target.npy")):
        blocks = RowBlocks.from_npy(paths.replace("*", "part*"), target, block_rows=40)
        assert_same(whole, MRMR(3).fit(blocks))
    whole = MRMR(3).fit(X[:, 1:6], X[:, 0], sample_weight=X[:, 6])
    blocks = RowBlocks.from_npy(paths.replace("*", "part*"), 0, weights=-1)
    assert_same(whole, MRMR(3).fit(blocks))


def test_types_of_csv_are_those_of_all_rows(tmp_path):
    """A column is text, or has fractions, in its last row only."""
    n = 60
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"text": rng.integers(0, 3, n).astype(str), "y": np.arange(n) % 2})
    frame["number"] = [str(v) for v in rng.integers(0, 50, n - 1)] + ["0.5"]
    frame["whole"] = rng.integers(0, 3, n)
    frame.loc[n - 1, "text"] = "x"
    frame.to_csv(tmp_path / "t.csv", index=False)
    blocks = RowBlocks.from_csv(tmp_path / "t.csv", "y", block_rows=7)
    types = {str(X.schema.types) for X, _ in blocks}
    assert types == {"[DataType(string), DataType(double), DataType(int64)]"}
    data = blocks.make_data()
    np.testing.assert_array_equal(data.discrete, [True, False, True])
    discrete = RowBlocks.from_csv(tmp_path / "t.csv", ["y", "number"])
    again = pd.read_csv(tmp_path / "t.csv", dtype={"text": str})
    again["number"] = again["number"].astype(float)
    assert_same(JMI(1).fit(again[["text", "whole"]], again[["y", "number"]]), JMI(1).fit(discrete))


@pytest.mark.parametrize("form", READERS)
def test_errors_name_the_file(form, tmp_path):
    frame, read = table(), READERS[form]
    with pytest.raises(ValueError, match=r"nowhere\*: there is no such file"):
        read(str(tmp_path / "nowhere*"), "outcome")
    with pytest.raises(ValueError, match="paths is empty"):
        read([], "outcome")
    with pytest.raises(ValueError, match="is a directory"):
        read(tmp_path, "outcome")
    paths = write(frame, tmp_path, form)
    with pytest.raises(ValueError, match=r"part0\.\w+ has no column 'outcom'; did you mean 'outc"):
        read(paths, "outcom")
    with pytest.raises(ValueError, match="block_rows must be a positive int or None; got 0"):
        read(paths, "outcome", block_rows=0)
    write(frame[["outcome"]], tmp_path, form, 1)
    with pytest.raises(ValueError, match=r"part0\.\w+ has no columns besides the target"):
        read(tmp_path / f"part0.{form}", "outcome")
    write(frame.rename(columns={"c3": "d3"}), tmp_path, form, 1)
    with pytest.raises(ValueError, match=r"part1\.\w+ has no column 'd3'"):
        read(paths, "outcome")
    write(frame.drop(columns="c3"), tmp_path, form, 1)
    with pytest.raises(ValueError, match=r"part1\.\w+ has a column 'c3', which .*part0"):
        read(paths, "outcome")


def test_torn_files(tmp_path):
    frame = table()
    paths = write(frame, tmp_path, "parquet")
    blocks = RowBlocks.from_parquet(paths, "outcome")
    torn = tmp_path / "part2.parquet"
    content = torn.read_bytes()
    torn.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"part2\.parquet cannot be read"):
        RowBlocks.from_parquet(paths, "outcome")
    with pytest.raises(ValueError, match=r"part2\.parquet cannot be read"):
        MRMR(2).fit(blocks)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(ValueError, match=r"bad\.csv cannot be read"):
        RowBlocks.from_csv(tmp_path / "bad.csv", "a")


def test_bad_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((5, 3)))
    np.save(tmp_path / "b.npy", np.ones((5, 4)))
    np.save(tmp_path / "line.npy", np.ones(5))
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(ValueError, match=r"b\.npy has 4 columns, and .*a\.npy has 3"):
        RowBlocks.from_npy([tmp_path / "a.npy", tmp_path / "b.npy"], np.ones(10))
    with pytest.raises(ValueError, match=r"line\.npy must hold one array of rows and columns"):
        RowBlocks.from_npy(tmp_path / "line.npy", np.ones(5))
    with pytest.raises(ValueError, match=r"text\.npy cannot be read"):
        RowBlocks.from_npy(tmp_path / "text.npy", np.ones(5))
    with pytest.raises(ValueError, match="target has 4 values, and the files have 5 rows"):
        RowBlocks.from_npy(tmp_path / "a.npy", np.ones(4))
    with pytest.raises(ValueError, match="target=3, but the arrays have 3 columns"):
        RowBlocks.from_npy(tmp_path / "a.npy", 3)
    with pytest.raises(ValueError, match=r"weights \(.*b\.npy\) has 5 values"):
        RowBlocks.from_npy([tmp_path / "a.npy"] * 2, 0, weights=tmp_path / "b.npy")
