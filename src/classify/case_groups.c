/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.h): sorts the cases by their masks, and finds those that can
 * never decide because one earlier case takes all their values. The time grows with the number
 * of cases and with the square of the number of different masks, of which 64 are compared at
 * once. Cases are compared up to MOST_COMPARISONS times. One that is kept though another covers
 * it changes no label. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

// Some 32 000 masks, each a part of the same number of others, took 16 s without it.
enum { MOST_COMPARISONS = 1 << 26 };

static int compare_cases(const void *a, const void *b)
{
    const struct ranked_case *x = a, *y = b;
    if (x->mask != y->mask)
        return x->mask < y->mask ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void gp_case_groups_free(struct case_groups *g)
{
    free(g->cases);
    free(g->groups);
    free(g->is_left_out);
}

// Divides the sorted cases into groups.
static void divide(struct case_groups *g)
{
    g->n_groups = 0;
    for (uint32_t i = 0; i < g->n_cases; i++) {
        if (i == 0 || g->cases[i].mask != g->cases[i - 1].mask)
            g->groups[g->n_groups++] = (struct case_group){ g->cases[i].mask, i, 0 };
        g->groups[g->n_groups - 1].n++;
    }
}

void gp_case_groups_drop(struct case_groups *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_cases; i++)
        if (!g->is_left_out[g->cases[i].number])
            g->cases[n++] = g->cases[i];
    g->n_cases = n;
    divide(g);
}

// ---------------------------------------------------------------------------------------
// Cases that one earlier case covers

// The number of the group's case of that value; UINT32_MAX: there is none.
static uint32_t number_of(const struct case_groups *g, const struct case_group *group,
                          uint64_t value)
{
    uint32_t begin = group->first, end = group->first + group->n;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (g->cases[middle].value < value)
            begin = middle + 1;
        else
            end = middle;
    }
    const bool is_there = begin < group->first + group->n && g->cases[begin].value == value;
    return is_there ? g->cases[begin].number : UINT32_MAX;
}

// Marks the cases of a group that a case of `wide` covers, whose mask is a part of the group's.
static void mark_covered(struct case_groups *g, const struct case_group *group,
                         const struct case_group *wide)
{
    for (uint32_t i = 0; i < group->n; i++) {
        const struct ranked_case *x = &g->cases[group->first + i];
        if (g->is_left_out[x->number])
            continue;
        if (number_of(g, wide, x->value & wide->mask) < x->number)
            g->is_left_out[x->number] = true;
    }
}

enum { BYTE_VALUES = 256 };

static unsigned mask_byte(uint64_t mask, unsigned byte)
{
    return (unsigned)(mask >> 8 * byte) & 255;
}

// Sets of groups, a bit for each: sets[(byte * 256 + v) * words] has those in whose masks this
// byte has no bits beyond v.
static uint64_t *subset_sets(const struct case_groups *g, unsigned bytes, size_t words)
{
    uint64_t *sets = calloc(bytes * BYTE_VALUES * words, sizeof *sets);
    if (!sets)
        return NULL;
    for (unsigned byte = 0; byte < bytes; byte++) {
        uint64_t *set = sets + byte * BYTE_VALUES * words;
        for (uint32_t i = 0; i < g->n_groups; i++)
            set[mask_byte(g->groups[i].mask, byte) * words + i / 64] |= (uint64_t)1 << i % 64;
        for (unsigned bit = 1; bit < BYTE_VALUES; bit *= 2)
            for (unsigned v = 0; v < BYTE_VALUES; v++)
                for (size_t w = 0; v & bit && w < words; w++)
                    set[v * words + w] |= set[(v - bit) * words + w];
    }
    return sets;
}

// The groups whose masks are a part of `mask`.
static void find_within(const uint64_t *sets, unsigned bytes, size_t words, uint64_t mask,
                        uint64_t *within)
{
    memset(within, 255, words * sizeof *within);
    for (unsigned byte = 0; byte < bytes; byte++) {
        const uint64_t *set = sets + (byte * BYTE_VALUES + mask_byte(mask, byte)) * words;
        for (size_t w = 0; w < words; w++)
            within[w] &= set[w];
    }
}

static int mark_all_covered(struct case_groups *g, unsigned bytes)
{
    const size_t words = ((size_t)g->n_groups + 63) / 64;
    uint64_t *sets = subset_sets(g, bytes, words);
    uint64_t *within = calloc(words, sizeof *within);
    uint64_t comparisons = 0;
    for (uint32_t i = 0; sets && within && i < g->n_groups; i++) {
        find_within(sets, bytes, words, g->groups[i].mask, within);
        for (size_t w = 0; w < words; w++)
            for (; within[w] && comparisons < MOST_COMPARISONS; within[w] &= within[w] - 1) {
                const uint32_t k =
                    (uint32_t)(64 * w) + gp_bits_in((within[w] & -within[w]) - 1);
                if (k == i)
                    continue;
                mark_covered(g, &g->groups[i], &g->groups[k]);
                comparisons += g->groups[i].n;
            }
    }
    const bool is_done = sets && within;
    free(sets);
    free(within);
    return is_done ? GPUPRIM_OK : gp_classify_no_memory();
}

// ---------------------------------------------------------------------------------------

int gp_case_groups_make(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                        struct case_groups *g)
{
    const size_t n = (size_t)p->count + 1;
    g->cases = malloc(n * sizeof *g->cases);
    g->groups = malloc(n * sizeof *g->groups);
    g->is_left_out = calloc(n, sizeof *g->is_left_out);
    if (!g->cases || !g->groups || !g->is_left_out)
        return gp_classify_no_memory();
    for (uint32_t k = 0; k < p->count; k++)
        g->cases[k] = (struct ranked_case){ p->list[k].mask, p->list[k].value, k };
    g->n_cases = p->count;
    qsort(g->cases, g->n_cases, sizeof *g->cases, compare_cases);
    for (uint32_t i = 1; i < g->n_cases; i++)
        if (g->cases[i].mask == g->cases[i - 1].mask &&
            g->cases[i].value == g->cases[i - 1].value)
            g->is_left_out[g->cases[i].number] = true;
    gp_case_groups_drop(g);
    if (g->n_groups > 1) {
        const int status = mark_all_covered(g, (unsigned)gp_type_size(c->in));
        if (status)
            return status;
        gp_case_groups_drop(g);
    }
    return GPUPRIM_OK;
}
