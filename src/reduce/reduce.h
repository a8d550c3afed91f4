/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of reduce share.
 *     call.c          checks a call
 *     view.c          turns rows that lie backwards
 *     plan.c          lists the variants and the macros of their kernels
 *     planned.c       the plan of a call's launches, kept for the next call
 *     run.c           launches
 *     baseline.c, cpu_*.c, gpu_*.c    one file per variant: what it takes, its layout
 *     layout.c        what variants share when they lay a call out
 *     operations.[ch] the operations, one row each
 *     arguments.h     what the kernels know, too
 * The kernels, and drawings of who reads what, are in kernels/reduce/. */
#ifndef GP_REDUCE_H
#define GP_REDUCE_H

#include "src/core/core.h"

// A checked call.
struct reduction {
    enum gpuprim_op op;
    struct gp_array in, out;
    // The accumulator, SUM_TYPE of the kernels; 0 = 128 bits. STATISTICS: f64 where the device
    // has it, else f32.
    enum gpuprim_type sum;
    bool skip_nan;
    unsigned results;          // of a row
    int64_t out_row, out_step; // elements from row to row of the results, and within a row
};

// How a piece of `rows` x `count` elements is divided among work-groups.
struct layout {
    uint32_t sets, lanes; // rows that a group takes at once, items on each
    bool across;          // neighbouring items take neighbouring rows, not elements or partials
    // gpu_columns: of blocks of columns, for each of which the last groups, as many as `folders`,
    // fold the partials. 0: a second launch does.
    uint32_t counters, folders;
    bool signals;      // groups of the last slots wait for the others' partials
    uint64_t slots;    // parts of a row
    uint64_t share;    // elements of a part
    uint64_t partials; // of a row; with one only the result is written at once
    uint64_t groups;   // of the launch
    // gpu_columns: see the drawing in kernels/reduce/gpu_columns.cl.
    uint32_t block;  // vectors of a line that a group takes
    uint32_t blocks; // how often that is
    uint32_t fuse;   // 1 << fuse lines are read as one
    bool fused;
    bool skipped;  // and what lies between them is not read
    uint32_t tile; // gpu_tiles: rows that a group takes
};

// The functions of a variant; gp_variant's `ops`.
struct reduce_ops {
    // Defines the macros that only this variant's kernels have, and the work-group size where
    // it is not that of the variant's row. NULL: nothing to define.
    void (*specialise)(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key);
    // Cuts the rows of a piece into as many slots as fill the device. No slot is too small to
    // be worth a group, and a row has at most `most` partials. Before the call, `sets` and
    // `lanes` of *out are 1 and all else is zero.
    void (*lay_out)(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *out);
};

// Bytes of all partials of a launch, at most: with the counters 8 MiB.
enum { REDUCE_SCRATCH_BYTES = (8 << 20) - 4 * GP_MAX_COUNTERS };

// ---------------------------------------------------------------------------------------
// call.c, plan.c, run.c

extern const struct gp_primitive gp_primitive_reduce;

// gp_primitive's `describe`.
int gp_reduce_describe(gpuprim *gp, char *text, size_t size);

// The layout of a piece with at most `most` partials per row.
struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_plan *plan, const struct gp_piece *piece,
                               uint64_t most);

// What calls of one shape share.
struct reduce_planned {
    struct gp_plan plan;
    struct gp_piece largest; // what a launch takes, except the last rows and elements
    struct layout layout;    // of the largest piece
    uint64_t pitch;          // partials that a row has room for, one of them for earlier pieces
    uint64_t results_rows;   // where out is a host array: how many rows of results wait there
    bool keeps_partials;     // there are launches that leave partials
};

// Bytes of a line of memory, if the plan of a call follows from where in one the first element
// lies; else 0.
uint64_t gp_reduce_line(const struct reduction *r);

// Plans a call. The lock is held.
int gp_reduce_plan(gpuprim *gp, const struct reduction *r, struct reduce_planned *out);

// Runs a checked call from beginning to end.
int gp_reduce_run(gpuprim *gp, const struct reduction *r, const struct gpuprim_sync *sync,
                  const struct gp_again *again);
// How a call is made again at other places of its arrays.
extern const struct gp_repeat_form gp_reduce_form;

// view.c: turns rows and their elements so that strides are positive, where the result allows
// it.
void gp_reduce_turn(struct reduction *r);

// ---------------------------------------------------------------------------------------
// The variants

extern const struct gp_variant gp_reduce_cpu_short_rows, gp_reduce_cpu_rows,
    gp_reduce_cpu_columns, gp_reduce_gpu_columns, gp_reduce_gpu_tiles, gp_reduce_gpu_long_rows,
    gp_reduce_gpu_rows, gp_reduce_baseline;

// The texts of a program after common.cl: what all variants begin with, then the variant's own.
#define REDUCE_SOURCES(...)                                                                    \
    (const char *const[])                                                                      \
    {                                                                                          \
        "reduce/arguments.h", "reduce/chain.cl", "reduce/moments.cl", "reduce/acc.cl",         \
            "reduce/result.cl", "reduce/folds.cl", "reduce/reduce.cl", "tickets.cl",           \
            "reduce/signals.cl", __VA_ARGS__, NULL                                             \
    }
#define REDUCE_VEC16_SOURCES                                                                   \
    REDUCE_SOURCES("reduce/pairs.cl", "reduce/words.cl", "reduce/keys.cl", "reduce/vec16.cl",  \
                   "reduce/dots.cl", "reduce/packs.cl", "reduce/vec16_bits.cl",                \
                   "reduce/vec16_moments.cl", "reduce/vec16_products.cl",                      \
                   "reduce/row_vectors.cl", "reduce/gpu_rows.cl")

// ---------------------------------------------------------------------------------------
// layout.c: what variants share

// Bytes of a partial in scratch memory, at least those of the kernels' acc.
uint64_t gp_reduce_partial_bytes(const struct reduction *r);

// Elements from the first to the last of `count` in a row, what lies between them included.
uint64_t gp_reduce_span(const struct gp_array *in, uint64_t count);

// Whether positions are what is asked for. Rows of no other operation lie backwards (view.c).
bool gp_reduce_is_arg(const struct reduction *r);

// Whether a launch takes longer than reading the elements, of which there are less than 4 MiB.
// What lies between them is not counted.
bool gp_reduce_is_small(const gpuprim *gp, const struct gp_array *in);

// Whether vectors of 16 bytes may be made of rows: elements lie side by side or so little apart
// that each vector has one, upwards or, of arg operations alone, downwards.
bool gp_reduce_has_vectors(const struct reduction *r);

// Whether these take less time than what baseline reads: not where elements lie apart and rows
// overlap or lie between each other's elements.
bool gp_reduce_suits_vectors(const struct reduction *r);

// Defines the macros that say how the elements of such rows lie.
void gp_reduce_define_vectors(const struct reduction *r, struct gp_key *key);

// Cuts rows of `count` elements into at most `wanted` contiguous or interleaved slots of
// `multiple` elements or more, and at most `most`. Sets slots, share and partials.
void gp_reduce_cut(struct layout *l, uint64_t count, uint64_t wanted, uint64_t multiple,
                   uint64_t most);

// Lets the group of a row's last slot fold its partials, where groups have one row and the
// device lets groups wait for others.
void gp_reduce_fold_at_end(const gpuprim *gp, const struct reduction *r,
                           const struct gp_piece *piece, struct layout *l);

// The layout of kernels/reduce/gpu_rows.cl, where `lanes` items share a row and have `items`
// vectors of a tile each.
void gp_reduce_lay_out_vec16(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, unsigned work_group,
                             unsigned lanes, unsigned items, const struct gp_piece *piece,
                             uint64_t most, struct layout *l);

#endif
