"""Regressors on the subsets of a decomposition."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.base import clone

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import HasMethods, Interval
from ensfs.decomposition.itd import ITDecomposition
from ensfs.ensemble._base import REGRESSION_CONSTRAINTS, SUBSET_DOCS, SubsetRegressor


@with_docs(SUBSET_DOCS)
class DecompositionRegressor(SubsetRegressor):
    """An ensemble of regressors, each on one subset of a decomposition of the columns.

    Parameters
    ----------
    estimator : regressor, optional
        What is fitted on every subset, on all rows; None is a regression tree.
    decomposition : decomposition, optional
        What makes the subsets, for example `ITDecomposition` (the default, for None; it cuts the
        target into three classes), `RandomSubspaceDecomposition` or `PCASubspace`.
    n_per_subset : int, default=1
        Regressors on each subset, with different seeds.
    {weights, random_state, n_jobs, verbose}

    Attributes
    ----------
    {decomposition_}
    estimators_ : list of regressors
        The members, subset after subset. Each takes the columns of its subset; one that sees them
        through a transformer (`PCASubspace`) is a pipeline that begins with it.
    {estimators_features_}
    mean_ : float
        Mean of the target in fit, which is what is predicted when there is no subset.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    DecompositionClassifier : The same for classes.

    Notes
    -----
    Sample weights are handed to the members. A decomposition that counts rows and takes no weights
    sees a row as often as its weight says, so these must be whole numbers then.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ensfs import DecompositionRegressor, RandomSubspaceDecomposition
    >>> X, y = load_diabetes(return_X_y=True)
    >>> subspaces = RandomSubspaceDecomposition(30, 5)
    >>> model = DecompositionRegressor(decomposition=subspaces, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3
    True
    """

    _parameter_constraints: dict = {
        **REGRESSION_CONSTRAINTS,
        "decomposition": [HasMethods(["fit", "transformer"]), None],
        "n_per_subset": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        decomposition=None,
        *,
        n_per_subset=1,
        weights=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.decomposition = decomposition
        self.n_per_subset = n_per_subset
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_decomposition(self) -> Any:
        return ITDecomposition() if self.decomposition is None else clone(self.decomposition)

    def _n_per_subset(self) -> int:
        return self.n_per_subset
