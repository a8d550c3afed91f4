/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench rows of classify that bench.c does not have (bench_shapes.c). */
#ifndef CLASSIFY_BENCH_SHAPES_H
#define CLASSIFY_BENCH_SHAPES_H

#include "tests/harness/bench.h"

// Arrays of n elements each. The labels have room for n of f32, the counts for 65536 of u32.
struct shapes_memory {
    cl_mem floats, hot, shorts, bytes; // made by bench_classify_shapes()
    cl_mem labels, counts;
    uint64_t n;
};

// Measures the rows. `repeated` makes a buffer of n elements that repeat a period.
void bench_classify_shapes(struct bench *bench,
                           cl_mem (*repeated)(struct bench *, const void *period, size_t size,
                                              uint64_t n),
                           const struct shapes_memory *given);

#endif
