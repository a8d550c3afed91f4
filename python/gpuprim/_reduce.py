# SPDX-License-Identifier: Apache-2.0
"""Reductions under numpy's names, with numpy's meaning.

Every function takes `axis` (None: all elements; or one axis) and `keepdims`. The results have the
types that numpy gives, except that sums of float16 stay float32. Empty rows raise ValueError where
numpy does. Two calls give the same bits on one device and driver.
"""
from ctypes import byref
from typing import NamedTuple

import numpy as np

from ._arrays import DTYPES, NUMBERS, axis_of, matrix_of, taken, view
from ._context import current
from ._library import LIBRARY, Error, ReduceParams, call

OPERATIONS = {name: number for number, name in enumerate((
    "sum", "product", "min", "max", "argmin", "argmax", "minmax", "and", "or", "xor", "any", "all",
    "count", "sum_abs", "sum_squares", "mean", "max_abs", "statistics"))}
_RESULTS = {"minmax": 2, "statistics": 5}
_NON_EMPTY = ("min", "max", "argmin", "argmax", "minmax")


def reduce(x, operation, axis=None, *, keepdims=False, nan="propagate", accumulator=None,
           context=None):
    """Reduces x by one of OPERATIONS along `axis`, and returns the results in the library's type.

    minmax and statistics have their 2 or 5 results in a last axis. nan="ignore" leaves NaNs out.
    accumulator: numpy.float64 for sums of float16 and float32 in double precision.
    """
    x = taken(x)
    op, context = OPERATIONS[operation], context or current()
    if nan not in ("propagate", "ignore"):
        raise ValueError(f"nan is 'propagate' or 'ignore', not {nan!r}")
    shape = (1,) * x.ndim
    if axis is None:
        matrix = _joined(x)
    else:
        axis = axis_of(x, axis)
        matrix = matrix_of(x, axis)
        shape = x.shape[:axis] + (1,) + x.shape[axis + 1:]
    if operation in _NON_EMPTY and matrix.shape[1] == 0 and matrix.shape[0]:
        raise ValueError(f"{operation} of an empty sequence")
    number = NUMBERS[np.dtype(accumulator).name] if accumulator is not None else 0
    kind = LIBRARY.gpuprim_reduce_type(op, NUMBERS[x.dtype.name], number)
    if not kind:
        raise Error(-2002, LIBRARY.gpuprim_last_error().decode())
    each = _RESULTS.get(operation, 1)
    out = np.empty((matrix.shape[0], each), DTYPES[kind])
    if matrix.shape[0]:
        params = ReduceParams(op=op, accumulator=number, nan=nan == "ignore")
        call("gpuprim_reduce", context, byref(view(matrix)), byref(view(out)), byref(params), None)
    if not keepdims:
        shape = () if axis is None else shape[:axis] + shape[axis + 1:]
    out = out.reshape(shape + ((each,) if each > 1 else ()))
    return out if out.ndim else out[()]


def _joined(x):
    """All elements as one row, in memory order where that needs no copy."""
    order = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
    return matrix_of(x.reshape(-1, order=order))


def _as(result, dtype):
    return result if result.dtype == dtype else result.astype(dtype)


def sum(x, axis=None, *, keepdims=False):  # noqa: A001
    """numpy.sum. Sums of float16 are float32."""
    return _number(x, reduce(x, "sum", axis, keepdims=keepdims))


def prod(x, axis=None, *, keepdims=False):
    """numpy.prod. Products of float16 are float32."""
    return _number(x, reduce(x, "product", axis, keepdims=keepdims))


def _number(x, result):
    """Sums and products of bools are signed integers."""
    return _as(result, np.dtype(np.int_)) if np.asarray(x).dtype == bool else result


def min(x, axis=None, *, keepdims=False):  # noqa: A001
    """numpy.min. A NaN makes the result NaN."""
    return _of_type(x, reduce(x, "min", axis, keepdims=keepdims))


def max(x, axis=None, *, keepdims=False):  # noqa: A001
    """numpy.max. A NaN makes the result NaN."""
    return _of_type(x, reduce(x, "max", axis, keepdims=keepdims))


def _of_type(x, result):
    return result.astype(bool) if np.asarray(x).dtype == bool else result


def argmin(x, axis=None, *, keepdims=False):
    """numpy.argmin: the first minimum, or the first NaN. Without an axis counted in C order."""
    return _positions(x, "argmin", axis, keepdims)


def argmax(x, axis=None, *, keepdims=False):
    """numpy.argmax: the first maximum, or the first NaN. Without an axis counted in C order."""
    return _positions(x, "argmax", axis, keepdims)


def _positions(x, operation, axis, keepdims):
    x = np.asarray(x)
    if axis is None: # positions count in C order
        found = reduce(np.ascontiguousarray(x).reshape(-1), operation, 0, keepdims=keepdims)
        found = np.asarray(found).reshape((1,) * x.ndim if keepdims else ())
        return _as(found, np.intp) if found.ndim else np.intp(found[()])
    return _as(reduce(x, operation, axis, keepdims=keepdims), np.intp)


def minmax(x, axis=None, *, keepdims=False):
    """(numpy.min, numpy.max) in one pass."""
    both = _of_type(x, reduce(x, "minmax", axis, keepdims=keepdims))
    return both[..., 0], both[..., 1]


def any(x, axis=None, *, keepdims=False):  # noqa: A001
    """numpy.any."""
    return _as(reduce(x, "any", axis, keepdims=keepdims), bool)


def all(x, axis=None, *, keepdims=False):  # noqa: A001
    """numpy.all."""
    return _as(reduce(x, "all", axis, keepdims=keepdims), bool)


def count_nonzero(x, axis=None, *, keepdims=False):
    """numpy.count_nonzero."""
    return _as(reduce(x, "count", axis, keepdims=keepdims), np.intp)


def mean(x, axis=None, *, keepdims=False):
    """numpy.mean. Means of float16 are float32, those of integers float64."""
    return reduce(x, "mean", axis, keepdims=keepdims)


class Statistics(NamedTuple):
    """Five arrays, or five numbers. var is divided by count."""

    count: object
    min: object
    max: object
    mean: object
    var: object


def statistics(x, axis=None, *, keepdims=False, nan="propagate"):
    """Count, minimum, maximum, mean and variance in one pass, in float64; the variance without
    cancellation. nan="ignore" leaves NaNs out."""
    five = reduce(x, "statistics", axis, keepdims=keepdims, nan=nan)
    return Statistics(*(five[..., i] for i in range(5)))


def var(x, axis=None, *, keepdims=False):
    """numpy.var. It is computed in float64, and returned in numpy's type; of float16 in float32."""
    return _as(statistics(x, axis, keepdims=keepdims).var, _mean_type(x))


def std(x, axis=None, *, keepdims=False):
    """numpy.std, by the same rules as var."""
    return _as(np.sqrt(statistics(x, axis, keepdims=keepdims).var), _mean_type(x))


def _mean_type(x):
    kind = np.asarray(x).dtype
    return np.dtype(np.float32) if kind.kind == "f" and kind.itemsize <= 4 else np.dtype(np.float64)


def nansum(x, axis=None, *, keepdims=False):
    """numpy.nansum."""
    return reduce(x, "sum", axis, keepdims=keepdims, nan="ignore")


def nanmean(x, axis=None, *, keepdims=False):
    """numpy.nanmean, without its warning for rows that have NaNs alone."""
    return reduce(x, "mean", axis, keepdims=keepdims, nan="ignore")
