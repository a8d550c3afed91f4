/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce: the variants, which one takes a call, and its program. */
#include "reduce.h"

#include <stdio.h>
#include <string.h>

bool gp_reduce_is_forced(const gpuprim *gp)
{
    return gp_variant_is_forced(gp, "reduce");
}

void gp_reduce_cut(struct layout *l, uint64_t count, uint64_t wanted, uint64_t multiple,
                   uint64_t most)
{
    uint64_t slots = wanted < most ? wanted : most;
    if (slots < 1)
        slots = 1;
    l->share = gp_ceil_div(count, slots);
    if (slots > 1)
        l->share = gp_ceil_div(l->share, multiple) * multiple;
    l->slots = l->share ? gp_ceil_div(count, l->share) : 1;
    l->partials = l->slots;
}

// ---------------------------------------------------------------------------------------
// baseline: any stride, any work-group size

static bool fits_all(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static void specialise_baseline(const gpuprim *gp, const struct reduction *r,
                                const struct gp_variant *variant, struct special *out)
{
    (void)r;
    out->work_group = gp->caps.is_cpu ? 1 : variant->work_group;
}

// The largest divisor of n that is at most `most`.
static uint32_t divisor_within(uint32_t n, uint64_t most)
{
    uint32_t d = most < n ? (uint32_t)most : n;
    while (n % d)
        d--;
    return d;
}

// How the items of a group are spread over rows and elements (the drawing is in
// kernels/reduce/baseline.cl).
static void lay_out_baseline(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, unsigned work_group,
                             const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    enum { NEIGHBOURS = 64, ELEMENTS_PER_ITEM = 4, LANE_SHARE = 64, CPU_SHARE = 1 << 16 };
    const struct gp_array *in = &r->in;
    l->across = in->rows > 1 && gp_abs(in->row_stride) < gp_abs(in->stride);
    if (l->across) {
        l->sets = divisor_within(work_group, in->rows < NEIGHBOURS ? in->rows : NEIGHBOURS);
        l->lanes = work_group / l->sets;
    } else {
        const uint64_t wanted =
            in->rows == 1 ? work_group : gp_ceil_div(in->count, ELEMENTS_PER_ITEM);
        l->lanes = divisor_within(work_group, wanted ? wanted : 1);
        l->sets = work_group / l->lanes;
    }
    // A slot must be worth a group: some elements for every item, more for a core's wake-up.
    const uint64_t least = gp->caps.is_cpu ? CPU_SHARE : (uint64_t)l->lanes * LANE_SHARE;
    const uint64_t row_groups = gp_ceil_div(piece->rows, l->sets);
    uint64_t wanted = (uint64_t)gp->caps.compute_units * variant->groups_per_unit / row_groups;
    if (wanted > gp_ceil_div(piece->count, least))
        wanted = gp_ceil_div(piece->count, least);
    gp_reduce_cut(l, piece->count, wanted, l->lanes, most);
    l->groups = row_groups * l->slots;
}

static const struct reduce_shape baseline = { specialise_baseline, lay_out_baseline };

// ---------------------------------------------------------------------------------------
// The table: first row that fits wins

// clang-format off
#define SOURCES(...) \
    { "reduce/lane.cl", "reduce/acc.cl", "reduce/result.cl", "reduce/reduce.cl", __VA_ARGS__, NULL }
// clang-format on
static const char *const batches_sources[] =
    SOURCES("reduce/cpu_vector.cl", "reduce/cpu_rows.cl");
static const char *const blocks_sources[] = SOURCES("reduce/cpu_vector.cl", "reduce/cpu.cl");
static const char *const bands_sources[] =
    SOURCES("reduce/cpu_vector.cl", "reduce/cpu_columns.cl");
static const char *const columns_sources[] = SOURCES("reduce/columns.cl");
static const char *const tiles_sources[] = SOURCES("reduce/tiles.cl");
static const char *const wide_sources[] =
    SOURCES("reduce/words.cl", "reduce/dots.cl", "reduce/packs.cl", "reduce/wide.cl");
static const char *const baseline_sources[] = SOURCES("reduce/baseline.cl");

// Items per group, words in flight per item, and groups per compute unit are measured: H200,
// driver 580.159, 2026-11-21, `check --bench` and the same with other numbers in this table.
// clang-format off
//
// wide_loads, GB/s at 4 GiB / 1 GiB. Three groups of 256 with eight words each keep 96 KiB per
// unit in flight and are resident together, whatever the type; groups that come in a second
// round decide when the launch ends.
//     items x words, groups    sum f32        sum i32        argmin f32     argmin u8
//     256 x 8, 3               4541 / 4404    4533 / 4379    4500 / 4252    4514 / 4309
//     256 x 8, 8               4540 / 4383    4542 / 4465    4441 / 4069    4472 / 4138
//     256 x 4, 4               4506 / 4336    4509 / 4345    4435 / 4134    4453 / 4208
//     256 x 4, 8               4172 / 4079    3952 / 3839    4044 / 3668    4107 / 3815
//     512 x 4, 2               4528 / 4413    4522 / 4369    4477 / 4231    4494 / 4313
//     1024 x 2, 16             4580 / 4304    4418 / 3798    4095 / 3147    4179 / 3259
// From two runs of one day; in the rows of 256 x 4 and 1024 x 2 argmin still had each item look up
// its own tile. Small sums want the same shape: 64 Ki f32 take 7.6 us by 8 groups of 256 x 8, 7.6 by one group
// of 512 x 8, 8.9 by one of 256 x 8; 1 Mi 8.1 us by 128 groups, 9.3 by 32 of 512 x 4.
//
// columns, GB/s, sums of 1 GiB of f32 as matrices so many columns wide:
//     items x words, groups    3       33      256     4096    65536
//     512 x 8, 2               4159    4161    4232    4225    4337
//     256 x 8, 4               4134    4087    4218    4210    3899
//     512 x 4, 2               4048    4073    4168    4176    4289
//     1024 x 8, 1              4158    4180    4246    4264    4259
//     512 x 8, 1               3728    3722    3866    3843    4338
//
// row_tiles, GB/s, rows of so many f32:
//     items x words            3       33      63      130
//     32 x 8                   3951    4192    4202    4185
//     64 x 4                   3734    4165    3594    3299
//     128 x 4                  3898    4228    3715    3440
//     64 x 8                   3314    3567    3813    3725
static const struct gp_variant variants[] = {
    { "batches",    gp_reduce_fits_batches, batches_sources,
      .work_group = 1,   .groups_per_unit = 4,              .shape = &gp_reduce_batches },
    { "blocks",     gp_reduce_fits_blocks,  blocks_sources,
      .work_group = 1,   .groups_per_unit = 4,              .shape = &gp_reduce_blocks },
    { "bands",      gp_reduce_fits_bands,   bands_sources,
      .work_group = 1,   .groups_per_unit = 4,              .shape = &gp_reduce_bands },
    { "columns",    gp_reduce_fits_columns, columns_sources,
      .work_group = 512, .groups_per_unit = 2,  .items = 8, .shape = &gp_reduce_columns },
    { "row_tiles",  gp_reduce_fits_tiles,   tiles_sources,
      .work_group = 32,  .groups_per_unit = 32, .items = 8, .shape = &gp_reduce_tiles,
      .holds = gp_reduce_tiles_hold },
    { "wide_loads", gp_reduce_fits_wide,    wide_sources,
      .work_group = 256, .groups_per_unit = 3,  .items = 8, .shape = &gp_reduce_wide },
    { "wide_rows",  gp_reduce_fits_rows,    wide_sources,
      .work_group = 128, .groups_per_unit = 8,  .items = 8, .shape = &gp_reduce_rows },
    { "baseline",   fits_all,               baseline_sources,
      .work_group = 256, .groups_per_unit = 16,             .shape = &baseline },
};
// clang-format on

const struct gp_variant *const gp_reduce_variants[REDUCE_VARIANTS] = {
    &variants[0], &variants[1], &variants[2], &variants[3],
    &variants[4], &variants[5], &variants[6], &variants[7]
};

// ---------------------------------------------------------------------------------------
// Programs

uint64_t gp_reduce_partial_bytes(const struct reduction *r)
{
    const uint64_t sum = r->sum == GPUPRIM_F32 ? 4 : 8;
    switch (r->op) {
    case GPUPRIM_MEAN:
        return 2 * sum + (r->skip_nan ? 8 : 0);
    case GPUPRIM_SUM:
    case GPUPRIM_SUM_ABS:
    case GPUPRIM_SUM_SQUARES:
        return 2 * sum;
    case GPUPRIM_MINMAX:
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
        return 16;
    default:
        return 8;
    }
}

struct gp_key gp_reduce_key(const struct reduction *r, const struct gp_variant *variant,
                            const struct special *special, bool exact)
{
    return (struct gp_key){ .variant = variant,
                            .type = r->in.type,
                            .with = { r->op, r->sum, r->skip_nan },
                            .shape = special->number,
                            .work_group = special->work_group,
                            .exact = exact };
}

static int program_for(gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_program **out)
{
    const struct reduction *r = call;
    const struct reduce_shape *shape = variant->shape;
    struct special special = { 0, 0 };
    shape->specialise(gp, r, variant, &special);
    const bool exact = gp->force_work_group != 0;
    if (exact)
        special.work_group = gp->force_work_group;
    const struct gp_key key = gp_reduce_key(r, variant, &special, exact);
    *out = gp_program_find(gp, &key);
    if (*out)
        return GPUPRIM_OK;

    char preamble[256], name[64];
    snprintf(name, sizeof name, "reduce (%s)", variant->name);
    snprintf(preamble, sizeof preamble,
             "#define TYPE %d\n#define OP %d\n#define SUM_TYPE %d\n#define SKIP_NAN %d\n"
             "#define ITEMS %u\n#define SHAPE %u\n",
             (int)r->in.type, (int)r->op, (int)r->sum, (int)r->skip_nan, variant->items,
             special.number);
    const struct gp_program_request request = {
        .key = key,
        .name = name,
        .sources = variant->sources,
        .preamble = preamble,
        .kernels = { "reduce_partial", "reduce_fold" },
        .work_group = special.work_group,
        .exact = exact,
    };
    return gp_program_build(gp, &request, out);
}

static const struct gp_table table = { "reduce", gp_reduce_variants, REDUCE_VARIANTS,
                                       program_for };

const struct gp_variant *gp_reduce_pick(const gpuprim *gp, const struct reduction *r)
{
    return gp_variant_pick(gp, &table, r);
}

int gp_reduce_choose(gpuprim *gp, const struct reduction *r, struct gp_choice *out)
{
    return gp_variant_choose(gp, &table, r, out);
}

struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_variant *variant,
                               const struct gp_program *program, const struct gp_piece *piece,
                               uint64_t most)
{
    struct layout l = { .sets = 1, .lanes = 1 };
    const struct reduce_shape *shape = variant->shape;
    shape->lay_out(gp, r, variant, program->work_group, piece, most, &l);
    return l;
}
