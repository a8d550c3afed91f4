/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the table of variants, and the macros that all of them are compiled with. gp_plan
 * of the core picks the variant of a launch and its program. */
#include "convolve1d.h"

// The first one that takes the call runs it.
// clang-format off
static const struct gp_variant *const variants[] = {
    &gp_convolve_cpu_residues,
    &gp_convolve_cpu_matrix,
    &gp_convolve_gpu_walk,
    &gp_convolve_gpu_roll,
    &gp_convolve_gpu_narrow,
    &gp_convolve_gpu_folds,
    &gp_convolve_gpu_register_window,
    &gp_convolve_gpu_tile,
    &gp_convolve_gpu_tap_chunks,
    &gp_convolve_baseline,
};
// clang-format on

// Integer sums are below 2^31 in magnitude, whatever the data.
static bool is_sum32(const struct gpuprim_filter *f)
{
    return f->sum_bits <= 31;
}

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    const struct convolve_ops *ops = variant->ops;
    gp_define(key, "TYPE", f->in);
    gp_define(key, "TAP_TYPE", gp_filter_tap_type(f));
    gp_define(key, "OUT_TYPE", f->out);
    gp_define(key, "SUM32", is_sum32(f));
    gp_define(key, "FINITE", f->sums_in_f32);
    ops->specialise(gp, s, variant, key);
}

// Numbers of the arguments `left` and `right`. Kernels have no ZERO (launch.c).
static const struct gp_macro constants[] = {
    { "BOUNDARY_CONSTANT", GPUPRIM_CONSTANT },
    { "BOUNDARY_EDGE", GPUPRIM_EDGE },
    { "BOUNDARY_REFLECT_HALF", GPUPRIM_REFLECT_HALF },
    { "BOUNDARY_REFLECT_WHOLE", GPUPRIM_REFLECT_WHOLE },
    { "BOUNDARY_WRAP", GPUPRIM_WRAP },
    { "BOUNDARY_HISTORY", GPUPRIM_HISTORY },
};

const struct gp_primitive gp_primitive_convolve1d = {
    .name = "convolve1d",
    .variants = variants,
    .n_variants = sizeof variants / sizeof *variants,
    .constants = constants,
    .n_constants = sizeof constants / sizeof *constants,
    .kernels = { "convolve1d", "convolve1d_history" },
    .specialise = specialise,
    .describe = gp_convolve_describe,
};
