/* SPDX-License-Identifier: Apache-2.0
 *
 * `check --bench` (bench.h): first the ceilings of the device, then the rows. Figures are
 * medians after one warm-up. The spread is the distance of the quartiles, relative to the
 * median. */
#include "bench.h"
#include "check.h"
#include "map.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "primitives.h"

enum { MAX_SAMPLES = 101, NAME = 128 };
static const double BUDGET_S = 0.4; // of device and host time per row, after the first samples
static const double PATIENCE_S = 5; // after that one sample is enough: GPU variants on CPUs
static const double WARM_UP_S = 0.05;

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

struct samples {
    double device[MAX_SAMPLES];
    double wall[MAX_SAMPLES];
    double native[MAX_SAMPLES]; // a native read's time over the device's
    double empty[MAX_SAMPLES];  // the call's time over an empty launch's
    unsigned n;                 // of device and native
    unsigned n_wall;            // of wall and empty
};

// Seconds from the first traced kernel's start to the last one's end; the trace is emptied.
static double traced_seconds(struct gp_trace *trace)
{
    cl_ulong first = 0, last = 0;
    if (trace->n) {
        clGetEventProfilingInfo(trace->events[0], CL_PROFILING_COMMAND_START, sizeof first,
                                &first, NULL);
        clGetEventProfilingInfo(trace->events[trace->n - 1], CL_PROFILING_COMMAND_END,
                                sizeof last, &last, NULL);
    }
    for (unsigned i = 0; i < trace->n; i++)
        clReleaseEvent(trace->events[i]);
    trace->n = 0;
    return 1e-9 * (double)(last - first);
}

static int on_device(struct bench *b, const struct bench_row *row, double *seconds)
{
    struct gp_trace trace = { .n = 0 };
    const struct gpuprim_sync sync = { .queue = b->queue };
    b->gp->trace = &trace;
    int status = row->call(b, row->what, &sync);
    b->gp->trace = NULL;
    if (clFinish(b->queue) && !status)
        status = CL_OUT_OF_RESOURCES;
    *seconds = traced_seconds(&trace);
    return status;
}

static int until_done(struct bench *b, const struct bench_row *row, double *seconds)
{
    const double begin = bench_now();
    const int status = row->call(b, row->what, NULL);
    *seconds = bench_now() - begin;
    return status;
}

// Reads shorter than this are over before the threads are awake.
static bool has_native(const struct bench *b, const struct bench_row *row)
{
    return b->gp->caps.is_cpu && row->bytes >= 8 << 20 && !row->host_only;
}

// A copy moves its bytes twice.
static size_t native_bytes(const struct bench *b, const struct bench_row *row)
{
    return (size_t)fmin(row->written ? row->bytes / 2 : row->bytes, (double)b->bytes);
}

// True while a series of samples, begun at `start`, goes on.
static bool goes_on(const struct bench *b, int status, int i, double start)
{
    const double spent = bench_now() - start;
    const int least = b->options.quick || spent > PATIENCE_S ? 1 : 5;
    return !status && i < MAX_SAMPLES && (i < least || (!b->options.quick && spent < BUDGET_S));
}

// The device's time, and beside each sample that of a native read where there is one.
static int measure_device(struct bench *b, const struct bench_row *row, struct samples *s)
{
    const double start = bench_now();
    int status = GPUPRIM_OK;
    for (int i = -1; goes_on(b, status, i, start); i++) {
        double device = 0, native = 0;
        status = on_device(b, row, &device);
        if (has_native(b, row))
            native = bench_native(b, row->written, native_bytes(b, row));
        if (i < 0 || status)
            continue;
        s->device[s->n] = device;
        s->native[s->n++] = native / device;
    }
    return status;
}

// The time until a blocking call has returned its result, and beside each the time of an empty
// launch and its wait.
static int measure_wall(struct bench *b, const struct bench_row *row, struct samples *s)
{
    const double start = bench_now();
    int status = GPUPRIM_OK;
    for (int i = -1; goes_on(b, status, i, start); i++) {
        double wall = 0, empty = 0;
        // Taking turns: the second of two calls finds the device's threads awake.
        if (i % 2)
            empty = bench_empty_launch(b);
        status = until_done(b, row, &wall);
        if (i % 2 == 0)
            empty = bench_empty_launch(b);
        if (i < 0 || status)
            continue;
        s->wall[s->n_wall] = wall;
        s->empty[s->n_wall++] = wall / empty;
    }
    return status;
}

// A GPU's clocks fall while a compiler runs. Some milliseconds of work raise them again.
static int warm_up(struct bench *b, const struct bench_row *row)
{
    const double start = bench_now();
    int status;
    double seconds;
    do
        status = row->host_only ? until_done(b, row, &seconds) : on_device(b, row, &seconds);
    while (!status && bench_now() - start < WARM_UP_S);
    return status;
}

static void figures_of(const struct bench *b, const struct bench_row *row, struct samples *s,
                       struct bench_figures *f)
{
    double *sorted = row->host_only ? s->wall : s->device;
    const unsigned n = row->host_only ? s->n_wall : s->n;
    f->seconds = bench_median(sorted, n);
    f->spread = (sorted[n * 3 / 4] - sorted[n / 4]) / f->seconds;
    f->gbps = 1e-9 * row->bytes / f->seconds;
    f->device_us = row->host_only ? 0 : 1e6 * f->seconds;
    f->rate = row->outputs ? 1e-9 * (double)row->outputs / f->seconds : f->gbps;
    f->fma_share = 1e-9 * row->flops / f->seconds / b->fma_gflops;
    f->share = has_native(b, row) ? bench_median(s->native, s->n)
                                  : f->gbps / (row->written ? b->copy_gbps : b->read_gbps);
    if (row->of_bound)
        f->share = fmax(f->share, f->fma_share);
    if (row->to_host) {
        f->wall_us = 1e6 * bench_median(s->wall, s->n_wall);
        f->launches = bench_median(s->empty, s->n_wall);
    }
}

int bench_measure(struct bench *b, const struct bench_row *row, struct bench_figures *f)
{
    struct samples samples = { .n = 0 };
    *f = (struct bench_figures){ .seconds = 0 };
    int status = warm_up(b, row);
    if (status)
        return status;
    // Before a launch of another context follows.
    f->verified = bench_launched(b, row->primitive, f->variant);
    if (!row->host_only)
        status = measure_device(b, row, &samples);
    if (!status && row->to_host)
        status = measure_wall(b, row, &samples);
    if (status)
        return status;
    figures_of(b, row, &samples, f);
    f->verified &= row->verify(b, row->what);
    return GPUPRIM_OK;
}

void bench_print_json(struct bench *b, const struct bench_row *row,
                      const struct bench_figures *f)
{
    if (!b->json)
        return;
    fprintf(b->json,
            "%s\n  {\"primitive\": \"%s\", \"name\": \"%s\", \"type\": \"%s\", \"n\": %llu, "
            "\"variant\": \"%s\", \"forced\": %s, "
            "\"bytes\": %.0f, \"device_us\": %.3f, \"wall_us\": %.3f, \"launches\": %.3f, "
            "\"spread\": %.4f, \"rate\": %.3f, \"unit\": \"%s\", \"share\": %.4f, "
            "\"fma_share\": %.4f, ",
            b->rows++ ? "," : "", row->primitive, row->name, row->type,
            (unsigned long long)row->n, f->variant, f->forced ? "true" : "false", row->bytes,
            f->device_us, f->wall_us, f->launches, f->spread, f->rate,
            row->outputs ? "Gout/s" : "GB/s", f->share, f->fma_share);
    if (f->forced)
        fprintf(b->json, "\"over_baseline\": %.3f, \"over_choice\": %.3f, ", f->over_baseline,
                f->over_choice);
    fprintf(b->json, "\"verified\": %s}", f->verified ? "true" : "false");
}

static void print(const struct bench_row *row, const char *name, const struct bench_figures *f)
{
    printf("%-44s %11.2f us  %8.*f %s  %5.1f %% of %s  +-%4.1f %%", name,
           row->host_only ? f->wall_us : f->device_us, row->outputs ? 3 : 1, f->rate,
           row->outputs ? "Gout/s" : "GB/s", 100 * f->share,
           row->of_bound  ? "bound"
           : row->written ? "copy"
                          : "read",
           50 * f->spread);
    if (row->flops > 0)
        printf("  %5.1f %% of multiply-adds", 100 * f->fma_share);
    if (row->to_host)
        printf("  %8.2f us to the host, %.2f empty launches", f->wall_us, f->launches);
    printf("  %s%s\n", f->variant, f->verified ? "" : "  WRONG");
    fflush(stdout);
}

static void name_of(const struct bench_row *row, char name[NAME])
{
    snprintf(name, NAME, "%s/%s/%s/%llu", row->primitive, row->name, row->type,
             (unsigned long long)row->n);
}

bool bench_wants(const struct bench *b, const struct bench_row *row)
{
    char name[NAME];
    name_of(row, name);
    return !b->options.filter || fnmatch(b->options.filter, name, 0) == 0;
}

void bench_row(struct bench *b, const struct bench_row *row)
{
    char name[NAME];
    name_of(row, name);
    if (!bench_wants(b, row))
        return;
    b->matched++;
    snprintf(b->reference->force_variant, sizeof b->reference->force_variant, "%s:baseline",
             row->primitive);
    struct bench_figures f;
    const int status = bench_measure(b, row, &f);
    const bool refused = status == GPUPRIM_E_UNSUPPORTED && b->gp->force_variant[0];
    if (status) {
        b->failed += !refused;
        printf("%-44s %s: %s\n", name, refused ? "not taken" : "failed", gpuprim_last_error());
    } else {
        b->failed += !f.verified;
        print(row, name, &f);
        bench_print_json(b, row, &f);
    }
    if (row->forget)
        row->forget(row->what);
    if (b->options.variants && !status)
        bench_variants(b, row, &f);
}

static void print_head(const struct bench *b)
{
    const struct gp_caps *caps = &b->gp->caps;
    const char *commit = getenv("GPUPRIM_COMMIT");
    char date[32];
    const time_t today = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));
    printf("%s, driver %s, %s\ncopy %.1f GB/s, read %.1f GB/s over %zu MiB, f32 multiply-add "
           "%.0f GFLOP/s\nempty kernel %.2f us, launch and wait %.2f us\n",
           caps->device, caps->driver, date, b->copy_gbps, b->read_gbps, b->bytes >> 20,
           b->fma_gflops, b->empty_us, b->empty_wall_us);
    if (b->json)
        fprintf(
            b->json,
            "{\"device\": \"%s\", \"driver\": \"%s\", \"date\": \"%s\", \"commit\": \"%s\", "
            "\"copy_gbps\": %.2f, \"read_gbps\": %.2f, \"fma_gflops\": %.1f, "
            "\"fma64_gflops\": %.1f, "
            "\"empty_us\": %.3f, \"empty_wall_us\": %.3f, \"rows\": [",
            caps->device, caps->driver, date, commit ? commit : "", b->copy_gbps, b->read_gbps,
            b->fma_gflops, b->fma64_gflops, b->empty_us, b->empty_wall_us);
}

#define DECLARE(name) extern const struct check_suite check_##name;
#define RUN(name)                                                                              \
    if (check_##name.bench)                                                                    \
        check_##name.bench(&b);
GP_PRIMITIVES(DECLARE)

int bench_main(const struct bench_options *options)
{
    struct bench b = { .options = *options };
    if (!bench_open(&b, NULL, NULL))
        return 77;
    if (gpuprim_create_cl(b.gp->context, b.gp->device, NULL, &b.reference)) {
        printf("no second context: %s\n", gpuprim_last_error());
        return 1;
    }
    if (options->json && !(b.json = fopen(options->json, "w"))) {
        perror(options->json);
        return 2;
    }
    if (options->compile)
        bench_set_bytes(&b);
    else if (bench_prepare(&b))
        print_head(&b);
    else {
        printf("the ceilings cannot be measured on this device\n");
        return 1;
    }
    if (options->map)
        map_run(&b);
    else {
        GP_PRIMITIVES(RUN)
    }
    if (b.json) {
        fputs("\n]}\n", b.json);
        fclose(b.json);
    }
    if (!b.matched)
        printf("no row is named %s\n", options->filter);
    if (!options->compile)
        bench_release(&b);
    gpuprim_destroy(&b.reference);
    bench_close(&b);
    return b.failed || !b.matched ? 1 : 0;
}
