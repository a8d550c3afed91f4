/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: cells for keys of each row's own on GPUs, the same for all rows
 * (kernels/classify/row_keys.cl). search.c asks here. */
#include "cells.h"

#include <stdlib.h>

// Halvings in the fullest cell of any row, and the most empty cells between two keys. Of many
// rows some are looked at: no result depends on these numbers, only time does.
static void measure_cells(struct cells *g, const struct classify_search *s)
{
    enum { LOOKED_AT = 64 };
    const uint64_t step = gp_ceil_div(s->rows, LOOKED_AT);
    uint32_t fullest = 0, most_empty = 0;
    for (uint64_t row = 0; row < s->rows; row += step) {
        const int64_t *keys = s->keys + row * s->pitch;
        uint32_t run = 0, last = 0;
        for (uint32_t k = 0; k <= s->row_keys[row]; k++) {
            const bool is_end = k == s->row_keys[row];
            const uint32_t cell = is_end ? g->index.cells : gp_cells_of(g, keys[k]);
            run = k && cell == last ? run + 1 : 1;
            fullest = run > fullest ? run : fullest;
            most_empty = cell - last > most_empty ? cell - last : most_empty;
            last = cell;
        }
    }
    for (g->index.levels = 0; fullest >> g->index.levels; g->index.levels++)
        ;
    g->index.most_empty = most_empty;
}

// The first and the last key of all rows. False: there is none.
static bool find_ends(const struct classify_search *s, int64_t ends[2])
{
    ends[0] = INT64_MAX;
    ends[1] = INT64_MIN;
    for (uint64_t row = 0; row < s->rows; row++) {
        const int64_t *keys = s->keys + row * s->pitch;
        const uint32_t n = s->row_keys[row];
        ends[0] = n && keys[0] < ends[0] ? keys[0] : ends[0];
        ends[1] = n && keys[n - 1] > ends[1] ? keys[n - 1] : ends[1];
    }
    return ends[0] <= ends[1];
}

int gp_search_row_cells(const struct gpuprim_classifier *c, const struct classify_search *s,
                        struct search_index *index, uint32_t **words)
{
    enum {
        LEAST_KEYS = 128,    // kernels/classify/row_keys.cl: 32 lost, 565 gained
        LEAST_LISTED = 1024, // keys of which the host lists those of each cell
        CELLS_OF_KEY = 4,
        MOST_CELLS = 1 << 16,
        MOST_WORDS = 1 << 24
    };
    const uint32_t most = CELLS_OF_KEY * c->n < MOST_CELLS ? CELLS_OF_KEY * c->n : MOST_CELLS;
    int64_t ends[2];
    *words = NULL;
    if (c->gp->caps.is_cpu || c->n < LEAST_KEYS || !find_ends(s, ends))
        return GPUPRIM_OK;
    struct cells g = { .c = c, .keys = ends, .n = 2 }, grid = g;
    gp_cells_set_radix(&g, most);
    measure_cells(&g, s);
    if (gp_cells_set_grid(&grid, most)) {
        measure_cells(&grid, s);
        g = grid.index.levels < g.index.levels ? grid : g;
    }
    *index = g.index;
    index->method = SEARCH_BINARY;
    index->is_grid = g.index.method == SEARCH_GRID;
    if (c->n < LEAST_LISTED || s->rows > MOST_WORDS / most)
        return GPUPRIM_OK;
    index->words = s->rows * index->cells;
    *words = malloc(index->words * sizeof **words);
    if (!*words)
        return gp_classify_no_memory();
    for (uint64_t row = 0; row < s->rows; row++) {
        const int64_t *keys = s->keys + row * s->pitch;
        uint32_t k = 0;
        for (uint32_t cell = 0; cell < index->cells; cell++) {
            const uint32_t first = k;
            while (k < s->row_keys[row] && gp_cells_of(&g, keys[k]) == cell)
                k++;
            (*words)[row * index->cells + cell] = k << 16 | first;
        }
    }
    return GPUPRIM_OK;
}
