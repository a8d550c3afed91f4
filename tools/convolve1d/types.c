/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the element types in which gpuprim convolve1d computes, from those of the files and
 * of --as. convert.c converts between them.
 */
#include "convolve1d.h"
#include "src/core/types.h" // names of types

static bool is_float(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 || type == GPUPRIM_F32 || type == GPUPRIM_F64;
}

// The float type that integer samples are converted to where the library does not take them
// with float taps. An f32 does not hold 32 bits. It holds samples of 24 bits, but their sums
// would lose the last bits, which results in f16 and f32 lose anyway.
static enum gpuprim_type float_for(enum gpuprim_type as, bool has_fp64)
{
    if (is_float(as))
        return as == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
    return has_fp64 ? GPUPRIM_F64 : GPUPRIM_F32;
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
        return tool_refuse(why, "complex taps (c32) need complex samples (c32), not %s",
                           gp_type_name(samples));
    if (is_float(samples)) {
        const enum gpuprim_type real = samples == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
        *out = (struct convolve1d_types){ samples, real, result, result };
        return true;
    }
    if (samples == GPUPRIM_U32 || samples == GPUPRIM_I64 || samples == GPUPRIM_U64)
        return tool_refuse(why, "samples cannot be %s; they can be %s", gp_type_name(samples),
                           "i8 u8 i16 u16 i32 f16 f32 f64 c32");
    if (!is_float(taps) && !is_float(as)) {
        *out = (struct convolve1d_types){ samples, GPUPRIM_I32, result, result };
        return true;
    }
    if (result > GPUPRIM_I32 && !is_float(result))
        return tool_refuse(
            why,
            "samples of %s with taps of %s cannot give %s; floats and integers of "
            "up to 32 bits are possible",
            gp_type_name(samples), gp_type_name(taps), gp_type_name(result));
    if (samples != GPUPRIM_I32 && as != GPUPRIM_F64) {
        *out = (struct convolve1d_types){ samples, GPUPRIM_F32, result, result };
        return true;
    }
    const enum gpuprim_type real = float_for(as, has_fp64);
    *out = (struct convolve1d_types){ real, real, is_float(result) ? result : real, result };
    return true;
}

enum gpuprim_type convolve1d_middle(const struct convolve1d_types *types)
{
    if (types->taps == GPUPRIM_I32)
        return GPUPRIM_I32;
    return types->in == GPUPRIM_C32 || types->in == GPUPRIM_F64 ? types->in : GPUPRIM_F32;
}
