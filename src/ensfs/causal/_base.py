"""What selectors by tests of conditional independence share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from ensfs._utils.progress import task
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions
from ensfs._utils.warn import warn_user
from ensfs.independence import (
    CodedRule,
    CorrelationTester,
    Outcome,
    PartTester,
    SeparationTester,
    TableTester,
    make_coded_tester,
)
from ensfs.search.selection import Selection
from ensfs.selection._base import PartSelector
from ensfs.selection._coded import CODING_CONSTRAINTS
from ensfs.statistics import Resampling
from ensfs.training.contract import ReadOptions, TrainingData
from ensfs.training.memory import MemoryTrainingData

UNTESTED, SEPARATED, DEPENDENT, UNDECIDED = range(4)
REASONS = ("not tested", "separated", "dependent", "too few rows")


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

    def given(self, j: int) -> tuple[int, ...]:
        """The columns that the test of column ``j`` was given."""
        return self._given[self._given_of[j]]

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


@dataclass(frozen=True)
class CausalDetails:
    """What the search found in each part."""

    found: list[BlanketResult]


class CausalSelector(PartSelector[TableTester, CausalDetails]):
    """A selector that asks tests of conditional independence."""

    decides_size = True
    #: What "auto" means for classes.
    _coded_test: ClassVar[str] = "g2"

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "test": [
            StrOptions({"auto", "g2", "mi", "fisherz", "permutation"}),
            HasMethods(["separated"]),
        ],
        "df": [StrOptions({"full", "slices", "adjusted", "perm"})],
        "samples_per_df": [Interval(Real, 0, None, closed="left")],
        "max_conditioning": [Interval(Integral, 0, None, closed="left"), None],
        "threshold": [Interval(Real, 0, None, closed="left")],
        "n_permutations": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        **CODING_CONSTRAINTS,
    }

    def __init__(
        self,
        alpha=0.01,
        *,
        test="auto",
        df="full",
        samples_per_df=5,
        max_conditioning=None,
        threshold=0.01,
        n_permutations=1000,
        random_state=0,
        discretizer="mdl",
        discrete_features="auto",
        n_jobs=None,
        verbose=0,
    ):
        self.alpha = alpha
        self.test = test
        self.df = df
        self.samples_per_df = samples_per_df
        self.max_conditioning = max_conditioning
        self.threshold = threshold
        self.n_permutations = n_permutations
        self.random_state = random_state
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.n_jobs = n_jobs
        self.verbose = verbose

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
        if not isinstance(self.test, str):
            data.target("auto")
            return SeparationTester(self.test, data.n_features, resampling.n_parts)
        kind, discretizer = self.test, None
        if kind == "auto":
            target = data.target("auto")
            kind = self._coded_test if target.kind == "classes" else "fisherz"
            discretizer = self.discretizer
        else:
            target = data.target("numeric" if kind == "fisherz" else "classes")
        if kind == "fisherz":
            source = data.continuous_source(
                target, resampling, relevance="pearson", signed=True, n_threads=n_threads
            )
            return CorrelationTester(source, resampling, self.alpha)
        if not isinstance(data, MemoryTrainingData):
            raise ValueError(
                "Tests of discrete columns need the table in memory. Row blocks can only be tested "
                "with test='fisherz'."
            )
        coded = data.codes(target, discretizer)
        rule = CodedRule(
            kind, self.alpha, self.threshold, self.df, self.samples_per_df, self.n_permutations
        )
        if rule.permutes:
            seed = int(check_random_state(self.random_state).randint(2**31))
            rule = replace(rule, seed=seed)
        return make_coded_tester(coded.codes, coded.n_levels, target, resampling, rule, n_threads)

    # ------------------------------------------------------------------ the search in each part

    def select(
        self, sources: TableTester, k: int, candidates: Sequence[np.ndarray] | None = None
    ) -> Selection[CausalDetails]:
        """Columns of every part, among all or among the candidates of each part."""
        tests = sources
        found, n_tests, n_unreliable = [], 0, 0
        with task("testing independence") as advance:
            for t in range(tests.n_parts):
                part = tests.part(t)
                part.advance = advance
                among = (
                    np.arange(tests.n_features) if candidates is None else np.sort(candidates[t])
                )
                found.append(self._search(part, among, tests.relevance[t]))
                n_tests, n_unreliable = n_tests + part.n_tests, n_unreliable + part.n_unreliable
        if 2 * n_unreliable > n_tests:
            warn_user(
                f"{n_unreliable} of {n_tests} tests had too few rows to be relied on (fewer than "
                "samples_per_df for each degree of freedom), so they decided nothing. Use more "
                "rows, coarser columns, test='permutation' or a smaller samples_per_df.",
            )
        return Selection(
            [np.array(each.columns, dtype=np.int64) for each in found],
            [np.array(each.scores) for each in found],
            n_tests,
            n_tests,
            CausalDetails(found),
        )

    @abstractmethod
    def _search(
        self, tester: PartTester, candidates: np.ndarray, relevance: np.ndarray
    ) -> BlanketResult:
        """Columns of one part, among the candidates."""

    def _allows(self, n_given: int) -> bool:
        """Whether so many columns may be given."""
        return self.max_conditioning is None or n_given <= self.max_conditioning

    # ------------------------------------------------------------------ what is kept

    def store(
        self, data: TrainingData, sources: TableTester, selection: Selection[CausalDetails]
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        found = selection.details.found[0]
        self.n_tests_ = selection.n_pairs_read
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
            "test": REASONS[self._decisions.state[j]],
            "given": ", ".join(self._name(g) for g in given) or None,
            "p-value": float(self.pvalues_[j]),
        }
