/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_tiles of reduce: many short rows on GPUs. A group copies whole rows to local
 * memory, with the gaps between their elements, and folds them there. The kernel is
 * kernels/reduce/gpu_tiles.cl. */
#include "arguments.h"
#include "reduce.h"

enum {
    LONGEST_ROW = 1024, // bytes
    WARP = 32,          // items of a group of the tuned size
};
_Static_assert(LONGEST_ROW <= MOST_KEY_BYTES, "keys can number the bytes of a row");

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct reduction *r = call;
    const struct gp_array *in = &r->in;
    return (in->stride >= 1 || (in->stride < 0 && gp_reduce_is_arg(r))) &&
           gp_abs(in->stride) <= LONGEST_ROW && in->count >= 1 && in->count <= LONGEST_ROW &&
           gp_reduce_span(in, in->count) * in->size <= LONGEST_ROW &&
           (in->rows == 1 || in->row_stride >= 1);
}

// Elements that a tile has room for. Where the first of them lies within a vector, the tile has
// one vector more.
static uint64_t room_of(const struct gp_variant *variant, const struct gp_array *in,
                        unsigned work_group)
{
    return (uint64_t)work_group * variant->items * VEC16_BYTES / in->size;
}

// Rows of a tile, or a few less: items have no row in its last turn where rows are not as many
// as items, or a power of two of them share one. Statistics take longer than to read, so that
// more bytes in flight are given up for them. H200, driver 580.159.04, 2026-11-23, us before
// and after: statistics of rows of 51 i16 736 and 544, means of rows of 16 f16, 21 apart, 288
// and 258.
static uint64_t whole_turns(enum gpuprim_op op, uint64_t tile, unsigned work_group)
{
    enum { FEW = 8 };
    uint64_t turn = work_group;
    while (turn > tile)
        turn /= 2;
    const uint64_t spare = turn ? tile % turn : 0;
    return spare <= (op == GPUPRIM_STATISTICS ? turn / 2 : tile / FEW) ? tile - spare : tile;
}

// Rows that a tile has room for.
static uint64_t rows_with_room(const struct gp_array *in, uint64_t count, uint64_t rows,
                               unsigned work_group)
{
    const uint64_t step = rows > 1 ? (uint64_t)in->row_stride : 1;
    const uint64_t room = room_of(&gp_reduce_gpu_tiles, in, work_group);
    return (room - gp_reduce_span(in, count)) / step + 1;
}

// Items that share a row: a power of two, so that the kernel finds their places by shifts.
static unsigned lanes_of(uint64_t tile, uint64_t count, unsigned work_group)
{
    unsigned lanes = 1;
    while (2 * lanes * tile <= work_group && 2 * lanes <= count &&
           work_group % (2 * lanes) == 0)
        lanes *= 2;
    return lanes;
}

// Whether more than a quarter of a warp has no row of a full tile, where rows are as long as
// gpu_rows takes. H200, driver 580.159.04, 2026-11-28, us by this variant and by gpu_rows: sums
// of squares of rows of 48 f32, of which a tile has 21, 466, 366; counts of rows of 204 i16, of
// which it has 10, 517, 400. The other rows below are not: of 300 i16 it has 6, four items
// each.
static bool leaves_idle(const struct reduction *r)
{
    enum { LEAST_ROW = 128 };
    const struct gp_array *in = &r->in;
    if (gp_abs(in->stride) != 1 || gp_reduce_span(in, in->count) * in->size < LEAST_ROW)
        return false;
    uint64_t busy = whole_turns(r->op, rows_with_room(in, in->count, in->rows, WARP), WARP);
    while (2 * busy <= WARP)
        busy *= 2;
    return 4 * busy < 3 * WARP;
}

// Short rows. Gaps are copied with the rows: gaps below 64 bytes skip no line of memory.
// Prototype, H200, 2026-11-22, share of the copy rate and what gpu_tiles and gpu_rows had until
// then: f32 sums of rows of 8 / 16 / 32 / 64 / 127 1.04 1.02 1.00 1.00 0.99, before 0.71 0.39
// 1.00 0.94 0.83; rows of 3, 4 apart 1.03, before 0.51; argmin of rows of 32 / 100 1.02 0.95,
// before 0.57 0.66; u8 sums of rows of 32 / 100 / 1000 1.03 1.03 1.01, before 0.27 0.49 0.65. The
// prototype compared argmin by ordered bits, and had a program for each number of items per row.
// Gaps that are a little longer than 64 bytes cost less than what gpu_rows does instead. H200,
// driver 580.159.04, 2026-11-23, us by gpu_rows and by this: argmax f64, rows of 33, 45 apart,
// 224 and 211; max u8, 200, 280 apart, 278 and 258; but sum f32, 33, 55 apart, 210 and 213. Rows
// of elements of 4 bytes, by this and by gpu_rows, the same day, 1 GiB: sums of 64 f32 286 and
// 272, of 100 270 and 258, argmin of 100 306 and 277, max of 150 273 and 276; but sums of 40 f64
// 262 and 305, min of 300 i16 267 and 269, argmin of 301 u8 354 and 454. Elements that lie apart,
// by baseline and by this: minmax of 41 i32, every second, 635 and 445; sum of 12 i8, every 17th,
// 308 and 255.
static bool suits(const gpuprim *gp, const void *call)
{
    enum { LINE = 64, LONGEST_OF_WORDS = 200 };
    const struct reduction *r = call;
    const struct gp_array *in = &r->in;
    const uint64_t span = gp_reduce_span(in, in->count);
    return !gp->caps.is_cpu && in->rows > 1 && gp_abs(in->stride) * in->size <= LINE &&
           !leaves_idle(r) &&
           !(in->size == 4 && gp_abs(in->stride) == 1 && span * in->size > LONGEST_OF_WORDS) &&
           ((uint64_t)in->row_stride <= span ||
            ((uint64_t)in->row_stride - span) * in->size < LINE + span * in->size / 8);
}

// One row must fit the tile of a group. How large groups are is known once the kernels are
// built.
static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    const struct gp_array *in = &((const struct reduction *)call)->in;
    return gp_reduce_span(in, in->count) <= room_of(variant, in, program->work_group);
}

// Items of a warp that meet in a bank of local memory, at most, where each reads an element of its
// row. The items of a row are `apart` elements apart. Those of one word do not meet. `pad`: 16 bytes
// stay free after each 128.
static unsigned meet_in_bank(const struct gp_array *in, unsigned lanes, uint64_t apart,
                             bool pad)
{
    enum { BANKS = 32, PADDING = 4 }; // words
    unsigned items[BANKS] = { 0 }, most = 0;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = 0; i < WARP; i++) {
        const uint64_t place = i / lanes * (uint64_t)in->row_stride + i % lanes * apart;
        uint64_t word = place * in->size / 4;
        word += pad ? word / BANKS * PADDING : 0;
        items[word % BANKS] += word != last;
        last = word;
        if (items[word % BANKS] > most)
            most = items[word % BANKS];
    }
    return most;
}

// Whether rows begin so near multiples of 64 bytes that those read at once meet in few banks of
// local memory. By counting the conflicts of all packed rows of 16 to 1024 bytes, f32 and u8:
// padding by this rule costs 2.2 and 2.4 reads where one would do without conflicts, padding
// always 3.0 and 2.9, never 2.2 and 2.6; rows of whole vectors 1.7, 2.0 and 1.9. Rows of 64 bytes
// take 1 read instead of 4. Prototype, H200, 2026-11-22: f32 rows of 16 0.44 of the copy rate
// without padding, 1.02 with. Elements that lie apart are read one by one. For these the host counts
// the items that meet, with padding and without.
static bool is_padded(const struct reduction *r)
{
    enum { BANKS = 64, NEAR = 3 };
    const struct gp_array *in = &r->in;
    if (in->stride == 1)
        return ((uint64_t)in->row_stride * in->size + NEAR) % BANKS <= 2 * NEAR;
    const uint64_t rows =
        whole_turns(r->op, rows_with_room(in, in->count, in->rows, WARP), WARP);
    const unsigned lanes = lanes_of(rows, in->count, WARP);
    const uint64_t taken = in->size < 4 && !gp_reduce_is_arg(r) ? 4 / in->size : 1, // together
        apart = taken * gp_abs(in->stride);
    return meet_in_bank(in, lanes, apart, true) < meet_in_bank(in, lanes, apart, false);
}

// A group is one warp, which waits for no other.
static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    if (gp->caps.width > variant->work_group)
        key->work_group = gp->caps.width;
    gp_define(key, "ITEMS", variant->items);
    gp_define(key, "PAD", is_padded(r));
    gp_define(key, "APART", r->in.stride != 1);
    // Without loops over chains f32 has 62 registers instead of 70, by clang and ptxas for sm_90, so
    // that 32 groups run on a unit instead of 28. Other operations were not looked at.
    gp_define(key, "SHORT_ROWS", r->op == GPUPRIM_STATISTICS && r->in.count <= CHAIN);
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)most;
    const uint64_t room = rows_with_room(&r->in, piece->count, piece->rows, work_group);
    // Few rows go to more groups of fewer rows, so that all units have some. H200, driver
    // 580.159.04, 2026-11-23, 10128 rows of 4 u32: 5.3 us, in full tiles 8.6; 24768 rows of 8 u8,
    // 16 apart: 5.2 and 10.2; 24307 rows of 10 f32: 6.7 and 8.4.
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    const uint64_t tile =
        whole_turns(r->op, gp_min(room, gp_ceil_div(piece->rows, groups)), work_group);
    l->tile = (uint32_t)tile;
    l->lanes = lanes_of(tile, piece->count, work_group);
    l->slots = l->partials = 1;
    l->groups = gp_ceil_div(piece->rows, tile);
}

static const struct reduce_ops ops = { specialise, lay_out };

// H200, driver 580.159, 2026-11-21, 1 GiB, GB/s, rows of so many f32:
//     items x vectors          3       33      63      130
//     32 x 8                   3951    4192    4202    4185
//     64 x 4                   3734    4165    3594    3299
//     128 x 4                  3898    4228    3715    3440
//     64 x 8                   3314    3567    3813    3725
const struct gp_variant gp_reduce_gpu_tiles = {
    .name = "gpu_tiles",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_SOURCES(
        "reduce/pairs.cl", "reduce/words.cl", "reduce/keys.cl", "reduce/vec16.cl",
        "reduce/dots.cl", "reduce/packs.cl", "reduce/vec16_bits.cl", "reduce/vec16_moments.cl",
        "reduce/vec16_products.cl", "reduce/tile_words.cl", "reduce/tile_elements.cl",
        "reduce/tile_results.cl", "reduce/gpu_tiles.cl"),
    .work_group = 32,
    .groups_per_unit = 16,
    .items = 8,
    .ops = &ops,
    .holds = holds,
};
