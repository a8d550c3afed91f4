/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: gpu_folds and gpu_places with every pair of boundaries, on rows shorter
 * than the filter and longer ones, along and across memory, and with numbers of rows around
 * those of a group.
 * suite.c runs this file. */
#include "case.h"

#include <string.h>

#define ANY(check, ...)                                                                        \
    any(check, (const uint64_t[]){ __VA_ARGS__ },                                              \
        sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint64_t any(struct check *check, const uint64_t *list, unsigned n)
{
    return list[check_below(check, n)];
}

// A group of so few items has 1 to 4 lanes, each with 1 to 8 rows.
enum { GROUP = 4, MOST_ROWS = 32 };

// `is_few`: for gpu_row_registers.
static void one_case(struct check *check, gpuprim *gp, int left, int right, bool is_few)
{
    const bool is_wide = check_once_in(check, 8) && gp->caps.has_fp64;
    struct convolve_case test = { .kind = convolve_kinds[0] };
    if (is_wide)
        test.kind = (struct convolve_kind){ .taps = GPUPRIM_F64,
                                            .in = GPUPRIM_F64,
                                            .out = GPUPRIM_F64 };
    test.count = is_few ? ANY(check, 1, 2, 3, 7, 16, 41) : ANY(check, 1, 2, 3, 7, 13, 30, 100);
    test.taps = is_few ? ANY(check, 1, 2, 5, 9, 17) : ANY(check, 1, 2, 9, 30, 139);
    test.params = (struct gpuprim_filter_params){
        .dilation = ANY(check, 1, 1, 3, test.taps < 100 ? 21 : 2),
        .stride = ANY(check, 1, 1, 2, 5),
        .mode = ANY(check, GPUPRIM_SAME, GPUPRIM_SAME_UPPER, GPUPRIM_CAUSAL),
        .left = (enum gpuprim_boundary)left,
        .right = (enum gpuprim_boundary)right,
    };
    test.rows = check_once_in(check, 2)
                    ? 1 + check_below(check, MOST_ROWS + 4)
                    : 8 * (1 + check_below(check, 4)) - 1 + check_below(check, 3);
    test.updates_history = check_once_in(check, 2);
    test.in.stride = test.out.stride = test.history.stride = 1 + (int64_t)check_below(check, 2);
    if (check_once_in(check, 3)) {
        test.in.stride = (int64_t)test.rows + 1;
        test.in.row_stride = 1;
    } else if (is_few && check_once_in(check, 3)) { // rows of frames that overlap
        test.in.stride = 1;
        test.in.row_stride = 8;
    }
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    convolve_constant(&test);
    convolve_run(check, gp, &test);
}

// Sums in f32, in 32 bits and in 64, or in f64.
static const struct convolve_kind whole[] = {
    { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U8 },
    { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
    { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I32 },
    { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I64 },
};

// Long filters: taps that are folded, taps in global memory, and phases of which each team makes
// a table of its own.
static void long_case(struct check *check, gpuprim *gp, int left, int right)
{
    enum { FOLDED, FAR, PHASES, WAYS };
    const unsigned way = (unsigned)check_below(check, WAYS);
    struct convolve_case test = { .kind = convolve_kinds[check_once_in(check, 2) ? 0 : 5] };
    if (way == FOLDED || (way == PHASES && check_once_in(check, 2)))
        test.kind = whole[check_below(check, sizeof whole / sizeof *whole)];
    test.tap_bits = (unsigned)ANY(check, 1, 9, 0);
    test.small_taps = !test.tap_bits && check_once_in(check, 2);
    test.count = way == FAR ? ANY(check, 5, 38) : ANY(check, 1, 2, 3, 30, 83);
    test.taps = way == FAR ? 3721 : ANY(check, 300, 1011);
    test.rows = 1 + check_below(check, MOST_ROWS + 4);
    test.params = (struct gpuprim_filter_params){
        .dilation = way == PHASES ? ANY(check, 27, 32) : ANY(check, 1, 1, 5),
        .stride = ANY(check, 1, 1, 2, 5),
        .mode = ANY(check, GPUPRIM_SAME, GPUPRIM_SAME_UPPER, GPUPRIM_CAUSAL),
        .left = (enum gpuprim_boundary)left,
        .right = (enum gpuprim_boundary)right,
    };
    if (check_once_in(check, 3)) { // columns, forwards or backwards
        const int64_t turn = check_once_in(check, 2) ? -1 : 1;
        test.in.stride = test.out.stride = turn * ((int64_t)test.rows + 2);
        test.in.row_stride = test.out.row_stride = 1;
    }
    if (test.kind.taps == GPUPRIM_I32)
        test.params.shift = 4 + (unsigned)check_below(check, 12);
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    convolve_constant(&test);
    convolve_run(check, gp, &test);
}

static void all_pairs(struct check *check, const char *variant)
{
    if (!check_begin(check, "convolve1d/%s", variant))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", variant, GROUP);
    const bool is_few = strcmp(variant, "gpu_row_registers") == 0;
    const int step = check->quick ? 5 : 1;
    const int lefts =
        GPUPRIM_HISTORY + (strcmp(variant, "gpu_places") != 0); // which takes no history
    for (int pair = 0; gp && pair < GPUPRIM_HISTORY * lefts; pair += step)
        one_case(check, gp, pair / GPUPRIM_HISTORY, pair % GPUPRIM_HISTORY, is_few);
    CHECK(check, check->not_taken * 4 <= check->cases, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
    check_end(check);
}

// Histories as long as these filters seldom have room: they are left out.
static void long_pairs(struct check *check, const char *variant)
{
    if (!check_begin(check, "convolve1d/%s/long", variant))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", variant, GROUP);
    const int step = check->quick ? 5 : 1;
    for (int pair = 0; gp && pair < GPUPRIM_HISTORY * GPUPRIM_HISTORY; pair += step)
        long_case(check, gp, pair / GPUPRIM_HISTORY, pair % GPUPRIM_HISTORY);
    CHECK(check, check->not_taken * 8 <= check->cases, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
    check_end(check);
}

// For a simulator that looks for races: folded taps, and tables of teams.
static void tiny(struct check *check, const char *variant)
{
    static const struct convolve_case cases[] = {
        { .kind = { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
          .taps = 150,
          .count = 5,
          .rows = 3,
          .params = { .left = GPUPRIM_WRAP, .right = GPUPRIM_EDGE } },
        { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
          .taps = 500,
          .count = 40,
          .rows = 2,
          .params = { .left = GPUPRIM_REFLECT_HALF, .dilation = 32 } },
    };
    if (!check_begin(check, "convolve1d/tiny/%s/long", variant))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", variant, GROUP);
    for (unsigned i = 0; gp && i < sizeof cases / sizeof *cases; i++) {
        struct convolve_case test = cases[i];
        test.tap_bits = 9;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
    check_end(check);
}

// So many rows that an item of gpu_row_registers takes several.
static void many_rows(struct check *check)
{
    if (!check_begin(check, "convolve1d/gpu_row_registers/many"))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_row_registers", 4 * GROUP);
    for (int i = 0; gp && i < (check->quick ? 2 : 12); i++) {
        struct convolve_case test = { .kind =
                                          convolve_kinds[check_below(check, CONVOLVE_KINDS)],
                                      .taps = ANY(check, 1, 2, 3, 5),
                                      .count = ANY(check, 1, 2, 3, 5),
                                      .small_taps = true };
        if (test.kind.in == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        test.params.mode = GPUPRIM_CAUSAL;
        test.params.left = (enum gpuprim_boundary)check_below(check, 7);
        test.params.right = (enum gpuprim_boundary)check_below(check, 6);
        convolve_constant(&test);
        // 8192 rows, and so many groups: gpu_row_registers.c.
        test.rows = 8192 * gp->caps.compute_units * (1 + check_below(check, 2)) +
                    check_below(check, 100);
        test.updates_history = check_once_in(check, 2);
        test.in.stride = check_once_in(check, 4) ? -1 : 1;
        test.in.row_stride = (int64_t)(test.count + check_below(check, 2));
        if (check_once_in(check, 4)) {
            test.out.stride = (int64_t)test.rows;
            test.out.row_stride = 1;
        } else {
            test.out.stride = 1;
            test.out.row_stride = (int64_t)(test.count + check_below(check, 2));
        }
        test.in.lead = check_below(check, 5);
        test.out.lead = check_below(check, 5);
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}

// So many rows that an item of gpu_folds takes several: gpu_folds_layout.c.
static void many_folds(struct check *check)
{
    if (!check_begin(check, "convolve1d/gpu_folds/many"))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_folds", GROUP);
    for (int i = 0; gp && i < (check->quick ? 4 : 16); i++) {
        struct convolve_case test = { .kind =
                                          convolve_kinds[check_below(check, CONVOLVE_KINDS)],
                                      .taps = ANY(check, 9, 30, 139),
                                      .count = ANY(check, 1, 2, 5, 13),
                                      .small_taps = true };
        if (i % 4 == 0)
            test.kind = whole[check_below(check, 2)];
        if (test.kind.in == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        test.params.stride = ANY(check, 1, 1, 3);
        test.params.left = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY);
        test.params.right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY);
        convolve_constant(&test);
        test.rows = 3072 * gp->caps.compute_units + check_below(check, 100);
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
    check_end(check);
}

void convolve_gpu_folds_run(struct check *check)
{
    static const char *const variants[] = { "gpu_folds", "gpu_places" };
    many_rows(check);
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        tiny(check, variants[i]);
        all_pairs(check, variants[i]);
        long_pairs(check, variants[i]);
    }
    all_pairs(check, "gpu_row_registers");
    many_folds(check);
}
