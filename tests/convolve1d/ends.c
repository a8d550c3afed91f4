/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: rows that end exactly where a window of a host array or a tile of a
 * kernel ends, or a little before and behind. suite.c runs this file. */
#include "case.h"

#include <string.h>

#include "src/convolve1d/arguments.h"
#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct convolve_case plain = { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                            .rows = 1 };

// A pair of sides that makes a difference, and a mode.
static void any_sides(struct check *check, struct convolve_case *test)
{
    test->params = (struct gpuprim_filter_params){ .dilation = test->params.dilation,
                                                   .stride = test->params.stride };
    test->params.left = (enum gpuprim_boundary)(1 + check_below(check, 6));
    test->params.right = (enum gpuprim_boundary)(1 + check_below(check, 5));
    test->params.mode = check_once_in(check, 2) ? GPUPRIM_SAME : GPUPRIM_FULL;
    convolve_constant(test);
}

// Host arrays in windows of ROOM_IN inputs. Rows and filters are a little shorter or longer
// than a window, and than each other.
enum { ROOM_IN = 8 };

static void windows_on(struct check *check, const struct device_model *model)
{
    static const uint64_t halos[] = { ROOM_IN - 2, ROOM_IN - 1, ROOM_IN, ROOM_IN + 1, 21, 40 };
    static const uint64_t counts[] = { ROOM_IN + 1, ROOM_IN + 2, 2 * ROOM_IN, 20, 21, 22, 41 };
    struct convolve_case test = plain;
    gpuprim *gp = check_context_on(check, model, "convolve1d:baseline", 0);
    if (!gp)
        return;
    gp->staging_bytes = 4 * ROOM_IN * sizeof(float);
    gp->caps.max_alloc_bytes = ROOM_IN * sizeof(float);
    for (unsigned r = 0; r < COUNT(halos); r++)
        for (unsigned c = 0; c < COUNT(counts); c++)
            for (int turn = 0; turn < 3; turn++) {
                test.count = counts[c];
                test.rows = 1 + check_below(check, 3);
                test.taps = halos[r] % 2 ? halos[r] + 1 : 3; // even halos: 3 taps, dilated
                test.params.dilation = halos[r] % 2 ? 1 : halos[r] / 2;
                any_sides(check, &test);
                if (turn == 2)
                    test.params.left = GPUPRIM_HISTORY;
                convolve_constant(&test);
                test.params.stride = 1 + check_below(check, 2);
                test.updates_history = true;
                test.after_is_before = check_once_in(check, 2);
                test.history.memory = check_once_in(check, 2) ? GPUPRIM_BUFFER : GPUPRIM_HOST;
                convolve_run(check, gp, &test);
            }
    gpuprim_destroy(&gp);
}

static void windows(struct check *check)
{
    if (model_device_is_cpu()) // others cannot use host arrays in place
        windows_on(check, NULL);
    windows_on(check, &model_gpu);
}

// Rows of every length up to about two tiles, so that a tile ends one input before the end of
// the row, at it, and one behind. Inputs and outputs begin some elements behind an aligned
// vector. With so many taps a group of gpu_register_window takes two tiles, one of
// gpu_tap_chunks two chunks. gpu_tile takes lines of `dilation` inputs, or every stride-th
// line.
struct tiling {
    const char *name, *variant;
    uint64_t taps, dilation, stride;
    struct convolve_kind kind;
    unsigned tap_bits, shift;
    uint64_t rows; // 0: one. Others have gaps, perhaps
};

// From row to row: packed, or with short or long gaps behind `count` elements. Some short ones have
// room for what stands beyond the ends of rows.
static int64_t any_pitch(struct check *check, uint64_t count)
{
    const uint64_t gap = check_below(check, check_once_in(check, 2) ? 4 : 24);
    return check_once_in(check, 4)   ? 0
           : check_once_in(check, 2) ? (int64_t)(count + gap)
                                     : (int64_t)(3 * count + gap + 100);
}

// Three calls on rows of `n` inputs.
static void tile_row(struct check *check, gpuprim *gp, struct convolve_case *test, uint64_t n,
                     unsigned shift)
{
    test->count = n;
    for (int turn = 0; turn < 3; turn++) {
        any_sides(check, test);
        test->params.shift = shift;
        if (turn == 0) { // only the last tile reaches the end of the row
            test->params.mode = GPUPRIM_CAUSAL;
            test->params.right = GPUPRIM_CONSTANT;
        }
        if (turn == 1)
            test->params.left = GPUPRIM_HISTORY;
        convolve_constant(test);
        test->in.lead = check_below(check, 16);
        test->out.lead = check_below(check, 16);
        if (test->rows > 1) {
            test->in.row_stride = any_pitch(check, n);
            test->out.row_stride =
                any_pitch(check, n + (test->taps - 1) * test->params.dilation);
        }
        test->updates_history = true;
        convolve_run(check, gp, test);
    }
}

// Where the one row lies from its last element to its first.
static const struct direction {
    const char *name;
    bool in_back, out_back;
} directions[] = { { "", false, false },
                   { "_back", true, false },
                   { "_to_back", false, true },
                   { "_both_back", true, true } };

static void tiles(struct check *check, const struct tiling *tiling,
                  const struct direction *direction)
{
    enum { GROUP = 4, MOST = 160, MOST_OF_ROWS = 60, LENGTHS = 3, NARROW_ROWS = 16 };
    const bool is_narrow = strcmp(tiling->variant, "gpu_narrow") == 0;
    const uint64_t taps = tiling->taps, most = gp_type_size(tiling->kind.in) == 1 ? 300 : MOST;
    gpuprim *gp =
        check_variant(check, "convolve1d", tiling->variant, tiling->rows ? 4 * GROUP : GROUP);
    // So that a group takes several tiles, or rows, in small launches, too.
    if (gp)
        gp->caps.compute_units = 1;
    struct convolve_case test = plain;
    test.taps = taps;
    test.params.dilation = tiling->dilation;
    test.params.stride = tiling->stride;
    test.rows = tiling->rows ? tiling->rows : is_narrow ? NARROW_ROWS : 1;
    test.kind = tiling->kind;
    test.tap_bits = tiling->tap_bits;
    test.small_taps = true;
    test.is_tight = true;
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    test.in.stride = direction->in_back ? -1 : 0;
    test.out.stride = direction->out_back ? -1 : 0;
    const uint64_t step = is_narrow       ? (check->quick ? 40 : 3)
                          : !check->quick ? 1
                          : taps < 100    ? 7
                                          : 40;
    // Several rows of different lengths have programs of their own, which take long to compile.
    if (gp && tiling->rows)
        for (unsigned i = 0; i < LENGTHS; i++)
            tile_row(check, gp, &test, 1 + check_below(check, MOST_OF_ROWS), tiling->shift);
    else
        for (uint64_t n = 1 + check_below(check, step); gp && n <= most; n += step)
            tile_row(check, gp, &test, n, tiling->shift);
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
}

#define KIND(taps, in, out)                                                                    \
    {                                                                                          \
        GPUPRIM_##taps, GPUPRIM_##in, GPUPRIM_##out                                            \
    }
#define F32 KIND(F32, F32, F32)
static const struct tiling tilings[] = {
    { "gpu_register_window", "gpu_register_window", 33, 1, 1, F32, 0, 0, 0 },
    { "gpu_register_window_u8", "gpu_register_window", 6, 1, 1, KIND(I32, U8, U8), 3, 4, 0 },
    { "gpu_register_window_i16", "gpu_register_window", 5, 1, 1, KIND(F32, I16, F32), 0, 0, 0 },
    { "gpu_register_window_c32", "gpu_register_window", 4, 1, 1, KIND(F32, C32, C32), 0, 0, 0 },
    { "gpu_register_window_f64", "gpu_register_window", 2, 1, 1, KIND(F64, F64, F64), 0, 0, 0 },
    { "gpu_tap_chunks", "gpu_tap_chunks", 200, 1, 1, F32, 0, 0, 0 },
    { "gpu_tap_chunks_few", "gpu_tap_chunks", 1, 1, 1, F32, 0, 0, 0 },
    { "gpu_tap_chunks_lanes", "gpu_tap_chunks", 50, 3, 1, F32, 0, 0, 0 },
    { "gpu_tap_chunks_step", "gpu_tap_chunks", 50, 1, 2, F32, 0, 0, 0 },
    { "gpu_tap_chunks_gaps", "gpu_tap_chunks", 50, 2, 26, F32, 0, 0, 0 },
    { "gpu_tile", "gpu_tile", 17, 1, 1, F32, 0, 0, 0 },
    { "gpu_tile_lanes", "gpu_tile", 17, 2, 1, F32, 0, 0, 0 },
    { "gpu_tile_step", "gpu_tile", 5, 1, 2, F32, 0, 0, 0 },
    { "gpu_tile_phases", "gpu_tile", 3, 4, 6, F32, 0, 0, 0 },
    { "gpu_tile_gaps", "gpu_tile", 2, 3, 13, F32, 0, 0, 0 },
    { "gpu_tile_rows", "gpu_tile", 5, 1, 1, F32, 0, 0, 80 },
    { "gpu_tile_rows_i8", "gpu_tile", 4, 1, 1, KIND(F32, I8, I8), 0, 0, 80 },
    { "gpu_tile_rows_f64", "gpu_tile", 3, 2, 1, KIND(F64, F64, F64), 0, 0, 80 },
    { "gpu_tile_rows_step", "gpu_tile", 6, 1, 2, KIND(F32, U16, U8), 0, 0, 80 },
    { "gpu_narrow_dot_u8", "gpu_narrow", 13, 1, 1, KIND(I32, U8, U8), 3, 5, 0 },
    { "gpu_narrow_dot_i8", "gpu_narrow", 34, 1, 1, KIND(I32, I8, I16), 7, 4, 0 },
    { "gpu_narrow_dot_i16", "gpu_narrow", 19, 1, 1, KIND(I32, I16, I16), 4, 6, 0 },
    { "gpu_narrow_dot_u16", "gpu_narrow", 8, 1, 1, KIND(I32, U16, U8), 5, 11, 0 },
    { "gpu_register_window_lanes", "gpu_register_window", 7, 3, 1, F32, 0, 0, 0 },
    { "gpu_narrow_lanes_dot", "gpu_narrow", 6, 2, 1, KIND(I32, U8, U8), 4, 5, 0 },
    { "gpu_narrow_lanes", "gpu_narrow", 4, 5, 1, KIND(F32, I16, I16), 0, 0, 0 },
    { "gpu_narrow_i8", "gpu_narrow", 3, 1, 1, KIND(I32, I8, I8), 12, 9, 0 },
    { "gpu_narrow_i16", "gpu_narrow", 6, 1, 1, KIND(F32, I16, I8), 0, 0, 0 },
    { "gpu_narrow_u16", "gpu_narrow", 3, 1, 1, KIND(I32, U16, I32), 0, 3, 0 },
    { "gpu_narrow_f16", "gpu_narrow", 13, 1, 1, KIND(F32, F16, F32), 0, 0, 0 },
};

// Steps of elements of 8 bytes, where so many outputs are worth three vectors for an item. Those of
// eight residues do not fit the local memory of gpu_tap_chunks.
static void steps(struct check *check)
{
    enum { OUTPUTS = 1500, LEAST_STEP = 5, MOST_STEP = 8 }; // two groups, nearly full
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tap_chunks", 0);
    const bool is_wide = check_once_in(check, 2);
    struct convolve_case test = plain;
    if (gp)
        gp->caps.compute_units = 1;
    test.taps = 300;
    test.kind = is_wide ? (struct convolve_kind)KIND(F32, C32, C32)
                        : (struct convolve_kind)KIND(F64, F64, F64);
    test.in.memory = test.out.memory = GPUPRIM_BUFFER;
    for (unsigned step = MOST_STEP; gp && step >= LEAST_STEP; step -= check->quick ? 3 : 1) {
        test.params.stride = step;
        any_sides(check, &test);
        test.params.mode = GPUPRIM_SAME;
        test.count = OUTPUTS * step;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Many lanes that need a few inputs beyond an end. These are found one by one; the others come
// by steps, as in lanes that are inside.
static void many_lanes(struct check *check)
{
    enum { ROWS = 600, CASES = 9 };
    static const struct convolve_kind kinds[] = { F32, KIND(F32, I8, F32),
                                                  KIND(F32, C32, C32) };
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tap_chunks", 0);
    struct convolve_case test = plain;
    if (gp)
        gp->caps.compute_units = 1;
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    for (int i = 0; gp && i < (check->quick ? 3 : CASES); i++) {
        test.kind = kinds[check_below(check, COUNT(kinds))];
        test.rows = ROWS + check_below(check, 50);
        test.count = 100 + check_below(check, 60);
        test.taps = 2 + check_below(check, 8);
        test.params.stride = 1 + (uint64_t)i % 3;
        test.params.dilation = 1 + check_below(check, 2);
        any_sides(check, &test);
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Lanes that take groups of 160 items of a device whose warps have 32.
static void long_lanes(struct check *check)
{
    static const struct convolve_kind kinds[] = { F32, KIND(F32, U16, U16) };
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tap_chunks", 0);
    struct convolve_case test = plain;
    if (gp) {
        gp->caps.compute_units = 1;
        gp->caps.width = 32;
    }
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    test.params.stride = 2;
    for (unsigned i = 0; gp && i < 4; i++) {
        test.kind = kinds[i % 2];
        test.rows = 2;
        test.params.dilation = i < 2 ? 11 : 9;
        test.count = test.params.dilation * (i % 2 ? 3480 : 3700);
        test.taps = 20 + check_below(check, 60);
        any_sides(check, &test);
        test.params.mode = GPUPRIM_SAME;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// The taps of a group of 128 items end where its local memory ends. Steps beyond 8 are an
// argument of the kernel. Taps of the integers that are summed in f64 take more room than inputs.
static void rooms_of_taps(struct check *check)
{
    enum { GROUP = 128, VECTOR = 16, MOST = 1500, ROOM = GROUP * 15 + 16 };
    static const uint64_t strides[] = { 9, 12, 16, 20, 32 }, counts[] = { 100, 200, 500, MOST };
    static const int32_t taps[2 * MOST] = { 3, 5 };
    gpuprim *gp = check_context_on(check, &model_gpu, "convolve1d:gpu_tap_chunks", 0);
    if (gp)
        gp->caps.has_fast_fp64 = gp->caps.has_fp64;
    for (unsigned i = 0; gp && i < 2 * COUNT(strides) * COUNT(counts); i++) {
        const uint64_t rows = 1 + i % 2, n = counts[i / 2 % COUNT(counts)];
        const struct gpuprim_filter_params params = { .in = GPUPRIM_I32,
                                                      .stride =
                                                          strides[i / 2 / COUNT(counts)] };
        struct gpuprim_array h = gpuprim_host(GPUPRIM_I32, taps, n);
        h.rows = rows;
        h.row_stride = 0;
        gpuprim_filter *filter = NULL;
        check->cases++;
        if (!CHECK(check, !gpuprim_filter_create(gp, &h, &params, &filter), "%s",
                   gpuprim_last_error()))
            break;
        const struct convolve_shape s = gp_convolve_packed_shape(filter);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        const struct convolve_ops *ops = v->ops;
        struct convolve_layout l = { .groups = 0 };
        struct chunk_arguments c;
        ops->lay_out(gp, &s, v, GROUP, &l);
        memcpy(&c, l.own, sizeof c);
        const uint64_t bytes = (uint64_t)c.chunk * filter->size * (rows > 1 ? c.together : 1);
        CHECK(check, c.taps_at + gp_ceil_div(bytes, VECTOR) <= ROOM,
              "step %llu, %llu taps, %llu rows of them: the taps end at %llu of %d",
              (unsigned long long)params.stride, (unsigned long long)n,
              (unsigned long long)rows,
              (unsigned long long)(c.taps_at + gp_ceil_div(bytes, VECTOR)), (int)ROOM);
        gpuprim_filter_destroy(&filter);
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------

void convolve_ends_run(struct check *check)
{
    if (check_begin(check, "convolve1d/limits/windows")) {
        windows(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/steps")) {
        steps(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/many_lanes")) {
        many_lanes(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/long_lanes")) {
        long_lanes(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/rooms_of_taps")) {
        rooms_of_taps(check);
        check_end(check);
    }
    for (unsigned i = 0; i < COUNT(tilings); i++) {
        const bool is_turned =
            tilings[i].dilation == 1 && strcmp(tilings[i].variant, "gpu_register_window") == 0;
        for (unsigned k = 0; k < (is_turned ? COUNT(directions) : 1); k++)
            if (check_begin(check, "convolve1d/limits/tiles/%s%s", tilings[i].name,
                            directions[k].name)) {
                tiles(check, &tilings[i], &directions[k]);
                check_end(check);
            }
    }
}
