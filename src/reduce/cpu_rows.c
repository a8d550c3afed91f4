/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant cpu_rows of reduce: rows of stride 1 on CPU devices. A group of one item reads one
 * contiguous share of a row. The kernel is kernels/reduce/cpu_rows.cl. */
#include "cpu.h"

static bool fits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp_reduce_is_for_cpu(gp) && r->in.stride == 1 &&
           (r->in.count >= 16 || gp_reduce_is_forced(gp));
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct special *out)
{
    (void)gp, (void)r;
    out->work_group = variant->work_group;
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)r, (void)work_group;
    l->sets = l->lanes = 1;
    uint64_t wanted = gp_reduce_cpu_groups(gp, variant) / piece->rows;
    if (wanted > piece->count / CPU_SHARE)
        wanted = piece->count / CPU_SHARE;
    gp_reduce_cut(l, piece->count, wanted, CPU_BLOCK, most);
    l->groups = piece->rows * l->slots;
}

static const struct reduce_ops ops = { specialise, lay_out };

const struct gp_variant gp_reduce_cpu_rows = { .name = "cpu_rows",
                                               .fits = fits,
                                               .sources = REDUCE_SOURCES("reduce/cpu_vector.cl",
                                                                         "reduce/cpu_rows.cl"),
                                               .work_group = 1,
                                               .groups_per_unit = 4,
                                               .ops = &ops };
