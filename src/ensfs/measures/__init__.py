"""The measures as plain functions: columns against a target, or pairs of columns."""

from ensfs.measures.continuous import f_test, pearson
from ensfs.measures.g_statistic import GSquare, g_square
from ensfs.measures.information import (
    conditional_mutual_information,
    entropy,
    mutual_information,
    symmetrical_uncertainty,
)
from ensfs.measures.pairs import pairwise

__all__ = [
    "GSquare",
    "conditional_mutual_information",
    "entropy",
    "f_test",
    "g_square",
    "mutual_information",
    "pairwise",
    "pearson",
    "symmetrical_uncertainty",
]
