# SPDX-License-Identifier: Apache-2.0
"""Which files, options and devices the program accepts, and how it refuses others. Start
program.py."""
import io
import json
import os
import pathlib
import struct
import subprocess
import threading

import numpy as np

from run import GPUPRIM, HERE, SEED
from run import simple_run as run
from run import simply as gpuprim


def npy(header, data=bytes(48), version=(1, 0), length=None):
    """A .npy file with any header."""
    text = header.encode() if isinstance(header, str) else header
    form = "<H" if version[0] == 1 else "<I"
    size = struct.pack(form, len(text) if length is None else length)
    return b"\x93NUMPY" + bytes(version) + size + text + data


def header(descr="'<f4'", fortran="False", shape="(3, 4)"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


def refused(content, words, name="bad.npy", options=()):
    path = HERE / name
    path.write_bytes(content)
    err = run("reduce", "sum", path, *options, code=1)[1]
    assert err.startswith(f"gpuprim: {path}: ") and words in err, (content, words, err)


def npy_truncated_case():
    whole = npy(header().ljust(117) + "\n")
    for length in range(1, len(whole)):
        refused(whole[:length], "", "short.npy")
    refused(b"", "is empty", "short.npy")
    refused(whole[:-1], "for its shape", "short.npy")


def npy_refused_case():
    for content, words in (
            (npy(header("'|O'")), "not supported"), (npy(header("'<U4'")), "not supported"),
            (npy(header("'|S4'")), "not supported"), (npy(header("'<M8[ns]'")), "not supported"),
            (npy(header("'<c16'")), "not supported"), (npy(header("'|f4'")), "not supported"),
            (npy(header("'<i3'")), "not supported"), (npy(header("''")), "not supported"),
            (npy(header("[('a', '<f4')]")), "structured"),
            (npy(header(shape="()")), "0-d"), (npy(header(shape="(1, 2, 3)")), "dimensions"),
            (npy(header(shape="(-1, 4)")), "negative"), (npy(header(shape="(3)")), "malformed"),
            (npy(header(shape="(3 4)")), "malformed"), (npy(header(shape="(,)")), "malformed"),
            (npy(header(shape="(3.0, 4)")), "malformed"), (npy(header(shape="3, 4")), "malformed"),
            (npy(header(shape="(9223372036854775808,)")), "above 2^63 - 1"),
            (npy(header(shape=f"({'9' * 400},)")), "above 2^63 - 1"),
            (npy(header(shape="(4294967296, 4294967296)")), "for its shape"),
            (npy(header(shape="(9223372036854775807, 2)")), "for its shape"),
            (npy(header(shape="(4611686018427387905, 4)")), "for its shape"),
            (npy(header(), version=(3, 0)), "version 3.0"),
            (npy(header(), version=(1, 1)), "version 1.1"),
            (npy(header(), length=65535), "truncated"), (npy(header(), length=0), "malformed"),
            (npy(header(), version=(2, 0), length=2**32 - 1), "truncated"),
            (npy(""), "malformed"), (npy("{}"), "malformed"), (npy("{" * 50), "malformed"),
            (npy(header() + "x"), "malformed"),
            (npy(header().replace("descr", "dtype")), "malformed"),
            (npy(header().replace("'shape'", "'descr'")), "malformed"),
            (npy("{'descr': '<f4', 'shape': (3, 4)}"), "malformed"),
            (npy(header(fortran="0")), "malformed"), (npy(header("'<f4")), "not supp"),
            (npy(header(r"'<f\x34'")), "malformed"), (npy(b"{'descr': '\xff\x00'}"), "not supp"),
            (b"no such format", "neither"), (b"P", "neither")):
        refused(content, words)


def npy_accepted_case():
    data = np.arange(12, dtype="<f4").tobytes()
    path = HERE / "odd.npy"
    for content in (
            npy(header(), data), npy(header(), data, (2, 0)), npy(header(), data + b"more"),
            npy('{"shape":(3,4),"fortran_order":False,"descr":"<f4"}', data),
            npy(" \n{ 'shape' : ( 3 , 4 , ) , 'descr' : '<f4' , 'fortran_order' : False } ", data),
            npy(header(fortran="True", shape="(12,)"), data),
            npy(header().rstrip() + "  \n", data)):  # the numbers start at an odd address
        path.write_bytes(content)
        assert gpuprim("reduce", "sum", path, "-q", "--check") == "66\n", content
    np.save(path, np.array([True, False, True]))
    assert gpuprim("reduce", "count", path, "-q", "--check") == "2\n"
    np.save(path, np.ones(3, "c8"))
    gpuprim("reduce", "sum", path, code=1)
    path.write_bytes(struct.pack("<5h", 1, 2, 3, -4, 5))
    assert gpuprim("reduce", "min", path, "--raw", "i16", "-q", "--check") == "-4\n"
    refused(bytes(5), "not a multiple of the 2 bytes of i16", "odd.raw", ("--raw", "i16"))
    refused(b"", "is empty", "odd.raw", ("--raw", "u8"))


# ---------------------------------------------------------------------------------- .wav files

def chunk(name, data, size=None):
    data_size = struct.pack("<I", len(data) if size is None else size)
    return name + data_size + data + bytes(len(data) % 2)


def wave(form, bits, channels, data, before=b"", after=b"", extensible=False, size=None,
         frame=None):
    frame = channels * bits // 8 if frame is None else frame
    text = struct.pack("<HHIIHH", 0xfffe if extensible else form, channels, 48000, 48000 * frame,
                       frame, bits)
    if extensible:
        text += struct.pack("<HHIH", 22, bits, 3, form)
        text += bytes.fromhex("000000001000800000aa00389b71")
    body = b"WAVE" + before + chunk(b"fmt ", text) + chunk(b"data", data, size) + after
    return b"RIFF" + struct.pack("<I", len(body)) + body


def wav_bytes(form, bits, samples):
    if bits == 24:
        return b"".join(int(v).to_bytes(3, "little", signed=True) for v in samples.flat)
    if form == 3:
        return samples.astype(f"<f{bits // 8}").tobytes()
    if bits == 8:  # stored around 128
        return (samples + 128).astype("u1").tobytes()
    return samples.astype(f"<i{bits // 8}").tobytes()


def wav_case():
    rng = np.random.default_rng(SEED)
    path = HERE / "sound.wav"
    for form, bits in ((1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)):
        low = -2**(bits - 1) if form == 1 else -1000
        high = -low - 1
        for channels in (1, 3):
            samples = rng.integers(low, high, (101, channels), endpoint=True)
            samples[0], samples[1] = low, high
            data = wav_bytes(form, bits, samples)
            contents = [wave(form, bits, channels, data, chunk(b"LIST", b"odd"),
                             chunk(b"id3 ", b"x"), extensible=True),
                        wave(form, bits, channels, data, size=2**32 - 1),
                        wave(form, bits, channels, data)]
            for content in contents[0 if channels == 3 else 2:]:
                path.write_bytes(content)
                text = gpuprim("reduce", "minmax", path, "--columns", "-q", "--check")
                assert text == f"{low} {high}\n" * channels, f"{form}/{bits}: {text}"
                if bits == 16:  # for one type, because each type compiles other kernels
                    wanted = "".join(f"{v}\n" for v in samples.argmax(0))
                    assert gpuprim("reduce", "argmax", path, "--columns", "-q") == wanted, form
    path.write_bytes(wave(1, 16, 2, b""))
    assert gpuprim("reduce", "sum", path, "-q") == "0\n"
    stopped = struct.pack("<5h", 1, 2, 3, 4, 5)  # a recording that ends within a frame
    path.write_bytes(wave(1, 16, 2, stopped, size=0))
    assert gpuprim("reduce", "sum", path, "-q") == "10\n"


def wav_refused_case():
    good = wave(1, 16, 2, bytes(64))
    for length in range(1, len(good)):
        refused(good[:length], "", "bad.wav")
    for content, words in (
            (wave(1, 16, 0, b"", frame=0), "no channels"),
            (wave(1, 16, 2, bytes(64), frame=3), "3 bytes per frame"),
            (wave(1, 16, 2, bytes(64), frame=0), "0 bytes per frame"),
            (wave(1, 16, 2, bytes(62)), "within a frame"),
            (wave(2, 4, 1, bytes(64)), ""), (wave(1, 12, 1, bytes(64)), "not supp"),
            (wave(1, 0, 1, bytes(64)), "not supported"), (wave(3, 16, 1, bytes(64)), "not supp"),
            (wave(9, 16, 1, bytes(64), extensible=True), "libsndfile"),
            (wave(1, 16, 2, bytes(64), size=65), "truncated"),
            (good.replace(b"fmt ", b"FMT "), "no fmt chunk"),
            (good.replace(b"data", b"DATA"), "no data chunk"),
            (good.replace(b"WAVE", b"AVI "), "not a WAVE"),
            (good.replace(b"RIFF", b"RIFX"), "libsndfile"),
            (good.replace(b"RIFF", b"RIF\0"), "neither")):
        refused(content, words, "bad.wav")


# ---------------------------------------------------------------------------------- the rest

def shapes_case():
    """Matrices without elements: the shape still gives the number of results."""
    for shape, fold, wanted in (((0, 5), "--rows", ""), ((0, 3), "--columns", "0\n" * 3),
                                ((4, 0), "--rows", "0\n" * 4), ((5, 0), "--columns", ""),
                                ((0, 5), "-q", "0\n"), ((1, 1), "--rows", "1\n")):
        path, out = HERE / "shapes.npy", HERE / "shapes-out.npy"
        np.save(path, np.ones(shape, "i4"))
        text = gpuprim("reduce", "sum", path, fold, "-q", "-o", out)
        assert text == wanted, f"{shape} {fold}: {text!r}"
        assert np.load(out).shape == (len(wanted.split()),), f"{shape} {fold}: {np.load(out)}"


def json_case():
    path = HERE / 'a "quoted" nam\u00e9\n.npy'
    np.save(path, np.array([[1.5, np.inf], [np.nan, 2]], "f4"))
    answer = json.loads(gpuprim("reduce", "minmax", path, "--rows", "--json", "--check", "-q"))
    assert answer["results"] == [[1.5, "inf"], ["nan", "nan"]], answer
    assert (answer["op"], answer["type"], answer["shape"]) == ("minmax", "f32", [2, 2]), answer
    assert answer["file"] == str(path) and answer["checked"] is True, answer
    assert answer["device"] and answer["driver"] and answer["seconds"] >= 0, answer
    np.save(path, np.array([2**63 + 1, 0], "u8"))
    answer = json.loads(gpuprim("reduce", "max", path, "--json", "-q"))
    assert answer["results"] == [2**63 + 1] and "checked" not in answer, answer


def usage_case():
    path = HERE / "i32-rows.npy"
    for arguments in ((), ("nonsense",), ("--nonsense",), ("reduce",), ("reduce", "sum"),
                      ("reduce", "mode", path), ("reduce", "sum", path, path),
                      ("reduce", "sum", path, "--nonsense"), ("reduce", "sum", path, "-x"),
                      ("reduce", "sum", path, "--rows", "--columns"),
                      ("reduce", "sum", path, "--nan", "maybe"), ("reduce", "sum", path, "-o"),
                      ("reduce", "sum", path, "--raw", "f128"),
                      ("reduce", "sum", path, "--accumulator", "float"), ("info", "more")):
        gpuprim(*arguments, code=2)
    for arguments, words in ((("reduced",), "did you mean reduce?"), (("rduce", "sum", path),
                             "did you mean reduce?"), (("reduce", "men", path), "min?"),
                             (("reduce", "argmim", path), "did you mean argmin?"),
                             (("mode",), "it is one of: info reduce"),
                             (("reduce", "sum", path, "--colunms"), "did you mean --columns?"),
                             (("reduce", "sum", path, "--r"), "may be --rows or --raw"),
                             (("reduce", "sum", path, "--rows=1"), "--rows takes no value"),
                             (("reduce", "sum", path, "--output"), "--output needs a value"),
                             (("reduce", "sum", path, "--nan", "ignor"), "did you mean ignore?"),
                             (("reduce", "sum", path, "--raw", "f3"), "did you mean f32?"),
                             (("reduce",), "OP is missing; an example: gpuprim reduce"),
                             (("reduce", "sum"), "FILE is missing"),
                             (("info", "--check"), "option '--check' is unknown"),
                             (("--check", "info"), "option '--check' is unknown")):
        assert words in run(*arguments, code=2)[1], arguments
    assert "sum-squares" in gpuprim("reduce", "--help") == gpuprim("help", "reduce")
    assert gpuprim("help") == gpuprim("--help") == gpuprim("-h")
    assert gpuprim("-V") == gpuprim("--version")
    whole = gpuprim("reduce", "sum", path, "-d", "0", "-q")
    assert gpuprim("-d", "0", "-q", "reduce", "sum", path) == whole
    assert gpuprim("--device=0", "reduce", "-q", "sum", path) == whole
    gpuprim("-d", "no such device", "reduce", "sum", path, code=77)
    assert gpuprim("--version").startswith("gpuprim ") and "reduce" in gpuprim("--help")


def files_case():
    path = HERE / "i32-rows.npy"
    os.mkfifo(HERE / "pipe")
    for bad in (HERE, HERE / "absent.npy", "/dev/null"):
        gpuprim("reduce", "sum", bad, code=1)
    for bad in (HERE, HERE / "absent" / "out.npy", HERE / "pipe"):
        gpuprim("reduce", "sum", path, "-o", bad, code=1)
    assert not list(HERE.glob("*.tmp")), "a temporary file remains"
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            gpuprim("reduce", "sum", path, code=1, stdout=full)
    gpuprim("reduce", "and", HERE / "f32-rows.npy", code=1)
    gpuprim("reduce", "sum", path, "--accumulator", "f64", code=1)


def orders_case():
    rng = np.random.default_rng(SEED)
    path = HERE / "order.npy"
    for kind in ("i1", "u2", "f4", "i8"):  # every size of a number
        values = rng.integers(-100 if kind[0] != "u" else 0, 100, (5, 7)).astype(kind)
        for order in "<>":
            for layout in "CF":
                np.save(path, np.asarray(values.astype(order + kind), order=layout))
                got = [float(word) for word in gpuprim("reduce", "sum", path, "--rows").split()]
                assert got == values.astype(float).sum(1).tolist(), (kind, order, layout, got)
    values = rng.integers(-9, 9, (3, 8)) + 1j * rng.integers(-9, 9, (3, 8))
    np.save(path, np.asfortranarray(values.astype(">c8")))
    np.save(HERE / "one.npy", np.ones(1, "f4"))
    gpuprim("convolve1d", path, "--taps", HERE / "one.npy", "-o", HERE / "same.npy")
    assert np.array_equal(np.load(HERE / "same.npy"), values.astype("c8"))


def piped(*arguments, stdin):
    command = [GPUPRIM, *map(str, arguments)]
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, timeout=300,
                          env={**os.environ, "GPUPRIM_VARIANT": f"{arguments[0]}:baseline"})
    assert done.returncode == 0, command
    return done.stdout


def pipes_case():
    path, one = HERE / "piped.npy", HERE / "one-tap.npy"
    values = np.random.default_rng(SEED).integers(-100, 100, (300, 500)).astype("i4")
    np.save(path, values)
    np.save(one, np.array([1], "i4"))
    content = path.read_bytes()
    for argument in ("-", "/dev/stdin"):
        assert int(piped("reduce", "sum", argument, stdin=content)) == values.sum()
    loaded = np.load(io.BytesIO(piped("reduce", "max", "-", "--rows", "-o", "-", stdin=content)))
    assert np.array_equal(loaded, values.max(1))
    loaded = np.load(io.BytesIO(piped("convolve1d", "-", "--taps", one, "-o", "-", stdin=content)))
    assert np.array_equal(loaded, values)
    loaded = np.load(io.BytesIO(piped("classify", "-", "--uniform", "-100:100:2", "-o", "-",
                                      stdin=content)))
    assert np.array_equal(loaded, values >= 0)
    os.mkfifo(HERE / "feed")
    writer = threading.Thread(target=(HERE / "feed").write_bytes, args=(content,))
    writer.start()
    assert int(gpuprim("reduce", "sum", HERE / "feed")) == values.sum()
    writer.join()
    for arguments in (("reduce", "sum", path), ("convolve1d", path, "--taps", one),
                      ("classify", path, "--uniform", "0:1:2")):
        gpuprim(*arguments, "-o", "-", "--json", code=2)


def link_case():
    path = HERE / "i32-rows.npy"
    (HERE / "folder").mkdir()
    (HERE / "link.npy").symlink_to("folder/real.npy")
    (HERE / "folder" / "real.npy").write_bytes(b"old")
    gpuprim("reduce", "sum", path, "-o", HERE / "link.npy")
    assert (HERE / "link.npy").is_symlink() and len(np.load(HERE / "folder" / "real.npy")) == 1


def permission_case():
    if os.geteuid() == 0:
        return "root can read all files"
    path = HERE / "locked.npy"
    np.save(path, np.zeros(3))
    path.chmod(0)
    gpuprim("reduce", "sum", path, code=1)


def no_device_case():
    (HERE / "no-vendors").mkdir()
    env = {key: value for key, value in os.environ.items() if key != "OCL_ICD_FILENAMES"}
    env["OCL_ICD_VENDORS"] = str(HERE / "no-vendors") + "/"
    assert "pocl-opencl-icd" in run("info", code=77, env=env)[1]
    gpuprim("reduce", "sum", HERE / "i32-rows.npy", code=77, env=env)
    gpuprim("reduce", "sum", HERE / "i32-rows.npy", "-d", "no such device", code=77)
    err = run("reduce", "sum", HERE / "i32-rows.npy", "-d", "9999", code=77)[1]
    assert "gpuprim info lists the devices" in err, err


def info_case():
    text, chosen = gpuprim("info"), json.loads(gpuprim("info", "--json"))
    device = chosen["devices"][chosen["chosen"]]
    assert device["name"] in text and "reduce" in text and "*" in text, text
    assert chosen["primitives"]["reduce"] and device["compute_units"] > 0, chosen
    again = json.loads(gpuprim("info", "--json", "-d", chosen["chosen"]))
    assert again["chosen"] == chosen["chosen"], again
    log = run("reduce", "sum", HERE / "i32-rows.npy", "-v", "--check")[1]
    assert device["name"] in log and "check: agrees" in log, log


def info_failing_case():
    """If a primitive cannot run, the others are still described."""
    env = {**os.environ, "GPUPRIM_VARIANT": "reduce:of no such name"}
    for option, other in (("-v", "convolve1d  2^26"), ("--json", '"convolve1d": "2^26')):
        done = subprocess.run([GPUPRIM, "info", option], env=env, capture_output=True, text=True)
        assert done.returncode == 1 and "no variant of reduce" in done.stderr, done
        assert other in done.stdout and "failed: GPUPRIM_VARIANT" in done.stdout, done.stdout


def registered_twice_case():
    vendors = pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
    icds = sorted(vendors.glob("*.icd")) if vendors.is_dir() else []
    if not icds:
        return f"no driver is registered in {vendors}"
    twice = HERE / "twice"
    twice.mkdir()
    for icd in icds:
        (twice / icd.name).write_text(icd.read_text())
        (twice / f"again-{icd.name}").write_text(icd.read_text())
    once = json.loads(gpuprim("info", "--json"))
    env = {**os.environ, "OCL_ICD_VENDORS": f"{twice}/"}
    again = json.loads(gpuprim("info", "--json", env=env))
    assert len(again["devices"]) == len(once["devices"]), again
    assert len(again["platforms"]) == len(once["platforms"]), again
    assert gpuprim("info", env=env).count("\n*") == 1, gpuprim("info", env=env)


def cases():
    """Yields pairs of a name and a function that raises, or returns why it did not run."""
    for case in (info_case, info_failing_case, registered_twice_case, usage_case, files_case,
                 orders_case, pipes_case, link_case, permission_case, no_device_case,
                 shapes_case, json_case, npy_accepted_case, npy_refused_case,
                 npy_truncated_case, wav_case, wav_refused_case):
        yield case.__name__.removesuffix("_case").replace("_", " "), case
