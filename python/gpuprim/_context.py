# SPDX-License-Identifier: Apache-2.0
"""Devices and contexts."""
import contextlib
import ctypes
import threading
import weakref
from ctypes import byref

from ._library import LIBRARY, Device, Options, call

_KINDS = ("other", "cpu", "gpu")


def _destroy(name, pointer):
    getattr(LIBRARY, name)(byref(pointer))


class Handle:
    """Something that the library has made. It is destroyed with the object, or by close()."""

    def __init__(self, kind, create, *arguments):
        self._as_parameter_ = ctypes.c_void_p()
        call(create, *arguments, byref(self._as_parameter_))
        self._end = weakref.finalize(self, _destroy, f"{kind}_destroy", self._as_parameter_)

    def close(self):
        """Destroys it now. It must not be used afterwards."""
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Context(Handle):
    """One device and everything that was compiled for it. Any number of threads may use it.

    device: an index into devices(), "cpu", "gpu", or a part of the device's or platform's name;
    None is the value of the environment variable GPUPRIM_DEVICE, or else the first GPU, or the
    first CPU. staging_bytes: the most device memory for arrays on their way; 0 is 256 MiB.
    """

    def __init__(self, device=None, *, staging_bytes=0):
        name = None if device is None else str(device).encode()
        super().__init__("gpuprim", "gpuprim_create",
                         byref(Options(device=name, staging_bytes=staging_bytes)))


def devices():
    """What OpenCL has on this machine: a list of dicts, in the order of their indices."""
    count = ctypes.c_uint()
    call("gpuprim_devices", None, 0, byref(count))
    found = (Device * max(count.value, 1))()
    call("gpuprim_devices", found, count.value, byref(count))
    return [{"name": d.name.decode(), "platform": d.platform.decode(),
             "driver": d.driver.decode(), "version": d.version.decode(),
             "kind": _KINDS[d.kind] if d.kind < len(_KINDS) else "other",
             "refusal": d.refusal.decode() or None, "fp64": bool(d.fp64), "svm": bool(d.svm),
             "compute_units": d.compute_units, "width": d.width,
             "max_work_group": d.max_work_group, "global_bytes": d.global_bytes,
             "max_alloc_bytes": d.max_alloc_bytes, "local_bytes": d.local_bytes}
            for d in found[:count.value]]


_lock, _default, _local = threading.Lock(), None, threading.local()


def current():
    """The context of this thread's `with using(context)`, or the one that all others share."""
    global _default
    chosen = getattr(_local, "contexts", None)
    if chosen:
        return chosen[-1]
    with _lock:
        if _default is None:
            _default = Context()
        return _default


@contextlib.contextmanager
def using(context):
    """Functions that are called in the block by this thread use this context."""
    if not hasattr(_local, "contexts"):
        _local.contexts = []
    _local.contexts.append(context)
    try:
        yield context
    finally:
        _local.contexts.pop()
