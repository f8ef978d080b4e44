"""Methods on the same data sets, two at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.evaluation import SignTest, relative_scores, sign_test
from ensfs.evaluation.paired import wins_needed


def test_wins_of_the_paper():
    """38.154 of 61 data sets are rounded up; the pairs that the paper calls not significant."""
    assert [wins_needed(n) for n in (61, 33, 29, 5, 1)] == [39, 23, 20, 5, 2]
    for wins, ties, losses in ((35, 2, 24), (38, 0, 23), (30, 0, 31)):
        assert not SignTest(wins, ties, losses, 39).significant
    assert SignTest(38, 2, 21, 39).significant


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_counts(pairs):
    found = sign_test(*zip(*pairs, strict=True))
    assert found.wins == sum(a < b for a, b in pairs)
    assert found.losses == sum(a > b for a, b in pairs)
    assert found.wins + found.ties + found.losses == len(pairs)
    assert found.significant == (2 * found.wins + found.ties >= 2 * found.needed)


def test_rounding_makes_no_wins():
    assert sign_test([0.1 + 0.2, 1.0], [0.3, 2.0]) == SignTest(1, 1, 0, 3)


@given(
    st.lists(
        st.lists(st.floats(0, 1e300), min_size=3, max_size=3), min_size=1, max_size=5
    )
)  # fmt: skip
def test_relative_scores(errors):
    def score(i, j):
        return [0 if max(e[i], e[j]) == 0 else (e[j] - e[i]) / max(e[i], e[j]) for e in errors]

    expected = [[np.mean(score(i, j)) for j in range(3)] for i in range(3)]
    found = relative_scores(errors)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    np.testing.assert_allclose(found, -found.T)
    if len(errors) == 1:
        np.testing.assert_array_equal(relative_scores(errors[0]), found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sign_test([1, 2], [1, 2, 3]), r"equally many; got the shapes \(2,\) and \(3,\)"),
        (lambda: sign_test([], []), "an error for each data set"),
        (lambda: sign_test([1, np.nan], [1, 2]), "first must hold finite numbers"),
        (lambda: relative_scores([1, -1]), "not negative"),
        (lambda: relative_scores([[[1.0]]]), r"the shape \(n_datasets, n_methods\)"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
