/* SPDX-License-Identifier: Apache-2.0
 *
 * The measuring half of the test program: `check --bench`. A primitive's suite has a bench()
 * that goes through rows; a row is one call on device memory, timed by the device's events from
 * the first kernel's start to the last one's end, and by the host's clock until a blocking call
 * has returned its result.
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
    double copy_gbps, read_gbps;
};

struct bench_row {
    const char *primitive, *name, *type;
    uint64_t n;   // elements read
    double bytes; // fewest that must move
    // Enqueues the call (sync) or makes it and waits (sync NULL). Returns a status.
    int (*call)(struct bench *bench, const void *what, const struct gpuprim_sync *sync);
    // True if the result in bench->result is that of the baseline. Enqueues and waits.
    bool (*verify)(struct bench *bench, const void *what);
    const void *what;
    bool to_host; // report the wall time of the blocking call
};

// Measures and prints one row; nothing if the filter does not name it.
void bench_row(struct bench *bench, const struct bench_row *row);

// The program: ceilings of the device, then every suite's rows. Returns its exit status.
int bench_main(const char *filter, const char *json_file);

#endif
