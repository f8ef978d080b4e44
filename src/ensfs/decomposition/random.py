"""Random decompositions: a partition, and subspaces that may overlap."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.sklearn import Interval, fit_context
from ensfs.decomposition._base import DECOMPOSITION_DOCS, BaseDecomposition
from ensfs.training.estimator import CHOICE_CONSTRAINTS


@with_docs(DECOMPOSITION_DOCS)
class _RandomDecomposition(BaseDecomposition):
    """Looks at the number of columns and at nothing else."""

    _counts_rows = False
    _parameter_constraints: dict = {
        "n_subsets": [Interval(Integral, 1, None, closed="left")],
        **CHOICE_CONSTRAINTS,
        "random_state": ["random_state", np.random.Generator],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Draw the subsets.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,), optional
            Not used.

        Returns
        -------
        self : object
            The fitted decomposition.
        """
        self._draw(self._read_rows(X, y, 1).n_features)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.sparse = True
        return tags

    @property
    def allows_missing(self) -> bool:
        """Cells are not looked at."""
        return True


@with_docs(DECOMPOSITION_DOCS)
class RandomPartitionDecomposition(_RandomDecomposition):
    """Random disjoint subsets of all columns, as equal in size as can be (CERP).

    Parameters
    ----------
    n_subsets : int, default=10
        Number of subsets; 1 is all columns, in random order. More than columns: one for each
        column, with a warning.
    {include, exclude}
    random_state : int, RandomState instance or Generator, optional
        For the permutation of the columns.

    Attributes
    ----------
    subsets_ : list of ndarray
        Columns of each subset: consecutive blocks of the permutation, the larger ones first.
    {n_subsets_, n_features_in_, feature_names_in_}

    References
    ----------
    H. Ahn and others (2007), Classification by ensembles from random partitions of high-dimensional
    data, Computational Statistics and Data Analysis 51, 6166-6179.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import RandomPartitionDecomposition
    >>> X = np.zeros((4, 5))
    >>> [s.size for s in RandomPartitionDecomposition(3, random_state=0).fit(X).subsets_]
    [2, 2, 1]
    """

    def __init__(self, n_subsets=10, *, include=None, exclude=None, random_state=None):
        self.n_subsets = n_subsets
        self.include = include
        self.exclude = exclude
        self.random_state = random_state

    def _draw(self, n_features: int) -> None:
        rng = np.random.default_rng(child_seeds(self.random_state, 1)[0])
        n_subsets = min(self.n_subsets, n_features)
        self._keep_subsets(np.array_split(rng.permutation(n_features), n_subsets))
        self._warn_fewer(f"there are {n_features} column(s)")


@with_docs(DECOMPOSITION_DOCS)
class RandomSubspaceDecomposition(_RandomDecomposition):
    """Random subsets that may overlap, each without repetition (random subspace method).

    Parameters
    ----------
    n_subsets : int, default=10
        Number of subsets.
    n_features_per_subset : int or float, default=0.5
        Columns of each subset; a float in (0, 1] is a share of all columns, rounded up.
    {include, exclude}
    random_state : int, RandomState instance or Generator, optional
        For the draws; each subset has its own seed, so more subsets do not change the first ones.

    Attributes
    ----------
    subsets_ : list of ndarray
        Columns of each subset, sorted.
    {n_subsets_, n_features_in_, feature_names_in_}

    References
    ----------
    T. K. Ho (1998), The random subspace method for constructing decision forests, IEEE Transactions
    on Pattern Analysis and Machine Intelligence 20, 832-844.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import RandomSubspaceDecomposition
    >>> X = np.zeros((4, 5))
    >>> [s.size for s in RandomSubspaceDecomposition(3, random_state=0).fit(X).subsets_]
    [3, 3, 3]
    """

    _parameter_constraints: dict = {
        **_RandomDecomposition._parameter_constraints,
        "n_features_per_subset": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
    }

    def __init__(
        self,
        n_subsets=10,
        n_features_per_subset=0.5,
        *,
        include=None,
        exclude=None,
        random_state=None,
    ):
        self.n_subsets = n_subsets
        self.n_features_per_subset = n_features_per_subset
        self.include = include
        self.exclude = exclude
        self.random_state = random_state

    def _draw(self, n_features: int) -> None:
        size = self.n_features_per_subset
        if isinstance(size, Integral):
            size = int(size)
        else:
            size = max(1, math.ceil(round(size * n_features, 9)))  # 0.1 * 30 is a bit above 3
        if size > n_features:
            raise ValueError(
                f"n_features_per_subset={size} exceeds the {n_features} column(s) of X."
            )
        seeds = child_seeds(self.random_state, self.n_subsets)
        self._keep_subsets(
            [
                np.sort(np.random.default_rng(seed).choice(n_features, size, replace=False))
                for seed in seeds
            ]
        )
