#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code and kernels use none of the words that docs/glossary.md gives up. Prints TAP.

    words.py SOURCE

The last table of the glossary lists the words between backquotes. They are found as whole words and
as parts of names between underscores, in the case in which they are written.
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
ROOMS = ["include", "src", "kernels", "reference", "tools", "tests", "examples"]
SUFFIXES = {".c", ".h", ".cl", ".py", ".sh", ".txt", ".build"}


def given_up():
    table = (SOURCE / "docs/glossary.md").read_text().split("## Words that are not used")[1]
    return [word for line in table.splitlines() if line.startswith("| `")
            for word in re.findall(r"`(\w+)`", line.split("|")[1])]


def found_in(text, words):
    any_word = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(words)})(?![A-Za-z0-9])")
    return [f"{number}: {match.group(1)}" for number, line in enumerate(text.splitlines(), 1)
            for match in any_word.finditer(line)]


def check_examples(words):
    return [text for text, is_wrong in [
        ("gp_convolve_hand_on(run)", True), ("the strands of a row", True), ("a glued line", True),
        ("x = gp_least(a, b);", True), ("at least", False), ("LINEARLY", False)]
        if bool(found_in(text, words)) != is_wrong]


def check_tree(words):
    return [f"{path.relative_to(SOURCE)}:{found}" for room in ROOMS
            for path in sorted((SOURCE / room).rglob("*"))
            if path.suffix in SUFFIXES and path.name != "words.py"
            for found in found_in(path.read_text(), words)]


def main():
    print("1..2")
    words, failed = given_up(), 0
    for number, (name, check) in enumerate([("this script", check_examples),
                                            ("words that are given up", check_tree)], 1):
        wrong = check(words)
        for line in wrong[:30]:
            print(f"# {line}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    return 1 if failed else 0


sys.exit(main())
