#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang reads the source of every variant's programs, for every type. Prints TAP.

    compile.py CHECK [--sample=N]

One source in N is read, drawn as harness/draw.py says.

CHECK is the program `check`, whose --sources writes the sources (harness/sources.h): it needs an
OpenCL device to ask, but builds nothing there. Each source is read as OpenCL C 1.2 for spir64,
and those of variants for GPUs for nvptx64 as well, with inline PTX switched on. The sources of
calls of the map have inline PTX, and are read for nvptx64 alone. A variant is a line of TAP, and so
are the calls of a primitive's map. The last line plants an error in a branch of one type, which
must be found.

Warnings are errors. Three are off because a program does not use all of its files
(-Wno-unused-function, -Wno-unused-parameter, -Wno-unused-variable), and one because indices of
unrolled loops are signed and counts are not (-Wno-sign-compare).
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
from draw import is_drawn, sample_of, seed_of  # noqa: E402

NAMES = ["clang", *(f"clang-{version}" for version in range(22, 13, -1))]
OPTIONS = ["-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only",
           "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter",
           "-Wno-unused-variable", "-Wno-sign-compare"]
SPIR = ["--target=spir64-unknown-unknown"]
# OpenCL C has no word `asm`; NVIDIA's compiler takes it.
PTX = ["--target=nvptx64-nvidia-nvcl", "-Dasm=__asm__", "-Xclang", "-cl-ext=+cl_khr_fp16"]
NO_PTX, SOME_PTX = "#define PTX 0\n", "#define PTX 90\n"


def compile_text(clang, target, text):
    """The compiler's words; empty if it takes the text."""
    done = subprocess.run([clang, *OPTIONS, *target, "-"], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else done.stdout or f"status {done.returncode}\n"


def compile_file(clang, path):
    text = path.read_text()
    if SOME_PTX in text:
        return compile_text(clang, PTX, text)
    words = compile_text(clang, SPIR, text)
    if not words and ".gpu_" in path.name:
        if NO_PTX not in text:
            return f"no line {NO_PTX}"
        words = compile_text(clang, PTX, text.replace(NO_PTX, SOME_PTX))
    return words


def first_error(words):
    lines = [line for line in words.splitlines() if "error" in line]
    return lines[0] if lines else words.splitlines()[0]


def planted(clang, paths):
    """Whether an error in a branch of one type is found in that type's sources alone."""
    fault = "\n#if TYPE == F16\nthis is wrong\n#endif\n"
    found = {}
    for name in ["f16", "f32"]:
        path = next(p for p in paths if p.name.startswith("reduce.baseline.")
                    and f".{name}." in p.name)
        found[name] = "this is wrong" in compile_text(clang, SPIR, path.read_text() + fault)
    return [] if found == {"f16": True, "f32": False} else [f"a planted error: {found}"]


def main():
    check = sys.argv[1]
    sample, seed = sample_of(sys.argv), seed_of([])
    clang = next(filter(None, map(shutil.which, NAMES)), None)
    if not clang:
        print("1..0 # SKIP no clang")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        written = subprocess.run([check, f"--sources={folder}", f"--seed={seed}"], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for line in written.stdout.splitlines():
            print(f"# {line.removeprefix('# ')}")
        paths = sorted(pathlib.Path(folder).iterdir())
        if written.returncode == 77:
            print("1..0 # SKIP no OpenCL device to ask")
            return 0
        variants = {}
        for path in paths:
            variants.setdefault(".".join(path.name.split(".")[:2]), []).append(path)
        print(f"1..{len(variants) + 2}")
        print(f"# one file in {sample} of each variant, drawn by seed {seed}")
        results = [("sources", [] if written.returncode == 0 else ["check --sources failed"])]
        for variant, files in variants.items():
            files = [path for path in files if is_drawn(path.name, seed, sample)]
            wrong = [(path.name, compile_file(clang, path)) for path in files]
            results.append((f"{variant}, {len(files)} sources",
                            [f"{name}: {first_error(words)}" for name, words in wrong if words]))
        results.append(("a planted error", planted(clang, paths)))
    for number, (name, wrong) in enumerate(results, 1):
        for words in wrong:
            print(f"# {words}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    return 1 if any(wrong for _, wrong in results) else 0


sys.exit(main())
