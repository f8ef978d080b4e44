"""Principal components as one subset that all members see."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import Interval, fit_context
from ensfs._utils.warn import warn_user
from ensfs.decomposition._base import DECOMPOSITION_DOCS, BaseDecomposition


@with_docs(DECOMPOSITION_DOCS)
class PCASubspace(BaseDecomposition):
    """One subset of all columns, seen through its principal components.

    The rival of decompositions: with ``DecompositionClassifier(..., n_per_subset=n)`` an ensemble
    of ``n`` classifiers that differ by their seeds alone.

    Parameters
    ----------
    n_components : int or float, optional
        How many components, or the share of the variance that they keep; None keeps all.
    {exclude}
    random_state : int or RandomState instance, optional
        For the solver, where that is random.

    Attributes
    ----------
    subsets_ : list of ndarray
        One subset, all columns but those that are excluded.
    n_subsets_ : int
        1.
    pca_ : PCA
        The components; columns are centred and not scaled.
    {n_features_in_, feature_names_in_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensfs import DecompositionClassifier, PCASubspace
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecompositionClassifier(decomposition=PCASubspace(2), n_per_subset=3)
    >>> len(model.fit(X, y).estimators_)
    3
    """

    _inside = "part of every component"
    _parameter_constraints: dict = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        "exclude": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(self, n_components=None, *, exclude=None, random_state=None):
        self.n_components = n_components
        self.exclude = exclude
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the components.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numeric columns.
        y : array-like of shape (n_samples,), optional
            Not used.

        Returns
        -------
        self : PCASubspace
            The fitted decomposition.
        """
        table = self._read_in_memory(X, y, 1).table
        table.check_finite()
        values = table.continuous(instead="Encode it")
        # the solvers add squares of centred values, which may be twice as large, in this type
        largest = max(values.max(), -values.min())
        if largest > np.sqrt(np.finfo(values.dtype).max / values.size) / 2:
            raise ValueError(
                f"The squares of some values are too large for {values.dtype}. Scale the columns "
                "first."
            )
        constant = bool(table.hold_one_value(np.arange(table.n_features)).all())
        if constant:
            warn_user("All columns are constant: their principal components are 0 in every row.")
        with np.errstate(invalid="ignore"):  # shares of no variance
            self.pca_ = PCA(self.n_components, random_state=self.random_state).fit(values)
        if not constant and not self.pca_.explained_variance_.any():
            raise ValueError(
                f"The values differ by so little that their squares vanish in {values.dtype}. "
                "Scale the columns first, or subtract a value near their means."
            )
        self._keep_subsets([np.arange(table.n_features)])
        return self

    def transformer(self, subset: int) -> Any:
        """The components."""
        check_is_fitted(self, "pca_")
        return self.pca_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        return tags
