/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: a few small cases of each variant, with one program. They run often
 * (harness/choice.c), also in a simulator that looks for races and takes a thousand times as
 * long as a device. suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <stdio.h>
#include <string.h>

// The shortest segments of gpu_fft are 256 points, 16 of each item. gpu_fft_columns has 16 rows of
// them. On GPUs whole warps of gpu_byte_matrices take matrices together.
static unsigned group_for(const char *variant)
{
    if (strcmp(variant, "gpu_byte_matrices") == 0 && !model_device_is_cpu())
        return 32;
    return strncmp(variant, "gpu_fft", 7) == 0 ? 16 : 4;
}

// Rows of less than a group's outputs, and of more; the groups are small for a simulator's
// sake.
static void tiny(struct check *check, gpuprim *gp, const char *variant)
{
    static const uint64_t all_counts[] = { 7, 100, 3200 }, short_counts[] = { 7, 20, 1 };
    const bool is_for_short =
        strcmp(variant, "gpu_folds") == 0 || strcmp(variant, "gpu_places") == 0 ||
        strcmp(variant, "gpu_row_registers") == 0 || strcmp(variant, "gpu_stretches") == 0;
    const bool to_columns = strcmp(variant, "gpu_transposed") == 0;
    const uint64_t *counts = is_for_short ? short_counts : all_counts;
    struct convolve_case test = { .kind = *convolve_kind_of(variant),
                                  .taps = convolve_taps_of(variant) };
    const unsigned lefts =
        GPUPRIM_HISTORY + (strcmp(variant, "gpu_places") != 0); // which takes no history
    for (unsigned i = 0; i < (check->quick ? 2 : 3); i++) {
        test.count = counts[i];
        convolve_shuffle(check, gp, &test);
        test.rows = i < 2 || to_columns ? 2 : 1;
        test.params = (struct gpuprim_filter_params){
            .mode = GPUPRIM_SAME,
            .left = (enum gpuprim_boundary)check_below(check, lefts),
            .right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY),
        };
        test.taps_per_row = false;
        test.tap_bits = 5; // narrow data: dot products have room for the sums
        // The layouts were drawn for another number of rows.
        test.in.stride = test.out.stride = test.history.stride = 1;
        test.in.row_stride = test.out.row_stride = test.history.row_stride = 0;
        if (to_columns) {
            test.in.memory = test.out.memory = GPUPRIM_BUFFER;
            test.out.stride = (int64_t)test.rows;
            test.out.row_stride = 1;
        }
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
}

// Bytes that lie as rows and become columns, of which words are copied: none beside the array.
static void tiny_turned(struct check *check, gpuprim *gp)
{
    for (int i = 0; i < 2; i++) {
        struct convolve_case test = { .kind = *convolve_kind_of("gpu_narrow"), .taps = 3 };
        test.taps_per_row = i;
        test.rows = 5;
        test.count = 90 + check_below(check, 9);
        test.tap_bits = 5;
        test.is_tight = true;
        test.params.left = test.params.right = GPUPRIM_EDGE;
        test.in.stride = i ? -1 : 1;
        test.in.lead = check_below(check, 4);
        test.out.stride = (int64_t)test.rows;
        test.out.row_stride = 1;
        convolve_run(check, gp, &test);
    }
}

// Arrays on the device, which are not packed on the way, and some boundaries.
static void on_device(struct check *check, struct convolve_case *test)
{
    test->in.memory = test->out.memory = test->history.memory = GPUPRIM_BUFFER;
    test->params.left = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY + 1);
    test->params.right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY);
    convolve_constant(test);
}

// Short rows of which a group takes several, with rows in front of them and behind. They lie
// apart, forwards and backwards, or near each other, so that gaps are loaded, too.
static void tiny_rows(struct check *check)
{
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tile", 16);
    static const struct convolve_kind kinds[] = { { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_I16 },
                                                  { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 } };
    for (unsigned i = 0; gp && i < 6; i++) {
        struct convolve_case test = {
            .kind = kinds[i / 3], .taps = 4, .rows = 19, .count = 11, .tap_bits = 5
        };
        test.is_tight = true;
        on_device(check, &test);
        test.in.stride = i % 3 == 1 ? -1 : 1;
        test.in.row_stride = i % 3 < 2 ? 161 : 28;
        test.in.lead = check_below(check, 16);
        test.out.stride = 1;
        test.out.row_stride = 14;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Channels of 16 bits in lines that come by vectors: nothing lies in front of the first line or
// behind the last one, and lines have gaps between them, touch, or overlap.
static void tiny_lines(struct check *check)
{
    enum { CHANNELS = 7 };
    static const int64_t pitches[] = { 9, -9, 7, 2, 1 };
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tile", 16);
    for (unsigned i = 0; gp && i < sizeof pitches / sizeof *pitches; i++) {
        struct convolve_case test = { .kind = { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
                                      .taps = 3,
                                      .rows = CHANNELS,
                                      .count = 21,
                                      .tap_bits = 5,
                                      .is_tight = true };
        on_device(check, &test);
        test.in.stride = pitches[i];
        test.in.row_stride = test.out.row_stride = 1;
        test.out.stride = CHANNELS + 2;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Columns with one tap, whose lines are taken for rows.
static void tiny_one_tap(struct check *check)
{
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tile", 64);
    struct convolve_case test = { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                  .taps = 1,
                                  .rows = 33,
                                  .count = 5,
                                  .is_tight = true };
    on_device(check, &test);
    test.in.stride = 40;
    test.in.row_stride = test.out.row_stride = 1;
    test.out.stride = -37;
    if (gp)
        convolve_run(check, gp, &test);
    gpuprim_destroy(&gp);
}

// `columns` in lines that begin anywhere in sectors of memory, as many as several runs take. The
// outputs lie forwards and backwards. With steps no output needs some of the lines.
static void tiny_columns(struct check *check, gpuprim *gp, uint64_t columns)
{
    for (unsigned i = 0; i < 3; i++) {
        struct convolve_case test = { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                      .taps = i < 2 ? 3 : 2,
                                      .rows = columns,
                                      .count = i < 2 ? 29 : 229 };
        on_device(check, &test);
        test.params.stride = i < 2 ? 1 : 4;
        test.in.stride = (int64_t)columns + 1;
        test.out.stride = i == 1 ? -(int64_t)columns - 3 : (int64_t)columns + 3;
        test.in.row_stride = 1;
        test.out.row_stride = i == 1 ? -1 : 1;
        test.out.lead = check_below(check, 9);
        convolve_run(check, gp, &test);
    }
}

// Rows with taps of their own, as columns and as phases of a dilation: bytes in words of four
// lanes, and elements that are words.
static void tiny_own_taps(struct check *check, gpuprim *gp)
{
    static const struct convolve_kind kinds[] = { { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U8 },
                                                  { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 } };
    for (unsigned i = 0; i < 4; i++) {
        struct convolve_case test = {
            .kind = kinds[i / 2], .taps = 3, .rows = 9, .count = 11, .tap_bits = 5
        };
        test.taps_per_row = true;
        on_device(check, &test);
        if (i % 2) {
            test.params.dilation = 8;
            test.rows = 3;
            test.count = 67;
        } else {
            test.in.stride = 13;
            test.out.stride = 12;
            test.in.row_stride = test.out.row_stride = 1;
        }
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
}

// Columns that become rows.
static void tiny_back(struct check *check, gpuprim *gp)
{
    struct convolve_case test = { .kind = { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
                                  .taps = 6,
                                  .rows = 7,
                                  .count = 40,
                                  .tap_bits = 5 };
    on_device(check, &test);
    test.in.stride = (int64_t)test.rows;
    test.in.row_stride = 1;
    test.out.stride = 1;
    convolve_run(check, gp, &test);
}

// A device may have so little local memory that a group has fewer items than a vector has
// elements. Rows end anywhere in a vector.
static bool takes_groups_of_2(const char *variant)
{
    static const char *const others[] = { "gpu_byte_matrices", "gpu_folds", "gpu_places",
                                          "gpu_tile" };
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(variant, others[i]) == 0) // too small for it, or for some calls
            return false;
    return !check_is_for_cpus(variant) && strncmp(variant, "gpu_fft", 7) != 0;
}

static void groups_of_2(struct check *check, const char *variant)
{
    gpuprim *gp = check_variant(check, "convolve1d", variant, 2);
    for (unsigned i = 0; gp && i < 8; i++) {
        struct convolve_case test = { .kind = *convolve_kind_of(variant),
                                      .taps = convolve_taps_of(variant),
                                      .rows = 1,
                                      .count = 200 + i,
                                      .tap_bits = 5 };
        on_device(check, &test);
        test.in.stride = test.out.stride = test.history.stride = 1;
        test.out.lead = i / 4;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

void convolve_tiny_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = convolve->n_variants; v-- > 0;) {
        const char *variant = convolve->variants[v]->name;
        if (takes_groups_of_2(variant) &&
            check_begin(check, "convolve1d/work_group/%s/2", variant)) {
            groups_of_2(check, variant);
            check_end(check);
        }
    }
    for (unsigned v = convolve->n_variants; v-- > 0;) {
        const char *variant = convolve->variants[v]->name;
        const bool cpu_only = check_is_for_cpus(variant);
        if (!check_begin(check, "convolve1d/tiny/%s", variant))
            continue;
        gpuprim *gp = cpu_only
                          ? convolve_cpu_context(check, variant)
                          : check_variant(check, "convolve1d", variant, group_for(variant));
        if (!gp && cpu_only)
            check_skip(check, "for CPUs only");
        else {
            if (gp)
                tiny(check, gp, variant);
            if (gp && strcmp(variant, "gpu_turn") == 0) {
                tiny_turned(check, gp);
                tiny_back(check, gp);
            }
            if (gp && strcmp(variant, "gpu_tile") == 0) {
                tiny_rows(check);
                tiny_lines(check);
                tiny_one_tap(check);
            }
            if (gp && strcmp(variant, "gpu_walk") == 0) {
                tiny_columns(check, gp, 65);
                tiny_own_taps(check, gp);
            }
            if (gp && strcmp(variant, "gpu_roll") == 0)
                tiny_columns(check, gp, 130);
            check_end(check);
        }
        gpuprim_destroy(&gp);
    }
}
