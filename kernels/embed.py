#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns .cl files into one C file of byte arrays (no string-length limits).

    embed.py OUT.c OUT.d PREFIX FOLDER [PRIMITIVE...]

Defines PREFIX_sources and PREFIX_n_sources. With primitives: common.cl and, for each of them,
PRIMITIVE.cl and PRIMITIVE_*.cl. Without: all that is in the folder.
"""
import pathlib
import sys

out, depfile, prefix, folder, *primitives = sys.argv[1:]
folder = pathlib.Path(folder)

files = [folder / "common.cl"] if primitives else sorted(folder.glob("*.cl"))
for name in primitives:
    files += [folder / f"{name}.cl", *sorted(folder.glob(f"{name}_*.cl"))]

lines = ["/* Made by kernels/embed.py. */", '#include "internal.h"', "",
         f"extern const struct gp_source {prefix}_sources[];",
         f"extern const unsigned {prefix}_n_sources;"]
for i, path in enumerate(files):
    data = path.read_bytes()
    lines.append(f"static const unsigned char text_{i}[] = {{")
    lines += ["    " + ",".join(map(str, data[k:k + 24])) + "," for k in range(0, len(data), 24)]
    lines.append("};")
lines.append(f"const struct gp_source {prefix}_sources[] = {{")
for i, path in enumerate(files):
    lines.append(f'    {{ "{path.name}", text_{i}, sizeof text_{i} }},')
lines += ["};", f"const unsigned {prefix}_n_sources = {len(files)};", ""]

pathlib.Path(out).write_text("\n".join(lines))
# The folder itself stands among the dependencies, so that a new file is noticed.
pathlib.Path(depfile).write_text(f"{out}: {folder} " + " ".join(str(p) for p in files) + "\n")
