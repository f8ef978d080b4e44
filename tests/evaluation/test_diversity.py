"""Correlation of errors, Eq. 4 and ambiguity against their definitions and the worked examples."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.evaluation import (
    ambiguity,
    bayes_error_estimate,
    error_correlation,
    error_reduction,
)

# ---------------------------------------- the definitions, slowly


def pearson_slow(a, b):
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


def error_correlation_slow(outputs, y, labels):
    total = weight = 0.0
    for i, label in enumerate(labels):
        target = np.array([float(t == label) for t in y])
        errors = [member[:, i] - target for member in outputs]
        pairs = [
            pearson_slow(a, b)
            for a, b in itertools.permutations(errors, 2)
            if np.ptp(a) > 1e-12 and np.ptp(b) > 1e-12
        ]
        share = target.mean()
        if pairs and share:
            total, weight = total + share * np.mean(pairs), weight + share
    return total / weight if weight else math.nan


def ambiguity_slow(predictions, base):
    total = 0.0
    for votes in zip(*predictions, strict=True):
        for k in set(votes):
            share = votes.count(k) / len(votes)
            total -= share * math.log(share, base)
    return total / len(predictions[0])


def probabilities(seed, n_members, n, n_classes):
    rng = np.random.default_rng(seed)
    values = rng.random((n_members, n, n_classes)).round(2) + 0.01
    return values / values.sum(axis=2, keepdims=True), rng.integers(n_classes, size=n)


sizes = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(3, 20), st.integers(2, 4)
)

# ---------------------------------------- error_correlation


@given(size=sizes)
def test_error_correlation(size):
    outputs, y = probabilities(*size)
    labels = np.arange(size[3])
    delta = error_correlation(outputs, y, classes=labels)
    assert delta == pytest.approx(error_correlation_slow(outputs, y, labels), abs=1e-12)
    assert -1 / (len(outputs) - 1) - 1e-9 <= delta <= 1 + 1e-12


@given(size=sizes)
def test_members_rows_and_names_of_classes_have_no_order(size):
    outputs, y = probabilities(*size)
    rng = np.random.default_rng(size[0])
    labels = np.arange(size[3])
    delta = error_correlation(outputs, y, classes=labels)
    members, rows = rng.permutation(len(outputs)), rng.permutation(len(y))
    again = error_correlation(outputs[members][:, rows], y[rows], classes=labels)
    assert again == pytest.approx(delta, abs=1e-12)
    words = np.array(list("zyxw"))[: size[3]]
    by_name = error_correlation(outputs, words[y], classes=words)
    assert by_name == pytest.approx(delta, abs=1e-12)


def test_equal_members_err_together():
    outputs, y = probabilities(0, 1, 30, 3)
    copies = np.repeat(outputs, 4, axis=0)
    assert error_correlation(copies, y) == pytest.approx(1.0)
    assert error_correlation(copies, y, of="outputs") == pytest.approx(1.0)


def test_errors_and_outputs_differ():
    """Members that are right in the same way agree in outputs, not in errors."""
    y = np.arange(40) % 2
    noise = np.random.default_rng(0).normal(scale=0.1, size=(2, 40))
    first = np.stack([np.stack([1 - y + e, y - e], axis=1) for e in noise])
    assert error_correlation(first, y, of="outputs") > 0.9
    assert abs(error_correlation(first, y)) < 0.4


def test_labels_count_as_indicators():
    y = np.array(list("aabbcc"))
    votes = np.array([list("abbbcc"), list("aabacc"), list("abbbca")])
    labels = np.unique(y)
    outputs = (votes[:, :, None] == labels).astype(float)
    assert error_correlation(votes, y) == error_correlation(outputs, y)


def test_labels_may_be_of_another_type_of_number_or_in_no_row_of_y():
    y = np.array([0, 1, 1, 0, 1, 0])
    votes = np.array([[0, 1, 2, 1, 1, 0], [1, 1, 2, 0, 0, 0]])
    assert error_correlation(votes.astype(float), y) == error_correlation(votes, y)
    halves = error_correlation(votes / 2, y / 2, classes=[0.0, 0.5, 1.0])
    assert halves == error_correlation(votes, y)
    words = np.array(list("abc"), dtype=object)
    assert error_correlation(words[votes].astype(str), words[y]) == error_correlation(votes, y)


def test_constant_members_are_left_out():
    outputs, y = probabilities(3, 3, 20, 2)
    perfect = (y[:, None] == np.arange(2)).astype(float)
    with_perfect = np.concatenate([outputs, perfect[None]])
    assert error_correlation(with_perfect, y) == pytest.approx(error_correlation(outputs, y))


@pytest.mark.parametrize("size", [10.0, 1e160, 1e300])
def test_outputs_of_any_size(size):
    outputs = size * np.random.default_rng(0).standard_normal((3, 20, 2))
    y = np.arange(20) % 2
    expected = error_correlation(outputs / size, y, of="outputs")
    assert error_correlation(outputs, y, of="outputs") == pytest.approx(expected, rel=1e-9)


def test_nothing_varies():
    y = np.array([0, 1, 1])
    perfect = (y[:, None] == np.arange(2)).astype(float)
    with pytest.warns(UserWarning, match="not defined"):
        assert math.isnan(error_correlation([perfect, perfect], y))


def test_classes_without_pairs_do_not_count():
    """Class 2 is predicted without error; the other two decide alone."""
    outputs, y = probabilities(1, 3, 12, 2)
    third = np.zeros((3, 6, 3))
    third[:, :, 2] = 1
    joined = np.concatenate([np.pad(outputs, ((0, 0), (0, 0), (0, 1))), third], axis=1)
    truth = np.concatenate([y, np.full(6, 2)])
    assert error_correlation(joined, truth) == pytest.approx(
        error_correlation_slow(joined, truth, range(3))
    )


@pytest.mark.parametrize(
    ("outputs", "y", "options", "message"),
    [
        (np.ones((1, 3, 2)), [0, 1, 0], {}, "at least two members"),
        (np.ones((2, 4, 2)), [0, 1, 0], {}, "3 rows of y; got 4"),
        (np.ones((2, 3, 3)), [0, 1, 0], {}, "2 classes .* got 3"),
        (np.ones((2, 3, 2)), [0, 1, 2], {"classes": [0, 1]}, r"all classes of y; \[2\]"),
        (np.ones((2, 3, 2)), [0, 1, 1], {"classes": [0, 0]}, "each class once"),
        (np.full((2, 3, 2), np.nan), [0, 1, 0], {}, "finite"),
        (np.full((2, 3, 2), "a"), [0, 1, 0], {}, "numbers"),
        (np.ones((2, 3, 2)), [0, 1, 0], {"of": "both"}, "'errors' or 'outputs'"),
        (np.ones((2, 3, 2)), [[0], [1], [0]], {}, "one-dimensional"),
        ([np.ones((3, 2)), np.ones((4, 2))], [0, 1, 0], {}, "same shape"),
        ([["a", "b", None], ["a", "b", "a"]], ["a", "b", "a"], {"classes": ["a", "b"]}, "missing"),
        ([[0, 1, 1], [0, 0, 1]], ["a", "b", "b"], {}, "0 is not a class"),
        ([["a", "b", "b"], ["a", "a", "b"]], [0, 1, 1], {}, "'a' is not a class"),
        ([[0, 1, 2], [0, 0, 2]], [0, 1, 1], {"classes": [0, 1]}, "2 is not a class"),
        (
            [[0.0, 0.25, 1.0], [0.5, 0.75, 1.0]], [0, 1, 1], {},
            r"0.25 is not a class; probabilities need the shape \(n_members, n_samples, n_classes",
        ),
        ([[0.0, np.inf], [0.0, 1.0]], [0, 1], {}, "inf is not a class"),
        (np.ones((2, 3, 2)), ["a", None, "b"], {}, "y must not hold missing"),
        (np.ones((2, 3, 2)), [0.0, np.nan, 1.0], {}, "y must not hold missing"),
        (np.ones((2, 2, 2)), np.array(["a", pd.NA], dtype=object), {}, "y must not hold missing"),
        (np.ones((2, 2, 2)), np.array(["a", 1], dtype=object), {}, "y must not mix text"),
        (
            np.ones((2, 3, 3)), [0, 1, 0], {"classes": np.array([0, "a", 1], dtype=object)},
            "classes must not mix text",
        ),
        (1j * np.ones((2, 3, 2)), [0, 1, 0], {}, "outputs must be numbers"),
        (np.ma.masked_equal([[0, 1, 2], [0, 0, 1]], 2), [0, 1, 0], {}, "outputs must not hold"),
        (np.ones((2, 3, 2)), np.ma.masked_equal([0, 1, 2], 2), {}, "y must not hold masked"),
    ],
)  # fmt: skip
def test_bad_outputs(outputs, y, options, message):
    with pytest.raises(ValueError, match=message):
        error_correlation(outputs, y, **options)


# ---------------------------------------- error_reduction


@pytest.mark.parametrize(
    ("delta", "n", "expected"),
    [(0.9, 4, 0.925), (0.9, 8, 0.9125), (0.1, 4, 0.325), (0.1, 8, 0.2125), (0.3, 1, 1.0),
     (1.0, 5, 1.0), (0.0, 5, 0.2), (-0.25, 5, 0.0)],
)  # fmt: skip
def test_error_reduction(delta, n, expected):
    assert error_reduction(delta, n) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("delta", "n", "message"),
    [
        (0.5, 0, "n_members"),
        (0.5, 2.0, "n_members"),
        (0.5, True, "n_members"),
        (1.1, 3, "between -0.5 and 1"),
        (-0.6, 3, "between -0.5 and 1 for 3 members; got -0.6. Members that do not vary"),
        (math.nan, 3, "between"),
        ("x", 3, "between"),
    ],
)
def test_bad_reductions(delta, n, message):
    with pytest.raises(ValueError, match=message):
        error_reduction(delta, n)


# ---------------------------------------- ambiguity


def test_worked_ambiguity():
    votes = [(0, 0, 1, 1), (0, 1, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1)]
    assert ambiguity(votes) == pytest.approx(0.6556390622295665, abs=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1), n_members=st.integers(1, 6), n=st.integers(1, 12),
    n_classes=st.integers(1, 4), base=st.sampled_from([2, math.e, 10]),
)  # fmt: skip
def test_ambiguity(seed, n_members, n, n_classes, base):
    rng = np.random.default_rng(seed)
    votes = rng.choice(list("abcd")[:n_classes], size=(n_members, n))
    value = ambiguity(votes, base=base)
    assert value == pytest.approx(ambiguity_slow(votes.tolist(), base), abs=1e-12)
    assert 0 <= value <= math.log(n_classes, base) + 1e-12
    assert ambiguity(np.repeat(votes[:1], 3, axis=0), base=base) == 0


@pytest.mark.parametrize(
    ("votes", "options", "message"),
    [
        ([0, 1, 1], {}, "shape"),
        (np.empty((0, 3)), {}, "not be empty"),
        ([[0, np.nan], [1, 1]], {}, "missing"),
        ([[0, 1], [1]], {}, "same shape"),
        ([[0, 1], [1, 1]], {"base": 1}, "base"),
        (np.array([[1, "a"], ["b", 2]], dtype=object), {}, "predictions must not mix text"),
        (np.ma.masked_array([[1, 2], [1, 1]], [[0, 1], [0, 0]]), {}, "masked"),
    ],
)
def test_bad_votes(votes, options, message):
    with pytest.raises(ValueError, match=message):
        ambiguity(votes, **options)


# ---------------------------------------- bayes_error_estimate


def test_bayes_error_from_what_averaging_gains():
    """Members whose errors above a known Bayes error are averaged as Eq. 4 says."""
    for bayes, above, delta, n in ((0.0756, 0.0444, 0.1, 4), (0.2, 0.1, 0.6, 9), (0.0, 0.3, 0, 2)):
        ensemble = bayes + above * error_reduction(delta, n)
        found = bayes_error_estimate(bayes + above, ensemble, delta, n)
        assert found == pytest.approx(bayes, abs=1e-12)
    assert bayes_error_estimate(0.12, 0.09, 0.1, 4) == pytest.approx(0.051 / 0.675, abs=1e-12)
    assert bayes_error_estimate(0.2, 0.01, 0.5, 4) < 0


def test_bayes_error_of_members_that_err_together():
    with pytest.warns(UserWarning, match="gain nothing"):
        assert math.isnan(bayes_error_estimate(0.2, 0.2, 1.0, 5))
    with pytest.raises(ValueError, match="ensemble_error must lie between 0 and 1; got 2"):
        bayes_error_estimate(0.2, 2, 0.5, 5)
    with pytest.raises(ValueError, match="n_members"):
        bayes_error_estimate(0.2, 0.1, 0.5, 1)
