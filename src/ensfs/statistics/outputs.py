"""Statistics with several outputs of the target, combined to one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from ensfs.statistics.ahead import Ahead
from ensfs.statistics.entry_tests import EntryTests, continuous_tests
from ensfs.statistics.formulas import get_measure
from ensfs.statistics.groups import GroupedSource, GroupedTests
from ensfs.statistics.source import Source


def combine_outputs(values: np.ndarray, combine: str) -> np.ndarray:
    """Values of several outputs, along the first axis, as one: their mean or their maximum."""
    return np.asarray(values.max(axis=0) if combine == "max" else values.mean(axis=0))


class CombinedSource(Source):
    """Sources of the same columns with several outputs, seen as one.

    What is measured with the target is combined; what is measured between columns alone is that of
    the first source.

    Parameters
    ----------
    sources : sequence of Source
        One for each output, on the same parts.
    combine : {"mean", "max"}
        How.
    uses_target : bool
        Whether the association of two columns is one with the target too.
    """

    def __init__(self, sources: Sequence[Any], combine: str, uses_target: bool):
        first = sources[0]
        self.sources, self.combine, self.uses_target = list(sources), combine, uses_target
        self.n_features, self.n_parts, self.n_threads = (
            first.n_features, first.n_parts, first.n_threads
        )  # fmt: skip
        self.signed, self.constant = first.signed, first.constant
        #: Relevance for every output, of shape (n_outputs, n_parts, n_features).
        self.output_relevance = np.array([each.relevance for each in sources])
        of_outputs = np.abs(self.output_relevance) if self.signed else self.output_relevance
        self.relevance = combine_outputs(of_outputs, combine)
        self._values = np.empty((len(sources), self.n_parts, self.n_features))

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read, for one of the outputs."""
        return self.sources[0].n_pairs_read

    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Combined association of every column with the columns asked for."""
        if not self.uses_target:
            self.sources[0].association(requests, out, ahead)
            return
        requests = list(requests)
        for source, values in zip(self.sources, self._values, strict=True):
            source.association(requests, values, ahead)
        for _, part_ids in requests:
            out[part_ids] = combine_outputs(self._values[:, part_ids], self.combine)

    def with_measure(self, measure: Any) -> CombinedSource:
        """The same columns with another measure; the relevance stays."""
        sources = [each.with_measure(measure) for each in self.sources]
        return CombinedSource(sources, self.combine, get_measure(measure).uses_target)

    def take_measured(self, columns: np.ndarray, measure: Any) -> CombinedSource:
        """A source of some of the columns, in this order, with another measure."""
        sources = [each.take(columns, measure) for each in self.sources]
        return CombinedSource(sources, self.combine, get_measure(measure).uses_target)

    def of_columns_alone(self) -> Any:
        """The first source with the combined relevance, for measures between columns."""
        alone = copy(self.sources[0])
        alone.relevance = self.relevance
        return alone

    def averaged(self) -> CombinedSource:
        """The parts seen as one: averaged for every output, then combined."""
        sources = [each.averaged() for each in self.sources]
        return CombinedSource(sources, self.combine, self.uses_target)


class CombinedTests(EntryTests):
    """Tests with several outputs: so many times the least p-value of them.

    Parameters
    ----------
    tests : sequence of EntryTests
        One for each output.
    source : CombinedSource
        The source of the terms.
    """

    def __init__(self, tests: Sequence[EntryTests], source: Any):
        self.tests, self.source = list(tests), source
        shape = (self.tests[0].source.n_parts, self.tests[0].source.n_features)
        self._values = np.empty(shape)

    def alone(self) -> np.ndarray:
        """p-values of every column with the target."""
        return self._least([each.alone() for each in self.tests])

    def given(self, g: int, t: int, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """p-values of some columns with the target given column ``g``; makes the values itself."""
        found = []
        for each in self.tests:
            each.source.association([(g, np.array([t]))], self._values)
            found.append(each.given(g, t, self._values[t], columns))
        return self._least(found)

    def _least(self, p_values: list[np.ndarray]) -> np.ndarray:
        return np.minimum(len(self.tests) * np.min(p_values, axis=0), 1.0)

    def take(self, columns: np.ndarray, source: Any) -> CombinedTests:
        """Not used: combined sources have all columns."""
        raise TypeError("Tests with several outputs have all columns, or none.")


def tests_of_numbers(source: Any) -> EntryTests:
    """The tests of continuous columns, by their target, with one output or several, or groups."""
    if isinstance(source, GroupedSource):
        return GroupedTests(tests_of_numbers(source.source), source)
    if isinstance(source, CombinedSource):
        return CombinedTests([continuous_tests(each) for each in source.sources], source)
    return continuous_tests(source)
