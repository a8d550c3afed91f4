/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.h): the method BITS, bit vectors. For each few bits of an
 * element, a look, a table has the cases that these bits allow, a bit for each case. The first
 * case that all looks allow decides. It suits cases of many different masks. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = 32,
    FEW_BITS = 8,   // of a look
    MORE_BITS = 11, // where the tables stay small, so that there are fewer looks
    SMALL_BYTES = 32768,
};

// The bits that each look takes: bits from shifts[i] on. Bits that no case looks at are passed
// over where a look begins. Returns how many looks there are.
static unsigned divide_bits(uint64_t used, unsigned bits, uint32_t shifts[MOST_BITS_LOOKS])
{
    unsigned n = 0;
    for (unsigned at = 0; at < 64 && used >> at;)
        if (used >> at & 1) {
            shifts[n++] = at;
            at += bits;
        } else
            at++;
    return n;
}

static uint64_t used_bits(const struct case_groups *g)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < g->n_groups; i++)
        used |= g->groups[i].mask;
    return used;
}

// Words of a value: one, two, or as many as are read by fours.
static uint32_t words_of(const struct case_groups *g)
{
    const uint32_t n = g->n_cases / WORD + (g->n_cases % WORD > 0);
    return n > 2 ? (n + 3) & ~(uint32_t)3 : n;
}

// How many bits a look has.
static unsigned bits_of_look(const struct case_groups *g)
{
    uint32_t shifts[MOST_BITS_LOOKS];
    const uint64_t used = used_bits(g);
    const unsigned more = divide_bits(used, MORE_BITS, shifts);
    const uint64_t bytes = ((uint64_t)words_of(g) * more << MORE_BITS) * sizeof(uint32_t);
    return bytes <= SMALL_BYTES && more < divide_bits(used, FEW_BITS, shifts) ? MORE_BITS
                                                                              : FEW_BITS;
}

uint64_t gp_case_bits_looks(const struct case_groups *g)
{
    uint32_t shifts[MOST_BITS_LOOKS];
    const unsigned looks = divide_bits(used_bits(g), bits_of_look(g), shifts);
    return (uint64_t)looks * words_of(g) + 1;
}

// Sets the bit of a case at all numbers of a look that it allows, which are `words` apart. Case
// 0 of a word is its highest bit, so that the first case is found by counting leading zeros.
static void allow(uint32_t *table, unsigned bits, unsigned shift, const struct gpuprim_case *x,
                  uint32_t bit, uint32_t words)
{
    const uint32_t all = (1u << bits) - 1;
    const uint32_t open = ~(uint32_t)(x->mask >> shift) & all;
    const uint32_t value = (uint32_t)(x->value >> shift) & all;
    uint32_t rest = 0;
    do {
        table[(uint64_t)(value | rest) * words] |= bit;
        rest = (rest - open) & open; // the next larger number within these bits
    } while (rest);
}

int gp_case_bits_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                      const struct case_groups *g)
{
    uint32_t shifts[MOST_BITS_LOOKS];
    const uint32_t words = words_of(g);
    const unsigned bits = bits_of_look(g), looks = divide_bits(used_bits(g), bits, shifts);
    c->method = METHOD_BITS;
    c->n = words;
    c->index.cells = looks;
    c->index.shift = bits;
    c->labels_at = looks;
    c->index_at = (c->labels_at + (uint64_t)words * WORD + 1 + 3) & ~(uint64_t)3;
    c->words = c->index_at + ((uint64_t)words * looks << bits);
    c->tables = calloc(c->words, sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    memcpy(c->tables, shifts, looks * sizeof *shifts);
    uint32_t *labels = c->tables + c->labels_at, *table = c->tables + c->index_at;
    uint32_t n = 0; // cases so far
    for (uint32_t k = 0; k < p->count; k++) {
        if (g->is_left_out[k])
            continue;
        for (unsigned i = 0; i < looks; i++)
            allow(table + ((uint64_t)words * i << bits) + n / WORD, bits, shifts[i],
                  &p->list[k], (uint32_t)1 << (WORD - 1 - n % WORD), words);
        labels[n++] = p->list[k].label;
    }
    for (; n <= words * WORD; n++)
        labels[n] = c->otherwise;
    return GPUPRIM_OK;
}
