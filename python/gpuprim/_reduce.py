# SPDX-License-Identifier: Apache-2.0
"""Reductions under numpy's names, with numpy's meaning.

x is a numpy array of any strides, whatever numpy makes an array of, a tensor behind DLPack, or a PyOpenCL
array. Every function takes `axis` (None: all elements; an axis; several axes as a tuple) and `keepdims`.
Results have numpy's shapes and types, except that sums of float16 are float32, and means float64. Results
for a PyOpenCL array are PyOpenCL arrays in its queue. Two calls give the same bits on one device and driver.

Errors: TypeError for a type that the library does not take; numpy's AxisError; ValueError for an axis
named twice, for min, max, argmin and argmax of empty rows, and for a PyOpenCL array whose elements along
the axes do not lie at equal distances; gpuprim.Error from the library.
"""
from __future__ import annotations

import math
from ctypes import byref
from typing import Any, NamedTuple, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import (DTYPES, Data, Kind, Part, Result, axis_of, calls, contiguous, empty_like, is_device, number_of,
                      packed, part_of, split, taken, uneven)
from ._context import Context, Order, context_for
from ._library import LIBRARY, Error, ReduceParams

Axis = Union[None, int, Tuple[int, ...]]

OPERATIONS = {name: number for number, name in enumerate((
    "sum", "product", "min", "max", "argmin", "argmax", "minmax", "and", "or", "xor", "any", "all",
    "count", "sum_abs", "sum_squares", "mean", "max_abs", "statistics"))}
_RESULTS = {"minmax": 2, "statistics": 5}
_NON_EMPTY = ("min", "max", "argmin", "argmax", "minmax")


def reduce(x: Data, operation: str, axis: Axis = None, *, keepdims: bool = False,
           nan: str = "propagate", accumulator: Kind = None, dtype: Kind = None,
           context: Context | None = None) -> Result:
    """Reduces x by one of OPERATIONS along `axis`, and returns the results in the library's type.

    minmax and statistics have their 2 or 5 results in a last axis. nan="ignore" leaves NaNs out.
    accumulator: numpy.float64 for sums of float16 and float32 in double precision.
    dtype: the type of statistics, numpy.float64 or numpy.float32.
    """
    whole = _whole(x, operation, axis, keepdims, nan=nan, accumulator=accumulator, kind=dtype,
                   context=context)
    if operation in _RESULTS:
        whole = whole.transpose((*range(1, len(whole.shape)), 0))
    return whole if is_device(x) else whole[()]


def _reduced(x: Any, operation: str, axis: Axis, keepdims: bool, **options: Any) -> list[Any]:
    """The results, each an array or, on the host, a number; with the options of _whole."""
    whole = _whole(x, operation, axis, keepdims, **options)
    if operation in _RESULTS:
        return [whole[i] for i in range(_RESULTS[operation])]
    return [whole if is_device(x) else whole[()]]


def _whole(x: Any, operation: str, axis: Axis, keepdims: bool, *, nan: str = "propagate",
           accumulator: Kind = None, kind: Kind = None,
           shown: Kind = None, context: Context | None = None) -> Any:
    """The results in one array; where there are several for each row, along a first axis. kind: their
    type in the library; None: what gpuprim_reduce_type says. shown: the type of the same size in which
    they are returned."""
    x = taken(x)
    op, context = OPERATIONS[operation], context or context_for(x)
    if nan not in ("propagate", "ignore"):
        raise ValueError(f"nan is 'propagate' or 'ignore', not {nan!r}")
    along = _axes(x, axis)
    kept = tuple(a for a in range(len(x.shape)) if a not in along)
    rows = tuple(x.shape[a] for a in kept)
    if operation in _NON_EMPTY and 0 not in rows and 0 in x.shape:
        raise ValueError(f"{operation} of an empty sequence")
    number = number_of(accumulator) if accumulator is not None else 0
    result = LIBRARY.gpuprim_reduce_type(op, number_of(x.dtype), number)
    if not result:
        raise Error(-2002, LIBRARY.gpuprim_last_error().decode())
    result = result if kind is None else number_of(kind)

    each = _RESULTS.get(operation, 1)
    shape = tuple(1 if a in along else n for a, n in enumerate(x.shape) if keepdims or a in kept)
    out = empty_like(x, ((each,) if each > 1 else ()) + shape, shown or DTYPES[result])
    size = out.dtype.itemsize
    target = Part(out, result, packed(rows, size), each, size * math.prod(rows))
    params = ReduceParams(op=op, accumulator=number, nan=nan == "ignore")
    order = Order(x)
    for a, b in calls(rows, _source(x, kept, along, target), target):
        order.call("gpuprim_reduce", context, byref(a), byref(b), byref(params))
    order.give(out)
    return out


def _source(x: Any, kept: Sequence[int], along: Sequence[int], target: Part) -> Part:
    """x as rows along some axes. The order of axes does not matter to a reduction: they are taken as
    they lie in memory. A host array that is not even is copied."""
    part = part_of(x, kept, sorted(along, key=lambda a: -abs(x.strides[a])))
    if is_device(x):
        if part is None:
            raise uneven(x)
        return part
    if part is None or split(tuple(x.shape[a] for a in kept), part, target):
        x = contiguous(np.transpose(x, (*kept, *along)))
        part = part_of(x, range(len(kept)), range(len(kept), x.ndim))
    assert part
    return part


def _axes(x: Any, axis: Axis) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(len(x.shape)))
    axes = tuple(axis_of(x, a) for a in (axis if isinstance(axis, tuple) else (axis,)))
    if len(set(axes)) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def _is(x: Any, kind: type) -> bool:
    return bool((x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype) == kind)


def _sums(x: Any, operation: str, axis: Axis, keepdims: bool, dtype: Kind,
          nan: str = "propagate") -> Result:
    """Sums, products and means. dtype: float64 for float16 and float32 data, or what the result has."""
    x = taken(x)
    wide = dtype is not None and np.dtype(dtype) == np.float64 and x.dtype.kind == "f"
    shown = np.dtype(np.int64) if _is(x, np.bool_) and operation != "mean" else None
    found = _reduced(x, operation, axis, keepdims, nan=nan, shown=shown,
                     accumulator=np.float64 if wide else None)[0]
    if dtype is not None and found.dtype != np.dtype(dtype):
        raise TypeError(f"{operation} of {x.dtype} gives {found.dtype}, or float64 of floats; not {dtype}")
    return found


def sum(x: Data, axis: Axis = None, dtype: Kind = None, *,  # noqa: A001
        keepdims: bool = False) -> Result:
    """numpy.sum. Sums of float16 are float32. dtype: float64 sums floats in double precision."""
    return _sums(x, "sum", axis, keepdims, dtype)


def prod(x: Data, axis: Axis = None, dtype: Kind = None, *,
         keepdims: bool = False) -> Result:
    """numpy.prod, with the types of sum."""
    return _sums(x, "product", axis, keepdims, dtype)


def mean(x: Data, axis: Axis = None, dtype: Kind = None, *,
         keepdims: bool = False) -> Result:
    """numpy.mean. Means of float16 and integers are float64; the mean of no elements is
    NaN, without a warning. dtype: as for sum."""
    return _sums(x, "mean", axis, keepdims, dtype)


def nansum(x: Data, axis: Axis = None, dtype: Kind = None, *,
           keepdims: bool = False) -> Result:
    """numpy.nansum, with the types of sum."""
    return _sums(x, "sum", axis, keepdims, dtype, "ignore")


def nanmean(x: Data, axis: Axis = None, dtype: Kind = None, *,
            keepdims: bool = False) -> Result:
    """numpy.nanmean, without its warning for rows that have NaNs alone."""
    return _sums(x, "mean", axis, keepdims, dtype, "ignore")


def min(x: Data, axis: Axis = None, *, keepdims: bool = False) -> Result:  # noqa: A001
    """numpy.min. A NaN makes the result NaN."""
    return _reduced(x, "min", axis, keepdims, shown=_bool_of(x))[0]


def max(x: Data, axis: Axis = None, *, keepdims: bool = False) -> Result:  # noqa: A001
    """numpy.max. A NaN makes the result NaN."""
    return _reduced(x, "max", axis, keepdims, shown=_bool_of(x))[0]


def minmax(x: Data, axis: Axis = None, *, keepdims: bool = False) -> tuple[Result, Result]:
    """(numpy.min, numpy.max) in one pass."""
    low, high = _reduced(x, "minmax", axis, keepdims, shown=_bool_of(x))
    return low, high


def _bool_of(x: Any) -> Kind:
    return np.bool_ if _is(x, np.bool_) else None


def argmin(x: Data, axis: int | None = None, *, keepdims: bool = False) -> Result:
    """numpy.argmin: the first minimum, or the first NaN. Without an axis counted in C order."""
    return _position(x, "argmin", axis, keepdims)


def argmax(x: Data, axis: int | None = None, *, keepdims: bool = False) -> Result:
    """numpy.argmax: the first maximum, or the first NaN. Without an axis counted in C order."""
    return _position(x, "argmax", axis, keepdims)


def _position(x: Any, operation: str, axis: int | None, keepdims: bool) -> Result:
    x = taken(x)
    if isinstance(axis, tuple):
        raise TypeError(f"{operation} takes one axis or None, not a tuple")
    if axis is None and len(x.shape) > 1: # positions count in C order
        if is_device(x) and not x.flags.c_contiguous:
            raise uneven(x)
        shape = (1,) * len(x.shape) if keepdims else ()
        flat = x.reshape(-1) if is_device(x) else np.ascontiguousarray(x).reshape(-1)
        return _reduced(flat, operation, 0, keepdims, shown=np.int64)[0].reshape(shape)[()]
    return _reduced(x, operation, axis, keepdims, shown=np.int64)[0]


def any(x: Data, axis: Axis = None, *, keepdims: bool = False) -> Result:  # noqa: A001
    """numpy.any."""
    return _reduced(x, "any", axis, keepdims, shown=np.bool_)[0]


def all(x: Data, axis: Axis = None, *, keepdims: bool = False) -> Result:  # noqa: A001
    """numpy.all."""
    return _reduced(x, "all", axis, keepdims, shown=np.bool_)[0]


def count_nonzero(x: Data, axis: Axis = None, *, keepdims: bool = False) -> Result:
    """numpy.count_nonzero."""
    return _reduced(x, "count", axis, keepdims, shown=np.int64)[0]


class Statistics(NamedTuple):
    """Five arrays, or five numbers, of the shape that mean() returns. var is divided by count."""

    count: Any
    min: Any
    max: Any
    mean: Any
    var: Any


def statistics(x: Data, axis: Axis = None, *, keepdims: bool = False, nan: str = "propagate",
               dtype: npt.DTypeLike = np.float64) -> Statistics:
    """Count, minimum, maximum, mean and variance in one pass, the variance without cancellation.

    nan="ignore" leaves NaNs out. dtype: numpy.float32 is all that devices without double precision have.
    """
    return Statistics(*_reduced(x, "statistics", axis, keepdims, nan=nan, kind=dtype))


def var(x: Data, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Result:
    """numpy.var. It is computed in double precision, and returned in numpy's type; of float16 in float32.
    """
    return _variance(x, axis, ddof, keepdims, "propagate")


def std(x: Data, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Result:
    """numpy.std, by the same rules as var."""
    return _root(_variance(x, axis, ddof, keepdims, "propagate"))


def nanvar(x: Data, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Result:
    """numpy.nanvar, without its warning for rows that have NaNs alone."""
    return _variance(x, axis, ddof, keepdims, "ignore")


def nanstd(x: Data, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Result:
    """numpy.nanstd, without its warning for rows that have NaNs alone."""
    return _root(_variance(x, axis, ddof, keepdims, "ignore"))


def _variance(x: Any, axis: Axis, ddof: float, keepdims: bool, nan: str) -> Result:
    x = taken(x)
    short = x.dtype.kind == "f" and x.dtype.itemsize <= 4
    kind = np.float32 if short and is_device(x) else np.float64
    found = statistics(x, axis, keepdims=keepdims, nan=nan, dtype=kind)
    result = found.var
    if ddof:
        with np.errstate(all="ignore"):
            rest = found.count - ddof
            result = result * (found.count / (rest if is_device(x) else np.maximum(rest, 0)))
    return result if is_device(x) else result.astype(np.float32 if short else np.float64)[()]


def _root(x: Any) -> Result:
    if is_device(x):
        import pyopencl.clmath
        return pyopencl.clmath.sqrt(x)
    return np.sqrt(x)
