"""Families of public classes, derived from what is public: a new class joins them by itself.

Tests import them by ``from families import CAUSAL``.
"""

import inspect

from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

import ensfs
from ensfs import ACE, IAMB, MRMR, G2Test
from ensfs.causal._base import CausalSelector
from ensfs.causal._graph_selector import GraphSelector
from ensfs.causal._neighbours import NeighbourSelector
from ensfs.independence import IndependenceTest
from ensfs.selection._greedy import GreedyInformation

CLASSES = [c for name in ensfs.__all__ if inspect.isclass(c := getattr(ensfs, name))]

#: What can be fitted, and of these what selects columns or transforms tables.
ESTIMATORS = [c for c in CLASSES if issubclass(c, BaseEstimator) and hasattr(c, "fit")]
SELECTORS = [c for c in ESTIMATORS if issubclass(c, SelectorMixin)]
TRANSFORMERS = [c for c in ESTIMATORS if hasattr(c, "transform")]

#: Criteria of greedy selection from counts.
GREEDY = [c for c in SELECTORS if issubclass(c, GreedyInformation)]

#: Selectors by tests of independence: those of a graph, of neighbours, and of a blanket alone.
CAUSAL = [c for c in SELECTORS if issubclass(c, CausalSelector)]
GRAPHS = [c for c in CAUSAL if issubclass(c, GraphSelector)]
NEIGHBOURS = [c for c in CAUSAL if issubclass(c, NeighbourSelector)]
BLANKETS = [c for c in CAUSAL if c not in GRAPHS + NEIGHBOURS]

#: Tests of independence.
TESTS = [c for c in CLASSES if issubclass(c, IndependenceTest)]


def seeded(estimator):
    """Random ones: the same in every fit, and few of what they have many of."""
    wanted = {"random_state": 0, "n_estimators": 40, "n_bootstrap": 5, "n_operations": 200}
    wanted |= {"n_subspaces": 3, "n_oob_estimators": 8}
    if isinstance(estimator, ACE):
        wanted = {"random_state": 0, "n_estimators": 25, "n_replicates": 6, "max_iter": 1}
    return estimator.set_params(**{k: v for k, v in wanted.items() if k in estimator.get_params()})


def example(c):
    """An instance for thirteen columns."""
    estimator = seeded(c())
    parameters = estimator.get_params()
    if "n_parts" in parameters:
        estimator.set_params(n_parts=5)
    if "n_pairs" in parameters:
        estimator.set_params(selector=MRMR(4), n_pairs=5, threshold=0.6)
    if "sizes" in parameters:
        estimator.set_params(selector=MRMR(4), sizes=[4], cv=3)
    if "n_features_to_select" in parameters:
        return estimator.set_params(n_features_to_select=4)
    if isinstance(estimator, CausalSelector):  # 178 rows do not say more
        test = estimator._test_of_classes(samples_per_df=0)
        return estimator.set_params(test=test, max_conditioning=1)
    if "causal" in estimator.get_params():
        return estimator.set_params(causal=IAMB(test=G2Test(samples_per_df=0)))
    return estimator
