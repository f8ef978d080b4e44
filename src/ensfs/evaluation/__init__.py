"""How good a selection or an ensemble is: stability, diversity, bias, variance, significance."""

from ensfs.evaluation.agreement import agreement, conditional_entropy_loss, ensemble_gain
from ensfs.evaluation.bagging import bagging_error
from ensfs.evaluation.bias_variance import BiasVariance, bias_variance
from ensfs.evaluation.comparison import SelectorComparison, compare_selectors
from ensfs.evaluation.diversity import (
    ambiguity,
    bayes_error_estimate,
    error_correlation,
    error_reduction,
)
from ensfs.evaluation.outputs import (
    AmbiguityDecomposition,
    ambiguity_decomposition,
    output_correlation,
)
from ensfs.evaluation.paired import SignTest, relative_scores, sign_test
from ensfs.evaluation.redundancy import represented_columns
from ensfs.evaluation.resampling import cross_validate_5x2
from ensfs.evaluation.significance import FriedmanHolm, RankTest, friedman_holm, holm
from ensfs.evaluation.staged import staged_errors
from ensfs.evaluation.subsampled_cv import SubsampledCV, repeated_predictions
from ensfs.measures.stability import (
    NogueiraStability,
    expected_passes,
    jaccard_stability,
    nogueira_stability,
)
from ensfs.measures.stability_bounds import stability_bound, stability_threshold

__all__ = [
    "AmbiguityDecomposition",
    "BiasVariance",
    "FriedmanHolm",
    "NogueiraStability",
    "RankTest",
    "SelectorComparison",
    "SignTest",
    "SubsampledCV",
    "agreement",
    "ambiguity",
    "ambiguity_decomposition",
    "bagging_error",
    "bayes_error_estimate",
    "bias_variance",
    "compare_selectors",
    "conditional_entropy_loss",
    "cross_validate_5x2",
    "ensemble_gain",
    "error_correlation",
    "error_reduction",
    "expected_passes",
    "friedman_holm",
    "holm",
    "jaccard_stability",
    "nogueira_stability",
    "output_correlation",
    "relative_scores",
    "repeated_predictions",
    "represented_columns",
    "sign_test",
    "stability_bound",
    "stability_threshold",
    "staged_errors",
]
