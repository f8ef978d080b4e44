"""Local binary patterns against plain Python, and their histograms against counting."""

from math import cos, floor, pi, sin
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import LocalBinaryPatterns
from ensfs._core.patterns import pattern_codes, tile_histograms
from ensfs.features.patterns import local_binary_pattern_codes, neighbours, uniform_bins


def slow_code(image, i, j, radius):
    """Eight neighbours on a circle, each interpolated from the four pixels around it."""
    code = 0
    for t in range(8):
        r, c = i - radius * sin(2 * pi * t / 8), j + radius * cos(2 * pi * t / 8)
        r, c = (round(x) if abs(x - round(x)) < 1e-12 else x for x in (r, c))
        top, left = floor(r), floor(c)
        value = 0.0
        for row, w_row in ((top, 1 - (r - top)), (top + 1, r - top)):
            for column, w_column in ((left, 1 - (c - left)), (left + 1, c - left)):
                if w_row * w_column:
                    value += w_row * w_column * image[row][column]
        code |= (value >= image[i][j] - 1e-9) << t
    return code


def slow_codes(image, radius):
    height, width = image.shape
    return [
        [slow_code(image, i, j, radius) for j in range(radius, width - radius)]
        for i in range(radius, height - radius)
    ]


def slow_histogram(image, radius, top, bottom, left, right, bins):
    """Shares of the codes of a tile."""
    height, width = image.shape
    counts = np.zeros(bins.max() + 1)
    for i in range(max(top, radius), min(bottom, height - radius)):
        for j in range(max(left, radius), min(right, width - radius)):
            counts[bins[slow_code(image, i, j, radius)]] += 1
    return counts / counts.sum() if counts.sum() else counts


def test_worked_codes():
    image = [[10, 20, 30, 25], [40, 50, 60, 15], [70, 80, 90, 55], [20, 65, 35, 45]]
    assert local_binary_pattern_codes(image, 1).tolist() == [[225, 96], [1, 0]]


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(1, 12),
    width=st.integers(1, 12),
    radius=st.integers(1, 5),
    levels=st.sampled_from([2, 5, 256]),
)
def test_codes(seed, height, width, radius, levels):
    image = np.random.default_rng(seed).integers(levels, size=(height, width)).astype(float)
    found = local_binary_pattern_codes(image, radius)
    assert found.shape == (max(0, height - 2 * radius), max(0, width - 2 * radius))
    if found.size:
        assert found.tolist() == slow_codes(image, radius)


#: Check sums of scikit-image 0.26's codes of `noise`, for radii of 1 to 10.
OF_SCIKIT_IMAGE = [
    0x0D2B0112, 0xE1047001, 0x4F631EA6, 0xEE5E0A33, 0xF8546BC3,
    0xDF27A593, 0x3C7306E8, 0x05F27A8A, 0xF7DB979A, 0x9C96C74A,
]  # fmt: skip


@pytest.fixture
def noise():
    """An image without ties, which scikit-image decides by rounding."""
    return np.random.default_rng(0).integers(256, size=(75, 150)).astype(np.uint8)


def test_codes_that_scikit_image_gave(noise):
    found = [crc32(local_binary_pattern_codes(noise, radius).tobytes()) for radius in range(1, 11)]
    assert found == OF_SCIKIT_IMAGE


def test_scikit_image_gives_the_same_codes(noise):
    feature = pytest.importorskip("skimage.feature")
    for radius in range(1, 11):
        inside = slice(radius, -radius)
        expected = feature.local_binary_pattern(noise, 8, radius)[inside, inside]
        np.testing.assert_array_equal(local_binary_pattern_codes(noise, radius), expected)


def test_uniform_bins():
    bins = uniform_bins()
    changes = [sum((c >> t & 1) != (c >> ((t + 1) % 8) & 1) for t in range(8)) for c in range(256)]
    uniform = [c for c in range(256) if changes[c] <= 2]
    assert len(uniform) == 58
    assert bins[uniform].tolist() == list(range(58))
    assert set(bins[[c for c in range(256) if changes[c] > 2]]) == {58}


@pytest.mark.parametrize("uniform", [True, False])
def test_histograms(uniform):
    rng = np.random.default_rng(1)
    shape, grids, radii = (7, 11), [(3, 2), (1, 1), (11, 7)], [2, 1, 3]
    images = rng.integers(9, size=(3, 77)).astype(float)
    model = LocalBinaryPatterns(image_shape=shape, grids=grids, radii=radii, uniform=uniform)
    found = model.fit_transform(images)
    bins = uniform_bins() if uniform else np.arange(256)
    for image, row in zip(images.reshape(3, *shape), found, strict=True):
        expected = []
        for radius in radii:
            for across, down in grids:
                # a pixel belongs to the tile in which it begins
                bounds = [
                    [next(k for k in range(n + 1) if k * m // n >= t) for t in range(m + 1)]
                    for n, m in ((7, down), (11, across))
                ]
                for t in range(down):
                    for s in range(across):
                        tile = (*bounds[0][t : t + 2], *bounds[1][s : s + 2])
                        expected.append(slow_histogram(image, radius, *tile, bins))
        np.testing.assert_allclose(row, np.concatenate(expected), atol=1e-15)


def test_defaults_are_those_of_the_paper():
    model = LocalBinaryPatterns(image_shape=(75, 150)).fit(np.zeros((1, 75 * 150)))
    assert model.transform(np.zeros((2, 75 * 150))).shape == (2, 106_790)
    assert sum(a * d for a, d in model.grids_) == 181
    assert model.radii_ == list(range(1, 11))


def test_small_images_have_what_fits():
    model = LocalBinaryPatterns().fit(np.arange(64.0)[None])
    assert model.image_shape_ == (8, 8)
    assert model.grids_ == [(8, 4), (6, 3), (4, 2), (1, 1)]
    assert model.radii_ == [1, 2, 3]
    line = LocalBinaryPatterns().fit(np.ones((2, 7)))
    assert line.image_shape_ == (1, 7)
    assert not line.transform(np.ones((2, 7))).any()  # no circle fits


def test_threads_and_brightness_do_not_matter():
    images = np.random.default_rng(0).integers(256, size=(40, 400)).astype(float)
    one = LocalBinaryPatterns(image_shape=(20, 20)).fit(images)
    four = LocalBinaryPatterns(image_shape=(20, 20), n_jobs=4).fit(images)
    expected = one.transform(images)
    np.testing.assert_array_equal(four.transform(images), expected)
    np.testing.assert_array_equal(one.transform(images + 1000), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"image_shape": (7, 9)}, "as many pixels as X has columns, 64; got"),
        ({"image_shape": (8,)}, "image_shape must be pairs of integers"),
        ({"grids": [(9, 1)]}, "grids must not have more tiles"),
        ({"grids": []}, "grids must hold at least one pair"),
        ({"grids": [(0, 1)]}, "grids must be pairs of integers"),
        ({"radii": [0]}, "radii must hold integers of at least 1"),
        ({"radii": []}, "radii must hold integers of at least 1"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LocalBinaryPatterns(**options).fit(np.zeros((1, 64)))


def test_kernels_check_what_they_are_given():
    corner, weight = neighbours(1, 5)
    image, codes = np.zeros((5, 5)), np.empty((3, 3), dtype=np.uint8)
    with pytest.raises(ValueError, match="shape of the image"):
        pattern_codes(image, corner, weight, 2, 0.0, codes)
    with pytest.raises(ValueError, match="beyond the margins"):
        pattern_codes(image, corner + 9, weight, 1, 0.0, codes)
    bins, tiles = np.zeros(256, dtype=np.int16), np.zeros(3, dtype=np.int32)
    with pytest.raises(ValueError, match="bins must lie in"):
        tile_histograms(codes, bins - 1, tiles, tiles, 1, 1, np.empty((1, 1)))
    with pytest.raises(ValueError, match="tile_of_row must be"):
        tile_histograms(codes, bins, tiles + 1, tiles, 1, 1, np.empty((1, 1)))
    with pytest.raises(ValueError, match="tile_of_column must lie"):
        tile_histograms(codes, bins, tiles, tiles + 1, 1, 1, np.empty((1, 1)))
