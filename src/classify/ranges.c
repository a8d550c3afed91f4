/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.c) where the masks are high bits alone, or all bits. Each
 * case then takes a range of values, like the cases of a switch or the prefixes of addresses.
 * The ends of all ranges are keys, and between two keys one case decides. So a search
 * (search.c) replaces the walk through all cases. */
#include "classify.h"

#include <stdlib.h>

// The bits of the type that a case does not look at.
static uint64_t open_bits(const struct gpuprim_classifier *c, const struct gpuprim_case *x)
{
    return ~x->mask & gp_value_mask(c->in);
}

bool gp_classify_are_ranges(const struct gpuprim_classifier *c, const struct gpuprim_cases *p)
{
    for (uint32_t k = 0; k < p->count; k++) {
        const uint64_t open = open_bits(c, &p->list[k]);
        if (open & (open + 1))
            return false;
    }
    return true;
}

// The first and the last value that a case takes, as ordinals. This holds for signed types,
// too: either the sign is among the bits of the mask, or the case takes all values.
static void range_of(const struct gpuprim_classifier *c, const struct gpuprim_case *x,
                     int64_t *low, int64_t *high)
{
    const uint64_t last = x->value | open_bits(c, x);
    *low = x->mask ? gp_ordinal(c->in, &x->value) : gp_ordinal_lowest(c->in);
    *high = x->mask ? gp_ordinal(c->in, &last) : gp_ordinal_highest(c->in);
}

// Sets map[i] to one more than the case that decides between keys i - 1 and i; 0: none does.
// Cases that come first are entered last.
static void enter_ranges(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                         const struct classify_search *s, uint32_t *map)
{
    for (uint32_t k = p->count; k-- > 0;) {
        int64_t low, high;
        range_of(c, &p->list[k], &low, &high);
        const uint32_t end = gp_search_place(s, high);
        for (uint32_t i = gp_search_place(s, low); i <= end; i++)
            map[i] = k + 1;
    }
}

// Lists the cases that decide nowhere, and turns the others into labels.
static int name_labels(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       uint32_t *map, uint32_t n)
{
    bool *decides = calloc((size_t)p->count + 1, sizeof *decides);
    if (!decides)
        return gp_classify_no_memory();
    for (uint32_t i = 0; i < n; i++) {
        decides[map[i]] = true;
        map[i] = map[i] ? p->list[map[i] - 1].label : p->otherwise;
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (!decides[k + 1])
            c->shadowed[c->n_shadowed++] = k;
    free(decides);
    return GPUPRIM_OK;
}

int gp_classify_ranges(struct gpuprim_classifier *c, const struct gpuprim_cases *p)
{
    struct classify_search s = { .keys = NULL };
    uint32_t *map = NULL;
    int status = gp_search_allocate(&s, 1, 2 * p->count);
    for (uint32_t k = 0; !status && k < p->count; k++) {
        int64_t low, high;
        range_of(c, &p->list[k], &low, &high);
        gp_search_add(c, &s, 0, low, false);
        gp_search_add(c, &s, 0, high, true);
    }
    if (!status) {
        gp_search_sort(&s);
        s.classes = s.row_keys[0] + 1;
        map = calloc(s.classes, sizeof *map);
        status = map ? GPUPRIM_OK : gp_classify_no_memory();
    }
    if (!status) {
        enter_ranges(c, p, &s, map);
        status = name_labels(c, p, map, s.classes);
    }
    if (!status) {
        gp_search_merge(&s, map);
        s.classes = s.row_keys[0] + 1;
        s.map = map;
        status = gp_search_finish(c, &s);
    }
    gp_search_free(&s);
    free(map);
    return status;
}
