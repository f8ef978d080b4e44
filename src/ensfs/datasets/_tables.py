"""The form that every real set takes between its file and its user."""

from __future__ import annotations

import csv
import gzip
import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch


@dataclass
class RealTable:
    """A table of numbers: the cells of a nominal column are positions in its categories."""

    X: Any  # ndarray or CSR matrix of float64, NaN where a cell is missing
    feature_names: list[str]
    categories: dict[str, list[Any]]  # of the nominal columns: their values, sorted
    target: NDArray
    regression: bool
    description: str
    details: dict[str, Any]


def read_file(path: Path, details: dict[str, Any]) -> RealTable:
    """Read a file of the folder; `details` is its entry in the manifest."""
    regression = details.get("task") == "regression"
    read = _read_npz if path.suffix == ".npz" else _read_csv
    try:
        X, names, categories, target = read(path, details)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise ValueError(f"{path.name} cannot be read; it may be damaged ({error}).") from error
    for what, key, found in (("rows", "n", X.shape[0]), ("columns", "p", X.shape[1])):
        if details.get(key, found) != found:
            raise ValueError(
                f"{path.name} must have {details[key]} {what} by the manifest; got {found}."
            )
    return RealTable(X, names, categories, target, regression, _describe(details), details)


def as_bunch(table: RealTable, *, as_frame: bool) -> Bunch:
    """What the user gets: codes that are numbers stand for themselves, classes are numbered."""
    names = table.feature_names
    target_names: list[Any] | None = None
    if table.regression:
        target = table.target.astype(np.float64)
    else:
        codes, target_names = encode(table.target.tolist())
        target = codes.astype(np.int64)
    data: Any = table.X
    target_out: Any = target
    frame = None
    if as_frame:
        data, target_out = _frames(table, target)
        frame = data.assign(target=target_out)
    elif not sparse.issparse(data):
        data = _numbers_for_codes(table)
    return Bunch(
        data=data,
        target=target_out,
        frame=frame,
        feature_names=names,
        target_names=target_names,
        categories=table.categories,
        discrete_features=np.array([name in table.categories for name in names]),
        details=table.details,
        DESCR=table.description,
    )


def encode(cells: Sequence[Any]) -> tuple[NDArray[np.float64], list[Any]]:
    """Positions of cells among their sorted values, NaN for missing ones, and these values.

    Values are sorted as numbers when all of them are numbers, otherwise as text.
    """
    present = {cell for cell in cells if not _is_missing(cell)}
    try:
        number = {cell: float(cell) for cell in present}
    except ValueError:
        values: list[Any] = sorted(map(str, present))
        position = {value: i for i, value in enumerate(values)}
        codes = [math.nan if _is_missing(cell) else position[str(cell)] for cell in cells]
    else:
        numbers = sorted(set(number.values()))
        values = [int(value) if value.is_integer() else value for value in numbers]
        position = {value: i for i, value in enumerate(numbers)}
        codes = [math.nan if _is_missing(cell) else position[number[cell]] for cell in cells]
    return np.array(codes, dtype=np.float64), values


def _is_missing(cell: Any) -> bool:
    return cell is None or cell == "" or cell != cell


def _read_csv(path: Path, details: dict[str, Any]):
    with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        body = list(rows)
    if not body or not header or header[-1] != "target":
        raise ValueError(f"{path.name} must have a header that ends in 'target', and rows.")
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise ValueError(
            f"The header of {path.name} must name each column once; it repeats {twice}."
        )
    for i, row in enumerate(body):
        if len(row) != len(header):
            raise ValueError(
                f"Row {i + 1} of {path.name} must have {len(header)} cells as the header has; got "
                f"{len(row)}."
            )
    names, columns = header[:-1], list(zip(*body, strict=True))
    nominal = _nominal_names(names, details)
    X = np.empty((len(body), len(names)), order="F")
    categories = {}
    for j, name in enumerate(names):
        if name not in nominal:
            try:
                X[:, j] = [float(cell) if cell else math.nan for cell in columns[j]]
                continue
            except ValueError:
                pass  # words: nominal, whatever the manifest says
        X[:, j], categories[name] = encode(columns[j])
    return np.ascontiguousarray(X), names, categories, _target(columns[-1], path)


def _target(cells: Sequence[str], path: Path) -> NDArray:
    if "" in cells:
        raise ValueError(f"Row {cells.index('') + 1} of {path.name} has no target.")
    return np.array(cells)


def _read_npz(path: Path, details: dict[str, Any]):
    with np.load(path, allow_pickle=False) as parts:
        if "indptr" in parts:
            shape = tuple(parts["shape"])
            stored = parts["data"] if "data" in parts else np.ones(parts["indices"].size)
            entries = (stored.astype(np.float64), parts["indices"], parts["indptr"])
            X: Any = sparse.csr_matrix(entries, shape=shape)
        else:
            X = parts["X"].astype(np.float64)
        target = parts["y"]
        if "feature_names" in parts:
            names = parts["feature_names"].astype(str).tolist()
        else:
            names = [f"v{j + 1}" for j in range(X.shape[1])]
    nominal = _nominal_names(names, details)
    if sparse.issparse(X):
        values = [0, *(int(v) if v.is_integer() else v for v in np.unique(X.data) if v != 0)]
        return X, names, {name: values for name in names if name in nominal}, target
    categories = {}
    for j, name in enumerate(names):
        if name in nominal:
            X[:, j], categories[name] = encode(X[:, j].tolist())
    return X, names, categories, target


def _nominal_names(names: Sequence[str], details: dict[str, Any]) -> set[str]:
    kind = details.get("feature_kind", "")
    return set(names) if kind.startswith("nominal") else set(details.get("nominal_features", ()))


def _numbers_for_codes(table: RealTable) -> NDArray[np.float64]:
    """The table with numbers in nominal columns as they are, and positions for words."""
    X = np.array(table.X, dtype=np.float64)
    for j, name in enumerate(table.feature_names):
        values = table.categories.get(name, ())
        if values and all(isinstance(value, int | float) for value in values):
            there = ~np.isnan(X[:, j])
            X[there, j] = np.asarray(values, dtype=np.float64)[X[there, j].astype(np.intp)]
    return X


def _frames(table: RealTable, target: NDArray):
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "as_frame=True needs pandas; install it with `pip install pandas`."
        ) from error

    if sparse.issparse(table.X):
        data = pd.DataFrame.sparse.from_spmatrix(table.X, columns=table.feature_names)
    elif not table.categories:
        data = pd.DataFrame(table.X, columns=table.feature_names)
    else:
        columns = {}
        for j, name in enumerate(table.feature_names):
            column = table.X[:, j]
            if name in table.categories:
                codes = np.where(np.isnan(column), -1, column).astype(np.intp)
                column = pd.Categorical.from_codes(codes, categories=table.categories[name])
            columns[name] = column
        data = pd.DataFrame(columns)
    return data, pd.Series(target, name="target")


def _describe(details: dict[str, Any]) -> str:
    lines = [
        f"{details['name']}: {details.get('n')} rows, {details.get('p')} columns, "
        f"{details.get('task', 'classification')}"
    ]
    for key in ("source", "terms", "papers", "difference_from_paper", "note"):
        if details.get(key):
            lines.append(f"{key.replace('_', ' ')}: {details[key]}")
    return "\n".join(lines)
