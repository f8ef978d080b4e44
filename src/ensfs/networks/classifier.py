"""A classifier that is a Bayesian network."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import CLASSIFIER_DOCS, read_descriptions, with_docs
from ensfs._utils.members import MostProbableMixin, child_seeds
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs.data.columns import RawColumns
from ensfs.data.frames import take
from ensfs.data.sparse_columns import refuse_sparse
from ensfs.data.target import make_classes
from ensfs.data.weights import existing_rows
from ensfs.discretize import DISCRETIZERS
from ensfs.networks import _graphs
from ensfs.networks._coding import TableCoder, read_cells
from ensfs.networks.averaging import average_bootstraps, graph_of_arcs
from ensfs.networks.em import fit_tables
from ensfs.networks.inference import Graph, posterior
from ensfs.networks.network import BayesianNetwork
from ensfs.networks.scores import FamilyScores
from ensfs.networks.search import Parents
from ensfs.training.contract import refuse_blocks

NETWORK_DOCS = CLASSIFIER_DOCS | read_descriptions("""
X : array-like or data frame of shape (n_samples, n_features)
    The table. Missing cells are not known; so are states that were not there in fit.
""")


@with_docs(NETWORK_DOCS)
class BayesianNetworkClassifier(MostProbableMixin, BaseEstimator):
    """A Bayesian network of the columns and the class, learned or given, that tells the class.

    The graph is learned on bootstraps of the rows and averaged, or given by somebody who knows; its
    probabilities are smoothed shares. A class is then as probable as the network says given all
    cells of a row that are known.

    Parameters
    ----------
    edges : list of (parent, child), optional
        Arcs for `structure` "given" and "hidden": names or numbers of columns, and "class". None is
        an arc from the class to each column.
    structure : {"all", "controls", "given", "hidden"}, default="all"
        "all": the graph of columns and class, from all rows. "controls": the graph of the columns,
        from the rows of one class alone; the class is then a parent of every column. "given": the
        graph is `edges`. "hidden": the same, and the class is never looked at but to name the
        states that EM finds, each by the class that most of its rows have.
    controls : class label, optional
        The class of "controls"; None is the first of `classes_`.
    n_bootstrap : int, default=100
        Bootstraps on which graphs are learned.
    search : {"annealing", "greedy"}, default="annealing"
        How the graph of a bootstrap is found: simulated annealing and then greedy steps, or greedy
        steps with restarts.
    n_operations : int, default=2100
        Operations of annealing.
    max_parents : int, default=3
        The most parents of a node in the graph of a bootstrap.
    averaging : {"score", "uniform"}, default="score"
        Weights of the graphs: the exponential of their BIC per row, or all alike.
    threshold : float, default=0.5
        Least probability of an arc of the averaged graph.
    smoothing : float, default=1.0
        Rows that are added for every combination of states of the parents, spread evenly.
    discretizer : {"equal_frequency", "mdl", "sigma"} or transformer, default="equal_frequency"
        How columns of numbers are cut, "equal_frequency" into three bins.
    {discrete_features}
    n_starts : int, default=5
        Random starts of EM for "hidden".
    random_state : int, RandomState instance or Generator, optional
        For bootstraps, annealing and the starts of EM.
    n_jobs : int, optional
        Bootstraps at a time; None is one, -1 all cores. The result does not depend on it.
    {verbose}

    Attributes
    ----------
    network_ : BayesianNetwork
        The network: a variable for each column, and the class as the last one.
    class_name_ : str
        The variable of the class: "class", with underscores if a column has that name.
    edge_probabilities_ : ndarray of shape (n_variables, n_variables)
        ``[a, b]``: weight of the bootstraps with an arc from a to b. Only if it was learned; the
        columns of "controls" alone.
    score_ : float
        BIC of the graph on the rows of fit; without the class for "hidden".
    log_likelihood_path_ : ndarray
        What EM maximises, step by step: the log-likelihood plus the logarithm of the prior. A
        single number if no cell is missing.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    NetworkCombinerClassifier : Two such classifiers together.
    ensfs.datasets.read_bif : Networks from files.

    Notes
    -----
    Integer weights are the same as repeated rows where the graph is given. Otherwise they say how
    often a row is drawn in a bootstrap of as many rows as there are. Where cells are missing, a
    family of nodes is scored on the rows that have all of its cells, and probabilities come from
    EM.

    References
    ----------
    S. Ceccon, D. Garway-Heath, D. Crabb and A. Tucker (2011), Combining expert and data-driven
    Bayesian networks, in: Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from ensfs import BayesianNetworkClassifier
    >>> from ensfs.datasets import load_lucas_network
    >>> X, y = load_lucas_network().sample(500, 0, target="Lung_cancer", as_frame=True)
    >>> model = BayesianNetworkClassifier(n_bootstrap=10, random_state=0).fit(X, y)
    >>> model.network_.markov_blanket("class")
    ('Smoking', 'Genetics', 'Fatigue', 'Allergy', 'Coughing')
    """

    _parameter_constraints: dict = {
        "edges": ["array-like", None],
        "structure": [StrOptions({"all", "controls", "given", "hidden"})],
        "controls": "no_validation",
        "n_bootstrap": [Interval(Integral, 1, None, closed="left")],
        "search": [StrOptions({"annealing", "greedy"})],
        "n_operations": [Interval(Integral, 0, None, closed="left")],
        "max_parents": [Interval(Integral, 1, None, closed="left")],
        "averaging": [StrOptions({"score", "uniform"})],
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "discretizer": [StrOptions(set(DISCRETIZERS)), HasMethods(["fit", "transform"])],
        "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        edges=None,
        *,
        structure="all",
        controls=None,
        n_bootstrap=100,
        search="annealing",
        n_operations=2100,
        max_parents=3,
        averaging="score",
        threshold=0.5,
        smoothing=1.0,
        discretizer="equal_frequency",
        discrete_features="auto",
        n_starts=5,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.edges = edges
        self.structure = structure
        self.controls = controls
        self.n_bootstrap = n_bootstrap
        self.search = search
        self.n_operations = n_operations
        self.max_parents = max_parents
        self.averaging = averaging
        self.threshold = threshold
        self.smoothing = smoothing
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.n_starts = n_starts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn the graph, unless it is given, and the probabilities.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        columns = self._read(X, reset=True)
        target = make_classes(y, columns.n_rows, self)
        existing = existing_rows(sample_weight, columns.n_rows)
        weights = existing.weight
        classes, self.classes_ = target.codes, target.classes
        if existing.rows is not None:
            columns = read_cells(take(X, rows=existing.rows))
            found, classes = np.unique(existing.of(classes), return_inverse=True)
            self.classes_ = self.classes_[found]
        self._coder = TableCoder(self.discretizer, self.discrete_features)
        codes = np.column_stack([self._coder.fit(columns, classes, weights), classes])
        names = self._names(columns)
        self.class_name_ = names[-1]
        states = [*self._coder.states, [_state_name(label) for label in self.classes_]]
        n_levels = [len(each) for each in states]
        of_graphs, of_starts = child_seeds(self.random_state, 2)
        if self.structure in ("all", "controls"):
            parents = self._learned(codes, n_levels, weights, of_graphs)
        else:
            parents = self._given(names)
        observed = codes.copy()
        if self.structure == "hidden":
            observed[:, -1] = -1
        self._graph = Graph(parents, n_levels)
        fitted = fit_tables(
            self._graph, observed, weights=weights, smoothing=self.smoothing,
            n_starts=self.n_starts, rng=np.random.default_rng(of_starts),
        )  # fmt: skip
        self.log_likelihood_path_ = np.array(fitted.path)
        self._tables = fitted.tables
        scores = FamilyScores(codes, n_levels, weights)
        last = len(parents) - (self.structure == "hidden")
        self.score_ = sum(
            scores.score(v, tuple(w for w in sorted(parents[v]) if w < last)) for v in range(last)
        )
        self.network_ = BayesianNetwork(
            dict(zip(names, states, strict=True)),
            {names[v]: [names[w] for w in above] for v, above in enumerate(parents)},
            dict(zip(names, self._tables, strict=True)),
        )
        self._label_of_state = self._name_states(codes, weights)
        return self

    def _read(self, X: Any, reset: bool) -> RawColumns:
        refuse_blocks(self, X)
        refuse_sparse(self, X)
        columns = read_cells(X)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if reset and columns.n_rows < 2:
            raise ValueError(
                f"Found array with {columns.n_rows} sample(s) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        return columns

    @staticmethod
    def _names(columns: RawColumns) -> list[str]:
        """Names of the variables, that of the class last."""
        given = columns.names
        names = [f"x{j}" if given is None else str(given[j]) for j in range(columns.n_features)]
        last = "class"
        while last in names:
            last += "_"
        return [*names, last]

    def _learned(
        self, codes: np.ndarray, n_levels: Sequence[int], weights: np.ndarray | None,
        seed: np.random.SeedSequence,
    ) -> Parents:  # fmt: skip
        """The averaged graph of the bootstraps."""
        last = codes.shape[1] - 1
        if self.structure == "controls":
            which = self.classes_[0] if self.controls is None else self.controls
            rows = np.flatnonzero(self.classes_[codes[:, last]] == which)
            if not rows.size:
                raise ValueError(
                    f"controls must be one of the classes {self.classes_.tolist()}; got "
                    f"{self.controls!r}."
                )
            codes, n_levels = codes[rows, :last], n_levels[:last]
            weights = None if weights is None else weights[rows]
        averaged = average_bootstraps(
            codes, n_levels, seed.spawn(self.n_bootstrap), weights=weights, search=self.search,
            n_operations=self.n_operations, max_parents=self.max_parents, averaging=self.averaging,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        self.edge_probabilities_ = averaged.probabilities
        parents = graph_of_arcs(averaged.probabilities, self.threshold)
        if self.structure == "controls":
            return [*((*above, last) for above in parents), ()]
        return parents

    def _given(self, names: Sequence[str]) -> Parents:
        """The graph of the given arcs."""
        last = len(names) - 1
        if self.edges is None:
            return [*((last,) for _ in range(last)), ()]
        parents: list[list[int]] = [[] for _ in names]
        for edge in self.edges:
            a, b = (_find(end, names, edge) for end in _ends(edge))
            if a not in parents[b]:
                parents[b].append(a)
        if cycle := _graphs.find_cycle(parents):
            path = " -> ".join(names[node] for node in cycle)
            raise ValueError(f"edges must not close a cycle; got {path}.")
        return [tuple(sorted(above)) for above in parents]

    def _name_states(self, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """The class of each state of the class node: its own, or for "hidden" the commonest."""
        n = len(self.classes_)
        if self.structure != "hidden":
            return np.arange(n)
        state = posterior(self._graph, self._tables, codes, codes.shape[1] - 1).argmax(axis=1)
        counts = np.zeros((n, n))
        np.add.at(counts, (state, codes[:, -1]), 1.0 if weights is None else weights)
        overall = np.bincount(codes[:, -1], weights, minlength=n)
        counts[counts.sum(axis=1) == 0] = overall
        return counts.argmax(axis=1)

    def predict_proba(self, X):
        """Probability of every class given the known cells of a row.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "network_")
        known = self._coder.transform(self._read(X, reset=False))
        codes = np.column_stack([known, np.full(len(known), -1)])
        by_state = posterior(self._graph, self._tables, codes, codes.shape[1] - 1)
        proba = np.zeros_like(by_state)
        for state, label in enumerate(self._label_of_state):
            proba[:, label] += by_state[:, state]
        return proba

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _state_name(label: Any) -> str:
    return str(label) or "(empty)"


def _ends(edge: Any) -> tuple[Any, Any]:
    if isinstance(edge, str) or len(edge) != 2:
        raise ValueError(f"edges must hold pairs (parent, child); got {edge!r}.")
    return edge[0], edge[1]


def _find(end: Any, names: Sequence[str], edge: Any) -> int:
    """Number of a variable that an arc names."""
    if isinstance(end, Integral) and 0 <= int(end) < len(names) - 1:
        return int(end)
    if isinstance(end, str) and end in names:
        return names.index(end)
    raise ValueError(
        f"edges must hold names or numbers of columns, or {names[-1]!r}; got {tuple(edge)!r}."
    )
