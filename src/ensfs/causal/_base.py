"""What selectors by tests of conditional independence share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from ensfs._utils.docs import COMMON_DOCS, read_descriptions
from ensfs._utils.progress import task
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, check_parameters
from ensfs._utils.warn import warn_user
from ensfs.data.variables import Variables
from ensfs.independence import (
    TESTS,
    CountingTest,
    FisherZTest,
    G2Test,
    IndependenceTest,
    InformationTest,
    Outcome,
    OutputTesters,
    PartTester,
    TableTester,
    TableToTest,
    make_test,
)
from ensfs.search.selection import NOTHING, Selection
from ensfs.selection._base import PartSelector
from ensfs.selection._coded import CODING_CONSTRAINTS
from ensfs.statistics import Resampling
from ensfs.training.classes import Outputs, outputs_of
from ensfs.training.contract import ReadOptions, TrainingData

UNTESTED, SEPARATED, DEPENDENT, UNDECIDED = range(4)
REASONS = ("not tested", "separated", "dependent", "too few rows")


#: Parameters and attributes of all selectors by tests of independence.
CAUSAL_DOCS = COMMON_DOCS | read_descriptions("""
alpha : float, default=0.01
    Significance level: columns are dependent if a test has a p-value of at most this.
test : {"auto", "g2", "mi", "permutation", "fisherz"} or object, default="auto"
    The test of independence: a `G2Test`, `InformationTest`, `PermutationTest` or `FisherZTest`,
    or its name for the default settings. "auto": "g2" if the target is classes, "fisherz" if it
    is numeric. Any object with a method ``separated(x, y, given)`` will do, such as an
    `OracleTest`: columns have their positions, and the target comes after the last.
max_conditioning : int, optional
    The most columns that a test may be given; None: any number.
discretizer : {"mdl", "equal_frequency", "sigma"}, transformer or None, default="mdl"
    How continuous columns are cut if the test counts; None: they are an error.
separating_sets_ : dict of int to ndarray
    Columns that separate each column that was left out from the target.
relevance_ : ndarray of shape (`n_features_in_`,)
    Information of each column on the target, nothing given, in bits; with Fisher's z its
    absolute correlation.
pvalues_ : ndarray of shape (`n_features_in_`,)
    P-value of the test that decided on each column; NaN if it had too few rows.
n_tests_ : int
    Tests made.
""")


class Decisions:
    """For each column, the last test against the target and its result."""

    def __init__(self, n_features: int):
        self.state = np.full(n_features, UNTESTED, dtype=np.int8)
        self.pvalue = np.full(n_features, np.nan)
        self.ever_separated = np.zeros(n_features, dtype=bool)
        self._given: list[tuple[int, ...]] = [()]
        self._given_of = np.zeros(n_features, dtype=np.int64)

    def record(self, columns: Any, given: Iterable[int], outcome: Outcome) -> None:
        """Record the outcome of a batch of tests, or of one."""
        self._given.append(tuple(sorted(int(g) for g in given)))
        self._given_of[columns] = len(self._given) - 1
        self.pvalue[columns] = outcome.pvalue
        if isinstance(columns, int):  # scalars are faster than arrays of length one
            state = DEPENDENT if outcome.dependent else SEPARATED
            self.state[columns] = state if outcome.reliable else UNDECIDED
            if outcome.separated:
                self.ever_separated[columns] = True
            return
        self.state[columns] = np.where(
            outcome.reliable, np.where(outcome.dependent, DEPENDENT, SEPARATED), UNDECIDED
        )
        self.ever_separated[columns] |= outcome.separated

    def in_columns(self, variables: Variables) -> Decisions:
        """The same of the columns of the table as it was given."""
        told = copy(self)
        told.state = variables.by_column(self.state, fill=UNTESTED)
        told.pvalue = variables.by_column(self.pvalue)
        told.ever_separated = variables.by_column(self.ever_separated, fill=False)
        told._given_of = variables.by_column(self._given_of, fill=0)
        told._given = [tuple(variables.columns(each).tolist()) for each in self._given]
        return told

    def given(self, j: int) -> tuple[int, ...]:
        """The columns that the test of column ``j`` was given."""
        return self._given[self._given_of[j]]

    def take(self, columns: list[int], other: Decisions) -> None:
        """Replace the tests of some columns by those of another search."""
        self._given_of[columns] = other._given_of[columns] + len(self._given)
        self._given += other._given
        for name in ("state", "pvalue", "ever_separated"):
            getattr(self, name)[columns] = getattr(other, name)[columns]

    def separating_sets(self) -> dict[int, np.ndarray]:
        """For each separated column, what separates it from the target."""
        return {
            j: np.array(self.given(j), dtype=np.int64)
            for j in np.nonzero(self.state == SEPARATED)[0].tolist()
        }


@dataclass
class BlanketResult:
    """The blanket, or what is selected of it, of one part.

    Attributes
    ----------
    columns : list of int
        Selected columns in order of selection.
    scores : list of float
        Their information on the target, in bits, when they were selected.
    decisions : Decisions
        The test that decided on each column.
    learned : dict
        Further attributes of the fitted selector, without the underscore.
    """

    columns: list[int]
    scores: list[float]
    decisions: Decisions
    learned: dict[str, Any] = field(default_factory=dict)

    def in_columns(self, variables: Variables) -> BlanketResult:
        """What was found, told of the columns of the table as it was given."""
        if variables.is_plain:
            return self
        learned = {name: _in_columns(value, variables) for name, value in self.learned.items()}
        return replace(self, decisions=self.decisions.in_columns(variables), learned=learned)


def _in_columns(value: Any, variables: Variables) -> Any:
    """A further attribute, told of columns: numbers of columns, values by column, or a graph."""
    if isinstance(value, np.ndarray):
        return np.sort(variables.columns(value))
    if isinstance(value, dict):
        return variables.keyed_by_column(value)
    if isinstance(value, list):  # one for each output
        return [_in_columns(each, variables) for each in value]
    return value.in_columns(variables) if hasattr(value, "in_columns") else value


def united(results: Sequence[BlanketResult]) -> BlanketResult:
    """The columns found for any of several outputs, in order of first appearance."""
    first, *others = results
    for other in others:
        new = [j for j in other.columns if j not in first.columns]
        first.decisions.take(new, other.decisions)
        scores = dict(zip(other.columns, other.scores, strict=True))
        first.columns += new
        first.scores += [scores[j] for j in new]
    if others:
        each = [result.learned for result in results]
        first.learned = {name: _united([one[name] for one in each]) for name in first.learned}
    return first


def _united(values: list[Any]) -> Any:
    """A further attribute of several searches: a union, a sum, or a list of them."""
    if isinstance(values[0], np.ndarray):
        return np.unique(np.concatenate(values))
    if isinstance(values[0], dict):
        return {j: role for of_output in reversed(values) for j, role in of_output.items()}
    return sum(values) if isinstance(values[0], int) else values


def warn_of_unreliable(n_tests: int, n_unreliable: int) -> None:
    """Warn if more than half of the tests had too few rows."""
    if 2 * n_unreliable > n_tests:
        warn_user(
            f"{n_unreliable} of {n_tests} tests had too few rows to be relied on (fewer than "
            "samples_per_df for each degree of freedom), so they decided nothing. Use more "
            "rows, coarser columns, test='permutation', or a G2Test with a smaller "
            "samples_per_df.",
        )


@dataclass(frozen=True)
class CausalDetails:
    """What the search found in each part."""

    found: list[BlanketResult]


class CausalSelector(PartSelector[TableTester, CausalDetails]):
    """A selector that asks tests of conditional independence."""

    decides_size = True
    #: Makes the test that "auto" takes for classes.
    _test_of_classes: ClassVar[Callable[..., CountingTest]] = G2Test

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "test": [StrOptions({"auto", *TESTS}), IndependenceTest, HasMethods(["separated"])],
        "max_conditioning": [Interval(Integral, 0, None, closed="left"), None],
        **CODING_CONSTRAINTS,
        "discretizer": [*CODING_CONSTRAINTS["discretizer"], None],
    }

    def __init__(
        self, alpha=0.01, *, test="auto", max_conditioning=None, discretizer="mdl",
        discrete_features="auto", target_bins=3, multi_output="mean", missing="auto", include=None,
        exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.alpha = alpha
        self.test = test
        self.max_conditioning = max_conditioning
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.target_bins = target_bins
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.n_jobs = n_jobs
        self.verbose = verbose

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        cuts = getattr(self, "cut_points_", None) or {}
        uncut = sum(len(each) == 0 for each in cuts.values())
        if uncut and uncut == self.n_features_in_:
            return (
                f"the test counts, and discretizer={self.discretizer!r} left each of the {uncut} "
                "continuous columns in one piece, in which nothing can be counted. Check the "
                "target, use discretizer='equal_frequency', or test=FisherZTest() if the target "
                "can be taken as a number."
            )
        test = getattr(self, "_test_taken", None)
        if isinstance(test, InformationTest):
            level, remedy = f"min_bits={test.min_bits}", "lower min_bits of the InformationTest"
        else:
            level, remedy = f"alpha={self.alpha}", "raise alpha"
        return (
            f"no column depends on the target at {level}, or too few rows were there to see it. "
            f"Check the target, {remedy}, or use a test that needs fewer rows."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # where the test counts; others refuse
        return tags

    # ------------------------------------------------------------------ tests

    def read_options(self) -> ReadOptions:
        """How the table is to be read."""
        return {"discrete_features": self.discrete_features, "integral_is_discrete": True}

    def resolve_size(self, n_features: int) -> int:
        """The tests decide how many."""
        return n_features

    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> TableTester:
        """The tests of every part."""
        if signed:  # what averages over parts asks for
            raise ValueError(
                "Tests of independence cannot be averaged over parts. Use a FastEnsemble, where "
                "each part searches on its own."
            )
        test = self._resolve_test(data)
        check_parameters(test)
        target = data.target("auto" if self.test == "auto" else test.target_kind)
        if target.kind == "mixed":
            target = data.target("counted")
        testers = [
            test.make_tester(
                TableToTest(
                    data,
                    each,
                    resampling,
                    self.alpha,
                    self.discretizer,
                    n_threads,
                    cut_by=target,
                    missing=self.missing,
                )
            )
            for each in outputs_of(target)
        ]
        return OutputTesters(testers, target.combine) if isinstance(target, Outputs) else testers[0]

    def _resolve_test(self, data: TrainingData) -> IndependenceTest:
        """The test; "auto" depends on the target."""
        if self.test != "auto":
            return make_test(self.test)
        has_classes = data.target("auto").kind != "numeric"
        return self._test_of_classes() if has_classes else FisherZTest()

    # ------------------------------------------------------------------ the search in each part

    def select(
        self,
        sources: TableTester,
        k: int,
        included: np.ndarray,
        candidates: Sequence[np.ndarray] | None = None,
    ) -> Selection[CausalDetails]:
        """Columns of every part, among all or among the candidates of each part."""
        found, n_tests, n_unreliable = [], 0, 0
        with task("testing independence") as advance:
            for t in range(sources.n_parts):
                among = np.arange(sources.n_features)
                if candidates is not None:
                    among = np.sort(candidates[t])
                of_outputs = []
                for part in sources.outputs_of_part(t):
                    part.advance = advance
                    of_outputs.append(self._search(part, among, sources.relevance[t], included))
                    n_tests += part.n_tests
                    n_unreliable += part.n_unreliable
                found.append(united(of_outputs))
        if included.size and n_unreliable == n_tests > 0:
            warn_user(
                f"include names so many columns that no test given them had enough rows: all "
                f"{n_tests} tests decided nothing. Include fewer columns, or use more rows."
            )
        else:
            warn_of_unreliable(n_tests, n_unreliable)
        return Selection(
            [np.array(each.columns, dtype=np.int64) for each in found],
            [np.array(each.scores) for each in found],
            n_tests,
            n_tests,
            CausalDetails(found),
        )

    @abstractmethod
    def _search(
        self,
        tester: PartTester,
        candidates: np.ndarray,
        relevance: np.ndarray,
        included: np.ndarray,
    ) -> BlanketResult:
        """Columns of one part, among the candidates; first of all those that are included."""

    def search_all(self, tester: PartTester, n_nodes: int) -> Iterator[BlanketResult]:
        """The columns of every node in turn, as if it were the target."""
        for target in range(n_nodes):
            tester.target = target
            others = np.delete(np.arange(n_nodes), target)
            yield self._search(tester, others, tester.relevance_to(target), NOTHING)

    def _allows(self, n_given: int) -> bool:
        """Whether so many columns may be given."""
        return self.max_conditioning is None or n_given <= self.max_conditioning

    # ------------------------------------------------------------------ what is kept

    def store(
        self, data: TrainingData, sources: TableTester, selection: Selection[CausalDetails]
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        found = selection.details.found[0].in_columns(data.variables)
        self.n_tests_ = selection.n_pairs_read
        self._test_taken = self._resolve_test(data)
        self.pvalues_ = found.decisions.pvalue
        self._decisions = found.decisions
        self.separating_sets_ = found.decisions.separating_sets()
        for name, value in found.learned.items():
            setattr(self, f"{name}_", value)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        given = self._decisions.given(j)
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "role": self.roles_.get(j),
            "reason": REASONS[self._decisions.state[j]],
            "given": ", ".join(self._name(g) for g in given) or None,
            "p-value": float(self.pvalues_[j]),
        }
