"""Groups of continuous columns: means of what is measured of their members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ensfs.statistics.ahead import Ahead
from ensfs.statistics.entry_tests import EntryTests
from ensfs.statistics.source import Source


class GroupedSource(Source):
    """Columns of a source seen as groups.

    The relevance of a group is the mean over its members. Its association with another group is the
    mean of the absolute association over all pairs of their members, and `sizes` tells a search
    that a selected group counts once for each of its columns.

    Parameters
    ----------
    source : Source
        The columns.
    members : sequence of ndarray of int
        The columns of each group, which may be one.
    """

    def __init__(self, source: Any, members: Sequence[np.ndarray]):
        self.source, self.members = source, list(members)
        self.n_features, self.n_parts, self.n_threads = (
            len(self.members), source.n_parts, source.n_threads
        )  # fmt: skip
        self.sizes: np.ndarray = np.array([each.size for each in self.members])
        self._order = np.concatenate(self.members)
        self._starts = np.cumsum([0, *self.sizes[:-1]])
        self.relevance = self._mean(np.abs(source.relevance) if source.signed else source.relevance)
        self.constant = np.logical_and.reduceat(
            source.constant[:, self._order], self._starts, axis=1
        )
        if source.output_relevance is not None:
            self.output_relevance = self._mean(source.output_relevance)
        self._values = np.empty((source.n_parts, source.n_features))

    def _mean(self, values: np.ndarray) -> np.ndarray:
        """Means over the members of every group, along the last axis."""
        sums = np.add.reduceat(values[..., self._order], self._starts, axis=-1)
        return np.asarray(sums / self.sizes)

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs of columns whose rows were read."""
        return self.source.n_pairs_read

    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Mean association of every group with the groups asked for; see `Source.association`."""
        for g, part_ids in requests:
            total = np.zeros((part_ids.size, self.n_features))
            for column in self.members[g].tolist():
                further = partial(self._members_ahead, g, ahead)
                self.source.association([(column, part_ids)], self._values, further)
                total += self._mean(np.abs(self._values[part_ids]))
            out[part_ids] = total / self.sizes[g]

    def _members_ahead(self, g: int, ahead: Ahead | None) -> Iterator[int]:
        """The columns of a group, then those of the groups that may be asked for next."""
        for group in chain([g], () if ahead is None else ahead()):
            yield from self.members[group].tolist()

    def averaged(self) -> GroupedSource:
        """The parts seen as one: averaged for every column, then for groups."""
        return GroupedSource(self.source.averaged(), self.members)


class GroupedTests(EntryTests):
    """Tests of groups of columns: so many times the least p-value of the members.

    Given a selected group, the largest p-value given one of its columns.

    Parameters
    ----------
    tests : EntryTests
        Of the columns.
    source : GroupedSource
        The groups.
    """

    def __init__(self, tests: EntryTests, source: GroupedSource):
        self.tests, self.source = tests, source
        self._values = np.empty((source.n_parts, source.source.n_features))

    def alone(self) -> np.ndarray:
        """p-values of every group with the target."""
        of_columns = self.tests.alone()
        return np.stack(
            [self._least(of_columns[:, members]) for members in self.source.members], axis=1
        )

    def given(self, g: int, t: int, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """p-values of some groups with the target given group ``g``; makes the values itself."""
        members = [self.source.members[f] for f in columns]
        p_values = np.zeros(columns.size)
        if not members:
            return p_values
        ends = np.cumsum([each.size for each in members])[:-1]
        for column in self.source.members[g].tolist():
            self.tests.source.association([(column, np.array([t]))], self._values)
            each = self.tests.given(column, t, self._values[t], np.concatenate(members))
            least = np.array([self._least(one) for one in np.split(each, ends)])
            p_values = np.maximum(p_values, least)
        return p_values

    @staticmethod
    def _least(of_members: np.ndarray) -> np.ndarray:
        return np.minimum(of_members.shape[-1] * of_members.min(axis=-1), 1.0)

    def take(self, columns: np.ndarray, source: Any) -> GroupedTests:
        """Not used: groups have all columns."""
        raise TypeError("Tests of groups have all columns, or none.")
