#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The public headers keep to what lets the library grow without breaking programs: every enum ends
# with a member of 0x7fffffff, so that it has 32 bits, and every struct ends with reserved members.
# gpuprim_case has none: it is an element of a list. gpuprim.h needs no OpenCL header.
#
#     headers.sh INCLUDE_FOLDER
set -eu
if grep -q '^ *# *include.*CL/' "$1/gpuprim/gpuprim.h" "$1/gpuprim/version.h"; then
    echo "gpuprim.h includes a header of OpenCL"
    exit 1
fi
cat "$1"/gpuprim/*.h | awk '
    /^(enum|struct) gpuprim_[a-z0-9_]* \{/ { kind = $1; name = $2; last = $0; next }
    name && /^\};?/ {
        n[kind]++
        if (kind == "enum" && last !~ /_FORCE_32 = 0x7fffffff$/)
            wrong = wrong "\n" name " does not end with a member of 0x7fffffff"
        if (kind == "struct" && name != "gpuprim_case" && last !~ /uint64_t reserved\[[48]\];/)
            wrong = wrong "\n" name " does not end with reserved members"
        name = ""
    }
    name && !/^ *\/\// && NF { last = $0 }
    END {
        print n["enum"] " enums, " n["struct"] " structs" wrong
        exit wrong != "" || n["enum"] < 10 || n["struct"] < 6
    }'
