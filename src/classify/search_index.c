/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: chooses the search method for a row of keys and makes its tables, the search index.
 * search.c calls this file. kernels/classify/search.cl describes the search methods and how
 * their tables lie in memory.
 *
 * Cost is counted in reads that wait for one another. INTERPOLATE needs none or one, TREE one
 * for each level, GRID and RADIX one for the cell and one for each halving within it. Those are
 * few where keys are spread about evenly, by their values (GRID) or as powers are (RADIX). */
#include "cells.h"

#include <stdlib.h>

// So many keys, at most, are compared one by one. A CPU has 16 in a vector. On a GPU a
// comparison takes two operations, of the about thirty that an element has time for beside a
// copy. INTERPOLATE takes eight operations for any number of keys (H200, driver 580.159,
// 2026-11-21, 2^28 of f32 to u8: 7 keys compared 838 Gelem/s, 255 keys by INTERPOLATE 852; with
// counts 795 and 807). CHEAPER_THAN_INTERPOLATE follows from that count of operations and was
// not measured.
enum { COMPARED_ON_CPU = 15, COMPARED_ON_GPU = 7, CHEAPER_THAN_INTERPOLATE = 4 };

// Fewer keys than RANK is for; and PIECEWISE takes keys for which the others need more reads than
// this, or more than local memory. H200, driver 580.159, 2026-11-22, labels, Gelem/s before and
// by these two (docs/measurements/classify.md has more):
//     u16, 5 and 63 even keys      - and 1050 -> 1309, 1310; 1023 even 732 -> 959
//     f32, 4095 powers             RADIX with 3 reads 511 -> 448
//     f32, 4095 fourth powers      RADIX with more 377 -> 477
//     i32, 63 powers               TREE with 4 reads 476 -> 541
enum { FEWER_THAN_RANK = 4, MOST_READS = 3 };

// Takes g where it needs fewer halvings than the best so far, and its tables fit into the room.
static void consider(struct cells *g, uint64_t room, struct search_index *best)
{
    const uint32_t keys = gp_cells_fullest(g);
    while (keys >> g->index.levels)
        g->index.levels++;
    g->index.words = gp_cells_words(g);
    if (g->index.words <= room && (!best->method || g->index.levels < best->levels))
        *best = g->index;
}

// Writes 2^levels nodes. Node i, on level l, is key (2 (i - 2^l) + 1) 2^(levels-1-l) - 1.
static void write_tree(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                       unsigned levels, char *to)
{
    const size_t size = gp_key_size(c->in);
    const int64_t highest = gp_ordinal_highest(c->in);
    for (unsigned level = 0; level < levels; level++)
        for (uint32_t i = 0; i < (uint32_t)1 << level; i++) {
            const uint32_t k = ((2 * i + 1) << (levels - 1 - level)) - 1;
            const uint32_t node = ((uint32_t)1 << level) + i;
            gp_key_store(c->in, k < n ? keys[k] : highest, to + node * size);
        }
}

static unsigned tree_levels(uint32_t n)
{
    unsigned levels = 0;
    while (n >> levels)
        levels++;
    return levels;
}

static struct search_index choose(struct cells *g, uint64_t room)
{
    enum { LEAST_CELLS = 64, MOST_CELLS = 1 << 16 };
    const unsigned key_words = (unsigned)gp_key_size(g->c->in) / 4;
    const bool is_cpu = g->c->gp->caps.is_cpu;
    struct search_index best = { 0 };
    if (g->n > (is_cpu ? COMPARED_ON_CPU : CHEAPER_THAN_INTERPOLATE) &&
        gp_search_interpolates(g->c, g->keys, g->n, &best))
        return best;
    if (g->n <= (is_cpu ? COMPARED_ON_CPU : COMPARED_ON_GPU))
        return (struct search_index){ .method = SEARCH_COMPARE_ALL,
                                      .words = (uint64_t)g->n * key_words };
    if (!is_cpu && gp_search_cells_have_keys(g->c, g->keys, g->n, room, &best))
        return best;
    const bool fits16 = g->n <= UINT16_MAX; // starts have 16 bits
    for (uint32_t cells = LEAST_CELLS; fits16 && cells <= MOST_CELLS; cells *= 2) {
        if (gp_cells_set_grid(g, cells))
            consider(g, room, &best);
        gp_cells_set_radix(g, cells);
        consider(g, room, &best);
    }
    const unsigned levels = tree_levels(g->n);
    // Cells cost two steps more: to compute the cell, and to read where it starts.
    if (best.method && best.levels + 2 < levels)
        return best;
    return (struct search_index){ .method = SEARCH_TREE,
                                  .levels = levels,
                                  .words = ((uint64_t)1 << levels) * key_words };
}

// Reads of the tables that wait for one another.
static unsigned reads_of(const struct search_index *index)
{
    switch (index->method) {
    case SEARCH_TREE:
        return index->levels - 2;
    case SEARCH_GRID:
    case SEARCH_RADIX:
        return index->levels + 1;
    default:
        return 1;
    }
}

int gp_search_index(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                    uint64_t room, struct search_index *index, uint32_t **words)
{
    struct cells g = { .c = c, .keys = keys, .n = n };
    const bool is_cpu = c->gp->caps.is_cpu;
    *words = NULL;
    if (is_cpu || n <= FEWER_THAN_RANK || !gp_search_ranks(c, keys, n, index)) {
        *index = choose(&g, room);
        // The keys of INTERPOLATE may stay in global memory: few elements look at one.
        const bool has_room = index->words <= room || index->method == SEARCH_INTERPOLATE;
        if (!is_cpu && (reads_of(index) > MOST_READS || !has_room) &&
            gp_search_pieces(c, keys, n, room, index, words))
            return GPUPRIM_OK;
        if (index->words > room)
            *index = choose(&g, UINT64_MAX);
    }
    g.index = *index;
    *words = calloc(index->words + 1, sizeof **words); // there may be none
    if (!*words)
        return gp_classify_no_memory();
    char *to = (char *)*words;
    switch (index->method) {
    case SEARCH_RANK:
        gp_search_write_ranks(c, keys, n, *words);
        break;
    case SEARCH_CELL_KEYS:
        gp_search_write_cell_keys(c, keys, n, index, *words);
        break;
    case SEARCH_TREE:
        write_tree(c, keys, n, index->levels, to);
        break;
    case SEARCH_COMPARE_ALL:
    case SEARCH_INTERPOLATE:
        for (uint32_t k = 0; k < n; k++)
            gp_key_store(c->in, keys[k], to + k * gp_key_size(c->in));
        break;
    default:
        gp_cells_write(&g, to);
    }
    return GPUPRIM_OK;
}
