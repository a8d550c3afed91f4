/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as text (json.c prints them as JSON). The program never sets a locale, so that the
 * decimal separator is a point.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "src/core/types.h" // sizes of types

// Rounds to the nearest value of binary16, ties to even.
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

// Rounds to more and more digits until the text reads back to the same value. That gives the
// shortest text with one exception: just above a power of two, neighbours lie twice as far
// apart as just below it. There the next decimal above may read back although the nearest one
// does not.
static void shortest(enum gpuprim_type type, double value, char *text)
{
    // This many digits always suffice. Whole numbers below 10 to this power need no exponent.
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
            return; // keeps its exponent; this happens only far from 1
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
    default:
        real = (double)tool_load(type, value, 0);
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
