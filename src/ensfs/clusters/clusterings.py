"""The clusterings of a random cluster ensemble, and their consensus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import cut_tree
from sklearn.base import clone
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from threadpoolctl import ThreadpoolController

from ensfs._core import clusters
from ensfs._utils.progress import task
from ensfs._utils.threads import checkpoint, for_blocks
from ensfs.measures import entropy, mutual_information

_CELLS = 1 << 21
_MOST_CLUSTERS = 1 << 15  # codes of clusters have 16 bits


@dataclass
class Round:
    """One clustering: its columns, the rows it drew, the cluster of all rows, and the changes."""

    estimator: Any
    columns: np.ndarray
    drawn: np.ndarray  # mask of the rows
    labels: np.ndarray
    changed: np.ndarray  # (rows not drawn, columns)


class Tasks:
    """Calls shared among threads, each with one thread inside."""

    def __init__(self, controller: ThreadpoolController, n_threads: int):
        self.controller = controller
        self.n_threads = n_threads

    def map(self, function: Any, items: Any) -> list[Any]:
        """The results in the order of the items."""
        out: list[Any] = [None] * len(items)

        def work(start: int, stop: int) -> None:
            # OpenMP keeps the number of threads for each calling thread
            with self.controller.limit(limits=1, user_api="openmp"):
                for i in range(start, stop):
                    checkpoint()
                    out[i] = function(items[i])
                    advance()

        with task("clustering", len(items)) as advance:
            for_blocks(work, len(items), self.n_threads, block=8)
        return out


def cluster_once(
    table: np.ndarray, m: int, clusterer: Any, limited: bool, rng: np.random.Generator
) -> Round:
    """Cluster a bootstrap sample in a random subspace, and permute the other rows."""
    n, p = table.shape
    rows = rng.integers(n, size=n)
    columns = np.sort(rng.choice(p, m, replace=False))
    values = np.ascontiguousarray(table[:, columns], dtype=np.float64)
    sample = values[rows]
    estimator = _with_seeds(clone(clusterer), rng)
    if limited:  # to no more clusters than there are distinct rows
        estimator.set_params(n_clusters=n_distinct_rows(sample, estimator.n_clusters))
    estimator.fit(sample)
    labels = _assign(estimator, values)
    drawn = np.zeros(n, dtype=bool)
    drawn[rows] = True
    changed = _changes(estimator, values[~drawn], labels[~drawn], rng)
    codes = np.unique(labels, return_inverse=True)[1]
    if codes.max() >= _MOST_CLUSTERS:
        raise ValueError(
            f"{estimator!r} made {codes.max() + 1} clusters; at most {_MOST_CLUSTERS} can be used."
        )
    return Round(estimator, columns, drawn, codes.astype(np.int16), changed)


def _changes(
    estimator: Any, values: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Which rows change their cluster when a column is permuted, for every column."""
    n, m = values.shape
    changed = np.zeros((n, m), dtype=bool)
    orders = [rng.permutation(n) for _ in range(m)]
    step = max(1, _CELLS // max(1, values.size))
    for start in range(0, m if n else 0, step):
        columns = np.arange(start, min(start + step, m))
        permuted = np.repeat(values[None], columns.size, axis=0)
        for copy, j in zip(permuted, columns, strict=True):
            copy[:, j] = values[orders[j], j]
        others = _assign(estimator, permuted.reshape(-1, m)).reshape(columns.size, n)
        for copy, j, other in zip(permuted, columns, others, strict=True):
            # Rounding may break a tie between clusters in another way: equal rows do not change
            changed[:, j] = (other != labels) & (copy[:, j] != values[:, j])
    return changed


def _assign(estimator: Any, values: np.ndarray) -> np.ndarray:
    """Cluster of every row: as predicted, or the nearest centre."""
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(values))
    if hasattr(estimator, "cluster_centers_"):
        return pairwise_distances_argmin(values, np.asarray(estimator.cluster_centers_))
    raise TypeError(
        f"{type(estimator).__name__} has neither predict nor cluster_centers_, so rows outside of "
        "a sample cannot be assigned to its clusters. Use another one, such as KMeans or Birch."
    )


def _with_seeds(estimator: Any, rng: np.random.Generator) -> Any:
    """The estimator with every random state in it set."""
    names = sorted(
        name
        for name in estimator.get_params()
        if name == "random_state" or name.endswith("__random_state")
    )
    return estimator.set_params(**{name: int(rng.integers(1 << 31)) for name in names})


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """A seed sequence for any kind of random state."""
    return np.random.SeedSequence(
        check_random_state(random_state).randint(1 << 32, size=4, dtype=np.uint32).tolist()
    )


def scaled(values: np.ndarray, how: bool | str) -> np.ndarray:
    """Columns from 0 to 1 ("range"), or with mean 0 and deviation 1; constant ones are 0."""
    width = np.ptp(values, axis=0)
    start = values.min(axis=0) if how == "range" else values.mean(axis=0, dtype=np.float64)
    moved = values - start
    moved[:, width == 0] = 0.0
    if how == "range":
        return moved / np.where(width == 0, 1.0, width)
    moved /= np.ldexp(1.0, np.frexp(width)[1])  # exactly, so that squares do not vanish
    scale = moved.std(axis=0)
    return moved / np.where(scale == 0, 1.0, scale)


def n_distinct_rows(values: np.ndarray, enough: int) -> int:
    """Number of distinct rows, as far as there are not enough."""
    if any(np.unique(column).size >= enough for column in values.T):
        return enough  # sorting whole rows costs much more
    return min(enough, len(np.unique(values, axis=0)))


def davies_bouldin(values: np.ndarray, labels: np.ndarray) -> float:
    """Davies-Bouldin index; that of scikit-learn takes longer than k-means itself."""
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    centres = np.zeros((sizes.size, values.shape[1]))
    np.add.at(centres, labels, values)
    centres /= sizes[:, None]
    radii = np.bincount(labels, np.linalg.norm(values - centres[labels], axis=1)) / sizes
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)
    apart[apart == 0] = np.inf
    return float(((radii[:, None] + radii) / apart).max(axis=1).mean())


def row_distances(
    partitions: np.ndarray, drawn: np.ndarray, by_pairs: bool, n_threads: int
) -> np.ndarray:
    """One minus the share of clusterings in which two rows share a cluster, pairs in a vector."""
    together = _count_pairs(np.where(drawn, partitions, -1).astype(np.int16), n_threads)
    if not by_pairs:
        return 1.0 - together / len(partitions)
    both = _count_pairs(np.where(drawn, 0, -1).astype(np.int16), n_threads)
    return 1.0 - together / np.maximum(both, 1)


def _count_pairs(labels: np.ndarray, n_threads: int) -> np.ndarray:
    n = labels.shape[1]
    counts = np.zeros(n * (n - 1) // 2, dtype=np.uint16)

    def work(start: int, stop: int) -> None:
        clusters.co_association(labels, start, stop, counts)

    for_blocks(work, n, n_threads, block=64, cells=labels.size)
    return counts


def average_nmi(partitions: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Mean over the partitions of I / sqrt(H H'), for every cut; 0 with a single cluster."""
    bits = entropy(partitions)
    out = np.zeros(cuts.shape[1])
    for c, (cut, of_cut) in enumerate(zip(cuts.T, entropy(cuts), strict=True)):
        product = bits * of_cut
        shared = mutual_information(partitions, cut)
        out[c] = np.mean(shared / np.sqrt(np.where(product > 0, product, 1.0)))
    return out


def cut_labels(tree: np.ndarray, numbers: Sequence[int]) -> np.ndarray:
    """Labels of the rows for each number of clusters, which rise. Every row may be a cluster."""
    n = len(tree) + 1
    below = [k for k in numbers if k < n]
    cuts = cut_tree(tree, n_clusters=below) if below else np.empty((n, 0), dtype=np.int64)
    # beside others, SciPy's cut into n clusters is one cluster
    return np.column_stack([cuts, np.arange(n)]) if n in numbers else cuts


def numbered_by_first_row(labels: np.ndarray) -> np.ndarray:
    """The same clusters, numbered in the order of their first rows."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
