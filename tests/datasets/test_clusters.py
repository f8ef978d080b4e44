"""Four clouds: where they are, and the error that nobody avoids."""

import numpy as np
import pytest

from ensfs.datasets import make_xor_clusters

CENTRES = {0: [(0, 0), (4.5, 3)], 1: [(1, 3), (3, 0.1)]}


def density(points, label):
    """Density of a class times four pi."""
    return sum(np.exp(-((points - c) ** 2).sum(axis=-1) / 2) for c in CENTRES[label])


def test_bayes_error():
    """The smaller of two densities, summed over a fine grid."""
    step = 0.02
    x, y = np.arange(-9, 14, step), np.arange(-9, 12, step)
    points = np.stack(np.meshgrid(x, y), axis=-1)
    least = np.minimum(density(points, 0), density(points, 1))
    assert least.sum() * step**2 / (8 * np.pi) == pytest.approx(0.095719, abs=1e-6)
    X, labels = make_xor_clusters(200_000, random_state=0)
    wrong = (density(X, 1) > density(X, 0)) != labels
    assert wrong.mean() == pytest.approx(0.095719, abs=0.003)


def test_clouds():
    X, y = make_xor_clusters(40_001, random_state=0)
    assert X.shape == (40_001, 2)
    assert np.bincount(y).tolist() == [20_001, 20_000]
    for cloud, centre in enumerate([*CENTRES[0], *CENTRES[1]]):
        rows = X[cloud::4]
        assert (y[cloud::4] == cloud // 2).all()
        np.testing.assert_allclose(rows.mean(axis=0), centre, atol=0.05)
        np.testing.assert_allclose(np.cov(rows.T), np.eye(2), atol=0.05)
    again = make_xor_clusters(100, random_state=np.random.RandomState(0))[0]
    np.testing.assert_array_equal(again, make_xor_clusters(100, random_state=0)[0])
    with pytest.raises(ValueError, match="n_samples"):
        make_xor_clusters(0)
