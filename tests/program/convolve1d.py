# SPDX-License-Identifier: Apache-2.0
"""gpuprim convolve1d against numpy: numpy.pad extends the signal, numpy.convolve filters it in
double precision or in 64-bit integers. Start program.py."""
import numpy as np

from run import HERE, SEED, dtype, gpuprim

MODES = ("full", "same", "same-upper", "valid", "causal")
PAD = {"edge": "edge", "reflect-half": "symmetric", "reflect-whole": "reflect"}
BOUNDARIES = ("zero", "constant:-3", "edge", "reflect-half", "reflect-whole", "wrap")


def extended(row, boundary, halo):
    """The row, extended by `halo` samples at both ends."""
    if boundary == "wrap":  # numpy.pad repeats a short row wrongly before 1.25
        return np.take(row, np.arange(-halo, len(row) + halo), mode="wrap")
    if boundary == "reflect-whole" and len(row) == 1:
        boundary = "edge"
    if boundary in PAD:
        return np.pad(row, halo, PAD[boundary])
    value = complex(boundary.partition(":")[2].replace(",", "+") + "j") if "," in boundary else \
        float(boundary.partition(":")[2] or 0)
    return np.pad(row, halo, constant_values=np.array(value).astype(row.dtype))


def filtered(row, taps, mode="same", boundary="zero", stride=1, dilation=1, correlate=False):
    """The results of one row, and the sums of magnitudes that bound the error of floats."""
    halo = (len(taps) - 1) * dilation
    spread = np.zeros(halo + 1, taps.dtype)
    spread[::dilation] = taps[::-1] if correlate else taps
    whole = extended(row, boundary, halo)
    first, count = {"full": (0, len(row) + halo), "same": (halo // 2, len(row)),
                    "same-upper": ((halo + 1) // 2, len(row)),
                    "valid": (halo, len(row) - halo), "causal": (0, len(row))}[mode]
    part = slice(first, first + count, stride)
    size = np.convolve(np.abs(whole).astype(float), np.abs(spread).astype(float), "valid")
    return np.convolve(whole, spread, "valid")[part], size[part]


def saturated(values, kind, shift=0):
    """64-bit sums or floats as integers of `kind`: rounded half to even and saturated."""
    if values.dtype.kind == "i":
        whole, rest, half = values >> shift, values & ((1 << shift) - 1), 1 << shift >> 1
        values = whole + ((rest > half) | ((rest == half) & (whole & 1 == 1)) & (shift > 0))
    limits = np.iinfo(kind)
    return np.clip(np.rint(values) if values.dtype.kind == "f" else values, limits.min,
                   limits.max).astype(kind)


def wide(array):
    """Converts to a type of numpy that holds the sums exactly or almost exactly."""
    return array.astype({"i": "i8", "u": "i8", "f": "f8", "c": "c16"}[array.dtype.kind])


def compare(got, rows, taps, settings, shift=0, where=""):
    taps = np.atleast_2d(taps)
    pairs = [filtered(wide(row), wide(taps[r % len(taps)]), **settings)
             for r, row in enumerate(rows)]
    wanted, size = (np.array(part) for part in zip(*pairs))
    if got.dtype.kind in "iu" and wanted.dtype.kind == "i":
        wanted = saturated(wanted, got.dtype, shift)
        assert got.shape == wanted.shape and (got == wanted).all(), f"{where}: {got}\n{wanted}"
        return
    unit = 2.0**-53 if got.dtype == "f8" else 2.0**-24
    bound = 2 * (taps.shape[1] + 2) * unit * size
    if got.dtype == "f2":
        bound = bound + 2.0**-11 * np.abs(wanted) + 2.0**-25
    if got.dtype.kind in "iu":
        limits = np.iinfo(got.dtype)
        wanted = np.clip(wanted, limits.min, limits.max)
        bound = 2 * (taps.shape[1] + 2) * 2.0**-24 * size + 0.5
    assert got.shape == wanted.shape, f"{where}: {got.shape} instead of {wanted.shape}"
    off = np.abs(got.astype(wanted.dtype) - wanted)
    assert (off <= bound).all(), f"{where}: differs by {off.max()}: {got}\n{wanted}"


def options_of(settings):
    for name, value in settings.items():
        yield from [f"--{name}"] if value is True else [f"--{name}", value] if value else []


def convolve(tag, rows, taps, *options, shift=0, file=None, by=gpuprim, **settings):
    """Runs the program on the rows of an array, saved as .npy unless `file` holds them already."""
    paths = [HERE / f"convolve1d-{tag}{end}.npy" for end in ("", "-taps", "-out")]
    if file is None:
        np.save(paths[0], rows)
    np.save(paths[1], taps)
    if shift:
        options += ("--shift", shift)
    by("convolve1d", file or paths[0], "--taps", paths[1], "-o", paths[2], "--check", "-q",
       *options_of(settings), *options)
    got = np.load(paths[2])
    if file is not None and str(file).endswith(".wav"):
        got = got.T
    assert got.ndim == np.ndim(rows) or file, f"{tag}: {got.ndim} dimensions"
    compare(np.atleast_2d(got), np.atleast_2d(rows), taps, settings, shift, f"{tag} {settings}")
    return got


# ------------------------------------------------------------------------- types and meanings

def random_array(rng, name, shape):
    if name == "c32":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("c8")
    if name[0] == "f":
        return rng.standard_normal(shape).astype(dtype(name))
    limits = np.iinfo(dtype(name))
    return rng.integers(limits.min, limits.max, shape, dtype(name), endpoint=True)


def types_case(data, taps):
    """One pair of types with half of the boundaries; the seed gives mode, steps and lengths."""
    rng = np.random.default_rng([SEED, ord(data[0]), int(data[1:]), ord(taps[0]), int(taps[1:])])
    for i, boundary in enumerate(rng.permutation(BOUNDARIES)[:3]):
        if boundary.startswith("constant"):
            boundary = {"u": "constant:3", "c": "constant:-3,0.5"}.get(data[0], boundary)
        n, k = int(rng.integers(40, 90)), int(rng.integers(1, 20))
        h = random_array(rng, taps, k)
        if taps == "i32":
            h //= 2**16  # sums within 64 bits
        settings = {"mode": MODES[int(rng.integers(5))], "boundary": boundary,
                    "stride": int(rng.integers(1, 4)), "dilation": int(rng.integers(1, 3)),
                    "correlate": bool(rng.integers(2))}
        extra, shift = (), 0
        if taps == "i32" and i == 0:
            extra = ("--as", "i64")
        elif taps == "i32":
            shift = int(rng.integers(1, 34))
        shape = n if i == 1 else (3, n)
        convolve(f"{data}-{taps}", random_array(rng, data, shape), h, *extra, shift=shift,
                 **settings)


def short_case():
    """Signals shorter than the filter: they are reflected or wrapped more than once."""
    rng = np.random.default_rng(SEED)
    for i, n in enumerate((1, 2, 7)):
        for j, boundary in enumerate(BOUNDARIES):
            convolve("short", random_array(rng, "f32", n), random_array(rng, "f32", 9),
                     mode=("full", "same-upper", "causal", "same")[(i + j) % 4],
                     boundary=boundary, dilation=1 + i % 2)


def modes_case():
    """Every mode with even and odd numbers of taps; the two kinds of "same" differ for even."""
    rng = np.random.default_rng(SEED)
    x = random_array(rng, "f32", 50)
    for mode in MODES:
        for k, dilation in ((4, 3), (5, 1)):
            convolve("modes", x, random_array(rng, "f32", k), mode=mode, dilation=dilation)
    h = random_array(rng, "f32", 6)
    full = convolve("modes", x, h, mode="full")
    assert np.allclose(full, np.convolve(x, h), atol=1e-5), full
    assert np.allclose(convolve("modes", x, h), np.convolve(x, h, "same"), atol=1e-5)


def taps_case():
    """Taps in types that the library does not take, and one row of taps per row."""
    rng = np.random.default_rng(SEED)
    x = random_array(rng, "i16", (3, 40))
    for kind in ("i1", "u2", "i8", "u8"):
        convolve("taps", x, rng.integers(0, 9, 5).astype(kind), boundary="edge")
    convolve("taps", x, rng.integers(-9, 9, (3, 4)), shift=2)
    y = random_array(rng, "f32", (2, 40))
    convolve("taps", y, random_array(rng, "f64", (2, 7)).astype("f4").astype("f8"))
    convolve("taps", y, random_array(rng, "f16", 7))
    convolve("taps", y, np.array([1, -2, 1]))
    convolve("taps", random_array(rng, "c32", 30), np.array([0.5, 0.25]))


def floats_case(has_f64):
    """Integer samples with float taps are computed in floats, rounded and saturated."""
    rng = np.random.default_rng(SEED)
    for name in ("i8", "u8", "i16", "u16", "i32"):
        x = random_array(rng, name, (2, 60))
        h = random_array(rng, "f32", 6)
        assert convolve("floats", x, h, boundary="edge").dtype == x.dtype
    x = random_array(rng, "i16", 60)
    for kind in ("f16", "f32", "f64")[:2 + has_f64]:
        got = convolve("floats", x, np.array([0.5, 0.25], "f4"), "--as", kind)
        assert got.dtype == dtype(kind), got.dtype
    assert convolve("floats", x, np.array([1, 2]), "--as", "f32").dtype == "f4"
    for samples, kind in (("f32", "i8"), ("f32", "i16"), ("f16", "u8"), ("f32", "i32"),
                          ("u8", "i16"), ("i16", "u8"), ("u16", "i32")):
        got = convolve("floats", random_array(rng, samples, 60), 40 * random_array(rng, "f32", 5),
                       "--as", kind, boundary="wrap")
        assert got.dtype == dtype(kind), got.dtype
    ties = np.array([1, 3, 5, -1, -3], "i2")  # halves are rounded to even
    got = convolve("floats", ties, np.array([0.5], "f4"))
    assert got.tolist() == [0, 2, 2, 0, -2], got


def cases(has_f64):
    """Yields pairs of a name and a function that raises if something is wrong."""
    pairs = [(data, "i32") for data in ("i8", "u8", "i16", "u16", "i32")]
    pairs += [("f16", "f32"), ("f32", "f32"), ("c32", "f32"), ("c32", "c32")]
    for data, taps in pairs + ([("f64", "f64")] if has_f64 else []):
        yield f"convolve1d {data} by {taps}", lambda d=data, t=taps: types_case(d, t)
    yield "convolve1d floats", lambda: floats_case(has_f64)
    for case in (short_case, modes_case, taps_case):
        yield "convolve1d " + case.__name__.removesuffix("_case"), case
