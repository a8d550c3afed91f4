/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: chooses the search method for a row of keys and makes its tables, the search index.
 * search.c calls this file. kernels/classify/search.cl describes the search methods and how
 * their tables lie in memory.
 *
 * Cost is counted in reads that wait for one another. INTERPOLATE needs none or one, TREE one
 * for each level, GRID and RADIX one for the cell and one for each halving within it. Those are
 * few where keys are spread about evenly, by their values (GRID) or as powers are (RADIX). */
#include "classifier.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

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

// Cells that might be taken: GRID or RADIX.
struct cells {
    struct search_index index;
    const struct gpuprim_classifier *c;
    const int64_t *keys;
    uint32_t n;
};

// ---------------------------------------------------------------------------------------
// Cells, computed as the kernels do

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

static uint32_t cell_of(const struct cells *g, int64_t ordinal)
{
    const uint64_t key = key_bits(g->c, ordinal);
    if (g->index.method == SEARCH_GRID)
        return grid_cell(g, key);
    const uint64_t low = order_of(g->c, key_bits(g->c, g->keys[0]), g->keys[0]);
    const uint64_t cell = (order_of(g->c, key, ordinal) - low) >> g->index.shift;
    return (uint32_t)(cell < g->index.cells - 1 ? cell : g->index.cells - 1);
}

// How many keys the fullest cell has.
static uint32_t fullest(const struct cells *g)
{
    uint32_t most = 0, run = 0, last = UINT32_MAX;
    for (uint32_t k = 0; k < g->n; k++) {
        const uint32_t cell = cell_of(g, g->keys[k]);
        run = cell == last ? run + 1 : 1;
        last = cell;
        most = run > most ? run : most;
    }
    return most;
}

// ---------------------------------------------------------------------------------------
// The two kinds of cells

// GRID: cells of equal width. False where the range is not finite, empty or too small to be
// divided.
static bool set_grid(struct cells *g, uint32_t cells)
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

// RADIX: cells of 2^shift values, at most `most_cells`.
static void set_radix(struct cells *g, uint32_t most_cells)
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

static uint64_t cell_words(const struct cells *g)
{
    return words_before_pairs(g) + (has_pairs(g) ? 2 * (uint64_t)g->index.cells : 0);
}

// Takes g where it needs fewer halvings than the best so far, and its tables fit into the room.
static void consider(struct cells *g, uint64_t room, struct search_index *best)
{
    const uint32_t keys = fullest(g);
    while (keys >> g->index.levels)
        g->index.levels++;
    g->index.words = cell_words(g);
    if (g->index.words <= room && (!best->method || g->index.levels < best->levels))
        *best = g->index;
}

// ---------------------------------------------------------------------------------------
// The choice, and its tables

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

static void write_cells(const struct cells *g, char *to)
{
    const size_t size = gp_key_size(g->c->in);
    const uint32_t padded = g->n + (1u << g->index.levels) - 1;
    for (uint32_t k = 0; k < padded; k++)
        gp_key_store(g->c->in, k < g->n ? g->keys[k] : gp_ordinal_highest(g->c->in),
                     to + k * size);
    char *starts = to + padded * size, *pairs = to + 4 * words_before_pairs(g);
    uint32_t before = 0;
    for (uint32_t cell = 0; cell < g->index.cells; cell++) {
        while (before < g->n && cell_of(g, g->keys[before]) < cell)
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
            const uint32_t cell = is_end ? g->index.cells : cell_of(g, keys[k]);
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
    set_radix(&g, most);
    measure_cells(&g, s);
    if (set_grid(&grid, most)) {
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
            while (k < s->row_keys[row] && cell_of(&g, keys[k]) == cell)
                k++;
            (*words)[row * index->cells + cell] = k << 16 | first;
        }
    }
    return GPUPRIM_OK;
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
        if (set_grid(g, cells))
            consider(g, room, &best);
        set_radix(g, cells);
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
        write_cells(&g, to);
    }
    return GPUPRIM_OK;
}
