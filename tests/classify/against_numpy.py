#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds gpuprim_classify of the shared library against numpy. Prints TAP.

    against_numpy.py LIBGPUPRIM.SO [SEED]

digitize and searchsorted are THRESHOLDS, CLOSED_LEFT and CLOSED_RIGHT; take is TABLE; histogram
is the counts of UNIFORM with top_inclusive and what is outside rejected.
"""
import ctypes
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
from library import NUMBERS, Array, Library, run, view  # noqa: E402
from require import require  # noqa: E402


# include/gpuprim/gpuprim.h, member for member.
class Thresholds(ctypes.Structure):
    _fields_ = [("values", Array), ("closed", ctypes.c_int), ("reserved", ctypes.c_uint64 * 4)]


class Uniform(ctypes.Structure):
    _fields_ = [("low", ctypes.c_double), ("high", ctypes.c_double), ("bins", ctypes.c_uint32),
                ("outside", ctypes.c_int), ("top_inclusive", ctypes.c_uint),
                ("reserved", ctypes.c_uint64 * 4)]


class Table(ctypes.Structure):
    _fields_ = [("labels", Array), ("shift", ctypes.c_uint), ("mask", ctypes.c_uint64),
                ("reserved", ctypes.c_uint64 * 4)]


class Params(ctypes.Structure):
    _fields_ = [("thresholds", ctypes.POINTER(Thresholds)), ("uniform", ctypes.POINTER(Uniform)),
                ("table", ctypes.POINTER(Table)), ("cases", ctypes.c_void_p),
                ("rules", ctypes.c_void_p), ("in_", ctypes.c_int), ("nan", ctypes.c_int),
                ("nan_class", ctypes.c_uint32), ("map", Array), ("accumulate", ctypes.c_uint),
                ("reserved", ctypes.c_uint64 * 4)]


CLOSED_RIGHT, OUTSIDE_REJECTED = 1, 1
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


class Classifier:
    """A context manager around gpuprim_classifier."""

    def __init__(self, library, **params):
        self.library, self.made = library, ctypes.c_void_p()
        library.lib.gpuprim_classifier_labels.restype = ctypes.c_uint64
        library.check(library.lib.gpuprim_classifier_create(
            library.context, ctypes.byref(Params(**params)), ctypes.byref(self.made)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.lib.gpuprim_classifier_destroy(ctypes.byref(self.made))

    def classify(self, x):
        """The labels of x and how many there are of each."""
        import numpy as np
        labels = np.zeros(x.shape, np.uint32)
        counts = np.zeros(self.library.lib.gpuprim_classifier_labels(self.made), np.uint64)
        views = [ctypes.byref(view(a)) for a in (x, labels, counts)]
        self.library.check(self.library.lib.gpuprim_classify(self.library.context, self.made,
                                                             *views, None))
        return labels, counts

    def edges(self, count, name):
        import numpy as np
        edges = np.zeros(count, name)
        self.library.check(self.library.lib.gpuprim_classifier_edges(
            self.made, ctypes.byref(view(edges))))
        return edges


def values(rng, name, n, marks=()):
    """Values of a type: of all magnitudes, some of them marks, and of floats some infinities and
    NaNs."""
    import numpy as np
    if name in FLOATS:
        x = (rng.standard_normal(n) * 10.0 ** rng.integers(-4, 4, n)).astype(name)
        x[rng.random(n) < 0.02] = np.nan
        x[rng.random(n) < 0.02] = np.inf
        x[rng.random(n) < 0.02] = -np.inf
    else:
        limits = np.iinfo(name)
        x = rng.integers(limits.min, limits.max, n, dtype=name, endpoint=True)
    if len(marks):
        at = rng.random(n) < 0.3
        x[at] = rng.choice(marks, at.sum())
    return x


def case_digitize(library, rng, right, name):
    """numpy.digitize and numpy.searchsorted, the same question asked in two ways."""
    import numpy as np
    for n in (0, 1, 2, 7, 16, 100, 255, 1000, 5000):
        marks = values(rng, name, n)
        marks = np.sort(marks[~np.isnan(marks)] if name in FLOATS else marks)
        x = values(rng, name, 3001, marks)
        rule = Thresholds(values=view(marks), closed=CLOSED_RIGHT if right else 0)
        with Classifier(library, thresholds=ctypes.pointer(rule),
                        in_=NUMBERS[name]) as classifier:
            labels, counts = classifier.classify(x)
        side = "left" if right else "right"
        for expected in (np.digitize(x, marks, right=right), np.searchsorted(marks, x, side)):
            bad = np.flatnonzero(labels != expected)
            assert not len(bad), (f"{n} thresholds: {x[bad[0]]!r} has label {labels[bad[0]]}, "
                                  f"not {expected[bad[0]]}")
        assert np.array_equal(counts, np.bincount(labels, minlength=len(marks) + 1)), "counts"


def case_histogram(library, rng, bins, name):
    """numpy.histogram on the edges that are read back. Where its own edges are the same in
    double, it is asked for a number of bins, too."""
    import numpy as np
    low, high = (-3.5, 7.25) if name in FLOATS else (3, 3 + 8 * bins)
    if name in INTEGERS and high > np.iinfo(name).max:
        high = np.iinfo(name).max - np.iinfo(name).max % bins
        low = 0
    rule = Uniform(low=low, high=high, bins=bins, outside=OUTSIDE_REJECTED, top_inclusive=1)
    with Classifier(library, uniform=ctypes.pointer(rule), in_=NUMBERS[name],
                    nan=2) as classifier:
        edges = classifier.edges(bins + 1, name)
        x = values(rng, name, 20011, edges)
        labels, counts = classifier.classify(x)
    finite = x[~np.isnan(x)] if name in FLOATS else x
    expected, _ = np.histogram(finite, bins=edges)
    assert np.array_equal(counts, expected.astype(np.uint64)), f"{counts} instead of {expected}"
    inside = (finite >= edges[0]) & (finite <= edges[-1])
    assert (labels != 2**32 - 1).sum() == inside.sum(), "rejected"
    exact = np.linspace(low, high, bins + 1)
    if np.array_equal(exact, edges.astype(np.float64)):
        expected, _ = np.histogram(finite[inside], bins=bins, range=(low, high))
        assert np.array_equal(counts, expected.astype(np.uint64)), "with numpy's own edges"


def case_table(library, rng, name):
    """numpy.take after a shift and a mask of the bits as they are."""
    import numpy as np
    bits = np.dtype(name).itemsize * 8
    for entries, shift in ((16, 0), (256, bits - 8), (128, 1)):
        table = rng.integers(0, 1000, entries, dtype=np.uint32)
        x = values(rng, name, 5003)
        rule = Table(labels=view(table), shift=shift)
        with Classifier(library, table=ctypes.pointer(rule), in_=NUMBERS[name]) as classifier:
            labels, _ = classifier.classify(x)
        index = (x.view(f"uint{bits}") >> np.uint8(shift)).astype(np.uint64) & np.uint64(entries - 1)
        assert np.array_equal(labels, table.take(index.astype(np.int64))), f"{entries} entries"


def main():
    require("numpy")
    import numpy as np
    cases = [(f"digitize right={right} {name}", case_digitize, right, name)
             for right in (False, True) for name in FLOATS + INTEGERS]
    cases += [(f"histogram {bins} {name}", case_histogram, bins, name)
              for bins in (1, 10, 43) for name in FLOATS + INTEGERS]
    cases += [(f"take {name}", case_table, name) for name in INTEGERS]
    return run(Library(sys.argv[1]), cases, f"numpy {np.__version__}")


if __name__ == "__main__":
    sys.exit(main())
