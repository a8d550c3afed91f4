/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of reduce share when they lay a call out on the device: how rows are cut
 * into slots, and how large a partial is. It calls no other file of this folder, except
 * operations.c. */
#include "arguments.h"
#include "operations.h"
#include "reduce.h"

uint64_t gp_reduce_span(const struct gp_array *in, uint64_t count)
{
    return count ? (count - 1) * gp_abs(in->stride) + 1 : 0;
}

bool gp_reduce_is_small(const gpuprim *gp, const struct gp_array *in)
{
    enum { SMALL = 4 << 20 };
    return gp->caps.ptx && in->rows * in->count * in->size < SMALL;
}

bool gp_reduce_is_arg(const struct reduction *r)
{
    return r->op == GPUPRIM_ARGMIN || r->op == GPUPRIM_ARGMAX;
}

// Statistics and sums of 128 bits count what they take in, so that nothing can stand between
// elements. Elements of 8 bytes are read as fast one by one.
bool gp_reduce_has_vectors(const struct reduction *r)
{
    const uint64_t stride = gp_abs(r->in.stride);
    if (r->in.stride < 0 && !gp_reduce_is_arg(r))
        return false;
    return stride == 1 || (stride > 1 && stride <= VEC16_BYTES / r->in.size &&
                           r->in.size <= 4 && r->op != GPUPRIM_STATISTICS && r->sum != 0);
}

// H200, driver 580.159.04, 2026-11-23, us by baseline and by vectors: squares of every third u8
// 311 and 233, count of every fifth u16 335 and 284, all of every second u16 364 and 270, argmin
// f32, every second, backwards, 315 and 314; argmax u16 backwards 681 and 387; but argmax f16,
// every fifth, whose keys are made of all elements, 283 and 308. An earlier form of counts of every
// fifth i8 lost, 363 and 454. This form has not been measured there, so baseline keeps them.
// 2026-11-30: squares of every second i16 828 and 241, f16 292 and 220.
//
// Rows that lie between each other's elements would each be read with the others.
bool gp_reduce_suits_vectors(const struct reduction *r)
{
    const bool are_apart = gp_abs(r->in.stride) > 1;
    if (are_apart && r->in.rows > 1 &&
        gp_abs(r->in.row_stride) < gp_reduce_span(&r->in, r->in.count))
        return false;
    if (are_apart && r->op == GPUPRIM_COUNT && r->in.size == 1)
        return false;
    return !gp_reduce_is_arg(r) || r->in.size > 2 ||
           VEC16_BYTES / r->in.size % gp_abs(r->in.stride) == 0;
}

void gp_reduce_define_vectors(const struct reduction *r, struct gp_key *key)
{
    const uint64_t stride = gp_abs(r->in.stride);
    const unsigned step = VEC16_BYTES / r->in.size % stride ? OUT_OF_STEP : IN_STEP;
    gp_define(key, "APART", stride == 1 ? 0 : step);
    gp_define(key, "BACKWARDS", r->in.stride < 0);
}

void gp_reduce_cut(struct layout *l, uint64_t count, uint64_t wanted, uint64_t multiple,
                   uint64_t most)
{
    uint64_t slots = gp_min(wanted, most);
    if (slots < 1)
        slots = 1;
    l->share = gp_ceil_div(count, slots);
    if (slots > 1)
        l->share = gp_ceil_div(l->share, multiple) * multiple;
    l->slots = l->share ? gp_ceil_div(count, l->share) : 1;
    l->partials = l->slots;
}

void gp_reduce_fold_at_end(const gpuprim *gp, const struct reduction *r,
                           const struct gp_piece *piece, struct layout *l)
{
    l->signals =
        gp->caps.ptx && l->sets == 1 && l->slots > 1 &&
        l->slots * piece->rows * gp_reduce_partial_bytes(r) <= REDUCE_SCRATCH_BYTES / 2;
}

void gp_reduce_lay_out_vec16(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, unsigned work_group,
                             unsigned lanes, unsigned items, const struct gp_piece *piece,
                             uint64_t most, struct layout *l)
{
    l->lanes = lanes;
    l->sets = work_group / lanes;
    const uint64_t tile = (uint64_t)lanes * items * (VEC16_BYTES / r->in.size);
    const uint64_t row_groups = gp_ceil_div(piece->rows, l->sets);
    // Chains of statistics leave room for two groups of gpu_long_rows instead of three, by the
    // registers that ptxas counts for sm_90: 96 to 112, those of a sum 56. Not measured.
    const unsigned per_unit = r->op == GPUPRIM_STATISTICS ? variant->groups_per_unit * 2 / 3
                                                          : variant->groups_per_unit;
    const uint64_t groups = (uint64_t)gp->caps.compute_units * per_unit;
    uint64_t wanted = groups / row_groups;
    // Some hundred long rows: as many groups as run at once would leave units idle at the end. H200,
    // driver 580.159.04, 2026-11-23, us before and after: mean of 647 rows of 227156 i64 301 and
    // 279, product of 425 rows of 562209 u32 232 and 219, argmax of 823 rows of 250558 u64 405 and
    // 397, 1289 and 1686 pitched rows the same.
    enum { ROUNDS = 8, TILES_WORTH_A_GROUP = 8 };
    const uint64_t length = gp_reduce_span(&r->in, piece->count);
    const uint64_t more =
        gp_min(ROUNDS * groups / row_groups, length / (TILES_WORTH_A_GROUP * tile));
    if (row_groups > groups / 4 && lanes == work_group && more > wanted)
        wanted = more;
    gp_reduce_cut(l, length, gp_min(wanted, gp_ceil_div(length, tile)), tile, most);
    l->groups = row_groups * l->slots;
    gp_reduce_fold_at_end(gp, r, piece, l);
}

uint64_t gp_reduce_partial_bytes(const struct reduction *r)
{
    const uint64_t sum = r->sum == GPUPRIM_F32 ? 4 : 8;
    const enum reduce_partial partial = gp_reduce_operation(r->op)->partial;
    // Sums of integers have no error beside them.
    if (gp_type_is_integer(r->in.type) && r->sum &&
        (partial == PARTIAL_SUM || partial == PARTIAL_MEAN))
        return sum;
    switch (partial) {
    case PARTIAL_STATISTICS:
        return 40;
    case PARTIAL_MEAN:
        return 2 * sum + (r->skip_nan ? 8 : 0);
    case PARTIAL_SUM:
        return 2 * sum;
    case PARTIAL_PAIR:
        return 16;
    default:
        return 8;
    }
}
