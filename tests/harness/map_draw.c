/* SPDX-License-Identifier: Apache-2.0
 *
 * The random part of the map (map.h) that all primitives share: types, layouts, row lengths. */
#include "map.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "memory.h"

const char *const map_layout_names[MAP_LAYOUTS] = {
    "one row", "rows", "pitched rows", "columns", "pitched columns", "channels", "every k-th",
};

uint64_t map_between(struct map_draw *draw, uint64_t low, uint64_t high)
{
    if (high <= low)
        return low;
    const double octaves = log2((double)high + 1) - log2((double)low);
    const double part = ldexp((double)check_below(&draw->check, 1 << 30), -30);
    const uint64_t value = (uint64_t)((double)low * exp2(octaves * part));
    return value < low ? low : gp_min(value, high);
}

unsigned map_one_of(struct map_draw *draw, const unsigned *weights, unsigned n)
{
    unsigned sum = 0, i = 0;
    for (unsigned k = 0; k < n; k++)
        sum += weights[k];
    uint64_t at = check_below(&draw->check, sum);
    while (at >= weights[i])
        at -= weights[i++];
    return i;
}

enum gpuprim_type map_type(struct map_draw *draw, bool complex)
{
    //                                I8 U8 I16 U16 I32 U32 I64 U64 F16 F32 F64 C32
    static const unsigned weights[] = { 2, 3, 3, 2, 3, 2, 1, 1, 4, 8, 3, 2 };
    const unsigned types = GPUPRIM_F64 + (complex ? 1 : 0);
    enum gpuprim_type type;
    do
        type = (enum gpuprim_type)(1 + map_one_of(draw, weights, types));
    while (type == GPUPRIM_F64 && !draw->has_fp64);
    return type;
}

// ---------------------------------------------------------------------------------------
// Layouts

static uint64_t most_elements(const struct map_draw *draw, const struct map_shape *shape,
                              size_t size)
{
    const bool pitched =
        shape->layout == MAP_PITCHED_ROWS || shape->layout == MAP_PITCHED_COLUMNS;
    const uint64_t most = draw->bytes / size / (pitched ? 2 : shape->step);
    return most ? most : 1;
}

struct map_shape map_shape(struct map_draw *draw, size_t size)
{
    static const unsigned weights[MAP_LAYOUTS] = { 4, 6, 3, 4, 2, 3, 2 };
    struct map_shape shape = {
        .layout = (enum map_layout)map_one_of(draw, weights, MAP_LAYOUTS), .step = 1, .rows = 1
    };
    if (shape.layout == MAP_EVERY_KTH)
        shape.step = map_between(draw, 2, 32);
    shape.most = most_elements(draw, &shape, size);
    switch (shape.layout) {
    case MAP_ONE_ROW:
        break;
    case MAP_CHANNELS:
        shape.rows = 2 + check_below(&draw->check, 7);
        break;
    case MAP_COLUMNS:
    case MAP_PITCHED_COLUMNS:
        shape.rows = map_between(draw, 9, gp_min(shape.most, 1 << 16));
        break;
    default:
        shape.rows = shape.most / map_between(draw, 1, shape.most);
    }
    shape.count = shape.most / shape.rows;
    if (shape.count == 0)
        shape.count = 1;
    return shape;
}

struct map_shape map_beside(struct map_draw *draw, const struct map_shape *in)
{
    struct map_shape shape = *in;
    if (check_below(&draw->check, 4))
        return shape;
    shape.layout = in->rows == 1                    ? MAP_ONE_ROW
                   : check_once_in(&draw->check, 2) ? MAP_ROWS
                                                    : MAP_COLUMNS;
    shape.step = 1;
    return shape;
}

static void set_strides(struct map_draw *draw, const struct map_shape *shape,
                        struct gpuprim_array *array)
{
    const uint64_t across = shape->rows, along = shape->count;
    switch (shape->layout) {
    case MAP_PITCHED_ROWS:
        array->stride = 1;
        array->row_stride = (int64_t)(along + 1 + check_below(&draw->check, along));
        break;
    case MAP_COLUMNS:
    case MAP_CHANNELS:
        array->stride = (int64_t)across;
        array->row_stride = 1;
        break;
    case MAP_PITCHED_COLUMNS:
        array->stride = (int64_t)(across + 1 + check_below(&draw->check, across));
        array->row_stride = 1;
        break;
    default:
        array->stride = (int64_t)shape->step;
        array->row_stride = (int64_t)(along * shape->step);
    }
    if (check_once_in(&draw->check, 20))
        array->stride = -array->stride;
    if (check_once_in(&draw->check, 20))
        array->row_stride = -array->row_stride;
}

struct gpuprim_array map_array(struct map_draw *draw, enum gpuprim_type type,
                               const struct map_shape *shape)
{
    struct gpuprim_array array = {
        .type = type, .memory = GPUPRIM_BUFFER, .count = shape->count, .rows = shape->rows
    };
    set_strides(draw, shape, &array);
    int64_t low, high;
    check_span(&array, &low, &high);
    array.first = (uint64_t)-low;
    if (check_once_in(&draw->check, 2))
        array.first += check_below(&draw->check, 64);
    return array;
}

struct gpuprim_array map_packed(enum gpuprim_type type, uint64_t n)
{
    return (struct gpuprim_array){ .type = type,
                                   .memory = GPUPRIM_BUFFER,
                                   .count = n,
                                   .stride = 1,
                                   .rows = 1,
                                   .row_stride = (int64_t)n };
}

// ---------------------------------------------------------------------------------------
// Words

void map_say(struct map_call *call, const char *format, ...)
{
    const size_t n = strlen(call->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->text + n, sizeof call->text - n, format, arguments);
    va_end(arguments);
}

void map_say_array(struct map_call *call, const char *name, const struct gpuprim_array *array)
{
    map_say(call, "; %s: %llu x %llu at %llu, strides %lld and %lld", name,
            (unsigned long long)array->rows, (unsigned long long)array->count,
            (unsigned long long)array->first, (long long)array->row_stride,
            (long long)array->stride);
}

// ---------------------------------------------------------------------------------------

void map_draw_call(const struct map_primitive *primitive, const char *name, uint64_t seed,
                   unsigned index, const gpuprim *gp, uint64_t largest, struct map_call *call)
{
    char row[64];
    snprintf(row, sizeof row, "%s/%u", name, index);
    struct map_draw draw = { .check = { .quick = false }, .has_fp64 = gp->caps.has_fp64 };
    draw.check.random = seed ^ check_hash(row);
    // A quarter of the calls are small.
    const bool small = check_once_in(&draw.check, 4);
    const uint64_t small_most = gp_min(MAP_SMALL, largest);
    draw.bytes = small ? map_between(&draw, small_most / 64, small_most)
                       : map_between(&draw, largest / (gp->caps.is_cpu ? 4 : 2), largest);
    draw.beside_bytes = draw.bytes / (small || gp->caps.is_cpu ? 1 : 4);
    draw.multiply_adds = (uint64_t)1 << (gp->caps.is_cpu ? 30 : 37);
    *call = (struct map_call){ .kind = "" };
    primitive->draw(&draw, call);
}
