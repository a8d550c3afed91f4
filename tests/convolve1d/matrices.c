/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: matrices that are convolved down their columns. Each variant for GPUs
 * takes columns of all widths, packed and with a pitch of their own for inputs and outputs,
 * with dilations and steps; rows with large dilations; and lines that are wider than a block
 * of gpu_lanes.c. The numbers of lines lie around the ends of strips and tiles. suite.c runs
 * this file. */
#include "case.h"

#include <stdio.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"

enum { PRODUCTS = 300000, QUICK_PRODUCTS = 30000 };

static uint64_t any_of(struct check *check, const uint64_t *list, unsigned n)
{
    return list[check_below(check, n)];
}
#define ANY_OF(check, list) any_of(check, list, sizeof(list) / sizeof *(list))

// The columns of a matrix with a pitch, perhaps mirrored in one or both directions.
static void lay_columns(struct check *check, uint64_t columns, struct check_layout *layout)
{
    const int64_t pitch = (int64_t)columns + (int64_t)check_below(check, 5);
    layout->stride = check_once_in(check, 6) ? -pitch : pitch;
    layout->row_stride = check_once_in(check, 6) ? -1 : 1;
    layout->lead = check_once_in(check, 2) ? 0 : check_below(check, 9);
}

// Rows of up to `count` elements in the same way, or packed.
static void lay_rows(struct check *check, uint64_t count, struct check_layout *layout)
{
    const int64_t pitch = (int64_t)count + (int64_t)check_below(check, 5);
    const bool is_packed = check_once_in(check, 3);
    layout->stride = is_packed ? 0 : check_once_in(check, 2) ? -1 : 1;
    layout->row_stride = is_packed ? 0 : check_once_in(check, 6) ? -pitch : pitch;
}

// Columns, or as many rows with a dilation of that number. Step and taps belong to the program
// and are there.
static void draw(struct check *check, struct convolve_case *test, uint64_t step)
{
    static const uint64_t widths[] = { 2, 5, 31, 33, 40, 64, 67, 130, 257, 421 };
    static const uint64_t lines[] = { 1,  2,  7,  24, 30,  31,  32,  33,   63,  64,
                                      65, 95, 96, 97, 128, 191, 193, 1023, 1025 };
    // With 4, words of narrow types are aligned in all lines, even where the pitch is odd.
    static const uint64_t dilations[] = { 1, 1, 1, 1, 2, 3, 4, 4 };
    struct gpuprim_filter_params *p = &test->params;
    const uint64_t width = ANY_OF(check, widths);
    const uint64_t most = (check->quick ? QUICK_PRODUCTS : PRODUCTS) / (width * test->taps);
    uint64_t n = ANY_OF(check, lines);
    n = n > most ? 1 + check_below(check, most + 1) : n;
    *p = (struct gpuprim_filter_params){
        .mode = check_once_in(check, 3) ? GPUPRIM_FULL : GPUPRIM_SAME,
        .left = (enum gpuprim_boundary)check_below(check, 7),
        .right = (enum gpuprim_boundary)check_below(check, 6),
    };
    convolve_constant(test);
    const bool is_dilated = check_once_in(check, 3);
    if (is_dilated) {
        test->rows = 1 + check_below(check, 3);
        test->count = n * width + check_below(check, width);
        p->dilation = width;
        p->stride = step * (check_once_in(check, 3) ? width : 1);
    } else {
        test->rows = width;
        test->count = n;
        p->dilation = ANY_OF(check, dilations);
        p->stride = step * (check_once_in(check, 4) ? p->dilation : 1);
        lay_columns(check, width, &test->in);
        lay_columns(check, width, &test->out);
        if (check_once_in(check, 3)) // outputs transposed, perhaps with a pitch and mirrored
            lay_rows(check, n + (test->taps - 1) * p->dilation, &test->out);
        if (check_once_in(check, 2))
            lay_columns(check, width, &test->history);
    }
    test->updates_history = check_once_in(check, 4);
}

// Variants with programs for kinds of shapes, too, take few cases.
static void sweep(struct check *check, gpuprim *gp, const struct convolve_kind *kind,
                  const char *variant)
{
    static const uint64_t few[] = { 1, 2, 3, 5, 8, 9, 12 }, own[] = { 1, 2, 3, 4, 6, 8 },
                          more[] = { 13, 16, 17, 33, 65, 129 };
    static const uint64_t steps[] = { 1, 1, 1, 2, 3, 5, 8 };
    const bool takes_few = strcmp(variant, "gpu_walk") == 0,
               is_roll = strcmp(variant, "gpu_roll") == 0,
               takes_own = takes_few || is_roll || strcmp(variant, "gpu_turn") == 0,
               is_costly = strcmp(variant, "gpu_tile") == 0 || is_roll;
    const unsigned programs = check->quick ? 1
                              : takes_few  ? 3
                                           : 2,
                   cases = check->quick || is_costly ? 3 : 8;
    for (unsigned i = 0; i < programs; i++) {
        struct convolve_case test = { .kind = *kind };
        test.taps =
            takes_few || check_once_in(check, 3) ? ANY_OF(check, few) : ANY_OF(check, more);
        if (takes_few && gp_type_size(kind->in) == 8 && check_once_in(check, 3))
            test.taps = 17 + check_below(check, 8); // which others do not take
        test.taps_per_row = takes_own && check_once_in(check, 2);
        if (takes_few && test.taps_per_row) // what gpu_walk has registers for
            test.taps = ANY_OF(check, own);
        test.small_taps = kind->in < GPUPRIM_I32 && check_once_in(check, 2);
        test.tap_bits = check_once_in(check, 2) ? 7 : 0;
        const uint64_t step = ANY_OF(check, steps);
        if (takes_few && step > 2 && !test.taps_per_row && check_once_in(check, 2))
            test.taps = step * 6 + 1 + check_below(check, step); // seven sums of a line
        for (unsigned k = 0; k < cases; k++) {
            struct convolve_case one = test;
            one.in.memory = one.out.memory = one.history.memory = GPUPRIM_BUFFER;
            one.taps_layout.memory = GPUPRIM_HOST;
            draw(check, &one, step);
            convolve_run(check, gp, &one);
        }
    }
}

// Lines a little shorter and longer than one block and two of them.
static void wide(struct check *check, gpuprim *gp, const struct convolve_kind *kind)
{
    enum { BLOCK = 8192 };
    const uint64_t lanes = BLOCK * (gp_type_size(kind->in) < 4 ? 4 : 1);
    for (unsigned i = 0; i < 4; i++) {
        struct convolve_case test = { .kind = *kind, .taps = 3 };
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        test.taps_layout.memory = GPUPRIM_HOST;
        const uint64_t width = lanes * (1 + i % 2) + check_below(check, 9) - 4;
        test.params.left = test.params.right = GPUPRIM_REFLECT_WHOLE;
        if (i < 2) {
            test.rows = (int64_t)width;
            test.in.stride = (int64_t)(width + check_below(check, 3));
            test.out.stride = (int64_t)(width + check_below(check, 3));
            test.in.row_stride = test.out.row_stride = 1;
            test.count = 3 + 3 * i;
        } else {
            test.rows = 1;
            test.params.dilation = width;
            test.count = 2 * width + check_below(check, 100);
        }
        convolve_run(check, gp, &test);
    }
}

// Lines that gpu_walk takes by runs that overlap (words_of() in gpu_walk.c): with a dilation
// that leaves the last output to some lanes of a line, and of columns with a pitch.
static void in_runs(struct check *check, gpuprim *gp, const struct convolve_kind *kind)
{
    for (unsigned i = 0; i < 4; i++) {
        struct convolve_case test = { .kind = *kind, .taps = 1 + check_below(check, 4) };
        test.small_taps = kind->in < GPUPRIM_I32;
        test.tap_bits = 7;
        test.params.left = (enum gpuprim_boundary)check_below(check, 7);
        test.params.right = (enum gpuprim_boundary)check_below(check, 6);
        convolve_constant(&test);
        const uint64_t width = 417 + check_below(check, 16);
        if (i < 2) {
            test.rows = 1;
            test.params.dilation = width;
            test.count = 35 * width + 1 + check_below(check, width - 1);
        } else {
            test.rows = width;
            test.count = 40;
            lay_columns(check, width, &test.in);
            lay_columns(check, width, &test.out);
        }
        test.is_tight = true;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        test.taps_layout.memory = GPUPRIM_HOST;
        convolve_run(check, gp, &test);
    }
}

// Rows that become columns: several blocks of rows, and rows of several tiles, of which some
// have neither an end of the row nor an end of the array. In one case each row has taps of its
// own.
static void turned(struct check *check, gpuprim *gp, const struct convolve_kind *kind)
{
    for (unsigned i = 0; i < (check->quick ? 1 : 4); i++) {
        struct convolve_case test = { .kind = *kind, .taps_per_row = i == 1 };
        test.taps = 1 + check_below(check, test.taps_per_row ? 4 : 9);
        test.small_taps = kind->in < GPUPRIM_I32;
        test.params.left = (enum gpuprim_boundary)check_below(check, 7);
        test.params.right = (enum gpuprim_boundary)check_below(check, 6);
        test.params.stride = i == 3 ? 3 : 1;
        test.params.dilation = i == 2 ? 4 : 1;
        convolve_constant(&test);
        test.rows = 33 + check_below(check, 70);
        test.count = 2000 + check_below(check, 9);
        const int64_t pitch = (int64_t)test.count + (int64_t)check_below(check, 3);
        test.in.stride = check_once_in(check, 2) ? -1 : 1;
        test.in.row_stride = check_once_in(check, 4) ? -pitch : pitch;
        test.in.lead = check_below(check, 5);
        lay_columns(check, test.rows, &test.out);
        test.is_tight = true;
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        test.taps_layout.memory = GPUPRIM_HOST;
        convolve_run(check, gp, &test);
    }
}

void convolve_matrices_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = 0; v < convolve->n_variants; v++) {
        const char *variant = convolve->variants[v]->name;
        if (check_is_for_cpus(variant))
            continue;
        // Each column takes whole segments, which have 32768 points and more by default: too many
        // for lines of thousands of columns. Groups of 16 items have segments of 256 points.
        const bool is_long = strcmp(variant, "gpu_fft_columns") == 0;
        const unsigned work_group = is_long ? 16 : 0;
        for (unsigned k = 0; k < CONVOLVE_KINDS; k++) {
            const struct convolve_kind *kind = &convolve_kinds[k];
            if (convolve_method_of(variant) && !convolve_has_fft(kind))
                continue;
            if (!check_begin(check, "convolve1d/matrix/%s%s/%s/%s", gp_type_name(kind->in),
                             kind->taps == GPUPRIM_C32 ? "_c32" : "", gp_type_name(kind->out),
                             variant))
                continue;
            gpuprim *gp = check_variant(check, "convolve1d", variant, work_group);
            if (gp && (kind->in != GPUPRIM_F64 || gp->caps.has_fp64)) {
                sweep(check, gp, kind, variant);
                if (!is_long && check_once_in(check, 4))
                    wide(check, gp, kind);
                if (strcmp(variant, "gpu_walk") == 0 && gp_type_size(kind->in) >= 4 &&
                    gp_type_size(kind->out) >= 4)
                    in_runs(check, gp, kind);
                if (strcmp(variant, "gpu_turn") == 0)
                    turned(check, gp, kind);
            }
            gpuprim_destroy(&gp);
            check_end(check);
        }
    }
}
