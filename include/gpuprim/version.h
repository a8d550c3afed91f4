/* SPDX-License-Identifier: Apache-2.0
 * The version of gpuprim; meson.build reads the three numbers from here. */
#ifndef GPUPRIM_VERSION_H
#define GPUPRIM_VERSION_H

#define GPUPRIM_VERSION_MAJOR 0
#define GPUPRIM_VERSION_MINOR 1
#define GPUPRIM_VERSION_PATCH 0

#endif
