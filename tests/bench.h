/* SPDX-License-Identifier: Apache-2.0
 *
 * The measuring half of the test program: `check --bench`. A primitive's suite has a bench()
 * that goes through rows; a row is one call on device memory, timed by the device's events from
 * the first kernel's start to the last one's end, and by the host's clock until a blocking call
 * has returned its result. On CPU devices each sample of a row is followed by a native read of
 * as many bytes, and the share is the median of the ratios: the machine may be shared.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>

#include "internal.h"

struct bench {
    gpuprim *gp;
    cl_command_queue queue; // in-order, with profiling
    cl_mem memory;          // `bytes` of random bits: finite and positive as f16, f32 and f64
    cl_mem result;
    size_t bytes;
    const char *filter;
    FILE *json; // NULL = none
    unsigned rows, failed;
    // Ceilings: read is a native one on CPU devices, and measured again beside each row.
    double copy_gbps, read_gbps, fma_gflops;
    double empty_us, empty_wall_us; // a kernel that does nothing: its event; launch and wait
    cl_kernel empty;
};

struct bench_row {
    const char *primitive, *name, *type;
    uint64_t n;   // elements read
    double bytes; // fewest that must move
    // Where inputs become as many outputs: how many, which are the rate; the share is that of a
    // copy to `written`, and beside it stands that of the multiply-adds.
    uint64_t outputs;
    double flops;
    cl_mem written;
    // Enqueues the call (sync) or makes it and waits (sync NULL). Returns a status.
    int (*call)(struct bench *bench, const void *what, const struct gpuprim_sync *sync);
    // True if the result in bench->result is that of the baseline. Enqueues and waits.
    bool (*verify)(struct bench *bench, const void *what);
    const void *what;
    bool to_host;   // report the wall time of the blocking call
    bool host_only; // and nothing else: host arrays, or a call that cannot be enqueued
};

// Measures and prints one row; nothing if the filter does not name it.
void bench_row(struct bench *bench, const struct bench_row *row);

// bench_ceilings.c: queue, memory and ceilings; false where the device has no room for them.
bool bench_prepare(struct bench *bench);
void bench_release(struct bench *bench);

// Seconds of one empty kernel and the wait for it, on the queue of blocking calls.
double bench_empty_launch(struct bench *bench);

// bench_native.c: seconds of one native read of the first `bytes` of bench->memory, or copy of
// them to `to`. For CPU devices.
double bench_native(struct bench *bench, cl_mem to, size_t bytes);

double bench_now(void);                          // seconds
double bench_median(double *values, unsigned n); // sorts them

// The program: ceilings of the device, then every suite's rows. Returns its exit status.
int bench_main(const char *filter, const char *json_file);

#endif
