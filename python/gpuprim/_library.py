# SPDX-License-Identifier: Apache-2.0
"""The C library: its functions, its structs, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t
from ctypes import c_uint, c_uint32, c_uint64, c_void_p
from typing import Any

RESERVED = ("reserved", c_uint64 * 4)


# include/gpuprim/gpuprim.h, member for member, and one struct of gpuprim_cl.h.
class Array(Structure):
    _fields_ = [("type", c_int), ("memory", c_int), ("base", c_void_p), ("first", c_uint64),
                ("count", c_uint64), ("stride", c_int64), ("rows", c_uint64),
                ("row_stride", c_int64), RESERVED]


class Options(Structure):
    _fields_ = [("device", c_char_p), ("log", c_void_p), ("log_user", c_void_p),
                ("log_level", c_int), ("staging_bytes", c_uint64), RESERVED]


class Device(Structure):
    _fields_ = [("name", ctypes.c_char * 128), ("platform", ctypes.c_char * 128),
                ("driver", ctypes.c_char * 128), ("version", ctypes.c_char * 128),
                ("kind", c_int), ("status", c_int), ("refusal", ctypes.c_char * 128),
                ("id", c_void_p), ("fp64", c_uint32), ("svm", c_uint32),
                ("compute_units", c_uint32), ("width", c_uint32), ("max_work_group", c_uint64),
                ("global_bytes", c_uint64), ("max_alloc_bytes", c_uint64),
                ("local_bytes", c_uint64), ("reserved", c_uint64 * 8)]


class ReduceParams(Structure):
    _fields_ = [("op", c_int), ("accumulator", c_int), ("nan", c_int), RESERVED]


class FilterParams(Structure):
    _fields_ = [("in_", c_int), ("out", c_int), ("mode", c_int), ("offset", c_int64),
                ("left", c_int), ("right", c_int), ("constant", c_double * 2),
                ("stride", c_uint64), ("dilation", c_uint64), ("correlate", c_uint),
                ("shift", c_uint), ("method", c_int), RESERVED]


class History(Structure):
    _fields_ = [("before", Array), ("after", Array), RESERVED]


class Thresholds(Structure):
    _fields_ = [("values", Array), ("closed", c_int), RESERVED]


class Uniform(Structure):
    _fields_ = [("low", c_double), ("high", c_double), ("bins", c_uint32), ("outside", c_int),
                ("top_inclusive", c_uint), RESERVED]


class Table(Structure):
    _fields_ = [("labels", Array), ("shift", c_uint), ("mask", c_uint64), RESERVED]


class Case(Structure):
    _fields_ = [("mask", c_uint64), ("value", c_uint64), ("label", c_uint32)]


class Cases(Structure):
    _fields_ = [("list", POINTER(Case)), ("count", c_uint32), ("otherwise", c_uint32), RESERVED]


class Rules(Structure):
    _fields_ = [("values", Array), ("comparisons", POINTER(c_int)), ("labels", Array), RESERVED]


class ClassifierParams(Structure):
    _fields_ = [("thresholds", POINTER(Thresholds)), ("uniform", POINTER(Uniform)),
                ("table", POINTER(Table)), ("cases", POINTER(Cases)), ("rules", POINTER(Rules)),
                ("in_", c_int), ("nan", c_int), ("nan_class", c_uint32), ("map", Array),
                ("accumulate", c_uint), RESERVED]


class Sync(Structure):
    _fields_ = [("queue", c_void_p), ("n_wait", c_uint32), ("wait", POINTER(c_void_p)),
                ("done", POINTER(c_void_p)), RESERVED]


STRUCTS: dict[str, type[Structure]] = {"gpuprim_array": Array, "gpuprim_options": Options, "gpuprim_device": Device,
           "gpuprim_reduce_params": ReduceParams, "gpuprim_filter_params": FilterParams,
           "gpuprim_history": History, "gpuprim_thresholds": Thresholds,
           "gpuprim_uniform": Uniform, "gpuprim_table": Table, "gpuprim_case": Case,
           "gpuprim_cases": Cases, "gpuprim_rules": Rules,
           "gpuprim_classifier_params": ClassifierParams, "gpuprim_sync": Sync}

MEMORY, NO_DEVICE = -2010, -2030
REJECT = 0xffffffff


class Error(RuntimeError):
    """A call of the library failed. `code` is the library's or OpenCL's status."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class NoDevice(Error):
    """There is no OpenCL device that the library takes."""


def _load() -> ctypes.CDLL:
    """The shared library: the one that GPUPRIM_LIBRARY names, or the installed one."""
    name = os.environ.get("GPUPRIM_LIBRARY") or "libgpuprim.so.0"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"{error}. Install the C library gpuprim, or set GPUPRIM_LIBRARY to the "
                          "path of its libgpuprim.so.0") from error
    arrays: list[Any] = [POINTER(Array)] * 3
    pointers: list[Any] = [c_void_p] * 2
    sync = POINTER(Sync)
    signatures: dict[str, list[Any]] = {
        "gpuprim_create": [POINTER(Options), POINTER(c_void_p)],
        "gpuprim_create_cl": [*pointers, POINTER(Options), POINTER(c_void_p)],
        "gpuprim_cl_context": [c_void_p], "gpuprim_cl_device": [c_void_p],
        "gpuprim_destroy": [POINTER(c_void_p)],
        "gpuprim_devices": [POINTER(Device), c_uint, POINTER(c_uint)],
        "gpuprim_reduce": [c_void_p, *arrays[:2], POINTER(ReduceParams), sync],
        "gpuprim_filter_create": [c_void_p, arrays[0], POINTER(FilterParams), POINTER(c_void_p)],
        "gpuprim_filter_destroy": [POINTER(c_void_p)],
        "gpuprim_convolve1d": [*pointers, *arrays[:2], POINTER(History), sync],
        "gpuprim_classifier_create": [c_void_p, POINTER(ClassifierParams), POINTER(c_void_p)],
        "gpuprim_classifier_destroy": [POINTER(c_void_p)],
        "gpuprim_classify": [*pointers, *arrays, sync],
        "gpuprim_classifier_edges": [c_void_p, arrays[0]],
        "gpuprim_reduce_type": [c_int, c_int, c_int],
        "gpuprim_last_error": [], "gpuprim_strerror": [c_int], "gpuprim_version": [],
        "gpuprim_filter_outputs": [c_void_p, c_uint64],
        "gpuprim_classifier_labels": [c_void_p],
        "gpuprim_filter_describe": [c_void_p, *arrays[:2], c_char_p, c_size_t],
        "gpuprim_classifier_describe": [c_void_p, c_char_p, c_size_t],
    }
    results: dict[str, Any] = {
        "gpuprim_cl_context": c_void_p, "gpuprim_cl_device": c_void_p,
        "gpuprim_filter_outputs": c_uint64, "gpuprim_classifier_labels": c_uint64,
        "gpuprim_filter_describe": c_size_t, "gpuprim_classifier_describe": c_size_t}
    for name, arguments in signatures.items():
        function = getattr(library, name)
        function.argtypes = arguments
        text = name in ("gpuprim_last_error", "gpuprim_strerror", "gpuprim_version")
        ends = name.endswith("_destroy") or name == "gpuprim_destroy"
        function.restype = c_char_p if text else None if ends else results.get(name, c_int)
    return library


LIBRARY = _load()


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises if it failed."""
    status = getattr(LIBRARY, name)(*arguments)
    if status == 0:
        return
    message = (LIBRARY.gpuprim_last_error() or LIBRARY.gpuprim_strerror(status)).decode()
    if status == MEMORY:
        raise MemoryError(message)
    raise (NoDevice if status == NO_DEVICE else Error)(status, message)


def described(name: str, *arguments: Any) -> str:
    """The text of a function that describes something."""
    text = ctypes.create_string_buffer(getattr(LIBRARY, name)(*arguments, None, 0) + 1)
    getattr(LIBRARY, name)(*arguments, text, len(text))
    return text.value.decode()

