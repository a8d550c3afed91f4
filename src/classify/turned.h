/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: columns go by way of rows in scratch memory. run.c calls
 * gpu_turned.c. */
#ifndef GP_CLASSIFY_TURNED_H
#define GP_CLASSIFY_TURNED_H

#include "arguments.h"
#include "classify.h"
#include "src/core/transpose.h"

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

#endif
