/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim_reduce, gpuprim_reduce_prepare and gpuprim_reduce_type: what a call means, and
 * whether it may be made. What is checked here runs in run.c. */
#include <string.h>

#include "operations.h"
#include "reduce.h"

static int check_op(enum gpuprim_op op)
{
    if (gp_reduce_operation(op))
        return GPUPRIM_OK;
    const struct gp_macro *last = &gp_reduce_operation_names[REDUCE_N_OPERATIONS - 1];
    return gp_fail(GPUPRIM_E_ARG,
                   "op is %d, the operations are GPUPRIM_SUM (0) to GPUPRIM_%s (%u)", (int)op,
                   last->name, (unsigned)last->value);
}

// Checks that the operation takes elements of r->in.type and can be carried in `accumulator`
// (0 = the default). Sets r->sum and r->results.
static int check_types(struct reduction *r, enum gpuprim_type accumulator)
{
    const struct reduce_operation *operation = gp_reduce_operation(r->op);
    const enum gpuprim_type type = r->in.type;
    const bool is_float = gp_type_is_float(type);
    if (!is_float && !gp_type_is_integer(type))
        return gp_fail(GPUPRIM_E_TYPE, "in is %s, reduce takes real types only",
                       gp_type_name(type));
    if (is_float && !operation->takes_floats)
        return gp_fail(GPUPRIM_E_TYPE, "%s takes integers, in is %s",
                       gp_reduce_operation_names[r->op].name, gp_type_name(type));
    r->sum = gp_reduce_accumulator(type);
    if (accumulator && accumulator != r->sum && !(accumulator == GPUPRIM_F64 && is_float))
        return gp_fail(GPUPRIM_E_TYPE, "accumulator is %s, for %s it can be %s%s, or 0",
                       gp_type_name(accumulator), gp_type_name(type), gp_type_name(r->sum),
                       r->sum == GPUPRIM_F32 ? " or f64" : "");
    if (accumulator && operation->carries_sum)
        r->sum = accumulator;
    r->results = operation->results;
    return GPUPRIM_OK;
}

// `out` may be one row of all results, or have a row for each row of `in`. Either way, two
// steps say where a result lies.
static int check_out(struct reduction *r)
{
    const struct gp_array *out = &r->out;
    const enum gpuprim_type type = gp_reduce_result_type(r->op, r->in.type, r->sum);
    if (out->type != type && !(r->op == GPUPRIM_STATISTICS && out->type == GPUPRIM_F32))
        return gp_fail(GPUPRIM_E_TYPE, "out is %s, the results of %s of %s are %s",
                       gp_type_name(out->type), gp_reduce_operation_names[r->op].name,
                       gp_type_name(r->in.type), gp_type_name(type));
    r->out_step = out->stride;
    if (out->rows == r->in.rows && out->count == r->results)
        r->out_row = out->row_stride;
    else if (out->rows == 1 && out->count / r->results == r->in.rows &&
             out->count % r->results == 0) {
        if (__builtin_mul_overflow(out->stride, (int64_t)r->results, &r->out_row))
            return gp_fail(GPUPRIM_E_RANGE,
                           "out: the offset of its last element overflows 64 bits");
    } else if (out->rows == 1 && r->in.rows == 1)
        return gp_fail(GPUPRIM_E_ARG, "out has %llu elements, it must have %u",
                       (unsigned long long)out->count, r->results);
    else
        return gp_fail(GPUPRIM_E_ARG,
                       "out has %llu rows of %llu; in has %llu rows, so out must have %llu "
                       "elements in one row, or %llu rows of %u",
                       (unsigned long long)out->rows, (unsigned long long)out->count,
                       (unsigned long long)r->in.rows,
                       (unsigned long long)(r->in.rows * r->results),
                       (unsigned long long)r->in.rows, r->results);
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
        status = check_op(params->op);
    if (!status && (unsigned)params->nan > GPUPRIM_NAN_IGNORE)
        status =
            gp_fail(GPUPRIM_E_ARG,
                    "nan is %d, it must be GPUPRIM_NAN_PROPAGATE (0) or GPUPRIM_NAN_IGNORE (1)",
                    (int)params->nan);
    if (status)
        return status;
    r->op = params->op;
    status = gp_array_resolve(gp, in, "in", ignore_base, &r->in);
    if (!status)
        status = gp_array_resolve(gp, out, "out", ignore_base, &r->out);
    if (!status)
        status = check_types(r, params->accumulator);
    if (!status)
        status = check_out(r);
    if (status)
        return status;
    if (!gp->caps.has_fp64 &&
        (r->in.type == GPUPRIM_F64 || r->sum == GPUPRIM_F64 || r->out.type == GPUPRIM_F64))
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "%s has no double precision, which f64 needs",
                       gp->caps.device);
    r->skip_nan = gp_type_is_float(r->in.type) && params->nan == GPUPRIM_NAN_IGNORE;
    // Sums of 2^31 values of 32 bits fit 64 bits. Means of more, and of 64-bit values, take
    // 128.
    if (r->op == GPUPRIM_MEAN && gp_type_is_integer(r->in.type) &&
        (r->in.size == 8 || (r->in.size == 4 && r->in.count > INT32_MAX)))
        r->sum = GPUPRIM_TYPE_INVALID;
    if (r->op == GPUPRIM_STATISTICS)
        r->sum = gp->caps.has_fp64 ? GPUPRIM_F64 : GPUPRIM_F32;
    gp_reduce_turn(r);
    return GPUPRIM_OK;
}

enum gpuprim_type gpuprim_reduce_type(enum gpuprim_op op, enum gpuprim_type in,
                                      enum gpuprim_type accumulator)
{
    gp_enter("gpuprim_reduce_type");
    struct reduction r = { .op = op, .in = { .type = in } };
    if (check_op(op))
        return GPUPRIM_TYPE_INVALID;
    if (!gp_type_size(in)) {
        gp_fail(GPUPRIM_E_TYPE, "in is %d, which no element type has", (int)in);
        return GPUPRIM_TYPE_INVALID;
    }
    return check_types(&r, accumulator) ? GPUPRIM_TYPE_INVALID
                                        : gp_reduce_result_type(op, in, r.sum);
}

int gpuprim_reduce(gpuprim *gp, const struct gpuprim_array *in, const struct gpuprim_array *out,
                   const struct gpuprim_reduce_params *params, const struct gpuprim_sync *sync)
{
    gp_enter("gpuprim_reduce");
    struct reduction r;
    uint64_t choice[7]; // the params without padding: they are compared as bytes
    _Static_assert(sizeof choice <= GP_REPEAT_PARAM_BYTES, "the core keeps a copy");
    struct gp_again again = { .kept = gp ? &gp->repeats : NULL,
                              .form = &gp_reduce_form,
                              .arrays = { in, out },
                              .params = choice,
                              .param_bytes = sizeof choice };
    int status;
    if (params) {
        choice[0] = params->op;
        choice[1] = params->accumulator;
        choice[2] = params->nan;
        memcpy(&choice[3], params->reserved, sizeof params->reserved);
    }
    if (in && out && params && gp_repeat(gp, &again, sync, &status))
        return status;
    status = check(gp, in, out, params, false, &r);
    if (status)
        return status;
    again.step_bytes = gp_reduce_line(&r);
    if (sync && (r.in.memory == GPUPRIM_HOST || r.out.memory == GPUPRIM_HOST))
        return gp_fail(GPUPRIM_E_ARG, "host arrays need a blocking call: sync must be NULL");
    return r.in.rows ? gp_reduce_run(gp, &r, sync, &again) : gp_call_nothing(gp, sync);
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
    // gp_piece_bind gives an array without elements no memory, as a buffer.
    const unsigned in_kind = r.in.memory == GPUPRIM_SVM && r.in.count ? GP_SVM_IN : 0;
    const unsigned out_kind = r.out.memory == GPUPRIM_SVM ? GP_SVM_OUT : 0;
    const unsigned kinds[GP_MAX_KERNELS] = { in_kind | out_kind, out_kind };
    return r.in.rows ? gp_plan_prepare(gp, &gp_primitive_reduce, &r, kinds) : GPUPRIM_OK;
}

int gp_reduce_describe(gpuprim *gp, char *text, size_t size)
{
    struct reduction r = {
        .op = GPUPRIM_SUM,
        .in = { .type = GPUPRIM_F32, .size = 4, .count = 1 << 26, .rows = 1, .stride = 1 },
        .out = { .type = GPUPRIM_F32 },
        .sum = GPUPRIM_F32,
        .results = 1
    };
    struct gp_plan plan;
    const int status = gp_plan_alone(gp, &gp_primitive_reduce, &r, &plan);
    if (status)
        return status;
    const struct gp_piece all = { .rows = 1, .count = r.in.count };
    const struct layout l = gp_reduce_layout(gp, &r, &plan, &all, REDUCE_SCRATCH_BYTES / 8);
    gp_plan_describe(gp, &plan, "sum of 2^26 f32", l.slots, text, size);
    return GPUPRIM_OK;
}
