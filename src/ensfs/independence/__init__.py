"""Tests of conditional independence, for the selectors that search with them.

Nodes are the columns of a table, numbered as they stand, and the target after the last column. The
tests of a table serve every part of its rows; ``part(t)`` gives those of one part:

- `CodedTests`: G², a threshold on the information, or permutations, from counts of codes;
- `GaussianTests`: Fisher's z of partial correlations;
- `SeparationTests`: whatever an object with ``separated(x, y, given)`` says, such as `OracleTest`.
"""

from ensfs.independence._correlations import GaussianTests, fisher_z, partial_correlation
from ensfs.independence._counts import CodedRule, CodedTests
from ensfs.independence._oracle import OracleTest, SeparationTests
from ensfs.independence._tests import Outcome, PartTests, Tests

__all__ = [
    "CodedRule",
    "CodedTests",
    "GaussianTests",
    "OracleTest",
    "Outcome",
    "PartTests",
    "SeparationTests",
    "Tests",
    "fisher_z",
    "partial_correlation",
]
