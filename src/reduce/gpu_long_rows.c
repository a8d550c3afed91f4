/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_long_rows of reduce: one row, or long ones, on GPUs, whose elements lie side by
 * side or a little apart. Whole groups read each row in vectors of 16 bytes. The kernel is
 * kernels/reduce/gpu_rows.cl, which gpu_rows.c uses for shorter rows. */
#include "arguments.h"
#include "reduce.h"

// Bytes of a row from which on a whole group, or several, read it; and of statistics, whose
// partials take so long to merge that a group of gpu_rows, which is smaller, does better where
// there are rows for all of them. H200, driver 580.159.04, 2026-11-28, us by this variant and
// by gpu_rows: 14 478 rows of 18 892 f32 347, 277; 1370 rows of 215 193 f16 148, 145; 305 rows
// of 365 631 i64 211, 211.
enum { LONG_ROW = 64 << 10, LONG_STATISTICS = 512 << 10, MANY_ROWS = 1024 };

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    return gp_reduce_has_vectors(call);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    const bool are_many = r->op == GPUPRIM_STATISTICS && r->in.rows >= MANY_ROWS;
    const uint64_t least = are_many ? LONG_STATISTICS : LONG_ROW;
    return !gp->caps.is_cpu && gp_reduce_suits_vectors(r) &&
           (r->in.rows == 1 || gp_reduce_span(&r->in, r->in.count) >= least / r->in.size);
}

// Whether arg operations keep positions beside the values: where groups have one tile each, a
// second look at it takes as long as the first. H200, driver 580.159.04, 2026-11-23, us without and
// with: argmax f32 of 18930 6.5 and 5.4, argmin f32 of 215914 7.1 and 6.0.
static bool keeps_positions(const gpuprim *gp, const struct reduction *r,
                            const struct gp_variant *variant)
{
    if (!gp_reduce_is_arg(r)) // no program of their own
        return false;
    const uint64_t tile = (uint64_t)variant->work_group * variant->items * VEC16_BYTES;
    const uint64_t tiles = gp_ceil_div(gp_reduce_span(&r->in, r->in.count) * r->in.size, tile);
    return tiles <= gp->caps.compute_units * variant->groups_per_unit / r->in.rows;
}

// Vectors of a tile that an item has: fewer where most units would have no tile. Statistics take
// longer to compute than to read. H200, driver 580.159.04, 2026-11-23, us with 8 and 2: a row of
// 144180 f32 7.7 and 7.1, of 165128 u16 5.7 and 5.3, of 135745 f16 without NaNs 9.5 and 7.6; but of
// 947864 i16, 58 tiles, 6.1 and 6.3, of 586281 i32, 72 tiles, 6.7 and 7.1. Others, 2026-11-27, on
// the device alone, with 8 and 4: product of 846143 f16, 52 tiles, 4.5 and 4.1, argmax of 27511 f32
// 4.2 and 3.9, count of 11 rows of 217029 u8, 77 tiles, 5.0 and 5.1.
static unsigned items_of(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant)
{
    const uint64_t tile = (uint64_t)variant->work_group * variant->items * VEC16_BYTES;
    const uint64_t tiles = gp_ceil_div(r->in.count * r->in.size, tile) * r->in.rows;
    const uint64_t units = gp->caps.compute_units;
    if (gp->caps.ptx && r->op == GPUPRIM_STATISTICS && tiles <= units / 4)
        return variant->items / 4;
    return gp->caps.ptx && r->op != GPUPRIM_STATISTICS && tiles <= units / 2
               ? variant->items / 2
               : variant->items;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    gp_define(key, "ITEMS", items_of(gp, r, variant));
    gp_reduce_define_vectors(r, key);
    gp_define(key, "LANES_WANTED", WHOLE_GROUP);
    gp_define(key, "KEEP_POSITIONS", keeps_positions(gp, r, variant));
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    gp_reduce_lay_out_vec16(gp, r, variant, work_group, work_group, items_of(gp, r, variant),
                            piece, most, l);
}

static const struct reduce_ops ops = { specialise, lay_out };

// Three groups of 256 items with eight vectors each keep 96 KiB per unit in flight and are
// resident together, whatever the type. Where groups come in a second round, that round decides
// when the launch ends. H200, driver 580.159, 2026-11-21, `check --bench` and the same with
// other numbers in this row, GB/s at 4 GiB / 1 GiB:
//     items x vectors, groups  sum f32        sum i32        argmin f32     argmin u8
//     256 x 8, 3               4541 / 4404    4533 / 4379    4500 / 4252    4514 / 4309
//     256 x 8, 8               4540 / 4383    4542 / 4465    4441 / 4069    4472 / 4138
//     256 x 4, 4               4506 / 4336    4509 / 4345    4435 / 4134    4453 / 4208
//     256 x 4, 8               4172 / 4079    3952 / 3839    4044 / 3668    4107 / 3815
//     512 x 4, 2               4528 / 4413    4522 / 4369    4477 / 4231    4494 / 4313
//     1024 x 2, 16             4580 / 4304    4418 / 3798    4095 / 3147    4179 / 3259
// The rows are of two runs of one day. When 256 x 4 and 1024 x 2 were measured, each item of
// argmin still looked up its own tile. Small sums want the same numbers: 64 Ki f32 take 7.6 us
// by 8 groups of 256 x 8, 7.6 by one group of 512 x 8, 8.9 by one of 256 x 8; 1 Mi f32 take 8.1
// us by 128 groups, 9.3 by 32 of 512 x 4.
const struct gp_variant gp_reduce_gpu_long_rows = {
    .name = "gpu_long_rows",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_VEC16_SOURCES,
    .work_group = 256,
    .groups_per_unit = 3,
    .items = 8,
    .ops = &ops,
};
