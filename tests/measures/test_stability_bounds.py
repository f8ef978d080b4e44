"""The bounds of stability selection: worked numbers, and the worst case by linear program."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from ensfs.evaluation import stability_bound, stability_threshold


@pytest.mark.parametrize(
    ("threshold", "markov", "unimodal"),
    [
        (0.6, 7.5, 3.9473684211),
        (0.75, 3, 1.5306122449),
        (0.8, 2.5, 1.2352941176),
        (0.9, 1.875, 0.6470588235),
    ],
)
def test_worked_bounds(threshold, markov, unimodal):
    found = stability_bound(q=15, p=150, threshold=threshold, n_pairs=50, bound="markov")
    assert found == pytest.approx(markov, rel=1e-9)
    assert stability_bound(15, 150, threshold, 50) == pytest.approx(unimodal, rel=1e-9)


def test_worked_thresholds():
    assert stability_threshold(15, 150, 50) == 0.84
    assert stability_bound(15, 150, 0.84) == pytest.approx(1, rel=1e-12)
    assert stability_bound(15, 150, 0.83) == pytest.approx(1.0588235294, rel=1e-9)
    assert stability_threshold(15, 150, 50, bound="markov") is None
    assert stability_threshold(30, 1000, 50) == 0.73
    assert stability_threshold(30, 1000, 50, bound="markov") == 0.95
    assert stability_threshold(15, 20, 50) is None
    assert stability_bound(15, 20, 1.0, 50) == math.inf


def largest_tail(n_pairs, threshold, mean):
    """The largest P(share of pairs >= 2 threshold - 1) of all unimodal laws on 0, 1/B, ..., 1."""
    shares = np.arange(n_pairs + 1) / n_pairs
    tail = shares >= 2 * threshold - 1 - 1e-12
    best = 0.0
    for mode in range(n_pairs + 1):
        falls = np.zeros((n_pairs, n_pairs + 1))  # rows: what must not be positive
        for i in range(n_pairs):
            falls[i, [i, i + 1]] = (1, -1) if i < mode else (-1, 1)
        found = linprog(
            -tail.astype(float), A_ub=falls, b_ub=np.zeros(n_pairs),
            A_eq=np.vstack([np.ones(n_pairs + 1), shares]), b_eq=[1, mean], bounds=(0, 1),
        )  # fmt: skip
        if found.status == 0:  # a mode may not allow the mean
            best = max(best, -found.fun)
    return best


@pytest.mark.parametrize("n_pairs", [10, 25])
@pytest.mark.parametrize("threshold", [0.6, 0.7, 0.8, 0.9])
def test_unimodal_bound_is_the_worst_case(n_pairs, threshold):
    p, share = 100, 0.05
    bound = stability_bound(share * p, p, threshold, n_pairs)
    assert p * largest_tail(n_pairs, threshold, share**2) == pytest.approx(bound, rel=1e-6)


def test_no_distribution_exceeds_the_bound_where_it_holds():
    p, n_pairs = 100, 20
    finite = 0
    for share in (0.2, 0.4, 0.57):
        for threshold in (0.525, 0.6, 0.75, 0.8, 0.95, 1.0):
            bound = stability_bound(share * p, p, threshold, n_pairs)
            if math.isfinite(bound):
                finite += 1
                assert p * largest_tail(n_pairs, threshold, share**2) <= bound * (1 + 1e-9)
    assert finite >= 6


def test_thresholds_are_the_least_that_are_good_enough():
    for q, p, pairs in ((1, 4, 3), (0, 5, 7), (12.3, 400, 20), (40, 100, 50)):
        for bound in ("unimodal", "markov"):
            for expected in (0.05, 1.0, 30.0):
                grid = [i / (2 * pairs) for i in range(pairs + 1, 2 * pairs + 1)]
                enough = [
                    t for t in grid if stability_bound(q, p, t, pairs, bound=bound) <= expected
                ]
                found = stability_threshold(q, p, pairs, expected_false=expected, bound=bound)
                assert found == (min(enough) if enough else None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((11, 10, 0.9), r"q must lie between 0 and p=10; got 11\."),
        ((-1, 10, 0.9), "q must lie"),
        ((1, 0, 0.9), "p must be an integer of at least 1"),
        ((1, 10, 0.5), r"threshold must be above 0\.5 and at most 1; got 0\.5"),
        ((1, 10, 1.01), "threshold must"),
        ((1, 10, 0.9, 0), "n_pairs must be an integer of at least 1"),
    ],
)
def test_impossible_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        stability_bound(*arguments)


def test_impossible_words_and_numbers():
    with pytest.raises(ValueError, match="bound must be 'unimodal' or 'markov'; got 'tight'"):
        stability_bound(1, 10, 0.9, bound="tight")
    with pytest.raises(ValueError, match="expected_false must be above 0; got 0"):
        stability_threshold(1, 10, expected_false=0)
