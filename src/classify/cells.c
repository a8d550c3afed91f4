/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the cells of GRID and RADIX, computed as the kernels do (kernels/classify/cells.cl),
 * and how they lie in memory. search_index.c chooses among them, row_cells.c takes them for keys
 * of each row's own. */
#include "cells.h"

#include <float.h>
#include <string.h>

static uint64_t key_bits(const struct gpuprim_classifier *c, int64_t ordinal)
{
    uint64_t bits = 0;
    gp_key_store(c->in, ordinal, &bits);
    return bits;
}

// The cell of GRID. Each operation is rounded as the device rounds it (src/core/round.h).
static uint32_t grid_cell(const struct cells *g, uint64_t key)
{
    const size_t size = gp_key_size(g->c->in);
    const double low = gp_place_number(size, g->index.low),
                 scale = gp_place_number(size, g->index.scale);
    const double moved = gp_place_rounded(size, gp_place_number(size, key) - low);
    const double cell = gp_place_rounded(size, moved * scale), most = g->index.cells - 1;
    return (uint32_t)(cell < most ? cell > 0 ? cell : 0 : most);
}

// A key's number among all values of the type of keys, as RADIX subtracts them.
static uint64_t order_of(const struct gpuprim_classifier *c, uint64_t key, int64_t ordinal)
{
    if (!gp_type_is_float(c->in))
        return (uint64_t)ordinal;
    if (gp_key_size(c->in) == 8)
        return key >> 63 ? key ^ INT64_MAX : key;
    const int32_t bits = (int32_t)(uint32_t)key;
    return (uint64_t)(int64_t)(bits < 0 ? bits ^ INT32_MAX : bits);
}

uint32_t gp_cells_of(const struct cells *g, int64_t ordinal)
{
    const uint64_t key = key_bits(g->c, ordinal);
    if (g->index.method == SEARCH_GRID)
        return grid_cell(g, key);
    const uint64_t low = order_of(g->c, key_bits(g->c, g->keys[0]), g->keys[0]);
    const uint64_t cell = (order_of(g->c, key, ordinal) - low) >> g->index.shift;
    return (uint32_t)(cell < g->index.cells - 1 ? cell : g->index.cells - 1);
}

uint32_t gp_cells_fullest(const struct cells *g)
{
    uint32_t most = 0, run = 0, last = UINT32_MAX;
    for (uint32_t k = 0; k < g->n; k++) {
        const uint32_t cell = gp_cells_of(g, g->keys[k]);
        run = cell == last ? run + 1 : 1;
        last = cell;
        most = run > most ? run : most;
    }
    return most;
}

// ---------------------------------------------------------------------------------------
// The two kinds

bool gp_cells_set_grid(struct cells *g, uint32_t cells)
{
    const struct gpuprim_classifier *c = g->c;
    const int64_t first = g->keys[0], last = g->keys[g->n - 1];
    if (!gp_type_is_float(c->in) || first == gp_ordinal_lowest(c->in) ||
        last == gp_ordinal_highest(c->in))
        return false;
    const size_t size = gp_key_size(c->in);
    const uint64_t bits[2] = { key_bits(c, first), key_bits(c, last) };
    const double range = gp_place_number(size, bits[1]) - gp_place_number(size, bits[0]);
    const double scale = cells / range;
    g->index = (struct search_index){ .method = SEARCH_GRID,
                                      .cells = cells,
                                      .low = bits[0],
                                      .scale = gp_place_bits(size, scale) };
    return size == 8 ? scale > 0 && scale <= 0x1p1000 : range <= FLT_MAX && scale <= 0x1p100;
}

void gp_cells_set_radix(struct cells *g, uint32_t most_cells)
{
    const struct gpuprim_classifier *c = g->c;
    const int64_t first = g->keys[0], last = g->keys[g->n - 1];
    const uint64_t low = key_bits(c, first);
    const uint64_t range = order_of(c, key_bits(c, last), last) - order_of(c, low, first);
    g->index = (struct search_index){ .method = SEARCH_RADIX, .low = low };
    if (gp_type_is_float(c->in)) {
        g->index.low = order_of(c, low, first);
        if (gp_key_size(c->in) == 4)
            g->index.low &= UINT32_MAX;
    }
    while (range >> g->index.shift >= most_cells)
        g->index.shift++;
    g->index.cells = (uint32_t)(range >> g->index.shift) + 1;
}

// ---------------------------------------------------------------------------------------
// Their tables

// CPUs gather a cell's start and the key of its first halving as one number of 64 bits.
static bool has_pairs(const struct cells *g)
{
    return g->c->gp->caps.is_cpu && gp_key_size(g->c->in) == 4;
}

// Words of keys and starts; an even number where pairs follow.
static uint64_t words_before_pairs(const struct cells *g)
{
    const uint64_t keys = g->n + ((uint64_t)1 << g->index.levels) - 1;
    const uint64_t words = keys * (gp_key_size(g->c->in) / 4) + (g->index.cells + 1) / 2;
    return words + (has_pairs(g) ? words % 2 : 0);
}

uint64_t gp_cells_words(const struct cells *g)
{
    return words_before_pairs(g) + (has_pairs(g) ? 2 * (uint64_t)g->index.cells : 0);
}

void gp_cells_write(const struct cells *g, char *to)
{
    const size_t size = gp_key_size(g->c->in);
    const uint32_t padded = g->n + (1u << g->index.levels) - 1;
    for (uint32_t k = 0; k < padded; k++)
        gp_key_store(g->c->in, k < g->n ? g->keys[k] : gp_ordinal_highest(g->c->in),
                     to + k * size);
    char *starts = to + padded * size, *pairs = to + 4 * words_before_pairs(g);
    uint32_t before = 0;
    for (uint32_t cell = 0; cell < g->index.cells; cell++) {
        while (before < g->n && gp_cells_of(g, g->keys[before]) < cell)
            before++;
        const uint16_t start = (uint16_t)before;
        memcpy(starts + cell * sizeof start, &start, sizeof start);
        if (has_pairs(g)) {
            uint32_t key;
            memcpy(&key, to + (before + (1u << g->index.levels) / 2 - 1) * size, sizeof key);
            const uint64_t pair = (uint64_t)before << 32 | key;
            memcpy(pairs + cell * sizeof pair, &pair, sizeof pair);
        }
    }
}
