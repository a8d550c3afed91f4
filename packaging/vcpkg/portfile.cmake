# SPDX-License-Identifier: Apache-2.0
# A port of the tree that this folder lies in:
#
#     vcpkg install gpuprim --overlay-ports=packaging/vcpkg
#
# A registry's copy of it takes the archive of a release instead (vcpkg_from_github).
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

# The configuration file for CMake lies two folders below the library, and knows one build of it.
set(VCPKG_BUILD_TYPE release)
set(VCPKG_POLICY_SKIP_MISPLACED_CMAKE_FILES_CHECK enabled)
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)

vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -Dtests=false -Dtools=false -Dexamples=false -Ddocs=false -Dbench=false)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
