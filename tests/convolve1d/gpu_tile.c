/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: what gpu_tile does for few calls alone: long filters in turns, inputs
 * that lie by phases in local memory, what lies far beyond the ends, and inputs that no output
 * needs. suite.c runs this file. */
#include "case.h"

#include <string.h>

#include "src/convolve1d/convolve1d.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

gpuprim *convolve_tile_context(struct check *check, unsigned work_group)
{
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tile", work_group);
    if (gp) // so that small launches have many outputs for an item
        gp->caps.compute_units = 1;
    return gp;
}

static void any_sides(struct check *check, struct convolve_case *test)
{
    test->params.left = (enum gpuprim_boundary)(1 + check_below(check, 6));
    test->params.right = (enum gpuprim_boundary)(1 + check_below(check, 5));
    convolve_constant(test);
}

// A number that the kernel for a filter is compiled with, for long packed rows.
static uint32_t macro_of(struct check *check, gpuprim *gp, const struct convolve_case *test,
                         const char *name)
{
    enum { MOST_TAPS = 256 };
    const double taps[2 * MOST_TAPS] = { 0 }; // zeros of any type
    struct gpuprim_filter_params params = test->params;
    params.in = test->kind.in;
    params.out = test->kind.out;
    struct gpuprim_array h = gpuprim_host(test->kind.taps, (void *)taps, test->taps);
    gpuprim_filter *filter = NULL;
    if (!CHECK(check, !gpuprim_filter_create(gp, &h, &params, &filter), "%s",
               gpuprim_last_error()))
        return 0;
    const struct convolve_shape s = gp_convolve_packed_shape(filter);
    const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
    struct gp_key key = { .n = 0 };
    uint32_t value = 0;
    ((const struct convolve_ops *)v->ops)->specialise(gp, &s, v, &key);
    for (unsigned i = 0; i < key.n; i++)
        if (strcmp(key.macros[i].name, name) == 0)
            value = (uint32_t)key.macros[i].value;
    gpuprim_filter_destroy(&filter);
    return value;
}

// Without a loop the code would be too long, or an item would have too many inputs.
static void turns(struct check *check)
{
    enum { OUTPUTS = 6900, PARAMETERS = 4352 }; // more items than a compute unit takes
    static const struct {
        struct convolve_kind kind;
        uint64_t taps, stride, dilation;
    } cases[] = {
        { { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, 66, 1, 3 },
        { { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, 66, 2, 1 },
        { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 132, 1, 4 },
        { { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 }, 254, 2, 1 }, // too long to be unrolled
        { { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I32 }, 250, 3, 1 },
    };
    gpuprim *gp = convolve_tile_context(check, 0);
    if (gp && gp->caps.max_parameter_bytes < PARAMETERS)
        gp->caps.max_parameter_bytes = PARAMETERS; // PoCL says less than it takes
    for (unsigned i = 0; gp && i < COUNT(cases); i++) {
        struct convolve_case test = { .kind = cases[i].kind, .taps = cases[i].taps, .rows = 1 };
        test.in.memory = test.out.memory = GPUPRIM_BUFFER;
        test.params.stride = cases[i].stride;
        test.params.dilation = cases[i].dilation;
        any_sides(check, &test);
        test.count = OUTPUTS * cases[i].stride + check_below(check, 9);
        if (test.kind.in == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        CHECK(check, macro_of(check, gp, &test, "LOOP") == 1, "%u taps of %s have no loop",
              (unsigned)test.taps, gp_type_name(test.kind.in));
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Steps with dilations whose phases would read from few banks of local memory. Packed rows come by
// vectors, others by elements.
static void phases(struct check *check)
{
    static const struct {
        struct convolve_kind kind;
        uint64_t taps, dilation, stride;
    } cases[] = {
        { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 9, 27, 8 },
        { { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_I16 }, 100, 15, 8 },
        { { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 }, 60, 31, 4 },
        { { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 }, 17, 9, 4 },
        { { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, 5, 17, 8 },
    };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 3 * COUNT(cases); i++) {
        struct convolve_case test = {
            .kind = cases[i / 3].kind, .taps = cases[i / 3].taps, .rows = 1, .small_taps = true
        };
        test.params.dilation = cases[i / 3].dilation;
        test.params.stride = cases[i / 3].stride;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        if (i % 3 == 0)
            CHECK(check, macro_of(check, gp, &test, "SORTED") > 1,
                  "dilation %u, stride %u: inputs do not lie by phases",
                  (unsigned)test.params.dilation, (unsigned)test.params.stride);
        test.in.stride = i % 3 == 2 ? 3 : 1;
        test.in.lead = check_below(check, 16);
        any_sides(check, &test);
        test.count = 3000 + check_below(check, 9000);
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Even steps: a padded tile where that spares more turns than it takes instructions, else one as in
// x. Long rows and short ones, which outputs need whole or in part.
static void pads(struct check *check)
{
    static const struct {
        struct convolve_kind kind;
        uint64_t taps, stride;
        bool is_padded;
    } cases[] = {
        { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 33, 2, true },
        { { GPUPRIM_F32, GPUPRIM_U16, GPUPRIM_F32 }, 40, 8, true },
        { { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_I16 }, 5, 6, false },
        { { GPUPRIM_F32, GPUPRIM_I8, GPUPRIM_I8 }, 9, 3, false },
    };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 3 * COUNT(cases); i++) {
        struct convolve_case test = {
            .kind = cases[i / 3].kind, .taps = cases[i / 3].taps, .rows = 1, .small_taps = true
        };
        test.params.stride = cases[i / 3].stride;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        if (i % 3 == 0)
            CHECK(check, macro_of(check, gp, &test, "PADDED") == cases[i / 3].is_padded,
                  "%u taps, stride %u: is_padded is not %d", (unsigned)test.taps,
                  (unsigned)test.params.stride, cases[i / 3].is_padded);
        test.rows = i % 3 ? 40 : 1;
        test.params.mode = i % 3 == 1 ? GPUPRIM_VALID : GPUPRIM_SAME;
        any_sides(check, &test);
        test.count = (i % 3 ? 60 : 9000) + check_below(check, 90);
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Elements apart, of which outputs need few: those between them are not loaded.
static void gaps(struct check *check)
{
    gpuprim *gp = convolve_tile_context(check, 0);
    for (uint64_t taps = 1; gp && taps <= 4; taps++) {
        struct convolve_case test = { .kind = { GPUPRIM_F32, GPUPRIM_I16, GPUPRIM_F32 },
                                      .taps = taps,
                                      .rows = taps == 3 ? 5 : 1 };
        test.params.stride = 2 * taps + 1;
        test.params.dilation = taps == 2 ? 2 : 1;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        test.in.stride = 3;
        test.out.stride = (int64_t)test.rows; // long rows that become channels
        test.out.row_stride = test.rows > 1;
        any_sides(check, &test);
        test.count = 5000 + check_below(check, 5000);
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Rows that are shorter than the filter's reach: most of what stands in local memory lies
// beyond the ends, some periods away. With long steps, or where outputs need the beginning of a
// row alone, an input that stands beyond an end may be one that no output needs.
static void far_ends(struct check *check)
{
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F16 },
                                                  { GPUPRIM_F32, GPUPRIM_I8, GPUPRIM_I8 },
                                                  { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 },
                                                  { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 } };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 24; i++) {
        const bool has_steps = i >= 16 && i < 20, is_part = i >= 20;
        struct convolve_case test = { .kind = kinds[i % COUNT(kinds)],
                                      .taps = has_steps ? 9 : 22,
                                      .rows = 80 + check_below(check, 60),
                                      .outputs = 20 };
        test.params.mode = has_steps ? GPUPRIM_SAME : is_part ? GPUPRIM_EXPLICIT : GPUPRIM_FULL;
        test.params.dilation = has_steps ? 1 : 14;
        test.params.stride = has_steps ? 16 : 1;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        any_sides(check, &test);
        if (i >= 16)
            test.params.left = GPUPRIM_WRAP;
        if (i >= 12 && i < 16) {
            test.params.left = i != 14 ? GPUPRIM_ZERO : GPUPRIM_CONSTANT;
            test.params.right = i == 12 ? GPUPRIM_CONSTANT : GPUPRIM_ZERO;
        }
        convolve_constant(&test);
        test.count = i < 8 ? 1 + i / 4 : has_steps ? 20 + i : 3 + check_below(check, 140);
        test.in.row_stride = (int64_t)(test.count + (i % 3 ? 60 + check_below(check, 90) : 0));
        test.out.row_stride = check_once_in(check, 2) ? 1000 : 0;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// Long ends that are one constant, which is put everywhere first, of rows that lie one behind the
// other, or with a gap: what is loaded beside a row must not stay in the ends of its neighbours.
static void filled_ends(struct check *check)
{
    static const struct {
        struct convolve_kind kind;
        uint64_t count, taps, dilation, gap;
        bool is_right;
        enum gpuprim_boundary left, right;
    } cases[] = {
        { { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 }, 91, 73, 1, 0, false, 0, 0 },
        { { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 }, 91, 73, 1, 0, false, 0, GPUPRIM_EDGE },
        { { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 }, 91, 73, 1, 0, true, 0, 0 },
        { { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 }, 91, 73, 1, 0, true, GPUPRIM_EDGE, 0 },
        { { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 }, 43, 22, 14, 24, false, 0, 0 },
        { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 75, 22, 14, 24, false, 0, 0 },
        { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 43, 22, 14, 24, false, 0, 0 },
        { { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 }, 41, 22, 14, 16, false, 0, 0 },
        { { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 }, 40, 22, 14, 16, true, 0, 0 },
        { { GPUPRIM_F32, GPUPRIM_I8, GPUPRIM_I8 }, 30, 22, 14, 64, false, 0, 0 },
    };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < COUNT(cases); i++) {
        struct convolve_case test = { .kind = cases[i].kind,
                                      .taps = cases[i].taps,
                                      .rows = 240,
                                      .count = cases[i].count,
                                      .outputs = cases[i].count };
        test.params.mode = cases[i].is_right ? GPUPRIM_EXPLICIT : GPUPRIM_CAUSAL;
        test.params.dilation = cases[i].dilation;
        test.params.offset =
            cases[i].is_right ? (int64_t)((cases[i].taps - 1) * cases[i].dilation) : 0;
        test.params.left = cases[i].left;
        test.params.right = cases[i].right;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        test.in.row_stride = (int64_t)(cases[i].count + cases[i].gap);
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// So little work for a row that items take four of them: the last group lacks some.
static void rows_of_items(struct check *check)
{
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                                  { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_F16 },
                                                  { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I32 },
                                                  { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 } };
    gpuprim *gp = convolve_tile_context(check, 0);
    for (unsigned i = 0; gp && i < 12; i++) {
        struct convolve_case test = { .kind = kinds[i % COUNT(kinds)],
                                      .taps = 2 + i % 3,
                                      .rows = 1000 + check_below(check, 600),
                                      .small_taps = true };
        test.params.dilation = 13 + check_below(check, 20);
        test.params.stride = i == 7 ? 3 : 1;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        any_sides(check, &test);
        test.count = test.params.dilation * 2 + check_below(check, 9);
        test.in.row_stride = (int64_t)(test.count + (i % 3 ? check_below(check, 90) : 0));
        test.out.row_stride = i % 4 == 1 ? 2 * (int64_t)test.count : 0;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

// As many lanes as a group of 256 items has: channels side by side, each with its phases. They stay
// channels or become rows.
static void wide(struct check *check)
{
    static const struct {
        uint64_t channels, dilation;
    } cases[] = { { 5, 17 }, { 8, 26 }, { 1, 130 }, { 3, 85 }, { 13, 5 }, { 64, 4 } };
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                                  { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_F16 },
                                                  { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 } };
    gpuprim *gp = convolve_tile_context(check, 256);
    for (unsigned i = 0; gp && i < COUNT(cases); i++) {
        const uint64_t channels = cases[i].channels;
        struct convolve_case test = { .kind = kinds[check_below(check, COUNT(kinds))],
                                      .taps = 1 + check_below(check, 9),
                                      .rows = channels };
        test.params.dilation = cases[i].dilation;
        test.params.stride = test.params.dilation % 2 && check_once_in(check, 2) ? 2 : 1;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        test.in.stride = (int64_t)channels;
        test.in.row_stride = channels > 1;
        if (check_once_in(check, 2)) {
            test.out.stride = (int64_t)channels;
            test.out.row_stride = channels > 1;
        }
        any_sides(check, &test);
        test.count = 3000 + check_below(check, 3000);
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
    gpuprim_destroy(&gp);
}

void convolve_gpu_tile_run(struct check *check)
{
    if (check_begin(check, "convolve1d/limits/wide")) {
        wide(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/far_ends")) {
        far_ends(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/filled_ends")) {
        filled_ends(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/rows_of_items")) {
        rows_of_items(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/turns")) {
        turns(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/phases")) {
        phases(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/pads")) {
        pads(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/gaps")) {
        gaps(check);
        check_end(check);
    }
}
