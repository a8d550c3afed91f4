/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: a few small cases of each variant, with one program. They always run
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
        strcmp(variant, "gpu_folds") == 0 || strcmp(variant, "gpu_row_registers") == 0;
    const uint64_t *counts = is_for_short ? short_counts : all_counts;
    struct convolve_case test = { .kind = *convolve_kind_of(variant),
                                  .taps = convolve_taps_of(variant) };
    for (unsigned i = 0; i < (check->quick ? 2 : 3); i++) {
        test.count = counts[i];
        convolve_shuffle(check, gp, &test);
        test.rows = i < 2 ? 2 : 1;
        test.params = (struct gpuprim_filter_params){
            .mode = GPUPRIM_SAME,
            .left = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY + 1),
            .right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY),
        };
        test.taps_per_row = false;
        test.tap_bits = 5; // narrow data: dot products have room for the sums
        // The layouts were drawn for another number of rows.
        test.in.stride = test.out.stride = test.history.stride = 1;
        test.in.row_stride = test.out.row_stride = test.history.row_stride = 0;
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

void convolve_tiny_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
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
            if (gp && strcmp(variant, "gpu_turn") == 0)
                tiny_turned(check, gp);
            check_end(check);
        }
        gpuprim_destroy(&gp);
    }
}
