/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of gpuprim convolve1d share. convolve1d.c parses the command line, files.c
 * opens and writes the files, recipes.c computes taps, call.c makes passes, pass.c calls the library, types.c chooses the
 * element types and convert.c converts to them.
 */
#ifndef TOOLS_CONVOLVE1D_H
#define TOOLS_CONVOLVE1D_H

#include "tools/command.h"
#include "tools/files/files.h"

extern const struct tool_command tool_convolve1d;

// What is filtered: each row, each column, or each row and then each column.
enum convolve1d_axis { CONVOLVE1D_AUTO, CONVOLVE1D_ROWS, CONVOLVE1D_COLUMNS, CONVOLVE1D_BOTH };
extern const char
    *const convolve1d_axis_names[]; // in call.c, from CONVOLVE1D_ROWS on, ended by NULL

struct convolve1d_request {
    struct tool_common common;
    struct gpuprim_filter_params params; // without its types
    enum gpuprim_type raw, as;
    enum convolve1d_axis axis;
    const char *file, *taps, *output;
};

// files.c: opens the samples and the taps. Returns an exit code; the caller closes both
// whatever it is.
int convolve1d_open(const struct convolve1d_request *request, struct tool_matrix *samples,
                    struct tool_matrix *taps);

// recipes.c: taps that a text such as lowpass:3400/48000:255 describes. `rate` is that of the
// samples, or 0. Returns an exit code.
bool convolve1d_is_recipe(const char *text);
int convolve1d_recipe(const char *text, uint32_t rate, struct tool_matrix *out);

// files.c: writes rows x columns results in the format of the samples, or as .npy. The first
// function tells in advance whether that format can hold this type. Both return an exit code.
int convolve1d_writable(const struct convolve1d_request *request,
                        const struct tool_matrix *samples, enum gpuprim_type type);
int convolve1d_write(const struct convolve1d_request *request,
                     const struct tool_matrix *samples, enum gpuprim_type type,
                     const void *data, const uint64_t *shape);

// call.c: filters the samples and writes the results. Returns an exit code.
int convolve1d_run(const struct convolve1d_request *request, const struct tool_matrix *samples,
                   const struct tool_matrix *taps);

// The library takes float taps for all samples but those of 32 bits, and gives f64 for f64
// alone. Elsewhere the program converts the samples to floats, and perhaps the results to
// integers: `written` then differs from `out`.
struct convolve1d_types {
    enum gpuprim_type in, taps, out; // of the library's arrays
    enum gpuprim_type written;       // of the output file
};

// A row-major matrix on its way through the passes.
struct convolve1d_matrix {
    enum gpuprim_type type;
    uint64_t rows, columns;
    const void *data;
    void *owned; // where the matrix has its own memory
};

// pass.c: filters each row, or each column, of a matrix with `channels` numbers for each pixel of
// a row; 0 = 1. Sets the members at the end. Returns an exit code; the caller frees out->owned
// whatever it is.
struct convolve1d_pass {
    const struct convolve1d_request *request;
    gpuprim *gp;
    struct gpuprim_array taps;
    struct gpuprim_filter_params params;
    bool is_by_columns;
    unsigned channels;

    double seconds;
    bool agrees; // with the reference, if that was asked for
    char why[512];
};
int convolve1d_pass(struct convolve1d_pass *pass, const struct convolve1d_matrix *in,
                    struct convolve1d_matrix *out);

// types.c: chooses the types for samples and taps of these types. `as` is the type of the
// results that the user asked for, or INVALID. Stores a message and returns false if there is
// no choice.
bool convolve1d_choose(enum gpuprim_type samples, enum gpuprim_type taps, enum gpuprim_type as,
                       bool has_fp64, struct convolve1d_types *out, char *why);

// types.c: the type between two passes, which loses nothing that the results keep.
enum gpuprim_type convolve1d_middle(const struct convolve1d_types *types);

// convert.c: converts numbers to another type, in memory that the caller frees; NULL if memory
// is short. Floats become integers by rounding half to even and saturation; a NaN becomes 0.
void *convolve1d_convert(enum gpuprim_type from, const void *data, enum gpuprim_type to,
                         uint64_t count);

// convert.c: whether all numbers fit into the type `to`. Stores a message and returns false if
// an integer exceeds i32, or if a finite float would become infinite.
bool convolve1d_fits(enum gpuprim_type from, const void *data, enum gpuprim_type to,
                     uint64_t count, char *why);

#endif
