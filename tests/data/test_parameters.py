"""Parameters that name columns, or ask for a number of them."""

import numpy as np
import pytest

from ensfs import MRMR, RandomClusterEnsemble
from ensfs.data.parameters import resolve_n_features, resolve_share
from ensfs.plotting import AccuracyDisplay


@pytest.mark.parametrize(
    ("k", "expected"),
    [(1, 1), (7, 7), (10, 10), (np.int64(3), 3), (0.01, 1), (0.25, 3), (0.24, 2), (1.0, 10)],
)
def test_resolve_n_features(k, expected):
    assert resolve_n_features(k, 10) == expected


def test_more_features_than_columns():
    with pytest.warns(UserWarning, match="=12 exceeds the 10 columns of X; all 10 are selected"):
        assert resolve_n_features(12, 10) == 10


@pytest.mark.parametrize("k", [0, -1, True, np.True_, 0.0, -0.5, 1.5, float("nan"), "3", None])
def test_bad_n_features(k):
    with pytest.raises(ValueError, match=r"n_features_to_select must be.*got"):
        resolve_n_features(k, 10)


@pytest.mark.parametrize("n_features", [1, 2, 3, 5, 6, 7, 9, 13])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.5, 0.7, 1.0])
def test_shares(share, n_features):
    """The nearest whole number; the larger one of two that are as near."""
    nearest = min(range(1, n_features + 1), key=lambda k: (abs(k - share * n_features), -k))
    assert resolve_share(share, n_features) == nearest
    assert resolve_n_features(share, n_features) == nearest


def test_a_share_is_the_same_number_everywhere():
    """Half of 5 columns was 3 in MRMR, and 2 in its curve and in random cluster ensembles."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    assert MRMR(0.5).fit(X, y).indices_.size == 3
    curve = AccuracyDisplay.from_estimator(MRMR(0.5), X, y, cv=2)
    assert curve.n_features.tolist() == [1, 2, 3]
    clusters = RandomClusterEnsemble(
        n_estimators=3, max_features=0.5, max_clusters=2, random_state=0
    ).fit(X)
    assert {len(columns) for columns in clusters.estimators_features_} == {3}
