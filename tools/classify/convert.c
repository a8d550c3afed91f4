/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts thresholds and labels of gpuprim classify to the type that the library takes. Integers
 * and labels convert exactly or not at all. Thresholds of floats are rounded to the nearest number
 * of the type, as a constant in C would be. All conversions go through a long double, which holds every i64, u64
 * and f64 exactly if its mantissa has 64 bits. (Where it has fewer, 64-bit integers that need
 * more are rounded, and only if they have to be converted.)
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "classify.h"
#include "src/core/types.h" // sizes and names of types
#include "reference/half.h"

typedef long double number;

// Returns whether the type has exactly this number. Every float type has NaN.
static bool store(enum gpuprim_type type, void *data, uint64_t i, number value)
{
    switch (type) {
#define STORE(TYPE, c_type, low, above)                                                        \
    case TYPE:                                                                                 \
        if (!(value >= (low) && value < (above)))                                              \
            return false;                                                                      \
        ((c_type *)data)[i] = (c_type)value;                                                   \
        break;
        STORE(GPUPRIM_I8, int8_t, -0x1p7L, 0x1p7L)
        STORE(GPUPRIM_U8, uint8_t, 0, 0x1p8L)
        STORE(GPUPRIM_I16, int16_t, -0x1p15L, 0x1p15L)
        STORE(GPUPRIM_U16, uint16_t, 0, 0x1p16L)
        STORE(GPUPRIM_I32, int32_t, -0x1p31L, 0x1p31L)
        STORE(GPUPRIM_U32, uint32_t, 0, 0x1p32L)
        STORE(GPUPRIM_I64, int64_t, -0x1p63L, 0x1p63L)
        STORE(GPUPRIM_U64, uint64_t, 0, 0x1p64L)
#undef STORE
    case GPUPRIM_F32:
        ((float *)data)[i] = (float)value;
        break;
    case GPUPRIM_F64:
        ((double *)data)[i] = (double)value;
        break;
    default:
        ((uint16_t *)data)[i] = half_from_float((float)value);
        break;
    }
    return isnan(value) || tool_load(type, data, i) == value;
}

static bool refuse(const struct tool_matrix *matrix, uint64_t i, enum gpuprim_type type,
                   char *why)
{
    char text[TOOL_NUMBER], place[48];
    tool_number(matrix->type, (const char *)matrix->data + i * gp_type_size(matrix->type),
                text);
    if (matrix->n_dims == 2)
        snprintf(place, sizeof place, "%" PRIu64 ", %" PRIu64, i / matrix->columns,
                 i % matrix->columns);
    else
        snprintf(place, sizeof place, "%" PRIu64, i);
    return tool_refuse(why, "element [%s], %s, does not convert to %s exactly", place, text,
                       gp_type_name(type));
}

// Whether a number that was rounded is near its original: both are finite.
static bool is_rounded(enum gpuprim_type type, const void *data, uint64_t i, number value)
{
    const bool is_float = type == GPUPRIM_F16 || type == GPUPRIM_F32 || type == GPUPRIM_F64;
    return is_float && isfinite(value) && isfinite(tool_load(type, data, i));
}

bool classify_convert(struct tool_matrix *matrix, enum gpuprim_type type, uint64_t *rounded,
                      char *why)
{
    const uint64_t count = matrix->rows * matrix->columns;
    if (matrix->type == type)
        return true;
    if (matrix->type == GPUPRIM_C32)
        return tool_refuse(why, "complex numbers do not convert to %s", gp_type_name(type));
    void *values = calloc((size_t)count + 1, gp_type_size(type));
    if (!values)
        return tool_refuse(why, "not enough memory");
    for (uint64_t i = 0; i < count; i++) {
        const number value = tool_load(matrix->type, matrix->data, i);
        if (store(type, values, i, value))
            continue;
        if (!rounded || !is_rounded(type, values, i, value)) {
            free(values);
            return refuse(matrix, i, type, why);
        }
        ++*rounded;
    }
    free(matrix->owned);
    matrix->data = matrix->owned = values;
    matrix->type = type;
    return true;
}
