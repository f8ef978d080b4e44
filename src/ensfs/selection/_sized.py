"""Greedy selectors that select a number of columns, or decide by tests how many."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._utils.docs import read_descriptions
from ensfs._utils.sklearn import Interval, StrOptions
from ensfs._utils.warn import warn_user
from ensfs.search.automatic import EntryRule, automatic_search
from ensfs.search.criteria import Criterion
from ensfs.search.greedy import Entry, GreedyDetails, greedy_search
from ensfs.search.selection import Selection
from ensfs.selection._base import DetailsT, PartSelector, StatisticsT
from ensfs.statistics import Sources
from ensfs.statistics.entry_tests import CountTests, EntryTests
from ensfs.statistics.outputs import CombinedSource, CombinedTests
from ensfs.training.contract import TrainingData

SIZE_DOCS = read_descriptions("""
n_features_to_select : int, float or "auto", default=10
    How many columns; a float in (0, 1] is a share of all columns. "auto": as many as pass. A column
    enters only if it is related to the target, alone and given each column selected before it, at
    the significance level `expected_false` divided by the number of columns.
expected_false : float, default=1.0
    For "auto": how many columns that say nothing of the target may be expected to enter, at most.
min_features_to_select : int, default=1
    For "auto": if fewer columns pass, the best of the others enter without the test, with a
    warning.
entry_pvalues_ : ndarray of shape (`n_features_in_`,)
    Only with "auto". The largest p-value of each column, alone and given the selected ones: of a
    selected column when it entered, of another when it failed.
stop_reason_ : str
    Only with "auto". Why no further column was selected.
""")

SIZE_CONSTRAINTS: dict = {
    "n_features_to_select": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0, 1, closed="right"),
        StrOptions({"auto"}),
    ],
    "expected_false": [Interval(Real, 0, None, closed="neither")],
    "min_features_to_select": [Interval(Integral, 0, None, closed="left")],
}


def count_tests(source: Any, data: TrainingData, discretizer: Any) -> EntryTests:
    """The tests of coded columns."""
    n_cuts = data.n_possible_cuts(discretizer)
    if isinstance(source, CombinedSource):
        each = [CountTests(one.with_measure("conditional"), n_cuts) for one in source.sources]
        return CombinedTests(each, source)
    return CountTests(source.with_measure("conditional"), n_cuts)


class SizedByTests(PartSelector[StatisticsT, DetailsT]):
    """A selector whose number of columns may be "auto": tests decide."""

    prefix_stable = True

    @property
    def decides_size(self) -> bool:
        """Whether the tests decide how many columns are enough."""
        return isinstance(self.n_features_to_select, str)

    def selection_of_size(self, k: int) -> np.ndarray | None:
        """The columns that a fit with `k` columns would select; None where that takes a new fit."""
        return None if self.decides_size else super().selection_of_size(k)

    @property
    def _entry_rule(self) -> EntryRule:
        """What a column has to pass."""
        return EntryRule(self.expected_false, self.min_features_to_select)

    def _store_entry(self, entry: Entry | None) -> None:
        """Set what the tests said, and warn if too few columns passed."""
        if entry is None:
            return
        variables, (n_passed,) = self._variables, entry.n_passed
        self.entry_pvalues_ = variables.by_column(entry.p_values[0])
        n_tested = variables.n_variables - variables.included.size
        n_entered = self._selected.size - variables.included.size
        self.stop_reason_ = "no other column passes the test"
        if n_passed < n_entered:
            self.stop_reason_ = f"{n_passed} columns pass the test; min_features_to_select reached"
            warn_user(
                f"{type(self).__name__}: only {n_passed} of {n_tested} columns pass the test at "
                f"{self.expected_false / n_tested:.3g}; the best {n_entered} were selected "
                f"(min_features_to_select={self.min_features_to_select})."
            )
        elif n_passed == n_tested:
            self.stop_reason_ = "all columns pass the test"

    def _reason(self, j: int) -> str:
        if self.decides_size and not self.support_[j]:
            return "does not pass the test"
        return super()._reason(j)

    def _entry_row(self, j: int) -> dict[str, Any]:
        """What `explain` says of the test of column ``j``."""
        return {"p-value": float(self.entry_pvalues_[j])} if self.decides_size else {}


class SizedSelector(SizedByTests[Sources, GreedyDetails]):
    """A greedy selector whose number of columns may be "auto"."""

    def _search(
        self, sources: Sources, k: int, criterion: Criterion, included: np.ndarray
    ) -> Selection[GreedyDetails]:
        """Columns of every part, by a criterion."""
        criterion = replace(criterion, least=sources.least)
        if not self.decides_size:
            return greedy_search(sources.pairs, k, criterion, sources.columns, included)
        if sources.tests is None:
            raise ValueError(
                "n_features_to_select='auto' needs tests of single parts, or of a measure of "
                "relevance that has one; averaged measures, given numbers and forests have none. "
                "Give a number."
            )
        return automatic_search(sources, criterion, self._entry_rule, included)
