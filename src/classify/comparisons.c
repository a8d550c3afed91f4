/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule RULES: up to 16 comparisons with values. They divide the line of values
 * into stretches with one label each. So they become a search among ascending keys (search.c).
 * classifier.c calls this file. */
#include "classifier.h"

#include <stdlib.h>

enum { MAX_COMPARISONS = 16 };

static bool is_true(enum gpuprim_comparison comparison, int64_t x, int64_t value)
{
    switch (comparison) {
    case GPUPRIM_LESS:
        return x < value;
    case GPUPRIM_LESS_EQUAL:
        return x <= value;
    case GPUPRIM_GREATER:
        return x > value;
    case GPUPRIM_GREATER_EQUAL:
        return x >= value;
    case GPUPRIM_EQUAL:
        return x == value;
    default:
        return x != value;
    }
}

// The comparisons; the values that they compare with are ordinals.
struct comparisons {
    uint32_t n;
    const enum gpuprim_comparison *kinds;
    int64_t values[MAX_COMPARISONS];
};

static int take_comparisons(struct gpuprim_classifier *c, const struct gpuprim_rules *rule,
                            struct comparisons *out)
{
    struct gp_array array;
    unsigned char *values = NULL;
    const int status =
        gp_classify_read_values(c, &rule->values, MAX_COMPARISONS, &array, &values);
    for (uint32_t k = 0; !status && k < array.count; k++)
        out->values[k] = gp_ordinal(c->in, values + k * array.size);
    free(values);
    if (status)
        return status;
    out->n = (uint32_t)array.count;
    out->kinds = rule->comparisons;
    if (array.rows != 1)
        return gp_fail(GPUPRIM_E_ARG, "the values of RULES must be one row, not %llu",
                       (unsigned long long)array.rows);
    if (out->n && !out->kinds)
        return gp_fail(GPUPRIM_E_ARG, "comparisons is NULL, but there are %u values", out->n);
    for (uint32_t k = 0; k < out->n; k++) {
        if ((unsigned)out->kinds[k] > GPUPRIM_NOT_EQUAL)
            return gp_fail(GPUPRIM_E_ARG,
                           "comparisons[%u] must be 0 to 5 (enum gpuprim_comparison), not %d",
                           k, (int)out->kinds[k]);
        if (gp_ordinal_is_nan(c->in, out->values[k]))
            return gp_fail(GPUPRIM_E_ARG, "value %u must not be NaN", k);
    }
    return GPUPRIM_OK;
}

// A comparison can change only at its value and right behind it. Between two such ordinals all
// elements have one index and therefore one label. So the ordinals are keys, and the labels a
// map.
static void add_keys(const struct gpuprim_classifier *c, const struct comparisons *rules,
                     struct classify_search *s)
{
    for (uint32_t k = 0; k < rules->n; k++) {
        gp_search_add(c, s, 0, rules->values[k], false);
        gp_search_add(c, s, 0, rules->values[k], true);
    }
    gp_search_sort(s);
}

static uint32_t index_of(const struct comparisons *rules, int64_t x)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < rules->n; k++)
        index |= (uint32_t)is_true(rules->kinds[k], x, rules->values[k]) << k;
    return index;
}

static uint32_t index_of_nan(const struct comparisons *rules)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < rules->n; k++)
        index |= (uint32_t)(rules->kinds[k] == GPUPRIM_NOT_EQUAL) << k;
    return index;
}

int gp_classify_comparisons(struct gpuprim_classifier *c,
                            const struct gpuprim_classifier_params *p)
{
    struct comparisons rules;
    struct classify_search s = { .keys = NULL };
    uint32_t *table = NULL, map[2 * MAX_COMPARISONS + 2];
    uint64_t entries;
    int status = take_comparisons(c, p->rules, &rules);
    if (!status)
        status = gp_classify_read_labels(c, &p->rules->labels, "labels", &table, &entries);
    if (!status && entries != (uint64_t)1 << rules.n)
        status = gp_fail(GPUPRIM_E_ARG, "%u comparisons take %llu labels, not %llu", rules.n,
                         1ull << rules.n, (unsigned long long)entries);
    if (!status)
        status = gp_search_allocate(&s, 1, 2 * rules.n);
    if (!status) {
        add_keys(c, &rules, &s);
        // An ordinal below the first key. Where there is no such value its label is not needed.
        const int64_t below =
            s.row_keys[0] && s.keys[0] > INT64_MIN ? s.keys[0] - 1 : INT64_MIN;
        map[0] = table[index_of(&rules, below)];
        for (uint32_t k = 0; k < s.row_keys[0]; k++)
            map[k + 1] = table[index_of(&rules, s.keys[k])];
        gp_search_merge(&s, map);
        const uint32_t n = s.row_keys[0];
        map[n + 1] = table[index_of_nan(&rules)];
        s.map = map;
        s.nan_class = n + 1;
        s.classes = n + 2;
        status = gp_search_finish(c, &s);
    }
    gp_search_free(&s);
    free(table);
    return status;
}
