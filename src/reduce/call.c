/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim_reduce: what a call means, and whether it may be made. */
#include "reduce.h"

static bool is_float(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 || type == GPUPRIM_F32 || type == GPUPRIM_F64;
}

static bool is_signed(enum gpuprim_type type)
{
    return type == GPUPRIM_I8 || type == GPUPRIM_I16 || type == GPUPRIM_I32 ||
           type == GPUPRIM_I64;
}

static enum gpuprim_type accumulator_of(enum gpuprim_type type)
{
    if (type == GPUPRIM_F64)
        return GPUPRIM_F64;
    if (is_float(type))
        return GPUPRIM_F32;
    return is_signed(type) ? GPUPRIM_I64 : GPUPRIM_U64;
}

static enum gpuprim_type result_of(const struct reduction *r)
{
    switch (r->op) {
    case GPUPRIM_SUM:
    case GPUPRIM_PRODUCT:
    case GPUPRIM_SUM_ABS:
    case GPUPRIM_SUM_SQUARES:
        return r->sum;
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
    case GPUPRIM_COUNT:
        return GPUPRIM_U64;
    case GPUPRIM_ANY:
    case GPUPRIM_ALL:
        return GPUPRIM_U8;
    case GPUPRIM_MEAN:
        return r->in.type == GPUPRIM_F32 && r->sum == GPUPRIM_F32 ? GPUPRIM_F32 : GPUPRIM_F64;
    default:
        return r->in.type;
    }
}

static bool carries_sum(enum gpuprim_op op)
{
    return op == GPUPRIM_SUM || op == GPUPRIM_PRODUCT || op == GPUPRIM_SUM_ABS ||
           op == GPUPRIM_SUM_SQUARES || op == GPUPRIM_MEAN;
}

static int check_numbers(const struct gpuprim_reduce_params *params)
{
    if ((unsigned)params->op > GPUPRIM_MEAN)
        return gp_fail(GPUPRIM_E_ARG,
                       "op is %d, the operations are GPUPRIM_SUM (0) to GPUPRIM_MEAN (15)",
                       (int)params->op);
    if ((unsigned)params->nan > GPUPRIM_NAN_IGNORE)
        return gp_fail(
            GPUPRIM_E_ARG,
            "nan is %d, it must be GPUPRIM_NAN_PROPAGATE (0) or GPUPRIM_NAN_IGNORE (1)",
            (int)params->nan);
    return GPUPRIM_OK;
}

static int check_params(const struct gpuprim_reduce_params *params, struct reduction *r)
{
    const enum gpuprim_type type = r->in.type;
    if (type == GPUPRIM_C32)
        return gp_fail(GPUPRIM_E_TYPE, "in is c32, reduce takes real types only");
    if ((r->op == GPUPRIM_AND || r->op == GPUPRIM_OR || r->op == GPUPRIM_XOR) && is_float(type))
        return gp_fail(GPUPRIM_E_TYPE, "AND, OR and XOR take integers, in is %s",
                       gp_type_name(type));
    r->sum = accumulator_of(type);
    if (params->accumulator == GPUPRIM_F64 && is_float(type))
        r->sum = GPUPRIM_F64;
    else if (params->accumulator && params->accumulator != r->sum)
        return gp_fail(GPUPRIM_E_TYPE, "accumulator is %s, for %s it can be %s%s, or 0",
                       gp_type_name(params->accumulator), gp_type_name(type),
                       gp_type_name(r->sum), r->sum == GPUPRIM_F32 ? " or f64" : "");
    if (!carries_sum(r->op))
        r->sum = accumulator_of(type);
    r->skip_nan = is_float(type) && params->nan == GPUPRIM_NAN_IGNORE;
    r->pairs = r->op == GPUPRIM_MINMAX ? 2 : 1;
    return GPUPRIM_OK;
}

enum gpuprim_type gpuprim_reduce_type(enum gpuprim_op op, enum gpuprim_type in,
                                      enum gpuprim_type accumulator)
{
    gp_enter("gpuprim_reduce_type");
    struct reduction r = { .op = op, .in = { .type = in } };
    const struct gpuprim_reduce_params params = { .op = op, .accumulator = accumulator };
    if (check_numbers(&params))
        return GPUPRIM_TYPE_INVALID;
    if (!gp_type_size(in))
        gp_fail(GPUPRIM_E_TYPE, "in is %d, which no element type has", (int)in);
    else if (!check_params(&params, &r))
        return result_of(&r);
    return GPUPRIM_TYPE_INVALID;
}

// The output may stand flat or as one row per row; both come down to two steps.
static int check_out(struct reduction *r)
{
    const struct gp_array *out = &r->out;
    const enum gpuprim_type type = result_of(r);
    if (out->type != type)
        return gp_fail(GPUPRIM_E_TYPE, "out is %s, the results of this operation on %s are %s",
                       gp_type_name(out->type), gp_type_name(r->in.type), gp_type_name(type));
    r->out_pair = out->stride;
    if (out->rows == r->in.rows && out->count == r->pairs)
        r->out_row = out->row_stride;
    else if (out->rows == 1 && out->count / r->pairs == r->in.rows &&
             out->count % r->pairs == 0) {
        if (__builtin_mul_overflow(out->stride, (int64_t)r->pairs, &r->out_row))
            return gp_fail(GPUPRIM_E_RANGE,
                           "out: the offset of its last element overflows 64 bits");
    } else if (out->rows == 1 && r->in.rows == 1)
        return gp_fail(GPUPRIM_E_ARG, "out has %llu elements, it must have %u",
                       (unsigned long long)out->count, (unsigned)r->pairs);
    else
        return gp_fail(GPUPRIM_E_ARG,
                       "out has %llu rows of %llu; in has %llu rows, so out must have %llu "
                       "elements in one row, or %llu rows of %u",
                       (unsigned long long)out->rows, (unsigned long long)out->count,
                       (unsigned long long)r->in.rows,
                       (unsigned long long)(r->in.rows * r->pairs),
                       (unsigned long long)r->in.rows, (unsigned)r->pairs);
    if (gp_arrays_overlap(&r->in, out))
        return gp_fail(GPUPRIM_E_ARG, "in and out overlap");
    return GPUPRIM_OK;
}

static int check(gpuprim *gp, const struct gpuprim_array *in, const struct gpuprim_array *out,
                 const struct gpuprim_reduce_params *params, bool ignore_base,
                 struct reduction *r)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!params)
        return gp_fail(GPUPRIM_E_ARG, "params is NULL");
    status = gp_reserved_check(params->reserved, "params");
    if (!status)
        status = check_numbers(params);
    if (status)
        return status;
    r->op = params->op;
    status = gp_array_resolve(gp, in, "in", ignore_base, &r->in);
    if (!status)
        status = gp_array_resolve(gp, out, "out", ignore_base, &r->out);
    if (!status)
        status = check_params(params, r);
    if (!status)
        status = check_out(r);
    if (status)
        return status;
    if (!gp->caps.has_fp64 &&
        (r->in.type == GPUPRIM_F64 || r->sum == GPUPRIM_F64 || r->out.type == GPUPRIM_F64))
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "%s has no double precision, which f64 needs",
                       gp->caps.device);
    // Sums of 2^31 values of 32 bits fill 64; means of more, and of 64-bit values, take 128.
    if (r->op == GPUPRIM_MEAN && !is_float(r->in.type) &&
        (r->in.size == 8 || (r->in.size == 4 && r->in.count > INT32_MAX)))
        r->sum = GPUPRIM_TYPE_INVALID;
    return GPUPRIM_OK;
}

int gpuprim_reduce(gpuprim *gp, const struct gpuprim_array *in, const struct gpuprim_array *out,
                   const struct gpuprim_reduce_params *params, const struct gpuprim_sync *sync)
{
    gp_enter("gpuprim_reduce");
    struct reduction r;
    int status = check(gp, in, out, params, false, &r);
    if (status)
        return status;
    if (sync && (r.in.memory == GPUPRIM_HOST || r.out.memory == GPUPRIM_HOST))
        return gp_fail(GPUPRIM_E_ARG, "host arrays need a blocking call: sync must be NULL");
    return r.in.rows ? gp_reduce_run(gp, &r, sync) : gp_call_nothing(gp, sync);
}

int gpuprim_reduce_prepare(gpuprim *gp, const struct gpuprim_array *in,
                           const struct gpuprim_array *out,
                           const struct gpuprim_reduce_params *params)
{
    gp_enter("gpuprim_reduce_prepare");
    struct reduction r;
    int status = check(gp, in, out, params, true, &r);
    if (status)
        return status;
    const unsigned kinds[GP_MAX_KERNELS] = { (r.in.memory == GPUPRIM_SVM ? GP_SVM_IN : 0u) |
                                                 (r.out.memory == GPUPRIM_SVM ? GP_SVM_OUT
                                                                              : 0u),
                                             r.out.memory == GPUPRIM_SVM ? GP_SVM_OUT : 0u };
    return gp_plan_prepare(gp, &gp_primitive_reduce, &r, kinds);
}

int gp_reduce_describe(gpuprim *gp, char *text, size_t size)
{
    struct reduction r = {
        .op = GPUPRIM_SUM,
        .in = { .type = GPUPRIM_F32, .size = 4, .count = 1 << 26, .rows = 1, .stride = 1 },
        .sum = GPUPRIM_F32,
        .pairs = 1
    };
    struct gp_plan plan;
    const int status = gp_plan_alone(gp, &gp_primitive_reduce, &r, &plan);
    if (status)
        return status;
    const struct gp_piece all = { .rows = 1, .count = r.in.count };
    const struct layout l =
        gp_reduce_layout(gp, &r, plan.variant, plan.program, &all, REDUCE_SCRATCH_BYTES / 8);
    gp_plan_describe(gp, &plan, "sum of 2^26 f32", l.slots, text, size);
    return GPUPRIM_OK;
}
