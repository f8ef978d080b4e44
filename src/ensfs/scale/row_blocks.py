"""Tables that come in blocks of rows, and statistics that are added up over the blocks.

Nothing but one block, the target and the sums is kept in memory. Sums run through the rows in the
same order as in memory, whatever the size of the blocks, so the results are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ensfs._utils.progress import counted
from ensfs.data.checksum import checksum
from ensfs.data.columns import NominalValues, RawColumns
from ensfs.data.parameters import resolve_columns
from ensfs.data.table import Table, is_identifier, make_table, warn_identifiers
from ensfs.data.target import Target, read_target
from ensfs.data.values import as_array
from ensfs.data.variables import CHOICE
from ensfs.data.weights import ExistingRows, read_existing, read_weights
from ensfs.scale.block_kinds import BlockKinds
from ensfs.scale.block_tables import blocks_changed
from ensfs.scale.coded_blocks import CodedBlocks
from ensfs.scale.continuous_blocks import ContinuousBlocks
from ensfs.statistics import Resampling, Source
from ensfs.statistics.formulas import Measure
from ensfs.training.classes import read_target_as
from ensfs.training.contract import BlockedTable, ReadOptions


class RowBlocks(BlockedTable):
    """A table as a sequence of blocks of rows, for data larger than memory.

    Parameters
    ----------
    blocks : sequence or callable
        A sequence of ``(X_block, y_block)``, or a callable that gives a fresh iterator of them. The
        blocks are read several times and must be the same each time, which is checked. A block is
        anything that a selector takes as a table; all blocks have the same columns. Rows have
        weights if all blocks are ``(X_block, y_block, weight_block)``.

    Notes
    -----
    Selectors read the blocks at most three times for the target, the centres or levels of the
    columns and the relevance, and once more if the folds of an ensemble lie far apart. Then they
    read them once for each step (continuous columns), or once for each different column that a part
    picks before its last (discrete ones). What a column holds (`discrete_features`) is decided by
    the values of all blocks, unless given. Columns of both kinds in one table are not supported
    with classes: code the continuous ones first (see `ensfs.discretize`).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, FastEnsemble, RowBlocks
    >>> X, y = load_wine(return_X_y=True)
    >>> blocks = RowBlocks([(X[i : i + 50], y[i : i + 50]) for i in range(0, 178, 50)])
    >>> FastEnsemble(MRMR(5), n_parts=5).fit(blocks).indices_
    array([ 6, 12,  9, 11,  0])
    """

    def __init__(self, blocks: Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]]):
        if not callable(blocks) and iter(blocks) is blocks:
            raise TypeError(
                "blocks is an iterator, which can be read only once. Give a list, or a callable "
                "that returns a fresh iterator."
            )
        self.blocks = blocks

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        blocks = self.blocks() if callable(self.blocks) else self.blocks
        return map(_checked_block, blocks, count())

    def make_data(self, n_threads: int = 1, **options: Any) -> BlockTrainingData:
        """Read what must be known before any statistics: shape, names, kinds and target.

        Parameters
        ----------
        n_threads : int, default=1
            Threads for coding.
        **options
            How each block is read, as in `ensfs.data.table.make_table`.

        Returns
        -------
        BlockTrainingData
        """
        return BlockTrainingData(self, n_threads=n_threads, **options)


def _checked_block(block: Any, b: int) -> tuple[Any, ...]:
    if isinstance(block, (tuple, list)) and len(block) in (2, 3):
        return tuple(block)
    found = type(block).__name__
    if isinstance(block, (tuple, list)):
        found += f" of length {len(block)}"
    raise ValueError(
        f"Block {b} must be a pair (X_block, y_block); got {found}. Weights may come third."
    )


class ReadBlock(NamedTuple):
    """The rows of a block that exist: their columns, target and weights, and which they are."""

    columns: RawColumns
    target: np.ndarray | NominalValues
    weight: np.ndarray | None
    existing: ExistingRows


def _read_blocks(
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
    return ReadBlock(columns, read_target(existing.of(y)), weight, existing)


def _check_target(b: int, block: ReadBlock) -> None:
    target, n_rows = block.target, block.columns.n_rows
    n = target.codes.size if isinstance(target, NominalValues) else target.size
    if n != n_rows:
        raise ValueError(
            f"Block {b}: found input variables with inconsistent numbers of samples: {[n_rows, n]}"
        )


def _joined(targets: list[Any]) -> np.ndarray | NominalValues:
    """The targets of all blocks as one: numbers, or levels of text or categories."""
    if not isinstance(targets[0], NominalValues):
        return np.concatenate(targets)
    try:
        levels = np.unique(np.concatenate([each.levels for each in targets]))
    except TypeError:
        raise ValueError("The blocks of the target hold values without a common order.") from None
    codes = [np.searchsorted(levels, each.levels)[each.codes] for each in targets]
    return NominalValues(np.concatenate(codes).astype(np.int32), levels)


def _labels(target: np.ndarray | NominalValues) -> np.ndarray:
    """The target for those who cut rows into folds."""
    return target.levels[target.codes] if isinstance(target, NominalValues) else target


def _existing(weights: list[np.ndarray | None], rows: np.ndarray, n_given: int) -> ExistingRows:
    """The rows of all blocks that exist, and their weights."""
    given = [each for each in weights if each is not None]
    if given and len(given) < len(weights):
        raise ValueError("Some blocks have weights and some have none; give them for all or none.")
    weight = read_weights(np.concatenate(given), rows.size) if given else None
    return ExistingRows(weight, None if rows.size == n_given else rows, n_given)


class BlockTrainingData:
    """A table in blocks with its target, and the sources on it; see `TrainingData`."""

    def __init__(self, blocks: RowBlocks, **options: Any):
        self._blocks = blocks
        self._options = options
        self._choice = {name: options.pop(name) for name in CHOICE if name in options}
        #: Rows and checksum of each block; None for one without rows.
        self._seen: list[tuple[int, int] | None] = []
        self.cut_points: dict[int, np.ndarray] = {}
        self._targets: dict[str, Target] = {}
        self._kinds = kinds = BlockKinds(options.get("integral_is_discrete", False))
        targets: list[np.ndarray | NominalValues] = []
        weights: list[np.ndarray | None] = []
        rows: list[np.ndarray] = []
        n_given = 0
        for block in _read_blocks(counted("reading blocks", None, blocks), self._choice):
            if isinstance(block, int):
                self._seen.append(None)
                n_given += block
                continue
            _check_target(len(self._seen), block)
            self._read_block(len(self._seen), block.columns, kinds)
            targets.append(block.target)
            weights.append(block.weight)
            kept = block.existing.rows
            rows.append(n_given + (np.arange(block.columns.n_rows) if kept is None else kept))
            n_given += block.existing.n_given
            if isinstance(targets[-1], NominalValues) != isinstance(targets[0], NominalValues):
                raise ValueError(
                    f"The target of block {len(self._seen) - 1} is not of the kind of block 0: one "
                    "holds text or categories, the other numbers."
                )
            del block
        if not targets:
            raise ValueError("There are no blocks: found array with 0 sample(s).")
        self.n_rows = sum(seen[0] for seen in self._seen if seen is not None)
        self.discrete = kinds.discrete() if self._mask is None else self._mask
        self._integer_centres = kinds.integer_centres()
        self._target = _joined(targets)
        self.y = _labels(self._target)
        self.existing = _existing(weights, np.concatenate(rows), n_given)
        self.weight = self.existing.weight

    def _read_block(self, b: int, columns: RawColumns, kinds: BlockKinds) -> None:
        """Check a block against the first, and look at what its columns hold."""
        table = make_table(columns, **self._options)
        if not any(self._seen):
            self.variables = columns.variables
            self.n_features = self.variables.n_variables
            # discrete columns that are named, and those of text and categories
            self._mask = None if table.kinds_are_automatic else table.discrete
        if columns.variables.n_columns != self.variables.n_columns:
            raise ValueError(
                f"Block {b} has {columns.variables.n_columns} columns, block 0 has "
                f"{self.variables.n_columns}."
            )
        if not self._has_names(columns):
            raise ValueError(f"The column names of block {b} are not those of block 0.")
        kinds.add(b, table, columns)
        self._seen.append((columns.n_rows, checksum(columns)))

    def _has_names(self, columns: RawColumns) -> bool:
        first, names = self.variables.names, columns.variables.names
        if first is None or names is None:
            return first is None
        return np.array_equal(names, first)

    def target(self, kind: str) -> Target:
        """The target, read as `read_target_as` describes, with its warnings once."""
        if kind not in self._targets:
            self._targets[kind] = read_target_as(self._target, self.n_rows, kind, self.weight)
        return self._targets[kind]

    @property
    def has_constant_target(self) -> bool:
        """Whether the target was read and found constant, with a warning."""
        return any(target.constant for target in self._targets.values())

    def reads_alike(self, options: ReadOptions) -> bool:
        """Whether blocks read with these options have the same discrete columns."""
        kinds = BlockKinds(options.get("integral_is_discrete", False))
        for b, columns in self._readings():
            table = make_table(columns, **options)
            if not table.kinds_are_automatic:
                return np.array_equal(table.discrete, self.discrete)
            if self._mask is None and kinds.like(self._kinds):
                return True
            kinds.add(b, table, columns)
        return np.array_equal(kinds.discrete(), self.discrete)

    def identifiers(self, levels: list[np.ndarray]) -> np.ndarray:
        """Which columns with these distinct values count as constant, as in memory; warns."""
        given = self._options.get("discrete_features", "auto")
        variables = self.variables
        named = resolve_columns(given, variables.n_columns, variables.names, "discrete_features")
        identifiers = np.array(
            [each.dtype.kind not in "biuf" and is_identifier(each, self.n_rows) for each in levels]
        )
        if named is not None:
            identifiers &= ~variables.of_kept(named)
        warn_identifiers(identifiers, variables)
        return identifiers

    def tables(self, reading: str | None = None) -> Iterator[tuple[slice, Table]]:
        """The blocks, each with its place among the rows; `reading` is a task to be shown."""
        discrete = self.variables.by_column(self.discrete, fill=False)
        kinds = {"discrete_features": discrete, "integer_centres": self._integer_centres}
        start = 0
        for _, columns in self._readings(reading):
            yield slice(start, start + columns.n_rows), make_table(columns, **self._options | kinds)
            start += columns.n_rows
            del columns  # the next block is read when this one is gone

    def _readings(self, reading: str | None = None) -> Iterator[tuple[int, RawColumns]]:
        """The blocks once more, with their numbers, each compared with the first reading."""
        blocks: Iterable[tuple[Any, ...]] = self._blocks
        if reading is not None:
            blocks = counted(reading, len(self._seen), blocks)
        b = start = 0
        for block in _read_blocks(blocks, self._choice):
            if not isinstance(block, int):
                stop = start + block.columns.n_rows
                self._check_unchanged(b, block.columns)
                self._check_rows(b, slice(start, stop), block)
                columns, start = block.columns, stop
                del block
                yield b, columns
                del columns
            elif b >= len(self._seen) or self._seen[b] is not None:
                raise blocks_changed(f"Block {b} is not what it was before.")
            b += 1
        if b < len(self._seen):
            raise blocks_changed(f"There are {b} blocks, and there were {len(self._seen)} before.")

    def _check_unchanged(self, b: int, columns: RawColumns) -> None:
        if (
            b >= len(self._seen)
            or columns.variables.n_columns != self.variables.n_columns
            or not self._has_names(columns)
            or (columns.n_rows, checksum(columns)) != self._seen[b]
        ):
            raise blocks_changed(f"Block {b} is not what it was before.")

    def _check_rows(self, b: int, rows: slice, block: ReadBlock) -> None:
        if not np.array_equal(self.y[rows], _labels(block.target)):
            raise blocks_changed(f"The target of block {b} is not what it was before.")
        weight = np.ones(rows.stop - rows.start) if self.weight is None else self.weight[rows]
        if block.weight is not None and not np.array_equal(weight, block.weight):
            raise blocks_changed(f"The weights of block {b} are not what they were before.")

    def continuous_source(
        self,
        target: Target,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool,
        n_threads: int,
    ) -> Source:
        """Sums of the columns taken as numbers."""
        weighted = resampling.weighted(self.weight)
        return ContinuousBlocks(self, target, weighted, relevance, signed, n_threads)

    def coded_source(
        self,
        target: Target,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        discretizer: Any = "sigma",
        n_threads: int = 1,
    ) -> Source:
        """Counts of the columns taken as codes; there is no discretizer for blocks."""
        if not self.discrete.all():
            raise ValueError(
                "Row blocks with continuous columns cannot be measured by mutual information. Code "
                "them first (see ensfs.discretize), or use MRMR with relevance='f_test'. If they "
                "hold whole numbers, discrete_features=True takes these as codes."
            )
        return CodedBlocks(self, target, resampling.weighted(self.weight), measure, n_threads)

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """None: blocks are not cut."""
        return {}
