/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: cpu_matrix in each of its shapes, with sizes around a vector, a block of
 * lanes, a tile and a span of taps. Nothing lies behind the arrays. All cases of a type share
 * one program, or two: rows of taps have their own. suite.c runs this file. */
#include "case.h"

#include "reference/convolve1d/convolve1d.h"

#define ANY(check, ...)                                                                        \
    any(check, (const uint64_t[]){ __VA_ARGS__ },                                              \
        sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint64_t any(struct check *check, const uint64_t *list, unsigned n)
{
    return list[check_below(check, n)];
}

// A number near a multiple of a vector of 16.
static uint64_t near(struct check *check, uint64_t most)
{
    return 16 * (1 + check_below(check, most)) - 1 + check_below(check, 3);
}

static void any_filter(struct check *check, struct convolve_case *test)
{
    const bool is_empty = check_once_in(check, 2);
    test->params = (struct gpuprim_filter_params){
        .mode = ANY(check, GPUPRIM_SAME, GPUPRIM_SAME, GPUPRIM_FULL, GPUPRIM_CAUSAL),
        .left = is_empty ? GPUPRIM_ZERO : (enum gpuprim_boundary)check_below(check, 7),
        .right = is_empty ? GPUPRIM_ZERO : (enum gpuprim_boundary)check_below(check, 6),
        .stride = 1,
        .dilation = 1,
    };
    test->taps = ANY(check, 1, 3, 9, 17, 33);
    test->taps_per_row = false;
    test->updates_history = true;
    test->rows = 1;
}

// Strides of rows of `count` elements, one behind the other, whose elements may lie apart, or of
// columns, with gaps or not, in either direction.
static void lay(struct check *check, bool is_columns, uint64_t count, uint64_t rows,
                struct check_layout *layout)
{
    const int64_t gap = check_once_in(check, 2) ? 0 : (int64_t)check_below(check, 4);
    const int64_t apart = check_once_in(check, 4) ? 1 + (int64_t)check_below(check, 9) : 1;
    layout->stride = is_columns ? (int64_t)rows + gap : apart;
    layout->row_stride = is_columns ? 1 : (int64_t)count * apart + gap;
    if (check_once_in(check, 6))
        layout->row_stride = -layout->row_stride;
    if (check_once_in(check, 4))
        layout->stride = -layout->stride;
    layout->lead = check_below(check, 3);
    layout->memory = check_once_in(check, 2) ? GPUPRIM_BUFFER : GPUPRIM_HOST;
}

static void run(struct check *check, gpuprim *gp, struct convolve_case *test, bool from_columns,
                bool to_columns)
{
    const uint64_t outputs =
        (uint64_t)convolve_reference_outputs(&test->params, test->taps, test->count);
    lay(check, from_columns, test->count, test->rows, &test->in);
    lay(check, to_columns, outputs, test->rows, &test->out);
    if (!from_columns && check_once_in(check, 8)) // input rows that lie in one another
        test->in.row_stride = 1 + (int64_t)check_below(check, test->count);
    test->history = (struct check_layout){ .memory = GPUPRIM_BUFFER };
    convolve_constant(test);
    convolve_run(check, gp, test);
}

// Columns: blocks of lanes.
static void columns(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->rows = check_once_in(check, 3) ? 240 + check_below(check, 32) : near(check, 6);
    test->count = ANY(check, 1, 5, 31, 33, 70);
    test->params.dilation = ANY(check, 1, 1, 2);
    test->params.stride = ANY(check, 1, 1, 3);
    test->taps_per_row = check_once_in(check, 3);
    if (check_once_in(check, 6)) { // what is reflected lies in another tile
        test->rows = 33 + check_below(check, 3);
        test->count = 300 + check_below(check, 40);
        test->taps = 129;
        test->params.mode = GPUPRIM_FULL;
        test->params.right = GPUPRIM_REFLECT_HALF;
    }
    run(check, gp, test, true, !check_once_in(check, 4));
}

// Rows that are lanes: blocks that are transposed.
static void short_rows(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->rows = check_once_in(check, 2) ? 32 + near(check, 2) : 90 + near(check, 6);
    test->count = check_once_in(check, 2) ? 1 + check_below(check, 15) : near(check, 4);
    test->params.stride = ANY(check, 1, 1, 2, 3, 7, 17);
    test->params.dilation = ANY(check, 1, 1, 2);
    if (check_once_in(check, 6)) { // the widest lines, and few of them
        test->rows = 513 + check_below(check, 255);
        test->count = 60 * (2 + check_below(check, 14));
        test->params.stride = 60;
    }
    test->taps_per_row = check_once_in(check, 3);
    run(check, gp, test, false, check_once_in(check, 4));
}

// Such rows with more taps than a span: elements lie apart.
static void padded_spans(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->kind = (struct convolve_kind){ GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 };
    test->taps = 129 + check_below(check, 72);
    test->count = 3 * test->taps + check_below(check, 160);
    test->rows = 2 + check_below(check, 12);
    test->in.stride = 2;
    test->in.row_stride = 2 * (int64_t)test->count;
    test->in.memory = test->out.memory = GPUPRIM_BUFFER;
    test->out.stride = 1;
    test->out.row_stride = (int64_t)test->count;
    test->history = (struct check_layout){ .memory = GPUPRIM_BUFFER };
    test->params.mode = GPUPRIM_SAME;
    convolve_constant(test);
    convolve_run(check, gp, test);
}

// Rows one behind the other, each with what its taps meet beyond its ends: few taps beside its
// elements.
static void padded_rows(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    if (check_once_in(check, 8)) {
        padded_spans(check, gp, test);
        return;
    }
    test->count = check_once_in(check, 2) ? 1 + check_below(check, 40) : near(check, 44);
    test->taps = 1 + check_below(check, 3 + test->count / 8);
    test->params.mode = ANY(check, GPUPRIM_SAME, GPUPRIM_FULL, GPUPRIM_CAUSAL, GPUPRIM_VALID);
    test->params.stride = ANY(check, 1, 1, 1, 2, 3, 5, 12);
    test->params.dilation = ANY(check, 1, 1, 1, 2, 3);
    test->taps_per_row = check_once_in(check, 8);
    if (test->params.stride > 1) {
        test->count = test->params.stride * (128 + check_below(check, 80));
        test->taps = 1 + check_below(check, 1 + test->count / 50);
    }
    if (check_once_in(check, 4)) { // results that are converted and packed
        test->count = 17 + check_below(check, 16);
        test->taps = 1 + check_below(check, 4);
        test->params.stride = test->params.dilation = 1;
        test->kind = (struct convolve_kind){ GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F16 };
    }
    if ((test->taps - 1) * test->params.dilation >= test->count &&
        test->params.mode == GPUPRIM_VALID)
        test->params.mode = GPUPRIM_SAME; // rows have outputs
    test->rows =
        check_once_in(check, 4)
            ? 2 + check_below(check, 3)
            : 2 + check_below(check, 20000 * test->params.stride / test->count); // many tiles
    run(check, gp, test, false, false);
}

// One row, or some channels: steps, dilations, and both.
static void rows(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->params.stride = ANY(check, 1, 2, 3, 4, 5, 6, 7, 8, 40);
    test->params.dilation = ANY(check, 1, 1, 2, 6, 31, 33, 200);
    test->rows = ANY(check, 1, 1, 2, 3, 6);
    test->count = check_once_in(check, 2) ? near(check, 40) * test->params.stride
                                          : 4090 + check_below(check, 12);
    test->taps_per_row = check_once_in(check, 6);
    run(check, gp, test, test->rows > 1, test->rows > 1);
}

// A few channels, rows that become channels, and channels that become rows.
static void channels(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->rows = ANY(check, 2, 3, 4, 5, 6, 7, 8, 12);
    test->count = check_once_in(check, 2) ? near(check, 40) : 1 + check_below(check, 2000);
    test->params.stride = ANY(check, 1, 1, 2, 3, 4);
    const bool from_columns = check_once_in(check, 2);
    run(check, gp, test, from_columns, from_columns ? check_once_in(check, 2) : true);
}

// Many rows that become columns, or columns that become rows, with a dilation and a step, which may have
// a common factor.
static void turned(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->rows = 16 + check_below(check, 70);
    test->count = check_once_in(check, 2) ? near(check, 60) : 1 + check_below(check, 600);
    test->params.stride = ANY(check, 1, 1, 2, 3, 4, 5, 6, 10, 65);
    test->params.dilation = ANY(check, 1, 2, 3, 4, 5, 8, 11, 66);
    // No input beyond an end is met.
    if (check_once_in(check, 2) && (test->taps - 1) * test->params.dilation < test->count)
        test->params.mode = GPUPRIM_VALID;
    const bool from_columns = check_once_in(check, 3);
    run(check, gp, test, from_columns, !from_columns);
}

// More taps than a span, in any shape.
static void spans(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->taps = ANY(check, 127, 128, 129, 255, 256, 257, 300, 513);
    test->rows = ANY(check, 1, 2, 33, 100);
    test->count = 1 + check_below(check, 100);
    test->params.stride = ANY(check, 1, 1, 2, 5, 150);
    test->params.dilation = ANY(check, 1, 1, 2, 35, 300);
    test->params.mode = GPUPRIM_SAME; // the others have outputs that take the reference long
    run(check, gp, test, check_once_in(check, 2), check_once_in(check, 2));
}

// Rows of one element, which may be taken as columns.
static void ones(struct check *check, gpuprim *gp, struct convolve_case *test)
{
    test->rows = check_once_in(check, 2) ? near(check, 40) : 2 + check_below(check, 5000);
    test->count = 1;
    test->params.mode = ANY(check, GPUPRIM_SAME, GPUPRIM_CAUSAL);
    test->params.stride = ANY(check, 1, 1, 3);
    test->params.dilation = ANY(check, 1, 1, 2);
    test->taps_per_row = check_once_in(check, 6);
    run(check, gp, test, check_once_in(check, 2), check_once_in(check, 2));
}

static const struct {
    const char *name;
    void (*run)(struct check *check, gpuprim *gp, struct convolve_case *test);
} shapes[] = {
    { "columns", columns },
    { "short_rows", short_rows },
    { "padded_rows", padded_rows },
    { "rows", rows },
    { "channels", channels },
    { "turned", turned },
    { "spans", spans },
    { "ones", ones },
};

void convolve_cpu_matrix_run(struct check *check)
{
    static const struct convolve_kind kinds[] = {
        { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F16 },
        { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_I64 },
        { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I32 }, { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 },
        { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 }, { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U8 },
    };
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!check_begin(check, "convolve1d/limits/cpu_matrix/%s", shapes[i].name))
            continue;
        gpuprim *gp = convolve_cpu_context(check, "cpu_matrix");
        if (!gp) {
            check_skip(check, "for CPUs only");
            continue;
        }
        for (int turn = 0; turn < (check->quick ? 4 : 60); turn++) {
            struct convolve_case test = { .is_tight = true, .small_taps = true };
            test.tap_bits = turn % 2 ? 7 : 0; // sums of 24 bits: eight bytes for each of 16
            test.kind = kinds[check->quick || turn % 16 > 7 ? 0 : turn % 16];
            any_filter(check, &test);
            shapes[i].run(check, gp, &test);
        }
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
