/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and JSON as the gpuprim program prints them. The program never sets a locale, so
 * the decimal point is a point.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

static double half_value(uint16_t bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

// The nearest value that binary16 holds, ties to even.
static double round_to_half(double value)
{
    int exponent;
    frexp(value, &exponent);
    const double unit = ldexp(1, (exponent > -13 ? exponent : -13) - 11);
    const double rounded = nearbyint(value / unit) * unit;
    return fabs(rounded) > 65504 ? copysign((double)INFINITY, value) : rounded;
}

static bool reads_back(const char *text, enum gpuprim_type type, double value)
{
    if (type == GPUPRIM_F64)
        return strtod(text, NULL) == value;
    if (type == GPUPRIM_F32)
        return (double)strtof(text, NULL) == value;
    return round_to_half(strtod(text, NULL)) == value;
}

// Rounding to ever more digits finds the shortest text, with one exception: just above a power
// of two numbers lie twice as far apart as below, and there the next decimal upwards can read
// back where the nearest does not.
static void shortest(enum gpuprim_type type, double value, char *text)
{
    // So many digits always suffice. Below 10 to that power no exponent is needed either.
    const int enough = type == GPUPRIM_F64 ? 17 : type == GPUPRIM_F32 ? 9 : 5;
    int digits, exponent;
    for (digits = 1;; digits++) {
        snprintf(text, TOOL_NUMBER, "%.*e", digits - 1, value);
        char *last = strchr(text, 'e') - 1;
        exponent = atoi(last + 2);
        if (digits == enough || reads_back(text, type, value))
            break;
        if (*last == '9')
            continue;
        ++*last;
        if (reads_back(text, type, value))
            return; // with its exponent: it happens far from 1 only
    }
    const bool whole = exponent >= digits && exponent < enough;
    snprintf(text, TOOL_NUMBER, "%.*g", whole ? exponent + 1 : digits, value);
}

const char *tool_number(enum gpuprim_type type, const void *value, char *text)
{
    double real;
    switch (type) {
#define INTEGER(TYPE, c_type, format)                                                          \
    case TYPE:                                                                                 \
        snprintf(text, TOOL_NUMBER, "%" format, *(const c_type *)value);                       \
        return text;
        INTEGER(GPUPRIM_I8, int8_t, PRId8)
        INTEGER(GPUPRIM_U8, uint8_t, PRIu8)
        INTEGER(GPUPRIM_I16, int16_t, PRId16)
        INTEGER(GPUPRIM_U16, uint16_t, PRIu16)
        INTEGER(GPUPRIM_I32, int32_t, PRId32)
        INTEGER(GPUPRIM_U32, uint32_t, PRIu32)
        INTEGER(GPUPRIM_I64, int64_t, PRId64)
        INTEGER(GPUPRIM_U64, uint64_t, PRIu64)
#undef INTEGER
    case GPUPRIM_F16:
        real = half_value(*(const uint16_t *)value);
        break;
    case GPUPRIM_F32:
        real = (double)*(const float *)value;
        break;
    default:
        real = *(const double *)value;
        break;
    }
    if (isnan(real))
        strcpy(text, "nan");
    else if (isinf(real))
        strcpy(text, real > 0 ? "inf" : "-inf");
    else
        shortest(type, real, text);
    return text;
}

void tool_print_values(FILE *file, enum gpuprim_type type, const void *values, uint64_t rows,
                       unsigned per_row)
{
    const char *value = values;
    char text[TOOL_NUMBER];
    for (uint64_t i = 0; i < rows * per_row; i++, value += gp_type_size(type)) {
        fputs(tool_number(type, value, text), file);
        putc((i + 1) % per_row ? ' ' : '\n', file);
    }
}

static void json_number(FILE *file, enum gpuprim_type type, const void *value)
{
    char text[TOOL_NUMBER];
    tool_number(type, value, text);
    const bool is_finite = !strpbrk(text, "ni"); // JSON has no inf and no nan
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

// Bytes of the UTF-8 character at `text`; 0 if it is none.
static int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        int length;
    } forms[] = {
        { 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
        { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
        { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (text[0] < forms[i].low || text[0] > forms[i].high)
            continue;
        if (forms[i].length == 1)
            return 1;
        if (text[1] < forms[i].second_low || text[1] > forms[i].second_high)
            return 0;
        for (int k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

void tool_json_string(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', file);
    while (*at) {
        const int length = utf8_length(at);
        if (length == 0) // a file's name may be any bytes, JSON may not
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
