"""Tables of Dask: the engine that runs tasks where the partitions of a collection are.

Partitions are computed by the active client, or by the scheduler that Dask takes without one.
Nothing is sent to workers but what stands in the graph of a pass, and tasks are pure, so Dask may
run them again where a worker was lost.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from dask import compute, delayed, persist

from ensfs._utils.progress import task as progress
from ensfs.data.target import check_given
from ensfs.scale.dask_client import StalledError, memory, n_threads, results_of
from ensfs.scale.partitioned import Task, Work
from ensfs.scale.partitioned_data import PartitionedTrainingData
from ensfs.scale.sent import packed, unpacked
from ensfs.training.contract import BlockedTable

#: Chunks of an array that hold some of the columns are joined up to this size.
LARGEST_CHUNK = 100 * 2**20

#: Partitions of an ordered pass that are read ahead, for each thread.
AHEAD = 8

#: Runs of partitions that are added one after the other, for each thread, where order is free.
RUNS = 4

#: Share of the memory of the workers that codes may be kept in.
KEPT_SHARE = 0.3

#: States that are merged by one task.
MERGED = 8


class DaskTable(BlockedTable):
    """A table whose partitions are tasks of Dask.

    Parameters
    ----------
    partitions : list of Delayed
        Each gives a pair of a table and its target, or three with weights.
    """

    def __init__(self, partitions: list[Any]):
        self.partitions = partitions

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> DaskTable:
        """A data frame or an array of Dask with its target.

        Parameters
        ----------
        X : dask DataFrame or Array
            The columns.
        y : dask Series, DataFrame or Array
            The target, from the same collection.
        sample_weight : dask Series or Array, optional
            Weights of the rows.
        """
        check_given(y, "This")
        others = [y] if sample_weight is None else [y, sample_weight]
        for name, other in zip(("y", "sample_weight"), others, strict=False):
            if not is_dask(other):
                raise ValueError(_one_collection(name, f"{name} is a {type(other).__name__}"))
        if getattr(X, "ndim", None) == 2:
            return cls((_of_frames if hasattr(X, "columns") else _of_arrays)(X, others))
        raise TypeError(
            f"X must be a data frame or an array with rows and columns; got a Dask "
            f"{type(X).__name__}."
        )

    @classmethod
    def of_pieces(cls, read: Callable[[Any], tuple[Any, ...]], pieces: list[Any]) -> DaskTable:
        """A table whose partitions a function reads, one from each of some pieces."""
        common = delayed(_Hidden(read), traverse=False, name=f"ensfs-reader-{uuid.uuid4().hex}")
        one = delayed(_read_piece, pure=False)
        return cls([one(common, _Hidden(piece)) for piece in pieces])

    def make_data(self, n_threads: int = 1, **options: Any) -> PartitionedTrainingData:
        """Read what must be known before any statistics: shape, names, kinds and target.

        Parameters
        ----------
        n_threads : int, default=1
            Threads of each task.
        **options
            How each partition is read, as in `ensfs.data.table.make_table`.

        Returns
        -------
        PartitionedTrainingData
        """
        return PartitionedTrainingData(DaskEngine(self.partitions), n_threads=n_threads, **options)


def run_each(function: Callable[[Any], Any], items: list[Any]) -> list[Any]:
    """What a function gives for each item, as `map`, by the active client."""
    common = delayed(_Hidden(function), traverse=False, name=f"ensfs-map-{uuid.uuid4().hex}")
    return list(compute(*(delayed(_read_piece, pure=False)(common, _Hidden(i)) for i in items)))


def _read_piece(common: _Hidden, piece: _Hidden) -> Any:
    return common.value(piece.value)


def is_dask(X: Any) -> bool:
    """Whether something is a collection of Dask."""
    return hasattr(X, "__dask_graph__")


def select_columns(X: Any, columns: np.ndarray) -> Any:
    """Some columns of a data frame or an array of Dask, not computed yet."""
    return X[[X.columns[j] for j in columns]] if hasattr(X, "columns") else X[:, columns]


# ------------------------------------------------------------------ partitions


def _one_collection(name: str, found: str) -> str:
    return (
        f"X and {name} must come from one collection, such as ddf.drop(columns='y') and ddf['y'], "
        f"so that they have the same partitions; {found}."
    )


def _of_frames(X: Any, others: list[Any]) -> list[Any]:
    """Partitions of a data frame.

    The target becomes a column of it: two collections may be cut into other partitions when they
    are computed, even if both are of one file.
    """
    joined, widths = X, []
    for k, other in enumerate(others):
        columns = [other] if other.ndim == 1 else [other[name] for name in other.columns]
        widths.append(len(columns) if other.ndim > 1 else 0)
        named = {f"__ensfs_{k}_{j}__": column for j, column in enumerate(columns)}
        joined = joined.assign(**named)
        # Dask puts frames with other partitions together by sorting rows, which loses their order
        if type(joined.expr).__name__ != "Assign":
            raise ValueError(_one_collection(("y", "sample_weight")[k], "they are of two"))
    split = delayed(_split_frame, pure=False)
    return [split(part, len(X.columns), widths) for part in joined.to_delayed()]


def _split_frame(frame: Any, n_columns: int, widths: list[int]) -> tuple[Any, ...]:
    """The columns of a partition, and the targets and weights behind them."""
    found, at = [frame.iloc[:, :n_columns]], n_columns
    for width in widths:
        found.append(frame.iloc[:, at : at + width] if width else frame.iloc[:, at])
        at += max(width, 1)
    return tuple(found)


def _of_arrays(X: Any, others: list[Any]) -> list[Any]:
    """Partitions of an array: its chunks of rows."""
    if X.numblocks[1] > 1:
        rows = max(X.chunks[0]) if not np.isnan(X.chunks[0]).any() else np.inf
        if rows * X.shape[1] * X.dtype.itemsize > LARGEST_CHUNK:
            raise ValueError(
                f"The chunks of X hold some of the {X.shape[1]} columns, and whole rows are "
                "needed. Rechunk so that each chunk holds whole rows: X.rechunk({1: -1})."
            )
        X = X.rechunk({1: -1})
    unknown = np.isnan(X.chunks[0]).any()
    parts = [
        [part for part, n in zip(X.to_delayed().ravel(), X.chunks[0], strict=True) if unknown or n]
    ]
    for name, other in zip(("y", "sample_weight"), others, strict=False):
        if not hasattr(other, "chunks"):
            raise ValueError(_one_collection(name, f"{name} is a Dask {type(other).__name__}"))
        parts.append(_with_chunks(other, X.chunks[0], name).to_delayed().ravel().tolist())
    return [delayed(_tuple, pure=False)(*each) for each in zip(*parts, strict=True)]


def _with_chunks(other: Any, rows: tuple[Any, ...], name: str) -> Any:
    """A target or weights in the chunks that the rows of the table are in, but for empty ones."""
    have = other.chunks[0]
    if np.isnan(rows).any() or np.isnan(have).any():
        if len(rows) != len(have):
            found = f"X has {len(rows)} chunks of unknown size, and {name} has {len(have)}"
            raise ValueError(_one_collection(name, found))
        return other if other.ndim == 1 else other.rechunk({1: -1})
    if sum(rows) != sum(have):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[sum(rows), sum(have)]}"
        )
    by_rows = {0: tuple(n for n in rows if n) or (0,)}
    return other.rechunk(by_rows if other.ndim == 1 else by_rows | {1: -1})


def _tuple(*parts: Any) -> tuple[Any, ...]:
    return parts


# ------------------------------------------------------------------ the engine


class DaskEngine:
    """Runs tasks on the partitions of a `DaskTable`; see `Engine`."""

    unit = "partition"

    def __init__(self, partitions: list[Any]):
        self.partitions = partitions

    @property
    def keeps_bytes(self) -> int:
        """How much may be kept of all partitions together; see `Engine.keeps_bytes`."""
        return int(KEPT_SHARE * memory())

    def keep(self, work: Work, given: Sequence[Any], shown: str | None = None) -> DaskEngine:
        """Partitions that stay where they were computed; see `Engine.keep`."""
        run, numbers = _Pass("keep", work), range(len(self.partitions))
        wanted = {b: run.prepared(b, self.partitions[b], given) for b in numbers}
        kept = dict(
            zip(
                [b for b, each in wanted.items() if each is not None],
                persist(*[each for each in wanted.values() if each is not None]),
                strict=True,
            )
        )
        # errors of the tasks come now
        with progress(shown or "", 1) as advance:
            self._computed(run, [delayed(_nothing, pure=False)(each) for each in kept.values()])
            advance()
        return DaskEngine([kept.get(b) for b in numbers])

    def each(
        self, work: Work, given: Sequence[Any] | None = None, shown: str | None = None
    ) -> Iterator[Any]:
        """What a function gives for every partition; see `Engine.each`."""
        step = RUNS * n_threads()
        run = _Pass("read", work)
        with progress(shown or "", len(self.partitions)) as advance:
            for start in range(0, len(self.partitions), step):
                some = range(start, min(start + step, len(self.partitions)))
                looked = {b: run.prepared(b, self.partitions[b], given) for b in some}
                found = self._computed(run, [each for each in looked.values() if each is not None])
                for b in some:
                    yield None if looked[b] is None else found.pop(0)
                    advance()

    def add_up(
        self, work: Work, task: Task, given: Sequence[Any], state: Any, shown: str | None = None
    ) -> Any:
        """The state after all partitions were added to it; see `Engine.add_up`."""
        looked = [b for b, about in enumerate(given) if about is not None]
        run = _Pass(task.name, work, task)
        threads = n_threads()
        with progress(shown or task.name, len(looked)) as advance:
            if not task.ordered:
                size = max(1, -(-len(looked) // (RUNS * threads)))
                runs = [looked[at : at + size] for at in range(0, len(looked), size)]
                ends = [run.chain(self.partitions, some, given, state) for some in runs]
                (state,) = self._computed(run, [run.merged(ends)]) if ends else (state,)
                for _ in looked:
                    advance()
                return state
            for at in range(0, len(looked), AHEAD * threads):
                some = looked[at : at + AHEAD * threads]
                (state,) = self._computed(run, [run.chain(self.partitions, some, given, state)])
                for _ in some:
                    advance()
        return state

    def _computed(self, run: _Pass, wanted: list[Any]) -> list[Any]:
        """Compute tasks; errors name the partition."""
        try:
            return results_of(run.name, wanted)
        except Exception as error:
            if isinstance(error, StalledError) or re.search(r"\b[Pp]artition \d", str(error)):
                raise
            if type(error).__name__ == "KilledWorker":
                raise RuntimeError(
                    f"Workers died in the pass {run.name!r}, probably for lack of memory: {error} "
                    "A worker needs a few partitions with a copy of each, and the sums. Make the "
                    "partitions smaller, or give the workers more memory."
                ) from error
            self._find_unreadable()
            raise

    def _find_unreadable(self) -> None:
        """Raise the error of the first partition that cannot be computed, with its number."""
        for b, partition in enumerate(self.partitions):
            try:
                delayed(_nothing, pure=False)(partition).compute()
            except Exception as error:
                message = f"Partition {b} could not be read: {type(error).__name__}: {error}"
                raise _of_class(error, message) from error


def _nothing(partition: Any) -> None:
    """Let a partition be computed."""


class _Pass:
    """The tasks of one pass, with names that tell what they do.

    What all of them need stands once in the graph, hidden from Dask, which would look into it.
    """

    def __init__(self, name: str, work: Work, task: Task | None = None):
        self.name = name
        self._token = uuid.uuid4().hex
        self._common = delayed(
            _Hidden((work, task)), traverse=False, name=f"ensfs-common-{self._token}"
        )

    def _key(self, name: str, b: int) -> dict[str, Any]:
        return {"dask_key_name": (f"ensfs-{name}-{self._token}", b)}

    def prepared(self, b: int, partition: Any, given: Sequence[Any] | None) -> Any:
        """The task that prepares a partition; None for one that is not looked at."""
        if given is not None and given[b] is None:
            return None
        about = _Hidden((b, None if given is None else packed(given[b])))
        prepare = delayed(_prepare, pure=False)
        return prepare(self._common, partition, about, **self._key(f"{self.name}-prepare", b))

    def chain(self, partitions: list[Any], some: list[int], given: Any, state: Any) -> Any:
        """The tasks that add some partitions to a state, one after the other; gives the last."""
        last: Any = _Hidden(state)
        for b in some:
            prepared = self.prepared(b, partitions[b], given)
            last = delayed(_add, pure=False)(
                self._common, prepared, last, **self._key(self.name, b)
            )
        return last

    def merged(self, states: list[Any]) -> Any:
        """The tasks that merge states, several at a time; gives the last."""
        n = 0
        while len(states) > 1:
            groups = [states[at : at + MERGED] for at in range(0, len(states), MERGED)]
            states = []
            for group in groups:
                merge = delayed(_merge, pure=False)
                states.append(merge(self._common, group, **self._key(f"{self.name}-merge", n)))
                n += 1
        return states[0]


class _Hidden:
    """Something that Dask is not to look into."""

    def __init__(self, value: Any):
        self.value = value


def _prepare(common: _Hidden, partition: Any, about: _Hidden) -> Any:
    b, given = about.value
    given = unpacked(given)
    try:
        return common.value[0](b, partition, given)
    except Exception as error:
        if re.search(rf"\b[Pp]artition {b}\b", str(error)):
            raise
        place = given[0] if isinstance(given, tuple) and hasattr(given[0], "rows") else given
        rows = getattr(place, "rows", None)
        where = "" if rows is None else f" (rows {rows.start:,} to {rows.stop - 1:,})"
        raise _of_class(error, f"{error}\nThis is in partition {b}{where}.") from error


def _add(common: _Hidden, prepared: Any, state: Any) -> Any:
    """The state with a partition; a copy, because the task may be run again."""
    state = deepcopy(state.value if isinstance(state, _Hidden) else state)
    return state if prepared is None else common.value[1].add(prepared, state)


def _merge(common: _Hidden, states: list[Any]) -> Any:
    first, *others = states
    first = deepcopy(first)
    for other in others:
        first = common.value[1].merge(first, other)
    return first


def _of_class(error: Exception, message: str) -> Exception:
    """An error of the same class with another message, where it has nothing but one."""
    kind = type(error)
    if kind in (ValueError, TypeError, OSError, FileNotFoundError, MemoryError):
        return kind(message)
    return ValueError(message) if isinstance(error, (ValueError, LookupError)) else OSError(message)
