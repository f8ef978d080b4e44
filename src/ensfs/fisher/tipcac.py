"""Truncated isotropic principal component classifiers, with and without a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from ensfs._utils.docs import with_docs
from ensfs._utils.exponents import brought_down, exponents
from ensfs._utils.sklearn import Interval, StrOptions
from ensfs.fisher._base import FISHER_DOCS, FisherClassifier
from ensfs.fisher.whitening import whiten


@with_docs(FISHER_DOCS)
class TIPCACClassifier(FisherClassifier):
    """Truncated isotropic principal component analysis: Fisher's direction in a whitened space.

    The largest principal components get the variance of the least of them, the rest stays as it
    is: fewer numbers are estimated than a covariance matrix has, so that it works with more columns
    than rows. The direction joins the means of the two classes there.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Components that are made isotropic; "auto" is log2 of the number of rows, squared and
        rounded down. There are never more than there are columns or rows.
    {threshold}
    random_state : int, RandomState instance or Generator, optional
        For the decomposition of large tables (more than 500 rows and columns), which is random.

    Attributes
    ----------
    components_ : ndarray of shape (n_pairs, n_features)
        The direction of each pair of classes, in lexicographic order; of two classes, one.
    mean_ : ndarray of shape (n_pairs, n_features)
        Mean of the rows of each pair.
    whitening_ : list of Whitening
        Thin factors of the whitening of each pair: `basis` and `singular_values`.
    {threshold_, threshold_rule_, classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    KernelTIPCACClassifier : The same in the space of a kernel.
    DDAGClassifier : Many classes by pairs, with any classifier.

    Notes
    -----
    Several classes are told apart in pairs: of those that are left, the first meets the last, and
    the loser is removed.

    References
    ----------
    A. Rozza, G. Lombardi, M. Re, E. Casiraghi and G. Valentini (2010), DDAG K-TIPCAC: an ensemble
    method for protein subcellular localization, SUEMA workshop.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import TIPCACClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TIPCACClassifier().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.93
    True
    >>> model.components_.shape, model.whitening_[0].singular_values.size
    ((1, 30), 30)
    """

    _parameter_constraints: dict = {
        "n_components": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "threshold": [StrOptions({"mean", "middle"})],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(self, *, n_components="auto", threshold="mean", random_state=None):
        self.n_components = n_components
        self.threshold = threshold
        self.random_state = random_state

    def _direction(self, X: np.ndarray, is_first: np.ndarray, weight: np.ndarray, rng: Any) -> Any:
        whitening = whiten(X, self.n_components, rng, weight)
        means = [
            np.average(X[side], axis=0, weights=weight[side]) for side in (is_first, ~is_first)
        ]
        step = whitening.apply(means[0] - means[1])
        step = brought_down(step, exponents(step))  # its length is neither infinite nor 0
        length = np.linalg.norm(step)
        return whitening, whitening.apply(step / length if length else step)

    def _place(self, direction: Any, X: np.ndarray) -> np.ndarray:
        whitening, vector = direction
        return (X - whitening.mean) @ vector

    @property
    def components_(self) -> np.ndarray:
        """The direction of each pair of classes."""
        return np.array([vector for _, vector in self._directions])

    @property
    def mean_(self) -> np.ndarray:
        """Mean of the rows of each pair."""
        return np.array([whitening.mean for whitening, _ in self._directions])

    @property
    def whitening_(self) -> list:
        """Thin factors of the whitening of each pair."""
        return [whitening for whitening, _ in self._directions]


@dataclass
class _KernelDirection:
    """The kernel, training rows of a pair with their shares and means, and a coefficient for each.

    In the space of the kernel, the mean of the rows is the origin.
    """

    kernel: tuple[Any, float]
    rows: np.ndarray
    shares: np.ndarray
    row_means: np.ndarray
    coefficients: np.ndarray

    def centred(self, kernel: np.ndarray) -> np.ndarray:
        """The kernel of other rows with these, after the mean of these is subtracted from all."""
        own = (kernel @ self.shares)[:, None]
        return kernel - own - self.row_means + self.row_means @ self.shares


@with_docs(FISHER_DOCS)
class KernelTIPCACClassifier(FisherClassifier):
    """Truncated isotropic principal component analysis in the space of a kernel.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A kernel of scikit-learn's `pairwise_kernels`.
    gamma : float, default=0.0078125
        Of the kernels that have it; 1 / 128 is the published width, 8.
    variance : float, default=0.955
        Share of the variance that the components which are made isotropic have at least.
    tail : {"one", "last"}, default="one"
        What the other eigenvalues become: 1, as published, or the least one that is kept.
    {threshold}

    Attributes
    ----------
    dual_coef_ : list of ndarray
        Weight of each training row in the direction of a pair of classes.
    {threshold_, threshold_rule_, classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    TIPCACClassifier : Without a kernel.
    DDAGClassifier : What the paper makes of these, behind a common projection.

    References
    ----------
    A. Rozza, G. Lombardi, M. Re, E. Casiraghi and G. Valentini (2010), DDAG K-TIPCAC: an ensemble
    method for protein subcellular localization, SUEMA workshop.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from ensfs import KernelTIPCACClassifier
    >>> X, y = make_circles(200, noise=0.1, factor=0.4, random_state=0)
    >>> model = KernelTIPCACClassifier(gamma=1.0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    """

    _parameter_constraints: dict = {
        "kernel": [str, callable],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "variance": [Interval(Real, 0, 1, closed="right")],
        "tail": [StrOptions({"one", "last"})],
        "threshold": [StrOptions({"mean", "middle"})],
    }

    def __init__(
        self, *, kernel="rbf", gamma=1 / 128, variance=0.955, tail="one", threshold="mean"
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.variance = variance
        self.tail = tail
        self.threshold = threshold

    def _direction(self, X: np.ndarray, is_first: np.ndarray, weight: np.ndarray, rng: Any) -> Any:
        kernel, shares = _kernel_of(X, X, self.kernel, self.gamma), weight / weight.sum()
        direction = _KernelDirection((self.kernel, self.gamma), X, shares, kernel @ shares, shares)
        # w copies of a row have the eigenvectors of one row of length sqrt(w), divided by sqrt(w)
        root = np.sqrt(weight)
        eigenvalues, vectors = eigh(root[:, None] * direction.centred(kernel) * root)
        scale = kept_eigenvalues(eigenvalues[::-1], self.variance, self.tail)[::-1]
        n_first, n_other = weight[is_first].sum(), weight[~is_first].sum()
        means = root * np.where(is_first, 1.0 / n_first, -1.0 / n_other)
        along = vectors @ ((vectors.T @ means) / scale)
        direction.coefficients = np.sqrt(n_first * n_other) * root * along
        return direction

    def _place(self, direction: Any, X: np.ndarray) -> np.ndarray:
        kernel = _kernel_of(X, direction.rows, *direction.kernel)
        return direction.centred(kernel) @ direction.coefficients

    @property
    def dual_coef_(self) -> list:
        """Weight of each training row in the direction of a pair of classes."""
        return [direction.coefficients for direction in self._directions]


def _kernel_of(X: np.ndarray, Y: np.ndarray, kernel: Any, gamma: float) -> np.ndarray:
    """The kernel of all pairs of rows, which must be finite."""
    if not callable(kernel) and kernel not in PAIRWISE_KERNEL_FUNCTIONS:
        known = sorted(PAIRWISE_KERNEL_FUNCTIONS)
        raise ValueError(f"kernel must be a function or one of {known}; got {kernel!r}.")
    options = {} if callable(kernel) else {"filter_params": True, "gamma": gamma}
    with np.errstate(over="ignore", invalid="ignore"):
        values = pairwise_kernels(X, Y, metric=kernel, **options)
    if not np.isfinite(values).all():
        raise ValueError(
            f"kernel must be finite for all pairs of rows; got infinity or NaN from "
            f"kernel={kernel!r} and cells of up to {np.abs(X).max():.3g}. Scale the columns, for "
            "example with a StandardScaler."
        )
    return values


def kept_eigenvalues(eigenvalues: np.ndarray, share: float, tail: str) -> np.ndarray:
    """Decreasing eigenvalues: the largest up to a share of their sum, and what stands for others.

    Those that are negative or nothing but rounding are never kept.
    """
    positive = np.maximum(eigenvalues, 0.0)
    rounding = positive[0] * len(positive) * np.finfo(np.float64).eps
    n_kept = int((positive.cumsum() < share * positive.sum()).sum()) + 1
    n_kept = min(n_kept, int((positive > rounding).sum()))
    scale = np.ones(len(eigenvalues))
    scale[:n_kept] = eigenvalues[:n_kept]
    if tail == "last" and n_kept:
        scale[n_kept:] = eigenvalues[n_kept - 1]
    return scale
