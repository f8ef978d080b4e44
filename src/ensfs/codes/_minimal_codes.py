"""Codes with as few columns as possible: all of them, repair, and one form for equal designs.

A design is a sorted tuple of dichotomies. A dichotomy is a number whose binary digits are the sides
of the classes, class 0 first and always 0: complements and orders of columns do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ensfs.codes.designs import n_minimal_columns, words_to_code

#: Classes for which all designs are tried.
MOST_EXHAUSTIVE = 8

Design = tuple[int, ...]


def design_of(code: np.ndarray) -> Design:
    """The design of a code."""
    sides = (code == 1) != (code[0] == 1)
    return tuple(sorted(int("".join("01"[int(side)] for side in column), 2) for column in sides.T))


def code_of(design: Design, n_classes: int) -> np.ndarray:
    """The code of a design with the least number: class 0 has -1 in all columns."""
    places = range(n_classes)[::-1]
    digits = [[(dichotomy >> place) & 1 for dichotomy in design] for place in places]
    return (2 * np.array(digits) - 1).astype(np.int8)


def chromosome_number(design: Design, n_classes: int) -> int:
    """The words of a design, row after row, as one binary number."""
    return int("".join("01"[int(entry > 0)] for entry in code_of(design, n_classes).ravel()), 2)


def all_designs(n_classes: int) -> Iterator[Design]:
    """All designs of minimal length; there are 1, 3, 3, 140, 420, 840, 840 for 2 to 8 classes."""
    n_columns = n_minimal_columns(n_classes)
    most = 2 ** (n_columns - 1)  # words with the same digit in a column
    sides = [d for d in range(1, 2 ** (n_classes - 1)) if n_classes - most <= d.bit_count() <= most]
    for design in combinations(sides, n_columns):
        if len(np.unique(code_of(design, n_classes), axis=0)) == n_classes:
            yield design


def repaired_words(words: np.ndarray, n_digits: int) -> np.ndarray:
    """Different words: a repeated one becomes the nearest that no class before it has.

    Of equally near words the smallest number is taken. A later class may have it, and is then
    repaired in its turn.
    """
    words = words.copy()
    taken: set[int] = set()
    for place, word in enumerate(words.tolist()):
        if word in taken:
            word = words[place] = nearest_free(word, taken, n_digits)
        taken.add(word)
    return words


def nearest_free(word: int, taken: set[int], n_digits: int) -> int:
    """The free word with the fewest digits that differ, of equal ones the smallest."""
    digits = [1 << place for place in range(n_digits)]
    for distance in range(1, n_digits + 1):
        near = (word ^ sum(flipped) for flipped in combinations(digits, distance))
        free = [each for each in near if each not in taken]
        if free:
            return min(free)
    raise ValueError(f"n_digits must allow more than {len(taken)} words; got {n_digits}.")


def words_of_bits(bits: np.ndarray, n_digits: int) -> np.ndarray:
    """The words of a chromosome: the digits of class 0 first, most significant first."""
    return bits.reshape(-1, n_digits).astype(np.int64) @ (1 << np.arange(n_digits)[::-1])


def repaired_bits(bits: np.ndarray, n_digits: int) -> np.ndarray:
    """A chromosome with different words."""
    words = repaired_words(words_of_bits(bits, n_digits), n_digits)
    return ((words_to_code(words) + 1) // 2).ravel().astype(np.int8)
