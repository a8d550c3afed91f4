/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts the samples, taps and results of gpuprim convolve1d between element types; types.c
 * decides which. All conversions go through a double. It holds every i32 and f32 exactly; an
 * i64 is only checked for whether it lies within i32.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "convolve1d.h"
#include "src/core/types.h" // sizes and names of types
#include "tools/print.h"

// Rounds half to even and saturates; NaN becomes 0.
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
            return tool_refuse(why,
                               "element %" PRIu64
                               ", %g, does not fit into %s, the type that the filter needs",
                               i, value, gp_type_name(to));
    }
    return true;
}
