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

// Rounds to `digits` digits. Returns whether the text reads back to the same value.
static bool rounds_back(enum gpuprim_type type, double value, int digits, char *text)
{
    snprintf(text, TOOL_NUMBER, "%.*e", digits - 1, value);
    return reads_back(text, type, value);
}

// The least number of digits whose nearest decimal reads back. If one does, so do those of more
// digits, which are nearer; so the number can be found by halving.
static int fewest_digits(enum gpuprim_type type, double value, int enough, char *text)
{
    int few = 0, many = enough; // the first does not suffice, the second does
    while (many - few > 1) {
        const int digits = (few + many) / 2;
        if (rounds_back(type, value, digits, text))
            many = digits;
        else
            few = digits;
    }
    return many;
}

// The value below a power of two is half as far away as the one above, so that the rule above
// does not hold for it: here the next decimal above may read back although the nearest one does
// not. Returns 0 if `text` is the result already.
static int fewest_digits_of_power(enum gpuprim_type type, double value, int enough, char *text)
{
    for (int digits = 1; digits < enough; digits++) {
        if (rounds_back(type, value, digits, text))
            return digits;
        char *last = strchr(text, 'e') - 1;
        if (*last == '9')
            continue;
        ++*last;
        if (reads_back(text, type, value))
            return 0; // keeps its exponent; this happens only far from 1
    }
    return enough;
}

static void shortest(enum gpuprim_type type, double value, char *text)
{
    // This many digits always suffice. Whole numbers below 10 to this power need no exponent.
    const int enough = type == GPUPRIM_F64 ? 17 : type == GPUPRIM_F32 ? 9 : 5;
    int ignored;
    const bool is_power = fabs(frexp(value, &ignored)) == 0.5;
    const int digits = is_power ? fewest_digits_of_power(type, value, enough, text)
                                : fewest_digits(type, value, enough, text);
    if (digits == 0)
        return;
    snprintf(text, TOOL_NUMBER, "%.*e", digits - 1, value);
    const int exponent = atoi(strchr(text, 'e') + 1);
    const bool whole = exponent >= digits && exponent < enough;
    char wide[512] = ""; // the compiler does not know how short the text is
    snprintf(wide, sizeof wide, "%.*g", whole ? exponent + 1 : digits, value);
    memcpy(text, wide, TOOL_NUMBER);
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
