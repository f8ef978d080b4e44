"""Sparse tables from files: those that SciPy writes, and svmlight's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.datasets import load_svmlight_file

from ensfs.data.file_errors import FileError, check_columns, reason_of

#: Endings of svmlight's text files, which hold a target.
SVMLIGHT = (".svmlight", ".svm", ".libsvm")

#: What the target of an svmlight file is called.
LABEL = "target"


def is_sparse(path: Path) -> bool:
    """Whether a file holds a sparse table."""
    return path.name.lower().endswith(".npz") or brings_target(path)


def brings_target(path: Path) -> bool:
    """Whether a file holds a sparse table with its target."""
    return path.name.lower().removesuffix(".gz").endswith(SVMLIGHT)


def read_sparse(path: Path) -> tuple[Any, np.ndarray | None]:
    """The table of a file in CSR or CSC format, and its target if it holds one.

    Whole numbers of a target are integers, so that they can be classes.
    """
    try:
        if brings_target(path):
            X, y = load_svmlight_file(str(path))
            return X, y.astype(np.int64) if (y == np.rint(y)).all() else y
        X = scipy.sparse.load_npz(path)
        return (X if X.format in ("csr", "csc") else X.tocsc()), None
    except MemoryError:
        raise FileError(f"{path} does not fit into memory.") from None
    except Exception as error:  # of any library that reads
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


def column_names(X: Any) -> list[str]:
    """Names for the columns of a table without: their positions."""
    return [f"x{j}" for j in range(X.shape[1])]


def values_of(X: Any, name: str, names: list[str], path: Path) -> np.ndarray:
    """A column of the table, or what a file beside it holds: ``.npy``, or ``.txt`` line by line."""
    beside = Path(name)
    if beside.suffix not in (".npy", ".txt"):
        check_columns([name], names, path)
        return X[:, [names.index(name)]].toarray().ravel()
    try:
        values = (
            np.load(beside)
            if beside.suffix == ".npy"
            else np.array(beside.read_text(encoding="utf-8").splitlines(), dtype=object)
        )
    except Exception as error:
        raise FileError(f"{beside} cannot be read: {reason_of(error)}") from error
    if values.shape[:1] != (X.shape[0],):
        raise FileError(f"{beside} has {len(values)} values, but {path} has {X.shape[0]} rows.")
    return values
