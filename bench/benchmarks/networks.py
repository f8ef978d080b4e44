"""Bayesian networks: search for graphs, exact probabilities, EM."""

import numpy as np

from ensfs import BayesianNetworkClassifier, NetworkCombinerClassifier
from ensfs.datasets import load_lucas_network, make_field_and_nerve
from ensfs.networks.em import fit_tables
from ensfs.networks.inference import Graph
from ensfs.networks.scores import FamilyScores
from ensfs.networks.search import annealing_search, greedy_search


class Search:
    """Graphs of 13 columns of simulated eyes."""

    def setup(self):
        X, y = make_field_and_nerve(600, random_state=0)
        self.codes = np.column_stack([X, y]).astype(int)
        self.n_levels = [3] * 12 + [2]

    def time_annealing(self):
        scores = FamilyScores(self.codes, self.n_levels)
        annealing_search(scores, np.random.default_rng(0))

    def time_greedy(self):
        greedy_search(FamilyScores(self.codes, self.n_levels))


class Probabilities:
    """Questions to a network of twelve variables."""

    def setup(self):
        self.network = load_lucas_network()
        self.codes = self.network.sample(10_000, random_state=0).astype(int)
        rng = np.random.default_rng(0)
        self.holed = np.where(rng.random(self.codes.shape) < 0.1, -1, self.codes)
        names = self.network.names
        parents = [tuple(map(names.index, self.network.parents(name))) for name in names]
        self.graph = Graph(parents, [2] * 12)

    def time_all_others_known(self):
        self.network.posterior("Lung_cancer", self.codes)

    def time_a_tenth_missing(self):
        self.network.posterior("Lung_cancer", self.holed[:2000])

    def time_em(self):
        fit_tables(self.graph, self.holed[:2000])


class Classifiers:
    """A network that is learned, one that is given, and both combined."""

    params = ["learned", "given", "combined"]
    param_names = ("kind",)

    def setup(self, kind):
        self.X, self.y = make_field_and_nerve(600, random_state=0)
        learned = BayesianNetworkClassifier(n_bootstrap=5, random_state=0)
        given = BayesianNetworkClassifier(structure="given")
        both = NetworkCombinerClassifier([("data", learned), ("expert", given)], random_state=0)
        self.model = {"learned": learned, "given": given, "combined": both}[kind]
        self.fitted = self.model.fit(self.X, self.y)

    def time_fit(self, kind):
        self.model.fit(self.X, self.y)

    def time_predict(self, kind):
        self.fitted.predict(self.X)
