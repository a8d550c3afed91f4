#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The structure of the tree, proved from the objects of a build and from includes. Prints TAP.

    structure.py SOURCE BUILD PRIMITIVE... -- COMPILER...

1. This script refuses what it must: small examples, some compiled by COMPILER.
2. Files of src/ do not call each other in a cycle.
3. Files of tools/ do not call each other in a cycle.
4. src/core/ names no primitive, and a primitive uses the core and itself alone.
5. The library and the gpuprim program contain nothing of tests/, and the library nothing of
   tools/ and reference/, neither as an object nor as an include.

What counts as a call: code of file A refers to a global function that file B defines. This is read
from the relocations of A's code (`readelf -r`). Static functions need no relocation to another file,
so they do not count. References from data do not count either: the plan reads a const table of
variants, the table holds their functions, and their files call helpers. Such a table is how a file
uses others that it does not know by name. Data that code refers to does not count for the same reason.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SECTION = re.compile(r"Relocation section '\.rela?(\.[^']*)'")
RELOCATION = re.compile(r"^[0-9a-f]+\s+[0-9a-f]+\s+R_\S+\s+[0-9a-f]+\s+([A-Za-z_][\w.$]*)")
SYMBOL = re.compile(r"^\s*\d+:\s+[0-9a-f]+\s+\S+\s+FUNC\s+(?:GLOBAL|WEAK)\s+(\S+)\s+(?:\[.*\]\s+)?"
                    r"(\S+)\s+([A-Za-z_]\w*)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def read_objects(objects):
    """Of each file: the functions it defines, and those that its code refers to. `objects` is a
    list of (name of the file, path of its object)."""
    defined, used = {}, {}
    for name, path in objects:
        text = subprocess.run(["readelf", "-W", "-r", "-s", str(path)], check=True, text=True,
                              capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
        functions, references, section = set(), set(), ""
        for line in text.splitlines():
            if line.startswith(("Relocation section", "Symbol table")):
                found = SECTION.match(line)
                section = found.group(1) if found else ""
            elif section.startswith(".text"):
                found = RELOCATION.match(line)
                references |= {found.group(1)} if found else set()
            else:
                found = SYMBOL.match(line)
                if found and found.group(2) != "UND":
                    functions.add(found.group(3))
        defined[name] = functions
        used[name] = references
    return defined, used


def calls_between(defined, used):
    """{(a, b): functions of file b that the code of file a refers to}."""
    owner = {function: name for name, functions in defined.items() for function in functions}
    calls = {}
    for name, references in used.items():
        for function in references:
            other = owner.get(function)
            if other and other != name:
                calls.setdefault((name, other), set()).add(function)
    return calls


def components(calls):
    """The sets of two or more files in which each reaches every other (Tarjan's algorithm)."""
    after = {}
    for a, b in calls:
        after.setdefault(a, set()).add(b)
        after.setdefault(b, set())
    index, low, stack, found = {}, {}, [], []

    def visit(a):
        index[a] = low[a] = len(index)
        stack.append(a)
        for b in sorted(after[a]):
            if b not in index:
                visit(b)
            if b in stack:
                low[a] = min(low[a], low[b])
        if low[a] == index[a]:
            at = stack.index(a)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for a in sorted(after):
        if a not in index:
            visit(a)
    return found


def cycles(objects):
    """What there is to say about cycles among these files, one line each."""
    calls = calls_between(*read_objects(objects))
    words = []
    for files in components(calls):
        words.append("call cycle among " + ", ".join(files))
        words += [f"  {a} -> {b}: {', '.join(sorted(functions))}"
                  for (a, b), functions in sorted(calls.items()) if a in files and b in files]
    return words


def stem(primitive):
    """What all words for a primitive begin with: classif, convolve, reduce."""
    return re.sub(r"y?\d*$", "", primitive)


def named_in(text, primitives):
    """The lines of a text that name a primitive."""
    names = re.compile("|".join(map(stem, primitives)), re.I)
    return [f"{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1)
            if names.search(line)]


def included(source, path):
    """The files that a file includes between quotes, as paths from the root of the tree."""
    for name in INCLUDE.findall(path.read_text()):
        beside = (path.parent / name).resolve()
        at = beside if beside.exists() else (source / name).resolve()
        if at.is_relative_to(source):
            yield str(at.relative_to(source))


def wrong_includes(source, room, others):
    """Includes in the folder `room` of what lies in one of the folders `others`."""
    return [f"{path.relative_to(source)} includes {name}"
            for path in sorted((source / room).rglob("*.[ch]"))
            for name in included(source, path) if name.startswith(tuple(others))]


class Tree:
    def __init__(self, source, build, primitives, compiler):
        self.source, self.build = source.resolve(), build.resolve()
        self.primitives, self.compiler = primitives, compiler
        self.objects = {}  # of each target: (file, path of the object)
        for entry in json.loads((build / "compile_commands.json").read_text()):
            file = (self.build / entry["file"]).resolve()
            output = pathlib.Path(entry["output"])
            name = (str(file.relative_to(self.source)) if file.is_relative_to(self.source)
                    and not file.is_relative_to(self.build) else f"(made) {file.name}")
            self.objects.setdefault(output.parent.name, []).append((name, self.build / output))

    def library(self):
        return self.objects["libgpuprim_objects.a.p"]

    def program(self):
        return self.objects.get("gpuprim.p", [])

    def check_src(self):
        return cycles(self.library())

    def check_tools(self):
        return cycles(self.program())

    def check_core(self):
        wrong = [f"{path.relative_to(self.source)}:{line}"
                 for path in sorted((self.source / "src/core").glob("*.[ch]"))
                 for line in named_in(path.read_text(), self.primitives)]
        rooms = [f"src/{name}/" for name in self.primitives]
        for (a, b), functions in sorted(calls_between(*read_objects(self.library())).items()):
            if b.startswith(tuple(rooms)) and pathlib.Path(a).parent != pathlib.Path(b).parent:
                wrong.append(f"{a} -> {b}: {', '.join(sorted(functions))}")
        for room in ["src/core/"] + rooms:
            wrong += wrong_includes(self.source, room, [r for r in rooms if r != room])
        return wrong

    def check_layers(self):
        wrong = [f"the library contains {name}" for name, _ in self.library()
                 if not name.startswith(("src/", "(made) "))]
        wrong += [f"the program contains {name}" for name, _ in self.program()
                  if not name.startswith(("tools/", "(made) "))]
        wrong += wrong_includes(self.source, "src", ["tests/", "tools/", "reference/"])
        wrong += wrong_includes(self.source, "include", ["tests/", "tools/", "reference/", "src/"])
        wrong += wrong_includes(self.source, "reference", ["tests/", "tools/"])
        return wrong + wrong_includes(self.source, "tools", ["tests/"])

    def check_examples(self):
        wrong = []
        for texts, expected in CYCLES:
            with tempfile.TemporaryDirectory() as folder:
                objects = []
                for name, text in texts.items():
                    path = pathlib.Path(folder) / name
                    path.write_text(text)
                    subprocess.run([*self.compiler, "-O1", "-fPIC", "-c", path, "-o", f"{path}.o"],
                                   check=True)
                    objects.append((name, f"{path}.o"))
                found = [line for line in cycles(objects) if not line.startswith("  ")]
                if found != expected:
                    wrong.append(f"{found} instead of {expected}")
        wrong += [f"a name of a primitive: {text!r}" for text, named in NAMES
                  if bool(named_in(text, ["reduce", "convolve1d", "classify"])) != named]
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for room in ["src/a", "tests"]:
                (root / room).mkdir(parents=True)
            (root / "tests/t.h").write_text("")
            (root / "src/a/a.h").write_text("")
            for text, refused in INCLUDES:
                (root / "src/a/a.c").write_text(text)
                if bool(wrong_includes(root, "src", ["tests/"])) != refused:
                    wrong.append(f"an include: {text!r}")
        return wrong


# Files, and the cycles that they make.
CYCLES = [
    ({"a.c": "void b(void); void a(void); void a(void) { b(); }",
      "b.c": "void a(void); void b(void); void b(void) { a(); }"},
     ["call cycle among a.c, b.c"]),
    ({"a.c": "void b(void); void a(void); void a(void) { b(); b(); }",
      "b.c": "void c(void); void b(void); void b(void) { c(); }",
      "c.c": "void a(void); void c(void); void c(void) { a(); }",
      "d.c": "void a(void); void d(void); void d(void) { a(); }"},
     ["call cycle among a.c, b.c, c.c"]),
    # A function whose address is taken in code counts: it will be called from there.
    ({"a.c": "void b(void (*)(void)); void a(void); void a(void) { b(a); }",
      "b.c": "void a(void); void b(void (*f)(void)); void b(void (*f)(void)) { f(); a(); }"},
     ["call cycle among a.c, b.c"]),
    # A table of variants does not.
    ({"plan.c": "struct v { void (*run)(void); }; extern const struct v one, two;\n"
                "const struct v *const table[] = { &one, &two }; void help(void);\n"
                "void plan(int i); void plan(int i) { table[i]->run(); help(); }",
      "one.c": "struct v { void (*run)(void); }; extern const struct v one; void help(void);\n"
               "static void run(void) { help(); } const struct v one = { run };",
      "two.c": "struct v { void (*run)(void); }; extern const struct v two; void help(void);\n"
               "extern void shared(void); const struct v two = { shared };",
      "help.c": "void help(void); void help(void) { }  void shared(void);\n"
                "static void inner(void) { } void shared(void) { inner(); }"}, []),
    ({"a.c": "void b(void); void a(void); void a(void) { b(); }",
      "b.c": "static void a(void) { } void b(void); void b(void) { a(); }"}, []),
]

NAMES = [("gp_primitive_reduce", True), ("// what Convolve1d needs", True),
         ("a classifier's tables", True), ('#include "primitives.h"', False),
         ("of each primitive, fewer", False)]

INCLUDES = [('#include "tests/t.h"', True), ('#include "../../tests/t.h"', True),
            ('#include "a.h"', False), ('# include "src/a/a.h"', False),
            ("#include <tests/t.h>", False)]


def main():
    source, build, *rest = sys.argv[1:]
    at = rest.index("--")
    tree = Tree(pathlib.Path(source), pathlib.Path(build), rest[:at], rest[at + 1:])
    checks = [("this script refuses what it must", tree.check_examples),
              ("no call cycle in src", tree.check_src),
              ("no call cycle in tools", tree.check_tools),
              ("the core names no primitive, and primitives do not use each other", tree.check_core),
              ("nothing of the tests in the library and the program", tree.check_layers)]
    print(f"1..{len(checks)}")
    failed = 0
    for number, (name, check) in enumerate(checks, 1):
        wrong = check()
        for line in wrong:
            print(f"# {line}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    return 1 if failed else 0


sys.exit(main())
