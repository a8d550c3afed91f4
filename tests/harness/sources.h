/* SPDX-License-Identifier: Apache-2.0
 *
 * `check --sources=FOLDER`: the source of every variant's programs, for every type of input, in
 * files that a compiler reads without an OpenCL device (tests/core/compile.py). Nothing is
 * built. Each primitive lists its calls in its sources.c. Calls of the map (map.h) follow, with
 * inline PTX; --seed=N draws others.
 */
#ifndef CHECK_SOURCES_H
#define CHECK_SOURCES_H

#include "check.h"

// The calls of a primitive that are made with each of its variants forced.
struct check_sources {
    unsigned calls;
    // Makes call number i, which needs a program of the variant that the context is forced to,
    // and returns its status. It names itself by sources_name() before. *type becomes the type
    // of the input. Random numbers are the same in every run.
    int (*call)(struct check *check, gpuprim *gp, const char *variant, unsigned i,
                enum gpuprim_type *type);
};

// What the call is in the names of its files.
void sources_name(const char *format, ...) GP_PRINTF(1, 2);

// Writes the files, and tells which types a variant does not take. Returns the program's exit
// status: 1, with a message, where a variant has no source, where a call fails, or where no
// source has one of the kernel files.
int sources_write(const struct check_suite *const *suites, unsigned n, const char *folder,
                  uint64_t seed);

#endif
