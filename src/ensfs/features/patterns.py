"""Local binary patterns: images as histograms of the neighbourhoods of their pixels."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, floor, pi, sin
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ensfs._core.patterns import pattern_codes, tile_histograms
from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import fit_context
from ensfs._utils.threads import effective_n_threads, for_blocks
from ensfs.training.numbers import read_numbers

#: Offsets this near to a whole number are whole.
_WHOLE = 1e-12

#: A neighbour may be this much below its centre, which is rounding.
_EDGE = 1e-9


def uniform_bins() -> np.ndarray:
    """Bin of each code: the 58 with at most two changes around the circle in order, then 58."""
    bins = np.full(256, 58, dtype=np.int16)
    digits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    uniform = (digits != np.roll(digits, 1, axis=1)).sum(axis=1) <= 2
    bins[uniform] = np.arange(uniform.sum())
    return bins


def neighbours(radius: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of the four pixels around each of eight neighbours, from the centre, and weights.

    Neighbour t lies at ``(-radius * sin(2 pi t / 8), radius * cos(2 pi t / 8))``, rows first.
    """
    corner, weight = np.zeros((8, 4), dtype=np.intp), np.zeros((8, 4))
    for t in range(8):
        row, column = -radius * sin(2 * pi * t / 8), radius * cos(2 * pi * t / 8)
        row, column = (float(round(x)) if abs(x - round(x)) < _WHOLE else x for x in (row, column))
        top, left = floor(row), floor(column)
        down, right = row - top, column - left
        weight[t] = (1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right
        below, beside = (1 if down else 0), (1 if right else 0)  # never beyond the circle
        corner[t] = (
            top * width + left,
            top * width + left + beside,
            (top + below) * width + left,
            (top + below) * width + left + beside,
        )
    return corner, weight


def local_binary_pattern_codes(image: Any, radius: int) -> np.ndarray:
    """Codes of the pixels of an image whose circle of eight neighbours lies in it.

    Parameters
    ----------
    image : array-like of shape (height, width)
        Grey values.
    radius : int
        Of the circle, at least 1.

    Returns
    -------
    ndarray of uint8, shape (height - 2 * radius, width - 2 * radius)
        Bit t tells whether neighbour t, at ``2 pi t / 8`` and interpolated from four pixels, is not
        below the centre.
    """
    pixels = np.ascontiguousarray(image, dtype=np.float64)
    codes = np.empty([max(0, size - 2 * radius) for size in pixels.shape], dtype=np.uint8)
    if codes.size:
        pattern_codes(pixels, *neighbours(radius, pixels.shape[1]), radius, _EDGE, codes)
    return codes


@with_docs(COMMON_DOCS)
class LocalBinaryPatterns(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Histograms of local binary patterns in tiles of images, for several sizes and radii.

    A pixel gets a code of eight bits: which of its neighbours on a circle are not below it. For
    each radius, grid and tile of the grid, the columns are the shares of the codes. Tables have an
    image in each row, pixel after pixel.

    Parameters
    ----------
    image_shape : tuple of int, optional
        Height and width of the images. None: the whole row is one line of pixels of which a square
        is made, if it is one, else an image of one row.
    grids : sequence of (int, int), optional
        Tiles of each grid, across and down. None is 12 by 6, 10 by 5, 8 by 4, 6 by 3, 4 by 2 and
        the whole image, without grids that have more tiles than the image has pixels.
    radii : sequence of int, optional
        Radii of the circles. None is 1 to 10, without those that do not fit into the image.
    uniform : bool, default=True
        Whether codes with more than two changes around the circle share a column: 59 columns for
        each tile instead of 256.
    {n_jobs}

    Attributes
    ----------
    image_shape_ : tuple of int
        Height and width.
    grids_ : list of (int, int)
        Tiles of each grid.
    radii_ : list of int
        The radii.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Codes are computed on the whole image, where the circle fits; a tile counts the codes of its own
    pixels and divides by their number. They are those of scikit-image's ``method="default"``, but
    for ties: a neighbour that equals its centre up to rounding is not below it here, while rounding
    decides there.

    References
    ----------
    T. Ojala, M. Pietikainen and T. Maenpaa (2002), Multiresolution gray-scale and rotation
    invariant texture classification with local binary patterns, IEEE PAMI 24; R. S. Smith and T.
    Windeatt (2010), Facial expression detection using filtered local binary pattern features with
    ECOC classifiers and Platt scaling, JMLR W&CP 11.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ensfs import LocalBinaryPatterns
    >>> X, _ = load_digits(return_X_y=True)
    >>> patterns = LocalBinaryPatterns(image_shape=(8, 8), grids=[(2, 2), (1, 1)], radii=[1, 2])
    >>> patterns.fit_transform(X).shape  # 5 tiles, 2 radii, 59 kinds of codes
    (1797, 590)
    """

    _parameter_constraints: dict = {
        "image_shape": ["array-like", tuple, None],
        "grids": ["array-like", tuple, None],
        "radii": ["array-like", tuple, range, None],
        "uniform": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(self, *, image_shape=None, grids=None, radii=None, uniform=True, n_jobs=None):
        self.image_shape = image_shape
        self.grids = grids
        self.radii = radii
        self.uniform = uniform
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Check that the rows are images of this shape.

        Parameters
        ----------
        {X}
        y : object, optional
            Ignored.

        Returns
        -------
        self : object
            The transformer.
        """
        n_pixels = read_numbers(self, X, reset=True).shape[1]
        self.image_shape_ = self._shape(n_pixels)
        self.grids_ = self._grids()
        self.radii_ = self._radii()
        self._n_features_out = self._n_bins * len(self.radii_) * sum(a * d for a, d in self.grids_)
        return self

    @property
    def _n_bins(self) -> int:
        return 59 if self.uniform else 256

    def _shape(self, n_pixels: int) -> tuple[int, int]:
        """Height and width of the images."""
        if self.image_shape is None:
            side = round(n_pixels**0.5)
            return (side, side) if side * side == n_pixels else (1, n_pixels)
        height, width = _whole_pair("image_shape", self.image_shape)
        if height * width != n_pixels:
            raise ValueError(
                f"image_shape must have as many pixels as X has columns, {n_pixels}; got "
                f"{(height, width)}."
            )
        return height, width

    def _grids(self) -> list[tuple[int, int]]:
        """Tiles across and down of each grid."""
        height, width = self.image_shape_
        if self.grids is None:
            usual = ((12, 6), (10, 5), (8, 4), (6, 3), (4, 2), (1, 1))
            return [grid for grid in usual if grid[0] <= width and grid[1] <= height]
        grids = [_whole_pair("grids", grid) for grid in self.grids]
        for across, down in grids:
            if across > width or down > height:
                raise ValueError(
                    f"grids must not have more tiles than the image of shape {self.image_shape_} "
                    f"has pixels; got {(across, down)}."
                )
        if not grids:
            raise ValueError("grids must hold at least one pair of numbers; got none.")
        return grids

    def _radii(self) -> list[int]:
        """Radii of the circles."""
        if self.radii is None:
            return [r for r in range(1, 11) if 2 * r < min(self.image_shape_)] or [1]
        radii = list(self.radii)
        if not radii or any(not isinstance(r, Integral) or r < 1 for r in radii):
            raise ValueError(f"radii must hold integers of at least 1; got {self.radii!r}.")
        return [int(r) for r in radii]

    def transform(self, X):
        """The histograms of the images.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_bins * n_radii * n_tiles)
            Radius after radius, in each the grids, in each the tiles row by row.
        """
        check_is_fitted(self, "image_shape_")
        images = np.ascontiguousarray(read_numbers(self, X, reset=False))
        images = images.reshape(len(images), *self.image_shape_)
        out = np.zeros((len(images), self._n_features_out))
        plan = list(self._plan())
        for_blocks(
            lambda start, stop: self._histograms(images[start:stop], plan, out[start:stop]),
            len(images),
            effective_n_threads(self.n_jobs),
            cells=self.image_shape_[0] * self.image_shape_[1] * len(self.radii_) * 16,
        )
        return out

    def _plan(self) -> Iterable[tuple[int, np.ndarray, np.ndarray, list]]:
        """For each radius that fits: neighbours, weights, and the tiles of its codes by grid."""
        height, width = self.image_shape_
        for radius in self.radii_:
            if 2 * radius >= min(height, width):
                continue
            tiles = []
            for across, down in self.grids_:
                rows = np.arange(radius, height - radius) * down // height
                columns = np.arange(radius, width - radius) * across // width
                tiles.append((rows.astype(np.int32), columns.astype(np.int32), across, down))
            yield radius, *neighbours(radius, width), tiles

    def _histograms(self, images: np.ndarray, plan: list, out: np.ndarray) -> None:
        """Write the histograms of some images."""
        height, width = self.image_shape_
        bins = uniform_bins() if self.uniform else np.arange(256, dtype=np.int16)
        n_bins = self._n_bins
        per_radius = n_bins * sum(across * down for across, down in self.grids_)
        for radius, corner, weight, tiles in plan:
            codes = np.empty((height - 2 * radius, width - 2 * radius), dtype=np.uint8)
            begin = self.radii_.index(radius) * per_radius
            for image, row in zip(images, out, strict=True):
                pattern_codes(image, corner, weight, radius, _EDGE, codes)
                place = begin
                for rows, columns, across, down in tiles:
                    part = row[place : place + across * down * n_bins].reshape(-1, n_bins)
                    tile_histograms(codes, bins, rows, columns, n_bins, across, part)
                    place += part.size

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        return tags


def _whole_pair(name: str, pair: Any) -> tuple[int, int]:
    """Two positive whole numbers, or an error that names the parameter."""
    values = list(pair) if isinstance(pair, Iterable) else []
    if len(values) != 2 or any(not isinstance(each, Integral) or int(each) < 1 for each in values):
        raise ValueError(f"{name} must be pairs of integers of at least 1; got {pair!r}.")
    return int(values[0]), int(values[1])
