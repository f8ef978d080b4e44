"""What is read of each block of rows: its columns, its target and its weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ensfs.data.checksum import checksum, hash_of
from ensfs.data.columns import NominalValues, RawColumns
from ensfs.data.outputs import SeveralTargets, split_outputs
from ensfs.data.table import Table, make_table
from ensfs.data.target import read_target
from ensfs.data.values import as_array
from ensfs.data.variables import Variables
from ensfs.data.weights import ExistingRows, read_existing, read_weights
from ensfs.scale.block_kinds import FoundKinds
from ensfs.scale.partitioned import Place, Seen, changed


class ReadBlock(NamedTuple):
    """The rows of a block that exist: their columns, target and weights, and which they are."""

    columns: RawColumns
    target: np.ndarray | NominalValues | SeveralTargets
    weight: np.ndarray | None
    existing: ExistingRows


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


def read_block(
    b: int, block: tuple[Any, ...], choice: dict[str, Any], unit: str = "block"
) -> ReadBlock | int:
    """Read a block; the number of its rows if none of them exists."""
    X, y, *given = block
    weight = given[0] if given else None
    if weight is not None and not np.any(as_array(weight)):
        return len(weight)
    if unit == "partition" and len(X) == 0:
        return 0
    try:
        columns, existing = read_existing(X, weight, **choice)
    except ValueError as error:
        if "sample_weight" not in str(error):
            raise
        raise ValueError(f"{unit.capitalize()} {b}: {error}") from None
    kept = existing.weight
    if weight is not None and kept is None:
        kept = np.ones(columns.n_rows)
    return ReadBlock(columns, read_target_of(existing.of(y)), kept, existing)


class Description(NamedTuple):
    """What the first reading tells of a block that has rows.

    Attributes
    ----------
    columns : Variables
        Its columns.
    mask : ndarray of bool or None
        Which of them are discrete, if that is given.
    kinds : FoundKinds
        What they hold.
    n_missing : ndarray of int or None
        How many of their cells are missing, if some may be.
    seen : Seen
        What it is recognised by.
    target, weight : object
        The target and the weights of the rows that exist.
    kept : ndarray of int or None
        Which rows exist; None: all.
    n_given : int
        Number of rows with those that do not exist.
    """

    columns: Variables
    mask: np.ndarray | None
    kinds: FoundKinds
    n_missing: np.ndarray | None
    seen: Seen
    target: Any
    weight: np.ndarray | None
    kept: np.ndarray | None
    n_given: int


@dataclass(frozen=True)
class Describe:
    """Reads a block for the first time.

    Attributes
    ----------
    choice : dict
        Which columns are read, as `read_columns` takes it.
    options : dict
        How they are read, as `make_table` takes it.
    unit : str
        What a block is called in messages.
    """

    choice: dict[str, Any]
    options: dict[str, Any]
    unit: str

    def __call__(self, b: int, block: Any, _: Any) -> Description | int:
        """Describe block ``b``; the number of its rows if none exists."""
        found = read_block(b, block, self.choice, self.unit)
        if isinstance(found, int):
            return found
        check_target(b, found.target, found.columns.n_rows, self.unit)
        columns, existing = found.columns, found.existing
        table = make_table(columns, **self.options)
        return Description(
            columns.variables, None if table.kinds_are_automatic else table.discrete,
            FoundKinds.of(table, columns), table.n_missing if table.allow_missing else None,
            _seen(found, self.options.get("n_threads", 1)), found.target, found.weight,
            existing.rows, existing.n_given,
        )  # fmt: skip


def _seen(block: ReadBlock, n_threads: int) -> Seen:
    """What a block is recognised by."""
    weight = 0 if block.weight is None else hash_of(block.weight.tobytes())
    return Seen(
        block.columns.n_rows, checksum(block.columns, n_threads), _hash_of_target(block.target),
        weight,
    )  # fmt: skip


def _hash_of_target(target: Any) -> int:
    if isinstance(target, SeveralTargets):
        return hash_of(repr([_hash_of_target(each) for each in target]).encode())
    if isinstance(target, NominalValues):
        levels = repr(target.levels.tolist()).encode("utf-8", "surrogatepass")
        return hash_of(levels + np.ascontiguousarray(target.codes).tobytes())
    return hash_of(np.ascontiguousarray(target).tobytes())


@dataclass(frozen=True)
class ReadTable:
    """Reads a block again, as a table, and compares it with the first reading.

    Attributes
    ----------
    choice, options, unit
        As in `Describe`, with the kinds of the columns.
    variables : Variables
        The columns.
    """

    choice: dict[str, Any]
    options: dict[str, Any]
    unit: str
    variables: Variables

    def __call__(self, b: int, block: Any, place: Place) -> Table | None:
        """Read block ``b``; None if no row exists."""
        columns = self.columns(b, block, place)
        return None if columns is None else make_table(columns, **self.options)

    def columns(self, b: int, block: Any, place: Place) -> RawColumns | None:
        """The columns of block ``b``."""
        found = read_block(b, block, self.choice, self.unit)
        if isinstance(found, int):
            if place.seen is not None:
                raise changed(self.unit, f"{self.unit.capitalize()} {b} is not what it was before.")
            return None
        self._check(b, found, place)
        return found.columns

    def _check(self, b: int, found: ReadBlock, place: Place) -> None:
        columns, unit, known = found.columns, self.unit, place.seen
        now = _seen(found, self.options.get("n_threads", 1))
        if (
            known is None
            or columns.variables.n_columns != self.variables.n_columns
            or not has_names(columns.variables, self.variables)
            or now[:2] != known[:2]
        ):
            raise changed(unit, f"{unit.capitalize()} {b} is not what it was before.")
        if now.target != known.target:
            raise changed(unit, f"The target of {unit} {b} is not what it was before.")
        if now.weight != known.weight:
            raise changed(unit, f"The weights of {unit} {b} are not what they were before.")


@dataclass(frozen=True)
class ReadKinds:
    """Finds the kinds of the columns of a block as other options make them."""

    read: ReadTable
    options: dict[str, Any]

    def __call__(self, b: int, block: Any, place: Place) -> FoundKinds | None:
        """The kinds in block ``b``; None if no row exists."""
        columns = self.read.columns(b, block, place)
        if columns is None:
            return None
        return FoundKinds.of(make_table(columns, **self.options), columns)


def has_names(columns: Variables, first: Variables) -> bool:
    """Whether columns have the names of those of the first block."""
    if first.names is None or columns.names is None:
        return first.names is None
    return np.array_equal(columns.names, first.names)


def read_target_of(y: Any) -> Any:
    """The target of a block, or its outputs."""
    outputs = split_outputs(y)
    return read_target(y) if outputs is None else SeveralTargets(map(read_target, outputs))


def check_target(b: int, target: Any, n_rows: int, unit: str = "block") -> None:
    """Raise an error if the target of block ``b`` has not as many values as there are rows."""
    for each in target if isinstance(target, SeveralTargets) else [target]:
        n = each.codes.size if isinstance(each, NominalValues) else each.size
        if n != n_rows:
            raise ValueError(
                f"{unit.capitalize()} {b}: found input variables with inconsistent numbers of "
                f"samples: {[n_rows, n]}"
            )


def kinds_of_target(target: Any) -> list[bool]:
    """For each output whether it holds text or categories."""
    outputs = target if isinstance(target, SeveralTargets) else [target]
    return [isinstance(each, NominalValues) for each in outputs]


def joined_targets(targets: list[Any], unit: str = "block") -> Any:
    """The targets of all blocks as one: numbers, or levels of text or categories."""
    if isinstance(targets[0], SeveralTargets):
        outputs = zip(*targets, strict=True)
        return SeveralTargets(joined_targets(list(each), unit) for each in outputs)
    if not isinstance(targets[0], NominalValues):
        return np.concatenate(targets)
    try:
        levels = np.unique(np.concatenate([each.levels for each in targets]))
    except TypeError:
        raise ValueError(f"The {unit}s of the target hold values without a common order.") from None
    codes = [np.searchsorted(levels, each.levels)[each.codes] for each in targets]
    return NominalValues(np.concatenate(codes).astype(np.int32), levels)


def labels_of(target: Any) -> np.ndarray:
    """The target for those who cut rows into folds."""
    if isinstance(target, SeveralTargets):
        return np.column_stack([labels_of(each) for each in target])
    return target.levels[target.codes] if isinstance(target, NominalValues) else target


def joined_weights(
    weights: list[np.ndarray | None], rows: np.ndarray, n_given: int, unit: str = "block"
) -> ExistingRows:
    """The rows of all blocks that exist, and their weights."""
    given = [each for each in weights if each is not None]
    if given and len(given) < len(weights):
        raise ValueError(
            f"Some {unit}s have weights and some have none; give them for all or none."
        )
    weight = read_weights(np.concatenate(given), rows.size) if given else None
    return ExistingRows(weight, None if rows.size == n_given else rows, n_given)
