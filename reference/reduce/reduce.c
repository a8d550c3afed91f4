/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of reduce: types, where elements and results lie, and the loop over the rows.
 * integer.c, float.c and statistics.c check one row.
 */
#include "row.h"

#include <stdarg.h>
#include <stdio.h>

#include "reference/half.h"

// ---------------------------------------------------------------------------------------
// Types

size_t reduce_reference_size(enum gpuprim_type type)
{
    switch (type) {
    case GPUPRIM_I8:
    case GPUPRIM_U8:
        return 1;
    case GPUPRIM_I16:
    case GPUPRIM_U16:
    case GPUPRIM_F16:
        return 2;
    case GPUPRIM_I32:
    case GPUPRIM_U32:
    case GPUPRIM_F32:
        return 4;
    case GPUPRIM_I64:
    case GPUPRIM_U64:
    case GPUPRIM_F64:
        return 8;
    default:
        return 0;
    }
}

bool reference_is_float(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 || type == GPUPRIM_F32 || type == GPUPRIM_F64;
}

bool reference_is_signed(enum gpuprim_type type)
{
    return type == GPUPRIM_I8 || type == GPUPRIM_I16 || type == GPUPRIM_I32 ||
           type == GPUPRIM_I64;
}

enum gpuprim_type reduce_reference_accumulator(enum gpuprim_type type,
                                               const struct gpuprim_reduce_params *params)
{
    if (params->accumulator != GPUPRIM_TYPE_INVALID)
        return params->accumulator;
    if (reference_is_float(type))
        return type == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
    return reference_is_signed(type) ? GPUPRIM_I64 : GPUPRIM_U64;
}

enum gpuprim_type reduce_reference_result(enum gpuprim_type type,
                                          const struct gpuprim_reduce_params *params)
{
    const enum gpuprim_type accumulator = reduce_reference_accumulator(type, params);
    switch (params->op) {
    case GPUPRIM_SUM:
    case GPUPRIM_PRODUCT:
    case GPUPRIM_SUM_ABS:
    case GPUPRIM_SUM_SQUARES:
        return accumulator;
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
    case GPUPRIM_COUNT:
        return GPUPRIM_U64;
    case GPUPRIM_ANY:
    case GPUPRIM_ALL:
        return GPUPRIM_U8;
    case GPUPRIM_STATISTICS:
        return GPUPRIM_F64;
    case GPUPRIM_MAX_ABS:
        if (reference_is_float(type))
            return type == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
        return GPUPRIM_U64;
    case GPUPRIM_MEAN:
        return type == GPUPRIM_F32 && accumulator == GPUPRIM_F32 ? GPUPRIM_F32 : GPUPRIM_F64;
    default:
        return type;
    }
}

unsigned reduce_reference_results(enum gpuprim_op op)
{
    return op == GPUPRIM_STATISTICS ? 5 : op == GPUPRIM_MINMAX ? 2 : 1;
}

// ---------------------------------------------------------------------------------------
// Elements

uint64_t reference_rows(const struct gpuprim_array *array)
{
    return array->rows || array->row_stride ? array->rows : 1;
}

const void *reference_element(const struct gpuprim_array *array, uint64_t row, uint64_t index)
{
    const int64_t stride = array->stride ? array->stride : 1;
    const int64_t row_stride =
        array->row_stride ? array->row_stride : (int64_t)array->count * stride;
    const int64_t at =
        (int64_t)array->first + (int64_t)row * row_stride + (int64_t)index * stride;
    return (const char *)array->base + at * (int64_t)reduce_reference_size(array->type);
}

uint64_t reference_integer(const void *p, enum gpuprim_type type)
{
    switch (type) {
    case GPUPRIM_I8:
        return (uint64_t) * (const int8_t *)p;
    case GPUPRIM_U8:
        return *(const uint8_t *)p;
    case GPUPRIM_I16:
        return (uint64_t) * (const int16_t *)p;
    case GPUPRIM_U16:
        return *(const uint16_t *)p;
    case GPUPRIM_I32:
        return (uint64_t) * (const int32_t *)p;
    case GPUPRIM_U32:
        return *(const uint32_t *)p;
    case GPUPRIM_I64:
        return (uint64_t) * (const int64_t *)p;
    default:
        return *(const uint64_t *)p;
    }
}

double reference_float(const void *p, enum gpuprim_type type)
{
    if (type == GPUPRIM_F16)
        return half_to_float(*(const uint16_t *)p);
    return type == GPUPRIM_F32 ? (double)*(const float *)p : *(const double *)p;
}

bool reference_wrong(char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return false;
}

// ---------------------------------------------------------------------------------------
// Rows

bool reduce_reference_agrees(const struct gpuprim_array *in, const struct gpuprim_array *out,
                             const struct gpuprim_reduce_params *params, char *why,
                             size_t why_size)
{
    const uint64_t rows = reference_rows(in);
    const unsigned n_results = reduce_reference_results(params->op);
    const bool flat = reference_rows(out) == 1;
    for (uint64_t row = 0; row < rows; row++) {
        struct reference_results results = { .type = out->type, .count = n_results };
        for (unsigned k = 0; k < n_results; k++)
            results.at[k] = flat ? reference_element(out, 0, row * n_results + k)
                                 : reference_element(out, row, k);
        char message[160];
        const bool right =
            params->op == GPUPRIM_STATISTICS
                ? reference_statistics(in, row, params, &results, message, sizeof message)
            : reference_is_float(in->type)
                ? reference_floats(in, row, params, &results, message, sizeof message)
                : reference_integers(in, row, params, &results, message, sizeof message);
        if (!right)
            return reference_wrong(why, why_size, "row %llu of %llu: %s",
                                   (unsigned long long)row, (unsigned long long)rows, message);
    }
    return true;
}
