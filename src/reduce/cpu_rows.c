/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant cpu_rows of reduce: rows of stride 1 on CPU devices. A group of one item reads
 * one contiguous share of a row. The kernel is kernels/reduce/cpu_rows.cl. */
#include "cpu.h"

static bool fits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp_reduce_is_for_cpu(gp) && r->in.stride == 1;
}

// Shorter rows do not fill a vector.
static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    return ((const struct reduction *)call)->in.count >= 16;
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)r, (void)work_group;
    l->sets = l->lanes = 1;
    const uint64_t wanted = gp_reduce_cpu_groups(gp, variant) / piece->rows;
    gp_reduce_cut(l, piece->count, gp_min(wanted, piece->count / CPU_SHARE), CPU_BLOCK, most);
    l->groups = piece->rows * l->slots;
}

static const struct reduce_ops ops = { .lay_out = lay_out };

const struct gp_variant gp_reduce_cpu_rows = {
    .name = "cpu_rows",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_SOURCES("cpu.cl", "reduce/cpu_vector.cl", "reduce/cpu_rows.cl"),
    .work_group = 1,
    .groups_per_unit = 4,
    .ops = &ops,
};
