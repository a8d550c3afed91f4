/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method CELL_KEYS (kernels/classify/cell_keys.cl) for keys of 32 bits: cells
 * of equally many values, each with one key at most. search_index.c asks here on GPUs. */
#include "classify.h"

// A group copies the cells to local memory. So they are no more than are worth that. H200, driver
// 580.159.04, 2026-11-23, us by RADIX and by CELL_KEYS: f32, 202 log-spaced keys 153.6 139.4, 616
// keys 158.9 135.7, 572 keys and counts 98.7 90.4. More cells have not been measured.
enum { MOST_CELLS = 2048, MOST_SHIFT = 31 };

// A key's number among all values, as the kernel counts them: the bits of floats that are not
// negative, and integers.
static int64_t first_of_cell(int64_t key, unsigned shift)
{
    return key & -((int64_t)1 << shift);
}

// Whether no cell of 2^shift values has two keys.
static bool are_single(const int64_t *keys, uint32_t n, unsigned shift)
{
    for (uint32_t k = 1; k < n; k++)
        if (first_of_cell(keys[k], shift) == first_of_cell(keys[k - 1], shift))
            return false;
    return true;
}

bool gp_search_cells_have_keys(const struct gpuprim_classifier *c, const int64_t *keys,
                               uint32_t n, uint64_t room, struct search_index *index)
{
    if (gp_type_size(c->in) != 4 || n < 2 || (gp_type_is_float(c->in) && keys[0] < 0))
        return false;
    unsigned shift = MOST_SHIFT;
    while (shift > 0 && !are_single(keys, n, shift))
        shift--;
    const int64_t low = first_of_cell(keys[0], shift), end = first_of_cell(keys[n - 1], shift);
    const uint64_t cells = ((uint64_t)(end - low) >> shift) + 1;
    if (!are_single(keys, n, shift) || cells > MOST_CELLS || 2 * cells > room)
        return false;
    *index = (struct search_index){ .method = SEARCH_CELL_KEYS,
                                    .cells = (uint32_t)cells,
                                    .shift = shift,
                                    .low = (uint32_t)low,
                                    .scale = (uint32_t)(end + ((int64_t)1 << shift) - 1),
                                    .words = 2 * cells };
    return true;
}

void gp_search_write_cell_keys(const struct gpuprim_classifier *c, const int64_t *keys,
                               uint32_t n, const struct search_index *index, uint32_t *words)
{
    const int64_t low = first_of_cell(keys[0], index->shift);
    uint32_t before = 0;
    for (uint32_t cell = 0; cell < index->cells; cell++) {
        const int64_t first = low + ((int64_t)cell << index->shift);
        if (before < n && first_of_cell(keys[before], index->shift) == first) {
            gp_key_store(c->in, keys[before], words + 2 * cell);
            words[2 * cell + 1] = before++;
        } else if (gp_type_is_float(c->in)) { // x >= NaN is never true
            words[2 * cell] = 0x7fc00000;
            words[2 * cell + 1] = before;
        } else { // x >= the lowest value is always true
            gp_key_store(c->in, gp_ordinal_lowest(c->in), words + 2 * cell);
            words[2 * cell + 1] = before - 1;
        }
    }
}
