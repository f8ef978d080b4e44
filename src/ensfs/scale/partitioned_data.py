"""The table of one fit in partitions: its target, its kinds and the sources on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ensfs.data.identifiers import is_identifier, warn_identifiers
from ensfs.data.missing import NUMBERS, Statistic, resolve_missing
from ensfs.data.parameters import resolve_columns
from ensfs.data.target import Target
from ensfs.data.variables import CHOICE
from ensfs.scale.block_cuts import make_coding
from ensfs.scale.block_kinds import BlockKinds
from ensfs.scale.block_reading import (
    Describe,
    Description,
    ReadKinds,
    ReadTable,
    has_names,
    joined_targets,
    joined_weights,
    kinds_of_target,
    labels_of,
)
from ensfs.scale.block_tables import FilledBlocks
from ensfs.scale.coded_blocks import CodedBlocks
from ensfs.scale.continuous_blocks import ContinuousBlocks
from ensfs.scale.partition_counts import PartitionCounts
from ensfs.scale.partitioned import Engine, Kept, Place, Reader, Seen, Task, TaskOnTable, Work
from ensfs.statistics import Resampling, Source
from ensfs.statistics.corrected import CorrectedSource
from ensfs.statistics.formulas import Measure, get_measure, statistic_of
from ensfs.statistics.observed_numbers import ObservedSource
from ensfs.training.classes import (
    PLAIN_READING,
    Outputs,
    TargetReading,
    grouped,
    outputs_of,
    read_target_as,
    with_outputs,
)
from ensfs.training.contract import ReadOptions


def _nothing(rows: slice) -> None:
    """What is given to a task that needs nothing but the table."""


def _meets(some: slice, rows: np.ndarray) -> bool:
    """Whether some of the rows are among others."""
    return bool(((rows >= some.start) & (rows < some.stop)).any())


class PartitionedTrainingData:
    """A table in partitions with its target, and the sources on it; see `TrainingData`.

    Parameters
    ----------
    engine : Engine
        Where the partitions are.
    reading : TargetReading, optional
        How the target is read.
    **options
        How the columns are chosen and read, as in `ensfs.data.table.make_table`.
    """

    def __init__(self, engine: Engine, *, reading: TargetReading = PLAIN_READING, **options: Any):
        self._engine = engine
        self.reading = reading
        self._options = options
        self._choice = {name: options.pop(name) for name in CHOICE if name in options}
        self._allow_missing = options.get("allow_missing", False)
        self._choice["allow_missing"] = self._allow_missing
        self.warned_of_missing = False
        self.n_readings = 1
        self.cut_points: dict[int, np.ndarray] = {}
        self._targets: dict[str, Target | Outputs] = {}
        self._kinds = BlockKinds(options.get("integral_is_discrete", False), engine.unit)
        self._describe()
        self.discrete = self._kinds.discrete() if self._mask is None else self._mask
        self._integer_centres = self._kinds.integer_centres()
        #: Reads a partition again.
        self.read = ReadTable(
            self._choice, self._options | self._kinds_of_columns(), engine.unit, self.variables
        )

    def _describe(self) -> None:
        """Read the partitions for the first time."""
        unit, n_given = self._engine.unit, 0
        seen: list[Seen | None] = []
        targets: list[Any] = []
        weights: list[np.ndarray | None] = []
        rows: list[np.ndarray] = []
        work = Describe(self._choice, self._options, unit)
        for found in self._engine.each(work, shown=f"reading {unit}s"):
            if isinstance(found, int):
                seen.append(None)
                n_given += found
                continue
            self._check_columns(len(seen), found, first=not targets)
            self._kinds.add(len(seen), found.kinds, self.variables)
            targets.append(found.target)
            weights.append(found.weight)
            kept = np.arange(found.seen.n_rows) if found.kept is None else found.kept
            rows.append(n_given + kept)
            n_given += found.n_given
            seen.append(found.seen)
            if kinds_of_target(targets[-1]) != kinds_of_target(targets[0]):
                raise ValueError(
                    f"The target of {unit} {len(seen) - 1} is not of the kind of {unit} 0: one "
                    "holds text or categories, the other numbers."
                )
        if not targets:
            raise ValueError(f"There are no {unit}s with rows: found array with 0 sample(s).")
        self._target = joined_targets(targets, unit)
        self.y = labels_of(self._target)
        self.existing = joined_weights(weights, np.concatenate(rows), n_given, unit)
        self.weight = self.existing.weight
        self.n_rows = sum(each.n_rows for each in seen if each is not None)
        self._places = self._places_of(seen)

    def _check_columns(self, b: int, found: Description, first: bool) -> None:
        """Compare the columns of a partition with those of the first."""
        unit = self._engine.unit
        if first:
            self.variables = found.columns
            self.n_features = self.variables.n_variables
            # discrete columns that are named, and those of text and categories
            self._mask = found.mask
            self.n_missing = np.zeros(self.variables.n_kept, dtype=np.int64)
        if found.columns.n_columns != self.variables.n_columns:
            raise ValueError(
                f"{unit.capitalize()} {b} has {found.columns.n_columns} columns, {unit} 0 has "
                f"{self.variables.n_columns}."
            )
        if not has_names(found.columns, self.variables):
            raise ValueError(f"The column names of {unit} {b} are not those of {unit} 0.")
        if found.n_missing is not None:
            self.n_missing += found.n_missing

    def _places_of(self, seen: list[Seen | None]) -> list[Place]:
        """What is known of every partition."""
        places, start = [], 0
        for each in seen:
            rows = slice(start, start + (0 if each is None else each.n_rows))
            places.append(Place(rows, each))
            start = rows.stop
        return places

    def _kinds_of_columns(self) -> dict[str, Any]:
        """The kinds that were found, as options of `make_table`."""
        discrete = np.zeros(self.variables.n_columns, dtype=bool)
        discrete[self.variables.of_kept(np.arange(discrete.size))] = self.discrete
        return {"discrete_features": discrete, "integer_centres": self._integer_centres}

    # ------------------------------------------------------------------ readings

    def add_up(
        self,
        task: Task,
        state: Any,
        *,
        about: Callable[[slice], Any] = _nothing,
        shown: str | None = None,
        rows: np.ndarray | None = None,
        read: Reader | None = None,
    ) -> Any:
        """Run a task on all partitions, in one reading; see `TablesInBlocks.add_up`."""
        self.n_readings += 1
        given = [
            (place, about(place.rows)) if rows is None or _meets(place.rows, rows) else None
            for place in self._places
        ]
        work = TaskOnTable(self.read if read is None else read, task)
        return self._engine.add_up(work, task, given, state, shown)

    @property
    def keeps_bytes(self) -> int:
        """How much may be kept of all partitions together."""
        return self._engine.keeps_bytes

    @property
    def n_partitions(self) -> int:
        """Number of partitions."""
        return len(self._places)

    def keep(self, task: Task, *, about: Callable[[slice], Any]) -> Kept:
        """Keep what a task prepares of every partition; see `TablesInBlocks.keep`."""
        self.n_readings += 1
        given = [
            None if place.seen is None else (place, about(place.rows)) for place in self._places
        ]
        engine = self._engine.keep(TaskOnTable(self.read, task), given, "coding")
        return Kept(engine, [None if each is None else True for each in given])

    def each(self, work: Work, *, shown: str | None = None) -> Iterator[tuple[slice, Any]]:
        """What is read of one partition after the other, and their rows."""
        self.n_readings += 1
        found = self._engine.each(work, self._places, shown)
        for place in self._places:
            prepared = next(found)
            if prepared is not None:
                yield place.rows, prepared
            del prepared
        next(found, None)  # raises an error if there are more partitions than before

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
        """Whether partitions read with these options have the same discrete columns."""
        variables, named = self.variables, options.get("discrete_features", "auto")
        mask = resolve_columns(named, variables.n_columns, variables.names, "discrete_features")
        if mask is not None:
            return np.array_equal(variables.of_kept(mask) | self._kinds.nominal(), self.discrete)
        kinds = BlockKinds(options.get("integral_is_discrete", False), self._engine.unit)
        if self._mask is None and kinds.like(self._kinds):
            return True
        work = ReadKinds(self.read, {**options, "allow_missing": self._allow_missing})
        for b, (_, found) in enumerate(self.each(work)):
            kinds.add(b, found, variables)
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
        weighted = resampling.weighted(self.weight)
        filled = FilledBlocks(self) if incomplete.size and way != "error" else None
        blocks: Any = self if filled is None else filled

        def with_output(output: Target) -> Source:
            source = ContinuousBlocks(blocks, output, weighted, relevance, signed, n_threads)
            if filled is not None and way == "available":
                return ObservedSource(source, incomplete, output, relevance, filled.numbers)
            if filled is not None and way == "corrected":
                return CorrectedSource(source, filled.gaps(weighted, incomplete))
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
        counts = self.counts(
            target, resampling, discretizer, joins=way != "level", n_threads=n_threads
        )
        number = {id(each): k for k, each in enumerate(outputs_of(target))}
        return with_outputs(
            target,
            lambda each: CodedBlocks(counts, number[id(each)], measure, n_threads, way),
            get_measure(measure).uses_target,
        )

    def counts(
        self, target: Target | Outputs, resampling: Resampling, discretizer: Any, *, joins: bool,
        n_threads: int = 1,
    ) -> PartitionCounts:  # fmt: skip
        """Counts of the columns taken as codes, against each other and the target.

        Parameters
        ----------
        target, resampling, discretizer
            As in `coded_source`; a discretizer of None is an error if columns are to be cut.
        joins : bool
            Whether a group is missing if one of its columns is.
        n_threads : int, default=1
            Threads.
        """
        coding = None
        continuous = np.nonzero(~self.discrete)[0]
        if continuous.size and discretizer is not None:
            exact = self.weight is None and not self._integer_centres
            coding = make_coding(discretizer, self, continuous, exact)
        outputs = outputs_of(target)
        weighted = resampling.weighted(self.weight)
        return PartitionCounts(self, outputs, weighted, joins, coding, n_threads)

    def keep_cut_points(self, of_kept: dict[int, np.ndarray]) -> None:
        """Keep where continuous columns were cut, by their place among the columns that stay."""
        at = self.variables.column_of_kept
        self.cut_points = {at(j): cuts for j, cuts in of_kept.items()}

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """None: blocks are not cut by the target."""
        return {}
