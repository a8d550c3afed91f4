/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: keys of each row's own, where work-groups of gpu_tiles and gpu_channels
 * have cells of them in local memory, on models of a GPU; and which calls have which cells.
 * suite.c runs this file. */
#include "corners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/classify/tiles.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Rows side by side, without gaps.
static void interleave(struct classify_case *test)
{
    test->in = (struct check_layout){ .lead = test->in.lead,
                                      .stride = (int64_t)test->rows,
                                      .row_stride = 1,
                                      .memory = GPUPRIM_BUFFER };
}

// Cells with none to many keys, of equal width and of equally many values. Data lie around the
// keys or anywhere. Channels take even rows alone: no key of theirs is dropped.
static void cells(struct check *check, gpuprim *gp, bool are_channels)
{
    static const enum gpuprim_type types[] = { GPUPRIM_F32, GPUPRIM_I32, GPUPRIM_F64,
                                               GPUPRIM_U64, GPUPRIM_F16, GPUPRIM_I16,
                                               GPUPRIM_U32, GPUPRIM_I64 };
    static const enum classify_spread spreads[] = { SPREAD_EVEN, SPREAD_LOG, SPREAD_CLUSTER,
                                                    SPREAD_RANDOM };
    const unsigned first = (unsigned)check_below(check, COUNT(types));
    for (unsigned i = 0; i < (check->quick ? 4 : 16); i++) {
        struct classify_case test = { .type = types[(first + i) % COUNT(types)],
                                      .rows = 2 + check_below(check, are_channels ? 5 : 9),
                                      .count = 300 + check_below(check, 700) };
        if (test.type == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        const bool is_right = !are_channels && check_once_in(check, 2);
        const uint64_t n = 128 + check_below(check, are_channels ? 400 : 900);
        classify_thresholds(check, test.type, n, test.rows, spreads[check_below(check, 4)],
                            &test.params);
        classify_close(&test.params, is_right ? GPUPRIM_CLOSED_RIGHT : GPUPRIM_CLOSED_LEFT);
        if (is_right)
            classify_end_first_row(&test.params, test.type);
        classify_nan(check, &test.params);
        classify_shuffle(check, gp, &test);
        if (are_channels || check_once_in(check, 2))
            interleave(&test);
        if (are_channels) {
            test.out = test.in;
            test.counted.memory = GPUPRIM_BUFFER;
        }
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// Cells that the host has listed, of equal width: keys have no room in local memory. Host and
// device must agree on the cell of an element.
static void of_host(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < (check->quick ? 2 : 6); i++) {
        struct classify_case test = { .type = GPUPRIM_F32,
                                      .rows = 2 + check_below(check, 3),
                                      .count = 300 + check_below(check, 700) };
        classify_thresholds(check, test.type, 13000 + check_below(check, 3000), test.rows,
                            i % 2 ? SPREAD_NEARLY : SPREAD_EVEN, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        classify_shuffle(check, gp, &test);
        interleave(&test);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

static void of_tiles(struct check *check, gpuprim *gp)
{
    cells(check, gp, false);
}

static void of_channels(struct check *check, gpuprim *gp)
{
    cells(check, gp, true);
}

// Elements of 8 bits, of which each value has its place. Keys are 4 to 255, and one may be
// there several times.
static void of_values(struct check *check, gpuprim *gp)
{
    static const enum classify_spread spreads[] = { SPREAD_RANDOM, SPREAD_EVEN, SPREAD_CLUSTER,
                                                    SPREAD_FEW };
    for (unsigned i = 0; i < (check->quick ? 4 : 16); i++) {
        struct classify_case test = { .type = i % 2 ? GPUPRIM_I8 : GPUPRIM_U8,
                                      .rows = 2 + check_below(check, 70),
                                      .count = 1024 + check_below(check, 300) };
        const uint64_t n =
            i / 2 % 2 ? 4 + check_below(check, 20) : 200 + check_below(check, 56);
        classify_thresholds(check, test.type, n, test.rows, spreads[check_below(check, 4)],
                            &test.params);
        classify_close(&test.params,
                       check_once_in(check, 2) ? GPUPRIM_CLOSED_LEFT : GPUPRIM_CLOSED_RIGHT);
        classify_end_first_row(&test.params, test.type);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        test.data = FILL_RANDOM;
        if (check_once_in(check, 2))
            interleave(&test);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// ---------------------------------------------------------------------------------------
// Which cells calls have

enum { LONG = 100000, ROOM = 48 << 10, SMALL = 2 << 10 };

// Columns with as many keys each, and which cells a call has that writes labels, or counts all
// columns together. The keys of a column are 0, 1, 2 and so on; if is_far, they are these times
// 2^-140, and the last is 3e38.
static const struct {
    const struct gp_variant *variant;
    enum gpuprim_type type;
    uint64_t keys, rows, count;
    unsigned cells;
    bool keys_local, counts, is_far, is_small;
} calls[] = {
    { &gp_classify_gpu_tiles, GPUPRIM_U8, 4, 8, 1024, CELLS_OF_VALUES, false, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_U8, 255, 8, 1024, CELLS_OF_VALUES, false, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_U8, 256, 8, 1024, CELLS_LOCAL, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_U8, 3, 8, 1024, 0, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_U8, 4, 8, 1023, 0, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_U8, 100, 8, 2000, 0, false, 0, 0, 1 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 127, 8, LONG, 0, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 128, 8, LONG, CELLS_LOCAL, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 128, 8, 1023, 0, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 300, 8, 1199, 0, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 200, 700, LONG, 0, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 128, 8, LONG, 0, true, 0, 1, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 3740, 5, LONG, CELLS_LOCAL, true, 0, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 3740, 5, LONG, CELLS_LOCAL, true, 1, 0, 0 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 1000, 8, LONG, 0, false, 0, 0, 1 },
    { &gp_classify_gpu_tiles, GPUPRIM_F32, 20000, 8, LONG, CELLS_GLOBAL, false, 0, 0, 0 },
    { &gp_classify_gpu_channels, GPUPRIM_F32, 127, 8, LONG, 0, true, 1, 0, 0 },
    { &gp_classify_gpu_channels, GPUPRIM_F32, 565, 8, LONG, CELLS_LOCAL, true, 1, 0, 0 },
    { &gp_classify_gpu_channels, GPUPRIM_U8, 200, 8, 1024, 0, false, 1, 0, 0 },
};

// Bytes of a row's keys and starts, or places.
static uint64_t table_bytes(const gpuprim_classifier *f, unsigned cells, unsigned merge,
                            bool keys_local, bool are_side_by_side)
{
    const uint64_t size = gp_key_size(f->in), n = are_side_by_side ? f->n : f->n | 1,
                   words = keys_local ? n * (size / sizeof(cl_uint)) : 0,
                   merged = ((f->index.cells - 1) >> merge) + 1;
    return 4 * (cells == CELLS_LOCAL       ? ROW_WORDS(words, merged, 2, size)
                : cells == CELLS_OF_VALUES ? ROW_WORDS(words, 256, 1, size)
                                           : words);
}

// A classifier of call i. NULL and a failed check: there is none.
static gpuprim_classifier *make(struct check *check, gpuprim *gp, unsigned i)
{
    const uint64_t n = calls[i].keys, rows = calls[i].rows, all = rows * n;
    const bool are_bytes = calls[i].type == GPUPRIM_U8;
    float *floats = check_allocate(are_bytes ? 1 : all * sizeof *floats);
    uint8_t *bytes = check_allocate(are_bytes ? all : 1);
    for (uint64_t k = 0; k < all; k++)
        if (are_bytes)
            bytes[k] = (uint8_t)(k % n);
        else if (!calls[i].is_far)
            floats[k] = (float)(k % n);
        else
            floats[k] = k % n == n - 1 ? 3e38f : ldexpf((float)(k % n), -140);
    const struct gpuprim_thresholds rule = { .values = { .type = calls[i].type,
                                                         .base = are_bytes ? (void *)bytes
                                                                           : (void *)floats,
                                                         .count = n,
                                                         .stride = 1,
                                                         .rows = rows,
                                                         .row_stride = (int64_t)n } };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    gpuprim_classifier *f = classify_unbuilt(check, gp, &params);
    free(bytes);
    free(floats);
    return f;
}

// Local memory has room for what the rows of a group take in it.
static void has_room(struct check *check, unsigned i, const struct classify_choice *choice,
                     uint64_t of_row)
{
    const uint64_t rows = calls[i].rows, counters = choice->counters.bytes;
    if (calls[i].variant == &gp_classify_gpu_tiles)
        CHECK(check,
              choice->row_bytes == of_row &&
                  of_row * gp_min(choice->tile_rows, rows) + counters <=
                      (calls[i].is_small ? SMALL : ROOM),
              "call %u: rows take %llu bytes each, not %llu", i,
              (unsigned long long)choice->row_bytes, (unsigned long long)of_row);
    else
        CHECK(check,
              choice->local_bytes >= of_row * rows + counters &&
                  choice->local_bytes <= of_row * rows + counters + 32,
              "call %u: a group has %llu bytes", i, (unsigned long long)choice->local_bytes);
}

static void choice_of(struct check *check, gpuprim *gp, unsigned i)
{
    gp->caps.local_bytes = calls[i].is_small ? SMALL : ROOM;
    gpuprim_classifier *f = make(check, gp, i);
    if (!f)
        return;
    struct classify_choice choice = { .items = 0 };
    struct classification c =
        gp_classify_packed_call(f, calls[i].count, !calls[i].counts, calls[i].counts, &choice);
    c.in.rows = c.labels.rows = calls[i].rows;
    c.in.stride = c.labels.stride = (int64_t)calls[i].rows;
    c.in.row_stride = c.labels.row_stride = 1;
    struct gp_key key = { .n = 0 };
    const struct classify_ops *ops = calls[i].variant->ops;
    ops->specialise(gp, &c, calls[i].variant, &key);
    const unsigned cells = check_macro(check, &key, "ROW_CELLS");
    check->cases++;
    CHECK(check, cells == calls[i].cells, "call %u: cells %u", i, cells);
    CHECK(check, check_macro(check, &key, "KEYS_LOCAL") == calls[i].keys_local, "call %u: keys",
          i);
    CHECK(check,
          calls[i].type == GPUPRIM_U8 || cells != CELLS_LOCAL ||
              check_macro(check, &key, "ROW_GRID") == 1,
          "call %u: even keys of f32 have no grid", i);
    has_room(check, i, &choice,
             table_bytes(f, cells, check_macro(check, &key, "CELL_MERGE"), calls[i].keys_local,
                         choice.line_rows > 0));
    gpuprim_classifier_destroy(&f);
}

static void run_choices(struct check *check)
{
    if (!check_begin(check, "classify/row_keys/choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, 132);
    for (unsigned i = 0; gp && i < COUNT(calls); i++)
        choice_of(check, gp, i);
    gpuprim_destroy(&gp);
    check_end(check);
}

void classify_row_keys_run(struct check *check)
{
    static const struct {
        const char *name, *variant;
        void (*run)(struct check *check, gpuprim *gp);
    } groups[] = { { "tiles", "gpu_tiles", of_tiles },
                   { "host", "gpu_tiles", of_host },
                   { "channels", "gpu_channels", of_channels },
                   { "values", "gpu_tiles", of_values } };
    for (unsigned k = 0; k < COUNT(groups); k++) {
        if (!check_begin(check, "classify/row_keys/%s", groups[k].name))
            continue;
        gpuprim *gp = classify_small_gpu(check, 49152, 0, groups[k].variant);
        if (gp) {
            gp->as_if_large = true;
            groups[k].run(check, gp);
        }
        CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
              (unsigned)check->not_taken, (unsigned)check->cases);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    run_choices(check);
}
