/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of every documented error of gpuprim_reduce, of the messages' texts, and of calls that
 * look wrong but are allowed. api_reduce_call.h has the correct call, and what must hold after
 * one that fails. Part of the suite `api` (api.h).
 */
#include "api_reduce_call.h"

#include <stdint.h>
#include <string.h>

#include "src/reduce/operations.h"

// Makes one thing of a correct call wrong and expects a status.
#define EXPECT(right, code, spoil)                                                             \
    do {                                                                                       \
        struct call c = (right);                                                               \
        spoil;                                                                                 \
        call_expect(f, &c, code, #spoil);                                                      \
    } while (0)

static void arguments(struct fixture *f)
{
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.gp = NULL);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.no_in = true);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.no_out = true);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.no_params = true);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.params.op = (enum gpuprim_op)REDUCE_N_OPERATIONS);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.params.op = (enum gpuprim_op) - 1);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.params.nan = (enum gpuprim_nan)2);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.in.memory = (enum gpuprim_memory)3);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.out.memory = (enum gpuprim_memory) - 1);
    for (int i = 0; i < 4; i++) {
        EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.params.reserved[i] = 1);
        EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.in.reserved[i] = 1);
        EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.out.reserved[i] = UINT64_C(1) << 63);
    }
}

static void types(struct fixture *f)
{
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.in.type = GPUPRIM_TYPE_INVALID);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.in.type = (enum gpuprim_type)13);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.out.type = (enum gpuprim_type) - 1);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, (c.in.type = GPUPRIM_C32, c.in.count = 4));
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_AND);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_OR);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_XOR);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.accumulator = GPUPRIM_I64);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.accumulator = (enum gpuprim_type)99);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE,
           (c.in.type = c.out.type = GPUPRIM_I32, c.params.accumulator = GPUPRIM_F64));
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.out.type = GPUPRIM_F64);
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.accumulator = GPUPRIM_F64); // out is f32
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_ARGMIN);       // u64
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_ANY);          // u8
    EXPECT(call_on_host(f), GPUPRIM_E_TYPE, c.in.type = GPUPRIM_I32);            // i64
}

static void shapes(struct fixture *f)
{
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.out.count = 3);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.out.count = 5);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.out.count = 0);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.out.rows = 4); // 4 x 4
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.out.rows = 3, c.out.count = 1));
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.out.rows = 2, c.out.count = 2));
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, c.params.op = GPUPRIM_MINMAX); // needs 8
    EXPECT(call_on_host(f), GPUPRIM_E_ARG,
           (c.params.op = GPUPRIM_MINMAX, c.out.rows = 8, c.out.count = 1));
}

static void ranges(struct fixture *f)
{
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.first = UINT64_MAX);
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.count = UINT64_MAX);
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.count = UINT64_C(1) << 62); // x 4 rows
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.stride = INT64_MAX);
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.stride = INT64_MIN);
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.row_stride = INT64_MAX / 2);
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.in.row_stride = INT64_MIN);
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.out.first = UINT64_C(1) << 62); // x 4 bytes
    EXPECT(call_on_host(f), GPUPRIM_E_RANGE, c.out.stride = INT64_MAX / 3);

    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.in.first = 1);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.in.first = UINT64_C(1) << 40);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.in.count = 17);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.in.stride = 2);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.in.stride = -1); // first is 0
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, (c.in.stride = -1, c.in.first = 62));
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.in.row_stride = 17);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, (c.in.row_stride = -16, c.in.first = 47));
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.out.first = 1);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.out.stride = 2);
    EXPECT(call_on_buffers(f), GPUPRIM_E_RANGE, c.out.stride = -1);
}

static void memories(struct fixture *f)
{
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.in.base = NULL, c.prepare = false));
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.out.base = NULL, c.prepare = false));
    EXPECT(call_on_buffers(f), GPUPRIM_E_ARG, c.in.base = NULL);
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.in.base = (char *)f->x + 1, c.prepare = false));
    EXPECT(call_on_host(f), GPUPRIM_E_ARG,
           (c.out.base = (char *)f->results + 2, c.prepare = false));
    // Overlaps in the first element, in the last one, and in all. Adjacent arrays are allowed.
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.out.base = f->x, c.prepare = false));
    EXPECT(call_on_host(f), GPUPRIM_E_ARG, (c.out.base = f->x + 63, c.prepare = false));
    EXPECT(call_on_host(f), GPUPRIM_E_ARG,
           (c.out.base = f->x, c.out.stride = -1, c.out.first = 3, c.prepare = false));
    EXPECT(call_on_buffers(f), GPUPRIM_E_ARG, c.out.base = f->in);
    EXPECT(call_on_buffers(f), GPUPRIM_E_ARG, (c.out.base = f->in, c.out.first = 60));
    if (!f->gp->caps.has_svm)
        EXPECT(call_on_host(f), GPUPRIM_E_UNSUPPORTED, c.in.memory = GPUPRIM_SVM);

    cl_int error;
    cl_context other = clCreateContext(NULL, 1, &f->gp->device, NULL, NULL, &error);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 4 * CALL_N, NULL, &error);
    if (CHECK(f->check, !error, "no second context: %d", error)) {
        EXPECT(call_on_buffers(f), GPUPRIM_E_ARG, c.in.base = foreign);
        EXPECT(call_on_buffers(f), GPUPRIM_E_ARG, c.out.base = foreign);
    }
    clReleaseMemObject(foreign);
    clReleaseContext(other);
}

static void syncs(struct fixture *f)
{
    const struct call host = call_on_host(f);
    EXPECT(call_with_sync(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.sync.queue = NULL));
    EXPECT(call_with_sync(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.sync.n_wait = 1));
    EXPECT(call_with_sync(f), GPUPRIM_E_ARG,
           (c.sync_pointer = &c.sync, c.sync.reserved[3] = 1));
    EXPECT(call_with_sync(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.in = host.in));
    EXPECT(call_with_sync(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.out = host.out));
    EXPECT(call_with_sync(f), GPUPRIM_E_RANGE, (c.sync_pointer = &c.sync, c.in.first = 1));

    cl_int error;
    cl_context other = clCreateContext(NULL, 1, &f->gp->device, NULL, NULL, &error);
    cl_command_queue foreign = clCreateCommandQueue(other, f->gp->device, 0, &error);
    if (CHECK(f->check, !error, "no second queue: %d", error))
        EXPECT(call_with_sync(f), GPUPRIM_E_ARG,
               (c.sync_pointer = &c.sync, c.sync.queue = foreign));
    clReleaseCommandQueue(foreign);
    clReleaseContext(other);
}

// The exact text of messages that new users see.
static void messages(struct fixture *f)
{
#define SAYS(spoil, text)                                                                      \
    do {                                                                                       \
        struct call c = call_on_host(f);                                                       \
        spoil;                                                                                 \
        gpuprim_reduce(c.gp, &c.in, &c.out, &c.params, NULL);                                  \
        f->check->cases++;                                                                     \
        CHECK(f->check, strcmp(gpuprim_last_error(), "gpuprim_reduce: " text) == 0,            \
              "%s: the message is %s", #spoil, gpuprim_last_error());                          \
    } while (0)
    SAYS(c.gp = NULL, "gp, the context, is NULL");
    SAYS(c.in.type = GPUPRIM_TYPE_INVALID, "in: type is not set (0)");
    SAYS(c.in.reserved[2] = 7,
         "in: reserved[2] is 7, it must be 0: zero-initialise the struct");
    SAYS(c.in.base = NULL, "in: base is NULL, but the array has elements");
    SAYS(c.out.count = 3, "out has 1 rows of 3; in has 4 rows, so out must have 4 elements in "
                          "one row, or 4 rows of 1");
    SAYS(c.in.rows = 1, "out has 4 elements, it must have 1");
    SAYS(c.out.type = GPUPRIM_F64, "out is f64, the results of SUM of f32 are f32");
    SAYS(c.params.accumulator = GPUPRIM_I64,
         "accumulator is i64, for f32 it can be f32 or f64, or 0");
    SAYS(c.params.op = GPUPRIM_AND, "AND takes integers, in is f32");
#undef SAYS
}

// Calls that look wrong but are allowed.
static void fine(struct fixture *f)
{
    struct check *check = f->check;
    struct call c = call_on_host(f);
    c.in.base = c.out.base = NULL;
    int status = gpuprim_reduce_prepare(f->gp, &c.in, &c.out, &c.params);
    CHECK(check, status == GPUPRIM_OK, "prepare without base: %s", gpuprim_last_error());
    c = call_on_buffers(f);
    c.in.base = c.out.base = NULL;
    status = gpuprim_reduce_prepare(f->gp, &c.in, &c.out, &c.params);
    CHECK(check, status == GPUPRIM_OK, "prepare without buffer: %s", gpuprim_last_error());

    c = call_on_buffers(f); // in and out share a buffer but no element
    c.in.rows = 3;
    c.out = gpuprim_buffer(GPUPRIM_F32, f->in, 48, 3);
    status = gpuprim_reduce(f->gp, &c.in, &c.out, &c.params, NULL);
    CHECK(check, status == GPUPRIM_OK, "one buffer side by side: %s", gpuprim_last_error());
    fixture_reset(f);

    c = call_on_host(f); // out as rows; then one row by rows = 0
    c.out.rows = 4;
    c.out.count = 1;
    status = gpuprim_reduce(f->gp, &c.in, &c.out, &c.params, NULL);
    CHECK(check, status == GPUPRIM_OK, "out as rows: %s", gpuprim_last_error());
    c = call_on_host(f);
    c.in.rows = 0;
    c.out.count = 1;
    status = gpuprim_reduce(f->gp, &c.in, &c.out, &c.params, NULL);
    CHECK(check, status == GPUPRIM_OK, "rows = 0: %s", gpuprim_last_error());
    check->cases += 5;
    fixture_reset(f);
}

void api_reduce_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct fixture *f);
    } tests[] = { { "arguments", arguments }, { "types", types },       { "shapes", shapes },
                  { "ranges", ranges },       { "memories", memories }, { "syncs", syncs },
                  { "messages", messages },   { "fine", fine } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (!check_begin(check, "api/reduce/%s", tests[i].name))
            continue;
        struct fixture f;
        if (fixture_make(check, &f))
            tests[i].run(&f);
        fixture_free(&f);
        check_end(check);
    }
}
