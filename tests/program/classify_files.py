# SPDX-License-Identifier: Apache-2.0
"""What gpuprim classify reads, writes, prints and refuses. Start program.py."""
import functools
import json

import numpy as np

import classify as numbers
from classify import REJECTED, by_thresholds, random_array, saved
from files import wav_bytes, wave
from run import HERE, SEED, dtype
from run import simple_run as run
from run import simply as gpuprim

classify = functools.partial(numbers.classify, by=gpuprim)


def wav_case():
    """Labels of a sound have one row per frame. Each channel may have thresholds of its own."""
    rng = np.random.default_rng(SEED)
    path = HERE / "classify.wav"
    for form, bits, name in ((1, 8, "i8"), (3, 32, "f32")):  # files.py has the other formats
        high = 2**(bits - 1) - 1
        low = -high
        samples = rng.integers(low, high, (500, 3))
        path.write_bytes(wave(form, bits, 3, wav_bytes(form, bits, samples)))
        samples = samples.astype(dtype(name))
        t = np.sort(rng.choice(samples.ravel(), 9))
        classify("wav", samples, by_thresholds(samples, t), "--thresholds",
                 saved("wav-thresholds", t), n_labels=10, file=path)
        t = np.sort(rng.choice(samples.ravel(), (3, 4)), axis=1)
        wanted = np.array([by_thresholds(c, limits) for c, limits in zip(samples.T, t)]).T
        classify("wav", samples, wanted, "--thresholds", saved("wav-thresholds", t), n_labels=5,
                 file=path)


def raw_case():
    rng = np.random.default_rng(SEED)
    path = HERE / "classify.raw"
    x = random_array(rng, "u16", 777)
    path.write_bytes(x.tobytes())
    classify("raw", x, (x & 15).astype(int), "--table", saved("raw-table", np.arange(16)),
             "--raw", "u16", file=path)


def convert_case():
    """Thresholds of another type are accepted if the type of the elements has the same numbers."""
    rng = np.random.default_rng(SEED)
    for name, kinds in (("f32", ("f8", "f2", "i8", "u1")), ("i16", ("f8", "i8", "f4", "i1")),
                        ("u64", ("i8", "f8", "u1")), ("f16", ("f8", "f4", "i2")),
                        ("i64", ("u8", "f8"))):
        x = random_array(rng, name, 500)
        for kind in kinds:
            t = np.array([0, 1, 2, 5, 100]).astype(kind)
            classify("convert", x, by_thresholds(x, t.astype(x.dtype)), "--thresholds",
                     saved("convert-thresholds", t), n_labels=6)
    x = saved("convert", random_array(rng, "u64", 500))
    rule = ("--thresholds", saved("convert-thresholds", np.array([2.0**63, 2.0**64 - 2**11])))
    gpuprim("classify", x, *rule, "-q", "--check")
    for name, bad in (("f32", [0, 1e300]), ("f16", [0, 1e6]), ("i16", [0, 0.5]), ("i16", [0, 32768]), ("u8", [0, -1]),
                      ("u64", [0, 2.0**64]),
                      ("i64", [0, 2.0**63]), ("i32", [0, np.inf]), ("i32", [0, np.nan])):
        x = saved("convert", np.zeros(5, dtype(name)))
        t = saved("convert-thresholds", np.array(bad))
        err = run("classify", x, "--thresholds", t, code=1)[1]
        assert f"{t}: element [1]" in err and f"to {name} exactly" in err, err
        t = saved("convert-thresholds", np.array([[0, 0], bad]))
        assert "element [1, 1]" in run("classify", x, "--thresholds", t, code=1)[1]
    table = saved("convert-thresholds", np.array([0, -1]))
    assert "element [1], -1" in run("classify", saved("convert", np.zeros(5, "u1")), "--table",
                                    table, code=1)[1]


def rounded_case():
    """Thresholds of floats are rounded to the type of the elements, and a line says so."""
    t = np.array([0.1, 0.5, 0.7])
    for name in ("f4", "f2"):
        x = np.repeat(t.astype(name), 3).reshape(3, 3)
        x[:, 0], x[:, 2] = np.nextafter(x[:, 1], -x.dtype.type(np.inf)), np.nextafter(
            x[:, 1], x.dtype.type(np.inf))
        path, out = saved("rounded", x), HERE / "classify-rounded-out.npy"
        for rule in (saved("rounded-thresholds", t), "0.1,0.5,0.7"):
            err = run("classify", path, "--thresholds", rule, "-o", out, "--check")[1]
            assert "2 of 3 thresholds were rounded to f" in err, err
            assert np.load(out).tolist() == [[0, 1, 1], [1, 2, 2], [2, 3, 3]], (name, rule)
            run("classify", path, "--thresholds", rule, "-o", out, "-q")


def inline_case():
    """Numbers on the command line instead of files."""
    x = np.arange(-5, 15, dtype="i4").reshape(2, 10)
    path, out = saved("inline", x), HERE / "classify-inline-out.npy"
    for rule, wanted in ((("--thresholds", "0,5"), np.digitize(x, [0, 5])),
                         (("--thresholds", "-3"), np.digitize(x, [-3])),
                         (("--thresholds", "0,5;7,9"),
                          np.array([np.digitize(x[0], [0, 5]), np.digitize(x[1], [7, 9])])),
                         (("--table", "7,6,5,4"), 7 - (x & 3)),
                         (("--thresholds", "0,5", "--map", "9,8,9"),
                          np.array([9, 8, 9])[np.digitize(x, [0, 5])])):
        gpuprim("classify", path, *rule, "-o", out, "--check", "-q")
        assert np.array_equal(np.load(out), wanted), rule
    for bad, words in (("0,,1", "no list"), ("1,2;3", "lengths"), ("1,2,", "no list"),
                       ("1e", "no list"), ("0x10", "neither a file nor")):
        err = run("classify", path, "--thresholds", bad, code=1 if "file" in words else 2)[1]
        assert words in err, err


def table_case():
    """The table that is printed without output files."""
    x = saved("print", np.array([0, 5, 5, 9, -1, 2.5, np.nan, 7], "f4"))
    rule = ("--thresholds", saved("print-thresholds", np.array([0, 5, 6, 8], "f4")))
    text = gpuprim("classify", x, *rule, "-q", "--check")
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["label", "count", "share"], text
    assert lines[1:] == [["0", "1", "12.500", "%"], ["1", "2", "25.000", "%"],
                         ["2", "2", "25.000", "%"], ["3", "1", "12.500", "%"],
                         ["4", "2", "25.000", "%"]], text
    text = gpuprim("classify", x, *rule, "--nan", "reject", "-q")
    assert text.splitlines()[-1].split() == ["rejected", "1", "12.500", "%"], text
    out = HERE / "classify-print-out.npy"
    for words in (("-o", out), ("--counts", out)):
        assert gpuprim("classify", x, *rule, *words) == "", words
    out, err = run("classify", x, *rule, "-v", "--check")
    assert "check: agrees" in err and "classify: 1 x 8 f32" in err, err


def json_case():
    x = saved("json", np.array([[0, 5, 12], [-3, 9, 10]], "i2"))
    out, counts = HERE / "classify-json-out.npy", HERE / "classify-json-counts.npy"
    words = ("--uniform", "0:10:2", "--outside", "reject", "--json", "--check", "-q")
    answer = json.loads(gpuprim("classify", x, *words, "-o", out, "--counts", counts))
    assert (answer["type"], answer["shape"], answer["rule"]) == ("i16", [2, 3], "uniform"), answer
    assert (answer["labels"], answer["counts"], answer["rejected"]) == (2, [1, 2], 3), answer
    assert answer["edges"] == [0, 5, 10] and answer["checked"] is True, answer
    assert (answer["output"], answer["label_type"]) == (str(out), "u8"), answer
    assert answer["counts_output"] == str(counts) and answer["file"] == str(x), answer
    assert answer["device"] and answer["driver"] and answer["seconds"] >= 0, answer
    assert answer["how"] and np.load(out).tolist() == [[0, 1, 255], [255, 1, 255]], answer
    answer = json.loads(gpuprim("classify", x, *words[:2], "--json", "-q"))
    assert answer["counts"] == [2, 4] and "output" not in answer, answer
    answer = json.loads(gpuprim("classify", x, *words[:2], "--json", "-q", "-o", out))
    assert answer["counts"] == [2, 4] and answer["label_type"] == "u8", answer


def empty_case():
    """Without elements, labels still have the right shape, and all counts are 0."""
    path, out, counts = (HERE / f"classify-empty{end}.npy" for end in ("", "-out", "-counts"))
    files = ("-o", out, "--counts", counts, "-q", "--check")
    for shape in ((0,), (0, 4), (3, 0)):
        np.save(path, np.zeros(shape, "u1"))
        gpuprim("classify", path, "--uniform", "0:9:3", *files)
        assert np.load(out).shape == shape and np.load(counts).tolist() == [0, 0, 0], shape
    np.save(path, np.zeros((0, 4), "u1"))
    words = run("classify", path, "--thresholds", path, "-q", code=1)[1]
    assert "no row of thresholds" in words, words
    np.save(path, np.zeros(3, "u1"))
    gpuprim("classify", path, "--cases", "/dev/null", *files)
    assert np.load(out).tolist() == [255] * 3 and np.load(counts).shape == (0,)


# ----------------------------------------------------------------------------------- refusals

def cases_file_case():
    """The message names the line that is wrong."""
    x, path = saved("lines", np.zeros(5, "u2")), HERE / "classify-lines.csv"
    for words, bad in (
            ("is not", "1,1"), ("is not", "1,1,"), ("is not", "1,1,1,1"), ("is not", "1;1;1"),
            ("is not", "a,1,1"), ("is not", "-1,1,1"), ("is not", "1,1,-1"), ("is not", "1.5,1,1"),
            ("is not", "0x,1,1"), ("is not", "1,1,rejected"), ("is not", "1,1,4294967295"),
            ("is not", "99999999999999999999,1,1"), ("is not", ",1,1"), ("is not", "mask,value"),
            ("16 bits", "0x10000,0,1"), ("excludes", "1,2,1"), ("zero byte", "1,1,1\0")):
        path.write_text(f"# comment\n\n0xff,0x0f,3\n{bad}\n1,1,1\n")
        err = run("classify", x, "--cases", path, code=1)[1]
        assert f"{path}: line 4: " in err and words in err, (bad, err)
    path.write_text("1,1,1\n" * 65537)
    err = run("classify", x, "--cases", path, code=1)[1]
    assert f"{path}: line 65537: " in err, err
    for bad in (HERE, HERE / "absent.csv"):
        assert str(bad) in run("classify", x, "--cases", bad, code=1)[1]
    path.write_text("0XFFFF,0x0000,reject\n0,0,2")  # without a newline at the end
    classify("lines", np.arange(3, dtype="u2"), np.array([REJECTED, 2, 2]), "--cases", path,
             rejects=True)


def usage_case():
    x = saved("usage", np.zeros(5, "i2"))
    t = saved("usage-thresholds", np.array([1, 2], "i2"))
    rule = (x, "--thresholds", t)
    uniform = (x, "--uniform", "0:10:2")
    for words, *arguments in (
            ("missing",), ("--thresholds or --uniform or --table or --cases is missing", x), ("one operand too many", *rule, x),
            ("only one of --thresholds", *rule, "--uniform", "0:1:2"), ("only one of --thresholds", *rule, "--cases", t),
            ("did you mean left?", *rule, "--closed", "lift"),
            ("--closed needs", *uniform, "--closed", "left"),
            ("--outside", *uniform, "--outside", "in"),
            ("--outside needs", *rule, "--outside", "clamp"),
            ("--top-inclusive needs", *rule, "--top-inclusive"),
            ("--shift needs", *rule, "--shift", 1),
            ("--mask needs", *rule, "--mask", 1), ("--default needs", *rule, "--default", 1),
            ("--nan needs", x, "--table", t, "--nan", "high"),
            ("--map needs", x, "--cases", t, "--map", t),
            ("did you mean high?", *rule, "--nan", "hihg"), ("--nan", *rule, "--nan", "-1"),
            ("--shift", x, "--table", t, "--shift", "64"),
            ("--mask", x, "--table", t, "--mask", "0"),
            ("--default", x, "--cases", t, "--default", "4294967295"),
            ("LO:HI:N", x, "--uniform", "0:10"), ("LO:HI:N", x, "--uniform", "0:10:"),
            ("LO:HI:N", x, "--uniform", "0:10:2.5"), ("LO:HI:N", x, "--uniform", ":10:2"),
            ("LO:HI:N", x, "--uniform", "0:10:2:3"), ("LO:HI:N", x, "--uniform", "a:10:2"),
            ("LO:HI:N", x, "--uniform", "0:10:-2"), ("LO:HI:N", x, "--uniform", "0:1:4294967296"),
            ("same file", *rule, "-o", "one.npy", "--counts", "one.npy"),
            ("", *rule, "--nonsense"), ("--raw", *rule, "--raw", "text")):
        err = run("classify", *arguments, code=2)[1]
        assert words in err, (arguments, err)
    assert "--thresholds" in gpuprim("classify", "--help")
    assert "classify" in gpuprim("--help")


def refusals_case():
    x, y = saved("refuse-i2", np.zeros(5, "i2")), saved("refuse-f4", np.zeros((2, 5), "f4"))
    z = saved("refuse-c8", np.zeros(5, "c8"))
    down = saved("refuse-down", np.array([1, 3, 2], "i2"))
    none = saved("refuse-nan", np.array([1, np.nan], "f4"))
    three = saved("refuse-three", np.zeros((3, 2), "f4"))
    two = saved("refuse-two", np.zeros((2, 4), "u1"))
    few = saved("refuse-few", np.zeros(3, "u1"))
    sound, out = HERE / "refuse-classify.wav", HERE / "classify-refuse-out.npy"
    sound.write_bytes(wave(1, 16, 1, bytes(40)))
    for words, *arguments in (
            ("2", x, "--thresholds", down), ("1", y, "--thresholds", none),
            ("complex", y, "--thresholds", z), ("3 rows of thresholds", y, "--thresholds", three),
            ("is a sound", x, "--thresholds", sound), ("is a sound", x, "--table", sound),
            ("", z, "--uniform", "0:1:2"), ("", y, "--table", few),
            ("", y, "--cases", "/dev/null"),
            ("must be one row", x, "--table", two), ("", x, "--table", few),
            ("", x, "--table", few, "--mask", 3),
            ("", x, "--table", few, "--mask", 1, "--shift", 16),
            ("", x, "--uniform", "3:3:2"), ("", x, "--uniform", "nan:3:2"),
            ("", x, "--uniform", "0:9:0"),
            ("", x, "--uniform", "0:inf:3"), ("", x, "--uniform", "0:3:4"),
            ("", x, "--uniform", "0:1:65536"),
            ("", x, "--uniform", "0:4:4", "--nan", 4), ("", x, "--uniform", "0:4:4", "--map", few),
            ("absent", HERE / "absent.npy", "--uniform", "0:1:1"),
            ("absent", x, "--table", HERE / "absent.npy"),
            ("cannot be written", x, "--uniform", "0:1:1", "-o", HERE / "absent" / "out.npy")):
        err = run("classify", *arguments, *(() if "-o" in arguments else ("-o", out)), code=1)[1]
        assert words in err, (arguments, err)
    run("classify", x, "--uniform", "0:1:1", "-d", "no such device", code=77)
    assert not out.exists(), "a refused call wrote a file"
    assert not list(HERE.glob("*classify*.tmp")), "a temporary file remains"


def cases():
    """Yields pairs of a name and a function that raises if something is wrong."""
    for case in (wav_case, raw_case, convert_case, rounded_case, inline_case, table_case,
                 json_case, empty_case, cases_file_case, usage_case, refusals_case):
        yield "classify " + case.__name__.removesuffix("_case").replace("_", " "), case
