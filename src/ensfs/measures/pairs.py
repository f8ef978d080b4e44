"""Measures of all pairs of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.docs import with_docs
from ensfs._utils.threads import effective_n_threads, for_blocks, ranges_of
from ensfs.data.missing import NUMBERS, filled, observed_means, resolve_missing
from ensfs.data.table import Table, make_table
from ensfs.data.target import make_target
from ensfs.measures._inputs import DISCRETE_DOCS, Rows, discrete_target, read_rows, unit_of
from ensfs.measures._sparse import sparse_data, sparse_source
from ensfs.statistics import SMALLEST_SQUARES, CodedSource, Resampling
from ensfs.statistics.formulas import statistic_of
from ensfs.statistics.gaps import Gaps
from ensfs.statistics.observed_counts import ObservedCounts
from ensfs.statistics.observed_numbers import correlations


@with_docs(DISCRETE_DOCS)
def pairwise(
    X: Any, measure: str = "pearson", *, sample_weight: Any = None, missing: str = "auto",
    base: float = 2, n_jobs: int | None = None,
) -> np.ndarray:  # fmt: skip
    """A measure of every column with every other column.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        The columns: numeric for correlations, discrete for mutual information.
    measure : {"pearson", "mutual_information", "symmetrical_uncertainty"}, default="pearson"
        The measure; mutual information is the entropy on the diagonal.
    {sample_weight}
    missing : str, default="auto"
        What is made of missing cells: "corrected" (which is "auto"), "mean" or "available" for
        correlations, "level" ("auto") or "available" for the others, and "distribute" for
        symmetrical uncertainty; "error": they are refused. See the guide.
    base : float, default=2
        Of the logarithms of mutual information: 2 gives bits, `math.e` nats.
    n_jobs : int, optional
        Threads for the last two; None is one, -1 all cores. The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        A symmetric matrix; 0 for pairs with a constant column.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import pairwise
    >>> pairwise(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), "mutual_information")
    array([[1., 0.],
           [0., 1.]])
    """
    unit, sparse = unit_of(base), scipy.sparse.issparse(X)
    if measure == "pearson":
        way = resolve_missing(missing, NUMBERS)
        if sparse:
            return _sparse_pearson(X, sample_weight, way, n_jobs)
        return _pairwise_pearson(read_rows(X, sample_weight, allow_missing=way != "error"), way)
    if measure not in ("mutual_information", "symmetrical_uncertainty"):
        raise ValueError(
            "measure must be 'pearson', 'mutual_information' or 'symmetrical_uncertainty'; got "
            f"{measure!r}."
        )
    way = resolve_missing(missing, statistic_of(measure))
    if sparse:
        y = np.zeros(X.shape[0])
        R = _by_column(sparse_source(X, y, sample_weight, None, measure, n_jobs, way))
    else:
        R = _pairwise_counts(X, measure, sample_weight, way, n_jobs)
    return R / unit if measure == "mutual_information" else R


def _by_column(source: Any) -> np.ndarray:
    """What a source tells of all pairs, one column after the other."""
    p = source.n_features
    out = np.empty((p, p))
    for g in range(p):
        source.association([(g, np.array([0]))], out[g : g + 1])
    upper = np.triu_indices(p, 1)
    out[upper] = out.T[upper]  # they differ by rounding only
    return out


def _pairwise_counts(
    X: Any, measure: str, sample_weight: Any, way: str, n_jobs: int | None
) -> np.ndarray:
    rows = read_rows(X, sample_weight, allow_missing=way != "error")
    coded = make_table(rows.X, discrete_features=True, allow_missing=way != "error").codes()
    n, p = coded.codes.shape
    target, parts = discrete_target(np.zeros(n), n), Resampling.all_rows(n, rows.weight)
    if way in ("available", "distribute") and coded.incomplete.any():
        observed = ObservedCounts.of_weighted(
            coded, target, parts, measure=measure, spreads=way == "distribute"
        )
        return _by_column(observed)
    source = CodedSource.of_weighted(coded.codes, coded.n_levels, target, parts)
    out = np.empty((p, p))

    def work(start: int, stop: int) -> None:
        store = source.pair_store(measure)
        for g in range(start, stop):
            for a, b in ranges_of(0, g + 1, n):
                store.measure(g, a, b, out[g, a:b])

    for_blocks(work, p, effective_n_threads(n_jobs), block=64)
    upper = np.triu_indices(p, 1)
    out[upper] = out.T[upper]
    return out


def _sparse_pearson(X: Any, sample_weight: Any, way: str, n_jobs: int | None) -> np.ndarray:
    data, _ = sparse_data(X, sample_weight, np.zeros(X.shape[0]), allow_missing=way != "error")
    nothing = make_target(data.y, data.n_rows, kind="numeric", warn_constant=False)
    source = data.continuous_source(
        nothing, Resampling.all_rows(data.n_rows), relevance="pearson", signed=True,
        n_threads=effective_n_threads(n_jobs), missing=way,
    )  # fmt: skip
    R = _by_column(source)
    R[np.diag_indices_from(R)] = np.where(np.diag(R) > 0, 1.0, 0.0)
    return R


def _pairwise_pearson(rows: Rows, way: str) -> np.ndarray:
    table, weight = make_table(rows.X, allow_missing=way != "error"), rows.weight
    values = table.centred()
    incomplete = np.isnan(values).any(axis=0)
    if incomplete.any():
        table.check_finite(allow_nan=way != "error")
    if way == "available" and incomplete.any():
        return _observed_pearson(values, weight)
    R = _complete_pearson(table, filled(table, weight) if incomplete.any() else values, weight)
    if way == "mean" or not incomplete.any():
        return R
    gaps = Gaps(
        Resampling.all_rows(table.n_rows, weight), np.nonzero(incomplete)[0], table.n_features
    )
    gaps.add(values)
    factor = np.array([gaps.correction(g)[0] for g in range(table.n_features)])
    return np.clip(R * factor, -1.0, 1.0)


def _observed_pearson(values: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Correlations of the rows that two columns have in common."""
    missing = np.isnan(values)
    apart = np.where(missing, 0.0, values - observed_means(values))
    seen = (~missing).astype(np.float64)
    times = np.ones((len(values), 1)) if weight is None else weight[:, None]
    s, q = (apart * times).T @ seen, (apart * apart * times).T @ seen
    sums = np.stack([(seen * times).T @ seen, s, s.T, q, q.T, (apart * times).T @ apart], axis=1)
    R = correlations(sums)[0]
    R[np.diag_indices_from(R)] = np.where(np.diag(R) > 0, 1.0, 0.0)
    return (R + R.T) / 2  # which differ by rounding only


def _complete_pearson(table: Table, values: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        if weight is None:
            Z = values - values.mean(axis=0, dtype=np.float64)
            Z -= Z.mean(axis=0)  # what rounding of a large mean left
        else:
            Z = values - np.average(values.astype(np.float64), axis=0, weights=weight)
            Z -= np.average(Z, axis=0, weights=weight)
            Z *= np.sqrt(weight)[:, None]
        norm = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    if not np.isfinite(norm).all():
        table.check_finite()
        raise ValueError("The squares of some values are too large for float64. Scale them first.")
    table.check_constant(np.nonzero(norm < SMALLEST_SQUARES**0.5)[0])
    constant = table.hold_one_value(np.arange(table.n_features))
    Z /= np.where(constant, 1.0, norm)
    Z[:, constant] = 0.0
    R = np.clip(Z.T @ Z, -1.0, 1.0)
    R[np.diag_indices_from(R)] = np.where(constant, 0.0, 1.0)
    return R
