/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operations that operations.h lists, and the types that follow from it. Calls no
 * other file of this folder. */
#include "operations.h"

#define CHECK_NUMBER(NAME, name, number, result, results, partial, sum, floats)                \
    _Static_assert(GPUPRIM_##NAME == (number), "the number of enum gpuprim_op");               \
    _Static_assert((number) < REDUCE_N_OPERATIONS, "numbers without gaps");
REDUCE_OPERATIONS(CHECK_NUMBER)

static const struct reduce_operation operations[REDUCE_N_OPERATIONS] = {
#define ROW(NAME, name, number, result, results, partial, sum, floats)                         \
    [number] = { result, results, partial, sum, floats },
    REDUCE_OPERATIONS(ROW)
#undef ROW
};

const struct gp_macro gp_reduce_operation_names[REDUCE_N_OPERATIONS] = {
#define NAMED(NAME, name, number, result, results, partial, sum, floats)                       \
    [number] = { #NAME, number },
    REDUCE_OPERATIONS(NAMED)
#undef NAMED
};

const struct reduce_operation *gp_reduce_operation(enum gpuprim_op op)
{
    return (unsigned)op < REDUCE_N_OPERATIONS ? &operations[op] : NULL;
}

enum gpuprim_type gp_reduce_accumulator(enum gpuprim_type in)
{
    if (in == GPUPRIM_F64)
        return GPUPRIM_F64;
    if (gp_type_is_float(in))
        return GPUPRIM_F32;
    return gp_type_is_signed(in) ? GPUPRIM_I64 : GPUPRIM_U64;
}

enum gpuprim_type gp_reduce_result_type(enum gpuprim_op op, enum gpuprim_type in,
                                        enum gpuprim_type sum)
{
    switch (operations[op].result) {
    case RESULT_SUM:
        return sum;
    case RESULT_MEAN:
        return in == GPUPRIM_F32 && sum == GPUPRIM_F32 ? GPUPRIM_F32 : GPUPRIM_F64;
    case RESULT_STATISTICS:
        return GPUPRIM_F64;
    case RESULT_MAGNITUDE:
        if (in == GPUPRIM_F64)
            return GPUPRIM_F64;
        return gp_type_is_float(in) ? GPUPRIM_F32 : GPUPRIM_U64;
    case RESULT_U64:
        return GPUPRIM_U64;
    case RESULT_U8:
        return GPUPRIM_U8;
    default:
        return in;
    }
}
