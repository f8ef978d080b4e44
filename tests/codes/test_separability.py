"""Weights by class separability, against the four-fold loop of the paper."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ensfs.codes import decode, separability_weights
from ensfs.codes.separability import class_separability

Z = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
Y = np.array([0, 0, 1, 1, 2, 2])
H = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]])


def slow_separability(signs, y, code):
    """Every pair of a row of the class and one of another: +1 both right, -1 both wrong."""
    found = np.zeros(code.shape)
    for c in range(len(code)):
        for k in range(code.shape[1]):
            for i in np.nonzero(y == c)[0]:
                for j in np.nonzero(y != c)[0]:
                    if code[c, k] and code[y[j], k]:
                        right = signs[i, k] == code[c, k], signs[j, k] == code[y[j], k]
                        found[c, k] += all(right) - (not any(right))
    return found


def test_worked_numbers():
    code, outputs = 2 * Z - 1, 2 * H - 1
    raw = class_separability(outputs, Y, code)
    assert raw.tolist() == [[6, 2, 2], [6, 2, 4], [4, 4, 2]]
    weights = separability_weights(outputs, Y, code)
    expected = [[3 / 5, 1 / 5, 1 / 5], [1 / 2, 1 / 6, 1 / 3], [2 / 5, 2 / 5, 1 / 5]]
    np.testing.assert_allclose(weights, expected, atol=1e-15)
    outputs = 2 * np.array([[0.9, 0.2, 0.6]]) - 1
    scores = 1 - decode(outputs, code, "l1", weights=weights)[0]
    np.testing.assert_allclose(scores, [41 / 50, 17 / 60, 13 / 25], atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_separability(seed):
    rng = np.random.default_rng(seed)
    n_classes, n_columns, n = rng.integers(2, 5), rng.integers(1, 5), rng.integers(2, 12)
    code = rng.integers(-1, 2, size=(n_classes, n_columns))
    signs = rng.choice([-1, 1], size=(n, n_columns))
    y = rng.integers(n_classes, size=n)
    np.testing.assert_array_equal(
        class_separability(signs, y, code), slow_separability(signs, y, code)
    )
    counts = rng.integers(0, 3, size=n)
    np.testing.assert_array_equal(
        class_separability(signs, y, code, counts),
        slow_separability(np.repeat(signs, counts, axis=0), np.repeat(y, counts), code),
    )
    seen = rng.random(signs.shape) < 0.6
    for k in range(n_columns):
        rows = seen[:, k]
        np.testing.assert_array_equal(
            class_separability(signs, y, code, counted=seen)[:, [k]],
            slow_separability(signs[rows][:, [k]], y[rows], code[:, [k]]),
        )


def test_columns_that_are_always_wrong_weigh_alike():
    code = np.array([[1, -1], [-1, 1]])
    assert (separability_weights(-code, np.arange(2), code) == 0.5).all()
