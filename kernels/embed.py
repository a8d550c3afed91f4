#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the .cl files into one C file of byte arrays (no string-length limits).

    embed.py OUT.c OUT.d KERNEL_FOLDER PRIMITIVE...

Embeds common.cl and, for each primitive, PRIMITIVE.cl and PRIMITIVE_*.cl.
"""
import pathlib
import sys

out, depfile, folder, *primitives = sys.argv[1:]
folder = pathlib.Path(folder)

files = [folder / "common.cl"]
for name in primitives:
    files += [folder / f"{name}.cl", *sorted(folder.glob(f"{name}_*.cl"))]

lines = ["/* Made by kernels/embed.py. */", '#include "internal.h"', ""]
for i, path in enumerate(files):
    data = path.read_bytes()
    lines.append(f"static const unsigned char text_{i}[] = {{")
    lines += ["    " + ",".join(map(str, data[k:k + 24])) + "," for k in range(0, len(data), 24)]
    lines.append("};")
lines.append("const struct gp_source gp_sources[] = {")
for i, path in enumerate(files):
    lines.append(f'    {{ "{path.name}", text_{i}, sizeof text_{i} }},')
lines += ["};", f"const unsigned gp_n_sources = {len(files)};", ""]

pathlib.Path(out).write_text("\n".join(lines))
# The folder itself stands among the dependencies, so that a new file is noticed.
pathlib.Path(depfile).write_text(f"{out}: {folder} " + " ".join(str(p) for p in files) + "\n")
