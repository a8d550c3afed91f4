# SPDX-License-Identifier: Apache-2.0
"""The test suite for scripts/mutate: the commands that meson knows, divided into units that are run
one by one. A unit is a group of the program `check`, or another test as a whole.
"""
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

GROUP_OPTIONS = ("--filter=", "--sample=", "--part=")
# These see that a text has changed, not what is wrong: the test of the list itself, and the one of
# the format, which a planted text seldom has.
NO_TESTS = ("mutate", "format.sh")
QUICK_WORDS = ("error", "refus", "driver", "edges", "corner", "limit", "fault", "api/", "named")
# The library's message about kernels that the device's compiler refuses, and how a failure starts
# then.
UNBUILT_WORDS = re.compile(r"^# .*building \w+ \([\w ]+\) for ")
UNBUILT = "kernels do not build: "

running = set()  # process groups of the tests that run


def end_all():
    for session in running:
        os.killpg(session, signal.SIGKILL)


@dataclasses.dataclass
class Unit:
    build: str   # the build folder's name
    test: str    # meson's name
    group: str   # of `check`; "" = the whole test
    drawn: bool  # one run of scripts/test includes it
    seconds: float

    def __str__(self):
        return self.group or self.test


class Suite:
    """The tests of one build folder."""

    def __init__(self, build, seed, suites=()):
        self.build, self.seed = pathlib.Path(build), seed
        text = subprocess.run(["meson", "introspect", "--tests", str(build)], check=True,
                              stdout=subprocess.PIPE).stdout
        self.tests = {t["name"]: t for t in json.loads(text)
                      if not any(pathlib.Path(w).name in NO_TESTS for w in t["cmd"]) and
                      (not suites or any(s.split(":")[-1] in suites for s in t["suite"]))}

    def is_check(self, name):
        test = self.tests[name]
        return pathlib.Path(test["cmd"][0]).name == "check" and test["protocol"] == "tap"

    def is_sampled(self, name):
        return any(w.startswith("--sample=") for w in self.tests[name]["cmd"])

    def command(self, name, group="", share=(0, 1)):
        """The command of a test, of one of its groups, or of a share (k, n) of its groups."""
        words = list(self.tests[name]["cmd"])
        if group:
            literal = "".join("\\" + c if c in "[]*?\\" else c for c in group)
            return [w for w in words if not w.startswith(GROUP_OPTIONS)] + ["--filter=" + literal]
        if share[1] > 1:  # part K of N consists of the parts K, K + N ... of a multiple of N
            part = next((w for w in words if w.startswith("--part=")), "--part=0/1")
            k, n = map(int, part[7:].split("/"))
            words = [w for w in words if w != part] + [f"--part={k + n * share[0]}/{n * share[1]}"]
        return words

    def environment(self, name, drawn, env):
        # tests/harness/choice.h
        everything = {} if drawn else {"GPUPRIM_CHECK_SAMPLE": "1"}
        return {**os.environ, "GPUPRIM_CHECK_SEED": str(self.seed), **everything, **env,
                **self.tests[name]["env"]}

    def run(self, unit, limit, env):
        """Runs a unit until its first failure. Returns "" if it passes, else what failed."""
        return run_command(self.command(unit.test, unit.group), self.build,
                           self.environment(unit.test, unit.drawn, env), limit,
                           self.tests[unit.test]["protocol"] == "tap")

    def measure(self, name, drawn, share, env, limit):
        """Returns the units of a test that pass without a fault, and what failed."""
        units, failures, start = [], [], time.monotonic()

        def on_group(good, group, skipped):
            nonlocal start
            now = time.monotonic()
            if not good:
                failures.append(group)
            elif self.is_check(name) and not skipped:
                units.append(Unit(self.build.name, name, group, drawn, now - start))
            start = now

        begin = start
        failure = run_command(self.command(name, "", share), self.build,
                              self.environment(name, drawn, env), limit,
                              self.tests[name]["protocol"] == "tap", on_group)
        if failure:
            failures.append(failure)
        elif not failures and not self.is_check(name):
            units.append(Unit(self.build.name, name, "", drawn, time.monotonic() - begin))
        return units, [f"{name}: {f}" for f in failures]


def run_command(words, folder, env, limit, is_tap, on_group=None):
    """Like Suite.run. With `on_group`, which gets every group, it goes on after a failure."""
    process = subprocess.Popen(words, cwd=folder, env=env, text=True, errors="replace",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    late = threading.Event()
    running.add(process.pid)

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)  # the process leads a session of its own
        except ProcessLookupError:
            pass

    def end_late():
        late.set()
        end()

    timer = threading.Timer(limit, end_late) if limit else None
    if timer:
        timer.start()
    failure, unbuilt = "", ""
    try:
        for line in process.stdout:
            if not is_tap or "# TODO" in line:
                continue
            if UNBUILT_WORDS.search(line):
                unbuilt = UNBUILT
            if line.startswith(("ok ", "not ok ")):
                group, _, skipped = line.partition(" - ")[2].partition(" # SKIP")
                if on_group:
                    on_group(line[0] == "o", group.strip(), bool(skipped))
                elif line[0] == "n":
                    failure = group.strip() or line.strip()
            elif line.startswith("Bail out!"):
                failure = line.strip()
            if failure:
                break
    finally:
        if timer:
            timer.cancel()
        if failure or late.is_set():
            end()
        process.stdout.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        end()  # processes that it left behind; its number is not yet reused
        running.discard(process.pid)
        code = process.wait()
    if failure:
        return unbuilt + failure
    if late.is_set():
        return f"did not end within {limit:.0f} s"
    if code < 0:
        return f"ended by signal {-code}"
    return "" if code in (0, 77) else f"exit status {code}"


def relevant(unit, command, file, primitives):
    """Whether this unit can see a fault in `file`. It cannot where it tests another primitive only,
    or another program."""
    # Of a path the last two parts count: the folder of a script tells what it tests.
    words = " ".join([unit.group or unit.test,
                      *("/".join(pathlib.Path(w).parts[-2:]) if "=" not in w else w
                        for w in command)])
    folders = pathlib.Path(file).parts[:-1]
    if folders[0] == "tools":
        is_program = any(pathlib.Path(w).name == "gpuprim" for w in command)
        reads = "readers/" in words if unit.group else "=api/" in words  # groups of the test api
        return ("lab" in unit.test) == ("lab" in folders) and (is_program or reads)
    own = [p for p in primitives if p in folders]
    if own and "lab" in unit.test:  # the lab has its own kernels
        return False
    tested = [p for p in primitives if p in (unit.group or words)]
    return not own or not tested or bool(set(own) & set(tested))


def order(unit, file):
    """Sort key: small if the unit is likely to detect a fault in `file` quickly."""
    parts = pathlib.Path(file).stem.split("_")
    hit = any(len(p) > 2 and p in str(unit) for p in parts)
    quick = any(w in str(unit) for w in QUICK_WORDS)
    return (unit.seconds + 0.1) * (0.2 if hit else 1) * (0.3 if quick else 1)
