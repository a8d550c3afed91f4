/* SPDX-License-Identifier: Apache-2.0
 *
 * What gpu_walk.c and gpu_roll.c share: rows as a matrix that is convolved down its columns
 * (kernels/convolve1d/gpu_lanes.cl says how). */
#ifndef GP_CONVOLVE1D_GPU_LANES_H
#define GP_CONVOLVE1D_GPU_LANES_H

#include "arguments.h"
#include "convolve1d.h"

// The matrix is wide enough that items side by side read whole lines of memory.
enum { CONVOLVE_WIDE = 33, CONVOLVE_LEAST_LANES = 5 };

// The most lines between the first inputs of neighbouring outputs: STEP is a macro.
enum { CONVOLVE_LANES_MOST_STEPS = 8 };

// Words that items take at once: lanes of a word, words of a run, and by how many of them runs
// overlap (kernels/convolve1d/gpu_lanes.cl).
struct lane_words {
    unsigned lanes, run, overlap;
};

// The distance of `n` steps. Where it leaves 64 bits no element lies so far: it is not used.
static inline int64_t gp_convolve_distance(int64_t stride, uint64_t n)
{
    return (int64_t)((uint64_t)stride * n);
}

// Inputs between neighbouring lines, and lines between the first inputs of neighbouring
// outputs of a lane. With one tap there are no lines that nothing needs.
static inline uint64_t gp_convolve_line_inputs(const struct convolve_shape *s)
{
    return s->filter->taps == 1 ? s->filter->stride : s->filter->dilation;
}

static inline uint64_t gp_convolve_lane_step(const struct convolve_shape *s)
{
    return s->filter->taps == 1 ? 1 : s->step;
}

// Whether the kernels can take the shape on this device, but for what is a variant's own.
bool gp_convolve_lanes_fit(const gpuprim *gp, const struct convolve_shape *s);

// Whether neighbouring lanes are neighbours in memory, and enough for a word of several. A word
// is what an item takes at once. It has one lane or, where this is true, four.
bool gp_convolve_lanes_adjoin(const struct convolve_shape *s);

// Whether outputs of a lane are contiguous, unlike neighbouring lanes: columns that become
// rows.
bool gp_convolve_outputs_cross(const struct convolve_shape *s);

// Whether lines do not begin where lines of memory do.
bool gp_convolve_lines_are_ragged(const struct convolve_shape *s);

// Whether lines of inputs or outputs do not begin where lines of memory do, or those of outputs
// do not end where sectors do, lines have 400 bytes of inputs at most, and lines of outputs
// have gaps between them: gpu_tile is faster there. Driver 580.159.04, us by gpu_tile, gpu_walk
// and gpu_roll. H200, 2026-11-28, pitched columns: i16, 4 taps, 11 206, 346, 768; f32, 1 tap,
// 27 191, 222, 247; f64, 1 tap, 19 174, 220, 232. 2026-11-27: H200, f64, 27 taps, 42 111 and
// gpu_roll 137; H100, f64, 8 taps, 50 219 and gpu_walk 277. But H200, i32, 5 taps, 120: 44 and
// 56 by the last two, which were estimated as 53 and 103.
bool gp_convolve_lines_are_pieces(const struct convolve_shape *s);

// Whether items side by side read neighbours, and write neighbours.
bool gp_convolve_reads_lines(const struct convolve_shape *s);
bool gp_convolve_writes_lines(const struct convolve_shape *s);

// Lanes of a line that are neighbours.
uint64_t gp_convolve_line_lanes(const struct convolve_shape *s, unsigned word_lanes);

// Whether neighbouring lanes are neighbours in the output, in ascending order.
bool gp_convolve_out_lanes_adjoin(const struct convolve_shape *s);

// Whether the outputs of four neighbouring lanes are a vector in memory, if the first one is
// aligned. Else an item would write parts of them, and neighbouring items would not write
// neighbours.
bool gp_convolve_out_words(const struct convolve_shape *s);

// Words of a sector, where lines of outputs begin anywhere in sectors, and runs of `run` words
// that overlap by a sector are worth it: words of one lane of 4 bytes and more. Else 0.
unsigned gp_convolve_overlap(const struct convolve_shape *s, unsigned word_lanes, unsigned run);

// The bytes of a word in registers and in local memory.
unsigned gp_convolve_word_bytes(const struct convolve_shape *s, unsigned word_lanes);

// Defines the macros of gpu_lanes.cl. `ahead`: words that an item loads at once; `beyond`: of
// them where lines lie beyond the ends.
void gp_convolve_lanes_define(const struct convolve_shape *s, struct lane_words w,
                              unsigned ahead, unsigned beyond, struct gp_key *key);

// Outputs of the longest lane.
uint64_t gp_convolve_lane_outputs(const struct convolve_shape *s);

// Words of a line of all bands together: how many words there are, with one strip.
uint64_t gp_convolve_line_words(const struct convolve_shape *s, struct lane_words w);

// Divides all lanes in strips of `strip` outputs and fills l->own. Returns the number of words.
uint64_t gp_convolve_lanes_lay_out(const struct convolve_shape *s, struct lane_words w,
                                   uint64_t strip, struct convolve_layout *l);

#endif
