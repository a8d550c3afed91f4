/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of numbers. matrix.c opens one as a matrix; npy_read.c and wav_read.c parse the two
 * formats. output.c creates a file; npy_write.c and wav_write.c write the two formats into it.
 */
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include <gpuprim/gpuprim.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/message.h"

// The sample format of a .wav file.
struct tool_wave {
    uint32_t rate;                  // frames per second
    unsigned bits;                  // per sample; 0 = the file is not a .wav file
    const unsigned char *extension; // the 24 bytes of an extensible format, or NULL
};

// A row-major matrix. Its numbers lie in the mapped file, or in memory of their own if they
// cannot be used as the file stores them. A vector is one row.
struct tool_matrix {
    enum gpuprim_type type;
    const void *data;
    uint64_t rows, columns;
    int n_dims; // 1 or 2, as in the file
    struct tool_wave wave;

    void *map, *owned;
    size_t map_bytes;
};

// Opens a .npy or .wav file, recognised by its content, or a file of bare numbers if `raw` is a
// type. Returns an exit code. Close only what was opened.
int tool_matrix_open(const char *path, enum gpuprim_type raw, struct tool_matrix *out);
void tool_matrix_close(struct tool_matrix *matrix);

// Parsers of one format. From the bytes of a file they set type, data, rows, columns, n_dims,
// and owned if needed. On failure they store a message without the file's name and return
// false.
bool tool_npy_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_wav_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);

// A file that appears at `path` when it is closed: completely, or not at all. Write errors are
// reported when it is closed. Both functions return an exit code; after a failed opening there
// is nothing to close.
struct tool_output {
    FILE *file;
    const char *path;
    char temporary[4096];
};
int tool_output_open(const char *path, struct tool_output *out);
int tool_output_close(struct tool_output *out);

// Writes a .npy file of one or two dimensions. Returns an exit code.
int tool_npy_write(const char *path, enum gpuprim_type type, const void *data, int n_dims,
                   const uint64_t *shape);

// Writes frames x channels samples in the format `wave`. The type must match its bits: i8 for 8
// (stored with an offset of 128), i16 for 16, i32 for 24 (saturated) or 32, f32 for 32, f64 for
// 64; tool_wav_holds tells. Returns an exit code.
bool tool_wav_holds(enum gpuprim_type type, unsigned bits);
int tool_wav_write(const char *path, const struct tool_wave *wave, enum gpuprim_type type,
                   const void *data, uint64_t frames, uint64_t channels);

#endif
