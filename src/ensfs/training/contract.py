"""What the data of one fit offers, wherever its rows are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, TypedDict

import numpy as np

from ensfs.data.missing import NUMBERS, Statistic
from ensfs.data.variables import Variables
from ensfs.data.weights import ExistingRows
from ensfs.statistics import Resampling, Source
from ensfs.statistics.formulas import Measure


class ReadOptions(TypedDict, total=False):
    """How a table is to be read (see `ensfs.data.table.make_table`)."""

    discrete_features: Any
    integral_is_discrete: bool


class TrainingData(Protocol):
    """A validated table with its target, and the sources of statistics on it.

    In memory it is a `MemoryTrainingData`, in blocks of rows or on a cluster a
    `PartitionedTrainingData`. A selector that only uses what is listed here works on all of them.

    Attributes
    ----------
    n_rows, n_features : int
        Rows of the table, and what a search chooses among: its columns, without excluded ones.
    variables : Variables
        Which columns these are.
    discrete : ndarray of bool, shape (n_features,)
        Which columns hold discrete values.
    n_missing : ndarray of int, shape (n_kept,)
        How many cells of each column that is kept are missing.
    warned_of_missing : bool
        Whether there was a warning of columns that are missing in all rows.
    y : object
        The target as it was given, for splitters that cut the rows into folds.
    weight : ndarray of shape (n_rows,) or None
        How often each row is there; None: once. The sources count and add the rows so often.
    existing : ExistingRows
        Which of the rows that were given these are.
    cut_points : dict of int to ndarray
        Where continuous columns were cut for the last `coded_source`, by column.
    """

    n_rows: int
    n_features: int
    variables: Variables
    warned_of_missing: bool
    y: Any
    weight: np.ndarray | None
    existing: ExistingRows
    cut_points: dict[int, np.ndarray]

    @property
    def has_constant_target(self) -> bool:
        """Whether the target was read and found constant, with a warning."""

    @property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values."""

    @property
    def n_missing(self) -> np.ndarray:
        """How many cells of each column that is kept are missing."""

    def target(self, kind: str) -> Any:
        """The target or its outputs, read as `read_target_as` describes, with its warnings once."""

    @property
    def target_cut_points(self) -> Any:
        """Where a numeric target was cut into classes, if it was."""

    def reads_alike(self, options: ReadOptions) -> bool:
        """Whether a table read with these options has the same discrete columns."""

    def continuous_source(
        self, target: Any, resampling: Resampling, *, relevance: str, signed: bool,
        n_threads: int, missing: str = "error", statistic: Statistic = NUMBERS,
    ) -> Source:  # fmt: skip
        """Sums of the columns taken as numbers.

        Parameters
        ----------
        target : Target or Outputs
            The target.
        resampling : Resampling
            The parts.
        relevance : {"f_test", "pearson"}
            The measure of relevance; the association of two columns is Pearson's correlation.
        signed : bool
            Whether correlations keep their sign.
        n_threads : int
            Threads.
        missing : str, default="error"
            What is made of missing cells.
        statistic : Statistic, optional
            What the sums are for, which decides what `missing` may say.
        """

    def coded_source(
        self, target: Any, resampling: Resampling, *,
        measure: str | Measure = "mutual_information", discretizer: Any = "sigma",
        n_threads: int = 1, missing: str = "error",
    ) -> Source:  # fmt: skip
        """Counts of the columns taken as codes.

        Parameters
        ----------
        target : Target or Outputs
            Classes.
        resampling : Resampling
            The parts.
        measure : str or Measure, default="mutual_information"
            What a column is measured by against a selected one (see `CodedSource`).
        discretizer : str or transformer, default="sigma"
            How continuous columns are cut.
        n_threads : int, default=1
            Threads.
        missing : str, default="error"
            What is made of missing cells.
        """

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """In how many places each column could have been cut for the last `coded_source`.

        Only for a discretizer that chooses the cuts by the target; empty for others.
        """


class BlockedTable(ABC):
    """A table whose rows are not all in memory; it brings its own target."""

    @abstractmethod
    def make_data(self, n_threads: int = 1, **options: Any) -> TrainingData:
        """Read what must be known before any statistics: shape, names, kinds and target.

        Parameters
        ----------
        n_threads : int, default=1
            Threads for coding.
        **options
            As `ReadOptions`.
        """


#: Makes tables in blocks of collections of other libraries, with their target and weights; by the
#: first name of the module of their class. None of these libraries is imported here.
COLLECTIONS: dict[str, Callable[[Any, Any, Any], BlockedTable]] = {}


def collection_maker(X: Any) -> Callable[[Any, Any, Any], BlockedTable] | None:
    """What makes a table in blocks of a collection of another library; None of other tables."""
    return COLLECTIONS.get(type(X).__module__.partition(".")[0])


def refuse_blocks(estimator: Any, X: Any) -> None:
    """Raise an error if a table in blocks is given to an estimator that needs all rows at once."""
    if isinstance(X, BlockedTable):
        raise TypeError(
            f"{type(estimator).__name__} does not support {type(X).__name__}: it needs the whole "
            "table in memory."
        )
