/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: columns go by way of rows in scratch memory. run.c calls
 * gpu_turned.c, which uses turn.c. */
#ifndef GP_CLASSIFY_TURNED_H
#define GP_CLASSIFY_TURNED_H

#include "arguments.h"
#include "classify.h"

// ---------------------------------------------------------------------------------------
// gpu_turned.c

// Whether columns are brought to rows before each launch.
static inline bool gp_classify_turns(const struct gp_variant *variant)
{
    return variant == &gp_classify_gpu_turned;
}

// Makes a piece small enough for the scratch memory in which its columns become rows.
void gp_turned_limit(const gpuprim *gp, const struct classification *c, struct gp_piece *piece);

// The type of the labels that gpu_words writes.
enum gpuprim_type gp_turned_label_type(const gpuprim *gp, const struct classification *c);

// Launches what classifies a piece: columns to rows, rows by gpu_words, and labels to columns.
int gp_turned_launch(struct classify_run *run, const struct gp_piece *piece,
                     const struct gp_bound *in, const struct gp_bound *labels, bool last);

// Builds what brings columns to rows, and labels to columns, where the call's arrays are of these
// kinds. The other gives the kinds that are left to gpu_words.
int gp_turned_build(gpuprim *gp, const struct classification *c, unsigned kinds);
unsigned gp_turned_kinds(const gpuprim *gp, const struct classification *c, unsigned kinds);

// ---------------------------------------------------------------------------------------
// turn.c

enum { TURN_LOCAL_BYTES = 17408 }; // that a tile takes, at most

// What a program of kernels/classify/turn.cl follows from: bytes of an element in rows and in
// columns, the tile, whether rows become columns, and whether all bits one mean no label.
struct turn {
    unsigned size, column_size, rows, count;
    bool to_columns, rejects;
};

// What brings so many columns of elements of so many bytes to rows.
struct turn gp_turn_of(uint64_t columns, size_t size);

int gp_turn_launch(struct classify_run *run, const struct turn *turn,
                   const struct gp_argument *from, const struct gp_argument *to,
                   const struct turn_arguments *arguments, bool last);
// `kind`: of the caller's array.
int gp_turn_build(gpuprim *gp, const struct turn *turn, unsigned kind);

#endif
