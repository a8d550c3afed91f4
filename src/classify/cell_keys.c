/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method CELL_KEYS (kernels/classify/cell_keys.cl) for keys of 32 bits:
 * cells of equally many values, or of integers by powers of two, each with one key at most.
 * search_index.c asks here on GPUs. */
#include "classifier.h"

// A group copies the cells to local memory. So they are no more than are worth that. H200, driver
// 580.159.04, 2026-11-23, us by RADIX and by CELL_KEYS: f32, 202 log-spaced keys 153.6 139.4, 616
// keys 158.9 135.7, 572 keys and counts 98.7 90.4. More cells have not been measured.
enum { MOST_CELLS = 2048, MOST_SHIFT = 31 };

enum { BITS_OF_ONE = 0x3f800000 };

// A key's coordinate, as the kernel has it (kernels/classify/cell_keys.cl): the bits of floats that
// are not negative, and integers; or with `by_floats` the bits of the f32 nearest to an integer's
// distance from the first key, but at least those of 1.
static int64_t coordinate_of(const int64_t *keys, uint32_t k, bool by_floats)
{
    if (!by_floats)
        return keys[k];
    const int64_t bits = gp_f32_bits((double)(keys[k] - keys[0]));
    return bits < BITS_OF_ONE ? BITS_OF_ONE : bits;
}

static int64_t first_of_cell(int64_t coordinate, unsigned shift)
{
    return coordinate & -((int64_t)1 << shift);
}

// Whether no cell of 2^shift coordinates has two keys.
static bool are_single(const int64_t *keys, uint32_t n, unsigned shift, bool by_floats)
{
    for (uint32_t k = 1; k < n; k++)
        if (first_of_cell(coordinate_of(keys, k, by_floats), shift) ==
            first_of_cell(coordinate_of(keys, k - 1, by_floats), shift))
            return false;
    return true;
}

static bool have_keys(const int64_t *keys, uint32_t n, uint64_t room, bool by_floats,
                      struct search_index *index)
{
    unsigned shift = MOST_SHIFT;
    while (shift > 0 && !are_single(keys, n, shift, by_floats))
        shift--;
    const int64_t low = first_of_cell(coordinate_of(keys, 0, by_floats), shift),
                  end = first_of_cell(coordinate_of(keys, n - 1, by_floats), shift);
    const uint64_t cells = ((uint64_t)(end - low) >> shift) + 1;
    if (!are_single(keys, n, shift, by_floats) || cells > MOST_CELLS || 2 * cells > room)
        return false;
    *index = (struct search_index){ .method = SEARCH_CELL_KEYS,
                                    .levels = by_floats,
                                    .cells = (uint32_t)cells,
                                    .shift = shift,
                                    .low = (uint32_t)low,
                                    .scale = (uint32_t)(end + ((int64_t)1 << shift) - 1),
                                    .slack = (uint32_t)keys[0],
                                    .words = 2 * cells };
    return true;
}

bool gp_search_cells_have_keys(const struct gpuprim_classifier *c, const int64_t *keys,
                               uint32_t n, uint64_t room, struct search_index *index)
{
    const bool is_float = gp_type_is_float(c->in);
    if (gp_type_size(c->in) != 4 || n < 2 || (is_float && keys[0] < 0))
        return false;
    return have_keys(keys, n, room, false, index) ||
           (!is_float && have_keys(keys, n, room, true, index));
}

void gp_search_write_cell_keys(const struct gpuprim_classifier *c, const int64_t *keys,
                               uint32_t n, const struct search_index *index, uint32_t *words)
{
    const bool by_floats = index->levels;
    const int64_t low = first_of_cell(coordinate_of(keys, 0, by_floats), index->shift);
    uint32_t before = 0;
    for (uint32_t cell = 0; cell < index->cells; cell++) {
        const int64_t first = low + ((int64_t)cell << index->shift);
        if (before < n &&
            first_of_cell(coordinate_of(keys, before, by_floats), index->shift) == first) {
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
