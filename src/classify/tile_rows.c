/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_tiles of classify: what a group has in local memory for each row of its tiles: counters
 * of its own, its own keys, with starts of cells if there is room, or the places of all values
 * (kernels/classify/row_keys.cl). gpu_tiles.c asks here. */
#include "tiles.h"

uint64_t gp_tiles_sector_rows(const struct classification *c)
{
    enum { SECTOR = 32, SECTORS = 64 }; // bytes
    return gp_min(c->in.rows, (c->in.size == 8 ? SECTORS : SECTOR) / c->in.size);
}

// H200, driver 580.159.04, 2026-12-01, us of counters of 32 bits and so: f16, 1683 counts of each of 632
// columns 727, 535; u16, 2630 of each of 12 644 920, 632; f16, 1004 and labels of 240 pitched columns
// 1180, 1072. Elements of 4 and 8 bytes were not measured.
bool gp_tiles_count_in_shorts(const struct classification *c)
{
    const uint64_t bytes =
        gp_tiles_sector_rows(c) * ROW_COUNTERS(c->classifier->labels) * sizeof(cl_uint);
    return gp_classify_has_row_counts(c) && gp_classify_is_by_columns(&c->in) &&
           bytes + gp_tiles_turned_bytes(c, gp_tiles_items(c)) + sizeof(cl_ulong) >
               gp_classify_local_room(c->classifier->gp);
}

uint64_t gp_tiles_counter_bytes(const struct classification *c)
{
    const uint64_t labels = c->classifier->labels;
    if (!gp_classify_has_row_counts(c))
        return 0;
    return sizeof(cl_uint) *
           (gp_tiles_count_in_shorts(c) ? SHORT_ROW_COUNTERS(labels) : ROW_COUNTERS(labels));
}

uint64_t gp_tiles_least_rows(const struct classification *c)
{
    const uint64_t least = gp_classify_is_by_columns(&c->in) ? 8 / c->in.size : 2;
    return gp_min(c->in.rows, least ? least : 1);
}

// Whether rows or columns that become the other lie so near each other that gpu_words, which takes
// them row by row, moves each sector of memory for a few rows alone. H100, driver 580.159.04,
// 2026-11-27: 6 channels of 30 486 919 f16 to rows of labels, 15 666 counts of each, took 43 ms by
// additions in global memory, 0.54 ms by gpu_words.
bool gp_tiles_are_near(const struct classification *c)
{
    enum { NEAR = 64 };
    const uint64_t in = gp_abs(c->in.stride) * c->in.size;
    const uint64_t labels = c->has_labels ? gp_abs(c->labels.stride) * c->labels.size : 0;
    return in <= NEAR && labels <= NEAR;
}

// The places of values in local memory, or keys, if there is room for enough rows; else the
// cells that the host has listed.
static struct tiles_rows choose_keys(const struct classification *c, uint64_t room)
{
    const uint64_t keys = gp_tiles_own_key_bytes(c), places = gp_tiles_place_bytes(c),
                   least = gp_tiles_least_rows(c);
    if (places && places * least <= room)
        return (struct tiles_rows){ .cells = CELLS_OF_VALUES, .bytes = places };
    if (keys && keys * least <= room)
        return (struct tiles_rows){ .keys = true, .bytes = keys };
    return (struct tiles_rows){ .cells =
                                    keys && c->classifier->index.words ? CELLS_GLOBAL : 0 };
}

void gp_tiles_choose_rows(const struct classification *c, uint64_t room,
                          struct tiles_rows *parts)
{
    const uint64_t of_counters = gp_tiles_counter_bytes(c), least = gp_tiles_least_rows(c);
    struct classify_choice *t = c->choice;
    *parts = choose_keys(c, room);
    parts->counters = of_counters && (of_counters + parts->bytes) * least <= room;
    t->row_bytes = parts->bytes + (parts->counters ? of_counters : 0);
    t->tile_rows = t->row_bytes ? room / t->row_bytes : UINT32_MAX;
    // Leaves room for the counters of all rows, but keeps the rows that are worth a tile. H200,
    // driver 580.159.04, 2026-11-28, f32, 3799 keys of each of 284 columns, u16 labels in rows,
    // 3800 counts of all, us by one row and by two: 1831, 1264.
    if (parts->bytes && !parts->counters && c->has_counts && !c->counts_rows) {
        const uint64_t half = room / 2 / t->row_bytes;
        t->tile_rows = half > least ? half : least;
    }
}

void gp_tiles_add_starts(const struct classification *c, uint64_t room,
                         struct tiles_rows *parts)
{
    struct classify_choice *t = c->choice;
    // Lines of rows with keys are full.
    const uint64_t wide = gp_classify_is_by_columns(&c->in) ? gp_tiles_full_line(c)
                                                            : TILE_LINE_ITEMS,
                   rows = gp_min(gp_min(t->tile_rows, c->in.rows), wide),
                   taken = rows * t->row_bytes + t->counters.bytes;
    if (!parts->keys || t->line_rows || taken >= room)
        return;
    const uint64_t bytes = gp_classify_choose_starts(c, (room - taken) / rows, &parts->merge);
    if (!bytes)
        return;
    parts->cells = CELLS_LOCAL;
    t->row_bytes += bytes;
    t->tile_rows = rows;
}
