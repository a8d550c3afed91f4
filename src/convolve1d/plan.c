/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the variants, which one takes a call, and its program. */
#include "convolve1d.h"

#include <stdio.h>
#include <string.h>

bool gp_convolve_is_forced(const gpuprim *gp)
{
    return gp_variant_is_forced(gp, "convolve1d");
}

// CPUs: elements in a vector of 64 bytes of what is calculated with
// (kernels/convolve1d/cpu_residues.cl).
unsigned gp_convolve_order(const gpuprim *gp, const struct gp_variant *variant,
                           const struct gpuprim_filter *filter)
{
    const struct convolve_shape *shape = variant->shape;
    if (gp->force_order)
        return gp->force_order;
    if (!gp->caps.is_cpu || shape->in_order)
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

static const struct convolve_shape baseline = { specialise_baseline, lay_out_baseline, false };

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
      .groups_per_unit = 4, .shape = &gp_convolve_residues },
    { "cpu_gathered", gp_convolve_fits_gathered, gathered_sources, .work_group = 1, .items = 10,
      .groups_per_unit = 4, .shape = &gp_convolve_gathered },
    { "gpu_short_taps",      gp_convolve_fits_short,  short_sources,  .shape = &gp_convolve_short },
    { "gpu_register_window", gp_convolve_fits_window, window_sources, .shape = &gp_convolve_window },
    { "gpu_tap_chunks",      gp_convolve_fits_chunks, chunks_sources, .shape = &gp_convolve_chunks },
    { "baseline", fits_all, baseline_sources, .work_group = 256, .shape = &baseline },
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
    const struct convolve_shape *shape = variant->shape;
    struct convolve_special special = { 0, 0, 0 };
    shape->specialise(gp, c, variant, &special);
    if (gp->force_work_group)
        special.work_group = gp->force_work_group;
    return special;
}

// Integer sums are below 2^31 in magnitude, whatever the input.
static bool is_sum32(const struct gpuprim_filter *f)
{
    return f->sum_bits <= 31;
}

struct gp_key gp_convolve_key(const struct gpuprim_filter *f, const struct gp_variant *variant,
                              const struct convolve_special *special, unsigned order,
                              bool exact)
{
    return (struct gp_key){ .variant = variant,
                            .type = f->in,
                            .with = { f->taps_type, f->out, is_sum32(f), order },
                            .shape = special->number,
                            .work_group = special->work_group,
                            .exact = exact };
}

static int program_for(gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_program **out)
{
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    const struct convolve_special special = gp_convolve_special(gp, c, variant);
    const bool exact = gp->force_work_group != 0;
    const unsigned order = gp_convolve_order(gp, variant, f);
    const struct gp_key key = gp_convolve_key(f, variant, &special, order, exact);
    *out = gp_program_find(gp, &key);
    if (*out)
        return GPUPRIM_OK;

    char preamble[256], name[64];
    snprintf(name, sizeof name, "convolve1d (%s)", variant->name);
    snprintf(preamble, sizeof preamble,
             "#define TYPE %d\n#define TAP_TYPE %d\n#define OUT_TYPE %d\n#define SUM32 %d\n"
             "#define ORDER %u\n#define ITEMS %u\n#define SHAPE %u\n",
             (int)f->in, (int)f->taps_type, (int)f->out, (int)is_sum32(f), order,
             variant->items, special.number);
    const struct gp_program_request request = {
        .key = key,
        .name = name,
        .sources = variant->sources,
        .preamble = preamble,
        .kernels = { "convolve1d", "convolve1d_history" },
        .work_group = special.work_group,
        .exact = exact,
    };
    return gp_program_build(gp, &request, out);
}

static const struct gp_table table = { "convolve1d", gp_convolve_variants, CONVOLVE_VARIANTS,
                                       program_for };

const struct gp_variant *gp_convolve_pick(const gpuprim *gp, const struct convolution *c)
{
    return gp_variant_pick(gp, &table, c);
}

int gp_convolve_choose(gpuprim *gp, const struct convolution *c, struct gp_choice *out)
{
    return gp_variant_choose(gp, &table, c, out);
}
