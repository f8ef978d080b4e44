"""Krogh and Vedelsby's identity, and correlations of outputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.evaluation import ambiguity_decomposition, output_correlation


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 8), st.booleans())
def test_the_error_is_the_mean_error_minus_the_ambiguity(seed, n_members, n_rows, weighted):
    rng = np.random.default_rng(seed)
    values, y = rng.normal(size=(n_members, n_rows)), rng.normal(size=n_rows)
    weights = rng.random(n_members) + 0.1 if weighted else None
    found = ambiguity_decomposition(values, y, weights=weights)
    w = np.ones(n_members) if weights is None else weights
    w = w / w.sum()
    for row, x in enumerate(values.T):
        mean = sum(w * x)
        assert sum(w * (x - y[row]) ** 2) - sum(w * (x - mean) ** 2) == pytest.approx(
            (mean - y[row]) ** 2, abs=1e-12
        )
    mean = (w[:, None] * values).sum(axis=0)
    assert found.ensemble_error == pytest.approx(np.mean((mean - y) ** 2), abs=1e-12)
    assert found.mean_error == pytest.approx(sum(w * ((values - y) ** 2).mean(axis=1)), abs=1e-12)
    assert found.ensemble_error == pytest.approx(found.mean_error - found.ambiguity, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(3, 8), st.integers(1, 3))
def test_correlations(seed, n_members, n_rows, n_classes):
    values = np.random.default_rng(seed).normal(size=(n_members, n_rows, n_classes))
    found = output_correlation(values)
    for i, j in np.ndindex(n_members, n_members):
        each = [np.corrcoef(values[i, :, c], values[j, :, c])[0, 1] for c in range(n_classes)]
        assert found[i, j] == pytest.approx(np.mean(each), abs=1e-9)
    np.testing.assert_allclose(output_correlation(values[:, :, 0]), np.corrcoef(values[:, :, 0]),
                               atol=1e-9) if n_members > 1 else None  # fmt: skip


def test_two_classes_are_one():
    first = np.random.default_rng(0).random((3, 20))
    both = np.stack([first, 1 - first], axis=2)
    np.testing.assert_allclose(output_correlation(both), output_correlation(first), atol=1e-12)


def test_members_that_do_not_vary_have_no_correlation():
    found = output_correlation([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]])
    assert found[0, 0] == 1.0
    assert np.isnan(found[0, 1])
    assert np.isnan(found[1, 1])
    half = np.zeros((2, 3, 2))
    half[:, :, 0] = [[1, 2, 3], [3, 2, 1]]
    assert output_correlation(half)[0, 1] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ambiguity_decomposition([1, 2], [1, 2]), "predictions must have the shape"),
        (lambda: ambiguity_decomposition([[1, 2]], [1]), "y must have a number for each of the 2"),
        (lambda: ambiguity_decomposition([[1, np.inf]], [1, 2]), "predictions must hold finite"),
        (lambda: ambiguity_decomposition([["a"]], [1]), "predictions must hold finite numbers"),
        (lambda: ambiguity_decomposition([[1]], [1], weights=[-1]), "weights must hold a number"),
        (lambda: output_correlation([1.0, 2.0]), "outputs must have the shape"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
