/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: gpu_byte_matrices with every pair of boundaries, taps and data of all
 * numbers of bytes, short rows and long ones, along and across memory, and steps and dilations
 * that move the taps of a block by any number of bytes. suite.c runs this file. */
#include "case.h"

#define ANY(check, ...)                                                                        \
    any(check, (const uint64_t[]){ __VA_ARGS__ },                                              \
        sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint64_t any(struct check *check, const uint64_t *list, unsigned n)
{
    return list[check_below(check, n)];
}

static const enum gpuprim_type ins[] = { GPUPRIM_I8, GPUPRIM_U8, GPUPRIM_I16, GPUPRIM_U16,
                                         GPUPRIM_I32 };
static const enum gpuprim_type outs[] = { GPUPRIM_I8,  GPUPRIM_U8,  GPUPRIM_I16,
                                          GPUPRIM_U16, GPUPRIM_I32, GPUPRIM_I64 };

enum { GROUP = 32, MOST_ROWS = 40 };

// `is_long`: so many taps that they come in chunks.
static void one_case(struct check *check, gpuprim *gp, int left, int right, bool is_long)
{
    struct convolve_case test = {
        .kind = { GPUPRIM_I32, ins[check_below(check, sizeof ins / sizeof *ins)],
                  outs[check_below(check, sizeof outs / sizeof *outs)] }
    };
    test.count = ANY(check, 1, 2, 7, 30, 100, 1000);
    test.taps = ANY(check, 1, 2, 25, 26, 57, 139);
    test.tap_bits = (unsigned)ANY(check, 1, 7, 8, 15, 16, 0);
    test.small_taps = !test.tap_bits && check_once_in(check, 2);
    test.params = (struct gpuprim_filter_params){
        .dilation = ANY(check, 1, 1, 3, 4, GROUP),
        .stride = ANY(check, 1, 1, 2, 3, 5, 8),
        .mode = ANY(check, GPUPRIM_SAME, GPUPRIM_SAME_UPPER, GPUPRIM_CAUSAL),
        .left = (enum gpuprim_boundary)left,
        .right = (enum gpuprim_boundary)right,
        .shift = (unsigned)check_below(check, 48),
    };
    test.rows = 1 + check_below(check, MOST_ROWS);
    if (is_long) {
        test.kind.in = (enum gpuprim_type)ANY(check, GPUPRIM_I16, GPUPRIM_I32);
        test.count = ANY(check, 7, 100, 300);
        test.taps = 2000 + check_below(check, 1500);
        test.tap_bits = 0;
        test.small_taps = false;
        test.rows = 1 + check_below(check, 4);
    }
    test.taps_per_row = check_once_in(check, 6);
    test.updates_history = check_once_in(check, 2);
    test.in.stride = 1 + (int64_t)check_below(check, 2);
    test.out.stride = 1 + (int64_t)check_below(check, 2);
    test.history.stride = 1;
    if (check_once_in(check, 2)) {
        test.in.stride = (int64_t)test.rows + 1;
        test.in.row_stride = 1;
    }
    if (check_once_in(check, 3)) {
        test.out.stride = (int64_t)test.rows;
        test.out.row_stride = 1;
    }
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    convolve_constant(&test);
    convolve_run(check, gp, &test);
}

void convolve_gpu_byte_matrices_run(struct check *check)
{
    if (!check_begin(check, "convolve1d/gpu_byte_matrices"))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_byte_matrices", GROUP);
    const int step = check->quick ? 5 : 1;
    for (int pair = 0; gp && pair < GPUPRIM_HISTORY * (GPUPRIM_HISTORY + 1); pair += step)
        one_case(check, gp, pair / GPUPRIM_HISTORY, pair % GPUPRIM_HISTORY, false);
    for (int i = 0; gp && i < (check->quick ? 2 : 6); i++)
        one_case(check, gp, (int)check_below(check, GPUPRIM_HISTORY + 1),
                 (int)check_below(check, GPUPRIM_HISTORY), true);
    CHECK(check, check->not_taken * 4 <= check->cases, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
    check_end(check);
}
