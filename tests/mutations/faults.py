# SPDX-License-Identifier: Apache-2.0
"""The list of faults that scripts/mutate plants, one at a time: tests/mutations/*.txt.

    # a comment
    [src/core/array.c]                          the file, for all faults up to the next such line
    a sub-buffer is taken for its root     what is wrong then: the fault's name within the file
    - parent ? (void *)parent : base       a text that stands once in the file, one line or a part
    + base                                 what stands in its place
    ! gpu                                  only a GPU runs this code
    ! equivalent: why                      no test can see it; not planted

Blanks and line breaks in a text are taken for any others, so that a line may be wrapped anew. A
fault whose text stands there no longer, or more than once, is stale.
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
        """Where the fault's text stands in the file's; None where it does not, or not alone."""
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
    """The faults of one list. A line that is none of the above raises ValueError."""
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
            raise ValueError(f"{path}: no text, no change, or one name twice: {fault}")
    return faults


def read_all(folder):
    return [f for path in sorted(pathlib.Path(folder).glob("*.txt")) for f in read(path)]
