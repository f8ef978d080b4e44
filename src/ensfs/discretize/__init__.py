"""Cut continuous columns into levels: MDL, equal frequency, mean and deviation."""

from ensfs.discretize.estimators import (
    EqualFrequencyDiscretiser,
    MDLDiscretiser,
    SigmaDiscretiser,
)

__all__ = ["EqualFrequencyDiscretiser", "MDLDiscretiser", "SigmaDiscretiser"]
