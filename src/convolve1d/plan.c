/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the table of variants, the macros that all of them are compiled with, and the
 * plans of launches. gp_plan of the core picks the variant of a launch and its program. Calls
 * shape.c. */
#include "arguments.h"
#include "convolve1d.h"

#include <stddef.h>

// The order in which gp_plan() asks them: struct gp_primitive in core/plan.h.
// clang-format off
#define WITH_COST \
    &gp_convolve_gpu_turn, &gp_convolve_gpu_walk, &gp_convolve_gpu_roll, \
    &gp_convolve_gpu_narrow, &gp_convolve_gpu_stretches, &gp_convolve_gpu_row_registers, \
    &gp_convolve_gpu_folds, &gp_convolve_gpu_places, &gp_convolve_gpu_register_window, \
    &gp_convolve_gpu_tile, &gp_convolve_gpu_tap_chunks, &gp_convolve_gpu_byte_matrices
static const struct gp_variant *const variants[] = {
    &gp_convolve_cpu_fft,
    &gp_convolve_gpu_fft,
    &gp_convolve_gpu_fft_columns,
    &gp_convolve_cpu_residues,
    &gp_convolve_cpu_matrix,
    &gp_convolve_gpu_transposed,
    WITH_COST,
    &gp_convolve_baseline,
};
static const struct gp_variant *const variants_of_parts[] = { WITH_COST, &gp_convolve_baseline };
// clang-format on

// Integer sums are below 2^31 in magnitude, whatever the data.
static bool is_sum32(const struct gpuprim_filter *f)
{
    return f->sum_bits <= 31;
}

// Twice a result of integer sums, and 1 more, fits 32 bits before it is saturated.
static bool is_result_short(const struct gpuprim_filter *f, bool whole)
{
    return !whole || f->sum_bits <= f->shift + 29;
}

// Integer sums have room for half of 2^shift more.
static bool is_roomy(const struct gpuprim_filter *f)
{
    const unsigned most = is_sum32(f) ? 30 : 62;
    return f->shift > 0 && f->shift <= most && f->sum_bits <= most;
}

// Whether groups update the history of `rows` rows each: where they need few turns for that,
// and not very many narrow elements, which they copy by more instructions than the launch takes
// that would be spared. H200, driver 580.159.04, 2026-11-28, us of two launches and of one: 14
// f32 of 16 841 rows 12.1, 9.8; 282 f32 of 337 903 rows 869, 801; i32, 1 316 157 rows 159, 153;
// but 9 i8 of 38 661 187 rows 553, 854. The limits between were not measured.
static bool may_update_rows(const struct convolve_shape *s, uint64_t rows)
{
    enum { MOST_NARROW = 1 << 22, MOST_OF_GROUP = 1 << 14 };
    const uint64_t halo = s->filter->halo;
    return rows && halo <= MOST_OF_GROUP / gp_min(rows, s->rows) &&
           (gp_type_size(s->filter->in) >= 4 || halo * s->rows <= MOST_NARROW);
}

// Whether the launch of a shape by a variant updates the history, too, and who does: if both
// can, and arguments have room.
static unsigned updates_of(const struct convolve_shape *s, const struct convolve_ops *ops)
{
    enum { POINTERS = 5 * sizeof(void *), OWN = sizeof(((struct convolve_layout *)0)->own) };
    const struct gpuprim_filter *f = s->filter;
    if (!s->updates_history)
        return 0;
    const uint64_t taps = ops->by_value && f->rows == 1 ? f->taps * f->size : 0,
                   bytes = taps + sizeof(struct arguments) + OWN +
                           sizeof(struct update_arguments) + POINTERS + 32; // for alignment
    if (bytes > f->gp->caps.max_parameter_bytes)
        return 0;
    if (ops->own_rows && may_update_rows(s, ops->own_rows(f->gp, s)))
        return UPDATES_BY_ROWS;
    return s->updates_history == UPDATES_BY_LAST && ops->updates_history ? UPDATES_BY_LAST : 0;
}

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    const struct convolve_ops *ops = variant->ops;
    const bool whole = gp_filter_sums_whole(f) || ops->whole_sums;
    gp_define(key, "TYPE", f->in);
    gp_define(key, "TAP_TYPE", whole ? GPUPRIM_I32 : gp_filter_tap_type(f));
    gp_define(key, "OUT_TYPE", f->out);
    gp_define(key, "SUM32", is_sum32(f));
    gp_define(key, "FITS", is_result_short(f, whole));
    gp_define(key, "ROOMY", whole && !gp->caps.is_cpu && is_roomy(f));
    gp_define(key, "SHIFT", whole && !gp->caps.is_cpu ? f->shift : 63);
    gp_define(key, "FINITE", f->sums_in_f32 || f->sums_in_f64);
    gp_define(key, "UPDATES_HISTORY", updates_of(s, ops));
    ops->specialise(gp, s, variant, key);
}

// Numbers of the arguments `left` and `right`. Kernels have no ZERO (launch.c).
static const struct gp_macro constants[] = {
    { "BOUNDARY_CONSTANT", GPUPRIM_CONSTANT },
    { "BOUNDARY_EDGE", GPUPRIM_EDGE },
    { "BOUNDARY_REFLECT_HALF", GPUPRIM_REFLECT_HALF },
    { "BOUNDARY_REFLECT_WHOLE", GPUPRIM_REFLECT_WHOLE },
    { "BOUNDARY_WRAP", GPUPRIM_WRAP },
    { "BOUNDARY_HISTORY", GPUPRIM_HISTORY },
};

const struct gp_primitive gp_primitive_convolve1d = {
    .name = "convolve1d",
    .variants = variants,
    .n_variants = sizeof variants / sizeof *variants,
    .constants = constants,
    .n_constants = sizeof constants / sizeof *constants,
    .kernels = { "convolve1d", "convolve1d_history" },
    .specialise = specialise,
    .describe = gp_convolve_describe,
};

const struct gp_primitive gp_primitive_convolve1d_part = {
    .name = "convolve1d",
    .is_part = true,
    .variants = variants_of_parts,
    .n_variants = sizeof variants_of_parts / sizeof *variants_of_parts,
    .constants = constants,
    .n_constants = sizeof constants / sizeof *constants,
    .kernels = { "convolve1d", "convolve1d_history" },
    .specialise = specialise,
};

// ---------------------------------------------------------------------------------------

const struct gp_primitive *gp_convolve_primitive_of(const struct convolve_shape *s)
{
    return s->is_part ? &gp_primitive_convolve1d_part : &gp_primitive_convolve1d;
}

int gp_convolve_plan(gpuprim *gp, const struct convolve_shape *shape,
                     const struct convolve_planned **out)
{
    struct convolve_plans *plans = shape->filter->plans;
    struct convolve_planned *entry =
        gp_newest_find(&plans->newest, plans->entries, sizeof *entry, shape,
                       offsetof(struct convolve_shape, channels));
    if (entry) {
        *out = entry;
        return GPUPRIM_OK;
    }
    struct convolve_planned made = { .shape = *shape };
    gp_convolve_derive(&made.shape);
    const int status = gp_plan(gp, gp_convolve_primitive_of(shape), &made.shape, &made.plan);
    if (status)
        return status;
    const struct convolve_ops *ops = made.plan.variant->ops;
    if (made.plan.program) {
        ops->lay_out(gp, &made.shape, made.plan.variant, made.plan.program->work_group,
                     &made.layout);
        made.updates = updates_of(&made.shape, ops);
    }
    entry = gp_newest_replace(&plans->newest, plans->entries, sizeof *entry);
    *entry = made;
    *out = entry;
    return GPUPRIM_OK;
}
