/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the method TABLE: bits of an element are the index of its label. And the rule
 * TABLE, which is one such table with one run of bits. cases.c and search.c make tables too. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIEVED_ENTRIES = 8192, // smaller tables mostly fit local memory beside counters
    // Entries for each one that is not the usual one, at least: each of those that an element
    // meets is read through the caches. H200, driver 580.159.04, 2026-11-29, cases of 16 bits,
    // us with as much of the table in local memory as fits beside counters, and with a sieve:
    // 84 cases of 32 masks, u8 labels and 200 counts 268 190; 146 cases 218 177, where 4 allow
    // it and 8 do not; 6 cases of 3 masks, 166 counts 198 178; 12 cases of 3 masks, u8 labels
    // 107 99. Fewer than 4 were not measured.
    OTHERS_OF = 4,
};

// Words of a sieve: its bits, and the usual entry.
static uint32_t sieve_words(const struct gpuprim_classifier *c, uint64_t entries)
{
    const bool may_have = !c->gp->caps.is_cpu && entries >= SIEVED_ENTRIES;
    return may_have ? (uint32_t)gp_ceil_div(entries, 32) + 1 : 0;
}

int gp_classify_make_table(struct gpuprim_classifier *c, uint32_t runs, uint64_t entries)
{
    c->method = METHOD_TABLE;
    c->n = runs;
    c->sieve_at = (2 * (uint64_t)runs + 3) & ~(uint64_t)3;
    // One word more: labels at word 0 would mean that there are none.
    c->labels_at = sieve_words(c, entries) ? c->sieve_at + sieve_words(c, entries) + 1
                                           : 2 * (uint64_t)runs + 1;
    c->words = c->labels_at + entries;
    c->entries = entries;
    c->entry_bytes = sizeof *c->tables;
    c->tables = malloc(c->words * sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    memset(c->tables + 2 * runs, 0, (c->labels_at - 2 * runs) * sizeof *c->tables);
    return GPUPRIM_OK;
}

// The entry that more than half of all are, if there is one, else any.
static uint32_t usual_entry(const uint32_t *entries, uint64_t n)
{
    uint32_t usual = 0;
    uint64_t votes = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!votes)
            usual = entries[i];
        votes = entries[i] == usual ? votes + 1 : votes - 1;
    }
    return usual;
}

// Writes the sieve: which entries are not the usual one. If they are many there is none.
static void make_sieve(struct gpuprim_classifier *c)
{
    const uint32_t *entries = c->tables + c->labels_at, words = sieve_words(c, c->entries),
                   usual = usual_entry(entries, c->entries);
    uint32_t *sieve = c->tables + c->sieve_at;
    uint64_t others = 0;
    for (uint64_t i = 0; words && i < c->entries; i++)
        if (entries[i] != usual) {
            sieve[i / 32] |= UINT32_C(1) << i % 32;
            others++;
        }
    if (!words || others * OTHERS_OF > c->entries)
        return;
    memcpy(sieve + words - 1, &usual, c->entry_bytes); // hosts and devices are little-endian
    c->index.cells = words;
}

// On CPUs gathers have 32 bits. On GPUs more of a narrow table fits into local memory.
void gp_classify_narrow_table(struct gpuprim_classifier *c)
{
    c->is_all_bits = c->n == 1 && !c->tables[0] && c->tables[1] == gp_value_mask(c->in);
    if (c->gp->caps.is_cpu)
        return;
    c->entry_bytes = (unsigned)gp_type_size(gp_classify_narrowest(c));
    make_sieve(c);
    char *to = (char *)(c->tables + c->labels_at);
    for (uint64_t i = 0; i < c->entries; i++) {
        const uint32_t label = c->tables[c->labels_at + i];
        memcpy(to + i * c->entry_bytes, &label, c->entry_bytes);
    }
    c->words = c->labels_at + gp_ceil_div(c->entries * c->entry_bytes, sizeof *c->tables);
}

static int check_index(const struct gpuprim_classifier *c, const struct gpuprim_table *p,
                       uint64_t entries, uint64_t *mask)
{
    if (p->shift >= gp_value_bits(c->in))
        return gp_fail(GPUPRIM_E_ARG, "shift must be less than the %u bits of %s, not %u",
                       gp_value_bits(c->in), gp_type_name(c->in), p->shift);
    if (entries > CLASSIFY_MAX_ENTRIES)
        return gp_fail(GPUPRIM_E_ARG, "a table has at most 65536 labels, not %llu",
                       (unsigned long long)entries);
    if (!p->mask && (entries & (entries - 1)))
        return gp_fail(GPUPRIM_E_ARG,
                       "mask must not be 0 with %llu labels, which is not a power of two",
                       (unsigned long long)entries);
    *mask = p->mask ? p->mask : entries - 1;
    if (*mask >= entries)
        return gp_fail(
            GPUPRIM_E_ARG,
            "the mask 0x%llx must be less than the number of labels in the table, %llu",
            (unsigned long long)*mask, (unsigned long long)entries);
    if (*mask & ~gp_value_mask(c->in))
        return gp_fail(GPUPRIM_E_ARG, "the mask 0x%llx has bits beyond those of %s",
                       (unsigned long long)*mask, gp_type_name(c->in));
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
        c->index_bits = gp_bits_in(mask);
        c->tables[0] = rule->shift;
        c->tables[1] = (uint32_t)mask;
        memcpy(c->tables + c->labels_at, labels, (mask + 1) * sizeof *labels);
        gp_classify_narrow_table(c);
    }
    free(labels);
    return status;
}
