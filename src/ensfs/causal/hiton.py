"""Parents and children of the target by HITON."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.ties import by_decreasing, in_ties
from ensfs.causal._neighbours import (
    NEIGHBOUR_DOCS,
    NeighbourSearch,
    NeighbourSelector,
    OneSided,
    strength,
    subsets,
)


class HITONSearch(NeighbourSearch):
    """Neighbours of nodes by HITON: admit by association, test the members after each admission."""

    def _one_sided(self, y: int, rest: np.ndarray) -> OneSided:
        fixed = self.fixed(y)
        outcome = self.tester.columns(y, rest, ())
        self.record(y, rest, (), outcome)
        found = OneSided(separating=dict.fromkeys(rest[outcome.separated].tolist(), ()))
        found.least.update(dict.fromkeys(fixed, np.nan))
        # logarithms make ties relative, as rounding is for strong associations
        association = np.log1p(strength(outcome))
        dependent = np.nonzero(outcome.dependent)[0]
        if dependent.size > 1:
            found.tied.update(rest[dependent[in_ties(association[dependent])]].tolist())
        for i in by_decreasing(association, outcome.dependent):
            self._admit(int(rest[i]), float(outcome.information[i]), y, found)
        return found

    def _admit(self, newest: int, information: float, y: int, found: OneSided) -> None:
        """Add a candidate, unless members separate it; drop members that it helps to separate."""
        members = list(found.least)
        found.least[newest] = information
        # nothing given: tested before
        if self._drop(newest, y, found, islice(subsets(members, self.allows), 1, None)):
            return
        fixed = self.fixed(y)
        for x in [x for x in members if x not in fixed]:
            others = [g for g in found.least if g not in (x, newest)]
            # the sets without the newest member were tested when their last one came in
            self._drop(x, y, found, subsets(others, self.allows, [newest]))

    def _drop(self, x: int, y: int, found: OneSided, sets: Iterable[tuple[int, ...]]) -> bool:
        """Drop a member if one of the sets separates it from the node; True if so."""
        for given in sets:
            outcome = self.tester.pair(x, y, given)
            if outcome.separated:
                self.record(y, x, given, outcome)
                found.separating[x] = given
                del found.least[x]
                return True
            if outcome.reliable and outcome.information < found.least[x]:
                self.record(y, x, given, outcome)
                found.least[x] = float(outcome.information)
        return False


@with_docs(NEIGHBOUR_DOCS)
class HITONPC(NeighbourSelector):
    """Parents and children of the target by HITON; with their spouses on request.

    Columns that depend on the target are admitted one after the other, the most strongly associated
    first. After each admission every member is tested given all sets of at most `max_conditioning`
    others, and leaves for good if one of them separates it from the target (the interleaved form).
    At the end members are kept only if the target is, in turn, among their own neighbours: the
    symmetry correction of 2010, which the method of 2003 lacks.

    Parameters
    ----------
    {alpha, symmetric}
    spouses : bool, default=False
        Whether to add the other parents of the target's children, which completes the blanket
        (the method is then known as HITON-MB).
    {test, max_conditioning, counting_parameters}

    Attributes
    ----------
    indices_ : ndarray
        Neighbours by decreasing association with the target, then spouses.
    {neighbours_, one_sided_neighbours_, markov_blanket_, roles_, separating_sets_, support_}
    {ranking_, scores_, relevance_, pvalues_, n_tests_, cut_points_, target_cut_points_}
    {output_relevance_, groups_, n_readings_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    MMPC : Chooses the next candidate by its weakest association, given the members so far.

    References
    ----------
    C. F. Aliferis, I. Tsamardinos and A. Statnikov (2003), HITON: a novel Markov blanket algorithm
    for optimal variable selection, AMIA Annual Symposium Proceedings, 21-25.

    C. F. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani and X. D. Koutsoukos (2010), Local causal
    and Markov blanket induction for causal discovery and feature selection for classification, part
    I, Journal of Machine Learning Research 11, 171-234.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import HITONPC
    >>> rng = np.random.default_rng(0)
    >>> y, other = rng.integers(0, 2, (2, 1000))
    >>> child = np.where(rng.random(1000) < 0.8, y | other, rng.integers(0, 2, 1000))
    >>> far = child ^ (rng.random(1000) < 0.1)
    >>> selector = HITONPC().fit(np.column_stack([far, other, child]), y)
    >>> selector.neighbours_
    array([2])
    >>> selector.separating_sets_[0]  # far is independent of y given the child
    array([2])
    """

    _search_class = HITONSearch
