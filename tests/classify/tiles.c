/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: views around the limits of one variant: turned labels and counters of
 * gpu_tiles, and rows of gpu_words that are short, few or have keys of their own, on models of a
 * GPU; wide labels of gpu_words on the device. suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <stdio.h>

gpuprim *classify_small_gpu(struct check *check, cl_ulong local_bytes, unsigned units,
                            const char *variant)
{
    struct device_model model = model_gpu;
    char forced[64];
    snprintf(forced, sizeof forced, "classify:%s", variant);
    model.local_is_less = true;
    model.local_bytes = local_bytes;
    if (units)
        model.units = units;
    return check_context_on(check, &model, forced, 0);
}

// u16 labels by columns, and counts.
static void turn(struct check *check, gpuprim *gp, uint64_t labels, bool counts_per_row)
{
    struct classify_case test = { .type = GPUPRIM_U16, .rows = 100, .count = 1000 };
    struct gpuprim_table table = { .labels = gpuprim_host(GPUPRIM_U16, NULL, 1024),
                                   .mask = 1023 };
    uint16_t *values = check_allocate(1024 * sizeof *values);
    for (unsigned k = 0; k < 1024; k++)
        values[k] = (uint16_t)check_below(check, labels);
    values[0] = (uint16_t)(labels - 1);
    table.labels.base = values;
    test.params.table = &table;
    test.params.in = GPUPRIM_U16;
    test.data = FILL_RANDOM;
    test.labels = GPUPRIM_U16;
    test.counts = GPUPRIM_U32;
    test.counts_per_row = counts_per_row;
    test.in = (struct check_layout){ .stride = 1, .row_stride = 1000 };
    test.out = (struct check_layout){ .stride = 100, .row_stride = 1 };
    classify_run(check, gp, &test);
    free(values);
}

// Rows that have counts of their own: the more labels, the fewer rows a tile has, and the fewer
// elements an item. 800 labels leave ten rows in 48 KiB.
static void turned(struct check *check, gpuprim *gp)
{
    static const uint64_t labels[] = { 800, 500, 1300, 2000 };
    for (int i = 0; i < (check->quick ? 2 : 4); i++)
        turn(check, gp, labels[i], true);
}

// Counters of few bits beside the labels of a tile.
static void turned_planes(struct check *check, gpuprim *gp)
{
    static const uint64_t labels[] = { 30000, 50000, 20000 };
    for (int i = 0; i < (check->quick ? 2 : 3); i++)
        turn(check, gp, labels[i], false);
}

// Columns of f32 that become rows, with many counters: the next tile is loaded while one is stored.
static void turned_ahead(struct check *check, gpuprim *gp)
{
    static const uint32_t bins[] = { 30000, 5000, 50000 };
    for (int i = 0; i < (check->quick ? 2 : 3); i++) {
        struct classify_case test = { .type = GPUPRIM_F32, .rows = 20 * (uint64_t)i + 3 };
        test.count = 900 + check_below(check, 500);
        classify_uniform(check, test.type, bins[i], &test.params);
        test.data = FILL_AROUND;
        test.labels = GPUPRIM_U16;
        test.counts = GPUPRIM_U32;
        test.in = (struct check_layout){ .stride = (int64_t)test.rows, .row_stride = 1 };
        test.out = (struct check_layout){ .stride = 1, .row_stride = (int64_t)test.count };
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// Labels of small elements in short rows with gaps, whose words begin elsewhere in each row, or
// alike in all; some are shorter than words, some have labels without gaps. The first are so many
// that an item takes several words of a row, one after the other, on a device of one unit.
static void short_rows(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I16, GPUPRIM_U8, GPUPRIM_F16 };
    for (unsigned t = 0; t < (check->quick ? 1 : 3); t++) {
        struct classify_case test = { .type = types[t], .labels = GPUPRIM_U8 };
        classify_thresholds(check, test.type, 20, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        const int64_t step = check_once_in(check, 2) ? 1 : -1;
        for (int i = 0; i < 40; i++) {
            const bool are_alike = check_once_in(check, 3), are_many = i < 2;
            test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
            test.rows = are_many ? 300 : 2 + check_below(check, 60);
            test.count = are_many ? 1100 + check_below(check, 100)
                         : are_alike
                             ? 16 * (2 + check_below(check, 20))
                             : 2 + check_below(check, check_once_in(check, 3) ? 30 : 300);
            const int64_t more = are_alike ? 16 : 3,
                          apart = (int64_t)(test.count + (are_alike ? 16 * check_below(check, 4)
                                                                    : check_below(check, 40)));
            test.in = (struct check_layout){
                .lead = check_below(check, 70),
                .memory = are_alike || check_once_in(check, 2) ? GPUPRIM_BUFFER : GPUPRIM_HOST,
                .stride = step,
                .row_stride = check_once_in(check, 3) ? -apart : apart
            };
            test.out = (struct check_layout){ .lead = are_alike ? 16 : check_below(check, 70),
                                              .memory = test.in.memory,
                                              .stride = 1,
                                              .row_stride = check_once_in(check, 3)
                                                                ? (int64_t)test.count
                                                                : apart + more };
            classify_run(check, gp, &test);
        }
        classify_free(&test.params);
    }
}

// Labels that are twice or four times as large as elements, in a row that has several tiles.
static void wide_labels(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type, labels;
    } kinds[] = { { GPUPRIM_U8, GPUPRIM_U16 },
                  { GPUPRIM_U16, GPUPRIM_U32 },
                  { GPUPRIM_I8, GPUPRIM_U32 } };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct classify_case test = { .type = kinds[i].type,
                                      .labels = kinds[i].labels,
                                      .rows = 1 };
        classify_thresholds(check, test.type, 20, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        for (unsigned lead = 0; lead < 3; lead++) {
            test.count = 100000 + check_below(check, 100000);
            test.data = FILL_AROUND;
            test.in = (struct check_layout){ .lead = check_below(check, 70),
                                             .stride = lead == 2 ? -1 : 1,
                                             .memory = GPUPRIM_BUFFER };
            test.out = (struct check_layout){ .lead = 8 * lead,
                                              .stride = 1,
                                              .memory = GPUPRIM_BUFFER };
            classify_run(check, gp, &test);
        }
        classify_free(&test.params);
    }
}

// Rows that are cut into parts where they are few, around the length from which on they are; the
// device has many units.
static void few_rows(struct check *check, gpuprim *gp)
{
    static const uint64_t counts[] = { 2047, 2048, 2049, 5714, 8191, 8192 };
    static const uint64_t rows[] = { 2, 9, 49, 50, 51 };
    static const int64_t steps[] = { 1, -1, 3, -10 };
    for (unsigned kind = 0; kind < 4; kind++) {
        struct classify_case test = { .type = kind % 2 ? GPUPRIM_F32 : GPUPRIM_U16 };
        classify_thresholds(check, test.type, 60, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        for (unsigned i = 0; i < (check->quick ? 4 : 12); i++) {
            test.count = counts[check_below(check, 6)];
            test.rows = rows[check_below(check, 5)];
            classify_shuffle(check, gp, &test);
            test.labels = GPUPRIM_U16;
            test.counts = kind < 2 ? GPUPRIM_TYPE_INVALID : GPUPRIM_U32;
            test.counts_per_row = false;
            test.in.stride = steps[kind];
            test.in.row_stride = (int64_t)(test.count * gp_abs(steps[kind]) + 7);
            test.out.stride = steps[3 - kind];
            test.out.row_stride = (int64_t)(test.count * gp_abs(steps[3 - kind]) + 3);
            classify_run(check, gp, &test);
        }
        classify_free(&test.params);
    }
}

// Makes about a third of the keys of 16 bits equal to the ones before, but in the first row. Where
// that is asked, all keys of the last row are equal.
static void repeat_keys(struct check *check, struct gpuprim_classifier_params *params,
                        uint64_t n, uint64_t rows)
{
    uint16_t *keys = params->thresholds->values.base;
    const bool all = check_once_in(check, 2);
    for (uint64_t row = 1; row < rows; row++)
        for (uint64_t k = 1; k < n; k++)
            if ((all && row + 1 == rows) || check_once_in(check, 3))
                keys[row * n + k] = keys[row * n + k - 1];
}

// Keys of each row's own in rows of so many elements of 16 bits that groups have ranks of their
// row. 20 000 of them have no room as a tree, nor have the places of those that are equal. Nothing
// is above the last key of the first row, which it lacks where that is asked.
static void ranked_rows(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I16, GPUPRIM_F16, GPUPRIM_U16 };
    static const uint16_t lasts[] = { INT16_MAX, 0x7c00, UINT16_MAX };
    static const enum classify_spread spreads[] = { SPREAD_RANDOM, SPREAD_EVEN, SPREAD_LOG };
    for (unsigned i = 0; i < (check->quick ? 6 : 18); i++) {
        struct classify_case test = { .type = types[i % 3],
                                      .rows = 2 + check_below(check, 3),
                                      .count = 32768 + check_below(check, 3000) };
        const bool are_many = test.type != GPUPRIM_F16 && i / 3 % 2;
        const uint64_t n = are_many ? 20000 : 8 + check_below(check, 40);
        const enum classify_spread spread = are_many ? SPREAD_EVEN : spreads[i / 3 % 3];
        classify_thresholds(check, test.type, n, test.rows, spread, &test.params);
        ((uint16_t *)test.params.thresholds->values.base)[n - 1] = lasts[i % 3];
        if (i % 2)
            repeat_keys(check, &test.params, n, test.rows);
        const bool has_last_nan = i % 6 == 1; // behind equal keys of f16
        if (!has_last_nan && check_once_in(check, 2))
            classify_close(&test.params, GPUPRIM_CLOSED_RIGHT);
        if (!has_last_nan)
            classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        if (has_last_nan)
            test.data = FILL_RANDOM;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
}

// Keys of each row's own that have no room as a tree in 4 KiB: a group has cells, and all keys, or
// every second, fourth or eighth. Nothing is above the last key of the first row, which it lacks
// where that is asked.
static void celled_rows(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_F32, GPUPRIM_I64, GPUPRIM_U32,
                                               GPUPRIM_F64, GPUPRIM_I16 };
    static const uint64_t keys[] = { 512, 700, 1023, 1501, 3000, 600 };
    gp->as_if_large = true; // else rows are too short for cells
    for (unsigned i = 0; i < (check->quick ? 5 : 30); i++) {
        struct classify_case test = { .type = types[i % 5], .rows = 2 + check_below(check, 3) };
        const bool is_wide = gp_type_size(test.type) == 8;
        const uint64_t n = keys[(i + i / 5) % 6] + (is_wide ? 0 : 512);
        test.count = 4 * n + check_below(check, 3000);
        if (test.type == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        const enum classify_spread spread = i % 2 ? SPREAD_RANDOM : SPREAD_EVEN;
        classify_thresholds(check, test.type, n, test.rows, spread, &test.params);
        if (check_once_in(check, 2))
            classify_close(&test.params, GPUPRIM_CLOSED_RIGHT);
        classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        test.data = check_once_in(check, 2) ? FILL_AROUND : FILL_RANDOM;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
}

void classify_tiles_run(struct check *check)
{
    static const struct {
        const char *name, *variant;
        unsigned local, units; // 0: units of the model
        void (*run)(struct check *check, gpuprim *gp);
    } limits[] = { { "turned", "gpu_tiles", 49152, 0, turned },
                   { "turned_planes", "gpu_tiles", 49152, 0, turned_planes },
                   { "turned_ahead", "gpu_tiles", 49152, 0, turned_ahead },
                   { "short_rows", "gpu_words", 49152, 1, short_rows },
                   { "ranked_rows", "gpu_words", 49152, 1, ranked_rows },
                   { "celled_rows", "gpu_words", 4096, 100, celled_rows },
                   { "few_rows", "gpu_words", 49152, 100, few_rows } };
    if (check_begin(check, "classify/tiles/wide_labels")) { // as the device is
        gpuprim *gp = check_variant(check, "classify", "gpu_words", 0);
        if (gp)
            wide_labels(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    for (unsigned k = 0; k < sizeof limits / sizeof *limits; k++) {
        if (!check_begin(check, "classify/tiles/%s", limits[k].name))
            continue;
        gpuprim *gp =
            classify_small_gpu(check, limits[k].local, limits[k].units, limits[k].variant);
        if (gp)
            limits[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
