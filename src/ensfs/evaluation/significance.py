"""Is one method better than the others over several data sets: rank tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from ensfs._utils.checks import check_open_share
from ensfs._utils.text import printable
from ensfs._utils.ties import tie_groups
from ensfs.data.labels import refuse_masked

__all__ = ["FriedmanHolm", "RankTest", "friedman_holm", "holm"]


class RankTest(NamedTuple):
    """Statistic of a test and its p-value.

    Attributes
    ----------
    statistic : float
        Value of the statistic.
    pvalue : float
        Probability of a value at least as large when no method differs from the others.

    See Also
    --------
    friedman_holm : Gives three of them.

    Examples
    --------
    >>> from ensfs.evaluation import RankTest
    >>> RankTest(statistic=9.2, pvalue=0.027).pvalue < 0.05
    True
    """

    statistic: float
    pvalue: float


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class FriedmanHolm:
    """Mean ranks of methods over data sets, with the tests of their differences.

    ``str()`` and ``print()`` show it as a table, best method first.

    Attributes
    ----------
    names : tuple of str
        The methods, in the order of the columns of the table of results.
    n_datasets : int
        Rows of that table.
    mean_ranks : ndarray of shape (n_methods,)
        1 is best; equal results share the mean of their ranks.
    friedman : RankTest
        Friedman's statistic as it is usually printed, without a correction for ties.
    friedman_ties : RankTest
        The same, corrected for ties, as SciPy gives it.
    iman_davenport : RankTest
        The less conservative statistic of Iman and Davenport.
    control : int
        The method that the others are compared with.
    z : ndarray of shape (n_methods,)
        Difference of the mean rank to that of the control, in standard errors; NaN for the control.
    pvalues : ndarray of shape (n_methods,)
        Two-sided p-values of `z`; NaN for the control.
    adjusted_pvalues : ndarray of shape (n_methods,)
        The same after Holm's procedure: the smallest level at which the difference would still
        be called significant, all comparisons taken together; NaN for the control.

    See Also
    --------
    friedman_holm : Computes it, and has an example.
    """

    names: tuple[str, ...]
    n_datasets: int
    mean_ranks: NDArray[np.float64]
    friedman: RankTest
    friedman_ties: RankTest
    iman_davenport: RankTest
    control: int
    z: NDArray[np.float64] = field(repr=False)
    pvalues: NDArray[np.float64] = field(repr=False)
    adjusted_pvalues: NDArray[np.float64] = field(repr=False)

    def rejected(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Tell which methods differ from the control, all comparisons taken together.

        Parameters
        ----------
        alpha : float, default=0.05
            Probability that at least one true hypothesis is rejected.

        Returns
        -------
        ndarray of shape (n_methods,)
            False for the control itself.
        """
        return np.nan_to_num(self.adjusted_pvalues, nan=1.0) <= check_open_share("alpha", alpha)

    def __str__(self) -> str:
        names = [printable(name) for name in self.names]
        width = max(6, *map(len, names))
        lines = [
            f"{self.n_datasets} data sets, {len(self.names)} methods, "
            f"compared with {names[self.control]}",
            *(
                f"{title:24s} {test.statistic:9.4f}   p = {test.pvalue:.4g}"
                for title, test in (
                    ("Friedman chi-square", self.friedman),
                    ("  corrected for ties", self.friedman_ties),
                    ("Iman-Davenport F", self.iman_davenport),
                )
            ),
            f"{'method':{width}s} {'mean rank':>9s} {'z':>8s} {'p':>10s} {'Holm p':>10s}",
        ]
        for i in np.argsort(self.mean_ranks, kind="stable"):
            line = f"{names[i]:{width}s} {self.mean_ranks[i]:9.4f}"
            if i == self.control:
                line += f" {'-':>8s} {'-':>10s} {'-':>10s}"
            else:
                line += (
                    f" {self.z[i]:8.4f} {self.pvalues[i]:10.4g} {self.adjusted_pvalues[i]:10.4g}"
                )
            lines.append(line)
        return "\n".join(lines)


def friedman_holm(
    results: Any,
    *,
    names: Sequence[str] | None = None,
    greater_is_better: bool = True,
    control: int | str | None = None,
) -> FriedmanHolm:
    r"""Compare methods over data sets: Friedman's test, then Holm's procedure against one method.

    Each data set ranks its :math:`k` methods. With mean ranks :math:`R_j` over :math:`N` data sets,

    .. math:: \chi^2 = \frac{12 N}{k (k + 1)}
              \left[ \sum_j R_j^2 - \frac{k (k + 1)^2}{4} \right], \qquad
              F = \frac{(N - 1) \chi^2}{N (k - 1) - \chi^2}, \qquad
              z_j = \frac{R_j - R_0}{\sqrt{k (k + 1) / (6 N)}}

    are Friedman's statistic with :math:`k - 1` degrees of freedom, that of Iman and Davenport with
    :math:`k - 1` and :math:`(k - 1)(N - 1)`, and the normal statistic of the comparison with the
    control :math:`R_0`.

    Parameters
    ----------
    results : array-like or table of shape (n_datasets, n_methods)
        One number for each data set and method, for example mean accuracies: an array, or a
        pandas, polars or Arrow table whose columns are the methods.
    names : sequence of str, optional
        Names of the methods. The default is the column names of a table, or "0", "1", ...
    greater_is_better : bool, default=True
        False for errors and the like.
    control : int or str, optional
        The method that all others are compared with, by position or name. The default is the one
        with the best mean rank, the first of several.

    Returns
    -------
    FriedmanHolm
        Mean ranks, statistics and p-values; printed as a table.

    Raises
    ------
    ValueError
        With fewer than two data sets or methods, missing results, or a control that is not there.

    Notes
    -----
    Results of a data set that differ by less than 1e-12 of the largest one are equal. The p-values
    are those of the limiting distributions: with fewer than about ten data sets or five methods
    they are rough.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7, 1-30; Holm (1979), A simple sequentially rejective multiple test
    procedure, Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from ensfs.evaluation import friedman_holm
    >>> accuracy = [[0.74, 0.78, 0.78], [0.83, 0.83, 0.84], [0.89, 0.88, 0.90], [0.40, 0.41, 0.43]]
    >>> print(friedman_holm(accuracy, names=["random", "partition", "informed"]))
    4 data sets, 3 methods, compared with informed
    Friedman chi-square         4.8750   p = 0.08738
      corrected for ties        5.5714   p = 0.06169
    Iman-Davenport F            4.6800   p = 0.0596
    method    mean rank        z          p     Holm p
    informed     1.1250        -          -          -
    partition    2.2500   1.5910     0.1116     0.1116
    random       2.6250   2.1213    0.03389    0.06779
    """
    table, names = _results(results, names)
    n, k = table.shape
    ranks = _ranks(table if not greater_is_better else -table)
    mean_ranks = ranks.mean(axis=0)
    best = int(np.argmin(tie_groups(mean_ranks)))
    chosen = best if control is None else _position(control, names)

    chi2 = 12 * n / (k * (k + 1)) * (np.sum(mean_ranks**2) - k * (k + 1) ** 2 / 4)
    chi2 = min(max(0.0, float(chi2)), float(n * (k - 1)))  # what rounding may exceed
    z = (mean_ranks - mean_ranks[chosen]) / math.sqrt(k * (k + 1) / (6 * n))
    z[chosen] = math.nan
    pvalues = 2 * stats.norm.sf(np.abs(z))
    others = np.arange(k) != chosen
    adjusted = np.full(k, math.nan)
    adjusted[others] = holm(pvalues[others])
    return FriedmanHolm(
        names=names,
        n_datasets=n,
        mean_ranks=mean_ranks,
        friedman=RankTest(chi2, float(stats.chi2.sf(chi2, k - 1))),
        friedman_ties=_corrected_for_ties(chi2, ranks),
        iman_davenport=_iman_davenport(chi2, n, k),
        control=chosen,
        z=z,
        pvalues=pvalues,
        adjusted_pvalues=adjusted,
    )


def holm(pvalues: ArrayLike) -> NDArray[np.float64]:
    r"""P-values adjusted by Holm's procedure for several comparisons.

    The :math:`i`-th smallest of :math:`m` p-values is multiplied by :math:`m - i + 1`; then none
    may be below a smaller one's, nor above 1. Rejecting what is at most :math:`\alpha` makes a
    false rejection among all of them no more probable than :math:`\alpha`, however they depend on
    each other.

    Parameters
    ----------
    pvalues : array-like of shape (n_comparisons,)
        Values between 0 and 1.

    Returns
    -------
    ndarray of shape (n_comparisons,)
        Adjusted p-values, in the given order.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 65-70.

    Examples
    --------
    >>> from ensfs.evaluation import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    try:
        values = np.asarray(pvalues, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"pvalues must be numbers; got {pvalues!r}.") from None
    if values.ndim != 1:
        raise ValueError(f"pvalues must be one-dimensional; got the shape {values.shape}.")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("pvalues must lie between 0 and 1.")
    order = np.argsort(values, kind="stable")
    factors = np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * values[order]))
    return adjusted


def _results(results, names) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The table as numbers, and the names of its columns."""
    refuse_masked(results, "results")
    frame = nw.from_native(results, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        names = frame.columns if names is None else names
        results = frame.to_numpy()
    try:
        if np.iscomplexobj(results):
            raise TypeError("Results must not be complex.")
        table = np.asarray(results, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "results must be numbers, one for each data set (row) and method (column)."
        ) from error
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(
            "results must have at least two data sets (rows) and two methods (columns); got the "
            f"shape {table.shape}."
        )
    names = tuple(map(str, range(table.shape[1]) if names is None else names))
    if len(names) != table.shape[1]:
        raise ValueError(
            f"names must have one name for each of {table.shape[1]} methods; got {len(names)}."
        )
    if len(set(names)) != len(names):
        raise ValueError(f"names must differ from each other; got {list(names)}.")
    bad = np.argwhere(~np.isfinite(table))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            "results must have a number for each method on each data set, as ranks need them; the "
            f"result of {names[column]!r} on data set {row} is {table[row, column]}."
        )
    return table, names


def _ranks(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks in each row, 1 for the least, means of the ranks for what is equal up to rounding."""
    scale = np.abs(table).max(axis=1, keepdims=True)
    scaled = np.divide(table, scale, out=np.zeros_like(table), where=scale > 0)
    return stats.rankdata(tie_groups(scaled), axis=1)


def _position(control: int | str, names: tuple[str, ...]) -> int:
    if isinstance(control, str) and control in names:
        return names.index(control)
    whole = isinstance(control, int | np.integer) and not isinstance(control, bool)
    if whole and 0 <= int(control) < len(names):
        return int(control)
    raise ValueError(f"control must be one of {list(names)} or its position; got {control!r}.")


def _corrected_for_ties(chi2: float, ranks: NDArray[np.float64]) -> RankTest:
    n, k = ranks.shape
    sizes = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)  # a group of t counts t times
    correction = 1 - float((sizes**2 - 1).sum()) / (n * k * (k**2 - 1))
    if correction < 1e-12:  # everything is tied everywhere: nothing differs
        return RankTest(0.0, 1.0)
    statistic = chi2 / correction
    return RankTest(statistic, float(stats.chi2.sf(statistic, k - 1)))


def _iman_davenport(chi2: float, n: int, k: int) -> RankTest:
    rest = n * (k - 1) - chi2
    if rest < 1e-9:  # the same order on every data set
        return RankTest(math.inf, 0.0)
    statistic = (n - 1) * chi2 / rest
    return RankTest(statistic, float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1))))
