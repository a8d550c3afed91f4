#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports gpuprim_* and nothing else, and the shim of the tests stands in for
# every OpenCL function that the library imports.
#
#     symbols.sh LIBGPUPRIM.so CHECK_PROGRAM
set -eu
exported=$(nm -D --defined-only "$1" | awk '{ print $NF }' | sed 's/@.*//')
strange=$(echo "$exported" | grep -v '^gpuprim_' || true)
if [ -n "$strange" ]; then
    echo "exported, but not ours to export:" $strange
    exit 1
fi
for name in create destroy create_cl devices cl_context cl_device cl_queue \
    reduce reduce_prepare reduce_type convolve1d filter_create filter_destroy filter_outputs classify classifier_create classifier_destroy \
    classifier_labels classifier_edges classifier_describe strerror last_error version; do
    echo "$exported" | grep -qx "gpuprim_$name" ||
        { echo "not exported: gpuprim_$name"; exit 1; }
done
imported=$(nm -D --undefined-only "$1" | awk '{ print $NF }' | sed 's/@.*//' | grep '^cl[A-Z]')
defined=$(nm --defined-only "$2" | awk '{ print $NF }' | grep '^cl[A-Z]')
for name in $imported; do
    echo "$defined" | grep -qx "$name" || { echo "tests/harness/shim.c lacks $name"; exit 1; }
done
echo "$(echo "$exported" | wc -l) exported," \
    "$(echo "$imported" | wc -l) OpenCL functions imported"
