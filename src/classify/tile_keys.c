/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_tiles of classify: what a row's own keys take in local memory, or the places of all values instead
 * (kernels/classify/row_keys.cl), and which keys an item holds in registers. tile_items.c and tile_rows.c ask
 * here. */
#include "tiles.h"

enum {
    // Keys of a row of bytes, and its elements, from which on the places of all values are
    // worth it. H200, driver 580.159.04, 2026-11-29, u8, 112 keys of each of 28 809 columns of
    // 6675, to rows of u8, us by the keys and by places: 480 340. The limits were not measured.
    LEAST_KEYS = 4,
    LEAST_COUNT = 1024,
    VALUES = 256,
};

// Whether the places of all values of 8 bits are worth it.
static bool is_worth_places(const struct classification *c)
{
    const uint32_t n = c->classifier->n;
    return gp_classify_has_row_keys(c) && c->in.size == 1 && n >= LEAST_KEYS &&
           n <= UINT8_MAX && c->in.count >= LEAST_COUNT;
}

uint64_t gp_tiles_place_bytes(const struct classification *c)
{
    return is_worth_places(c) ? ROW_WORDS(0, VALUES, 1, sizeof(cl_uint)) * sizeof(cl_uint) : 0;
}

uint64_t gp_tiles_own_key_bytes(const struct classification *c)
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
    const uint64_t places = gp_tiles_place_bytes(c);
    return places ? places : gp_tiles_own_key_bytes(c);
}
