#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyOpenCL arrays through the Python package: results, order in queues, refusals. Prints TAP.

    against_pyopencl.py LIBGPUPRIM.SO [SEED] [--all]

Every kind of call compiles a kernel, so the seed leaves some of them out. --all leaves out none.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "python"), str(HERE.parents[1] / "harness")]
import tap  # noqa: E402
from draw import seed_of  # noqa: E402
from require import require  # noqa: E402

require("numpy")
require("pyopencl")
import numpy as np  # noqa: E402

os.environ["GPUPRIM_LIBRARY"] = sys.argv[1]
import gpuprim  # noqa: E402
import pyopencl as cl  # noqa: E402
import pyopencl.array as cla  # noqa: E402

ALL = "--all" in sys.argv
SEED = seed_of([word for word in sys.argv[2:] if word != "--all"])
RNG = np.random.default_rng(SEED)
QUEUE = None
OUT_OF_ORDER = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE


def drawn(cases):
    """One of the cases, drawn by the seed, or all."""
    return cases if ALL else [cases[int(RNG.integers(len(cases)))]]


def same(got, wanted, tolerance=0.0):
    """A PyOpenCL array in its queue, or several, against numpy's answer."""
    if isinstance(wanted, tuple):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted):
            same(a, b, tolerance)
        return
    assert isinstance(got, cla.Array), f"a {type(got).__name__} was returned"
    assert got.events, "the result has no event"
    cl.wait_for_events(got.events)
    got, wanted = got.get(), np.asarray(wanted)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, \
        f"{got.dtype} {got.shape} instead of {wanted.dtype} {wanted.shape}"
    assert np.allclose(got, wanted, tolerance, tolerance), f"{got} instead of {wanted}"


def reductions():
    x = RNG.integers(-9, 9, (4, 5, 6)).astype("i4")
    on_device = cla.to_device(QUEUE, x)
    for axis in (None, 0, 1, 2, (1, 2), (0, 1), ()): # 1: a call for each index of axis 0
        same(gpuprim.sum(on_device, axis), x.sum(axis))
    same(gpuprim.sum(on_device, 1, keepdims=True), x.sum(1, keepdims=True))
    same(gpuprim.sum(on_device[1:, ::2, 1:4], 2), x[1:, ::2, 1:4].sum(2))
    same(gpuprim.sum(on_device.transpose((2, 0, 1)), (0, 2)), x.sum((1, 2)))
    y = x.astype("f4")
    floats = cla.to_device(QUEUE, y)
    for case in drawn((lambda: same(gpuprim.argmax(on_device), x.argmax()),
                       lambda: same(gpuprim.std(floats, 2), y.std(2), 1e-5),
                       lambda: same(gpuprim.reduce(floats, "statistics", 2)[:, :, 3],
                                    y.mean(2, dtype="f8"), 1e-9),
                       lambda: same(gpuprim.any(cla.to_device(QUEUE, x > 7), 2), (x > 7).any(2)))):
        case()


def filters():
    x, taps = RNG.standard_normal((3, 40)).astype("f4"), np.array([1, 2, -1], "f4")
    on_device = cla.to_device(QUEUE, x)
    wanted = np.stack([np.convolve(np.pad(row, 1, "symmetric"), taps, "valid") for row in x])
    same(gpuprim.convolve1d(on_device, taps), wanted, 1e-5)


def streams():
    x, taps = RNG.standard_normal((3, 40)).astype("f4"), np.array([1, 2, -1], "f4")
    on_device = cla.to_device(QUEUE, x)
    stream = gpuprim.Filter(taps, mode="causal", boundary=("history", "zero"),
                            context=gpuprim.Context(QUEUE))
    history = cla.zeros(QUEUE, (3, 2), "f4")
    blocks = [stream(on_device[:, a:b], history=history) for a, b in ((0, 15), (15, 40))]
    assert history.events, "nobody can wait for the history"
    got = np.concatenate([block.get() for block in blocks], 1)
    wanted = np.stack([np.convolve(row, taps)[:40] for row in x])
    assert np.allclose(got, wanted, 1e-5, 1e-5), "blocks differ from one convolution"


def classes():
    x, bins = RNG.standard_normal((6, 50)).astype("f4"), np.array([-1, 0, 0.5, 2], "f4")
    on_device = cla.to_device(QUEUE, x)
    same(gpuprim.digitize(on_device, bins), np.digitize(x, bins).astype("u1"))
    counts, edges = gpuprim.histogram(on_device, 7)
    wanted = np.histogram(x, 7)
    assert np.array_equal(counts.get(), wanted[0]) and np.array_equal(edges, wanted[1])


def order():
    """Calls in a queue wait for their inputs, and later commands for their results."""
    queue = cl.CommandQueue(QUEUE.context, QUEUE.device, properties=OUT_OF_ORDER)
    for queue in (queue, cl.CommandQueue(QUEUE.context, QUEUE.device)):
        x = cla.zeros(queue, (4, 5, 6), "i4")
        gate = cl.UserEvent(queue.context)
        ready = cl.enqueue_fill_buffer(queue, x.base_data, np.int32(3), 0, x.nbytes, wait_for=[gate])
        x.add_event(ready)
        sums = gpuprim.sum(x, 1) # four calls
        again = gpuprim.sum(sums, 1)
        assert again.events[-1].command_execution_status != cl.command_execution_status.COMPLETE, \
            "the call did not wait"
        gate.set_status(cl.command_execution_status.COMPLETE)
        cl.wait_for_events(again.events)
        assert (again.get() == 3 * 5 * 6).all(), again.get()


def memory():
    """A buffer of the caller as an array; shared virtual memory, where the device has it."""
    buffer = cl.Buffer(QUEUE.context, cl.mem_flags.READ_WRITE, 400)
    x = np.arange(100, dtype="i4")
    cl.enqueue_copy(QUEUE, buffer, x)
    array = cla.Array(QUEUE, (9, 5), np.int32, data=buffer, offset=40)
    same(gpuprim.sum(array, 1), x[10:55].reshape(9, 5).sum(1))
    context = gpuprim.Context(QUEUE)
    with gpuprim.using(context):
        same(gpuprim.sum(array, 1), x[10:55].reshape(9, 5).sum(1))
    if not gpuprim.devices()[0]["svm"] or not hasattr(cl, "SVMAllocation"):
        return "no shared virtual memory"
    flags = cl.svm_mem_flags.READ_WRITE
    shared = cl.SVMAllocation(QUEUE.context, 180, 64, flags, queue=QUEUE)
    cl.enqueue_copy(QUEUE, shared, x[:45].copy()).wait()
    array = cla.Array(QUEUE, (9, 5), np.int32, data=shared)
    same(gpuprim.sum(array, 1), x[:45].reshape(9, 5).sum(1))
    return None


def refusals():
    x = cla.zeros(QUEUE, (4, 5, 6), "f4")
    other = cl.CommandQueue(cl.Context([QUEUE.device]))
    for error, words, bad in (
            (ValueError, "equal distances", lambda: gpuprim.sum(x, (0, 2))),
            (ValueError, "no queue", lambda: gpuprim.sum(x.with_queue(None))),
            (ValueError, "history", lambda: gpuprim.Filter(
                np.ones(2, "f4"), mode="causal", boundary=("history", "zero"),
                context=gpuprim.Context(QUEUE))(x, history=cla.zeros(QUEUE, 3, "f4"))),
            (gpuprim.Error, "context", lambda: gpuprim.reduce(
                x, "sum", context=gpuprim.Context(other))),
            (TypeError, "complex128", lambda: gpuprim.sum(cla.zeros(QUEUE, 3, "c16"))),
            (TypeError, "table", lambda: gpuprim.bincount(cla.zeros(QUEUE, 3, "i4")))):
        try:
            bad()
        except error as what:
            assert words in str(what), f"{what} instead of {words}"
        else:
            raise AssertionError(f"{error.__name__} was expected: {words}")


def main():
    global QUEUE
    devices = [d for d in gpuprim.devices() if not d["refusal"]]
    if not devices:
        print("1..0 # SKIP no OpenCL device")
        return 0
    found = [d for p in cl.get_platforms() for d in p.get_devices() if d.name == devices[0]["name"]]
    QUEUE = cl.CommandQueue(cl.Context(found[:1]))
    cases = [reductions, *drawn((filters, streams, classes)), order, memory, refusals]
    return tap.run(cases, f"seed {SEED}; repeat with: against_pyopencl.py {sys.argv[1]} {SEED}")


if __name__ == "__main__":
    sys.exit(main())
