# SPDX-License-Identifier: Apache-2.0
"""The shared library through ctypes, and TAP for those that hold it against numpy or scipy."""
import ctypes
import shlex
import sys

from draw import is_drawn, sample_of, seed_of


# include/gpuprim/gpuprim.h, member for member.
class Array(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("memory", ctypes.c_int), ("base", ctypes.c_void_p),
                ("first", ctypes.c_uint64), ("count", ctypes.c_uint64),
                ("stride", ctypes.c_int64), ("rows", ctypes.c_uint64),
                ("row_stride", ctypes.c_int64), ("reserved", ctypes.c_uint64 * 4)]


NUMBERS = {"int8": 1, "uint8": 2, "int16": 3, "uint16": 4, "int32": 5, "uint32": 6, "int64": 7,
           "uint64": 8, "float16": 9, "float32": 10, "float64": 11, "complex64": 12}


def view(array):
    """A contiguous numpy array of one or two dimensions."""
    return Array(type=NUMBERS[array.dtype.name], base=array.ctypes.data,
                 count=array.shape[-1], rows=array.shape[0] if array.ndim > 1 else 1)


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.gpuprim_last_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.status = self.lib.gpuprim_create(None, ctypes.byref(self.context))

    def check(self, status):
        assert status == 0, f"status {status}: {self.lib.gpuprim_last_error().decode()}"


def run(library, cases, words):
    """Runs (name, function, argument...) with a random generator; the last argument is a type.
    Returns the exit status. `words` name what the library is compared with."""
    import numpy as np
    if library.status:
        print("1..0 # SKIP no OpenCL device")
        return 0
    seed = seed_of([word for word in sys.argv[2:] if not word.startswith("--")])
    sample = sample_of(sys.argv)
    cases = [case for case in cases if is_drawn(case[0], seed, sample)]
    rng = np.random.default_rng(seed)
    again = [sys.executable, sys.argv[0], sys.argv[1], str(seed), f"--sample={sample}"]
    print(f"1..{len(cases)}\n# {words}\n# seed {seed}; repeat with\n#     {shlex.join(again)}")
    failed = 0
    for i, (name, case, *what) in enumerate(cases, 1):
        words = ""
        try:
            case(library, rng, *what)
        except AssertionError as error:
            words = str(error)
            if what[-1] == "float64" and "double precision" in words:
                print(f"ok {i} - {name} # SKIP no double precision")
                continue
        failed += bool(words)
        print(f"{'not ok' if words else 'ok'} {i} - {name}" + (f"\n# {words}" if words else ""),
              flush=True)
    library.lib.gpuprim_destroy(ctypes.byref(library.context))
    return 1 if failed else 0
