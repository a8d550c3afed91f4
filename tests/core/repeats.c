/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that repeat an earlier one at other places (src/core/repeat.c): other buffers, parts of
 * buffers, other first elements, more shapes than are kept. Results must be right, and nothing
 * else is written. Arrays that leave their buffer or overlap must be found in a repeated call,
 * too. api.c runs this file.
 */
#include "api.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

enum {
    LENGTH = 65536, // of an input's buffer, elements
    LONG = 60000,   // the most elements of a call
    PART = 1024,    // where the part of the first buffer begins, elements
    BYTES = 524288, // of an output's buffer
    CALLS = 120,
    TAPS = 3,
    KEYS = 2,
};

struct shape {
    uint64_t rows, count;
    int64_t stride, row_stride;
};

// More than are kept: rows, columns, short and long ones, every third element, rows that lie
// backwards.
static const struct shape shapes[] = { { 3, 200, 1, 200 },  { 40, 30, 40, 1 },
                                       { 1, 900, 1, 0 },    { 2, 100, 3, 301 },
                                       { 3, 200, 1, -200 }, { 40, 31, 40, 1 },
                                       { 300, 3, 1, 3 },    { 1, LONG, 1, 0 } };

struct fixture {
    struct check *check;
    gpuprim *gp;
    cl_command_queue queues[2]; // the second one may change the order
    cl_mem in[3];               // two buffers, and a part of the first
    int32_t values[2][LENGTH];
    cl_mem out, counts;
    gpuprim_filter *filter;
    gpuprim_classifier *classifier;
};

// A call: what, on which of `in`, from which elements on.
struct call {
    const struct shape *shape;
    unsigned kind, in;
    uint64_t first, out_first, count_first;
};

struct primitive {
    const char *name;
    unsigned kinds;
    size_t out_size;
    int (*call)(struct fixture *f, const struct call *call, const struct gpuprim_array *in,
                const struct gpuprim_array *out, const struct gpuprim_sync *sync);
    // What a row gives, at out[0] on; what it adds to the counts.
    void (*row)(const struct call *call, const int32_t *x, unsigned char *out,
                uint32_t *counts);
    bool per_row; // one result of a row, not one of each element
};

// ---------------------------------------------------------------------------------------
// The primitives

static int reduce(struct fixture *f, const struct call *call, const struct gpuprim_array *in,
                  const struct gpuprim_array *out, const struct gpuprim_sync *sync)
{
    static const enum gpuprim_op ops[] = { GPUPRIM_SUM, GPUPRIM_SUM_SQUARES };
    const struct gpuprim_reduce_params params = { .op = ops[call->kind] };
    return gpuprim_reduce(f->gp, in, out, &params, sync);
}

static void reduce_row(const struct call *call, const int32_t *x, unsigned char *out,
                       uint32_t *counts)
{
    int64_t sum = 0;
    (void)counts;
    for (uint64_t i = 0; i < call->shape->count; i++) {
        const int64_t value = x[(int64_t)i * call->shape->stride];
        sum += call->kind ? value * value : value;
    }
    memcpy(out, &sum, sizeof sum);
}

static int convolve(struct fixture *f, const struct call *call, const struct gpuprim_array *in,
                    const struct gpuprim_array *out, const struct gpuprim_sync *sync)
{
    (void)call;
    return gpuprim_convolve1d(f->gp, f->filter, in, out, NULL, sync);
}

static const int32_t taps[TAPS] = { 5, -7, 11 };

static void convolve_row(const struct call *call, const int32_t *x, unsigned char *out,
                         uint32_t *counts)
{
    const int64_t n = (int64_t)call->shape->count;
    (void)counts;
    for (int64_t i = 0; i < n; i++) {
        int32_t sum = 0;
        for (int64_t k = 0; k < TAPS; k++) // SAME: the middle tap meets x[i]
            if (i + 1 - k >= 0 && i + 1 - k < n)
                sum += taps[k] * x[(i + 1 - k) * call->shape->stride];
        memcpy(out + i * (int64_t)sizeof sum, &sum, sizeof sum);
    }
}

static const int32_t keys[KEYS] = { -100, 250 };

// 0: labels, 1: labels and counts, 2: counts.
static int classify(struct fixture *f, const struct call *call, const struct gpuprim_array *in,
                    const struct gpuprim_array *out, const struct gpuprim_sync *sync)
{
    const struct gpuprim_array counts =
        gpuprim_buffer(GPUPRIM_U32, f->counts, call->count_first, KEYS + 1);
    return gpuprim_classify(f->gp, f->classifier, in, call->kind < 2 ? out : NULL,
                            call->kind ? &counts : NULL, sync);
}

static void classify_row(const struct call *call, const int32_t *x, unsigned char *out,
                         uint32_t *counts)
{
    for (uint64_t i = 0; i < call->shape->count; i++) {
        const int32_t value = x[(int64_t)i * call->shape->stride];
        const unsigned char label = (unsigned char)((value >= keys[0]) + (value >= keys[1]));
        if (call->kind < 2)
            out[i] = label;
        counts[label] += call->kind > 0;
    }
}

static const struct primitive primitives[] = {
    { "reduce", 2, sizeof(int64_t), reduce, reduce_row, true },
    { "convolve1d", 1, sizeof(int32_t), convolve, convolve_row, false },
    { "classify", 3, 1, classify, classify_row, false },
};

// ---------------------------------------------------------------------------------------
// One call

static struct gpuprim_array input_of(const struct fixture *f, const struct call *call)
{
    const struct shape *s = call->shape;
    return (struct gpuprim_array){ .type = GPUPRIM_I32,
                                   .memory = GPUPRIM_BUFFER,
                                   .base = f->in[call->in],
                                   .first = call->first,
                                   .count = s->count,
                                   .stride = s->stride,
                                   .rows = s->rows,
                                   .row_stride = s->row_stride };
}

static struct gpuprim_array output_of(const struct fixture *f, const struct primitive *p,
                                      const struct call *call)
{
    const enum gpuprim_type type = p->out_size == 8   ? GPUPRIM_I64
                                   : p->out_size == 4 ? GPUPRIM_I32
                                                      : GPUPRIM_U8;
    const uint64_t count = p->per_row ? 1 : call->shape->count;
    return gpuprim_as_rows(
        gpuprim_buffer(type, f->out, call->out_first, call->shape->rows * count),
        call->shape->rows, count);
}

// From how many elements on the first row may begin, and how many places there are for it.
static void places_of(const struct call *call, uint64_t *low, uint64_t *n)
{
    const struct shape *s = call->shape;
    const uint64_t others = (s->rows - 1) * gp_abs(s->row_stride),
                   span = (s->count - 1) * (uint64_t)s->stride + others + 1,
                   length = call->in == 2 ? LENGTH - PART : LENGTH;
    *low = s->row_stride < 0 ? others : 0;
    *n = length - span + 1;
}

static void paint(const struct fixture *f, unsigned char *out, uint32_t *counts)
{
    memset(out, 0xa5, BYTES);
    memset(counts, 0xa5, BYTES);
    clEnqueueWriteBuffer(f->gp->queue, f->out, CL_TRUE, 0, BYTES, out, 0, NULL, NULL);
    clEnqueueWriteBuffer(f->gp->queue, f->counts, CL_TRUE, 0, BYTES, counts, 0, NULL, NULL);
}

static void fill(const struct fixture *f, const struct primitive *p, const struct call *call,
                 unsigned char *out, uint32_t *counts)
{
    const struct shape *s = call->shape;
    const int32_t *x = f->values[call->in == 1] + (call->in == 2 ? PART : 0) + call->first;
    const size_t row_bytes = p->out_size * (p->per_row ? 1 : s->count);
    const bool counted = p->call == classify && call->kind;
    if (counted)
        memset(counts + call->count_first, 0, (KEYS + 1) * sizeof *counts);
    for (uint64_t r = 0; r < s->rows; r++)
        p->row(call, x + (int64_t)r * s->row_stride,
               out + call->out_first * p->out_size + r * row_bytes, counts + call->count_first);
}

static void is_right(struct fixture *f, const struct primitive *p, const struct call *call,
                     bool made, const char *what)
{
    static unsigned char out[BYTES], got[BYTES];
    static uint32_t counts[BYTES / 4], got_counts[BYTES / 4];
    memset(out, 0xa5, BYTES);
    memset(counts, 0xa5, BYTES);
    if (made)
        fill(f, p, call, out, counts);
    clEnqueueReadBuffer(f->gp->queue, f->out, CL_TRUE, 0, BYTES, got, 0, NULL, NULL);
    clEnqueueReadBuffer(f->gp->queue, f->counts, CL_TRUE, 0, BYTES, got_counts, 0, NULL, NULL);
    CHECK(f->check, memcmp(out, got, BYTES) == 0, "%s: other results, kind %u, %llu x %llu",
          what, call->kind, (unsigned long long)call->shape->rows,
          (unsigned long long)call->shape->count);
    CHECK(f->check, memcmp(counts, got_counts, BYTES) == 0, "%s: other counts", what);
}

// A call by a queue of the caller's, or a blocking one.
static int make(struct fixture *f, const struct primitive *p, const struct call *call,
                const struct gpuprim_array *in, const struct gpuprim_array *out)
{
    const unsigned how = (unsigned)check_below(f->check, 3);
    cl_event done = NULL;
    if (how == 2) {
        shim_watch(true);
        const int status = p->call(f, call, in, out, NULL);
        CHECK(f->check, shim_pending(f->gp->queue) == 0, "a blocking call did not wait");
        shim_watch(false);
        return status;
    }
    const struct gpuprim_sync sync = { .queue = f->queues[how], .done = how ? &done : NULL };
    const int status = p->call(f, call, in, out, &sync);
    if (done) {
        clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    CHECK(f->check, (how && !status) == (done != NULL), "status %d, but the event is %s",
          status, done ? "there" : "not there");
    clFinish(f->queues[how]);
    return status;
}

static void one_call(struct fixture *f, const struct primitive *p)
{
    static unsigned char out_bytes[BYTES];
    static uint32_t counts[BYTES / 4];
    struct check *check = f->check;
    struct call call = { .shape = &shapes[check_below(check, sizeof shapes / sizeof *shapes)],
                         .kind = (unsigned)check_below(check, p->kinds),
                         .in = (unsigned)check_below(check, 3) };
    uint64_t low, n;
    places_of(&call, &low, &n);
    call.first = low + check_below(check, n);
    if (check_once_in(check, 2)) // as they lie in lines of memory
        call.first = low + (call.first - low) / 64 * 64;
    call.out_first = check_below(check, BYTES / p->out_size - LONG);
    call.count_first = check_below(check, BYTES / 4 - KEYS);
    struct gpuprim_array in = input_of(f, &call), out = output_of(f, p, &call);
    paint(f, out_bytes, counts);
    const unsigned wrong = (unsigned)check_below(check, 8);
    int expected = GPUPRIM_OK;
    if (wrong == 0) {
        in.first = low + n;
        expected = GPUPRIM_E_RANGE;
    } else if (wrong == 1 && low) {
        in.first = low - 1;
        expected = GPUPRIM_E_RANGE;
    } else if (wrong == 2 && p->per_row && call.first / 2 + call.shape->rows < n / 2) {
        out.base = in.base; // results over the first element
        out.first = call.first / 2;
        expected = GPUPRIM_E_ARG;
    } else if (wrong == 3) {
        in.first = UINT64_C(1) << 63;
        expected = GPUPRIM_E_RANGE;
    } else if (wrong == 4) {
        in.base = NULL;
        expected = GPUPRIM_E_ARG;
    }
    check->cases++;
    const int status = make(f, p, &call, &in, &out);
    CHECK(check, status == expected, "case %u gives %d (%s), not %d", wrong, status,
          status ? gpuprim_last_error() : "", expected);
    is_right(f, p, &call, status == GPUPRIM_OK, "after the call");
}

// ---------------------------------------------------------------------------------------

static bool prepare(struct fixture *f)
{
    cl_int errors[7] = { 0 };
    cl_context context = f->gp->context;
    const cl_buffer_region part = { PART * sizeof(int32_t), (LENGTH - PART) * sizeof(int32_t) };
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < LENGTH; k++)
            f->values[i][k] = (int32_t)check_below(f->check, 1000) - 500;
        f->in[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  sizeof f->values[i], f->values[i], &errors[i]);
    }
    f->in[2] = clCreateSubBuffer(f->in[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &errors[2]);
    f->out = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &errors[3]);
    f->counts = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &errors[4]);
    f->queues[0] = clCreateCommandQueue(context, f->gp->device, 0, &errors[5]);
    f->queues[1] = clCreateCommandQueue(context, f->gp->device,
                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &errors[6]);
    for (unsigned i = 0; i < 7; i++)
        if (!CHECK(f->check, !errors[i], "object %u: %d", i, errors[i]))
            return false;
    const struct gpuprim_array tap_array = gpuprim_host(GPUPRIM_I32, taps, TAPS);
    const struct gpuprim_filter_params filter = { .in = GPUPRIM_I32 };
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_I32, keys, KEYS) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    f->gp->build_late = true;
    return CHECK(f->check, !gpuprim_filter_create(f->gp, &tap_array, &filter, &f->filter), "%s",
                 gpuprim_last_error()) &&
           CHECK(f->check, !gpuprim_classifier_create(f->gp, &params, &f->classifier), "%s",
                 gpuprim_last_error());
}

static void release(struct fixture *f)
{
    gpuprim_filter_destroy(&f->filter);
    gpuprim_classifier_destroy(&f->classifier);
    for (unsigned i = 0; i < 3; i++)
        if (f->in[2 - i])
            clReleaseMemObject(f->in[2 - i]);
    if (f->out)
        clReleaseMemObject(f->out);
    if (f->counts)
        clReleaseMemObject(f->counts);
    for (unsigned i = 0; i < 2; i++)
        if (f->queues[i])
            clReleaseCommandQueue(f->queues[i]);
    gpuprim_destroy(&f->gp);
}

static void run(struct check *check, const struct primitive *p, bool as_gpu)
{
    static struct fixture f;
    if (as_gpu)
        model_begin(&model_gpu);
    f = (struct fixture){ .check = check, .gp = check_context(check, NULL, 0) };
    if (as_gpu)
        model_end();
    if (f.gp && prepare(&f))
        for (unsigned i = 0; i < CALLS; i++)
            one_call(&f, p);
    release(&f);
}

// Columns that begin at two places of a line of memory are two calls, each of which is kept
// once.
static void columns(struct check *check)
{
    static struct fixture f;
    f = (struct fixture){ .check = check, .gp = check_context(check, NULL, 0) };
    if (f.gp && prepare(&f)) {
        unsigned kept = 0;
        for (unsigned i = 0; i < 8; i++) {
            struct call call = { .shape = &shapes[1], .first = i % 2, .out_first = i };
            const struct gpuprim_array in = input_of(&f, &call),
                                       out = output_of(&f, &primitives[0], &call);
            const int status = reduce(&f, &call, &in, &out, NULL);
            check->cases++;
            CHECK(check, !status, "%s", gpuprim_last_error());
            if (i == 1)
                kept = f.gp->repeats.next;
        }
        CHECK(check, kept == 2, "%u of the two calls are kept", kept);
        CHECK(check, kept == f.gp->repeats.next, "the same calls are kept again: %u, %u", kept,
              f.gp->repeats.next);
    }
    release(&f);
}

// A repeated call for which there is no ticket goes the long way, and leaves its slot to others.
// Other devices than NVIDIA's take no tickets, so the kept call is told that it needs one.
static void no_ticket(struct check *check)
{
    static struct fixture f;
    f = (struct fixture){ .check = check, .gp = check_context(check, NULL, 0) };
    if (f.gp && prepare(&f)) {
        for (unsigned i = 0; i < 3; i++) {
            struct call call = { .shape = &shapes[0], .first = i, .out_first = i };
            const struct gpuprim_array in = input_of(&f, &call),
                                       out = output_of(&f, &primitives[0], &call);
            const int status = reduce(&f, &call, &in, &out, NULL);
            check->cases++;
            CHECK(check, !status, "%s", gpuprim_last_error());
            for (unsigned k = 0; k < GP_REPEATS; k++)
                f.gp->repeats.entries[k].has_ticket = true;
            for (unsigned k = 0; k < GP_SCRATCH_SLOTS; k++) {
                CHECK(check, !f.gp->scratch[k].busy, "call %u: slot %u stays busy", i, k);
                f.gp->scratch[k].ticket = UINT64_MAX;
            }
        }
        CHECK(check, f.gp->repeats.next > 1, "the call was repeated without a ticket");
    }
    release(&f);
}

void repeats_run(struct check *check)
{
    if (check_begin(check, "api/repeats/no_ticket")) {
        no_ticket(check);
        check_end(check);
    }
    if (check_begin(check, "api/repeats/columns")) {
        columns(check);
        check_end(check);
    }
    enum { N = sizeof primitives / sizeof *primitives };
    for (unsigned i = 0; i < 2 * N; i++) {
        const struct primitive *p = &primitives[i % N];
        char name[64];
        snprintf(name, sizeof name, "api/repeats/%s/%s", p->name, i < N ? "here" : "as_gpu");
        if (!check_begin(check, "%s", name))
            continue;
        run(check, p, i >= N);
        check_end(check);
    }
}
