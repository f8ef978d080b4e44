import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import FCBF, IteratedFCBFDecomposition


def iterated_slow(X, y, n_subsets):
    """`FCBF` on the columns that are left."""
    left, subsets = np.arange(X.shape[1]), []
    while left.size and len(subsets) < n_subsets:
        chosen = left[
            FCBF(discrete_features=np.ones(left.size, dtype=bool)).fit(X[:, left], y).indices_
        ]
        if not chosen.size:
            break
        subsets.append(chosen.tolist())
        left = np.setdiff1d(left, chosen)
    return subsets


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@pytest.mark.filterwarnings("ignore:Only 0 of:UserWarning")
@pytest.mark.filterwarnings("ignore:y is constant:UserWarning")
def test_against_repeated_runs(seed, n_subsets):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(4, 60), rng.integers(1, 20)
    y = rng.integers(3, size=n)
    X = np.where(rng.random((n, p)) < rng.random(p), y[:, None], rng.integers(3, size=(n, p)))
    fitted = IteratedFCBFDecomposition(n_subsets, discrete_features=np.ones(p, dtype=bool)).fit(
        X, y
    )
    assert [columns.tolist() for columns in fitted.subsets_] == iterated_slow(X, y, n_subsets)
    members = [j for columns in fitted.subsets_ for j in columns.tolist()]
    assert sorted([*members, *fitted.discarded_]) == list(range(p))
    for j, reason in fitted.discarded_.items():
        assert reason == ("redundant in every run" if fitted.relevance_[j] > 0 else "not relevant")


def test_worked_example():
    """The first column removes the two others that follow the target, one of them a copy."""
    columns = ["000001111110", "000011111100", "000001111101", "010101010101", "000001111110"]
    X, y = np.array([list(column) for column in columns]).T, list("000000111111")
    fitted = IteratedFCBFDecomposition(2).fit(X, y)
    assert [columns.tolist() for columns in fitted.subsets_] == [[0], [2]]
    assert fitted.discarded_ == {
        3: "not relevant", 1: "redundant in every run", 4: "redundant in every run",
    }  # fmt: skip
    assert fitted.explain()["subset"] == [0, 1, None, None, None]
    assert fitted.explain(0)[0]["reason"] == "predominant"
    assert IteratedFCBFDecomposition().fit(X, y).n_subsets_ == 4  # and no fifth run


def test_nothing_relevant():
    with pytest.warns(UserWarning, match="Only 0 of 10 subsets could be made: no column"):
        fitted = IteratedFCBFDecomposition().fit([[0], [1], [0], [1]], [0, 0, 1, 1])
    assert fitted.subsets_ == []
