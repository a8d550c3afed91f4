# SPDX-License-Identifier: Apache-2.0
"""Classes: the library's rules, and numpy's functions that ask the same questions."""
from __future__ import annotations

import ctypes
from ctypes import byref, pointer
from typing import Any, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ._arrays import (Data, Kind, Part, Result, calls, contiguous, empty_like, is_device, number_of, part_of, split,
                      taken, uneven, view)
from ._context import Context, Handle, Order, context_for, current
from ._library import (LIBRARY, REJECT, Array, Case, Cases, ClassifierParams, Rules, Table, Thresholds,
                       Uniform, call, described)
from ._reduce import minmax

OUTSIDE = {name: i for i, name in enumerate(("clamp", "reject", "classes"))}
COMPARISONS = {name: i for i, name in enumerate(("<", "<=", ">", ">=", "==", "!="))}


class Classifier(Handle):
    """A rule on a device. Make one by thresholds(), uniform(), table(), cases() or rules().

    Common arguments: dtype, the type of the data; nan: "high" (the last class), "reject", or a class;
    map: the label of each class; context: where it is made, for PyOpenCL arrays Context(queue).
    Raises Error for what gpuprim_classifier_create refuses, ValueError for unknown names.
    """

    def __init__(self, kind: str, rule: ctypes.Structure, dtype: npt.DTypeLike, *,
                 nan: str | int = "high", map: npt.ArrayLike | None = None,  # noqa: A002
                 context: Context | None = None) -> None:
        self.dtype, self.context, self._bins = np.dtype(dtype), context or current(), 0
        number = {"high": 0, "reject": 2}.get(nan, 1) if isinstance(nan, str) else 1
        if number == 1 and isinstance(nan, str):
            raise ValueError(f"nan is 'high', 'reject' or a class, not {nan!r}")
        labels = None if map is None else _labels(map)
        params = ClassifierParams(in_=number_of(self.dtype), nan=number,
                                  nan_class=nan if number == 1 else 0,
                                  map=Array() if labels is None else view(labels))
        setattr(params, kind, pointer(rule))
        super().__init__("gpuprim_classifier", "gpuprim_classifier_create", self.context,
                         byref(params))
        self.labels = int(LIBRARY.gpuprim_classifier_labels(self))

    @classmethod
    def thresholds(cls, values: npt.ArrayLike, *, closed: str = "left", dtype: Kind = None,
                   **others: Any) -> Classifier:
        """The class is the number of thresholds t <= x; closed="right": t < x. One row of ascending
        values, of shape (T,), or (rows, T) with one for each row (last axis) of the data."""
        values = np.ascontiguousarray(taken(values) if dtype is None else np.asarray(values, dtype))
        rule = Thresholds(values=view(values), closed=("left", "right").index(closed))
        return cls("thresholds", rule, values.dtype, **others)

    @classmethod
    def uniform(cls, low: float, high: float, bins: int, dtype: npt.DTypeLike, *,
                outside: str = "clamp", top_inclusive: bool = False, **others: Any) -> Classifier:
        """`bins` intervals of equal width. outside: "clamp", "reject", or "classes" (0, bins + 1)."""
        rule = Uniform(low=low, high=high, bins=bins, outside=OUTSIDE[outside],
                       top_inclusive=bool(top_inclusive))
        made = cls("uniform", rule, dtype, **others)
        made._bins = bins
        return made

    @classmethod
    def table(cls, labels: npt.ArrayLike, dtype: npt.DTypeLike, *, shift: int = 0, mask: int = 0,
              **others: Any) -> Classifier:
        """The label is labels[(x >> shift) & mask], of integers. mask 0: all entries."""
        labels = _labels(labels)
        return cls("table", Table(labels=view(labels), shift=shift, mask=mask), dtype, **others)

    @classmethod
    def cases(cls, cases: Iterable[tuple[int, int, int]], dtype: npt.DTypeLike, *,
              otherwise: int = REJECT, **others: Any) -> Classifier:
        """The label of the first (mask, value, label) with (x & mask) == value, of integers."""
        made = [Case(int(mask), int(value), int(label)) for mask, value, label in cases]
        rule = Cases(list=(Case * max(len(made), 1))(*made), count=len(made), otherwise=otherwise)
        return cls("cases", rule, dtype, **others)

    @classmethod
    def rules(cls, comparisons: Sequence[tuple[str, float]], labels: npt.ArrayLike,
              dtype: npt.DTypeLike, **others: Any) -> Classifier:
        """comparisons: up to 16 pairs such as ("<", 3.5). Bit j of the index into `labels` is set if
        comparison j is true."""
        values = np.array([value for _, value in comparisons], dtype)
        codes = (ctypes.c_int * max(len(values), 1))(*(COMPARISONS[name] for name, _ in comparisons))
        labels = _labels(labels)
        rule = Rules(values=view(values), comparisons=codes, labels=view(labels))
        return cls("rules", rule, dtype, **others)

    def __call__(self, x: Data, *, dtype: Kind = None) -> Result:
        """The labels of x, of x's shape, in uint32, uint16 or uint8; None: the narrowest that holds
        them. Rejected elements have all bits set."""
        return self.label_and_count(x, dtype=dtype, counts=False)[0]

    def count(self, x: Data) -> Result:
        """How many elements of x have each label: uint64 of shape (labels,)."""
        return self.label_and_count(x, labels=False)[1]

    def label_and_count(self, x: Data, *, dtype: Kind = None, labels: bool = True,
                        counts: bool = True) -> tuple[Result, Result]:
        """Both in one call; None for what is not wanted. For a PyOpenCL array both are PyOpenCL arrays
        in its queue. Raises ValueError for a PyOpenCL array whose rows do not lie at equal distances,
        Error for what gpuprim_classify refuses, such as data of another type."""
        array = taken(x)
        shape = array.shape
        if not shape:
            array = array.reshape(1)
        if dtype is None:
            dtype = np.uint8 if self.labels < 256 else np.uint16 if self.labels < 65536 else np.uint32
        found = empty_like(array, array.shape, dtype) if labels else None
        counted = empty_like(array, (self.labels,), np.uint64) if counts else None
        order = Order(array)
        if labels or counts:
            parts = [y for y in (array, found) if y is not None]
            for a, b in self._calls(array, parts):
                order.call("gpuprim_classify", self.context, self, byref(a), b,
                           None if counted is None else byref(_row(counted)))
        order.give(found, counted)
        return None if found is None else found.reshape(shape), counted

    @staticmethod
    def _calls(x: Any, arrays: list[Any]) -> Iterable[tuple[Array, Any]]:
        """One call: the rows of x, and those of the labels, along the last axis."""
        rows, last = x.shape[:-1], x.ndim - 1
        parts = [part_of(y, range(last), (last,)) for y in arrays]
        if any(p is None for p in parts) or split(rows, *parts):  # type: ignore[arg-type]
            if is_device(x):
                raise uneven(x)
            parts[0] = part_of(contiguous(x), range(last), (last,))
        if 0 in rows: # counts are still set to 0
            yield Array(type=number_of(x.dtype), count=0, rows=1, stride=1), None
        for a, *b in calls(rows, *parts):  # type: ignore[arg-type]
            yield a, byref(b[0]) if b else None

    def edges(self) -> npt.NDArray[Any]:
        """The bins + 1 edges of uniform(), in the type of the data."""
        edges = np.zeros(self._bins + 1, self.dtype)
        call("gpuprim_classifier_edges", self, byref(view(edges)))
        return edges

    def describe(self) -> str:
        """How the rule is computed, and why; which cases no element can match."""
        return described("gpuprim_classifier_describe", self)


def _row(x: Any) -> Array:
    """A packed vector on the host or on a device."""
    return next(iter(calls((), Part(x, number_of(x.dtype), (), x.shape[0], x.dtype.itemsize))))[0]


def _labels(values: npt.ArrayLike) -> npt.NDArray[Any]:
    labels = np.ascontiguousarray(values)
    if labels.dtype not in (np.uint8, np.uint16, np.uint32):
        if labels.size and (labels.min() < 0 or labels.max() > REJECT):
            raise ValueError("labels must be from 0 to 2^32 - 1")
        labels = labels.astype(np.uint32)
    return labels


def _asked(x: Any, bins: npt.ArrayLike, closed: str) -> tuple[Any, npt.NDArray[Any]]:
    """x and bins in one type, so that each comparison has the result that it has in numpy, which
    compares in a type that holds both."""
    bins = np.asarray(bins)
    if bins.ndim != 1:
        raise ValueError("bins must be a vector")
    wide = np.result_type(x.dtype, bins)
    keys = bins.astype(x.dtype)
    if wide == x.dtype or np.array_equal(keys.astype(wide), bins.astype(wide)):
        return x, keys
    if x.dtype.kind != "f":
        return x.astype(wide), bins.astype(wide)
    # Of t <= x the least number of x's type that is not below t, of t < x the largest not above.
    moved = keys.astype(wide) < bins if closed == "left" else keys.astype(wide) > bins
    end = x.dtype.type(np.inf if closed == "left" else -np.inf)
    return x, np.where(moved, np.nextafter(keys, end), keys)


def digitize(x: Data, bins: npt.ArrayLike, right: bool = False) -> Result:
    """numpy.digitize: the number of the bin of each element, of x's shape, in intp; for a PyOpenCL array
    in the narrowest of uint8, uint16 and uint32. bins must ascend or descend, have no NaN, and be at most
    65535, else Error is raised; ValueError if they are no vector."""
    closed = "right" if right else "left"
    array, keys = _asked(taken(x), bins, closed)
    n = keys.size
    falls = n > 1 and keys[0] > keys[-1]
    with Classifier.thresholds(keys[::-1] if falls else keys, closed=closed, dtype=array.dtype,
                               map=n - np.arange(n + 1) if falls else None,
                               context=context_for(array)) as made:
        return _positions(made(array))


def searchsorted(a: npt.ArrayLike, v: Data, side: str = "left") -> Result:
    """numpy.searchsorted, for a that ascends, has no NaN and at most 65535 elements: the results have v's
    shape and digitize's types. v may be a PyOpenCL array. Raises ValueError for another side, Error for
    another a."""
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    closed = "left" if side == "right" else "right"
    array, keys = _asked(taken(v), a, closed)
    with Classifier.thresholds(keys, closed=closed, dtype=array.dtype,
                               context=context_for(array)) as made:
        return _positions(made(array))


def _positions(labels: Any) -> Result:
    return labels if is_device(labels) else labels.astype(np.intp)[()]


def histogram(x: Data, bins: Any = 10, range: tuple[float, float] | None = None,  # noqa: A002
              density: bool = False) -> tuple[Result, npt.NDArray[Any]]:
    """numpy.histogram without weights: (counts, edges), between numpy's own edges.

    bins: a number, ascending edges, or, for host arrays, the name of one of numpy's rules. NaNs are not
    counted. The counts of a PyOpenCL array are one, in uint64; without a range the call waits for the
    ends of the data. Raises what numpy.histogram_bin_edges does, and Error for more than 65535 bins.
    """
    array = taken(x)
    named = isinstance(bins, str) and not is_device(array)
    edges = np.histogram_bin_edges(array if named else _ends(array, range), bins, range)
    # The last interval contains its upper edge: its end is the next number above.
    ends = np.append(edges[:-1], np.nextafter(edges[-1], edges.dtype.type(np.inf))) \
        if edges.dtype.kind == "f" else np.append(edges[:-1], edges[-1] + 1)
    data, keys = _asked(array, ends, "left")
    with Classifier.thresholds(keys, nan="reject", dtype=data.dtype, context=context_for(data)) as made:
        counts = made.count(data)[1:-1]
    if not is_device(data):
        counts = counts.astype(np.intp)
    elif density:
        raise TypeError("histogram gives no density of a PyOpenCL array; divide its counts")
    return (counts / np.diff(edges) / counts.sum() if density else counts), edges


def _ends(array: Any, range: Any) -> npt.NDArray[Any]:  # noqa: A002
    """An array with the ends of x, from which numpy takes the range of its edges."""
    if not array.size or range is not None:
        return np.empty(0, array.dtype)
    return np.array([end.get() if is_device(end) else end for end in minmax(array)], array.dtype)


def bincount(x: npt.ArrayLike, minlength: int = 0) -> npt.NDArray[Any]:
    """numpy.bincount without weights, for values up to 65535: how often each of 0 ... max(x) is in x, in
    intp. Raises TypeError for data that are no integers, ValueError for negative or larger values, and
    for an x that is no vector. Of a PyOpenCL array Classifier.table(...).count(x) tells it."""
    if is_device(x):
        raise TypeError("bincount takes no PyOpenCL array, because its length depends on the data; "
                        "Classifier.table(numpy.arange(n), x.dtype).count(x) has a length")
    values = taken(x)
    if values.ndim != 1 or minlength < 0:
        raise ValueError("bincount needs a vector, and a minlength that is not negative")
    if values.dtype.kind not in "iub":
        raise TypeError(f"bincount counts integers, not {values.dtype}")
    low, high = (int(end) for end in minmax(values)) if values.size else (0, minlength - 1)
    if low < 0 or high > 65535:
        raise ValueError(f"bincount takes values from 0 to 65535, not {low if low < 0 else high}")
    n = max(high + 1, minlength)
    counts = np.zeros(n, np.intp)
    if values.size:
        with Classifier.table(np.arange(1 << high.bit_length()), values.dtype) as made:
            found = made.count(values)
        counts[:high + 1] = found[:high + 1]
    return counts
