/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the variant gpu_tiles of classify share: gpu_tiles.c, tile_items.c. */
#ifndef GP_CLASSIFY_TILES_H
#define GP_CLASSIFY_TILES_H

#include "classify.h"

// tile_items.c has the figures.
enum {
    TILE_LINE = 128,      // bytes of the input that a tile has along it
    TILE_LINE_ITEMS = 64, // and elements, at most
    TILE_MANY = 16000,    // bytes of counters of a group
};

// Whether labels have other neighbours than the input.
bool gp_tiles_are_turned(const struct classification *c);

// Elements that an item has in flight.
unsigned gp_tiles_items(const struct classification *c);

// Items of a group.
unsigned gp_tiles_work_group(const struct classification *c);

// Local memory of a tile's labels, where they are turned.
uint64_t gp_tiles_turned_bytes(const struct classification *c, unsigned items);

// The macro TURNED of the kernel.
unsigned gp_tiles_turned(const struct classification *c, unsigned items);

#endif
