/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.c) where the masks are high bits alone, or all bits. Each
 * case then takes a range of values, like the cases of a switch or the prefixes of addresses.
 * The ends of all ranges are keys, and between two keys one case decides. So a search
 * (search.c) replaces the walk through all cases. */
#include "cases.h"

#include <stdlib.h>

// The bits of the type that a case does not look at.
static uint64_t open_bits(const struct gpuprim_classifier *c, const struct gpuprim_case *x)
{
    return ~x->mask & gp_value_mask(c->in);
}

bool gp_ranges_are_all(const struct gpuprim_classifier *c, const struct gpuprim_cases *p)
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

// The ends of all ranges as keys. The caller frees *s.
static int make_keys(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                     struct classify_search *s)
{
    const int status = gp_search_allocate(s, 1, 2 * p->count);
    if (status)
        return status;
    for (uint32_t k = 0; k < p->count; k++) {
        int64_t low, high;
        range_of(c, &p->list[k], &low, &high);
        gp_search_add(c, s, 0, low, false);
        gp_search_add(c, s, 0, high, true);
    }
    gp_search_sort(s);
    s->classes = s->row_keys[0] + 1;
    return GPUPRIM_OK;
}

// The first stretch from i on that no case has taken: next[i] leads towards it, and is made to
// lead there at once.
static uint32_t first_free(uint32_t *next, uint32_t i)
{
    uint32_t end = i;
    while (next[end] != end)
        end = next[end];
    while (i != end) {
        const uint32_t after = next[i];
        next[i] = end;
        i = after;
    }
    return end;
}

// Between keys i - 1 and i lies stretch i. Sets map[i] to one more than the case that decides
// there; 0: none does. Cases take, from the first to the last, what is still free. The last of
// the classes + 1 entries of `next` is never taken.
static void enter_ranges(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                         const struct classify_search *s, uint32_t *next, uint32_t *map)
{
    for (uint32_t i = 0; i <= s->classes; i++)
        next[i] = i;
    for (uint32_t k = 0; k < p->count; k++) {
        int64_t low, high;
        range_of(c, &p->list[k], &low, &high);
        const uint32_t end = gp_search_place(s, high);
        uint32_t i = first_free(next, gp_search_place(s, low));
        for (; i <= end; i = first_free(next, i)) {
            map[i] = k + 1;
            next[i] = i + 1;
        }
    }
}

// Makes the keys and the map of deciding cases. The caller frees both.
static int decide(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                  struct classify_search *s, uint32_t **map)
{
    const int status = make_keys(c, p, s);
    if (status)
        return status;
    uint32_t *next = calloc((size_t)s->classes + 1, sizeof *next);
    *map = calloc(s->classes, sizeof **map);
    if (next && *map)
        enter_ranges(c, p, s, next, *map);
    free(next);
    return next && *map ? GPUPRIM_OK : gp_classify_no_memory();
}

int gp_ranges_mark(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                   bool *is_shadowed)
{
    struct classify_search s = { .keys = NULL };
    uint32_t *map = NULL;
    const int status = decide(c, p, &s, &map);
    if (!status) {
        for (uint32_t k = 0; k < p->count; k++)
            is_shadowed[k] = true;
        for (uint32_t i = 0; i < s.classes; i++)
            if (map[i])
                is_shadowed[map[i] - 1] = false;
    }
    gp_search_free(&s);
    free(map);
    return status;
}

int gp_ranges_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p)
{
    struct classify_search s = { .keys = NULL };
    uint32_t *map = NULL;
    int status = decide(c, p, &s, &map);
    if (!status) {
        for (uint32_t i = 0; i < s.classes; i++)
            map[i] = map[i] ? p->list[map[i] - 1].label : p->otherwise;
        gp_search_merge(&s, map);
        s.classes = s.row_keys[0] + 1;
        s.map = map;
        status = gp_search_finish(c, &s);
    }
    gp_search_free(&s);
    free(map);
    return status;
}
