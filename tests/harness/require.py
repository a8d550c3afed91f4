# SPDX-License-Identifier: Apache-2.0
"""A module that a test cannot do without."""
import importlib
import os
import subprocess
import sys


def require(name):
    """Starts again with a python that has the module, or skips the whole test."""
    try:
        importlib.import_module(name)
        return
    except ImportError:
        pass
    # A python of its own (conda, pyenv) may stand in PATH before the one that has it.
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        other = os.path.join(folder, "python3")
        if os.access(other, os.X_OK) and subprocess.run(
                [other, "-c", f"import {name}"], stderr=subprocess.DEVNULL).returncode == 0:
            os.execv(other, [other] + sys.argv)
    print(f"1..0 # SKIP {name} is not installed")
    sys.exit(0)
