"""Output codes: designs, their strength, decoding, and probabilities.

A code has a row of -1, 0 and 1, its word, for each class. In each column a member learns to tell
the classes with 1 from those with -1; decoding compares what the members say with the words.
"""

from ensfs.codes.decoding import decode
from ensfs.codes.designs import (
    balanced_code,
    binary_code,
    dense_code,
    gray_code,
    one_vs_all,
    one_vs_one,
    sparse_code,
)
from ensfs.codes.discriminant import discriminant_code, quadratic_mutual_information
from ensfs.codes.probabilities import couple, pairwise_coupling, platt_scaling
from ensfs.codes.separability import separability_weights
from ensfs.codes.strength import min_row_distance, n_correctable

__all__ = [
    "balanced_code",
    "binary_code",
    "couple",
    "decode",
    "dense_code",
    "discriminant_code",
    "gray_code",
    "min_row_distance",
    "n_correctable",
    "one_vs_all",
    "one_vs_one",
    "pairwise_coupling",
    "platt_scaling",
    "quadratic_mutual_information",
    "separability_weights",
    "sparse_code",
]
