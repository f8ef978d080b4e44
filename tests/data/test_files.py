"""Tables from files: the same columns from every format, one clear line for what cannot be read."""

import datetime
import decimal
import importlib.util

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone

from ensfs import MRMR, FastEnsemble, RowBlocks
from ensfs.data import parquet_blocks
from ensfs.data.file_errors import FileError
from ensfs.data.files import read_table
from ensfs.data.table import make_table


def example():
    rng = np.random.default_rng(0)
    n = 80
    return pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "whole": rng.integers(0, 5, n),
            "whole as float": rng.integers(0, 5, n).astype(float),
            "large": rng.integers(0, 10**6, n),
            "text": rng.choice(["a b", "it's", 'say "x", y', "ö"], n),
            "flag": rng.choice([True, False], n),
            "y": rng.choice(["no", "yes"], n),
        }
    )


def quoted(value):
    if isinstance(value, (bool, np.bool_)) or isinstance(value, str):
        return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "?" if value is None or value != value else repr(float(value))


def write_arff(frame, path):
    lines = ["% a comment", "@RELATION test", ""]
    for name, column in frame.items():
        numeric = column.dtype.kind in "if"
        levels = sorted({str(v) for v in column if v is not None and v == v})
        kind = "NUMERIC" if numeric else "{" + ",".join(map(quoted, levels)) + "}"
        lines.append(f"@ATTRIBUTE {quoted(name)} {kind}")
    lines.append("@DATA")
    lines += [",".join(map(quoted, row)) for row in frame.itertuples(index=False)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


WRITERS = {
    "t.csv": lambda d, p: d.to_csv(p, index=False),
    "t.csv.gz": lambda d, p: d.to_csv(p, index=False),
    "t.tsv": lambda d, p: d.to_csv(p, index=False, sep="\t"),
    "t.TSV.gz": lambda d, p: d.to_csv(p, index=False, sep="\t", compression="gzip"),
    "t.arff": write_arff,
    "t.parquet": lambda d, p: d.to_parquet(p),
    "t.feather": lambda d, p: d.to_feather(p),
}


def plain(X):
    """Any frame as pandas with text for what is not a number."""
    frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
    return frame.apply(
        lambda c: c.astype(np.float64) if c.dtype.kind in "if" else c.astype(str).astype(object)
    )


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_columns(name, tmp_path):
    frame = example()
    WRITERS[name](frame, tmp_path / name)
    table = read_table(tmp_path / name, "y")
    assert table.names == frame.columns[:-1].tolist()
    assert table.n_rows == 80
    assert_frame_equal(plain(table.X), plain(frame.drop(columns="y")), check_exact=True)
    assert [str(v) for v in np.asarray(table.y)] == frame["y"].tolist()
    kinds = {c: np.asarray(table.X[c]).dtype.kind for c in ("real", "whole", "whole as float")}
    assert kinds == {"real": "f", "whole": "i", "whole as float": "i"}


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def library(request, monkeypatch):
    """Each of the libraries as if it were the only one."""
    others = {"pandas", "polars", "pyarrow"} - {request.param}
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in others else find(name)
    )
    return request.param


@pytest.mark.parametrize("name", WRITERS)
def test_every_library_reads_the_same(name, library, tmp_path):
    if library == "pandas" and name in ("t.parquet", "t.feather"):
        pytest.skip("pandas reads these with pyarrow, which is asked itself")
    frame = example()
    WRITERS[name](frame, tmp_path / name)
    table = read_table(tmp_path / name, "y")
    assert type(table.X).__module__.split(".")[0] == library
    expected = MRMR(3).fit(frame.drop(columns="y").astype({"whole as float": int}), frame["y"])
    found = MRMR(3).fit(table.X, table.y)
    np.testing.assert_array_equal(found.indices_, expected.indices_)
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_without_any_library_the_message_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileError, match=r"pandas, polars, pyarrow.*pip install"):
        read_table(tmp_path / "t.csv", "y")


# ---------------------------------------- what cells hold

#: Cells of a text file, and the values that they are.
CELLS = {
    "spaces": ([" 7.5", "8 ", "\t9.25"], [7.5, 8.0, 9.25]),
    "whole": (["+5", " 06", "-7"], [5, 6, -7]),
    "points": (["5.e3", ".5", "+1E-2"], [5000.0, 0.5, 0.01]),
    "infinities": (["Infinity", "-inf", "1.5"], [np.inf, -np.inf, 1.5]),
    "hexadecimal": (["0x1f", "0x2a", "0X3B"], ["0x1f", "0x2a", "0X3B"]),
    "not in digits": (["\u0663", "\u0664", "\u0665"], ["\u0663", "\u0664", "\u0665"]),
    "booleans": (["TRUE", "false", " True"], [True, False, True]),
    "boolean and number": (["true", "0", "1"], ["true", "0", "1"]),
    "no number": (["NAN", "-nan", "1.5"], ["NAN", "-nan", "1.5"]),
    "too precise for floats": (
        ["9007199254740993", "9007199254740992", "+3"],
        [9007199254740993, 9007199254740992, 3],
    ),
    "unsigned": (
        ["18446744073709551615", "9223372036854775808", "1"],
        [18446744073709551615, 9223372036854775808, 1],
    ),
    "large floats": (["1e300", "100000000000000000001", "0.5"], [1e300, 1e20, 0.5]),
    "text": ([" a", "a", "1_000"], [" a", "a", "1_000"]),
    "no dates": (["2020-01-05", "2020-13-01", "12:00"], ["2020-01-05", "2020-13-01", "12:00"]),
}


def write_cells(path, cells):
    rows = [",".join(cells), *(",".join(row) for row in zip(*cells.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def values_of(table):
    """The values of a table as Python writes them, which tells 1, 1.0 and True apart."""
    frame = nw.from_native(table.X, eager_only=True)
    return {name: [repr(each) for each in frame[name].to_list()] for name in table.names}


def test_cells_are_the_same_in_every_library_and_in_parquet(library, tmp_path):
    y = ["no", "yes", "no"]
    write_cells(tmp_path / "t.csv", {name: cells for name, (cells, _) in CELLS.items()} | {"y": y})
    expected = {name: [repr(each) for each in values] for name, (_, values) in CELLS.items()}
    assert values_of(read_table(tmp_path / "t.csv", "y")) == expected
    if library != "pandas":
        typed = {name: values for name, (_, values) in CELLS.items()} | {"y": y}
        typed["unsigned"] = pa.array(typed["unsigned"], pa.uint64())
        pq.write_table(pa.table(typed), tmp_path / "t.parquet")
        assert values_of(read_table(tmp_path / "t.parquet", "y")) == expected


@pytest.mark.parametrize("name", CELLS)
def test_cells_beside_missing_ones(name, library, tmp_path):
    cells, values = CELLS[name]
    here = {"a": [*cells, "", " NA", "?"], "y": list("uvuvuv")}
    write_cells(tmp_path / "t.csv", here)
    with pytest.raises(FileError, match="column 'a' has 3 missing value"):
        read_table(tmp_path / "t.csv", "y")
    found = read_table(tmp_path / "t.csv", "y", missing="rows")
    assert values_of(found) == {"a": [repr(each) for each in values]}


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        (["2020-01-05", " 2021-02-06"], datetime.date(2020, 1, 5)),
        (["2020-01-05 12:30", "2020-01-05"], datetime.datetime(2020, 1, 5, 12, 30)),
        (["2020-01-05T12:30:01.5Z", "2020-01-05T12:30+02:00"], datetime.datetime(2020, 1, 5)),
        (["12:05:00", "12:06"], datetime.time(12, 5)),
    ],
)
def test_dates_are_an_error_in_every_format(cells, value, library, tmp_path):
    y = ["no", "yes"] * 10
    write_cells(tmp_path / "t.csv", {"a": ["1", "2"] * 10, "when": cells * 10, "y": y})
    pq.write_table(pa.table({"a": [1, 2] * 10, "when": [value] * 20, "y": y}), tmp_path / "t.pq")
    for path in [tmp_path / "t.csv"] + [tmp_path / "t.pq"] * (library != "pandas"):
        table = read_table(path, "y")
        with pytest.raises(ValueError, match="column 'when' holds dates or durations"):
            MRMR(1).fit(table.X, table.y)
        assert read_table(path, "y", drop=["when"]).names == ["a"]


@pytest.mark.parametrize("digits", [21, 30, 38])
def test_integers_beyond_64_bits_are_an_error_in_every_format(digits, library, tmp_path):
    ids = [10 ** (digits - 1) + i for i in range(40)]
    y = ["no", "yes"] * 20
    write_cells(tmp_path / "t.csv", {"a": ["1", "2"] * 20, "id": [*map(str, ids)], "y": y})
    exact = pa.array([decimal.Decimal(i) for i in ids], pa.decimal128(38, 0))
    pq.write_table(pa.table({"a": [1, 2] * 20, "id": exact, "y": y}), tmp_path / "t.pq")
    for path in [tmp_path / "t.csv"] + [tmp_path / "t.pq"] * (library != "pandas"):
        with pytest.raises(FileError, match=r"column 'id' holds integers beyond 64 bits, such as"):
            read_table(path, "y")
        assert read_table(path, "y", drop=["id"]).names == ["a"]


def test_decimals_keep_their_digits(tmp_path):
    exact = pa.array([decimal.Decimal(2**53 + i) for i in range(3)], pa.decimal128(20, 0))
    pq.write_table(pa.table({"a": exact, "y": [0, 1, 0]}), tmp_path / "t.parquet")
    found = values_of(read_table(tmp_path / "t.parquet", "y"))
    assert found == {"a": [str(2**53 + i) for i in range(3)]}


# ---------------------------------------- missing values

MISSING_WRITERS = {
    "t.csv": WRITERS["t.csv"],
    "t.tsv": lambda d, p: d.to_csv(p, index=False, sep="\t", na_rep="?"),
    "t.arff": write_arff,
    "t.parquet": WRITERS["t.parquet"],
}


@pytest.mark.parametrize("name", MISSING_WRITERS)
def test_missing_values(name, tmp_path):
    frame = example()
    frame.loc[3, "real"] = np.nan
    frame["text"] = frame["text"].astype(object)
    frame.loc[[3, 5], "text"] = None
    MISSING_WRITERS[name](frame, tmp_path / name)
    with pytest.raises(FileError, match=r"column 'real' has 1 missing value.*1 more column"):
        read_table(tmp_path / name, "y")
    rows = read_table(tmp_path / name, "y", missing="rows")
    assert rows.n_rows == 78
    assert_frame_equal(
        plain(rows.X).reset_index(drop=True),
        plain(frame.drop(columns="y").drop(index=[3, 5])).reset_index(drop=True),
    )
    columns = read_table(tmp_path / name, "y", missing="columns")
    assert columns.names == ["whole", "whole as float", "large", "flag"]
    assert columns.n_rows == 80
    with pytest.raises(FileError, match="the target 'text' has 2 missing"):
        read_table(tmp_path / name, "text", missing="columns")


def test_nothing_is_left(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,,x\n,2,z\n")
    with pytest.raises(FileError, match="every row has a missing value"):
        read_table(tmp_path / "t.csv", "y", missing="rows")
    with pytest.raises(FileError, match="no columns besides the target"):
        read_table(tmp_path / "t.csv", "y", missing="columns")


# ---------------------------------------- files that cannot be used


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\xff\xfe\x00", "is not UTF-8"),
        ("t.csv", b"a,y\n", "has no rows"),
        ("t.csv", b"y\n1\n", "no columns besides"),
        ("t.csv", b"a,a,y\n1,2,3\n", "must be unique; more than once: 'a'"),
        ("t.csv", b"a,y\n1,2\n1,2,3\n", "cannot be read"),
        ("t.csv", b"a,b\n1,2\n", r"no column 'y'. Its columns are 'a', 'b'"),
        ("t.csv", b"a,Y\n1,2\n", "has no column 'y'"),
        ("t.csv.gz", b"a,y\n1,2\n", "Not a gzipped file"),
        ("t.arff", b"a,y\n1,2\n", "not a valid ARFF"),
        (
            "t.arff",
            b"@relation r\n@attribute a {u}\n@attribute y real\n@data\nv,1\n",
            "not a valid",
        ),
        ("t.parquet", b"PAR1", "cannot be read"),
        ("t.feather", b"nothing", "cannot be read"),
        ("t.xlsx", b"", "ending of the name"),
        ("t.parquet.gz", b"", "ending of the name"),
    ],
)
def test_a_file_that_cannot_be_used(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises((FileError, OSError), match=message) as caught:
        read_table(tmp_path / name, "y")
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read_table(tmp_path / "t.csv", "y")
    with pytest.raises(FileError, match="directory"):
        read_table(tmp_path, "y")


def test_close_names_are_offered(tmp_path):
    (tmp_path / "t.csv").write_text("age,outcome\n1,2\n")
    with pytest.raises(FileError, match="did you mean 'outcome'"):
        read_table(tmp_path / "t.csv", "outcom")


def test_a_byte_order_mark_is_no_part_of_a_name(library, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfa,y\n1,2\n3,4\n")
    assert read_table(tmp_path / "t.csv", "y").names == ["a"]


def test_dropped_columns(tmp_path):
    example().to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", "y", drop=["text", "flag"])
    assert table.names == ["real", "whole", "whole as float", "large"]
    with pytest.raises(FileError, match="no column 'nothing'"):
        read_table(tmp_path / "t.csv", "y", drop=["nothing"])


def test_the_target_cannot_be_dropped(tmp_path):
    example().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(FileError, match="--drop names the target 'y'"):
        read_table(tmp_path / "t.csv", "y", drop=["text", "y"])


def test_without_a_target(tmp_path):
    frame = example()
    frame.loc[3, "real"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", None, drop=["text"], missing="columns")
    assert table.names == ["whole", "whole as float", "large", "flag", "y"]
    assert (table.y, table.target) == (None, None)
    with pytest.raises(FileError, match="has no columns left"):
        read_table(tmp_path / "t.csv", None, drop=frame.columns.tolist())
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(FileError, match="without a target, the table has to be in memory"):
        read_table(tmp_path / "t.parquet", None, block_rows=20)


# ---------------------------------------- blocks


def numbers(n=230):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
    # few distinct values in the first block, many later
    X["late"] = np.where(np.arange(n) < 60, np.arange(n) % 3, np.arange(n)).astype(float)
    return X.assign(y=rng.integers(0, 2, n))


@pytest.mark.parametrize("block_rows", [17, 60, 1000])
def test_blocks_give_what_the_whole_file_gives(block_rows, tmp_path):
    numbers().to_parquet(tmp_path / "t.parquet", row_group_size=50)
    whole = read_table(tmp_path / "t.parquet", "y")
    blocks = read_table(tmp_path / "t.parquet", "y", block_rows=block_rows)
    assert (blocks.n_rows, blocks.names, blocks.X, blocks.y) == (230, whole.names, None, None)
    expected = FastEnsemble(MRMR(4), n_parts=5).fit(whole.X, whole.y)
    found = FastEnsemble(MRMR(4), n_parts=5).fit(RowBlocks(blocks.blocks))
    np.testing.assert_array_equal(found.part_selections_, expected.part_selections_)
    np.testing.assert_array_equal(found.relevance_, expected.relevance_)


def test_kinds_are_those_of_the_whole_file(tmp_path):
    frame = example().drop(columns="real")
    frame.loc[79, "whole as float"] = 0.5
    frame["row"] = np.arange(80)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=20)
    table = read_table(tmp_path / "t.parquet", "y", block_rows=20)
    kinds = RowBlocks(table.blocks).make_data().discrete
    discrete = dict(zip(table.names, kinds.tolist(), strict=True))
    assert discrete == {
        "whole": True, "whole as float": False, "large": False, "text": True, "flag": True,
        "row": False,
    }  # fmt: skip


def test_rare_types_of_numbers_in_blocks(tmp_path):
    """Integers beyond int64, half precision, decimals: in blocks as in memory."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    x = rng.normal(size=90) + y
    huge = np.uint64(2**63) + rng.integers(0, 2**50, 90).astype(np.uint64)
    columns = {
        "huge": huge + y.astype(np.uint64) * np.uint64(2**49),
        "huge and few": np.uint64(2**63) + rng.integers(0, 3, 90).astype(np.uint64),
        "half": (x + y).astype(np.float16),
        "whole halves": np.rint(30 * x).astype(np.float16),
        "decimal": [decimal.Decimal(round(100 * v)) / 100 for v in x],
        "y": y,
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    whole = read_table(tmp_path / "t.parquet", "y")
    blocks = RowBlocks(read_table(tmp_path / "t.parquet", "y", block_rows=20).blocks)
    assert blocks.make_data().discrete.tolist() == make_table(whole.X).discrete.tolist()
    for selector in (MRMR(3, scheme="FCQ"), FastEnsemble(MRMR(3, scheme="FCD"), n_parts=3)):
        expected = clone(selector).fit(whole.X, whole.y)
        found = selector.fit(blocks)
        np.testing.assert_array_equal(found.relevance_, expected.relevance_)
        np.testing.assert_array_equal(found.indices_, expected.indices_)


def test_large_files_are_read_in_blocks_by_themselves(tmp_path, monkeypatch):
    numbers().to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", "y").blocks is None
    monkeypatch.setattr(parquet_blocks, "free_memory", lambda: 30_000)
    assert read_table(tmp_path / "t.parquet", "y").blocks is not None
    monkeypatch.setattr(parquet_blocks, "free_memory", lambda: None)
    assert read_table(tmp_path / "t.parquet", "y").blocks is None


def test_errors_of_blocks(tmp_path):
    frame = numbers()
    frame.loc[100, "b"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(FileError, match="column 'b' has 1 missing"):
        read_table(tmp_path / "t.parquet", "y", block_rows=30)
    with pytest.raises(FileError, match="in memory"):
        read_table(tmp_path / "t.parquet", "y", block_rows=30, missing="rows")
    with pytest.raises(FileError, match="no column 'z'"):
        read_table(tmp_path / "t.parquet", "z", block_rows=30)
    frame.to_csv(tmp_path / "t.csv")
    with pytest.raises(FileError, match="Only Parquet"):
        read_table(tmp_path / "t.csv", "y", block_rows=30)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    with pytest.raises(FileError, match="cannot be read"):
        read_table(tmp_path / "bad.parquet", "y", block_rows=30)
