/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: gpu_stretches on short rows that lie in every way: one behind the other or
 * apart, forwards and backwards, in the input and in the outputs. suite.c runs this file. */
#include "case.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int64_t sign(struct check *check)
{
    return check_once_in(check, 2) ? -1 : 1;
}

// Where rows of `count` elements lie.
static void lay(struct check *check, uint64_t count, struct check_layout *l)
{
    l->memory = GPUPRIM_BUFFER;
    l->stride = sign(check);
    l->row_stride = (int64_t)(count + check_below(check, 2) * check_below(check, 40));
    l->row_stride *= sign(check);
    l->lead = check_below(check, 20);
}

// `count` inputs of a row. Whole groups of 128 items, whose teams share the rows, and small ones.
static void rows(struct check *check, uint64_t least, uint64_t most)
{
    enum { MOST_HALO = 100 };
    static const struct convolve_kind kinds[] = {
        { GPUPRIM_F32, GPUPRIM_U16, GPUPRIM_I8 },  { GPUPRIM_F32, GPUPRIM_I8, GPUPRIM_U16 },
        { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U8 },   { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 },
        { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F16 }, { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I32 },
        { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_U16 }, { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_I8 },
    };
    for (unsigned i = 0; i < 2 * COUNT(kinds); i++) {
        gpuprim *gp = check_variant(check, "convolve1d", "gpu_stretches", i % 2 ? 0 : 6);
        if (!gp)
            return;
        struct convolve_case test = { .kind = kinds[i / 2],
                                      .taps = 2 + check_below(check, 11), // of 1: one long row
                                      .rows = 1 + check_below(check, 300) };
        test.taps_per_row = check_once_in(check, 4);
        test.params.stride = 1 + check_below(check, 2) * check_below(check, 3);
        // 32 rows and what stands beyond their ends have room in local memory.
        test.params.dilation =
            1 + check_below(check, 2) * check_below(check, MOST_HALO / (test.taps - 1));
        test.params.mode = check_once_in(check, 4) ? GPUPRIM_CAUSAL : GPUPRIM_SAME;
        test.params.left = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY + 1);
        test.params.right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY);
        convolve_constant(&test);
        test.history.memory = GPUPRIM_BUFFER;
        test.updates_history = check_once_in(check, 2);
        test.is_tight = check_once_in(check, 2);
        test.count = least + check_below(check, most - least + 1);
        const uint64_t step = test.params.stride, lines = 64; // rows of many banks, too
        if (check_once_in(check, 2))
            test.count = (test.count + lines - 1) / lines * lines * step;
        lay(check, test.count, &test.in);
        lay(check, (test.count + step - 1) / step, &test.out);
        convolve_run(check, gp, &test);
        gpuprim_destroy(&gp);
    }
    CHECK(check, check->not_taken == 0, "the variant refused a case");
}

void convolve_gpu_stretches_run(struct check *check)
{
    if (check_begin(check, "convolve1d/gpu_stretches/short")) {
        rows(check, 1, 60);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/gpu_stretches/long")) {
        rows(check, 61, 128);
        check_end(check);
    }
}
