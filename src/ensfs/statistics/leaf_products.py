"""Products of all columns with some, leaf by leaf: nothing but a panel of a leaf is copied."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ensfs._core import continuous, dispatch, gram
from ensfs._core import panels as kernels
from ensfs._utils.threads import for_blocks
from ensfs.statistics.continuous_sums import ContinuousSums
from ensfs.statistics.fold_centres import padded
from ensfs.statistics.row_tree import LEAF, FoldCells, add_in_tree, n_leaves, rows_by_lane
from ensfs.statistics.source import SearchSteps
from ensfs.statistics.weights import scaled_rows

#: Leaves, a power of two, whose sums are added before those of others.
TOGETHER = 8

#: Up to so many columns for each one to select, products of all with all take less time than
#: copying the columns and reading those that a search asks for, on tables of so many bytes. Calls
#: for more than MOST_COLUMNS would be long, and the products as large as the table.
COLUMNS_FOR_EACH = {"avx512": 6, "avx2": 5}.get(dispatch.level(), 3)
LEAST_BYTES, MOST_COLUMNS = 1 << 25, 1024


def products_of_rows(
    X: np.ndarray,
    fold: np.ndarray | None,
    weight: np.ndarray | None,
    targets: np.ndarray,
    centre: np.ndarray,
    n_folds: int,
    n_threads: int = 1,
) -> np.ndarray:
    """Sums of products of all columns with some, along the tree of the rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows that begin with a leaf.
    fold : ndarray of int, shape (n,), or None
        Their folds; only needed if there are several, or weights.
    weight : ndarray of shape (n,), or None
        Their weights.
    targets : ndarray of int
        The columns that all are multiplied with.
    centre : ndarray of shape (1 or n_folds, columns of whole panels)
        Where they are measured from.
    n_folds : int
        Number of folds; 1 for a table that is not divided.
    n_threads : int, default=1
        Threads.

    Returns
    -------
    ndarray of shape (panels, targets in fours, n_folds, 32)
    """

    def of_leaf(leaf: int) -> np.ndarray:
        some = slice(leaf * LEAF, min(len(X), (leaf + 1) * LEAF))
        own_fold, own_weight = (None if each is None else each[some] for each in (fold, weight))
        return _of_leaf(X[some], own_fold, own_weight, targets, centre, n_folds)

    return _sum_of_leaves(of_leaf, len(X), TOGETHER, n_threads)


def _sum_of_leaves(
    of_leaf: Callable[[int], np.ndarray], n_rows: int, together: int, n_threads: int
) -> np.ndarray:
    """Sums over rows from those of every leaf, `together` of which are one piece of work."""
    count = n_leaves(n_rows)

    def work(start: int, stop: int) -> None:
        for k in range(start, stop):
            leaves = range(k * together, min((k + 1) * together, count))
            nodes[k] = add_in_tree(map(of_leaf, leaves))

    n_nodes = -(-count // together)
    nodes: list[np.ndarray] = [np.empty(0)] * n_nodes
    for_blocks(work, n_nodes, n_threads, block=1)
    return add_in_tree(nodes)


def worth_all_pairs(X: np.ndarray, k: int) -> bool:
    """Whether a search for `k` columns had better have the products of all pairs first."""
    most = min(COLUMNS_FOR_EACH * k, MOST_COLUMNS)
    return X.nbytes >= LEAST_BYTES and X.shape[1] <= most


def search_in_products(
    X: np.ndarray, shift: np.ndarray, sums: ContinuousSums, n_threads: int
) -> SearchSteps:
    """A lazy search in a table that is one part, with the products of all pairs of its columns."""
    products = products_of_pairs(X, shift[0], n_threads)
    s, inverse, n = sums.sum[0], sums.inverse[0], float(sums.n[0])
    return lambda state, *rest: gram.lazy_product_search(
        products, s, inverse, n, state.arrays, *rest
    )


def products_of_pairs(X: np.ndarray, shift: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """Sums of products of all pairs of columns along the tree of the rows, in the upper triangle.

    At least as many columns as the kernel takes, the last of them zeros if need be.
    """
    width = gram.columns_with(X.shape[1])
    free: list[np.ndarray] = []  # each thread takes one and gives it back

    def of_leaf(leaf: int) -> np.ndarray:
        scratch = free.pop() if free else np.empty(gram.scratch_size(X.shape[1]))
        out = np.zeros((width, width))
        gram.products_of_leaf(X[leaf * LEAF : (leaf + 1) * LEAF], shift, scratch, out)
        free.append(scratch)
        return out

    together = TOGETHER
    while together * 64 < n_leaves(len(X)):  # few tables of products wait at a time
        together *= 2
    return _sum_of_leaves(of_leaf, len(X), together, n_threads)


def _of_leaf(
    X: np.ndarray,
    fold: np.ndarray | None,
    weight: np.ndarray | None,
    targets: np.ndarray,
    shift: np.ndarray,
    n_folds: int,
) -> np.ndarray:
    """The sums of a leaf. Each panel is packed and multiplied while it is in the cache."""
    if weight is not None:
        assert fold is not None
        X = scaled_rows(X, weight, fold, shift)
        shift = np.zeros((1, shift.shape[1]))
    order, bounds, tree = _order(len(X), fold, n_folds)
    width = continuous.panel_width
    y = _targets_of(X, order, bounds, targets, shift)
    shifts = np.ascontiguousarray(shift.reshape(len(shift), -1, width).swapaxes(0, 1))
    out = np.empty((len(shifts), 4 * len(y), n_folds, width))
    panel = np.empty((1, order.size, width), dtype=X.dtype)
    for b, own in enumerate(shifts):
        some = X[:, b * width : (b + 1) * width]
        kernels.pack_panels(some, order, bounds, own, 0, 1, panel)
        kernels.products(panel, own, y, tree, 0, 1, out[b : b + 1])
    return out


def _order(
    n: int, fold: np.ndarray | None, n_folds: int
) -> tuple[np.ndarray, np.ndarray, kernels.RowTree]:
    """Order of the rows of a leaf in panels, bounds of the folds, and how sums are added."""
    if n_folds == 1:
        return _by_lane(n)
    assert fold is not None
    cells = FoldCells.of(fold, n_folds)
    return cells.order, cells.bounds, cells.tree()


@lru_cache(maxsize=2)  # whole leaves, and the last one
def _by_lane(n: int) -> tuple[np.ndarray, np.ndarray, kernels.RowTree]:
    order, tree = rows_by_lane(n)
    return order, np.array([0, n]), tree


def _targets_of(
    X: np.ndarray, order: np.ndarray, bounds: np.ndarray, targets: np.ndarray, shift: np.ndarray
) -> np.ndarray:
    """Target columns in groups of four, side by side, for the panel kernels."""
    n, width = targets.size, continuous.panel_width
    own = np.zeros((len(shift), padded(n)))
    own[:, :n] = shift[:, targets]
    panels = np.empty((padded(n) // width, order.size, width), X.dtype)
    kernels.pack_panels(X[:, targets], order, bounds, own, 0, len(panels), panels)
    return gather_targets(panels, own, bounds, list(range(n)))


def gather_targets(
    panels: np.ndarray, shift: np.ndarray, bounds: np.ndarray, targets: list[int]
) -> np.ndarray:
    """Packed target columns in groups of four, side by side, for the panel kernels."""
    y = np.zeros((-(-len(targets) // 4), panels.shape[1], 4))
    for k, group in enumerate(y):
        kernels.target_rows(
            panels, shift, bounds, np.array(targets[4 * k : 4 * k + 4], dtype=np.int64), group
        )
    return y
