"""Parents and children of the target by the max-min heuristic."""

from __future__ import annotations

import numpy as np

from ensfs._utils.ties import first_largest
from ensfs.causal._neighbours import (
    NeighbourSearch,
    NeighbourSelector,
    OneSided,
    strength,
    subsets,
)


class MaxMinSearch(NeighbourSearch):
    """Neighbours of nodes by the max-min heuristic."""

    def _one_sided(self, y: int) -> OneSided:
        found = self._forward(y)
        self._backward(y, found)
        return found

    def _forward(self, y: int) -> OneSided:
        """Add the candidate whose weakest association is the strongest, until none is left."""
        rest = self.nodes[self.nodes != y]
        outcome = self.tester.columns(y, rest, ())
        self.record(y, rest, (), outcome)
        found = OneSided(separating=dict.fromkeys(rest[outcome.separated].tolist(), ()))
        rest = rest[outcome.dependent]
        weakest = strength(outcome)[outcome.dependent]
        least = outcome.information[outcome.dependent]
        while rest.size:
            best = first_largest(weakest)
            newest = int(rest[best])
            older = list(found.least)
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
        for x in list(found.least):
            separation = self.separate(x, y, [g for g in found.least if g != x])
            if separation is not None:
                given, outcome = separation
                self.record(y, x, given, outcome)
                found.separating[x] = given
                del found.least[x]


class MMPC(NeighbourSelector):
    """Parents and children of the target by the max-min heuristic; with their spouses on request.

    A column is a neighbour if no set of at most `max_conditioning` other neighbours separates it
    from the target. The candidate whose weakest association, over all sets of neighbours so far, is
    the strongest comes in next; candidates that some set separates leave for good. At the end the
    neighbours are tested against each other, and kept only if the target is, in turn, among their
    own neighbours.

    Parameters
    ----------
    alpha : float, default=0.01
        Significance level: columns are dependent if a test has a p-value of at most this.
    symmetric : bool, default=True
        Whether a neighbour must have the target among its own neighbours.
    spouses : bool, default=False
        Whether to add the other parents of the target's children, which completes the blanket
        (the method is then known as MMMB).
    test : {"auto", "g2", "mi", "permutation", "fisherz"} or object, default="auto"
        The test of independence: a `G2Test`, `InformationTest`, `PermutationTest` or `FisherZTest`,
        or its name for the default settings. "auto": "g2" if the target is classes, "fisherz" if it
        is numeric. Any object with a method ``separated(x, y, given)`` will do, such as an
        `OracleTest`: columns have their positions, and the target comes after the last.
    max_conditioning : int, default=3
        The most columns that a test may be given; None: any number, which takes time.
    discretizer : {"mdl", "equal_frequency", "sigma"}, transformer or None, default="mdl"
        How continuous columns are cut if the test counts; None: they are an error.
    discrete_features : "auto", bool, mask, indices or names, default="auto"
        Which columns hold discrete values. "auto": text, categories, booleans, and whole numbers
        with at most 32 distinct values. True is all columns, False none but text and categories.
    n_jobs : int, optional
        Threads; None is one, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        1: a progress bar on standard error while fitting, and a line at the end.

    Attributes
    ----------
    indices_ : ndarray
        Neighbours in order of entry, then spouses.
    neighbours_ : ndarray
        Parents and children in ascending order.
    markov_blanket_ : ndarray
        All selected columns in ascending order: the neighbours, and the spouses if asked for.
    roles_ : dict of int to str
        "neighbour" or "spouse" for each selected column.
    separating_sets_ : dict of int to ndarray
        Columns that separate each column that was left out from the target.
    support_, ranking_ : ndarray of shape (`n_features_in_`,)
        Mask of the selected columns; place from 1, the columns left out sharing the next place.
    scores_ : ndarray of shape (`n_features_in_`,)
        Least information of each neighbour, in bits, over its tests, or that of a spouse; NaN if
        not selected.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Information of each column on the target, nothing given, in bits; with Fisher's z its
        absolute correlation.
    pvalues_ : ndarray of shape (`n_features_in_`,)
        P-value of the test that decided on each column; NaN if it had too few rows.
    n_tests_ : int
        Tests made.
    cut_points_ : dict of int to ndarray
        Where continuous columns were cut, by column.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

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
