/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant baseline of reduce: any device, any stride, any work-group size. The kernel, and
 * the drawing of who reads what, is kernels/reduce/baseline.cl. */
#include "reduce.h"

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)r, (void)variant;
    if (gp->caps.is_cpu)
        key->work_group = 1;
}

// The largest divisor of n that is at most `most`.
static uint32_t divisor_within(uint32_t n, uint64_t most)
{
    uint32_t d = most < n ? (uint32_t)most : n;
    while (n % d)
        d--;
    return d;
}

// Elements of a row that an item takes. Many, so that it has loads in flight and rows few partials,
// where rows fill the device all the same. H200, driver 580.159.04, 2026-11-23, us by 4, 8, 16 and
// 32 elements: sum_abs of 106138 rows of 1143 i32, every second, 381, 272, 256, 238; count of 340938
// rows of 322 i8, every 17th, 492, 422, 424.
static unsigned elements_of_item(const gpuprim *gp, const struct gp_variant *variant,
                                 const struct gp_array *in)
{
    enum { FEW = 4, FAR = 8, MANY = 32, SECTOR = 32 };
    const unsigned many = gp_abs(in->stride) * in->size >= SECTOR ? FAR : MANY;
    const uint64_t items =
        (uint64_t)gp->caps.compute_units * variant->groups_per_unit * variant->work_group;
    const uint64_t shares = gp_ceil_div(in->count, many); // of a row; none where rows are empty
    return shares && in->rows >= gp_ceil_div(items, shares) ? many : FEW;
}

// Spreads the items of a group over rows and elements.
static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    enum { NEIGHBOURS = 64, CPU_SHARE = 1 << 16 };
    enum { LANE_SHARE = 8, LANE_SHARE_OF_LAUNCH = 64 };
    const struct gp_array *in = &r->in;
    l->across = in->rows > 1 && gp_abs(in->row_stride) < gp_abs(in->stride);
    if (l->across) {
        l->sets = divisor_within(work_group, in->rows < NEIGHBOURS ? in->rows : NEIGHBOURS);
        l->lanes = work_group / l->sets;
    } else {
        const uint64_t wanted = in->rows == 1
                                    ? work_group
                                    : gp_ceil_div(in->count, elements_of_item(gp, variant, in));
        l->lanes = divisor_within(work_group, wanted ? wanted : 1);
        l->sets = work_group / l->lanes;
    }
    // A slot must be worth a group: some elements for every item, more where a second launch
    // folds, on a CPU many more, because a core must be woken up. H200, driver 580.159.04,
    // 2026-11-23: one row of 46852 i32, stride 6, 23.1 us by 64 elements and a second launch,
    // 9.9 to 10.1 us by 8 in one.
    const unsigned share = gp->caps.ptx && l->sets == 1 ? LANE_SHARE : LANE_SHARE_OF_LAUNCH;
    const uint64_t least = gp->caps.is_cpu ? CPU_SHARE : (uint64_t)l->lanes * share;
    const uint64_t row_groups = gp_ceil_div(piece->rows, l->sets);
    const uint64_t wanted =
        (uint64_t)gp->caps.compute_units * variant->groups_per_unit / row_groups;
    gp_reduce_cut(l, piece->count, gp_min(wanted, gp_ceil_div(piece->count, least)), l->lanes,
                  most);
    l->groups = row_groups * l->slots;
    gp_reduce_fold_at_end(gp, r, piece, l);
}

static const struct reduce_ops ops = { specialise, lay_out };

const struct gp_variant gp_reduce_baseline = {
    .name = "baseline",
    .fits = fits,
    .sources = REDUCE_SOURCES("reduce/baseline.cl"),
    .work_group = 256,
    .groups_per_unit = 16,
    .ops = &ops,
};
