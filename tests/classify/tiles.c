/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: views around the limits of one variant: turned labels and counters of
 * gpu_tiles, and rows of gpu_words that are short or few, on models of a GPU; wide labels of
 * gpu_words on the device. suite.c runs this file. */
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

// Rows that become columns without gaps, whose labels are lines of 16, 32, ... 128 bytes, one behind the other.
static void turned_padded(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type labels[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    for (unsigned i = 0; i < (check->quick ? 6 : 24); i++) {
        const size_t size = gp_type_size(labels[i % 3]);
        struct classify_case test = { .type = i % 2 ? GPUPRIM_U8 : GPUPRIM_F32,
                                      .rows = 16 / size * (1 + i / 3),
                                      .count = 100 + check_below(check, 2000) };
        classify_thresholds(check, test.type, 20, 1, SPREAD_RANDOM, &test.params);
        classify_shuffle(check, gp, &test);
        test.labels = labels[i % 3];
        test.in = (struct check_layout){ .memory = GPUPRIM_BUFFER,
                                         .stride = 1,
                                         .row_stride = (int64_t)test.count };
        test.out = (struct check_layout){ .lead = check_below(check, 70),
                                          .memory = GPUPRIM_BUFFER,
                                          .stride = (int64_t)test.rows,
                                          .row_stride = 1 };
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// Columns on the host that become rows, in pieces. A piece has a part of each line of labels: its lines are dense,
// too, and may have an odd number of words. The counters of rows lie behind them.
static void padded_pieces(struct check *check, gpuprim *gp)
{
    enum { ROWS = 256, FEW = 20 };
    static const enum gpuprim_type labels[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    const uint64_t staging = gp->staging_bytes;
    for (unsigned i = 0; i < (check->quick ? 12 : 96); i++) {
        const size_t size = gp_type_size(labels[i % 3]);
        struct classify_case test = { .type = GPUPRIM_U8, .rows = ROWS };
        test.count = 16 / size * (1 + check_below(check, 8));
        classify_thresholds(check, test.type, FEW, 1, SPREAD_RANDOM, &test.params);
        classify_shuffle(check, gp, &test);
        test.labels = labels[i % 3];
        test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
        test.counts_per_row = true;
        test.in = (struct check_layout){ .stride = ROWS, .row_stride = 1 };
        test.out = (struct check_layout){ .stride = 1, .row_stride = (int64_t)test.count };
        gp->staging_bytes = (2 + check_below(check, 12)) * ROWS * 2 * (1 + size);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    gp->staging_bytes = staging;
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

void classify_tiles_run(struct check *check)
{
    static const struct {
        const char *name, *variant;
        unsigned units; // 0: those of the model
        void (*run)(struct check *check, gpuprim *gp);
    } limits[] = { { "turned", "gpu_tiles", 0, turned },
                   { "turned_planes", "gpu_tiles", 0, turned_planes },
                   { "turned_ahead", "gpu_tiles", 0, turned_ahead },
                   { "turned_padded", "gpu_tiles", 0, turned_padded },
                   { "padded_pieces", "gpu_tiles", 0, padded_pieces },
                   { "short_rows", "gpu_words", 1, short_rows },
                   { "few_rows", "gpu_words", 100, few_rows } };
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
        gpuprim *gp = classify_small_gpu(check, 49152, limits[k].units, limits[k].variant);
        if (gp)
            limits[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
