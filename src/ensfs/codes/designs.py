"""Designs of codes: a word of -1, 0 and 1 for each class, a dichotomy of classes in each column."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from math import comb

import numpy as np

from ensfs._utils.checks import check_integer
from ensfs._utils.warn import warn_user
from ensfs.codes.strength import has_both_signs, min_row_distance

#: Candidates for columns are drawn so many times as often as columns are needed.
_SPARE = 2

#: Rounds in which no new column was found before a draw gives up.
_PATIENCE = 200


def one_vs_all(n_classes: int) -> np.ndarray:
    """A column for each class: it against all others.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_classes)
    """
    n_classes = check_integer("n_classes", n_classes, 2)
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def one_vs_one(n_classes: int) -> np.ndarray:
    """A column for each pair of classes, in lexicographic order: 1 for the first, -1 for the other.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_classes * (n_classes - 1) / 2)

    Examples
    --------
    >>> from ensfs.codes import one_vs_one
    >>> one_vs_one(3)
    array([[ 1,  1,  0],
           [-1,  0,  1],
           [ 0, -1, -1]], dtype=int8)
    """
    n_classes = check_integer("n_classes", n_classes, 2)
    pairs = list(combinations(range(n_classes), 2))
    code = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    for column, (first, second) in enumerate(pairs):
        code[first, column], code[second, column] = 1, -1
    return code


def binary_code(n_classes: int) -> np.ndarray:
    """The shortest code: binary digits of the number of the class, most significant first.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of int8, shape (n_classes, ceil(log2(n_classes)))
        -1 for the digit 0.
    """
    return words_to_code(np.arange(check_integer("n_classes", n_classes, 2)))


def gray_code(n_classes: int) -> np.ndarray:
    """A shortest code in which the words of neighbouring classes differ in one column.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of int8, shape (n_classes, ceil(log2(n_classes)))

    Examples
    --------
    >>> from ensfs.codes import gray_code
    >>> ["".join("1" if c > 0 else "0" for c in word) for word in gray_code(8)]
    ['000', '001', '011', '010', '110', '111', '101', '100']
    """
    numbers = np.arange(check_integer("n_classes", n_classes, 2))
    return words_to_code(numbers ^ (numbers >> 1))


def words_to_code(words: np.ndarray) -> np.ndarray:
    """Code of minimal length from the word of each class as a number."""
    n_digits = n_minimal_columns(len(words))
    digits = (np.asarray(words)[:, None] >> np.arange(n_digits)[::-1]) & 1
    return (2 * digits - 1).astype(np.int8)


def n_minimal_columns(n_classes: int) -> int:
    """Columns of a shortest code: the least number with ``2 ** number >= n_classes``."""
    return (n_classes - 1).bit_length()


def dense_code(n_classes: int, n_columns="auto", *, rng=None, n_draws=1000, duplicates=False):
    """Random dichotomies of all classes: 1 or -1, each with probability one half.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    n_columns : int or "auto", default="auto"
        How many; "auto" is the least whole number that is not below 10 log2(n_classes), or all
        dichotomies if there are fewer.
    rng : int or Generator, optional
        Source of randomness.
    n_draws : int, default=1000
        Codes that are drawn; the one with the largest least distance between two words is taken.
    duplicates : bool, default=False
        Whether a dichotomy may come more than once.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_columns)

    References
    ----------
    E. L. Allwein, R. E. Schapire and Y. Singer (2000), Reducing multiclass to binary: a unifying
    approach for margin classifiers, JMLR 1, 113-141.
    """
    return random_code("dense", n_classes, n_columns, rng, n_draws, duplicates)


def sparse_code(n_classes: int, n_columns="auto", *, rng=None, n_draws=1000, duplicates=False):
    """Random dichotomies of some classes: 0 with probability one half, 1 and -1 with one quarter.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    n_columns : int or "auto", default="auto"
        How many; "auto" is the least whole number that is not below 15 log2(n_classes), or all
        columns that exist if there are fewer.
    rng : int or Generator, optional
        Source of randomness.
    n_draws : int, default=1000
        Codes that are drawn; the one with the largest least distance between two words is taken.
    duplicates : bool, default=False
        Whether a dichotomy may come more than once.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_columns)
    """
    return random_code("sparse", n_classes, n_columns, rng, n_draws, duplicates)


def balanced_code(n_classes: int, n_columns="auto", *, rng=None, n_draws=1000, duplicates=False):
    """Random dichotomies with as many classes on either side, or one more if their number is odd.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    n_columns : int or "auto", default="auto"
        How many; "auto" is as for `dense_code`.
    rng : int or Generator, optional
        Source of randomness.
    n_draws : int, default=1000
        Codes that are drawn; the one with the largest least distance between two words is taken.
    duplicates : bool, default=False
        Whether a dichotomy may come more than once.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_columns)

    References
    ----------
    R. S. Smith and T. Windeatt (2010), Facial expression detection using filtered local binary
    pattern features with ECOC classifiers and Platt scaling, SUEMA workshop, JMLR W&CP 11.
    """
    return random_code("balanced", n_classes, n_columns, rng, n_draws, duplicates)


def n_existing_columns(kind: str, n_classes: int) -> int:
    """Number of different columns of a random design; a column and its complement are the same."""
    if kind == "dense":
        return 2 ** (n_classes - 1) - 1
    if kind == "sparse":
        return (3**n_classes - 2 ** (n_classes + 1) + 1) // 2
    return comb(n_classes, n_classes // 2) // (1 + (n_classes % 2 == 0))


def n_usual_columns(kind: str, n_classes: int) -> int:
    """ceil(10 log2(n)), for sparse codes ceil(15 log2(n)), without rounding."""
    power = 15 if kind == "sparse" else 10
    return (n_classes**power - 1).bit_length()


def random_code(
    kind: str, n_classes: int, n_columns: int | str, rng, n_draws: int, duplicates: bool
) -> np.ndarray:
    """Of several random codes the one with the largest least distance, of equal ones the first."""
    n_classes = check_integer("n_classes", n_classes, 2)
    exist = n_existing_columns(kind, n_classes)
    if isinstance(n_columns, str):
        wanted = n_usual_columns(kind, n_classes)
        wanted = wanted if duplicates else min(wanted, exist)
    else:
        wanted = check_integer("n_columns", n_columns, 1)
    if wanted > exist and not duplicates:
        warn_user(
            f"n_columns={wanted} is more than the {exist} different {kind} columns for {n_classes} "
            "classes; all of them are taken. Set duplicates=True to repeat some."
        )
    if wanted >= exist and not duplicates:
        return _all_columns(kind, n_classes)
    rng, best, largest = np.random.default_rng(rng), None, -1.0
    for _ in range(n_draws):
        code = _draw_columns(kind, n_classes, wanted, rng, duplicates)
        distance = min_row_distance(code)
        if distance > largest and len(np.unique(code, axis=0)) == n_classes:
            best, largest = code, distance
    if best is None:
        raise ValueError(
            f"n_columns must allow a different word for each of the {n_classes} classes; none of "
            f"{n_draws} {kind} codes with n_columns={wanted} had them."
        )
    return best


def _draw_columns(
    kind: str, n_classes: int, n_columns: int, rng: np.random.Generator, duplicates: bool
) -> np.ndarray:
    """Columns in the order in which they were drawn; repeated and complementary ones left out."""
    found = np.zeros((n_classes, 0), dtype=np.int8)
    for _ in range(_PATIENCE * n_columns):
        more = _DRAWS[kind](n_classes, _SPARE * n_columns, rng)
        found = np.hstack([found, more[:, has_both_signs(more)]])
        if not duplicates:
            _, first = np.unique(_oriented(found), axis=1, return_index=True)
            found = found[:, np.sort(first)]
        if found.shape[1] >= n_columns:
            return found[:, :n_columns]
    raise ValueError(  # pragma: no cover - needs bad luck, with nearly all columns wanted
        f"n_columns must be smaller; {n_columns} different {kind} columns were not found."
    )


def _oriented(code: np.ndarray) -> np.ndarray:
    """Each column or its complement: the one whose first entry that is not 0 is 1."""
    first = (code != 0).argmax(axis=0)
    return code * code[first, np.arange(code.shape[1])]


def _all_columns(kind: str, n_classes: int) -> np.ndarray:
    """All different columns of a design."""
    entries = (1, -1, 0) if kind == "sparse" else (1, -1)
    columns = np.array(list(product(entries, repeat=n_classes)), dtype=np.int8).T
    columns = columns[:, has_both_signs(columns)]
    columns = columns[:, (columns == _oriented(columns)).all(axis=0)]
    if kind == "balanced":
        columns = columns[:, np.abs(columns.sum(axis=0, dtype=int)) <= 1]
    return columns


def _draw_dense(n_classes: int, n: int, rng: np.random.Generator) -> np.ndarray:
    return (2 * rng.integers(2, size=(n_classes, n)) - 1).astype(np.int8)


def _draw_sparse(n_classes: int, n: int, rng: np.random.Generator) -> np.ndarray:
    return np.array([0, 0, 1, -1], dtype=np.int8)[rng.integers(4, size=(n_classes, n))]


def _draw_balanced(n_classes: int, n: int, rng: np.random.Generator) -> np.ndarray:
    n_ones = np.full(n, n_classes // 2) + rng.integers(1 + n_classes % 2, size=n)
    places = rng.permuted(np.tile(np.arange(n_classes)[:, None], (1, n)), axis=0)
    return np.where(places < n_ones, 1, -1).astype(np.int8)


_DRAWS: dict[str, Callable[[int, int, np.random.Generator], np.ndarray]] = {
    "dense": _draw_dense,
    "sparse": _draw_sparse,
    "balanced": _draw_balanced,
}
