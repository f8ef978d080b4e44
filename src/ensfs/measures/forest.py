"""Forests on columns and their contrasts: permuted copies that can only matter by chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ensfs._core import forest
from ensfs._utils.progress import counted
from ensfs._utils.threads import for_blocks
from ensfs.data.target import Target

#: Entries of the associations that are held at a time.
_CELLS = 1 << 22

#: Groups of classes that the trees of a forest explain, at most.
_MOST_GROUPS = 32


@dataclass(frozen=True)
class ForestTarget:
    """A target as the trees want it: standardized numbers, classes, or groups of classes.

    Two classes are numbers as well: Gini's impurity is twice the variance of 0 and 1. Groups take
    the time of two classes for any number of them: each tree explains one half of the classes
    against the other, drawn at random.

    Attributes
    ----------
    values : ndarray of float64 or None
        Mean 0, variance 1.
    classes : ndarray of int32 or None
        Class numbers.
    n_classes : int
        Number of classes; 0 for numbers.
    outputs : ndarray of shape (n_outputs, n) or None
        A number for each class, of which the trees explain sums over half of them; the rows sum up
        to a constant, and their variances to 1.
    scale : float
        What brings the decreases of impurity in the trees to the unit of importance, which is a
        share of the impurity of the first target.
    """

    values: np.ndarray | None
    classes: np.ndarray | None = None
    n_classes: int = 0
    scale: float = 1.0
    outputs: np.ndarray | None = None

    @classmethod
    def of_numbers(
        cls, y: np.ndarray, scale: float = 1.0, weight: np.ndarray | None = None
    ) -> ForestTarget:
        """Numbers, with variance as impurity."""
        return cls(standardized(y, weight), scale=scale)

    @classmethod
    def of_classes(
        cls, codes: np.ndarray, n_classes: int, weight: np.ndarray | None = None
    ) -> ForestTarget:
        """Classes, with Gini's impurity."""
        if n_classes <= 2:
            return cls.of_numbers(codes, weight=weight)
        classes = np.ascontiguousarray(codes, dtype=np.int32)
        # which is 0 where one class has all the weight but for rounding
        return cls(None, classes, n_classes, 1.0 / (gini_impurity(codes, weight) or 1.0))

    @classmethod
    def of_groups(
        cls, outputs: np.ndarray, scale: float = 1.0, weight: np.ndarray | None = None
    ) -> ForestTarget:
        """Indicators of classes, or what is left of them: columns with a constant sum.

        A tree explains the sum of a random half of them minus that of the others. The decrease of
        impurity of a split is then, on average over the halves, `m / (m - 1)` times its sum over
        the classes where their number ``m`` is even, and `(m + 1) / m` times where it is odd.
        """
        m = outputs.shape[1]
        if m == 2:
            return cls.of_numbers(outputs[:, 1], scale, weight)
        away = (outputs - np.average(outputs, axis=0, weights=weight)).T
        away /= math.sqrt(float(np.average(np.sum(away**2, axis=0), weights=weight)))
        more = m / (m - 1) if m % 2 == 0 else (m + 1) / m
        return cls(None, scale=scale / more, outputs=np.ascontiguousarray(away))

    def half(self, rng: np.random.Generator) -> np.ndarray:
        """The sum of a random half of the outputs minus that of the others."""
        assert self.outputs is not None
        m = len(self.outputs)
        return rng.permutation(np.where(np.arange(m) < m // 2, 1.0, -1.0)) @ self.outputs


def standardized(y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Numbers with mean 0 and variance 1, however large or small they were; constants as zeros."""
    y = np.asarray(y, dtype=np.float64)
    y = y / max(np.abs(y).max(), np.finfo(float).tiny)  # squares neither overflow nor vanish
    y = y - np.average(y, weights=weight)
    y = y / max(np.abs(y).max(), np.finfo(float).tiny)
    deviation = y.std() if weight is None else math.sqrt(np.average(y * y, weights=weight))
    return y / deviation if deviation > 0.0 else y


def gini_impurity(codes: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Gini's impurity of classes."""
    shares = np.bincount(codes, weight) / (codes.size if weight is None else weight.sum())
    return float(1.0 - np.sum(shares**2))


@dataclass(frozen=True)
class Replicate:
    """What one forest says.

    Attributes
    ----------
    importances, contrasts : ndarray of shape (p,)
        Out-of-bag decrease of impurity of every column and of every contrast, mean over trees.
    masking, contrast_masking : ndarray of shape (p, p)
        Entry ``[i, j]``: how well column (or contrast) ``j`` stands in where ``i`` splits; empty
        if it was not asked for.
    """

    importances: np.ndarray
    contrasts: np.ndarray
    masking: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    contrast_masking: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))


@dataclass
class ContrastForest:
    """Trees on codes and on freshly permuted copies of them.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n, p), Fortran order
        At most 256 levels.
    nominal : ndarray of uint8, shape (p,)
        1 where levels have no order.
    target : ForestTarget
        What the trees explain.
    n_trees, max_depth, min_leaf, n_candidates, n_threads : int
        Size of the forest, limits of a tree, columns tried at a node, threads.
    weight : ndarray of shape (n,), optional
        How likely each row is drawn into the bag, and how much it counts out of it.
    """

    codes: np.ndarray
    nominal: np.ndarray
    target: ForestTarget
    n_trees: int
    max_depth: int
    min_leaf: int
    n_candidates: int
    n_threads: int = 1
    weight: np.ndarray | None = None
    _permuted: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._permuted = np.empty_like(self.codes)

    def replicate(self, seed: np.random.SeedSequence, *, masking: bool = False) -> Replicate:
        """New contrasts and a new forest; the same for the same seed and any number of threads."""
        p = self.codes.shape[1]
        seeds = seed.generate_state(p + self.n_trees, dtype=np.uint64).astype(np.uint64)
        for_blocks(
            lambda start, stop: forest.permute_columns(
                self.codes, seeds[:p], start, stop, self._permuted
            ),
            p,
            self.n_threads,
            cells=self.codes.shape[0],
        )
        if masking:
            return self._with_masking(seeds[p:])
        importances = self._grow(seeds[p:], None)
        return Replicate(importances[:p], importances[p:])

    def _explained(self, seeds: np.ndarray) -> list[forest.TreeTarget]:
        """What the trees explain, one after the other: all the same, or groups in turn."""
        target = self.target
        if target.outputs is None:
            return [forest.TreeTarget(target.values, target.classes, target.n_classes)]
        rng = np.random.default_rng(int(seeds[0]))
        n_groups = min(_MOST_GROUPS, seeds.size)
        return [forest.TreeTarget(target.half(rng)) for _ in range(n_groups)]

    def _grow(self, seeds: np.ndarray, nodes: _Nodes | None) -> np.ndarray:
        """Mean importances over the trees of these seeds."""
        n, p = self.codes.shape
        target = self.target
        importances = np.empty((seeds.size, 2 * p))
        width = max(2, target.n_classes)

        so_far = None if self.weight is None else np.cumsum(self.weight)
        table = forest.TreeTable(self.codes, self._permuted, self.nominal, self.weight, so_far)
        explained = self._explained(seeds)
        ends = np.linspace(0, seeds.size, len(explained) + 1).astype(int)

        def work(start: int, stop: int) -> None:
            workspace = forest.TreeWorkspace(
                width, self.max_depth, np.empty((2, n), dtype=np.int32), np.empty((5, n)),
                np.empty(2 * p, dtype=np.int32), np.empty(256 * (width + 2) + 4 * width),
                np.empty(5 * (self.max_depth + 2), dtype=np.int64),
            )  # fmt: skip
            for g, each in enumerate(explained):
                first, last = np.clip(ends[g : g + 2], start, stop)
                forest.grow(
                    table, each, seeds, self.n_candidates, self.max_depth, self.min_leaf, first,
                    last, workspace, importances, None if nodes is None else nodes.arrays,
                )  # fmt: skip

        cells = n * self.n_candidates * min(self.max_depth, 16)
        for_blocks(work, seeds.size, self.n_threads, cells=cells)
        return importances.sum(axis=0) * (target.scale / self.n_trees)

    def _with_masking(self, seeds: np.ndarray) -> Replicate:
        """Trees in batches, so that the associations of their nodes fit into little memory."""
        n, p = self.codes.shape
        most_nodes = min(2**self.max_depth - 1, n // self.min_leaf)
        batch = max(1, min(seeds.size, _CELLS // (2 * p * max(1, most_nodes))))
        importances = np.zeros(2 * p)
        masking = np.zeros((p, 2 * p))
        for start in range(0, seeds.size, batch):
            part = np.ascontiguousarray(seeds[start : start + batch])
            nodes = _Nodes(part.size, max(1, most_nodes), 2 * p)
            importances += self._grow(part, nodes)
            nodes.add_to(masking)
        masking *= self.target.scale / self.n_trees
        return Replicate(importances[:p], importances[p:], masking[:, :p], masking[:, p:])


class _Nodes:
    """The nodes of a batch of trees that columns split, and how all columns stand in there."""

    def __init__(self, n_trees: int, most_nodes: int, n_columns: int):
        self.counts = np.zeros(n_trees, dtype=np.int32)
        self.columns = np.empty((n_trees, most_nodes), dtype=np.int32)
        self.gains = np.empty((n_trees, most_nodes))
        self.associations = np.empty((n_trees, most_nodes, n_columns))

    @property
    def arrays(self) -> forest.TreeNodes:
        """As the kernel takes them."""
        return forest.TreeNodes(self.counts, self.columns, self.gains, self.associations)

    def add_to(self, masking: np.ndarray) -> None:
        """Add gain times association to the row of the splitting column, tree after tree."""
        for t, count in enumerate(self.counts):
            terms = self.gains[t, :count, None] * self.associations[t, :count]
            np.add.at(masking, self.columns[t, :count], terms)


def corrected_importances(
    codes: np.ndarray,
    nominal: np.ndarray,
    target: Target,
    *,
    weight: np.ndarray | None = None,
    n_trees: int = 500,
    n_contrasts: int = 5,
    max_depth: int = 12,
    min_leaf: int = 2,
    n_candidates: int | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Importance of every column in a forest, and that of its permuted copies.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, p), Fortran order
        The columns as `Table.bins` gives them.
    nominal : ndarray of bool, shape (p,)
        Where levels have no order.
    target : Target
        Classes or numbers.
    weight : ndarray of shape (n,), optional
        Weight of each row: a tree draws rows as often as their weights say, and rows out of the bag
        count as much as they weigh.
    n_trees, n_contrasts : int
        Trees in all, and how often the copies are permuted anew.
    max_depth, min_leaf : int
        Limits of a tree.
    n_candidates : int, optional
        Columns and copies that are tried at a node; by default the square root of their number,
        twice that for numbers.
    seed : int
        Of the trees and permutations.
    n_threads : int
        Threads; the result does not depend on them.

    Returns
    -------
    importances, contrasts : ndarray of shape (n_features,)
        Out-of-bag decrease of impurity, as a share of the impurity of the target.
    """
    p = codes.shape[1]
    if target.constant:
        return np.zeros(p), np.zeros(p)
    numeric = target.kind == "numeric"
    if n_candidates is None:
        n_candidates = min(2 * p, math.ceil((2 if numeric else 1) * math.sqrt(2 * p)))
    of_target = (
        ForestTarget.of_numbers(target.values, weight=weight)
        if numeric
        else ForestTarget.of_classes(target.codes, len(target.classes), weight)
    )
    n_replicates = min(n_contrasts, n_trees)
    forest_of = ContrastForest(
        codes, np.ascontiguousarray(nominal, dtype=np.uint8), of_target,
        -(-n_trees // n_replicates), max_depth, min_leaf, n_candidates, n_threads,
        weight,
    )  # fmt: skip
    seeds = np.random.SeedSequence(seed).spawn(n_replicates)
    replicates = [forest_of.replicate(each) for each in counted("growing", n_replicates, seeds)]
    return (
        np.mean([each.importances for each in replicates], axis=0),
        np.mean([each.contrasts for each in replicates], axis=0),
    )
