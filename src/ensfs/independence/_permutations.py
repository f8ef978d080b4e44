"""G² against permuted tables, for few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, xlogy
from scipy.stats import random_table

from ensfs.independence._testers import Outcome, PartTester

if TYPE_CHECKING:
    from ensfs.independence._counts import CodedTester

#: A permuted G² counts as reaching the observed one if it falls short by no more than this.
G2_TOLERANCE = 1e-9


class PermutationPartTester(PartTester):
    """G² against random tables with the same margins in every stratum.

    Each test seeds its own generator, so the result does not depend on the order of the tests.
    """

    def __init__(self, table: CodedTester, t: int):
        super().__init__(table.n_features)
        self.table, self.rule = table, table.rule
        self.rows = np.arange(table.n)
        if table.fold is not None:
            self.rows = np.nonzero(table.fold != t)[0]

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        return self._pairs(np.array([[x, y, *given] for x in columns.tolist()], dtype=np.int64))

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        found = [
            self._one(min(x, y), max(x, y), tuple(sorted(given))) for x, y, *given in pairs.tolist()
        ]
        if not found:
            nothing = np.empty(0)
            return Outcome(nothing > 0, nothing > 0, nothing, nothing, nothing, nothing)
        return Outcome(*(np.array(each) for each in zip(*found, strict=True)))

    def _one(self, x: int, y: int, given: tuple[int, ...]) -> tuple:
        observed, permuted = self._g_squares(x, y, given)
        pvalue, df = 1.0, 0.0
        if permuted is not None:
            df = float(permuted.mean())
        if permuted is not None and self.rule.distribution == "permuted":
            as_large = int(np.count_nonzero(permuted >= observed - G2_TOLERANCE))
            pvalue = (1 + as_large) / (permuted.size + 1)
        elif permuted is not None:
            pvalue = float(chdtrc(df, observed))
        information = observed / (2 * self.rows.size * np.log(2))
        return pvalue <= self.rule.alpha, True, information, observed, df, pvalue

    def _g_squares(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, Any]:
        """G² of the table and of permuted tables; None instead of these if no stratum varies.

        Margins are sorted by size and strata by their margins before tables are drawn, so the
        result depends neither on the order of the rows nor on the names of the levels.
        """
        rng = np.random.default_rng([self.rule.seed, x, y, *given])
        observed, permuted = 0.0, None
        for rows, columns, cells in sorted(self._strata(x, y, given)):
            n, margins = sum(rows), np.array(rows + columns)
            fixed = xlogy(n, n) - xlogy(margins, margins).sum()
            drawn = random_table.rvs(
                rows, columns, size=self.rule.n_permutations, random_state=rng
            )  # fmt: skip
            observed += 2 * (xlogy(cells, cells).sum() + fixed)
            here_permuted = 2 * (xlogy(drawn, drawn).sum(axis=(1, 2)) + fixed)
            permuted = here_permuted if permuted is None else permuted + here_permuted
        return max(0.0, float(observed)), permuted

    def _in_rows(self, x: int, y: int, given: tuple[int, ...]) -> tuple[np.ndarray, ...]:
        """Strata of the rows, and codes of two nodes in them."""
        codes_x, codes_y = (self.table.column(j)[self.rows] for j in (x, y))
        return self.table.strata(given)[0][self.rows], codes_x, codes_y

    def _strata(
        self, x: int, y: int, given: tuple[int, ...]
    ) -> Iterator[tuple[list[int], list[int], list[int]]]:
        """Sorted margins and cells of each stratum in which both columns vary."""
        stratum, codes_x, codes_y = self._in_rows(x, y, given)
        for z in np.unique(stratum):
            here = stratum == z
            levels_x, at_x = np.unique(codes_x[here], return_inverse=True)
            levels_y, at_y = np.unique(codes_y[here], return_inverse=True)
            if levels_x.size < 2 or levels_y.size < 2:
                continue
            table = np.zeros((levels_x.size, levels_y.size), dtype=np.int64)
            np.add.at(table, (at_x, at_y), 1)
            margins = table.sum(axis=1), table.sum(axis=0)
            rows, columns, cells = (np.sort(each, axis=None).tolist() for each in (*margins, table))
            yield rows, columns, cells
