/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce: the variants, which one takes a call, and its program. */
#include "reduce.h"

#include <stdio.h>
#include <string.h>

const struct gp_variant *const gp_reduce_variants[REDUCE_VARIANTS] = {
    &gp_reduce_cpu_short_rows, &gp_reduce_cpu_rows,  &gp_reduce_cpu_columns,
    &gp_reduce_gpu_columns,    &gp_reduce_gpu_tiles, &gp_reduce_gpu_long_rows,
    &gp_reduce_gpu_rows,       &gp_reduce_baseline,
};

// ---------------------------------------------------------------------------------------
// Programs

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
    const struct reduce_ops *ops = variant->shape;
    struct special special = { 0, 0 };
    ops->specialise(gp, r, variant, &special);
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
    const struct reduce_ops *ops = variant->shape;
    ops->lay_out(gp, r, variant, program->work_group, piece, most, &l);
    return l;
}
