/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: columns, or labels, go by way of rows in scratch memory. run.c and plan.c
 * call gpu_turned.c and turned_pieces.c. */
#ifndef GP_CLASSIFY_TURNED_H
#define GP_CLASSIFY_TURNED_H

#include "arguments.h"
#include "classify.h"
#include "src/core/transpose.h"

// Whether columns become rows before a launch, or rows of labels columns behind it.
static inline bool gp_classify_turns(const struct gp_variant *variant)
{
    return variant == &gp_classify_gpu_turned;
}

// ---------------------------------------------------------------------------------------
// gpu_turned.c

// Whether the input is brought to rows of scratch memory, and whether labels are written to such and
// brought to columns. gpu_words reads and writes all else where it lies.
bool gp_turned_has_input(const struct classification *c);
bool gp_turned_has_labels(const gpuprim *gp, const struct classification *c);

// The type of the labels that gpu_words writes.
enum gpuprim_type gp_turned_label_type(const gpuprim *gp, const struct classification *c);

// Bytes from column to column: of the input, where it is brought to rows, else of the labels.
uint64_t gp_turned_apart(const struct classification *c);

// ---------------------------------------------------------------------------------------
// turned_pieces.c

// Makes a piece small enough for the scratch memory through which it goes.
void gp_turned_limit(const gpuprim *gp, const struct classification *c, struct gp_piece *piece);

// Launches what classifies a piece: columns to rows, rows by gpu_words, and labels to columns.
int gp_turned_launch(struct classify_run *run, const struct gp_piece *piece,
                     const struct gp_bound *in, const struct gp_bound *labels, bool last);

// Builds what brings columns to rows, and labels to columns, where the call's arrays are of these
// kinds. The other gives the kinds that are left to gpu_words.
int gp_turned_build(gpuprim *gp, const struct classification *c, unsigned kinds);
unsigned gp_turned_kinds(const gpuprim *gp, const struct classification *c, unsigned kinds);

#endif
