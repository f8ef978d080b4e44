"""The space between the means of classes, in a whitened space."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from scipy.linalg import qr
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.sklearn import Interval, StrOptions, fit_context
from ensfs.fisher._base import FISHER_DOCS, read_rows
from ensfs.fisher.whitening import whiten
from ensfs.training.numbers import read_numbers

#: Directions shorter than this share of the longest are rounding.
_LEAST = 1e-10


@with_docs(FISHER_DOCS)
class FisherSubspace(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Fewer columns than classes: the space that the whitened means of the classes span.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Principal components that are made isotropic first; "auto" is log2 of the number of rows,
        squared and rounded down.
    random_state : int, RandomState instance or Generator, optional
        For the decomposition of large tables (more than 500 rows and columns), which is random.

    Attributes
    ----------
    components_ : ndarray of shape (n_directions, n_features)
        The new columns: at most one less than there are classes, and at least one.
    mean_ : ndarray of shape (n_features,)
        What is subtracted first.
    whitening_ : Whitening
        Thin factors of the whitening: `basis` and `singular_values`.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    DDAGClassifier : Pairs of classes in this space.

    References
    ----------
    A. Rozza, G. Lombardi, M. Re, E. Casiraghi and G. Valentini (2010), DDAG K-TIPCAC: an ensemble
    method for protein subcellular localization, SUEMA workshop.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import FisherSubspace
    >>> X, y = load_wine(return_X_y=True)
    >>> FisherSubspace().fit_transform(X, y).shape
    (178, 2)
    """

    _parameter_constraints: dict = {
        "n_components": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(self, *, n_components="auto", random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Whiten the rows and find the space of the means.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted transformer.
        """
        values, codes, weight = read_rows(self, X, y, sample_weight)
        (seed,) = child_seeds(self.random_state, 1)
        rng = check_random_state(int(seed.generate_state(1)[0]))
        self.whitening_ = whiten(values, self.n_components, rng, weight)
        self.mean_ = self.whitening_.mean
        means = [
            np.average(values[codes == c], axis=0, weights=weight[codes == c])
            for c in range(len(self.classes_))
        ]
        whitened = self.whitening_.apply(np.array(means) - self.mean_)
        directions, size, _ = qr(whitened.T, mode="economic", pivoting=True)
        length = np.abs(np.diag(size))
        used = length > _LEAST * max(length[0], np.finfo(np.float64).tiny)
        used[len(self.classes_) - 1 :] = False  # centred means span one direction less
        used[0] = True  # there must be a column
        self.components_ = self.whitening_.apply(_oriented(directions.T[used]))
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X):
        """Project rows.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_directions)
        """
        check_is_fitted(self, "components_")
        return (read_numbers(self, X, reset=False) - self.mean_) @ self.components_.T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _oriented(directions: np.ndarray) -> np.ndarray:
    """Each direction with the sign that makes its largest entry positive."""
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return directions * np.where(signs == 0, 1.0, signs)[:, None]
