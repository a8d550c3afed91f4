# SPDX-License-Identifier: Apache-2.0
"""gpuprim reduce: every operation on every type, against numpy and math.fsum. Start program.py."""
import math
import os
from fractions import Fraction

import numpy as np

from run import HERE, SEED, TYPES, dtype, gpuprim

OPS = ("sum", "product", "min", "max", "argmin", "argmax", "minmax", "and", "or", "xor", "any",
       "all", "count", "sum-abs", "sum-squares", "mean", "max-abs", "statistics")
BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def accumulator(name, f64):
    if name[0] in "iu":
        return name[0] + "64"
    return "f64" if f64 or name == "f64" else "f32"


def result_type(op, name, f64):
    if op in ("sum", "product", "sum-abs", "sum-squares"):
        return accumulator(name, f64)
    if op in ("argmin", "argmax", "count"):
        return "u64"
    if op in ("any", "all"):
        return "u8"
    if op == "max-abs":
        return accumulator(name.replace("i", "u"), False)
    if op == "statistics":
        return "f64"
    if op == "mean":
        return "f32" if name == "f32" and not f64 else "f64"
    return name


def identity(op, name):
    kind = dtype(name)
    low, high = (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
    return {"product": 1, "all": 1, "and": -1 if kind.kind == "i" else high, "min": high,
            "max": low, "minmax": (high, low), "statistics": (0, np.inf, -np.inf, math.nan, math.nan), "argmin": 2**64 - 1, "argmax": 2**64 - 1,
            "mean": math.nan}.get(op, 0)


def exact_product(values, unit):
    if not all(map(math.isfinite, values)):
        return float(np.prod(np.array(values, np.float64))), None
    value = math.prod(map(Fraction, values))
    if value and not 1e-30 < abs(value) < 1e30:
        return None, None  # the order decides; only --check knows the right range
    return float(value), float(2 * len(values) * unit * abs(value))


def float_fold(op, row, unit):
    """The value of a sum, product or mean of floats, and the bound of the error of a result."""
    values = row.astype(np.float64).tolist()
    if op == "product":
        return exact_product(values, unit)
    if op == "sum-abs":
        values = list(map(abs, values))
    if op == "sum-squares" and row.dtype.itemsize == 8 and all(map(math.isfinite, values)):
        total = float(sum(Fraction(v) ** 2 for v in values))
        size = total
    elif not all(map(math.isfinite, values)):
        power = 2 if op == "sum-squares" else 1
        return float(np.sum(np.array(values) ** power)), None
    else:
        values = [v * v for v in values] if op == "sum-squares" else values
        total, size = math.fsum(values), math.fsum(map(abs, values))
    bound = (256 + math.log2(len(row))) * unit * size
    if op != "mean":
        return total, bound
    mean = total / len(row)
    return mean, bound / len(row) + unit * abs(mean)  # the division


def statistics(x):
    """The five values, and the bounds of their errors; x has an element."""
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        low, high = float(np.min(x)), float(np.max(x))
        return (len(x), low, high, low + high, math.nan), 0
    exact = list(map(Fraction, x.tolist()))
    mean = sum(exact) / len(exact)
    variance = sum((v - mean) ** 2 for v in exact) / len(exact)
    log = max(1, math.log2(len(x)))
    low, high = min(exact), max(exact)
    unit = 2.0**-24 if x.dtype.itemsize == 2 and x.dtype.kind == "f" else 2.0**-53
    of_mean = (256 + log) * unit * float(max(abs(low), abs(high)))
    of_variance = 1024 * unit * log * math.sqrt(variance) * math.sqrt(variance + mean * mean)
    return ((len(x), float(low), float(high), float(mean), float(variance)),
            (0, 0, 0, of_mean, of_variance))


def expect(op, row, ignore=False, f64=False):
    """The result for `row` (several for minmax and statistics), and the bound of its error; None = exact."""
    name = row.dtype.kind + str(8 * row.dtype.itemsize)
    kept = np.arange(len(row))
    if ignore and name[0] == "f":
        kept = kept[~np.isnan(row)]
    x = row[kept]
    if len(x) == 0:
        return identity(op, name), None
    if op in ("min", "max"):
        return getattr(np, op)(x), None
    if op == "minmax":
        return (np.min(x), np.max(x)), None
    if op == "statistics":
        return statistics(x)
    if op in ("argmin", "argmax"):
        return kept[getattr(np, op)(x)], None
    if op in BITWISE:
        return BITWISE[op].reduce(x), None
    if op in ("any", "all"):
        return int(getattr(np, op)(x != 0)), None
    if op == "count":
        return np.count_nonzero(x), None
    if op == "max-abs":
        return max(map(abs, x.tolist())) if not np.isnan(x).any() else math.nan, None
    wide = dtype(accumulator(name, f64))
    if wide.kind == "f":
        return float_fold(op, x, 2.0**-53 if wide.itemsize == 8 else 2.0**-24)
    if op == "mean":
        mean = Fraction(sum(x.tolist()), len(x))
        return float(mean), float(abs(mean)) * 2.0**-52
    x = x.astype(wide)
    x = np.abs(x) if op == "sum-abs" else x * x if op == "sum-squares" else x
    return (np.prod if op == "product" else np.sum)(x, dtype=wide), None


def agrees(got, value, bound):
    if value is None:
        return True
    if np.isnan(value):
        return bool(np.isnan(got))
    return got == value or (bound is not None and abs(float(got) - float(value)) <= bound)


def check_results(op, name, rows, text, f64, ignore, what):
    """Compares the lines of `text` with the results for `rows`. Returns the numbers."""
    kind = dtype(result_type(op, name, f64))
    lines = text.splitlines()
    assert len(lines) == len(rows), f"{what}: {len(lines)} lines instead of {len(rows)}"
    numbers = []
    for i, (line, row) in enumerate(zip(lines, rows)):
        value, bound = expect(op, row, ignore, f64)
        got = [kind.type(word) for word in line.split(" ")]
        wanted = value if isinstance(value, tuple) else (value,)
        bounds = bound if isinstance(bound, tuple) else (bound,) * len(wanted)
        good = len(got) == len(wanted) and all(map(agrees, got, wanted, bounds))
        assert good, f"{what}: result {i} is {line} instead of {value} +- {bound or 0}"
        numbers.append(got)
    return numbers


def same_bits(a, b):
    bits = a.dtype.str.replace("f", "u").replace("i", "u")
    nan = np.isnan(a) & np.isnan(b)
    return a.dtype == b.dtype and a.shape == b.shape and bool(
        np.all(nan | (a.view(bits) == b.view(bits))))


def vector(rng, op, name, n):
    kind = dtype(name)
    if kind.kind != "f":
        return rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, n, kind, endpoint=True)
    if op == "product":  # stays near 1
        return rng.uniform(0.99, 1.01, n).astype(kind)
    return (rng.standard_normal(n) * 10.0 ** rng.integers(-2, 3, n)).astype(kind)


def matrix(rng, name, n):
    """Rows with special values: zeros, limits, infinities, NaNs, cancellation."""
    kind = dtype(name)
    rows = [vector(rng, "", name, n), rng.integers(0, 3, n).astype(kind), np.zeros(n, kind),
            np.ones(n, kind), vector(rng, "", name, n) * rng.integers(0, 2, n).astype(kind)]
    if kind.kind != "f":
        limits = np.iinfo(kind)
        rows += [np.full(n, limits.min, kind), np.full(n, limits.max, kind)]
    else:
        normal = [rng.standard_normal(n).astype(kind) for _ in range(6)]
        normal[0][n // 2] = np.nan
        normal[1][[0, n - 1]] = np.nan
        normal[2][:] = np.nan
        normal[3][:] = np.inf
        normal[4][[3, 7]] = np.inf, -np.inf
        normal[5][:] = np.where(np.arange(n) % 2, -0.0, 0.0)
        big = vector(rng, "", name, n) * kind.type(100)
        rows += normal + [np.full(n, -np.inf, kind), np.concatenate([big, -big])[:n]]
    return np.array(rows, kind)


def prepare():
    """Writes the files that all operations on a type share. Returns the matrices."""
    data = {}
    for name in TYPES:
        rows = data[name] = matrix(np.random.default_rng([SEED, TYPES.index(name)]), name, 67)
        np.save(HERE / f"{name}-rows.npy", rows)
        np.save(HERE / f"{name}-columns.npy", np.ascontiguousarray(rows.T))
        np.save(HERE / f"{name}-empty.npy", rows[0, :0])
    return data


def numbers_case(op, name, data, f64=False):
    """One operation on one type. Compiling takes most of the time. So each seed runs half of the
    cases with the variant that the library picks, and half with `baseline`, which takes every
    geometry."""
    uses_baseline = (OPS.index(op) + TYPES.index(name) + SEED) % 2
    env = dict(os.environ, GPUPRIM_VARIANT="reduce:baseline") if uses_baseline else None
    rng = np.random.default_rng([SEED, OPS.index(op), TYPES.index(name), f64])
    extra = ["--accumulator", "f64"] if f64 else []
    tag = f"{op}-{name}{'-f64' if f64 else ''}"
    results = {"minmax": 2, "statistics": 5}.get(op, 1)
    kind = dtype(result_type(op, name, f64))

    def run_one(path, rows, options, shape, ignore=False):
        out = HERE / f"{tag}-out.npy"
        text = gpuprim("reduce", op, path, "--check", "-q", "-o", out, *options, *extra,
                       env=env)
        numbers = check_results(op, name, rows, text, f64, ignore, f"{path.name} {options}")
        loaded = np.load(out)
        printed = np.array(numbers, kind).reshape(shape)
        assert same_bits(loaded, printed), f"{path.name} {options}: -o: {loaded}, printed: {text}"

    values = vector(rng, op, name, 10007)
    path = HERE / f"{tag}.npy"
    np.save(path, values)
    run_one(path, [values], [], (results,))

    shape = (len(data), results) if results > 1 else (len(data),)
    for fold in ("rows", "columns") if uses_baseline else ("rows",):
        for policy in ("propagate", "ignore") if name[0] == "f" else ("propagate",):
            run_one(HERE / f"{name}-{fold}.npy", list(data), [f"--{fold}", "--nan", policy], shape,
                    policy == "ignore")

    if uses_baseline:
        text = gpuprim("reduce", op, HERE / f"{name}-empty.npy", "-q", "--check", *extra, env=env)
        check_results(op, name, [data[0, :0]], text, f64, False, "empty")


def digits(word):
    return len(word.split("e")[0].replace("-", "").replace(".", "").lstrip("0"))


def single_case(name):
    """Columns of a vector are single elements, with any bits. Floats must be printed shortest."""
    kind = dtype(name)
    data = np.random.default_rng(SEED).integers(0, 256, 4000, np.uint8).view(kind)
    data = np.concatenate([data[data != 0], np.array([1, 100, 1e4], kind)])  # not -0
    path = HERE / f"single-{name}.npy"
    np.save(path, data)
    words = gpuprim("reduce", "max", path, "--columns", "-q", "--check").split("\n")[:-1]
    assert same_bits(np.array([kind.type(word) for word in words]), data), "other bits"
    for word, value in zip(words, data):
        if kind.kind == "f" and np.isfinite(value) and value != np.rint(value):
            best = np.format_float_scientific(value, trim="-")
            assert digits(word) <= digits(best), f"{word}: {best} is shorter"
    assert gpuprim("reduce", "sum", path, "--rows", "-q").count("\n") == 1


def cases(has_f64):
    """Yields pairs of a name and a function that raises if something is wrong."""
    data = prepare()
    widened = ("sum", "product", "sum-abs", "sum-squares", "mean")
    for name in TYPES if has_f64 else TYPES[:-1]:
        yield f"{name} one by one", lambda n=name: single_case(n)
        for op in OPS:
            if op in BITWISE and name[0] == "f":
                continue
            for f64 in (False, True):
                if f64 and (name not in ("f16", "f32") or op not in widened):
                    continue
                if result_type(op, name, f64) == "f64" and not has_f64:
                    continue
                yield (f"{op} {name}{' in f64' if f64 else ''}",
                       lambda o=op, n=name, f=f64: numbers_case(o, n, data[n], f))
