"""Readers of the file formats: CSV, TSV, ARFF, Parquet and Feather, as data frames of a library."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import narwhals.stable.v1 as nw
import numpy as np

from ensfs._utils.sklearn import ArffException, load_arff
from ensfs.data.file_errors import FileError, check_names, reason_of
from ensfs.data.text_types import MISSING


def suffix_of(path: Path) -> str:
    """The ending that names the format, without ``.gz``."""
    name = path.name.lower()
    packed = name.endswith(".gz")
    suffix = os.path.splitext(name.removesuffix(".gz"))[1]
    if suffix not in READERS or (packed and suffix not in TEXT):
        known = ", ".join(
            [*(f"{each}[.gz]" for each in TEXT), *(s for s in READERS if s not in TEXT)]
        )
        raise FileError(
            f"{path}: the ending of the name must be one of {known}; or .npz or .svm[.gz] of a "
            "sparse table."
        )
    return suffix


def _open(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def first_installed(*names: str) -> str:
    """The first of some libraries that is installed."""
    for name in names:
        if importlib.util.find_spec(name) is not None:
            return name
    raise FileError(
        f"Reading this file needs one of {', '.join(names)}. Install one, for example with "
        "pip install 'ensfs[arrow]'."
    )


def _read_separated(path: Path) -> Any:
    header = _read_header(path)
    check_names(header, path)
    return _parse(path, header)


def read_as_text(path: Path, columns: list[str]) -> Any:
    """The cells of some columns of a CSV or TSV file as text."""
    return _parse(path, _read_header(path), columns)


def _parse(path: Path, header: list[str], text: list[str] | None = None) -> Any:
    """A table as a library reads it, or the cells of some columns as text."""
    parsers = {"pandas": _parse_pandas, "polars": _parse_polars, "pyarrow": _parse_pyarrow}
    library = first_installed(*parsers)
    with _open(path) as file:
        return parsers[library](file, SEPARATORS[suffix_of(path)], header, text)


def _parse_pandas(file: BinaryIO, separator: str, header: list[str], text: list[str] | None) -> Any:
    import pandas as pd

    # before 3 the default rounds some numbers to another last digit
    exact = {} if int(pd.__version__.partition(".")[0]) >= 3 else {"float_precision": "round_trip"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            file, sep=separator, na_values=MISSING, keep_default_na=False, header=0, names=header,
            index_col=False, low_memory=False, encoding="utf-8-sig", usecols=text,
            dtype=None if text is None else str, **exact,
        )  # fmt: skip
    return frame.copy()  # every column has been an array of its own, which makes each step slow


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
        text = header  # pyarrow alone would read hexadecimal digits as numbers
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


def _read_header(path: Path) -> list[str]:
    """The names in the first line of a text file."""
    with _open(path) as file:
        lines = (line.decode("utf-8-sig") for line in file)
        try:
            return next(csv.reader(lines, delimiter=SEPARATORS[suffix_of(path)]))
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
            raise FileError(f"{path} is not a valid ARFF file: {reason_of(error)}") from None
    names = [str(name) for name, _ in loaded["attributes"]]
    check_names(names, path)
    columns = list(zip(*loaded["data"], strict=True)) or [()] * len(names)
    data: dict[str, Any] = {}
    for (_, kind), name, values in zip(loaded["attributes"], names, columns, strict=True):
        numeric = isinstance(kind, str) and kind.upper() in ("NUMERIC", "REAL", "INTEGER")
        data[name] = (
            np.array([np.nan if v is None else v for v in values], dtype=np.float64)
            if numeric
            else [None if v is None else str(v) for v in values]
        )
    library: Any = first_installed("pandas", "polars", "pyarrow")
    return nw.from_dict(data, backend=library).to_native()


def _read_parquet(path: Path) -> Any:
    if first_installed("pyarrow", "polars") == "pyarrow":
        import pyarrow.parquet as pq

        return pq.ParquetFile(path).read()
    import polars as pl

    return pl.read_parquet(path)


def _read_feather(path: Path) -> Any:
    if first_installed("pyarrow", "polars") == "pyarrow":
        import pyarrow.feather as feather

        return feather.read_table(path)
    import polars as pl

    return pl.read_ipc(path)


def is_separated(path: Path) -> bool:
    """Whether a file is CSV or TSV, whose cells have no types."""
    return suffix_of(path) in SEPARATORS


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, which can be read in blocks."""
    return suffix_of(path) in PARQUET


def read_frame(path: Path) -> Any:
    """A table as a data frame of the library that reads it, or an error on one line."""
    try:
        return READERS[suffix_of(path)](path)
    except FileError:
        raise
    except MemoryError:
        raise FileError(f"{path} does not fit into memory.") from None
    except Exception as error:  # every library has its own errors for files that it cannot read
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
TEXT = (*SEPARATORS, ".arff")
PARQUET = (".parquet", ".pq")
READERS: dict[str, Callable[[Path], Any]] = {
    **dict.fromkeys(SEPARATORS, _read_separated),
    ".arff": _read_arff,
    **dict.fromkeys(PARQUET, _read_parquet),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), _read_feather),
}
