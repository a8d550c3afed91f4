/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of reduce for `check --sources` (harness/sources.h): for each variant every type
 * twice and every operation, on an input that the variant takes. */
#include "case.h"

#include "reference/reduce/reduce.h"

static struct gpuprim_array input(enum reduce_case_kind kind, enum gpuprim_type type)
{
    struct gpuprim_array in = { .type = type, .memory = GPUPRIM_BUFFER, .count = 1 << 20 };
    if (kind == KIND_ANY)
        return in;
    in.count = kind == KIND_SHORT_ROWS ? 5 : 1000;
    in.rows = 300;
    if (kind == KIND_COLUMNS) {
        in.stride = (int64_t)in.rows;
        in.row_stride = 1;
    }
    return in;
}

static int call(struct check *check, gpuprim *gp, const char *variant, unsigned i,
                enum gpuprim_type *type)
{
    (void)check;
    // Operations are taken in turn at another pace than types, and each variant begins with
    // another.
    struct gpuprim_reduce_params params = {
        .op = (enum gpuprim_op)((i + (unsigned)variant[4]) % REDUCE_OPS),
        .nan = i / REDUCE_TYPES ? GPUPRIM_NAN_IGNORE : GPUPRIM_NAN_PROPAGATE
    };
    *type = (enum gpuprim_type)(1 + i % REDUCE_TYPES);
    if (!reduce_op_takes(params.op, *type))
        params.op = GPUPRIM_SUM;
    const struct gpuprim_array in = input(reduce_case_kind_of(variant), *type);
    const struct gpuprim_array out = { .type = reduce_reference_result(*type, &params),
                                       .memory = GPUPRIM_BUFFER,
                                       .count = (in.rows ? in.rows : 1) *
                                                reduce_reference_results(params.op) };
    sources_name("%s.%s", reduce_op_name(params.op), gp_type_name(*type));
    return gpuprim_reduce_prepare(gp, &in, &out, &params);
}

const struct check_sources reduce_sources = { 2 * REDUCE_TYPES, call };
