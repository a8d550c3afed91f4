/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and strings as JSON. number.c makes the text of a number.
 */
#include <string.h>

#include "print.h"
#include "src/core/types.h" // sizes of types

static void json_number(FILE *file, enum gpuprim_type type, const void *value)
{
    char text[TOOL_NUMBER];
    tool_number(type, value, text);
    const bool is_finite = !strpbrk(text, "ni"); // not inf, -inf or nan
    fprintf(file, is_finite ? "%s" : "\"%s\"", text);
}

void tool_json_values(FILE *file, enum gpuprim_type type, const void *values, uint64_t rows,
                      unsigned per_row)
{
    const char *value = values;
    putc('[', file);
    for (uint64_t row = 0; row < rows; row++) {
        fputs(row ? ", " : "", file);
        fputs(per_row > 1 ? "[" : "", file);
        for (unsigned i = 0; i < per_row; i++, value += gp_type_size(type)) {
            fputs(i ? ", " : "", file);
            json_number(file, type, value);
        }
        fputs(per_row > 1 ? "]" : "", file);
    }
    putc(']', file);
}

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

void tool_json_string(FILE *file, const char *text)
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
