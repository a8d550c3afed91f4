/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search in one row of keys goes by on a device, besides the keys themselves: the ways
 * of kernels/classify/place.cl, which says how each lies in memory. The fewest reads that
 * depend on one another win: keys at even distances need none or one, a tree has one for each
 * level, a guide one for the cell and one for each halving within it, and that is few where
 * keys are spread about evenly, by their values or as powers are. */
#include "classify.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// Keys that are compared one by one. A CPU has 16 in a vector; on a GPU each costs two
// operations of the some thirty that an element has time for beside a copy, and EVEN takes
// eight, however many keys there are (H200, driver 580.159, 2026-11-21, 2^28 of f32 to u8: 7
// keys compared 838 Gelem/s, 255 keys EVEN 852; with counts 795 and 807). Up to
// CHEAPER_THAN_EVEN by that count of operations, not measured.
enum { COUNTED_ON_CPU = 15, COUNTED = 7, CHEAPER_THAN_EVEN = 4 };

// A guide that might be taken.
struct guide {
    struct classify_aid aid;
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

// Each operation is rounded as the device rounds it (gp_f32_bits says why not by a float).
static uint32_t linear_cell32(const struct classify_aid *a, uint64_t key)
{
    const double x = gp_f32_number((uint32_t)key), low = gp_f32_number((uint32_t)a->low),
                 scale = gp_f32_number((uint32_t)a->scale);
    const double moved = gp_f32_number(gp_f32_bits(x - low));
    const double cell = gp_f32_number(gp_f32_bits(moved * scale)), most = a->cells - 1;
    return (uint32_t)(cell < most ? cell > 0 ? cell : 0 : most);
}

static uint32_t linear_cell64(const struct classify_aid *a, uint64_t key)
{
    const double moved = gp_f64_number(key) - gp_f64_number(a->low);
    const double cell = moved * gp_f64_number(a->scale), most = a->cells - 1;
    return (uint32_t)(cell < most ? cell > 0 ? cell : 0 : most);
}

// A key's place among the values of the type it is compared in; differences are those of
// ORDERED.
static uint64_t order_of(const struct gpuprim_classifier *c, uint64_t key, int64_t ordinal)
{
    if (!gp_type_is_float(c->in))
        return (uint64_t)ordinal;
    if (gp_key_size(c->in) == 8)
        return key >> 63 ? key ^ INT64_MAX : key;
    const int32_t bits = (int32_t)(uint32_t)key;
    return (uint64_t)(int64_t)(bits < 0 ? bits ^ INT32_MAX : bits);
}

static uint32_t cell_of(const struct guide *g, int64_t ordinal)
{
    const struct classify_aid *a = &g->aid;
    const uint64_t key = key_bits(g->c, ordinal);
    if (a->way == CLASSIFY_LINEAR)
        return gp_key_size(g->c->in) == 8 ? linear_cell64(a, key) : linear_cell32(a, key);
    const uint64_t low = order_of(g->c, key_bits(g->c, g->keys[0]), g->keys[0]);
    const uint64_t cell = (order_of(g->c, key, ordinal) - low) >> a->shift;
    return (uint32_t)(cell < a->cells - 1 ? cell : a->cells - 1);
}

// The keys of the fullest cell.
static uint32_t fullest(const struct guide *g)
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
// Guides

// Cells of one width; false where the range is not finite, empty or too small to be divided.
static bool set_linear(struct guide *g, uint32_t cells)
{
    const struct gpuprim_classifier *c = g->c;
    const int64_t first = g->keys[0], last = g->keys[g->n - 1];
    if (!gp_type_is_float(c->in) || first == gp_ordinal_lowest(c->in) ||
        last == gp_ordinal_highest(c->in))
        return false;
    const uint64_t bits[2] = { key_bits(c, first), key_bits(c, last) };
    g->aid = (struct classify_aid){ .way = CLASSIFY_LINEAR, .cells = cells, .low = bits[0] };
    if (gp_key_size(c->in) == 8) {
        const double scale = cells / (gp_f64_number(bits[1]) - gp_f64_number(bits[0]));
        memcpy(&g->aid.scale, &scale, sizeof scale);
        return scale > 0 && scale <= 0x1p1000;
    }
    const double range = gp_f32_number((uint32_t)bits[1]) - gp_f32_number((uint32_t)bits[0]);
    const double scale = cells / range;
    g->aid.scale = gp_f32_bits(scale);
    return range <= FLT_MAX && scale <= 0x1p100;
}

// Cells of 2^shift values.
static bool set_ordered(struct guide *g, uint32_t most_cells)
{
    const struct gpuprim_classifier *c = g->c;
    const int64_t first = g->keys[0], last = g->keys[g->n - 1];
    const uint64_t low = key_bits(c, first);
    const uint64_t range = order_of(c, key_bits(c, last), last) - order_of(c, low, first);
    g->aid = (struct classify_aid){ .way = CLASSIFY_ORDERED, .low = low };
    if (gp_type_is_float(c->in)) {
        g->aid.low = order_of(c, low, first);
        if (gp_key_size(c->in) == 4)
            g->aid.low &= UINT32_MAX;
    }
    while (range >> g->aid.shift >= most_cells)
        g->aid.shift++;
    g->aid.cells = (uint32_t)(range >> g->aid.shift) + 1;
    return true;
}

// CPUs gather a cell's start and the key of the first halving there as one.
static bool has_pairs(const struct guide *g)
{
    return g->c->gp->caps.is_cpu && gp_key_size(g->c->in) == 4;
}

// Keys and starts, even where pairs come behind them.
static uint64_t plain_words(const struct guide *g)
{
    const uint64_t keys = g->n + ((uint64_t)1 << g->aid.levels) - 1;
    const uint64_t words = keys * (gp_key_size(g->c->in) / 4) + (g->aid.cells + 1) / 2;
    return words + (has_pairs(g) ? words % 2 : 0);
}

static uint64_t guide_words(const struct guide *g)
{
    return plain_words(g) + (has_pairs(g) ? 2 * (uint64_t)g->aid.cells : 0);
}

// Takes g where it has fewer halvings than the best so far, and room.
static void consider(struct guide *g, uint64_t room, struct classify_aid *best)
{
    const uint32_t keys = fullest(g);
    while (keys >> g->aid.levels)
        g->aid.levels++;
    g->aid.words = guide_words(g);
    if (g->aid.words <= room && (!best->way || g->aid.levels < best->levels))
        *best = g->aid;
}

// ---------------------------------------------------------------------------------------
// The choice, and its words

// 2^levels nodes: in a tree of them, node i on level l is key (2 (i - 2^l) + 1) 2^(levels-1-l)
// - 1.
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

static void write_guide(const struct guide *g, char *to)
{
    const size_t size = gp_key_size(g->c->in);
    const uint32_t padded = g->n + (1u << g->aid.levels) - 1;
    for (uint32_t k = 0; k < padded; k++)
        gp_key_store(g->c->in, k < g->n ? g->keys[k] : gp_ordinal_highest(g->c->in),
                     to + k * size);
    char *starts = to + padded * size, *pairs = to + 4 * plain_words(g);
    uint32_t before = 0;
    for (uint32_t cell = 0; cell < g->aid.cells; cell++) {
        while (before < g->n && cell_of(g, g->keys[before]) < cell)
            before++;
        const uint16_t start = (uint16_t)before;
        memcpy(starts + cell * sizeof start, &start, sizeof start);
        if (has_pairs(g)) {
            uint32_t key;
            memcpy(&key, to + (before + (1u << g->aid.levels) / 2 - 1) * size, sizeof key);
            const uint64_t pair = (uint64_t)before << 32 | key;
            memcpy(pairs + cell * sizeof pair, &pair, sizeof pair);
        }
    }
}

static unsigned tree_levels(uint32_t n)
{
    unsigned levels = 0;
    while (n >> levels)
        levels++;
    return levels;
}

static struct classify_aid choose(struct guide *g, uint64_t room)
{
    enum { LEAST_CELLS = 64, MOST_CELLS = 1 << 16 };
    const unsigned key_words = (unsigned)gp_key_size(g->c->in) / 4;
    const bool is_cpu = g->c->gp->caps.is_cpu;
    struct classify_aid best = { 0 };
    if (g->n > (is_cpu ? COUNTED_ON_CPU : CHEAPER_THAN_EVEN) &&
        gp_classify_even(g->c, g->keys, g->n, &best))
        return best;
    if (g->n <= (is_cpu ? COUNTED_ON_CPU : COUNTED))
        return (struct classify_aid){ .way = CLASSIFY_COUNTED,
                                      .levels = g->n,
                                      .words = (uint64_t)g->n * key_words };
    const bool fits16 = g->n <= UINT16_MAX; // as starts are kept
    for (uint32_t cells = LEAST_CELLS; fits16 && cells <= MOST_CELLS; cells *= 2) {
        if (set_linear(g, cells))
            consider(g, room, &best);
        if (set_ordered(g, cells))
            consider(g, room, &best);
    }
    const unsigned levels = tree_levels(g->n);
    // A guide reads the start of a cell first and computes where that is.
    if (best.way && best.levels + 2 < levels)
        return best;
    return (struct classify_aid){ .way = CLASSIFY_TREE,
                                  .levels = levels,
                                  .words = ((uint64_t)1 << levels) * key_words };
}

int gp_classify_aid(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                    uint64_t room, struct classify_aid *aid, uint32_t **words)
{
    struct guide g = { .c = c, .keys = keys, .n = n };
    *aid = choose(&g, room);
    if (aid->words > room)
        *aid = choose(&g, UINT64_MAX);
    g.aid = *aid;
    *words = calloc(aid->words + 1, sizeof **words); // there may be none
    if (!*words)
        return gp_classify_no_memory();
    char *to = (char *)*words;
    if (aid->way == CLASSIFY_TREE)
        write_tree(c, keys, n, aid->levels, to);
    else if (aid->way == CLASSIFY_COUNTED || aid->way == CLASSIFY_EVEN)
        for (uint32_t k = 0; k < n; k++)
            gp_key_store(c->in, keys[k], to + k * gp_key_size(c->in));
    else
        write_guide(&g, to);
    return GPUPRIM_OK;
}
