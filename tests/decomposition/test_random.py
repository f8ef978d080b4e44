import numpy as np
import pytest

from ensfs import RandomPartitionDecomposition, RandomSubspaceDecomposition


@pytest.mark.parametrize(("p", "n_subsets"), [(10, 3), (7, 7), (5, 1), (100, 30)])
def test_a_partition_holds_every_column_once(p, n_subsets):
    fitted = RandomPartitionDecomposition(n_subsets, random_state=0).fit(np.zeros((2, p)))
    sizes = [columns.size for columns in fitted.subsets_]
    assert len(sizes) == fitted.n_subsets_ == n_subsets
    assert set(sizes) <= {p // n_subsets, -(-p // n_subsets)}
    assert np.sort(np.concatenate(fitted.subsets_)).tolist() == list(range(p))


def test_more_subsets_than_columns():
    with pytest.warns(UserWarning, match=r"Only 3 of 10 subsets could be made: there are 3 column"):
        fitted = RandomPartitionDecomposition(random_state=0).fit(np.zeros((2, 3)))
    assert fitted.n_subsets_ == 3


@pytest.mark.parametrize(
    ("p", "size", "expected"), [(30, 0.1, 3), (31, 0.1, 4), (10, 0.5, 5), (10, 10, 10), (3, 1, 1)]
)
def test_subspaces_are_sorted_draws(p, size, expected):
    fitted = RandomSubspaceDecomposition(5, size, random_state=0).fit(np.zeros((2, p)))
    for columns in fitted.subsets_:
        assert columns.size == np.unique(columns).size == expected
        assert (np.diff(columns) > 0).all()


def test_a_subset_has_its_own_seed():
    X = np.zeros((2, 50))
    few = RandomSubspaceDecomposition(3, random_state=4).fit(X).subsets_
    many = RandomSubspaceDecomposition(9, random_state=4).fit(X).subsets_
    np.testing.assert_array_equal(few, many[:3])
    assert len({tuple(columns) for columns in many}) == 9
    other = RandomSubspaceDecomposition(3, random_state=5).fit(X).subsets_
    assert not np.array_equal(few, other)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_move_on(make):
    generator, X = make(0), np.zeros((2, 50))
    first = RandomPartitionDecomposition(2, random_state=generator).fit(X).subsets_
    second = RandomPartitionDecomposition(2, random_state=generator).fit(X).subsets_
    again = RandomPartitionDecomposition(2, random_state=make(0)).fit(X).subsets_
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, again)


def test_all_columns_are_drawn_alike():
    fitted = RandomSubspaceDecomposition(4000, 0.25, random_state=0).fit(np.zeros((2, 8)))
    counts = np.bincount(np.concatenate(fitted.subsets_))
    assert np.abs(counts - 1000).max() < 4.5 * np.sqrt(4000 * 0.25 * 0.75)


def test_too_large_subsets():
    with pytest.raises(ValueError, match="n_features_per_subset=4 exceeds the 3"):
        RandomSubspaceDecomposition(2, 4).fit(np.zeros((2, 3)))


def test_values_are_not_looked_at():
    X = np.array([[np.nan, 1.0], [np.inf, 2.0]])
    assert RandomSubspaceDecomposition(2, 1).fit(X).n_features_in_ == 2
    assert RandomPartitionDecomposition(2).fit([["a", "b"], ["c", "d"]]).n_subsets_ == 2


def test_explain_overlap():
    fitted = RandomSubspaceDecomposition(3, 3, random_state=0).fit(np.zeros((2, 3)))
    assert fitted.explain()["subsets"] == ["0, 1, 2"] * 3


@pytest.mark.parametrize("size", [1e-12, True])
def test_a_subset_has_a_column_at_least(size):
    subsets = RandomSubspaceDecomposition(3, size, random_state=0).fit(np.zeros((4, 5))).subsets_
    assert [s.size for s in subsets] == [1, 1, 1]
