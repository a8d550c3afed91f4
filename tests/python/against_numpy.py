#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the Python package against numpy and scipy.ndimage. Prints TAP.

    against_numpy.py LIBGPUPRIM.SO [SEED] [--all]

Each operation, type and kind of shape needs a kernel of its own, which takes PoCL about a second to
compile. So the seed draws some of the cases and, in each, a few kinds. --all runs all, which takes
minutes. How arrays become the library's arrays is tested for every shape, without a device.
"""
import ctypes
import os
import pathlib
import sys
import warnings

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "python"), str(HERE.parents[1] / "harness")]
import tap  # noqa: E402
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


def gathered(array, kind):
    """The elements that one of the library's arrays on the host describes, as a matrix."""
    start = array.base + array.first * kind.itemsize
    room = (ctypes.c_char * kind.itemsize).from_address(start)
    return np.lib.stride_tricks.as_strided(
        np.frombuffer(room, kind), (array.rows, array.count),
        (array.row_stride * kind.itemsize, array.stride * kind.itemsize))


def geometry():
    """Arrays of any strides become calls that have each element once, in the order of the results."""
    from gpuprim import _arrays, _reduce
    for _ in range(300):
        shape = tuple(int(n) for n in RNG.integers(1, 5, RNG.integers(1, 5)))
        x = np.arange(np.prod(shape), dtype="i4").reshape(shape)
        x = laid_out(x.transpose(RNG.permutation(x.ndim)))
        x = _arrays.taken(x[tuple(slice(None, None, RNG.choice((1, -1, 2))) for _ in x.shape)])
        along = tuple(RNG.permutation(x.ndim)[:RNG.integers(x.ndim + 1)])
        kept = tuple(a for a in range(x.ndim) if a not in along)
        rows = tuple(x.shape[a] for a in kept)
        out = np.zeros(rows, "i4")
        target = _arrays.Part(out, 5, _arrays.packed(rows, 4), 1, 4)
        part = _arrays.part_of(x, kept, along)
        wanted = np.sort(x.transpose(kept + along).reshape(int(np.prod(rows, dtype=int)), -1))
        for source in [_reduce._source(x, kept, along, target)] + [part] * (part is not None):
            seen = []
            for a, b in _arrays.calls(rows, source, target):
                gathered(b, out.dtype)[:, 0] = np.arange(b.rows) + len(seen)
                seen += list(np.sort(gathered(a, x.dtype)))
            assert np.array_equal(seen, wanted), f"{x.shape} {x.strides} over {along}"
            assert np.array_equal(out.ravel(), np.arange(out.size)), f"{x.shape} over {along}"


REDUCTIONS = ("sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "mean", "var", "std",
              "count_nonzero")


def axes_of(x, name):
    """All that `axis` may be, in random order; the arg operations take no tuples."""
    axes = [None, *range(-x.ndim, x.ndim)]
    if name[:3] != "arg":
        axes += [(), *((a, b) for a in range(x.ndim) for b in range(x.ndim) if a != b)]
    return [axes[i] for i in RNG.permutation(len(axes))]


def reductions():
    for name in some(REDUCTIONS, 3):
        # numpy computes means of 64-bit integers from rounded numbers.
        wide = () if name in ("var", "std", "mean") else ("i8", "u8")
        for kind in some((*INTEGERS[:6], *wide, *FLOATS, "?"), 1):
            for shape in some(((1,), (17,), (3, 40), (5, 1), (4, 3, 9), (2, 3, 4, 5)), 2):
                x = laid_out(drawn(kind, shape))
                # An axis of its own kind may need a kernel of its own.
                for axis in axes_of(x, name)[:100 if ALL else 2]:
                    reduction(name, kind, x, axis)


def reduction(name, kind, x, axis):
    keepdims = bool(RNG.integers(2))
    ddof = {"ddof": int(RNG.integers(2))} if name in ("var", "std") else {}
    got = getattr(gpuprim, name)(x, axis, keepdims=keepdims, **ddof)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims, **ddof))
    wanted = np.asarray(wanted, wanted.dtype.newbyteorder("="))
    loose = name in ("mean", "var", "std") or kind[0] == "f" and name in ("sum", "prod")
    same(got, wanted, f"{name} of {kind}{x.shape} over {axis}",
         0 if not loose else 1e-12 if kind != "f4" else 2e-5)


def nans():
    x = drawn("f4", (20, 50), 0.3)
    name = some(("min", "max", "argmin", "argmax", "minmax"), 1)[0]
    got = getattr(gpuprim, name)(x, 1)
    wanted = (x.min(1), x.max(1)) if name == "minmax" else getattr(np, name)(x, axis=1)
    for a, b in zip(got, wanted) if name == "minmax" else ((got, wanted),):
        same(a, b, name)
    name = some(("nansum", "nanmean"), 1)[0]
    same(getattr(gpuprim, name)(x, 1), getattr(np, name)(x, 1), name, 1e-5)
    five = gpuprim.statistics(x, 1, nan="ignore")
    wide = x.astype("f8")
    same(five.count, np.isfinite(wide).sum(1).astype("f8"), "count")
    same(five.min, np.nanmin(wide, 1), "min")
    same(five.var, np.nanvar(wide, 1), "var", 1e-9)
    same(gpuprim.nanstd(x, 1, ddof=1), np.nanstd(x, 1, ddof=1), "nanstd", 1e-5)
    assert gpuprim.reduce(x, "statistics", 1, nan="ignore").shape == (20, 5)


def wide_sums():
    """Sums of floats in double precision; a type that a sum does not have is refused."""
    x = np.full(100000, 0.1, "f4")
    same(gpuprim.sum(x, dtype="f8"), x.sum(dtype="f8"), "sum", 1e-12)
    expect(TypeError, lambda: gpuprim.sum(x, dtype="i4"))


class Tensor:
    """What another library's array shows of itself: DLPack alone."""

    def __init__(self, x, device=(1, 0)):
        self.x, self.device = x, device

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def dlpack():
    x = drawn("i4", (5, 7))
    assert np.shares_memory(gpuprim.from_dlpack(Tensor(x)), x), "a copy was made"
    same(gpuprim.sum(Tensor(x.T), 1), x.sum(0), "sum of a tensor")
    same(np.from_dlpack(gpuprim.sum(x, 1)), x.sum(1), "results offer DLPack")
    for device, name in ((2, "CUDA"), (4, "OpenCL"), (99, "99")):
        expect(TypeError, lambda: gpuprim.sum(Tensor(x, (device, 0))), name)


def expect(error, function, words=""):
    try:
        function()
    except error as what:
        assert words in str(what) and str(what), f"{what} instead of {words}"
    else:
        raise AssertionError(f"{error.__name__} was expected: {words}")


def refusals():
    """None of these gets as far as a kernel."""
    f4 = np.zeros((3, 3), "f4")
    filtering = gpuprim.Filter(np.ones(4, "f4"), mode="causal", boundary=("history", "zero"))
    frozen = np.zeros((3, 3), "f4")
    frozen.flags.writeable = False
    for error, words, bad in (
            (ValueError, "min of an empty", lambda: gpuprim.min(np.zeros(0, "f4"))),
            (ValueError, "duplicate", lambda: gpuprim.sum(f4, (0, -2))),
            (ValueError, "propagate", lambda: gpuprim.reduce(f4, "sum", nan="skip")),
            (TypeError, "str96", lambda: gpuprim.sum(np.zeros(3, "U3"))),
            (TypeError, "tuple", lambda: gpuprim.argmax(f4, (0, 1))),
            (IndexError, "axis 2", lambda: gpuprim.sum(f4, 2)),
            (gpuprim.Error, "AND", lambda: gpuprim.reduce(f4, "and")),
            (TypeError, "output", lambda: gpuprim.convolve1d(np.zeros(3, "i4"), [1])),
            (ValueError, "vector", lambda: gpuprim.convolve1d(f4, [])),
            (ValueError, "mode is", lambda: gpuprim.convolve1d(f4, [1], mode="edge")),
            (ValueError, "-1 to 1", lambda: gpuprim.convolve1d(f4, [1, 2, 1], origin=2)),
            (ValueError, "writeable", lambda: filtering(f4, history=frozen)),
            (ValueError, "3 samples", lambda: filtering(f4, history=np.zeros(4, "f4"))),
            (gpuprim.Error, "ascend", lambda: gpuprim.digitize(np.zeros(3), [1, 3, 2])),
            (ValueError, "-3", lambda: gpuprim.bincount(np.array([1, -3], "i4"))),
            (ValueError, "70000", lambda: gpuprim.bincount(np.array([1, 70000], "i4"))),
            (TypeError, "float32", lambda: gpuprim.bincount(np.zeros(3, "f4"))),
            (gpuprim.NoDevice, "no such device", lambda: gpuprim.Context("no such device"))):
        expect(error, bad, words)


def empty():
    assert gpuprim.sum(np.zeros((0, 3), "f4"), 0).tolist() == [0, 0, 0]
    assert gpuprim.sum(np.zeros((3, 0), "f4"), 1).tolist() == [0, 0, 0]
    assert gpuprim.sum(np.zeros((0, 3), "f4"), 1).shape == (0,)
    assert gpuprim.convolve1d(np.zeros((0, 3), "f4"), [1]).shape == (0, 3)
    assert gpuprim.digitize(np.zeros((2, 0)), [1.0]).shape == (2, 0)


def classes():
    for kind in some((*INTEGERS, *FLOATS), 1):
        for keys in some((kind, "f8", "f4"), 1):
            x = laid_out(drawn(kind, (7, 90)))
            bins = np.sort(drawn(keys, RNG.integers(1, 40)))
            x = np.array(x, kind)
            x.flat[:20] = RNG.choice(np.clip(bins, x.min(), x.max()), 20).astype(kind)
            what = f"{kind} by {keys}"
            for right in some((False, True), 1):
                bins = bins[::some((1, -1), 1)[0]]
                same(gpuprim.digitize(x, bins, right), np.digitize(x, bins, right), what)
                bins = np.sort(bins)
                side = "left" if right else "right"
                same(gpuprim.searchsorted(bins, x, side), np.searchsorted(bins, x, side), what)


def histograms():
    for kind in some(("u1", "i2", "i4", *FLOATS), 1):
        x = laid_out(drawn(kind, (6, 501)))
        ends = (-0.5, 1.5) if kind[0] == "f" else (3, 100)
        for bins, range_ in some(((10, None), (37, ends), ("sturges", None),
                                  (np.array([-1.0, 0.1, 0.7, 2.0]), None)), 1):
            density = bool(RNG.integers(2))
            got, wanted = (m.histogram(x, bins, range_, density=density) for m in (gpuprim, np))
            same(got[0], wanted[0], f"histogram of {kind}, {bins}, {range_}", 1e-12 * density)
            assert np.array_equal(got[1], wanted[1]), "edges"
    x = drawn("u1", 500)
    same(gpuprim.bincount(x, 300), np.bincount(x, minlength=300), "bincount")


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
    full = gpuprim.Filter(taps, mode="full")
    for axis in some((0, 1, 2, -1), 1):
        got = full(laid_out(x), axis)
        assert got.shape[axis] == x.shape[axis] + 3 and got.flags.c_contiguous
    wanted = np.apply_along_axis(np.convolve, 2, x.astype("f8"), taps).astype("f4")
    same(full(x), wanted, "full", 1e-5)
    same(gpuprim.Filter(np.array([2], "i4"), dtype="i2", out_dtype="i4")(np.arange(5, dtype="i2")),
         2 * np.arange(5, dtype="i4"), "integers")


def streams():
    x, taps = drawn("f4", (4, 3, 50)), np.array([0.5, -1, 2, 0.25], "f4")
    stream = gpuprim.Filter(taps, mode="causal", boundary=("history", "zero"))
    history, blocks = np.zeros((12, 3), "f4"), []
    for first, last in ((0, 7), (7, 8), (8, 50)):
        blocks.append(stream(x[..., first:last], history=history))
    with gpuprim.using(gpuprim.Context()):
        whole = gpuprim.Filter(taps, mode="causal")(x)
    assert np.array_equal(np.concatenate(blocks, 2), whole), "blocks differ from one call"
    assert "taps" in stream.describe()


def scipy_filters():
    try:
        from scipy import ndimage
    except ImportError:
        return "scipy is not installed"
    for kind in some(("f4", "f8", "c8"), 1):
        for n in some((1, 2, 3, 4, 9, 30), 2):
            taps = RNG.standard_normal(n)
            for mode in some(("reflect", "mirror", "nearest", "constant", "wrap"), 1):
                x = laid_out(drawn("f4", (5, 6, 20)).astype(kind))
                x = np.asarray(x, x.dtype.newbyteorder("="))
                axis, origin = int(RNG.integers(-3, 3)), int(RNG.integers(-(n // 2), (n + 1) // 2))
                name = some(("convolve1d", "correlate1d"), 1)[0]
                options = {"mode": mode, "cval": 1.5, "origin": origin}
                got = getattr(gpuprim, name)(x, taps, axis, **options)
                wanted = getattr(ndimage, name)(x, taps, axis, **options)
                same(got, wanted, f"{name} {kind} {n} {options}", 1e-12 if kind == "f8" else 1e-4)
    return None


def structs():
    """The structs of the package have the members, the places and the sizes of the header, and the
    package has the library's version."""
    import shutil
    import subprocess
    import tempfile
    from gpuprim._library import STRUCTS
    project = (HERE.parents[2] / "python" / "pyproject.toml").read_text()
    assert f'version = "{gpuprim.__version__}"' in project, "the package has another version"
    compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
    if not compiler:
        return "there is no C compiler"
    lines = ["#include <stddef.h>", "#include <gpuprim/gpuprim_cl.h>"]
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
    cases = [structs, geometry, refusals, dlpack, reductions]
    cases += some((nans, wide_sums, empty, classes, histograms, rules, filters, streams,
                   scipy_filters), 2)
    return tap.run(cases, f"seed {SEED}; repeat with: against_numpy.py {sys.argv[1]} {SEED}")


if __name__ == "__main__":
    sys.exit(main())
