/* SPDX-License-Identifier: Apache-2.0
 *
 * Failing OpenCL calls. A scenario (make a context, call, destroy) is run over and over; in run
 * n its n-th OpenCL call fails, until a run meets no failure. Each run must end with an error
 * or with right results, must leave no object alive, and the same context must then work.
 */
#include "classify_faults.h"

#include <stdlib.h>
#include <string.h>

#include "shim.h"

enum { N = 200003, ROWS = 3, CANARY = -77 };

struct scene {
    struct check *check;
    int32_t *x;         // ROWS x N, element i of each row is i
    cl_context context; // the caller's own, with buffers of it
    cl_device_id device;
    cl_command_queue queue;
    cl_mem in, out;
};

static const int64_t EXPECTED = (int64_t)N * (N - 1) / 2;

static bool right(const int64_t results[ROWS])
{
    return results[0] == EXPECTED && results[1] == EXPECTED && results[2] == EXPECTED;
}

static bool untouched(const int64_t results[ROWS])
{
    return results[0] == CANARY && results[1] == CANARY && results[2] == CANARY;
}

static void paint(int64_t results[ROWS])
{
    for (int i = 0; i < ROWS; i++)
        results[i] = CANARY;
}

// ---------------------------------------------------------------------------------------
// Scenarios: the call between arming and disarming. Each stores what came out.

static int host(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, scene->x, N);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, results, ROWS);
    in.rows = ROWS;
    return gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM },
                          NULL);
}

// Lines with gaps that are left out of the copies, and more results than `results` has room
// for: in its place there is right or wrong.
static int gaps(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    enum { LINES = 100, LINE = 3000, STEP = 5000 };
    int64_t sums[LINES];
    struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, scene->x, LINE);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, sums, LINES);
    in.rows = LINES;
    in.row_stride = STEP;
    const int status = gpuprim_reduce(
        gp, &in, &out, &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM }, NULL);
    bool good = status == GPUPRIM_OK;
    for (int i = 0; good && i < LINES; i++) {
        int64_t expected = 0;
        for (int k = 0; k < LINE; k++)
            expected += scene->x[i * STEP + k];
        good = sums[i] == expected;
    }
    for (int i = 0; good && i < ROWS; i++)
        results[i] = EXPECTED;
    return status;
}

static void views(const struct scene *scene, struct gpuprim_array *in,
                  struct gpuprim_array *out)
{
    *in = gpuprim_buffer(GPUPRIM_I32, scene->in, 0, N);
    *out = gpuprim_buffer(GPUPRIM_I64, scene->out, 0, ROWS);
    in->rows = ROWS;
}

static void read_out(struct scene *scene, int64_t results[ROWS])
{
    clEnqueueReadBuffer(scene->queue, scene->out, CL_TRUE, 0, sizeof(int64_t[ROWS]), results, 0,
                        NULL, NULL);
}

static int buffers(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    struct gpuprim_array in, out;
    (void)results;
    views(scene, &in, &out);
    return gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM },
                          NULL);
}

static int with_sync(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    struct gpuprim_array in, out;
    cl_event done = NULL;
    (void)results;
    views(scene, &in, &out);
    const struct gpuprim_sync sync = { .queue = scene->queue, .done = &done };
    const int status = gpuprim_reduce(
        gp, &in, &out, &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM }, &sync);
    CHECK(scene->check, (status == GPUPRIM_OK) == (done != NULL), "status %d, but `done` is %s",
          status, done ? "there" : "not there");
    if (done)
        clReleaseEvent(done);
    return status;
}

// N taps of 1, so that the one output of a row is the sum of its elements. With a history the
// input is the last element alone.
static int filter(struct scene *scene, gpuprim *gp, const struct gpuprim_array *base,
                  bool has_history, const struct gpuprim_array *out)
{
    const struct gpuprim_filter_params params = {
        .out = GPUPRIM_I64,
        .mode = has_history ? GPUPRIM_CAUSAL : GPUPRIM_VALID,
        .left = has_history ? GPUPRIM_HISTORY : GPUPRIM_ZERO,
    };
    int32_t *ones = check_allocate(sizeof *ones * N),
            *after = check_allocate(sizeof(int32_t[ROWS * N]));
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    struct gpuprim_array in = *base;
    in.rows = ROWS;
    in.row_stride = N;
    struct gpuprim_history history = { .before = in };
    history.before.count = N - 1;
    history.after = gpuprim_host(GPUPRIM_I32, after, N - 1);
    history.after.rows = ROWS;
    if (has_history) {
        in.first = N - 1;
        in.count = 1;
    }
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_I32, ones, N);
    gpuprim_filter *made = NULL;
    int status = gpuprim_filter_create(gp, &taps, &params, &made);
    CHECK(scene->check, (status == GPUPRIM_OK) == (made != NULL),
          "status %d, but the filter is %s", status, made ? "there" : "not there");
    if (!status)
        status = gpuprim_convolve1d(gp, made, &in, out, has_history ? &history : NULL, NULL);
    gpuprim_filter_destroy(&made);
    free(ones);
    free(after);
    return status;
}

static int filter_host(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, scene->x, N);
    struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, results, 1);
    out.rows = ROWS;
    return filter(scene, gp, &in, false, &out);
}

static int filter_history(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, scene->x, N);
    struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, results, 1);
    out.rows = ROWS;
    return filter(scene, gp, &in, true, &out);
}

static int filter_buffers(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    struct gpuprim_array in, out;
    (void)results;
    views(scene, &in, &out);
    out.count = 1;
    out.rows = ROWS;
    return filter(scene, gp, &in, true, &out);
}

// Its results are its own: in the place of `results` there is right, wrong or untouched.
static int classify(struct scene *scene, gpuprim *gp, int64_t results[ROWS])
{
    bool is_right, is_untouched;
    const int status = classify_fault(scene->check, gp, scene->x, N, &is_right, &is_untouched);
    for (int i = 0; i < ROWS; i++)
        results[i] = is_right ? EXPECTED : is_untouched ? CANARY : 0;
    return status;
}

static const struct {
    const char *name;
    int (*call)(struct scene *scene, gpuprim *gp, int64_t results[ROWS]);
    bool on_host;
    bool streamed; // as on a device that is not a CPU
} scenarios[] = { { "host", host, true, false },
                  { "streamed", host, true, true },
                  { "gaps", gaps, true, true },
                  { "buffers", buffers, false, false },
                  { "enqueued", with_sync, false, false },
                  { "filter", filter_host, true, false },
                  { "filter_streamed", filter_host, true, true },
                  { "filter_history", filter_history, true, true },
                  { "filter_buffers", filter_buffers, false, false },
                  { "classify", classify, true, false },
                  { "classify_streamed", classify, true, true } };

// Runs a scenario once, failing call `nth`. False when there was no such call.
static bool attempt(struct scene *scene, unsigned which, int nth, cl_int code)
{
    struct check *check = scene->check;
    int64_t results[ROWS];
    paint(results);
    clEnqueueWriteBuffer(scene->queue, scene->out, CL_TRUE, 0, sizeof results, results, 0, NULL,
                         NULL);
    const long live = shim_live();
    gpuprim *gp = NULL;
    check->cases++;

    shim_fail(nth, code);
    int status = gpuprim_create_cl(scene->context, scene->device, NULL, &gp);
    if (gp) {
        if (scenarios[which].streamed) {
            gp->caps.is_cpu = false;
            gp->staging_bytes = 1 << 20;
        }
        status = scenarios[which].call(scene, gp, results);
    }
    const char *failed = shim_failed(), *name = failed ? failed : "nothing";
    const bool failed_enqueue = strncmp(name, "clEnqueue", 9) == 0;
    const bool enqueued = shim_calls_of("clEnqueue") > (failed_enqueue ? 1 : 0);
    shim_fail(-1, 0);

    clFinish(scene->queue);
    if (!scenarios[which].on_host)
        read_out(scene, results);
    CHECK(check, status == GPUPRIM_OK ? right(results) : gpuprim_last_error()[0] != '\0',
          "call %d (%s) failed with %d: status %d, %s", nth, name, code, status,
          status ? "no words" : "but the results are wrong");
    CHECK(check, status == GPUPRIM_OK || enqueued || untouched(results),
          "call %d (%s) failed with %d: results were touched", nth, name, code);
    if (gp) { // and now without a failure
        paint(results);
        status = scenarios[which].call(scene, gp, results);
        clFinish(scene->queue);
        if (!scenarios[which].on_host)
            read_out(scene, results);
        CHECK(check, status == GPUPRIM_OK && right(results),
              "call %d (%s) failed with %d: the next call gives %d (%s)", nth, name, code,
              status, gpuprim_last_error());
    }
    gpuprim_destroy(&gp);
    CHECK(check, shim_live() == live, "call %d (%s) failed with %d: %ld objects are left", nth,
          name, code, shim_live() - live);
    return failed != NULL;
}

static bool scene_make(struct scene *scene, struct check *check)
{
    cl_int error[4] = { 0 };
    if (gp_device_find(getenv("GPUPRIM_DEVICE"), &scene->device))
        return CHECK(check, false, "%s", gpuprim_last_error());
    scene->check = check;
    scene->x = check_allocate(sizeof(int32_t) * N * ROWS);
    for (int i = 0; i < N * ROWS; i++)
        scene->x[i] = i % N;
    scene->context = clCreateContext(NULL, 1, &scene->device, NULL, NULL, &error[0]);
    scene->queue = clCreateCommandQueue(scene->context, scene->device, 0, &error[1]);
    scene->in = clCreateBuffer(scene->context, CL_MEM_COPY_HOST_PTR, sizeof(int32_t) * N * ROWS,
                               scene->x, &error[2]);
    scene->out = clCreateBuffer(scene->context, 0, sizeof(int64_t) * ROWS, NULL, &error[3]);
    return CHECK(check, !(error[0] | error[1] | error[2] | error[3]), "no scene: %d %d %d %d",
                 error[0], error[1], error[2], error[3]);
}

static void scene_free(struct scene *scene)
{
    clReleaseMemObject(scene->in);
    clReleaseMemObject(scene->out);
    clReleaseCommandQueue(scene->queue);
    clReleaseContext(scene->context);
    free(scene->x);
}

// gpuprim_create from the first call on, platforms and all. A platform or device that fails is
// passed over, so that NO_DEVICE is an answer, too.
static void creation(struct check *check, cl_int code)
{
    for (int nth = 0; nth < 1000; nth++) {
        const long live = shim_live();
        gpuprim *gp = NULL;
        shim_fail(nth, code);
        const int status = gpuprim_create(NULL, &gp);
        const char *failed = shim_failed();
        shim_fail(-1, 0);
        check->cases++;
        CHECK(check, (status == GPUPRIM_OK) == (gp != NULL),
              "call %d (%s): status %d, context %p", nth, failed, status, (void *)gp);
        gpuprim_destroy(&gp);
        CHECK(check, shim_live() == live, "call %d (%s) failed with %d: %ld objects are left",
              nth, failed, code, shim_live() - live);
        if (!failed)
            return;
    }
}

static void run(struct check *check)
{
    static const cl_int codes[] = { CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
                                    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_VALUE, -9999 };
    const unsigned n_codes = check->quick ? 1 : sizeof codes / sizeof *codes;
    for (unsigned i = 0; i < n_codes; i++)
        if (check_begin(check, "faults/create/%d", codes[i])) {
            creation(check, codes[i]);
            check_end(check);
        }
    for (unsigned which = 0; which < sizeof scenarios / sizeof *scenarios; which++)
        for (unsigned i = 0; i < (check->large ? 2 : 1); i++) { // which code hardly matters
            const cl_int code = codes[(which + 2 * i) % 5];
            if (!check_begin(check, "faults/%s/%d", scenarios[which].name, code))
                continue;
            struct scene scene;
            int nth = 0;
            if (scene_make(&scene, check))
                while (attempt(&scene, which, nth, code) && nth < 1000)
                    nth++;
            scene_free(&scene);
            check_end(check);
        }
}

const struct check_suite check_faults = { "faults", run };
