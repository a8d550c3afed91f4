/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls of reduce ask of the driver (harness/repeat.h): one call or more for each geometry
 * that has a variant of its own, on buffers. suite.c runs this file. */
#include "case.h"

#include "reference/reduce/reduce.h"
#include "tests/harness/model.h"
#include "tests/harness/repeat.h"
#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// Calls

struct geometry {
    const char *name;
    uint64_t count, rows;
    int64_t stride, row_stride;
    bool direct; // done in one launch, without partial results, on any device
};

static const struct geometry geometries[] = {
    { "one", 1, 1, 1, 0, true },
    { "hundred", 100, 1, 1, 0, true },
    { "none", 0, 1, 1, 0, true },
    { "short_rows", 3, 5000, 1, 3, true },
    { "long_row", 3000001, 1, 1, 0, false },
    { "strided_row", 1000003, 1, 2, 0, false },
    { "long_rows", 1000001, 2, 1, 1000001, false },
    { "columns", 200000, 3, 3, 1, false },
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

struct buffers {
    struct gpuprim_array in, out;
};

static bool buffers_make(struct check *check, const gpuprim *gp,
                         const struct geometry *geometry, enum gpuprim_op op,
                         enum gpuprim_type type, struct buffers *b)
{
    const struct gpuprim_reduce_params params = { .op = op };
    const enum gpuprim_type result = reduce_reference_result(type, &params);
    const uint64_t along =
        geometry->count ? (geometry->count - 1) * (uint64_t)geometry->stride + 1 : 1;
    const uint64_t elements = along + (geometry->rows - 1) * (uint64_t)geometry->row_stride;
    const uint64_t results = geometry->rows * reduce_reference_results(op);
    cl_int error[2];
    cl_mem in = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, elements * gp_type_size(type),
                               NULL, &error[0]);
    cl_mem out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, results * gp_type_size(result),
                                NULL, &error[1]);
    b->in = gpuprim_buffer(type, in, 0, geometry->count);
    b->in.rows = geometry->rows;
    b->in.stride = geometry->stride;
    b->in.row_stride = geometry->row_stride;
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
    if (b->in.base)
        clReleaseMemObject(b->in.base);
    if (b->out.base)
        clReleaseMemObject(b->out.base);
}

struct fixture {
    struct buffers b;
    struct gpuprim_reduce_params params;
};

static int make(gpuprim *gp, const void *fixture, const struct gpuprim_sync *sync)
{
    const struct fixture *f = fixture;
    return gpuprim_reduce(gp, &f->b.in, &f->b.out, &f->params, sync);
}

static struct repeat_call call_of(const struct geometry *geometry,
                                  const struct fixture *fixture)
{
    return (struct repeat_call){ .name = geometry->name,
                                 .make = make,
                                 .fixture = fixture,
                                 .least_launches = 1,
                                 .most_launches = geometry->direct ? 1 : 2 };
}

static void repeats(struct check *check, gpuprim *gp, enum repeat_way way,
                    cl_command_queue queue)
{
    for (unsigned i = 0; i < GEOMETRIES; i++) {
        struct fixture f = { .params = { .op = GPUPRIM_SUM } };
        if (check->quick && geometries[i].count >= 5000)
            continue;
        const struct repeat_call call = call_of(&geometries[i], &f);
        if (buffers_make(check, gp, &geometries[i], GPUPRIM_SUM, GPUPRIM_I32, &f.b))
            repeat_twice(check, gp, way, queue, &call);
        buffers_free(&f.b);
    }
}

// ---------------------------------------------------------------------------------------
// Memory

// What calls of all geometries take on the device beside their arrays, and what they keep of
// it.
static void scratch(struct check *check, const struct device_model *model, const char *forced)
{
    static const struct geometry wide[] = { { "wide_columns", 40, 100000, 100000, 1, false },
                                            { "tall_columns", 4000, 5001, 5001, 1, false },
                                            { "rows", 3000, 300, 1, 3000, false },
                                            { "many_rows", 20, 100000, 1, 20, false } };
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
    } ops[] = { { GPUPRIM_SUM, GPUPRIM_F32 },
                { GPUPRIM_MINMAX, GPUPRIM_I16 },
                { GPUPRIM_MEAN, GPUPRIM_I32 } };
    gpuprim *gp = check_context_on(check, model, forced, 0);
    if (!gp)
        return;
    const long allowed = (8 << 20) + 64 * (long)gp->caps.compute_units, before = shim_held();
    for (unsigned i = 0; i < GEOMETRIES + sizeof wide / sizeof *wide; i++)
        for (unsigned k = 0; k < 3; k++) {
            const struct geometry *geometry =
                i < GEOMETRIES ? &geometries[i] : &wide[i - GEOMETRIES];
            struct fixture f = { .params = { .op = ops[k].op } };
            const struct repeat_call call = call_of(geometry, &f);
            const long kept = shim_held();
            if (buffers_make(check, gp, geometry, ops[k].op, ops[k].type, &f.b))
                repeat_bytes(check, gp, &call, before, shim_held() - kept, allowed);
            buffers_free(&f.b);
        }
    gpuprim_destroy(&gp);
    CHECK(check, shim_held() == before, "%ld bytes are left", shim_held() - before);
}

void reduce_driver_run(struct check *check)
{
    repeat_groups(check, "reduce", repeats);
    repeat_bytes_groups(check, "reduce", scratch);
}
