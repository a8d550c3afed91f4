/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: how tiles take turned labels, keys and counts on a GPU, on both sides of
 * the limits. Nothing is built, as in choices.c. corners.c runs this file. */
#include "corners.h"

#include <string.h>

#include "src/classify/tiles.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// Columns that become rows, f32 to u16, and are counted: where a group has many counters, the
// next tile is loaded ahead.
static void tiles_of_many_counts(struct check *check, gpuprim *gp)
{
    enum { ROWS = 64, COUNT_OF_ROW = 1 << 18, MANY = TILE_MANY / 4 };
    for (uint32_t bins = MANY - 1; bins <= MANY; bins++) {
        const struct gpuprim_uniform rule = { .low = 0, .high = 1, .bins = bins };
        const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_F32 };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, true, &choice);
        classify_turn_columns(&c, ROWS, COUNT_OF_ROW);
        const bool is_ahead = gp_tiles_load_ahead(&c);
        check->cases++;
        CHECK(check, is_ahead == (bins >= MANY), "%u counts: %d", bins, is_ahead);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Columns with keys of their own that become rows: the labels of one pass of a tile are a line
// of 128 bytes or more, where columns are few, and the next tile is loaded ahead; or lines are
// short, and get longer with more passes.
static void tiles_of_keys(struct check *check, gpuprim *gp)
{
    enum { KEYS = 3, MANY = 64, FEW = 16, COUNT_OF_ROW = 1 << 18 };
    static uint16_t keys[MANY * KEYS];
    static const struct {
        uint64_t rows;
        enum gpuprim_type labels;
        bool is_ahead;
    } calls[] = { { MANY, GPUPRIM_U8, false },
                  { MANY, GPUPRIM_U16, false },
                  { MANY, GPUPRIM_U32, true },
                  { FEW, GPUPRIM_U8, true } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const struct gpuprim_thresholds rule = { .values = { .type = GPUPRIM_U16,
                                                             .base = keys,
                                                             .count = KEYS,
                                                             .stride = 1,
                                                             .rows = calls[i].rows,
                                                             .row_stride = KEYS } };
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, false, &choice);
        classify_turn_columns(&c, calls[i].rows, COUNT_OF_ROW);
        c.labels.type = calls[i].labels;
        c.labels.size = gp_type_size(calls[i].labels);
        const unsigned turned = gp_tiles_turned(&c, gp_tiles_items(&c));
        const bool is_ahead = gp_tiles_load_ahead(&c), has_passes = turned & TURNED_PASSES;
        check->cases++;
        CHECK(check, is_ahead == calls[i].is_ahead && has_passes != is_ahead,
              "%llu columns, labels of %u bytes: ahead %d, passes %d",
              (unsigned long long)calls[i].rows, (unsigned)c.labels.size, is_ahead, has_passes);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Columns with keys of their own, side by side in local memory: a line has room for more than a
// tile's columns. There are no lines that would leave a tile half of its columns. Where all are
// counted, the next tile is loaded ahead.
static void tiles_of_lines(struct check *check, gpuprim *gp)
{
    enum { MOST_KEYS = 200, MOST_COLUMNS = 60, COUNT_OF_ROW = 1 << 18 };
    static uint16_t keys[MOST_COLUMNS * MOST_KEYS];
    static const struct {
        uint64_t keys, columns;
        unsigned line;
    } calls[] = { { 40, 45, 64 }, { 40, 17, 32 }, { 40, 16, 0 }, { 200, 60, 0 } };
    for (unsigned i = 0; i < 2 * COUNT(calls); i++) {
        const uint64_t n = calls[i / 2].keys, columns = calls[i / 2].columns;
        const bool is_counted = i % 2;
        const struct gpuprim_thresholds rule = { .values = { .type = GPUPRIM_U16,
                                                             .base = keys,
                                                             .count = n,
                                                             .stride = 1,
                                                             .rows = columns,
                                                             .row_stride = (int64_t)n } };
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice = { .items = 0 };
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, is_counted, &choice);
        classify_turn_columns(&c, columns, COUNT_OF_ROW);
        c.labels.stride = (int64_t)columns;
        c.labels.row_stride = 1;
        const struct gp_variant *v = &gp_classify_gpu_tiles;
        const struct classify_ops *ops = v->ops;
        struct gp_key key = { .n = 0 };
        ops->specialise(gp, &c, v, &key);
        const struct gp_program program = { .work_group = key.work_group };
        struct classify_layout layout = { .groups = 0 };
        ops->lay_out(gp, &c, v, &program, columns, COUNT_OF_ROW, &layout);
        check->cases++;
        CHECK(check,
              choice.line_rows == calls[i / 2].line && layout.block_rows <= columns &&
                  layout.local_bytes >= choice.line_rows * n * sizeof(cl_uint),
              "%llu columns: lines of %u, tiles of %u, %u bytes", (unsigned long long)columns,
              choice.line_rows, (unsigned)layout.block_rows, (unsigned)layout.local_bytes);
        CHECK(check, gp_tiles_load_ahead(&c) == is_counted, "counted %d: ahead %d", is_counted,
              gp_tiles_load_ahead(&c));
        gpuprim_classifier_destroy(&classifier);
    }
}

// Turned labels of u8 beside narrow elements: groups, elements of an item, and lines of tiles.
static void tiles_of_bytes(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 20 };
    static const struct {
        enum gpuprim_type type;
        uint64_t entries, rows; // of the table; of the input
        enum gpuprim_type labels;
        bool has_counts;
        unsigned group, items, line;
    } calls[] = {
        { GPUPRIM_U16, 16, 64, GPUPRIM_U8, false, 256, 16, 64 },
        { GPUPRIM_U16, 16, 64, GPUPRIM_U16, false, 256, 32, 64 },
        { GPUPRIM_U16, 16, 64, GPUPRIM_U8, true, 256, 16, 32 },
        { GPUPRIM_U16, 16, 15, GPUPRIM_U8, false, 128, 16, 64 },
        { GPUPRIM_U16, 16, 16, GPUPRIM_U8, false, 256, 16, 64 },
        { GPUPRIM_U16, 16, 15, GPUPRIM_U8, true, 256, 16, 32 },
        // Bytes have 64 elements of a line at most, and half of them.
        { GPUPRIM_U8, 16, 64, GPUPRIM_U8, false, 256, 16, 32 },
        { GPUPRIM_U32, 16, 64, GPUPRIM_U8, false, 256, 16, 32 },
        // The table leaves no room for passes.
        { GPUPRIM_U16, 32768, 64, GPUPRIM_U8, false, 512, 32, 64 },
    };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, calls[i].type, calls[i].entries, 10);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c = gp_classify_packed_call(classifier, COUNT_OF_ROW, true,
                                                          calls[i].has_counts, &choice);
        classify_turn_columns(&c, calls[i].rows, COUNT_OF_ROW);
        c.labels.type = calls[i].labels;
        c.labels.size = gp_type_size(calls[i].labels);
        const unsigned group = gp_tiles_work_group(&c), items = gp_tiles_items(&c),
                       line = (unsigned)gp_tiles_line(&c);
        check->cases++;
        CHECK(check,
              group == calls[i].group && items == calls[i].items && line == calls[i].line,
              "call %u: groups of %u, %u elements of an item, lines of %u", i, group, items,
              line);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Long rows that become channels and are counted row by row: where a tile lacks room for the counters of
// some, gpu_words takes two rows, and gpu_turned more.
static void rows_that_share_sectors(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 20 };
    static const struct {
        uint64_t rows;
        uint32_t bins;
        bool counts_rows;
        const char *variant;
    } calls[] = { { 2, 9000, true, "gpu_words" },   { 2, 1000, true, "gpu_tiles" },
                  { 6, 150, true, "gpu_tiles" },    { 6, 2570, true, "gpu_turned" },
                  { 17, 2570, true, "gpu_turned" }, { 6, 2570, false, "gpu_tiles" } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const struct gpuprim_uniform rule = { .low = 0, .high = 1, .bins = calls[i].bins };
        const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_F32 };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice = { .words = 0 };
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, true, &choice);
        c.in.rows = c.labels.rows = calls[i].rows;
        c.in.row_stride = COUNT_OF_ROW;
        c.labels.stride = (int64_t)calls[i].rows;
        c.labels.row_stride = 1;
        c.labels.type = GPUPRIM_U16;
        c.labels.size = sizeof(uint16_t);
        c.counts_rows = calls[i].counts_rows;
        c.counts.rows = calls[i].counts_rows ? calls[i].rows : 1;
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0, "call %u: %s, not %s", i,
              v ? v->name : "none", calls[i].variant);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Copies are halved: those of values until there are `most`, others until they have fewer bytes
// than the limit or one is left.
static void limited_copies(struct check *check)
{
    enum { COPY = 4096, LIMIT = 16384, MOST = 4 };
    static const struct {
        unsigned copies, left;
        uint64_t bytes; // of a copy
    } counters[] = {
        { 8, 2, COPY }, { 4, 2, COPY }, { 2, 2, COPY }, { 8, 1, LIMIT }, { 1, 1, 2 * LIMIT }
    };
    for (unsigned i = 0; i < COUNT(counters); i++) {
        struct classify_counters c = { .form = COUNTERS_WORDS,
                                       .copies = counters[i].copies,
                                       .bytes = counters[i].copies * counters[i].bytes };
        gp_classify_limit_copies(&c, MOST, LIMIT);
        check->cases++;
        CHECK(check, c.copies == counters[i].left && c.bytes == c.copies * counters[i].bytes,
              "%u copies of %llu bytes: %u, %llu bytes", counters[i].copies,
              (unsigned long long)counters[i].bytes, c.copies, (unsigned long long)c.bytes);
    }
    struct classify_counters values = {
        .form = COUNTERS_WORDS, .of_values = true, .copies = 16, .bytes = 2 * LIMIT
    };
    gp_classify_limit_copies(&values, MOST, 1);
    check->cases++;
    CHECK(check, values.copies == MOST && values.bytes < 2 * LIMIT, "%u copies of values",
          values.copies);
}

void classify_tile_choices_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/tile_choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        tiles_of_many_counts(check, gp);
        tiles_of_keys(check, gp);
        tiles_of_lines(check, gp);
        tiles_of_bytes(check, gp);
        rows_that_share_sectors(check, gp);
        limited_copies(check);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
