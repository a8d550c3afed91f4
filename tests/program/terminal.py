# SPDX-License-Identifier: Apache-2.0
"""What the program writes to a terminal: progress and colours. Start program.py."""
import os
import pty
import subprocess
import time

import numpy as np

from run import GPUPRIM, HERE


def on_terminal(*arguments, stdin=b"", slowly=False, **variables):
    """Runs the program with stderr on a terminal. Returns stdout and what the terminal got."""
    env = {**os.environ, "TERM": "xterm", **variables}
    env = {name: value for name, value in env.items() if value is not None}
    ours, theirs = pty.openpty()
    try:
        done = subprocess.Popen([GPUPRIM, *map(str, arguments)], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=theirs, env=env)
        if slowly:
            done.stdin.write(stdin[:len(stdin) // 2])
            done.stdin.flush()
            time.sleep(1.6)
            stdin = stdin[len(stdin) // 2:]
        out = done.communicate(stdin, timeout=300)[0].decode()
        os.write(theirs, b"\0")  # the end
        text = b""
        while not text.endswith(b"\0"):
            text += os.read(ours, 1 << 16)
    finally:
        os.close(ours)
        os.close(theirs)
    return out, text[:-1].decode()


def progress_case():
    """The line is there from the first second on, and vanishes."""
    content = np.ones(1 << 20, "i4").tobytes()
    words = ("reduce", "sum", "-", "--raw", "i32")
    out, text = on_terminal(*words, stdin=content, slowly=True)
    assert out == f"{1 << 20}\n", out
    line = "\r\x1b[Kreading: "
    assert line in text and " MiB/s" in text, repr(text)
    assert "\r\x1b[K" in text[text.rindex(line) + len(line):], repr(text)
    for quiet, env in (("-q", {}), ("--json", {}), ("-v", {}), ("--columns", {"TERM": "dumb"})):
        text = on_terminal(*words, quiet, stdin=content[:1 << 12], slowly=True, **env)[1]
        assert "reading" not in text and "\x1b" not in text, (quiet, text)


def colours_case():
    """Colours on terminals alone, and never with NO_COLOR."""
    path = HERE / "colours.npy"
    np.save(path, np.ones(5, "i4"))
    red, green = "\x1b[31mgpuprim:\x1b[m ", "\x1b[32magrees\x1b[m with"
    assert on_terminal("reduce", "summ", path)[1].startswith(red)
    assert green in on_terminal("reduce", "sum", path, "--check")[1]
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
        text = on_terminal("reduce", "summ", path, **variables)[1]
        assert text.startswith("gpuprim: ") and "\x1b" not in text, (variables, text)
    assert red in on_terminal("reduce", "summ", path, NO_COLOR="")[1]


def cases():
    """Yields pairs of a name and a function that raises if something is wrong."""
    for case in (progress_case, colours_case):
        yield "terminal " + case.__name__.removesuffix("_case"), case
