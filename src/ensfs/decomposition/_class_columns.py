"""The columns that tell a class from all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ensfs._utils.threads import effective_n_threads
from ensfs._utils.ties import TIE_TOLERANCE, first_largest, tie_groups
from ensfs.data.missing import COEFFICIENTS, COUNTS, resolve_missing
from ensfs.data.target import Target
from ensfs.statistics import Resampling, Source
from ensfs.training.memory import MemoryTrainingData


class ClassColumns:
    """Coefficients of the columns of a table for every class, and choices by them."""

    def __init__(self, decimation: Any, data: MemoryTrainingData, target: Target):
        self.redundancy, self.share = decimation.redundancy, decimation.share
        self.missing = decimation.missing
        self.n_threads = effective_n_threads(decimation.n_jobs)
        self.data = data
        self.constant = np.zeros(data.n_features, dtype=bool)
        self._pairs: Source | None = None
        of_class = self._coefficients(decimation.relevance, decimation.discretizer, target)
        v = np.column_stack([of_class(target.codes == c) for c in range(len(target.classes))])
        g = decimation.global_weight
        self.relevance = (1.0 - g) * v + g * v.mean(axis=1, keepdims=True)

    def _coefficients(
        self, relevance: Any, discretizer: Any, target: Target
    ) -> Callable[[np.ndarray], np.ndarray]:
        """What gives the coefficients of all columns for the indicator of a class."""
        table = self.data.table
        resampling = Resampling.all_rows(self.data.n_rows)
        if relevance == "mutual_information":
            way = resolve_missing(self.missing, COUNTS)
            coded: Any = self.data.codes(target, discretizer)
            self.constant = coded.n_levels == 1
            uncut = np.nonzero(self.constant & ~table.discrete)[0]  # one level, but many values
            self.constant[uncut] = table.hold_one_value(uncut)

            def information(inside: np.ndarray) -> np.ndarray:
                of_class = Target("classes", False, inside.astype(np.int32), np.arange(2))
                source = self.data.counts(
                    coded, of_class, resampling, way, n_threads=self.n_threads
                )
                return source.relevance[0]

            return information

        def correlation(inside: np.ndarray) -> np.ndarray:
            source = self._source(inside)
            self.constant = source.constant[0]
            return np.minimum(source.relevance[0], 1.0)

        if relevance == "correlation":
            return correlation

        def called(inside: np.ndarray) -> np.ndarray:
            correlation(inside)  # checks the columns, and finds the constant ones
            given = relevance(self.data.matrix(), inside.astype(float))
            try:
                values = np.asarray(given, dtype=float)
            except (TypeError, ValueError):
                raise ValueError(f"relevance must give numbers; got {given!r}.") from None
            if values.shape != (table.n_features,) or not np.isfinite(values).all():
                raise ValueError(
                    f"relevance must give a finite number for each of the {table.n_features} "
                    f"columns; got {values!r}."
                )
            return values

        return called

    def _source(self, inside: np.ndarray) -> Source:
        target = Target("numeric", False, values=inside.astype(float))
        self._pairs = self.data.continuous_source(
            target, Resampling.all_rows(self.data.n_rows), relevance="pearson", signed=False,
            n_threads=self.n_threads, missing=self.missing, statistic=COEFFICIENTS,
        )  # fmt: skip
        return self._pairs

    def choose(self, c: int, size: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Columns of class ``c`` in order of choice, and what they were chosen by."""
        v = self.relevance[:, c]
        enough = np.inf if size is not None else self.share * v.sum() - TIE_TOLERANCE
        columns: list[int] = []
        scores: list[float] = []
        for j, score in self._by_redundancy(v) if self.redundancy else self._by_relevance(v):
            columns.append(j)
            scores.append(score)
            if len(columns) == size or v[columns].sum() >= enough:
                break
        return np.array(columns), np.array(scores)

    def _by_relevance(self, v: np.ndarray) -> Iterator[tuple[int, float]]:
        for j in np.lexsort((-tie_groups(v), self.constant)):
            yield int(j), float(v[j])

    def _by_redundancy(self, v: np.ndarray) -> Iterator[tuple[int, float]]:
        """Each column by its coefficient and what it does not share with those before."""
        source = self._pairs or self._source(np.arange(self.data.n_rows) % 2 == 0)
        apart, shared = np.zeros(v.size), np.empty((1, v.size))
        left = np.ones(v.size, dtype=bool)
        for chosen in range(v.size):
            score = v + (apart / max(1, chosen) if self.redundancy == "mean" else apart)
            varying = left & ~self.constant
            candidates = varying if varying.any() else left
            j = first_largest(np.where(candidates, score, -np.inf))
            yield j, float(score[j])
            left[j] = False
            source.association([(j, np.array([0]))], shared)
            apart += 1.0 - np.minimum(np.abs(shared[0]), 1.0)
