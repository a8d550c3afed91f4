/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce, fifth part: what a call asks of the driver.
 */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference/reduce/reduce.h"
#include "tests/harness/model.h"
#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// A call like the one before it

struct shape {
    const char *name;
    uint64_t count, rows;
    int64_t stride, row_stride;
    bool direct; // done in one launch, without partial results, on any device
};

static const struct shape shapes[] = {
    { "one", 1, 1, 1, 0, true },
    { "hundred", 100, 1, 1, 0, true },
    { "none", 0, 1, 1, 0, true },
    { "short_rows", 3, 5000, 1, 3, true },
    { "long_row", 3000001, 1, 1, 0, false },
    { "strided_row", 1000003, 1, 2, 0, false },
    { "long_rows", 1000001, 2, 1, 1000001, false },
    { "columns", 200000, 3, 3, 1, false },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct buffers {
    struct gpuprim_array in, out;
};

static bool buffers_make(struct check *check, const gpuprim *gp, const struct shape *shape,
                         enum gpuprim_op op, enum gpuprim_type type, struct buffers *b)
{
    const struct gpuprim_reduce_params params = { .op = op };
    const enum gpuprim_type result = reduce_reference_result(type, &params);
    const uint64_t along = shape->count ? (shape->count - 1) * (uint64_t)shape->stride + 1 : 1;
    const uint64_t elements = along + (shape->rows - 1) * (uint64_t)shape->row_stride;
    const uint64_t results = shape->rows * (op == GPUPRIM_MINMAX ? 2 : 1);
    cl_int error[2];
    cl_mem in = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, elements * gp_type_size(type),
                               NULL, &error[0]);
    cl_mem out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, results * gp_type_size(result),
                                NULL, &error[1]);
    b->in = gpuprim_buffer(type, in, 0, shape->count);
    b->in.rows = shape->rows;
    b->in.stride = shape->stride;
    b->in.row_stride = shape->row_stride;
    b->out = gpuprim_buffer(result, out, 0, results);
    const cl_uint zero = 0;
    if (!error[0])
        error[0] = clEnqueueFillBuffer(gp->queue, in, &zero, 1, 0,
                                       elements * gp_type_size(type), 0, NULL, NULL);
    clFinish(gp->queue);
    return CHECK(check, !error[0] && !error[1], "no buffers: %d %d", error[0], error[1]);
}

static void buffers_free(struct buffers *b)
{
    clReleaseMemObject(b->in.base);
    clReleaseMemObject(b->out.base);
}

// How a call may be made, and what it may leave behind.
enum way { BLOCKING, ENQUEUED, WITH_EVENT, OUT_OF_ORDER, WAYS };
static const char *const way_names[WAYS] = { "blocking", "enqueued", "with_event",
                                             "out_of_order" };

// The events a call makes that launches `launches` kernels: what the caller asked for, what an
// out-of-order queue needs to keep their order, and the one that tells when the scratch memory
// is free again.
static unsigned events_of(enum way way, const struct shape *shape, unsigned launches)
{
    if (way == OUT_OF_ORDER)
        return launches;
    return way == WITH_EVENT || (way == ENQUEUED && !shape->direct) ? 1 : 0;
}

static void repeat(struct check *check, gpuprim *gp, const struct shape *shape, enum way way,
                   cl_command_queue queue)
{
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    struct buffers b;
    check->cases++;
    if (!buffers_make(check, gp, shape, params.op, GPUPRIM_I32, &b))
        return;
    cl_event done = NULL;
    struct gpuprim_sync sync = { .queue = queue };
    if (way != ENQUEUED)
        sync.done = &done;
    int status = GPUPRIM_OK;
    unsigned launches = 0, others = 0, creates = 0, events = 0, allocations = 0;
    for (int call = 0; !status && call < 2; call++) {
        shim_fail(-1, 0);
        status = gpuprim_reduce(gp, &b.in, &b.out, &params, way == BLOCKING ? NULL : &sync);
        allocations = shim_allocations();
        events = shim_events();
        launches = shim_calls_of("clEnqueueNDRangeKernel");
        others = shim_calls_of("clEnqueue") - launches;
        creates = shim_calls_of("clCreate") + shim_calls_of("clBuild");
        if (done)
            clReleaseEvent(done);
        done = NULL;
        clFinish(queue); // whatever it used is free again
    }
    buffers_free(&b);
    if (status == GPUPRIM_E_UNSUPPORTED && gp->force_variant[0]) {
        check->not_taken++;
        return;
    }
    const unsigned expected = events_of(way, shape, launches);
    CHECK(check, status == GPUPRIM_OK, "%s: %s", shape->name, gpuprim_last_error());
    CHECK(check, launches == 1 || (launches == 2 && !shape->direct), "%s: %u launches",
          shape->name, launches);
    CHECK(check, others == 0, "%s: %u commands beside the launches", shape->name, others);
    CHECK(check, creates == 0, "%s: %u objects were made or built", shape->name, creates);
    CHECK(check, events == expected, "%s: %u events instead of %u for %u launches", shape->name,
          events, expected, launches);
    CHECK(check, allocations == 0, "%s: memory was allocated %u times", shape->name,
          allocations);
}

static void repeats(struct check *check, enum way way)
{
    const struct gp_primitive *reduce = reduce_table();
    for (unsigned v = 0; v <= reduce->n_variants; v++) {
        char forced[64] = "";
        if (v < reduce->n_variants)
            snprintf(forced, sizeof forced, "reduce:%s", reduce->variants[v]->name);
        gpuprim *gp = check_context(check, forced, 0);
        cl_int error;
        cl_command_queue queue =
            gp ? clCreateCommandQueue(
                     gp->context, gp->device,
                     way == OUT_OF_ORDER ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error)
               : NULL;
        for (unsigned i = 0; queue && i < SHAPES; i++)
            if (!check->quick || shapes[i].count < 5000)
                repeat(check, gp, &shapes[i], way, queue);
        if (queue)
            clReleaseCommandQueue(queue);
        gpuprim_destroy(&gp);
    }
}

// ---------------------------------------------------------------------------------------
// Memory

// What calls of all shapes take on the device beside their arrays, and what they keep of it.
static void scratch(struct check *check, const char *variant, unsigned compute_units)
{
    static const struct shape wide[] = { { "wide_columns", 40, 100000, 100000, 1, false },
                                         { "tall_columns", 4000, 5001, 5001, 1, false },
                                         { "rows", 3000, 300, 1, 3000, false },
                                         { "many_rows", 20, 100000, 1, 20, false } };
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
    } ops[] = { { GPUPRIM_SUM, GPUPRIM_F32 },
                { GPUPRIM_MINMAX, GPUPRIM_I16 },
                { GPUPRIM_MEAN, GPUPRIM_I32 } };
    const struct device_model large = { .type = CL_DEVICE_TYPE_GPU, .units = compute_units };
    gpuprim *gp = check_context_on(check, compute_units ? &large : NULL, variant, 0);
    if (!gp)
        return;
    const long allowed = (1 << 20) + 64 * (long)gp->caps.compute_units, before = shim_held();
    for (unsigned i = 0; i < SHAPES + sizeof wide / sizeof *wide; i++)
        for (unsigned k = 0; k < 3; k++) {
            const struct shape *shape = i < SHAPES ? &shapes[i] : &wide[i - SHAPES];
            const struct gpuprim_reduce_params params = { .op = ops[k].op };
            const long kept = shim_held();
            struct buffers b;
            check->cases++;
            if (!buffers_make(check, gp, shape, ops[k].op, ops[k].type, &b))
                continue;
            const long arrays = shim_held() - kept;
            shim_fail(-1, 0);
            const int status = gpuprim_reduce(gp, &b.in, &b.out, &params, NULL);
            const long most = shim_held_most() - before - arrays;
            buffers_free(&b);
            if (status == GPUPRIM_E_UNSUPPORTED) {
                check->not_taken++;
                continue;
            }
            CHECK(check, status == GPUPRIM_OK, "%s: %s", shape->name, gpuprim_last_error());
            CHECK(check, most <= allowed, "%s: %ld bytes of scratch memory, %ld are allowed",
                  shape->name, most, allowed);
        }
    gpuprim_destroy(&gp);
    CHECK(check, shim_held() == before, "%ld bytes are left", shim_held() - before);
}

void reduce_driver_run(struct check *check)
{
    for (int way = BLOCKING; way < WAYS; way++)
        if (check_begin(check, "reduce/driver/again/%s", way_names[way])) {
            shim_fail(-1, 0);
            free(check_allocate(1));
            CHECK(check, shim_allocations() == 1, "allocations are not counted");
            repeats(check, way);
            check_end(check);
        }
    const struct gp_primitive *reduce = reduce_table();
    for (unsigned v = 0; v < reduce->n_variants; v++)
        for (unsigned units = 0; units <= 132; units += 132)
            if (check_begin(check, "reduce/driver/scratch/%s/%u", reduce->variants[v]->name,
                            units)) {
                char forced[64];
                snprintf(forced, sizeof forced, "reduce:%s", reduce->variants[v]->name);
                scratch(check, forced, units);
                if (check->not_taken == check->cases)
                    check_skip(check, "the variant is for other devices");
                else
                    check_end(check);
            }
}
