#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The public headers still describe the binary interface that tests/install/abi.xml records: functions,
# members of structs and where they lie, numbers of enums. The record is that of the last release; until
# 0.2.0 is released, of the headers as they stand. abidiff of libabigail compares. It looks at a library
# whose functions are empty, made of the headers' declarations alone. The compiler itself
# holds the real functions against the headers.
#
#     abi.sh SOURCE_ROOT CC...             compares; exit 77 skips
#     abi.sh --record SOURCE_ROOT CC...    writes the record
set -eu
record=false
if [ "$1" = --record ]; then
    record=true
    shift
fi
source=$(cd "$1" && pwd)
shift
recorded=$source/tests/install/abi.xml
if ! command -v abidiff >/dev/null || [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: it needs abidiff (package abigail-tools) and an x86-64 machine, as in the record"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every declaration of a function that is exported becomes a definition.
cat >"$work/functions.c" <<'END'
#include <gpuprim/gpuprim.h>
#include <gpuprim/gpuprim_cl.h>
END
"$@" -E -P -I"$source/include" "$work/functions.c" -o "$work/headers"
awk -v RS=';' -v mark='__attribute__((visibility("default")))' '
    { text = ""; rest = $0 }
    { while ((at = index(rest, mark)) > 0) text = rest = substr(rest, at + length(mark)) }
    text { print text " { __builtin_trap(); }" }' "$work/headers" >"$work/definitions"
functions=$(grep -c __builtin_trap "$work/definitions")
cat "$work/definitions" >>"$work/functions.c"
(
    cd "$work" # so that no path of this machine gets into the record
    "$@" -g -std=c11 -w -fPIC -shared -I"$source/include" -Wl,-soname,libgpuprim.so.0 \
        -Wl,--version-script="$source/src/libgpuprim.map" functions.c -o libgpuprim.so.0
)

abidw --no-corpus-path --no-show-locs --no-comp-dir-path --no-elf-needed --load-all-types \
    --out-file "$work/abi.xml" "$work/libgpuprim.so.0"
if $record; then
    cp "$work/abi.xml" "$recorded"
    echo "recorded: $functions functions"
    exit 0
fi
abidiff --no-show-locs "$recorded" "$work/abi.xml" || {
    echo "The binary interface is not the recorded one. If that is meant: tests/install/abi.sh --record . cc,"
    echo "the symbols in debian/libgpuprim0.symbols, and the history in include/gpuprim/version.h"
    exit 1
}
echo "$functions functions as recorded"
