"""Normal classes: their Bayes errors, and that the best rule reaches them."""

import numpy as np
import pytest

from ensfs.datasets import make_norms, norms_bayes_error


@pytest.mark.parametrize(
    ("kind", "a", "error"),
    [
        ("two", None, 0.0227501319),
        ("three", None, 0.10463),
        ("ring", None, 0.014965),
        ("ring", 2 / 20**0.5, 0.012397),
    ],
)
def test_known_errors(kind, a, error):
    digits = len(f"{error}".split(".")[1])
    assert round(norms_bayes_error(kind=kind, a=a), digits) == error


def densities(X, kind, a):
    """Logarithms of the densities of both classes, but for a common factor."""
    d = X.shape[1]
    to = lambda centre: -0.5 * ((X - centre) ** 2).sum(axis=1)  # noqa: E731
    if kind == "two":
        return to(a), to(-a)
    if kind == "three":
        return np.logaddexp(to(a), to(-a)) - np.log(2), to(a * (-1.0) ** np.arange(d))
    return -(X**2).sum(axis=1) / 8 - d * np.log(2), to(a)


@pytest.mark.parametrize("d", [2, 5, 20])
@pytest.mark.parametrize("kind", ["two", "three", "ring"])
def test_the_best_rule_reaches_the_error(kind, d):
    a = {"ring": 1.0}.get(kind, 2.0) / d**0.5
    X, y = make_norms(40_000, d, kind=kind, random_state=0)
    first, second = densities(X, kind, a)
    wrong = ((second > first) != y).mean()
    error = norms_bayes_error(d, kind=kind)
    assert wrong == pytest.approx(error, abs=4 * (error * (1 - error) / 40_000) ** 0.5)
    assert y.mean() == pytest.approx(0.5, abs=0.02)


def test_seeds_and_shape():
    X, y = make_norms(10, 3, kind="three", random_state=1)
    again, _ = make_norms(10, 3, kind="three", random_state=1)
    np.testing.assert_array_equal(X, again)
    assert X.shape == (10, 3)
    assert set(y) <= {0, 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "four"}, "kind must be 'two', 'three' or 'ring'"),
        ({"n_features": 1}, "n_features must be an integer of at least 2"),
        ({"a": 0}, "a must be a number above 0"),
    ],
)
def test_bad_arguments(options, message):
    for function in (make_norms, norms_bayes_error):
        with pytest.raises(ValueError, match=message):
            function(**options)
    with pytest.raises(ValueError, match="n_samples"):
        make_norms(0)
