/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant cpu_short_rows of reduce: many short rows of any stride on CPU devices. A group
 * of one item reads several rows side by side. The kernel is kernels/reduce/cpu_short_rows.cl.
 */
#include "cpu.h"

// Whether vectors have an element of each row, and not elements of one row. PoCL 3.1, two cores
// of an AMD EPYC (AVX-512) that others used too, 2026-11-22, processor time in ns per element of
// packed rows, along the rows / across them:
//     rows of     3            5            7            12
//     sum f32     0.72 / 0.33               0.31 / 0.25  0.33 / 0.43
//     sum f16                  0.60 / 0.25  0.50 / 0.27  0.30 / 0.27
//     argmin f32                            1.07 / 0.32  0.55 / 0.56
//     sum f64                  0.51 / 0.40  0.59 / 0.42
//     and u8                   0.23 / 0.34 (6)           0.17 / 0.27
static bool is_across(const struct reduction *r)
{
    const bool narrow = r->in.size < 4 && !gp_type_is_float(r->in.type);
    return r->in.stride != 1 || r->in.count <= (narrow ? 4 : 8);
}

// A row is folded to one vector. Each element of the vector takes a chain of the row's
// elements.
static uint64_t most_elements(const struct reduction *r)
{
    return CHAIN * (CPU_VECTOR_BYTES / (r->sum == GPUPRIM_F64 ? 8 : 4));
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp_reduce_is_for_cpu(gp) && r->in.count > 0 && r->in.count <= most_elements(r);
}

// Up to the longest rows this variant is faster than cpu_rows, because it reads several rows
// side by side. PoCL 3.1, two cores with AVX-512, 2026-11-21, f32, a read-only loop's processor
// time over the kernel's: rows of 1024 by this variant 1.32, rows of 1025 by cpu_rows 0.88.
//
// Of other strides it takes as many rows as a vector has. Columns of few lines are faster here
// than by cpu_columns, which has an acc for each: 4434 columns of 8 i16 take 11 us of a
// processor instead of 34.
static bool suits(const gpuprim *gp, const void *call)
{
    enum { MOST_VEC_N = CPU_VECTOR_BYTES / 4, FEW_LINES = 16 };
    (void)gp;
    const struct gp_array *in = &((const struct reduction *)call)->in;
    if (in->stride == 1)
        return in->rows > 1;
    return in->rows >= MOST_VEC_N && (in->row_stride != 1 || in->count <= FEW_LINES);
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    gp_define(key, "ACROSS", is_across(r));
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

static const struct reduce_ops ops = { specialise, lay_out };

const struct gp_variant gp_reduce_cpu_short_rows = {
    .name = "cpu_short_rows",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_SOURCES("cpu.cl", "reduce/cpu_vector.cl", "reduce/cpu_short_rows.cl"),
    .work_group = 1,
    .groups_per_unit = 4,
    .ops = &ops,
};
