# SPDX-License-Identifier: Apache-2.0
"""Filters: the library's own, and scipy.ndimage's functions of one dimension."""
from __future__ import annotations

from ctypes import byref, c_double
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from ._arrays import (Data, Kind, Result, axis_of, calls, contiguous, empty_like, is_device, number_of, packed, part_of,
                      split, taken, uneven, view, Part)
from ._context import Context, Handle, Order, context_for, current
from ._library import LIBRARY, FilterParams, History, call, described

MODES = {name: i for i, name in enumerate(("same", "same_upper", "full", "valid", "causal", "explicit"))}
BOUNDARIES = {name: i for i, name in enumerate((
    "zero", "constant", "edge", "reflect_half", "reflect_whole", "wrap", "history"))}
METHODS = {name: i for i, name in enumerate(("direct", "fft", "auto"))}
# scipy.ndimage's names of boundaries.
_SCIPY = {"reflect": "reflect_half", "grid-mirror": "reflect_half", "mirror": "reflect_whole",
          "nearest": "edge", "constant": "constant", "grid-constant": "constant", "wrap": "wrap",
          "grid-wrap": "wrap"}


class Filter(Handle):
    """Taps on a device: y[i] = sum over k of taps[k] * x[i * stride + offset - k * dilation].

    taps: float32, float64, int32 or complex64, of shape (K,), or (rows, K) with a row for each row of
    the data. dtype, out_dtype: the types of input and output; None: as gpuprim.h says.
    mode: one of MODES, which decides offset and number of results; "explicit" takes `offset` and has as
    many results as inputs. boundary: one of BOUNDARIES for both ends, or a pair. "history": the call
    gets the samples before the first. shift: integer sums are divided by 2^shift.
    context: where it is made; for PyOpenCL arrays Context(queue).

    Raises Error for what gpuprim_filter_create refuses, KeyError for unknown names.
    """

    def __init__(self, taps: npt.ArrayLike, *, dtype: Kind = None,
                 out_dtype: Kind = None, mode: str = "same", offset: int = 0,
                 boundary: str | Sequence[str] = "zero", constant: complex = 0, stride: int = 1,
                 dilation: int = 1, correlate: bool = False, shift: int = 0, method: str = "direct",
                 context: Context | None = None) -> None:
        taps = np.ascontiguousarray(np.atleast_2d(taken(taps)))
        left, right = (boundary, boundary) if isinstance(boundary, str) else boundary
        number = complex(constant)
        kinds = [0 if kind is None else number_of(kind) for kind in (dtype, out_dtype)]
        self._params = FilterParams(
            in_=kinds[0], out=kinds[1], mode=MODES[mode], offset=offset, left=BOUNDARIES[left],
            right=BOUNDARIES[right], constant=(c_double * 2)(number.real, number.imag),
            stride=stride, dilation=dilation, correlate=bool(correlate), shift=shift,
            method=METHODS[method])
        self.dtype = np.dtype(dtype) if dtype is not None else taps.dtype
        self.out_dtype = np.dtype(out_dtype) if out_dtype is not None else self.dtype
        self.context = context or current()
        self._before = (taps.shape[1] - 1) * dilation
        super().__init__("gpuprim_filter", "gpuprim_filter_create", self.context, byref(view(taps)),
                         byref(self._params))

    def outputs(self, count: int) -> int:
        """How many results a row of `count` elements has."""
        if self._params.mode == MODES["explicit"]:
            return -(-count // int(self._params.stride))
        return int(LIBRARY.gpuprim_filter_outputs(self, count))

    def __call__(self, x: Data, axis: int = -1, *, history: Any = None) -> Result:
        """The results along `axis`, in an array of x's shape but for the length of that axis; for a
        PyOpenCL array one in its queue.

        history: an array of shape (rows, (K - 1) * dilation): for each row of x the samples before it,
        the latest last; a PyOpenCL array if x is one. It is updated in place for the next block.
        Raises ValueError for a history of another shape, type or layout, and for a PyOpenCL array whose
        elements do not lie at equal distances; Error for what gpuprim_convolve1d refuses.
        """
        array = taken(x)
        axis = axis_of(array, axis)
        kept = tuple(a for a in range(len(array.shape)) if a != axis)
        rows = tuple(array.shape[a] for a in kept)
        count = self.outputs(array.shape[axis])
        out = empty_like(array, array.shape[:axis] + (count,) + array.shape[axis + 1:], self.out_dtype)
        source, target = part_of(array, kept, (axis,)), part_of(out, kept, (axis,))
        assert target
        moved = not is_device(array) and (source is None or split(rows, source, target) > 0)
        if moved:
            array = contiguous(np.moveaxis(array, axis, -1))
            out = np.empty((*rows, count), out.dtype)
            source, target = (part_of(y, range(len(kept)), (len(kept),)) for y in (array, out))
        if source is None or target is None:
            raise uneven(array)
        parts = [source, target]
        if history is not None:
            parts.append(self._past(array, history, rows))
        order = Order(array, history)
        if out.size:
            for a, b, *before in calls(rows, *parts):
                order.call("gpuprim_convolve1d", self.context, self, byref(a), byref(b),
                           byref(History(before=before[0], after=before[0])) if before else None)
        order.give(out, history if is_device(history) else None)
        return np.ascontiguousarray(np.moveaxis(out, -1, axis)) if moved else out

    def _past(self, x: Any, history: Any, rows: Sequence[int]) -> Part:
        count, size = int(np.prod(rows, dtype=int)), history.dtype.itemsize
        if history.dtype != x.dtype or not history.flags.c_contiguous or \
                history.size != count * self._before or \
                not (is_device(history) or history.flags.writeable):
            raise ValueError(f"the history must be a contiguous, writeable array of {x.dtype} with "
                             f"{self._before} samples for each of {count} rows")
        return Part(history, number_of(history.dtype), packed(rows, size * self._before), self._before,
                    size)

    def describe(self) -> str:
        """Which variant runs long contiguous rows, and why."""
        return described("gpuprim_filter_describe", self, None, None)


def convolve1d(input: Data, weights: npt.ArrayLike, axis: int = -1,  # noqa: A002
               output: Kind = None, mode: str = "reflect", cval: float = 0.0, origin: int = 0,
               *, dilation: int = 1, method: str = "direct") -> Result:
    """scipy.ndimage.convolve1d for float16, float32, float64 and complex64 data.

    The result has input's shape and the type `output`, None: input's type. Sums are computed in float32
    for float16 and float32 (scipy: in float64). With an output of float32, float16 or an integer type the
    data may also be integers of 8 or 16 bits; results of integer types are rounded half to even and
    saturated. mode: reflect, mirror, nearest, constant, wrap or one of scipy's grid- names; "wrap" and
    "constant" are scipy's "grid-wrap" and "grid-constant", which in one dimension are the same.
    dilation and method ("direct", "fft", "auto") are gpuprim's own.

    Raises ValueError for an unknown mode, weights that are no vector, or an origin beyond them; TypeError
    for integer data without an output type.
    """
    return _filtered(input, weights, axis, mode, cval, origin, dilation, output, method, correlate=False)


def correlate1d(input: Data, weights: npt.ArrayLike, axis: int = -1,  # noqa: A002
                output: Kind = None, mode: str = "reflect", cval: float = 0.0, origin: int = 0,
                *, dilation: int = 1, method: str = "direct") -> Result:
    """scipy.ndimage.correlate1d; see convolve1d."""
    return _filtered(input, weights, axis, mode, cval, origin, dilation, output, method, correlate=True)


def _filtered(x: Any, weights: npt.ArrayLike, axis: int, mode: str, cval: float, origin: int,
              dilation: int, output: Kind, method: str, correlate: bool) -> Result:
    x, weights = taken(x), np.asarray(weights)
    if mode not in _SCIPY:
        raise ValueError(f"mode is one of {', '.join(_SCIPY)}, not {mode!r}")
    if weights.ndim != 1 or not weights.size:
        raise ValueError("weights must be a vector with at least one element")
    if x.dtype.kind in "iu" and output is None:
        raise TypeError(f"data of {x.dtype} need an output type, such as output=numpy.float32")
    n = weights.size
    if not -(n // 2) <= origin <= (n - 1) // 2:
        raise ValueError(f"origin must be from {-(n // 2)} to {(n - 1) // 2} for {n} weights, not {origin}")
    kind: Any = np.float64 if x.dtype == np.float64 else np.float32
    if weights.dtype.kind == "c":
        kind = np.complex64
    boundary = _SCIPY[mode]
    # scipy puts the middle of an even number of weights to the right of the middle in convolve1d.
    before = (n - 1) * dilation
    offset = before // 2 - origin if correlate else -(-before // 2) + origin
    with Filter(weights.astype(kind), dtype=x.dtype, out_dtype=output or x.dtype, mode="explicit",
                offset=offset, boundary=boundary, constant=cval if boundary == "constant" else 0,
                dilation=dilation, correlate=correlate, method=method, context=context_for(x)) as made:
        return made(x, axis)
