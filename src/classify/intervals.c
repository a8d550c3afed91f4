/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the intervals of a rule for elements of 8 and 16 bits. The bits of an element are a
 * number, and an interval has neighbouring numbers of one label. Where there are few intervals,
 * groups of gpu_words count by them (kernels/classify/intervals.cl). search.c and classifier.c
 * call this once the rule is brought to its method. */
#include "classifier.h"

#include <stdlib.h>
#include <string.h>

// A number where the label may change, and the label from there on.
struct interval {
    uint32_t start, label;
};

static int compare_starts(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

// Sorts them and keeps those whose label is not that of the one before. One begins at 0.
static uint32_t merge_intervals(struct interval *list, uint32_t n)
{
    uint32_t kept = 1;
    qsort(list, n, sizeof *list, compare_starts);
    for (uint32_t i = 1; i < n; i++)
        if (list[i].label != list[kept - 1].label)
            list[kept++] = list[i];
    return kept;
}

// Adds words behind the classifier's tables. For each interval but the first: its start without
// the upper bit, once for each element of a word. Then all labels.
static int append_intervals(struct gpuprim_classifier *c, const struct interval *list,
                            uint32_t n)
{
    const unsigned bits = gp_value_bits(c->in);
    const uint32_t upper = UINT32_C(1) << (bits - 1),
                   each = bits == 8 ? 0x01010101 : 0x00010001;
    uint32_t *tables = realloc(c->tables, (c->words + 2 * (uint64_t)n - 1) * sizeof *tables);
    if (!tables)
        return gp_classify_no_memory();
    c->tables = tables;
    c->intervals_at = c->words;
    c->intervals = n - 1;
    for (uint32_t r = 1; r < n; r++) {
        c->low_intervals += list[r].start < upper;
        tables[c->words++] = (list[r].start & (upper - 1)) * each;
    }
    for (uint32_t r = 0; r < n; r++)
        tables[c->words++] = list[r].label;
    return GPUPRIM_OK;
}

static bool may_have_intervals(const struct gpuprim_classifier *c)
{
    return !c->gp->caps.is_cpu && c->rows == 1 && gp_type_size(c->in) <= 2;
}

// ---------------------------------------------------------------------------------------
// SEARCH, elements of 16 bits

static uint32_t label_of(const struct gpuprim_classifier *c, const struct classify_search *s,
                         uint16_t bits)
{
    const int64_t x = gp_ordinal(c->in, &bits);
    uint32_t class = 0; // the keys are few
    while (class < c->n && s->keys[class] <= x)
        class += 1;
    class = gp_ordinal_is_nan(c->in, x) ? s->nan_class : class - s->first_class;
    return class >= s->classes ? GPUPRIM_REJECT : s->map ? s->map[class] : class;
}

// The label changes at keys, where negative values begin, and where NaNs do. The bits of negative
// floats are in their reverse order.
int gp_classify_search_intervals(struct gpuprim_classifier *c, const struct classify_search *s)
{
    enum { MOST_KEYS = 2 * MOST_INTERVALS, HALF = 0x8000, NAN_BITS = 0x7c01 };
    static const uint32_t ends[] = { 0, HALF, NAN_BITS, HALF | 1, HALF | NAN_BITS };
    const bool is_float = gp_type_is_float(c->in);
    const uint32_t n_ends = is_float ? 5 : 2;
    struct interval list[MOST_KEYS + 5];
    uint32_t n = 0;
    if (!may_have_intervals(c) || c->n > MOST_KEYS)
        return GPUPRIM_OK;
    for (; n < n_ends; n++)
        list[n].start = ends[n];
    for (uint32_t k = 0; k < c->n; k++) {
        const int64_t key = s->keys[k];
        const uint32_t bits = is_float && key < 0 ? (HALF | (uint32_t)-key) + 1 : (uint32_t)key;
        list[n++].start = bits & 0xffff;
    }
    for (uint32_t i = 0; i < n; i++)
        list[i].label = label_of(c, s, (uint16_t)list[i].start);
    n = merge_intervals(list, n);
    return n - 1 <= MOST_INTERVALS ? append_intervals(c, list, n) : GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// TABLE, elements of 8 bits

int gp_classify_table_intervals(struct gpuprim_classifier *c)
{
    enum { VALUES = 256 };
    struct interval list[VALUES];
    if (!may_have_intervals(c) || c->method != METHOD_TABLE || gp_type_size(c->in) != 1)
        return GPUPRIM_OK;
    const char *entries = (const char *)(c->tables + c->labels_at);
    for (uint32_t v = 0; v < VALUES; v++) {
        uint32_t index = 0, label = 0;
        for (uint32_t r = 0; r < c->n; r++)
            index |= v >> c->tables[2 * r] & c->tables[2 * r + 1];
        memcpy(&label, entries + (size_t)index * c->entry_bytes, c->entry_bytes);
        const bool is_none =
            c->may_reject && label == GPUPRIM_REJECT >> (32 - 8 * c->entry_bytes);
        list[v] = (struct interval){ v, is_none ? GPUPRIM_REJECT : label };
    }
    const uint32_t n = merge_intervals(list, VALUES);
    return n - 1 <= MOST_BYTE_INTERVALS ? append_intervals(c, list, n) : GPUPRIM_OK;
}
