"""Tables from files: CSV, TSV, ARFF, Parquet and Feather, read to the same columns from each.

A number is a number in every format: columns of whole numbers become integers even where a format
wrote them with a decimal point, so that the same table gives the same selection from any file.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import importlib.util
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import narwhals.stable.v1 as nw
import numpy as np

from ensfs._utils.sklearn import ArffException, load_arff
from ensfs.data.columns import wide_message
from ensfs.data.encode import FEW
from ensfs.data.text_types import MISSING, typed
from ensfs.scale import RowBlocks

#: Tables that take more than this share of the free memory are read in blocks where that is
#: possible: reading and selecting need the table about twice.
SHARE_OF_MEMORY = 0.4

#: Cells of a block when nobody says how many rows it has.
BLOCK_CELLS = 1 << 24

#: Above this, floats do not hold every whole number.
_LARGEST_WHOLE = 2.0**53


class FileError(ValueError):
    """A file that cannot be used; the message is one line that says why."""


@dataclass
class FileTable:
    """A table from a file.

    Attributes
    ----------
    X : data frame or RowBlocks
        The columns without the target; blocks bring their part of it.
    y : series or None
        The target; None for blocks, and without a target.
    names : list of str
        Names of the columns of `X`.
    target : str or None
        Name of the target.
    n_rows : int
        Number of rows.
    discrete : ndarray of bool or None
        Which columns hold discrete values, where the first block cannot tell.
    """

    X: Any
    y: Any
    names: list[str]
    target: str | None
    n_rows: int
    discrete: np.ndarray | None = None


def read_table(
    path: str | os.PathLike[str],
    target: str | None,
    *,
    drop: list[str] | None = None,
    missing: str = "error",
    block_rows: int | None = None,
) -> FileTable:
    """Read a table and its target.

    Parameters
    ----------
    path : str or path
        The ending says what it is: ``.csv``, ``.tsv``, ``.tab``, ``.arff`` (each also with
        ``.gz``), ``.parquet``, ``.pq``, ``.feather``, ``.arrow`` or ``.ipc``.
    target : str or None
        Name of the column to predict, if there is one.
    drop : list of str, optional
        Columns to leave out.
    missing : {"error", "rows", "columns"}, default="error"
        Whether missing values are an error, or rows or columns with any are left out.
    block_rows : int, optional
        Read a Parquet file in blocks of so many rows; by default only if it is large for the
        memory there is.

    Returns
    -------
    FileTable
    """
    path, drop = Path(path), drop or []
    if target in drop:
        raise FileError(f"--drop names the target {target!r}, which cannot be left out.")
    if not path.exists():
        raise FileError(f"{path}: there is no such file.")
    if path.is_dir():
        raise FileError(f"{path} is a directory, not a table.")
    suffix = _suffix(path)
    if block_rows is not None and suffix not in PARQUET:
        raise FileError(f"Only Parquet files are read in blocks; {path} is not one.")
    if suffix in PARQUET and (block_rows is not None or _too_large(path)):
        return _read_blocks(path, target, drop, missing, block_rows)
    try:
        frame = nw.from_native(READERS[suffix](path), eager_only=True)
    except FileError:
        raise
    except MemoryError:
        raise FileError(f"{path} does not fit into the memory.") from None
    except Exception as error:  # whatever a reader says about a file that it cannot read
        raise FileError(f"{path} cannot be read: {_one_line(error)}") from error
    _check_names(list(frame.columns), path)
    for name in drop if target is None else [target, *drop]:
        _check_column(name, list(frame.columns), path)
    if frame.shape[0] == 0:
        raise FileError(f"{path} has no rows.")
    frame = frame.select([name for name in frame.columns if name not in set(drop)])
    if suffix in SEPARATORS:
        frame = _typed_by_us(frame, path)
    frame = _plain_numbers(_without_missing(frame, target, missing, path), path)
    names = [name for name in frame.columns if name != target]
    if not names:
        rest = "left" if target is None else "besides the target"
        raise FileError(f"{path} has no columns {rest}.")
    y = None if target is None else frame[target].to_native()
    return FileTable(frame.select(names).to_native(), y, names, target, frame.shape[0])


# ------------------------------------------------------------------ formats


def _suffix(path: Path) -> str:
    """The ending that names the format, without ``.gz``."""
    name = path.name.lower()
    packed = name.endswith(".gz")
    suffix = os.path.splitext(name.removesuffix(".gz"))[1]
    if suffix not in READERS or (packed and suffix not in TEXT):
        known = ", ".join(
            [*(f"{each}[.gz]" for each in TEXT), *(s for s in READERS if s not in TEXT)]
        )
        raise FileError(f"{path}: the ending of the name must be one of {known}.")
    return suffix


def _open(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def _library(*names: str) -> str:
    """The first of some libraries that is installed."""
    for name in names:
        if importlib.util.find_spec(name) is not None:
            return name
    raise FileError(
        f"Reading this file needs one of {', '.join(names)}. Install one, for example with "
        "pip install 'ensfs[arrow]'."
    )


def _read_separated(path: Path) -> Any:
    header = _header(path)
    _check_names(header, path)
    return _parse(path, header)


def _parse(path: Path, header: list[str], text: list[str] | None = None) -> Any:
    """A table as a library reads it, or the cells of some columns as text."""
    parse = {"pandas": _parse_pandas, "polars": _parse_polars, "pyarrow": _parse_pyarrow}
    library = _library(*parse)
    with _open(path) as file:
        return parse[library](file, SEPARATORS[_suffix(path)], header, text)


def _parse_pandas(file: BinaryIO, separator: str, header: list[str], text: list[str] | None) -> Any:
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(
            file, sep=separator, na_values=MISSING, keep_default_na=False, header=0, names=header,
            index_col=False, low_memory=False, encoding="utf-8-sig", usecols=text,
            dtype=None if text is None else str,
        )  # fmt: skip


def _parse_polars(file: BinaryIO, separator: str, header: list[str], text: list[str] | None) -> Any:
    import polars as pl

    def read(**options: Any) -> Any:
        return pl.read_csv(file, separator=separator, null_values=MISSING, **options)

    if text is not None:
        return read(columns=text, infer_schema=False)
    try:
        return read(infer_schema_length=None)
    except pl.exceptions.ComputeError:  # takes digits of any script and length for numbers
        file.seek(0)
        return read(infer_schema=False)


def _parse_pyarrow(
    file: BinaryIO, separator: str, header: list[str], text: list[str] | None
) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pc

    content = file.read()
    if text is None and (b"0x" in content or b"0X" in content):
        text = header  # it would read hexadecimal digits as numbers, which nobody else does
    return pc.read_csv(
        pa.BufferReader(content),
        # types are guessed from the first block: let it be the whole file
        pc.ReadOptions(block_size=min(max(len(content) + 1, 1 << 20), 2**31 - 1)),
        pc.ParseOptions(delimiter=separator),
        pc.ConvertOptions(
            null_values=MISSING, strings_can_be_null=True, include_columns=text,
            column_types=dict.fromkeys(text or [], pa.string()),
            true_values=["true"], false_values=["false"],  # and not 1 and 0
        ),
    )  # fmt: skip


def _header(path: Path) -> list[str]:
    """The names in the first line of a text file."""
    with _open(path) as file:
        lines = (line.decode("utf-8-sig") for line in file)
        try:
            return next(csv.reader(lines, delimiter=SEPARATORS[_suffix(path)]))
        except StopIteration:
            raise FileError(f"{path} is empty.") from None
        except UnicodeDecodeError:
            raise FileError(f"{path} is not UTF-8 text.") from None


def _read_arff(path: Path) -> Any:
    with _open(path) as file:
        text = (line.decode("utf-8-sig") for line in file)
        try:
            loaded = load_arff(text)
        except UnicodeDecodeError:
            raise FileError(f"{path} is not UTF-8 text.") from None
        except (ArffException, StopIteration) as error:
            raise FileError(f"{path} is not a valid ARFF file: {_one_line(error)}") from None
    names = [str(name) for name, _ in loaded["attributes"]]
    _check_names(names, path)
    columns = list(zip(*loaded["data"], strict=True)) or [()] * len(names)
    data: dict[str, Any] = {}
    for (_, kind), name, values in zip(loaded["attributes"], names, columns, strict=True):
        numeric = isinstance(kind, str) and kind.upper() in ("NUMERIC", "REAL", "INTEGER")
        data[name] = (
            np.array([np.nan if v is None else v for v in values], dtype=np.float64)
            if numeric
            else [None if v is None else str(v) for v in values]
        )
    library: Any = _library("pandas", "polars", "pyarrow")
    return nw.from_dict(data, backend=library).to_native()


def _read_parquet(path: Path) -> Any:
    if _library("pyarrow", "polars") == "pyarrow":
        import pyarrow.parquet as pq

        return pq.ParquetFile(path).read()
    import polars as pl

    return pl.read_parquet(path)


def _read_feather(path: Path) -> Any:
    if _library("pyarrow", "polars") == "pyarrow":
        import pyarrow.feather as feather

        return feather.read_table(path)
    import polars as pl

    return pl.read_ipc(path)


SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
TEXT = (*SEPARATORS, ".arff")
PARQUET = (".parquet", ".pq")
READERS: dict[str, Callable[[Path], Any]] = {
    **dict.fromkeys(SEPARATORS, _read_separated),
    ".arff": _read_arff,
    **dict.fromkeys(PARQUET, _read_parquet),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), _read_feather),
}


# ------------------------------------------------------------------ columns


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."


def _check_names(names: list[str], path: Path) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(f"{path}: column names must be unique; more than once: {_list(twice)}.")


def _check_column(name: str, names: list[str], path: Path) -> None:
    if name in names:
        return
    close = difflib.get_close_matches(name, names, 1) if len(names) <= 10_000 else []
    hint = f"; did you mean {close[0]!r}?" if close else f". Its columns are {_list(names)}."
    raise FileError(f"{path} has no column {name!r}{hint}")


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _typed_by_us(frame: Any, path: Path) -> Any:
    """The columns of a text file that libraries may read differently, by one rule."""
    schema = frame.schema
    names = [name for name, dtype in schema.items() if dtype == nw.String]
    text = frame.select(names).iter_columns() if names else ()
    columns = [found for each in text if (found := _typed_column(each, path)) is not each]
    doubtful = _doubtful(frame, schema)
    if doubtful:
        again = nw.from_native(_parse(path, _header(path), doubtful), eager_only=True)
        columns += [_typed_column(again[name], path) for name in doubtful]
    return frame.with_columns(*columns) if columns else frame


def _typed_column(column: Any, path: Path) -> Any:
    try:
        return typed(column)
    except OverflowError as error:
        raise FileError(f"{path}: {wide_message(f'column {column.name!r}', error)}") from None


def _doubtful(frame: Any, schema: Any) -> list[str]:
    """Columns of a text file, other than text, that may not be what a library takes them for."""
    settled = (nw.String, nw.Boolean, nw.Int64, nw.UInt64)
    sure = {name for name, dtype in schema.items() if dtype in settled}
    floats = [name for name, dtype in schema.items() if dtype == nw.Float64]
    if floats:
        sure.update(np.array(floats, dtype=object)[_sure_floats(frame.select(floats))])
    return [name for name in schema if name not in sure]


def _sure_floats(frame: Any) -> np.ndarray:
    """Which columns of floats hold no more than the cells said."""
    values = frame.to_numpy()
    # integers with too many digits for a float are larger than this
    sure = ~(np.fmax(np.fmax.reduce(values), -np.fmin.reduce(values)) >= _LARGEST_WHOLE)
    n_nan = np.isnan(values).sum(axis=0)
    for j in np.nonzero(n_nan)[0]:
        # pyarrow takes a cell such as NAN for a number that is none, others for text
        sure[j] &= n_nan[j] == frame[frame.columns[j]].null_count()
    return sure


def _missing_masks(frame: Any) -> dict[str, np.ndarray]:
    """Masks of the missing values of the columns that have any."""
    masks: dict[str, np.ndarray] = {}
    schema = frame.schema
    floats = [name for name, dtype in schema.items() if dtype.is_float()]
    whole = [name for name, dtype in schema.items() if dtype in (nw.Int64, nw.UInt64)]
    others = set(schema)
    for names in filter(None, (floats, whole)):  # all at once: tables may have many
        values = frame.select(names).to_numpy()
        if values.dtype.kind in "iuf":
            others.difference_update(names)
        if values.dtype.kind == "f":
            absent = np.isnan(values)
            masks |= {names[j]: absent[:, j] for j in np.nonzero(absent.any(axis=0))[0]}
    for each in frame.iter_columns():
        if each.name in others and each.null_count():
            masks[each.name] = each.is_null().to_numpy().astype(bool)
    return {name: masks[name] for name in schema if name in masks}


def _without_missing(frame: Any, target: str | None, missing: str, path: Path) -> Any:
    """The frame without the rows or columns that have missing values, or an error."""
    masks = _missing_masks(frame)
    if not masks:
        return frame
    if missing == "error":
        name, mask = next(iter(masks.items()))
        more = f", and so have {len(masks) - 1} more column(s)" if len(masks) > 1 else ""
        raise FileError(
            f"{path}: column {name!r} has {int(mask.sum())} missing value(s){more}. Fill them in, "
            "or leave them out with --missing rows or --missing columns."
        )
    if missing == "columns":
        if target in masks:
            raise FileError(
                f"{path}: the target {target!r} has {int(masks[target].sum())} missing value(s). "
                "Use --missing rows."
            )
        return frame.select([name for name in frame.columns if name not in masks])
    keep = ~np.logical_or.reduce(list(masks.values()))
    if not keep.any():
        raise FileError(f"{path}: every row has a missing value. Use --missing columns.")
    return frame.filter(keep.tolist())


def _plain_numbers(frame: Any, path: Path) -> Any:
    """Whole numbers as integers and decimals as floats, whatever the file has them as."""
    decimals = [name for name, dtype in frame.schema.items() if dtype == nw.Decimal]
    if decimals:
        frame = frame.with_columns(*(_plain_decimals(frame[name], path) for name in decimals))
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    if not floats:
        return frame
    whole = _whole(frame.select(floats).to_numpy())
    chosen = [name for name, is_whole in zip(floats, whole, strict=True) if is_whole]
    return frame.with_columns(nw.col(chosen).cast(nw.Int64)) if chosen else frame


def _plain_decimals(column: Any, path: Path) -> Any:
    """Decimals as floats, or as integers where these have more digits than floats."""
    floats = column.cast(nw.Float64)
    if np.abs(floats.to_numpy()).max() < _LARGEST_WHOLE:
        return floats
    return _typed_column(column.cast(nw.String), path)


def _whole(values: np.ndarray) -> np.ndarray:
    """Which columns hold whole numbers only."""
    with np.errstate(invalid="ignore"):
        return ((values == np.rint(values)) & (np.abs(values) < _LARGEST_WHOLE)).all(axis=0)


# ------------------------------------------------------------------ blocks


def _free_memory() -> int | None:
    """Bytes of memory that can be had, if the system says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return None


def _too_large(path: Path) -> bool:
    """Whether a Parquet file would take much of the memory."""
    free = _free_memory()
    if free is None or importlib.util.find_spec("pyarrow") is None:
        return False
    import pyarrow.parquet as pq

    try:
        metadata = pq.ParquetFile(path).metadata
    except Exception:  # the reader will say what is wrong with it
        return False
    return 8 * metadata.num_rows * metadata.num_columns > SHARE_OF_MEMORY * free


def _read_blocks(
    path: Path, target: str | None, drop: list[str], missing: str, block_rows: int | None
) -> FileTable:
    """A Parquet file as row blocks; one reading tells the kinds of the columns."""
    if target is None:
        raise FileError(f"{path}: without a target, the table has to be in memory, not in blocks.")
    _library("pyarrow")
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except Exception as error:
        raise FileError(f"{path} cannot be read: {_one_line(error)}") from error
    every = list(file.schema_arrow.names)
    _check_names(every, path)
    for name in [target, *drop]:
        _check_column(name, every, path)
    if missing != "error":
        raise FileError("--missing rows and columns need the table in memory, not in blocks.")
    names = [name for name in every if name != target and name not in drop]
    if not names:
        raise FileError(f"{path} has no columns besides the target.")
    n_rows = file.metadata.num_rows
    if n_rows == 0:
        raise FileError(f"{path} has no rows.")
    size = block_rows or max(1000, BLOCK_CELLS // (len(names) + 1))

    def batches() -> Iterator[Any]:
        import pyarrow as pa

        source = pq.ParquetFile(path)
        for batch in source.iter_batches(batch_size=size, columns=[*names, target]):
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)

    kinds = _Kinds([*names, target])
    for frame in batches():
        _without_missing(frame, target, "error", path)
        kinds.add(frame)

    def blocks() -> Iterator[tuple[Any, Any]]:
        for frame in batches():
            frame = kinds.apply(frame)
            yield frame.select(names).to_native(), frame[target].to_native()

    return FileTable(RowBlocks(blocks), None, names, target, n_rows, kinds.discrete(names))


class _Kinds:
    """Which columns of a table in blocks hold whole numbers, and which of these few."""

    def __init__(self, names: list[str]):
        self.names = names
        self.numbers: dict[str, bool] = {}  # whole so far?
        self.values: dict[str, set[int]] = {}  # distinct whole numbers, while few

    def add(self, frame: Any) -> None:
        for name, dtype in frame.schema.items():
            if not (dtype.is_float() or dtype.is_integer() or dtype == nw.Decimal):
                continue
            if not self.numbers.setdefault(name, True):
                continue
            values = frame[name].cast(nw.Float64).to_numpy() if dtype == nw.Decimal else (
                frame[name].to_numpy()
            )  # fmt: skip
            if dtype.is_integer() or _whole(values[:, None])[0]:
                seen = self.values.setdefault(name, set())
                if len(seen) <= FEW:
                    seen.update(np.unique(values).tolist())
            else:
                self.numbers[name] = False

    def apply(self, frame: Any) -> Any:
        """A block with whole numbers as integers and other numbers as floats."""
        here = [name for name in self.numbers if name in frame.columns]
        whole = [name for name in here if self.numbers[name]]
        other = [name for name in here if not self.numbers[name]]
        if whole:
            frame = frame.with_columns(nw.col(whole).cast(nw.Int64))
        return frame.with_columns(nw.col(other).cast(nw.Float64)) if other else frame

    def discrete(self, names: list[str]) -> np.ndarray:
        """Mask of the discrete columns by the rule for tables in memory."""
        return np.array(
            [
                name not in self.numbers
                or (self.numbers[name] and len(self.values.get(name, ())) <= FEW)
                for name in names
            ]
        )
