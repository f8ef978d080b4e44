"""Many classes by a directed acyclic graph of pairs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.pairs import eliminate
from ensfs._utils.sklearn import fit_context
from ensfs.codes._base import (
    CODED_CONSTRAINTS,
    CODED_DOCS,
    CodedClassifier,
    column_outputs,
    column_tasks,
    fit_columns,
)
from ensfs.codes.designs import one_vs_one
from ensfs.fisher.subspace import FisherSubspace
from ensfs.fisher.tipcac import KernelTIPCACClassifier


@with_docs(CODED_DOCS)
class DDAGClassifier(CodedClassifier):
    """Decision directed acyclic graph: pairs of classes, of which each row asks few.

    A classifier for each pair of classes. A row begins with the list of all classes; its first and
    last one are tested and the loser is removed, until one is left.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted for each pair; None is a `KernelTIPCACClassifier`.
    order : array-like of shape (n_classes,), optional
        The classes in the order of the list; None is sorted.
    fisher : bool, default=True
        Whether the pairs see the rows in the `FisherSubspace` of all classes.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each pair in lexicographic order, with 1 for the first class and -1 for the other.
    {code_book_}
    order_ : ndarray of shape (n_classes,)
        The order of the classes.
    subspace_ : FisherSubspace or None
        The projection of the rows.
    n_tests_ : int
        Tests for each row, one less than there are classes.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ECOCClassifier : With ``design="one_vs_one"`` all pairs are asked, and there are probabilities.

    References
    ----------
    J. C. Platt, N. Cristianini and J. Shawe-Taylor (2000), Large margin DAGs for multiclass
    classification, NIPS 12; A. Rozza, G. Lombardi, M. Re, E. Casiraghi and G. Valentini (2010),
    DDAG K-TIPCAC: an ensemble method for protein subcellular localization, SUEMA workshop.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ensfs import DDAGClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = DDAGClassifier().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> len(model.estimators_), model.n_tests_
    (45, 9)
    """

    _default_member = KernelTIPCACClassifier()

    _parameter_constraints: dict = {
        **CODED_CONSTRAINTS,
        "order": ["array-like", None],
        "fisher": ["boolean"],
    }

    def __init__(
        self, estimator=None, *, order=None, fisher=True, random_state=None, n_jobs=None, verbose=0
    ):
        self.estimator = estimator
        self.order = order
        self.fisher = fisher
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Project the rows and fit the pairs.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        values, codes, weight = self._read_rows(X, y, sample_weight)
        n_classes = len(self.classes_)
        places = self._places()
        self.order_ = self.classes_[places]
        self.n_tests_ = n_classes - 1
        of_members, of_subspace = child_seeds(self.random_state, 2)
        self.subspace_ = None
        if self.fisher:
            seed = int(of_subspace.generate_state(1)[0])
            self.subspace_ = FisherSubspace(random_state=seed).fit(values, codes, weight)
            values = self.subspace_.transform(values)
        self.code_book_ = one_vs_one(n_classes)
        seeds = of_members.spawn(self.code_book_.shape[1])
        tasks = column_tasks(self.code_book_, codes, seeds)
        self.estimators_ = fit_columns(self._member(), tasks, values, weight, self.n_jobs)
        return self

    def _places(self) -> np.ndarray:
        """Numbers of the classes in their order."""
        if self.order is None:
            return np.arange(len(self.classes_))
        order = np.asarray(self.order)
        if order.shape != self.classes_.shape or not np.isin(self.classes_, order).all():
            raise ValueError(
                f"order must hold each of the classes {self.classes_.tolist()} once; got "
                f"{self.order!r}."
            )
        return np.searchsorted(self.classes_, order)

    def predict(self, X):
        """The class that is left for each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "estimators_")
        return self.classes_[self._eliminated(X)[0]]

    def _eliminated(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The class that is left for each row, and the tests that it took."""
        _, values = self._read(X, reset=False)
        if self.subspace_ is not None:
            values = self.subspace_.transform(values)
        pairs = {pair: i for i, pair in enumerate(combinations(range(len(self.classes_)), 2))}

        def loses(a: int, b: int, rows: np.ndarray) -> np.ndarray:
            return column_outputs([self.estimators_[pairs[a, b]]], values[rows])[:, 0] < 0

        return eliminate(loses, np.searchsorted(self.classes_, self.order_), len(values))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.fisher:
            tags.input_tags.allow_nan = False
            tags.input_tags.string = False
            tags.input_tags.categorical = False
        return tags
