/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce: the variants, which one takes a call, and how it is laid out on the device. */
#include "reduce.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_BLOCK = 4096,    // elements; shares of the CPU variant are multiples
    CPU_SHARE = 1 << 16, // a core's wake-up costs more than this many elements
    LANE_SHARE = 64,     // elements that are worth an item
    ROWS_GROUP = 128,    // items per group of the wide loads where there are several rows
};

// ---------------------------------------------------------------------------------------
// Variants

// Asked for by name (GPUPRIM_VARIANT, or the tests), a variant takes whatever it can do, worth
// it or not.
static bool is_forced(const gpuprim *gp)
{
    return strncmp(gp->force_variant, "reduce:", 7) == 0;
}

static bool fits_cpu(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp->caps.is_cpu && gp->force_work_group <= 1 && r->in.stride == 1 &&
           (r->in.count >= 16 || is_forced(gp));
}

// Rows of less than a few words are the baseline's.
static bool fits_gpu(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    const bool worth_it =
        !gp->caps.is_cpu && (r->in.rows == 1 || r->in.count * r->in.size >= 64);
    return r->in.stride == 1 && (worth_it || is_forced(gp));
}

static bool fits_all(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

// clang-format off
#define SOURCES(shape) { "reduce_lane.cl", "reduce_acc.cl", "reduce.cl", shape, NULL }
// clang-format on
static const char *const cpu_sources[] = SOURCES("reduce_cpu.cl");
static const char *const gpu_sources[] = SOURCES("reduce_gpu.cl");
static const char *const baseline_sources[] = SOURCES("reduce_baseline.cl");

// First row that fits wins.
//
// wide_loads: few groups that are resident together read best; with more, those that come in the
// second round decide. H200, driver 580.159, 2026-11-20, `check --bench`, medians of sums, GB/s at
// 4 GiB, and us for 16 Mi f32:
//     items x groups per unit    f32    f64    i32    u8     f16    16 Mi f32
//     256 x 4                    4514   4516   4442   4305   3972   24.1
//     256 x 16                   4508   -      4460   4179   4237   28.1
//     512 x 4                    4532   4529   4279   3717   3722   26.5
//     512 x 16                   4547   4541   4392   4318   4177   36.9
// argmin u8 / f32: 256 x 4 4371 / 4152, 256 x 8 4133 / 4383, 512 x 16 4246 / 4119. 8 words in
// flight instead of 4: no gain. Where a row wants another number, its kernel's registers let
// other numbers of groups be resident: 256 x 4 is best for most, worst for min u8 (3831, 512 x 16
// 4522) and sum f16.
// clang-format off
const struct gp_variant gp_reduce_variants[REDUCE_VARIANTS] = {
    { "blocks",     fits_cpu, cpu_sources,      .work_group = 1,   .groups_per_unit = 4 },
    { "wide_loads", fits_gpu, gpu_sources,      .work_group = 256, .items = 4, .groups_per_unit = 4 },
    { "baseline",   fits_all, baseline_sources, .work_group = 256, .groups_per_unit = 16 },
};
// clang-format on
const struct gp_variant *gp_reduce_pick(const gpuprim *gp, const struct reduction *r)
{
    for (unsigned i = 0; i < REDUCE_VARIANTS; i++)
        if (gp_variant_allowed(gp, "reduce", gp_reduce_variants[i].name) &&
            gp_reduce_variants[i].fits(gp, r))
            return &gp_reduce_variants[i];
    gp_fail(GPUPRIM_E_UNSUPPORTED, "reduce: variant %s does not take this call",
            gp->force_variant);
    return NULL;
}

// ---------------------------------------------------------------------------------------
// Programs and layouts

// How many items of a group the wide loads want for a row; 0 = all of the group. An item that
// reads a whole short row alone waits for it, one that shares a long row has too little to do:
// 16 words each are best from rows of 9 words on, 4 below. H200, driver 580.159, 2026-11-20,
// 1 GiB of f32, GB/s with 4 / 8 / 16 words an item: rows of 32 4002 / 3545 / 3557, of 256
// 4230 / 4344 / 4327, of 1000 2871 / 3997 / 4133, of 4096 4335 / 4489 / 4442.
static unsigned lanes_wanted(const struct reduction *r, const struct gp_variant *variant)
{
    if (variant->fits != fits_gpu || r->in.rows == 1)
        return 0;
    const uint64_t words = gp_divide_up(r->in.count * r->in.size, 16);
    const uint64_t share = words > 8 ? 16 : 4;
    unsigned lanes = 1;
    while (lanes < ROWS_GROUP && lanes * share < words)
        lanes *= 2;
    return lanes < ROWS_GROUP ? lanes : 0;
}

// What the kernel makes of it (LANES in kernels/reduce_gpu.cl).
static unsigned lanes_within(unsigned work_group, unsigned wanted)
{
    if (wanted == 0 || wanted >= work_group)
        return work_group;
    return work_group % wanted ? 1 : wanted;
}

// Items per group to ask for.
static unsigned work_group_wanted(const gpuprim *gp, const struct reduction *r,
                                  const struct gp_variant *variant)
{
    if (gp->force_work_group)
        return gp->force_work_group;
    if (variant->fits == fits_gpu && r->in.rows > 1)
        return ROWS_GROUP;
    if (gp->caps.is_cpu)
        return variant->fits == fits_gpu ? 64 : 1;
    return variant->work_group;
}

int gp_reduce_program(gpuprim *gp, const struct reduction *r, const struct gp_variant *variant,
                      struct gp_program **out)
{
    const unsigned lanes = lanes_wanted(r, variant);
    const unsigned work_group = work_group_wanted(gp, r, variant);
    const bool exact = gp->force_work_group != 0;
    const uint64_t key = (uint64_t)'r' << 56 | (uint64_t)(variant - gp_reduce_variants) << 52 |
                         (uint64_t)r->in.type << 48 | (uint64_t)r->op << 44 |
                         (uint64_t)r->sum << 40 | (uint64_t)r->skip_nan << 37 |
                         (uint64_t)exact << 36 | (uint64_t)lanes << 20 | work_group;
    *out = gp_program_find(gp, key);
    if (*out)
        return GPUPRIM_OK;

    char preamble[256], name[64];
    snprintf(name, sizeof name, "reduce (%s)", variant->name);
    snprintf(preamble, sizeof preamble,
             "#define TYPE %d\n#define OP %d\n#define SUM_TYPE %d\n#define SKIP_NAN %d\n"
             "#define ITEMS %u\n#define LANES_WANTED %u\n",
             (int)r->in.type, (int)r->op, (int)r->sum, (int)r->skip_nan, variant->items, lanes);
    const struct gp_program_request request = {
        .key = key,
        .name = name,
        .sources = variant->sources,
        .preamble = preamble,
        .kernels = { "reduce_partial", "reduce_fold" },
        .work_group = work_group,
        .exact = exact,
    };
    return gp_program_build(gp, &request, out);
}

// The largest divisor of n that is at most `most`.
static uint32_t divisor_within(uint32_t n, uint64_t most)
{
    uint32_t d = most < n ? (uint32_t)most : n;
    while (n % d)
        d--;
    return d;
}

// How the items of a baseline group are spread over rows and elements (the drawing is in
// kernels/reduce_baseline.cl).
static void spread_items(const struct gp_array *in, uint32_t work_group, struct layout *l)
{
    enum { NEIGHBOURS = 64, ELEMENTS_PER_ITEM = 4 };
    l->across = in->rows > 1 && gp_magnitude(in->row_stride) < gp_magnitude(in->stride);
    if (l->across) {
        l->sets = divisor_within(work_group, in->rows < NEIGHBOURS ? in->rows : NEIGHBOURS);
        l->lanes = work_group / l->sets;
    } else {
        const uint64_t wanted =
            in->rows == 1 ? work_group : gp_divide_up(in->count, ELEMENTS_PER_ITEM);
        l->lanes = divisor_within(work_group, wanted ? wanted : 1);
        l->sets = work_group / l->lanes;
    }
}

struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_variant *variant,
                               const struct gp_program *program, const struct gp_piece *piece,
                               uint64_t max_slots)
{
    struct layout l = { .sets = 1, .lanes = 1 };
    uint64_t least = CPU_SHARE, multiple = CPU_BLOCK; // elements of a slot
    if (variant->fits == fits_gpu) {
        l.lanes = lanes_within(program->work_group, lanes_wanted(r, variant));
        l.sets = program->work_group / l.lanes;
        least = multiple = (uint64_t)l.lanes * variant->items * (16 / r->in.size);
    } else if (variant->fits == fits_all) {
        spread_items(&r->in, program->work_group, &l);
        multiple = l.lanes;
        if (!gp->caps.is_cpu)
            least = (uint64_t)l.lanes * LANE_SHARE;
    }
    const uint64_t filling = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    const uint64_t row_groups = gp_divide_up(piece->rows, l.sets);
    uint64_t slots = filling / row_groups, most = gp_divide_up(piece->count, least);
    if (slots > most)
        slots = most;
    if (slots > max_slots)
        slots = max_slots;
    if (slots < 1)
        slots = 1;
    l.share = gp_divide_up(piece->count, slots);
    if (slots > 1)
        l.share = gp_divide_up(l.share, multiple) * multiple;
    l.slots = l.share ? gp_divide_up(piece->count, l.share) : 1;
    l.groups = row_groups * l.slots;
    return l;
}

bool gp_reduce_one_launch(const gpuprim *gp, const struct gp_variant *variant,
                          const struct layout *layout)
{
    return gp->caps.has_fences && variant->fits == fits_gpu && layout->sets == 1 &&
           layout->slots > 1;
}
