/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES: bits of an integer decide. Cases that look at few bits become a
 * table of all values that these bits can have (table.c). Of the others, those of one mask or
 * of few become hash tables (hash.c), those of many masks lists (case_lists.c) or bit vectors
 * (case_bits.c), or a search where they are ranges of values (ranges.c). A few stay a chain, on
 * GPUs also instead of a large table (case_chain.c). classifier.c calls this file. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum {
    INDEX_BITS = 16, // of a table that is made of cases
    // What a look into a table takes, in cases that are asked one after another. On GPUs: the
    // prototypes, H200, 2026-11-22, of f32 copied: 4 and 14 cases asked 0.60 and 0.21, one look
    // 1.03, four looks 0.70, five 0.65. On CPUs: PoCL 3.1, two cores with AVX-512, 2026-11-22,
    // ms of processor time for 4 Mi of u32, which take 0.5 without a rule: 14 / 32 / 100 / 240
    // cases asked 1.2 / 2.3 / 7.1 / 16.6, 1 / 2 / 3 / 4 looks 1.7 / 2.7 / 3.9 / 4.8.
    LOOK = 1,
    CPU_LOOK = 16,
    // What a search among ranges takes, in looks: 4.0 to 5.0 ms in the same runs.
    SEARCH_LOOKS = 4,
    FEW_CASES = 24, // so few are not searched
    // A look into a hash table whose mask is read from memory. H200, driver 580.159.04,
    // 2026-11-23, 74 million i32 by 236 cases of 32 masks: 32 such looks 2177 us, 33 looks into
    // bit vectors, as they are now, 622.
    FAR_MASK = 3,
};

// ---------------------------------------------------------------------------------------
// CASES, few bits: a table

// Finds the runs of neighbouring bits in `used`. Each is moved down to where the one before it
// ends: (bits >> runs[2 * i]) & runs[2 * i + 1]. Returns how many there are; there is room for
// 16.
static uint32_t runs_of(uint64_t used, uint32_t runs[])
{
    uint32_t n = 0;
    unsigned to = 0;
    for (unsigned at = 0; at < 64;) {
        unsigned length = 0;
        while (at + length < 64 && used >> (at + length) & 1)
            length++;
        if (length) {
            runs[2 * n] = at - to;
            runs[2 * n + 1] = ((1u << length) - 1) << to;
            n++;
            to += length;
        }
        at += length ? length : 1;
    }
    return n;
}

// The bits of all runs side by side: the index of a table.
static uint32_t gathered(uint64_t bits, const uint32_t runs[], uint32_t n)
{
    uint32_t index = 0;
    for (uint32_t r = 0; r < n; r++)
        index |= (uint32_t)(bits >> runs[2 * r]) & runs[2 * r + 1];
    return index;
}

// Writes a case's label to all entries that are not decided yet: the index counts through all
// bits outside the case's mask. Returns for how many entries the case decides.
static uint32_t enter_case(uint32_t mask, uint32_t value, uint32_t label, uint32_t all,
                           uint32_t *table, bool *is_decided)
{
    const uint32_t open = all & ~mask;
    uint32_t rest = 0, decides = 0;
    do {
        const uint32_t index = value | rest;
        if (!is_decided[index]) {
            is_decided[index] = true;
            table[index] = label;
            decides++;
        }
        rest = (rest - open) & open; // the next larger number within these bits
    } while (rest);
    return decides;
}

// What the rule gives without a case stands in c->otherwise, for a chain.
static int cases_to_table(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                          uint64_t used)
{
    uint32_t runs[2 * INDEX_BITS];
    const uint32_t n = runs_of(used, runs), entries = 1u << gp_bits_in(used);
    bool *is_decided = calloc(entries, sizeof *is_decided);
    int status = is_decided ? gp_classify_make_table(c, n, entries) : gp_classify_no_memory();
    c->otherwise = p->otherwise;
    if (!status) {
        c->index_bits = gp_bits_in(used);
        memcpy(c->tables, runs, 2 * n * sizeof *runs);
        uint32_t *table = c->tables + c->labels_at;
        for (uint32_t i = 0; i < entries; i++)
            table[i] = p->otherwise;
        uint32_t left = entries; // undecided
        for (uint32_t k = 0; k < p->count; k++) {
            const struct gpuprim_case *x = &p->list[k];
            const uint32_t decides =
                left ? enter_case(gathered(x->mask, runs, n), gathered(x->value, runs, n),
                                  x->label, entries - 1, table, is_decided)
                     : 0;
            left -= decides;
            if (!decides)
                c->shadowed[c->n_shadowed++] = k;
        }
        if (gp_case_chain_is_less(c, p->count - c->n_shadowed))
            status = gp_case_chain_make_listed(c, p);
        else
            gp_classify_narrow_table(c);
    }
    free(is_decided);
    return status;
}

// ---------------------------------------------------------------------------------------
// CASES, more bits

// Lists the cases that can never decide. A case that takes all values that are left decides
// what becomes of the others; it is no case any more, nor are those behind it.
static void name_shadowed(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                          struct case_groups *g)
{
    bool is_decided = false;
    c->otherwise = p->otherwise;
    for (uint32_t k = 0; k < p->count; k++) {
        g->is_left_out[k] |= is_decided;
        if (g->is_left_out[k])
            c->shadowed[c->n_shadowed++] = k;
        else if (!p->list[k].mask) {
            c->otherwise = p->list[k].label;
            g->is_left_out[k] = is_decided = true;
        }
    }
    gp_case_groups_drop(g);
}

// What an element takes by each way.
enum way { CHAIN, HASH, BITS, RANGES, LISTS, WAYS };

// The cheapest way that is left.
static enum way cheapest(const uint64_t cost[WAYS])
{
    enum way best = CHAIN;
    for (enum way w = CHAIN; w < WAYS; w++)
        if (cost[w] < cost[best])
            best = w;
    return best;
}

// The same. Lists are counted only where they may be cheaper than the others.
static enum way choose_way(const struct gpuprim_classifier *c, const struct case_groups *g,
                           uint64_t cost[WAYS], struct case_lists *lists)
{
    if (!c->gp->caps.is_cpu && cost[cheapest(cost)] > LISTS_LOOKS)
        cost[LISTS] = gp_case_lists_looks(c, g, lists);
    return cheapest(cost);
}

static int make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                const struct case_groups *g, bool are_ranges)
{
    const uint64_t look = c->gp->caps.is_cpu ? CPU_LOOK : LOOK;
    uint64_t cost[WAYS] = {
        [CHAIN] = g->n_cases,
        [HASH] = look * gp_hash_looks(c, p, g) *
                 (c->gp->caps.is_cpu || g->n_groups <= MOST_HELD_MASKS ? 1 : FAR_MASK),
        // On CPUs two looks or more for 32 cases never pay.
        [BITS] = c->gp->caps.is_cpu ? UINT64_MAX : look * gp_case_bits_looks(g),
        [RANGES] = are_ranges ? look * SEARCH_LOOKS : UINT64_MAX,
        [LISTS] = UINT64_MAX,
    };
    struct case_lists lists = { 0, 0 };
    enum way way = choose_way(c, g, cost, &lists);
    bool is_made = false;
    if (way == HASH) {
        const int status = gp_hash_make(c, p, g, &is_made);
        if (status || is_made)
            return status;
        cost[HASH] = UINT64_MAX;
        way = choose_way(c, g, cost, &lists);
    }
    return way == LISTS    ? gp_case_lists_make(c, p, g, &lists)
           : way == BITS   ? gp_case_bits_make(c, p, g)
           : way == RANGES ? gp_ranges_make(c, p)
                           : gp_case_chain_make(c, p, g->is_left_out, g->n_cases);
}

static int choose(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                  struct case_groups *g)
{
    const bool are_ranges = p->count > FEW_CASES && gp_ranges_are_all(c, p);
    int status = gp_case_groups_make(c, p, g);
    if (!status && are_ranges && g->n_groups > 1)
        status = gp_ranges_mark(c, p, g->is_left_out);
    if (status)
        return status;
    name_shadowed(c, p, g);
    return make(c, p, g, are_ranges);
}

// ---------------------------------------------------------------------------------------

static int check_case(const struct gpuprim_classifier *c, const struct gpuprim_case *x,
                      uint32_t k)
{
    if (x->mask & ~gp_value_mask(c->in))
        return gp_fail(GPUPRIM_E_ARG, "list[%u].mask 0x%llx has bits beyond those of %s", k,
                       (unsigned long long)x->mask, gp_type_name(c->in));
    if (x->value & ~x->mask)
        return gp_fail(GPUPRIM_E_ARG, "list[%u].value 0x%llx has bits beyond its mask 0x%llx",
                       k, (unsigned long long)x->value, (unsigned long long)x->mask);
    return GPUPRIM_OK;
}

int gp_classify_cases(struct gpuprim_classifier *c,
                      const struct gpuprim_classifier_params *params)
{
    const struct gpuprim_cases *p = params->cases;
    uint64_t used = 0;
    if (p->count > CLASSIFY_MAX_ENTRIES)
        return gp_fail(GPUPRIM_E_ARG, "there may be at most 65536 cases, not %u", p->count);
    if (p->count && !p->list)
        return gp_fail(GPUPRIM_E_ARG, "the list of %u cases is NULL", p->count);
    for (uint32_t k = 0; k < p->count; k++) {
        const int status = check_case(c, &p->list[k], k);
        if (status)
            return status;
        used |= p->list[k].mask;
        gp_classify_note_label(c, p->list[k].label);
    }
    gp_classify_note_label(c, p->otherwise);
    c->shadowed = malloc(((size_t)p->count + 1) * sizeof *c->shadowed);
    if (!c->shadowed)
        return gp_classify_no_memory();
    if (gp_bits_in(used) <= INDEX_BITS)
        return cases_to_table(c, p, used);
    struct case_groups groups = { .cases = NULL };
    const int status = choose(c, p, &groups);
    gp_case_groups_free(&groups);
    return status;
}
