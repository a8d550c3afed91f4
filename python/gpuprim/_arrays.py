# SPDX-License-Identifier: Apache-2.0
"""numpy arrays as the library's arrays."""
import operator

import numpy as np

from ._library import Array

NUMBERS = {"int8": 1, "uint8": 2, "int16": 3, "uint16": 4, "int32": 5, "uint32": 6, "int64": 7,
           "uint64": 8, "float16": 9, "float32": 10, "float64": 11, "complex64": 12}
DTYPES = {number: np.dtype(name) for name, number in NUMBERS.items()}


def taken(x):
    """x as an array of a type that the library takes: in native byte order, bool as uint8."""
    x = np.asarray(x)
    if x.dtype == bool:
        return x.view(np.uint8)
    x = np.asarray(x, x.dtype.newbyteorder("="))
    if x.dtype.name not in NUMBERS:
        raise TypeError(f"gpuprim takes no arrays of {x.dtype}; it takes {', '.join(NUMBERS)}")
    return x


def axis_of(x, axis):
    """The number of an axis, from 0 up. As numpy does, refuses one that x does not have."""
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim) if hasattr(np, "exceptions") else \
            np.AxisError(axis, x.ndim)
    return axis % x.ndim


def matrix_of(x, axis=-1):
    """x as a matrix whose rows run along `axis`. It is x's own memory where strides allow it."""
    moved = np.moveaxis(x, axis, -1)
    matrix = moved.reshape(-1, moved.shape[-1]) if x.size else np.empty(
        (int(np.prod(moved.shape[:-1])), moved.shape[-1]), x.dtype)
    return matrix if fits(matrix) else matrix.copy()


def fits(matrix):
    """Whether the library can take the matrix as it lies in memory."""
    size = matrix.itemsize
    part = size // 2 if matrix.dtype.kind == "c" else size
    lies = matrix.ctypes.data % part == 0 and all(s % size == 0 for s in matrix.strides)
    # 0 has another meaning for strides than in numpy.
    return lies and all(s or n < 2 for s, n in zip(matrix.strides, matrix.shape))


def view(matrix):
    """The library's description of a matrix or of a vector. The numpy array must outlive it."""
    if matrix.ndim == 1:
        matrix = matrix[None, :]
    (rows, count), size = matrix.shape, matrix.itemsize
    row_stride, stride = (s // size for s in matrix.strides)
    return Array(type=NUMBERS[matrix.dtype.name], base=matrix.ctypes.data, count=count,
                 stride=stride if count > 1 else 1, rows=rows,
                 row_stride=row_stride if rows > 1 and row_stride else max(count, 1))
