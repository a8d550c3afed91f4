/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method STEPS (kernels/classify/steps.cl) for elements of 16 bits and
 * labels of 8: cells of equally many values, of which each has at most one place where the label
 * changes. search.c asks here first on GPUs. */
#include "classify.h"

#include <stdlib.h>

enum {
    VALUES = 65536,
    // Cells have 16 values or more. RANK's tables have as many words then.
    LEAST_SHIFT = 4,
    // 32 cells lie in as many banks of local memory. Fewer would save nothing.
    MOST_SHIFT = 11,
    // Fewer keys are compared in as many operations, if there is no map.
    FEW_KEYS = 2,
    MOST_LABELS = 256,
};

// Whether no cell of 2^shift values has two changes.
static bool are_steps(const unsigned char *labels, unsigned shift)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t v = 1; v < VALUES; v++) {
        const bool is_change = labels[v] != labels[v - 1] && v % (1u << shift);
        if (is_change && v >> shift == last)
            return false;
        last = is_change ? v >> shift : last;
    }
    return true;
}

// The first value behind the cell's change, and both labels. A cell without a change has its label
// twice.
static uint32_t step_of(const unsigned char *labels, uint32_t cell, unsigned shift)
{
    const uint32_t first = cell << shift, end = first + (1u << shift);
    uint32_t v = first;
    while (v + 1 < end && labels[v] == labels[first])
        v++;
    return v << 16 | (uint32_t)labels[first] << 8 | labels[end - 1];
}

bool gp_search_may_step(const struct gpuprim_classifier *c, const struct classify_search *s)
{
    const bool is_worth = s->row_keys[0] > FEW_KEYS || s->map;
    return !c->gp->caps.is_cpu && s->rows == 1 && gp_type_size(c->in) == 2 && is_worth &&
           c->labels + c->may_reject <= MOST_LABELS;
}

int gp_search_steps(const unsigned char *labels, struct search_index *index, uint32_t **words)
{
    unsigned shift = MOST_SHIFT;
    while (shift >= LEAST_SHIFT && !are_steps(labels, shift))
        shift--;
    const uint32_t cells = VALUES >> shift;
    *words = NULL;
    if (shift < LEAST_SHIFT)
        return GPUPRIM_OK;
    *words = malloc(cells * sizeof **words);
    if (!*words)
        return gp_classify_no_memory();
    for (uint32_t cell = 0; cell < cells; cell++)
        (*words)[cell] = step_of(labels, cell, shift);
    *index = (struct search_index){
        .method = SEARCH_STEPS, .cells = cells, .shift = shift, .words = cells
    };
    return GPUPRIM_OK;
}
