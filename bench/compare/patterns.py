"""Local binary patterns beside scikit-image: the same codes, and the CPU time of each.

Run ``python bench/compare/patterns.py`` where scikit-image is installed. Images of 75 by 150 pixels
with 256 grey levels; the least of fifteen interleaved runs of one thread.
"""

import time

import numpy as np
from skimage.feature import local_binary_pattern

from ensfs import LocalBinaryPatterns
from ensfs.features.patterns import local_binary_pattern_codes


def seconds(function, n=5):
    """CPU time of a call."""
    start = time.process_time()
    for _ in range(n):
        function()
    return (time.process_time() - start) / n


def main():
    """Print a line for each radius, and the time of all columns of an image."""
    rng = np.random.default_rng(0)
    image = rng.integers(256, size=(75, 150)).astype(float)
    print("| radius | codes that differ | scikit-image, ms | ensfs, ms | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for radius in (1, 4, 10):
        inside = slice(radius, -radius)
        theirs = local_binary_pattern(image, 8, radius)[inside, inside]
        differ = int((theirs != local_binary_pattern_codes(image, radius)).sum())
        pairs = [
            (
                seconds(lambda r=radius: local_binary_pattern(image, 8, r)),
                seconds(lambda r=radius: local_binary_pattern_codes(image, r)),
            )
            for _ in range(15)
        ]
        a, b = np.min(pairs, axis=0)
        print(f"| {radius} | {differ} | {1e3 * a:.2f} | {1e3 * b:.2f} | {a / b:.1f} |")
    images = rng.integers(256, size=(20, 75 * 150)).astype(float)
    model = LocalBinaryPatterns(image_shape=(75, 150)).fit(images)
    least = min(seconds(lambda: model.transform(images), 1) for _ in range(5)) / len(images)
    print(f"\nTen radii and six grids: {1e3 * least:.2f} ms for each image.")


if __name__ == "__main__":
    main()
