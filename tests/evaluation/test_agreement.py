"""Agreement, conditional entropy and gain against their definitions."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.data.labels import numbered
from ensfs.evaluation import agreement, ambiguity, conditional_entropy_loss, ensemble_gain

TRUTH = [0, 1, 1, 1]
MEMBERS = [[0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 0, 1]]


def entropy_slow(first, second):
    """H(first | second) in bits: mean over the rows of -log2 of what one is, given the other."""
    rows = list(zip(first, second, strict=True))
    total = 0.0
    for a, b in rows:
        total -= math.log2(rows.count((a, b)) / list(second).count(b))
    return total / len(rows)


def majority_slow(members):
    """Most frequent label of each row; the smallest of equally frequent ones."""
    return [min(sorted(set(votes)), key=lambda v: -votes.count(v)) for votes in
            zip(*members, strict=True)]  # fmt: skip


def random_members(seed, n_members, n_rows, n_classes, text=False):
    rng = np.random.default_rng(seed)
    labels = np.array(list("dacb"))[:n_classes] if text else np.arange(n_classes)
    members = labels[rng.integers(n_classes, size=(n_members, n_rows))]
    return members.tolist(), labels[rng.integers(n_classes, size=n_rows)].tolist()


def test_worked_numbers():
    assert ambiguity(MEMBERS) == pytest.approx(0.6556390622295665, abs=1e-12)
    loss = 0.6887218755408673
    given_true = conditional_entropy_loss(MEMBERS, TRUTH)
    np.testing.assert_allclose(given_true, [loss, loss, 0, loss], atol=1e-12)
    given_predicted = conditional_entropy_loss(MEMBERS, TRUTH, given="predicted")
    np.testing.assert_allclose(given_predicted, [0.5, 0.5, 0, loss], atol=1e-12)
    assert conditional_entropy_loss([0, 0, 1, 1], TRUTH) == pytest.approx(loss, abs=1e-12)
    pairs = [agreement(MEMBERS)[i, j] for i, j in combinations(range(4), 2)]
    assert pairs == [1 / 2, 3 / 4, 3 / 4, 3 / 4, 1 / 4, 1 / 2]
    assert ensemble_gain(MEMBERS, TRUTH) == 0.0
    gain = ensemble_gain(MEMBERS, TRUTH, loss="conditional_entropy")
    assert gain == pytest.approx(-0.172180468885, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 8), st.integers(1, 4),
       st.booleans())  # fmt: skip
def test_definitions(seed, n_members, n_rows, n_classes, text):
    members, y = random_members(seed, n_members, n_rows, n_classes, text)
    found = agreement(members)
    for i, j in np.ndindex(n_members, n_members):
        same = sum(a == b for a, b in zip(members[i], members[j], strict=True))
        assert found[i, j] == pytest.approx(same / n_rows, abs=1e-12)
    both = [*members, majority_slow(members)]
    for given_, options in (("true", {}), ("predicted", {"given": "predicted"})):
        losses = [entropy_slow(m, y) if given_ == "true" else entropy_slow(y, m) for m in both]
        np.testing.assert_allclose(
            conditional_entropy_loss(members, y, **options), losses[:-1], atol=1e-12
        )
        gain = ensemble_gain(members, y, loss="conditional_entropy", **options)
        assert gain == pytest.approx(np.mean(losses[:-1]) - losses[-1], abs=1e-12)
    errors = [np.mean([a != b for a, b in zip(m, y, strict=True)]) for m in both]
    assert ensemble_gain(members, y) == pytest.approx(np.mean(errors[:-1]) - errors[-1], abs=1e-12)


def test_base_of_the_logarithm():
    for function in (conditional_entropy_loss, ensemble_gain):
        options = {"loss": "conditional_entropy"} if function is ensemble_gain else {}
        bits = function(MEMBERS, TRUTH, **options)
        np.testing.assert_allclose(function(MEMBERS, TRUTH, base=4, **options), bits / 2)


def test_relabelling_and_constants_lose_nothing_given_the_truth():
    y = [0, 1, 2, 0, 1]
    assert conditional_entropy_loss([1, 2, 0, 1, 2], y) == 0.0
    assert conditional_entropy_loss([1] * 5, y) == 0.0
    assert conditional_entropy_loss([1] * 5, y, given="predicted") > 1


def test_ambiguity_grows_with_the_members_and_disagreement_does_not():
    """Means over many random ensembles of independent members: 2, 5 and 20 of them."""
    rng = np.random.default_rng(0)
    entropies, disagreements = [], []
    for n_members in (2, 5, 20):
        draws = rng.integers(2, size=(40, n_members, 200))
        entropies.append(np.mean([ambiguity(each) for each in draws]))
        above = np.triu_indices(n_members, k=1)
        disagreements.append(np.mean([1 - agreement(each)[above].mean() for each in draws]))
    assert entropies[0] < entropies[1] < entropies[2]
    np.testing.assert_allclose(disagreements, 0.5, atol=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agreement([0, 1]), r"predictions must have the shape \(n_members, n_samples\)"),
        (lambda: agreement([[0, 1], [1]]), "same shape"),
        (lambda: agreement([[0, np.nan]]), "missing"),
        (lambda: agreement(np.array([[1, "a"]], dtype=object)), "mix text"),
        (lambda: conditional_entropy_loss([[0, 1]], [0]), "y must have a label for each of the 2"),
        (lambda: conditional_entropy_loss([[0, 1]], [0, 1], given="y"), "given must be 'true' or"),
        (lambda: conditional_entropy_loss([[0, 1]], [0, 1], base=1), "base must be a number above"),
        (lambda: conditional_entropy_loss([["a", "b"]], [0, 1]), "must hold classes, but 'a'"),
        (lambda: ensemble_gain([[0, 1]], [0, 1], loss="squared"), "loss must be 'error' or"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["int8", "uint8", "int64", "uint64", "float64"]),
       st.sampled_from([3, 100, 10**6]))  # fmt: skip
def test_numbers_of_labels(seed, dtype, spread):
    high = min(spread, 100) if dtype in ("int8", "uint8") else spread
    labels = np.random.default_rng(seed).integers(high, size=(3, 5)).astype(dtype)
    if dtype == "int8":
        labels = (labels.astype(int) * 2 - 100).astype(dtype)  # differences beyond 127
    if dtype == "int64":
        labels -= spread // 2
    if dtype == "uint64":
        labels += np.uint64(2**63)
    distinct, codes = numbered(labels)
    expected = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(distinct, expected[0])
    assert distinct.dtype == labels.dtype
    np.testing.assert_array_equal(codes, expected[1].reshape(3, 5))
