/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of any element type as C values (load.c), as text (number.c) and as JSON (json.c).
 */
#ifndef TOOLS_PRINT_H
#define TOOLS_PRINT_H

#include <gpuprim/gpuprim.h>
#include <stdbool.h>
#include <stdio.h>

// Element `i` of data of any real type. It is exact where a long double has a mantissa of 64
// bits or more.
long double tool_load(enum gpuprim_type type, const void *data, uint64_t i);

// Writes a number into `text` and returns `text`. Integers are written in full. Floats are
// written with the fewest digits that read back to the same bits of their type, or as inf,
// -inf, nan.
enum { TOOL_NUMBER = 32 }; // bytes that hold every number and its terminating zero
const char *tool_number(enum gpuprim_type type, const void *value, char *text);

// Prints one line per row, with blanks between the values of a row.
void tool_print_values(FILE *file, enum gpuprim_type type, const void *values, uint64_t rows,
                       unsigned per_row);

// A JSON text in the making. Members of objects have a key; the key of an element of an array is
// NULL. The text ends where as many brackets are closed as were opened.
struct tool_json {
    FILE *file;
    int depth;       // open brackets
    bool has_values; // in the innermost bracket
};
void tool_json_begin(struct tool_json *json, const char *key, char bracket); // '{' or '['
void tool_json_end(struct tool_json *json, char bracket);
void tool_json_text(struct tool_json *json, const char *key, const char *text);
void tool_json_whole(struct tool_json *json, const char *key, uint64_t value);
void tool_json_real(struct tool_json *json, const char *key, const char *format, double value);
void tool_json_flag(struct tool_json *json, const char *key, bool value);
void tool_json_null(struct tool_json *json, const char *key);

// An array of numbers, or of arrays if a row has more than one value. JSON has no inf and no nan:
// they are strings.
void tool_json_values(struct tool_json *json, const char *key, enum gpuprim_type type,
                      const void *values, uint64_t rows, unsigned per_row);
void tool_json_shape(struct tool_json *json, const char *key, int n_dims, uint64_t rows,
                     uint64_t columns);

#endif
