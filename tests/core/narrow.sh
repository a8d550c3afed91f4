#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library, the tests and the program compile for a system whose pointers have 32 bits. Only the
# syntax is checked, so no OpenCL for such a system is needed. Prints TAP.
#
#   narrow.sh CC SOURCE_ROOT BUILD_ROOT
set -u
cc=$1 source=$2 build=$3
# Doubles are computed in registers of 64 bits, as src/core/round.c demands.
bits='-m32 -msse2 -mfpmath=sse'

echo 1..1
if ! echo '#include <stdint.h>
#include <stdlib.h>
_Static_assert(sizeof(void *) == 4, "32 bits");' | "$cc" $bits -fsyntax-only -x c - 2>/dev/null; then
    echo "ok 1 - 32 bits # SKIP $cc $bits finds no headers: gcc-multilib has them on Debian"
    exit 0
fi
failed=0
set -- "$source"/src/*/*.c "$source"/tests/*/*.c "$source"/reference/*/*.c
[ -f "$build/tools/commands.h" ] && # else it is not built here
    set -- "$@" "$source"/tools/*.c "$source"/tools/*/*.c
for file; do
    # A test of arrays beyond 2^32 bytes is for large memories alone.
    [ "${file#"$source"/tests/}" = classify/large.c ] && continue
    "$cc" $bits -fsyntax-only -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE -I"$source" -I"$source/include" \
        -I"$build" -I"$build/tools" \
        "$file" >&2 || { failed=1 && echo "# $file"; }
done
[ "$failed" = 0 ] && echo "ok 1 - 32 bits" || echo "not ok 1 - 32 bits"
exit "$failed"
