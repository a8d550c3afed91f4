#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds gpuprim_convolve1d of the shared library against scipy. Prints TAP.

    against_scipy.py LIBGPUPRIM.SO [SEED]

scipy.ndimage has the boundaries (SAME_UPPER; its correlate1d is CORRELATE, and SAME where the
taps are even in number), scipy.signal has FULL, SAME and VALID over zeros.
"""
import ctypes
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
from library import NUMBERS, Library, run, view  # noqa: E402
from require import require  # noqa: E402


# include/gpuprim/gpuprim.h, member for member.
class Params(ctypes.Structure):
    _fields_ = [("in_", ctypes.c_int), ("out", ctypes.c_int), ("mode", ctypes.c_int),
                ("offset", ctypes.c_int64), ("left", ctypes.c_int), ("right", ctypes.c_int),
                ("constant", ctypes.c_double * 2), ("stride", ctypes.c_uint64),
                ("dilation", ctypes.c_uint64), ("correlate", ctypes.c_uint),
                ("shift", ctypes.c_uint), ("method", ctypes.c_int),
                ("reserved", ctypes.c_uint64 * 4)]


MODES = {"same": 0, "same_upper": 1, "full": 2, "valid": 3}
# Ours by scipy.ndimage's names.
BOUNDARIES = {"constant": 1, "nearest": 2, "reflect": 3, "mirror": 4, "wrap": 5}


class Convolver(Library):
    def convolve(self, x, taps, out, **options):
        """Fills out, whose type and length say what is wanted."""
        constant = options.pop("constant", 0)
        params = Params(in_=NUMBERS[x.dtype.name], out=NUMBERS[out.dtype.name], **options)
        params.constant[0], params.constant[1] = constant, 0
        made = ctypes.c_void_p()
        views = [view(a) for a in (taps, x, out)]
        self.check(self.lib.gpuprim_filter_create(self.context, ctypes.byref(views[0]),
                                                  ctypes.byref(params), ctypes.byref(made)))
        status = self.lib.gpuprim_convolve1d(self.context, made, ctypes.byref(views[1]),
                                             ctypes.byref(views[2]), None, None)
        self.lib.gpuprim_filter_destroy(ctypes.byref(made))
        self.check(status)
        return out


def compare(got, expected, bound, message):
    import numpy as np
    if bound is None:
        assert np.array_equal(got, expected), message
    else:
        worst = np.max(np.abs(got - expected), initial=0)
        assert worst <= bound, f"{message}: off by {worst}, allowed {bound}"


def case_ndimage(library, rng, boundary, name):
    """One boundary and type over many sizes, with the taps turned round and not."""
    import numpy as np
    from scipy import ndimage
    for turn in range(30):
        n, k, rows = rng.integers(1, 200), rng.integers(1, 40), rng.integers(1, 4)
        if name[0] in "iu":
            x = rng.integers(0, 100, (rows, n)).astype(name)
            taps = rng.integers(-50, 50, k).astype(np.int32)
            out, bound = np.zeros((rows, n), np.int64), None
        else:
            x = rng.uniform(-1, 1, (rows, n)).astype(name)
            taps = rng.uniform(-1, 1, k).astype(name)
            out = np.zeros((rows, n), name)
            bound = 2 * (k + 2) * k * np.finfo(name).eps
        correlate = bool(turn % 2)
        # A correlation's origin is one further for an even number of taps.
        mode = MODES["same" if correlate else "same_upper"]
        side = BOUNDARIES[boundary]
        library.convolve(x, taps, out, mode=mode, left=side, right=side,
                         constant=3 if boundary == "constant" else 0, correlate=int(correlate))
        reference = ndimage.correlate1d if correlate else ndimage.convolve1d
        wide = np.int64 if bound is None else np.float64
        expected = reference(x.astype(wide), taps.astype(wide), axis=1, mode=boundary, cval=3)
        compare(out, expected, bound, f"{n} inputs, {k} taps, correlate {correlate}")


def case_mixed(library, rng, name, result):
    """f32 taps over integers, and integers from floats. Multiples of 1/16 sum exactly."""
    import numpy as np
    from scipy import ndimage
    for _ in range(30):
        n, k, rows = rng.integers(1, 200), rng.integers(1, 40), rng.integers(1, 4)
        x = (rng.integers(-2000, 2000, (rows, n)) / 4 if name[0] == "f"
             else rng.integers(np.iinfo(name).min, np.iinfo(name).max, (rows, n))).astype(name)
        taps = (rng.integers(-4, 5, k) / 16).astype("f4")
        out = np.zeros((rows, n), result)
        boundary = list(BOUNDARIES)[rng.integers(1, len(BOUNDARIES))]
        library.convolve(x, taps, out, mode=MODES["same_upper"], left=BOUNDARIES[boundary],
                         right=BOUNDARIES[boundary])
        expected = ndimage.convolve1d(x.astype("f8"), taps.astype("f8"), axis=1, mode=boundary)
        if result[0] != "f":
            limits = np.iinfo(result)
            expected = np.clip(np.rint(expected), limits.min, limits.max)
        compare(out, expected, None, f"{n} inputs, {k} taps, {boundary}")


def case_signal(library, rng, mode, name):
    import numpy as np
    from scipy import signal
    for _ in range(30):
        k = rng.integers(1, 60)
        n = rng.integers(k, 400)  # scipy swaps the operands where the taps are more
        x = rng.uniform(-1, 1, n)
        taps = rng.uniform(-1, 1, k)
        if name == "complex64":
            x = x + 1j * rng.uniform(-1, 1, n)
            taps = taps + 1j * rng.uniform(-1, 1, k)
        x, taps = x.astype(name), taps.astype(name)
        wide = np.complex128 if name == "complex64" else np.float64
        expected = signal.convolve(x.astype(wide), taps.astype(wide), mode=mode, method="direct")
        out = np.zeros(expected.shape, name)
        library.convolve(x, taps, out, mode=MODES[mode])
        compare(out, expected, 4 * (k + 2) * k * np.finfo(name).eps, f"{n} inputs, {k} taps")


def main():
    require("scipy")
    import scipy
    cases = [(f"scipy.ndimage {b} {t}", case_ndimage, b, t) for b in BOUNDARIES
             for t in ("float32", "float64", "uint8", "int16")]
    cases += [(f"scipy.ndimage f32 taps, {t} to {r}", case_mixed, t, r) for t, r in
              (("uint8", "uint8"), ("int8", "int16"), ("uint16", "float32"), ("int16", "int16"),
               ("float32", "uint8"), ("float32", "int32"))]
    cases += [(f"scipy.signal {m} {t}", case_signal, m, t) for m in ("full", "same", "valid")
              for t in ("float32", "complex64")]
    return run(Convolver(sys.argv[1]), cases, f"scipy {scipy.__version__}")


if __name__ == "__main__":
    sys.exit(main())
