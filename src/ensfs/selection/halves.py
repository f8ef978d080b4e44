"""Complementary half samples of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.members import make_generator
from ensfs.data.folds import make_folds
from ensfs.statistics import Resampling

#: Fewer folds have so few halves that many of them would be the same.
LEAST_FOLDS = 8


def halves_of_folds(
    folds: Any, n_folds: int, n_parts: int, n_rows: int, y: Any, random_state: Any
) -> Resampling:
    """Halves that are unions of folds: parts ``2b`` and ``2b + 1`` are a random half and the rest.

    Parameters
    ----------
    folds : "interleaved", "blocks", int, array-like or splitter
        How rows go to folds; see `make_folds`.
    n_folds : int
        Number of folds if `folds` is a word; fewer if there are not two rows for each.
    n_parts : int
        Number of halves, even.
    n_rows : int
        Number of rows.
    y : array-like
        Target, for splitters that ask for one.
    random_state : int, RandomState, Generator or None
        Draws the halves.

    Returns
    -------
    Resampling
    """
    n_folds = min(n_folds, n_rows // 2 // 2 * 2)
    if n_folds < LEAST_FOLDS:
        raise ValueError(f"Halves need at least {2 * LEAST_FOLDS} rows; got n_samples = {n_rows}.")
    fold, n_folds = make_folds(folds, n_rows, n_folds, y)
    if n_folds % 2 or n_folds < LEAST_FOLDS:
        raise ValueError(
            f"Halves need an even number of folds, at least {LEAST_FOLDS}; got {n_folds}."
        )
    return Resampling.halves(fold, n_folds, n_parts, make_generator(random_state))


def halves_of_rows(n_pairs: int, n_rows: int, random_state: Any) -> list[Resampling]:
    """Pairs of halves of the rows; if their number is odd, each pair leaves one row out."""
    if n_rows < 2:
        raise ValueError(f"Halves need at least 2 rows; got n_samples = {n_rows}.")
    rng, size = make_generator(random_state), n_rows // 2
    pairs = []
    for _ in range(n_pairs):
        order = rng.permutation(n_rows)
        half = np.full(n_rows, 2)
        half[order[:size]], half[order[size : 2 * size]] = 0, 1
        pairs.append(_pair(half))
    return pairs


def given_halves(first: Any, n_rows: int) -> list[Resampling]:
    """Pairs from a boolean array (n_pairs, n_rows), True for rows of the first half."""
    masks = np.asarray(first)
    if masks.dtype != bool or masks.ndim != 2 or masks.shape[1] != n_rows or not len(masks):
        raise ValueError(
            "subsample must be 'folds', 'rows' or a boolean array with a row for each pair and a "
            f"value for each of the {n_rows} rows of the table; got the type {masks.dtype} and the "
            f"shape {masks.shape}."
        )
    one_sided = masks.all(axis=1) | ~masks.any(axis=1)
    if one_sided.any():
        raise ValueError(f"Pair {int(np.argmax(one_sided))} of subsample has an empty half.")
    return [_pair(np.where(mask, 0, 1)) for mask in masks]


def _pair(half: np.ndarray) -> Resampling:
    """The two halves of a pair; rows of number 2 are in neither.

    The first half is fold 1, so that part ``t`` is all rows but those of fold ``t``, and the search
    is that of leave-one-out parts.
    """
    fold = np.where(half == 2, 2, 1 - half)
    membership = np.zeros((2, int(fold.max()) + 1), dtype=bool)
    membership[0, 1] = membership[1, 0] = True
    return Resampling(fold, membership)


def has_halves(ensemble: Any) -> bool:
    """Whether the parts of an ensemble are halves, not leave-one-out parts that share rows."""
    return getattr(ensemble, "parts", "halves") == "halves"


def describe_parts(ensemble: Any) -> str:
    """What the parts of an ensemble are, and so what their stability tells."""
    return "halves of the rows" if has_halves(ensemble) else "parts that share most rows"
