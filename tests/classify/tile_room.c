/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: what tiles leave of local memory to counters and to a part of a table, and how lines of
 * labels lie there, on both sides of the limits. Nothing is built, as in choices.c. corners.c runs this file. */
#include "corners.h"

#include "src/classify/tiles.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// Rows that become columns: lines of labels without gaps between them that would begin in few banks.
static void padded_lines(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 16 };
    static const struct {
        enum gpuprim_type labels;
        uint64_t rows, pitch;
        bool is_padded;
    } calls[] = { { GPUPRIM_U8, 16, 16, true },  { GPUPRIM_U8, 128, 128, true },
                  { GPUPRIM_U16, 64, 64, true }, { GPUPRIM_U16, 80, 80, false },
                  { GPUPRIM_U8, 64, 65, false }, { GPUPRIM_U8, 20, 20, false },
                  { GPUPRIM_U32, 4, 4, true },   { GPUPRIM_U32, 48, 48, false } };
    const struct gpuprim_uniform rule = { .low = 0, .high = 1, .bins = 9 };
    const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_F16 };
    gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
    for (unsigned i = 0; classifier && i < COUNT(calls); i++) {
        struct classify_choice choice;
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, false, &choice);
        c.in.rows = c.labels.rows = calls[i].rows;
        c.in.row_stride = COUNT_OF_ROW;
        c.labels.type = calls[i].labels;
        c.labels.size = gp_type_size(calls[i].labels);
        c.labels.row_stride = 1;
        c.labels.stride = (int64_t)calls[i].pitch;
        const unsigned turned = gp_tiles_turned(&c, gp_tiles_items(&c));
        check->cases++;
        CHECK(check, ((turned & TURNED_PADDED) != 0) == calls[i].is_padded,
              "%llu labels of %llu: %u", (unsigned long long)calls[i].rows,
              (unsigned long long)calls[i].pitch, turned);
    }
    gpuprim_classifier_destroy(&classifier);
}

// A part of a table takes what counters of a sector's columns leave, but all of the room where a tile has no
// counters, or where rows lie along the input.
static void table_parts(struct check *check, gpuprim *gp)
{
    enum { ROWS = 40, COUNT_OF_ROW = 1 << 18, ENTRIES = 1 << 15, LABELS = 300 };
    static const struct {
        uint64_t labels;
        bool by_columns, has_part;
    } calls[] = {
        { 1200, true, false }, { 400, true, true }, { 7000, true, true }, { 1200, false, true }
    };
    gpuprim_classifier *classifier =
        classify_table_in_turn(check, gp, GPUPRIM_U16, ENTRIES, LABELS);
    for (unsigned i = 0; classifier && i < COUNT(calls); i++) {
        struct classify_choice choice = { .items = 0 };
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, false, true, &choice);
        if (calls[i].by_columns)
            classify_turn_columns(&c, ROWS, COUNT_OF_ROW);
        else
            c.in.row_stride = COUNT_OF_ROW;
        c.in.rows = ROWS;
        classify_count_each(&c);
        classifier->labels = calls[i].labels;
        uint64_t table_bytes;
        gp_tiles_room(gp, &c, gp_tiles_items(&c), &table_bytes);
        check->cases++;
        CHECK(check, (table_bytes > 0) == calls[i].has_part, "call %u: %llu bytes of the table",
              i, (unsigned long long)table_bytes);
    }
    gpuprim_classifier_destroy(&classifier);
}

// Columns have counters where local memory has room for these. The table gets what they leave. Columns
// that gpu_turned may take keep the table.
static void counters_beside_tables(struct check *check, gpuprim *gp)
{
    enum {
        NEAR = 2,
        FAR = 300,
        COUNT_OF_ROW = 1 << 24,
        FEW = 1 << 19,
        ENTRIES = 1 << 14,
        LABELS = 300
    };
    static const struct {
        uint64_t labels, rows, apart, count;
        bool has_counters, has_table;
    } calls[] = { { 2000, 2, NEAR, COUNT_OF_ROW, true, true },
                  { 5000, 2, NEAR, COUNT_OF_ROW, true, false },
                  { 13000, 2, NEAR, COUNT_OF_ROW, false, true },
                  { 5000, 3, FAR, COUNT_OF_ROW, true, false },
                  { 2500, 4, FAR, COUNT_OF_ROW, false, true },
                  { 2500, 4, FAR, FEW, true, false } };
    gpuprim_classifier *classifier =
        classify_table_in_turn(check, gp, GPUPRIM_U16, ENTRIES, LABELS);
    for (unsigned i = 0; classifier && i < COUNT(calls); i++) {
        struct classify_choice choice = { .items = 0 };
        struct classification c =
            gp_classify_packed_call(classifier, calls[i].count, false, true, &choice);
        classify_turn_columns(&c, calls[i].rows, calls[i].count);
        c.in.stride = (int64_t)calls[i].apart;
        classify_count_each(&c);
        classifier->labels = calls[i].labels;
        uint64_t table_bytes;
        struct tiles_rows parts;
        const uint64_t room = gp_tiles_room(gp, &c, gp_tiles_items(&c), &table_bytes);
        gp_tiles_choose_rows(&c, room, &parts);
        const bool has_table = table_bytes == gp_classify_table_bytes(classifier);
        check->cases++;
        CHECK(check, parts.counters == calls[i].has_counters && has_table == calls[i].has_table,
              "call %u: counters %d, the whole table %d", i, parts.counters, has_table);
    }
    gpuprim_classifier_destroy(&classifier);
}

// Counters of columns have 16 bits where those of 32 have no room for as many columns as share a sector, or for
// all, if these are fewer.
static void short_counters(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 18 };
    static const struct {
        enum gpuprim_type type;
        uint64_t columns, labels;
        bool are_short;
    } calls[] = { { GPUPRIM_U16, 16, 700, false },
                  { GPUPRIM_U16, 16, 800, true },
                  { GPUPRIM_U16, 4, 2000, false },
                  { GPUPRIM_U64, 40, 1500, false },
                  { GPUPRIM_U64, 40, 1600, true } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, calls[i].type, 1 << 15, 300);
        if (!classifier)
            return;
        struct classify_choice choice = { .items = 0 };
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, false, true, &choice);
        classify_turn_columns(&c, calls[i].columns, COUNT_OF_ROW);
        classify_count_each(&c);
        classifier->labels = calls[i].labels;
        check->cases++;
        CHECK(check, gp_tiles_count_in_shorts(&c) == calls[i].are_short, "call %u: %d", i,
              gp_tiles_count_in_shorts(&c));
        gpuprim_classifier_destroy(&classifier);
    }
}

void classify_tile_room_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/tile_room"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        padded_lines(check, gp);
        table_parts(check, gp);
        counters_beside_tables(check, gp);
        short_counters(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
