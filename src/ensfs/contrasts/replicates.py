"""Forests with contrasts, grown again and again until the outcome is clear."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

from ensfs._utils.progress import task
from ensfs.data.parameters import resolve_share
from ensfs.measures.forest import ContrastForest, ForestTarget

if TYPE_CHECKING:
    from ensfs.contrasts.ace import ACE

#: Replicates before the first look whether all is clear, and between looks.
FIRST_LOOK, NEXT_LOOK = 5, 5

#: How often each column is tried at the roots of a forest on average, at least.
TRIES_AT_ROOTS = 5


class Replicates:
    """The forests of one fit.

    Parameters
    ----------
    ace : ACE
        Settings of the forests.
    codes : ndarray of uint8, shape (n, p), Fortran order
        The columns.
    nominal : ndarray of uint8, shape (p,)
        1 where levels have no order.
    n_threads : int
        Threads; the result does not depend on them.
    weight : ndarray of shape (n,), optional
        Weight of each row.
    """

    def __init__(
        self,
        ace: ACE,
        codes: np.ndarray,
        nominal: np.ndarray,
        n_threads: int,
        weight: np.ndarray | None = None,
    ):
        self.weight = weight
        self.ace, self.codes, self.nominal, self.n_threads = ace, codes, nominal, n_threads
        self.p = codes.shape[1]
        self.seed = int(check_random_state(ace.random_state).randint(np.iinfo(np.int32).max))

    def forest(
        self,
        columns: np.ndarray,
        target: ForestTarget,
        n_candidates: int,
        least_trees: int,
        most_depth: int = 30,
    ) -> ContrastForest:
        """A forest on some of the columns."""
        whole = columns.size == self.p and bool((columns == np.arange(self.p)).all())
        codes = self.codes if whole else np.asfortranarray(self.codes[:, columns])
        ace = self.ace
        # a column is tried at one root of so many
        one_in = 2 * columns.size / n_candidates
        n_trees = ace.n_estimators or max(least_trees, math.ceil(TRIES_AT_ROOTS * one_in))
        depth = min(ace.max_depth, most_depth)
        return ContrastForest(
            codes, self.nominal[columns], target, n_trees, depth, ace.min_samples_leaf,
            n_candidates, self.n_threads, self.weight,
        )  # fmt: skip

    def n_candidates(self, n_columns: int) -> int:
        """Columns and contrasts that are tried at a node."""
        both = 2 * n_columns
        m = self.ace.max_features
        if m is None:
            return min(both, math.ceil(2 * math.sqrt(both)))
        if isinstance(m, Integral):
            return min(int(m), both)
        return resolve_share(m, both)

    def seed_of(self, *place: int) -> np.random.SeedSequence:
        """Seed of a place: round, step, replicate."""
        return np.random.SeedSequence((self.seed, *place))

    def round_name(self, number: int) -> str:
        """A round as progress shows it; the last is the one that finds nothing new."""
        return f"round {number} of at most {self.ace.max_iter}"

    def repeat(
        self,
        name: str,
        replicate: Callable[[int], tuple[np.ndarray, np.ndarray]],
        is_clear: Callable[[np.ndarray, np.ndarray], bool],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores and thresholds of the replicates, until a look finds that all is clear."""
        scores, thresholds = [], []
        most = self.ace.n_replicates
        with task(name, most) as advance:
            for n in range(1, most + 1):
                score, threshold = replicate(n - 1)
                scores.append(score)
                thresholds.append(threshold)
                advance()
                looks = FIRST_LOOK <= n < most and (n - FIRST_LOOK) % NEXT_LOOK == 0
                if looks and is_clear(np.array(scores), np.array(thresholds)):
                    break
        return np.array(scores), np.array(thresholds)


def upper_quantile(values: np.ndarray, q: float) -> np.ndarray:
    """Quantile of the last axis, one of the values; the higher one if it lies between two."""
    return np.quantile(values, q, axis=-1, method="higher")
