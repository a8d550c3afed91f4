/* SPDX-License-Identifier: Apache-2.0
 *
 * What the map (map.h) prints and writes: its rows, worst first, their summary, and JSON. */
#include "map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void map_print_head(const struct map_memory *m)
{
    const struct bench *b = m->bench;
    printf("map with seed %llu: lines of %.0f bytes, an empty kernel among many %.2f us, the "
           "smallest copy %.2f us",
           (unsigned long long)b->options.seed, m->line, 1e6 * m->empty_launch,
           1e6 * m->launch);
    if (m->part > 0)
        printf(", parts of %.0f bytes are read before a store of some of them", m->part);
    if (b->fma64_gflops > 0)
        printf(", f64 multiply-add %.0f GFLOP/s", b->fma64_gflops);
    if (b->mad64_gflops > 0)
        printf(", 64-bit integers %.0f Gop/s", b->mad64_gflops);
    printf("\n");
    fflush(stdout);
}

static double share(const struct map_row *row)
{
    return row->share;
}

static double relative(const struct map_row *row)
{
    return row->relative;
}

static int by_share(const void *a, const void *b)
{
    const double x = share(a), y = share(b);
    return (x > y) - (x < y);
}

static int by_relative(const void *a, const void *b)
{
    const double x = relative(a), y = relative(b);
    return (x > y) - (x < y);
}

static void print_row(const struct bench *b, const char *name, const struct map_row *row)
{
    printf("%6.3f ", row->share);
    if (b->gp->caps.is_cpu)
        printf("%6.3f ", row->relative);
    printf("%10.1f us  %s%s  %-20s %s/%u: %s", 1e6 * row->seconds,
           row->by_arithmetic ? "arithmetic" : "bytes     ", row->small ? "+launch" : "       ",
           row->variant, name, row->index, row->call.text);
    if (row->call.has_long_sums && b->mad64_gflops > 0)
        printf("; %.3f by the rate of 64-bit integers", row->own_share);
    printf("%s\n", row->verified ? "" : "  WRONG");
}

// The rows are sorted by `of`.
static void print_summary(const char *name, const char *what, const struct map_row *rows,
                          unsigned n, double (*of)(const struct map_row *row))
{
    printf("%s: %u calls, %s: 10th percentile %.3f, median %.3f, worst %.3f\n", name, n, what,
           of(&rows[n / 10]), of(&rows[n / 2]), of(&rows[0]));
}

// Row number `nth` of a kind; NULL: there are fewer.
static const struct map_row *of_kind(const struct map_row *rows, unsigned n, const char *kind,
                                     unsigned nth)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(rows[i].call.kind, kind) == 0 && nth-- == 0)
            return &rows[i];
    return NULL;
}

// A line for each kind of shape. The rows are sorted.
static void print_kinds(const struct map_row *rows, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const char *kind = rows[i].call.kind;
        unsigned calls = 0;
        if (of_kind(rows, n, kind, 0) != &rows[i])
            continue;
        while (of_kind(rows, n, kind, calls))
            calls++;
        printf("    %-24s %3u calls, median %.3f, worst %.3f\n", kind, calls,
               of_kind(rows, n, kind, calls / 2)->share, rows[i].share);
    }
}

unsigned map_keep_large(struct map_row *rows, unsigned n)
{
    unsigned large = 0;
    for (unsigned i = 0; i < n; i++)
        if (rows[i].bytes >= MAP_LARGE)
            rows[large++] = rows[i];
    return large;
}

void map_print(const struct bench *b, const char *name, struct map_row *rows, unsigned n)
{
    const bool cpu = b->gp->caps.is_cpu;
    qsort(rows, n, sizeof *rows, by_share);
    printf("\n share %s     time     bound by           variant\n", cpu ? "of contiguous" : "");
    for (unsigned i = 0; i < n; i++)
        print_row(b, name, &rows[i]);
    print_kinds(rows, n);
    print_summary(name, "share of the bound", rows, n, share);
    if (cpu) {
        qsort(rows, n, sizeof *rows, by_relative);
        print_summary(name, "in proportion to a contiguous call", rows, n, relative);
        qsort(rows, n, sizeof *rows, by_share);
    }
    n = map_keep_large(rows, n);
    if (n) // none on CPU devices
        print_summary(name, "share of the bound where 256 MiB or more are moved", rows, n,
                      share);
    fflush(stdout);
}

void map_print_json(struct bench *b, const char *name, const struct map_row *row)
{
    const struct map_call *call = &row->call;
    if (!b->json)
        return;
    fprintf(b->json,
            "%s\n  {\"primitive\": \"%s\", \"seed\": %llu, \"index\": %u, \"call\": \"%s\", "
            "\"kind\": \"%s\", \"layout\": \"%s\", \"scale\": \"%s\", \"at\": %llu, "
            "\"variant\": \"%s\", \"bytes\": %.0f, \"fetched\": %.0f, \"multiply_adds\": %.0f, "
            "\"us\": %.3f, \"bound_us\": %.3f, \"bound\": \"%s\", \"small\": %s, "
            "\"share\": %.4f, ",
            b->rows++ ? "," : "", name, (unsigned long long)b->options.seed, row->index,
            call->text, call->kind, map_layout_names[call->layout], call->scale,
            (unsigned long long)call->at, row->variant, row->bytes, row->fetched,
            call->multiply_adds, 1e6 * row->seconds, 1e6 * row->bound,
            row->by_arithmetic ? "arithmetic" : "bytes", row->small ? "true" : "false",
            row->share);
    if (call->has_long_sums && b->mad64_gflops > 0)
        fprintf(b->json, "\"own_share\": %.4f, ", row->own_share);
    if (b->gp->caps.is_cpu)
        fprintf(b->json, "\"relative\": %.4f, ", row->relative);
    if (row->forced)
        fprintf(b->json, "\"forced\": true, ");
    fprintf(b->json, "\"verified\": %s}", row->verified ? "true" : "false");
    fflush(b->json);
}
