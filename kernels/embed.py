#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns .cl files into one C file of byte arrays (no string-length limits).

    embed.py OUT.c OUT.d PREFIX ROOT NAME...

Defines PREFIX_sources and PREFIX_n_sources. A NAME is a file, or a folder of which all .cl files are
taken. Sources are named by their paths from ROOT.
"""
import pathlib
import sys

out, depfile, prefix, root, *names = sys.argv[1:]
root = pathlib.Path(root)

files, folders = [], []
for path in (root / name for name in names):
    folders += [path] if path.is_dir() else []
    files += sorted(path.glob("*.cl")) if path.is_dir() else [path]

lines = ["/* Made by kernels/embed.py. */", '#include "src/core/core.h"', "",
         f"extern const struct gp_source {prefix}_sources[];",
         f"extern const unsigned {prefix}_n_sources;"]
for i, path in enumerate(files):
    data = path.read_bytes()
    lines.append(f"static const unsigned char text_{i}[] = {{")
    lines += ["    " + ",".join(map(str, data[k:k + 24])) + "," for k in range(0, len(data), 24)]
    lines.append("};")
lines.append(f"const struct gp_source {prefix}_sources[] = {{")
for i, path in enumerate(files):
    lines.append(f'    {{ "{path.relative_to(root)}", text_{i}, sizeof text_{i} }},')
lines += ["};", f"const unsigned {prefix}_n_sources = {len(files)};", ""]

pathlib.Path(out).write_text("\n".join(lines))
# The folders themselves stand among the dependencies, so that a new file is noticed.
pathlib.Path(depfile).write_text(f"{out}: " + " ".join(str(p) for p in folders + files) + "\n")
