#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the gpuprim program against numpy. Prints TAP.

    program.py GPUPRIM [SEED] [--sample=N] [--filter=WORDS]

reduce.py tests every operation on every type: a vector, rows, columns and an empty file, with the
results on stdout and in a .npy file. convolve1d.py and classify.py do the same for filters and
labels. files.py tests which files, options and devices reduce accepts and which it refuses;
formats.py tests the formats of files beyond .npy and .wav. convolve1d_files.py and classify_files.py
test files for the other subcommands. help.py tests what the program prints of its table of options,
terminal.py progress and colours. Two cases run at a time.

Of the cases in reduce.py, convolve1d.py and classify.py one in N runs, chosen by the seed, and of
the other files one in five, unless N is less. With --filter only the cases with WORDS in their
names run.
"""
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
from require import require  # noqa: E402


def run_case(case):
    try:
        return True, case()
    except Exception as error:  # of any kind: report it and go on
        return False, f"{type(error).__name__}: {error}"


def main():
    require("numpy")
    import numpy
    import classify
    import classify_files
    import convolve1d
    import convolve1d_files
    import files
    import formats
    import help
    import reduce
    import terminal
    from draw import is_drawn
    from run import GPUPRIM, HERE, SAMPLE, SEED
    warnings.simplefilter("ignore")  # integers wrap and floats overflow on purpose

    done = subprocess.run([GPUPRIM, "info", "--json"], stdout=subprocess.PIPE)
    if done.returncode == 77:
        print("1..0 # SKIP no OpenCL device")
        return 0
    info = json.loads(done.stdout)
    device = info["devices"][info["chosen"]]
    fp64 = device["fp64"]
    sampled = [*reduce.cases(fp64), *convolve1d.cases(fp64),
               *classify.cases(fp64)]
    others = [*files.cases(), *formats.cases(), *convolve1d_files.cases(fp64),
              *classify_files.cases(), *help.cases(), *terminal.cases()]
    cases = [case for case in sampled if is_drawn(case[0], SEED, SAMPLE)]
    cases += [case for case in others if is_drawn(case[0], SEED, min(SAMPLE, 5))]
    words = next((a.partition("=")[2] for a in sys.argv if a.startswith("--filter=")), "")
    cases = [case for case in cases if words in case[0]]
    print(f"1..{len(cases)}")
    print(f"# device {device['name']}, driver {device['driver']}, numpy {numpy.__version__}")
    print(f"# seed {SEED}; repeat with: program.py GPUPRIM {SEED} --sample={SAMPLE}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(run_case, [case for _, case in cases])
        for i, ((name, _), (good, text)) in enumerate(zip(cases, results), 1):
            skip = f" # SKIP {text}" if good and text else ""
            print(f"{'ok' if good else 'not ok'} {i} - {name}{skip}", flush=True)
            if not good:
                failed += 1
                print("# " + text.replace("\n", "\n# "), flush=True)
    if failed:
        print(f"# {failed} failed; their files are in {HERE}")
        return 1
    shutil.rmtree(HERE)
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True  # keeps the source folder unchanged
    sys.exit(main())
