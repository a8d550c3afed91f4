/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of numbers. matrix.c opens one as a matrix: content.c gives its bytes, a parser per format
 * (npy_read.c, csv_read.c, pnm_read.c, png.c, wav_read.c, sound.c) finds the numbers in them, and
 * arrange.c orders these. formats.c lists the formats of results and writes them: output.c creates
 * the file, a writer per format (npy_write.c, csv_write.c, pnm_write.c, png.c, wav_write.c,
 * sound.c) fills it.
 */
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include <gpuprim/gpuprim.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/message.h"

// The sample format of a sound.
struct tool_wave {
    uint32_t rate;                  // frames per second
    unsigned bits;                  // per sample; 0 = the file is no sound
    const unsigned char *extension; // the 24 bytes of an extensible .wav format, or NULL
};

struct tool_image {
    unsigned channels; // interleaved in each row; 0 = the file is no image
    unsigned largest;  // the number that means white; 0 = the largest of the type
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
    int n_dims;         // 1 or 2, as in the file
    const char *ending; // of names of files of this format, such as "npy"
    struct tool_wave wave;
    struct tool_image image;

    bool is_big_endian, is_by_columns; // until tool_arrange
    struct tool_content content;
    void *owned;
};

// Opens a file of any format, recognised by its content, or a file of bare numbers if `raw` is a
// type. "-" is standard input. Returns an exit code. Close only what was opened.
int tool_matrix_open(const char *path, enum gpuprim_type raw, struct tool_matrix *out);
void tool_matrix_close(struct tool_matrix *matrix);

// Opens what an option names: a file of numbers, or the numbers themselves, such as 1,2,1 or
// 0.5,1;2,3 with a semicolon between rows: i64 if all are whole, else f64. A text of digits, signs,
// points and commas alone is such a list. One column of a .csv file counts as a row. Images and
// sounds are refused. Returns an exit code.
int tool_numbers_open(const char *option, const char *text, struct tool_matrix *out);
bool tool_are_numbers(const char *text);

// Parsers of one format. From the bytes of a file they set type, data, rows, columns, n_dims,
// ending, and owned if needed. On failure they store a message without the file's name and return
// false; the caller frees `owned` in either case.
bool tool_npy_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_csv_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_pnm_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_png_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_wav_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_sound_parse(const unsigned char *file, size_t size, struct tool_matrix *out,
                      char *why);

// What the first bytes tell. A .wav file is coded if its samples are neither PCM nor floats.
bool tool_is_text(const unsigned char *file, size_t size);
bool tool_is_pnm(const unsigned char *file, size_t size);
bool tool_wav_is_coded(const unsigned char *file, size_t size);

// Makes the numbers little-endian, row-major and aligned. Returns false without memory.
bool tool_arrange(struct tool_matrix *matrix, char *why);

// A file that appears at `path` when it is closed: completely, or not at all. "-" is standard
// output. Write errors are
// reported when it is closed. tool_output_open and tool_output_close return an exit code; after a
// failed opening there is nothing to close. tool_output_drop leaves no file.
struct tool_output {
    FILE *file;
    const char *path;
    char *target; // what `path` leads to
    char temporary[4096];
};
bool tool_is_standard(const char *path); // "-"; `path` may be NULL
int tool_output_open(const char *path, struct tool_output *out);
int tool_output_close(struct tool_output *out);
void tool_output_drop(struct tool_output *out);

// Sets *ending to the format of an output: that of its name, or `like` for a name without ending,
// for "-" and, where `like` is "raw", for unknown endings. `file` is the input, whose name the
// output may have whatever that is. Returns an exit code.
int tool_ending_of(const char *path, const char *file, const char *like, const char **ending);

// Writes a matrix in the format that its `ending` names. The first function tells in advance
// whether that format can hold it, as far as type, channels and sample format decide that. Both
// return an exit code.
int tool_matrix_writable(const char *path, const struct tool_matrix *results);
int tool_matrix_write(const char *path, const struct tool_matrix *results);

// Writers of one format, which `ending` names. On failure they store a message and return false;
// tool_output_close sees errors of the file itself. Where `file` is NULL they only tell whether
// the format can hold this type and these channels.
typedef bool tool_writer(FILE *file, const struct tool_matrix *matrix, char *why);
tool_writer tool_npy_write, tool_csv_write, tool_raw_write, tool_pnm_write, tool_png_write,
    tool_wav_write, tool_sound_write;

#endif
