"""How good a selection or an ensemble is: stability, diversity, significance."""

from ensfs.evaluation.diversity import ambiguity, error_correlation, error_reduction
from ensfs.evaluation.resampling import cross_validate_5x2
from ensfs.evaluation.significance import FriedmanHolm, RankTest, friedman_holm, holm
from ensfs.evaluation.stability import (
    NogueiraStability,
    expected_passes,
    jaccard_stability,
    nogueira_stability,
)

__all__ = [
    "FriedmanHolm",
    "NogueiraStability",
    "RankTest",
    "ambiguity",
    "cross_validate_5x2",
    "error_correlation",
    "error_reduction",
    "expected_passes",
    "friedman_holm",
    "holm",
    "jaccard_stability",
    "nogueira_stability",
]
