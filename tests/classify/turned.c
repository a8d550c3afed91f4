/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: columns with counts or keys of their own that are brought to rows first
 * (gpu_turned), with and without gaps, forwards and backwards, in one piece and in pieces of few
 * rows and few elements of each; without labels, with labels that are brought back, and with
 * labels of rows. The choice of the variant and its pieces, by the limits of a large GPU. suite.c
 * runs this file. */
#include "corners.h"

#include <string.h>

#include "src/classify/turned.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// Columns, or rows, with or without gaps.
static void lay_columns(struct check *check, gpuprim *gp, uint64_t rows,
                        struct check_layout *layout)
{
    const int64_t apart = check_once_in(check, 3) ? 3 : 1;
    const int64_t line = (int64_t)rows * apart + (int64_t)check_below(check, 9);
    layout->row_stride = check_once_in(check, 3) ? -apart : apart;
    layout->stride = check_once_in(check, 3) ? -line : line;
    layout->lead = check_below(check, 70);
    layout->memory = check_any_memory(check, gp);
}

// One program, by several shapes and sizes of the memory for pieces.
static void run_program(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t rows[] = { 2, 3, 5, 8, 15, 16, 17, 33, 64, 65, 130, 300 };
    static const uint64_t counts[] = { 2, 3, 31, 64, 129, 700, 2048, 5003 };
    enum { ROWS = sizeof rows / sizeof *rows, COUNTS = sizeof counts / sizeof *counts };
    struct classify_case test = { .type = type, .rows = rows[check_below(check, ROWS)] };
    const uint64_t keys = 1 + check_below(check, check_once_in(check, 2) ? 6 : 4000);
    const bool has_own_keys = keys < 90 && check_once_in(check, 3);
    classify_thresholds(check, type, keys, has_own_keys ? test.rows : 1,
                        (enum classify_spread)check_below(check, SPREADS), &test.params);
    if (check_once_in(check, 3))
        classify_map(check, &test.params);
    classify_nan(check, &test.params);
    const uint64_t staging = gp->staging_bytes;
    for (unsigned i = 0; i < COUNTS; i++) {
        test.count = counts[i];
        if (test.rows * test.count > 200000)
            continue;
        classify_shuffle(check, gp, &test);
        lay_columns(check, gp, test.rows, &test.in);
        if (check_once_in(check, 2))
            lay_columns(check, gp, test.rows, &test.out);
        if (!has_own_keys || !test.labels || check_once_in(check, 2)) {
            test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_U64;
            test.counts_per_row = true;
        }
        gp->staging_bytes =
            check_once_in(check, 2) ? (uint64_t)1 << (12 + check_below(check, 9)) : staging;
        classify_run(check, gp, &test);
    }
    gp->staging_bytes = staging;
    classify_free(&test.params);
}

// ---------------------------------------------------------------------------------------
// The choice

// Columns of a pitched matrix with labels and counts of each.
static struct classification columns_of(const gpuprim_classifier *classifier, uint64_t rows,
                                        uint64_t count, struct classify_choice *choice)
{
    struct classification c = gp_classify_packed_call(classifier, count, true, true, choice);
    classify_turn_columns(&c, rows, count);
    c.in.stride += 1; // gpu_channels takes no gaps
    classify_count_each(&c);
    return c;
}

// A group has room for the counters of so many rows: all of a sector of memory, or of 16 bits three
// quarters, or fewer.
static void sectors(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 18, ROWS = 40 };
    const uint64_t room = gp_classify_local_room(gp);
    static const struct {
        enum gpuprim_type type;
        uint64_t room_for;
        const char *variant;
    } calls[] = { { GPUPRIM_U16, 12, "gpu_tiles" }, { GPUPRIM_U16, 11, "gpu_turned" },
                  { GPUPRIM_U32, 8, "gpu_tiles" },  { GPUPRIM_U32, 7, "gpu_turned" },
                  { GPUPRIM_U64, 8, "gpu_tiles" },  { GPUPRIM_U64, 7, "gpu_turned" } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const uint32_t labels = (uint32_t)(room / calls[i].room_for / sizeof(cl_uint));
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, calls[i].type, 1 << 15, labels);
        if (!classifier)
            return;
        struct classify_choice choice;
        const struct classification c = columns_of(classifier, ROWS, COUNT_OF_ROW, &choice);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0, "%s, %u labels: %s, not %s",
              gp_type_name(calls[i].type), labels, v ? v->name : "none", calls[i].variant);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Keys of each column, of 16 bits: most of a sector is enough where some of them are equal, as ranks
// have a second read then.
static void sectors_of_keys(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 18, ROWS = 40, OF_SECTOR = 16 };
    static const struct {
        enum classify_spread spread;
        unsigned room_for;
        const char *variant;
    } calls[] = { { SPREAD_FEW, 13, "gpu_tiles" },
                  { SPREAD_FEW, 11, "gpu_turned" },
                  { SPREAD_EVEN, 13, "gpu_turned" },
                  { SPREAD_EVEN, OF_SECTOR, "gpu_tiles" } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const uint64_t keys = gp_classify_local_room(gp) / calls[i].room_for / sizeof(cl_uint);
        struct gpuprim_classifier_params params = { .in = GPUPRIM_F16 };
        classify_thresholds(check, GPUPRIM_F16, keys - 1, ROWS, calls[i].spread, &params);
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        classify_free(&params);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, false, &choice);
        c.in.rows = c.labels.rows = ROWS;
        c.in.stride = c.labels.stride = ROWS + 1;
        c.in.row_stride = c.labels.row_stride = 1;
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0, "call %u: %s, not %s", i,
              v ? v->name : "none", calls[i].variant);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Pieces have all columns, or about 256 bytes of each line and more, or 192 of whole columns.
// Elements and labels, whose rows begin at lines of memory, stay within the staging memory, or half
// of it beside host arrays. Labels of the call have four bytes, but only 256 values, so that those of
// a piece have one.
static void pieces(struct check *check, gpuprim *gp)
{
    enum { ENTRIES = 256, OF_LINE = 256, LINE = 128, LONG = 6000000 };
    static const struct {
        enum gpuprim_type type;
        uint64_t rows, count; // 0: as many as two pieces have room for, but for their rounding
    } calls[] = { { GPUPRIM_U16, 97, LONG },    { GPUPRIM_U16, 97, 1000 },
                  { GPUPRIM_U16, 97, 0 },       { GPUPRIM_U32, 590, LONG },
                  { GPUPRIM_U32, 590, 100000 }, { GPUPRIM_U8, 4134, LONG },
                  { GPUPRIM_U64, 5, LONG },     { GPUPRIM_U16, 936, 780000 } };
    for (unsigned i = 0; i < 2 * COUNT(calls); i++) {
        const bool is_on_host = i % 2;
        const uint64_t rows = calls[i / 2].rows;
        const uint64_t size =
            gp_type_size(calls[i / 2].type) + 1; // of an element and its label
        const uint64_t most = gp->staging_bytes / (is_on_host ? 2 : 1);
        const uint64_t given = calls[i / 2].count;
        const uint64_t count = given ? given : 2 * (most / size / rows);
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, calls[i / 2].type, ENTRIES, ENTRIES);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c = columns_of(classifier, rows, count, &choice);
        c.in.memory = is_on_host ? GPUPRIM_HOST : GPUPRIM_BUFFER;
        c.labels.type = GPUPRIM_U32;
        c.labels.size = sizeof(cl_uint);
        c.labels.stride = c.in.stride;
        c.labels.row_stride = 1;
        struct gp_piece piece = { .rows = rows, .count = count };
        gp_turned_limit(gp, &c, &piece);
        const uint64_t pitch = gp_ceil_div(piece.count, (uint64_t)LINE) * LINE;
        const uint64_t bytes = piece.rows * pitch * size;
        const uint64_t of_line = (piece.count == count ? 3 * OF_LINE / 4 : OF_LINE) / c.in.size;
        check->cases++;
        CHECK(check,
              piece.rows && piece.count && piece.rows <= rows && piece.count <= count &&
                  (piece.rows == rows || piece.rows + 1 >= of_line),
              "%llu of %llu columns of %llu elements of %s", (unsigned long long)piece.rows,
              (unsigned long long)rows, (unsigned long long)piece.count,
              gp_type_name(c.in.type));
        CHECK(check,
              bytes <= most &&
                  ((piece.rows == rows && piece.count == count) || 4 * bytes > most),
              "%llu of %llu columns of %llu elements of %s: %llu bytes of %llu",
              (unsigned long long)piece.rows, (unsigned long long)rows,
              (unsigned long long)piece.count, gp_type_name(c.in.type),
              (unsigned long long)bytes, (unsigned long long)most);
        // Pieces have parts of columns only where 224 bytes of a line of whole ones have no room.
        CHECK(check,
              piece.count == count || rows * c.in.size < 2 * OF_LINE ||
                  (7 * OF_LINE / 8 / c.in.size + 1) * count * size > most,
              "%llu of %llu elements of %llu columns of %s", (unsigned long long)piece.count,
              (unsigned long long)count, (unsigned long long)rows, gp_type_name(c.in.type));
        gpuprim_classifier_destroy(&classifier);
    }
}

static void choices_run(struct check *check)
{
    if (!check_begin(check, "classify/turned/choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        gp->caps.global_bytes = (uint64_t)1 << 37; // a 32nd is no limit
        gp->caps.max_alloc_bytes = gp->caps.global_bytes / 4;
        sectors(check, gp);
        sectors_of_keys(check, gp);
        pieces(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}

void classify_turned_run(struct check *check)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I8,  GPUPRIM_U16, GPUPRIM_F16,
                                               GPUPRIM_F32, GPUPRIM_I64, GPUPRIM_F64 };
    enum { OTHER_GROUP = 48 }; // is no power of two
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        if (!check_begin(check, "classify/turned/%s", gp_type_name(types[t])))
            continue;
        for (int i = 0; i < (check->quick ? 2 : 4); i++) {
            gpuprim *gp =
                check_variant(check, "classify", "gpu_turned", i % 2 ? OTHER_GROUP : 0);
            if (gp)
                run_program(check, gp, types[t]);
            gpuprim_destroy(&gp);
        }
        check_end(check);
    }
    choices_run(check);
}
