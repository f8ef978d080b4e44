"""Bias and variance: worked numbers, definitions row by row, and identities."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.evaluation import bias_variance

RESPONSE = [[0.7, 0.3], [0.4, 0.6], [1.0, 0.0]]
#: Ten models of which 9, 8 and 5 say 0 of the three rows.
MODELS = [[int(m >= 9), int(m >= 8), int(m >= 5)] for m in range(10)]


def james_slow(response, shares):
    """Terms of one row, in fractions."""
    best = max(range(len(response)), key=lambda i: (response[i], -i))
    usual = max(range(len(shares)), key=lambda i: (shares[i], -i))
    return {
        "error": 1 - sum(p * q for p, q in zip(response, shares, strict=True)),
        "noise": 1 - response[best],
        "bias": int(best != usual),
        "variance": 1 - shares[usual],
        "systematic_effect": response[best] - response[usual],
        "variance_effect": response[usual]
        - sum(p * q for p, q in zip(response, shares, strict=True)),
    }


def kohavi_wolpert_slow(response, shares):
    return {
        "error": 1 - sum(p * q for p, q in zip(response, shares, strict=True)),
        "noise": (1 - sum(p * p for p in response)) / 2,
        "bias": sum((p - q) ** 2 for p, q in zip(response, shares, strict=True)) / 2,
        "variance": (1 - sum(q * q for q in shares)) / 2,
    }


def test_worked_numbers():
    found = bias_variance(MODELS, response=RESPONSE, classes=[0, 1])
    expected = {"error": 7 / 15, "noise": 7 / 30, "systematic_effect": 1 / 15,
                "variance_effect": 1 / 6, "bias": 1 / 3, "variance": 4 / 15}  # fmt: skip
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-12)
    found = bias_variance(MODELS, response=RESPONSE, classes=[0, 1], method="kohavi_wolpert")
    expected = {"error": 7 / 15, "bias": 3 / 20, "variance": 1 / 6, "noise": 3 / 20}
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-12)
    assert found.systematic_effect is None


def test_squared_loss():
    found = bias_variance([[1.0], [2.0], [4.0]], [2.0], loss="squared")
    assert found.systematic_effect == found.bias == pytest.approx(1 / 9, abs=1e-12)
    assert found.variance_effect == found.variance == pytest.approx(14 / 9, abs=1e-12)
    assert found.error == pytest.approx(5 / 3, abs=1e-12)
    assert found.noise == 0.0


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4),
       st.booleans(), st.booleans())  # fmt: skip
def test_definitions(seed, n_models, n_rows, n_classes, known, weighted):
    rng = np.random.default_rng(seed)
    models = rng.integers(n_classes, size=(n_models, n_rows))
    y = rng.integers(n_classes, size=n_rows)
    counts = rng.integers(0, 4, size=(n_rows, n_classes)) + np.eye(n_classes, dtype=int)[y]
    if not known:
        counts = np.eye(n_classes, dtype=int)[y]
    weights = rng.integers(0, 4, size=n_rows) + np.eye(n_rows, dtype=int)[0] if weighted else None
    w = [Fraction(1)] * n_rows if weights is None else [Fraction(int(each)) for each in weights]
    slow = {"james": james_slow, "kohavi_wolpert": kohavi_wolpert_slow}
    for method, terms in slow.items():
        found = bias_variance(
            models, y, method=method, classes=range(n_classes), sample_weight=weights,
            response=counts / counts.sum(axis=1, keepdims=True) if known else None,
        )  # fmt: skip
        rows = [
            terms(
                [Fraction(int(c), int(counts[x].sum())) for c in counts[x]],
                [Fraction(int((models[:, x] == k).sum()), n_models) for k in range(n_classes)],
            )
            for x in range(n_rows)
        ]
        for name in rows[0]:
            mean = sum(a * row[name] for a, row in zip(w, rows, strict=True)) / sum(w)
            assert getattr(found, name) == pytest.approx(float(mean), abs=1e-12)
        if method == "james":
            parts = found.noise + found.systematic_effect + found.variance_effect
        else:
            parts = found.noise + found.bias + found.variance
        assert found.error == pytest.approx(parts, abs=1e-12)


def test_error_is_that_of_the_models_and_bias_is_the_systematic_effect_without_noise():
    rng = np.random.default_rng(0)
    models, y = rng.choice(list("abc"), size=(7, 30)), rng.choice(list("abc"), size=30)
    found = bias_variance(models, y)
    assert found.error == pytest.approx((models != y).mean(), abs=1e-12)
    assert found.bias == pytest.approx(found.systematic_effect, abs=1e-12)
    assert found.noise == 0.0


def test_unbiased():
    """By its definition, on one row of two models that disagree."""
    plain = bias_variance([[0], [1]], [0], method="kohavi_wolpert")
    corrected = bias_variance([[0], [1]], [0], method="kohavi_wolpert", unbiased=True)
    assert plain.bias == pytest.approx((0.25 + 0.25) / 2)
    assert corrected.bias == pytest.approx(plain.bias - (0.25 + 0.25) / 2 / 1)
    assert corrected.variance == plain.variance


def test_classes_have_any_order():
    models, y = [["a", "b"], ["b", "b"]], ["b", "b"]
    for classes, usual in ((["a", "b"], 0.5), (["b", "a"], 0.0)):  # a tie goes to the first class
        assert bias_variance(models, y, classes=classes).bias == usual


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "domingos"}, "method must be 'james' or 'kohavi_wolpert'"),
        ({"loss": "hinge"}, "loss must be 'zero_one' or 'squared'"),
        ({"loss": "squared", "method": "kohavi_wolpert"}, "loss='squared' must go with"),
        ({"y": None}, "y must be given"),
        ({"unbiased": True}, "unbiased=True must go with"),
        ({"response": [[1.0]]}, "response must have a row for each of 2 rows"),
        ({"response": [[0.7, 0.7], [1, 0]]}, "response must hold probabilities"),
        ({"classes": [0, 0]}, "classes must be one-dimensional"),
        ({"classes": [0]}, "predictions must hold classes, but 1"),
        ({"sample_weight": [0, 0]}, "sample_weight must hold a number"),
    ],
)
def test_bad_arguments(options, message):
    arguments = {"y": [0, 1]} | options
    with pytest.raises(ValueError, match=message):
        bias_variance([[0, 1], [1, 1]], **arguments)
