/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_roll: GPUs; tens to hundreds of taps down the columns of a wide
 * matrix. A group rolls a tile in local memory down a strip. Its kernel is
 * kernels/convolve1d/gpu_roll.cl; gpu_lanes.c divides the matrix. */
#include "gpu_roll.h"

// Groups that a compute unit runs at once are not known before the program is: some number
// from LEAST_AT_ONCE to MOST_AT_ONCE.
enum { LEAST_AT_ONCE = 3, MOST_AT_ONCE = 6 };

enum { ENDS = 9 }; // loads that an input beyond the ends takes, in short lanes

static unsigned ahead_of(const struct convolve_shape *s)
{
    return gp_roll_outputs(s) * (unsigned)gp_convolve_lane_step(s);
}

// Words under way at once beyond the ends, where whole tiles may lie: f64, 21 taps, step 7 166
// us, with one 222.
static unsigned beyond_of(const struct convolve_shape *s)
{
    static const unsigned some[] = { 4, 3, 5, 2 };
    const unsigned ahead = ahead_of(s);
    for (unsigned i = 0; ahead > 8 && i < sizeof some / sizeof *some; i++)
        if (ahead % some[i] == 0)
            return some[i];
    return ahead > 8 ? 1 : ahead;
}

// Bytes of local memory of a group.
static uint64_t local_bytes(const struct convolve_shape *s, unsigned work_group, unsigned words)
{
    const uint64_t lines =
        work_group / words * ahead_of(s) + s->filter->taps + 2 * gp_roll_is_across(s);
    const uint64_t operand = gp_convolve_operand_bytes(s->filter);
    const uint64_t lanes = words * gp_roll_word_lanes(s);
    const uint64_t own = s->filter->rows > 1 ? s->filter->taps * s->filter->size * words : 0;
    return lines * lanes * operand + 2 * sizeof(cl_uint) + own +
           (gp_roll_is_across(s) ? 12 * lanes + 8 : 0);
}

static uint64_t room(const gpuprim *gp)
{
    return gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// Lanes of few tiles are divided better by smaller groups. H100, driver 580.159.04, 2026-11-27, us
// of 256 items and of 128: f16, 91 taps, step 8, lanes of 153 outputs 131, 86; f32, 76 taps, 237
// outputs 362, 308; 19 taps, 429 outputs 132, 122. But f64, 33 taps, 11673 outputs 127, 154;
// i16, 70 taps, 9430 outputs 138, 149; columns of 1000, 33 taps, which are 5.2 tiles
// (gpu_roll_tuning.c), lose 12 %.
static unsigned work_group_of(const gpuprim *gp, const struct convolve_shape *s)
{
    enum { LARGE = 256, SMALL = 128, FEW_TILES = 5 };
    const unsigned tile = LARGE / gp_roll_words(s) * gp_roll_outputs(s);
    if (gp_convolve_lane_outputs(s) < (uint64_t)FEW_TILES * tile)
        return SMALL;
    if (gp_convolve_lane_step(s) == 1)
        return gp_roll_tuning(s)->work_group;
    return local_bytes(s, LARGE, gp_roll_words(s)) <= room(gp) ? LARGE : SMALL;
}

// Words by which the runs of neighbouring groups overlap, so that no sector of a line of outputs
// is written in two parts: 0 where they need not, or where the sums that two groups take then
// cost more. H100, driver 580.159.04, 2026-11-27, us without and with it: f32, 38 taps, 937
// columns 199, 150; 34 taps, 466 columns 392, 252; to f16, 19 taps, 937 columns 549, 330; c32,
// 34 real taps, 1809 columns 307, 271. But i32, 60 taps, sums of 64 bits, 90 columns 587, 613;
// f64, 166 taps, 235 of 383 columns 314, 408, and 124 taps, 7 channels, dilation 27 382, 467.
// These gain up to 78 instructions of a result and lose from 192 on; nothing between was
// measured, nor fewer taps of f64.
static unsigned overlap_of(const struct convolve_shape *s, unsigned run)
{
    enum { MOST_INSTRUCTIONS = 100 }; // of a result
    const struct gpuprim_filter *f = s->filter;
    const double instructions = (double)f->taps * gp_convolve_multiply_add(f);
    return gp_roll_is_across(s) || instructions > MOST_INSTRUCTIONS
               ? 0
               : gp_convolve_overlap(s, gp_roll_word_lanes(s), run);
}

// Words side by side in a group: fewer where they have no room, and where narrow results of a lane
// are contiguous, so that more of them are written at once. More where half of the items that
// share a column have enough outputs for a lane, and where runs overlap: by an eighth at most,
// if there is room. The calls of overlap_of(), us by four and eight times the overlap: 160, 150;
// 261, 252; 342, 330.
static unsigned words_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const unsigned items = work_group_of(gp, s);
    // H200, driver 580.159, 2026-11-23, us of 8, 16 and 32: i8, 56 columns, 7 taps 433, 580,
    // 980; i8 to u8, 162 columns, 12 taps, step 5 225, 246, 271.
    enum { ACROSS_WORDS = 8, PART = 8, LEAST_WORDS = 8 };
    unsigned words = gp_roll_words(s);
    if (gp_roll_is_across(s) && gp_roll_word_lanes(s) == 4 &&
        gp_type_size(s->filter->out) < 4 && words > ACROSS_WORDS)
        words = ACROSS_WORDS;
    while (words > LEAST_WORDS && local_bytes(s, items, words) > room(gp))
        words /= 2;
    while (words < items &&
           (items / words / 2 * gp_roll_outputs(s) >= gp_convolve_lane_outputs(s) ||
            words < PART * overlap_of(s, 2 * words)) &&
           local_bytes(s, items, 2 * words) <= room(gp))
        words *= 2;
    return words;
}

// Runs are what a group takes.
static struct lane_words lane_words(const gpuprim *gp, const struct convolve_shape *s)
{
    const unsigned run = words_of(gp, s), overlap = overlap_of(s, run);
    return (struct lane_words){ gp_roll_word_lanes(s), overlap ? run : 1, overlap };
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp_convolve_lanes_fit(gp, s) && gp_roll_tuning(s) &&
           local_bytes(s, work_group_of(gp, s), words_of(gp, s)) <= room(gp);
}

static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolve_shape *s = call;
    return s->lanes > 1 && s->out_lanes >= CONVOLVE_LEAST_LANES && gp_convolve_reads_lines(s) &&
           (gp_convolve_writes_lines(s) || gp_roll_is_across(s));
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    key->work_group = work_group_of(gp, s);
    gp_convolve_lanes_define(s, lane_words(gp, s), ahead_of(s), beyond_of(s), key);
    gp_define(key, "FETCH", false);
    gp_define(key, "WORDS", words_of(gp, s));
    gp_define(key, "ACROSS", gp_roll_is_across(s));
    gp_define(key, "OWN_TAPS", s->filter->rows > 1);
}

// What `strips` strips of `tiles` tiles in each of `blocks` blocks take, in tiles, with those
// at the beginning that only load. Groups begin in waves, so few long strips may leave most of
// the device idle while the last ones are taken. H200, 2026-11-22, share of the bound, with
// strips as long as the table says before: f32 to u16, 365 columns, 52 taps 0.464, 0.396; f32,
// 6157 columns, 30 taps, step 4 0.748, 0.716; 2550 lanes, 168 taps, step 3 0.484, 0.424.
static uint64_t cost_of(const gpuprim *gp, const struct convolve_shape *s, uint64_t blocks,
                        uint64_t strips, uint64_t tiles, uint64_t fresh)
{
    const uint64_t taps = s->filter->taps,
                   keep = taps > gp_convolve_lane_step(s) ? taps - gp_convolve_lane_step(s) : 0;
    uint64_t cost = 0;
    for (unsigned at_once = LEAST_AT_ONCE; at_once <= MOST_AT_ONCE; at_once++)
        cost += gp_ceil_div(blocks * strips, (uint64_t)at_once * gp->caps.compute_units) *
                (tiles + gp_ceil_div(keep, fresh) + 1) * at_once;
    return cost;
}

// Tiles of a strip: up to `most`, of `all` in a lane.
static uint64_t tiles_of(const gpuprim *gp, const struct convolve_shape *s, uint64_t blocks,
                         uint64_t all, uint64_t most, uint64_t fresh)
{
    uint64_t best = most, least = UINT64_MAX;
    for (uint64_t tiles = most; tiles > 0; tiles--) {
        const uint64_t strips = gp_ceil_div(all, tiles);
        const uint64_t cost = cost_of(gp, s, blocks, strips, tiles, fresh);
        if (cost < least) {
            least = cost;
            best = tiles;
        }
    }
    return best;
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const uint64_t outputs = gp_convolve_lane_outputs(s);
    const uint64_t words = gp_convolve_line_words(s, lane_words(gp, s));
    const unsigned columns = SIDE_BY_SIDE(work_group, words_of(gp, s));
    const uint64_t tile = work_group / columns * gp_roll_outputs(s);
    const uint64_t all = gp_ceil_div(outputs, tile);
    uint64_t tiles = tiles_of(gp, s, gp_ceil_div(words, columns), all,
                              gp_min(gp_ceil_div(gp_roll_tuning(s)->strip, tile), all),
                              tile * gp_convolve_lane_step(s));
    // The number of strips has 32 bits.
    while (outputs / (tiles * tile) >= UINT32_MAX)
        tiles *= 2;
    l->groups =
        gp_ceil_div(gp_convolve_lanes_lay_out(s, lane_words(gp, s), tiles * tile, l), columns);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct convolve_layout l = { .groups = 0 };
    lay_out(gp, s, NULL, work_group_of(gp, s), &l);
    w->items = (double)l.groups * work_group_of(gp, s);
    w->outputs = w->products = (double)s->outputs * (double)s->rows;
    w->met = gp_convolve_met(s);
    const unsigned group = work_group_of(gp, s),
                   tile = group / SIDE_BY_SIDE(group, words_of(gp, s)) * gp_roll_outputs(s);
    w->loads = w->outputs * gp_roll_loads(s, tile) +
               ENDS * (double)s->filter->halo * (double)s->rows / gp_roll_word_lanes(s) *
                   gp_convolve_operand_bytes(s->filter) / 4;
    // Results of 64 bits from lanes of narrow elements take longer. H200, driver 580.159.04,
    // 2026-11-30, i8 to i64, 14 taps, 24 columns 1240 us, the estimate 1114. Narrow results do
    // not, though their sums have 64 bits. Us by gpu_walk, by this, and the estimates as if they
    // did, and so: u8, 13 taps, 773 columns 2908, 1847, 7651, 2400; u16, 15 taps, 2177 columns 565,
    // 509, 1834, 610.
    const bool has_long_results = gp_convolve_has_long_sums(s->filter) &&
                                  gp_roll_word_lanes(s) > 1 && !gp_roll_is_across(s) &&
                                  gp_type_size(s->filter->out) == 8;
    // Columns of bytes that become rows of 4 bytes: H200, driver 580.159.04, 2026-11-28, us by
    // this and by gpu_turn, which the estimate took for slower: u8 to i32, 45 taps 501, 381; 21
    // taps, sums of 64 bits 336, 281. To f32 it was not measured. Of other types a store
    // takes 45 instructions. Us, the estimate with 62, and us by gpu_turn: f32, 70 taps 508,
    // 748, 642; u16, 8 taps 316, 450, 374; u16 to f16, 4 taps 250, 367, 277.
    const bool are_wide = gp_type_size(s->filter->in) == 1 && gp_type_size(s->filter->out) == 4;
    const unsigned across = gp_roll_is_across(s) ? 1 + 2 * are_wide : 0;
    w->stores = w->outputs * (across + 3 * has_long_results);
    const bool are_ragged = gp_convolve_lines_are_ragged(s) && s->filter->in != GPUPRIM_F64 &&
                            lane_words(gp, s).overlap == 0;
    w->pieces = gp_roll_is_across(s) ? gp_roll_ends(s, tile) : are_ragged ? ROLL_RAGGED : 0;
    // Short lines with gaps, the more the shorter. By outputs, as by gpu_walk: u8, 35 taps, stride
    // 3, dilation 5, 17 of 26 columns 971 us, the estimates by all bytes and by outputs 1779, 1289
    // (2026-11-30), by gpu_tap_chunks 2049. H200, driver 580.159.04, 2026-11-28, us, the
    // estimate with 0.6 passes and with these, and us by gpu_tile: i16, 4 taps, 11 pitched
    // columns 768, 161, 485, 206; u16, 3 taps, dilation 6, 22 589, 259, 556, 384; f16, 4 taps,
    // 42 455, 220, 393, 298; i16 to u16, 38 taps, 53 425, 350, 494, 519.
    const double line = (double)s->channels * (double)gp_type_size(s->filter->in);
    w->pieces += gp_convolve_lines_are_pieces(s) ? 4 + 100 / line : 0;
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 3, .item = 2640, .load = ROLL_LOAD, .store = 45, .passes = 1.11 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "many lanes lie side by side and the taps are few enough to be arguments of the "
           "kernel, or to lie in local memory where rows have their own",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_roll = {
    .name = "gpu_roll",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_lane_types.cl",
                                "convolve1d/gpu_lanes.cl", "convolve1d/gpu_lane_words.cl",
                                "convolve1d/gpu_lane_stores.cl",
                                "convolve1d/gpu_roll_results.cl", "convolve1d/gpu_roll.cl"),
    .ops = &ops,
};
