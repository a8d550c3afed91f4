/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce, second part: rows and columns, forced work-group sizes, and host arrays that
 * stream through staging memory.
 */
#include "reduce_case.h"

#include <inttypes.h>
#include <stdio.h>

#include "shim.h"

// Operations that between them have every kind of lane, partial result and output.
static const struct {
    enum gpuprim_op op;
    enum gpuprim_type type;
} mix[] = {
    { GPUPRIM_SUM, GPUPRIM_I32 },    { GPUPRIM_SUM, GPUPRIM_F32 },
    { GPUPRIM_ARGMIN, GPUPRIM_F32 }, { GPUPRIM_MINMAX, GPUPRIM_I16 },
    { GPUPRIM_MEAN, GPUPRIM_I64 },   { GPUPRIM_COUNT, GPUPRIM_U8 },
    { GPUPRIM_MAX, GPUPRIM_F16 },
};
enum { MIX = sizeof mix / sizeof *mix };

// ---------------------------------------------------------------------------------------
// Rows

enum rows_layout {
    PACKED,
    COLUMNS,
    GAPS,
    UPSIDE_DOWN,
    BACKWARDS,
    EVERY_THIRD,
    SLIDING,
    LAYOUTS
};

static void lay_rows(struct check *check, struct reduce_case *test, enum rows_layout layout)
{
    const int64_t n = (int64_t)test->count, gap = (int64_t)check_below(check, 9);
    test->stride = layout == COLUMNS       ? (int64_t)test->rows + gap
                   : layout == BACKWARDS   ? -1
                   : layout == EVERY_THIRD ? 3
                                           : 0;
    test->row_stride = layout == COLUMNS       ? 1
                       : layout == GAPS        ? n + gap
                       : layout == UPSIDE_DOWN ? -n - gap
                       : layout == SLIDING     ? 1 + gap // the rows overlap
                                               : 0;
}

static void rows(struct check *check, const char *forced)
{
    static const uint64_t row_counts[] = { 1, 2, 7, 33, 1000, 100000 };
    static const uint64_t counts[] = { 1, 2, 3, 5, 16, 31, 64, 65, 257, 1000, 4097, 20000 };
    gpuprim *gp = check_context(check, forced, 0);
    for (unsigned m = 0; gp && m < MIX; m++)
        for (unsigned r = 0; r < (check->quick ? 4 : 6); r++)
            for (unsigned layout = 0; layout < LAYOUTS; layout++) {
                struct reduce_case test = { .type = mix[m].type,
                                            .params = { .op = mix[m].op } };
                test.rows = row_counts[r];
                const uint64_t most = (check->quick ? 5000 : 300000) / test.rows;
                do {
                    test.count = counts[check_below(check, 12)];
                } while (test.count > most);
                test.data = check_once_in(check, 2) ? DATA_RANDOM : DATA_TIES;
                reduce_shuffle(check, gp, &test);
                lay_rows(check, &test, (enum rows_layout)layout);
                reduce_run(check, gp, &test);
            }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Work-group sizes

static void work_group(struct check *check, unsigned size)
{
    gpuprim *gp = check_context(check, "reduce:baseline", size);
    const uint64_t counts[] = { 0,        1,
                                size - 1, size,
                                size + 1, 64 * (uint64_t)size + 1,
                                997,      check->quick ? 2003 : 65537 };
    for (unsigned m = 0; gp && m < MIX; m++) {
        if (size != 1 && size != 7 && size != 64 && m % 2)
            continue; // half of the mix for the other sizes
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
            for (uint64_t n_rows = 1; n_rows <= 33; n_rows += 16) {
                struct reduce_case test = { .type = mix[m].type,
                                            .params = { .op = mix[m].op },
                                            .count = counts[i],
                                            .rows = n_rows };
                if (test.count * test.rows > (check->quick ? 4000 : 300000))
                    continue;
                test.data = check_once_in(check, 2) ? DATA_RANDOM : DATA_TIES;
                reduce_shuffle(check, gp, &test);
                reduce_run(check, gp, &test);
            }
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Streaming

// A device that is not a CPU takes host arrays in pieces. Any device can be told not to be one.
static void streamed(struct check *check, uint64_t staging_bytes)
{
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return;
    gp->caps.is_cpu = false;
    gp->staging_bytes = staging_bytes;
    static const uint64_t counts[] = { 0, 1, 100, 1000, 8192, 40000 };
    static const uint64_t row_counts[] = { 1, 3, 50, 3000 };
    for (unsigned m = 0; m < MIX; m++)
        for (unsigned i = 0; i < 24; i++) {
            struct reduce_case test = { .type = mix[m].type,
                                        .params = { .op = mix[m].op },
                                        .count = counts[i % 6],
                                        .rows = row_counts[i / 6] };
            if (test.count * test.rows > (check->quick ? 10000 : 200000))
                continue;
            test.data = check_once_in(check, 2) ? DATA_RANDOM : DATA_TIES;
            reduce_shuffle(check, gp, &test);
            test.in_memory = GPUPRIM_HOST;
            reduce_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
}

// Lines far apart, whose gaps are not copied: rows and columns of wide matrices, in both
// directions, and so many columns that their partial results do not fit the scratch memory at
// once. Each element is copied once, and little else.
static void gaps(struct check *check)
{
    static const struct {
        uint64_t count, rows;
        int64_t stride, row_stride, along; // the last: between neighbours on a line
    } views[] = {
        { 1000, 150, 1, 9000, 1 },    { 1000, 150, -1, 9000, 1 },  { 500, 150, 2, -9001, 2 },
        { 150, 1000, 9000, 1, 1 },    { 150, 1000, -9001, 1, 1 },  { 150, 1000, 9000, -1, 1 },
        { 200, 1, 9000, 0, 1 },       { 200, 1, -9000, 0, 1 },     { 30000, 5, 1, 40000, 1 },
        { 5, 30000, 40000, 1, 1 },    { 70, 1100, 11000, 5, 5 },   { 3, 150000, 150000, 1, 1 },
        { 3, 150000, -150000, 1, 1 }, { 100000, 3, 1, 100000, 1 },
    };
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return;
    gp->caps.is_cpu = false;
    gp->staging_bytes = 1 << 19;
    for (unsigned i = 0; i < 2 * sizeof views / sizeof *views; i++) {
        struct reduce_case test = { .type = mix[i % MIX].type,
                                    .params = { .op = mix[i % MIX].op },
                                    .data = DATA_RANDOM,
                                    .count = views[i / 2].count,
                                    .rows = views[i / 2].rows,
                                    .stride = views[i / 2].stride,
                                    .row_stride = views[i / 2].row_stride,
                                    .lead = check_below(check, 18) };
        const uint64_t bytes = test.count * test.rows * gp_type_size(test.type);
        const uint64_t most = bytes * (uint64_t)views[i / 2].along;
        if (check->quick && bytes > 400000)
            continue;
        shim_fail(-1, 0); // counts anew
        reduce_run(check, gp, &test);
        CHECK(check, shim_written() >= most * 99 / 100 && shim_written() <= most,
              "view %u: %" PRIu64 " bytes were copied, %" PRIu64 " are enough", i / 2,
              shim_written(), most);
    }
    gpuprim_destroy(&gp);
}

// A device of so many compute units that the partial results of all columns do not fit into the
// scratch memory at once, and the columns go in pieces of unlike layout.
static void many_units(struct check *check)
{
    gpuprim *gp = check_context(check, "reduce:baseline", 0);
    if (!gp)
        return;
    gp->caps.is_cpu = false;
    gp->caps.compute_units = 60;
    struct reduce_case test = {
        .type = GPUPRIM_U8,
        .params = { .op = GPUPRIM_SUM },
        .data = DATA_RANDOM,
        .count = check->quick ? 1000 : 1 << 15,
        .rows = 512,
        .stride = 512,
        .row_stride = 1,
        .in_memory = GPUPRIM_BUFFER,
    };
    reduce_run(check, gp, &test);
    gpuprim_destroy(&gp);
}

void reduce_shapes_run(struct check *check)
{
    const struct gp_primitive *reduce = reduce_table();
    for (unsigned v = reduce->n_variants; v-- > 0;)
        if (check_begin(check, "reduce/rows/%s", reduce->variants[v].name)) {
            char forced[64];
            snprintf(forced, sizeof forced, "reduce:%s", reduce->variants[v].name);
            rows(check, forced);
            check_end(check);
        }
    gpuprim *gp = check_context(check, NULL, 0);
    const unsigned sizes[] = { 1, 2, 3, 7, 32, 64, gp ? (unsigned)gp->caps.max_work_group : 1 };
    gpuprim_destroy(&gp);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (check_begin(check, "reduce/work_group/%s%u", i == 6 ? "max_" : "", sizes[i])) {
            work_group(check, sizes[i]);
            check_end(check);
        }
    for (uint64_t staging = 4096; staging <= 1 << 20; staging *= 16)
        if (check_begin(check, "reduce/streamed/%" PRIu64, staging)) {
            streamed(check, staging);
            check_end(check);
        }
    if (check_begin(check, "reduce/streamed/gaps")) {
        gaps(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/many_units")) {
        many_units(check);
        check_end(check);
    }
}
