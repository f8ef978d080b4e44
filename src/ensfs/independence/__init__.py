"""Tests of conditional independence, for the selectors that search with them.

Nodes are the columns of a table, by their positions, and the target, which has the number after the
last column. A tester applies one test to all parts of the rows of a table; its ``part(t)`` is the
tester of one part:

- `CodedTester`: G², a threshold on the information, or permutations, from counts of codes
  (`make_coded_tester` gives a `SeparateTester` for parts other than leave-one-out);
- `CorrelationTester`: Fisher's z of partial correlations;
- `SeparationTester`: an object with a method ``separated(x, y, given)``, such as `OracleTest`.
"""

from ensfs.independence._correlations import CorrelationTester, fisher_z, partial_correlation
from ensfs.independence._counts import CodedRule, CodedTester
from ensfs.independence._oracle import OracleTest, SeparationTester
from ensfs.independence._separate import SeparateTester, make_coded_tester
from ensfs.independence._testers import Outcome, PartTester, TableTester

__all__ = [
    "CodedRule",
    "CodedTester",
    "CorrelationTester",
    "OracleTest",
    "Outcome",
    "PartTester",
    "SeparateTester",
    "SeparationTester",
    "TableTester",
    "fisher_z",
    "make_coded_tester",
    "partial_correlation",
]
