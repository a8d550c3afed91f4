/* SPDX-License-Identifier: Apache-2.0
 *
 * The six files of the variant gpu_tile: gpu_tile.c says which shapes it takes, gpu_tile_work.c how
 * long they take, gpu_tile_outputs.c decides how many outputs an item has, gpu_tile_tuning.c says
 * how many are the best for long rows, gpu_tile_layout.c lays a tile out for that
 * (kernels/convolve1d/gpu_tile_fill.cl), and gpu_tile_arguments.c tells the kernel. */
#ifndef GP_CONVOLVE1D_GPU_TILE_H
#define GP_CONVOLVE1D_GPU_TILE_H

#include "gpu_sizes.h"

// Lanes of a line of outputs at most; wider matrices are left to others. With dilation there may be
// more. H100, driver 580.159.04, 2026-11-27, us of columns without dilation by others and by this
// variant: i32, 5 taps, 175 columns of 170 6.2, 8.7; 36 taps, 113 columns of 599 10.0, 11.7.
enum { TILE_LANES = 64, TILE_DILATED_LANES = 256 };

// How inputs lie in a tile: as in x, with an unused line behind those of each output line, or by
// phases.
enum tile_order { TILE_AS_X, TILE_PADDED, TILE_SORTED };

// A way to divide a shape among groups.
struct tile {
    unsigned item_outputs, step; // macros of the kernel
    unsigned item_rows;          // likewise: rows of an item
    bool has_rows, by_vectors;   // and these two: a group takes several rows
    bool has_lines;              // rows of outputs are written one by one
    bool has_line_vectors;       // channels lie in lines (kernels/convolve1d/gpu_tile_lines.cl)
    enum tile_order order;
    unsigned room;                    // bytes of local memory
    unsigned line_elements, line_pad; // of a line of outputs
    uint64_t phases, out_lines;       // of a row
    uint64_t groups;
    struct tile_arguments a;
};

// Taps from which on an item has too few registers beside a window of more than 31 inputs.
enum { TILE_LONG_TAPS = 100 };

// Outputs that an item of a small call has at least.
enum { TILE_FEW_OUTPUTS = 3 };

// Instructions for an output that is written alone: the rate of the estimate.
enum { TILE_STORE = 52 };

// What a launch takes.
void gp_tile_count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w);

// The most local memory that a group takes.
uint64_t gp_tile_local_limit(const gpuprim *gp);

// Chooses how many outputs an item has, and lays a tile out for that. False where none fits.
bool gp_tile_choose(const gpuprim *gp, const struct convolve_shape *s, struct tile *best);

// Whether an item goes through its taps in a loop.
bool gp_tile_has_loop(const struct convolve_shape *s, const struct tile *t);

// Outputs of an item that are the best for long rows, and items of a group.
unsigned gp_tile_usual_outputs(const struct convolve_shape *s);
unsigned gp_tile_group(const struct convolve_shape *s);

// Outputs share no inputs, and most inputs are not needed at all: a group loads only those that
// are. Fewer are loaded faster with all that lie between them, because those come by vectors.
bool gp_tile_has_gaps(const struct convolve_shape *s);

// Turns that a warp takes to read an operand for each item from local memory, where rows lie
// `pitch` places apart: as many as items meet in a bank.
unsigned gp_tile_turns(const struct convolve_shape *s, const struct tile *t, uint64_t pitch);

// Lays out groups of `group` items, whose items have `outputs` outputs, in `limit` bytes of
// local memory, with the inputs by phases, padded or as in x: whichever is done sooner, or the one
// that is asked for, with `item_rows` rows to an item where a group has several. False where not
// even one segment fits.
bool gp_tile_lay_out(const struct convolve_shape *s, unsigned group, unsigned outputs,
                     uint64_t limit, struct tile *t);
bool gp_tile_lay_out_as(enum tile_order order, const struct convolve_shape *s, unsigned group,
                        unsigned outputs, unsigned item_rows, uint64_t limit, struct tile *t);

// Elements that an item loads at once of rows.
unsigned gp_tile_load_length(const struct convolve_shape *s);

// Whether outputs are written by vectors of less than 16 bytes, and whether those of a row are
// contiguous, but not those of a group.
bool gp_tile_has_packs(const struct convolve_shape *s);
bool gp_tile_has_lines(const struct convolve_shape *s, const struct tile *t);

// Whether the outputs of a group, or of its rows, are written as vectors from the last to the
// first.
bool gp_tile_is_turned(const struct convolve_shape *s, const struct tile *t);

// Whether they are contiguous, and rows lie the other way round than positions.
bool gp_tile_is_mirrored(const struct convolve_shape *s, const struct tile *t);

// Whether sums are of f32, or of pairs of f32.
bool gp_tile_adds_f32(const struct gpuprim_filter *f);

// Fills in those arguments of the kernel that follow from the others.
void gp_tile_complete(const struct convolve_shape *s, unsigned group, struct tile *t);

// Loads of an item, of vectors or 16 bytes, that bring the rows of a group of a complete tile,
// if their elements are neighbours: a power of two, at most TILE_ROW_LOADS.
enum { TILE_ROW_LOADS = 8 };
unsigned gp_tile_row_loads(const struct convolve_shape *s, unsigned group,
                           const struct tile *t);

// Whether more stands beyond the ends of a group's rows than its items take one by one.
bool gp_tile_has_many_ends(const struct convolve_shape *s, unsigned group,
                           const struct tile *t);

// Whether most of what stands beyond the ends of rows is a constant that is put everywhere
// first: 1: the left one; 2: the right one; 0: no.
unsigned gp_tile_filler(const struct convolve_shape *s, unsigned group, const struct tile *t);

#endif
