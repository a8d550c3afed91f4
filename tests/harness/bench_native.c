/* SPDX-License-Identifier: Apache-2.0
 *
 * What plain C reads and copies with a thread per compute unit: the limit that a CPU device is
 * compared with (bench.h). The loops use the full vector width of the machine that runs them,
 * not of the oldest one they were compiled for. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 256 };

struct share {
    const void *from;
    void *to; // NULL: only read
    size_t bytes;
    uint64_t sum; // kept, so that the loads are not optimised away
    pthread_barrier_t *ready;
};

// One body for each width: of vectors wider than its registers gcc keeps the sums in memory.
#define DEFINE_FOLD(name, width, attribute)                                                    \
    attribute static uint64_t name(const void *from, size_t bytes)                             \
    {                                                                                          \
        typedef uint64_t vector __attribute__((vector_size(width)));                           \
        const vector *x = from;                                                                \
        vector a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };                                     \
        for (size_t i = 0; i + 8 <= bytes / sizeof *x; i += 8) {                               \
            a ^= x[i] ^ x[i + 4];                                                              \
            b ^= x[i + 1] ^ x[i + 5];                                                          \
            c ^= x[i + 2] ^ x[i + 6];                                                          \
            d ^= x[i + 3] ^ x[i + 7];                                                          \
        }                                                                                      \
        a ^= b ^ c ^ d;                                                                        \
        uint64_t sum = 0;                                                                      \
        for (size_t k = 0; k < sizeof a / sizeof a[0]; k++)                                    \
            sum ^= a[k];                                                                       \
        return sum;                                                                            \
    }

DEFINE_FOLD(fold_plain, 16, )
#if defined(__x86_64__)
DEFINE_FOLD(fold_avx2, 32, __attribute__((target("avx2"))))
DEFINE_FOLD(fold_avx512, 64, __attribute__((target("avx512f"))))
#endif

static uint64_t fold_widest(const void *from, size_t bytes)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return fold_avx512(from, bytes);
    if (__builtin_cpu_supports("avx2"))
        return fold_avx2(from, bytes);
#endif
    return fold_plain(from, bytes);
}

static void move(struct share *share)
{
    if (share->to)
        memcpy(share->to, share->from, share->bytes);
    else
        share->sum = fold_widest(share->from, share->bytes);
}

static void *move_share(void *what)
{
    struct share *share = what;
    pthread_barrier_wait(share->ready);
    move(share);
    return NULL;
}

// Timed from when every thread is there: starting them is no part of it.
static double move_shares(const unsigned char *x, unsigned char *to, size_t bytes,
                          unsigned n_threads)
{
    static struct share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    pthread_barrier_t ready;
    const size_t part = bytes / n_threads / 4096 * 4096;
    if (pthread_barrier_init(&ready, NULL, n_threads))
        return 0;
    for (unsigned k = 0; k < n_threads; k++) {
        shares[k] = (struct share){ x + part * k, to ? to + part * k : NULL, part, 0, &ready };
        if (k > 0 && pthread_create(&threads[k], NULL, move_share, &shares[k])) {
            perror("a thread of the native read or copy");
            exit(2); // those there are wait for it
        }
    }
    pthread_barrier_wait(&ready);
    const double start = bench_now();
    move(&shares[0]);
    for (unsigned k = 1; k < n_threads; k++)
        pthread_join(threads[k], NULL);
    const double seconds = bench_now() - start;
    pthread_barrier_destroy(&ready);
    return seconds;
}

double bench_native(struct bench *b, cl_mem to, size_t bytes)
{
    const unsigned units = b->gp->caps.compute_units;
    unsigned char *x = clEnqueueMapBuffer(b->queue, b->memory, CL_TRUE, CL_MAP_READ, 0, bytes,
                                          0, NULL, NULL, NULL);
    unsigned char *y = to ? clEnqueueMapBuffer(b->queue, to, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0,
                                               NULL, NULL, NULL)
                          : NULL;
    double seconds = 0;
    if (x && (y || !to))
        seconds = move_shares(x, y, bytes, units < MAX_THREADS ? units : MAX_THREADS);
    if (x)
        clEnqueueUnmapMemObject(b->queue, b->memory, x, 0, NULL, NULL);
    if (y)
        clEnqueueUnmapMemObject(b->queue, to, y, 0, NULL, NULL);
    clFinish(b->queue);
    return seconds;
}
