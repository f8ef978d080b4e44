"""The tests of conditional independence that users choose from.

A test is an object that holds settings and no data. `make_tester` applies it to a table and leaves
the object as it is, so that it can be shared and cloned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NoReturn

from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ensfs._utils.sklearn import Interval, StrOptions
from ensfs.data.missing import TESTS_OF_COUNTS, TESTS_OF_NUMBERS, resolve_missing
from ensfs.data.target import Target
from ensfs.independence._copied_parts import make_coded_tester
from ensfs.independence._correlations import CorrelationTester
from ensfs.independence._counts import CodedRule
from ensfs.independence._observed import ObservedCorrelations, ObservedTester, SparseObservedTester
from ensfs.independence._partitions import make_partition_tester
from ensfs.independence._separation import SeparationTester
from ensfs.independence._sparse_counts import SparseTester
from ensfs.independence._testers import TableTester
from ensfs.statistics import Resampling
from ensfs.statistics.observed_numbers import ObservedSource
from ensfs.training.classes import Outputs
from ensfs.training.contract import TrainingData
from ensfs.training.memory import MemoryTrainingData
from ensfs.training.sparse import SparseTrainingData

#: Parameters that the tests from counts share.
RELIABILITY_CONSTRAINTS: dict = {
    "df": [StrOptions({"full", "slices", "adjusted"})],
    "samples_per_df": [Interval(Real, 0, None, closed="left")],
}


@dataclass(frozen=True)
class TableToTest:
    """What a test is applied to.

    Attributes
    ----------
    data : TrainingData
        The columns.
    target : Target
        The target, read as the `target_kind` of the test.
    resampling : Resampling
        The parts of the rows.
    alpha : float
        Largest p-value of a dependence.
    discretizer : str, transformer or None
        How continuous columns are cut if the test counts; None: they are an error.
    n_threads : int
        Number of threads.
    cut_by : Target or Outputs, optional
        What continuous columns are cut by, if it is not the target alone.
    missing : str, default="error"
        What is made of missing cells.
    """

    data: TrainingData
    target: Target
    resampling: Resampling
    alpha: float
    discretizer: Any = None
    n_threads: int = 1
    cut_by: Target | Outputs | None = None
    missing: str = "error"


def raise_sparse(test: IndependenceTest) -> NoReturn:
    """Raise an error for a test that needs a dense table."""
    raise TypeError(
        f"{type(test).__name__} does not support sparse tables; a dense one is needed. Call "
        "X.toarray() first, or use a G2Test."
    )


def refuse_groups(table: TableToTest, test: str) -> None:
    """Raise an error if columns are grouped, for a test that does not count."""
    if table.data.variables.members is not None:
        raise ValueError(
            f"feature_groups need a test that counts, such as 'g2'; got test={test}. Leave them "
            "out, or name such a test."
        )


class IndependenceTest(BaseEstimator, ABC):
    """A test of conditional independence: settings, and how to apply them to a table."""

    #: How the target is read (see `ensfs.training.classes.read_target_as`).
    target_kind: ClassVar[str]

    _parameter_constraints: dict = {}

    @abstractmethod
    def make_tester(self, table: TableToTest) -> TableTester:
        """Apply the test to a table."""


class CountingTest(IndependenceTest):
    """A test from counts of discrete columns and classes."""

    target_kind = "counted"

    @abstractmethod
    def _rule(self, alpha: float) -> CodedRule:
        """When counts show a dependence."""

    def make_tester(self, table: TableToTest) -> TableTester:
        """Count the columns; continuous ones are cut first."""
        cut_by = table.target if table.cut_by is None else table.cut_by
        available = resolve_missing(table.missing, TESTS_OF_COUNTS) == "available"
        if not isinstance(table.data, MemoryTrainingData):
            return self._make_partition_tester(table, table.data, available)
        coded = table.data.codes(cut_by, table.discretizer, joins_missing=available)
        if isinstance(table.data, SparseTrainingData):
            return self._make_sparse_tester(table, table.data, coded, available)
        if available and coded.incomplete.any():
            weighted = table.resampling.weighted(table.data.weight)
            return ObservedTester(coded, table.target, weighted, self._rule(table.alpha))
        return make_coded_tester(
            coded.codes, coded.n_levels, table.target, table.resampling.weighted(table.data.weight),
            self._rule(table.alpha), table.n_threads,
        )  # fmt: skip

    def _make_partition_tester(self, table: TableToTest, data: Any, available: bool) -> TableTester:
        """Count the columns of row blocks or partitions, where the rows are."""
        if self._rule(table.alpha).kind == "permutation":
            raise ValueError(
                "A PermutationTest needs the table in memory: it permutes rows. For row blocks and "
                "partitions use a G2Test."
            )
        counts = data.counts(
            table.target, table.resampling, table.discretizer, joins=available,
            n_threads=table.n_threads,
        )  # fmt: skip
        if available and counts.incomplete.any():
            raise ValueError(
                "Tests on the rows in which all columns are observed need the table in memory. For "
                "row blocks with missing cells set missing='level'."
            )
        return make_partition_tester(counts, self._rule(table.alpha))

    def _make_sparse_tester(
        self, table: TableToTest, data: SparseTrainingData, coded: Any, available: bool
    ) -> TableTester:
        rule = self._rule(table.alpha)
        if rule.kind == "permutation":
            raise_sparse(self)
        target, parts = data.repeated(table.target), data.parts(table.resampling)
        if available and coded.incomplete.any():
            return SparseObservedTester(coded, target, parts, rule)
        return SparseTester(coded, target, parts, rule, table.n_threads)


class G2Test(CountingTest):
    """G² test of discrete columns: dependent if the p-value is at most `alpha`.

    G² is twice the number of rows times the conditional mutual information in nats. Its p-value
    comes from the chi-square distribution.

    Parameters
    ----------
    df : {"full", "slices", "adjusted"}, default="full"
        Degrees of freedom. "full": of all combinations of levels. "slices": of the combinations of
        given levels that occur. "adjusted": empty rows and columns of the table of each of these
        combinations are left out as well; this finds more, and errs more often.
    samples_per_df : float, default=5
        A test with fewer rows for each degree of freedom is not reliable and decides nothing: it
        neither adds a column nor removes one. 0 relies on all tests.

    See Also
    --------
    PermutationTest : P-values from permuted tables, for few rows.
    ensfs.measures.g_square : G² of single columns.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import G2Test, IAMB
    >>> rng = np.random.default_rng(0)
    >>> a, b, y = rng.integers(0, 3, (3, 60))
    >>> X = np.column_stack([a, np.where(rng.random(60) < 0.5, y, b)])
    >>> IAMB(test=G2Test(df="adjusted", samples_per_df=2)).fit(X, y).markov_blanket_
    array([1])
    """

    _parameter_constraints: dict = RELIABILITY_CONSTRAINTS

    def __init__(self, df="full", *, samples_per_df=5):
        self.df = df
        self.samples_per_df = samples_per_df

    def _rule(self, alpha: float) -> CodedRule:
        return CodedRule("g2", alpha, df=self.df, samples_per_df=self.samples_per_df)


class InformationTest(CountingTest):
    """Threshold on the conditional mutual information of discrete columns.

    Columns are dependent if they share more than `min_bits`, whatever the number of rows; the
    `alpha` of the selector is not used.

    Parameters
    ----------
    min_bits : float, default=0.01
        Conditional mutual information, in bits, that dependent columns exceed.
    df : {"full", "slices", "adjusted"}, default="full"
        Degrees of freedom as in `G2Test`; here they only decide whether a test is reliable.
    samples_per_df : float, default=5
        A test with fewer rows for each degree of freedom is not reliable and decides nothing: it
        neither adds a column nor removes one. 0 relies on all tests.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import InformationTest, TPDASelector
    >>> rng = np.random.default_rng(0)
    >>> y, noise = rng.integers(0, 2, (2, 1000))
    >>> X = np.column_stack([np.where(rng.random(1000) < 0.2, y, noise), noise])
    >>> TPDASelector(test=InformationTest(0.005)).fit(X, y).markov_blanket_
    array([0, 1])
    >>> TPDASelector(test=InformationTest(0.1)).fit(X, y).markov_blanket_
    array([], dtype=int64)
    """

    _parameter_constraints: dict = {
        "min_bits": [Interval(Real, 0, None, closed="left")],
        **RELIABILITY_CONSTRAINTS,
    }

    def __init__(self, min_bits=0.01, *, df="full", samples_per_df=5):
        self.min_bits = min_bits
        self.df = df
        self.samples_per_df = samples_per_df

    def _rule(self, alpha: float) -> CodedRule:
        return CodedRule(
            "mi", alpha, min_bits=self.min_bits, df=self.df, samples_per_df=self.samples_per_df
        )


class PermutationTest(CountingTest):
    """G² of discrete columns against permuted tables, for few rows.

    One of the two columns is permuted within each combination of the given columns. All tests are
    reliable, however few rows there are.

    Parameters
    ----------
    n_permutations : int, default=1000
        Permuted tables of each test.
    distribution : {"permuted", "chi2"}, default="permuted"
        Where the p-value comes from. "permuted": the share of permuted tables with as large a G²,
        which is at least ``1 / (n_permutations + 1)``. "chi2": the chi-square distribution whose
        degrees of freedom are the mean of the permuted G²; fewer permutations will do.
    random_state : int, RandomState instance or None, default=0
        Seed of the permutations.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import IAMB, PermutationTest
    >>> rng = np.random.default_rng(0)
    >>> a, b, y = rng.integers(0, 3, (3, 30))
    >>> X = np.column_stack([a, np.where(rng.random(30) < 0.5, y, b)])
    >>> selector = IAMB(test=PermutationTest(n_permutations=99)).fit(X, y)
    >>> selector.markov_blanket_, float(selector.pvalues_[1])
    (array([1]), 0.01)
    """

    _parameter_constraints: dict = {
        "n_permutations": [Interval(Integral, 1, None, closed="left")],
        "distribution": [StrOptions({"permuted", "chi2"})],
        "random_state": ["random_state"],
    }

    def __init__(self, n_permutations=1000, *, distribution="permuted", random_state=0):
        self.n_permutations = n_permutations
        self.distribution = distribution
        self.random_state = random_state

    def _rule(self, alpha: float) -> CodedRule:
        seed = int(check_random_state(self.random_state).randint(2**31))
        return CodedRule(
            "permutation", alpha, distribution=self.distribution,
            n_permutations=self.n_permutations, seed=seed,
        )  # fmt: skip


class FisherZTest(IndependenceTest):
    """Fisher's z test of continuous columns and a numeric target.

    The partial correlation is transformed by Fisher's z, which is normal for independent columns;
    columns are dependent if the p-value is at most `alpha`. It detects linear relations.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import FisherZTest, IAMB
    >>> rng = np.random.default_rng(0)
    >>> cause, noise, other = rng.normal(size=(3, 200))
    >>> X = np.column_stack([other, cause])
    >>> IAMB(test=FisherZTest()).fit(X, cause + noise).markov_blanket_
    array([1])
    """

    target_kind = "numeric"

    def make_tester(self, table: TableToTest) -> TableTester:
        """Correlate the columns; nothing is cut."""
        refuse_groups(table, "'fisherz'")
        if isinstance(table.data, SparseTrainingData):
            raise_sparse(self)
        source = table.data.continuous_source(
            table.target,
            table.resampling,
            relevance="pearson",
            signed=True,
            n_threads=table.n_threads,
            missing=table.missing,
            statistic=TESTS_OF_NUMBERS,
        )
        if isinstance(source, ObservedSource):
            return self._test_observed(table, source)
        resampling = table.resampling.weighted(table.data.weight)
        return CorrelationTester(source, resampling, table.alpha)

    def _test_observed(self, table: TableToTest, source: ObservedSource) -> TableTester:
        """Correlate the rows in which all columns of a test are observed."""
        if not isinstance(table.data, MemoryTrainingData):
            raise ValueError(
                "Tests on the rows in which all columns are observed need the table in memory. For "
                "row blocks with missing cells set missing='corrected' or 'mean'."
            )
        return ObservedCorrelations(
            table.data.table.centred(), table.target.values, source.relevance, source.resampling,
            table.alpha,
        )  # fmt: skip


class SeparationTest(IndependenceTest):
    """A test that is answered by an object with a method ``separated(x, y, given)``.

    Parameters
    ----------
    oracle : object
        The object. Columns have their positions, the target comes after the last.
    """

    target_kind = "auto"

    def __init__(self, oracle):
        self.oracle = oracle

    def make_tester(self, table: TableToTest) -> TableTester:
        """Ask the object; the data are not used."""
        refuse_groups(table, "an object")
        return SeparationTester(self.oracle, table.data.variables, table.resampling.n_parts)


#: Tests by name, each with its default settings.
TESTS: dict[str, type[IndependenceTest]] = {
    "g2": G2Test,
    "mi": InformationTest,
    "permutation": PermutationTest,
    "fisherz": FisherZTest,
}


def make_test(test: Any) -> IndependenceTest:
    """A test from its name, a test object, or an object with ``separated(x, y, given)``."""
    if isinstance(test, str):
        return TESTS[test]()
    return test if isinstance(test, IndependenceTest) else SeparationTest(test)
