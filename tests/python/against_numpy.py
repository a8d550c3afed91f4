#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the Python package against numpy and scipy.ndimage. Prints TAP.

    against_numpy.py LIBGPUPRIM.SO [SEED] [--all]

The seed draws some of the types and shapes, because each needs kernels of its own. --all runs all.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "python"), str(HERE.parents[1] / "harness")]
from draw import seed_of  # noqa: E402
from require import require  # noqa: E402

require("numpy")
import numpy as np  # noqa: E402

os.environ["GPUPRIM_LIBRARY"] = sys.argv[1]
import gpuprim  # noqa: E402

SEED = seed_of([word for word in sys.argv[2:] if not word.startswith("--")])
RNG = np.random.default_rng(SEED)
ALL = "--all" in sys.argv
INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
FLOATS = ("f4", "f8")


def some(cases, n):
    """n of the cases, drawn by the seed."""
    cases = list(cases)
    return cases if ALL else [cases[i] for i in RNG.permutation(len(cases))[:n]]


def drawn(kind, shape, nans=0.0):
    """Numbers of a type, or bools; of floats some NaNs."""
    if kind == "?":
        return RNG.random(shape) < 0.3
    if kind[0] != "f":
        limits = np.iinfo(kind)
        return RNG.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    x = RNG.standard_normal(shape).astype(kind)
    x[RNG.random(shape) < nans] = np.nan
    return x


def laid_out(x):
    """The same array in other memory: transposed, backwards, with gaps, unaligned, big-endian."""
    way = RNG.integers(6)
    if way == 0:
        return np.asfortranarray(x)
    if way == 1:
        return x[..., ::-1].copy()[..., ::-1]
    if way == 2:
        wide = np.zeros((*x.shape[:-1], 3 * x.shape[-1]), x.dtype)
        wide[..., 1::3] = x
        return wide[..., 1::3]
    if way == 3:
        room = np.zeros(x.nbytes + 1, "u1")[1:]
        room = room[:x.nbytes].view(x.dtype).reshape(x.shape)
        room[...] = x
        return room
    if way == 4:
        return x.astype(x.dtype.newbyteorder(">"))
    return np.broadcast_to(x[:1], x.shape)


def same(got, wanted, what, tolerance=0.0):
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, not {wanted.shape}"
    assert got.dtype == wanted.dtype, f"{what}: {got.dtype}, not {wanted.dtype}"
    equal = np.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True) if tolerance \
        else np.array_equal(got, wanted, equal_nan=got.dtype.kind == "f")
    assert equal, f"{what}: {got.ravel()[:5]} instead of {wanted.ravel()[:5]}"


def reductions():
    names = ("sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "mean", "var", "std",
             "count_nonzero")
    for kind in some((*INTEGERS, *FLOATS, "?"), 4):
        for shape in some(((1,), (17,), (3, 40), (5, 1), (4, 3, 9)), 2):
            x = laid_out(drawn(kind, shape))
            for axis in (None, *range(-x.ndim, x.ndim)):
                keepdims = bool(RNG.integers(2))
                for name in some(names, 4):
                    if name in ("var", "std", "mean") and kind[-1] == "8":
                        continue # numpy computes them from rounded 64-bit integers
                    got = getattr(gpuprim, name)(x, axis, keepdims=keepdims)
                    with np.errstate(all="ignore"):
                        wanted = getattr(np, name)(x, axis=axis, keepdims=keepdims)
                    exact = kind[0] != "f" or name in ("min", "max", "argmin", "argmax", "any", "all")
                    loose = name in ("mean", "var", "std") or not exact
                    wide = 1e-12 if kind != "f4" else 2e-5
                    what = f"{name} of {kind}{shape} over {axis}"
                    same(got, np.asarray(wanted, np.asarray(wanted).dtype.newbyteorder("=")), what,
                         wide if loose else 0)


def nans():
    x = drawn("f4", (20, 50), 0.3)
    for name in ("min", "max", "argmin", "argmax", "minmax"):
        got = getattr(gpuprim, name)(x, 1)
        wanted = (x.min(1), x.max(1)) if name == "minmax" else getattr(np, name)(x, axis=1)
        same(got, wanted, name)
    same(gpuprim.nansum(x, 0), np.nansum(x, 0), "nansum", 1e-5)
    same(gpuprim.nanmean(x, 0), np.nanmean(x, 0), "nanmean", 1e-5)
    five = gpuprim.statistics(x, 1, nan="ignore")
    wide = x.astype("f8")
    same(five.count, np.isfinite(wide).sum(1).astype("f8"), "count")
    same(five.min, np.nanmin(wide, 1), "min")
    same(five.var, np.nanvar(wide, 1), "var", 1e-9)


def refusals():
    for bad, error in ((lambda: gpuprim.min(np.zeros(0, "f4")), ValueError),
                       (lambda: gpuprim.sum(np.zeros(3, "U3")), TypeError),
                       (lambda: gpuprim.sum(np.zeros((3, 3)), 2), IndexError),
                       (lambda: gpuprim.reduce(np.zeros(3, "f4"), "and"), gpuprim.Error),
                       (lambda: gpuprim.convolve1d(np.zeros(3, "i4"), [1]), TypeError),
                       (lambda: gpuprim.convolve1d(np.zeros(3, "f4"), []), ValueError),
                       (lambda: gpuprim.digitize(np.zeros(3), [1, 3, 2]), gpuprim.Error),
                       (lambda: gpuprim.Context("no such device"), gpuprim.NoDevice)):
        try:
            bad()
        except error as what:
            assert str(what), "no message"
        else:
            raise AssertionError(f"{error.__name__} was expected")
    assert gpuprim.sum(np.zeros((0, 3), "f4"), 0).tolist() == [0, 0, 0]
    assert gpuprim.sum(np.zeros((3, 0), "f4"), 1).tolist() == [0, 0, 0]
    assert gpuprim.sum(np.zeros((0, 3), "f4"), 1).shape == (0,)


def classes():
    for kind in some((*INTEGERS, *FLOATS), 3):
        for keys in some((kind, "f8", "f4"), 2):
            x = laid_out(drawn(kind, (7, 90)))
            bins = np.sort(drawn(keys, RNG.integers(1, 40)))
            x = np.array(x, kind)
            x.flat[:20] = RNG.choice(np.clip(bins, x.min(), x.max()), 20).astype(kind)
            what = f"{kind} by {keys}"
            for right in (False, True):
                same(gpuprim.digitize(x, bins, right), np.digitize(x, bins, right), what)
                same(gpuprim.digitize(x, bins[::-1], right), np.digitize(x, bins[::-1], right),
                     what + ", descending")
                side = "left" if right else "right"
                same(gpuprim.searchsorted(bins, x, side), np.searchsorted(bins, x, side), what)


def histograms():
    for kind in some(("u1", "i2", "i4", *FLOATS), 2):
        x = laid_out(drawn(kind, (6, 501)))
        ends = (-0.5, 1.5) if kind[0] == "f" else (3, 100)
        for bins, range_ in ((10, None), (37, ends), (np.array([-1.0, 0.1, 0.7, 2.0]), None)):
            got, wanted = gpuprim.histogram(x, bins, range_), np.histogram(x, bins, range_)
            same(got[0], wanted[0], f"histogram of {kind}, {bins}, {range_}")
            assert np.array_equal(got[1], wanted[1]), "edges"


def rules():
    x = drawn("u4", (300,)) >> 20
    cases = [(0xf, 3, 7), (0xff0, 0x120, 1), (0, 0, 2)]
    wanted = np.select([(x & m) == v for m, v, _ in cases], [c for *_, c in cases])
    same(gpuprim.Classifier.cases(cases, "u4")(x), wanted.astype("u1"), "cases")
    table = np.arange(16)[::-1]
    same(gpuprim.Classifier.table(table, "u4", shift=2)(x, dtype="u2"),
         table[x >> 2 & 15].astype("u2"), "table")
    y = drawn("f4", (300,))
    rule = gpuprim.Classifier.rules([("<", 0), (">=", 0.5)], [10, 20, 30, 40], "f4")
    labels, counts = rule.label_and_count(y)
    same(labels, np.array([10, 20, 30, 40], "u1")[(y < 0) + 2 * (y >= 0.5)], "rules")
    assert counts[labels].all() and counts.sum() == 300 and rule.describe()
    uniform = gpuprim.Classifier.uniform(-1, 1, 8, "f4", outside="classes")
    assert np.array_equal(uniform.edges(), np.linspace(-1, 1, 9, dtype="f4"))
    same(uniform(y, dtype="u4"), np.digitize(y, uniform.edges()).astype("u4"), "uniform")


def filters():
    x, taps = drawn("f4", (4, 3, 50)), np.array([0.5, -1, 2, 0.25], "f4")
    for axis in (0, 1, 2, -1):
        got = gpuprim.Filter(taps, mode="full")(laid_out(x), axis)
        assert got.shape[axis] == x.shape[axis] + 3
    wanted = np.apply_along_axis(np.convolve, 2, x.astype("f8"), taps).astype("f4")
    same(gpuprim.Filter(taps, mode="full")(x), wanted, "full", 1e-5)
    stream = gpuprim.Filter(taps, mode="causal", boundary=("history", "zero"))
    history, blocks = np.zeros((12, 3), "f4"), []
    for first, last in ((0, 7), (7, 8), (8, 50)):
        blocks.append(stream(x[..., first:last], history=history))
    whole = gpuprim.Filter(taps, mode="causal")(x)
    assert np.array_equal(np.concatenate(blocks, 2), whole), "blocks differ from one call"
    assert "taps" in stream.describe() or stream.describe()
    with gpuprim.using(gpuprim.Context()):
        same(gpuprim.Filter(np.array([2], "i4"), dtype="i2", out_dtype="i4")(np.arange(5, dtype="i2")),
             2 * np.arange(5, dtype="i4"), "integers")


def scipy_filters():
    try:
        from scipy import ndimage
    except ImportError:
        return "scipy is not installed"
    for kind in some(("f4", "f8", "c8"), 1):
        x = laid_out(drawn("f4", (5, 6, 20)).astype(kind))
        x = np.asarray(x, x.dtype.newbyteorder("="))
        for n in some((1, 2, 3, 4, 9, 30), 3):
            taps = RNG.standard_normal(n)
            for mode in ("reflect", "mirror", "nearest", "constant", "wrap"):
                axis = int(RNG.integers(-3, 3))
                for name in ("convolve1d", "correlate1d"):
                    got = getattr(gpuprim, name)(x, taps, axis, mode, cval=1.5)
                    wanted = getattr(ndimage, name)(x, taps, axis, mode=mode, cval=1.5)
                    same(got, wanted, f"{name} {kind} {n} {mode}", 1e-12 if kind == "f8" else 1e-4)
    return None


def structs():
    """The structs of the package have the members, the places and the sizes of the header, and the
    package has the library's version."""
    import ctypes
    import shutil
    import subprocess
    import tempfile
    from gpuprim._library import STRUCTS
    project = (HERE.parents[2] / "python" / "pyproject.toml").read_text()
    assert f'version = "{gpuprim.__version__}"' in project, "the package has another version"
    compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
    if not compiler:
        return "there is no C compiler"
    lines = ["#include <stddef.h>", "#include <gpuprim/gpuprim.h>"]
    for name, struct in STRUCTS.items():
        lines.append(f"_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(struct)}, \"{name}\");")
        for member, *_ in struct._fields_:
            place, c_name = getattr(struct, member).offset, member.rstrip("_")
            lines.append(f"_Static_assert(offsetof(struct {name}, {c_name}) == {place}, "
                         f"\"{name}.{c_name}\");")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "structs.c"
        source.write_text("\n".join(lines) + "\n")
        done = subprocess.run([compiler, "-fsyntax-only", f"-I{HERE.parents[2] / 'include'}", source],
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return None


def main():
    try:
        gpuprim.Context().close()
    except gpuprim.NoDevice:
        print("1..0 # SKIP no OpenCL device")
        return 0
    cases = (structs, reductions, nans, refusals, classes, histograms, rules, filters, scipy_filters)
    print(f"1..{len(cases)}\n# seed {SEED}; repeat with: against_numpy.py {sys.argv[1]} {SEED}")
    failed = 0
    for i, case in enumerate(cases, 1):
        try:
            skipped, words = case(), ""
        except (AssertionError, gpuprim.Error) as error:
            skipped, words = None, f"{type(error).__name__}: {error}"
        failed += bool(words)
        print(f"{'not ok' if words else 'ok'} {i} - {case.__name__.replace('_', ' ')}"
              + (f" # SKIP {skipped}" if skipped else "") + (f"\n# {words}" if words else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
