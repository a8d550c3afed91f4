# SPDX-License-Identifier: Apache-2.0
"""Arrays of the caller as the library's arrays: numpy's, those behind DLPack, and PyOpenCL's."""
from __future__ import annotations

import math
import operator
import sys
from typing import Any, Iterator, NamedTuple, Protocol, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._library import Array

NUMBERS = {"int8": 1, "uint8": 2, "int16": 3, "uint16": 4, "int32": 5, "uint32": 6, "int64": 7,
           "uint64": 8, "float16": 9, "float32": 10, "float64": 11, "complex64": 12}
DTYPES = {number: np.dtype(name) for name, number in NUMBERS.items()}
HOST, BUFFER, SVM = 0, 1, 2

# DLPack's numbers of devices; the names of those whose memory a CPU cannot read.
_READABLE = (1, 3, 11, 13) # CPU, pinned memory of CUDA and ROCm, managed memory of CUDA
_DEVICES = {2: "a CUDA device", 4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal device",
            10: "a ROCm device", 14: "a oneAPI device", 15: "a WebGPU device"}


class DeviceArray(Protocol):
    """pyopencl.array.Array: what this package uses of it."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any
    queue: Any
    events: Any


# What functions take: a numpy array, whatever numpy makes one of, a tensor behind DLPack, or a PyOpenCL
# array. And what they return: numpy's arrays and numbers, or PyOpenCL arrays for a PyOpenCL array.
Data = Union[npt.ArrayLike, DeviceArray]
Result = Any
Kind = Union[npt.DTypeLike, None]


def is_device(x: Any) -> bool:
    """Whether x is a PyOpenCL array. PyOpenCL is not imported for the question."""
    module = sys.modules.get("pyopencl.array")
    return module is not None and isinstance(x, module.Array)


def from_dlpack(x: Any) -> npt.NDArray[Any]:
    """A numpy array over the memory of a tensor that offers __dlpack__, without a copy.

    Raises TypeError for tensors in memory that the CPU cannot read, such as CUDA's: OpenCL cannot take
    them in place. Copy them first (torch: x.cpu(); CuPy: x.get()). All functions of this package take
    such tensors directly; results are numpy arrays, which offer __dlpack__ themselves.
    """
    device = int(x.__dlpack_device__()[0])
    if device not in _READABLE:
        raise TypeError(f"the tensor lies on {_DEVICES.get(device, f'DLPack device {device}')}, which "
                        "OpenCL cannot read in place; copy it to the CPU first")
    return np.from_dlpack(x)


def number_of(dtype: npt.DTypeLike) -> int:
    """The library's number of a type. bool is read as uint8."""
    name = np.dtype(dtype).name
    if name not in NUMBERS and name != "bool":
        raise TypeError(f"gpuprim takes no arrays of {name}; it takes bool, {', '.join(NUMBERS)}")
    return NUMBERS["uint8" if name == "bool" else name]


def taken(x: Any) -> Any:
    """x as a numpy array in native byte order, or as it is on a device; of a type that the library takes."""
    if not is_device(x):
        if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack_device__"):
            x = from_dlpack(x)
        x = np.asarray(x)
        x = np.asarray(x, x.dtype.newbyteorder("="))
    number_of(x.dtype)
    return x


def axis_of(x: Any, axis: Any) -> int:
    """The number of an axis, from 0 up. As numpy does, refuses one that x does not have."""
    axis, ndim = operator.index(axis), len(x.shape)
    if not -ndim <= axis < ndim:
        namespace: Any = np.exceptions if hasattr(np, "exceptions") else np
        raise namespace.AxisError(axis, ndim)
    return int(axis % ndim)


def empty_like(x: Any, shape: Sequence[int], dtype: Any) -> Any:
    """A new array in C order where x lies: on the host, or in x's OpenCL context."""
    if not is_device(x):
        return np.empty(tuple(shape), dtype)
    return sys.modules["pyopencl.array"].empty(x.queue, tuple(shape), np.dtype(dtype),
                                               allocator=x.allocator)


def packed(shape: Sequence[int], step: int) -> tuple[int, ...]:
    """The strides of an array in C order whose elements lie `step` apart."""
    return tuple(step * math.prod(shape[i + 1:]) for i in range(len(shape)))


class Part(NamedTuple):
    """An array of a call: rows that lie `steps` bytes apart along each axis of rows, with `elements`
    elements that lie `step` bytes apart."""

    x: Any
    number: int # of the type
    steps: tuple[int, ...]
    elements: int
    step: int


def joined(shape: Sequence[int], steps: Sequence[int]) -> tuple[int, int] | None:
    """Several axes as one: how many elements, and how many bytes apart. None if they do not lie at equal
    distances, or on top of each other."""
    count, step = 1, 0
    for n, s in zip(reversed(shape), reversed(steps)):
        if n == 1:
            continue
        if count > 1 and s != count * step or s == 0:
            return None
        count, step = count * n, step if count > 1 else s
    return count, step


def part_of(x: Any, kept: Sequence[int], along: Sequence[int]) -> Part | None:
    """x with rows along the axes `along`. None if the library cannot take them as they lie."""
    size = x.dtype.itemsize
    if not x.size: # its strides mean nothing
        return Part(x, number_of(x.dtype), packed([x.shape[a] for a in kept], size),
                    math.prod(x.shape[a] for a in along), size)
    row = joined([x.shape[a] for a in along], [x.strides[a] for a in along])
    even = all(s % size == 0 for n, s in zip(x.shape, x.strides) if n > 1)
    if row is None or not even or not _aligned(x):
        return None
    return Part(x, number_of(x.dtype), tuple(x.strides[a] for a in kept), *row)


def contiguous(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A host array that the library can take: x itself, or a copy."""
    return np.require(x, requirements=["C_CONTIGUOUS", "ALIGNED"])


def _aligned(x: Any) -> bool:
    size = x.dtype.itemsize
    if is_device(x):
        return bool(x.offset % size == 0)
    return bool(x.ctypes.data % (size // 2 if x.dtype.kind == "c" else size) == 0)


def split(shape: Sequence[int], *parts: Part) -> int:
    """How many of the first axes of rows need a call for each index, because the rows of one call must
    lie at equal distances in each array."""
    first = len(shape)
    while first and all(joined(shape[first - 1:], part.steps[first - 1:]) for part in parts):
        first -= 1
    return first


def calls(shape: Sequence[int], *parts: Part) -> Iterator[list[Array]]:
    """The library's arrays of each call; mostly there is one. No calls without rows."""
    if 0 in shape:
        return
    first = split(shape, *parts)
    rows = math.prod(shape[first:])
    for index in np.ndindex(*shape[:first]):
        yield [_view(part, rows, (joined(shape[first:], part.steps[first:]) or (0, 0))[1],
                     sum(i * s for i, s in zip(index, part.steps))) for part in parts]


def _view(part: Part, rows: int, row_step: int, offset: int) -> Array:
    x, size = part.x, part.x.dtype.itemsize
    first, memory = 0, HOST
    if not is_device(x):
        base = x.ctypes.data + offset
    else:
        first = (x.offset + offset) // size
        memory = SVM if hasattr(x.base_data, "svm_ptr") else BUFFER
        base = x.base_data.svm_ptr if memory == SVM else x.base_data.int_ptr if x.size else None
    return Array(type=part.number, memory=memory, base=base, first=first, count=part.elements,
                 stride=part.step // size if part.elements > 1 else 1, rows=rows,
                 row_stride=row_step // size if rows > 1 else max(part.elements, 1))


def view(x: npt.NDArray[Any]) -> Array:
    """A contiguous host vector, or the rows of a contiguous host matrix. x must outlive it."""
    rows, count = x.shape if x.ndim == 2 else (1, x.size)
    return Array(type=number_of(x.dtype), base=x.ctypes.data, count=count, stride=1, rows=rows,
                 row_stride=max(count, 1))


def uneven(x: Any) -> ValueError:
    """The error for an array on a device that would have to be copied first."""
    return ValueError(f"the elements of this PyOpenCL array (shape {x.shape}, strides {x.strides}, offset "
                      f"{x.offset}) do not lie at equal distances, which the call needs; copy it to a "
                      "contiguous array first")
