/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: how gpu_tile loads channels that lie in lines with gaps between them, and
 * long rows that lie backwards; rows with more taps of their own than items keep in registers.
 * suite.c runs this file. */
#include "case.h"

#include "src/convolve1d/gpu_tile.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct convolve_case some_case(struct check *check, struct convolve_kind kind)
{
    struct convolve_case test = {
        .kind = kind, .taps = 1 + check_below(check, 20), .rows = 1, .small_taps = true
    };
    test.params.dilation = 1 + check_below(check, 3);
    test.params.stride = check_once_in(check, 2) ? 1 : 1 + check_below(check, 3);
    test.params.left = (enum gpuprim_boundary)(1 + check_below(check, 6));
    test.params.right = (enum gpuprim_boundary)(1 + check_below(check, 5));
    convolve_constant(&test);
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    test.in.lead = check_below(check, 16);
    test.count = 400 + check_below(check, 4000);
    return test;
}

// Lines begin anywhere in a vector.
static void lines(struct check *check)
{
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 },
                                                  { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_I16 },
                                                  { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
                                                  { GPUPRIM_F32, GPUPRIM_U16, GPUPRIM_U8 } };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 24; i++) {
        struct convolve_case test = some_case(check, kinds[i % COUNT(kinds)]);
        test.rows = 4 + check_below(check, 21);
        test.params.dilation = 1 + check_below(check, 64 / test.rows < 3 ? 64 / test.rows : 3);
        test.taps_per_row = i % 4 == 3;
        const int64_t pitch = (int64_t)(test.rows + check_below(check, 12));
        test.in.stride = i % 3 == 2 ? -pitch : pitch;
        test.out.stride = (int64_t)(test.rows + check_below(check, 12));
        test.in.row_stride = test.out.row_stride = 1;
        test.is_tight = true;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

static void backwards(struct check *check)
{
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                                  { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_I16 },
                                                  { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_I16 },
                                                  { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 },
                                                  { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 } };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 25; i++) {
        struct convolve_case test = some_case(check, kinds[i % COUNT(kinds)]);
        test.in.stride = -1;
        test.rows = 1 + i / 10;
        test.in.row_stride = test.rows > 1 ? (int64_t)(test.count + check_below(check, 9)) : 0;
        test.is_tight = true;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Groups of some short rows and of a part of a row; taps in one pass and in turns of a loop.
static void own_taps(struct check *check)
{
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_U8 },
                                                  { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 },
                                                  { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
                                                  { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 },
                                                  { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 } };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 10; i++) {
        struct convolve_case test = some_case(check, kinds[i % COUNT(kinds)]);
        test.taps = 25 + check_below(check, check_once_in(check, 2) ? 60 : 260);
        test.params.stride = check_once_in(check, 2) ? 1 : 1 + check_below(check, 8);
        test.rows = 2 + check_below(check, 20);
        test.count = check_once_in(check, 2) ? 1 + check_below(check, 200) : test.count;
        test.taps_per_row = true;
        test.updates_history = check_once_in(check, 2);
        const int64_t gap = check_once_in(check, 2) ? 0 : (int64_t)check_below(check, 30);
        test.in.stride = check_once_in(check, 3) ? -1 : 1;
        test.out.stride = 1;
        test.in.row_stride = (int64_t)test.count + gap;
        test.in.row_stride *= check_once_in(check, 3) ? -1 : 1;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Which inputs come by vectors, of long columns and of a long row.
static void choices(struct check *check)
{
    static const struct {
        enum gpuprim_type type;
        uint64_t rows;
        int64_t row_stride, stride;
        bool by_vectors, by_lines;
    } shapes[] = {
        { GPUPRIM_F16, 12, 1, 16, false, true },  { GPUPRIM_I16, 4, 1, -4, false, true },
        { GPUPRIM_F16, 12, 1, 12, true, false },  { GPUPRIM_F16, 3, 1, 5, false, false },
        { GPUPRIM_U8, 12, 1, 16, false, false },  { GPUPRIM_F32, 12, 1, 16, false, false },
        { GPUPRIM_F16, 12, 1, 11, false, false }, { GPUPRIM_F16, 1, 0, -1, true, false },
        { GPUPRIM_F16, 12, 2, 32, false, false }, { GPUPRIM_F64, 1, 0, -1, true, false },
        { GPUPRIM_F16, 1, 0, -2, false, false },
    };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < COUNT(shapes); i++) {
        const struct gpuprim_filter f = convolve_filter_of(gp, shapes[i].type, 9, 1, 1);
        struct convolve_shape s = { .filter = &f,
                                    .n = 100000,
                                    .outputs = 100000,
                                    .rows = shapes[i].rows,
                                    .stride = shapes[i].stride,
                                    .row_stride = shapes[i].row_stride,
                                    .out_stride = (int64_t)shapes[i].rows,
                                    .out_row_stride = shapes[i].rows > 1 };
        struct tile t;
        gp_convolve_derive(&s);
        check->cases++;
        CHECK(check,
              gp_tile_choose(gp, &s, &t) && t.by_vectors == shapes[i].by_vectors &&
                  t.has_line_vectors == shapes[i].by_lines,
              "shape %u: by_vectors %d, by lines %d", i, t.by_vectors, t.has_line_vectors);
    }
    gpuprim_destroy(&gp);
}

// Which lines of outputs are asked for: short ones with gaps between them.
static void asks(struct check *check)
{
    static const struct {
        uint64_t rows, outputs;
        int64_t row_stride, stride;
        bool fetches;
    } shapes[] = {
        { 50, 1000, 1, 75, true },    { 50, 1000, -1, -75, true },  { 50, 1000, 1, 50, false },
        { 128, 1000, 1, 130, true },  { 129, 1000, 1, 131, false }, { 1000, 50, 75, 1, true },
        { 1000, 128, 200, -1, true }, { 1000, 129, 200, 1, false }, { 1000, 50, 50, 1, false },
        { 1000, 50, 150, 2, false },  { 1, 50, 0, 1, false },       { 50, 1, 1, 75, false },
    };
    for (unsigned i = 0; i < COUNT(shapes); i++) {
        const struct gpuprim_filter f = { .in = GPUPRIM_F32, .out = GPUPRIM_F32, .taps = 9 };
        const struct convolve_shape s = { .filter = &f,
                                          .rows = shapes[i].rows,
                                          .outputs = shapes[i].outputs,
                                          .out_stride = shapes[i].stride,
                                          .out_row_stride = shapes[i].row_stride };
        check->cases++;
        CHECK(check, gp_convolve_fetches(&s) == shapes[i].fetches, "shape %u: %d", i,
              gp_convolve_fetches(&s));
    }
}

// Which variants ask, of columns with gaps between their lines, and of such without.
static void asking_variants(struct check *check)
{
    static const struct {
        const struct gp_variant *variant;
        int64_t width;
        uint32_t asks;
    } calls[] = {
        { &gp_convolve_gpu_tile, 14, 1 }, { &gp_convolve_gpu_walk, 14, 1 },
        { &gp_convolve_gpu_roll, 14, 0 }, { &gp_convolve_gpu_tile, 12, 0 },
        { &gp_convolve_gpu_walk, 12, 0 },
    };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < COUNT(calls); i++) {
        const struct gpuprim_filter f = convolve_filter_of(gp, GPUPRIM_F32, 9, 1, 1);
        struct convolve_shape s = { .filter = &f,
                                    .n = 1000,
                                    .outputs = 1000,
                                    .rows = 12,
                                    .stride = 12,
                                    .row_stride = 1,
                                    .out_stride = calls[i].width,
                                    .out_row_stride = 1 };
        struct gp_key key = { .n = 0 };
        gp_convolve_derive(&s);
        gp_primitive_convolve1d.specialise(gp, &s, calls[i].variant, &key);
        check->cases++;
        CHECK(check, check_macro(check, &key, "FETCH") == calls[i].asks, "call %u: %u", i,
              check_macro(check, &key, "FETCH"));
    }
    gpuprim_destroy(&gp);
}

void convolve_gpu_tile_lines_run(struct check *check)
{
    if (check_begin(check, "convolve1d/gpu_tile/lines")) {
        lines(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/gpu_tile/backwards")) {
        backwards(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/gpu_tile/own_taps")) {
        own_taps(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/gpu_tile/choices")) {
        choices(check);
        asks(check);
        asking_variants(check);
        check_end(check);
    }
}
