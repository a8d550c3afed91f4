/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce in several threads (harness/threads.h): on one context, each on a context of
 * its own, and at the first calls of a context, where the kernels are built.
 */
#include "tests/harness/model.h"
#include "tests/harness/threads.h"
#include "tests/reduce/case.h"

#include <stdio.h>

enum { THREADS = 4 };

struct shared {
    gpuprim *gp; // NULL: each thread makes its own
    unsigned rounds;
    unsigned kinds; // how many different kernels each uses
};

// Cases of a few operations and types; each thread meets each kernel, in an order of its own.
static void work_on(struct check *check, gpuprim *gp, const struct shared *shared)
{
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
    } kinds[] = { { GPUPRIM_SUM, GPUPRIM_I32 },    { GPUPRIM_SUM, GPUPRIM_F32 },
                  { GPUPRIM_ARGMAX, GPUPRIM_I16 }, { GPUPRIM_MINMAX, GPUPRIM_F32 },
                  { GPUPRIM_MEAN, GPUPRIM_U8 },    { GPUPRIM_XOR, GPUPRIM_U64 } };
    static const uint64_t counts[] = { 1, 63, 1000, 4097, 100003 };
    for (unsigned i = 0; i < shared->rounds; i++) {
        const uint64_t k = check_below(check, shared->kinds);
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

static void work(struct check *check, void *user)
{
    const struct shared *shared = user;
    gpuprim *own = shared->gp ? NULL : check_context(check, NULL, 0);
    gpuprim *gp = shared->gp ? shared->gp : own;
    if (gp)
        work_on(check, gp, shared);
    gpuprim_destroy(&own);
}

static void crew(struct check *check, gpuprim *gp, unsigned rounds, unsigned kinds)
{
    struct shared shared = { gp, rounds, kinds };
    crew_run(check, THREADS, work, &shared);
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
            crew(check, gp, rounds, 2);
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
