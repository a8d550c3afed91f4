/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: cells that might be taken to search ascending keys: GRID or RADIX. */
#ifndef GP_CLASSIFY_CELLS_H
#define GP_CLASSIFY_CELLS_H

#include "classifier.h"

struct cells {
    struct search_index index; // gp_cells_set_...() writes it
    const struct gpuprim_classifier *c;
    const int64_t *keys; // ascending, as ordinals
    uint32_t n;
};

// GRID: cells of equal width. False where the range is not finite, empty or too small to be
// divided.
bool gp_cells_set_grid(struct cells *g, uint32_t cells);

// RADIX: cells of 2^shift values, at most `most_cells`.
void gp_cells_set_radix(struct cells *g, uint32_t most_cells);

// The cell of a value.
uint32_t gp_cells_of(const struct cells *g, int64_t ordinal);

// How many keys the fullest cell has.
uint32_t gp_cells_fullest(const struct cells *g);

// The size of the tables, in words of 4 bytes, with index.levels halvings in a cell.
uint64_t gp_cells_words(const struct cells *g);

// Writes the tables.
void gp_cells_write(const struct cells *g, char *to);

#endif
