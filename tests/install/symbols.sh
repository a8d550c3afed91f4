#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports the functions that the public headers declare and nothing else, and
# debian/libgpuprim0.symbols lists them. The tests' shim defines every OpenCL function that the library
# imports.
#
#     symbols.sh LIBGPUPRIM.so CHECK_PROGRAM SOURCE_ROOT
set -eu
# A version is a symbol, too, of kind A.
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $NF }')
unversioned=$(echo "$exported" | grep -v '@@GPUPRIM_' || true)
[ -z "$unversioned" ] || { echo "symbols without a version: $unversioned"; exit 1; }
packaged=$(sed -n 's/^ \(gpuprim_.*@GPUPRIM_[0-9.]*\) .*/\1/p' "$3/debian/libgpuprim0.symbols")
different=$(printf '%s\n' "$exported" "$packaged" | sed 's/@@/@/' | LC_ALL=C sort | uniq -u)
[ -z "$different" ] || { echo "debian/libgpuprim0.symbols lacks, or has for itself: $different"; exit 1; }
exported=$(echo "$exported" | sed 's/@.*//' | LC_ALL=C sort)
# A declaration is GPUPRIM_API, a type, and a name before the first bracket.
declared=$(cat "$3"/include/gpuprim/*.h | sed 's://.*::' | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*GPUPRIM_API[^(]*[ *]\(gpuprim_[a-z0-9_]*\)(.*/\1/p' | LC_ALL=C sort)
if [ "$exported" != "$declared" ]; then
    echo "exported, but not declared, or declared, but not exported:"
    printf '%s\n%s\n' "$exported" "$declared" | LC_ALL=C sort | uniq -u
    exit 1
fi
imported=$(nm -D --undefined-only "$1" | awk '{ print $NF }' | sed 's/@.*//' | grep '^cl[A-Z]')
defined=$(nm --defined-only "$2" | awk '{ print $NF }' | grep '^cl[A-Z]')
for name in $imported; do
    echo "$defined" | grep -qx "$name" || { echo "tests/harness/shim_calls.c lacks $name"; exit 1; }
done
echo "$(echo "$exported" | wc -l) exported," \
    "$(echo "$imported" | wc -l) OpenCL functions imported"
