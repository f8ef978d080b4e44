"""Tables that come in blocks of rows, and statistics that are added up over the blocks.

Nothing but one block, the target and the sums is kept in memory. Sums run through the rows in the
same order as in memory, whatever the size of the blocks, so the results are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

import numpy as np

from ensfs._core import continuous, discrete
from ensfs._utils.progress import counted
from ensfs._utils.threads import ranges_of
from ensfs.data.parameters import resolve_columns
from ensfs.data.table import Table, is_identifier, make_table, warn_identifiers
from ensfs.data.target import Target, make_target, read_labels
from ensfs.statistics import (
    CachingSource,
    ContinuousSums,
    Resampling,
    Source,
    centre_products,
    finish_pearson,
    finish_pearson_of_folds,
    gather_targets,
    log_table,
)
from ensfs.statistics.formulas import Measure, get_measure, rounding
from ensfs.training.contract import BlockedTable, ReadOptions

#: Sums of products in the making may take this much; more targets need another pass.
SUMS_BYTES = 256 * 2**20


class RowBlocks(BlockedTable):
    """A table as a sequence of blocks of rows, for data larger than memory.

    Parameters
    ----------
    blocks : sequence or callable
        A sequence of ``(X_block, y_block)``, or a callable that gives a fresh iterator of them. The
        blocks are read several times and must be the same each time. A block is anything that a
        selector takes as a table; all blocks have the same columns.

    Notes
    -----
    Selectors read the blocks at most three times for the target, the centres or levels of the
    columns and the relevance, and once more if the folds of an ensemble lie far apart. Then they
    read them once for each step (continuous columns), or once for each different column that a part
    picks before its last (discrete ones). What a column holds
    (`discrete_features`) is decided by the first block, unless given. Columns of both kinds in one
    table are not supported with classes: code the continuous ones first (see
    `ensfs.discretize`).

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

    def __init__(self, blocks: Iterable[tuple[Any, Any]] | Callable[[], Iterable[tuple[Any, Any]]]):
        if not callable(blocks) and iter(blocks) is blocks:
            raise TypeError(
                "blocks is an iterator, which can be read only once. Give a list, or a callable "
                "that returns a fresh iterator."
            )
        self.blocks = blocks

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        blocks = self.blocks() if callable(self.blocks) else self.blocks
        return map(_checked_pair, blocks, count())

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


def _checked_pair(block: Any, b: int) -> tuple[Any, Any]:
    if isinstance(block, (tuple, list)) and len(block) == 2:
        return block[0], block[1]
    found = type(block).__name__
    if isinstance(block, (tuple, list)):
        found += f" of length {len(block)}"
    raise ValueError(f"Block {b} must be a pair (X_block, y_block); got {found}.")


class BlockTrainingData:
    """A table in blocks with its target, and the sources on it; see `TrainingData`."""

    def __init__(self, blocks: RowBlocks, **options: Any):
        self._blocks = blocks
        self._options = options
        self._sizes: list[int] = []
        self.cut_points: dict[int, np.ndarray] = {}
        self._targets: dict[str, Target] = {}
        self._first_integers: dict[int, int] = {}
        self._integer_centres: dict[int, int] = {}
        targets = []
        for X, y in counted("reading blocks", None, blocks):
            targets.append(self._read_block(len(self._sizes), make_table(X, **options), y))
            if (targets[-1].dtype == object) != (targets[0].dtype == object):
                raise ValueError(
                    f"The target of block {len(self._sizes) - 1} is not of the kind of block 0: "
                    "one holds text or categories, the other numbers."
                )
            del X, y
        if not self._sizes:
            raise ValueError("There are no blocks: found array with 0 sample(s).")
        self.n_rows = sum(self._sizes)
        self.y = np.concatenate(targets)

    def _read_block(self, b: int, table: Table, y: Any) -> np.ndarray:
        """Check a block against the first; its target."""
        if b == 0:
            self.n_features, self.names = table.n_features, table.names
            self.discrete = table.discrete
            self._first_integers = table.first_integers()
        self._check_same(b, table)
        for j, centre in table.integer_centres.items():  # in memory it would be that of row 0
            self._integer_centres.setdefault(j, self._first_integers.get(j, centre))
        labels = read_labels(y)
        if labels.shape != (table.n_rows,):
            raise ValueError(
                f"Block {b}: found input variables with inconsistent numbers of samples: "
                f"{[table.n_rows, *labels.shape]}"
            )
        self._sizes.append(table.n_rows)
        return labels

    def _check_same(self, b: int, table: Table) -> None:
        if table.n_features != self.n_features:
            raise ValueError(
                f"Block {b} has {table.n_features} columns, block 0 has {self.n_features}."
            )
        if self.names is not None and (
            table.names is None or not np.array_equal(table.names, self.names)
        ):
            raise ValueError(f"The column names of block {b} are not those of block 0.")

    def target(self, kind: str) -> Target:
        """The target read as ``"auto"``, ``"classes"`` or ``"numeric"``, with its warnings once."""
        if kind not in self._targets:
            self._targets[kind] = make_target(self.y, self.n_rows, kind=kind)
        return self._targets[kind]

    def reads_alike(self, options: ReadOptions) -> bool:
        """Whether blocks read with these options have the same discrete columns."""
        X, _ = next(iter(self._blocks))
        return np.array_equal(make_table(X, **options).discrete, self.discrete)

    def identifiers(self, levels: list[np.ndarray]) -> np.ndarray:
        """Which columns with these distinct values count as constant, as in memory; warns."""
        given = self._options.get("discrete_features", "auto")
        named = resolve_columns(given, self.n_features, self.names, "discrete_features")
        identifiers = np.array(
            [each.dtype.kind not in "biuf" and is_identifier(each, self.n_rows) for each in levels]
        )
        if named is not None:
            identifiers &= ~named
        warn_identifiers(identifiers, self.names)
        return identifiers

    def tables(self, reading: str | None = None) -> Iterator[tuple[slice, Table]]:
        """The blocks, each with its place among the rows; `reading` is a task to be shown."""
        start = 0
        blocks: Iterable[tuple[Any, Any]] = self._blocks
        if reading is not None:
            blocks = counted(reading, len(self._sizes), blocks)
        sizes = iter(self._sizes)
        for X, y in blocks:
            kinds = {"discrete_features": self.discrete, "integer_centres": self._integer_centres}
            table = make_table(X, **self._options | kinds)
            if table.n_rows != next(sizes, None):
                raise ValueError("The blocks changed between two readings.")
            yield slice(start, start + table.n_rows), table
            start += table.n_rows
            del X, y, table  # the next block is read when this one is gone
        if start != self.n_rows:
            raise ValueError("The blocks changed between two readings.")

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
        return ContinuousBlocks(self, target, resampling, relevance, signed, n_threads)

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
                "them first (see ensfs.discretize), or use MRMR with relevance='f_test'."
            )
        return CodedBlocks(self, target, resampling, measure, n_threads)


class ContinuousBlocks(CachingSource):
    """Continuous columns in blocks of rows; see `ensfs.statistics.ContinuousSource`."""

    def __init__(
        self,
        data: BlockTrainingData,
        target: Target,
        resampling: Resampling,
        relevance: str,
        signed: bool,
        n_threads: int,
    ):
        super().__init__(resampling, data.n_features, n_threads, SUMS_BYTES)
        self.data = data
        self.signed = signed
        self._combines_folds = not (resampling.is_all_rows or resampling.is_leave_one_out)
        self.sums = ContinuousSums(target, resampling, data.n_features, relevance)
        self.sums.set_centres(self._read_centre_rows())
        sums = self.sums.empty_sums(data.n_features)
        for rows, table in data.tables("measuring relevance"):
            X = table.centred()
            self.sums.add(X, self.sums.runs(rows), 0, data.n_features, sums)
            if not np.isfinite(sums["q"]).all():
                table.check_finite()
            del X, table
        if not self.sums.finish(0, data.n_features, sums):
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
        if self.sums.apart.any():
            self._sum_folds_apart()
        self.centres = self.sums.centres()
        self._shift = self.sums.shift[None] if self.centres is None else self.centres.shift
        if relevance == "f_test" and self.sums.classes is None:
            self.relevance = self.sums.f_of_pearson()
        else:
            self.relevance = self.sums.relevance if signed else np.abs(self.sums.relevance)
        self.constant = self.sums.inverse == 0.0
        # one part is summed in 32 lanes of rows, as the columns in memory are
        lanes = continuous.row_padding
        whole = resampling.is_all_rows
        self._lane = np.arange(data.n_rows) % lanes if whole else resampling.fold
        self._n_lanes = lanes if whole else resampling.n_folds

    def _read_centre_rows(self) -> list[np.ndarray]:
        """The rows that the provisional centres are taken from."""
        wanted = np.unique(np.concatenate(self.sums.centre_rows))
        found: dict[int, np.ndarray] = {}
        for rows, table in self.data.tables():
            here = wanted[(wanted >= rows.start) & (wanted < rows.stop)]
            if here.size:
                X = table.centred()
                # copies: a view of a row would keep its whole block
                found |= {int(i): np.array(X[i - rows.start], dtype=np.float64) for i in here}
                del X
            del table
            if len(found) == wanted.size:
                break
        return [np.array([found[int(i)] for i in head]) for head in self.sums.centre_rows]

    def _sum_folds_apart(self) -> None:
        """Read the blocks once more, for sums from a centre of each fold."""
        columns = np.nonzero(self.sums.apart)[0]
        own = self.sums.own.empty(columns.size)
        for rows, table in self.data.tables("measuring folds that lie apart"):
            X = table.centred()[:, columns]
            self.sums.own.add(X, rows, self.sums.runs(rows), 0, columns.size, own)
            del X, table
        self.sums.finish_own(columns, own)

    @property
    def _bytes_per_target(self) -> int:
        # while being summed; targets come in groups of four
        return 2 * 8 * self._n_lanes * self.n_features

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        p, width = self.n_features, continuous.panel_width
        n_panels, n_groups = -(-p // width), -(-len(targets) // 4)
        lanes = np.zeros((n_panels, 4 * n_groups, self._n_lanes, width))
        for rows, table in self.data.tables():
            self._add_products(rows, table.centred(), targets, lanes)
            del table
        if self._combines_folds:
            return [lanes[:, k].swapaxes(0, 1).copy() for k in range(len(targets))]
        out = [np.empty((n_panels, self.n_parts, width)) for _ in targets]
        if self.resampling.is_leave_one_out:
            continuous.products_leave_out(lanes, out, np.empty((self._n_lanes + 1, width)))
            if self.centres is not None:
                centre_products(self.centres, lanes, 0, targets, out)
        else:
            continuous.products_all_rows(lanes, 0, out)
        return out

    def _add_products(
        self, rows: slice, X: np.ndarray, targets: list[int], lanes: np.ndarray
    ) -> None:
        """Add the products of a block of rows, lane by lane."""
        n_panels, width = len(lanes), continuous.panel_width
        order, bounds = Resampling.leave_one_out(self._lane[rows], self._n_lanes).row_order()
        panels = np.empty((n_panels, order.size, width), dtype=X.dtype)
        continuous.pack_panels(X, order, bounds, self._shift, 0, n_panels, panels)
        y = gather_targets(panels, self._shift, bounds, targets)
        for a, b in ranges_of(0, n_panels, width * order.size * len(targets)):
            continuous.add_products(panels, self._shift, y, bounds, a, b, lanes[a:b])

    def _finish(
        self, g: int, statistics: np.ndarray, part_ids: np.ndarray, out: np.ndarray
    ) -> None:
        if self._combines_folds:
            finish_pearson_of_folds(
                self.sums, self.centres, g, statistics, part_ids, out, self.signed
            )
        else:
            finish_pearson(self.sums, g, statistics, part_ids, out, self.signed)


class CodedBlocks(CachingSource):
    """Coded columns in blocks of rows; see `ensfs.statistics.CodedSource`.

    Tables of counts are kept for all pairs with a target, so columns with very many levels cost
    memory: levels of the column times levels of the target times folds.
    """

    def __init__(
        self,
        data: BlockTrainingData,
        target: Target,
        resampling: Resampling,
        measure: str | Measure,
        n_threads: int,
    ):
        super().__init__(resampling, data.n_features, n_threads, SUMS_BYTES)
        self.data = data
        self.measure = get_measure(measure)
        self.T, self.unit = log_table(data.n_rows)
        self.levels = self._read_levels()
        self._identifiers = data.identifiers(self.levels)
        self.levels = [
            levels[:1] if identifier else levels
            for levels, identifier in zip(self.levels, self._identifiers, strict=True)
        ]
        self.n_levels = np.array([len(v) for v in self.levels])
        # tables of all columns with a target stand side by side, each `levels` wide
        self._offset = np.concatenate([[0], np.cumsum(self.n_levels)])
        self._classes = target.codes
        self._n_classes = len(target.classes)
        tables, margin = self._count(lambda codes, rows: self._classes[rows], self._n_classes)
        columns = np.add.reduceat(tables.sum(axis=1), self._offset[:-1], axis=1)
        assert (columns == resampling.fold_sizes[:, None]).all()
        self._margins = resampling.combine_counts(tables.sum(axis=1).astype(np.int64))
        self.entropy = np.add.reduceat(self.T[self._margins], self._offset[:-1], axis=1)
        self.constant = self.entropy == self.T[resampling.n_rows][:, None]
        self._target_entropy = self.T[resampling.combine_counts(margin)].sum(axis=1)
        self.relevance = np.empty((self.n_parts, self.n_features))
        #: Sums over the cells of every column and the target in each part.
        self._with_target = np.empty((self.n_parts, self.n_features), dtype=np.int64)
        total = tables.sum(axis=0)
        for t in range(self.n_parts):
            counts = resampling.counts_of_part(t, tables, total)
            self._with_target[t] = self._joint(counts)
            self.relevance[t] = self._of_pairs(
                self.measure.of_relevance, t, self._with_target[t], self._target_entropy[t],
                self._n_classes,
            )  # fmt: skip

    def _read_levels(self) -> list[np.ndarray]:
        """Sorted distinct values of every column."""
        levels: list[np.ndarray] | None = None
        for _, table in self.data.tables("reading levels"):
            found = table.codes().levels
            del table
            if levels is None:
                levels = found
                continue
            levels = [
                a if np.array_equal(a, b) else np.union1d(a, b)
                for a, b in zip(levels, found, strict=True)
            ]
        assert levels is not None
        return levels

    def _codes(self) -> Iterator[tuple[slice, np.ndarray]]:
        """The blocks as codes of the whole table, each column offset to its place in a table."""
        for rows, table in self.data.tables():
            coded = table.codes()
            del table
            codes = np.empty(coded.codes.shape, dtype=np.int32, order="F")
            for j, levels in enumerate(coded.levels):
                if self._identifiers[j]:
                    codes[:, j] = self._offset[j]
                    continue
                place = np.searchsorted(self.levels[j], levels)
                codes[:, j] = (place + self._offset[j])[coded.codes[:, j]]
            del coded
            yield rows, codes

    def _count(
        self, target_of: Callable[[np.ndarray, slice], np.ndarray], n_levels: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Tables (folds, target levels, all levels of all columns) and target counts by fold."""
        tables = np.zeros((self.resampling.n_folds, n_levels, self._offset[-1]), dtype=np.int32)
        margin = np.zeros((self.resampling.n_folds, n_levels), dtype=np.int64)
        for rows, codes in self._codes():
            y = target_of(codes, rows)
            place = np.ascontiguousarray(self.resampling.fold[rows] * n_levels + y, dtype=np.int32)
            discrete.add_tables(codes, place, tables.reshape(-1, tables.shape[2]))
            np.add.at(margin, (self.resampling.fold[rows], y), 1)
        return tables, margin

    @property
    def _bytes_per_target(self) -> int:
        levels = self.n_levels.max() * (self._n_classes if self.measure.uses_target else 1)
        return int(4 * self.resampling.n_folds * levels * self._offset[-1])

    def _compute(self, targets: list[int]) -> list[Any]:
        return [self._count_with(g) for g in targets]

    def _count_with(self, g: int) -> tuple[np.ndarray, np.ndarray]:
        """Tables of all columns with column ``g``, or with ``g`` and the target together."""
        levels = int(self.n_levels[g])
        if not self.measure.uses_target:
            return self._count(lambda codes, rows: codes[:, g] - self._offset[g], levels)
        c = self._n_classes
        return self._count(
            lambda codes, rows: (codes[:, g] - self._offset[g]) * c + self._classes[rows],
            levels * c,
        )

    def _finish(self, g: int, statistics: Any, part_ids: np.ndarray, out: np.ndarray) -> None:
        tables, margin = statistics
        total, margins = tables.sum(axis=0), self.resampling.combine_counts(margin)
        for t in part_ids:
            counts = self.resampling.counts_of_part(t, tables, total)
            if self.measure.uses_target:
                out[t] = self._of_triples(t, counts, margins[t])
            else:
                out[t] = self._of_pairs(
                    self.measure, t, self._joint(counts), self.T[margins[t]].sum(), len(counts)
                )

    def _joint(self, counts: np.ndarray) -> np.ndarray:
        """Sum of T over the cells of every column."""
        return np.add.reduceat(self.T[counts].sum(axis=0), self._offset[:-1])

    def _of_pairs(
        self, measure: Measure, t: int, joint: np.ndarray, target: int, levels: int
    ) -> np.ndarray:
        """The measure of every column with a target from the sums of both, in one part."""
        n = self.resampling.n_rows[t]
        sums = {"": self.T[n], "f": self.entropy[t], "g": target, "fg": joint}
        units = rounding(n, self.n_levels * levels, self.n_levels + levels)
        return measure.of(sums, units, self.unit / n)

    def _of_triples(self, t: int, counts: np.ndarray, margin: np.ndarray) -> np.ndarray:
        """The measure of every column, a column and the target together, in one part."""
        n, c = self.resampling.n_rows[t], self._n_classes
        sums = {
            "": self.T[n],
            "f": self.entropy[t],
            "g": self.T[margin.reshape(-1, c).sum(axis=1)].sum(),
            "fg": self._joint(counts.reshape(-1, c, counts.shape[1]).sum(axis=1)),
            "y": self._target_entropy[t],
            "fy": self._with_target[t],
            "gy": self.T[margin].sum(),
            "fgy": self._joint(counts),
        }
        levels = counts.shape[0] // c
        cells = self.n_levels * levels
        others = cells + (levels + (self.n_levels if self.measure.uses("fy") else 0)) * c
        return self.measure.of(sums, rounding(n, cells * c, others), self.unit / n)
