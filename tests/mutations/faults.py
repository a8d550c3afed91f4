# SPDX-License-Identifier: Apache-2.0
"""The list of faults that scripts/mutate plants, one at a time: tests/mutations/*.txt.

    # a comment
    [src/core/array.c]                     the file of all faults up to the next such line
    a sub-buffer is taken for its root     the name of the fault: what goes wrong
    - parent ? (void *)parent : base       a text that occurs once in the file, a line or part of it
    + base                                 the text that replaces it
    ! gpu                                  only a GPU runs this code
    ! equivalent: why                      no test can detect it; the fault is not planted

Any blanks and line breaks match any others, so that a line may be wrapped differently. A fault is
stale if its text no longer occurs in the file, or occurs more than once.
"""
import dataclasses
import pathlib
import re


@dataclasses.dataclass
class Fault:
    file: str
    name: str
    old: str = ""
    new: str = ""
    gpu: bool = False
    equivalent: str = ""

    def __str__(self):
        return f"{self.file}: {self.name}"

    def find(self, text):
        """Finds the fault's text in a file; None if it is missing or occurs more than once."""
        pattern = r"\s+".join(map(re.escape, self.old.split()))
        found = list(re.finditer(pattern, text)) if pattern else []
        return found[0] if len(found) == 1 else None

    def plant(self, text):
        at = self.find(text)
        return text[:at.start()] + self.new + text[at.end():]

    def is_stale(self, root):
        path = pathlib.Path(root, self.file)
        return not path.is_file() or not self.find(path.read_text())


def read(path):
    """Reads the faults of one list. A line of no known form raises ValueError."""
    file, fault, faults = None, None, []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            file, fault = line[1:-1], None
        elif line.startswith("- ") and fault and not fault.old:
            fault.old = line[2:]
        elif line.startswith("+") and fault and not fault.new:
            fault.new = line[1:].strip()
        elif line == "! gpu" and fault:
            fault.gpu = True
        elif line.startswith("! equivalent: ") and fault:
            fault.equivalent = line[14:]
        elif file and line[0] not in "-+!":
            fault = Fault(file, line)
            faults.append(fault)
        else:
            raise ValueError(f"{path}:{number}: {line}")
    names = [str(f) for f in faults]
    for fault in faults:
        if not fault.old or fault.old.split() == fault.new.split() or names.count(str(fault)) > 1:
            raise ValueError(f"{path}: no text, no change, or a name that occurs twice: {fault}")
    return faults


def read_all(folder):
    return [f for path in sorted(pathlib.Path(folder).glob("*.txt")) for f in read(path)]
