/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of every documented error of gpuprim_reduce. Each must return its code and a message, and
 * leave the outputs untouched and the context usable.
 */
#include "api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/reduce/operations.h"

enum { N = 64 }; // elements of the input

// A correct call: four rows of 16 floats, four sums. Each test makes one thing wrong.
struct call {
    gpuprim *gp;
    struct gpuprim_array in, out;
    struct gpuprim_reduce_params params;
    struct gpuprim_sync sync;
    const struct gpuprim_sync *sync_pointer; // NULL: blocking
    bool no_in, no_out, no_params;           // pass NULL
    bool prepare;                            // gpuprim_reduce_prepare must fail in the same way
};

struct fixture {
    struct check *check;
    gpuprim *gp;
    _Alignas(16) float x[N + 1];
    _Alignas(16) float results[N]; // `out` is in the middle; the rest must not change
    cl_mem in, out;                // the same in buffers of N and 4 elements
    cl_event done;
};

static const float CANARY = -77;
enum { OUT_AT = 8 };

static void reset(struct fixture *f)
{
    for (int i = 0; i < N; i++) {
        f->x[i] = (float)i;
        f->results[i] = CANARY;
    }
    clEnqueueWriteBuffer(f->gp->queue, f->in, CL_TRUE, 0, sizeof(float) * N, f->x, 0, NULL,
                         NULL);
    clEnqueueWriteBuffer(f->gp->queue, f->out, CL_TRUE, 0, sizeof(float) * 4, f->results, 0,
                         NULL, NULL);
}

static bool untouched(struct fixture *f)
{
    float out[4];
    clEnqueueReadBuffer(f->gp->queue, f->out, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < N; i++)
        if (f->results[i] != CANARY || f->x[i] != (float)i || (i < 4 && out[i] != CANARY))
            return false;
    return f->done == NULL;
}

static struct call host_call(struct fixture *f)
{
    struct call c = { .gp = f->gp, .prepare = true };
    c.in = gpuprim_host(GPUPRIM_F32, f->x, 16);
    c.in.rows = 4;
    c.out = gpuprim_host(GPUPRIM_F32, f->results + OUT_AT, 4);
    return c;
}

static struct call buffer_call(struct fixture *f)
{
    struct call c = { .gp = f->gp };
    c.in = gpuprim_buffer(GPUPRIM_F32, f->in, 0, 16);
    c.in.rows = 4;
    c.out = gpuprim_buffer(GPUPRIM_F32, f->out, 0, 4);
    return c;
}

static struct call sync_call(struct fixture *f)
{
    struct call c = buffer_call(f);
    c.sync.queue = f->gp->queue;
    c.sync.done = &f->done;
    return c;
}

// Whether the last message begins with the name of the function and goes on.
static bool is_message(const char *function)
{
    const char *text = gpuprim_last_error();
    const size_t n = strlen(function);
    return strncmp(text, function, n) == 0 && strncmp(text + n, ": ", 2) == 0 && text[n + 2];
}

static void expect(struct fixture *f, const struct call *c, int expected, const char *name)
{
    struct check *check = f->check;
    const struct gpuprim_array *in = c->no_in ? NULL : &c->in,
                               *out = c->no_out ? NULL : &c->out;
    const struct gpuprim_reduce_params *params = c->no_params ? NULL : &c->params;
    check->cases++;
    int status = gpuprim_reduce(c->gp, in, out, params, c->sync_pointer);
    CHECK(check, status == expected, "%s: %d (%s), expected %d", name, status,
          gpuprim_last_error(), expected);
    CHECK(check, expected == GPUPRIM_OK || is_message("gpuprim_reduce"),
          "%s: the message is %s", name, gpuprim_last_error());
    CHECK(check, untouched(f), "%s: an array or `done` was touched", name);
    if (c->prepare) {
        status = gpuprim_reduce_prepare(c->gp, in, out, params);
        CHECK(check, status == expected, "%s: prepare gives %d, expected %d", name, status,
              expected);
        CHECK(check, expected == GPUPRIM_OK || is_message("gpuprim_reduce_prepare"),
              "%s: the message of prepare is %s", name, gpuprim_last_error());
    }
    const struct call good = host_call(f);
    status = gpuprim_reduce(f->gp, &good.in, &good.out, &good.params, NULL);
    CHECK(check, status == GPUPRIM_OK && f->results[OUT_AT] == 120,
          "%s: a good call afterwards gives %d, sum %g", name, status, f->results[OUT_AT]);
    reset(f);
}

// Makes one thing of a correct call wrong and expects a status.
#define EXPECT(right, code, spoil)                                                             \
    do {                                                                                       \
        struct call c = (right);                                                               \
        spoil;                                                                                 \
        expect(f, &c, code, #spoil);                                                           \
    } while (0)

static void arguments(struct fixture *f)
{
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.gp = NULL);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.no_in = true);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.no_out = true);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.no_params = true);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.params.op = (enum gpuprim_op)REDUCE_N_OPERATIONS);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.params.op = (enum gpuprim_op) - 1);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.params.nan = (enum gpuprim_nan)2);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.in.memory = (enum gpuprim_memory)3);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.out.memory = (enum gpuprim_memory) - 1);
    for (int i = 0; i < 4; i++) {
        EXPECT(host_call(f), GPUPRIM_E_ARG, c.params.reserved[i] = 1);
        EXPECT(host_call(f), GPUPRIM_E_ARG, c.in.reserved[i] = 1);
        EXPECT(host_call(f), GPUPRIM_E_ARG, c.out.reserved[i] = UINT64_C(1) << 63);
    }
}

static void types(struct fixture *f)
{
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.in.type = GPUPRIM_TYPE_INVALID);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.in.type = (enum gpuprim_type)13);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.out.type = (enum gpuprim_type) - 1);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, (c.in.type = GPUPRIM_C32, c.in.count = 4));
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_AND);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_OR);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_XOR);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.accumulator = GPUPRIM_I64);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.accumulator = (enum gpuprim_type)99);
    EXPECT(host_call(f), GPUPRIM_E_TYPE,
           (c.in.type = c.out.type = GPUPRIM_I32, c.params.accumulator = GPUPRIM_F64));
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.out.type = GPUPRIM_F64);
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.accumulator = GPUPRIM_F64); // out is f32
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_ARGMIN);       // u64
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.params.op = GPUPRIM_ANY);          // u8
    EXPECT(host_call(f), GPUPRIM_E_TYPE, c.in.type = GPUPRIM_I32);            // i64
}

static void shapes(struct fixture *f)
{
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.out.count = 3);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.out.count = 5);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.out.count = 0);
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.out.rows = 4); // 4 x 4
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.out.rows = 3, c.out.count = 1));
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.out.rows = 2, c.out.count = 2));
    EXPECT(host_call(f), GPUPRIM_E_ARG, c.params.op = GPUPRIM_MINMAX); // needs 8
    EXPECT(host_call(f), GPUPRIM_E_ARG,
           (c.params.op = GPUPRIM_MINMAX, c.out.rows = 8, c.out.count = 1));
}

static void ranges(struct fixture *f)
{
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.first = UINT64_MAX);
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.count = UINT64_MAX);
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.count = UINT64_C(1) << 62); // x 4 rows
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.stride = INT64_MAX);
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.stride = INT64_MIN);
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.row_stride = INT64_MAX / 2);
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.in.row_stride = INT64_MIN);
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.out.first = UINT64_C(1) << 62); // x 4 bytes
    EXPECT(host_call(f), GPUPRIM_E_RANGE, c.out.stride = INT64_MAX / 3);

    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.in.first = 1);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.in.first = UINT64_C(1) << 40);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.in.count = 17);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.in.stride = 2);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.in.stride = -1); // first is 0
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, (c.in.stride = -1, c.in.first = 62));
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.in.row_stride = 17);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, (c.in.row_stride = -16, c.in.first = 47));
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.out.first = 1);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.out.stride = 2);
    EXPECT(buffer_call(f), GPUPRIM_E_RANGE, c.out.stride = -1);
}

static void memories(struct fixture *f)
{
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.in.base = NULL, c.prepare = false));
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.out.base = NULL, c.prepare = false));
    EXPECT(buffer_call(f), GPUPRIM_E_ARG, c.in.base = NULL);
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.in.base = (char *)f->x + 1, c.prepare = false));
    EXPECT(host_call(f), GPUPRIM_E_ARG,
           (c.out.base = (char *)f->results + 2, c.prepare = false));
    // Overlaps in the first element, in the last one, and in all. Adjacent arrays are allowed.
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.out.base = f->x, c.prepare = false));
    EXPECT(host_call(f), GPUPRIM_E_ARG, (c.out.base = f->x + 63, c.prepare = false));
    EXPECT(host_call(f), GPUPRIM_E_ARG,
           (c.out.base = f->x, c.out.stride = -1, c.out.first = 3, c.prepare = false));
    EXPECT(buffer_call(f), GPUPRIM_E_ARG, c.out.base = f->in);
    EXPECT(buffer_call(f), GPUPRIM_E_ARG, (c.out.base = f->in, c.out.first = 60));
    if (!f->gp->caps.has_svm)
        EXPECT(host_call(f), GPUPRIM_E_UNSUPPORTED, c.in.memory = GPUPRIM_SVM);

    cl_int error;
    cl_context other = clCreateContext(NULL, 1, &f->gp->device, NULL, NULL, &error);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 4 * N, NULL, &error);
    if (CHECK(f->check, !error, "no second context: %d", error)) {
        EXPECT(buffer_call(f), GPUPRIM_E_ARG, c.in.base = foreign);
        EXPECT(buffer_call(f), GPUPRIM_E_ARG, c.out.base = foreign);
    }
    clReleaseMemObject(foreign);
    clReleaseContext(other);
}

static void syncs(struct fixture *f)
{
    const struct call host = host_call(f);
    EXPECT(sync_call(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.sync.queue = NULL));
    EXPECT(sync_call(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.sync.n_wait = 1));
    EXPECT(sync_call(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.sync.reserved[3] = 1));
    EXPECT(sync_call(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.in = host.in));
    EXPECT(sync_call(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.out = host.out));
    EXPECT(sync_call(f), GPUPRIM_E_RANGE, (c.sync_pointer = &c.sync, c.in.first = 1));

    cl_int error;
    cl_context other = clCreateContext(NULL, 1, &f->gp->device, NULL, NULL, &error);
    cl_command_queue foreign = clCreateCommandQueue(other, f->gp->device, 0, &error);
    if (CHECK(f->check, !error, "no second queue: %d", error))
        EXPECT(sync_call(f), GPUPRIM_E_ARG, (c.sync_pointer = &c.sync, c.sync.queue = foreign));
    clReleaseCommandQueue(foreign);
    clReleaseContext(other);
}

// The exact text of messages that new users see.
static void messages(struct fixture *f)
{
#define SAYS(spoil, text)                                                                      \
    do {                                                                                       \
        struct call c = host_call(f);                                                          \
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
    struct call c = host_call(f);
    c.in.base = c.out.base = NULL;
    int status = gpuprim_reduce_prepare(f->gp, &c.in, &c.out, &c.params);
    CHECK(check, status == GPUPRIM_OK, "prepare without base: %s", gpuprim_last_error());
    c = buffer_call(f);
    c.in.base = c.out.base = NULL;
    status = gpuprim_reduce_prepare(f->gp, &c.in, &c.out, &c.params);
    CHECK(check, status == GPUPRIM_OK, "prepare without buffer: %s", gpuprim_last_error());

    c = buffer_call(f); // in and out share a buffer but no element
    c.in.rows = 3;
    c.out = gpuprim_buffer(GPUPRIM_F32, f->in, 48, 3);
    status = gpuprim_reduce(f->gp, &c.in, &c.out, &c.params, NULL);
    CHECK(check, status == GPUPRIM_OK, "one buffer side by side: %s", gpuprim_last_error());
    reset(f);

    c = host_call(f); // out as rows; then one row by rows = 0
    c.out.rows = 4;
    c.out.count = 1;
    status = gpuprim_reduce(f->gp, &c.in, &c.out, &c.params, NULL);
    CHECK(check, status == GPUPRIM_OK, "out as rows: %s", gpuprim_last_error());
    c = host_call(f);
    c.in.rows = 0;
    c.out.count = 1;
    status = gpuprim_reduce(f->gp, &c.in, &c.out, &c.params, NULL);
    CHECK(check, status == GPUPRIM_OK, "rows = 0: %s", gpuprim_last_error());
    check->cases += 5;
    reset(f);
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
        cl_int error;
        struct fixture f = { .check = check, .gp = check_context(check, NULL, 0) };
        if (f.gp) {
            f.in = clCreateBuffer(f.gp->context, CL_MEM_READ_WRITE, 4 * N, NULL, &error);
            f.out = clCreateBuffer(f.gp->context, CL_MEM_READ_WRITE, 4 * 4, NULL, &error);
            reset(&f);
            tests[i].run(&f);
            clReleaseMemObject(f.in);
            clReleaseMemObject(f.out);
        }
        gpuprim_destroy(&f.gp);
        check_end(check);
    }
}
