"""Designs of codes and their strength, against enumeration and the numbers of the papers."""

from itertools import combinations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import codes
from ensfs.codes.designs import (
    n_existing_columns,
    n_minimal_columns,
    n_usual_columns,
    words_to_code,
)
from ensfs.codes.strength import check_code, row_distances

RANDOM = {
    "dense": codes.dense_code,
    "sparse": codes.sparse_code,
    "balanced": codes.balanced_code,
}


def slow_columns(kind, n_classes):
    """All columns of a kind with both signs, one of each pair of complements."""
    found = set()
    for column in product((-1, 0, 1) if kind == "sparse" else (-1, 1), repeat=n_classes):
        ones, others = column.count(1), column.count(-1)
        if ones and others and (kind != "balanced" or abs(ones - others) <= 1):
            found.add(max(column, tuple(-c for c in column)))
    return found


def slow_distance(first, second):
    """Columns that differ, with a 0 as one half."""
    return sum((1 - int(a) * int(b)) / 2 for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("n_classes", range(2, 8))
@pytest.mark.parametrize("kind", RANDOM)
def test_how_many_columns_exist(kind, n_classes):
    expected = slow_columns(kind, n_classes)
    assert n_existing_columns(kind, n_classes) == len(expected)
    with pytest.warns(UserWarning, match=f"more than the {len(expected)} different {kind}"):
        code = RANDOM[kind](n_classes, 10_000, rng=0)
    found = {max(tuple(c), tuple(-c)) for c in code.T}
    assert found == expected
    assert code.shape[1] == len(expected)


def test_known_numbers_of_columns():
    asked = {3: (16, 24), 4: (20, 30), 5: (24, 35), 6: (26, 39), 7: (29, 43), 8: (30, 45)}
    exist = {3: (3, 6), 4: (7, 25), 5: (15, 90), 6: (31, 301), 7: (63, 966), 8: (127, 3025)}
    asked[10], exist[10] = (34, 50), (511, 28501)
    for n in asked:
        assert (n_usual_columns("dense", n), n_usual_columns("sparse", n)) == asked[n]
        assert (n_existing_columns("dense", n), n_existing_columns("sparse", n)) == exist[n]
    assert n_existing_columns("balanced", 12) == 462
    assert n_existing_columns("balanced", 6) == 10
    assert n_minimal_columns(2**29) == 29  # math.log(2**29, 2) is above 29
    assert n_usual_columns("dense", 2**29) == 290


@settings(deadline=None, max_examples=40)
@given(
    kind=st.sampled_from(sorted(RANDOM)),
    n_classes=st.integers(2, 9),
    share=st.floats(0.0, 1.0),
    seed=st.integers(0, 2**32 - 1),
)
def test_random_codes_are_valid(kind, n_classes, share, seed):
    exist = min(n_existing_columns(kind, n_classes), 40)
    least = min(exist, n_classes)  # enough for different words in practice
    n_columns = least + int(share * (exist - least))
    code = RANDOM[kind](n_classes, n_columns, rng=seed, n_draws=5)
    assert code.shape == (n_classes, n_columns)
    np.testing.assert_array_equal(check_code(code, n_classes), code)
    assert len({max(tuple(c), tuple(-c)) for c in code.T}) == n_columns
    if kind == "balanced":
        assert (abs(code.sum(axis=0)) == n_classes % 2).all()
    if kind == "dense":
        assert (code != 0).all()
    again = RANDOM[kind](n_classes, n_columns, rng=seed, n_draws=5)
    np.testing.assert_array_equal(code, again)


def test_more_draws_are_no_weaker():
    for kind in RANDOM:
        few, many = (RANDOM[kind](9, 12, rng=3, n_draws=n) for n in (1, 200))
        assert codes.min_row_distance(many) >= codes.min_row_distance(few)


def test_automatic_sizes_take_what_exists_without_a_warning():
    shapes = [codes.dense_code(n, rng=0).shape[1] for n in (2, 3, 4, 5, 6)]
    assert shapes == [1, 3, 7, 15, 26]
    assert codes.sparse_code(3, rng=0).shape == (3, 6)


def test_duplicates_are_kept_on_request():
    """Zor's fifty columns of five classes, and two classes whose code is that of bagging."""
    code = codes.dense_code(5, 50, rng=0, duplicates=True)
    assert code.shape == (5, 50)
    assert len({max(tuple(c), tuple(-c)) for c in code.T}) < 50
    assert codes.dense_code(2, rng=0, duplicates=True, n_draws=3).shape == (2, 10)


def test_too_few_columns():
    with pytest.raises(ValueError, match="n_columns must allow a different word"):
        codes.dense_code(5, 2, rng=0, n_draws=50)


@pytest.mark.parametrize("design", [codes.one_vs_all, codes.one_vs_one, codes.gray_code])
def test_designs_need_two_classes(design):
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 2; got 1"):
        design(1)


def test_fixed_designs():
    assert codes.one_vs_all(3).tolist() == [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    assert codes.one_vs_one(3).tolist() == [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    gray = ["".join("1" if c > 0 else "0" for c in word) for word in codes.gray_code(8)]
    assert gray == "000 001 011 010 110 111 101 100".split()
    assert codes.binary_code(5).tolist() == [
        [-1, -1, -1], [-1, -1, 1], [-1, 1, -1], [-1, 1, 1], [1, -1, -1]
    ]  # fmt: skip
    for n in range(2, 40):
        for design in (codes.binary_code, codes.gray_code):
            check_code(design(n), n)
            assert design(n).shape[1] == int(np.ceil(np.log2(n)))


def test_words_of_neighbours_differ_in_one_column():
    code = codes.gray_code(16)
    assert ((code[1:] != code[:-1]).sum(axis=1) == 1).all()


@given(st.data())
def test_strength(data):
    n_classes, n_columns = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 8))
    entries = st.lists(st.sampled_from((-1, 0, 1)), min_size=n_columns, max_size=n_columns)
    code = np.array(data.draw(st.lists(entries, min_size=n_classes, max_size=n_classes)))
    expected = [[slow_distance(a, b) for b in code] for a in code]
    np.testing.assert_array_equal(row_distances(code), expected)
    least = min(slow_distance(a, b) for a, b in combinations(code, 2))
    assert codes.min_row_distance(code) == least
    assert codes.n_correctable(code) == max(0, int((least - 1) // 2))


def test_strength_of_known_codes():
    """One against all differs in two columns; pairs: one column differs, the others have a 0."""
    assert codes.min_row_distance(codes.one_vs_all(5)) == 2
    assert codes.min_row_distance(codes.one_vs_one(4)) == 1 + 5 / 2
    assert codes.n_correctable(codes.dense_code(4)) == 1  # all seven columns: distance 4


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ([[1, -1], [-1, 1]], "row for each of the 3 classes"),
        ([[1], [1], [1]], "only one of them in column 0"),
        ([[1, 1], [-1, -1], [1, 1]], "equal rows"),
        ([[1, 2], [-1, -1], [1, 1]], "-1, 0 and 1; got"),
        ([["a"], ["b"], ["c"]], "must hold -1, 0 and 1"),
        ([1, -1, 1], "got shape"),
    ],
)
def test_codes_that_are_not_valid(code, message):
    with pytest.raises(ValueError, match=message):
        check_code(code, 3)


@pytest.mark.parametrize(("n", "expected"), [(3, 3), (4, 3), (5, 140), (6, 420)])
def test_number_of_minimal_designs(n, expected):
    """Codes of minimal length up to the order and the complement of columns, by brute force."""
    n_digits = n_minimal_columns(n)
    found = set()
    for words in product(range(2**n_digits), repeat=n):
        if len(set(words)) == n and words[0] == 0:  # complements: the first word is 0
            columns = words_to_code(np.array(words)).T
            found.add(tuple(sorted(tuple(c) for c in columns.tolist())))
    assert len(found) == expected
    total = factorial(2**n_digits) // factorial(2**n_digits - n)
    assert expected == total // (2**n_digits * factorial(n_digits))
