"""Tests of conditional independence, for the selectors that search with them.

Users choose a test: `G2Test`, `InformationTest`, `PermutationTest`, `FisherZTest` or `OracleTest`.
Applied to a table it becomes a tester, which serves all parts of the rows; ``part(t)`` is that of
one part:

- `CodedTester`: G², a threshold on the information, or permutations, from counts of codes
  (`make_coded_tester` gives a `CopiedPartsTester` for parts other than leave-one-out);
- `CorrelationTester`: Fisher's z of partial correlations;
- `SeparationTester`: an object with a method ``separated(x, y, given)``, such as `OracleTest`.

Nodes are the columns of a table, by their positions, and the target, which has the number after the
last column.
"""

from ensfs.independence._copied_parts import CopiedPartsTester, make_coded_tester
from ensfs.independence._correlations import CorrelationTester, fisher_z, partial_correlation
from ensfs.independence._counts import CodedRule, CodedTester
from ensfs.independence._separation import SeparationTester
from ensfs.independence._testers import Outcome, OutputTesters, PartTester, TableTester
from ensfs.independence.oracle import OracleTest
from ensfs.independence.tests import (
    TESTS,
    CountingTest,
    FisherZTest,
    G2Test,
    IndependenceTest,
    InformationTest,
    PermutationTest,
    TableToTest,
    make_test,
)

__all__ = [
    "TESTS",
    "CodedRule",
    "CodedTester",
    "CopiedPartsTester",
    "CorrelationTester",
    "CountingTest",
    "FisherZTest",
    "G2Test",
    "IndependenceTest",
    "InformationTest",
    "OracleTest",
    "Outcome",
    "OutputTesters",
    "PartTester",
    "PermutationTest",
    "SeparationTester",
    "TableTester",
    "TableToTest",
    "fisher_z",
    "make_coded_tester",
    "make_test",
    "partial_correlation",
]
