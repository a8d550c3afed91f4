#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does an outsider get along with what is installed? Installs into a temporary folder, compiles
# tests/install/consumer as C and C++ with nothing but pkg-config, and runs it; then builds it with
# gpuprim as a meson subproject.
#
#     consumer.sh SOURCE_ROOT BUILD_ROOT
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # 77: there is no device, but it was built and linked
    "$@" || [ $? = 77 ]
}

DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet
pc=$(find "$work/root" -name gpuprim.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
library=$(dirname "$(dirname "$pc")")
pkg() { # paths of the installed copy that are not absolute yet begin at the temporary root
    PKG_CONFIG_PATH=$(dirname "$pc") pkg-config \
        --define-variable=prefix="$work/root$prefix" "$@" gpuprim
}
cc=${CC:-cc}
strict='-Wall -Wextra -Wpedantic -Wcast-qual -Wconversion -Werror'
$cc -std=c11 $strict "$source/tests/install/consumer/main.c" $(pkg --cflags --libs) \
    -o "$work/shared"
LD_LIBRARY_PATH=$library run "$work/shared"
if command -v "${CXX:-c++}" >/dev/null; then
    ${CXX:-c++} -std=c++17 $strict -x c++ "$source/tests/install/consumer/main.c" \
        $(pkg --cflags --libs) -o "$work/cpp"
    LD_LIBRARY_PATH=$library run "$work/cpp"
fi

mkdir "$work/project"
cp "$source/tests/install/consumer/main.c" "$source/tests/install/consumer/meson.build" "$work/project"
mkdir "$work/project/subprojects"
ln -s "$source" "$work/project/subprojects/gpuprim"
meson setup "$work/build" "$work/project" --force-fallback-for=gpuprim \
    -Dgpuprim:tests=false -Dgpuprim:tools=false -Dgpuprim:examples=false \
    -Dgpuprim:docs=false >"$work/log" || { cat "$work/log"; exit 1; }
ninja -C "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
run "$work/build/consumer"
