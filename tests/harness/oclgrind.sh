#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs tests in Oclgrind, a simulator that sees data races, reads of uninitialised memory, accesses
# out of bounds, divergent barriers and wrong API calls. tests/meson.build lists the groups.
#
# Oclgrind's exit status is 0 whatever it finds. So its log must be empty, and the program must end
# well. The log is its standard error: each context empties a file that OCLGRIND_LOG names, and
# would lose what the context before it found. Oclgrind is not thread-safe, so tests with threads
# are left out. Kernels are not optimised, because version 21.10 does not know all instructions
# that the optimiser of its clang emits (freeze, llvm.abs). OCLGRIND_UNINITIALIZED=0 switches the
# check for uninitialised memory off. Version 21.10 takes the end of a buffer for uninitialised where
# a smaller one that was freed had its number: what kernels write there is not noted.
#
# With GPUPRIM_CHECK_SEED, as scripts/test sets it, a third of the lists of options runs. The next
# two seeds run the others. With GPUPRIM_CHECK_SAMPLE=1 all run.
#
#     oclgrind.sh CHECK_PROGRAM [OPTION...]
set -eu
check=$1
shift
icd=
for folder in /usr/lib /usr/lib64 /usr/local/lib /usr/lib/*-linux-gnu; do
    for file in "$folder/oclgrind/liboclgrind-rt-icd.so" "$folder/liboclgrind-rt-icd.so"; do
        [ -e "$file" ] && icd=$file
    done
done
if [ -z "$icd" ]; then
    echo "1..0 # SKIP oclgrind is not installed"
    exit 0
fi
if [ -n "${GPUPRIM_CHECK_SEED:-}" ] && [ "${GPUPRIM_CHECK_SAMPLE:-}" != 1 ]; then
    number=$(printf '%s' "$*" | cksum | cut -d ' ' -f 1)
    if [ $(((number + GPUPRIM_CHECK_SEED) % 3)) != 0 ]; then
        echo "1..0 # SKIP one of the next two seeds draws it"
        exit 0
    fi
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
OCL_ICD_VENDORS=$icd OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 \
    OCLGRIND_UNINITIALIZED=${OCLGRIND_UNINITIALIZED:-1} \
    OCLGRIND_BUILD_OPTIONS=-cl-opt-disable OCLGRIND_MAX_ERRORS=1000 \
    "$check" --quick --tap "$@" 2>"$log" || status=$?
if [ -s "$log" ]; then
    echo "# Oclgrind's log:"
    sed 's/^/# /' "$log" | head -n 200
    echo "Bail out! Oclgrind found errors"
    exit 1
fi
exit "$status"
