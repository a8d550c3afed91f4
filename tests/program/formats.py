# SPDX-License-Identifier: Apache-2.0
"""The formats of files beyond .npy and plain .wav: text, images, sounds. What is expected is
written and read here byte by byte. Start program.py."""
import io
import struct
import subprocess
import zlib

import numpy as np

from convolve1d_files import wav_parts, wav_samples
from files import wav_bytes, wave
from run import GPUPRIM, HERE, SEED
from run import simple_run as run
from run import simply as gpuprim


def copied(path, out, *options):
    """The file that becomes of another by a filter that changes nothing."""
    gpuprim("convolve1d", path, "--taps", "1", "-o", out, "-q", *options)
    return out.read_bytes()


def array_of(path, *options):
    return np.load(io.BytesIO(copied(path, HERE / (path.name + ".npy"), *options)))


def refused(words, *arguments, code=1):
    err = run(*arguments, code=code)[1]
    assert words in err, (arguments, err)


# ---------------------------------------------------------------------------------- text

def csv_case():
    rng = np.random.default_rng(SEED)
    path, out = HERE / "text.csv", HERE / "text-out.csv"
    values = rng.standard_normal((6, 4)).astype("f4")
    np.savetxt(path, values, header="some names")  # blanks, 18 digits, a comment
    got = array_of(path)
    assert got.dtype == "f8" and np.array_equal(got, values), got - values
    np.save(HERE / "text.npy", values)
    text = copied(HERE / "text.npy", out).decode()
    words = [line.split(",") for line in text.splitlines()]
    assert words == [[str(v) for v in row] for row in values], text
    path.write_text("a;b;c\r\n1;-2;3\r\n4;5;2147483647\r\n")
    got = array_of(path)
    assert got.dtype == "i4" and got.tolist() == [[1, -2, 3], [4, 5, 2**31 - 1]], got
    # A column is a signal; results of vectors have a line each.
    path.write_text("level\n1\n2\n4\n")
    gpuprim("convolve1d", path, "--taps", "1,1", "--mode", "full", "-o", out, "-q")
    assert out.read_text() == "1\n3\n6\n4\n", out.read_text()
    gpuprim("reduce", "minmax", HERE / "text.npy", "--rows", "-o", out, "-q")
    assert out.read_text() == "".join(
        f"{row.min()!s},{row.max()!s}\n" for row in values)
    # Rules and taps, as a column and as a row.
    (HERE / "limits.csv").write_text("0\n0.5\n")
    (HERE / "map.csv").write_text("7,300,9\n")
    gpuprim("classify", HERE / "text.npy", "--thresholds", HERE / "limits.csv", "--map",
            HERE / "map.csv", "-o", out, "--counts", HERE / "counts.csv", "-q", "--check")
    labels = np.array([7, 300, 9])[np.digitize(values, [0, 0.5])]
    assert np.array_equal(np.loadtxt(out, delimiter=","), labels), out.read_text()
    assert (HERE / "counts.csv").read_text() == "".join(
        f"{n}\n" for n in np.bincount(labels.flat, minlength=301))
    for text, words in (("1,2\n3\n", "line 2 has 1 numbers"), ("1,2\n3,\n", "empty field"),
                        ("1,2\n3,x\n", "line 2: 'x' is not a number"), ("1,b\n", "'b' is not"),
                        ("1;2\n3;4,5\n", "decimal sign"), ("a,b\n", "neither"),
                        ("1,2\n3,4\0\n", "neither")):
        path.write_bytes(text.encode())
        refused(words, "reduce", "sum", path)


# ---------------------------------------------------------------------------------- images

def pnm(kind, columns, rows, largest, numbers):
    return f"P{kind}\n# made by a test\n{columns} {rows}\n{largest}\n".encode() + numbers


def pnm_case():
    rng = np.random.default_rng(SEED)
    for channels, ending in ((1, "pgm"), (3, "ppm")):
        path, out = HERE / f"image.{ending}", HERE / f"image-out.{ending}"
        for largest, kind in ((255, ">u1"), (700, ">u2")):
            values = rng.integers(0, largest + 1, (5, 7 * channels))
            data = values.astype(kind).tobytes()
            text = " ".join(map(str, values.flat)).encode()
            for number, numbers in ((5, data), (2, text)):
                path.write_bytes(pnm(number + (channels == 3), 7, 5, largest, numbers))
                got = copied(path, out)
                head = f"P{5 + (channels == 3)}\n7 5\n{largest}\n".encode()
                assert got == head + data, (ending, largest, number, got)
    got = array_of(path)
    assert got.dtype == "u2" and np.array_equal(got, values), got
    # Labels keep the channels of an image; numbers above white are white.
    gpuprim("classify", path, "--thresholds", "300", "--map", "0,200", "-o", out, "-q")
    assert out.read_bytes() == b"P6\n7 5\n255\n" + (200 * (values >= 300)).astype("u1").tobytes()
    gpuprim("convolve1d", path, "--taps", "3", "-o", out, "-q")
    assert out.read_bytes()[-210:] == (3 * values).clip(0, 700).astype(">u2").tobytes()
    for name, words in (("x.pgm", "colours need"), ("x.wav", "needs a rate")):
        refused(words, "convolve1d", path, "--taps", "1", "-o", HERE / name)
    np.save(HERE / "image.npy", np.ones((2, 3), "i4"))
    refused("holds u8 and u16, not i32", "convolve1d", HERE / "image.npy", "--taps", "1", "-o", out)
    for content, words in (
            (pnm(5, 7, 5, 255, bytes(34)), "is truncated"), (pnm(4, 8, 1, 1, b"\0"), "one bit"),
            (pnm(5, 0, 5, 255, b""), "no pixels"), (pnm(5, 1, 1, 65536, b"12"), "65536"),
            (pnm(5, 1, 1, 255, b"1P5 1 1 255 1"), "more than one"),
            (pnm(2, 2, 1, 9, b"1 10"), "the largest is 9"), (pnm(2, 2, 1, 9, b"1 x"), "malformed"),
            (b"P5 1 1", "malformed"), (pnm(5, 2**31 - 1, 2**31 - 1, 65535, b"1"), "is trunc")):
        path.write_bytes(content)
        refused(words, "reduce", "sum", path)


def png_chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(columns, depth, colour, rows, before=b""):
    """A PNG file of bytes for each row, none of which is filtered."""
    head = struct.pack(">IIBBBBB", columns, len(rows), depth, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + before + png_chunk(b"IDAT", data) +
            png_chunk(b"IEND", b""))


def png_rows(content):
    """Width, depth, colour type and the bytes of each row of a PNG file."""
    at, data = 8, b""
    while at < len(content):
        size, name = struct.unpack(">I4s", content[at:at + 8])
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", content[at + 8:at + 18])
        data += content[at + 8:at + 8 + size] * (name == b"IDAT")
        at += 12 + size
    data = zlib.decompress(data)
    pixel = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
    length, rows = pixel * width, [bytes(pixel * width)]
    for r in range(height):
        kind, line = data[r * (length + 1)], bytearray(data[r * (length + 1) + 1:][:length])
        for i in range(length):
            left, above, corner = (line[i - pixel] if i >= pixel else 0, rows[-1][i],
                                   rows[-1][i - pixel] if i >= pixel else 0)
            guess = left + above - corner
            nearest = min((left, above, corner), key=lambda v: abs(v - guess))
            line[i] = (line[i] + [0, left, above, (left + above) // 2, nearest][kind]) % 256
        rows.append(bytes(line))
    return width, depth, colour, rows[1:]


def is_absent(ending, library):
    """Why a library is not used: the program was built without it."""
    sound = HERE / "probe.wav"
    sound.write_bytes(wave(1, 16, 1, bytes(8)))
    command = [GPUPRIM, "convolve1d", sound, "--taps", "1", "-o", HERE / f"probe.{ending}"]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"gpuprim was built without {library}" if library in done.stderr else None


def png_case():
    absent = is_absent("png", "libpng")
    if absent:
        return absent
    rng = np.random.default_rng(SEED)
    path, out = HERE / "image.png", HERE / "image-out.png"
    for colour, channels, depth in ((0, 1, 8), (2, 3, 8), (6, 4, 8), (4, 2, 16), (0, 1, 16)):
        values = rng.integers(0, 2**depth, (6, 9 * channels)).astype(f">u{depth // 8}")
        rows = [row.tobytes() for row in values]
        path.write_bytes(png(9, depth, colour, rows))
        assert png_rows(copied(path, out)) == (9, depth, colour, rows), (colour, depth)
    assert np.array_equal(array_of(path), values)
    path.write_bytes(png(9, 1, 0, [b"\x55\x00", b"\xff\x80"]))  # bits
    assert array_of(path).tolist() == [[0, 255] * 4 + [0], [255] * 9]
    palette = png_chunk(b"PLTE", bytes((1, 2, 3, 40, 50, 60)))
    path.write_bytes(png(3, 8, 3, [b"\1\0\1"], palette))
    assert array_of(path).tolist() == [[40, 50, 60, 1, 2, 3, 40, 50, 60]]
    refused(".npy or .csv", "convolve1d", path, "--taps", "1", "--as", "f32", "-o", out)
    gray = HERE / "image-gray.pgm"
    refused("colours need", "convolve1d", path, "--taps", "1", "-o", gray)
    good = png(9, 8, 0, [bytes(range(9))] * 4)
    for content in (good[:20], good[:-20], good[:45] + b"\xff" + good[46:],
                    good.replace(struct.pack(">II", 9, 4), struct.pack(">II", 2**30, 2**30))):
        path.write_bytes(content)
        refused("libpng: ", "reduce", "sum", path)
    return None


# ---------------------------------------------------------------------------------- sounds

def sound_case():
    absent = is_absent("flac", "libsndfile")
    if absent:
        return absent
    rng = np.random.default_rng(SEED)
    path, back = HERE / "sound-in.wav", HERE / "sound-back.wav"
    for form, bits, endings in ((1, 8, "flac w64 aiff"), (1, 16, "flac rf64 caf"),
                                (1, 24, "flac aif"), (1, 32, "au"), (3, 32, "w64"), (3, 64, "au")):
        limit = 2**(bits - 1) if form == 1 else 1
        samples = rng.integers(-limit, limit, (3000, 2))
        path.write_bytes(wave(form, bits, 2, wav_bytes(form, bits, samples)))
        for ending in endings.split():
            out = HERE / f"sound-{bits}.{ending}"
            mark = {"flac": b"fLaC", "rf64": b"RF64", "w64": b"riff", "caf": b"caff",
                    "au": b".snd"}.get(ending, b"FORM")
            assert copied(path, out).startswith(mark), ending
            parts = wav_parts(copied(out, back))
            assert struct.unpack("<HHI", parts[b"fmt "][:8]) == (form, 2, 48000), ending
            got = wav_samples(form, bits, 2, parts[b"data"])
            assert np.array_equal(got, samples), (ending, bits)
    # A format that another program wrote: big-endian numbers of 16 bits.
    values = rng.integers(-2**15, 2**15, (50, 3)).astype(">i2")
    odd = HERE / "sound.au"
    odd.write_bytes(struct.pack(">4sIIIII", b".snd", 24, 300, 3, 44100, 3) + values.tobytes())
    got = array_of(odd)
    assert got.dtype == "i2" and np.array_equal(got, values), got
    # Vorbis is near the sound, and standard output gets what a file would.
    tone = (np.sin(np.arange(20000) * 0.05) * 20000).astype("<i2")
    path.write_bytes(wave(1, 16, 1, tone.tobytes()))
    assert copied(path, HERE / "tone.ogg").startswith(b"OggS")
    near = array_of(HERE / "tone.ogg")
    assert near.dtype == "f4" and near.shape == (20000, 1), (near.dtype, near.shape)
    assert np.abs(near[:, 0] * 2**15 - tone)[1000:-1000].max() < 600
    flac = copied(path, HERE / "tone.flac")
    piped = subprocess.run([GPUPRIM, "convolve1d", "-", "--taps", "1", "-o", "-", "-q"],
                           input=flac, stdout=subprocess.PIPE).stdout
    assert piped == flac
    refused("a .flac file cannot hold samples of f32", "convolve1d", HERE / "tone.ogg", "--taps",
            "1", "-o", HERE / "x.flac")
    for content in (flac[:100], flac[:-300], b"OggS" + bytes(100), b"RF64" + bytes(100)):
        path.write_bytes(content)
        refused("", "reduce", "sum", path)
    return None


# ---------------------------------------------------------------------------------- axes

def along(values, taps, axis, mode="same"):
    return np.apply_along_axis(lambda line: np.convolve(line, taps, mode), axis, values)


def axis_case():
    """Rows, columns, and both with one rounding; the channels of an image do not mix."""
    rng = np.random.default_rng(SEED)
    path, out = HERE / "axis.ppm", HERE / "axis-out.npy"
    image = rng.integers(0, 256, (12, 10, 3))
    path.write_bytes(pnm(6, 10, 12, 255, image.astype("u1").tobytes()))
    for axis, mode, axes in (("rows", "full", (1,)), ("columns", "same", (0,)),
                             ("both", "full", (1, 0))):
        gpuprim("convolve1d", path, "--taps", "1,2,3", "--axis", axis, "--mode", mode, "--as",
                "i32", "-o", out, "--check", "-q")
        wanted = image
        for number in axes:
            wanted = along(wanted, [1, 2, 3], number, mode)
        got = np.load(out)
        assert np.array_equal(got, wanted.reshape(len(wanted), -1)), (axis, got)
    exact = along(along(image, [1, 2, 1], 1), [1, 2, 1], 0)
    ppm = HERE / "axis-out.ppm"
    for options in (("1,2,1", "--shift", "4"), ("0.25,0.5,0.25",)):
        gpuprim("convolve1d", path, "--axis", "both", "-o", ppm, "-q", "--taps", *options)
        wanted = pnm(6, 10, 12, 255, np.rint(exact / 16).astype("u1").tobytes())
        assert ppm.read_bytes() == wanted.replace(b"# made by a test\n", b""), options
    np.save(HERE / "axis.npy", np.full((3, 4), 2**30, "i4"))
    refused("may exceed i32", "convolve1d", HERE / "axis.npy", "--taps", "1,1", "--axis", "both",
            "-o", out)
    text = gpuprim("reduce", "sum", path, "--channels", "--check", "-q")
    assert text.split() == [str(n) for n in image.sum((0, 1))], text
    sound = HERE / "axis.wav"
    sound.write_bytes(wave(1, 16, 2, bytes(40)))
    np.save(HERE / "vector.npy", np.ones(4, "f4"))
    for words, *arguments in (
            ("neither an image nor", "reduce", "sum", HERE / "axis.npy", "--channels"),
            ("one row of taps", "convolve1d", path, "--taps", "1;2", "--axis", "both", "-o", out),
            ("several channels", "convolve1d", path, "--taps", "1;2", "-o", out),
            ("is a vector", "convolve1d", HERE / "vector.npy", "--taps", "1", "--axis", "columns",
             "-o", out),
            ("each channel of a sound", "convolve1d", sound, "--taps", "1", "--axis", "rows",
             "-o", out)):
        refused(words, *arguments, code=2)


def cases():
    """Yields pairs of a name and a function that raises, or returns why it did not run."""
    for case in (csv_case, pnm_case, png_case, sound_case, axis_case):
        yield case.__name__.removesuffix("_case").replace("_", " "), case
