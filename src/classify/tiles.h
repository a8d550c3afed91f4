/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the variant gpu_tiles of classify share: gpu_tiles.c, tile_cut.c,
 * tile_items.c, tile_keys.c, tile_rows.c. */
#ifndef GP_CLASSIFY_TILES_H
#define GP_CLASSIFY_TILES_H

#include "classify.h"

// tile_items.c has the figures.
enum {
    TILE_LINE = 128,      // bytes of the input that a tile has along it
    TILE_LINE_ITEMS = 64, // and elements, at most
    TILE_MANY = 16000,    // bytes of counters of a group
    TILE_SMALL = 8192,    // bytes of local memory that take little time to fill and to empty
    TILE_WORD_COUNTS = 4, // of a column, that an item has in a word
    TILE_ITEM_COUNTS = 8, // and at most
};

// What columns gpu_turned may make rows of.
enum {
    TURNED_ROWS = 4, // of a sector of memory, at least
    // Bytes from element to element of a column. H200, driver 580.159.04, 2026-11-29, f32, 2349 counts of
    // each of 7 columns, 28 bytes, us by gpu_tiles and by gpu_turned: 3260 2327. H100, 2026-11-27, by older
    // kernels, f16, 47 822 counts of each of 14 columns, 28 bytes, us by gpu_words and by gpu_turned: 560 590.
    TURNED_APART = 24,
    TURNED_ELEMENTS = 1 << 22, // not measured
};
static inline bool gp_may_turn_columns(const struct classification *c)
{
    return c->in.rows >= TURNED_ROWS && gp_abs(c->in.stride) * c->in.size >= TURNED_APART &&
           c->in.rows * c->in.count >= TURNED_ELEMENTS;
}

// The most elements of the input that a tile has along it.
static inline uint64_t gp_tiles_full_line(const struct classification *c)
{
    return gp_min(TILE_LINE / c->in.size, TILE_LINE_ITEMS);
}
// As many elements, or half as many where that takes less time (tile_items.c).
uint64_t gp_tiles_line(const struct classification *c);

// Whether labels have other neighbours than the input.
bool gp_tiles_are_turned(const struct classification *c);

// Whether the next tile's elements are loaded while this one's are labelled.
bool gp_tiles_load_ahead(const struct classification *c);

// Elements that an item has in flight.
unsigned gp_tiles_items(const struct classification *c);

// Items of a group.
unsigned gp_tiles_work_group(const struct classification *c);

// How often an item takes so many elements of a tile, at most.
unsigned gp_tiles_passes(const struct classification *c, unsigned items);

// Local memory of a tile's labels, where they are turned.
uint64_t gp_tiles_turned_bytes(const struct classification *c, unsigned items);

// Whether a group's tiles have the same rows.
bool gp_tiles_are_of_rows(const struct classification *c);

// tile_rows.c: rows of a tile that are worth it: a quarter of a sector of memory, or some rows
// for an item; columns that share a sector of memory, or two of 8-byte elements; bytes of a row's own counters.
uint64_t gp_tiles_least_rows(const struct classification *c);
uint64_t gp_tiles_sector_rows(const struct classification *c);
uint64_t gp_tiles_counter_bytes(const struct classification *c);

// tile_keys.c: bytes of a row's own keys; of the places of all values, 0 where these are not worth it; of the
// places, or else of the keys.
uint64_t gp_tiles_own_key_bytes(const struct classification *c);
uint64_t gp_tiles_place_bytes(const struct classification *c);
uint64_t gp_tiles_key_bytes(const struct classification *c);

// tile_rows.c: whether a row's own counters have 16 bits, because local memory has no room for 32 of
// each of the columns of a sector.
bool gp_tiles_count_in_shorts(const struct classification *c);

// tile_keys.c: whether an item has registers for the keys of its row, which is that of all its
// elements of a tile.
bool gp_tiles_hold_keys(const struct classification *c);

// tile_rows.c: whether rows, or columns that become rows, lie so near each other that sectors of
// memory have several of them.
bool gp_tiles_are_near(const struct classification *c);

// What a group has of each of its rows in local memory.
struct tiles_rows {
    bool counters, keys;
    unsigned cells, merge; // ROW_CELLS and CELL_MERGE of kernels/classify/row_keys.cl
    uint64_t bytes;        // of keys or places of values
};

// Chooses these, and sets row_bytes and tile_rows of c->choice. A group has so many bytes for
// its rows, and for the counters of all rows, where it has such.
void gp_tiles_choose_rows(const struct classification *c, uint64_t room,
                          struct tiles_rows *parts);

// tile_cut.c, called then: lays keys and counters of columns side by side, where there is room for
// a line of them, without cells and counters of 16 bits. A tile of counters may get narrower. Sets
// line_rows, tile_rows and row_bytes of c->choice.
void gp_tiles_line_up(const struct classification *c, struct tiles_rows *parts);

// Called after c->choice->counters is chosen: adds starts of cells, if there is room left.
void gp_tiles_add_starts(const struct classification *c, uint64_t room,
                         struct tiles_rows *parts);

// Tiles of a call or of a piece of it: how many items lie side by side along one, its size, and
// how many there are.
struct tiles_cut {
    uint64_t items, width, depth, along, across;
};

// tile_cut.c: cuts for groups of so many items. c->choice has `items` and what local memory has of
// rows.
struct tiles_cut gp_tiles_cut(const struct classification *c, uint64_t work_group,
                              uint64_t rows, uint64_t count);

// tile_cut.c: local memory that tiles leave to their rows, and to the counters of all rows, beside
// labels on their way and *table_bytes of tables. An item has so many elements in flight.
uint64_t gp_tiles_room(const gpuprim *gp, const struct classification *c, unsigned items,
                       uint64_t *table_bytes);

// tile_cut.c: rows of a tile at most, by what a group has of each in local memory. 0: rows have
// counters that have no room there.
uint64_t gp_tiles_rows(const gpuprim *gp, const struct classification *c);

// Words of local memory of a line of so many labels: an odd number.
uint64_t gp_tiles_label_words(const struct classification *c, uint64_t depth);

// gpu_tiles.c: counters that a group has for all rows together, beside tables and labels on their
// way.
struct classify_counters gp_tiles_counters(const gpuprim *gp, const struct classification *c);

// The macro TURNED of the kernel.
unsigned gp_tiles_turned(const struct classification *c, unsigned items);

#endif
