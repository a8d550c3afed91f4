/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of reduce in the map (harness/map.h): every operation, type and layout. */
#include "case.h"
#include "tests/harness/map.h"

#include "src/reduce/operations.h"

static struct gpuprim_reduce_params params; // of the call that was drawn last

static enum gpuprim_type result_type(const struct map_call *call)
{
    return gpuprim_reduce_type(params.op, call->in[0].type, params.accumulator);
}

static void choose_operation(struct map_draw *draw, enum gpuprim_type type)
{
    struct check *check = &draw->check;
    const bool is_float = gp_type_is_float(type);
    do
        params = (struct gpuprim_reduce_params){ .op = (enum gpuprim_op)check_below(
                                                     check, REDUCE_N_OPERATIONS) };
    while (!gpuprim_reduce_type(params.op, type, GPUPRIM_TYPE_INVALID) ||
           (!draw->has_fp64 &&
            gpuprim_reduce_type(params.op, type, GPUPRIM_TYPE_INVALID) == GPUPRIM_F64));
    if (is_float && check_once_in(check, 8))
        params.nan = GPUPRIM_NAN_IGNORE;
    if (is_float && draw->has_fp64 && check_once_in(check, 8))
        params.accumulator = GPUPRIM_F64;
}

// Sums of floats, and statistics, may differ from baseline's by what the header allows both.
// Products would leave the range of their type, so those of floats are of 1 and -1.
static void set_data(struct map_call *call)
{
    const enum gpuprim_type in = call->in[0].type;
    const bool carries = gp_reduce_operation(params.op)->carries_sum;
    const bool by_f64 = params.accumulator == GPUPRIM_F64 || in == GPUPRIM_F64;
    call->signs = params.op == GPUPRIM_PRODUCT && gp_type_is_float(in);
    if (params.op == GPUPRIM_STATISTICS)
        call->tolerance = 0x1p-14;
    else if (carries && gp_type_is_float(result_type(call)))
        call->tolerance = by_f64 || gp_type_is_integer(in) ? 0x1p-43 : 0x1p-14;
}

// One row of results, or a row for each.
static void set_output(struct map_draw *draw, struct map_call *call)
{
    const uint64_t results = gp_reduce_operation(params.op)->results;
    const uint64_t rows = call->in[0].rows;
    const bool in_rows = draw && check_once_in(&draw->check, 4);
    call->out[0] = (struct gpuprim_array){ .type = result_type(call),
                                           .memory = GPUPRIM_BUFFER,
                                           .count = in_rows ? results : rows * results,
                                           .stride = 1,
                                           .rows = in_rows ? rows : 1 };
    call->out[0].row_stride = (int64_t)call->out[0].count;
}

static void draw_call(struct map_draw *draw, struct map_call *call)
{
    const enum gpuprim_type type = map_type(draw, false);
    choose_operation(draw, type);
    // Positions, sums and statistics take more bytes than short rows do.
    const uint64_t results = gp_reduce_operation(params.op)->results,
                   most_rows = draw->beside_bytes / (8 * (results > 2 ? results : 2));
    struct map_shape shape = map_shape(draw, gp_type_size(type));
    if (shape.rows > most_rows) {
        shape.rows = most_rows;
        shape.count = shape.most / shape.rows;
    }
    call->in[0] = map_array(draw, type, &shape);
    set_output(draw, call);
    set_data(call);
    call->layout = shape.layout;
    call->kind = map_layout_names[shape.layout];
    call->scale = "row length";
    call->at = shape.count;
    map_say(call, "%s %s%s%s, %s", reduce_op_name(params.op), gp_type_name(type),
            params.accumulator ? " accumulated in f64" : "",
            params.nan == GPUPRIM_NAN_IGNORE ? " without NaNs" : "", call->kind);
    map_say_array(call, "in", &call->in[0]);
    map_say_array(call, "out", &call->out[0]);
}

static void flatten(struct map_call *call)
{
    const struct gpuprim_array in = call->in[0];
    call->in[0] = map_packed(in.type, in.rows * in.count);
    set_output(NULL, call);
}

static int enqueue(gpuprim *gp, void *object, const struct map_call *call,
                   const struct gpuprim_sync *sync)
{
    (void)object;
    return gpuprim_reduce(gp, &call->in[0], &call->out[0], &params, sync);
}

static int prepare(gpuprim *gp, void *object, const struct map_call *call)
{
    (void)object;
    return gpuprim_reduce_prepare(gp, &call->in[0], &call->out[0], &params);
}

const struct map_primitive map_reduce = {
    .draw = draw_call, .flatten = flatten, .enqueue = enqueue, .prepare = prepare
};
