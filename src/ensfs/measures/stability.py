"""Stability of selections, and the expected number of passes (Schowe and Morik 2010, Eq. 8)."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ensfs._utils.checks import check_integer, check_open_share
from ensfs.data.labels import refuse_missing, refuse_mixed

__all__ = [
    "NogueiraStability",
    "expected_passes",
    "jaccard_stability",
    "nogueira_stability",
]


def jaccard_stability(sets):
    r"""Mean Jaccard index over all pairs of feature sets.

    .. math:: \bar J = \frac{2}{l^2 - l} \sum_{i < j}
              \frac{|F_i \cap F_j|}{|F_i \cup F_j|}

    One when all sets are equal, zero when no two of them meet. The value grows with the share of
    columns that is selected, also for random selections: compare it only between selections of
    the same size from the same table, or use :func:`nogueira_stability`.

    Parameters
    ----------
    sets : list of sequences, 2-D array of column indices, or 2-D boolean array
        One selection per entry or row: column indices (or names), or a mask over the columns.
        Selections given as indices may differ in size.

    Returns
    -------
    float
        Between 0 and 1. Two empty sets count as equal.

    Raises
    ------
    ValueError
        With fewer than two sets, or when a set holds a column twice.

    References
    ----------
    Saeys, Abeel and Van de Peer (2008), Robust feature selection using ensemble feature selection
    techniques; Schowe and Morik (2010), whose printed factor :math:`2/(l^2+l)` is a misprint.

    Examples
    --------
    >>> from ensfs.evaluation import jaccard_stability
    >>> jaccard_stability([[0, 1, 2], [0, 1, 3], [0, 1, 2]])
    0.6666666666666666
    """
    masks = _masks(sets).astype(np.float64)
    shared = masks @ masks.T
    sizes = np.diagonal(shared)
    pairs = np.triu_indices(len(masks), k=1)
    union = (sizes[:, None] + sizes[None, :] - shared)[pairs]
    index = np.divide(shared[pairs], union, out=np.ones_like(union), where=union > 0)
    return float(index.mean())


@dataclass(frozen=True)
class NogueiraStability:
    """Estimate of the stability of a selection, with its sampling variance.

    Attributes
    ----------
    stability : float
        At most 1 (all sets equal); 0 is what random sets of the same sizes reach on average.
    variance : float
        Estimated variance of the estimate over samples of the sets.

    See Also
    --------
    nogueira_stability : Computes it.

    Examples
    --------
    >>> from ensfs.evaluation import NogueiraStability
    >>> low, high = NogueiraStability(stability=0.8, variance=0.0025).confidence_interval(0.9)
    >>> round(low, 3), round(high, 3)
    (0.718, 0.882)
    """

    stability: float
    variance: float

    def confidence_interval(self, level=0.95):
        """Give the approximate (normal) confidence interval of the stability.

        Parameters
        ----------
        level : float, default=0.95
            Probability that the interval covers the true stability, between 0 and 1.

        Returns
        -------
        tuple of two floats
            Lower and upper end. The upper end is not cut off at 1.
        """
        half = NormalDist().inv_cdf((1 + check_open_share("level", level)) / 2)
        half *= math.sqrt(self.variance)
        return self.stability - half, self.stability + half


def nogueira_stability(Z, *, n_features=None):
    r"""Stability of a selection, corrected for chance, with variance and confidence interval.

    With :math:`M` selections out of :math:`d` columns, column :math:`f` being in a share
    :math:`\hat p_f` of them, and :math:`\bar k` columns per selection on average,

    .. math:: \hat\Phi = 1 - \frac{\frac{1}{d} \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
              {\frac{\bar k}{d} \left(1 - \frac{\bar k}{d}\right)}

    Unlike the Jaccard index it is about zero for random selections of any size, so selections of
    different sizes, or from different tables, can be compared.

    Parameters
    ----------
    Z : 2-D array of booleans or of 0 and 1, or list of index sequences
        One selection per row: a mask over the columns. With ``n_features`` given, one sequence of
        column indices per selection instead.
    n_features : int, optional
        Number of columns the selections were made from. Needed for index sequences only.

    Returns
    -------
    NogueiraStability
        With ``stability``, ``variance`` and ``confidence_interval(level=0.95)``.

    Raises
    ------
    ValueError
        With fewer than two selections, or when all selections are empty or all hold every column
        (then the measure is not defined).

    References
    ----------
    Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, Journal
    of Machine Learning Research 18(174), 1-54.

    Examples
    --------
    >>> from ensfs.evaluation import nogueira_stability
    >>> sets = [[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 1, 2]]
    >>> result = nogueira_stability(sets, n_features=20)
    >>> round(result.stability, 3)
    0.804
    >>> low, high = result.confidence_interval()
    >>> round(low, 3), round(high, 3)
    (0.638, 0.97)
    """
    if n_features is not None:
        check_integer("n_features", n_features, 1)
    masks = _binary_masks(Z) if n_features is None else _masks(Z, n_features)
    masks = masks.astype(np.float64)
    n_sets, d = masks.shape
    share = masks.mean(axis=0)
    sizes = masks.sum(axis=1)
    mean_size = sizes.mean()
    chance = mean_size / d * (1 - mean_size / d)
    if not 0 < mean_size < d:
        what = "empty" if mean_size == 0 else "complete"
        raise ValueError(f"The stability of selections that are all {what} is not defined.")

    spread = (share * (1 - share)).mean() * n_sets / (n_sets - 1)
    stability = 1 - spread / chance
    # Influence of each selection (Theorem 7 of the paper); their scatter gives the variance.
    overlap = masks @ share / d - sizes * mean_size / d**2
    correction = 2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1
    influence = (overlap + stability / 2 * correction) / chance
    variance = 4 / n_sets**2 * np.sum((influence - influence.mean()) ** 2)
    return NogueiraStability(float(stability), float(variance))


def stability_if_defined(sets, n_features):
    """The stability of selections given as column indices; None where it is not defined.

    It is defined for at least two selections that are neither all empty nor all complete.

    Parameters
    ----------
    sets : sequence of sequences of int
        The columns of each selection.
    n_features : int
        Number of columns that the selections were made from.

    Returns
    -------
    NogueiraStability or None
    """
    total = sum(len(columns) for columns in sets)
    if len(sets) < 2 or not 0 < total < len(sets) * n_features:
        return None
    return nogueira_stability(list(sets), n_features=n_features)


def expected_passes(p, k, e, jaccard):
    r"""Estimated number of passes over the rows of a fast ensemble (Eq. 8).

    A pass is the first evaluation of a pair of columns, or of a column and the target. With
    :math:`r = 2J/(J+1)`, the share of its columns that two parts have in common,

    .. math:: T = p + (k-1) \left(p - \frac{k-1}{2}\right) \frac{1 - (1-r)^e}{r}

    where the last factor is :math:`e` for :math:`r = 0`. Separate runs of all parts would need
    :math:`e (p k - k (k-1)/2)` passes. The estimate can exceed the :math:`p (p+1)/2` passes after
    which everything is known.

    Parameters
    ----------
    p : int
        Number of columns.
    k : int
        Number of columns selected, at most ``p``.
    e : int
        Number of parts of the ensemble.
    jaccard : float
        Mean Jaccard index of the parts' selections, see :func:`jaccard_stability`.

    Returns
    -------
    float
        Expected number of passes.

    References
    ----------
    Schowe and Morik (2010), Fast-ensembles of minimum redundancy feature selection. The average
    number :math:`p - (k-1)/2` of pairs per step is kept as printed, since the published estimates
    follow it; exact would be :math:`p - k/2`.

    Examples
    --------
    >>> from ensfs.evaluation import expected_passes
    >>> round(expected_passes(34, 10, 5, 0.3855), 2)
    502.92
    """
    for name, value in (("p", p), ("k", k), ("e", e)):
        check_integer(name, value, 1)
    if k > p:
        raise ValueError(f"k must be at most p={p}; got {k}.")
    if not (isinstance(jaccard, int | float | np.floating) and 0 <= jaccard <= 1):
        raise ValueError(f"jaccard must lie between 0 and 1; got {jaccard!r}.")

    r = 2 * float(jaccard) / (float(jaccard) + 1)
    if r == 0:
        runs = float(e)
    elif r == 1:
        runs = 1.0
    else:
        runs = -math.expm1(e * math.log1p(-r)) / r
    return float(p + (k - 1) * (p - (k - 1) / 2) * runs)


def _masks(sets, n_features=None):
    """Boolean matrix (n_sets, n_columns) of selections given as masks or as indices."""
    if not hasattr(sets, "__len__"):
        sets = list(sets)
    if len(sets) < 2:
        raise ValueError(f"Stability needs at least two selections; got {len(sets)}.")
    rows = [np.asarray(list(s) if isinstance(s, set | frozenset) else s) for s in sets]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise ValueError(
                f"Every set must be one-dimensional; set {i} has {row.ndim} dimensions."
            )
    if all(row.dtype == bool for row in rows):
        return _stack_masks(rows, n_features)
    if any(row.dtype == bool for row in rows):
        raise ValueError("sets must be all boolean masks or all column indices; got a mixture.")
    return _index_masks(rows, n_features)


def _stack_masks(rows, n_features):
    lengths = {row.size for row in rows}
    if n_features is not None:
        lengths.add(n_features)
    if len(lengths) > 1:
        raise ValueError(f"All masks must have the same length; got {sorted(lengths)}.")
    return np.stack(rows)


def _index_masks(rows, n_features):
    # An empty list comes as float64: it has no values, so its type must not decide.
    filled = [row for row in rows if row.size]
    if any(row.dtype.kind in "fc" for row in filled):
        raise ValueError("sets must hold column indices or names; got floating-point numbers.")
    for row in filled:
        refuse_missing(row, "sets")
        refuse_mixed(row, "sets")
    if len({row.dtype.kind in "iu" for row in filled}) > 1:
        raise ValueError("sets must be all column indices or all names; got a mixture.")
    if n_features is None:
        columns = np.unique(np.concatenate(filled)) if filled else np.empty(0, dtype=np.intp)
    else:
        columns = np.arange(n_features)
        if any(
            row.dtype.kind not in "iu" or row.min() < 0 or row.max() >= n_features for row in filled
        ):
            raise ValueError(f"Column indices must be integers from 0 to {n_features - 1}.")
    masks = np.zeros((len(rows), columns.size), dtype=bool)
    for i, row in enumerate(rows):
        if row.size:
            masks[i, np.searchsorted(columns, row)] = True
        if masks[i].sum() != row.size:
            raise ValueError(
                f"Set {i} holds a column twice; if its entries are meant as a 0/1 mask, convert "
                "them with astype(bool)."
            )
    return masks


def _binary_masks(Z):
    """Boolean matrix of a 2-D array of booleans, or of zeros and ones."""
    try:
        matrix = np.asarray(Z)
    except ValueError:
        matrix = None
    if matrix is None or matrix.ndim != 2:
        raise ValueError(
            "Z must be a two-dimensional mask (selections x columns); for sequences of column "
            "indices pass n_features."
        )
    if len(matrix) < 2:
        raise ValueError(f"Stability needs at least two selections; got {len(matrix)}.")
    if matrix.shape[1] == 0:
        raise ValueError("Z must have at least one column.")
    if matrix.dtype == bool:
        return matrix
    if matrix.dtype.kind not in "iuf" or not np.isin(matrix, (0, 1)).all():
        raise ValueError(
            "Z must hold only 0 and 1 (or booleans); for sequences of column indices pass "
            "n_features."
        )
    return matrix.astype(bool)
