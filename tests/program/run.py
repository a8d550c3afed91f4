# SPDX-License-Identifier: Apache-2.0
"""Runs the gpuprim program for the other files of this test. Start program.py."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from draw import sample_of, seed_of

ARGUMENTS = [word for word in sys.argv[1:] if not word.startswith("--")]
GPUPRIM = os.path.abspath(ARGUMENTS[0])
SEED = seed_of(ARGUMENTS[1:])
SAMPLE = sample_of(sys.argv)
HERE = pathlib.Path(tempfile.mkdtemp(prefix="gpuprim-program-"))
TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64")


def dtype(name):
    return np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def run(*arguments, code=0, env=None, stdout=subprocess.PIPE):
    """Returns stdout and stderr. A failure must print one line on stderr and no results."""
    command = [GPUPRIM, *map(str, arguments)]
    done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=env, timeout=300)
    err = done.stderr.decode(errors="replace")
    shown = f"\n  {' '.join(command)}\n  exit {done.returncode}, stderr: {err!r}"
    assert done.returncode == code, f"exit status {code} was expected{shown}"
    if code == 0 and "-q" in arguments:
        assert err == "", f"-q, but text on stderr{shown}"
    if code != 0:
        assert err.startswith("gpuprim: ") and err.count("\n") == 1, f"not one line{shown}"
        assert not done.stdout, f"a failed run printed results{shown}"
    return (done.stdout or b"").decode(), err


def gpuprim(*arguments, **options):
    return run(*arguments, **options)[0]


def simple_run(*arguments, **options):
    """run with the variant `baseline`: for cases about files and options. Its kernels take every
    shape, so that few of them are compiled, which is what takes the time."""
    if arguments and arguments[0] in ("reduce", "convolve1d", "classify"):
        options.setdefault("env", {**os.environ, "GPUPRIM_VARIANT": f"{arguments[0]}:baseline"})
    return run(*arguments, **options)


def simply(*arguments, **options):
    return simple_run(*arguments, **options)[0]
