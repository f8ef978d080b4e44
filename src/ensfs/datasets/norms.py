"""Breiman's normal classes, and how many errors no classifier can avoid on them."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.stats import ncx2, norm
from sklearn.utils import check_random_state

from ensfs._utils.checks import check_integer

__all__ = ["make_norms", "norms_bayes_error"]

#: Distance of the centres from the origin, in standard deviations.
_DISTANCES = {"two": 2.0, "three": 2.0, "ring": 1.0}


def make_norms(
    n_samples: int = 300,
    n_features: int = 20,
    *,
    kind: str = "two",
    a: float | None = None,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Make two classes of normal points whose Bayes error is known: twonorm, threenorm, ringnorm.

    With :math:`\mathbf 1` the vector of ones and the identity as covariance unless said otherwise:

    - "two": centres :math:`a \mathbf 1` and :math:`-a \mathbf 1`;
    - "three": class 0 is a mixture of both, half and half, class 1 has its centre at
      :math:`a (1, -1, 1, -1, \ldots)`;
    - "ring": class 0 has its centre at 0 and the covariance :math:`4 I`, class 1 its centre at
      :math:`a \mathbf 1`.

    Parameters
    ----------
    n_samples : int, default=300
        Rows.
    n_features : int, default=20
        Columns, at least 2.
    kind : {"two", "three", "ring"}, default="two"
        Which of the three.
    a : float, optional
        Above 0. None is :math:`2 / \sqrt{d}` for :math:`d` columns, and :math:`1 / \sqrt{d}` for
        the ring; Breiman's ring has :math:`2 / \sqrt{d}`.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The table.
    y : ndarray of shape (n_samples,)
        Classes 0 and 1, equally probable.

    See Also
    --------
    norms_bayes_error : The least error that is possible.

    References
    ----------
    L. Breiman (1998), Arcing classifiers, Annals of Statistics 26, 801-849.

    Examples
    --------
    >>> from ensfs.datasets import make_norms, norms_bayes_error
    >>> X, y = make_norms(kind="ring", random_state=0)
    >>> X.shape, round(norms_bayes_error(kind="ring"), 4)
    ((300, 20), 0.015)
    """
    check_integer("n_samples", n_samples, 1)
    a = _distance(kind, n_features, a)
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples)
    X = rng.standard_normal((n_samples, n_features))
    sign = np.where(y == 0, 1.0, -1.0)
    if kind == "two":
        X += (a * sign)[:, None]
    elif kind == "three":
        side = np.where(rng.randint(2, size=n_samples) == 0, a, -a)
        alternating = a * (-1.0) ** np.arange(n_features)
        X += np.where(y[:, None] == 0, side[:, None], alternating)
    else:
        X = np.where(y[:, None] == 0, 2 * X, X + a)
    return X, y


def norms_bayes_error(n_features: int = 20, *, kind: str = "two", a: float | None = None) -> float:
    """Share of errors that the best classifier makes on `make_norms`.

    Parameters
    ----------
    n_features : int, default=20
        Columns.
    kind : {"two", "three", "ring"}, default="two"
        Which of the three.
    a : float, optional
        As in `make_norms`.

    Returns
    -------
    float
        Exact but for rounding and, for "three", an integral with an error below 1e-9.

    See Also
    --------
    make_norms : The data.

    Examples
    --------
    >>> from ensfs.datasets import norms_bayes_error
    >>> round(norms_bayes_error(kind="two"), 6), round(norms_bayes_error(kind="three"), 4)
    (0.02275, 0.1046)
    """
    a = _distance(kind, n_features, a)
    d = n_features
    if kind == "two":
        return float(norm.cdf(-a * math.sqrt(d)))
    return _ring_error(d, a) if kind == "ring" else _three_error(d, a)


def _ring_error(d: int, a: float) -> float:
    """The border is a sphere around 4/3 of the centre of class 1."""
    radius = (8 / 3) * (d * math.log(2) + a**2 * d / 6)
    wide_inside = ncx2.cdf(radius / 4, d, 4 / 9 * a**2 * d)
    narrow_outside = ncx2.sf(radius, d, a**2 * d / 9)
    return float((wide_inside + narrow_outside) / 2)


def _three_error(d: int, a: float) -> float:
    """The border depends on u and v alone, the sums of the columns at even and at odd places.

    Class 0 is more probable where cosh(a (u + v)) > exp(a (u - v)), that is where
    exp(2 a v) > 2 - exp(-2 a u).
    """
    n_u, n_v = (d + 1) // 2, d // 2

    def border(u: float) -> float:
        inside = 2 - math.exp(-2 * a * u) if a * u > -350 else -math.inf
        return math.log(inside) / (2 * a) if inside > 0 else -math.inf

    def error(u: float) -> float:
        edge = border(u)

        def below(mean_u: float, mean_v: float) -> tuple[float, float]:
            density = norm.pdf(u, mean_u * n_u, math.sqrt(n_u))
            return density, norm.cdf(edge, mean_v * n_v, math.sqrt(n_v))

        wrong = 0.0
        for sign in (a, -a):  # class 0, taken for class 1 below the border
            density, share = below(sign, sign)
            wrong += density * share / 2
        density, share = below(a, -a)
        return (wrong + density * (1 - share)) / 2

    reach = a * n_u + 12 * math.sqrt(n_u)
    always = -math.log(2) / (2 * a)  # left of it class 0 is always more probable
    value, _ = quad(error, always, reach, epsabs=1e-12, epsrel=1e-12, limit=400)
    left = norm.cdf(always, a * n_u, math.sqrt(n_u)) / 2
    return float(value + left)


def _distance(kind: Any, n_features: Any, a: Any) -> float:
    """The parameter a, checked."""
    if kind not in _DISTANCES:
        raise ValueError(f"kind must be 'two', 'three' or 'ring'; got {kind!r}.")
    check_integer("n_features", n_features, 2)
    if a is None:
        return _DISTANCES[kind] / math.sqrt(n_features)
    if not isinstance(a, Real) or not 0 < float(a) < math.inf:
        raise ValueError(f"The parameter a must be a number above 0; got {a!r}.")
    return float(a)
