/* SPDX-License-Identifier: Apache-2.0
 *
 * TABLE and CASES: bits of an integer decide. A chain of cases that looks at few bits becomes a
 * table of all they can be; one of ranges, a search (ranges.c); any other stays a
 * chain. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

int gp_classify_make_table(struct gpuprim_classifier *c, uint32_t runs, uint64_t entries)
{
    c->form = CLASSIFY_TABLE;
    c->n = runs;
    // One word more, so that the labels never begin at word 0, which says that there are none.
    c->labels_at = 2 * (uint64_t)runs + 1;
    c->words = c->labels_at + entries;
    c->tables = malloc(c->words * sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    c->tables[2 * runs] = 0;
    return GPUPRIM_OK;
}

static unsigned bits_of(enum gpuprim_type type)
{
    return 8 * (unsigned)gp_type_size(type);
}

// The bits that the type has.
static uint64_t mask_of(enum gpuprim_type type)
{
    return UINT64_MAX >> (64 - bits_of(type));
}

static unsigned bits_in(uint64_t mask)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

// ---------------------------------------------------------------------------------------
// TABLE

static int check_index(const struct gpuprim_classifier *c, const struct gpuprim_table *p,
                       uint64_t entries, uint64_t *mask)
{
    if (p->shift >= bits_of(c->in))
        return gp_fail(GPUPRIM_E_ARG, "shift must be less than the %u bits of %s, not %u",
                       bits_of(c->in), gp_type_name(c->in), p->shift);
    if (entries > CLASSIFY_MAX_ENTRIES)
        return gp_fail(GPUPRIM_E_ARG, "a table has at most 65536 labels, not %llu",
                       (unsigned long long)entries);
    if (!p->mask && (entries & (entries - 1)))
        return gp_fail(GPUPRIM_E_ARG,
                       "a table of %llu labels, which is no power of two, needs a mask",
                       (unsigned long long)entries);
    *mask = p->mask ? p->mask : entries - 1;
    if (*mask >= entries)
        return gp_fail(GPUPRIM_E_ARG, "the mask 0x%llx is beyond the %llu labels of the table",
                       (unsigned long long)*mask, (unsigned long long)entries);
    if (*mask & ~mask_of(c->in))
        return gp_fail(GPUPRIM_E_ARG, "the mask 0x%llx is beyond %s", (unsigned long long)*mask,
                       gp_type_name(c->in));
    return GPUPRIM_OK;
}

int gp_classify_table(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p)
{
    uint32_t *labels = NULL;
    uint64_t entries, mask = 0;
    const struct gpuprim_table *rule = p->table;
    int status = gp_classify_read_labels(c, &rule->labels, "labels", &labels, &entries);
    if (!status)
        status = check_index(c, rule, entries, &mask);
    if (!status)
        status = gp_classify_make_table(c, 1, mask + 1);
    if (!status) {
        c->index_bits = bits_in(mask);
        c->tables[0] = rule->shift;
        c->tables[1] = (uint32_t)mask;
        memcpy(c->tables + c->labels_at, labels, (mask + 1) * sizeof *labels);
    }
    free(labels);
    return status;
}

// ---------------------------------------------------------------------------------------
// CASES, few bits: a table

// Stretches of the bits of `used`, each moved down to where the one before it ends. Returns how
// many; `runs` has room for 16.
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

// The bits of `used` side by side.
static uint32_t gathered(uint64_t bits, const uint32_t runs[], uint32_t n)
{
    uint32_t index = 0;
    for (uint32_t r = 0; r < n; r++)
        index |= (uint32_t)(bits >> runs[2 * r]) & runs[2 * r + 1];
    return index;
}

// The index counts through everything but the bits of a case's mask. Returns for how many the
// case decides.
static uint32_t enter_case(uint32_t mask, uint32_t value, uint32_t label, uint32_t all,
                           uint32_t *table, bool *is_decided)
{
    const uint32_t others = all & ~mask;
    uint32_t rest = 0, decides = 0;
    do {
        const uint32_t index = value | rest;
        if (!is_decided[index]) {
            is_decided[index] = true;
            table[index] = label;
            decides++;
        }
        rest = (rest - others) & others; // the next larger number within these bits
    } while (rest);
    return decides;
}

static int cases_to_table(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                          uint64_t used)
{
    uint32_t runs[2 * CLASSIFY_INDEX_BITS];
    const uint32_t n = runs_of(used, runs), entries = 1u << bits_in(used);
    bool *is_decided = calloc(entries, sizeof *is_decided);
    int status = is_decided ? gp_classify_make_table(c, n, entries) : gp_classify_no_memory();
    if (!status) {
        c->index_bits = bits_in(used);
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
    }
    free(is_decided);
    return status;
}

// ---------------------------------------------------------------------------------------
// CASES, more bits: a chain

// True if what fits `late` fits `early`, too.
static bool shadows(const struct gpuprim_case *early, const struct gpuprim_case *late)
{
    return !(early->mask & ~late->mask) && (late->value & early->mask) == early->value;
}

static int cases_to_chain(struct gpuprim_classifier *c, const struct gpuprim_cases *p)
{
    const uint64_t n = p->count, size = gp_key_size(c->in);
    c->form = CLASSIFY_CHAIN;
    c->n = p->count;
    c->labels_at = 2 * n * (size / sizeof *c->tables);
    c->words = c->labels_at + n + 1;
    c->tables = malloc(c->words * sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    char *masks = (char *)c->tables, *values = masks + n * size;
    for (uint32_t k = 0; k < n; k++) {
        const struct gpuprim_case *x = &p->list[k];
        memcpy(masks + k * size, &x->mask, size);
        memcpy(values + k * size, &x->value, size);
        c->tables[c->labels_at + k] = x->label;
        uint32_t i = 0;
        while (i < k && !shadows(&p->list[i], x))
            i++;
        if (i < k)
            c->shadowed[c->n_shadowed++] = k;
    }
    c->tables[c->labels_at + n] = p->otherwise;
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------

static int check_case(const struct gpuprim_classifier *c, const struct gpuprim_case *x,
                      uint32_t k)
{
    if (x->mask & ~mask_of(c->in))
        return gp_fail(GPUPRIM_E_ARG, "list[%u].mask 0x%llx is beyond %s", k,
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
    if (bits_in(used) <= CLASSIFY_INDEX_BITS)
        return cases_to_table(c, p, used);
    if (p->count > CLASSIFY_FEW_CASES && gp_classify_are_ranges(c, p))
        return gp_classify_ranges(c, p);
    return cases_to_chain(c, p);
}
