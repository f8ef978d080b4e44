import numpy as np
import pytest

from ensfs.datasets import make_waveform


def test_the_means_are_those_of_the_recipe():
    X, y = make_waveform(60_000, n_noise=3, random_state=0)
    j = np.arange(1, 22)
    waves = {c: np.clip(6 - abs(j - c), 0, None) for c in (7, 11, 15)}
    for label, (a, b) in enumerate([(7, 15), (7, 11), (15, 11)]):
        mean = X[y == label].mean(axis=0)
        np.testing.assert_allclose(mean[:21], (waves[a] + waves[b]) / 2, atol=0.06)
        np.testing.assert_allclose(mean[21:], 0, atol=0.04)
    # the shares of the two waves are uniform: what varies beside the noise is 1/12 of the square
    at_seven = X[y == 0][:, 6]
    assert at_seven.var() == pytest.approx(1 + 36 / 12, rel=0.05)
    np.testing.assert_allclose(X[:, 21:].std(axis=0), 1, atol=0.02)
    np.testing.assert_allclose(np.bincount(y) / y.size, 1 / 3, atol=0.01)


def test_more_noise_keeps_what_was_there():
    few, y = make_waveform(50, random_state=3)
    many, z = make_waveform(50, n_noise=209, random_state=3)
    assert few.shape == (50, 40)
    assert many.shape == (50, 230)
    np.testing.assert_array_equal(many[:, :40], few)
    np.testing.assert_array_equal(y, z)
    assert make_waveform(5, n_noise=0, random_state=0)[0].shape == (5, 21)


@pytest.mark.parametrize("name", ["n_samples", "n_noise"])
@pytest.mark.parametrize("bad", [-1, 2.5, True, "a", None])
def test_bad_sizes(name, bad):
    with pytest.raises(ValueError, match=f"{name} must be an integer of at least .; got {bad!r}"):
        make_waveform(**{name: bad})


def test_at_least_one_row():
    with pytest.raises(ValueError, match="n_samples must be an integer of at least 1; got 0"):
        make_waveform(0)
