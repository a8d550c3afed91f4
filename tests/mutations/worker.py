# SPDX-License-Identifier: Apache-2.0
"""The workers of scripts/mutate: each has a copy of the tree and its builds, plants a fault in it
and runs the tests. faults.py has the list of faults, suite.py the tests.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import queue
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

import suite as suites

serial = threading.Lock()  # held by tests that must run alone


def primitives(root):
    words = re.search(r"^primitives = \[(.*)\]", (root / "meson.build").read_text(), re.M)
    return re.findall(r"\w+", words.group(1))


def sanitizers(root):
    """The options with which scripts/test configures its build with sanitizers."""
    text = (root / "scripts" / "test").read_text().replace("\\\n", " ")
    found = re.search(r"^\s*build build-sanitize (.*)$", text, re.M)
    return shlex.split(found.group(1)) if found else []


def has_gpu(program):
    """Whether the tests run on a GPU with inline PTX, which faults marked `! gpu` need."""
    done = subprocess.run([program, "info", "--json"], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return False
    info = json.loads(done.stdout)
    device = info["devices"][info["chosen"]]
    return device["kind"] == "gpu" and "NVIDIA" in device["platform"]


class Worker:
    def __init__(self, number, options, root):
        self.root = root
        self.folder = options.work / f"worker-{number}"
        self.tree, self.cache = self.folder / "tree", self.folder / "cache"
        self.jobs = max(1, (os.cpu_count() or 1) // options.jobs)
        self.options = options
        self.suites = {}
        temporary = self.folder / "tmp"
        # Two threads of PoCL, because there are many workers. It also makes the device the same on
        # every machine.
        self.env = {"POCL_MAX_PTHREAD_COUNT": os.environ.get("POCL_MAX_PTHREAD_COUNT", "2"),
                    "POCL_CACHE_DIR": str(self.cache), "TMPDIR": str(temporary),
                    "ASAN_OPTIONS": "detect_leaks=0",
                    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}

    def make(self):
        """Copies the tree and builds it. A copied build folder would contain the kernels of the
        original tree."""
        for folder in (self.tree, self.folder / "build", self.folder / "build-sanitize"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.root, self.tree, symlinks=True,
                        ignore=shutil.ignore_patterns(".git", "build*", "__pycache__"))
        self.empty_temporary()
        if not self.cache.is_dir() and self.options.cache:
            shutil.copytree(self.options.cache, self.cache)
        self.cache.mkdir(exist_ok=True)
        builds = [("build", [], ())]
        if self.options.sanitize:
            builds.append(("build-sanitize", sanitizers(self.root), ("sanitize",)))
        for name, words, which in builds:
            build = self.folder / name
            subprocess.run(["meson", "setup", str(build), str(self.tree), *words], check=True,
                           stdout=subprocess.DEVNULL)
            if not self.build(name):
                sys.exit(f"the tree does not compile in {build}")
            self.suites[name] = suites.Suite(build, self.options.seed, which)
        return self

    def empty_temporary(self):
        shutil.rmtree(self.env["TMPDIR"], ignore_errors=True)
        pathlib.Path(self.env["TMPDIR"]).mkdir(parents=True)

    def build(self, name):
        return subprocess.run(["ninja", f"-j{self.jobs}", "-C", str(self.folder / name)],
                              stdout=subprocess.DEVNULL).returncode == 0

    def measure(self, build, name, drawn, share):
        suite = self.suites[build]
        limit = 2 * suite.tests[name]["timeout"] if drawn else None
        with contextlib.nullcontext() if suite.tests[name]["is_parallel"] else serial:
            return suite.measure(name, drawn, share, self.env, limit)

    def sees(self, unit):
        suite = self.suites[unit.build]
        with contextlib.nullcontext() if suite.tests[unit.test]["is_parallel"] else serial:
            return suite.run(unit, 60 + 10 * unit.seconds, self.env)

    def meet(self, fault, units, names):
        """Plants the fault and runs units until one detects it."""
        path = self.tree / fault.file
        text = path.read_text()
        path.write_text(fault.plant(text))
        result = {"file": fault.file, "name": fault.name, "outcome": "survived", "by": ""}
        start = time.monotonic()
        try:
            if not all(self.build(name) for name in self.suites):
                result["outcome"] = "does not compile"
                return result
            mine = [u for u in units if suites.relevant(
                u, self.suites[u.build].command(u.test, u.group), fault.file, names)]
            result["units"] = len(mine)
            for unit in sorted(mine, key=lambda u: (not u.drawn, suites.order(u, fault.file))):
                failure = self.sees(unit)
                if failure.startswith(suites.UNBUILT) and fault.file.startswith("kernels/"):
                    result["outcome"], result["by"] = "does not compile", str(unit)
                    break
                if failure:
                    result["outcome"] = "killed by one run" if unit.drawn else "killed by all"
                    result["by"] = f"{unit}: {failure}" if failure != str(unit) else failure
                    break
        finally:
            path.write_text(text)
            self.empty_temporary()
            result["seconds"] = round(time.monotonic() - start, 1)
        return result


def each(pool, workers, function, items):
    """Runs function(worker, item) for all items and yields the results as they arrive. A worker has
    one item at a time."""
    idle = queue.Queue()
    for worker in workers:
        idle.put(worker)

    def one(item):
        worker = idle.get()
        try:
            return function(worker, item)
        finally:
            idle.put(worker)
    for done in concurrent.futures.as_completed([pool.submit(one, i) for i in items]):
        yield done.result()
