# SPDX-License-Identifier: Apache-2.0
"""What gpuprim convolve1d reads, writes and refuses. Start program.py."""
import json
import struct

import numpy as np

from convolve1d import compare, convolve, filtered, random_array, wide
from files import wav_bytes, wave
from run import HERE, SEED
from run import simple_run as run
from run import simply as gpuprim


def wav_parts(content):
    """Splits a .wav file into its chunks."""
    assert content[:4] == b"RIFF" and content[8:12] == b"WAVE", content[:12]
    assert struct.unpack("<I", content[4:8])[0] == len(content) - 8, "size of the file"
    parts, at = {}, 12
    while at < len(content):
        size = struct.unpack("<I", content[at + 4:at + 8])[0]
        parts[content[at:at + 4]] = content[at + 8:at + 8 + size]
        at += 8 + size + size % 2
    assert at == len(content), "padding"
    return parts


def wav_samples(form, bits, channels, data):
    if bits == 24:
        bytes_of = np.frombuffer(data, "u1").reshape(-1, 3).astype("i4")
        flat = (bytes_of * [1, 256, 65536]).sum(1)
        flat = np.where(flat >= 2**23, flat - 2**24, flat)
    else:
        kind = f"<f{bits // 8}" if form == 3 else "u1" if bits == 8 else f"<i{bits // 8}"
        flat = np.frombuffer(data, kind)
        flat = flat.astype("i8") - 128 if bits == 8 else flat
    return flat.reshape(-1, channels)


def wav_case(form, bits):
    """Rate, channels and sample format of a sound stay, and each channel is filtered."""
    rng = np.random.default_rng([SEED, bits])
    path, out, taps = (HERE / f"filter-{form}-{bits}{end}" for end in (
        ".wav", "-out.wav", ".npy"))
    h = rng.standard_normal(5).astype("f4")
    np.save(taps, h)
    limit = 2**(bits - 1) if form == 1 else 1000
    # The bound of the error: rounding to an integer, and sums of 5 products in f32 or f64.
    near = (0.5 if form == 1 else 0) + 2.0**-20 * limit * (bits != 64)
    for channels, extensible, stride in ((1, False, 1), (3, True, 1), (2, False, 2)):
        signal = rng.integers(-limit, limit, (51, channels))
        had = wave(form, bits, channels, wav_bytes(form, bits, signal), extensible=extensible)
        path.write_bytes(had)
        gpuprim("convolve1d", path, "--taps", taps, "-o", out, "-q", "--check", "--boundary",
                "edge", "--stride", stride)

        had, has = wav_parts(had), wav_parts(out.read_bytes())
        head = len(had[b"fmt "])
        assert len(has[b"fmt "]) == head + 2 * (form == 3 and not extensible), has[b"fmt "]
        assert has[b"fmt "][:4] == had[b"fmt "][:4], has[b"fmt "]
        assert has[b"fmt "][12:head] == had[b"fmt "][12:], has[b"fmt "]
        rate = 48000 // stride
        assert struct.unpack("<II", has[b"fmt "][4:12]) == (rate, rate * channels * bits // 8)
        got = wav_samples(form, bits, channels, has[b"data"])
        assert form == 1 or struct.unpack("<I", has[b"fact"])[0] == len(got), has[b"fact"]
        wanted = np.array([filtered(c, wide(h), boundary="edge", stride=stride)[0]
                           for c in signal.T.astype(float)]).T
        if form == 1:
            wanted = wanted.clip(-limit, limit - 1)
        assert got.shape == wanted.shape and (abs(got - wanted) <= near).all(), got - wanted


def wav_options_case():
    rng = np.random.default_rng(SEED)
    samples = rng.integers(-2**15, 2**15, (60, 2))
    path, out, taps = HERE / "options.wav", HERE / "options-out.wav", HERE / "options-taps.npy"
    path.write_bytes(wave(1, 16, 2, wav_bytes(1, 16, samples)))
    h = rng.integers(-4, 5, 4)
    got = convolve("wav-to-npy", samples.T.astype("i2"), h, file=path, boundary="wrap", shift=3,
                   by=gpuprim)
    assert got.dtype == "i2", got.dtype
    np.save(taps, h)
    for kind, form, bits in (("i32", 1, 32), ("f32", 3, 32)):
        gpuprim("convolve1d", path, "--taps", taps, "-o", out, "--as", kind, "-q", "--check")
        parts = wav_parts(out.read_bytes())
        assert struct.unpack("<HHIIHH", parts[b"fmt "][:16]) == \
            (form, 2, 48000, 48000 * bits // 4, bits // 4, bits), parts[b"fmt "]
        compare(wav_samples(form, bits, 2, parts[b"data"]).T, samples.T, h, {}, 0, kind)
    for bad in ("i64", "u16", "f16"):
        err = run("convolve1d", path, "--taps", taps, "-o", out, "--as", bad, code=1)[1]
        assert "cannot hold" in err, err
    gpuprim("convolve1d", path, "--taps", taps, "-o", path, "-q")  # onto itself
    compare(wav_samples(1, 16, 2, wav_parts(path.read_bytes())[b"data"]).T.astype("i2"),
            samples.T, h, {})


def raw_case():
    rng = np.random.default_rng(SEED)
    path, out, taps = HERE / "iq.raw", HERE / "iq-out.raw", HERE / "iq-taps.npy"
    x, h = random_array(rng, "c32", 100), random_array(rng, "c32", 9)
    path.write_bytes(x.tobytes())
    np.save(taps, h)
    gpuprim("convolve1d", path, "--raw", "c32", "--taps", taps, "-o", out, "-q", "--check",
            "--stride", 4)
    compare(np.fromfile(out, "c8")[None], x[None], h, {"stride": 4})
    convolve("raw", x, h, "--raw", "c32", file=path, by=gpuprim)


# ------------------------------------------------------------------------------------- the rest

def refusals_case():
    files = {name: HERE / f"refuse-{name}.npy" for name in (
        "f4", "i2", "i8", "c8", "h", "none", "two", "large", "inf", "out")}
    for name in ("f4", "i2", "i8", "c8"):
        np.save(files[name], np.ones(20, name))
    np.save(files["h"], np.ones(3))
    np.save(files["none"], np.ones(0))
    np.save(files["two"], np.ones((2, 3)))
    np.save(files["large"], np.array([1, 2**31]))
    np.save(files["inf"], np.array([1e300]))
    sound = HERE / "refuse.wav"
    sound.write_bytes(wave(1, 16, 1, bytes(40)))
    out = files["out"]

    def refuse(words, code, *arguments):
        err = run("convolve1d", *arguments, code=code)[1]
        assert words in err, (arguments, err)

    good = (files["f4"], "--taps", files["h"], "-o", out)
    for words, *arguments in (
            ("missing",), ("--taps is missing", files["f4"], "-o", out),
            ("--output is missing", files["f4"], "--taps", files["h"]), ("one operand too many", *good, files["f4"]),
            ("did you mean same?", *good, "--mode", "sane"), ("did you mean wrap?", *good, "--boundary", "wrop"),
            ("not a number", *good, "--boundary", "constant:"),
            ("not a number", *good, "--boundary", "constant:1x"),
            ("not a number", *good, "--boundary", "constant:1,"),
            ("--boundary", *good, "--boundary", "constant"),
            ("--stride: '0'", *good, "--stride", "0"),
            ("--dilation: '0'", *good, "--dilation", "0"),
            ("--stride", *good, "--stride", "-1"), ("--stride", *good, "--stride", "2147483648"),
            ("--dilation", *good, "--dilation", "2.5"), ("--shift", *good, "--shift", "63"),
            ("--as", *good, "--as", "text"), ("", *good, "--nonsense"),
            ("the endings are", files["f4"], "--taps", files["h"], "-o", HERE / "x.jpg")):
        refuse(words, 2, *arguments)
    for words, data, taps, *options in (
            ("has no taps", "f4", "none"), ("", "f4", "two"), ("i64", "i8", "h"),
            ("does not fit", "i2", "large"), ("does not fit", "f4", "inf"),
            ("complex samples", "f4", "c8"), ("", "f4", "h", "--shift", 3),
            ("not i64", "f4", "h", "--as", "i64"), ("i64", "i2", "h", "--as", "i64"),
            ("whole", "i2", "h", "--boundary", "constant:0.5"),
            ("", "i2", "i2", "--boundary", "constant:40000"),
            ("", "i2", "i2", "--boundary", "constant:0.5"),
            ("span", "f4", "h", "--mode", "valid", "--dilation", 11)):
        refuse(words, 1, files[data], "--taps", files[taps], "-o", out, *options)
    for name in ("x.wav", "x.flac"):
        refuse(f"a {name[1:]} file needs", 1, files["f4"], "--taps", files["h"], "-o", HERE / name)
    refuse("--taps is a sound", 1, files["f4"], "--taps", sound, "-o", out)
    refuse("absent", 1, HERE / "absent.npy", "--taps", files["h"], "-o", out)
    refuse("absent", 1, files["f4"], "--taps", HERE / "absent.npy", "-o", out)
    refuse("cannot be written", 1, *good[:3], "-o", HERE / "absent" / "out.npy")
    refuse("", 77, *good, "-d", "no such device")
    assert not out.exists(), "a refused call wrote a file"
    assert not list(HERE.glob("*refuse*.tmp")), "a temporary file remains"
    assert "--taps" in gpuprim("convolve1d", "--help")


def empty_case():
    """Without samples, the results still have the right shape."""
    path, taps, out = (HERE / f"empty-{name}.npy" for name in ("in", "taps", "out"))
    np.save(taps, np.ones(4, "f4"))
    for shape, mode, wanted in (((0, 5), "full", (0, 8)), ((3, 0), "same", (3, 0)),
                                ((0,), "same", (0,)), ((2**40, 0), "same", (2**40, 0)),
                                ((3, 0), "full", (3, 3))):
        np.save(path, np.ones(shape, "f4"))
        gpuprim("convolve1d", path, "--taps", taps, "-o", out, "--mode", mode, "-q", "--check")
        got = np.load(out)
        assert got.shape == wanted and not got.any(), f"{shape} {mode}: {got}"
    gpuprim("convolve1d", path, "--taps", taps, "-o", out, "--boundary", "edge", "--mode", "full",
            code=1)


def json_case():
    path, taps, out = (HERE / f"json-{name}.npy" for name in ("in", "taps", "out"))
    np.save(path, np.ones((2, 30), "i2"))
    np.save(taps, np.ones(4))
    text, err = run("convolve1d", path, "--taps", taps, "-o", out, "--json", "--check",
                    "--mode", "full")
    answer = json.loads(text)
    assert "check: agrees" in err, err
    assert (answer["type"], answer["shape"], answer["taps"]) == ("i16", [2, 30], 4), answer
    assert (answer["result_type"], answer["result_shape"]) == ("i16", [2, 33]), answer
    assert answer["checked"] is True and answer["output"] == str(out), answer
    assert answer["device"] and answer["driver"] and answer["seconds"] >= 0, answer


def response(taps, frequency):
    """The gain at a frequency in units of half the rate."""
    return abs(np.sum(taps * np.exp(-1j * np.pi * frequency * np.arange(len(taps)))))


def inline_case():
    """Taps on the command line, and taps that are described."""
    rng = np.random.default_rng(SEED)
    path, out = HERE / "convolve1d-inline.npy", HERE / "convolve1d-inline-out.npy"
    x = rng.integers(-100, 100, (2, 50)).astype("i4")
    np.save(path, x)
    for text, taps in (("1,2,1", [[1, 2, 1]]), ("-3", [[-3]]), ("1,-2;3,4", [[1, -2], [3, 4]])):
        gpuprim("convolve1d", path, "--taps", text, "-o", out, "--check", "-q")
        wanted = [np.convolve(row, taps[r % len(taps)], "full") for r, row in enumerate(x)]
        offset = (len(taps[0]) - 1) // 2
        assert np.array_equal(np.load(out), np.array(wanted)[:, offset:offset + 50]), text
    np.save(path, np.eye(1, 2049, 1024, dtype="f8")[0])

    def taps_of(text):
        gpuprim("convolve1d", path, "--taps", text, "-o", out, "-q")
        got = np.load(out)
        return got[np.flatnonzero(got)[0]:np.flatnonzero(got)[-1] + 1]
    got = taps_of("mean:5")
    assert np.allclose(got, [0.2] * 5, rtol=1e-15), got
    got, m = taps_of("gaussian:2.5"), np.arange(-10, 11)
    wanted = np.exp(-m**2 / 12.5)
    assert np.allclose(got, wanted / wanted.sum(), rtol=1e-12), got
    got, m = taps_of("lowpass:3400/48000:255"), np.arange(-127, 128)
    wanted = np.hamming(255) * np.sinc(3400 / 24000 * m)
    assert np.allclose(got, wanted / wanted.sum(), rtol=1e-9, atol=1e-15), got
    for text, ones, zeros in (("lowpass:3400/48000:254", (0, 0.1), (0.18, 1)),
                              ("highpass:12000/48000:255", (0.55, 1), (0, 0.45)),
                              ("bandpass:6000-12000/48000:255", (0.3, 0.375), (0.2, 0.55))):
        got = taps_of(text)
        assert all(abs(response(got, f) - 1) < 0.01 for f in ones), text
        assert all(response(got, f) < 0.01 for f in zeros), text
    for bad in ("lowpass:3400:255", "lowpass:24000/48000:9", "highpass:9/48:4", "mean:0",
                "mean:1.5", "gaussian:-1", "lowpass:1/8", "bandpass:3-2/8:9", "mean:", "lowpas:1/8:9", "1,2;3"):
        run("convolve1d", path, "--taps", bad, "-o", out, code=2)
    sound = HERE / "convolve1d-inline.wav"
    samples = np.sin(np.arange(2000) * np.pi * 0.9) * 20000
    sound.write_bytes(wave(1, 16, 1, samples.astype("<i2").tobytes()))
    gpuprim("convolve1d", sound, "--taps", "lowpass:2000:101", "-o", HERE / "low.wav", "-q")
    assert np.abs(wav_samples(1, 16, 1, wav_parts((HERE / "low.wav").read_bytes())[b"data"]))[
        200:1800].max() < 200, "the sound was not filtered at its own rate"


def cases(has_f64):
    """Yields pairs of a name and a function that raises if something is wrong."""
    for form, bits in ((1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)):
        if bits != 64 or has_f64:
            yield (f"convolve1d wav {'float' if form == 3 else 'pcm'} {bits}",
                   lambda f=form, b=bits: wav_case(f, b))
    for case in (wav_options_case, raw_case, inline_case, refusals_case, empty_case, json_case):
        yield "convolve1d " + case.__name__.removesuffix("_case").replace("_", " "), case
