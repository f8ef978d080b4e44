"""Cut continuous columns into levels: MDL, equal frequency, mean and deviation."""

from ensfs.discretize.cuts import equal_frequency_codes, mdl_codes, sigma_codes
from ensfs.discretize.estimators import (
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
    SigmaDiscretizer,
)

__all__ = [
    "DISCRETIZERS",
    "EqualFrequencyDiscretizer",
    "MDLDiscretizer",
    "SigmaDiscretizer",
    "equal_frequency_codes",
    "mdl_codes",
    "sigma_codes",
]

#: The discretizers that selectors know by name. Weka's evaluators use MDL with the better encoding.
DISCRETIZERS = {
    "mdl": MDLDiscretizer(better_encoding=True),
    "equal_frequency": EqualFrequencyDiscretizer(),
    "sigma": SigmaDiscretizer(),
}
