/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: which calls gpu_turned takes, of columns that are brought to rows and of rows
 * whose labels are brought to columns, and its pieces, by the limits of a large GPU. turned.c runs
 * this file. */
#include "corners.h"

#include <string.h>

#include "src/classify/tiles.h"
#include "src/classify/turned.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

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

// Packed rows whose labels are columns of a pitched matrix.
static struct classification columns_from_rows(const gpuprim_classifier *classifier,
                                               enum gpuprim_type labels, uint64_t rows,
                                               uint64_t count, bool has_counts,
                                               int64_t row_stride,
                                               struct classify_choice *choice)
{
    struct classification c =
        gp_classify_packed_call(classifier, count, true, has_counts, choice);
    c.in.rows = c.labels.rows = rows;
    c.in.row_stride = (int64_t)count;
    c.labels.type = labels;
    c.labels.size = gp_type_size(labels);
    c.labels.row_stride = row_stride;
    c.labels.stride = (int64_t)rows * (row_stride < 0 ? -row_stride : row_stride);
    if (has_counts)
        classify_count_each(&c);
    return c;
}

// A tile has room, beside its labels, for counters of 16 bits of so many rows: all of a sector of memory,
// or of elements of 16 bits three quarters, or fewer.
static void sectors(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 1 << 18, ROWS = 40, FEW = 300 };
    static const struct {
        enum gpuprim_type type;
        uint64_t room_for;
        const char *variant;
    } calls[] = { { GPUPRIM_U16, 12, "gpu_tiles" }, { GPUPRIM_U16, 11, "gpu_turned" },
                  { GPUPRIM_U32, 8, "gpu_tiles" },  { GPUPRIM_U32, 7, "gpu_turned" },
                  { GPUPRIM_U64, 8, "gpu_tiles" },  { GPUPRIM_U64, 7, "gpu_turned" },
                  { GPUPRIM_U64, 10, "gpu_tiles" } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, calls[i].type, 1 << 15, FEW);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c = columns_of(classifier, ROWS, COUNT_OF_ROW, &choice);
        const uint64_t room = gp_classify_local_room(gp) - sizeof(cl_ulong) -
                              gp_tiles_turned_bytes(&c, gp_tiles_items(&c)),
                       words = room / calls[i].room_for / sizeof(cl_uint);
        const uint32_t labels = (uint32_t)(2 * (words - (words % 2 == 0)));
        classifier->labels = labels;
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

// A classifier without tables of so many bins, or of two, of which one has the last of so many labels;
// or of keys of each row.
static gpuprim_classifier *rule_of(struct check *check, gpuprim *gp, enum gpuprim_type type,
                                   uint32_t n, uint64_t key_rows)
{
    const bool is_mapped = n > UINT16_MAX;
    const uint32_t labels[2] = { 0, n - 1 };
    const struct gpuprim_uniform bins = { .bins = is_mapped ? 2 : n, .high = 1000 };
    struct gpuprim_classifier_params params = { .in = type, .uniform = &bins };
    if (is_mapped)
        params.map = gpuprim_host(GPUPRIM_U32, labels, 2);
    if (!key_rows)
        return classify_unbuilt(check, gp, &params);
    params.uniform = NULL;
    classify_thresholds(check, type, n, key_rows, SPREAD_EVEN, &params);
    gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
    classify_free(&params);
    return classifier;
}

// Long rows whose labels become columns: a tile has counters or keys of few rows, or of many, or none.
// gpu_words has no counters either. Labels lie near, or apart. Rows are few, or short beside their counters,
// and calls small.
enum { ROWS = 40, LONG = 1 << 18, LONGER = 1 << 21 };
static const struct rows_call {
    enum gpuprim_type type, labels;
    uint32_t n;
    bool has_keys, has_counts;
    uint64_t rows, count;
    int64_t row_stride;
    uint64_t tile_rows;
    const struct gp_variant *variant;
} rows_calls[] = {
    { GPUPRIM_F32, GPUPRIM_U16, 1137, false, true, ROWS, LONG, 1, 9, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U32, 1841, false, true, ROWS, LONG, -1, 5, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U8, 255, true, true, 70, LONG, 1, 21, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 159, false, true, 100, LONG, 1, 64, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 156, false, true, 100, LONG, 1, 65, &gp_classify_gpu_tiles },
    { GPUPRIM_F32, GPUPRIM_U16, 1024, false, true, 4, LONGER, 1, 9, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 1023, false, true, 4, LONGER, 1, 10, &gp_classify_gpu_tiles },
    { GPUPRIM_F32, GPUPRIM_U16, 2000, true, false, ROWS, LONG, 1, 5, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 13000, true, false, ROWS, LONG, 1, UINT32_MAX,
      &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 9000, false, true, ROWS, LONG, 1, 0, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 9000, true, true, ROWS, LONG, 1, 0, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U32, 300000, false, true, ROWS, LONG, 1, 0, &gp_classify_gpu_tiles },
    { GPUPRIM_F32, GPUPRIM_U16, 3000, false, true, 3, LONGER, 1, 3, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 5000, false, true, 2, LONGER, 1, 2, &gp_classify_gpu_tiles },
    { GPUPRIM_F32, GPUPRIM_U16, 5000, false, true, ROWS, LONG, 4, 2, &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 5000, false, true, ROWS, LONG, 5, 2, &gp_classify_gpu_tiles },
    { GPUPRIM_F32, GPUPRIM_U16, 3000, false, true, ROWS, 110000, 1, 3,
      &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 3000, false, true, ROWS, 104000, 1, 3, &gp_classify_gpu_tiles },
    { GPUPRIM_F32, GPUPRIM_U16, 2047, false, true, 1 << 10, 4 * 2047, 1, 4,
      &gp_classify_gpu_turned },
    { GPUPRIM_F32, GPUPRIM_U16, 2047, false, true, 1 << 10, 4 * 2047 - 1, 1, 4,
      &gp_classify_gpu_tiles },
};

static void rows_to_columns(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < COUNT(rows_calls); i++) {
        const struct rows_call *call = &rows_calls[i];
        gpuprim_classifier *classifier =
            rule_of(check, gp, call->type, call->n, call->has_keys ? call->rows : 0);
        if (!classifier)
            return;
        struct classify_choice choice;
        const struct classification c =
            columns_from_rows(classifier, call->labels, call->rows, call->count,
                              call->has_counts, call->row_stride, &choice);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        const uint64_t tile_rows = gp_tiles_rows(gp, &c);
        check->cases++;
        CHECK(check, tile_rows == call->tile_rows && v == call->variant,
              "call %u: %s, %llu rows of a tile", i, v ? v->name : "none",
              (unsigned long long)tile_rows);
        gpuprim_classifier_destroy(&classifier);
    }
}

// The keys of all rows take room of a tile's rows, but labels on their way to the host are rows
// already.
static void host_labels(struct check *check, gpuprim *gp)
{
    enum { KEYS = 3535, ROWS = 2848, COUNT_OF_ROW = 152938 };
    struct gpuprim_classifier_params params = { .in = GPUPRIM_U32 };
    classify_thresholds(check, GPUPRIM_U32, KEYS, 1, SPREAD_EVEN, &params);
    gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
    classify_free(&params);
    if (!classifier)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct classify_choice choice;
        struct classification c =
            columns_from_rows(classifier, GPUPRIM_U16, ROWS, COUNT_OF_ROW, true, 1, &choice);
        c.labels.memory = i ? GPUPRIM_HOST : GPUPRIM_BUFFER;
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        const uint64_t tile_rows = gp_tiles_rows(gp, &c);
        check->cases++;
        CHECK(check,
              tile_rows == 2 && v == (i ? &gp_classify_gpu_tiles : &gp_classify_gpu_turned),
              "labels %u: %s, %llu rows of a tile", i, v ? v->name : "none",
              (unsigned long long)tile_rows);
    }
    gpuprim_classifier_destroy(&classifier);
}

// Pieces have all columns, or about 256 bytes of each line and more, or 192 of whole columns.
// Elements and labels, whose rows begin at lines of memory, stay within the staging memory, or half
// of it beside host arrays. Labels of the call have four bytes, but only 256 values, so that those of
// a piece have one. Of rows these alone are in scratch memory, and lines are those of the labels.
static void pieces(struct check *check, gpuprim *gp)
{
    enum { ENTRIES = 256, OF_LINE = 256, LINE = 128, LONG = 6000000 };
    static const struct {
        enum gpuprim_type type;
        uint64_t rows, count; // 0: as many as two pieces have room for, but for their rounding
        bool are_rows;
    } calls[] = {
        { GPUPRIM_U16, 97, LONG, false },    { GPUPRIM_U16, 97, 1000, false },
        { GPUPRIM_U16, 97, 0, false },       { GPUPRIM_U32, 590, LONG, false },
        { GPUPRIM_U32, 590, 100000, false }, { GPUPRIM_U8, 4134, LONG, false },
        { GPUPRIM_U64, 5, LONG, false },     { GPUPRIM_U16, 936, 780000, false },
        { GPUPRIM_U64, 590, LONG, true },    { GPUPRIM_U16, 97, 0, true },
        { GPUPRIM_U32, 5, LONG, true },      { GPUPRIM_U8, 936, 780000, true },
    };
    for (unsigned i = 0; i < 2 * COUNT(calls); i++) {
        const bool is_on_host = i % 2;
        const uint64_t rows = calls[i / 2].rows;
        const bool are_rows = calls[i / 2].are_rows;
        const uint64_t size = // of an element and its label
            (are_rows ? 0 : gp_type_size(calls[i / 2].type)) + 1;
        const uint64_t most = gp->staging_bytes / (is_on_host ? 2 : 1);
        const uint64_t given = calls[i / 2].count;
        const uint64_t count = given ? given : 2 * (most / size / rows);
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, calls[i / 2].type, ENTRIES, ENTRIES);
        if (!classifier)
            return;
        struct classify_choice choice;
        struct classification c =
            are_rows ? columns_from_rows(classifier, GPUPRIM_U32, rows, count, true, 1, &choice)
                     : columns_of(classifier, rows, count, &choice);
        const uint64_t apart = are_rows ? sizeof(cl_uint) : c.in.size; // from column to column
        c.in.memory = is_on_host ? GPUPRIM_HOST : GPUPRIM_BUFFER;
        c.labels.type = GPUPRIM_U32;
        c.labels.size = sizeof(cl_uint);
        c.labels.stride = are_rows ? c.labels.stride : c.in.stride;
        c.labels.row_stride = 1;
        struct gp_piece piece = { .rows = rows, .count = count };
        gp_turned_limit(gp, &c, &piece);
        const uint64_t pitch = gp_ceil_div(piece.count, (uint64_t)LINE) * LINE;
        const uint64_t bytes = piece.rows * pitch * size;
        const uint64_t of_line = (piece.count == count ? 3 * OF_LINE / 4 : OF_LINE) / apart;
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
              piece.count == count || rows * apart < 2 * OF_LINE ||
                  (7 * OF_LINE / 8 / apart + 1) * count * size > most,
              "%llu of %llu elements of %llu columns of %s", (unsigned long long)piece.count,
              (unsigned long long)count, (unsigned long long)rows, gp_type_name(c.in.type));
        gpuprim_classifier_destroy(&classifier);
    }
}

void classify_turned_choices_run(struct check *check)
{
    if (!check_begin(check, "classify/turned/choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        gp->caps.global_bytes = (uint64_t)1 << 37; // a 32nd is no limit
        gp->caps.max_alloc_bytes = gp->caps.global_bytes / 4;
        sectors(check, gp);
        sectors_of_keys(check, gp);
        rows_to_columns(check, gp);
        host_labels(check, gp);
        pieces(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
