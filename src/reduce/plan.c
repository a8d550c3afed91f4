/* SPDX-License-Identifier: Apache-2.0
 *
 * The primitive reduce as the core knows it: the ordered list of its variants, and the macros
 * that their kernels are compiled with. gp_plan() in src/core/plan.c asks the variants in this
 * order. */
#include "operations.h"
#include "reduce.h"

static const struct gp_variant *const variants[] = {
    &gp_reduce_cpu_short_rows, &gp_reduce_cpu_rows,  &gp_reduce_cpu_columns,
    &gp_reduce_gpu_columns,    &gp_reduce_gpu_tiles, &gp_reduce_gpu_long_rows,
    &gp_reduce_gpu_rows,       &gp_reduce_baseline,
};

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct reduction *r = call;
    const struct reduce_ops *ops = variant->ops;
    gp_define(key, "TYPE", r->in.type);
    gp_define(key, "OP", r->op);
    gp_define(key, "SUM_TYPE", r->sum);
    gp_define(key, "OUT_TYPE", r->out.type);
    gp_define(key, "SKIP_NAN", r->skip_nan);
    if (ops->specialise)
        ops->specialise(gp, r, variant, key);
}

struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_plan *plan, const struct gp_piece *piece,
                               uint64_t most)
{
    struct layout l = { .sets = 1, .lanes = 1 };
    const struct reduce_ops *ops = plan->variant->ops;
    ops->lay_out(gp, r, plan->variant, plan->program->work_group, piece, most, &l);
    return l;
}

const struct gp_primitive gp_primitive_reduce = {
    .name = "reduce",
    .variants = variants,
    .n_variants = sizeof variants / sizeof *variants,
    .constants = gp_reduce_operation_names,
    .n_constants = REDUCE_N_OPERATIONS,
    .kernels = { "reduce_partial", "reduce_fold" },
    .specialise = specialise,
    .describe = gp_reduce_describe,
};
