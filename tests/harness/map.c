/* SPDX-License-Identifier: Apache-2.0
 *
 * The map (map.h): the loop over its rows, the check of each against baseline, and its
 * bound. */
#include "map.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "primitives.h"
#include "variants.h"

// ---------------------------------------------------------------------------------------
// Against baseline

// Makes the call once by `gp`, with outputs at the beginning of a region.
static int once(struct map_memory *m, const struct map_primitive *p, gpuprim *gp, void *object,
                const struct map_call *call, const struct map_region *region)
{
    const struct map_call placed = map_placed(m, call, 0, region, 0);
    const struct gpuprim_sync sync = { .queue = m->queue };
    const int status = p->enqueue(gp, object, &placed, &sync);
    return clFinish(m->queue) && !status ? CL_OUT_OF_RESOURCES : status;
}

static int compare(struct map_memory *m, const struct map_primitive *p, const char *name,
                   void *object, struct map_row *row)
{
    gpuprim *reference = m->bench->reference;
    void *other = NULL;
    if (!map_fill(m, &row->call) || !map_poison(m, &row->call))
        return CL_OUT_OF_RESOURCES;
    int status = once(m, p, m->bench->gp, object, &row->call, &m->out);
    if (status)
        return status;
    row->verified = bench_launched(m->bench, name, row->variant);
    snprintf(reference->force_variant, sizeof reference->force_variant, "%s:baseline", name);
    status = p->make ? p->make(reference, &row->call, &other) : GPUPRIM_OK;
    if (!status)
        status = once(m, p, reference, other, &row->call, &m->expected);
    if (p->destroy)
        p->destroy(&other);
    if (!status)
        row->verified &= map_same(m, &row->call);
    return status;
}

// ---------------------------------------------------------------------------------------
// The bound

// What the call's arrays and sums take, without a launch: row->bound and row->own_bound.
static void set_bound(const struct map_memory *m, struct map_row *row)
{
    const struct bench *b = m->bench;
    const struct map_call *call = &row->call;
    const double line = m->part > 0 ? m->part : m->line; // of stores
    const double written = map_bytes(&call->out[0], line) + map_bytes(&call->out[1], line);
    row->fetched = map_fetched(&call->out[0], m->part) + map_fetched(&call->out[1], m->part);
    const double read = map_read(call, m->line) + row->fetched;
    const double copied = 2 * fmin(read, written), alone = fmax(0, read - written);
    const double moving =
        1e-9 * ((copied + fmax(0, written - read)) / b->copy_gbps + alone / b->read_gbps);
    const double rate = call->is_f64 ? b->fma64_gflops : b->fma_gflops;
    const double adding = 2e-9 * call->multiply_adds / rate;
    row->bytes = read + written;
    row->by_arithmetic = adding > moving;
    row->small = fmax(read, written) < (b->gp->caps.is_cpu ? MAP_SMALL : MAP_MOVED);
    row->bound = fmax(moving, adding);
    row->own_bound = fmax(moving, 2e-9 * call->multiply_adds / b->mad64_gflops);
}

// The share of the bound, batch by batch, because launches take the host longer at some times
// than at others. `smallest` has the batches of the smallest call; it is NULL where no launch
// counts. `contiguous` has those of the contiguous call on CPU devices, else it is NULL.
static void set_shares(struct map_row *row, const struct map_series *own,
                       const struct map_row *flat, const struct map_series *contiguous,
                       const struct map_series *smallest)
{
    double shares[MAP_BATCHES], own_shares[MAP_BATCHES], ratios[MAP_BATCHES] = { 0 };
    for (unsigned i = 0; i < own->n; i++) {
        const double launch = smallest ? smallest->times[i] : 0;
        const double own_launch = row->small ? launch : 0;
        shares[i] = (row->bound + own_launch) / own->times[i];
        own_shares[i] = (row->own_bound + own_launch) / own->times[i];
        if (contiguous)
            ratios[i] =
                shares[i] * contiguous->times[i] / (flat->bound + (flat->small ? launch : 0));
    }
    row->share = bench_median(shares, own->n);
    row->own_share = bench_median(own_shares, own->n);
    row->relative = bench_median(ratios, own->n);
}

// The row's time and share, and on CPU devices its share in proportion to that of a contiguous
// call, which is timed in turn with it. So is the smallest call beside a small one.
static int measure_share(struct map_memory *m, const struct map_primitive *p, void *object,
                         struct map_row *row)
{
    const bool cpu = m->bench->gp->caps.is_cpu;
    struct map_row other = { .call = row->call };
    struct map_series series[3] = { { .primitive = p, .call = &row->call, .object = object } };
    unsigned n = 1;
    struct map_series *contiguous = NULL, *smallest = NULL;
    int status = GPUPRIM_OK;
    if (cpu) {
        contiguous = &series[n++];
        *contiguous = (struct map_series){ .primitive = p, .call = &other.call };
        p->flatten(&other.call);
        if (p->make)
            status = p->make(m->bench->gp, &other.call, &contiguous->object);
    }
    set_bound(m, row);
    set_bound(m, &other);
    if (row->small || (cpu && other.small)) {
        smallest = &series[n++];
        *smallest = map_smallest(m);
    }
    if (!status)
        status = map_time(m, series, n);
    if (contiguous && p->destroy)
        p->destroy(&contiguous->object);
    if (status)
        return status;
    set_shares(row, &series[0], &other, contiguous, smallest);
    row->seconds = bench_median(series[0].times, series[0].n);
    const double launch = row->small ? bench_median(smallest->times, smallest->n) : 0;
    row->bound += launch;
    row->own_bound += launch;
    return GPUPRIM_OK;
}

static bool is_refused(const struct bench *b, int status)
{
    return status == GPUPRIM_E_UNSUPPORTED && b->gp->force_variant[0];
}

int map_measure(struct map_memory *m, const struct map_primitive *p, const char *name,
                struct map_row *row)
{
    struct bench *b = m->bench;
    void *object = NULL;
    int status = p->make ? p->make(b->gp, &row->call, &object) : GPUPRIM_OK;
    if (!status)
        status = compare(m, p, name, object, row);
    if (!status)
        status = measure_share(m, p, object, row);
    if (p->destroy)
        p->destroy(&object);
    b->failed += status ? !is_refused(b, status) : !row->verified;
    return status;
}

// ---------------------------------------------------------------------------------------

// What is made of a row by a variant other than its own.
typedef void by_variant(struct map_memory *m, const struct map_primitive *p, const char *name,
                        const struct map_row *row);

// --variants: forces one variant after the other, but neither the row's own nor baseline, and calls
// `take` with each.
static void by_variants(struct map_memory *m, const struct map_primitive *p, const char *name,
                        const struct map_row *row, by_variant *take)
{
    gpuprim *gp = m->bench->gp;
    const struct gp_primitive *primitive = check_primitive(name);
    if (gp->force_variant[0]) // there is no choice then
        return;
    for (unsigned v = 0; v < primitive->n_variants; v++) {
        const char *variant = primitive->variants[v]->name;
        if (strcmp(variant, row->variant) == 0 || strcmp(variant, "baseline") == 0)
            continue;
        snprintf(gp->force_variant, sizeof gp->force_variant, "%s:%s", name, variant);
        take(m, p, name, row);
    }
    gp->force_variant[0] = '\0';
}

static void measure_variant(struct map_memory *m, const struct map_primitive *p,
                            const char *name, const struct map_row *choice)
{
    struct bench *b = m->bench;
    const char *forced = b->gp->force_variant;
    struct map_row row = { .index = choice->index, .call = choice->call, .forced = true };
    // Anew: on CPU devices the measurement of the choice has made its call a contiguous one.
    if (p->release)
        p->release(&row.call);
    map_draw_call(p, name, b->options.seed, row.index, b->gp, map_largest(m), &row.call);
    const int status = map_measure(m, p, name, &row);
    if (status && !is_refused(b, status))
        printf("%s/%u by %s failed: %s\n", name, row.index, forced, gpuprim_last_error());
    if (!status) {
        printf("%s/%-4u %-20s %10.1f us  %.3f x choice, %s%s\n", name, row.index,
               strchr(forced, ':') + 1, 1e6 * row.seconds, choice->seconds / row.seconds,
               choice->variant, row.verified ? "" : "  WRONG");
        fflush(stdout);
        map_print_json(b, name, &row);
    }
}

static void compile_variant(struct map_memory *m, const struct map_primitive *p,
                            const char *name, const struct map_row *choice)
{
    struct map_row row = *choice;
    map_compile(m, p, name, &row);
}

// Draws, measures and keeps one row. False where there is none to keep.
static bool make_row(struct map_memory *m, const struct map_primitive *p, const char *name,
                     struct map_row *row)
{
    struct bench *b = m->bench;
    map_draw_call(p, name, b->options.seed, row->index, b->gp, map_largest(m), &row->call);
    const int status = map_measure(m, p, name, row);
    if (status)
        printf("%s/%u %s: %s\n    %s\n", name, row->index,
               is_refused(b, status) ? "not taken" : "failed", gpuprim_last_error(),
               row->call.text);
    if (!status)
        map_print_json(b, name, row);
    if (!status && b->options.variants)
        by_variants(m, p, name, row, measure_variant);
    if (p->release)
        p->release(&row->call);
    return !status;
}

static int compile_by(gpuprim *gp, const struct map_primitive *p, const struct map_call *call)
{
    void *object = NULL;
    int status = p->make ? p->make(gp, call, &object) : GPUPRIM_OK;
    if (!status)
        status = p->prepare(gp, object, call);
    if (p->destroy)
        p->destroy(&object);
    return status;
}

int map_compile(struct map_memory *m, const struct map_primitive *p, const char *name,
                struct map_row *row)
{
    struct bench *b = m->bench;
    gpuprim *reference = b->reference;
    snprintf(reference->force_variant, sizeof reference->force_variant, "%s:baseline", name);
    int status = compile_by(b->gp, p, &row->call);
    if (!status || is_refused(b, status))
        status = compile_by(reference, p, &row->call);
    b->failed += status != GPUPRIM_OK;
    return status;
}

static void compile_row(struct map_memory *m, const struct map_primitive *p, const char *name,
                        struct map_row *row)
{
    struct bench *b = m->bench;
    map_draw_call(p, name, b->options.seed, row->index, b->gp, map_largest(m), &row->call);
    if (map_compile(m, p, name, row))
        printf("%s/%u failed: %s\n    %s\n", name, row->index, gpuprim_last_error(),
               row->call.text);
    if (b->options.variants)
        by_variants(m, p, name, row, compile_variant);
    if (p->release)
        p->release(&row->call);
}

static bool is_wanted(struct bench *b, const char *name, unsigned i)
{
    char text[64];
    snprintf(text, sizeof text, "%s/%u", name, i);
    if (b->options.filter && fnmatch(b->options.filter, text, 0) != 0)
        return false;
    b->matched++;
    return i % b->options.parts == b->options.part;
}

static void run_primitive(struct map_memory *m, const char *name,
                          const struct map_primitive *primitive)
{
    struct bench *b = m->bench;
    struct map_row *rows = calloc(b->options.count, sizeof *rows);
    unsigned n = 0;
    for (unsigned i = 0; rows && i < b->options.count; i++) {
        if (!is_wanted(b, name, i))
            continue;
        rows[n] = (struct map_row){ .index = i };
        if (b->options.compile)
            compile_row(m, primitive, name, &rows[n]);
        else
            n += make_row(m, primitive, name, &rows[n]);
    }
    if (n)
        map_print(b, name, rows, n);
    free(rows);
}

#define DECLARE(name) extern const struct check_suite check_##name;
#define RUN(name)                                                                              \
    if (check_##name.map)                                                                      \
        run_primitive(&memory, #name, check_##name.map);
GP_PRIMITIVES(DECLARE)

void map_run(struct bench *b)
{
    struct map_memory memory;
    // Filters and classifiers build what the map's calls need and nothing else.
    b->gp->build_late = b->reference->build_late = true;
    if (b->options.compile) {
        map_memory_size(&memory, b);
        GP_PRIMITIVES(RUN)
        return;
    }
    if (!map_memory_make(&memory, b)) {
        printf("the map has no memory on this device, or its kernels do not build\n");
        b->failed++;
    } else {
        map_print_head(&memory);
        GP_PRIMITIVES(RUN)
    }
    map_memory_free(&memory);
}
