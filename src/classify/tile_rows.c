/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_tiles of classify: what a group has in local memory for each row of its tiles: counters
 * of its own, its own keys, with starts of cells if there is room, or the places of all values
 * (kernels/classify/row_keys.cl). gpu_tiles.c asks here. */
#include "tiles.h"

enum {
    // Keys of a row of bytes, and its elements, from which on the places of all values are
    // worth it. H200, driver 580.159.04, 2026-11-29, u8, 112 keys of each of 28 809 columns of
    // 6675, to rows of u8, us by the keys and by places: 480 340. The limits were not measured.
    LEAST_KEYS = 4,
    LEAST_COUNT = 1024,
    VALUES = 256,
};

// H200, driver 580.159.04, 2026-12-01, us of counters of 32 bits and so: f16, 1683 counts of each of 632
// columns 727, 535; u16, 2630 of each of 12 644 920, 632; f16, 1004 and labels of 240 pitched columns
// 1180, 1072.
bool gp_tiles_count_in_shorts(const struct classification *c)
{
    enum { SECTOR = 32 };
    const uint64_t labels = c->classifier->labels,
                   rows = gp_min(c->in.rows, SECTOR / c->in.size);
    return gp_classify_has_row_counts(c) && gp_classify_is_by_columns(&c->in) &&
           rows * ROW_COUNTERS(labels) * sizeof(cl_uint) >
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

// Whether the places of all values of 8 bits are worth it.
static bool is_worth_places(const struct classification *c)
{
    const uint32_t n = c->classifier->n;
    return gp_classify_has_row_keys(c) && c->in.size == 1 && n >= LEAST_KEYS &&
           n <= UINT8_MAX && c->in.count >= LEAST_COUNT;
}

static uint64_t bytes_of_places(void)
{
    return ROW_WORDS(0, VALUES, 1, sizeof(cl_uint)) * sizeof(cl_uint);
}

static uint64_t bytes_of_keys(const struct classification *c)
{
    return gp_classify_has_row_keys(c) ? (c->classifier->n | 1) * gp_key_size(c->in.type) : 0;
}

// H200, driver 580.159.04, 2026-11-30, columns with keys of each, us by keys in local memory and by
// keys that items hold. Labels of u8: u8, 1 key 1223, 889; 16 bits, 4 keys 1316, 1332, 5 keys 1370,
// 1411, 11 keys 1292, 1360. Counts: i8, 1 key, of all 494, 428; u32, 1 key, 2 counts of each 696,
// 687. An item that holds keys takes 8 elements of 4 bytes instead of 4. The same with that: f32, 7
// keys 569, 506; i32, 6 keys 465, 451; f32, 1 key, to rows 619, 586; f32, 8 keys, counts of all 519,
// 499; u32, 5 keys, labels and counts of all 597, 594. With 16 elements these five took 577, 438,
// 762, 478, 489. Up to 3 keys of 16 bits, 2 and 3 of 8, and elements of 8 bytes were not measured.
bool gp_tiles_hold_keys(const struct classification *c)
{
    enum { MOST_LEVELS = 2, MOST_LEVELS_OF_WORDS = 4 };
    return gp_classify_has_row_keys(c) && c->classifier->n &&
           gp_classify_is_by_columns(&c->in) &&
           gp_classify_levels(c->classifier->n) <=
               (c->in.size == 4 ? MOST_LEVELS_OF_WORDS : MOST_LEVELS);
}

uint64_t gp_tiles_key_bytes(const struct classification *c)
{
    return is_worth_places(c) ? bytes_of_places() : bytes_of_keys(c);
}

// The places of values in local memory, or keys, if there is room for enough rows; else the
// cells that the host has listed.
static struct tiles_rows choose_keys(const struct classification *c, uint64_t room)
{
    const uint64_t keys = bytes_of_keys(c), least = gp_tiles_least_rows(c);
    if (is_worth_places(c) && bytes_of_places() * least <= room)
        return (struct tiles_rows){ .cells = CELLS_OF_VALUES, .bytes = bytes_of_places() };
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
