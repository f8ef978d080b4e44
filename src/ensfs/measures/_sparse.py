"""Sparse tables in the measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.threads import effective_n_threads
from ensfs.data.sparse_table import make_sparse_table
from ensfs.data.weights import existing_rows, repeat_rows
from ensfs.measures._inputs import discrete_target, parts_of
from ensfs.statistics.formulas import Measure
from ensfs.statistics.sparse_coded import SparseCodedSource
from ensfs.statistics.sparse_observed import SparseObservedCounts
from ensfs.training.sparse import SparseTrainingData


def sparse_data(
    X: Any, sample_weight: Any, *others: Any, **options: Any
) -> tuple[SparseTrainingData, list[Any]]:
    """The rows of a sparse table that exist, and of what belongs to them; the target is first."""
    existing = existing_rows(sample_weight, X.shape[0])
    X, times = repeat_rows(X, existing)
    data = SparseTrainingData(make_sparse_table(X, **options), others[0], existing, times)
    return data, [existing.of(each) for each in others[1:]]


def sparse_source(
    X: Any,
    y: Any,
    sample_weight: Any,
    folds: Any,
    measure: str | Measure,
    n_jobs: int | None,
    way: str,
    given: Any = None,
    given_has_gaps: bool = False,
) -> SparseCodedSource | SparseObservedCounts:
    """Counts of a sparse table of discrete values.

    `way` says what is made of missing cells. What is given is a column after the last; its last
    level may be that of missing cells.
    """
    data, (given, folds) = sparse_data(
        X, sample_weight, y, given, folds, discrete_features=True, allow_missing=way != "error"
    )
    target, parts = discrete_target(data.y, data.n_rows), parts_of(folds, data.n_rows, data.y)
    coded = data.codes(target)
    if given is not None:
        given = given if data.times is None else np.repeat(given, data.times)
        coded = coded.with_columns([given], [given_has_gaps])
    return data.counts(
        coded, target, parts, way, measure=measure, n_threads=effective_n_threads(n_jobs)
    )
