import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing, first_largest, tie_groups, tie_keys

EDGE = 0.1234567890125  # rounding to 12 digits goes down below it and up above it


def groups_slow(values, tolerance):
    """Walk from the least to the largest value."""
    before, last, groups = min(values), 0, {}
    for value in sorted(values):
        last += value - before > tolerance
        groups[value] = last
        before = value
    return [groups[value] for value in values]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.integers(0, 5))
def test_against_the_definition(values, tolerance):
    found = tie_groups(np.array(values, dtype=float), tolerance)
    assert found.tolist() == groups_slow(values, tolerance)


def test_an_edge_of_rounding_parts_nothing():
    near = EDGE + np.array([-1e-14, 1e-14])
    assert len(set(near.round(12).tolist())) == 2
    assert tie_groups(near).tolist() == [0, 0]
    assert tie_groups(EDGE + np.array([2e-12, -2e-12])).tolist() == [1, 0]


def test_rows_have_groups_of_their_own():
    table = np.array([[3.0, 1.0, 3.0], [0.0, 5.0, 9.0]])
    assert tie_groups(table).tolist() == [[1, 0, 1], [0, 1, 2]]
    assert tie_groups(np.empty((2, 0))).shape == (2, 0)


def test_equal_infinities_are_tied():
    values = np.array([np.inf, -np.inf, 1.0, -np.inf, np.inf])
    assert tie_groups(values).tolist() == [2, 0, 1, 0, 2]
    assert by_decreasing(values, np.ones(5, dtype=bool)).tolist() == [0, 4, 2, 1, 3]
    assert tie_keys(values).tolist() == values.tolist()


@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=12),
    st.lists(st.integers(-4, 4), min_size=12, max_size=12),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_decreasing_values_with_ties_in_order_of_position(values, noise, which):
    values = np.array(values) * 0.1 + EDGE + np.array(noise[: len(values)]) * 1e-15
    which = np.array(which[: len(values)])
    found = by_decreasing(values, which)
    groups = groups_slow(values[which].tolist(), TIE_TOLERANCE) if which.any() else []
    columns = np.nonzero(which)[0].tolist()
    expected = [j for _, j in sorted(zip([-g for g in groups], columns, strict=True))]
    assert found.tolist() == expected


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=12),
    st.lists(st.sampled_from([0, 0, 0, 1e-15, 3e-13]), min_size=12, max_size=12),
)
def test_keys_order_as_the_groups_do(values, noise):
    values = np.array(values) * 0.1 + np.array(noise[: len(values)])
    groups, keys = tie_groups(values), tie_keys(values)
    np.testing.assert_array_equal(np.less.outer(groups, groups), np.less.outer(keys, keys))


def test_neighbouring_floats_are_tied_wherever_they_lie():
    """Rounding to multiples of the tolerance would part those on both sides of an edge."""
    both = np.ones(2, dtype=bool)
    for edge in (np.random.default_rng(0).integers(0, 10**12, 200) + 0.5) * TIE_TOLERANCE:
        below, above = np.nextafter(edge, 0.0), np.nextafter(edge, 1.0)
        assert by_decreasing(np.array([below, above]), both).tolist() == [0, 1]
        assert first_largest(np.array([below, above])) == 0


def test_the_first_of_the_largest():
    assert first_largest(np.array([1.0, 3.0, 3.0 + 1e-13, 2.0])) == 1
    assert first_largest(np.array([1.0, 3.0, 3.0 + 1e-11, 2.0])) == 2
    assert first_largest(np.array([1e6, 1e6 + 1e-9])) == 0  # as far apart as rounding leaves them
    assert first_largest(np.array([-np.inf, -np.inf])) == 0
    assert first_largest(np.array([1.0, np.inf, np.inf])) == 1
