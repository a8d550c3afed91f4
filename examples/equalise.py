#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Histogram equalisation of a dim image, and Otsu's threshold between its dark and bright pixels."""
import sys

import gpuprim
import numpy as np


def equalised(image):
    """The image with its grey levels spread: a table has the new level of each old one."""
    below = np.cumsum(gpuprim.bincount(image.reshape(-1), 256))
    table = np.round(255 * (below - below[0]) / (below[-1] - below[0])).astype(np.uint8)
    return gpuprim.Classifier.table(table, np.uint8)(image)


def otsu(image):
    """The level that separates the pixels into two classes with the least variance within them."""
    counts = gpuprim.bincount(image.reshape(-1), 256)
    levels = np.arange(256)
    n, s = np.cumsum(counts), np.cumsum(counts * levels)
    with np.errstate(all="ignore"):
        between = (s[-1] * n / n[-1] - s) ** 2 / (n * (n[-1] - n))
    return int(np.nanargmax(between)) + 1


def main():
    y, x = np.mgrid[:200, :300]
    image = (60 + 25 * np.sin(x / 30) + 60 * (np.hypot(x - 150, y - 100) < 50)).astype(np.uint8)
    try:
        spread, level = equalised(image), otsu(image)
    except gpuprim.NoDevice as error:
        print(error, file=sys.stderr)
        return 77
    bright = gpuprim.digitize(image, [level])

    # By the definitions: the share of pixels up to each one's level, and every level tried.
    ranks = np.searchsorted(np.sort(image, None), image, "right")
    darkest = (image == image.min()).sum() * (image.min() == 0)
    right = np.round(255 * (ranks - darkest) / (image.size - darkest))
    within = [sum(part.size * part.var() for part in (image[image < t], image[image >= t]) if part.size)
              for t in range(int(image.min()) + 1, int(image.max()) + 1)]
    best = int(np.argmin(within)) + int(image.min()) + 1
    good = np.array_equal(spread, right) and np.array_equal(image < level, image < best) and \
        np.array_equal(bright, image >= level)
    print(f"levels {image.min()} to {image.max()} become {spread.min()} to {spread.max()}; "
          f"{bright.mean():.1%} of the pixels are bright, from {level} on: {'right' if good else 'WRONG'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
