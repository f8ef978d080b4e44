"""What is read of each block of rows: its columns, its target and its weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ensfs.data.columns import NominalValues, RawColumns
from ensfs.data.outputs import SeveralTargets, split_outputs
from ensfs.data.target import read_target
from ensfs.data.values import as_array
from ensfs.data.weights import ExistingRows, read_existing, read_weights


class ReadBlock(NamedTuple):
    """The rows of a block that exist: their columns, target and weights, and which they are."""

    columns: RawColumns
    target: np.ndarray | NominalValues | SeveralTargets
    weight: np.ndarray | None
    existing: ExistingRows


def read_blocks(
    blocks: Iterable[tuple[Any, ...]], choice: dict[str, Any]
) -> Iterator[ReadBlock | int]:
    """The blocks one after the other; the number of rows of a block of which none exists."""
    b = 0  # enumerate would keep a block until the next one is there
    for X, y, *given in blocks:
        weight = given[0] if given else None
        if weight is not None and not np.any(as_array(weight)):
            yield len(weight)
        else:
            yield _read_block(b, X, y, weight, choice)
        b += 1
        del X, y, given


def checked_block(block: Any, b: int) -> tuple[Any, ...]:
    """A block as it has to be given, or an error."""
    if isinstance(block, (tuple, list)) and len(block) in (2, 3):
        return tuple(block)
    found = type(block).__name__
    if isinstance(block, (tuple, list)):
        found += f" of length {len(block)}"
    raise ValueError(
        f"Block {b} must be a pair (X_block, y_block); got {found}. Weights may come third."
    )


def emptied(first: list[Any], others: Iterable[Any]) -> Iterator[Any]:
    """What a list holds and then others, of which none is kept."""
    while first:
        yield first.pop(0)
    yield from others


def _read_block(b: int, X: Any, y: Any, given: Any, choice: dict[str, Any]) -> ReadBlock:
    try:
        columns, existing = read_existing(X, given, **choice)
    except ValueError as error:
        if "sample_weight" not in str(error):
            raise
        raise ValueError(f"Block {b}: {error}") from None
    weight = existing.weight
    if given is not None and weight is None:
        weight = np.ones(columns.n_rows)
    return ReadBlock(columns, read_target_of(existing.of(y)), weight, existing)


def read_target_of(y: Any) -> Any:
    """The target of a block, or its outputs."""
    outputs = split_outputs(y)
    return read_target(y) if outputs is None else SeveralTargets(map(read_target, outputs))


def check_target(b: int, target: Any, n_rows: int) -> None:
    """Raise an error if the target of block ``b`` has not as many values as there are rows."""
    for each in target if isinstance(target, SeveralTargets) else [target]:
        n = each.codes.size if isinstance(each, NominalValues) else each.size
        if n != n_rows:
            raise ValueError(
                f"Block {b}: found input variables with inconsistent numbers of samples: "
                f"{[n_rows, n]}"
            )


def kinds_of_target(target: Any) -> list[bool]:
    """For each output whether it holds text or categories."""
    outputs = target if isinstance(target, SeveralTargets) else [target]
    return [isinstance(each, NominalValues) for each in outputs]


def joined_targets(targets: list[Any]) -> Any:
    """The targets of all blocks as one: numbers, or levels of text or categories."""
    if isinstance(targets[0], SeveralTargets):
        return SeveralTargets(joined_targets(list(each)) for each in zip(*targets, strict=True))
    if not isinstance(targets[0], NominalValues):
        return np.concatenate(targets)
    try:
        levels = np.unique(np.concatenate([each.levels for each in targets]))
    except TypeError:
        raise ValueError("The blocks of the target hold values without a common order.") from None
    codes = [np.searchsorted(levels, each.levels)[each.codes] for each in targets]
    return NominalValues(np.concatenate(codes).astype(np.int32), levels)


def labels_of(target: Any) -> np.ndarray:
    """The target for those who cut rows into folds."""
    if isinstance(target, SeveralTargets):
        return np.column_stack([labels_of(each) for each in target])
    return target.levels[target.codes] if isinstance(target, NominalValues) else target


def joined_weights(
    weights: list[np.ndarray | None], rows: np.ndarray, n_given: int
) -> ExistingRows:
    """The rows of all blocks that exist, and their weights."""
    given = [each for each in weights if each is not None]
    if given and len(given) < len(weights):
        raise ValueError("Some blocks have weights and some have none; give them for all or none.")
    weight = read_weights(np.concatenate(given), rows.size) if given else None
    return ExistingRows(weight, None if rows.size == n_given else rows, n_given)
