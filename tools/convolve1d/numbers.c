/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of gpuprim convolve1d. Every type here converts by way of a double: it holds all
 * of i32 and f32, and for i64 it is only asked whether a number lies within i32.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "convolve1d.h"

static bool is_float(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 || type == GPUPRIM_F32 || type == GPUPRIM_F64;
}

// 32 bits are more than an f32 holds; 24-bit sound would survive the way in, not the way back.
static enum gpuprim_type float_for(enum gpuprim_type samples, enum gpuprim_type as,
                                   bool has_fp64)
{
    if (is_float(as))
        return as == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
    return samples == GPUPRIM_I32 && has_fp64 ? GPUPRIM_F64 : GPUPRIM_F32;
}

bool convolve1d_choose(enum gpuprim_type samples, enum gpuprim_type taps, enum gpuprim_type as,
                       bool has_fp64, struct convolve1d_types *out, char *why)
{
    const enum gpuprim_type result = as ? as : samples;

    if (samples == GPUPRIM_C32) {
        const enum gpuprim_type c32_or_f32 = taps == GPUPRIM_C32 ? GPUPRIM_C32 : GPUPRIM_F32;
        *out = (struct convolve1d_types){ samples, c32_or_f32, result, result };
        return true;
    }
    if (taps == GPUPRIM_C32)
        return tool_refuse(why, "complex taps (c32) do not go with samples of %s",
                           gp_type_name(samples));
    if (is_float(samples)) {
        const enum gpuprim_type real = samples == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
        *out = (struct convolve1d_types){ samples, real, result, result };
        return true;
    }
    if (samples == GPUPRIM_U32 || samples == GPUPRIM_I64 || samples == GPUPRIM_U64)
        return tool_refuse(why, "samples of %s are not offered, only of %s",
                           gp_type_name(samples), "i8 u8 i16 u16 i32 f16 f32 f64 c32");
    if (!is_float(taps) && !is_float(as)) {
        *out = (struct convolve1d_types){ samples, GPUPRIM_I32, result, result };
        return true;
    }
    if (result > GPUPRIM_I32 && !is_float(result))
        return tool_refuse(why, "samples of %s with taps of %s do not give %s",
                           gp_type_name(samples), gp_type_name(taps), gp_type_name(result));
    const enum gpuprim_type real = float_for(samples, as, has_fp64);
    *out = (struct convolve1d_types){ real, real, is_float(result) ? result : real, result };
    return true;
}

// ---------------------------------------------------------------------------------------
// Number by number

static double rounded(double value, double low, double high)
{
    return isnan(value) ? 0 : value < low ? low : value > high ? high : nearbyint(value);
}

static void store(enum gpuprim_type type, void *data, uint64_t i, double value)
{
    switch (type) {
#define STORE(TYPE, c_type, low, high)                                                         \
    case TYPE:                                                                                 \
        ((c_type *)data)[i] = (c_type)rounded(value, low, high);                               \
        break;
        STORE(GPUPRIM_I8, int8_t, INT8_MIN, INT8_MAX)
        STORE(GPUPRIM_U8, uint8_t, 0, UINT8_MAX)
        STORE(GPUPRIM_I16, int16_t, INT16_MIN, INT16_MAX)
        STORE(GPUPRIM_U16, uint16_t, 0, UINT16_MAX)
        STORE(GPUPRIM_I32, int32_t, INT32_MIN, INT32_MAX)
#undef STORE
    case GPUPRIM_F32:
        ((float *)data)[i] = (float)value;
        break;
    default:
        ((double *)data)[i] = value;
        break;
    }
}

void *convolve1d_convert(enum gpuprim_type from, const void *data, enum gpuprim_type to,
                         uint64_t count)
{
    void *values = calloc((size_t)count + 1, gp_type_size(to));
    for (uint64_t i = 0; values && i < count; i++)
        store(to, values, i, (double)tool_load(from, data, i));
    return values;
}

bool convolve1d_fits(enum gpuprim_type from, const void *data, enum gpuprim_type to,
                     uint64_t count, char *why)
{
    for (uint64_t i = 0; i < count; i++) {
        const double value = (double)tool_load(from, data, i);
        const bool fits = to == GPUPRIM_I32   ? value >= INT32_MIN && value <= INT32_MAX
                          : to == GPUPRIM_F32 ? isinf((float)value) == isinf(value)
                                              : true;
        if (!fits)
            return tool_refuse(why, "element %" PRIu64 ", %g, does not fit into %s", i, value,
                               gp_type_name(to));
    }
    return true;
}
