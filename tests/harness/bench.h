/* SPDX-License-Identifier: Apache-2.0
 *
 * The measuring half of the test program: `check --bench`. A primitive's suite has a bench()
 * that goes through rows; a row is one call on device memory, timed by the device's events from
 * the first kernel's start to the last one's end, and by the host's clock until a blocking call
 * has returned its result. On CPU devices each sample of a row is followed by a native read of
 * as many bytes, and the share is the median of the shares, because the machine may be shared.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>

#include "src/core/core.h"

struct bench_options {
    const char *filter;   // of rows; NULL = all
    const char *json;     // a file's name; NULL = none
    bool quick;           // small arrays, a sample or two: to see that it works
    bool variants;        // every variant that takes a row is measured, too
    bool map;             // random calls take the place of the rows (map.h)
    uint64_t seed;        // of the map
    unsigned count;       // calls of each primitive in the map
    bool compile;         // compiles the programs of the map's calls, and makes none
    unsigned part, parts; // of the map: calls number `part`, `part` + `parts` and so on
};

struct bench {
    struct bench_options options;
    gpuprim *gp; // what is measured
    // Of the same OpenCL context, and forced to the baseline of the row's primitive: makes the
    // results that others are compared with.
    gpuprim *reference;
    struct bench_programs *programs; // what gp has built, by the names in its log
    cl_command_queue queue;          // in-order, with profiling
    cl_mem memory; // `bytes` of random bits: finite and positive as f16, f32 and f64
    cl_mem result;
    size_t bytes;
    FILE *json;       // NULL = none
    unsigned matched; // rows that the filter let through
    unsigned rows;    // in the JSON file
    unsigned failed;
    // Ceilings: read is a native one on CPU devices, and measured again beside each row.
    double copy_gbps, read_gbps, fma_gflops;
    double fma64_gflops; // 0 without double precision
    double mad64_gflops; // products of 32-bit integers added to 64 bits; of the map only
    double empty_us, empty_wall_us; // a kernel that does nothing: its event; launch and wait
    cl_kernel empty;
};

struct bench_row {
    const char *primitive, *name, *type;
    uint64_t n;   // elements read
    double bytes; // fewest that must move
    // Outputs, where each input becomes one: the rate counts them. The share is then that of a
    // copy to `written`, and the share of the multiply-adds is printed beside it.
    uint64_t outputs;
    double flops;
    bool of_bound; // the share is the larger one of the two: that of the row's bound
    cl_mem written;
    // Enqueues the call (sync) or makes it and waits (sync NULL). Returns a status.
    int (*call)(struct bench *bench, const void *what, const struct gpuprim_sync *sync);
    // True if the result in bench->result is that of the baseline. Enqueues and waits.
    bool (*verify)(struct bench *bench, const void *what);
    // Destroys what call() has made in bench->gp and keeps; NULL: nothing.
    void (*forget)(const void *what);
    const void *what;
    bool to_host;   // report the wall time of the blocking call
    bool host_only; // and nothing else: host arrays, or a call that cannot be enqueued
};

// Whether the options' filter names the row.
bool bench_wants(const struct bench *bench, const struct bench_row *row);
// Measures and prints one row, and the same by each variant where that is asked for; nothing
// if the filter does not name it.
void bench_row(struct bench *bench, const struct bench_row *row);

struct bench_figures {
    double device_us, wall_us, spread, gbps, rate, share, fma_share, launches;
    double seconds;                    // on the device, or of a row of the host's the call's
    double over_baseline, over_choice; // --variants: their times over this one's
    char variant[32];                  // that was launched
    bool forced;                       // by --variants
    bool verified;                     // the result, and that the variant is the forced one
};

// Measures a row by bench->gp. Fails with what the call returned.
int bench_measure(struct bench *bench, const struct bench_row *row, struct bench_figures *out);
void bench_print_json(struct bench *bench, const struct bench_row *row,
                      const struct bench_figures *figures);

// bench_variants.c: makes bench->gp, which writes down what it builds. `parent` is a context
// whose OpenCL context it shares, or NULL; `variant` is forced, NULL: what the environment
// says. False, with a message printed, on failure.
bool bench_open(struct bench *bench, const gpuprim *parent, const char *variant);
void bench_close(struct bench *bench);

// The variant that the newest launch ran, by the name that the log gave to its program; ""
// where it has none. False, with a message printed, if another one is forced.
bool bench_launched(const struct bench *bench, const char *primitive, char variant[32]);

// Measures the row once more by each variant that takes it, with ratios to the baseline and to
// the library's own choice.
void bench_variants(struct bench *bench, const struct bench_row *row,
                    const struct bench_figures *choice);

// bench_ceilings.c: how many bytes bench->memory will have.
void bench_set_bytes(struct bench *bench);
// Queue, memory and ceilings; false where the device has no room for them.
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
int bench_main(const struct bench_options *options);

#endif
