"""Measures of all pairs of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.threads import effective_n_threads, for_blocks, ranges_of
from ensfs.data.table import make_table
from ensfs.measures._inputs import DISCRETE_DOCS, Rows, discrete_target, read_rows
from ensfs.statistics import SMALLEST_SQUARES, CodedSource, Resampling


@with_docs(DISCRETE_DOCS)
def pairwise(
    X: Any, measure: str = "pearson", *, sample_weight: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """A measure of every column with every other column.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The columns: numeric for correlations, discrete for mutual information.
    measure : {"pearson", "mutual_information", "symmetrical_uncertainty"}, default="pearson"
        The measure; mutual information is in bits, and on the diagonal the entropy.
    {sample_weight}
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
    rows = read_rows(X, sample_weight)
    if measure == "pearson":
        return _pairwise_pearson(rows)
    if measure not in ("mutual_information", "symmetrical_uncertainty"):
        raise ValueError(
            "measure must be 'pearson', 'mutual_information' or 'symmetrical_uncertainty'; got "
            f"{measure!r}."
        )
    coded = make_table(rows.X, discrete_features=True).codes()
    n, p = coded.codes.shape
    source = CodedSource.of_weighted(
        coded.codes, coded.n_levels, discrete_target(np.zeros(n), n),
        Resampling.all_rows(n, rows.weight),
    )  # fmt: skip
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


def _pairwise_pearson(rows: Rows) -> np.ndarray:
    table, weight = make_table(rows.X), rows.weight
    values = table.centred()
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
