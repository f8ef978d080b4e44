import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ensfs._utils.ties import tie_groups

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
