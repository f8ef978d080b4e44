"""Tables that come in blocks of rows, and statistics that are added up over the blocks.

Nothing but one block, the target and the sums is kept in memory. Sums run through the rows in the
same order as in memory, whatever the size of the blocks, so the results are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, islice
from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.progress import counted
from ensfs.data.checksum import checksum
from ensfs.data.columns import RawColumns
from ensfs.data.file_names import Paths, find_files
from ensfs.data.identifiers import is_identifier, warn_identifiers
from ensfs.data.missing import NUMBERS, Statistic, resolve_missing
from ensfs.data.parameters import resolve_columns
from ensfs.data.table import Table, make_table
from ensfs.data.target import Target
from ensfs.data.variables import CHOICE
from ensfs.scale.block_cuts import make_coding
from ensfs.scale.block_kinds import BlockKinds
from ensfs.scale.block_reading import (
    ReadBlock,
    check_target,
    checked_block,
    emptied,
    joined_targets,
    joined_weights,
    kinds_of_target,
    labels_of,
    read_blocks,
)
from ensfs.scale.block_tables import FilledBlocks, blocks_changed
from ensfs.scale.coded_blocks import CodedBlocks
from ensfs.scale.continuous_blocks import ContinuousBlocks
from ensfs.scale.file_blocks import ArrayFiles, CSVFiles, ParquetFiles
from ensfs.scale.sparse_blocks import join_sparse_blocks
from ensfs.statistics import Resampling, Source
from ensfs.statistics.corrected import CorrectedSource
from ensfs.statistics.formulas import Measure, get_measure, statistic_of
from ensfs.statistics.observed_numbers import ObservedSource
from ensfs.training.classes import (
    PLAIN_READING,
    Outputs,
    TargetReading,
    grouped,
    read_target_as,
    with_outputs,
)
from ensfs.training.contract import BlockedTable, ReadOptions, TrainingData


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
    columns and the relevance, and once more if the folds of an ensemble lie far apart. Then each
    reading is for many columns, those with the best scores so far; `n_readings_` of a selector says
    how many readings there were. What a column holds (`discrete_features`) is decided by
    the values of all blocks, unless given. Where columns are counted, continuous ones are cut by
    ``discretizer="sigma"`` or a discretizer that was fitted on a sample; others need all rows.

    Sparse blocks are read once, and their stored cells are kept in memory: what is fitted is the
    sparse table that they make together.

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

    @classmethod
    def from_parquet(
        cls, paths: Paths, target: str | list[str], *, weights: str | None = None,
        block_rows: int | None = None,
    ) -> RowBlocks:  # fmt: skip
        """Blocks from Parquet files, one file after the other.

        Parameters
        ----------
        paths : str, path or list of these
            Files or patterns such as ``"data/*.parquet"``. All have the same columns, in any order.
        target : str or list of str
            The column to predict, or several.
        weights : str, optional
            The column that holds the weights of the rows.
        block_rows : int, optional
            Rows of a block; by default about four million cells.

        Returns
        -------
        RowBlocks

        Examples
        --------
        >>> from ensfs import MRMR, RowBlocks
        >>> blocks = RowBlocks.from_parquet("data/*.parquet", "outcome")  # doctest: +SKIP
        >>> MRMR(20).fit(blocks).get_feature_names_out()  # doctest: +SKIP
        """
        return cls(ParquetFiles(find_files(paths), target, weights, block_rows))

    @classmethod
    def from_csv(
        cls, paths: Paths, target: str | list[str], *, weights: str | None = None,
        block_rows: int | None = None,
    ) -> RowBlocks:  # fmt: skip
        """Blocks from CSV files with a line of names; they are read once to find the types.

        Parameters
        ----------
        paths : str, path or list of these
            Files or patterns such as ``"data/*.csv"``. All have the same columns, in any order.
        target : str or list of str
            The column to predict, or several.
        weights : str, optional
            The column that holds the weights of the rows.
        block_rows : int, optional
            The most rows of a block; by default about four million cells.

        Returns
        -------
        RowBlocks
        """
        return cls(CSVFiles(find_files(paths), target, weights, block_rows))

    @classmethod
    def from_npy(
        cls, paths: Paths, target: Any, *, weights: Any = None, block_rows: int | None = None
    ) -> RowBlocks:
        """Blocks from arrays in ``.npy`` files, one file after the other.

        Parameters
        ----------
        paths : str, path or list of these
            Files or patterns such as ``"data/*.npy"``, of arrays with equally many columns.
        target : int, str, path or array-like
            The column of the arrays to predict, an ``.npy`` file of the target for all rows, or the
            target itself.
        weights : int, str, path or array-like, optional
            The weights of the rows in the same way.
        block_rows : int, optional
            Rows of a block; by default about four million cells.

        Returns
        -------
        RowBlocks
        """
        return cls(ArrayFiles(find_files(paths), target, weights, block_rows))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        blocks = self.blocks() if callable(self.blocks) else self.blocks
        return map(checked_block, blocks, count())

    def make_data(self, n_threads: int = 1, **options: Any) -> TrainingData:
        """Read what must be known before any statistics: shape, names, kinds and target.

        Parameters
        ----------
        n_threads : int, default=1
            Threads for coding.
        **options
            How each block is read, as in `ensfs.data.table.make_table`.

        Returns
        -------
        TrainingData
            `BlockTrainingData`, or `SparseTrainingData` if the blocks are sparse.
        """
        blocks = iter(self)
        first = list(islice(blocks, 1))
        if first and scipy.sparse.issparse(first[0][0]):
            return join_sparse_blocks(chain(first, blocks), n_threads=n_threads, **options)
        return BlockTrainingData(self, emptied(first, blocks), n_threads=n_threads, **options)


class BlockTrainingData:
    """A table in blocks with its target, and the sources on it; see `TrainingData`."""

    def __init__(
        self, blocks: RowBlocks, first_reading: Iterable[tuple[Any, ...]], *,
        reading: TargetReading = PLAIN_READING, **options: Any,
    ):  # fmt: skip
        self._blocks = blocks
        self.reading = reading
        self._options = options
        self._choice = {name: options.pop(name) for name in CHOICE if name in options}
        self._allow_missing = options.get("allow_missing", False)
        self._choice["allow_missing"] = self._allow_missing
        self.warned_of_missing = False
        #: Rows and checksum of each block; None for one without rows.
        self._seen: list[tuple[int, int] | None] = []
        self.n_readings = 1
        self.cut_points: dict[int, np.ndarray] = {}
        self._targets: dict[str, Target | Outputs] = {}
        self._kinds = kinds = BlockKinds(options.get("integral_is_discrete", False))
        targets: list[Any] = []
        weights: list[np.ndarray | None] = []
        rows: list[np.ndarray] = []
        n_given = 0
        for block in read_blocks(counted("reading blocks", None, first_reading), self._choice):
            if isinstance(block, int):
                self._seen.append(None)
                n_given += block
                continue
            check_target(len(self._seen), block.target, block.columns.n_rows)
            self._read_block(len(self._seen), block.columns, kinds)
            targets.append(block.target)
            weights.append(block.weight)
            kept = block.existing.rows
            rows.append(n_given + (np.arange(block.columns.n_rows) if kept is None else kept))
            n_given += block.existing.n_given
            if kinds_of_target(targets[-1]) != kinds_of_target(targets[0]):
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
        self._target = joined_targets(targets)
        self.y = labels_of(self._target)
        self.existing = joined_weights(weights, np.concatenate(rows), n_given)
        self.weight = self.existing.weight

    def _read_block(self, b: int, columns: RawColumns, kinds: BlockKinds) -> None:
        """Check a block against the first, and look at what its columns hold."""
        table = make_table(columns, **self._options)
        if not any(self._seen):
            self.variables = columns.variables
            self.n_features = self.variables.n_variables
            # discrete columns that are named, and those of text and categories
            self._mask = None if table.kinds_are_automatic else table.discrete
            self.n_missing = np.zeros(table.n_features, dtype=np.int64)
        if columns.variables.n_columns != self.variables.n_columns:
            raise ValueError(
                f"Block {b} has {columns.variables.n_columns} columns, block 0 has "
                f"{self.variables.n_columns}."
            )
        if not self._has_names(columns):
            raise ValueError(f"The column names of block {b} are not those of block 0.")
        kinds.add(b, table, columns)
        if self._allow_missing:
            self.n_missing += table.n_missing
        self._seen.append((columns.n_rows, checksum(columns)))

    def _has_names(self, columns: RawColumns) -> bool:
        first, names = self.variables.names, columns.variables.names
        if first is None or names is None:
            return first is None
        return np.array_equal(names, first)

    def target(self, kind: str) -> Any:
        """The target, read as `read_target_as` describes, with its warnings once."""
        if kind not in self._targets:
            self._targets[kind] = read_target_as(
                self._target, self.n_rows, kind, self.reading, self.weight
            )
        return self._targets[kind]

    @property
    def has_constant_target(self) -> bool:
        """Whether the target was read and found constant, with a warning."""
        return any(target.constant for target in self._targets.values())

    @property
    def target_cut_points(self) -> Any:
        """Where a numeric target was cut into classes, if it was."""
        target = self._targets.get("counted") or self._targets.get("auto")
        return None if target is None else target.cut_points

    def reads_alike(self, options: ReadOptions) -> bool:
        """Whether blocks read with these options have the same discrete columns."""
        kinds = BlockKinds(options.get("integral_is_discrete", False))
        for b, columns in self._readings():
            table = make_table(columns, allow_missing=self._allow_missing, **options)
            if not table.kinds_are_automatic:
                return np.array_equal(table.discrete, self.discrete)
            if self._mask is None and kinds.like(self._kinds):
                return True
            kinds.add(b, table, columns)
        return np.array_equal(kinds.discrete(), self.discrete)

    def identifiers(self, levels: list[np.ndarray], incomplete: np.ndarray) -> np.ndarray:
        """Which columns with these distinct values count as constant, as in memory; warns."""
        given = self._options.get("discrete_features", "auto")
        variables = self.variables
        named = resolve_columns(given, variables.n_columns, variables.names, "discrete_features")
        of_variables = np.array(
            [
                each.dtype.kind not in "biuf" and is_identifier(each.size + gaps, self.n_rows)
                for each, gaps in zip(levels, incomplete, strict=True)
            ]
        )
        of_variables[list(variables.group_names)] = False
        identifiers = variables.of_kept(variables.by_column(of_variables, fill=False))
        if named is not None:
            identifiers &= ~variables.of_kept(named)
        warn_identifiers(identifiers, variables)
        full = np.zeros(variables.n_columns, dtype=bool)
        full[variables.of_kept(np.arange(full.size))] = identifiers
        return variables.of_columns(full)

    def tables(self, reading: str | None = None) -> Iterator[tuple[slice, Table]]:
        """The blocks, each with its place among the rows; `reading` is a task to be shown."""
        discrete = np.zeros(self.variables.n_columns, dtype=bool)
        discrete[self.variables.of_kept(np.arange(discrete.size))] = self.discrete
        kinds = {"discrete_features": discrete, "integer_centres": self._integer_centres}
        start = 0
        for _, columns in self._readings(reading):
            yield slice(start, start + columns.n_rows), make_table(columns, **self._options | kinds)
            start += columns.n_rows
            del columns  # the next block is read when this one is gone

    def _readings(self, reading: str | None = None) -> Iterator[tuple[int, RawColumns]]:
        """The blocks once more, with their numbers, each compared with the first reading."""
        self.n_readings += 1
        blocks: Iterable[tuple[Any, ...]] = self._blocks
        if reading is not None:
            blocks = counted(reading, len(self._seen), blocks)
        b = start = 0
        for block in read_blocks(blocks, self._choice):
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
        if not np.array_equal(self.y[rows], labels_of(block.target)):
            raise blocks_changed(f"The target of block {b} is not what it was before.")
        weight = np.ones(rows.stop - rows.start) if self.weight is None else self.weight[rows]
        if block.weight is not None and not np.array_equal(weight, block.weight):
            raise blocks_changed(f"The weights of block {b} are not what they were before.")

    def continuous_source(
        self,
        target: Target | Outputs,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool,
        n_threads: int,
        missing: str = "error",
        statistic: Statistic = NUMBERS,
    ) -> Source:
        """Sums of the columns taken as numbers."""
        way, incomplete = resolve_missing(missing, statistic), np.nonzero(self.n_missing)[0]
        weighted, blocks = resampling.weighted(self.weight), self
        if incomplete.size and way != "error":
            blocks = FilledBlocks(self, self.weight)  # type: ignore[assignment]

        def with_output(output: Target) -> Source:
            source = ContinuousBlocks(blocks, output, weighted, relevance, signed, n_threads)
            if isinstance(blocks, FilledBlocks) and way == "available":
                return ObservedSource(source, incomplete, output, relevance, blocks.numbers)
            if isinstance(blocks, FilledBlocks) and way == "corrected":
                return CorrectedSource(source, blocks.gaps(weighted, incomplete))
            return source

        return grouped(with_outputs(target, with_output), self.variables)

    def coded_source(
        self,
        target: Target | Outputs,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        discretizer: Any = "sigma",
        n_threads: int = 1,
        missing: str = "error",
    ) -> Source:
        """Counts of the columns taken as codes; continuous ones are cut, see `make_coding`."""
        way = resolve_missing(missing, statistic_of(measure))
        weighted = resampling.weighted(self.weight)
        coding = None
        continuous = np.nonzero(~self.discrete)[0]
        if continuous.size:
            exact = self.weight is None and not self._integer_centres
            coding = make_coding(discretizer, target, self, continuous, exact)
        return with_outputs(
            target,
            lambda each: CodedBlocks(self, each, weighted, measure, n_threads, way, coding),
            get_measure(measure).uses_target,
        )

    def keep_cut_points(self, of_kept: dict[int, np.ndarray]) -> None:
        """Keep where continuous columns were cut, by their place among the columns that stay."""
        at = self.variables.column_of_kept
        self.cut_points = {at(j): cuts for j, cuts in of_kept.items()}

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """None: blocks are not cut by the target."""
        return {}
