/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_walk: GPUs; a few taps, or more with a step, down the columns of a wide
 * matrix. Each item walks down a strip of its own. Its kernel is kernels/convolve1d/gpu_walk.cl; gpu_lanes.c
 * divides the matrix. Rows may have taps of their own, if these fit registers. gpu_walk_work.c
 * counts what a launch takes. */
#include "gpu_walk.h"

#include "gpu_sizes.h"

// H200, driver 580.159, 2026-11-22, 2^28 f32, shares of a copy's rate by lines at once *
// batches. Columns of 4096, 9 taps: 4 * 4 0.945, 8 * 2 0.936, 4 * 3 0.910, 4 * 2 0.869, 2 * 8
// 0.840; strips of 48 outputs 0.940, of 16 0.75; groups of 64 0.950, of 256 0.923; gpu_roll
// 0.888. 3 taps: 0.976, 12 taps 0.912. Columns of 1000: 3 taps 0.947, 9 taps 0.935. c32 and
// f64, 9 taps: 4 * 3 0.966, c32 4 * 4 0.899. Narrow types, 9 taps, gpu_walk and gpu_roll: u8
// 0.40 and 0.49, i16 0.64 and 0.83, f16 0.70 and 0.86. 3 taps: u8 0.58, i16 0.83, f16 0.88.
// Narrow types by 8 * 2 since 2026-11-23: docs/measurements/convolve1d.md.
//
// Up to MOST_TAPS it can, of elements of 8 bytes up to MOST_LONG_TAPS. H200, 2026-11-23, us by
// gpu_walk and gpu_roll: f64, 17 taps 187, 341; 21 taps, step 7 117, 167; 28 taps, step 3 162,
// 150. An item takes fewer outputs where the device would have less than ITEMS items for a
// compute unit.
//
// With a step more taps are taken, as many as have MOST_SUM_WORDS words of sums. Neighbouring strips
// share the taps but a step, so that strips have STRIP_SUMS outputs for each sum. H200, driver
// 580.159.04, 2026-11-30, us by another variant and by this: u8 to i16, 21 taps, step 8, 159 of 237
// columns, gpu_tap_chunks 912, 159; f16, 306 taps, step 7, dilation 22, gpu_tile 3713, 2296; c32, 32
// taps, step 3, 109 columns, gpu_roll 626, 514; 17 others 19 % less to 10 % more, but with 25 and 33 sums
// of steps of 2 and 3, gpu_roll 333, 513 and 602, 1206. Without a step, 17 to 35 taps, gpu_roll and this: 2
// calls of 8 take 8 % less, the others up to 25 % more.
enum { MOST_TAPS = 16, MOST_LONG_TAPS = 24, MOST_SUM_WORDS = 48, STRIP_SUMS = 8, ITEMS = 512 };

// Where rows have taps of their own, an item keeps those of its lanes in registers, beside the
// sums that a line meets: up to OWN_WORDS of 4 bytes together. Registers by ptxas for sm_90 and
// so many of these: one lane, 32 of them 94 to 110, 48 of them 118 to 126, 64 of them 144 to
// 152; four lanes 116, 128 to 144, 150 to 162, and 202 with 96, none with spills. Products of
// long sums of integers take twice as many registers as these: 8 taps 130, 10 taps 166, 16
// taps more than there are.
// A strip has STRIP_OWN outputs for each word of own taps, up to LONG_STRIP, so that few are
// loaded beside the inputs: neighbouring items have them in other lines of memory. Long strips
// leave a compute unit OWN_ITEMS, because the last items of few take long; these three were not
// varied. H100, driver 580.159.04, 2026-11-27, us by gpu_tap_chunks and by this: i16 to u8, 8 own
// taps, 9057 of 16084 columns 197, 109 (118 with one lane, OWN_WORDS 48); i32, 4 own taps, 331 of
// 494 columns 345, 191. But u8, 2 own taps, step 2, 13 of 16 columns 405, 641 (gpu_tile 338).
enum { OWN_WORDS = 64, STRIP_OWN = 16, LONG_STRIP = 256, OWN_ITEMS = 1024 };

// Rows whose taps an item keeps, where they have their own: lanes of a word are channels, or
// phases of one row.
static unsigned own_taps(const struct convolve_shape *s, unsigned word_lanes)
{
    return s->filter->rows == 1 ? 0 : s->channels == 1 ? 1 : word_lanes;
}

// Words of 4 bytes.
uint64_t gp_walk_own_words(const struct convolve_shape *s, unsigned word_lanes)
{
    return own_taps(s, word_lanes) * s->filter->taps * s->filter->size / 4;
}

uint64_t gp_walk_sums(const struct convolve_shape *s)
{
    return gp_ceil_div(s->filter->taps, gp_convolve_lane_step(s));
}

// Registers for the sums that meet a line, in words of 4 bytes.
static uint64_t sum_words(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const bool has_products = gp_filter_sums_whole(f) && gp_convolve_has_long_sums(f);
    return gp_walk_sums(s) * gp_convolve_sum_bytes(f) / 4 * (has_products ? 3 : 1);
}

static bool has_registers(const struct convolve_shape *s, unsigned word_lanes)
{
    return s->filter->rows == 1 ||
           gp_walk_own_words(s, word_lanes) + word_lanes * sum_words(s) <= OWN_WORDS;
}

bool gp_walk_has_many_taps(const struct convolve_shape *s)
{
    const bool is_long = gp_type_size(s->filter->in) == 8;
    return s->filter->taps > (is_long ? MOST_LONG_TAPS : MOST_TAPS);
}

// Of types that are narrower than a register an item takes four lanes, if it can write them as
// a vector, or if results are bytes, neighbours in long lines. Where results have 16 bits, at
// most MOST_SUMS sums may meet a line. H200, 2026-11-22, share of the bound of one lane and of
// four, which are no vector: u8 to i64, lines of 21393, 2 taps 0.670, 0.210. H200, 2026-11-23,
// us: u8, lines of 694 400, 300; of 5245 322, 266; u16 to i8, 270 313, 225; i16, 189 297, 334.
// Where they are a vector: i16 to i8, 32 296, 338; i8, 71 346, 251. H200, driver 580.159.04,
// 2026-11-28, results of 16 bits that are no vector: u8 to i16, 2 taps, 49078 columns 151, 164.
// From 16 bits to 16 bits, with vectors that were joined from two items' results: i16, 8 taps,
// 32169 columns 299, 338; i16 to u16, 2 taps, 16628 columns 149, 149. Many sums leave few
// groups room on a compute unit: i8 to u16, 15 taps, 380 columns, a vector, by 167 registers
// 244, 310. From 9 to 14 taps, and to other types, this was not measured.
unsigned gp_walk_word_lanes(const struct convolve_shape *s)
{
    enum { LONG = 256, SHORT = 64, MOST_SUMS = 12 };
    const struct gpuprim_filter *f = s->filter;
    const bool has_many_sums = (gp_type_size(f->out) == 2 && gp_walk_sums(s) > MOST_SUMS) ||
                               (gp_walk_has_many_taps(s) && 4 * sum_words(s) > MOST_SUM_WORDS);
    if (gp_type_size(f->in) >= 4 || !gp_convolve_lanes_adjoin(s) || !has_registers(s, 4) ||
        has_many_sums)
        return 1;
    const uint64_t lanes = gp_convolve_line_lanes(s, 4);
    const bool is_vector =
                   gp_convolve_out_words(s) && (gp_type_size(f->in) == 1 || lanes >= SHORT),
               are_narrow = gp_convolve_out_lanes_adjoin(s) && gp_type_size(f->out) == 1;
    return is_vector || (are_narrow && lanes >= LONG) ? 4 : 1;
}

// Runs are what a warp takes. Elements of 8 bytes take longer where these overlap: H200, driver
// 580.159.04, 2026-11-29, us with and without: c32, 12 taps, 65 of 67 columns 623, 512; f64, 11 taps,
// step 2, 7375 of 10 450 to 10 343 306, 277. But H100, 2026-11-27: f64, 20 taps, 1741 of 2453 101, 105.
struct lane_words gp_walk_words(const struct convolve_shape *s)
{
    enum { RUN = 32 };
    const unsigned lanes = gp_walk_word_lanes(s);
    const bool is_long = gp_type_size(s->filter->in) == 8;
    return (struct lane_words){ lanes, RUN, is_long ? 0 : gp_convolve_overlap(s, lanes, RUN) };
}

// Words that an item loads at once: about four, of narrow types eight, a multiple of the step.
static unsigned ahead_of(const struct convolve_shape *s)
{
    const unsigned step = (unsigned)gp_convolve_lane_step(s),
                   about = gp_type_size(s->filter->in) < 4 ? 8
                           : step <= 2                     ? 4
                                                           : step;
    return about / step * step;
}

// How many times so many are in registers: about 64 bytes or, of wider words, 96.
static unsigned batches_of(const struct convolve_shape *s)
{
    const unsigned words = gp_convolve_word_bytes(s, gp_walk_word_lanes(s)) == 4 ? 16 : 12;
    return words / ahead_of(s) > 2 ? words / ahead_of(s) : 2;
}

// Outputs of an item, about. Short strips share most with neighbours that run at the same time.
// Sums of shared lines are taken twice. Long strips spare most of them where words are narrow,
// of bytes, and where these sums take more than an eighth of the instructions for which an
// output's bytes leave time. H100, driver 580.159.04, 2026-11-27, us of 32 and 64: i32, sums of
// 64 bits, 12 taps, 1033 columns 206, 184; 11 taps to u16, 27 columns 182, 168.
static unsigned usual_strip(const struct convolve_shape *s)
{
    enum { SHORT = 32, LONG = 64, PART = 8 };
    const struct gpuprim_filter *f = s->filter;
    const double step = (double)gp_convolve_lane_step(s), taps = (double)f->taps;
    const double again = (taps - step) / (SHORT * step) * taps * gp_convolve_multiply_add(f),
                 bytes = (double)gp_type_size(f->in) * step + (double)gp_type_size(f->out);
    const bool is_narrow = gp_convolve_word_bytes(s, gp_walk_word_lanes(s)) == 4;
    return is_narrow && (gp_walk_word_lanes(s) > 1 ||
                         PART * again > gp_convolve_byte_instructions() * bytes)
               ? LONG
               : SHORT;
}

static uint64_t strip_goal(const struct convolve_shape *s)
{
    const uint64_t own = gp_min(STRIP_OWN * gp_walk_own_words(s, gp_walk_word_lanes(s)),
                                LONG_STRIP),
                   shared = gp_walk_has_many_taps(s) ? STRIP_SUMS * gp_walk_sums(s) : 0,
                   goal = own > shared ? own : shared;
    return goal > usual_strip(s) ? goal : usual_strip(s);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp_convolve_lanes_fit(gp, s) &&
           (!gp_walk_has_many_taps(s) || sum_words(s) <= MOST_SUM_WORDS) && has_registers(s, 1);
}

// gpu_roll is faster where it has room and steps are short or sums many. The same day, us by it and by
// this, step and sums in front: 8, 4, f32 390, 339; 4, 11, f16 629, 570; 8, 11, f64 612, 571; 5, 5, f16 726,
// 713; but 5, 18, f64 456, 502; 3, 38, f16 1022, 1538; 3, 12, u8, 17 of 26 columns 964, 1507.
static bool is_worth_many_taps(const gpuprim *gp, const struct convolve_shape *s)
{
    enum { LONG_STEP = 4, MOST_SUMS = 12 };
    const uint64_t step = gp_convolve_lane_step(s);
    return gp_convolve_gpu_roll.fits(gp, s) ? step >= LONG_STEP && gp_walk_sums(s) <= MOST_SUMS
                                            : step > 1;
}

// Items side by side read neighbours, and write them. Short lines of narrow elements with own taps
// are left to others: OWN_WORDS has the figures.
static bool suits(const gpuprim *gp, const void *call)
{
    enum { SHORT = 64 };
    const struct convolve_shape *s = call;
    if (s->filter->rows > 1 && gp_type_size(s->filter->in) < 4 &&
        gp_convolve_line_lanes(s, 4) < SHORT)
        return false;
    if (gp_walk_has_many_taps(s) && !is_worth_many_taps(gp, s))
        return false;
    return s->lanes > 1 && s->out_lanes >= CONVOLVE_LEAST_LANES && gp_convolve_reads_lines(s) &&
           gp_convolve_writes_lines(s);
}

// Whether sectors at the ends of lines of outputs are fetched before strips write them.
bool gp_walk_fetches(const struct convolve_shape *s)
{
    return s->channels > 1 && gp_convolve_writes_lines(s) && gp_convolve_fetches(s);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    // Code for words of four lanes beyond the ends is long.
    const unsigned beyond = gp_walk_word_lanes(s) == 1 ? ahead_of(s) : 1;
    gp_convolve_lanes_define(s, gp_walk_words(s), ahead_of(s), beyond, key);
    gp_define(key, "FETCH", gp_walk_fetches(s));
    gp_define(key, "BATCHES", batches_of(s));
    gp_define(key, "OWN_TAPS", own_taps(s, gp_walk_word_lanes(s)));
}

// A strip of `loads` times so many lines as are loaded at once.
static uint64_t strip_of(const struct convolve_shape *s, uint64_t loads)
{
    return (loads * ahead_of(s) - s->filter->taps) / gp_convolve_lane_step(s) + 1;
}

// Items that the device is to have at least, if strips are as long as that.
static uint64_t least_items(const gpuprim *gp, const struct convolve_shape *s, uint64_t strip)
{
    const bool is_long = s->filter->rows > 1 && strip > usual_strip(s);
    return (uint64_t)(is_long ? OWN_ITEMS : ITEMS) * gp->caps.compute_units;
}

void gp_walk_lay_out(const gpuprim *gp, const struct convolve_shape *s,
                     const struct gp_variant *variant, unsigned work_group,
                     struct convolve_layout *l)
{
    (void)variant;
    const uint64_t outputs = gp_convolve_lane_outputs(s),
                   words = gp_convolve_line_words(s, gp_walk_words(s));
    const uint64_t least = gp_ceil_div(s->filter->taps, ahead_of(s));
    uint64_t loads = gp_ceil_div(
        (strip_goal(s) - 1) * gp_convolve_lane_step(s) + s->filter->taps, ahead_of(s));
    while (loads > least && words * gp_ceil_div(outputs, strip_of(s, loads)) <
                                least_items(gp, s, strip_of(s, loads)))
        loads--;
    // The number of strips has 32 bits.
    while (outputs / strip_of(s, loads) >= UINT32_MAX)
        loads *= 2;
    l->groups = gp_ceil_div(
        gp_convolve_lanes_lay_out(s, gp_walk_words(s), strip_of(s, loads), l), work_group);
}

static const struct convolve_ops ops = {
    .count = gp_walk_count,
    .rates = { .start = 1.25, .output = 11, .load = 22, .passes = 1 },
    .specialise = specialise,
    .lay_out = gp_walk_lay_out,
    .by_value = true,
    .why = "many lanes lie side by side and few outputs meet a line of inputs",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_walk = {
    .name = "gpu_walk",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_lane_types.cl",
                                "convolve1d/gpu_lanes.cl", "convolve1d/gpu_lane_words.cl",
                                "convolve1d/gpu_lane_stores.cl", "convolve1d/gpu_walk.cl"),
    .work_group = WALK_GROUP,
    .ops = &ops,
};
