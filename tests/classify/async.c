/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: calls with a gpuprim_sync, classifiers that are destroyed while their
 * calls are in flight, and one classifier in many threads. harness/threads has the gate and the
 * threads. suite.c runs this file. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"
#include "tests/harness/model.h"
#include "tests/harness/threads.h"

enum { N = 30000, LABELS = 8, THREADS = 4 };

// A signal in device memory, and the labels and counts that it must get.
struct fixture {
    struct gpuprim_thresholds rule;
    struct gpuprim_classifier_params params;
    float t[LABELS - 1], x[N];
    uint8_t labels[N];
    uint32_t expected[N];
    uint64_t counts[LABELS], total[LABELS];
    cl_mem in, out, counted;
};

static bool fixture_make(struct check *check, gpuprim *gp, unsigned accumulate,
                         struct fixture *p)
{
    cl_int error[3];
    for (int k = 0; k < LABELS - 1; k++)
        p->t[k] = (float)(10 * k * k);
    for (int i = 0; i < N; i++)
        p->x[i] = (float)check_below(check, 500) - 50;
    p->rule =
        (struct gpuprim_thresholds){ .values = gpuprim_host(GPUPRIM_F32, p->t, LABELS - 1) };
    p->params =
        (struct gpuprim_classifier_params){ .thresholds = &p->rule, .accumulate = accumulate };
    const struct gpuprim_array x = gpuprim_host(GPUPRIM_F32, p->x, N);
    classify_reference(&p->params, &x, p->expected);
    memset(p->labels, 0xcc, sizeof p->labels);
    memset(p->counts, 0, sizeof p->counts);
    memset(p->total, 0, sizeof p->total);
    for (int i = 0; i < N; i++)
        p->total[p->expected[i]]++;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    p->in = clCreateBuffer(gp->context, flags, sizeof p->x, p->x, &error[0]);
    p->out = clCreateBuffer(gp->context, flags, sizeof p->labels, p->labels, &error[1]);
    p->counted = clCreateBuffer(gp->context, flags, sizeof p->counts, p->counts, &error[2]);
    return CHECK(check, !error[0] && !error[1] && !error[2], "no device memory");
}

static void fixture_check(struct check *check, gpuprim *gp, struct fixture *p, const char *what)
{
    clEnqueueReadBuffer(gp->queue, p->out, CL_TRUE, 0, N, p->labels, 0, NULL, NULL);
    clEnqueueReadBuffer(gp->queue, p->counted, CL_TRUE, 0, sizeof p->counts, p->counts, 0, NULL,
                        NULL);
    check->cases++;
    for (int i = 0; i < N; i++)
        if (!CHECK(check, p->labels[i] == p->expected[i], "%s: element %d has label %u, not %u",
                   what, i, p->labels[i], (unsigned)p->expected[i]))
            break;
    for (int l = 0; l < LABELS; l++)
        CHECK(check, p->counts[l] == p->total[l],
              "%s: label %d is counted %llu times, not %llu", what, l,
              (unsigned long long)p->counts[l], (unsigned long long)p->total[l]);
}

static void fixture_free(struct fixture *p)
{
    clReleaseMemObject(p->in);
    clReleaseMemObject(p->out);
    clReleaseMemObject(p->counted);
}

// Calls behind a gate that add to the same counts. The classifier ends, and then the gate
// opens.
static void chain(struct check *check, gpuprim *gp, bool out_of_order)
{
    static struct fixture f;
    struct chain chain;
    gpuprim_classifier *classifier = NULL;
    uint64_t begin = 0;
    if (!fixture_make(check, gp, 1, &f) || !chain_begin(check, gp, &chain, out_of_order)) {
        fixture_free(&f);
        return;
    }
    int status = gpuprim_classifier_create(gp, &f.params, &classifier);
    for (unsigned i = 0; !status && i < CHAIN_CALLS; i++) {
        const uint64_t n = chain_share(check, i, N - begin);
        const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, f.in, begin, n);
        const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_U8, f.out, begin, n);
        const struct gpuprim_array counts = gpuprim_buffer(GPUPRIM_U64, f.counted, 0, LABELS);
        const struct gpuprim_sync sync = chain_sync(&chain, i);
        status = gpuprim_classify(gp, classifier, &in, &out, &counts, &sync);
        begin += n;
    }
    gpuprim_classifier_destroy(&classifier);
    CHECK(check, classifier == NULL, "destroy leaves the pointer");
    chain_end(check, &chain, status);
    fixture_check(check, gp, &f, out_of_order ? "out of order" : "in order");
    fixture_free(&f);
}

// No event is asked for: the order of the queue is enough. The counts of earlier calls do not
// add to those of later ones.
static void no_event(struct check *check, gpuprim *gp)
{
    static struct fixture f;
    gpuprim_classifier *classifier = NULL;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(gp->context, gp->device, 0, &error);
    if (!fixture_make(check, gp, 0, &f))
        return;
    int status = gpuprim_classifier_create(gp, &f.params, &classifier);
    const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, f.in, 0, N);
    const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_U8, f.out, 0, N);
    const struct gpuprim_array counts = gpuprim_buffer(GPUPRIM_U64, f.counted, 0, LABELS);
    const struct gpuprim_sync sync = { .queue = queue };
    for (int i = 0; !status && i < 50; i++) // more than have scratch memory ready
        status = gpuprim_classify(gp, classifier, &in, i % 4 == 2 ? NULL : &out,
                                  i % 4 == 3 ? NULL : &counts, &sync);
    gpuprim_classifier_destroy(&classifier);
    clFinish(queue);
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        fixture_check(check, gp, &f, "no event");
    clReleaseCommandQueue(queue);
    fixture_free(&f);
}

// More calls in flight than have scratch memory ready, in more queues than that, and all held back
// by a gate. Each counts what is left from its own element on into its own counts, which hold
// something else before. Counts are so many that several groups set them to zero.
static void many(struct check *check, gpuprim *gp)
{
    enum { QUEUES = GP_SCRATCH_SLOTS + 8, CALLS = 2 * QUEUES, PART = 100, BINS = 5000 };
    static struct fixture f;
    static uint32_t counts[CALLS][BINS], right[CALLS][BINS];
    cl_command_queue queues[QUEUES];
    gpuprim_classifier *classifier = NULL;
    struct gate gate;
    cl_int error;
    if (!fixture_make(check, gp, 0, &f))
        return;
    const struct gpuprim_uniform rule = { .low = -50, .high = 450, .bins = BINS };
    const struct gpuprim_classifier_params params = { .in = GPUPRIM_F32, .uniform = &rule };
    const struct gpuprim_array x = gpuprim_host(GPUPRIM_F32, f.x, N);
    classify_reference(&params, &x, f.expected);
    memset(counts, 0xcc, sizeof counts);
    memset(right, 0, sizeof right);
    cl_mem counted = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    sizeof counts, counts, &error);
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    CHECK(check, !status && !error, "%d, %s", error, gpuprim_last_error());
    for (unsigned i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(gp->context, gp->device, 0, &error);
        CHECK(check, queues[i], "no queue: %d", error);
    }
    const bool is_gated = gate_make(check, &gate, gp->context);
    for (unsigned i = 0; is_gated && !status && i < CALLS; i++) {
        const struct gpuprim_array in =
            gpuprim_buffer(GPUPRIM_F32, f.in, i * PART, N - i * PART);
        const struct gpuprim_array to = gpuprim_buffer(GPUPRIM_U32, counted, i * BINS, BINS);
        const struct gpuprim_sync sync = { .queue = queues[i % QUEUES],
                                           .n_wait = 1,
                                           .wait = &gate.event };
        for (unsigned k = i * PART; k < N; k++)
            right[i][f.expected[k]]++;
        check->cases++;
        status = gpuprim_classify(gp, classifier, &in, NULL, &to, &sync);
    }
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    if (is_gated)
        gate_open(check, &gate);
    for (unsigned i = 0; i < QUEUES; i++) {
        clFinish(queues[i]);
        clReleaseCommandQueue(queues[i]);
    }
    clEnqueueReadBuffer(gp->queue, counted, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL);
    for (unsigned i = 0; is_gated && !status && i < CALLS; i++)
        CHECK(check, !memcmp(counts[i], right[i], sizeof right[i]), "call %u counts otherwise",
              i);
    gpuprim_classifier_destroy(&classifier);
    clReleaseMemObject(counted);
    fixture_free(&f);
}

// ---------------------------------------------------------------------------------------
// Threads

struct shared {
    gpuprim *gp;
    const gpuprim_classifier *classifier; // NULL: each thread makes its own, all at one time
    const struct fixture *f;
};

static void work_once(struct check *check, const struct shared *s,
                      const gpuprim_classifier *classifier, uint8_t *labels)
{
    const uint64_t n = 1 + check_below(check, N);
    uint64_t counts[LABELS], right[LABELS] = { 0 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, s->f->x, n);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_U8, labels, n);
    const struct gpuprim_array counted = gpuprim_host(GPUPRIM_U64, counts, LABELS);
    check->cases++;
    const int status = gpuprim_classify(s->gp, classifier, &in, &out, &counted, NULL);
    if (!CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        return;
    for (uint64_t i = 0; i < n; i++) {
        right[s->f->expected[i]]++;
        if (!CHECK(check, labels[i] == s->f->expected[i], "wrong labels"))
            return;
    }
    CHECK(check, memcmp(counts, right, sizeof right) == 0, "wrong counts");
}

static void work(struct check *check, void *user)
{
    const struct shared *s = user;
    gpuprim_classifier *own = NULL;
    int status = GPUPRIM_OK;
    uint8_t *labels = check_allocate(N);
    if (!s->classifier)
        status = gpuprim_classifier_create(s->gp, &s->f->params, &own);
    for (int i = 0; !status && i < 50; i++)
        work_once(check, s, own ? own : s->classifier, labels);
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    gpuprim_classifier_destroy(&own);
    free(labels);
}

static void threads(struct check *check, gpuprim *gp, bool is_shared)
{
    static struct fixture f;
    gpuprim_classifier *classifier = NULL;
    if (!fixture_make(check, gp, 0, &f))
        return;
    if (!is_shared || CHECK(check, !gpuprim_classifier_create(gp, &f.params, &classifier), "%s",
                            gpuprim_last_error())) {
        struct shared shared = { gp, classifier, &f };
        crew_run(check, THREADS, work, &shared);
    }
    gpuprim_classifier_destroy(&classifier);
    fixture_free(&f);
}

void classify_async_run(struct check *check)
{
    static const char *const names[] = { "in_order", "out_of_order", "no_event",
                                         "threads",  "first_calls",  "threads_streamed",
                                         "many" };
    for (int i = 0; i < 7; i++)
        if (check_begin(check, "classify/async/%s", names[i])) {
            const bool streamed = i == 5; // pieces of many calls in two queues
            gpuprim *gp = check_context_on(check, streamed ? &model_gpu : NULL, NULL, 0);
            if (gp && streamed)
                gp->staging_bytes = 1 << 14;
            for (int k = 0; gp && i < 2 && k < 8; k++)
                chain(check, gp, i == 1);
            if (gp && i == 2)
                no_event(check, gp);
            if (gp && i > 2 && i < 6)
                threads(check, gp, i != 4);
            if (gp && i == 6)
                many(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
