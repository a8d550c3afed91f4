# SPDX-License-Identifier: Apache-2.0
"""gpuprim classify against numpy: searchsorted counts thresholds, indexing looks labels up. Start
program.py."""
import numpy as np

from run import HERE, SEED, TYPES, dtype, gpuprim

REJECTED = -1  # in the expected labels, which are i64


def by_thresholds(x, thresholds, closed="left"):
    """searchsorted counts the thresholds before x. A NaN is last, as in the library's default."""
    return np.searchsorted(thresholds, x, "right" if closed == "left" else "left")


def edges_of(low, high, bins, kind):
    """The edges as gpuprim.h defines them: in double, then in the type; integers are rounded up."""
    part = np.arange(bins + 1) / bins
    edges = low * part[::-1] + high * part
    edges[0], edges[-1] = low, high
    return (np.ceil(edges) if kind.kind in "iu" else edges).astype(kind)


def by_uniform(x, low, high, bins, outside="clamp", top_inclusive=False):
    edges = edges_of(low, high, bins, x.dtype)
    place = by_thresholds(x, edges) - 1  # -1 below the edges; `bins` above them and for NaN
    if top_inclusive:
        place[x == edges[-1]] = bins - 1
    if outside == "classes":
        return place + 1
    if outside == "reject":
        return np.where(np.isnan(x), bins - 1, np.where(place == bins, REJECTED, place))
    return place.clip(0, bins - 1)


def unsigned(x):
    return x.view(f"u{x.dtype.itemsize}")


def by_cases(x, cases, otherwise=REJECTED):
    bits, labels = unsigned(x), np.full(x.shape, otherwise)
    for mask, value, label in reversed(cases):
        labels[bits & bits.dtype.type(mask) == value] = label
    return labels


def classify(tag, x, wanted, *options, n_labels=None, rejects=False, file=None, by=gpuprim):
    """Runs the program on an array, or on a file that holds it, and compares labels and counts."""
    path, out, counts = (HERE / f"classify-{tag}{end}.npy" for end in ("", "-out", "-counts"))
    if file is None:
        np.save(path, x)
    by("classify", file or path, *options, "-o", out, "--counts", counts, "--check", "-q")
    n_labels = int(wanted.max()) + 1 if n_labels is None else n_labels
    kind = next(k for k in ("u1", "u2", "u4") if n_labels + rejects <= np.iinfo(k).max + 1)
    got, found_counts = np.load(out), np.load(counts)
    assert got.dtype == kind and got.shape == x.shape, f"{tag}: {got.dtype} {got.shape}, not {kind}"
    right = np.where(wanted == REJECTED, np.iinfo(kind).max, wanted)
    assert (got == right).all(), f"{tag} {options}: {x[got != right]}: {got}\n{right}"
    assert found_counts.dtype == "u8" and found_counts.tolist() == np.bincount(
        wanted[wanted != REJECTED], minlength=n_labels).tolist(), f"{tag} {options}: {found_counts}"


def saved(tag, array):
    path = HERE / f"classify-{tag}.npy"
    np.save(path, array)
    return path


def random_array(rng, name, shape):
    """Numbers of all magnitudes. Every tenth float is a NaN, an infinity or a zero."""
    kind = dtype(name)
    if name[0] != "f":
        limits = np.iinfo(kind)
        return rng.integers(limits.min, limits.max, shape, kind, endpoint=True)
    x = rng.standard_normal(shape).astype(kind)
    odd = rng.choice(np.array([np.nan, np.inf, -np.inf, 0, -0.0], kind), shape)
    return np.where(rng.random(shape) < 0.1, odd, x)


# --------------------------------------------------------------------------------------- rules

def thresholds_case(name):
    rng = np.random.default_rng([SEED, TYPES.index(name)])
    x = random_array(rng, name, 3000)
    for n, closed in ((0, "left"), (1, "right"), (7, "left"), (300, "right"), (300, "left")):
        t = random_array(rng, name, n)
        t = np.sort(t[~np.isnan(t)] if name[0] == "f" else t)
        path = saved(f"t-{name}-thresholds", t)
        data = np.concatenate([x, t, t])  # elements equal to a threshold show which side is closed
        classify(f"t-{name}", data, by_thresholds(data, t, closed), "--thresholds", path,
                 "--closed", closed, n_labels=len(t) + 1)


def uniform_case(name):
    rng = np.random.default_rng([SEED, TYPES.index(name)])
    for bins, low, high in ((1, -3, 2), (10, 0, 100), (37, 0.5, 99.75), (255, -1e4, 1e4)):
        if name == "i8":
            low, high = max(low, -128), min(high, 127)
        if name == "u8":
            low, high = max(low, 0), min(high, 255)
        low = max(low, 0) if name[0] == "u" else low
        edges = edges_of(low, high, bins, dtype(name))
        if (edges[1:] <= edges[:-1]).any():
            continue
        spread = rng.uniform(low - (high - low) / 4, high + (high - low) / 4, 2000)
        if name[0] != "f":
            limits = np.iinfo(dtype(name))
            spread = spread.clip(limits.min, limits.max // 2)
        x = np.concatenate([spread.astype(dtype(name)), edges])
        rule = ("--uniform", f"{low}:{high}:{bins}")
        for outside in ("clamp", "reject", "classes"):
            for top in ((), ("--top-inclusive",)):
                classify(f"u-{name}", x, by_uniform(x, low, high, bins, outside, bool(top)), *rule,
                         "--outside", outside, *top, rejects=outside == "reject",
                         n_labels=bins + 2 * (outside == "classes"))


def bits_case(name):
    """TABLE and CASES with the bits of every integer type."""
    rng = np.random.default_rng([SEED, TYPES.index(name)])
    x = random_array(rng, name, (30, 100))
    bits = 8 * x.dtype.itemsize
    for kind, mask, shift in (("u1", None, 0), ("u2", 0x5a, bits - 7), ("i8", 0x3, 2)):
        table = rng.integers(0, 200, 256 if mask is None else mask + 5).astype(kind)
        place = unsigned(x).astype("u8") >> np.uint64(shift)
        place = (place & np.uint64(0xff if mask is None else mask)).astype(int)
        classify(f"table-{name}", x, table[place].astype(int), "--table",
                 saved(f"table-{name}-lut", table), "--shift", shift,
                 *(() if mask is None else ("--mask", hex(mask))), n_labels=int(table.max()) + 1)
    everything = 2**bits - 1
    cases = [(0x0f, 0x03, 1), (0x30, 0x10, 300), (0x81, 0x80, 0), (everything, everything, 7)]
    path = HERE / f"cases-{name}.csv"
    path.write_text("# mask, value, class\n" + "".join(
        f" {mask:#x} ,{value},{label}  # case\r\n\n" for mask, value, label in cases))
    for otherwise, words in ((REJECTED, ()), (REJECTED, ("--default", "reject")),
                             (9, ("--default", "9"))):
        classify(f"cases-{name}", x, by_cases(x, cases, otherwise), "--cases", path, *words,
                 n_labels=301, rejects=otherwise == REJECTED)


# ------------------------------------------------------------------------------------- options

def nan_case():
    rng = np.random.default_rng(SEED)
    x = random_array(rng, "f32", 2000)
    t = np.array([-1, 0, 0, 0.5], "f4")
    plain = by_thresholds(x, t)
    rule = ("--thresholds", saved("nan-thresholds", t))
    classify("nan", x, plain, *rule, "--nan", "high")
    classify("nan", x, np.where(np.isnan(x), 2, plain), *rule, "--nan", "2")
    classify("nan", x, np.where(np.isnan(x), REJECTED, plain), *rule, "--nan", "reject",
             rejects=True)
    binned = by_uniform(x, -1, 1, 4)
    classify("nan", x, np.where(np.isnan(x), 0, binned), "--uniform", "-1:1:4", "--nan", "0")
    # A label of all ones means rejected then, so that 256 labels do not fit into a byte.
    t = np.arange(255).astype("f4")
    many = ("--thresholds", saved("nan-many", t))
    classify("nan", x, by_thresholds(x, t), *many, n_labels=256)
    classify("nan", x, np.where(np.isnan(x), REJECTED, by_thresholds(x, t)), *many, "--nan",
             "reject", n_labels=256, rejects=True)


def map_case():
    rng = np.random.default_rng(SEED)
    x = random_array(rng, "i16", 2000)
    t = np.array([-1000, -10, 11, 1001], "i2")  # the distance from 0 in both directions
    for kind in ("u1", "u2", "u4", "i8"):
        labels = np.array([2, 1, 0, 1, 2], kind)
        size = abs(x.astype(int))
        classify("map", x, (size > 10) * 1 + (size > 1000), "--thresholds",
                 saved("map-thresholds", t), "--map", saved("map-labels", labels))
    labels = np.array([70000, 2**32 - 1, 3], "u4")
    wanted = np.array([70000, REJECTED, 3])[by_uniform(x, -9000, 9000, 3)]
    classify("map", x, wanted, "--uniform", "-9000:9000:3", "--map",
             saved("map-wide", labels), rejects=True)


def rows_case():
    """Thresholds for each row of a matrix."""
    rng = np.random.default_rng(SEED)
    for name in ("f32", "i16"):
        x = random_array(rng, name, (5, 700))
        t = np.sort(np.nan_to_num(random_array(rng, name, (5, 20))), axis=1)
        wanted = np.array([by_thresholds(row, limits) for row, limits in zip(x, t)])
        classify("rows", x, wanted, "--thresholds", saved("rows-thresholds", t), n_labels=21)


def large_case():
    """The largest number of classes."""
    rng = np.random.default_rng(SEED)
    x = random_array(rng, "i32", 5000)
    t = np.sort(random_array(rng, "i32", 65535))
    classify("large", x, by_thresholds(x, t), "--thresholds", saved("large-thresholds", t),
             n_labels=65536)
    table = rng.integers(0, 65536, 65536)
    classify("large", x, table[x & 0xffff], "--table", saved("large-table", table),
             n_labels=int(table.max()) + 1)
    y = random_array(rng, "f32", 5000)
    classify("large", y, by_uniform(y, -3, 3, 65535, "reject"), "--uniform", "-3:3:65535",
             "--outside", "reject", n_labels=65535, rejects=True)


def histogram_case():
    """numpy.histogram: the last bin contains the top edge, and numbers outside are not counted."""
    rng = np.random.default_rng(SEED)
    x = np.concatenate([rng.uniform(-2, 12, 5000), np.arange(11)]).astype("f4")
    path, counts = saved("histogram", x), HERE / "classify-histogram-counts.npy"
    gpuprim("classify", path, "--uniform", "0:10:8", "--outside", "reject", "--top-inclusive",
            "--counts", counts, "-q", "--check")
    assert np.load(counts).tolist() == np.histogram(x, 8, (0, 10))[0].tolist()


def cases(has_f64):
    """Yields pairs of a name and a function that raises if something is wrong."""
    for name in TYPES:
        if name == "f64" and not has_f64:
            continue
        yield f"classify thresholds {name}", lambda n=name: thresholds_case(n)
        yield f"classify uniform {name}", lambda n=name: uniform_case(n)
        if name[0] != "f":
            yield f"classify table and cases {name}", lambda n=name: bits_case(n)
    for case in (nan_case, map_case, rows_case, large_case, histogram_case):
        yield "classify " + case.__name__.removesuffix("_case"), case
