"""Decision trees with reduced-error pruning."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.sklearn import Interval, fit_context
from ensfs.ensemble._reading import TableEnsemble, read_weights

#: Parameters and attributes of both trees.
TREE_DOCS = COMMON_DOCS | read_descriptions("""
prune_size : float, default=0.3333333333333333
    Share of the distinct rows that prune the tree; the others grow it. Equal rows stay together.
backfit : bool, default=True
    Whether all rows, and not only those that grew the tree, give the leaves their values.
max_depth : int, optional
    Depth at most; None is as deep as it gets.
min_samples_leaf : int, default=1
    Rows in a leaf at least, while the tree grows.
random_state : int, RandomState instance or Generator, optional
    Divides the rows, and breaks ties between splits.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows; rows of weight 0 are left out.
tree_ : sklearn.tree._tree.Tree
    The tree before pruning.
collapsed_ : ndarray of bool, shape (n_nodes,)
    Which nodes of `tree_` became leaves by pruning.
n_leaves_ : int
    Leaves after pruning.
""")

#: Errors that differ by less, as a share of all, are equal; the smaller tree wins.
_TIED = 1e-12


class _ReducedErrorTree(TableEnsemble):
    """A tree that is grown on some rows and pruned on the others."""

    estimator = None  # what reads tables for ensembles of trees reads them for a tree
    _min_rows = 1  # a part of the rows that an oracle makes may be one
    _parameter_constraints: dict = {
        "prune_size": [Interval(Real, 0, 1, closed="neither")],
        "backfit": ["boolean"],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self, *, prune_size=1 / 3, backfit=True, max_depth=None, min_samples_leaf=1,
        random_state=None,
    ):  # fmt: skip
        self.prune_size = prune_size
        self.backfit = backfit
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _fit_tree(self, grower: Any, values: np.ndarray, y: np.ndarray, sample_weight: Any) -> None:
        """Grow, prune, and give the leaves their values; `y` holds numbers or class numbers."""
        values = values.astype(np.float64)
        weights = np.ones(len(y)) if sample_weight is None else read_weights(sample_weight, len(y))
        rows = np.nonzero(weights)[0]
        values, y, weights = values[rows], y[rows], weights[rows]
        of_rows, of_tree = child_seeds(self.random_state, 2)
        prunes = self._pruning_rows(values, y, np.random.default_rng(of_rows))
        grower.set_params(
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=int(of_tree.generate_state(1)[0] >> 1),
        )
        grower.fit(values[~prunes], y[~prunes], sample_weight=weights[~prunes])
        self._grower, self.tree_ = grower, grower.tree_
        errors = self._node_errors(values[prunes], y[prunes], weights[prunes])
        self.collapsed_ = _collapsed(self.tree_, errors)
        self._leaf_of = _leaves(self.tree_, self.collapsed_)
        self.n_leaves_ = int(np.unique(self._leaf_of[self.tree_.children_left < 0]).size)
        fitted = np.ones(len(y), dtype=bool) if self.backfit else ~prunes
        leaf = self._leaf_of[grower.apply(values[fitted])]
        self._set_values(leaf, y[fitted], weights[fitted])

    def _pruning_rows(self, values: np.ndarray, y: np.ndarray, rng: Any) -> np.ndarray:
        """Which rows prune: a share of the distinct ones, so that repeated rows change nothing."""
        missing = np.isnan(values)
        table = np.column_stack([np.where(missing, 0.0, values), missing, y])
        distinct, which = np.unique(table, axis=0, return_inverse=True)
        n = min(len(distinct) - 1, max(1, round(self.prune_size * len(distinct))))
        chosen = np.zeros(len(distinct), dtype=bool)
        chosen[rng.permutation(len(distinct))[:n]] = True
        return chosen[which.ravel()]

    def _node_errors(self, values: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Error of every node on the rows that reach it, with the value that it was grown with."""
        if not len(values):
            return np.zeros(self.tree_.node_count)
        path = self._grower.decision_path(values).tocoo()
        costs = weights[path.row] * self._costs(path.col, y[path.row])
        return np.bincount(path.col, weights=costs, minlength=self.tree_.node_count)

    def _leaf(self, X: Any) -> np.ndarray:
        """The leaf of each row, after pruning."""
        check_is_fitted(self, "tree_")
        _, values = self._read(X, reset=False)
        return self._leaf_of[self._grower.apply(values.astype(np.float64))]

    def _sums(self, leaf: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Sum of weights in each node; 1 where there are none, to divide by."""
        sums = np.bincount(leaf, weights=weights, minlength=self.tree_.node_count)
        return np.where(sums > 0, sums, 1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@with_docs(TREE_DOCS)
class ReducedErrorTreeRegressor(RegressorMixin, _ReducedErrorTree):
    """A regression tree with reduced-error pruning.

    The tree is grown on a part of the rows. Then, from the leaves upwards, a node becomes a leaf if
    the rows of the other part are predicted by it as well as by the subtree below it.

    Parameters
    ----------
    {prune_size, backfit, max_depth, min_samples_leaf, random_state}

    Attributes
    ----------
    {tree_, collapsed_, n_leaves_, n_features_in_, feature_names_in_}

    See Also
    --------
    sklearn.tree.DecisionTreeRegressor : Prunes by cost complexity (`ccp_alpha`).

    References
    ----------
    J. R. Quinlan (1987), Simplifying decision trees, International Journal of Man-Machine Studies
    27, 221-234.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ensfs import ReducedErrorTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = ReducedErrorTreeRegressor(random_state=0).fit(X[::2], y[::2])
    >>> int(tree.tree_.n_leaves), tree.n_leaves_
    (143, 5)
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Grow the tree and prune it.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Numbers.
        {sample_weight}

        Returns
        -------
        self : ReducedErrorTreeRegressor
            The fitted tree.
        """
        _, values = self._read(X, reset=True)
        numbers = self._read_numbers(y, len(values))
        self._fit_tree(DecisionTreeRegressor(), values, numbers, sample_weight)
        return self

    def _costs(self, nodes: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (y - self.tree_.value[nodes, 0, 0]) ** 2

    def _set_values(self, leaf: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
        totals = np.bincount(leaf, weights=weights * y, minlength=self.tree_.node_count)
        self._values = totals / self._sums(leaf, weights)

    def predict(self, X):
        """Mean of the leaf of each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers.
        """
        leaf = self._leaf(X)
        return self._values[leaf]


@with_docs(TREE_DOCS)
class ReducedErrorTreeClassifier(ClassifierMixin, _ReducedErrorTree):
    """A decision tree with reduced-error pruning.

    The tree is grown on a part of the rows. Then, from the leaves upwards, a node becomes a leaf if
    it gets no more rows of the other part wrong than the subtree below it.

    Parameters
    ----------
    {prune_size, backfit, max_depth, min_samples_leaf, random_state}

    Attributes
    ----------
    {tree_, collapsed_, n_leaves_}
    classes_ : ndarray of shape (n_classes,)
        The classes.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    sklearn.tree.DecisionTreeClassifier : Prunes by cost complexity (`ccp_alpha`).

    References
    ----------
    J. R. Quinlan (1987), Simplifying decision trees, International Journal of Man-Machine Studies
    27, 221-234.

    Examples
    --------
    >>> from ensfs import ReducedErrorTreeClassifier
    >>> from ensfs.datasets import make_norms
    >>> tree = ReducedErrorTreeClassifier(random_state=0).fit(*make_norms(random_state=0))
    >>> int(tree.tree_.n_leaves), tree.n_leaves_
    (18, 8)
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Grow the tree and prune it.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.
        {sample_weight}

        Returns
        -------
        self : ReducedErrorTreeClassifier
            The fitted tree.
        """
        _, values = self._read(X, reset=True)
        n_rows = len(values)
        labels = self._read_labels(y, n_rows)
        kept = np.ones(n_rows, dtype=bool)
        if sample_weight is not None:
            kept = read_weights(sample_weight, n_rows) > 0
        self.classes_ = np.unique(labels[kept])
        codes = np.searchsorted(self.classes_, labels).astype(np.float64)
        codes[~kept] = 0.0  # rows that are left out may have other classes
        self._fit_tree(DecisionTreeClassifier(), values, codes, sample_weight)
        return self

    def _costs(self, nodes: np.ndarray, y: np.ndarray) -> np.ndarray:
        usual = self._grower.classes_[self.tree_.value[:, 0, :].argmax(axis=1)]
        return (y != usual[nodes]).astype(np.float64)

    def _set_values(self, leaf: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
        n_nodes = self.tree_.node_count
        totals = [
            np.bincount(leaf, weights=weights * (y == k), minlength=n_nodes)
            for k in range(self.classes_.size)
        ]
        self._values = np.stack(totals, axis=1) / self._sums(leaf, weights)[:, None]

    def predict_proba(self, X):
        """Shares of the classes in the leaf of each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`.
        """
        leaf = self._leaf(X)
        return self._values[leaf]

    def predict(self, X):
        """Most frequent class of the leaf of each row; the first of equally frequent ones.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "tree_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _collapsed(tree: Any, errors: np.ndarray) -> np.ndarray:
    """Which inner nodes become leaves: those that err no more than the subtree below them."""
    below, own = errors.tolist(), errors.tolist()
    collapsed = np.zeros(tree.node_count, dtype=bool)
    tied = _TIED * (1.0 + own[0])
    lefts, rights = tree.children_left.tolist(), tree.children_right.tolist()
    for node in range(tree.node_count - 1, -1, -1):  # children come after their parents
        if lefts[node] < 0:
            continue
        subtree = below[lefts[node]] + below[rights[node]]
        collapsed[node] = own[node] <= subtree + tied
        below[node] = own[node] if collapsed[node] else subtree
    return collapsed


def _leaves(tree: Any, collapsed: np.ndarray) -> np.ndarray:
    """The node that each node ends in: its highest collapsed ancestor, or itself."""
    ends, ended = list(range(tree.node_count)), collapsed.tolist()
    lefts, rights = tree.children_left.tolist(), tree.children_right.tolist()
    for node, (left, right) in enumerate(zip(lefts, rights, strict=True)):
        if left >= 0 and (ended[node] or ends[node] != node):
            ends[left] = ends[right] = ends[node]
    return np.array(ends)
