"""Sets A and B of the paper on input decimation: whose columns are whose."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs.datasets import make_input_decimation

SET_A = [range(10), range(10, 20), range(20, 30)]
SET_B = [
    [*range(4), *range(12, 15), *range(15, 18)],
    [*range(4, 8), *range(12, 15), *range(18, 21)],
    [*range(8, 12), *range(15, 18), *range(18, 21)],
]


def owned(X, y, c):
    """Columns that all rows of a class draw near 40: noise would spread over -100 to 100."""
    rows = X[y == c]
    return np.flatnonzero((np.abs(rows - 40) < 40).all(axis=0)).tolist()


@pytest.mark.parametrize(("overlap", "columns"), [(False, SET_A), (True, SET_B)])
def test_columns_of_the_classes(overlap, columns):
    X, y = make_input_decimation(overlap=overlap, random_state=0)
    assert X.shape == (450, 100)
    for c in range(3):
        assert owned(X, y, c) == list(columns[c])


def test_shared_columns_of_set_b():
    sets = [set(columns) for columns in SET_B]
    assert len(set.union(*sets)) == 21
    assert all(len(sets[a] & sets[b]) == 3 for a, b in ((0, 1), (0, 2), (1, 2)))
    assert not set.intersection(*sets)


@pytest.mark.parametrize("overlap", [False, True])
def test_distributions(overlap):
    X, y = make_input_decimation(overlap=overlap, n_samples=6000, random_state=1)
    columns = SET_B if overlap else SET_A
    for c in range(3):
        rows = X[y == c]
        mine = rows[:, list(columns[c])]
        assert mine.mean() == pytest.approx(40, abs=0.2)
        assert mine.std() == pytest.approx(5, abs=0.1)
        others = np.delete(rows, list(columns[c]), axis=1)
        assert others.min() >= -100
        assert others.max() <= 100
        assert others.mean() == pytest.approx(0, abs=1)
        assert others.std() == pytest.approx(200 / np.sqrt(12), abs=0.5)
        # independent dimensions
        assert np.abs(np.corrcoef(mine.T) - np.eye(10)).max() < 0.1


def test_every_beginning_is_balanced():
    _, y = make_input_decimation(random_state=0)
    assert np.bincount(y[:300]).tolist() == [100, 100, 100]
    assert np.bincount(y[300:]).tolist() == [50, 50, 50]


def test_seeds():
    first = make_input_decimation(random_state=5)[0]
    np.testing.assert_array_equal(first, make_input_decimation(random_state=5)[0])
    assert (first != make_input_decimation(random_state=6)[0]).any()
    state = np.random.RandomState(5)
    np.testing.assert_array_equal(first, make_input_decimation(random_state=state)[0])


@settings(max_examples=30)
@given(
    n_classes=st.integers(2, 5), own=st.integers(0, 4), n_shared=st.integers(1, 3),
    noise=st.integers(0, 5),
)  # fmt: skip
def test_any_size(n_classes, own, n_shared, noise):
    n_relevant = own + n_shared * (n_classes - 1)
    used = n_classes * own + n_shared * n_classes * (n_classes - 1) // 2
    X, y = make_input_decimation(
        overlap=True, n_samples=40 * n_classes, n_features=used + noise, n_classes=n_classes,
        n_relevant=n_relevant, n_shared=n_shared, random_state=0,
    )  # fmt: skip
    sets = [set(owned(X, y, c)) for c in range(n_classes)]
    assert all(len(s) == n_relevant for s in sets)
    assert set.union(*sets) == set(range(used))
    for a in range(n_classes):
        for b in range(a):
            assert len(sets[a] & sets[b]) == n_shared


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 29}, "n_features must be at least 30 .* got 29"),
        ({"overlap": True, "n_relevant": 5}, "n_relevant must be at least 6, .* got 5"),
        ({"n_classes": 1}, "n_classes must be an integer of at least 2"),
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 10.5}, "n_samples"),
        ({"n_shared": -1, "overlap": True}, "n_shared"),
        ({"n_relevant": True}, "n_relevant"),
    ],
)
def test_bad_sizes(options, message):
    with pytest.raises(ValueError, match=message):
        make_input_decimation(**options)
