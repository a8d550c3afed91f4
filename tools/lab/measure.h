/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of the lab: measure.c measures launches, ceilings.c what the device can do at most, and
 * conclude.c says in words what the times of a row mean.
 */
#ifndef GP_LAB_MEASURE_H
#define GP_LAB_MEASURE_H

#include "opencl.h"

// ---------------------------------------------------------------------------------------
// measure.c

// What is timed: a kernel, or a call of the library.
struct lab_launch {
    cl_kernel kernel;
    uint64_t items;
    size_t group;
    cl_mem zeroed; // its first word is set to 0 before the launch; NULL = none
    int (*call)(struct lab *lab, const void *context, const struct gpuprim_sync *sync);
    const void *context;
    struct lab_time time; // of the device, set by lab_measure
};
double lab_once(struct lab *lab, const struct lab_launch *launch); // waits; returns seconds
// Times launches, at most LAB_LAUNCHES, which take turns. What is clear is measured fewer times
// than what is not.
enum { LAB_LAUNCHES = 16 };
void lab_measure(struct lab *lab, struct lab_launch *launches, unsigned n);

// ---------------------------------------------------------------------------------------
// ceilings.c

// Measures the ceilings of struct lab; a ceiling never gets lower.
void lab_raise_ceilings(struct lab *lab);

// The least work that a row must do.
struct lab_work {
    double read, copied; // bytes; `copied` counts what is read and what is written
    double flops;        // a multiply-add counts 2
    unsigned passes;     // over the same bytes; 0 = one
};
// The time that the ceilings allow for this work, divided by the time that it took. 0 where the
// bytes bound the time and may stay in a cache, because the ceilings are those of the memory.
double lab_share(const struct lab *lab, const struct lab_work *work, double seconds);

// ---------------------------------------------------------------------------------------
// conclude.c

// Why a row came out as it did: faster; not faster on a CPU; not faster on a GPU.
struct lab_reasons {
    const char *gain, *cpu, *gpu;
    const char *cpu_gain; // faster on a CPU for another reason; NULL = for the same
};
// Sets before, after, share and appends the conclusion. While other programs keep the processors
// of a CPU device busy, only large differences count. `before` may be NULL.
void lab_conclude(struct lab *lab, const struct lab_launch *before,
                  const struct lab_launch *after, const struct lab_work *work,
                  const struct lab_reasons *reasons, struct lab_result *result);

// Two launches whose outputs must be equal. lab_pair checks them, times them and concludes.
struct lab_pair {
    struct lab_launch before, after;
    cl_mem out_before, out_after;
    uint64_t bytes; // of each output
    struct lab_work work;
    struct lab_reasons reasons;
};
// A pair of kernels whose first arguments are x and an output of `bytes`.
struct lab_pair lab_pair_of(struct lab *lab, cl_kernel before, cl_kernel after, cl_mem x,
                            uint64_t items, uint64_t bytes);
void lab_pair(struct lab *lab, struct lab_pair *pair, struct lab_result *result);

#endif
