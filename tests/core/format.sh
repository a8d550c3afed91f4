#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C, C++ and CUDA file is formatted as .clang-format says. Takes the root of the tree; exit 77
# skips. Needs clang-format 14: other versions format some lines otherwise.
#
# Kernels (.cl) are left out. clang-format moves "#pragma unroll" to the first column, tears the
# name of a kernel from its type behind a long attribute, and turns the one-line macros that stand
# under each other for comparison into paragraphs.
set -eu
cd "$1"

for format in clang-format-14 clang-format none; do
    case $($format --version 2>/dev/null) in *"version 14."*) break ;; esac
done
if [ $format = none ]; then
    echo "clang-format 14 is not installed"
    exit 77
fi
find . \( -name '.*' ! -name . -o -name 'build*' -o -name subprojects \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.[ch]pp' \) -print |
    LC_ALL=C sort | xargs "$format" --dry-run --Werror
