"""Parents and children of the target by the max-min heuristic."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.ties import largest
from ensfs.causal._neighbours import (
    NEIGHBOUR_DOCS,
    NeighbourSearch,
    NeighbourSelector,
    OneSided,
    strength,
    subsets,
)

#: Sets of others given which a neighbour is tested in one go, before it is known whether the first
#: ones separate it.
AHEAD = 64


class MaxMinSearch(NeighbourSearch):
    """Neighbours of nodes by the max-min heuristic."""

    def _one_sided(self, y: int, rest: np.ndarray) -> OneSided:
        found = self._forward(y, rest)
        self._backward(y, found)
        return found

    def _forward(self, y: int, rest: np.ndarray) -> OneSided:
        """Add the candidate whose weakest association is the strongest, until none is left."""
        fixed = self.fixed(y)
        outcome = self.tester.columns(y, rest, ())
        self.record(y, rest, (), outcome)
        found = OneSided(separating=dict.fromkeys(rest[outcome.separated].tolist(), ()))
        rest = rest[outcome.dependent]
        weakest = strength(outcome)[outcome.dependent]
        least = outcome.information[outcome.dependent]
        while rest.size or fixed:
            older = list(found.least)
            if fixed:
                newest = fixed.pop(0)
                found.least[newest] = np.nan
            else:
                strongest = np.nonzero(largest(weakest))[0]
                best = int(strongest[0])
                if strongest.size > 1:
                    found.tied.update(rest[strongest].tolist())
                newest = int(rest[best])
                found.least[newest] = float(least[best])
                stay = np.arange(rest.size) != best
                rest, weakest, least = rest[stay], weakest[stay], least[stay]
            for given in subsets(older, self.allows, [newest]):
                if not rest.size:
                    break
                outcome = self.tester.columns(y, rest, given)
                self.record(y, rest, given, outcome)
                found.separating.update(dict.fromkeys(rest[outcome.separated].tolist(), given))
                weakest = np.where(
                    outcome.reliable, np.minimum(weakest, strength(outcome)), weakest
                )
                least = np.where(outcome.reliable, np.minimum(least, outcome.information), least)
                stay = ~outcome.separated
                rest, weakest, least = rest[stay], weakest[stay], least[stay]
        return found

    def _backward(self, y: int, found: OneSided) -> None:
        """Drop neighbours that others separate from the node, in order of entry."""
        fixed = self.fixed(y)
        tested = [x for x in found.least if x not in fixed]
        self.tester.test_ahead(
            (x, y, given)
            for x in tested
            for given in islice(subsets([g for g in found.least if g != x], self.allows), AHEAD)
        )
        for x in tested:
            separation = self.separate(x, y, [g for g in found.least if g != x])
            if separation is not None:
                given, outcome = separation
                self.record(y, x, given, outcome)
                found.separating[x] = given
                del found.least[x]


@with_docs(NEIGHBOUR_DOCS)
class MMPC(NeighbourSelector):
    """Parents and children of the target by the max-min heuristic; with their spouses on request.

    A column is a neighbour if no set of at most `max_conditioning` other neighbours separates it
    from the target. The candidate whose weakest association, over all sets of neighbours so far, is
    the strongest comes in next; candidates that some set separates leave for good. At the end the
    neighbours are tested against each other, and kept only if the target is, in turn, among their
    own neighbours.

    Parameters
    ----------
    {alpha, symmetric}
    spouses : bool, default=False
        Whether to add the other parents of the target's children, which completes the blanket
        (the method is then known as MMMB).
    {test, max_conditioning, counting_parameters}

    Attributes
    ----------
    indices_ : ndarray
        Neighbours in order of entry, then spouses.
    {neighbours_, one_sided_neighbours_, markov_blanket_, roles_, separating_sets_, support_}
    {ranking_, scores_, relevance_, pvalues_, n_tests_, cut_points_, target_cut_points_}
    {output_relevance_, groups_, n_readings_, n_missing_, n_features_in_, feature_names_in_}

    References
    ----------
    I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian
    network structure learning algorithm, Machine Learning 65, 31-78.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import MMPC
    >>> rng = np.random.default_rng(0)
    >>> y, other = rng.integers(0, 2, (2, 1000))
    >>> child = np.where(rng.random(1000) < 0.8, y | other, rng.integers(0, 2, 1000))
    >>> X = np.column_stack([other, child])
    >>> MMPC().fit(X, y).markov_blanket_
    array([1])
    >>> MMPC(spouses=True).fit(X, y).roles_
    {1: 'neighbour', 0: 'spouse'}
    """

    _search_class = MaxMinSearch
