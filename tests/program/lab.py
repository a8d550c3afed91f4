#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests gpuprim lab. Prints TAP.

    lab.py GPUPRIM [--sample=N]

One row in N with --quick, drawn as harness/draw.py says; the two mistakes in the texts; options and
output. One run in N compares all 2^32 floats of B3. Oclgrind must report the two races that the lab
has on purpose, and none in two similar rows.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
from draw import is_drawn, sample_of, seed_of  # noqa: E402

GPUPRIM = os.path.abspath(sys.argv[1])
HERE = pathlib.Path(tempfile.mkdtemp(prefix="gpuprim-lab-"))
ROWS = ("L1 L2 L3 L4 L5 L5a L5b L6 A1 A2 A3 A4 A5 A6 A7 gpuprim_reduce C1 C2 C3 C4 B1 B2 B3 B4 "
        "B2-classify B3-classify G1 G2 G3 G4 G5 G6 G7 G8 G9 G10 G11 W1 W2 W3 W4 W5 W6").split()
RACES = ("L1", "L5a")
SEED, SAMPLE = seed_of([]), sample_of(sys.argv)


def lab(*arguments, code=0):
    done = subprocess.run([GPUPRIM, "lab", *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=400)
    assert done.returncode == code, (arguments, done.returncode, done.stderr[-500:])
    return done.stderr if code else done.stdout


def rows(*arguments):
    return {row["id"]: row for row in json.loads(lab("--json", *arguments))}


def list_case():
    lines = [line.split(None, 1) for line in lab("--list").splitlines()]
    assert [line[0] for line in lines] == ROWS, lines
    assert len({line[1] for line in lines}) > len(ROWS) - 2, lines  # C4 and gpuprim_reduce claim the same


def quick_case():
    drawn = [row for row in ROWS if is_drawn(row, SEED, SAMPLE)] or ROWS[:1]
    found = rows("--quick", *drawn)
    assert list(found) == drawn, list(found)
    for row in found.values():
        assert list(row) == ["id", "status", "before_us", "after_us", "ratio", "share", "text"]
        assert row["text"] and row["share"] == 0, row  # --quick measures no ceilings
        # A race may give the right answer.
        expected = {"L5b": ("expected-wrong",)}.get(
            row["id"], ("ok", "expected-wrong") if row["id"] in RACES else ("ok", "not-offered"))
        assert row["status"] in expected, row
        if row["status"] == "not-offered":
            assert "not offered here" in row["text"], row
        elif row["before_us"] is not None:
            ratio = row["before_us"] / row["after_us"]  # above 1 = faster
            assert abs(row["ratio"] / ratio - 1) < 1e-3 + 1e-3 / min(row["before_us"],
                                                                     row["after_us"]), row


def modes_case():
    """B2: the text's table is right for 0x02 and the 16 codes with low bits 0 or 1."""
    text = rows("--quick", "B2")["B2"]["text"]
    assert "Equal for all 32 codes" in text, text
    assert "the text's table is wrong for 15 of them, from 0x03 on" in text, text


def slots_case():
    """B3: the text's version is wrong for floats below 0.5 of either sign, and for NaNs."""
    below_half, infinity, negative = 0x3f000000, 0x7f800000, 0x80000000
    # The bits of the floats that are compared: all, or each 65537th.
    each = is_drawn("all floats of B3", SEED, SAMPLE)
    step = 1 if each else 65537
    wrong = sum(-(-high // step) - -(-low // step) for low, high in (
        (0, below_half), (infinity + 1, negative), (negative, 1 << 32)))
    text = rows(*["--quick"] * (not each), "B3")["B3"]["text"]
    assert f"Equal for {'all 2^32' if each else '65536'} floats" in text, text
    assert f"is wrong for {wrong} of them" in text, text


def times_case():
    """Times with three digits and a unit, the verdict in words, and shares of at most 100 %."""
    path = HERE / "times.json"
    text = lab("W4", "G10", f"--json={path}")
    number = r"(0\.0*[1-9]\d\d|[1-9]\.\d\d|\d\d\.\d|\d\d\d)"
    times = re.findall(rf"^    before +{number} ([num]?s)   after +{number} ([num]?s)   ratio +{number}",
                       text, re.M)
    found = {row["id"]: row for row in json.loads(path.read_text())}
    assert len(times) == 2 and list(found) == ["G10", "W4"], text
    us = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
    for row, (before, unit, after, other, ratio) in zip(found.values(), times):
        for shown, exact in ((float(before) * us[unit], row["before_us"]),
                             (float(after) * us[other], row["after_us"]),
                             (float(ratio), row["before_us"] / row["after_us"])):
            assert abs(shown / exact - 1) < 0.006, (row, times)
        assert row["share"] <= 1, row
        assert re.search("(undecided: the ratio lies between|times as (fast|slow)|no difference above)",
                         row["text"]), row
    undecided = [row for row in found if "undecided" in found[row]["text"]]
    again = re.search("^Undecided; again on a quiet machine: gpuprim lab (.*)$", text, re.M)
    assert (again[1].split() if again else []) == undecided, text
    assert "words per item" in text and re.search(r"^    256 steps, [num]?s per item +\d", text, re.M), text


def classify_case():
    """The rows of the library, and the methods that it describes for the two chains."""
    found = rows("--quick", "B2-classify", "B3-classify")
    for name, rival, method in (
            ("B2-classify", "the table of B2", "a table of 32 labels by 5 bits"),
            ("B3-classify", "the sum of B3", "a search among 5 keys, then a map")):
        row = found[name]
        assert row["status"] == "ok" and row["ratio"] > 0, row
        assert row["text"].startswith(f"against {rival}: ") and method in row["text"], row


def selection_case():
    assert list(rows("--quick", "B2", "A1", "B2")) == ["A1", "B2"]
    text = lab("--quick", "L5", "W2")
    assert re.search(r"^L5: \w.*\n    sum: .*before: L2\n    both answers agree$", text, re.M), text
    assert "W2: " in text and "mean nothing" not in text and " us" not in text, text


def refused_case():
    for arguments in (["X1"], ["A1", "a2"], ["--fast"], ["--plot"], ["A1", "--plot", "x.svg"]):
        error = lab(*arguments, code=2)
        assert error.startswith("gpuprim: "), error
    assert "ID 'X1' is unknown" in lab("--list", "X1", code=2)
    lab("--quick", "W1", "--plot", HERE / "missing" / "x.svg", "-q", code=1)


def plot_case():
    """Two panels beside each other with claim, device, date, axes and curves."""
    path = HERE / "curves.svg"
    device = lab("--quick", "A1", "W2", "W6", "--plot", path).splitlines()[0].split(", driver")[0]
    svg = xml.etree.ElementTree.parse(path).getroot()
    texts = [text.text for text in svg.findall(".//{*}text")]
    claims = [line.split(None, 1)[1] for line in lab("--list", "W2", "W6").splitlines()]
    assert texts[0] == device and re.match(r"\d{4}-\d\d-\d\d, driver", texts[1]), texts
    assert {f"W2: {claims[0]}", f"W6: {claims[1]}"} < set(texts), texts
    assert re.search("page.*dark.*page", svg.find("{*}style").text, re.S)
    panels = [panel for panel in svg.findall("{*}g") if "transform" in panel.attrib]
    across, down = zip(*(panel.get("transform").split() for panel in panels))
    assert len(set(across)) == 2 and len(set(down)) == 1, "the panels are not beside each other"
    for panel, steps in zip(panels, ("0 20 40 60 80 100", "1 2 4 8 16 32")):
        words = [text.text for text in panel.findall("{*}text")]
        at = {float(text.text): float(text.get("x")) for text in panel.findall("{*}text")
              if text.get("text-anchor") == "middle" and text.text in steps.split()}
        assert sorted(at) == [float(step) for step in steps.split()], words
        places = [at[key] for key in sorted(at)]
        apart = [b - a for a, b in zip(places, places[1:])]  # W6 doubles the stride: factors are equal
        assert max(apart) - min(apart) < 0.3, at
        ticks = [float(text.text) for text in panel.findall("{*}text") if text.get("text-anchor") == "end"]
        assert len(ticks) >= 3 and ticks == sorted(ticks), words
        assert len(panel.findall("{*}polyline")) == 2
        points = len(panel.find("{*}polyline").get("points").split())
        assert len(panel.findall(".//{*}line[@class='spread']")) == 2 * points == 2 * (8 if panel is panels[0] else 6)


def json_file_case():
    path = HERE / "rows.json"
    text = lab("--quick", "A1", "B2-classify", f"--json={path}")
    assert re.search("^A1: ", text, re.M) and re.search("^B2-classify: ", text, re.M)
    assert [row["id"] for row in json.loads(path.read_text())] == ["A1", "B2-classify"]
    lab("--quick", "A1", f"--json={HERE / 'missing' / 'rows.json'}", code=1)


def oclgrind(row):
    log = HERE / f"{row}.log"
    done = subprocess.run(["oclgrind", "--data-races", "--build-options", "-cl-opt-disable",
                           "--max-errors", "4", "--log", log, GPUPRIM, "lab", "--quick", row],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    assert f"\n{row}: ".encode() in done.stdout, (done.stdout, done.stderr)
    return log.read_text()


def oclgrind_case():
    if not shutil.which("oclgrind"):
        return "oclgrind is not installed"
    for row in RACES:
        log = oclgrind(row)
        assert "data race" in log and f"Kernel: sum_{row}\n" in log, (row, log[:500])
    for row in ("L2", "L5"):
        assert not oclgrind(row), row
    return None


CASES = {"list": list_case, "quick": quick_case, "BC6H modes": modes_case, "slots": slots_case,
         "times": times_case, "classify": classify_case, "selection": selection_case, "refused": refused_case,
         "plot": plot_case, "JSON file": json_file_case, "oclgrind": oclgrind_case}


def main():
    if subprocess.run([GPUPRIM, "info"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode == 77:
        print("1..0 # SKIP no OpenCL device")
        return 0
    print(f"1..{len(CASES)}\n# one row in {SAMPLE}, drawn by seed {SEED}")
    failed = 0
    for i, (name, case) in enumerate(CASES.items(), 1):
        try:
            why = case()
            print(f"ok {i} - {name}" + (f" # SKIP {why}" if why else ""), flush=True)
        except Exception as error:  # of any kind: report it and go on
            failed += 1
            message = f"{type(error).__name__}: {error}".replace("\n", "\n# ")
            print(f"not ok {i} - {name}\n# {message}", flush=True)
    if failed:
        print(f"# {failed} failed; their files are in {HERE}; repeat with: "
              f"GPUPRIM_CHECK_SEED={SEED} lab.py GPUPRIM --sample={SAMPLE}")
        return 1
    shutil.rmtree(HERE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
