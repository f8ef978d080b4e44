"""Codes of trees of classes by quadratic mutual information."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs.codes import discriminant, discriminant_code, quadratic_mutual_information
from ensfs.codes.strength import check_code


def slow_information(X, y, width):
    """Torkkola's three sums over pairs of rows."""
    n, d, variance = len(X), X.shape[1], 2 * width**2

    def window(a, b):
        return np.exp(-((a - b) @ (a - b)) / (2 * variance)) / (2 * np.pi * variance) ** (d / 2)

    within = total = between = 0.0
    for c in np.unique(y):
        share = (y == c).mean()
        for i in range(n):
            for j in range(n):
                g = window(X[i], X[j])
                within += g * (y[i] == c and y[j] == c)
                total += share**2 * g
                between += share * g * (y[i] == c)
    return (within + total - 2 * between) / n**2


def rows(seed, n, n_classes, d=2):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)]
    return rng.normal(size=(n, d)) + 3 * rng.normal(size=(n_classes, d))[y], y


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), width=st.floats(0.3, 3))
def test_information(seed, width):
    X, y = rows(seed, 12, 3)
    expected = slow_information(X, y, width)
    np.testing.assert_allclose(quadratic_mutual_information(X, y, width), expected, rtol=1e-9)
    assert expected > -1e-12


def test_width_of_the_windows():
    X, y = np.array([[0.0], [2.0], [10.0]]), np.array(["a", "a", "b"])
    found = quadratic_mutual_information(X, y)
    assert found == quadratic_mutual_information(X, y, 4.5)


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 5))
def test_first_split_is_the_best_of_all(seed, n_classes):
    X, y = rows(seed, 20, n_classes)
    code = discriminant_code(X, y)
    assert code.shape == (n_classes, n_classes - 1)
    check_code(code, n_classes)
    width = discriminant.class_width(X, y)
    values = {
        side: slow_information(X, np.isin(y, side), width)
        for size in range(1, n_classes)
        for side in combinations(range(n_classes), size)
    }
    side = tuple(np.nonzero(code[:, 0] == 1)[0])
    assert values[side] == pytest.approx(max(values.values()), rel=1e-9)


def test_floating_search_finds_the_two_groups_of_classes(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 10)
    X = rng.normal(size=(120, 2)) + np.where(np.isin(y, [1, 4, 6, 7, 11]), 30.0, 0.0)[:, None]
    code = discriminant_code(X, y)
    assert code.shape == (12, 11)
    group = code[:, 0] == code[1, 0]
    assert np.nonzero(group)[0].tolist() == [1, 4, 6, 7, 11]
    monkeypatch.setattr(discriminant, "_MOST_TRIED", 1)
    few = y < 6
    exact = discriminant_code(X[few], y[few])
    monkeypatch.undo()
    np.testing.assert_array_equal(
        np.abs(exact[:, 0]), np.abs(discriminant_code(X[few], y[few])[:, 0])
    )


def test_nodes_are_breadth_first_and_rows_are_drawn():
    X = np.array([[0.0], [1.0], [10.0], [11.0]]).repeat(50, axis=0)
    y = np.repeat([3, 2, 1, 0], 50)
    code = discriminant_code(X + np.linspace(0, 0.1, 200)[:, None], y, max_rows=60, rng=0)
    assert code.tolist() == [[1, 1, 0], [1, -1, 0], [-1, 0, 1], [-1, 0, -1]]


def test_another_criterion():
    X, y = rows(1, 30, 3)

    def lonely_last(X, side):
        return -float(side.sum())  # the smallest side wins

    code = discriminant_code(X, y, criterion=lonely_last)
    sizes = np.bincount(y)
    assert sizes[code[:, 0] == 1].sum() == min(sizes[0], sizes[[0, 1]].sum(), sizes[[0, 2]].sum())
