/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of reduce share: call.c checks a call, plan.c picks a variant and makes its
 * program, run.c launches. Each variant has a file of its name, which decides what it takes and how
 * it lays a call out on the device; layout.c has what variants share. The kernels, and the drawings
 * of who reads what, are in kernels/reduce/. */
#ifndef GP_REDUCE_H
#define GP_REDUCE_H

#include "src/core/core.h"

// A checked call.
struct reduction {
    enum gpuprim_op op;
    struct gp_array in, out;
    enum gpuprim_type sum; // SUM_TYPE of the kernels; 0 = 128 bits
    bool skip_nan;
    unsigned pairs;            // results per row
    int64_t out_row, out_pair; // elements between rows' results, between a row's two
};

// What a program is made for, besides operation and types.
struct special {
    unsigned work_group; // items per group to ask for
    unsigned number;     // SHAPE of the kernels: each shape's own
};

// How a piece of `rows` x `count` is laid out on the device.
struct layout {
    uint32_t sets, lanes; // rows that a group takes at once, items on each
    bool across;
    bool one_launch;       // the last group of a row folds its partials
    uint64_t slots, share; // parts of a row, elements of one
    uint64_t partials;     // of a row; with one only the result is written at once
    uint64_t groups;       // of the launch
    // gpu_columns (the words are kernels/reduce/gpu_columns.cl's)
    uint32_t block, blocks; // words of a line that a group takes, and how many times that is
    uint32_t glue;          // 1 << glue lines are seen as one
    bool glued;
    uint32_t tile; // gpu_tiles: rows that a group takes
};

// The functions of a variant; gp_variant's `ops`.
struct reduce_ops {
    void (*specialise)(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct special *out);
    // Cuts the rows of a piece into as many slots as fill the device, none too small to be
    // worth a group, and leaves at most `most` partials of a row. *out is zero before.
    void (*lay_out)(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *out);
};

// Partials of a launch, at most: with the counters 1 MiB.
enum { REDUCE_SCRATCH_BYTES = (1 << 20) - 4 * GP_MAX_COUNTERS };

extern const struct gp_primitive gp_primitive_reduce;

// gp_primitive's `describe`.
int gp_reduce_describe(gpuprim *gp, char *text, size_t size);

// The layout of a piece with at most `most` partials per row.
struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_variant *variant,
                               const struct gp_program *program, const struct gp_piece *piece,
                               uint64_t most);

// Runs a checked call from beginning to end.
int gp_reduce_run(gpuprim *gp, const struct reduction *r, const struct gpuprim_sync *sync);

// ---------------------------------------------------------------------------------------
// The variants

extern const struct gp_variant gp_reduce_cpu_short_rows, gp_reduce_cpu_rows,
    gp_reduce_cpu_columns, gp_reduce_gpu_columns, gp_reduce_gpu_tiles, gp_reduce_gpu_long_rows,
    gp_reduce_gpu_rows, gp_reduce_baseline;

// In the order in which they are asked.
enum { REDUCE_VARIANTS = 8 };
extern const struct gp_variant *const gp_reduce_variants[REDUCE_VARIANTS];

// The files of a program after common.cl: what all variants begin with, then the variant's own.
#define REDUCE_SOURCES(...)                                                                    \
    (const char *const[])                                                                      \
    {                                                                                          \
        "reduce/arguments.h", "reduce/lane.cl", "reduce/acc.cl", "reduce/result.cl",           \
            "reduce/reduce.cl", __VA_ARGS__, NULL                                              \
    }
#define REDUCE_VEC16_SOURCES                                                                   \
    REDUCE_SOURCES("reduce/vec16.cl", "reduce/dots.cl", "reduce/packs.cl", "reduce/gpu_rows.cl")

// ---------------------------------------------------------------------------------------
// layout.c: what variants share

// Asked for by name (GPUPRIM_VARIANT, or the tests), a variant takes whatever it can do, worth
// it or not.
bool gp_reduce_is_forced(const gpuprim *gp);

// Bytes of a partial result in scratch, at least those of the kernels' acc.
uint64_t gp_reduce_partial_bytes(const struct reduction *r);

// Cuts rows of `count` elements into at most `wanted` contiguous or interleaved slots of
// `multiple` elements or more, and at most `most`: sets slots, share and partials.
void gp_reduce_cut(struct layout *l, uint64_t count, uint64_t wanted, uint64_t multiple,
                   uint64_t most);

// The layout of kernels/reduce/gpu_rows.cl, where `lanes` items share a row.
void gp_reduce_lay_out_vec16(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, unsigned work_group,
                             unsigned lanes, const struct gp_piece *piece, uint64_t most,
                             struct layout *l);

#endif
