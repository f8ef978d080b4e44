"""Tests from counts in parts that are neither all rows nor leave-one-out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ensfs.data.target import Target
from ensfs.independence._counts import CodedRule, CodedTester
from ensfs.independence._testers import PartTester, TableTester
from ensfs.statistics import Resampling, repetitions


def make_coded_tester(
    codes: np.ndarray,
    n_levels: np.ndarray,
    target: Target,
    resampling: Resampling,
    rule: CodedRule,
    n_threads: int = 1,
) -> TableTester:
    """The tester of coded columns for these parts; parameters as of `CodedTester`."""
    if rule.kind == "permutation" and resampling.weight is not None:
        if np.ptp(resampling.weight) > 0:
            raise ValueError(
                "sample_weight must be the same for all rows for a PermutationTest: rows that are "
                "there more often than others cannot be exchanged. Use a G2Test."
            )
        resampling = Resampling(resampling.fold, resampling.membership)
    times = repetitions(resampling.weight)
    if times is not None:
        codes = np.asfortranarray(np.repeat(codes, times, axis=0))
        target = replace(target, codes=np.repeat(target.codes, times))
        resampling = resampling.repeated(times)
    if resampling.is_all_rows or resampling.is_leave_one_out:
        return CodedTester(codes, n_levels, target, resampling, rule, n_threads)
    return CopiedPartsTester(codes, target, resampling, rule, n_threads)


class CopiedPartsTester(TableTester):
    """Each part is counted on a copy of its rows.

    The kernels of `CodedTester` take the counts of one fold from the total, so they only do for
    leave-one-out. This tester is right for any parts, but they share no counts: the time grows with
    the number of parts.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8 or uint16
        Codes of every column.
    target : Target
        Classes.
    resampling : Resampling
        The parts of the rows.
    rule : CodedRule
        When counts show a dependence.
    n_threads : int, default=1
        Number of threads.
    """

    def __init__(
        self,
        codes: np.ndarray,
        target: Target,
        resampling: Resampling,
        rule: CodedRule,
        n_threads: int = 1,
    ):
        self.codes, self.target, self.resampling = codes, target, resampling
        self.rule, self.n_threads = rule, n_threads
        self.n_features, self.n_parts = codes.shape[1], resampling.n_parts
        self.relevance = np.array([self._tester(t).relevance[0] for t in range(self.n_parts)])

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``."""
        return self._tester(t).part(0)

    def _tester(self, t: int) -> CodedTester:
        """The tester of a table of the rows of part ``t``."""
        rows = self.resampling.rows(t)
        codes = np.asfortranarray(self.codes[rows])
        n_levels = np.empty(self.n_features, dtype=np.int32)
        for j, column in enumerate(codes.T):
            levels, codes[:, j] = np.unique(column, return_inverse=True)
            n_levels[j] = levels.size
        present, y = np.unique(self.target.codes[rows], return_inverse=True)
        classes = np.asarray(self.target.classes)[present]
        target = Target("classes", present.size == 1, y.astype(np.int32), classes)
        weight = self.resampling.weight
        everything = Resampling.all_rows(rows.size, None if weight is None else weight[rows])
        return CodedTester(codes, n_levels, target, everything, self.rule, self.n_threads)
