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

// Positions of bytes are numbered by the words that a row touches, which are 256 at most.
static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct reduction *r = call;
    const struct gp_array *in = &r->in;
    const uint64_t longest = LONGEST_ROW - (gp_reduce_is_arg(r) && in->size == 1 ? 3 : 0);
    return (in->stride >= 1 || (in->stride < 0 && gp_reduce_is_arg(r))) &&
           gp_abs(in->stride) <= LONGEST_ROW && in->count >= 1 && in->count <= LONGEST_ROW &&
           gp_reduce_span(in, in->count) * in->size <= longest &&
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
// each. Shorter rows of elements of 1 and 2 bytes are taken by words, so that idle items count less.
// 2026-12-01, us likewise: rows of 99 f16, max 419, 502; of 183 291, 308; of 67 and 68 with gaps, mean
// 232, 281, max_abs 332, 339; of 97, any 252, 244; of 87 i16, xor 326, 371; of 94, or 276, 305; of 101,
// and 291, 328, sum_abs 410, 418; of 178, max_abs 239, 248; of 180, and 222, 255; of 106 u16, argmin
// 323, 393; of 195 u8, count 253, 311. Longer ones: of 199 i16, argmax 351, 317; of 404 f16, argmin
// 574, 451; of 403, any 396, 408; of 771 i8, max 339, 309.
static bool leaves_idle(const struct reduction *r)
{
    enum { LEAST_ROW = 128, LEAST_NARROW = 384 }; // bytes
    const struct gp_array *in = &r->in;
    const unsigned least = in->size <= 2 ? LEAST_NARROW : LEAST_ROW;
    if (gp_abs(in->stride) != 1 || gp_reduce_span(in, in->count) * in->size < least)
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

// How often local memory serves a warp that reads once. Each item reads `unit` bytes, 4 or 16, from
// element `from` of its part of a row on. The items of a row are `apart` elements apart. As many
// items as there are banks of a unit are served at once, where no two need other units of one bank.
// `pad`: 16 bytes stay free after each 128.
static unsigned times_served(const struct gp_array *in, uint64_t rows, unsigned lanes,
                             uint64_t apart, uint64_t from, unsigned unit, bool pad)
{
    enum { LINE = 128, FREE = 16, MOST_BANKS = LINE / 4 };
    const unsigned banks = LINE / unit;
    unsigned times = 0;
    for (uint64_t start = 0; start < WARP; start += banks) {
        unsigned items[MOST_BANKS] = { 0 }, most = 0;
        uint64_t last = UINT64_MAX;
        for (uint64_t i = start; i < start + banks && i / lanes < rows; i++) {
            const uint64_t place =
                i / lanes * (uint64_t)in->row_stride + i % lanes * apart + from;
            uint64_t at = place * in->size / unit;
            at += pad ? at / banks * (FREE / unit) : 0;
            items[at % banks] += at != last;
            last = at;
            if (items[at % banks] > most)
                most = items[at % banks];
        }
        times += most;
    }
    return times;
}

// The same for some reads of a warp. Rows of whole vectors are read by vectors where they begin with
// one, and else by words. A plan does not know where they begin, so that both count, for as many bytes.
static unsigned times_in_all(const struct reduction *r, bool pad)
{
    enum { READS = 4, BETWEEN = 8, WORD = 4 };
    const struct gp_array *in = &r->in;
    const uint64_t rows =
        whole_turns(r->op, rows_with_room(in, in->count, in->rows, WARP), WARP);
    const unsigned lanes = lanes_of(rows, in->count, WARP);
    const uint64_t apart = gp_abs(in->stride), vec_n = VEC16_BYTES / in->size;
    const bool is_one = apart > 1 && gp_reduce_is_arg(r); // one element at once
    const bool are_vectors =
        apart == 1 && in->count % vec_n == 0 && (uint64_t)in->row_stride % vec_n == 0;
    const uint64_t word_n = in->size < WORD && !is_one ? WORD / in->size : 1;
    unsigned times = 0;
    for (uint64_t i = 0; i < READS; i++) {
        const uint64_t from = i * BETWEEN * lanes;
        times +=
            VEC16_BYTES / WORD *
            times_served(in, rows, lanes, word_n * apart, from * word_n * apart, WORD, pad);
        times += are_vectors
                     ? times_served(in, rows, lanes, vec_n, from * vec_n, VEC16_BYTES, pad)
                     : 0;
    }
    return times;
}

// Whether 16 bytes stay free in local memory after each 128: where a warp is served less often then.
// A warp that reads rows of 32, 96 or 160 bytes which begin within a vector is served four times for a
// read instead of eight, eight and seven. Counted for packed rows of 16 to 1024 bytes by words, u8 and
// f32: 1.91 and 1.81 times; with padding where rows begin within 3 bytes of multiples of 64, which was
// the rule before, 2.04 and 1.97; the better of padding and none 1.89 and 1.80. Rows of whole vectors by
// vectors: 1.45, 1.48, 1.39.
static bool is_padded(const struct reduction *r)
{
    return times_in_all(r, true) < times_in_all(r, false);
}

// A group is one warp, which waits for no other.
static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    if (gp->caps.width > variant->work_group)
        key->work_group = gp->caps.width;
    gp_define(key, "ITEMS", variant->items);
    gp_define(key, "PAD", is_padded(r));
    gp_define(key, "APART", gp_abs(r->in.stride) != 1);
    gp_define(key, "BACKWARDS", r->in.stride == -1);
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
