/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: which variant takes columns, channels, and rows with keys of their own on a
 * GPU, on both sides of the limits, as choices.c tests it. corners.c runs this file. */
#include "corners.h"

#include <stdlib.h>
#include <string.h>

#include "src/classify/tiles.h"
#include "src/classify/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// Channels that become rows, with so many counts that local memory has room for those of one row
// alone, or, of all rows together, for counters of few bits beside a tile: gpu_words takes them,
// whose additions stay in a group, where channels lie near. Of far ones, the first become rows
// before they are counted.
static void near_channels(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 24, FAR = 600 };
    static const struct {
        uint32_t entries, labels;
        uint64_t rows;
        bool counts_rows;
        const char *far;
    } calls[] = { { 16384, 16384, 6, true, "gpu_turned" },
                  { 8192, 5000, 4, true, "gpu_turned" }, // beside the labels on their way
                  { 65536, 65536, 3, false, "gpu_tiles" } };
    for (unsigned i = 0; i < 2 * COUNT(calls); i++) {
        const uint32_t labels = calls[i / 2].labels;
        const uint64_t rows = calls[i / 2].rows;
        const bool is_far = i % 2;
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, GPUPRIM_U16, calls[i / 2].entries, labels);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, true, &choice);
        classify_turn_columns(&c, rows, COUNT_OF_ROW);
        c.in.stride = is_far ? FAR : (int64_t)rows;
        if (calls[i / 2].counts_rows)
            classify_count_each(&c);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        const char *wanted = is_far ? calls[i / 2].far : "gpu_words";
        check->cases++;
        CHECK(check, v && strcmp(v->name, wanted) == 0,
              "%u labels, channels %d apart: %s, not %s", labels, (int)c.in.stride,
              v ? v->name : "none", wanted);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Keys of each row's own, f32, counts of all, or none: rows of a tile, where counts would leave
// room for one alone; long rows, whose keys have room as a tree, as cells, or not, as rows are short beside
// them; and channels, of which a tile has the keys of one or none. 40 000 keys have no room in
// gpu_words beside rows of that length, though tiles have room for counters of few bits alone. Of
// long columns only far ones become rows.
static void many_keys(struct check *check, gpuprim *gp)
{
    enum {
        ROWS = 8,
        FAR = 40,
        MOST_KEYS = 40000,
        COUNT_OF_ROW = 1 << 18,
        LONG = 1 << 20,
        MEDIUM = 1 << 17,
        SHORT = 1 << 16
    };
    static const struct {
        uint64_t keys;
        int64_t apart; // 0: rows one behind the other; else from element to element of a column
        const struct gp_variant *variant;
        uint64_t tile_rows; // 0: not asked
        bool are_uncounted;
        uint64_t count;
    } calls[] = {
        { 3799, FAR, &gp_classify_gpu_tiles, 2, false, COUNT_OF_ROW },
        { 1500, FAR, &gp_classify_gpu_tiles, 3, false, COUNT_OF_ROW },
        { 3799, 0, &gp_classify_gpu_words, 0, false, COUNT_OF_ROW },
        { 9000, 0, &gp_classify_gpu_words, 0, false, COUNT_OF_ROW },
        { 17000, 0, &gp_classify_gpu_words, 0, false, COUNT_OF_ROW },
        { 17000, 0, &gp_classify_gpu_tiles, 0, false, SHORT },
        { 1500, ROWS, &gp_classify_gpu_tiles, 0, false, COUNT_OF_ROW },
        { 3799, ROWS, &gp_classify_gpu_words, 0, false, COUNT_OF_ROW },
        { 9000, ROWS, &gp_classify_gpu_words, 0, false, COUNT_OF_ROW },
        { 9000, ROWS, &gp_classify_gpu_words, 0, true, COUNT_OF_ROW },
        { 3000, ROWS, &gp_classify_gpu_tiles, 0, true, COUNT_OF_ROW },
        // Local memory has room for the keys of a tile, or of one row, but not beside its labels.
        { 4300, ROWS, &gp_classify_gpu_words, 0, false, MEDIUM },
        { 5700, ROWS, &gp_classify_gpu_words, 0, false, MEDIUM },
        { 40000, ROWS, &gp_classify_gpu_tiles, 0, false, COUNT_OF_ROW },
        { 2000, ROWS, &gp_classify_gpu_tiles, 0, false, LONG },
        { 2000, FAR, &gp_classify_gpu_turned, 0, false, LONG },
    };
    float *keys = check_allocate(ROWS * MOST_KEYS * sizeof *keys);
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const uint64_t n = calls[i].keys;
        for (uint64_t k = 0; k < ROWS * n; k++)
            keys[k] = (float)(k % n);
        const struct gpuprim_thresholds rule = { .values = { .type = GPUPRIM_F32,
                                                             .base = keys,
                                                             .count = n,
                                                             .stride = 1,
                                                             .rows = ROWS,
                                                             .row_stride = (int64_t)n } };
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            break;
        struct classify_choice choice = { .items = 0 };
        const uint64_t count = calls[i].count;
        struct classification c =
            gp_classify_packed_call(classifier, count, true, !calls[i].are_uncounted, &choice);
        if (calls[i].apart) {
            classify_turn_columns(&c, ROWS, count);
            c.in.stride = calls[i].apart;
        }
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        if (CHECK(check, v == calls[i].variant, "%llu keys, %d apart: %s",
                  (unsigned long long)n, (int)calls[i].apart, v ? v->name : "none") &&
            calls[i].tile_rows) {
            const struct classify_ops *ops = v->ops;
            struct gp_key key = { .n = 0 };
            ops->specialise(gp, &c, v, &key);
            CHECK(check, choice.tile_rows == calls[i].tile_rows,
                  "%llu keys: %llu rows of a tile", (unsigned long long)n,
                  (unsigned long long)choice.tile_rows);
        }
        gpuprim_classifier_destroy(&classifier);
    }
    free(keys);
}

// Channels of 16 bits with keys of each. Local memory may lack room for keys and counters of as many
// channels as a tile has at least. Then gpu_words, which has ranks of one channel's keys, takes them
// where they lie near.
static void channels_of_16_bits(struct check *check, gpuprim *gp)
{
    enum { CHANNELS = 6, FAR = 100, MOST_KEYS = 2911, COUNT_OF_ROW = 1 << 23 };
    static const struct {
        uint32_t keys;
        int64_t apart;
        bool are_equal, counts_rows, by_words;
    } calls[] = { { 2911, CHANNELS, false, true, true },
                  { 1500, CHANNELS, false, true, false },
                  { 2911, CHANNELS, true, false, true },
                  { 1500, CHANNELS, true, false, false },
                  { 2911, FAR, true, false, false } };
    static uint16_t keys[CHANNELS * MOST_KEYS];
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const uint32_t n = calls[i].keys;
        for (uint32_t k = 0; k < CHANNELS * n; k++)
            keys[k] = (uint16_t)(k % n / (calls[i].are_equal ? 2 : 1) * 20);
        struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_U16, keys, n) };
        rule.values.rows = CHANNELS;
        rule.values.row_stride = (int64_t)n;
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, false, true, &choice);
        classify_turn_columns(&c, CHANNELS, COUNT_OF_ROW);
        c.in.stride = calls[i].apart;
        c.labels = c.in;
        if (calls[i].counts_rows)
            classify_count_each(&c);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        CHECK(check, (v == &gp_classify_gpu_words) == calls[i].by_words, "call %u: %s", i,
              v ? v->name : "none");
        gpuprim_classifier_destroy(&classifier);
    }
}

// Many columns, with counts of each, by a table or by thresholds: where labels lie likewise,
// gpu_channels takes bytes, elements of 16 bits by keys, and elements of 4 bytes with few labels.
// Tiles need a part of each sector alone, a quarter where there are no labels. Many counts have 16
// bits there.
static void many_columns(struct check *check, gpuprim *gp)
{
    enum { COLUMNS = 1000, COUNT_OF_ROW = 1 << 16 };
    static const struct {
        enum gpuprim_type type;
        uint32_t labels;
        bool by_keys, has_labels, is_back; // labels lie backwards
        const struct gp_variant *variant;
    } calls[] = { { GPUPRIM_U8, 50, false, true, false, &gp_classify_gpu_channels },
                  { GPUPRIM_U8, 50, false, true, true, &gp_classify_gpu_tiles },
                  { GPUPRIM_U8, 50, false, false, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U16, 50, true, true, false, &gp_classify_gpu_channels },
                  { GPUPRIM_U16, 50, false, true, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U16, 50, true, false, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U32, 99, false, true, false, &gp_classify_gpu_channels },
                  { GPUPRIM_U32, 100, false, true, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U32, 50, false, true, true, &gp_classify_gpu_tiles },
                  { GPUPRIM_U32, 50, false, false, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U64, 50, false, true, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U16, 1000, true, true, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U16, 1300, true, true, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U16, 1400, true, true, false, &gp_classify_gpu_turned },
                  { GPUPRIM_U16, 4000, true, false, false, &gp_classify_gpu_tiles },
                  { GPUPRIM_U16, 4200, true, false, false, &gp_classify_gpu_turned } };
    uint16_t keys[4200];
    for (uint32_t k = 0; k < COUNT(keys); k++)
        keys[k] = (uint16_t)(11 * k + k % 3);
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const struct gpuprim_thresholds rule = {
            .values = gpuprim_host(GPUPRIM_U16, keys, calls[i].labels - 1),
        };
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        gpuprim_classifier *classifier =
            calls[i].by_keys
                ? classify_unbuilt(check, gp, &params)
                : classify_table_in_turn(check, gp, calls[i].type, 256, calls[i].labels);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c = gp_classify_packed_call(classifier, COUNT_OF_ROW,
                                                          calls[i].has_labels, true, &choice);
        classify_turn_columns(&c, COLUMNS, COUNT_OF_ROW);
        c.labels.stride = COLUMNS;
        c.labels.row_stride = calls[i].is_back ? -1 : 1;
        if (!calls[i].has_labels)
            c.labels = c.in;
        classify_count_each(&c);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        CHECK(check, v == calls[i].variant, "call %u, %u labels: %s", i, calls[i].labels,
              v ? v->name : "none");
        gpuprim_classifier_destroy(&classifier);
    }
}

void classify_column_choices_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/column_choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        gp->as_if_large = false; // small calls and short rows are meant as they are
        near_channels(check, gp);
        many_keys(check, gp);
        channels_of_16_bits(check, gp);
        many_columns(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
