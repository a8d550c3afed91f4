/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_walk: GPUs; a few taps down the columns of a wide matrix. Each item
 * walks down a strip of its own. Its kernel is kernels/convolve1d/gpu_walk.cl; gpu_lanes.c
 * divides the matrix. Rows may have taps of their own, if these fit registers. */
#include "gpu_lanes.h"
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
// ENDS: loads that an input beyond the ends takes, in short lanes. MIXED_ENDS: the same where a
// line has fewer words than a warp has items. Some items of a warp are then at an end of their
// lanes, and others are not, so that all take both ways. One call was measured: H100, driver
// 580.159.04, 2026-11-27, 10 taps of i8, dilation 23, rows of 969: 695 us, 312 by gpu_tile.
enum {
    WORK_GROUP = 128,
    MOST_TAPS = 16,
    MOST_LONG_TAPS = 24,
    ITEMS = 512,
    ENDS = 5,
    MIXED_ENDS = 25,
    WARP = 32
};

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
static uint64_t own_words(const struct convolve_shape *s, unsigned word_lanes)
{
    return own_taps(s, word_lanes) * s->filter->taps * s->filter->size / 4;
}

static bool has_registers(const struct convolve_shape *s, unsigned word_lanes)
{
    const struct gpuprim_filter *f = s->filter;
    const bool has_products = gp_filter_sums_whole(f) && gp_convolve_has_long_sums(f);
    const unsigned sum = gp_convolve_sum_bytes(f) / 4 * (has_products ? 3 : 1);
    const uint64_t sums = word_lanes * gp_ceil_div(f->taps, gp_convolve_lane_step(s));
    return f->rows == 1 || own_words(s, word_lanes) + sums * sum <= OWN_WORDS;
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
static unsigned word_lanes(const struct convolve_shape *s)
{
    enum { LONG = 256, SHORT = 64, MOST_SUMS = 12 };
    const struct gpuprim_filter *f = s->filter;
    const bool has_many_sums =
        gp_type_size(f->out) == 2 && gp_ceil_div(f->taps, gp_convolve_lane_step(s)) > MOST_SUMS;
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
static struct lane_words words_of(const struct convolve_shape *s)
{
    enum { RUN = 32 };
    const unsigned lanes = word_lanes(s);
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
    const unsigned words = gp_convolve_word_bytes(s, word_lanes(s)) == 4 ? 16 : 12;
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
    const bool is_narrow = gp_convolve_word_bytes(s, word_lanes(s)) == 4;
    return is_narrow &&
                   (word_lanes(s) > 1 || PART * again > gp_convolve_byte_instructions() * bytes)
               ? LONG
               : SHORT;
}

static uint64_t strip_goal(const struct convolve_shape *s)
{
    const uint64_t own = gp_min(STRIP_OWN * own_words(s, word_lanes(s)), LONG_STRIP);
    return own > usual_strip(s) ? own : usual_strip(s);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const bool is_long = gp_type_size(s->filter->in) == 8;
    return gp_convolve_lanes_fit(gp, s) &&
           s->filter->taps <= (is_long ? MOST_LONG_TAPS : MOST_TAPS) && has_registers(s, 1);
}

// Items side by side read neighbours, and write them. Short lines of narrow elements with own taps
// are left to others: OWN_WORDS has the figures.
static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    enum { SHORT = 64 };
    const struct convolve_shape *s = call;
    if (s->filter->rows > 1 && gp_type_size(s->filter->in) < 4 &&
        gp_convolve_line_lanes(s, 4) < SHORT)
        return false;
    return s->lanes > 1 && s->out_lanes >= CONVOLVE_LEAST_LANES && gp_convolve_reads_lines(s) &&
           gp_convolve_writes_lines(s);
}

// Whether sectors at the ends of lines of outputs are fetched before strips write them.
static bool fetches(const struct convolve_shape *s)
{
    return s->channels > 1 && gp_convolve_writes_lines(s) && gp_convolve_fetches(s);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    // Code for words of four lanes beyond the ends is long.
    const unsigned beyond = word_lanes(s) == 1 ? ahead_of(s) : 1;
    gp_convolve_lanes_define(s, words_of(s), ahead_of(s), beyond, key);
    gp_define(key, "FETCH", fetches(s));
    gp_define(key, "BATCHES", batches_of(s));
    gp_define(key, "OWN_TAPS", own_taps(s, word_lanes(s)));
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

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const uint64_t outputs = gp_convolve_lane_outputs(s),
                   words = gp_convolve_line_words(s, words_of(s));
    const uint64_t least = gp_ceil_div(s->filter->taps, ahead_of(s));
    uint64_t loads = gp_ceil_div(
        (strip_goal(s) - 1) * gp_convolve_lane_step(s) + s->filter->taps, ahead_of(s));
    while (loads > least && words * gp_ceil_div(outputs, strip_of(s, loads)) <
                                least_items(gp, s, strip_of(s, loads)))
        loads--;
    // The number of strips has 32 bits.
    while (outputs / strip_of(s, loads) >= UINT32_MAX)
        loads *= 2;
    l->groups = gp_ceil_div(gp_convolve_lanes_lay_out(s, words_of(s), strip_of(s, loads), l),
                            work_group);
}

// Whether lines of narrow elements are so short that most warps have parts of several. H200,
// driver 580.159.04, 2026-11-28, us and the estimate without this: f16, 4 taps, 42 of 48
// columns 377, 144; u16, 3 taps, dilation 6, 22 of 29 columns 458, 174; f32 to f16, 3 taps,
// dilation 6, one row 233, 142 (gpu_tile 94); u8, 7 taps, 6 channels 1311, 626 (gpu_narrow
// 281). But f32, 4 taps, dilation 17, one row 167, 176; i16 to u16, 2 taps, 16 628 columns 147,
// 139.
static bool has_short_lines(const struct convolve_shape *s)
{
    enum { SHORT = 128 }; // bytes
    const struct gpuprim_filter *f = s->filter;
    const uint64_t size = gp_min(gp_type_size(f->in), gp_type_size(f->out));
    const uint64_t lanes = gp_convolve_lines_are_pieces(s)
                               ? s->channels
                               : gp_convolve_line_lanes(s, word_lanes(s));
    return size < 4 && lanes * size <= SHORT;
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct convolve_layout l = { .groups = 0 };
    lay_out(gp, s, NULL, WORK_GROUP, &l);
    w->items = (double)l.groups * WORK_GROUP;
    w->outputs = w->products = (double)s->outputs * (double)s->rows;
    // Lines are left out, too, where the step is longer than the filter.
    const double taps = (double)s->filter->taps, step = (double)gp_convolve_lane_step(s);
    w->met = gp_convolve_met(s) * (taps < step ? taps / step : 1);
    // With a step an output takes more inputs, but what an item does for an output remains. H200,
    // driver 580.159.04, 2026-11-30, us and the estimates of whole loads and of these: u8, 15 taps,
    // step 8, 90 columns 859, 1308, 950. Other calls with steps that were measured wait for memory
    // or for their sums.
    const double INPUT = 0.6; // of a load
    const double lines = w->items * word_lanes(s) * (double)s->filter->taps,
                 beyond = (double)s->filter->halo * (double)s->rows;
    // Four narrow lanes come at once, but are converted one by one.
    const double word = word_lanes(s) > 1 ? 0.5 : 1;
    const uint64_t line = gp_convolve_line_lanes(s, word_lanes(s));
    const int ends = line < WARP * (uint64_t)word_lanes(s) ? MIXED_ENDS : ENDS;
    w->loads = (word * (w->outputs * (1 + INPUT * (step - 1)) + lines) + ends * beyond) *
                   gp_convolve_operand_bytes(s->filter) / 4 +
               w->items * (double)own_words(s, word_lanes(s));
    const bool are_ragged = gp_convolve_lines_are_ragged(s) &&
                            gp_type_size(s->filter->in) < 8 && words_of(s).overlap == 0;
    // A store of a part of a sector makes the memory read the sector. So lines that begin anywhere
    // cost as their outputs are, which with a step are fewer than the inputs. H200, driver
    // 580.159.04, 2026-11-30, us, and the estimates by all bytes and by outputs: u16, 11 taps,
    // stride 5, 13 of 22 columns 507, 802, 539; f16, 7 taps, stride 3, 11 of 12 columns 599, 950,
    // 625; f32 to i16, 12 taps, stride 8, dilation 12, 2281 columns 107, 135, 111. Lines whose
    // ends are fetched: us and the estimate by all bytes, 2026-11-29: i32 to u16, 4 taps, 45 of 72
    // columns 113, 181; f64, 7 taps, 11 of 12 165, 202.
    const double of_pieces = fetches(s) ? 2.4 : 4;
    w->pieces = are_ragged + (gp_convolve_lines_are_pieces(s) ? of_pieces : 0) +
                (has_short_lines(s) ? 2 : 0);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 1.25, .output = 11, .load = 22, .passes = 1 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "many lanes lie side by side and the taps are few",
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
    .work_group = WORK_GROUP,
    .ops = &ops,
};
