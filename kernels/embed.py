#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the texts of kernels into one C file of byte arrays (no string-length limits).

    embed.py [--headers FOLDER] OUT.c OUT.d PREFIX ROOT NAME...

Defines PREFIX_sources and PREFIX_n_sources. A NAME is a file below ROOT, or a folder there of which all
.cl files are taken. Sources are named by their paths from ROOT: "reduce/baseline.cl".

--headers: for each NAME that is a folder, FOLDER/NAME/arguments.h is taken too, if it exists, and
named "NAME/arguments.h". That is how a primitive has one text for what its host code and its kernels
both know: src/reduce/arguments.h is included by src/reduce/run.c, and its embedded copy stands among
the `sources` of each variant, before the .cl files that need it. The text must be valid in both
languages:
- Argument structs have the types of OpenCL's C header: cl_int, cl_uint, cl_long, cl_ulong. In kernels
  these are macros, which kernels/common.cl defines.
- Numbers are #defines or expressions of macros. An enum constant is no use in a kernel's #if.
- What is for C alone, such as #include and _Static_assert, stands under
  `#ifndef __OPENCL_C_VERSION__`, which only OpenCL C defines.
"""
import argparse
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("--headers", type=pathlib.Path)
for name in ("out", "depfile", "prefix"):
    parser.add_argument(name)
parser.add_argument("root", type=pathlib.Path)
parser.add_argument("names", nargs="+")
args = parser.parse_args()

files, watched = {}, []  # name: path; what the result depends on
for name in args.names:
    path = args.root / name
    if not path.is_dir():
        files[name] = path
        continue
    # The folders themselves are watched, so that a new file is noticed.
    watched.append(path)
    header = args.headers / name / "arguments.h" if args.headers else None
    if header:
        watched.append(header.parent)
    if header and header.exists():
        files[f"{name}/arguments.h"] = header
    files.update((str(file.relative_to(args.root)), file) for file in sorted(path.glob("*.cl")))

lines = ["/* Made by kernels/embed.py. */", '#include "src/core/core.h"', "",
         f"extern const struct gp_source {args.prefix}_sources[];",
         f"extern const unsigned {args.prefix}_n_sources;"]
for i, path in enumerate(files.values()):
    data = path.read_bytes()
    lines.append(f"static const unsigned char text_{i}[] = {{")
    lines += ["    " + ",".join(map(str, data[k:k + 24])) + "," for k in range(0, len(data), 24)]
    lines.append("};")
lines.append(f"const struct gp_source {args.prefix}_sources[] = {{")
for i, name in enumerate(files):
    lines.append(f'    {{ "{name}", text_{i}, sizeof text_{i} }},')
lines += ["};", f"const unsigned {args.prefix}_n_sources = {len(files)};", ""]

pathlib.Path(args.out).write_text("\n".join(lines))
watched += files.values()
pathlib.Path(args.depfile).write_text(f"{args.out}: " + " ".join(map(str, watched)) + "\n")
