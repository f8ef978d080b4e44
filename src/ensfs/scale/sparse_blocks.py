"""Blocks of rows that are sparse: their stored cells are kept, and make one table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.progress import counted
from ensfs.data.frames import take
from ensfs.data.sparse_table import make_sparse_table
from ensfs.data.weights import ExistingRows, existing_rows, repeat_rows
from ensfs.scale.block_reading import (
    check_target,
    joined_targets,
    joined_weights,
    labels_of,
    read_target_of,
)
from ensfs.training.classes import PLAIN_READING, TargetReading
from ensfs.training.sparse import SparseTrainingData


def join_sparse_blocks(
    blocks: Iterable[tuple[Any, ...]], *, reading: TargetReading = PLAIN_READING, **options: Any
) -> SparseTrainingData:
    """The data of one fit from sparse blocks, which are read once.

    Parameters
    ----------
    blocks : iterable of tuple
        As `RowBlocks` gives them.
    reading : TargetReading, optional
        How the target is read.
    **options
        How the table is read, as in `make_sparse_table`.
    """
    tables: list[Any] = []
    targets: list[Any] = []
    weights: list[np.ndarray | None] = []
    rows: list[np.ndarray] = []
    n_given = 0
    for b, (X, y, *given) in enumerate(counted("reading blocks", None, blocks)):
        if not scipy.sparse.issparse(X):
            raise TypeError(
                f"Block {b} is no sparse matrix, as block 0 is; got {type(X).__name__}. Give all "
                "blocks in the same form."
            )
        weight = given[0] if given else None
        if weight is not None and not np.any(np.asarray(weight)):  # none of its rows exists
            n_given += X.shape[0]
            continue
        existing = existing_rows(weight, X.shape[0])
        tables.append(_checked(b, X if existing.rows is None else take(X, existing.rows), tables))
        targets.append(read_target_of(existing.of(y)))
        check_target(b, targets[-1], tables[-1].shape[0])
        kept = np.arange(X.shape[0]) if existing.rows is None else existing.rows
        weights.append(_weights_of(existing, kept.size) if given else None)
        rows.append(n_given + kept)
        n_given += X.shape[0]
    if not tables:
        raise ValueError("There are no blocks: found array with 0 sample(s).")
    existing = joined_weights(weights, np.concatenate(rows), n_given)
    X = scipy.sparse.vstack(tables, format="csr")
    del tables
    X, times = repeat_rows(X, ExistingRows(existing.weight, None, X.shape[0]))
    table = make_sparse_table(X, **options)
    target = joined_targets(targets)
    data = SparseTrainingData(table, labels_of(target), existing, times, reading=reading)
    data.given_target, data.n_readings = target, 1
    return data


def _checked(b: int, X: Any, before: list[Any]) -> Any:
    """A block, or an error if it has other columns than those before it."""
    if before and X.shape[1] != before[0].shape[1]:
        raise ValueError(f"Block {b} has {X.shape[1]} columns, block 0 has {before[0].shape[1]}.")
    return X


def _weights_of(existing: ExistingRows, n_rows: int) -> np.ndarray:
    return np.ones(n_rows) if existing.weight is None else existing.weight
