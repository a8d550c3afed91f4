/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of struct gpuprim_array: matrices as rows and as columns, and arrays without rows, in
 * every primitive. Errors in arrays are tested in api_reduce.c.
 */
#include "api.h"

#include <string.h>
#include <time.h>

enum { ROWS = 3, COLUMNS = 5, FIRST = 2, STEP = 2, CANARY = -77 };

// ---------------------------------------------------------------------------------------
// gpuprim_as_rows, gpuprim_as_columns

static void sums_are(struct check *check, gpuprim *gp, const struct gpuprim_array *in,
                     const int64_t *wanted, unsigned n, const char *name)
{
    int64_t sums[COLUMNS];
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, sums, n);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    check->cases++;
    const int status = gpuprim_reduce(gp, in, &out, &params, NULL);
    if (CHECK(check, !status, "%s: %s", name, gpuprim_last_error()))
        for (unsigned i = 0; i < n; i++)
            CHECK(check, sums[i] == wanted[i], "%s: sum %u is %lld, not %lld", name, i,
                  (long long)sums[i], (long long)wanted[i]);
}

// A matrix that begins at element FIRST and whose elements are STEP apart.
static void matrices(struct check *check, gpuprim *gp)
{
    int32_t x[FIRST + ROWS * COLUMNS * STEP];
    int64_t of_rows[ROWS] = { 0 }, of_columns[COLUMNS] = { 0 };
    for (int i = 0; i < FIRST + ROWS * COLUMNS * STEP; i++)
        x[i] = CANARY;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        x[FIRST + i * STEP] = i * i;
        of_rows[i / COLUMNS] += i * i;
        of_columns[i % COLUMNS] += i * i;
    }
    struct gpuprim_array array = gpuprim_host(GPUPRIM_I32, x, 1);
    array.first = FIRST;
    array.stride = STEP;
    const struct gpuprim_array rows = gpuprim_as_rows(array, ROWS, COLUMNS);
    const struct gpuprim_array columns = gpuprim_as_columns(array, ROWS, COLUMNS);
    sums_are(check, gp, &rows, of_rows, ROWS, "rows");
    sums_are(check, gp, &columns, of_columns, COLUMNS, "columns");
    const struct gpuprim_array one = gpuprim_as_rows(array, 1, COLUMNS);
    sums_are(check, gp, &one, of_rows, 1, "one row");

    // A matrix without rows still has its columns, which are empty.
    static const int64_t zeros[COLUMNS];
    const struct gpuprim_array empty = gpuprim_as_columns(array, 0, COLUMNS);
    sums_are(check, gp, &empty, zeros, COLUMNS, "columns of no rows");
    const struct gpuprim_array short_rows = gpuprim_as_rows(array, ROWS, 0);
    sums_are(check, gp, &short_rows, zeros, ROWS, "rows of no columns");
    const struct gpuprim_array no_rows = gpuprim_as_rows(array, 0, COLUMNS);
    sums_are(check, gp, &no_rows, NULL, 0, "no rows");
    const struct gpuprim_array no_columns = gpuprim_as_columns(array, ROWS, 0);
    sums_are(check, gp, &no_columns, NULL, 0, "no columns");
}

// ---------------------------------------------------------------------------------------
// No rows

enum { ELEMENTS = 16, BYTES = ELEMENTS * 8, LABELS = 2 };

struct fixture {
    struct check *check;
    gpuprim *gp;
    bool on_device;
    bool enqueued;
    _Alignas(8) unsigned char memory[2][BYTES]; // input and output of a call
    cl_mem buffers[2];
    cl_event done;
};

static struct gpuprim_array place(struct fixture *f, int which, enum gpuprim_type type)
{
    return f->on_device ? gpuprim_buffer(type, f->buffers[which], 0, 4)
                        : gpuprim_host(type, f->memory[which], 4);
}

static void paint(struct fixture *f)
{
    memset(f->memory, 0x5a, sizeof f->memory);
    for (int i = 0; f->on_device && i < 2; i++)
        clEnqueueWriteBuffer(f->gp->queue, f->buffers[i], CL_TRUE, 0, BYTES, f->memory[i], 0,
                             NULL, NULL);
}

// The last argument of a call: NULL, or a sync that asks for an event.
static const struct gpuprim_sync *sync_of(struct fixture *f, struct gpuprim_sync *sync)
{
    f->done = NULL;
    *sync = (struct gpuprim_sync){ .queue = f->gp->queue, .done = &f->done };
    return f->enqueued ? sync : NULL;
}

// Checks the status of a call, its event, and the memory: the first `changed` bytes of the
// output must be 0, and all other bytes as before.
static void judge(struct fixture *f, int status, size_t changed, const char *name)
{
    struct check *check = f->check;
    check->cases++;
    CHECK(check, status == GPUPRIM_OK, "%s: %d, %s", name, status, gpuprim_last_error());
    if (!status && f->enqueued && CHECK(check, f->done, "%s: no event", name)) {
        CHECK(check, clWaitForEvents(1, &f->done) == CL_SUCCESS, "%s: bad event", name);
        clReleaseEvent(f->done);
    }
    clFinish(f->gp->queue);
    for (int i = 0; f->on_device && i < 2; i++)
        clEnqueueReadBuffer(f->gp->queue, f->buffers[i], CL_TRUE, 0, BYTES, f->memory[i], 0,
                            NULL, NULL);
    for (size_t i = 0; i < 2 * BYTES; i++) {
        const unsigned char seen = f->memory[i / BYTES][i % BYTES];
        const unsigned char wanted = i >= BYTES && i - BYTES < changed ? 0 : 0x5a;
        if (!CHECK(check, seen == wanted, "%s: byte %zu of array %zu is %#x, not %#x", name,
                   i % BYTES, i / BYTES, seen, wanted))
            break;
    }
    paint(f);
}

static void reduce(struct fixture *f)
{
    struct gpuprim_sync sync;
    const struct gpuprim_array in = gpuprim_as_rows(place(f, 0, GPUPRIM_F32), 0, 4);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_MINMAX };
    struct gpuprim_array out = place(f, 1, GPUPRIM_F32);
    out.count = 0;
    judge(f, gpuprim_reduce(f->gp, &in, &out, &params, sync_of(f, &sync)), 0, "reduce, flat");
    out = gpuprim_as_rows(out, 0, 2);
    judge(f, gpuprim_reduce(f->gp, &in, &out, &params, sync_of(f, &sync)), 0, "reduce, rows");
    out = gpuprim_as_rows(out, 1, 2);
    int status = gpuprim_reduce(f->gp, &in, &out, &params, NULL);
    CHECK(f->check, status == GPUPRIM_E_ARG, "one result of no rows: %d", status);
    out = gpuprim_as_rows(out, 0, 2);
    status = gpuprim_reduce_prepare(f->gp, &in, &out, &params);
    CHECK(f->check, !status, "prepare: %s", gpuprim_last_error());
}

static void convolve(struct fixture *f)
{
    struct gpuprim_sync sync;
    static const float taps[3] = { 1, 2, 3 };
    struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, taps, 3);
    const struct gpuprim_filter_params params = { .left = GPUPRIM_HISTORY };
    gpuprim_filter *filter = NULL;
    int status = gpuprim_filter_create(f->gp, &h, &params, &filter);
    if (!CHECK(f->check, !status, "filter: %s", gpuprim_last_error()))
        return;
    const struct gpuprim_array in = gpuprim_as_rows(place(f, 0, GPUPRIM_F32), 0, 4);
    const struct gpuprim_array out = gpuprim_as_rows(place(f, 1, GPUPRIM_F32), 0, 4);
    struct gpuprim_history history = { .before = gpuprim_as_rows(in, 0, 2),
                                       .after = gpuprim_as_rows(out, 0, 2) };
    judge(f, gpuprim_convolve1d(f->gp, filter, &in, &out, &history, sync_of(f, &sync)), 0,
          "convolve1d");
    for (int i = 0; i < 4; i++) {
        history.reserved[i] = 1;
        status = gpuprim_convolve1d(f->gp, filter, &in, &out, &history, NULL);
        CHECK(f->check, status == GPUPRIM_E_ARG, "history.reserved[%d]: %d", i, status);
        history.reserved[i] = 0;
    }
    gpuprim_filter_destroy(&filter);
    h = gpuprim_as_rows(h, 0, 3);
    status = gpuprim_filter_create(f->gp, &h, &params, &filter);
    CHECK(f->check, status == GPUPRIM_E_ARG, "taps without rows: %d", status);
}

static gpuprim_classifier *classifier_of(struct fixture *f, bool accumulates)
{
    static const float threshold = 1;
    const struct gpuprim_thresholds rule = { .values =
                                                 gpuprim_host(GPUPRIM_F32, &threshold, 1) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule,
                                                      .accumulate = accumulates };
    gpuprim_classifier *classifier = NULL;
    const int status = gpuprim_classifier_create(f->gp, &params, &classifier);
    CHECK(f->check, !status, "classifier: %s", gpuprim_last_error());
    return classifier;
}

static void classify(struct fixture *f)
{
    struct gpuprim_sync sync;
    const struct gpuprim_array in = gpuprim_as_rows(place(f, 0, GPUPRIM_F32), 0, 4);
    const struct gpuprim_array labels = gpuprim_as_rows(place(f, 0, GPUPRIM_U8), 0, 4);
    struct gpuprim_array counts = place(f, 1, GPUPRIM_U64);
    counts.count = LABELS;
    const struct gpuprim_array row_counts = gpuprim_as_rows(counts, 0, LABELS);
    for (int accumulates = 0; accumulates < 2; accumulates++) {
        gpuprim_classifier *classifier = classifier_of(f, accumulates);
        if (!classifier)
            return;
        judge(f, gpuprim_classify(f->gp, classifier, &in, &labels, NULL, sync_of(f, &sync)), 0,
              "labels");
        judge(f,
              gpuprim_classify(f->gp, classifier, &in, &labels, &row_counts, sync_of(f, &sync)),
              0, "counts of each row");
        judge(f, gpuprim_classify(f->gp, classifier, &in, NULL, &counts, sync_of(f, &sync)),
              accumulates ? 0 : LABELS * sizeof(uint64_t), "counts of all rows");
        gpuprim_classifier_destroy(&classifier);
    }
    float threshold = 1;
    const struct gpuprim_thresholds rule = {
        .values = gpuprim_as_rows(gpuprim_host(GPUPRIM_F32, &threshold, 1), 0, 1)
    };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    gpuprim_classifier *none = NULL;
    const int status = gpuprim_classifier_create(f->gp, &params, &none);
    CHECK(f->check, status == GPUPRIM_E_ARG, "thresholds without rows: %d", status);
}

static void no_rows(struct check *check, gpuprim *gp)
{
    for (int kind = 0; kind < 3; kind++) {
        cl_int error[2];
        struct fixture f = { .check = check, .gp = gp };
        f.on_device = kind > 0;
        f.enqueued = kind > 1;
        for (int i = 0; i < 2; i++)
            f.buffers[i] =
                clCreateBuffer(gp->context, CL_MEM_READ_WRITE, BYTES, NULL, &error[i]);
        if (CHECK(check, !error[0] && !error[1], "no buffers")) {
            paint(&f);
            reduce(&f);
            convolve(&f);
            classify(&f);
        }
        for (int i = 0; i < 2; i++)
            clReleaseMemObject(f.buffers[i]);
    }
}

// Without an event to give, a call on nothing still waits for what it is told to wait for: a
// command behind it in the queue does not run before.
static void waits(struct check *check, gpuprim *gp)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(gp->context, &error), behind = NULL;
    cl_mem memory = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    if (CHECK(check, !error && gate, "no event or buffer: %d", error)) {
        const struct gpuprim_array array = gpuprim_buffer(GPUPRIM_F32, memory, 0, 4);
        const struct gpuprim_array none = gpuprim_as_rows(array, 0, 4);
        const struct gpuprim_array out = gpuprim_as_rows(array, 0, 1);
        const struct gpuprim_reduce_params params = { .op = GPUPRIM_MIN };
        const struct gpuprim_sync sync = { .queue = gp->queue, .n_wait = 1, .wait = &gate };
        check->cases++;
        const int status = gpuprim_reduce(gp, &none, &out, &params, &sync);
        CHECK(check, status == GPUPRIM_OK, "%d, %s", status, gpuprim_last_error());
        clEnqueueMarkerWithWaitList(gp->queue, 0, NULL, &behind);
        clFlush(gp->queue);
        const struct timespec moment = { .tv_nsec = 50000000 };
        nanosleep(&moment, NULL);
        cl_int state = CL_COMPLETE;
        clGetEventInfo(behind, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        CHECK(check, state != CL_COMPLETE, "the command behind the call did not wait");
        clSetUserEventStatus(gate, CL_COMPLETE);
        CHECK(check, clWaitForEvents(1, &behind) == CL_SUCCESS, "the queue does not go on");
        clReleaseEvent(behind);
    }
    if (gate)
        clReleaseEvent(gate);
    if (memory)
        clReleaseMemObject(memory);
}

// ---------------------------------------------------------------------------------------

void arrays_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp);
    } tests[] = { { "matrices", matrices }, { "no_rows", no_rows }, { "waits", waits } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (!check_begin(check, "api/arrays/%s", tests[i].name))
            continue;
        gpuprim *gp = check_context(check, NULL, 0);
        if (gp)
            tests[i].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
