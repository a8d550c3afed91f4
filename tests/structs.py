#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No function of the kernels takes or returns a struct of one member by value. Prints TAP.

    structs.py CC KERNELS

Mesa 25.0's rusticl miscompiles functions that return one. The files are read as they stand,
where a struct whose members depend on macros counts as one of one member; but for the accs of
reduce, which are read as the preprocessor leaves them, for every type, operation and option.
Arguments of kernels are no matter of this: the driver puts them into memory.
"""
import pathlib
import re
import subprocess
import sys

CC, KERNELS = sys.argv[1], pathlib.Path(sys.argv[2])
STRUCT = re.compile(r"(?:typedef\s+)?struct(?:\s+(\w+))?\s*\{([^{}]*)\}\s*(\w*)\s*;")
TYPES, OPERATIONS = range(1, 12), range(16)  # i8 ... f64, sum ... mean
SUMS = {False: (0, 7, 8), True: (10, 11)}  # 128 bits, i64, u64; f32, f64


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def members(body):
    return sum(len(line.split(",")) for line in body.split(";") if line.strip())


def by_value(text, name):
    """The functions that take or return `name` by value."""
    plain = re.escape(name)
    found = re.findall(rf"static\s+(?:inline\s+)?{plain}\s+(\w+)\s*\(", text)
    for function, parameters in re.findall(r"static[^;{}()]*?(\w+)\s*\(([^(){};]*)\)\s*\{", text):
        if any(re.fullmatch(rf"\s*(const\s+)?{plain}\s+\w+\s*", p) for p in parameters.split(",")):
            found.append(function)
    return found


def wrong_in(text, known=()):
    wrong = []
    for tag, body, alias in STRUCT.findall(text):
        if alias in known or (members(body) != 1 and "#" not in body):
            continue
        names = [alias] if alias else []
        names += [f"struct {tag}"] if tag else []
        for name in names:
            wrong += [f"{function}(): {name}" for function in by_value(text, name)]
    return wrong


def expanded(files, macros):
    command = [CC, "-E", "-P", "-x", "c", "-w", "-"] + [f"-D{k}={v}" for k, v in macros.items()]
    text = "\n".join((KERNELS / name).read_text() for name in files)
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Bail out! {' '.join(command)}: {done.stderr}")
    return done.stdout


def reduce_configurations():
    for type_ in TYPES:
        for operation in OPERATIONS:
            if type_ >= 9 and 7 <= operation <= 9:
                continue  # and, or, xor of floats
            for sum_ in SUMS[type_ >= 9]:
                for skip_nan in range(2 if type_ >= 9 else 1):
                    yield {"TYPE": type_, "OP": operation, "SUM_TYPE": sum_, "SKIP_NAN": skip_nan}


def check_plain():
    wrong = []
    for path in sorted(KERNELS.glob("*.cl")):
        text = without_comments(path.read_text())
        wrong += [f"{path.name}: {words}" for words in wrong_in(text, known=("acc",))]
    return wrong


def check_reduce():
    files = ["common.cl", "reduce_lane.cl", "reduce_acc.cl", "reduce_result.cl", "reduce.cl"]
    wrong, seen = [], 0
    for macros in reduce_configurations():
        text = expanded(files, {**macros, "WG": 64, "PTX": 0, "ITEMS": 1, "SHAPE": 0})
        if not any(alias == "acc" for _, _, alias in STRUCT.findall(text)):
            raise SystemExit("Bail out! no struct acc is found")
        seen += 1
        wrong += [f"{macros}: {words}" for words in wrong_in(text)]
    print(f"# {seen} configurations of reduce")
    return wrong


EXAMPLES = {  # whether they are wrong
    "typedef struct {\n    int v;\n} one;\nstatic one f(void)\n{": True,
    "struct one {\n    int v[4];\n};\nstatic int f(uint n, const struct one o)\n{": True,
    "struct maybe {\n    int a;\n#if N\n    int b;\n#endif\n};\nstatic void f(struct maybe m)\n{": True,
    "typedef struct {\n    int v;\n} one;\nstatic void f(const one *o)\n{": False,
    "typedef struct {\n    int v, w;\n} two;\nstatic two f(two o)\n{": False,
}


def check_examples():
    return [text for text, is_wrong in EXAMPLES.items() if bool(wrong_in(text)) != is_wrong]


def main():
    print("1..3")
    failed = 0
    for number, (name, check) in enumerate([("this script", check_examples),
                                            ("as written", check_plain),
                                            ("reduce, expanded", check_reduce)], 1):
        wrong = check()
        for words in wrong[:5]:
            print(f"# {words}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    return 1 if failed else 0


sys.exit(main())
