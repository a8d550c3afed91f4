/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the method CHAIN: cases that are asked one after another. cases.c chooses it. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

int gp_case_chain_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       const bool *is_left_out, uint32_t n)
{
    const uint64_t size = gp_key_size(c->in);
    c->method = METHOD_CHAIN;
    c->n = n;
    c->labels_at = 2 * (uint64_t)n * (size / sizeof *c->tables);
    c->words = c->labels_at + n + 1;
    c->tables = malloc(c->words * sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    char *masks = (char *)c->tables, *values = masks + n * size;
    uint32_t i = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const struct gpuprim_case *x = &p->list[k];
        if (is_left_out[k])
            continue;
        memcpy(masks + i * size, &x->mask, size);
        memcpy(values + i * size, &x->value, size);
        c->tables[c->labels_at + i++] = x->label;
    }
    c->tables[c->labels_at + n] = c->otherwise;
    return GPUPRIM_OK;
}

// A case held in registers takes two operations. A look into a table that has many words takes
// some 3.5 cycles of a compute unit where the elements of a warp are random, as their words
// meet in banks, which is the time of 14 operations of each of four warps; besides, each group
// fills local memory with the table, and of one of 65536 entries a part is read through the
// caches. Where tables are smaller than LEAST_ENTRIES they stay. Computed; the limit has not
// been measured. On CPUs a look is one gather of a vector, and a table has no part that is far.
bool gp_case_chain_is_less(const struct gpuprim_classifier *c, uint32_t n)
{
    enum { LEAST_ENTRIES = 4096 };
    return !c->gp->caps.is_cpu && n <= MOST_HELD_CASES && c->entries >= LEAST_ENTRIES;
}

int gp_case_chain_make_listed(struct gpuprim_classifier *c, const struct gpuprim_cases *p)
{
    bool *is_left_out = calloc(p->count, sizeof *is_left_out);
    free(c->tables);
    c->tables = NULL;
    if (!is_left_out)
        return gp_classify_no_memory();
    for (uint32_t i = 0; i < c->n_shadowed; i++)
        is_left_out[c->shadowed[i]] = true;
    const int status = gp_case_chain_make(c, p, is_left_out, p->count - c->n_shadowed);
    free(is_left_out);
    return status;
}
