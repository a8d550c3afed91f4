#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No function of the kernels takes or returns a struct of one member by value. Prints TAP.

    structs.py KERNELS

Mesa 25.0's rusticl miscompiles functions that return one, and some that return a struct of two of
which one is not used. The files are read as they stand: a struct whose members depend on macros
counts as having one member. Arguments of kernels are safe, because the driver puts them into
memory.
"""
import pathlib
import re
import sys

KERNELS = pathlib.Path(sys.argv[1])
STRUCT = re.compile(r"(?:typedef\s+)?struct(?:\s+(\w+))?\s*\{([^{}]*)\}\s*(\w*)\s*;")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def members(body):
    return sum(len(line.split(",")) for line in body.split(";") if line.strip())


def names_of_one(text):
    """The structs that have, or may have, one member."""
    found = set()
    for tag, body, alias in STRUCT.findall(text):
        if members(body) == 1 or "#" in body:
            found |= {alias} if alias else set()
            found |= {f"struct {tag}"} if tag else set()
    return found


def by_value(text, name):
    """The functions that take or return `name` by value."""
    plain = re.escape(name)
    found = re.findall(rf"static\s+(?:inline\s+)?{plain}\s+([^;{{}}]*?)\(", text)
    for function, parameters in re.findall(r"static([^;{}()]*(?:\([^()]*\)[^;{}()]*)?)"
                                           r"\(([^(){};]*)\)\s*\\?\s*\{", text):
        if any(re.fullmatch(rf"\s*(const\s+)?{plain}\s+\w+\s*", p)
               for p in parameters.split(",")):
            found.append(function)
    return [" ".join(words.split()) for words in found]


def wrong_in(text, names):
    return [f"{function}: {name}" for name in sorted(names) for function in by_value(text, name)]


EXAMPLES = {  # whether they are wrong
    "typedef struct {\n    int v;\n} one;\nstatic one f(void)\n{": True,
    "struct one {\n    int v[4];\n};\nstatic int f(uint n, const struct one o)\n{": True,
    "struct may {\n    int a;\n#if N\n    int b;\n#endif\n};\nstatic void f(struct may m)\n{": True,
    "typedef struct {\n    int v;\n} one;\n    static one JOIN_NAMES(f, n)(int a) \\\n    {": True,
    "typedef struct {\n    int v;\n} one;\nstatic void JOIN_NAMES(f, n)(one a) \\\n    {": True,
    "typedef struct {\n    int v;\n} one;\nstatic void f(const one *o)\n{": False,
    "typedef struct {\n    int v, w;\n} two;\nstatic two f(two o)\n{": False,
}


def check_examples():
    return [text for text, is_wrong in EXAMPLES.items()
            if bool(wrong_in(text, names_of_one(text))) != is_wrong]


def check_kernels():
    texts = {str(path.relative_to(KERNELS)): without_comments(path.read_text())
             for path in sorted(KERNELS.rglob("*.cl"))}
    names = set().union(*map(names_of_one, texts.values()))
    if "acc" not in names:
        return ["reduce's acc is not found"]
    return [f"{file}: {words}" for file, text in texts.items() for words in wrong_in(text, names)]


def main():
    print("1..2")
    failed = 0
    for number, (name, check) in enumerate([("this script", check_examples),
                                            ("kernels", check_kernels)], 1):
        wrong = check()
        for words in wrong[:10]:
            print(f"# {words}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    return 1 if failed else 0


sys.exit(main())
