"""Parents, children and spouses of the target by the max-min heuristic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ensfs._utils.ties import first_largest
from ensfs.causal._base import CausalSelector, Decisions, Found
from ensfs.independence import Outcome, PartTests


class MMPC(CausalSelector):
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
    test : {"auto", "g2", "mi", "fisherz", "permutation"} or object, default="auto"
        The test. "auto": "g2" if the target is classes, Fisher's z if it is numeric. "g2": G² of
        discrete columns. "mi": more conditional mutual information than `threshold`, in bits.
        "fisherz": partial correlations of continuous columns. "permutation": G² against permuted
        tables, for few rows. An object with a method ``separated(x, y, given)`` decides itself;
        columns have their numbers and the target comes after the last (see `OracleTest`).
    df : {"full", "slices", "adjusted", "perm"}, default="full"
        Degrees of freedom of G², as in `measures.g_square`; "perm" takes the mean G² of permuted
        tables.
    samples_per_df : float, default=5
        A test with fewer rows for each degree of freedom decides nothing: it neither takes in a
        column nor drops one. 0 relies on all tests.
    max_conditioning : int, default=3
        The most columns that a test may be given; None: any number, which takes time.
    threshold : float, default=0.01
        Bits that must be exceeded with "mi".
    n_permutations : int, default=1000
        Permuted tables of each test with "permutation" and "perm".
    random_state : int, RandomState instance or None, default=0
        Where permuted tables are drawn from; only there is anything random.
    discretizer : {"mdl", "equal_frequency", "sigma"} or transformer, default="mdl"
        How "auto" cuts continuous columns if the target is classes. With "g2", "mi" and
        "permutation" continuous columns are an error.
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

    _parameter_constraints: dict = {
        **CausalSelector._parameter_constraints,
        "symmetric": ["boolean"],
        "spouses": ["boolean"],
    }

    def __init__(
        self,
        alpha=0.01,
        *,
        symmetric=True,
        spouses=False,
        test="auto",
        df="full",
        samples_per_df=5,
        max_conditioning=3,
        threshold=0.01,
        n_permutations=1000,
        random_state=0,
        discretizer="mdl",
        discrete_features="auto",
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            alpha,
            test=test,
            df=df,
            samples_per_df=samples_per_df,
            max_conditioning=max_conditioning,
            threshold=threshold,
            n_permutations=n_permutations,
            random_state=random_state,
            discretizer=discretizer,
            discrete_features=discrete_features,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.symmetric = symmetric
        self.spouses = spouses

    def _search(self, tests: PartTests, candidates: np.ndarray, relevance: np.ndarray) -> Found:
        log = Decisions(relevance.size)
        search = _MaxMin(tests, np.append(candidates, tests.target), self._allows, log)
        neighbours = search.neighbours(tests.target, self.symmetric)
        of_target = search.one_sided(tests.target)
        scores = [of_target.least[j] for j in neighbours]
        roles = dict.fromkeys(neighbours, "neighbour")
        if self.spouses:
            for j, information in search.spouses(neighbours, self.symmetric).items():
                roles[j] = "spouse"
                scores.append(information)
        learned = {
            "neighbours": np.sort(np.array(neighbours, dtype=np.int64)),
            "markov_blanket": np.sort(np.array(list(roles), dtype=np.int64)),
            "roles": roles,
        }
        return Found(list(roles), scores, log, learned)


@dataclass
class _OneSided:
    """Neighbours of a node before symmetry: with their least information, and what separates."""

    least: dict[int, float]
    separating: dict[int, tuple[int, ...]]


class _MaxMin:
    """Neighbours of nodes by the max-min heuristic, each node searched once."""

    def __init__(
        self,
        tests: PartTests,
        nodes: np.ndarray,
        allows: Callable[[int], bool],
        log: Decisions,
    ):
        self.tests, self.nodes, self.allows, self.log = tests, nodes, allows, log
        self._found: dict[int, _OneSided] = {}

    def neighbours(self, y: int, symmetric: bool) -> list[int]:
        """Neighbours of a node in order of entry."""
        found = list(self.one_sided(y).least)
        return [x for x in found if not symmetric or y in self.one_sided(x).least]

    def one_sided(self, y: int) -> _OneSided:
        """Neighbours of a node, whatever theirs are."""
        if y not in self._found:
            found = self._forward(y)
            self._backward(y, found)
            self._found[y] = found
        return self._found[y]

    def _note(self, y: int, columns: Any, given: Iterable[int], outcome: Outcome) -> None:
        if y == self.tests.target:
            self.log.note(columns, given, outcome)

    def _forward(self, y: int) -> _OneSided:
        rest = self.nodes[self.nodes != y]
        outcome = self.tests.columns(y, rest, ())
        self._note(y, rest, (), outcome)
        found = _OneSided(
            {}, dict.fromkeys(rest[outcome.reliable & ~outcome.dependent].tolist(), ())
        )
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
                outcome = self.tests.columns(y, rest, given)
                self._note(y, rest, given, outcome)
                stay = outcome.dependent | ~outcome.reliable
                found.separating.update(dict.fromkeys(rest[~stay].tolist(), given))
                weakest = np.where(
                    outcome.reliable, np.minimum(weakest, strength(outcome)), weakest
                )
                least = np.where(outcome.reliable, np.minimum(least, outcome.information), least)
                rest, weakest, least = rest[stay], weakest[stay], least[stay]
        return found

    def _backward(self, y: int, found: _OneSided) -> None:
        for x in list(found.least):
            others = [g for g in found.least if g != x]
            given, outcome = self._separating(x, y, others)
            if given is not None:
                self._note(y, x, given, outcome)
                found.separating[x] = given
                del found.least[x]

    def _separating(self, x: int, y: int, among: list[int]) -> tuple[Any, Any]:
        """The first set of some nodes, small ones first, that separates two others."""
        for given in subsets(among, self.allows):
            outcome = self.tests.pair(x, y, given)
            if outcome.reliable and not outcome.dependent:
                return given, outcome
        return None, None

    def spouses(self, neighbours: list[int], symmetric: bool) -> dict[int, float]:
        """Neighbours of the target's neighbours that become dependent on it given these."""
        target = self.tests.target
        found: dict[int, float] = {}
        for child in neighbours:
            for j in self.neighbours(child, symmetric):
                if j == target or j in neighbours or j in found:
                    continue
                given = self._separating_set(j, target, neighbours, symmetric)
                if given is None or child in given:
                    continue
                outcome = self.tests.pair(j, target, (*given, child))
                if outcome.dependent:
                    self._note(target, j, (*given, child), outcome)
                    found[j] = float(outcome.information)
        return found

    def _separating_set(self, j: int, target: int, neighbours: list[int], symmetric: bool) -> Any:
        """What separates a node from the target: as found before, else among their neighbours."""
        known = self.one_sided(target).separating
        if j in known:
            return known[j]
        for among in (neighbours, self.neighbours(j, symmetric)):
            given = self._separating(j, target, [g for g in among if g not in (j, target)])[0]
            if given is not None:
                return given
        return None


def strength(outcome: Outcome) -> np.ndarray:
    """Minus the logarithm of the p-value; beyond the range of floats the statistic goes on."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(
            outcome.pvalue > 0, -np.log(outcome.pvalue), 1e4 + outcome.statistic / outcome.df
        )


def subsets(
    nodes: list[int], allows: Callable[[int], bool], always: Sequence[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Sets of nodes, small ones first, together with nodes that are in each."""
    for size in range(len(nodes) + 1):
        if not allows(size + len(always)):
            return
        for some in combinations(nodes, size):
            yield (*some, *always)
