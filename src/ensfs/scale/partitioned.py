"""Statistics that are added up over the partitions of a table, wherever the partitions are.

A selector asks a source for sums and counts, and those of a table are those of its partitions,
added. So blocks of rows, a cluster or whatever comes next need one thing: an `Engine` that runs a
`Task` on every partition and adds what it gives. What is sent to a worker is made of arrays and of
functions of modules, and a task changes nothing but its state, so one that is run twice gives the
same.

Counts are whole numbers, which may be added in any order. Sums of numbers depend on the order in
which they are rounded; they follow a tree that belongs to the table (`leaf_sums`), so their states
may be merged in any order, too. A few tasks are `ordered`: what they add goes on from partition to
partition, as if the table were one. The result is that of memory to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from ensfs._utils.progress import counted

#: Codes of a table in blocks are kept in memory if they take no more than this.
KEPT_BYTES = 256 * 2**20

#: What is done with a partition: its number, the partition, and what is given for it.
Work = Callable[[int, Any, Any], Any]


class Seen(NamedTuple):
    """Numbers by which a partition is recognised when it is read again.

    Attributes
    ----------
    n_rows : int
        Its rows.
    columns, target, weight : int
        Checksums of what it holds; that of the weights is 0 without any.
    """

    n_rows: int
    columns: int
    target: int
    weight: int


class Place(NamedTuple):
    """What is known of a partition since the first reading.

    Attributes
    ----------
    rows : slice
        Its rows among those of the table.
    seen : Seen or None
        What it is recognised by; None if no row exists.
    """

    rows: slice
    seen: Seen | None


#: Gives the table of a partition from its number, itself, and its place; None if it has no rows.
Reader = Callable[[int, Any, Place], Any]


class Task(ABC):
    """What is done in one reading; it is pickled to be sent to where the partitions are.

    Attributes
    ----------
    name : str
        A word for lists of tasks.
    ordered : bool
        Whether the partitions have to be added in their order. Others have a `merge`.
    """

    name: ClassVar[str]
    ordered: ClassVar[bool] = True

    @abstractmethod
    def prepare(self, table: Any, rows: slice, about: Any) -> Any:
        """What is needed of a partition, from its table, its rows, and what is given for these."""

    @abstractmethod
    def add(self, prepared: Any, state: Any) -> Any:
        """The state with what was prepared of a partition; the one given may be changed."""

    def merge(self, state: Any, other: Any) -> Any:
        """Two states as one; the first may be changed."""
        raise NotImplementedError(f"{type(self).__name__} adds partitions in their order.")


class Engine(Protocol):
    """Runs functions on all partitions."""

    @property
    def unit(self) -> str:
        """What a partition is called in messages."""

    @property
    def keeps_bytes(self) -> int:
        """How much may be kept of all partitions together."""

    def keep(self, work: Work, given: Sequence[Any], shown: str | None = None) -> Engine:
        """An engine whose partitions are what a function gives for those of this one.

        Parameters
        ----------
        work, given, shown
            As in `each`.
        """

    def each(
        self, work: Work, given: Sequence[Any] | None = None, shown: str | None = None
    ) -> Iterator[Any]:
        """What a function gives for every partition, in their order.

        Parameters
        ----------
        work : callable
            Called with the number of a partition, the partition, and what is given for it.
        given : sequence, optional
            One item for each partition; None for one that is not looked at. Without it, nothing is
            known of the partitions.
        shown : str, optional
            Name of the reading, for bars of progress.
        """

    def add_up(
        self, work: Work, task: Task, given: Sequence[Any], state: Any, shown: str | None = None
    ) -> Any:
        """The state after all partitions were added to it.

        Parameters
        ----------
        work : callable
            Gives what `task` adds, or None for a partition without rows.
        task : Task
            Adds it.
        given, shown
            As in `each`.
        state : object
            The state of no rows.
        """


@dataclass
class BlockLoop:
    """The engine that reads one block after the other.

    Attributes
    ----------
    blocks : iterable of tuple
        Gives the blocks in each reading.
    begun : iterable of tuple, or None
        The first reading, if it was begun before.
    """

    blocks: Iterable[tuple[Any, ...]]
    begun: Iterable[tuple[Any, ...]] | None = None
    unit: ClassVar[str] = "block"

    @property
    def keeps_bytes(self) -> int:
        """How much may be kept; see `Engine.keeps_bytes`."""
        return KEPT_BYTES

    def keep(self, work: Work, given: Sequence[Any], shown: str | None = None) -> BlockLoop:
        """What a function gives for every block, as blocks; see `Engine.keep`."""
        return BlockLoop(list(self.each(work, given, shown)))

    def each(
        self, work: Work, given: Sequence[Any] | None = None, shown: str | None = None
    ) -> Iterator[Any]:
        """What a function gives for every block; see `Engine.each`."""
        n_blocks = None if given is None else len(given)
        last = _last_wanted(given)
        blocks = self.blocks
        if given is None and self.begun is not None:
            blocks, self.begun = self.begun, None
        if shown is not None:
            blocks = counted(shown, n_blocks, blocks)
        b = 0  # enumerate would keep a block until the next one is there
        for block in blocks:
            if n_blocks is not None and b >= n_blocks:
                raise changed(self.unit, f"There are more than {n_blocks} blocks.")
            about = None if given is None else given[b]
            found = None if given is not None and about is None else work(b, block, about)
            del block
            yield found
            del found
            b += 1
            if last is not None and b > last:
                return
        if n_blocks is not None and b < n_blocks:
            raise changed(self.unit, f"There are {b} blocks, and there were {n_blocks} before.")

    def add_up(
        self, work: Work, task: Task, given: Sequence[Any], state: Any, shown: str | None = None
    ) -> Any:
        """The state after all blocks were added to it; see `Engine.add_up`."""
        for prepared in self.each(work, given, shown):
            if prepared is not None:
                state = task.add(prepared, state)
            del prepared  # before the next block is read
        return state


def _last_wanted(given: Sequence[Any] | None) -> int | None:
    """The last partition that is looked at, if some after it are not."""
    if given is None or not given or given[-1] is not None:
        return None
    return max((b for b, about in enumerate(given) if about is not None), default=-1)


@dataclass(frozen=True)
class TaskOnTable:
    """Reads a partition as a table, and prepares what a task adds of it."""

    read: Reader
    task: Task

    def __call__(self, b: int, partition: Any, given: tuple[Place, Any]) -> Any:
        """Prepare a partition; None if it has no rows."""
        place, about = given
        table = self.read(b, partition, place)
        return None if table is None else self.task.prepare(table, place.rows, about)


@dataclass(frozen=True)
class Kept:
    """What was prepared of every partition for a task, kept where the partitions are.

    Attributes
    ----------
    engine : Engine
        Runs tasks on what is kept.
    looked : list
        True for partitions with rows, None for the others.
    """

    engine: Engine
    looked: list[bool | None]

    def add_up(self, task: Task, state: Any) -> Any:
        """Run a task that prepares the same; nothing is read."""
        return self.engine.add_up(as_it_is, task, self.looked, state)


def as_it_is(b: int, partition: Any, given: Any) -> Any:
    """What was kept."""
    return partition


def changed(unit: str, difference: str) -> ValueError:
    """The error for partitions that are not what they were before."""
    rule = (
        "A callable must return the same rows in the same order each time."
        if unit == "block"
        else "They must hold the same rows in the same order each time they are computed."
    )
    return ValueError(f"The {unit}s changed between two readings. {difference} {rule}")
