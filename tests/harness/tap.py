# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of a test and prints TAP."""
import traceback


def run(cases, head):
    """A case is a function. It raises if something is wrong; what it returns is why it was skipped.
    `head` is a comment, such as the command that repeats the run. Returns the exit status."""
    print(f"1..{len(cases)}\n# {head}")
    failed = 0
    for i, case in enumerate(cases, 1):
        try:
            skipped, words = case(), ""
        except Exception:
            skipped, words = None, traceback.format_exc().replace("\n", "\n# ")
        failed += bool(words)
        print(f"{'not ok' if words else 'ok'} {i} - {case.__name__.replace('_', ' ')}"
              + (f" # SKIP {skipped}" if skipped else "") + (f"\n# {words}" if words else ""), flush=True)
    return 1 if failed else 0
