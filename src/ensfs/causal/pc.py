"""The graph of all columns and the target by the PC algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import StrOptions
from ensfs.causal._graph_selector import GRAPH_DOCS, GraphSelector, PairTester, SetsOfPair
from ensfs.causal.graph import SeparatingSets
from ensfs.independence import G2Test

#: Target size of a batch of tests when the edges that are left still have several sets to try.
BATCH_SIZE = 64
#: Largest batch of tests.
MAX_BATCH_SIZE = 4096


@with_docs(GRAPH_DOCS)
class PCSelector(GraphSelector):
    """Graph of all columns and the target by the PC algorithm; keeps the blanket of the target.

    Every pair of nodes begins with an edge. An edge goes when some set of neighbours of one of its
    ends separates them; sets of no, one, two, ... neighbours are tried in turn, and within a size
    the neighbours stay as they were, so that the result does not depend on the order of the columns
    (the stable variant). Then edges get directions: a node between two that are not neighbours, and
    that was not needed to separate them, is an effect of both; Meek's rules follow from that.

    Parameters
    ----------
    {alpha, keep}
    sepset : {"majority", "first"}, default="majority"
        What tells a common effect of two nodes: that it is in fewer than half of all sets of their
        neighbours that separate them, or that it is not in the first set that separated them.
        "majority" takes more tests; its directions are better and do not depend on the order of
        the columns. "first" is the rule of Spirtes et al.
    test : {"auto", "g2", "mi", "permutation", "fisherz"} or object, default="auto"
        The test of independence, as in `IAMB`, but "auto" is ``G2Test(df="adjusted")`` if the
        target is classes: a graph is tested given sets of columns whose tables are mostly empty.
    {max_conditioning, counting_parameters}

    Attributes
    ----------
    {indices_, markov_blanket_, neighbours_, roles_, graph_, separating_sets_, n_conflicts_}
    {support_, ranking_, scores_, relevance_, pvalues_, n_tests_, cut_points_, target_cut_points_}
    {output_relevance_, n_readings_, n_missing_, n_features_in_, feature_names_in_}

    References
    ----------
    P. Spirtes, C. Glymour and R. Scheines (2000), Causation, Prediction, and Search, MIT Press.

    D. Colombo and M. H. Maathuis (2014), Order-independent constraint-based causal structure
    learning, Journal of Machine Learning Research 15, 3921-3962.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import PCSelector
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(0, 2, (2, 1000))
    >>> y = (left | right) ^ (rng.random(1000) < 0.1)
    >>> effect = y ^ (rng.random(1000) < 0.1)
    >>> selector = PCSelector().fit(np.column_stack([left, right, effect]), y)
    >>> selector.roles_
    {2: 'child', 0: 'parent', 1: 'parent'}
    >>> print(selector.graph_.to_dot())
    digraph {
      "x0" -> "target";
      "x1" -> "target";
      "target" -> "x2";
    }
    """

    _parameter_constraints: dict = {
        **GraphSelector._parameter_constraints,
        "sepset": [StrOptions({"first", "majority"})],
    }

    def __init__(
        self, alpha=0.01, *, keep="blanket", sepset="majority", test="auto", max_conditioning=None,
        discretizer="mdl", discrete_features="auto", target_bins=3, multi_output="mean",
        missing="auto", include=None, exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            alpha, keep=keep, test=test, max_conditioning=max_conditioning, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.sepset = sepset

    @staticmethod
    def _test_of_classes(**settings: Any) -> G2Test:
        return G2Test(df="adjusted", **settings)

    def _skeleton(self, pairs: PairTester) -> tuple[np.ndarray, SeparatingSets, dict[str, Any]]:
        edges = ~np.eye(pairs.n_nodes, dtype=bool)
        separating = SeparatingSets(pairs.nodes)
        for a in range(pairs.n_nodes - 1):
            places, outcome = pairs.marginal(a)
            apart = places[outcome.separated]
            edges[a, apart] = edges[apart, a] = False
            separating.put(a, apart)
        size = 1
        while self._allows(size) and edges.sum(axis=0).max(initial=0) > size:
            if not self._separate(pairs, edges, separating, size):
                break
            size += 1
        return edges, separating, {}

    def _separate(
        self, pairs: PairTester, edges: np.ndarray, separating: SeparatingSets, size: int
    ) -> bool:
        """Remove edges whose ends a set of this size separates; False if larger sets cannot."""
        around = [np.nonzero(each)[0].tolist() for each in edges]
        waiting: dict[tuple[int, int], Iterator[tuple[int, ...]]] = {
            (int(a), int(b)): sets_around(around[a], around[b], int(a), int(b), size)
            for a, b in np.argwhere(np.triu(edges))
            if not pairs.is_fixed(int(a), int(b))
        }
        any_reliable = False
        while waiting:
            each = max(1, BATCH_SIZE // len(waiting))
            rows: list[tuple[int, ...]] = []
            for pair, sets in list(waiting.items()):
                some = [(*pair, *given) for given in islice(sets, each)]
                if len(some) < each:
                    del waiting[pair]  # these are its last sets
                rows += some
            if not rows:
                break
            outcome = pairs.batch(rows)
            any_reliable |= bool(outcome.reliable.any())
            for i in np.nonzero(outcome.separated)[0]:
                a, b, *given = rows[i]
                if edges[a, b]:  # the first set that separates is kept
                    edges[a, b] = edges[b, a] = False
                    separating.put(a, b, tuple(given))
                    waiting.pop((a, b), None)
        return any_reliable or not pairs.tester.larger_sets_need_more_rows

    def _separating_sets_for(
        self, pairs: PairTester, skeleton: np.ndarray, separating: SeparatingSets
    ) -> SetsOfPair:
        """The first set found, or with ``sepset="majority"`` all separating sets of neighbours."""
        if self.sepset == "first":
            return super()._separating_sets_for(pairs, skeleton, separating)
        around = [np.nonzero(each)[0].tolist() for each in skeleton]
        between = (skeleton.astype(np.int32) @ skeleton.astype(np.int32) > 0) & ~skeleton
        apart = [(int(a), int(b)) for a, b in np.argwhere(np.triu(between, 1))]
        sets = {(a, b): [separating.at(a, b)] for a, b in apart}
        for size in range(max(map(len, separating.values()), default=0) + 1):
            rows = (
                (a, b, *given)
                for a, b in apart
                for given in sets_around(around[a], around[b], a, b, size)
            )
            while some := list(islice(rows, MAX_BATCH_SIZE)):
                for i in np.nonzero(pairs.batch(some, record=False).separated)[0]:
                    a, b, *given = some[i]
                    if tuple(given) != separating.at(a, b):
                        sets[a, b].append(tuple(given))
        return lambda a, b: sets[a, b]


def sets_around(
    around_a: list[int], around_b: list[int], a: int, b: int, size: int
) -> Iterator[tuple[int, ...]]:
    """Sets of neighbours of one end of an edge, then those of the other end that are new."""
    of_a = [j for j in around_a if j != b]
    of_b = [j for j in around_b if j != a]
    tried = set(of_a)
    new = (each for each in combinations(of_b, size) if not tried.issuperset(each))
    return chain(combinations(of_a, size), new)
