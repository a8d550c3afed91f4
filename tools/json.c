/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer of JSON: it sets commas, names of members and lines. number.c makes the text of a number.
 */
#include <inttypes.h>
#include <string.h>

#include "print.h"
#include "src/core/types.h" // sizes and names of types

// Length in bytes of the UTF-8 character at `text`; 0 if the bytes are not valid UTF-8.
static int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        int length;
    } kinds[] = {
        { 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
        { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
        { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (text[0] < kinds[i].low || text[0] > kinds[i].high)
            continue;
        if (kinds[i].length == 1)
            return 1;
        if (text[1] < kinds[i].second_low || text[1] > kinds[i].second_high)
            return 0;
        for (int k = 2; k < kinds[i].length; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        return kinds[i].length;
    }
    return 0;
}

static void put_string(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', file);
    while (*at) {
        const int length = utf8_length(at);
        if (length == 0) // names of files may hold any bytes, JSON only valid UTF-8
            fputs("\\ufffd", file);
        else if (*at < ' ')
            fprintf(file, "\\u%04x", (unsigned)*at);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length ? length : 1;
    }
    putc('"', file);
}

// What comes before every value: a comma, and the name of a member of an object.
static void put_key(struct tool_json *json, const char *key)
{
    if (json->has_values)
        fputs(", ", json->file);
    json->has_values = true;
    if (key) {
        put_string(json->file, key);
        fputs(": ", json->file);
    }
}

void tool_json_begin(struct tool_json *json, const char *key, char bracket)
{
    const bool is_item = !key && json->depth > 0;
    if (is_item && json->has_values)
        putc(',', json->file);
    if (is_item)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    else
        put_key(json, key);
    putc(bracket, json->file);
    json->has_values = false;
    json->depth++;
}

void tool_json_end(struct tool_json *json, char bracket)
{
    putc(bracket, json->file);
    json->has_values = true;
    if (--json->depth == 0)
        putc('\n', json->file);
}

void tool_json_text(struct tool_json *json, const char *key, const char *text)
{
    put_key(json, key);
    put_string(json->file, text);
}

void tool_json_whole(struct tool_json *json, const char *key, uint64_t value)
{
    put_key(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void tool_json_real(struct tool_json *json, const char *key, const char *format, double value)
{
    char text[TOOL_NUMBER];
    snprintf(text, sizeof text, format, value);
    put_key(json, key);
    fputs(text, json->file);
}

void tool_json_flag(struct tool_json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

void tool_json_null(struct tool_json *json, const char *key)
{
    put_key(json, key);
    fputs("null", json->file);
}

// ---------------------------------------------------------------------------------------
// Arrays

static void put_number(struct tool_json *json, enum gpuprim_type type, const void *value)
{
    char text[TOOL_NUMBER];
    tool_number(type, value, text);
    const bool is_finite = !strpbrk(text, "ni"); // not inf, -inf or nan
    put_key(json, NULL);
    fprintf(json->file, is_finite ? "%s" : "\"%s\"", text);
}

void tool_json_values(struct tool_json *json, const char *key, enum gpuprim_type type,
                      const void *values, uint64_t rows, unsigned per_row)
{
    const char *value = values;
    put_key(json, key);
    putc('[', json->file);
    json->has_values = false;
    for (uint64_t row = 0; row < rows; row++) {
        if (per_row > 1) {
            put_key(json, NULL);
            putc('[', json->file);
            json->has_values = false;
        }
        for (unsigned i = 0; i < per_row; i++, value += gp_type_size(type))
            put_number(json, type, value);
        fputs(per_row > 1 ? "]" : "", json->file);
        json->has_values = true;
    }
    putc(']', json->file);
    json->has_values = true;
}

void tool_json_shape(struct tool_json *json, const char *key, int n_dims, uint64_t rows,
                     uint64_t columns)
{
    const uint64_t shape[2] = { rows, columns };
    tool_json_values(json, key, GPUPRIM_U64, n_dims == 2 ? shape : shape + 1, (uint64_t)n_dims,
                     1);
}
