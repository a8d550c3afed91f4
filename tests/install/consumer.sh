#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does an outsider get along with what is installed? Installs into a temporary folder, compiles
# tests/install/consumer as C and C++ with nothing but pkg-config, also with the static library,
# and runs it. Then it is built by CMake, after the installed folder was moved, and with gpuprim as a
# meson subproject. tests/docs/blocks.py compiles the programs of README.md and docs/.
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
    ${CXX:-c++} -std=c++17 $strict -Wshadow "$source/tests/install/consumer/wrapper.cpp" \
        $(pkg --cflags --libs) -o "$work/wrapper"
    LD_LIBRARY_PATH=$library run "$work/wrapper"
fi

# Only public names are global in the static library, so that this program may have a gp_log.
archive=$library/libgpuprim.a
private=$(nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^gpuprim_/ { print $3 }')
[ -z "$private" ] || { echo "global names in libgpuprim.a: $private"; exit 1; }
printf 'int gp_log(void);\nint gp_log(void) { return 0; }\n' >"$work/log.c"
$cc -std=c11 $strict "$source/tests/install/consumer/main.c" "$work/log.c" $(pkg --cflags) \
    "$archive" $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --libs OpenCL) -pthread \
    -o "$work/static"
run "$work/static"

if command -v cmake >/dev/null; then
    mkdir "$work/moved"
    cp -r "$work/root$prefix" "$work/moved/prefix"
    {
        cmake -S "$source/tests/install/consumer" -B "$work/cmake" \
            -DCMAKE_PREFIX_PATH="$work/moved/prefix" -DCMAKE_C_FLAGS="$strict" &&
            cmake --build "$work/cmake"
    } >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    if ! grep -q "$work/moved/prefix" "$work/cmake/CMakeCache.txt"; then
        echo "CMake found another gpuprim"
        exit 1
    fi
    run "$work/cmake/with_gpuprim"
    run "$work/cmake/with_gpuprim_static"
else
    echo "cmake is not installed: find_package was not tried"
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
