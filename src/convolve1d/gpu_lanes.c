/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs: divides a matrix of lanes among items, for gpu_walk.c and gpu_roll.c. See
 * gpu_lanes.h. */
#include "gpu_lanes.h"
#include "gpu_sizes.h"

#include <string.h>

// Wider lines are cut in blocks of so many words, so that the lines which neighbouring strips
// share are still in the cache: 8192 words of 4 bytes and strips of 32 lines are 1 MiB.
enum { BLOCK_WORDS = 8192, SECTOR = 32 }; // SECTOR: bytes of memory that are read together

// Phases that have outputs.
static uint64_t phases(const struct convolve_shape *s)
{
    return gp_min(s->phases, s->outputs);
}

// Elements between neighbouring lanes of x and of out.
static int64_t lane_stride(const struct convolve_shape *s)
{
    return s->channels == 1 ? gp_convolve_distance(s->stride, s->filter->stride)
                            : s->row_stride;
}

static int64_t out_lane_stride(const struct convolve_shape *s)
{
    return s->channels == 1 ? s->out_stride : s->out_row_stride;
}

// Lanes of a phase and of the next one form one line. Within a word of several lanes they must
// lie evenly; else each phase of several channels is a band of its own.
static bool is_joined(const struct convolve_shape *s, unsigned word_lanes)
{
    return s->channels == 1 || s->phases == 1 || word_lanes == 1 ||
           (gp_convolve_distance(s->stride, s->filter->stride) ==
                gp_convolve_distance(lane_stride(s), s->channels) &&
            s->out_stride == gp_convolve_distance(out_lane_stride(s), s->channels));
}

static uint64_t lanes_of(const struct convolve_shape *s, unsigned word_lanes)
{
    return is_joined(s, word_lanes) ? s->channels * phases(s) : s->channels;
}

static uint64_t bands_of(const struct convolve_shape *s, unsigned word_lanes)
{
    return is_joined(s, word_lanes) ? s->batches : phases(s);
}

bool gp_convolve_lanes_adjoin(const struct convolve_shape *s)
{
    return lane_stride(s) == 1 && lanes_of(s, 4) >= (is_joined(s, 4) ? 4 : CONVOLVE_WIDE);
}

bool gp_convolve_lines_are_ragged(const struct convolve_shape *s)
{
    const uint64_t line = s->channels > 1 ? gp_abs(s->stride) : s->lanes;
    return line * gp_type_size(s->filter->in) % SECTOR != 0;
}

bool gp_convolve_lines_are_pieces(const struct convolve_shape *s)
{
    enum { SHORT = 400 }; // bytes
    const uint64_t line = gp_abs(gp_convolve_distance(s->out_stride, s->phases));
    const size_t size = gp_type_size(s->filter->out);
    const bool are_ragged = gp_convolve_lines_are_ragged(s) || line * size % SECTOR != 0 ||
                            s->channels * size % SECTOR != 0;
    return are_ragged && s->channels > 1 && gp_abs(s->out_row_stride) == 1 &&
           gp_abs(s->out_stride) > s->channels &&
           s->channels * gp_type_size(s->filter->in) <= SHORT;
}

bool gp_convolve_reads_lines(const struct convolve_shape *s)
{
    return s->channels == 1 || gp_abs(s->row_stride) < gp_abs(s->stride);
}

bool gp_convolve_writes_lines(const struct convolve_shape *s)
{
    return s->channels == 1 || gp_abs(s->out_row_stride) < gp_abs(s->out_stride);
}

bool gp_convolve_outputs_cross(const struct convolve_shape *s)
{
    return gp_abs(s->out_stride) == 1 && s->phases == 1 && gp_abs(out_lane_stride(s)) > 1;
}

uint64_t gp_convolve_line_lanes(const struct convolve_shape *s, unsigned word_lanes)
{
    return lanes_of(s, word_lanes);
}

bool gp_convolve_out_lanes_adjoin(const struct convolve_shape *s)
{
    return out_lane_stride(s) == 1;
}

bool gp_convolve_out_words(const struct convolve_shape *s)
{
    return gp_convolve_out_lanes_adjoin(s) &&
           gp_convolve_distance(s->out_stride, s->phases) % 4 == 0;
}

unsigned gp_convolve_word_bytes(const struct convolve_shape *s, unsigned word_lanes)
{
    // One lane is an operand.
    const unsigned size = (unsigned)gp_type_size(s->filter->in);
    return word_lanes == 1 && size < 4 ? 4 : word_lanes * size;
}

bool gp_convolve_lanes_fit(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    return !gp->caps.is_cpu && gp_convolve_lane_step(s) <= CONVOLVE_LANES_MOST_STEPS &&
           gp_convolve_takes_taps(gp, f, sizeof(struct lane_arguments)) &&
           s->out_lanes <= (uint64_t)1 << 31;
}

// How many phases the lanes of a word are apart, at most.
static cl_uint spread_of(const struct convolve_shape *s, unsigned word_lanes)
{
    return s->phases == 1 || !is_joined(s, word_lanes)
               ? 0
               : (cl_uint)gp_ceil_div(word_lanes - 1, s->channels);
}

// Whether words begin anywhere in memory, and not all alike.
static bool moves(const struct convolve_shape *s, unsigned word_lanes)
{
    return word_lanes > 1 && gp_type_size(s->filter->in) < 4 &&
           gp_convolve_distance(s->stride, gp_convolve_line_inputs(s)) % word_lanes != 0;
}

void gp_convolve_lanes_define(const struct convolve_shape *s, struct lane_words w,
                              unsigned ahead, unsigned beyond, struct gp_key *key)
{
    gp_define(key, "VEC_N", 16 / gp_convolve_operand_bytes(s->filter));
    gp_define(key, "WORD_LANES", w.lanes);
    gp_define(key, "MOVES", moves(s, w.lanes));
    gp_define(key, "SPREAD", spread_of(s, w.lanes) > 0);
    gp_define(key, "RUN", w.run);
    gp_define(key, "OVERLAP", w.overlap);
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "STEP", (uint32_t)gp_convolve_lane_step(s));
    gp_define(key, "AHEAD", ahead);
    gp_define(key, "BEYOND", beyond);
}

uint64_t gp_convolve_lane_outputs(const struct convolve_shape *s)
{
    return gp_ceil_div(s->outputs, s->phases);
}

// H200, driver 580.159, 2026-11-27, copies of f32 by items that walk down columns as gpu_walk
// does, us without and with runs that overlap: 7332 columns, every 7658th to every 13265th 450,
// 313; 1435 columns 783, 539; 538 of 851 to 725 562, 380; 65 columns 620, 530; 20 of 36 to 26
// 636, 747. Where lines begin with a sector: 1432 columns 550, 540; 4096 columns 529, 543.
// H100, by gpu_walk: f64, 20 taps, 1741 of 2453 columns 105, 101; but i8, 6 taps, 2936 columns
// 245, 338: what is narrow is held up by instructions.
unsigned gp_convolve_overlap(const struct convolve_shape *s, unsigned word_lanes, unsigned run)
{
    const uint64_t size = gp_type_size(s->filter->out),
                   line = gp_abs(gp_convolve_distance(s->out_stride, s->phases)) * size;
    const int64_t lane = out_lane_stride(s);
    const bool are_even = s->channels == 1 || s->phases == 1 ||
                          s->out_stride == gp_convolve_distance(lane, s->channels);
    if (word_lanes > 1 || gp_type_size(s->filter->in) < 4 || line % SECTOR == 0 || !are_even ||
        gp_abs(lane) != 1)
        return 0;
    const unsigned overlap = (unsigned)(SECTOR / size);
    const bool is_long = lanes_of(s, 1) >= 2 * (run - overlap);
    return 4 * overlap <= run && is_long ? overlap : 0;
}

// Whether words begin at aligned outputs, wherever these lie. The first and the last word of a
// line may then lack lanes, which takes one word more. Short lines cannot spare it.
static bool is_aligned(const struct convolve_shape *s, unsigned word_lanes)
{
    enum { WIDE = 512 };
    return word_lanes > 1 && gp_type_size(s->filter->in) < 4 && gp_convolve_out_words(s) &&
           lanes_of(s, word_lanes) >= WIDE;
}

// Aligned words are a multiple of those in a sector: they begin in memory alike in all strips.
static uint64_t words_of(const struct convolve_shape *s, struct lane_words w)
{
    enum { SECTOR_WORDS = 8 };
    const uint64_t words = gp_ceil_div(lanes_of(s, w.lanes), (uint64_t)w.lanes);
    if (w.overlap) // the first run begins in front of the line
        return gp_ceil_div(words + w.overlap, (uint64_t)w.run - w.overlap) * w.run;
    return is_aligned(s, w.lanes) ? gp_ceil_div(words + 1, SECTOR_WORDS) * SECTOR_WORDS : words;
}

uint64_t gp_convolve_line_words(const struct convolve_shape *s, struct lane_words w)
{
    return words_of(s, w) * bands_of(s, w.lanes);
}

// ---------------------------------------------------------------------------------------

uint64_t gp_convolve_lanes_lay_out(const struct convolve_shape *s, struct lane_words w,
                                   uint64_t strip, struct convolve_layout *l)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t words = words_of(s, w), unit = w.overlap ? w.run : 1;
    const uint64_t blocks = gp_ceil_div(words, BLOCK_WORDS);
    const uint64_t strips = gp_ceil_div(gp_convolve_lane_outputs(s), strip);
    // As many phases as make a block are taken at the same time: a phase alone skips the lines of
    // all others, and shares parts of lines of memory with them. H100, driver 580.159.04,
    // 2026-11-27: i16, 5 taps, dilation 3, 587 of 611 columns 169 us by one after the other, 149.
    const uint64_t bands = bands_of(s, w.lanes),
                   most = s->channels == 1 || words >= BLOCK_WORDS ? 1 : BLOCK_WORDS / words;
    const uint64_t turns = gp_ceil_div(bands, gp_min(bands, most)),
                   near = gp_ceil_div(bands, turns);
    struct lane_arguments m = {
        .line = gp_convolve_distance(s->stride, gp_convolve_line_inputs(s)),
        .out_line = gp_convolve_distance(s->out_stride, s->phases),
        .out_lane = out_lane_stride(s),
        .advance = (int64_t)(s->phases * f->stride),
        .lanes = lanes_of(s, w.lanes),
        .outputs = s->outputs / s->phases,
        .bands = bands,
        .width = (cl_uint)(gp_ceil_div(words, blocks * unit) * unit),
        .blocks = (cl_uint)blocks,
        .strips = (cl_uint)strips,
        .strip = (cl_uint)strip,
        .line_inputs = (cl_uint)gp_convolve_line_inputs(s),
        .channels = (cl_uint)s->channels,
        .longer = (cl_uint)(s->outputs % s->phases),
        .is_aligned = is_aligned(s, w.lanes),
        .spread = spread_of(s, w.lanes),
        .near = (cl_uint)near,
    };
    m.width_by = UINT64_MAX / m.width;
    m.near_by = UINT64_MAX / m.near;
    m.strips_by = UINT64_MAX / m.strips;
    m.blocks_by = UINT64_MAX / m.blocks;
    m.channels_by = UINT64_MAX / m.channels;
    _Static_assert(sizeof m <= sizeof l->own, "room for the arguments");
    memcpy(l->own, &m, sizeof m);
    l->own_size = sizeof m;
    return m.width * near * strips * blocks * turns;
}
