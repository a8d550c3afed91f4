/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_rows of reduce: many rows on GPUs, whose elements lie side by side or a little
 * apart. Each group reads several of them in vectors of 16 bytes. The kernel is
 * kernels/reduce/gpu_rows.cl. */
#include "arguments.h"
#include "reduce.h"

static uint64_t bytes_of_row(const struct reduction *r)
{
    return gp_reduce_span(&r->in, r->in.count) * r->in.size;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct reduction *r = call;
    return gp_reduce_has_vectors(r) && r->in.rows > 1;
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return !gp->caps.is_cpu && gp_reduce_suits_vectors(r) && bytes_of_row(r) >= 64;
}

// How many items of a group share a row. An item that reads a whole short row alone waits for
// it; one that shares a long row has too little to do. H200, driver 580.159, 2026-11-21, 1 GiB
// of f32, GB/s by the vectors that an item may take:
//     rows of     256    1000   4096       rows of 32, by 1 / 2 / 4 / 8 vectors: 1684 / 3227 /
//     8 vectors   4319   4445   4469       4183 / 3553
//     16          4322   4410   4482
//     32          3701   4290   4445
// Partials of statistics take so many instructions to merge that fewer items do better. The same,
// 2026-11-22, 1 GiB in rows of 1000, GB/s with results: i16 3424 by 8 vectors, 3887 by 16, 3913
// by 32; f32 3186, 3884, 4036; i64 2824, 3960, 4152. Fewer items also share rows whose elements
// lie apart: each item prepares masks before its first vector. In small calls no item waits for
// memory twice: 2026-11-23, driver 580.159.04, statistics of 988 rows of 2438 u8, us by 32
// vectors and by 8 13.4 and 6.4, of 28 rows of 454 f64 9.6 and 4.7.
//
// The same, 2026-11-27: min of 2328948 rows of 254 i8 200 by 8 and 175 by 4. Items that keep
// positions take long to merge, most of all of 8 bytes: argmax of 94230 rows of 1104 i64, us by 8,
// 16 and 32 vectors 316, 239, 218; of 1580027 rows of 165 u32, by 8 and 16, 307 and 281; but argmin
// of 8606943 rows of 54 f32 468 and 563, of 2684354 rows of 100 f32 264 (at 105c5a5) and 288.
// H100, argmax of 60161 rows of 3991 i32 307 by 8 and 318 by 32.
static unsigned vectors_of_item(const gpuprim *gp, const struct reduction *r, uint64_t vectors)
{
    enum { SHORTEST = 8, SHORT = 16, SHORT_OF_WORDS = 32, MIDDLE = 256 };
    const bool is_small = gp_reduce_is_small(gp, &r->in);
    if (!is_small && (r->op == GPUPRIM_STATISTICS || gp_abs(r->in.stride) != 1))
        return 32;
    if (is_small || !gp_reduce_is_arg(r) || r->in.size < 4)
        return vectors <= SHORT ? 4 : 8;
    if (vectors <= (r->in.size == 8 ? SHORT : SHORT_OF_WORDS))
        return vectors <= SHORTEST ? 4 : 8;
    return vectors <= MIDDLE ? 16 : r->in.size == 8 ? 32 : 8;
}

static unsigned lanes_wanted(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant)
{
    const uint64_t vectors = gp_ceil_div(bytes_of_row(r), VEC16_BYTES);
    const unsigned share = vectors_of_item(gp, r, vectors);
    unsigned lanes = 1;
    while (lanes < variant->work_group && lanes * share < vectors)
        lanes *= 2;
    // More items share the rows of small calls, so that all units have a group. H200, driver
    // 580.159.04, 2026-11-27, us on the device alone by 8 and 16: max_abs, 951 rows of 57 f32, 3.8
    // and 2.9.
    if (gp_reduce_is_small(gp, &r->in))
        while (lanes < variant->work_group && lanes < vectors &&
               r->in.rows * lanes < (uint64_t)gp->caps.compute_units * variant->work_group)
            lanes *= 2;
    return lanes;
}

// Vectors of a tile that an item has: no more than it finds, so that it needs fewer registers.
// H200, driver 580.159.04, 2026-11-27: sum of 3458890 pitched rows of 37 f32, four items each, us
// with 8 and 4 187 and 178.
static unsigned items_of(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant)
{
    const uint64_t vectors = gp_ceil_div(bytes_of_row(r), VEC16_BYTES);
    return 2 * vectors <= (uint64_t)variant->items * lanes_wanted(gp, r, variant)
               ? variant->items / 2
               : variant->items;
}

// Whether arg operations keep positions beside the values: a row of few tiles costs a second look
// nearly as much as the first. Prototype, H200, 2026-11-22, f32 argmin of rows of 1000, 32 items
// with 8 vectors each: 1.03 to 1.05 of the copy rate, where a second look had 0.49. H200, driver
// 580.159.04, 2026-11-23, i16 argmax of rows of 1802, where keys hold the positions: 0.91 of the
// bound, with a second look 0.65.
static bool keeps_positions(const gpuprim *gp, const struct reduction *r,
                            const struct gp_variant *variant)
{
    enum { TILES = 4 };
    if (!gp_reduce_is_arg(r)) // others need no program of their own for it
        return false;
    const uint64_t tile = (uint64_t)lanes_wanted(gp, r, variant) * variant->items * VEC16_BYTES;
    return bytes_of_row(r) <= TILES * tile;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    gp_define(key, "ITEMS", items_of(gp, r, variant));
    gp_reduce_define_vectors(r, key);
    gp_define(key, "LANES_WANTED", lanes_wanted(gp, r, variant));
    gp_define(key, "KEEP_POSITIONS", keeps_positions(gp, r, variant));
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    const unsigned wanted = lanes_wanted(gp, r, variant);
    gp_reduce_lay_out_vec16(gp, r, variant, work_group, LANES_OF_GROUP(work_group, wanted),
                            items_of(gp, r, variant), piece, most, l);
}

static const struct reduce_ops ops = { specialise, lay_out };

const struct gp_variant gp_reduce_gpu_rows = {
    .name = "gpu_rows",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_VEC16_SOURCES,
    .work_group = 128,
    .groups_per_unit = 8,
    .items = 8,
    .ops = &ops,
};
