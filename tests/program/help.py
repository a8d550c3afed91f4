# SPDX-License-Identifier: Apache-2.0
"""The texts that the program makes of its table of options: help, man page, completions. Start
program.py."""
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np

from files import wave
from run import GPUPRIM, HERE, gpuprim

COMMANDS = ("info", "reduce", "convolve1d", "classify", "lab", "help")
MANUAL = pathlib.Path(__file__).parent.parent.parent / "docs" / "program.md"


def examples():
    """The commands of all help texts."""
    for name in COMMANDS:
        text = gpuprim("help", name)
        lines = re.findall(r"^  (gpuprim .*)", text[text.index("\nExamples:\n"):], re.M)
        assert lines, text
        yield from ((name, line) for line in lines)


def prepare(folder):
    """The files that the examples read."""
    folder.mkdir()
    t = np.arange(4800)
    sound = (8000 * np.sin(t / 9)).astype("<i2")
    (folder / "speech.wav").write_bytes(wave(1, 16, 1, sound.tobytes()))
    (folder / "stereo.wav").write_bytes(wave(1, 16, 2, sound.tobytes()))
    (folder / "photo.pgm").write_bytes(b"P5 64 75 255\n" + sound.astype("u1").tobytes())
    table = np.linspace(0, 1, 60).reshape(20, 3).astype("f4")
    np.save(folder / "table.npy", table)
    np.ones(64, "f4").tofile(folder / "samples.raw")
    np.arange(64).astype("u4").tofile(folder / "blocks.raw")
    (folder / "modes.csv").write_text("0x03,0x00,0\n0x03,0x01,1\n0x1f,0x02,2\n")
    (folder / "gpuprim").symlink_to(GPUPRIM)


def examples_case():
    """Every example of a help text runs, and writes the files that it names. Of the lab's rows those
    are only listed: lab.py runs some."""
    folder = HERE / "examples"
    prepare(folder)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    for name, line in examples():
        if name in ("reduce", "convolve1d", "classify"):  # few kernels to compile
            env["GPUPRIM_VARIANT"] = f"{name}:baseline"
        done = subprocess.run(line + (" --list" if name == "lab" else ""), shell=True, cwd=folder,
                              env=env, timeout=300, capture_output=True, text=True,
                              errors="replace")
        assert done.returncode == 0, (line, done.stderr)
        for out in re.findall(r"(?:-o|--counts|>) ([\w.]+)", line):
            assert (folder / out).stat().st_size, (line, out)
    assert np.fromfile(folder / "means.raw", "f4").tolist()[1:-1] == [1] * 6


def options_of(name):
    return set(re.findall(r"^  (?:-\w,|   ) (--[\w-]+)", gpuprim("help", name), re.M))


def described_case():
    """docs/program.md names the options that there are, and no others."""
    text = MANUAL.read_text()
    known = set().union(*map(options_of, COMMANDS)) | {"--version"}
    assert {"--rows", "--taps", "--uniform", "--device", "--quick"} <= known, known
    named = set(re.findall(r"--[a-z][\w-]*", text))
    assert named - known == set(), f"program.md names options that are not there: {named - known}"
    assert known - named <= {"--version", "--help"}, f"program.md lacks {known - named}"
    for name in COMMANDS:
        usage = gpuprim("help", name).partition("[OPTION...]")[0].removeprefix("Usage: ")
        assert f"    {' '.join(usage.split())} [OPTION...]\n" in text, usage


def man_case():
    page = gpuprim("help", "--print", "man")
    plain = page.replace("\\-", "-")
    for name in COMMANDS:
        for option in options_of(name):
            assert f"\\fB{option}\\fR" in plain, option
    for _, line in examples():
        assert line in plain.replace("\\&", "").replace("\\(aq", "'"), line
    path = HERE / "gpuprim.1"
    path.write_text(page)
    checks = {"groff": ["-man", "-Tutf8", "-ww", "-z"], "mandoc": ["-Tlint", "-Wwarning"]}
    tools = [tool for tool in checks if shutil.which(tool)]
    for tool in tools:
        done = subprocess.run([tool, *checks[tool], path], capture_output=True, text=True)
        lines = [line for line in (done.stdout + done.stderr).splitlines()
                 if "missing date" not in line]  # the version tells; a date would go stale
        assert not lines, (tool, lines)
    return None if tools else "neither groff nor mandoc is installed to check the man page"


def completed(script, *words):
    """What bash offers at the end of a command line."""
    # bash divides words at "=".
    parts = [part for word in words for part in (re.split("(=)", word) if word else [""]) if part
             or not word]
    listed = " ".join(f"'{part}'" for part in parts)
    run = f"source {script}; COMP_WORDS=({listed}); COMP_CWORD={len(parts) - 1}; _gpuprim; " \
        'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", run], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.split()


def bash_case():
    script = HERE / "completion.bash"
    script.write_text(gpuprim("help", "--print", "bash"))
    for words, wanted in ((("re",), ["reduce"]), (("--ver",), ["--version", "--verbose"]),
                          (("-d", "c"), ["cpu"]),
                          (("",), list(COMMANDS)), (("reduce", "sum-"), ["sum-abs", "sum-squares"]),
                          (("reduce", "sum", "--r"), ["--rows", "--raw"]),
                          (("reduce", "sum", "--nan", ""), ["propagate", "ignore"]),
                          (("reduce", "sum", "--nan=i"), ["ignore"]),
                          (("reduce", "sum", "--nan="), ["propagate", "ignore"]),
                          (("-d", "cpu", "classify", "x.npy", "--outside", "c"),
                           ["clamp", "classes"]),
                          (("convolve1d", "--mode", "same"), ["same", "same-upper"]),
                          (("reduce", "sum", "-o", ""), []), (("reduce", "sum", "x"), []),
                          (("classify", "-d", "g"), ["gpu"]), (("help", "cl"), ["classify"])):
        got = completed(script, "gpuprim", *words)
        assert got == wanted, (words, got)
    for name in COMMANDS:
        assert set(completed(script, "gpuprim", name, "--")) == options_of(name), name


def shells_case():
    """zsh and fish read their scripts; fish also completes by it."""
    missing = [shell for shell in ("zsh", "fish") if not shutil.which(shell)]
    for shell in ("zsh", "fish"):
        script = HERE / f"completion.{shell}"
        script.write_text(gpuprim("help", "--print", shell))
        assert all(f"{name}" in script.read_text() for name in COMMANDS)
        if shell not in missing:
            done = subprocess.run([shell, "-n", script], capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, done
    if "fish" not in missing:
        env = {**os.environ, "HOME": str(HERE)}
        for line, wanted in (("reduce sum --nan ", ["propagate", "ignore"]), ("conv", ["convolve1d"]),
                             ("reduce argm", ["argmin", "argmax"])):
            run = f"source {HERE / 'completion.fish'}; complete -C 'gpuprim {line}'"
            done = subprocess.run(["fish", "--no-config", "-c", run], capture_output=True, text=True,
                                  env=env)
            got = [text.split("\t")[0] for text in done.stdout.splitlines()]
            assert sorted(got) == sorted(wanted), (line, done)
    return f"{' and '.join(missing)} not installed" if missing else None


def cases():
    """Yields pairs of a name and a function that raises, or returns why it did not run."""
    for case in (examples_case, described_case, man_case, bash_case, shells_case):
        yield "help " + case.__name__.removesuffix("_case"), case
