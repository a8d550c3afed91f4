/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the gpuprim program share: words for errors, the options every subcommand
 * has, files as matrices, printed values.
 *
 * A subcommand is one file that defines `const struct tool_command tool_<name>`; meson.build
 * finds it by the name of a primitive.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/core/core.h"

// ---------------------------------------------------------------------------------------
// main.c, options.c: subcommands, exit codes, words

enum tool_exit { TOOL_GOOD = 0, TOOL_FAILED = 1, TOOL_MISUSED = 2, TOOL_NO_DEVICE = 77 };

struct tool_command {
    const char *name;
    const char *summary;               // a few words, for the list of subcommands
    const char *usage;                 // what --help prints before the common options
    int (*run)(int argc, char **argv); // argv[0] is "gpuprim", for getopt's own messages
};

// Prints one line, "gpuprim: ...", to stderr and returns `code`. Control characters in it,
// say from a file's name, become '?'.
int tool_fail(int code, const char *format, ...) GP_PRINTF(2, 3);

struct tool_common {
    const char *device;
    bool check, json, quiet;
    int verbose;
};

// The common options in getopt's two notations. Long-only options of a subcommand take their
// codes from TOOL_OPTION_OWN up.
#define TOOL_SHORT "d:qvh"
// clang-format off
#define TOOL_LONG                                        \
    { "device", required_argument, NULL, 'd' },          \
    { "check", no_argument, NULL, TOOL_OPTION_CHECK },   \
    { "json", no_argument, NULL, TOOL_OPTION_JSON },     \
    { "quiet", no_argument, NULL, 'q' },                 \
    { "verbose", no_argument, NULL, 'v' },               \
    { "help", no_argument, NULL, 'h' },                  \
    { NULL, 0, NULL, 0 }
// clang-format on
enum { TOOL_OPTION_CHECK = 256, TOOL_OPTION_JSON, TOOL_OPTION_OWN };

// Takes an option that is not the subcommand's own. Returns TOOL_GO_ON, or the exit code where
// the program ends here (--help, an unknown option).
enum { TOOL_GO_ON = -1 };
int tool_common_option(struct tool_common *common, const struct tool_command *command,
                       int option);

// Takes the type that is getopt's argument of `option`. Returns as tool_common_option does.
#define TOOL_REAL_TYPES "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"
int tool_type_option(const char *option, enum gpuprim_type *type);

// The whole number that text begins with, in decimal or with 0x in hexadecimal, and what
// follows it; NULL if there is none or it is beyond 64 bits.
const char *tool_whole(const char *text, uint64_t *out);

// Takes a whole number that is getopt's argument of `option`. Returns as tool_common_option
// does.
int tool_whole_option(const char *option, uint64_t low, uint64_t high, uint64_t *out);

// A context on the device that was asked for, with the log on stderr as -v wants it.
int tool_device_open(const struct tool_common *common, gpuprim **out);

// Reports the library's last failure; returns the exit code for it.
int tool_fail_library(const struct tool_common *common, int status);

double tool_seconds(void); // of a clock that only moves forward

// ---------------------------------------------------------------------------------------
// files/file.c: a file as a matrix of numbers

// How a .wav file says what its samples are.
struct tool_wave {
    uint32_t rate;                  // frames in a second
    unsigned bits;                  // of a sample; 0 = this is no .wav file
    const unsigned char *extension; // the 24 bytes of an extensible format, or NULL
};

// A row-major matrix in a mapped file, or in memory of its own where the numbers cannot be used
// as they lie in the file. A vector is one row.
struct tool_matrix {
    enum gpuprim_type type;
    const void *data;
    uint64_t rows, columns;
    int n_dims; // as the file says: 1 or 2
    struct tool_wave wave;

    void *map, *owned;
    size_t map_bytes;
};

// Opens a .npy or .wav file by its content, or with a `raw` type a file of bare numbers.
// Returns TOOL_GOOD, or the exit code after saying what is wrong.
int tool_matrix_open(const char *path, enum gpuprim_type raw, struct tool_matrix *out);
void tool_matrix_close(struct tool_matrix *matrix);

// The readers of one format: from the bytes of a file, fill type, data, rows, columns, n_dims
// (and owned). On failure they store what is wrong, without the file's name, and return false.
enum { TOOL_WORDS = 256 };
bool tool_npy_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_wav_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);
bool tool_refuse(char *why, const char *format, ...) GP_PRINTF(2, 3); // returns false

// output.c: a file that appears at `path` when it is closed, whole or not at all. Errors while
// writing are seen when it is closed. Both return an exit code; after a failed opening there is
// nothing to close.
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

// Writes frames x channels samples as `wave` says, of a type that goes with its bits: i8 with 8
// (stored around 128), i16, i32 with 24 (saturated) or 32, f32, f64. Returns an exit code.
bool tool_wav_holds(enum gpuprim_type type, unsigned bits);
int tool_wav_write(const char *path, const struct tool_wave *wave, enum gpuprim_type type,
                   const void *data, uint64_t frames, uint64_t channels);

// ---------------------------------------------------------------------------------------
// print.c: numbers and JSON

// Element `i` of data of any real type, exactly where a long double has 64 bits of precision.
long double tool_load(enum gpuprim_type type, const void *data, uint64_t i);

enum { TOOL_NUMBER = 32 }; // holds every number, with its end

// Integers in full; floats with the fewest digits that read back to the same bits in their own
// type; inf, -inf, nan. Returns `text`.
const char *tool_number(enum gpuprim_type type, const void *value, char *text);

// One line per row, its values with blanks between; or an array of numbers, with more than one
// value per row of arrays. inf and nan, which JSON lacks, are strings there.
void tool_print_values(FILE *file, enum gpuprim_type type, const void *values, uint64_t rows,
                       unsigned per_row);
void tool_json_values(FILE *file, enum gpuprim_type type, const void *values, uint64_t rows,
                      unsigned per_row);
void tool_json_string(FILE *file, const char *text);

#endif
