# SPDX-License-Identifier: Apache-2.0
"""Filters: the library's own, and scipy.ndimage's functions of one dimension."""
from ctypes import byref, c_double

import numpy as np

from ._arrays import NUMBERS, axis_of, matrix_of, taken, view
from ._context import Handle, current
from ._library import LIBRARY, FilterParams, History, call, described

MODES = {name: i for i, name in enumerate(("same", "same_upper", "full", "valid", "causal"))}
BOUNDARIES = {name: i for i, name in enumerate((
    "zero", "constant", "edge", "reflect_half", "reflect_whole", "wrap", "history"))}
METHODS = {name: i for i, name in enumerate(("direct", "fft", "auto"))}
# scipy.ndimage's names of boundaries.
_SCIPY = {"reflect": "reflect_half", "grid-mirror": "reflect_half", "mirror": "reflect_whole",
          "nearest": "edge", "constant": "constant", "grid-constant": "constant", "wrap": "wrap",
          "grid-wrap": "wrap"}


class Filter(Handle):
    """Taps on a device: y[i] = sum over k of taps[k] * x[i * stride + offset - k * dilation].

    taps: float32, float64, int32 or complex64; one row, or a row for each row of the data.
    dtype, out_dtype: the types of input and output; None: as gpuprim.h says.
    mode: one of MODES, which decides offset and number of results.
    boundary: one of BOUNDARIES for both ends, or a pair. "history": filter() gets earlier samples.
    """

    def __init__(self, taps, *, dtype=None, out_dtype=None, mode="same", boundary="zero",
                 constant=0, stride=1, dilation=1, correlate=False, shift=0, method="direct",
                 context=None):
        taps = np.ascontiguousarray(np.atleast_2d(taken(taps)))
        left, right = (boundary, boundary) if isinstance(boundary, str) else boundary
        number = complex(constant)
        kinds = [0 if kind is None else NUMBERS[np.dtype(kind).name] for kind in (dtype, out_dtype)]
        self._params = FilterParams(
            in_=kinds[0], out=kinds[1], mode=MODES[mode], left=BOUNDARIES[left],
            right=BOUNDARIES[right], constant=(c_double * 2)(number.real, number.imag),
            stride=stride, dilation=dilation, correlate=bool(correlate), shift=shift,
            method=METHODS[method])
        self.dtype = np.dtype(dtype) if dtype is not None else taps.dtype
        self.out_dtype = np.dtype(out_dtype) if out_dtype is not None else self.dtype
        self.context = context or current()
        self._before = (taps.shape[1] - 1) * dilation
        super().__init__("gpuprim_filter", "gpuprim_filter_create", self.context, byref(view(taps)),
                         byref(self._params))

    def __call__(self, x, axis=-1, *, history=None):
        """The results along `axis`. history: (taps - 1) * dilation earlier samples of each row, the
        latest last; it is updated in place for the next block."""
        x = taken(x)
        axis = axis_of(x, axis)
        matrix = matrix_of(x, axis)
        count = LIBRARY.gpuprim_filter_outputs(self, matrix.shape[1])
        out = np.empty((matrix.shape[0], count), self.out_dtype)
        if out.size:
            call("gpuprim_convolve1d", self.context, self, byref(view(matrix)), byref(view(out)),
                 self._history(history, matrix), None)
        shape = x.shape[:axis] + x.shape[axis + 1:] + (count,)
        return np.moveaxis(out.reshape(shape), -1, axis)

    def _history(self, history, matrix):
        if history is None:
            return None
        wanted = (matrix.shape[0], self._before)
        if history.dtype != matrix.dtype or not history.flags.c_contiguous or \
                history.size != wanted[0] * wanted[1]:
            raise ValueError(f"the history must be a contiguous array of {matrix.dtype} with "
                             f"{wanted[1]} samples for each of {wanted[0]} rows")
        before = view(history.reshape(wanted))
        return byref(History(before=before, after=before))

    def describe(self):
        """Which variant runs long contiguous rows, and why."""
        return described("gpuprim_filter_describe", self, None, None)


def convolve1d(x, weights, axis=-1, mode="reflect", cval=0.0, *, dilation=1, output=None,
               method="direct"):
    """scipy.ndimage.convolve1d for float16, float32, float64 and complex64 data.

    Sums are computed in float32 for float16 and float32 (scipy: in float64). With an output of
    float32, float16 or an integer type the data may also be integers of 8 or 16 bits; results of
    integer types are rounded half to even and saturated.
    """
    return _filtered(x, weights, axis, mode, cval, dilation, output, method, correlate=False)


def correlate1d(x, weights, axis=-1, mode="reflect", cval=0.0, *, dilation=1, output=None,
                method="direct"):
    """scipy.ndimage.correlate1d; see convolve1d."""
    return _filtered(x, weights, axis, mode, cval, dilation, output, method, correlate=True)


def _filtered(x, weights, axis, mode, cval, dilation, output, method, correlate):
    x, weights = taken(x), np.asarray(weights)
    if mode not in _SCIPY:
        raise ValueError(f"mode is one of {', '.join(_SCIPY)}, not {mode!r}")
    if weights.ndim != 1 or not weights.size:
        raise ValueError("weights must be a vector with at least one element")
    if x.dtype.kind in "iu" and output is None:
        raise TypeError(f"data of {x.dtype} need an output type, such as output=numpy.float32")
    kind = np.float64 if x.dtype == np.float64 else np.float32
    if weights.dtype.kind == "c":
        kind = np.complex64
    boundary = _SCIPY[mode]
    # scipy puts the middle of an even number of weights to the right of the middle in convolve1d.
    with Filter(weights.astype(kind), dtype=x.dtype, out_dtype=output or x.dtype,
                mode="same" if correlate else "same_upper", boundary=boundary,
                constant=cval if boundary == "constant" else 0, dilation=dilation,
                correlate=correlate, method=method) as made:
        return made(x, axis)
