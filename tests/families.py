"""Families of public classes, derived from what is public: a new class joins them by itself.

Tests import them by ``from families import CAUSAL``.
"""

import inspect

from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

import ensfs
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
