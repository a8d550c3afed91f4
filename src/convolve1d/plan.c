/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the table of variants, the macros that all of them are compiled with, and the two
 * calls for which a filter is prepared. gp_plan of the core picks the variant and its
 * program. */
#include "convolve1d.h"

// The first one that takes the call runs it.
static const struct gp_variant *const variants[] = {
    &gp_convolve_cpu_residues,        &gp_convolve_cpu_gathered,   &gp_convolve_gpu_short_taps,
    &gp_convolve_gpu_register_window, &gp_convolve_gpu_tap_chunks, &gp_convolve_baseline,
};

void gp_convolve_tune(const gpuprim *gp, struct convolution *c)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const struct convolve_ops *ops = variants[i]->ops;
        if (ops->tuning)
            c->tuning[ops->tuned] = ops->tuning(gp, c->filter);
    }
}

struct convolution gp_convolve_packed_call(const struct gpuprim_filter *filter)
{
    struct convolution c = { .filter = filter };
    const uint64_t count = (uint64_t)1 << 26;
    c.in = (struct gp_array){ .type = filter->in,
                              .memory = GPUPRIM_BUFFER,
                              .size = gp_type_size(filter->in),
                              .count = count,
                              .rows = filter->rows,
                              .stride = 1,
                              .row_stride = filter->rows > 1 ? (int64_t)count : 0 };
    c.out = c.in;
    c.out.type = filter->out;
    c.out.size = gp_type_size(filter->out);
    c.out.count = gp_ceil_div(count, filter->stride);
    c.out.row_stride = filter->rows > 1 ? (int64_t)c.out.count : 0;
    gp_convolve_tune(filter->gp, &c);
    return c;
}

struct convolution gp_convolve_strided_call(const struct gpuprim_filter *filter)
{
    struct convolution c = gp_convolve_packed_call(filter);
    c.in.count = c.out.count = 1;
    c.in.stride = c.out.stride = 2;
    return c;
}

// ---------------------------------------------------------------------------------------

// Integer sums are below 2^31 in magnitude, whatever the data.
static bool is_sum32(const struct gpuprim_filter *f)
{
    return f->sum_bits <= 31;
}

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    const struct convolve_ops *ops = variant->ops;
    gp_define(key, "TYPE", f->in);
    gp_define(key, "TAP_TYPE", f->taps_type);
    gp_define(key, "OUT_TYPE", f->out);
    gp_define(key, "SUM32", is_sum32(f));
    ops->specialise(gp, c, variant, key);
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
