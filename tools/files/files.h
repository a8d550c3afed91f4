/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of numbers. matrix.c opens one as a matrix: content.c gives its bytes, npy_read.c and
 * wav_read.c parse the two formats, arrange.c orders the numbers. output.c creates a file;
 * npy_write.c and wav_write.c write the two formats into it.
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

// The bytes of a file, mapped or read.
struct tool_content {
    unsigned char *bytes;
    size_t size;
    bool is_mapped;
};

// "-" is standard input. On failure, also for an empty file, stores a message in `why` and returns
// false; then there is nothing to close.
bool tool_content_open(const char *path, struct tool_content *out, char *why);
void tool_content_close(struct tool_content *content);

// A row-major matrix. Its numbers lie in the content of the file, or in memory of their own if
// they cannot be used as the file stores them. A vector is one row.
struct tool_matrix {
    enum gpuprim_type type;
    const void *data;
    uint64_t rows, columns;
    int n_dims; // 1 or 2, as in the file
    struct tool_wave wave;

    bool is_big_endian, is_by_columns; // until tool_arrange
    struct tool_content content;
    void *owned;
};

// Opens a .npy or .wav file, recognised by its content, or a file of bare numbers if `raw` is a
// type. "-" is standard input. Returns an exit code. Close only what was opened.
int tool_matrix_open(const char *path, enum gpuprim_type raw, struct tool_matrix *out);
void tool_matrix_close(struct tool_matrix *matrix);

// Opens what an option names: a .npy or .wav file, or the numbers themselves, such as 1,2,1 or
// 0.5,1;2,3 with a semicolon between rows: i64 if all are whole, else f64. A text of digits, signs,
// points and commas alone is such a list. Returns an exit code.
int tool_numbers_open(const char *option, const char *text, struct tool_matrix *out);
bool tool_are_numbers(const char *text);

// Parsers of one format. From the bytes of a file they set type, data, rows, columns, n_dims,
// and owned if needed. On failure they store a message without the file's name and return
// false.
bool tool_npy_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_wav_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);

// Makes the numbers little-endian, row-major and aligned. Returns false without memory.
bool tool_arrange(struct tool_matrix *matrix, char *why);

// A file that appears at `path` when it is closed: completely, or not at all. "-" is standard
// output. Write errors are
// reported when it is closed. Both functions return an exit code; after a failed opening there
// is nothing to close.
struct tool_output {
    FILE *file;
    const char *path;
    char *target; // what `path` leads to
    char temporary[4096];
};
bool tool_is_standard(const char *path); // "-"; `path` may be NULL
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
