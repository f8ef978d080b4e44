"""Cut continuous columns into levels: MDL, equal frequency, mean and deviation."""

from ensfs.discretize.estimators import (
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
    SigmaDiscretizer,
)

__all__ = ["EqualFrequencyDiscretizer", "MDLDiscretizer", "SigmaDiscretizer"]
