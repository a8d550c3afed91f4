/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests with several threads: on one context, each on its own, and all at a context's first
 * calls, where the kernels are built.
 */
#include "tests/harness/model.h"
#include "tests/reduce/case.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

struct worker {
    pthread_t thread;
    struct check check; // its own counts and random numbers
    gpuprim *gp;        // NULL: makes its own
    pthread_barrier_t *start;
    unsigned rounds;
    unsigned kinds; // how many different kernels it uses
};

// Cases of a few operations and types; each thread meets each kernel, in an order of its own.
static void work_on(struct check *check, gpuprim *gp, const struct worker *worker)
{
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
    } kinds[] = { { GPUPRIM_SUM, GPUPRIM_I32 },    { GPUPRIM_SUM, GPUPRIM_F32 },
                  { GPUPRIM_ARGMAX, GPUPRIM_I16 }, { GPUPRIM_MINMAX, GPUPRIM_F32 },
                  { GPUPRIM_MEAN, GPUPRIM_U8 },    { GPUPRIM_XOR, GPUPRIM_U64 } };
    static const uint64_t counts[] = { 1, 63, 1000, 4097, 100003 };
    for (unsigned i = 0; i < worker->rounds; i++) {
        const uint64_t k = check_below(check, worker->kinds);
        struct reduce_case test = { .type = kinds[k].type, .params = { .op = kinds[k].op } };
        test.count = counts[check_below(check, check->quick ? 4 : 5)];
        test.rows = test.count < 2000 ? 1 + check_below(check, 9) : 1;
        test.data = DATA_TIES;
        reduce_shuffle(check, gp, &test);
        if (gp->caps.is_nvidia) {
            // Its clSVMAlloc gives NULL while other threads work with SVM (driver 580.159).
            test.in_memory = test.in_memory == GPUPRIM_SVM ? GPUPRIM_BUFFER : test.in_memory;
            test.out_memory = test.out_memory == GPUPRIM_SVM ? GPUPRIM_BUFFER : test.out_memory;
        }
        reduce_run(check, gp, &test);
    }
    if (gp->caps.is_nvidia)
        printf("# %s: buffers instead of SVM, which NVIDIA does not allocate in many threads\n",
               check->name);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    gpuprim *own = NULL;
    pthread_barrier_wait(worker->start);
    if (!worker->gp)
        own = check_context(&worker->check, NULL, 0);
    gpuprim *gp = worker->gp ? worker->gp : own;
    if (gp)
        work_on(&worker->check, gp, worker);
    gpuprim_destroy(&own);
    return NULL;
}

// Runs the threads and adds up what they found.
static void crew(struct check *check, gpuprim *gp, unsigned rounds, unsigned kinds)
{
    struct worker workers[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){
            .check = *check, .gp = gp, .start = &start, .rounds = rounds, .kinds = kinds
        };
        workers[i].check.random = check_random(check);
        workers[i].check.cases = workers[i].check.failures = 0;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
            printf("Bail out! no thread\n");
            exit(1);
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        check->cases += workers[i].check.cases;
        check->failures += workers[i].check.failures;
    }
    pthread_barrier_destroy(&start);
}

static void run(struct check *check)
{
    const unsigned rounds = check->quick ? 10 : 100;
    if (check_begin(check, "threads/one_context")) {
        gpuprim *gp = check_context(check, NULL, 0);
        if (gp)
            crew(check, gp, rounds, 6);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    if (check_begin(check, "threads/streamed")) {
        // Host arrays in pieces: the threads' copies and launches share two queues.
        gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
        if (gp) {
            gp->staging_bytes = 1 << 16;
            crew(check, gp, rounds, 6);
        }
        gpuprim_destroy(&gp);
        check_end(check);
    }
    if (check_begin(check, "threads/own_contexts")) {
        crew(check, NULL, rounds, 6);
        check_end(check);
    }
    if (check_begin(check, "threads/first_calls")) {
        // All want the same two kernels at once, in a context that has none yet.
        for (unsigned i = 0; i < (check->quick ? 2 : 8); i++) {
            gpuprim *gp = check_context(check, NULL, 0);
            if (gp)
                crew(check, gp, 3, 2);
            gpuprim_destroy(&gp);
        }
        check_end(check);
    }
}

const struct check_suite check_threads = { .name = "threads", .run = run };
