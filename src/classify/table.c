/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the method TABLE: bits of an element are the index of its label. And the rule
 * TABLE, which is one such table with one run of bits. cases.c and search.c make tables too. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

int gp_classify_make_table(struct gpuprim_classifier *c, uint32_t runs, uint64_t entries)
{
    c->method = METHOD_TABLE;
    c->n = runs;
    // One word more: labels at word 0 would mean that there are none.
    c->labels_at = 2 * (uint64_t)runs + 1;
    c->words = c->labels_at + entries;
    c->entries = entries;
    c->entry_bytes = sizeof *c->tables;
    c->tables = malloc(c->words * sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    c->tables[2 * runs] = 0;
    return GPUPRIM_OK;
}

// On CPUs gathers have 32 bits. On GPUs more of a narrow table fits into local memory.
void gp_classify_narrow_table(struct gpuprim_classifier *c)
{
    c->is_all_bits = c->n == 1 && !c->tables[0] && c->tables[1] == gp_value_mask(c->in);
    if (c->gp->caps.is_cpu)
        return;
    c->entry_bytes = (unsigned)gp_type_size(gp_classify_narrowest(c));
    char *to = (char *)(c->tables + c->labels_at);
    for (uint64_t i = 0; i < c->entries; i++) { // hosts and devices are little-endian
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
