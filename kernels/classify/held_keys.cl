// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: the search among the few keys of a row that an item has in registers, because
// all its elements are of that row. Each comparison leaves half of the keys, by a selection each.
// src/classify/tile_rows.c has figures.
//
//     held    k0 k1 k2 k3 k4 k5 k6      x < k3: k0 k1 k2 are left, else k4 k5 k6
//
// Per element: LEVELS comparisons, and 2^LEVELS - LEVELS - 1 selections.
//
// Macros  KEYS_HELD, HELD_KEYS, LEVELS: row_keys.cl
//
// Defines place_of(), where KEYS_HELD is 1

#if KEYS_HELD
// Both keys of a choice are read before it. Otherwise compilers keep `left` in memory.
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    KEY_T left[HELD_KEYS];
    uint p = 0;
    #pragma unroll
    for (uint i = 0; i < HELD_KEYS; i++)
        left[i] = k->held[i];
    #pragma unroll
    for (uint below = HELD_KEYS / 2, level = 0; level < LEVELS; level++, below /= 2) {
        const bool is_above = !(x < left[below]);
        p += p + is_above;
        #pragma unroll
        for (uint i = 0; i < below; i++) {
            const KEY_T lower = left[i], upper = left[below + 1 + i];
            left[i] = is_above ? upper : lower;
        }
    }
    return min(p, k->n);
}
#endif
