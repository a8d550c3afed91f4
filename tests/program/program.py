#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the gpuprim program against numpy. Prints TAP.

    program.py GPUPRIM [SEED] [--sample=N]

Numbers: every operation on every type, on a vector, on rows, on columns and on nothing, with the
results on stdout and in a .npy file (reduce.py). Files, options and devices: what must
be taken and what must be refused (files.py). Filters and labels alike
(convolve1d.py, classify.py, and each one's _files.py). Two cases run at a time.

Of the cases on numbers, filters and rules one in N runs, others with each seed; of those on files,
options and devices all do.
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
    except Exception as error:  # whatever it is, it belongs into the report
        return False, f"{type(error).__name__}: {error}"


def main():
    require("numpy")
    import numpy
    import classify
    import classify_files
    import convolve1d
    import convolve1d_files
    import files
    import reduce
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
    cases = [case for case in sampled if is_drawn(case[0], SEED, SAMPLE)]
    cases += [*files.cases(), *convolve1d_files.cases(fp64),
              *classify_files.cases()]
    print(f"1..{len(cases)}")
    print(f"# device {device['name']}, driver {device['driver']}, numpy {numpy.__version__}")
    print(f"# seed {SEED}; again with: program.py GPUPRIM {SEED} --sample={SAMPLE}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(run_case, [case for _, case in cases])
        for i, ((name, _), (good, words)) in enumerate(zip(cases, results), 1):
            skip = f" # SKIP {words}" if good and words else ""
            print(f"{'ok' if good else 'not ok'} {i} - {name}{skip}", flush=True)
            if not good:
                failed += 1
                print("# " + words.replace("\n", "\n# "), flush=True)
    if failed:
        print(f"# {failed} failed; the files are left in {HERE}")
        return 1
    shutil.rmtree(HERE)
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True  # the source folder stays as it is
    sys.exit(main())
