"""Markov blankets by growing and shrinking: GrowShrink, IAMB and InterIAMB."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs._utils.sklearn import StrOptions
from ensfs._utils.ties import by_decreasing, first_largest
from ensfs.causal._base import CAUSAL_DOCS, BlanketResult, CausalSelector, Decisions
from ensfs.independence import PartTester

#: Columns in the first batch of a scan; each further batch is twice as large.
FIRST_BATCH_SIZE = 8


class Members(dict[int, float]):
    """Members of the blanket in order of entry, with the information each had when it came in.

    Those that are `included` are there from the start, and never leave.
    """

    def __init__(self, included: Sequence[int] = ()):
        super().__init__(dict.fromkeys(included, np.nan))
        self.included = frozenset(included)


#: Attributes of the selectors of a Markov blanket.
BLANKET_DOCS = CAUSAL_DOCS | read_descriptions("""
indices_ : ndarray
    Markov blanket in order of entry.
markov_blanket_ : ndarray
    The same columns in ascending order.
roles_ : dict of int to str
    What is known of each member: "spouse" if some test separated it from the target, which
    does not happen to neighbours, else "neighbour or spouse".
scores_ : ndarray of shape (`n_features_in_`,)
    Information of each selected column, in bits, when it came in; NaN if not selected.
""")
BLANKET_DOCS |= {
    "blanket_parameters": "{alpha, test, max_conditioning, counting_parameters}",
    "blanket_attributes": (
        "{indices_, markov_blanket_, roles_, separating_sets_, support_, ranking_, scores_}\n"
        "{relevance_, pvalues_, n_tests_, cut_points_, target_cut_points_, output_relevance_}\n"
        "{groups_, n_readings_, n_missing_, n_features_in_, feature_names_in_}"
    ),
}


class _GrowAndShrink(CausalSelector):
    """Add columns that depend on the target given the members, then drop those that do not."""

    def _search(
        self,
        tester: PartTester,
        candidates: np.ndarray,
        relevance: np.ndarray,
        included: np.ndarray,
    ) -> BlanketResult:
        decisions, members = Decisions(relevance.size), Members(included.tolist())
        self._blanket(tester, self._scan_order(candidates, relevance), members, decisions)
        ever_separated = decisions.ever_separated
        roles = {j: "spouse" if ever_separated[j] else "neighbour or spouse" for j in members}
        blanket = np.sort(np.array(list(members), dtype=np.int64))
        learned = {"markov_blanket": blanket, "roles": roles}
        return BlanketResult(list(members), list(members.values()), decisions, learned)

    def _scan_order(self, candidates: np.ndarray, relevance: np.ndarray) -> np.ndarray:
        """The candidates in the order in which they are tested."""
        return candidates

    def _blanket(
        self, tester: PartTester, order: np.ndarray, members: Members, decisions: Decisions
    ) -> None:
        """Find the members of the blanket."""
        while self._grow(tester, order, members, decisions):
            pass
        self._shrink(tester, members, decisions)

    def _grow(
        self, tester: PartTester, order: np.ndarray, members: Members, decisions: Decisions
    ) -> bool:
        """Add the dependent column with the most information on the target; False if none is."""
        rest = without(order, members)
        if not rest.size or not self._allows(len(members)):
            return False
        outcome = tester.columns(tester.target, rest, members)
        decisions.record(rest, members, outcome)
        if not outcome.dependent.any():
            return False
        best = first_largest(np.where(outcome.dependent, outcome.information, -np.inf))
        members[int(rest[best])] = float(outcome.information[best])
        return True

    def _shrink(
        self,
        tester: PartTester,
        members: Members,
        decisions: Decisions,
        *,
        newest: int | None = None,
        restart: bool = False,
    ) -> bool:
        """Drop members that the others separate from the target, in order of entry.

        The newest member need not be tested: it was, given the others, when it came in. With
        `restart` the pass ends at the first member that is dropped. True if one was dropped.
        """
        dropped = False
        for j in list(members):
            if j == newest or j in members.included:
                continue
            others = [g for g in members if g != j]
            outcome = tester.pair(j, tester.target, others)
            decisions.record(j, others, outcome)
            if outcome.separated:
                del members[j]
                dropped = True
                if restart:
                    break
        return dropped


def without(order: np.ndarray, members: Members) -> np.ndarray:
    """The columns that are not members."""
    stay = np.ones(order.size, dtype=bool)
    for j in members:
        stay &= order != j
    return order[stay]


@with_docs(BLANKET_DOCS)
class GrowShrink(_GrowAndShrink):
    """Markov blanket by growing and shrinking, one column after the other in a fixed order.

    The first column in the order that depends on the target, given the members so far, becomes a
    member, and the scan starts again, until no column does. Then the first member that is
    independent of the target given the others leaves, and so on.

    Parameters
    ----------
    {alpha}
    order : {"association", "index"}, default="association"
        Order of the scan: by decreasing information on the target, or as the columns stand.
    {test, max_conditioning, counting_parameters}

    Attributes
    ----------
    {blanket_attributes}

    See Also
    --------
    IAMB : Takes in the strongest column of each scan.

    References
    ----------
    D. Margaritis and S. Thrun (2000), Bayesian network induction via local neighborhoods, NIPS 12.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import GrowShrink
    >>> cells = "000001010011111110101100"  # a causes b, b causes c
    >>> table = np.repeat([list(cells[i : i + 3]) for i in range(0, 24, 3)],
    ...                   [320, 80, 20, 80, 320, 80, 20, 80], axis=0)
    >>> selector = GrowShrink().fit(table[:, 1:], table[:, 0])
    >>> selector.markov_blanket_
    array([0])
    >>> print(selector.explain())
    feature  selected  rank  relevance  role                 reason     given  p-value
    x0       yes       1     0.2781     neighbour or spouse  dependent  -      7.94e-86
    x1       no        -     0.09562    -                    separated  x0     1
    """

    _parameter_constraints: dict = {
        **CausalSelector._parameter_constraints,
        "order": [StrOptions({"association", "index"})],
    }

    def __init__(
        self, alpha=0.01, *, order="association", test="auto", max_conditioning=None,
        discretizer="mdl", discrete_features="auto", target_bins=3, multi_output="mean",
        missing="auto", include=None, exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            alpha, test=test, max_conditioning=max_conditioning, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.order = order

    def _scan_order(self, candidates: np.ndarray, relevance: np.ndarray) -> np.ndarray:
        if self.order == "index":
            return candidates
        return candidates[by_decreasing(relevance[candidates], np.ones(candidates.size, bool))]

    def _grow(
        self, tester: PartTester, order: np.ndarray, members: Members, decisions: Decisions
    ) -> bool:
        """Add the first column in the order that depends on the target; False if none does."""
        rest = without(order, members)
        if not self._allows(len(members)):
            return False
        start, size = 0, FIRST_BATCH_SIZE
        while start < rest.size:
            batch = rest[start : start + size]
            outcome = tester.columns(tester.target, batch, members)
            decisions.record(batch, members, outcome)
            if outcome.dependent.any():
                first = int(np.argmax(outcome.dependent))
                members[int(batch[first])] = float(outcome.information[first])
                return True
            start, size = start + size, 2 * size
        return False

    def _blanket(
        self, tester: PartTester, order: np.ndarray, members: Members, decisions: Decisions
    ) -> None:
        while self._grow(tester, order, members, decisions):
            pass
        while self._shrink(tester, members, decisions, restart=True):
            pass


@with_docs(BLANKET_DOCS)
class IAMB(_GrowAndShrink):
    """Markov blanket by incremental association: the strongest column first.

    Of the columns that depend on the target, given the members so far, the one with the largest
    conditional mutual information becomes a member, until none depends. Then each member, in order
    of entry, leaves if it is independent of the target given the others.

    Parameters
    ----------
    {blanket_parameters}

    Attributes
    ----------
    {blanket_attributes}

    See Also
    --------
    InterIAMB : Shrinks after each addition, so that tests are given fewer columns.
    HybridCausalSelector : Removes redundant columns first.

    References
    ----------
    I. Tsamardinos, C. F. Aliferis and A. Statnikov (2003), Algorithms for large scale Markov
    blanket discovery, FLAIRS.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import IAMB
    >>> rng = np.random.default_rng(0)
    >>> cause, noise = rng.integers(0, 2, (2, 1000))
    >>> y = cause ^ (rng.random(1000) < 0.1)
    >>> effect = y ^ (rng.random(1000) < 0.1)
    >>> far = effect ^ (rng.random(1000) < 0.1)
    >>> selector = IAMB().fit(np.column_stack([noise, cause, far, effect]), y)
    >>> selector.markov_blanket_
    array([1, 3])
    >>> selector.separating_sets_[2]  # far is independent of y given these
    array([1, 3])
    """


@with_docs(BLANKET_DOCS)
class InterIAMB(_GrowAndShrink):
    """Markov blanket by incremental association with shrinking after each addition.

    As `IAMB`, but the members other than the newest are tested again after each addition. Smaller
    sets are given to the tests, which then have more rows for each degree of freedom.

    Parameters
    ----------
    {blanket_parameters}

    Attributes
    ----------
    {blanket_attributes}

    See Also
    --------
    IAMB : Shrinks once, at the end.

    Notes
    -----
    If a set of members occurs a second time the search would go round in a circle: it stops there.

    References
    ----------
    I. Tsamardinos, C. F. Aliferis and A. Statnikov (2003), Algorithms for large scale Markov
    blanket discovery, FLAIRS.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import InterIAMB
    >>> rng = np.random.default_rng(0)
    >>> left, right, noise = rng.integers(0, 2, (3, 1000))
    >>> y = np.where(rng.random(1000) < 0.9, left & right, noise)
    >>> InterIAMB().fit(np.column_stack([left, right, noise]), y).markov_blanket_
    array([0, 1, 2])
    """

    def _blanket(
        self, tester: PartTester, order: np.ndarray, members: Members, decisions: Decisions
    ) -> None:
        seen = {frozenset(members)}
        while self._grow(tester, order, members, decisions):
            self._shrink(tester, members, decisions, newest=next(reversed(members)))
            if frozenset(members) in seen:
                return
            seen.add(frozenset(members))
