"""Relevance that is no statistic of the table: from a forest, a function or an array."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ensfs.data.bins import kinds_of_bins
from ensfs.data.frames import take
from ensfs.data.target import Target
from ensfs.measures.forest import corrected_importances
from ensfs.statistics import RelevanceSource, Resampling, Source
from ensfs.statistics.outputs import combine_outputs
from ensfs.training.classes import Outputs, outputs_of
from ensfs.training.contract import TrainingData
from ensfs.training.memory import MemoryTrainingData
from ensfs.training.sparse import SparseTrainingData


class GivenRelevance(RelevanceSource):
    """Relevance of every column in every part, by a function of the rows or as it was given.

    Parameters
    ----------
    relevance : "forest", callable or array-like of shape (n_features,)
        The numbers, a function of (X, y) that gives them, or importances in a forest.
    data : TrainingData
        The table.
    resampling : Resampling
        The parts.
    pairs : Source
        The source for pairs of columns, which has the constant ones too.
    """

    def __init__(self, relevance: Any, data: TrainingData, resampling: Resampling, pairs: Source):
        self.n_features, self.n_parts = pairs.n_features, pairs.n_parts
        self.n_threads, self.constant = pairs.n_threads, pairs.constant
        values = [self._of_part(relevance, data, resampling, t) for t in range(self.n_parts)]
        self.relevance = np.where(self.constant, 0.0, np.array(values))
        if not (np.isfinite(self.relevance) & (self.relevance >= 0.0)).all():
            raise ValueError(
                "relevance must be finite and not negative for every column that is not constant."
            )

    def _of_part(
        self, relevance: Any, data: TrainingData, resampling: Resampling, t: int
    ) -> np.ndarray:
        if not callable(relevance) and not isinstance(relevance, str):
            of_columns = self._checked(relevance, data.variables.n_columns)
            return data.variables.mean_of_members(data.variables.of_kept(of_columns))
        if not isinstance(data, MemoryTrainingData):
            raise TypeError(
                "A forest or a function as relevance needs the whole table in memory. For row "
                "blocks give an array, or name a measure."
            )
        rows, target = resampling.rows(t), data.target("auto")
        if callable(relevance):
            if data.weight is not None:
                raise ValueError(
                    "sample_weight must be None if relevance is a function, which does not see "
                    "weights. Give its values as an array, or name a measure."
                )
            X = take(data.matrix(), None if resampling.is_all_rows else rows)
            of_outputs = [
                self._checked(relevance(X, _labels(each)[rows]), data.table.n_features)
                for each in outputs_of(target)
            ]
        elif isinstance(data, SparseTrainingData):
            raise TypeError(
                "relevance='forest' does not support sparse tables. Call X.toarray() first, or "
                "name another measure."
            )
        else:
            of_outputs = [
                forest_relevance(data, each, rows, self.n_threads) for each in outputs_of(target)
            ]
        how = target.combine if isinstance(target, Outputs) else "mean"
        return data.variables.mean_of_members(combine_outputs(np.array(of_outputs), how))

    def _checked(self, values: Any, n_columns: int) -> np.ndarray:
        """One number for each column; score functions may give p-values after the scores."""
        scores = np.asarray(values[0] if isinstance(values, tuple) else values, dtype=np.float64)
        if scores.shape != (n_columns,):
            raise ValueError(
                f"relevance must have one number for each of {n_columns} columns; got shape "
                f"{scores.shape}."
            )
        return scores

    @property
    def n_pairs_read(self) -> int:
        """Every column once, with the target."""
        return self.n_features


def _labels(target: Target) -> np.ndarray:
    """The target as functions of (X, y) take it: numbers, or the labels of classes."""
    return target.values if target.kind == "numeric" else target.classes[target.codes]


def forest_relevance(
    data: MemoryTrainingData, target: Target, rows: np.ndarray, n_threads: int
) -> np.ndarray:
    """Importances in a forest on some rows beyond those of permuted copies, at least 0."""
    codes = np.asfortranarray(data.table.bins()[rows])
    importances, contrasts = corrected_importances(
        codes, kinds_of_bins(data.table), _target_of(target, rows), n_threads=n_threads
    )
    return np.maximum(importances - contrasts, 0.0)


def _target_of(target: Target, rows: np.ndarray) -> Target:
    """The target of some rows."""
    if target.kind == "numeric":
        values = target.values[rows]
        return replace(target, constant=bool(np.ptp(values) == 0.0), values=values)
    codes = target.codes[rows]
    return replace(target, constant=bool(np.ptp(codes) == 0), codes=codes)
