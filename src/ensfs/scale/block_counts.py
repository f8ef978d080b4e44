"""Counts of the columns of a block, on bit planes where columns have few levels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ensfs._core import discrete, fold_pairs, weighted
from ensfs._utils.threads import for_blocks
from ensfs.scale.sent import packed, unpacked
from ensfs.statistics import Resampling

#: Planes of a column times those of what it is counted against, up to which the rows that planes
#: share are counted faster than rows are added to a table one by one.
MOST_PLANES = 49

#: Bits for each row, at most, in planes that have words of their own for every fold.
MOST_BITS = 4

#: Cells of columns that are spread at a time, to be added to a table one by one.
SPREAD_CELLS = 1 << 22


#: What was made of some rows for one request and may serve the next: codes of nodes, and more.
Known = dict[Any, Any]


class Label(NamedTuple):
    """What columns are counted against: the combinations of the levels of some nodes.

    Attributes
    ----------
    nodes : tuple of int
        Columns by their numbers; -1 is the first output of the target, -2 the second and so on.
    sizes : tuple of int
        Levels of each.
    keys : tuple of (ndarray or None)
        For each node: the combinations up to it that are numbered, sorted; None: all of them.
    """

    nodes: tuple[int, ...]
    sizes: tuple[int, ...]
    keys: tuple[np.ndarray | None, ...]

    @property
    def n_levels(self) -> int:
        """How many combinations there are."""
        n = 1
        for size, keys in zip(self.sizes, self.keys, strict=True):
            n = n * size if keys is None else keys.size
        return n

    def then(self, other: Label) -> Label:
        """The combinations of these with those of other nodes."""
        return Label(self.nodes + other.nodes, self.sizes + other.sizes, self.keys + other.keys)


class Request(NamedTuple):
    """What is to be counted: some columns (None: all) against a label."""

    label: Label
    columns: np.ndarray | None = None


class Counts(NamedTuple):
    """Counts of columns against a label: by fold and level of it, of all levels of the columns."""

    tables: np.ndarray
    margin: np.ndarray


class CodedRows(NamedTuple):
    """Rows as codes of the whole table.

    Attributes
    ----------
    codes : ndarray of shape (n, p), Fortran order
        Codes of the columns.
    fold : ndarray of int, shape (n,)
        Fold of each row.
    classes : tuple of ndarray of int, shape (n,)
        Classes of each output of the target.
    weights : ndarray of int64, shape (n,), or None
        Their weights.
    """

    codes: np.ndarray
    fold: np.ndarray
    classes: tuple[np.ndarray, ...]
    weights: np.ndarray | None


class BlockCounts:
    """Some rows, so that their columns can be counted: planes, and codes where these are many.

    Parameters
    ----------
    rows : CodedRows
        The rows.
    offset : ndarray of int, shape (p + 1,)
        Where the levels of each column begin in tables of counts.
    n_folds : int
        Number of folds.
    """

    def __init__(self, rows: CodedRows, offset: np.ndarray, n_folds: int):
        self._levels = np.diff(offset)
        self._n = np.bincount(rows.fold, minlength=n_folds)
        self._fold, self._classes = packed(rows.fold), packed(rows.classes)
        self._weights = rows.weights
        few = self._levels <= discrete.max_plane_levels
        words = -(-int(self._n.max()) // 64)
        sparse = n_folds * words * 64 > MOST_BITS * len(rows.codes) + 1024
        if rows.weights is not None or sparse or rows.codes.dtype != np.uint8:
            few[:] = False
        self._few = few
        #: Where each column is, among those with planes or among the others.
        self._place = np.where(few, np.cumsum(few), np.cumsum(~few)) - 1
        self._codes = np.asfortranarray(rows.codes[:, ~few])
        self._planes = np.empty((0, n_folds * words), dtype=np.uint64)
        self._start = np.zeros(1, dtype=np.int64)
        if few.any():
            codes = rows.codes if few.all() else np.asfortranarray(rows.codes[:, few])
            self._start, self._planes = self._make_planes(codes, self._levels[few])
        self._marked = self._count(self._planes)

    # ------------------------------------------------------------------ planes and codes

    def _positions(self) -> tuple[np.ndarray, int]:
        """The bit of each row where every fold has words of its own, and the number of words."""
        n_folds = self._n.size
        folds = Resampling(unpacked(self._fold), np.ones((1, n_folds), dtype=bool))
        return folds.word_positions()

    def _make_planes(self, codes: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Planes of some columns, each fold in words of its own, and where those of each begin."""
        position, n_words = self._positions()
        start = np.concatenate([[0], np.cumsum(levels - 1)]).astype(np.int64)
        planes = np.empty((start[-1], n_words), dtype=np.uint64)
        buffer = np.empty(64 * n_words, dtype=np.uint8)
        discrete.make_planes(codes, start, 0, levels.size, planes, position, buffer)
        return start, planes

    def _count(self, planes: np.ndarray) -> np.ndarray:
        """Rows of each plane in each fold."""
        marked = np.empty((len(planes), self._n.size), dtype=np.int64)
        fold_pairs.count_planes(planes, marked)
        return marked

    def _codes_of(self, node: int, known: Known) -> np.ndarray:
        """Codes of a column or an output."""
        if node < 0:
            return unpacked(self._classes[-1 - node])
        place = self._place[node]
        if not self._few[node]:
            return self._codes[:, place]
        planes = self._planes[self._start[place] : self._start[place + 1]]
        codes = np.zeros(64 * planes.shape[1], dtype=np.uint8)
        for level, plane in enumerate(planes, 1):
            codes += np.uint8(level) * np.unpackbits(plane.view(np.uint8), bitorder="little")
        if "position" not in known:
            known["position"] = self._positions()[0]
        return codes[known["position"]]

    def _label(self, label: Label, known: Known) -> np.ndarray:
        """The label of each row."""
        found = np.zeros(int(self._n.sum()), dtype=np.int64)
        for node, size, keys in zip(*label, strict=True):
            if node not in known:
                known[node] = self._codes_of(node, known)
            found = found * size + known[node]
            if keys is not None:
                found = np.searchsorted(keys, found)
        return found

    def combinations(self, label: Label) -> np.ndarray:
        """Which combinations occur, sorted."""
        return np.unique(self._label(label, {}))

    # ------------------------------------------------------------------ counts

    def add(self, requests: list[Request], state: list[Counts], n_threads: int = 1) -> None:
        """Add the counts that are asked for."""
        known: Known = {}
        for (label, columns), counts in zip(requests, state, strict=True):
            some = np.arange(self._few.size) if columns is None else columns
            first = np.concatenate([[0], np.cumsum(self._levels[some])])[:-1].astype(np.int64)
            few = self._few[some]
            most = int(self._levels[some][few].max(initial=1)) - 1
            if not few.any() or most * (label.n_levels - 1) > MOST_PLANES:
                few[:] = False
            else:
                self._add_pairs(label, some[few], first[few], counts, known, n_threads)
                if few.all():
                    continue
            self._add_rows(label, some[~few], first[~few], counts, not few.any(), known)

    def _add_pairs(
        self, label: Label, columns: np.ndarray, first: np.ndarray, counts: Counts, known: Known,
        n_threads: int,
    ) -> None:  # fmt: skip
        """Count columns that have planes, and the label."""
        if len(label.nodes) == 1 and label.nodes[0] >= 0 and self._few[label.nodes[0]]:
            place = self._place[label.nodes[0]]
            own = slice(self._start[place], self._start[place + 1])
            target, marked = self._planes[own], self._marked[own]
        else:
            codes = np.asfortranarray(self._label(label, known).astype(np.uint8)[:, None])
            target = self._make_planes(codes, np.array([label.n_levels]))[1]
            marked = self._count(target)
        places = self._place[columns]

        def work(start: int, stop: int) -> None:
            fold_pairs.add_pairs(
                self._planes, self._start, self._marked, places[start:stop], first[start:stop],
                target, marked, self._n, counts.tables,
                np.empty((label.n_levels + 1, self._n.size), dtype=np.int64),
            )  # fmt: skip

        for_blocks(work, columns.size, n_threads)
        counts.margin[:, 1:] += marked.T
        counts.margin[:, 0] += self._n - marked.sum(axis=0)

    def _add_rows(
        self, label: Label, columns: np.ndarray, first: np.ndarray, counts: Counts, margin: bool,
        known: Known,
    ) -> None:  # fmt: skip
        """Count rows one by one: those of some columns, and those of the label if asked for."""
        fold, weights = unpacked(self._fold), self._weights
        row = (fold.astype(np.int64) * label.n_levels + self._label(label, known)).astype(np.int32)
        if margin:
            more = np.bincount(row, weights, minlength=counts.margin.size)
            # sums of whole weights are below 2**53
            counts.margin[...] += more.astype(np.int64).reshape(counts.margin.shape)
        if not columns.size:
            return
        abreast = counts.tables.reshape(-1, counts.tables.shape[2])
        step = max(1, SPREAD_CELLS // max(1, row.size))
        for a in range(0, columns.size, step):
            some = slice(a, a + step)
            places = self._spread(columns[some], first[some], known)
            if weights is None:
                _add_tables(places, row, abreast)
            else:
                weighted.add_tables(places, row, weights, abreast)

    def _spread(self, columns: np.ndarray, first: np.ndarray, known: Known) -> np.ndarray:
        """Places of the levels of columns in a table; those made last are known to the next."""
        key = columns.tobytes() + first.tobytes()
        if known.get("key") != key:
            known.pop("places", None)
            places = np.empty((int(self._n.sum()), columns.size), dtype=np.int32, order="F")
            for place, j, at in zip(places.T, columns.tolist(), first.tolist(), strict=True):
                np.add(self._codes_of(j, known), np.int32(at), out=place, casting="unsafe")
            known["key"], known["places"] = key, places
        return known["places"]


def _add_tables(codes: np.ndarray, place: np.ndarray, tables: np.ndarray) -> None:
    """Count a block; sums of 64 bits take the counts of a block, which are of 32."""
    if tables.dtype == np.int32:
        discrete.add_tables(codes, place, tables)
        return
    here = np.zeros(tables.shape, dtype=np.int32)
    discrete.add_tables(codes, place, here)
    tables += here
