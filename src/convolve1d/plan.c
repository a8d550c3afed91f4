/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the variants, which one takes a call, and its program. */
#include "convolve1d.h"

bool gp_convolve_is_forced(const gpuprim *gp)
{
    return gp_variant_is_forced(gp, "convolve1d");
}

// CPUs: elements in a vector of 64 bytes of what is calculated with
// (kernels/convolve1d/cpu_residues.cl).
unsigned gp_convolve_order(const gpuprim *gp, const struct gpuprim_filter *filter)
{
    if (!gp->caps.is_cpu)
        return 1;
    const bool is_integer = filter->in < GPUPRIM_F16;
    const bool is_short = is_integer ? filter->sum_bits <= 24
                                     : filter->in == GPUPRIM_F16 || filter->in == GPUPRIM_F32;
    return is_short ? 16 : 8;
}

// ---------------------------------------------------------------------------------------
// baseline: any stride, any work-group size

static bool fits_all(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static void specialise_baseline(const gpuprim *gp, const struct convolution *c,
                                const struct gp_variant *variant, struct convolve_special *out)
{
    (void)c;
    out->work_group = gp->caps.is_cpu ? 1 : variant->work_group;
}

static void lay_out_baseline(const gpuprim *gp, const struct convolution *c,
                             const struct gp_variant *variant, unsigned work_group,
                             uint64_t rows, uint64_t outputs, struct convolve_layout *l)
{
    enum { CPU_SHARE = 1024 }; // a group costs a CPU more than some outputs
    (void)c, (void)variant;
    l->share = gp->caps.is_cpu ? CPU_SHARE : 1;
    l->groups = gp_ceil_div(gp_ceil_div(rows * outputs, l->share), work_group);
}

static const struct convolve_shape baseline = { specialise_baseline, lay_out_baseline };

// ---------------------------------------------------------------------------------------
// The table: first row that fits wins

// clang-format off
#define SOURCES(...) { "convolve1d/convolve1d.cl", __VA_ARGS__, NULL }
#define TILES(...)   SOURCES("convolve1d/words.cl", "convolve1d/tile.cl", __VA_ARGS__)
static const char *const residues_sources[] =
    SOURCES("convolve1d/cpu_vector.cl", "convolve1d/cpu_residues.cl");
static const char *const gathered_sources[] =
    SOURCES("convolve1d/cpu_vector.cl", "convolve1d/cpu_gathered.cl");
static const char *const short_sources[] = TILES("convolve1d/gpu_short_taps.cl");
static const char *const window_sources[] = TILES("convolve1d/gpu_register_window.cl");
static const char *const chunks_sources[] = TILES("convolve1d/gpu_tap_chunks.cl");
static const char *const baseline_sources[] = SOURCES("convolve1d/baseline.cl");

// What the GPUs' take items and groups from is in src/convolve1d/gpu.c: it depends on the taps.
static const struct gp_variant variants[] = {
    { "cpu_residues", gp_convolve_fits_residues, residues_sources, .work_group = 1, .items = 10,
      .groups_per_unit = 4, .ops = &gp_convolve_residues },
    { "cpu_gathered", gp_convolve_fits_gathered, gathered_sources, .work_group = 1, .items = 10,
      .groups_per_unit = 4, .ops = &gp_convolve_gathered },
    { "gpu_short_taps",      gp_convolve_fits_short,  short_sources,  .ops = &gp_convolve_short },
    { "gpu_register_window", gp_convolve_fits_window, window_sources, .ops = &gp_convolve_window },
    { "gpu_tap_chunks",      gp_convolve_fits_chunks, chunks_sources, .ops = &gp_convolve_chunks },
    { "baseline", fits_all, baseline_sources, .work_group = 256, .ops = &baseline },
};
// clang-format on

const struct gp_variant *const gp_convolve_variants[CONVOLVE_VARIANTS] = {
    &variants[0], &variants[1], &variants[2], &variants[3], &variants[4], &variants[5]
};

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
// Programs

struct convolve_special gp_convolve_special(const gpuprim *gp, const struct convolution *c,
                                            const struct gp_variant *variant)
{
    const struct convolve_shape *shape = variant->ops;
    struct convolve_special special = { 0, 0, 0 };
    shape->specialise(gp, c, variant, &special);
    return special;
}

// Integer sums are below 2^31 in magnitude, whatever the input.
static bool is_sum32(const struct gpuprim_filter *f)
{
    return f->sum_bits <= 31;
}

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    const struct convolve_special special = gp_convolve_special(gp, c, variant);
    key->work_group = special.work_group;
    gp_define(key, "TYPE", f->in);
    gp_define(key, "TAP_TYPE", f->taps_type);
    gp_define(key, "OUT_TYPE", f->out);
    gp_define(key, "SUM32", is_sum32(f));
    gp_define(key, "ORDER", gp_convolve_order(gp, f));
    gp_define(key, "ITEMS", variant->items);
    gp_define(key, "SHAPE", special.number);
}

const struct gp_primitive gp_primitive_convolve1d = {
    .name = "convolve1d",
    .variants = gp_convolve_variants,
    .n_variants = CONVOLVE_VARIANTS,
    .kernels = { "convolve1d", "convolve1d_history" },
    .specialise = specialise,
    .describe = gp_convolve_describe,
};
