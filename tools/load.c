/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads an element of any real type as a long double, which holds every value of every type.
 */
#include "print.h"
#include "reference/half.h"

long double tool_load(enum gpuprim_type type, const void *data, uint64_t i)
{
    switch (type) {
#define LOAD(TYPE, c_type)                                                                     \
    case TYPE:                                                                                 \
        return (long double)((const c_type *)data)[i];
        LOAD(GPUPRIM_I8, int8_t)
        LOAD(GPUPRIM_U8, uint8_t)
        LOAD(GPUPRIM_I16, int16_t)
        LOAD(GPUPRIM_U16, uint16_t)
        LOAD(GPUPRIM_I32, int32_t)
        LOAD(GPUPRIM_U32, uint32_t)
        LOAD(GPUPRIM_I64, int64_t)
        LOAD(GPUPRIM_U64, uint64_t)
        LOAD(GPUPRIM_F32, float)
        LOAD(GPUPRIM_F64, double)
#undef LOAD
    default:
        return (long double)half_to_float(((const uint16_t *)data)[i]);
    }
}
