/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: the geometry of rows and of matrices, forced work-group sizes, and layouts
 * that the size of the scratch memory limits. narrow.c has the edges of single variants.
 * suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <inttypes.h>
#include <stdio.h>

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

static void rows(struct check *check, const char *variant)
{
    static const uint64_t row_counts[] = { 1, 2, 7, 33, 1000, 100000 };
    static const uint64_t counts[] = { 1, 2, 3, 5, 16, 31, 64, 65, 257, 1000, 4097, 20000 };
    gpuprim *gp = check_variant(check, "reduce", variant, 0);
    const char *why = gp ? reduce_cannot(gp, variant) : NULL;
    for (unsigned m = 0; gp && !why && m < REDUCE_MIX; m++)
        for (unsigned r = 0; r < (check->quick ? 4 : 6); r++)
            for (unsigned layout = 0; layout < LAYOUTS; layout++) {
                struct reduce_case test = { .type = reduce_mix[m].type,
                                            .params = { .op = reduce_mix[m].op } };
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
    if (why) {
        check_skip(check, "%s", why);
        return;
    }
    reduce_expect_taken(check, check->quick ? 5 : 20);
    check_end(check);
}

// ---------------------------------------------------------------------------------------
// Matrices, by the variants that the device itself chooses

// Every width up to a few elements more than a long vector, and the neighbours of numbers at
// which kernels are likely to cut.
static uint64_t any_extent(struct check *check)
{
    static const uint64_t cuts[] = { 128, 256, 512, 1024, 2048, 4096 };
    return check_once_in(check, 3) ? cuts[check_below(check, 6)] - 1 + check_below(check, 3)
                                   : 1 + check_below(check, 70);
}

static void fill_any(struct check *check, struct reduce_case *test)
{
    static const enum reduce_data sets[] = { DATA_RANDOM, DATA_TIES,      DATA_FALLING,
                                             DATA_LEAST,  DATA_NAN_OFTEN, DATA_NAN_ALL };
    const bool is_float = test->type >= GPUPRIM_F16;
    test->data = sets[check_below(check, is_float ? 6 : 4)];
    test->params.nan = is_float ? (enum gpuprim_nan)check_below(check, 2) : 0;
}

// Columns: heights around 64 additions, and around 64 chains of these; lines that are packed,
// padded, far apart, and from the bottom up. Rows: packed, with gaps, overlapping, from the
// bottom up.
static void matrices(struct check *check, bool by_columns)
{
    static const uint64_t heights[] = { 1, 2, 3, 63, 64, 65, 129, 1000, 4095, 4097, 8200 };
    const uint64_t most = check->quick ? 20000 : 400000;
    gpuprim *gp = check_context(check, NULL, 0);
    for (unsigned m = 0; gp && m < REDUCE_MIX; m++)
        for (unsigned i = 0; i < (check->quick ? 20 : 100); i++) {
            struct reduce_case test = { .type = reduce_mix[m].type,
                                        .params = { .op = reduce_mix[m].op } };
            const uint64_t width = any_extent(check), gap = check_below(check, 9);
            const uint64_t pitches[] = {
                width,           width,       width + gap,
                2 * width + gap, width + 200, by_columns ? 2 : 1 + gap
            };
            uint64_t pitch, height;
            do {
                pitch = pitches[check_below(check, 6)];
                height = heights[check_below(check, 11)];
            } while (pitch * (height - 1) + width > most && height > 3);
            reduce_shuffle(check, gp, &test);
            const int64_t step = check_once_in(check, 4) ? -(int64_t)pitch : (int64_t)pitch;
            test.count = by_columns ? height : width;
            test.rows = by_columns ? width : height;
            test.stride = by_columns ? step : 1;
            test.row_stride = by_columns ? 1 : step;
            fill_any(check, &test);
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
    for (unsigned m = 0; gp && m < REDUCE_MIX; m++) {
        if (size != 1 && size != 7 && size != 64 && m % 2)
            continue; // the other sizes run half of the mix
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
            for (uint64_t n_rows = 1; n_rows <= 33; n_rows += 16) {
                struct reduce_case test = { .type = reduce_mix[m].type,
                                            .params = { .op = reduce_mix[m].op },
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

// Reductions of rows and of columns by variants that have more than one program: the geometry
// decides which of them runs.
static void make_other(struct check *check, const gpuprim *gp, const char *variant,
                       unsigned kind, struct reduce_case *test)
{
    static const uint64_t widths[] = {
        3, 5, 33, 101, 257
    }; // odd: vectors of 4 columns where lines are fused, else of 1
    static const uint64_t heights[] = { 1, 2, 7, 65, 1001 };
    const uint64_t size = gp->force_work_group;
    const uint64_t counts[] = { 1, size, size + 1, 997, 64 * size + 1 };
    const unsigned i = (unsigned)check_below(check, 5), j = (unsigned)check_below(check, 5);
    test->count = counts[i];
    test->rows = 1 + 16 * check_below(check, 3);
    reduce_shuffle(check, gp, test);
    test->stride = 1;
    switch (reduce_case_kind_of(variant)) {
    case KIND_COLUMNS:
        test->count = heights[j];
        test->rows = widths[i];
        test->stride = (int64_t)widths[i] + (kind == 1 ? 2 : 0);
        break;
    case KIND_ROWS: // an item's own, two items', or the whole group's
        test->rows = 2 + check_below(check, 40);
        test->count = kind == 1 ? 200 + check_below(check, 50)
                      : j < 3   ? 1 + check_below(check, 16)
                                : 64 * size + 1;
        break;
    case KIND_SHORT_ROWS:
        test->count = 1 + check_below(check, reduce_longest_row(gp, test->type));
        test->rows = 1 + check_below(check, 300);
        break;
    default:
        break;
    }
    const int64_t gap = (int64_t)check_below(check, 9);
    test->row_stride =
        reduce_case_kind_of(variant) == KIND_COLUMNS ? 1 : (int64_t)test->count + gap;
}

// Variants for CPUs have groups of one item only.
static bool takes_work_groups(const char *variant)
{
    return !check_is_for_cpus(variant);
}

static void other_work_group(struct check *check, const char *variant, unsigned size)
{
    static const struct reduce_kind kinds[] = { { GPUPRIM_SUM, GPUPRIM_F32 },
                                                { GPUPRIM_ARGMAX, GPUPRIM_U8 },
                                                { GPUPRIM_STATISTICS, GPUPRIM_U8 } };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    gpuprim *gp = check_variant(check, "reduce", variant, size);
    if (!gp)
        return;
    if (reduce_case_kind_of(variant) == KIND_SHORT_ROWS && !reduce_longest_row(gp, GPUPRIM_U8))
        check_skip(check, "groups of %u have no room for a row", size);
    else if (size > gp->caps.max_work_group)
        check_skip(check, "the device's groups are smaller");
    else {
        // One kind where compiling is slow.
        const bool all = !check->quick && !model_device_is_cpu();
        const unsigned first = all ? 0 : (unsigned)check_below(check, KINDS);
        for (unsigned m = first; m < (all ? KINDS : first + 1); m++)
            for (unsigned i = 0; i < (all ? 16 : 8); i++) {
                struct reduce_case test = { .type = kinds[m].type,
                                            .params = { .op = kinds[m].op } };
                make_other(check, gp, variant, m, &test);
                test.data = check_once_in(check, 2) ? DATA_RANDOM : DATA_TIES;
                reduce_run(check, gp, &test);
            }
        reduce_expect_taken(check, check->cases);
        check_end(check);
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Scratch memory

// The device has so many compute units that the partials of all columns do not fit the scratch
// memory at once. The columns are taken in pieces with different layouts.
static void many_units(struct check *check)
{
    static const struct device_model device = { .type = CL_DEVICE_TYPE_GPU, .units = 60 };
    gpuprim *gp = check_context_on(check, &device, "reduce:baseline", 0);
    if (!gp)
        return;
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
    const struct gp_primitive *reduce = check_primitive("reduce");
    for (unsigned v = reduce->n_variants; v-- > 0;)
        if (check_begin(check, "reduce/rows/%s", reduce->variants[v]->name)) {
            rows(check, reduce->variants[v]->name);
        }
    for (int by_columns = 0; by_columns < 2; by_columns++)
        if (check_begin(check, "reduce/matrices/%s", by_columns ? "columns" : "rows")) {
            matrices(check, by_columns);
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
    static const unsigned others[] = { 1, 5, 37, 96 };
    for (unsigned v = reduce->n_variants - 1; v-- > 0;) // but baseline
        for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
            if (takes_work_groups(reduce->variants[v]->name) &&
                check_begin(check, "reduce/work_group/%s/%u", reduce->variants[v]->name,
                            others[i]))
                other_work_group(check, reduce->variants[v]->name, others[i]);
    if (check_begin(check, "reduce/many_units")) {
        many_units(check);
        check_end(check);
    }
}
