/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method STEPS (kernels/classify/steps.cl) for elements of 16 bits: cells of
 * equally many values, of which nearly each has at most one place where the label changes.
 * search.c asks here first on GPUs. */
#include "classifier.h"

#include <stdlib.h>

enum {
    VALUES = 65536,
    // Cells have 16 values or more. RANK's tables have as many words then.
    LEAST_SHIFT = 4,
    // 32 cells lie in as many banks of local memory. Fewer would save nothing.
    MOST_SHIFT = 11,
    // Fewer keys are compared in as many operations, if there is no map.
    FEW_KEYS = 2,
    MOST_LABELS = 256, // of cells that do not rise
    // Values in odd cells, of all. Where all values come up alike, a fifth of a warp's words of 8
    // elements meet an odd cell with few of them, and less than two thirds with the most.
    FEW_ODD = 64,
    MOST_ODD = 256,
};

// The first value of a cell behind its change, counted from its first; the number of its values
// where the label does not change.
static uint32_t change_of(const uint16_t *labels, uint32_t cell, unsigned shift)
{
    const uint16_t *its = labels + (cell << shift);
    uint32_t v = 1;
    while (v < 1u << shift && its[v] == its[0])
        v++;
    return v;
}

// Whether a cell has two changes, or, where labels must rise, one that is no rise by one.
static bool is_odd(const uint16_t *labels, uint32_t cell, unsigned shift, bool rises)
{
    const uint16_t *its = labels + (cell << shift);
    const uint32_t change = change_of(labels, cell, shift);
    for (uint32_t v = change; v < 1u << shift; v++)
        if (its[v] != its[change] || (rises && its[v] != (uint16_t)(its[0] + 1)))
            return true;
    return false;
}

// How many values lie in odd cells.
static uint32_t odd_values(const uint16_t *labels, unsigned shift, bool rises)
{
    uint32_t n = 0;
    for (uint32_t cell = 0; cell < (uint32_t)VALUES >> shift; cell++)
        n += (uint32_t)is_odd(labels, cell, shift, rises) << shift;
    return n;
}

// The largest cells of which at most so many values lie in odd ones; 0: there are none.
static unsigned shift_of(const uint16_t *labels, bool rises, uint32_t most_odd)
{
    unsigned shift = MOST_SHIFT;
    while (shift >= LEAST_SHIFT && odd_values(labels, shift, rises) > most_odd)
        shift--;
    return shift >= LEAST_SHIFT ? shift : 0;
}

// The word of a cell that is not odd (kernels/classify/steps.cl).
static uint32_t step_of(const uint16_t *labels, uint32_t cell, unsigned shift, bool rises)
{
    const uint32_t first = cell << shift, size = 1u << shift,
                   change = change_of(labels, cell, shift), before = labels[first],
                   behind = labels[first + size - 1];
    if (rises)
        return (before << 16) + (change < size ? 65536 - change : 0) - first;
    return (behind << 24 | (before & 0xff) << 16 | (2 * size + size - change)) - first;
}

bool gp_search_may_step(const struct gpuprim_classifier *c, const struct classify_search *s)
{
    const bool is_worth = s->row_keys[0] > FEW_KEYS || s->map;
    return !c->gp->caps.is_cpu && s->rows == 1 && gp_type_size(c->in) == 2 && is_worth &&
           c->labels + c->may_reject <= UINT16_MAX;
}

// Chooses cells of 2^shift values, as large ones as possible: those that rise, as they take the
// least operations; those with any labels of 8 bits; or, where RANK would need a map, those with some
// odd ones among them.
static unsigned choose_cells(const uint16_t *labels, bool are_bytes, bool has_map,
                             struct search_index *index)
{
    unsigned shift = shift_of(labels, true, 0);
    index->rises = shift > 0;
    if (!shift && are_bytes)
        shift = shift_of(labels, false, 0);
    index->has_odd = !shift;
    for (uint32_t most = FEW_ODD; !shift && are_bytes && has_map && most <= MOST_ODD; most *= 2)
        shift = shift_of(labels, false, most);
    return shift;
}

// Writes the words, and behind them the labels of odd cells.
static void write_steps(const struct search_index *index, const uint16_t *labels,
                        uint32_t *words)
{
    unsigned char *odd = (unsigned char *)(words + index->cells);
    uint32_t place = 0;
    for (uint32_t cell = 0; cell < index->cells; cell++) {
        words[cell] = step_of(labels, cell, index->shift, index->rises);
        if (index->rises || !is_odd(labels, cell, index->shift, false))
            continue;
        words[cell] = ODD_CELL + place - (cell << index->shift);
        for (uint32_t v = 0; v < 1u << index->shift; v++)
            odd[place++] = (unsigned char)labels[(cell << index->shift) + v];
    }
}

int gp_search_steps(const struct gpuprim_classifier *c, const uint16_t *labels, bool has_map,
                    struct search_index *index, uint32_t **words)
{
    struct search_index its = { .method = SEARCH_STEPS };
    const bool are_bytes = c->labels + c->may_reject <= MOST_LABELS;
    its.shift = choose_cells(labels, are_bytes, has_map, &its);
    *words = NULL;
    if (!its.shift)
        return GPUPRIM_OK;
    its.cells = (uint32_t)VALUES >> its.shift;
    its.words = its.cells;
    if (its.has_odd)
        its.words += odd_values(labels, its.shift, false) / sizeof **words;
    *words = malloc(its.words * sizeof **words);
    if (!*words)
        return gp_classify_no_memory();
    write_steps(&its, labels, *words);
    *index = its;
    return GPUPRIM_OK;
}
