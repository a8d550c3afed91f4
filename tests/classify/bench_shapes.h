/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bench rows of bench.c and bench_shapes.c share. */
#ifndef CLASSIFY_BENCH_SHAPES_H
#define CLASSIFY_BENCH_SHAPES_H

#include "tests/harness/bench.h"

// A call of a bench row.
struct classify_row {
    struct gpuprim_classifier_params params;
    struct gpuprim_array in, labels, counts; // count 0: not asked for
    gpuprim_classifier **classifier;         // made by the first call
};

// bench.c: the members `call` and `forget` of a struct bench_row whose `what` begins with a
// struct classify_row.
int classify_row_call(struct bench *bench, const void *what, const struct gpuprim_sync *sync);
void classify_row_forget(const void *what);

// Arrays of n elements each. The labels have room for n of f32, the counts for 65536 of u32.
struct shapes_memory {
    cl_mem floats, hot, shorts, bytes; // made by bench_classify_shapes()
    cl_mem labels, counts;
    uint64_t n;
};

// bench_shapes.c: measures the rows. `repeated` makes a buffer of n elements that repeat a period.
void bench_classify_shapes(struct bench *bench,
                           cl_mem (*repeated)(struct bench *, const void *period, size_t size,
                                              uint64_t n),
                           const struct shapes_memory *given);

#endif
