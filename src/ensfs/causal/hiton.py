"""Parents and children of the target by HITON."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np

from ensfs._utils.ties import by_decreasing
from ensfs.causal._neighbours import (
    NeighbourSearch,
    NeighbourSelector,
    OneSided,
    strength,
    subsets,
)


class HITONSearch(NeighbourSearch):
    """Neighbours of nodes by HITON: admit by association, test the members after each admission."""

    def _one_sided(self, y: int) -> OneSided:
        rest = self.nodes[self.nodes != y]
        outcome = self.tester.columns(y, rest, ())
        self.record(y, rest, (), outcome)
        found = OneSided(separating=dict.fromkeys(rest[outcome.separated].tolist(), ()))
        # logarithms make ties relative, as rounding is for strong associations
        for i in by_decreasing(np.log1p(strength(outcome)), outcome.dependent):
            self._admit(int(rest[i]), float(outcome.information[i]), y, found)
        return found

    def _admit(self, newest: int, information: float, y: int, found: OneSided) -> None:
        """Add a candidate, unless members separate it; drop members that it helps to separate."""
        members = list(found.least)
        found.least[newest] = information
        # nothing given: tested before
        if self._drop(newest, y, found, islice(subsets(members, self.allows), 1, None)):
            return
        for x in members:
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


class HITONPC(NeighbourSelector):
    """Parents and children of the target by HITON; with their spouses on request.

    Columns that depend on the target are admitted one after the other, the most strongly associated
    first. After each admission every member is tested given all sets of at most `max_conditioning`
    others, and leaves for good if one of them separates it from the target (the interleaved form).
    At the end members are kept only if the target is, in turn, among their own neighbours.

    Parameters
    ----------
    alpha : float, default=0.01
        Significance level: columns are dependent if a test has a p-value of at most this.
    symmetric : bool, default=True
        Whether a neighbour must have the target among its own neighbours: the symmetry correction
        of 2010, which the method of 2003 lacks.
    spouses : bool, default=False
        Whether to add the other parents of the target's children, which completes the blanket
        (the method is then known as HITON-MB).
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
        Neighbours by decreasing association with the target, then spouses.
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
