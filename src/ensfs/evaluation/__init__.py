"""How good a selection is: its stability under resampling, and what an ensemble of it costs."""

from ensfs.evaluation.stability import (
    NogueiraStability,
    expected_passes,
    jaccard_stability,
    nogueira_stability,
)

__all__ = [
    "NogueiraStability",
    "expected_passes",
    "jaccard_stability",
    "nogueira_stability",
]
