"""Stability measures against their definitions, and Eq. 8 against its recursion."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ensfs.evaluation import (
    NogueiraStability,
    expected_passes,
    jaccard_stability,
    nogueira_stability,
)


def jaccard_slow(sets):
    def index(a, b):
        return len(a & b) / len(a | b) if a | b else 1.0

    values = [index(set(a), set(b)) for a, b in combinations(sets, 2)]
    return sum(values) / len(values)


def nogueira_slow(sets, d):
    """Estimate by its definition; variance by its definition, one selection at a time."""
    m = len(sets)
    share = [sum(f in s for s in sets) / m for f in range(d)]
    k = sum(len(s) for s in sets) / m
    chance = k / d * (1 - k / d)
    phi = 1 - sum(m / (m - 1) * p * (1 - p) for p in share) / d / chance
    parts = []
    for s in sets:
        ki = len(s)
        overlap = sum(share[f] for f in s) / d - ki * k / d**2
        parts.append((overlap + phi / 2 * (2 * k * ki / d**2 - ki / d - k / d + 1)) / chance)
    mean = sum(parts) / m
    return phi, 4 / m**2 * sum((x - mean) ** 2 for x in parts)


def passes_slow(p, k, e, jaccard):
    """Eq. 8 with its recursion P_1 = 0, P_i = r * sum of (1 - P_m) over m < i."""
    r = 2 * jaccard / (jaccard + 1)
    known = []
    for _ in range(e):
        known.append(r * sum(1 - q for q in known))
    return p + (k - 1) * (p - (k - 1) / 2) * (e - sum(known))


def random_sets(seed, n_sets, d):
    rng = np.random.default_rng(seed)
    return [np.flatnonzero(rng.random(d) < rng.random()).tolist() for _ in range(n_sets)]


def to_masks(sets, d):
    masks = np.zeros((len(sets), d), dtype=bool)
    for i, s in enumerate(sets):
        masks[i, s] = True
    return masks


many_sets = {
    "seed": st.integers(0, 2**32 - 1),
    "n_sets": st.integers(2, 8),
    "d": st.integers(1, 12),
}


class TestJaccard:
    def test_by_hand(self):
        assert jaccard_stability([[0, 1, 2], [0, 1, 3]]) == pytest.approx(0.5)
        # pairs: 2/4, 3/3, 2/4
        assert jaccard_stability([[0, 1, 2], [0, 1, 3], [2, 1, 0]]) == pytest.approx(2 / 3)

    def test_equal_sets_are_perfectly_stable(self):
        # the printed factor 2 / (l^2 + l) would give 9/11 here
        assert jaccard_stability([[4, 5, 6]] * 10) == 1.0

    def test_disjoint_sets_are_not_stable_at_all(self):
        assert jaccard_stability([[0], [1], [2]]) == 0.0

    def test_two_empty_sets_are_equal(self):
        assert jaccard_stability([[], []]) == 1.0
        assert jaccard_stability([[], [], [1]]) == pytest.approx(1 / 3)
        assert jaccard_stability(np.zeros((2, 3), dtype=bool)) == 1.0

    def test_names_and_python_sets(self):
        assert jaccard_stability([{"a", "b"}, {"b", "c"}]) == pytest.approx(1 / 3)

    @given(**many_sets)
    def test_definition(self, seed, n_sets, d):
        sets = random_sets(seed, n_sets, d)
        expected = jaccard_slow(sets)
        assert_allclose(jaccard_stability(sets), expected, atol=1e-14)
        assert_allclose(jaccard_stability(to_masks(sets, d)), expected, atol=1e-14)
        assert_allclose(jaccard_stability(iter(sets)), expected, atol=1e-14)

    @given(**many_sets)
    def test_order_and_names_do_not_matter(self, seed, n_sets, d):
        sets = random_sets(seed, n_sets, d)
        rng = np.random.default_rng(seed)
        renamed = rng.permutation(1000)[:d]
        other = [rng.permutation(renamed[sets[i]]) for i in rng.permutation(len(sets))]
        assert_allclose(jaccard_stability(other), jaccard_stability(sets), atol=1e-14)

    def test_index_matrix(self):
        indices = np.array([[3, 1], [1, 2], [1, 3]])
        assert jaccard_stability(indices) == pytest.approx(jaccard_slow(indices.tolist()))

    @pytest.mark.parametrize("sets", [[], [[1, 2]], np.zeros((1, 4), dtype=bool)])
    def test_too_few_sets(self, sets):
        with pytest.raises(ValueError, match="at least two selections"):
            jaccard_stability(sets)

    def test_a_zero_one_matrix_of_integers_is_not_taken_for_indices(self):
        with pytest.raises(ValueError, match=r"astype\(bool\)"):
            jaccard_stability(np.array([[0, 1, 1], [1, 1, 0]]))

    def test_bad_input(self):
        with pytest.raises(ValueError, match="floating-point"):
            jaccard_stability([[0.5, 1.0], [1.0, 2.0]])
        with pytest.raises(ValueError, match="same length"):
            jaccard_stability([np.ones(2, dtype=bool), np.ones(3, dtype=bool)])
        with pytest.raises(ValueError, match="mixture"):
            jaccard_stability([np.ones(2, dtype=bool), np.array([0, 1])])
        with pytest.raises(ValueError, match="one-dimensional"):
            jaccard_stability(np.zeros((2, 2, 2), dtype=bool))
        with pytest.raises(ValueError, match="all column indices or all names"):
            jaccard_stability([[0, 1], ["0", "1"]])
        with pytest.raises(ValueError, match="sets must not hold missing"):
            jaccard_stability([["a", None], ["a", "b"]])


class TestNogueira:
    def test_by_hand(self):
        # two sets of two out of four columns with one in common: p = (1, 1/2, 1/2, 0),
        # sum of 2 p (1 - p) / 4 = 1/4, over 1/4: no better than chance
        result = nogueira_stability([[1, 1, 0, 0], [1, 0, 1, 0]])
        assert result.stability == pytest.approx(0.0, abs=1e-15)
        assert isinstance(result, NogueiraStability)

    def test_equal_sets(self):
        result = nogueira_stability(np.array([[True, False, True]] * 4))
        assert result.stability == 1.0
        assert result.variance == pytest.approx(0.0, abs=1e-30)
        assert result.confidence_interval() == (1.0, 1.0)

    def test_complementary_sets(self):
        assert nogueira_stability([[1, 0], [0, 1]]).stability == pytest.approx(-1.0)

    def test_equals_kuncheva_for_sets_of_one_size(self):
        rng = np.random.default_rng(0)
        d, k = 15, 4
        sets = [rng.choice(d, k, replace=False).tolist() for _ in range(6)]
        kuncheva = np.mean(
            [(len(set(a) & set(b)) - k**2 / d) / (k - k**2 / d) for a, b in combinations(sets, 2)]
        )
        assert nogueira_stability(sets, n_features=d).stability == pytest.approx(kuncheva)

    @given(**many_sets)
    def test_definition(self, seed, n_sets, d):
        sets = random_sets(seed, n_sets, d)
        if sum(map(len, sets)) in (0, n_sets * d):
            with pytest.raises(ValueError, match="not defined"):
                nogueira_stability(to_masks(sets, d))
            return
        phi, variance = nogueira_slow(sets, d)
        result = nogueira_stability(to_masks(sets, d))
        assert_allclose(result.stability, phi, atol=1e-12)
        assert_allclose(result.variance, variance, atol=1e-12)
        assert result == nogueira_stability(sets, n_features=d)
        assert result == nogueira_stability(to_masks(sets, d).astype(int))
        assert result.stability <= 1 + 1e-12

    def test_random_sets_of_any_size_have_no_stability(self):
        rng = np.random.default_rng(1)
        result = nogueira_stability(rng.random((400, 200)) < 0.3)
        low, high = result.confidence_interval(0.999)
        assert low < 0 < high
        assert abs(result.stability) < 0.01

    def test_variance_is_the_scatter_of_the_estimate(self):
        rng = np.random.default_rng(2)
        share = np.array([0.9] * 5 + [0.5] * 5 + [0.05] * 30)
        runs = [nogueira_stability(rng.random((60, 40)) < share) for _ in range(400)]
        scatter = np.var([run.stability for run in runs], ddof=1)
        assert np.mean([run.variance for run in runs]) == pytest.approx(scatter, rel=0.25)

    def test_interval(self):
        result = NogueiraStability(0.5, 0.01)
        assert_allclose(result.confidence_interval(), (0.3040036015, 0.6959963985), rtol=1e-9)
        assert_allclose(
            result.confidence_interval(np.float32(0.5)), result.confidence_interval(0.5)
        )
        assert_allclose(result.confidence_interval(level=0.5), (0.4325510, 0.5674490), rtol=1e-6)
        for level in (0, 1, -0.1, 95, math.nan, "0.95"):
            with pytest.raises(ValueError, match="level"):
                result.confidence_interval(level)

    def test_bad_input(self):
        with pytest.raises(ValueError, match="at least two selections"):
            nogueira_stability([[0, 1]])
        with pytest.raises(ValueError, match="n_features"):
            nogueira_stability([[0, 1], [0, 5]])
        with pytest.raises(ValueError, match="n_features"):
            nogueira_stability([[0, 1], [0]])
        with pytest.raises(ValueError, match="only 0 and 1"):
            nogueira_stability([[0.0, math.nan], [1.0, 0.0]])
        with pytest.raises(ValueError, match="from 0 to 3"):
            nogueira_stability([[0, 1], [0, 4]], n_features=4)
        for bad in (5.5, "3", True, -3, 0):
            with pytest.raises(ValueError, match="n_features must be an integer of at least 1"):
                nogueira_stability([[0, 1], [0, 2]], n_features=bad)
        with pytest.raises(ValueError, match="at least one column"):
            nogueira_stability(np.zeros((2, 0)))
        with pytest.raises(ValueError, match="complete"):
            nogueira_stability(np.ones((3, 4)))


class TestExpectedPasses:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ((34, 10, 5, 0.3855), 502.9196819857),
            ((100, 10, 1, 0.2), 959.5),
            ((100, 10, 1, 0.0), 959.5),
            ((100, 1, 7, 0.3), 100),
            ((10, 3, 4, 0.0), 10 + 2 * 9 * 4),
            ((10, 3, 4, 1.0), 10 + 2 * 9),
        ],
    )
    def test_worked_values(self, arguments, expected):
        assert expected_passes(*arguments) == pytest.approx(expected, rel=1e-12)

    @given(
        p=st.integers(1, 500),
        share=st.floats(0, 1),
        e=st.integers(1, 40),
        jaccard=st.floats(0, 1),
    )
    def test_recursion(self, p, share, e, jaccard):
        k = max(1, round(share * p))
        passes = expected_passes(p, k, e, jaccard)
        assert_allclose(passes, passes_slow(p, k, e, jaccard), rtol=1e-9)
        assert p <= passes * (1 + 1e-12)

    def test_tiny_overlap_is_close_to_none(self):
        assert expected_passes(100, 10, 20, 1e-15) == pytest.approx(
            expected_passes(100, 10, 20, 0), rel=1e-12
        )

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((0, 1, 1, 0.5), "p must be"),
            ((10, 0, 1, 0.5), "k must be"),
            ((10, 11, 1, 0.5), "k must be at most"),
            ((10, 2, 0, 0.5), "e must be"),
            ((10, 2.5, 3, 0.5), "k must be"),
            ((10, True, 3, 0.5), "k must be"),
            ((10, 2, 3, -0.1), "jaccard"),
            ((10, 2, 3, 1.5), "jaccard"),
            ((10, 2, 3, math.nan), "jaccard"),
            ((10, 2, 3, "0.5"), "jaccard"),
        ],
    )
    def test_bad_input(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            expected_passes(*arguments)
