# SPDX-License-Identifier: Apache-2.0
"""Classes: the library's rules, and numpy's functions that ask the same questions."""
import ctypes
from ctypes import byref, pointer

import numpy as np

from ._arrays import DTYPES, NUMBERS, matrix_of, taken, view
from ._context import Handle, current
from ._library import (LIBRARY, REJECT, Array, Case, Cases, ClassifierParams, Rules, Table, Thresholds,
                       Uniform, call, described)

OUTSIDE = {name: i for i, name in enumerate(("clamp", "reject", "classes"))}
COMPARISONS = {name: i for i, name in enumerate(("<", "<=", ">", ">=", "==", "!="))}


class Classifier(Handle):
    """A rule on a device. Make one by thresholds(), uniform(), table(), cases() or rules().

    Common arguments: dtype, the type of the data; nan: "high" (the last class), "reject", or a class;
    map: the label of each class; context.
    """

    def __init__(self, kind, rule, dtype, *, nan="high", map=None, context=None):  # noqa: A002
        self.dtype, self.context, self._bins = np.dtype(dtype), context or current(), 0
        number = {"high": 0, "reject": 2}.get(nan, 1) if isinstance(nan, str) else 1
        if number == 1 and isinstance(nan, str):
            raise ValueError(f"nan is 'high', 'reject' or a class, not {nan!r}")
        labels = None if map is None else _labels(map)
        params = ClassifierParams(in_=NUMBERS[self.dtype.name], nan=number,
                                  nan_class=nan if number == 1 else 0,
                                  map=Array() if labels is None else view(labels))
        setattr(params, kind, pointer(rule))
        super().__init__("gpuprim_classifier", "gpuprim_classifier_create", self.context,
                         byref(params))
        self.labels = LIBRARY.gpuprim_classifier_labels(self)

    @classmethod
    def thresholds(cls, values, *, closed="left", dtype=None, **others):
        """The class is the number of thresholds t <= x; closed="right": t < x. One row of ascending
        values, or one for each row of the data."""
        values = np.ascontiguousarray(taken(values) if dtype is None else np.asarray(values, dtype))
        rule = Thresholds(values=view(values), closed=("left", "right").index(closed))
        return cls("thresholds", rule, values.dtype, **others)

    @classmethod
    def uniform(cls, low, high, bins, dtype, *, outside="clamp", top_inclusive=False, **others):
        """`bins` intervals of equal width. outside: "clamp", "reject", or "classes" (0, bins + 1)."""
        rule = Uniform(low=low, high=high, bins=bins, outside=OUTSIDE[outside],
                       top_inclusive=bool(top_inclusive))
        made = cls("uniform", rule, dtype, **others)
        made._bins = bins
        return made

    @classmethod
    def table(cls, labels, dtype, *, shift=0, mask=0, **others):
        """The label is labels[(x >> shift) & mask], of integers. mask 0: all entries."""
        labels = _labels(labels)
        return cls("table", Table(labels=view(labels), shift=shift, mask=mask), dtype, **others)

    @classmethod
    def cases(cls, cases, dtype, *, otherwise=REJECT, **others):
        """The label of the first (mask, value, label) with (x & mask) == value, of integers."""
        made = [Case(int(mask), int(value), int(label)) for mask, value, label in cases]
        rule = Cases(list=(Case * max(len(made), 1))(*made), count=len(made), otherwise=otherwise)
        return cls("cases", rule, dtype, **others)

    @classmethod
    def rules(cls, comparisons, labels, dtype, **others):
        """comparisons: up to 16 pairs such as ("<", 3.5). Bit j of the index into `labels` is set if
        comparison j is true."""
        values = np.array([value for _, value in comparisons], dtype)
        codes = (ctypes.c_int * max(len(values), 1))(*(COMPARISONS[name] for name, _ in comparisons))
        labels = _labels(labels)
        rule = Rules(values=view(values), comparisons=codes, labels=view(labels))
        return cls("rules", rule, dtype, **others)

    def __call__(self, x, *, dtype=None):
        """The labels of x, in uint32, uint16 or uint8; None: the narrowest that holds them."""
        return self.label_and_count(x, dtype=dtype, counts=False)[0]

    def count(self, x):
        """How many elements of x have each label, in uint64."""
        return self.label_and_count(x, labels=False)[1]

    def label_and_count(self, x, *, dtype=None, labels=True, counts=True):
        """Both in one pass."""
        x = np.asarray(taken(x), self.dtype, order="K") if np.asarray(x).dtype == bool else taken(x)
        matrix = matrix_of(x) if x.ndim else matrix_of(x.reshape(1))
        found, counted = None, None
        if labels:
            if dtype is None:
                dtype = np.uint8 if self.labels < 256 else np.uint16 if self.labels < 65536 else np.uint32
            found = np.empty(matrix.shape, dtype)
        if counts:
            counted = np.zeros(self.labels, np.uint64)
        if labels or counts:
            call("gpuprim_classify", self.context, self, byref(view(matrix)),
                 None if found is None else byref(view(found)),
                 None if counted is None else byref(view(counted)), None)
        return None if found is None else found.reshape(x.shape), counted

    def edges(self):
        """The edges of uniform()."""
        edges = np.zeros(self._bins + 1, self.dtype)
        call("gpuprim_classifier_edges", self, byref(view(edges)))
        return edges

    def describe(self):
        """How the rule is computed, and why; which cases no element can match."""
        return described("gpuprim_classifier_describe", self)


def _labels(labels):
    labels = np.ascontiguousarray(labels)
    if labels.dtype not in (np.uint8, np.uint16, np.uint32):
        if labels.size and (labels.min() < 0 or labels.max() > REJECT):
            raise ValueError("labels must be from 0 to 2^32 - 1")
        labels = labels.astype(np.uint32)
    return labels


def _asked(x, bins, closed):
    """x and bins in one type, so that each comparison has the result that it has in numpy, which
    compares in a type that holds both."""
    bins = np.asarray(bins)
    if bins.ndim != 1:
        raise ValueError("bins must be a vector")
    wide = np.result_type(x, bins)
    keys = bins.astype(x.dtype)
    if wide == x.dtype or np.array_equal(keys.astype(wide), bins.astype(wide)):
        return x, keys
    if x.dtype.kind != "f":
        return x.astype(wide), bins.astype(wide)
    # Of t <= x the least number of x's type that is not below t, of t < x the largest not above.
    moved = keys.astype(wide) < bins if closed == "left" else keys.astype(wide) > bins
    end = x.dtype.type(np.inf if closed == "left" else -np.inf)
    return x, np.where(moved, np.nextafter(keys, end), keys)


def digitize(x, bins, right=False):
    """numpy.digitize. bins must ascend or descend, and have no NaN."""
    closed = "right" if right else "left"
    x, keys = _asked(taken(x), bins, closed)
    n = keys.size
    falls = n > 1 and keys[0] > keys[-1]
    with Classifier.thresholds(keys[::-1] if falls else keys, closed=closed, dtype=x.dtype,
                               map=n - np.arange(n + 1) if falls else None) as made:
        return made(x).astype(np.intp)


def searchsorted(a, v, side="left"):
    """numpy.searchsorted for a that ascends and has no NaN."""
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    closed = "left" if side == "right" else "right"
    v, keys = _asked(taken(v), a, closed)
    with Classifier.thresholds(keys, closed=closed, dtype=v.dtype) as made:
        return made(v).astype(np.intp)


def histogram(x, bins=10, range=None):  # noqa: A002
    """numpy.histogram without weights: the counts between numpy's own edges, and the edges. bins is a
    number, or ascending edges. NaNs are not counted."""
    x = taken(x)
    edges = np.histogram_bin_edges(_ends(x, range), bins, range)
    # The last interval contains its upper edge: its end is the next number above.
    ends = np.append(edges[:-1], np.nextafter(edges[-1], edges.dtype.type(np.inf))) \
        if edges.dtype.kind == "f" else np.append(edges[:-1], edges[-1] + 1)
    data, keys = _asked(x, ends, "left")
    with Classifier.thresholds(keys, nan="reject", dtype=data.dtype) as made:
        counts = made.count(data)
    return counts[1:-1].astype(np.intp), edges


def _ends(x, range):  # noqa: A002
    """An array with the ends of x, from which numpy takes the range of its edges."""
    from ._reduce import minmax
    return np.array(minmax(x), x.dtype) if x.size and range is None else x.reshape(-1)[:0]


__all__ = ["COMPARISONS", "DTYPES", "OUTSIDE", "Classifier", "digitize", "histogram", "searchsorted"]
