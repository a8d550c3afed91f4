/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of gpuprim convolve1d share: convolve1d.c has the command line and the files,
 * call.c the call, numbers.c the types.
 */
#ifndef TOOLS_CONVOLVE1D_H
#define TOOLS_CONVOLVE1D_H

#include "tools/tools.h"

struct convolve1d_request {
    struct tool_common common;
    struct gpuprim_filter_params params; // types apart
    enum gpuprim_type raw, as;
    const char *file, *taps, *output;
};

// From the opened files to the results in their file. Returns an exit code.
int convolve1d_files(const struct convolve1d_request *request,
                     const struct tool_matrix *samples, const struct tool_matrix *taps);

// Writes rows x columns results in the format that the samples had, or as .npy. The first says
// beforehand whether that format has this type. Both return an exit code.
int convolve1d_writable(const struct convolve1d_request *request,
                        const struct tool_matrix *samples, enum gpuprim_type type);
int convolve1d_write(const struct convolve1d_request *request,
                     const struct tool_matrix *samples, enum gpuprim_type type,
                     const void *data, const uint64_t *shape);

// The library filters integers by integers and floats by floats. Where samples are integers and
// taps are not, the program computes in floats and rounds: `out` is then not what is written.
struct convolve1d_types {
    enum gpuprim_type in, taps, out; // of the library's arrays
    enum gpuprim_type written;
};

// Chooses for samples and taps of these types in their files; `as` is the type of the results
// that was asked for, or INVALID. Stores what is wrong and returns false where there is no way.
bool convolve1d_choose(enum gpuprim_type samples, enum gpuprim_type taps, enum gpuprim_type as,
                       bool has_fp64, struct convolve1d_types *out, char *why);

// These numbers in another type, in memory that the caller frees; NULL if there is not enough.
// Floats become integers by rounding half to even and saturation, a NaN 0.
void *convolve1d_convert(enum gpuprim_type from, const void *data, enum gpuprim_type to,
                         uint64_t count);

// False, with words, if a number does not fit: an integer beyond i32, or a float that would
// become infinite.
bool convolve1d_fits(enum gpuprim_type from, const void *data, enum gpuprim_type to,
                     uint64_t count, char *why);

#endif
