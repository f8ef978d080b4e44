"""How good a selection or an ensemble is: stability, diversity, significance."""

from ensfs.evaluation.comparison import SelectorComparison, compare_selectors
from ensfs.evaluation.diversity import ambiguity, error_correlation, error_reduction
from ensfs.evaluation.resampling import cross_validate_5x2
from ensfs.evaluation.significance import FriedmanHolm, RankTest, friedman_holm, holm
from ensfs.measures.stability import (
    NogueiraStability,
    expected_passes,
    jaccard_stability,
    nogueira_stability,
)
from ensfs.measures.stability_bounds import stability_bound, stability_threshold

__all__ = [
    "FriedmanHolm",
    "NogueiraStability",
    "RankTest",
    "SelectorComparison",
    "ambiguity",
    "compare_selectors",
    "cross_validate_5x2",
    "error_correlation",
    "error_reduction",
    "expected_passes",
    "friedman_holm",
    "holm",
    "jaccard_stability",
    "nogueira_stability",
    "stability_bound",
    "stability_threshold",
]
