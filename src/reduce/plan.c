/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce: the variants, which one takes a call, and its program. */
#include "reduce.h"

const struct gp_variant *const gp_reduce_variants[REDUCE_VARIANTS] = {
    &gp_reduce_cpu_short_rows, &gp_reduce_cpu_rows,  &gp_reduce_cpu_columns,
    &gp_reduce_gpu_columns,    &gp_reduce_gpu_tiles, &gp_reduce_gpu_long_rows,
    &gp_reduce_gpu_rows,       &gp_reduce_baseline,
};

// ---------------------------------------------------------------------------------------
// Programs

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct reduction *r = call;
    const struct reduce_ops *ops = variant->ops;
    struct special special = { 0, 0 };
    ops->specialise(gp, r, variant, &special);
    key->work_group = special.work_group;
    gp_define(key, "TYPE", r->in.type);
    gp_define(key, "OP", r->op);
    gp_define(key, "SUM_TYPE", r->sum);
    gp_define(key, "SKIP_NAN", r->skip_nan);
    gp_define(key, "ITEMS", variant->items);
    gp_define(key, "SHAPE", special.number);
}

struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_variant *variant,
                               const struct gp_program *program, const struct gp_piece *piece,
                               uint64_t most)
{
    struct layout l = { .sets = 1, .lanes = 1 };
    const struct reduce_ops *ops = variant->ops;
    ops->lay_out(gp, r, variant, program->work_group, piece, most, &l);
    return l;
}

const struct gp_primitive gp_primitive_reduce = {
    .name = "reduce",
    .variants = gp_reduce_variants,
    .n_variants = REDUCE_VARIANTS,
    .kernels = { "reduce_partial", "reduce_fold" },
    .specialise = specialise,
    .describe = gp_reduce_describe,
};
