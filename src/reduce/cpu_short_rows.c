/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant cpu_short_rows of reduce: many short rows of stride 1 on CPU devices. A group of
 * one item reads several rows side by side. The kernel is kernels/reduce/cpu_short_rows.cl. */
#include "cpu.h"

// A row is folded to one vector. Each element of the vector takes a chain of the row's
// elements.
static uint64_t most_elements(const struct reduction *r)
{
    return CHAIN * (CPU_VECTOR_BYTES / (r->sum == GPUPRIM_F64 ? 8 : 4));
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp_reduce_is_for_cpu(gp) && r->in.stride == 1 && r->in.count > 0 &&
           r->in.count <= most_elements(r);
}

// Up to the longest rows this variant is faster than cpu_rows, because it reads several rows
// side by side. PoCL 3.1, two cores with AVX-512, 2026-11-21, f32, a read-only loop's processor
// time over the kernel's: rows of 1024 by this variant 1.32, rows of 1025 by cpu_rows 0.88.
static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    return ((const struct reduction *)call)->in.rows > 1;
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)r, (void)work_group;
    l->sets = l->lanes = 1;
    gp_reduce_cut(l, piece->count, 1, CPU_BLOCK, most);
    l->groups = gp_min(gp_ceil_div(piece->rows * piece->count, CPU_SHARE),
                       gp_reduce_cpu_groups(gp, variant));
}

static const struct reduce_ops ops = { .lay_out = lay_out };

const struct gp_variant gp_reduce_cpu_short_rows = {
    .name = "cpu_short_rows",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_SOURCES("cpu.cl", "reduce/cpu_vector.cl", "reduce/cpu_short_rows.cl"),
    .work_group = 1,
    .groups_per_unit = 4,
    .ops = &ops,
};
