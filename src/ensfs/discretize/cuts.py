"""Cut points of columns, and codes by them, for arrays that have been checked.

Every column is cut by itself, so threads share the columns, and the result does not depend on their
number.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ensfs._core import cuts as kernels
from ensfs._core import weighted_cuts
from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.progress import task
from ensfs._utils.threads import effective_n_threads, for_blocks
from ensfs.data.weights import WholeWeights, whole_weights

Array = NDArray[Any]
Result = TypeVar("Result")

# Values per block of columns: small enough for the second-level cache, large enough that the calls
# cost nothing beside the work.
_BLOCK_SIZE = 2**17

#: The most codes of a column, with one left for missing values.
MAX_LEVELS = 2**16 - 1


#: Parameters and results of the functions that code columns.
CODE_DOCS = COMMON_DOCS | read_descriptions("""
values : ndarray of shape (n_samples, n_features)
    float32 or float64; NaN is a missing value, infinities are not allowed.
weight : ndarray of shape (n_samples,), optional
    How often each row is there: numbers above 0, not necessarily whole.
codes : ndarray of uint8 or uint16 of shape (n_samples, n_features)
    In Fortran order.
""")

#: Sums of weights up to this have a table of logarithms.
_LONGEST_TABLE = 2**20


def _map_blocks(
    function: Callable[[int, Array], Result], values: Array, n_jobs: int | None, height: int = 1
) -> list[Result]:
    """Call ``function(first column, block)`` for blocks of columns, in Fortran order."""
    n, p = values.shape
    width = max(1, _BLOCK_SIZE // max(n, height, 1))
    starts = range(0, p, width)
    found: list[Any] = [None] * len(starts)

    def work(first: int, stop: int) -> None:
        for i in range(first, stop):
            block = values[:, starts[i] : starts[i] + width]
            found[i] = function(starts[i], np.asfortranarray(block))
            advance()

    with task("cutting columns", len(starts)) as advance:
        for_blocks(work, len(starts), effective_n_threads(n_jobs), block=1)
    return found


def _join(lists: Iterable[list[Array]]) -> list[Array]:
    return [item for part in lists for item in part]


def code_by_cuts(
    values: Array,
    cut_points: list[Array],
    bin_codes: list[Array] | None = None,
    *,
    pairs: bool = False,
    n_jobs: int | None = None,
) -> Array:
    """Code every value by the bin it lies in, and NaN by the code after the last one.

    Bins are closed on the right. With ``pairs`` a column has two cut points or none, and the middle
    bin is closed on both sides: the lower cut moves down by one floating-point number.
    """
    n, p = values.shape
    n_cuts = np.fromiter((len(cuts) for cuts in cut_points), dtype=np.int64, count=p)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_cuts)])
    cuts = np.concatenate([*cut_points, np.empty(0)])
    if pairs:
        cuts[::2] = np.nextafter(cuts[::2], -np.inf)
    if bin_codes is None:
        first = np.repeat(offsets[:-1] + np.arange(p), n_cuts + 1)
        levels = (np.arange(first.size) - first).astype(np.int32)
    else:
        levels = np.concatenate(bin_codes).astype(np.int32)
    missing = levels[offsets[1:] + np.arange(p)] + np.int32(1)
    codes: Array = np.empty((n, p), dtype=code_type(int(missing.max(initial=0))), order="F")

    def code(start: int, block: Array) -> None:
        stop = start + block.shape[1]
        kernels.digitise(
            block,
            cuts[offsets[start] : offsets[stop]],
            offsets[start : stop + 1] - offsets[start],
            levels[offsets[start] + start : offsets[stop] + stop],
            missing[start:stop],
            codes[:, start:stop],
        )

    _map_blocks(code, values, n_jobs)
    return codes


def code_type(largest: int) -> type[np.uint8] | type[np.uint16]:
    """The smallest type that holds a code."""
    if largest > MAX_LEVELS:
        raise ValueError(
            f"A column has {largest} levels; at most {MAX_LEVELS} can be coded. Use fewer bins."
        )
    return np.uint8 if largest <= np.iinfo(np.uint8).max else np.uint16


def _sorted(block: Array) -> Array:
    """Where the values of each column are, in ascending order, NaN last."""
    return np.argsort(block.T, axis=1).astype(np.int64, copy=False).T


def _for_sorting(n: int) -> tuple[Array, Array]:
    """Scratch for the values of a column and their weights."""
    return np.empty(n), np.empty(n, dtype=np.int64)


def _as_whole(weight: Array | WholeWeights | None) -> WholeWeights | None:
    return weight if weight is None or isinstance(weight, WholeWeights) else whole_weights(weight)


def sigma_cut_points(
    values: Array, width: float, n_jobs: int | None, weight: Array | WholeWeights | None = None
) -> list[Array]:
    """Mean ± ``width`` standard deviations of every column; nothing for constant ones."""
    whole = _as_whole(weight)

    def find(start: int, block: Array) -> list[Array]:
        cuts = np.empty((block.shape[1], 2))
        n_cuts = np.empty(block.shape[1], dtype=np.int64)
        if whole is None:
            kernels.sigma_cuts(block, width, cuts, n_cuts)
        else:
            scratch = _for_sorting(len(block))
            weighted_cuts.sigma_cuts(
                block, _sorted(block), *whole, width, *scratch, cuts, n_cuts
            )  # fmt: skip
        return [row[:count] for row, count in zip(cuts, n_cuts, strict=True)]

    return _join(_map_blocks(find, values, n_jobs))


@with_docs(CODE_DOCS)
def sigma_codes(
    values: Array, *, width: float = 0.5, weight: Array | None = None, n_jobs: int | None = None
) -> tuple[Array, list[Array]]:
    """Code columns in three levels by mean ± ``width`` standard deviations, without checks.

    What :class:`SigmaDiscretizer` does, for arrays that are known to be good.

    Parameters
    ----------
    {values}
    width : float, default=0.5
        Number of standard deviations between the mean and each cut point.
    {weight, n_jobs}

    Returns
    -------
    codes : ndarray of uint8 of shape (n_samples, n_features)
        In Fortran order.
    cut_points : list of ndarray
        For each column two cut points, or none if it is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.discretize import sigma_codes
    >>> codes, cut_points = sigma_codes(np.array([[1.0], [2.0], [3.0], [4.0], [10.0]]))
    >>> codes.ravel()
    array([0, 0, 1, 1, 2], dtype=uint8)
    """
    cut_points = sigma_cut_points(values, width, n_jobs, weight)
    return code_by_cuts(values, cut_points, pairs=True, n_jobs=n_jobs), cut_points


def equal_frequency_cut_points(
    values: Array, n_bins: int, n_jobs: int | None, weight: Array | WholeWeights | None = None
) -> tuple[list[Array], list[Array]]:
    """The distinct quantiles of every column, and the code of each bin between them."""
    whole = _as_whole(weight)

    def find(start: int, block: Array) -> tuple[list[Array], list[Array]]:
        m = block.shape[1]
        cuts = np.empty((m, n_bins - 1))
        levels = np.empty((m, n_bins), dtype=np.int32)
        n_cuts = np.empty(m, dtype=np.int64)
        if whole is None:
            kernels.equal_frequency_cuts(np.sort(block.T, axis=1).T, cuts, levels, n_cuts)
        else:
            scratch = _for_sorting(len(block))
            weighted_cuts.equal_frequency_cuts(
                block, _sorted(block), *whole, *scratch, cuts, levels, n_cuts
            )  # fmt: skip
        return (
            [row[:count].copy() for row, count in zip(cuts, n_cuts, strict=True)],
            [row[: count + 1].copy() for row, count in zip(levels, n_cuts, strict=True)],
        )

    parts = _map_blocks(find, values, n_jobs, height=n_bins)
    return _join(part[0] for part in parts), _join(part[1] for part in parts)


@with_docs(CODE_DOCS)
def equal_frequency_codes(
    values: Array, n_bins: int = 5, *, weight: Array | None = None, n_jobs: int | None = None
) -> tuple[Array, list[Array]]:
    """Code columns in bins of about equal frequency, without checks.

    What :class:`EqualFrequencyDiscretizer` does, for arrays that are known to be good.

    Parameters
    ----------
    {values}
    n_bins : int, default=5
        Number of bins, at least 2; columns with ties may have fewer.
    {weight, n_jobs}

    Returns
    -------
    {codes}
    cut_points : list of ndarray
        The distinct quantiles of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.discretize import equal_frequency_codes
    >>> x = np.array([1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    >>> codes, cut_points = equal_frequency_codes(x[:, None], 4)
    >>> cut_points
    [array([2.  , 2.5 , 4.25])]
    >>> codes.ravel()
    array([0, 0, 0, 0, 1, 1, 2, 2], dtype=uint8)
    """
    cut_points, bin_codes = equal_frequency_cut_points(values, n_bins, n_jobs, weight)
    return code_by_cuts(values, cut_points, bin_codes, n_jobs=n_jobs), cut_points


def _klogk(n: int) -> Array:
    k = np.arange(n + 1, dtype=np.float64)
    return k * np.log2(np.maximum(k, 1.0))


def mdl_cut_points(
    values: Array,
    y: Array,
    n_classes: int,
    better_encoding: bool,
    n_jobs: int | None,
    weight: Array | WholeWeights | None = None,
) -> list[Array]:
    """The cut points of Fayyad and Irani of every column."""
    n = values.shape[0]
    y = np.ascontiguousarray(y, dtype=np.int32)
    whole = _as_whole(weight)
    total = n if whole is None else int(whole.counts.sum())
    short = whole is None or (whole.times == 1 and total <= _LONGEST_TABLE)
    logs: Any = _klogk(total) if short else None

    def find(start: int, block: Array) -> list[Array]:
        m = block.shape[1]
        cuts = np.empty((n, m), order="F")
        n_cuts = np.empty(m, dtype=np.int64)
        classes, is_cut = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.uint8)
        if whole is None:
            kernels.mdl_cuts(
                block, _sorted(block), y, n_classes, logs, better_encoding, np.empty(n), classes,
                np.empty(3 * n_classes, dtype=np.int32), is_cut, cuts, n_cuts,
            )  # fmt: skip
        else:
            weighted_cuts.mdl_cuts(
                block, _sorted(block), *whole, y, n_classes, logs, better_encoding,
                *_for_sorting(n), classes, np.empty(3 * n_classes, dtype=np.int64), is_cut, cuts,
                n_cuts,
            )  # fmt: skip
        return [column[:count].copy() for column, count in zip(cuts.T, n_cuts, strict=True)]

    return _join(_map_blocks(find, values, n_jobs))


@with_docs(CODE_DOCS)
def mdl_codes(
    values: Array,
    y_codes: Array,
    n_classes: int,
    better_encoding: bool = False,
    *,
    weight: Array | None = None,
    n_jobs: int | None = None,
) -> tuple[Array, list[Array]]:
    """Code columns by the cut points of Fayyad and Irani, without checks.

    What :class:`MDLDiscretizer` does, for arrays that are known to be good.

    Parameters
    ----------
    {values}
    y_codes : ndarray of int of shape (n_samples,)
        The class of every row as a number from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    better_encoding : bool, default=False
        Count the candidate cuts instead of the rows.
    {weight, n_jobs}

    Returns
    -------
    {codes}
    cut_points : list of ndarray
        The cut points of each column, ascending; none where no cut pays.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.discretize import mdl_codes
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    >>> codes, cut_points = mdl_codes(x[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2)
    >>> cut_points
    [array([4.5])]
    """
    cut_points = mdl_cut_points(values, y_codes, n_classes, better_encoding, n_jobs, weight)
    return code_by_cuts(values, cut_points, n_jobs=n_jobs), cut_points
