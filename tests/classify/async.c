/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify, sixth part: calls with a gpuprim_sync, classifiers that end while their
 * calls are in flight, and one classifier in many threads. */
#include "case.h"
#include "tests/reduce/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"
#include "tests/harness/model.h"

enum { N = 30000, BLOCKS = 6, LABELS = 8, THREADS = 4 };

// A signal and what it must become, in device memory.
struct pond {
    struct gpuprim_thresholds rule;
    struct gpuprim_classifier_params params;
    float t[LABELS - 1], x[N];
    uint8_t labels[N];
    uint32_t expected[N];
    uint64_t counts[LABELS], total[LABELS];
    cl_mem in, out, counted;
};

static bool pond_make(struct check *check, gpuprim *gp, unsigned accumulate, struct pond *p)
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

static void pond_check(struct check *check, gpuprim *gp, struct pond *p, const char *what)
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

static void pond_free(struct pond *p)
{
    clReleaseMemObject(p->in);
    clReleaseMemObject(p->out);
    clReleaseMemObject(p->counted);
}

// Blocks of elements behind a gate, which add to the same counts: each waits for the one
// before. The classifier ends, and then the gate opens.
static int enqueue_blocks(struct check *check, gpuprim *gp, const struct pond *p,
                          cl_command_queue queue, const cl_event *gate, cl_event *events)
{
    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_classifier_create(gp, &p->params, &classifier);
    uint64_t begin = 0;
    for (int i = 0; !status && i < BLOCKS; i++) {
        const uint64_t left = N - begin;
        // The last but one is empty, and has an event all the same.
        const uint64_t n = i == BLOCKS - 1 ? left
                           : i == BLOCKS - 2
                               ? 0
                               : check_below(check, left / (uint64_t)(BLOCKS - i));
        const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, p->in, begin, n);
        const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_U8, p->out, begin, n);
        const struct gpuprim_array counts = gpuprim_buffer(GPUPRIM_U64, p->counted, 0, LABELS);
        const struct gpuprim_sync sync = {
            .queue = queue, .n_wait = 1, .wait = i ? &events[i - 1] : gate, .done = &events[i]
        };
        status = gpuprim_classify(gp, classifier, &in, &out, &counts, &sync);
        begin += n;
    }
    gpuprim_classifier_destroy(&classifier);
    CHECK(check, classifier == NULL, "destroy leaves the pointer");
    return status;
}

static void chain(struct check *check, gpuprim *gp, bool out_of_order)
{
    static struct pond pond;
    struct gate gate;
    cl_int error;
    cl_event events[BLOCKS] = { NULL };
    cl_command_queue queue =
        clCreateCommandQueue(gp->context, gp->device,
                             out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    if (!queue)
        return; // the device has none that is out of order
    if (!pond_make(check, gp, 1, &pond) || !gate_make(check, &gate, gp->context))
        return;
    const int status = enqueue_blocks(check, gp, &pond, queue, &gate.event, events);
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    gate_open(check, &gate);
    for (int i = 0; i < BLOCKS; i++)
        CHECK(check, status || events[i], "block %d has no event", i);
    if (!status)
        clWaitForEvents(1, &events[BLOCKS - 1]);
    clFinish(queue);
    pond_check(check, gp, &pond, out_of_order ? "out of order" : "in order");
    for (int i = 0; i < BLOCKS; i++)
        if (events[i])
            clReleaseEvent(events[i]);
    clReleaseCommandQueue(queue);
    pond_free(&pond);
}

// No event is asked for: the queue's order is enough, and old counts do not shine through.
static void no_event(struct check *check, gpuprim *gp)
{
    static struct pond pond;
    gpuprim_classifier *classifier = NULL;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(gp->context, gp->device, 0, &error);
    if (!pond_make(check, gp, 0, &pond))
        return;
    int status = gpuprim_classifier_create(gp, &pond.params, &classifier);
    const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, pond.in, 0, N);
    const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_U8, pond.out, 0, N);
    const struct gpuprim_array counts = gpuprim_buffer(GPUPRIM_U64, pond.counted, 0, LABELS);
    const struct gpuprim_sync sync = { .queue = queue };
    for (int i = 0; !status && i < 50; i++) // more than have scratch memory ready
        status = gpuprim_classify(gp, classifier, &in, i % 4 == 2 ? NULL : &out,
                                  i % 4 == 3 ? NULL : &counts, &sync);
    gpuprim_classifier_destroy(&classifier);
    clFinish(queue);
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        pond_check(check, gp, &pond, "no event");
    clReleaseCommandQueue(queue);
    pond_free(&pond);
}

// ---------------------------------------------------------------------------------------
// Threads

struct worker {
    pthread_t thread;
    struct check check;
    gpuprim *gp;
    const gpuprim_classifier *classifier; // NULL: makes its own, all at the same time
    const struct pond *pond;
};

static void work_once(struct worker *w, const gpuprim_classifier *classifier, uint8_t *labels)
{
    const uint64_t n = 1 + check_below(&w->check, N);
    uint64_t counts[LABELS], right[LABELS] = { 0 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, w->pond->x, n);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_U8, labels, n);
    const struct gpuprim_array counted = gpuprim_host(GPUPRIM_U64, counts, LABELS);
    w->check.cases++;
    const int status = gpuprim_classify(w->gp, classifier, &in, &out, &counted, NULL);
    if (!CHECK(&w->check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        return;
    for (uint64_t i = 0; i < n; i++) {
        right[w->pond->expected[i]]++;
        if (!CHECK(&w->check, labels[i] == w->pond->expected[i], "wrong labels"))
            return;
    }
    CHECK(&w->check, memcmp(counts, right, sizeof right) == 0, "wrong counts");
}

static void *work(void *argument)
{
    struct worker *w = argument;
    gpuprim_classifier *own = NULL;
    int status = GPUPRIM_OK;
    uint8_t *labels = check_allocate(N);
    if (!w->classifier)
        status = gpuprim_classifier_create(w->gp, &w->pond->params, &own);
    for (int i = 0; !status && i < 50; i++)
        work_once(w, own ? own : w->classifier, labels);
    CHECK(&w->check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    gpuprim_classifier_destroy(&own);
    free(labels);
    return NULL;
}

static void threads(struct check *check, gpuprim *gp, bool shared)
{
    static struct pond pond;
    struct worker workers[THREADS];
    gpuprim_classifier *classifier = NULL;
    if (!pond_make(check, gp, 0, &pond))
        return;
    if (!shared || CHECK(check, !gpuprim_classifier_create(gp, &pond.params, &classifier), "%s",
                         gpuprim_last_error())) {
        for (int i = 0; i < THREADS; i++) {
            workers[i] = (struct worker){
                .check = *check, .gp = gp, .classifier = classifier, .pond = &pond
            };
            workers[i].check.random = check_random(check);
            workers[i].check.cases = workers[i].check.failures = 0;
            if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
                printf("Bail out! no thread\n");
                exit(1);
            }
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(workers[i].thread, NULL);
            check->cases += workers[i].check.cases;
            check->failures += workers[i].check.failures;
        }
    }
    gpuprim_classifier_destroy(&classifier);
    pond_free(&pond);
}

void classify_async_run(struct check *check)
{
    static const char *const names[] = { "in_order", "out_of_order", "no_event",
                                         "threads",  "first_calls",  "threads_streamed" };
    for (int i = 0; i < 6; i++)
        if (check_begin(check, "classify/async/%s", names[i])) {
            const bool streamed = i == 5; // pieces of many calls in two queues
            gpuprim *gp = check_context_on(check, streamed ? &model_gpu : NULL, NULL, 0);
            if (gp && streamed)
                gp->staging_bytes = 1 << 14;
            for (int k = 0; gp && i < 2 && k < 8; k++)
                chain(check, gp, i == 1);
            if (gp && i == 2)
                no_event(check, gp);
            if (gp && i > 2)
                threads(check, gp, i != 4);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
