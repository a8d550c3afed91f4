# SPDX-License-Identifier: Apache-2.0
"""Devices, contexts, and the order of calls in PyOpenCL's queues."""
from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import weakref
from ctypes import byref, c_void_p, pointer
from typing import Any, Iterator, TypeVar

from ._arrays import is_device
from ._library import LIBRARY, Device, Options, Sync, call

_KINDS = ("other", "cpu", "gpu")
Self = TypeVar("Self", bound="Handle")


def _destroy(name: str, handle: Any) -> None:
    getattr(LIBRARY, name)(byref(handle))


class Handle:
    """Something that the library has made. It is destroyed with the object, or by close()."""

    def __init__(self, kind: str, create: str, *arguments: Any) -> None:
        self._as_parameter_ = c_void_p()
        call(create, *arguments, byref(self._as_parameter_))
        self._end = weakref.finalize(self, _destroy, f"{kind}_destroy", self._as_parameter_)

    def close(self) -> None:
        """Destroys it now. It must not be used afterwards."""
        self._end()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Context(Handle):
    """One device and everything that was compiled for it. Any number of threads may use it.

    device: an index into devices(), "cpu", "gpu", a part of the device's or platform's name, or a
    pyopencl.CommandQueue, whose OpenCL context and device are used; None is the value of the
    environment variable GPUPRIM_DEVICE, or else the first GPU, or the first CPU.
    staging_bytes: the most device memory for host arrays on their way; 0 is 256 MiB.
    Raises NoDevice if there is none, Error if the device cannot be used.
    """

    def __init__(self, device: Any = None, *, staging_bytes: int = 0) -> None:
        if hasattr(device, "int_ptr"):
            options = Options(staging_bytes=staging_bytes)
            super().__init__("gpuprim", "gpuprim_create_cl", device.context.int_ptr,
                             device.device.int_ptr, byref(options))
            return
        name = None if device is None else str(device).encode()
        super().__init__("gpuprim", "gpuprim_create",
                         byref(Options(device=name, staging_bytes=staging_bytes)))


def devices() -> list[dict[str, Any]]:
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


_lock, _local = threading.Lock(), threading.local()
_default: Context | None = None
_of_queues: dict[tuple[int, int], Context] = {}


def current() -> Context:
    """The context of this thread's `with using(context)`, or the one that all others share."""
    global _default
    chosen = getattr(_local, "contexts", None)
    if chosen:
        return chosen[-1]  # type: ignore[no-any-return]
    with _lock:
        if _default is None:
            _default = Context()
        return _default


@contextlib.contextmanager
def using(context: Context) -> Iterator[Context]:
    """Functions that are called in the block by this thread use this context."""
    if not hasattr(_local, "contexts"):
        _local.contexts = []
    _local.contexts.append(context)
    try:
        yield context
    finally:
        _local.contexts.pop()


def context_for(x: Any) -> Context:
    """The context for an array: current() for host arrays. For a PyOpenCL array the one of its OpenCL
    context and device: that of using(), or one that is made once and kept."""
    if not is_device(x):
        return current()
    if x.queue is None:
        raise ValueError("the PyOpenCL array has no queue; use x.with_queue(queue)")
    key = (x.queue.context.int_ptr, x.queue.device.int_ptr)
    for context in reversed(getattr(_local, "contexts", ())):
        if key == (LIBRARY.gpuprim_cl_context(context), LIBRARY.gpuprim_cl_device(context)):
            return context  # type: ignore[no-any-return]
    with _lock:
        if key not in _of_queues:
            _of_queues[key] = Context(x.queue)
        return _of_queues[key]


class Order:
    """When calls run. On host arrays each returns when its results are there. On PyOpenCL arrays they
    are enqueued in the queue of the first array, after the events of all that they read."""

    def __init__(self, x: Any, *others: Any) -> None:
        self.queue = x.queue if is_device(x) else None
        self._wait = [e for y in (x, *others) if is_device(y) for e in y.events]
        self._done: list[Any] = []

    def call(self, name: str, context: Context, *arguments: Any) -> None:
        """Calls a function whose last argument is a gpuprim_sync."""
        if self.queue is None:
            call(name, context, *arguments, None)
            return
        n, done = len(self._wait), c_void_p()
        wait = (c_void_p * n)(*(e.int_ptr for e in self._wait)) if n else None
        call(name, context, *arguments,
             byref(Sync(queue=self.queue.int_ptr, n_wait=n, wait=wait, done=pointer(done))))
        event = sys.modules["pyopencl"].Event.from_int_ptr(done.value, retain=False)
        if not self.queue.properties & \
                sys.modules["pyopencl"].command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
            self._done.clear() # the last one is enough
        self._done.append(event)

    def give(self, *results: Any) -> None:
        """Results are there when the calls are complete."""
        for result in results:
            for event in self._done:
                if result is not None:
                    result.add_event(event)
