/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.h): the method LISTS. LIST_BITS neighbouring bits of an
 * element choose a list of the cases that these bits allow, which are tried in the order of the
 * caller's list. Other bits are asked before, by a sieve: a bit for each of their values says
 * whether any case allows it. It suits cases of many masks that ask for most bits: lists are
 * short then. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum {
    LISTS = 1 << LIST_BITS,
    SIEVE_WORDS = 1 << (LIST_SIEVE_BITS - 5),
    MOST_ENTRIES = NO_LIST,    // of all lists together: positions of 16 bits
    MOST_CASES = LAST_OF_LIST, // numbers below that bit
    // Cases of a list: so many, and one more for each CASES_OF_TRY cases. Where data meet the
    // longest one, an element takes so many tries; bit vectors take the same reads for all, the more
    // the more cases there are. So 23 tries are 74 reads, where 251 cases have 33. H100, driver
    // 580.159.04, 2026-11-27, us by bit vectors and by lists, of data that seldom meet a case: i32,
    // 251 and 180 cases of 32 masks 792, 222; 652, 137; i64, 206 cases 410, 102.
    MOST_TRIES = 20,
    CASES_OF_TRY = 64,
    TRY = 3, // reads: which case, its mask and value
};

// How many bits of `width` from bit `at` on no mask of the group asks for.
static unsigned open_bits(uint64_t mask, unsigned at, unsigned width)
{
    return width - gp_bits_in(mask >> at & ((1u << width) - 1));
}

// The values that `width` bits from bit `at` on have where a case matches: `value` with any of the
// bits of `open`.
struct allowed {
    uint32_t value, open;
};

static struct allowed allowed_by(uint64_t mask, uint64_t value, unsigned at, unsigned width)
{
    const uint32_t all = (1u << width) - 1;
    return (struct allowed){ (uint32_t)(value >> at) & all, ~(uint32_t)(mask >> at) & all };
}

// The next larger number within the bits of `open`; 0 after the largest.
static uint32_t next_within(uint32_t open, uint32_t number)
{
    return (number - open) & open;
}

// The cases of each list, if it is chosen by the bits from bit `at` on; false: these are too
// many.
static bool count_lists(const struct case_groups *g, unsigned at, uint32_t lengths[LISTS])
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < g->n_groups && entries < MOST_ENTRIES; i++)
        entries += (uint64_t)g->groups[i].n << open_bits(g->groups[i].mask, at, LIST_BITS);
    if (entries >= MOST_ENTRIES)
        return false;
    memset(lengths, 0, LISTS * sizeof *lengths);
    for (uint32_t i = 0; i < g->n_cases; i++) {
        const struct allowed a = allowed_by(g->cases[i].mask, g->cases[i].value, at, LIST_BITS);
        uint32_t rest = 0;
        do
            lengths[a.value | rest]++;
        while ((rest = next_within(a.open, rest)));
    }
    return true;
}

// The tries of an element that meets a case (met), and of any element (any).
struct tries {
    double met, any;
};

// false: a list is too long.
static bool tries_of(const uint32_t lengths[LISTS], uint32_t cases, struct tries *tries)
{
    double entries = 0, squares = 0;
    for (uint32_t i = 0; i < LISTS; i++) {
        if (lengths[i] > MOST_TRIES + cases / CASES_OF_TRY)
            return false;
        entries += lengths[i];
        squares += (double)lengths[i] * lengths[i];
    }
    *tries = (struct tries){ entries ? squares / entries : 0, entries / LISTS };
    return true;
}

// The part of all elements that the sieve by the bits from `at` on leaves, at most. Bits that
// choose the list do not count: where there is a list, cases allow them.
static double left_by_sieve(const struct case_groups *g, unsigned at, unsigned list_at)
{
    const uint64_t by_list = (uint64_t)(LISTS - 1) << list_at;
    double left = 0;
    for (uint32_t i = 0; i < g->n_groups && left < 1; i++) {
        const unsigned open = open_bits(g->groups[i].mask & ~by_list, at, LIST_SIEVE_BITS);
        left += (double)g->groups[i].n * (1u << open) / (1u << LIST_SIEVE_BITS);
    }
    return left < 1 ? left : 1;
}

uint64_t gp_case_lists_looks(const struct gpuprim_classifier *c, const struct case_groups *g,
                             struct case_lists *lists)
{
    const unsigned bits = gp_value_bits(c->in);
    uint32_t lengths[LISTS];
    double least = -1;
    if (g->n_cases > MOST_CASES)
        return UINT64_MAX;
    for (unsigned at = 0; at + LIST_BITS <= bits; at++) {
        struct tries tries;
        if (!count_lists(g, at, lengths) || !tries_of(lengths, g->n_cases, &tries))
            continue;
        for (unsigned sieve = 0; sieve + LIST_SIEVE_BITS <= bits; sieve++) {
            const double all = tries.met + tries.any * left_by_sieve(g, sieve, at);
            if (least < 0 || all < least) {
                least = all;
                *lists = (struct case_lists){ sieve, at };
            }
        }
    }
    return least < 0 ? UINT64_MAX : (uint64_t)(LISTS_LOOKS + TRY * least);
}

// ---------------------------------------------------------------------------------------

// Sets the bits of the sieve that a case allows.
static void pass_sieve(uint32_t *sieve, const struct gpuprim_case *x, unsigned at)
{
    const struct allowed a = allowed_by(x->mask, x->value, at, LIST_SIEVE_BITS);
    uint32_t rest = 0;
    do
        sieve[(a.value | rest) / 32] |= 1u << (a.value | rest) % 32;
    while ((rest = next_within(a.open, rest)));
}

// Writes where each list begins; returns the entries of all lists.
static uint32_t place_lists(const uint32_t lengths[LISTS], uint16_t *starts)
{
    uint32_t entries = 0;
    for (uint32_t i = 0; i < LISTS; i++) {
        starts[i] = lengths[i] ? (uint16_t)entries : NO_LIST;
        entries += lengths[i];
    }
    return entries;
}

// Appends case number n to the lists that it is in. `ends` is how many cases each has so far.
static void append_case(const struct gpuprim_case *x, uint32_t n, unsigned at,
                        const uint32_t lengths[LISTS], const uint16_t *starts, uint32_t *ends,
                        uint16_t *entries)
{
    const struct allowed a = allowed_by(x->mask, x->value, at, LIST_BITS);
    uint32_t rest = 0;
    do {
        const uint32_t list = a.value | rest, place = ends[list]++;
        const bool is_last = ends[list] == lengths[list];
        entries[starts[list] + place] = (uint16_t)(n | (is_last ? LAST_OF_LIST : 0));
    } while ((rest = next_within(a.open, rest)));
}

// kernels/classify/classify.cl has the layout.
int gp_case_lists_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       const struct case_groups *g, const struct case_lists *lists)
{
    const size_t size = gp_key_size(c->in), pair_words = 2 * size / sizeof *c->tables;
    uint32_t lengths[LISTS], ends[LISTS] = { 0 };
    uint16_t starts[LISTS];
    count_lists(g, lists->at, lengths);
    const uint32_t entries = place_lists(lengths, starts);
    c->method = METHOD_LISTS;
    c->n = g->n_cases;
    c->labels_at = 2;
    c->index_at = (c->labels_at + c->n + 1 + 3) & ~(uint64_t)3;
    const uint64_t pairs_at = c->index_at + SIEVE_WORDS + LISTS / 2;
    const uint64_t entries_at = pairs_at + c->n * pair_words;
    c->words = entries_at + (entries + 1) / 2;
    c->tables = calloc(c->words, sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    c->tables[0] = lists->sieve_at;
    c->tables[1] = lists->at;
    memcpy(c->tables + c->index_at + SIEVE_WORDS, starts, sizeof starts);
    uint32_t n = 0; // cases so far
    for (uint32_t k = 0; k < p->count; k++) {
        const struct gpuprim_case *x = &p->list[k];
        if (g->is_left_out[k])
            continue;
        char *pair = (char *)(c->tables + pairs_at + n * pair_words);
        memcpy(pair, &x->mask, size); // hosts and devices are little-endian
        memcpy(pair + size, &x->value, size);
        c->tables[c->labels_at + n] = x->label;
        pass_sieve(c->tables + c->index_at, x, lists->sieve_at);
        append_case(x, n, lists->at, lengths, starts, ends,
                    (uint16_t *)(c->tables + entries_at));
        n++;
    }
    c->tables[c->labels_at + n] = c->otherwise;
    return GPUPRIM_OK;
}
