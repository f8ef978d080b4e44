"""Random trees of classes, with a classifier of two sides at each node."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.sklearn import HasMethods, Interval, fit_context
from ensfs.codes._base import (
    CODED_CONSTRAINTS,
    CODED_DOCS,
    CodedClassifier,
    column_tasks,
    fit_columns,
)


def random_tree(n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """Code of a binary tree of classes, all of which are equally likely.

    Each class is inserted at an edge of the tree of those before it, or at its root: there are
    1, 3, 15, 105, ... trees of 2, 3, 4, 5 classes.

    Parameters
    ----------
    n_classes : int
        Number of classes, at least two.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_classes - 1)
        A column for each inner node, the root first: 1 and -1 for its two sides.
    """
    tree: Any = 0
    for c in range(1, n_classes):
        tree = _inserted(tree, c, int(rng.integers(2 * c - 1)))[0]
    columns: list[np.ndarray] = []
    _add_columns(tree, n_classes, columns)
    return np.stack(columns, axis=1)


def _inserted(tree: Any, c: int, place: int) -> tuple[Any, int]:
    """The tree with a class beside the node at a place (in preorder), and the places left."""
    if place == 0:
        return (tree, c), -1
    place -= 1
    if not isinstance(tree, tuple):
        return tree, place
    left, place = _inserted(tree[0], c, place)
    if place < 0:
        return (left, tree[1]), place
    right, place = _inserted(tree[1], c, place)
    return (left, right), place


def _add_columns(tree: Any, n_classes: int, columns: list[np.ndarray]) -> list[int]:
    """Append a column for each inner node, before those below it; gives the classes of the tree."""
    if not isinstance(tree, tuple):
        return [tree]
    column = np.zeros(n_classes, dtype=np.int8)
    columns.append(column)
    left = _add_columns(tree[0], n_classes, columns)
    right = _add_columns(tree[1], n_classes, columns)
    if min(right) < min(left):  # the side of the lowest class is 1
        left, right = right, left
    column[left], column[right] = 1, -1
    return left + right


def tree_probabilities(of_ones: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Products of the probabilities along the way from the root to each class.

    Parameters
    ----------
    of_ones : ndarray of shape (n_rows, n_columns)
        Probability of the side of 1 at each node.
    code : ndarray of shape (n_classes, n_columns)
        Code of the tree.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
    """
    p = np.ones((len(of_ones), len(code)))
    for j in range(code.shape[1]):
        p[:, code[:, j] == 1] *= of_ones[:, j, None]
        p[:, code[:, j] == -1] *= 1.0 - of_ones[:, j, None]
    return p


@with_docs(CODED_DOCS)
class NestedDichotomiesClassifier(CodedClassifier):
    """Ensemble of nested dichotomies: random trees of classes, whose probabilities are averaged.

    At each inner node of a tree a classifier tells the classes on the left from those on the right;
    the probability of a class is the product along its way from the root.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted at each node, with ``predict_proba``; None is a decision tree.
    n_trees : int, default=40
        Trees that are drawn, all of which are equally likely.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    estimators_ : list of list of classifiers
        Those of the nodes of each tree, with 1 for the side of the lowest class.
    code_books_ : list of ndarray of shape (n_classes, n_classes - 1)
        The code of each tree: the two sides of each node, the root first, and 0 for other classes.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ECOCClassifier : With ``design="discriminant"`` one tree, chosen for the data.

    References
    ----------
    E. Frank and S. Kramer (2004), Ensembles of nested dichotomies for multi-class problems, ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import NestedDichotomiesClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = NestedDichotomiesClassifier(n_trees=10, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> len(model.estimators_), len(model.estimators_[0])
    (10, 2)
    """

    _parameter_constraints: dict = {
        **CODED_CONSTRAINTS,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, estimator=None, n_trees=40, *, random_state=None, n_jobs=None, verbose=0):
        self.estimator = estimator
        self.n_trees = n_trees
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Draw the trees and fit a member at each of their nodes.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        values, codes, weight = self._read_rows(X, y, sample_weight)
        of_trees, of_members = child_seeds(self.random_state, 2)
        n_classes, rng = len(self.classes_), np.random.default_rng(of_trees)
        self.code_books_ = [random_tree(n_classes, rng) for _ in range(self.n_trees)]
        seeds = iter(of_members.spawn(self.n_trees * (n_classes - 1)))
        tasks = [
            task
            for code in self.code_books_
            for task in column_tasks(code, codes, [next(seeds) for _ in range(n_classes - 1)])
        ]
        members = iter(fit_columns(self._member(), tasks, values, weight, self.n_jobs))
        self.estimators_ = [[next(members) for _ in range(n_classes - 1)] for _ in self.code_books_]
        return self

    def predict_proba(self, X):
        """Probabilities of the classes: the mean over the trees.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "estimators_")
        _, values = self._read(X, reset=False)
        of_trees = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_tree_opinion)(members, code, values)
            for members, code in zip(self.estimators_, self.code_books_, strict=True)
        )
        return sum(of_trees, np.zeros((len(values), len(self.classes_)))) / self.n_trees

    def _class_scores(self, X: Any) -> np.ndarray:
        return self.predict_proba(X)


def _tree_opinion(members: list, code: np.ndarray, X: np.ndarray) -> np.ndarray:
    of_ones = np.stack([np.asarray(member.predict_proba(X))[:, 1] for member in members], axis=1)
    return tree_probabilities(of_ones, code)
