"""Additive statistics and where they come from.

Every measure here is a function of sums over rows, so the sums of a set of rows are the sums of its
pieces. A *source* holds a table and answers two questions of a selector: how relevant is every
column, and how does every column stand to column ``g``, in each of its *parts*. A part is a union
of folds (`Resampling`): all rows, all but one fold, or half of the folds.

A selector does not know which source it searches: columns in memory (here) and blocks of rows
(`ensfs.scale`) answer alike, to the last bit.
"""

from ensfs.statistics.ahead import Ahead, by_score
from ensfs.statistics.coded import CodedSource
from ensfs.statistics.continuous import (
    ContinuousSource,
    centre_products,
    finish_pearson,
    finish_pearson_of_folds,
)
from ensfs.statistics.continuous_sums import SMALLEST_SQUARES, ContinuousSums
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import (
    AveragedSource,
    CachingSource,
    LazySource,
    PartStatistics,
    RelevanceSource,
    Removal,
    SearchState,
    Source,
    Sources,
    pairs_with,
)
from ensfs.statistics.weights import (
    CountedRows,
    chance_of,
    log_table,
    repetitions,
    scaled_rows,
)

__all__ = [
    "SMALLEST_SQUARES",
    "Ahead",
    "AveragedSource",
    "CachingSource",
    "CodedSource",
    "ContinuousSource",
    "ContinuousSums",
    "CountedRows",
    "LazySource",
    "PartStatistics",
    "RelevanceSource",
    "Removal",
    "Resampling",
    "SearchState",
    "Source",
    "Sources",
    "by_score",
    "centre_products",
    "chance_of",
    "finish_pearson",
    "finish_pearson_of_folds",
    "log_table",
    "pairs_with",
    "repetitions",
    "scaled_rows",
]
