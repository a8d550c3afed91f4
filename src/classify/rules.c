/* SPDX-License-Identifier: Apache-2.0
 *
 * THRESHOLDS, UNIFORM and RULES: all three cut the line of values into stretches, and so become
 * a search among ascending keys. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------
// What THRESHOLDS and UNIFORM have in common: where a NaN goes, and the map

static int take_classes(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p,
                        struct classify_search *s, uint32_t **map)
{
    if (p->nan == GPUPRIM_NAN_CLASS && p->nan_class >= s->classes)
        return gp_fail(GPUPRIM_E_ARG, "nan_class is %u, but the last class is %u", p->nan_class,
                       s->classes - 1);
    s->nan_class = p->nan == GPUPRIM_NAN_CLASS      ? p->nan_class
                   : p->nan == GPUPRIM_NAN_REJECTED ? GPUPRIM_REJECT
                                                    : s->classes - 1;
    c->may_reject |= p->nan == GPUPRIM_NAN_REJECTED && gp_type_is_float(c->in);
    if (p->map.count == 0) {
        gp_classify_note_label(c, s->classes - 1);
        return GPUPRIM_OK;
    }
    uint64_t n;
    const int status = gp_classify_read_labels(c, &p->map, "map", map, &n);
    if (!status && n != s->classes)
        return gp_fail(GPUPRIM_E_ARG, "%u classes take a map of as many labels, not of %llu",
                       s->classes, (unsigned long long)n);
    s->map = *map;
    return status;
}

static int finish_classes(struct gpuprim_classifier *c,
                          const struct gpuprim_classifier_params *p, struct classify_search *s)
{
    uint32_t *map = NULL;
    int status = take_classes(c, p, s, &map);
    if (!status)
        status = gp_search_finish(c, s);
    free(map);
    return status;
}

// ---------------------------------------------------------------------------------------
// THRESHOLDS

// Reads the thresholds, or what RULES compares with, row by row. The caller frees *out.
static int read_values(struct gpuprim_classifier *c, const struct gpuprim_array *given,
                       uint64_t most, struct gp_array *array, unsigned char **out)
{
    struct gpuprim_array values = *given;
    if (!values.type && !values.count) // none at all
        values.type = c->in;
    const int status = gp_array_resolve(c->gp, &values, "values", false, array);
    if (status)
        return status;
    if (array->type != c->in)
        return gp_fail(GPUPRIM_E_TYPE, "input of %s takes values of %s, not of %s",
                       gp_type_name(c->in), gp_type_name(c->in), gp_type_name(array->type));
    if (array->rows == 0)
        return gp_fail(GPUPRIM_E_ARG, "values must have one row, or one for each row of "
                                      "the data, not no rows");
    if (array->count > most)
        return gp_fail(GPUPRIM_E_ARG, "a row has at most %llu values, not %llu",
                       (unsigned long long)most, (unsigned long long)array->count);
    return gp_classify_read(c->gp, array, "values", out);
}

static bool is_nan(enum gpuprim_type type, int64_t ordinal)
{
    return ordinal < gp_ordinal_lowest(type) || ordinal > gp_ordinal_highest(type);
}

static int take_thresholds(struct gpuprim_classifier *c, bool closed_right,
                           const struct gp_array *array, const unsigned char *values,
                           struct classify_search *s)
{
    for (uint64_t row = 0; row < array->rows; row++) {
        int64_t before = gp_ordinal_lowest(c->in);
        for (uint32_t k = 0; k < array->count; k++) {
            const int64_t at =
                gp_ordinal(c->in, values + (row * array->count + k) * array->size);
            if (is_nan(c->in, at))
                return gp_fail(GPUPRIM_E_ARG, "value %u of row %llu is NaN", k,
                               (unsigned long long)row);
            if (at < before)
                return gp_fail(GPUPRIM_E_ARG,
                               "value %u of row %llu is less than value %u, but "
                               "thresholds must ascend",
                               k, (unsigned long long)row, k - 1);
            before = at;
            // t < x is what the next larger value <= x is.
            gp_search_add(c, s, row, at, closed_right);
        }
    }
    return GPUPRIM_OK;
}

int gp_classify_thresholds(struct gpuprim_classifier *c,
                           const struct gpuprim_classifier_params *p)
{
    struct gp_array array;
    unsigned char *values = NULL;
    struct classify_search s = { .keys = NULL };
    const struct gpuprim_thresholds *rule = p->thresholds;
    int status = read_values(c, &rule->values, CLASSIFY_MAX_KEYS, &array, &values);
    if (!status)
        status = gp_search_allocate(&s, array.rows, (uint32_t)array.count);
    if (!status)
        status = take_thresholds(c, rule->closed == GPUPRIM_CLOSED_RIGHT, &array, values, &s);
    if (!status) {
        s.classes = (uint32_t)array.count + 1;
        status = finish_classes(c, p, &s);
    }
    gp_search_free(&s);
    free(values);
    return status;
}

// ---------------------------------------------------------------------------------------
// UNIFORM

// Each operation rounded by itself: three statements, so that no compiler fuses two of them.
static double edge_of(const struct gpuprim_uniform *p, uint32_t j)
{
    const double bins = p->bins;
    const double from_low = p->low * ((bins - j) / bins);
    const double from_high = p->high * (j / bins);
    return j == 0 ? p->low : j == p->bins ? p->high : from_low + from_high;
}

// An integer type's largest value, plus one: what `high` is where bins shall fill the type.
static bool is_one_beyond(enum gpuprim_type type, double value)
{
    if (gp_type_is_float(type))
        return false;
    const double half =
        type == GPUPRIM_U64 ? 0x1p63 : (double)(gp_ordinal_highest(type) / 2 + 1);
    return value == 2 * half;
}

// The edge that nothing reaches is kept as the type's largest value.
static void store_highest(enum gpuprim_type type, char *to)
{
    const int64_t highest = type == GPUPRIM_U64 ? -1 : gp_ordinal_highest(type);
    memcpy(to, &highest, gp_type_size(type));
}

static int make_edges(struct gpuprim_classifier *c, const struct gpuprim_uniform *p)
{
    const size_t size = gp_type_size(c->in);
    if (p->bins < 1 || p->bins > CLASSIFY_MAX_KEYS)
        return gp_fail(GPUPRIM_E_ARG, "bins must be 1 to 65535, not %u", p->bins);
    if (!(p->low < p->high) || !(p->high - p->high == 0) || !(p->low - p->low == 0))
        return gp_fail(GPUPRIM_E_ARG,
                       "low must be less than high, and both finite; they are "
                       "%g and %g",
                       p->low, p->high);
    c->bins = p->bins;
    c->edges = calloc((size_t)p->bins + 1, 8);
    if (!c->edges)
        return gp_classify_no_memory();
    for (uint32_t j = 0; j <= p->bins; j++) {
        char *edge = (char *)c->edges + j * size;
        if (j == p->bins && is_one_beyond(c->in, p->high)) {
            store_highest(c->in, edge);
            return GPUPRIM_OK;
        }
        if (!gp_value_round(c->in, edge_of(p, j), edge))
            return gp_fail(GPUPRIM_E_ARG, "edge %u, %g, is beyond %s", j, edge_of(p, j),
                           gp_type_name(c->in));
        if (j && gp_ordinal(c->in, edge - size) >= gp_ordinal(c->in, edge))
            return gp_fail(GPUPRIM_E_ARG, "edges %u and %u coincide in %s", j - 1, j,
                           gp_type_name(c->in));
    }
    return GPUPRIM_OK;
}

int gp_classify_uniform(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p)
{
    const struct gpuprim_uniform *rule = p->uniform;
    struct classify_search s = { .keys = NULL };
    int status = make_edges(c, rule);
    if (!status)
        status = gp_search_allocate(&s, 1, rule->bins + 1);
    if (status) {
        gp_search_free(&s);
        return status;
    }
    const bool top_inclusive = rule->top_inclusive || is_one_beyond(c->in, rule->high);
    // Clamped, the outer edges decide nothing.
    const bool inner = rule->outside == GPUPRIM_OUTSIDE_CLAMP;
    for (uint32_t j = inner; j <= rule->bins - inner; j++)
        gp_search_add(c, &s, 0, gp_ordinal(c->in, (char *)c->edges + j * gp_type_size(c->in)),
                      j == rule->bins && top_inclusive);
    s.classes = rule->bins + (rule->outside == GPUPRIM_OUTSIDE_CLASSES ? 2 : 0);
    s.first_class = rule->outside == GPUPRIM_OUTSIDE_REJECTED;
    c->may_reject |= rule->outside == GPUPRIM_OUTSIDE_REJECTED;
    status = finish_classes(c, p, &s);
    gp_search_free(&s);
    return status;
}

// ---------------------------------------------------------------------------------------
// RULES

static bool is_true(enum gpuprim_comparison comparison, int64_t x, int64_t threshold)
{
    switch (comparison) {
    case GPUPRIM_LESS:
        return x < threshold;
    case GPUPRIM_LESS_EQUAL:
        return x <= threshold;
    case GPUPRIM_GREATER:
        return x > threshold;
    case GPUPRIM_GREATER_EQUAL:
        return x >= threshold;
    case GPUPRIM_EQUAL:
        return x == threshold;
    default:
        return x != threshold;
    }
}

// What is compared with, as ordinals.
struct comparisons {
    uint32_t n;
    const enum gpuprim_comparison *kinds;
    int64_t with[CLASSIFY_MAX_COMPARISONS];
};

static int take_comparisons(struct gpuprim_classifier *c, const struct gpuprim_rules *rule,
                            struct comparisons *out)
{
    struct gp_array array;
    unsigned char *values = NULL;
    const int status = read_values(c, &rule->values, CLASSIFY_MAX_COMPARISONS, &array, &values);
    for (uint32_t k = 0; !status && k < array.count; k++)
        out->with[k] = gp_ordinal(c->in, values + k * array.size);
    free(values);
    if (status)
        return status;
    out->n = (uint32_t)array.count;
    out->kinds = rule->comparisons;
    if (array.rows != 1)
        return gp_fail(GPUPRIM_E_ARG, "the values of RULES must be one row, not %llu",
                       (unsigned long long)array.rows);
    if (out->n && !out->kinds)
        return gp_fail(GPUPRIM_E_ARG, "comparisons is NULL");
    for (uint32_t k = 0; k < out->n; k++) {
        if ((unsigned)out->kinds[k] > GPUPRIM_NOT_EQUAL)
            return gp_fail(GPUPRIM_E_ARG, "comparisons[%u] is %d, no comparison", k,
                           (int)out->kinds[k]);
        if (is_nan(c->in, out->with[k]))
            return gp_fail(GPUPRIM_E_ARG, "value %u is NaN", k);
    }
    return GPUPRIM_OK;
}

// A comparison can only change at its threshold and right behind it. Between two such places
// all elements have one index, and so one label: the places are keys, and those labels a map.
static void take_places(const struct gpuprim_classifier *c, const struct comparisons *rules,
                        struct classify_search *s)
{
    for (uint32_t k = 0; k < rules->n; k++) {
        gp_search_add(c, s, 0, rules->with[k], false);
        gp_search_add(c, s, 0, rules->with[k], true);
    }
    gp_search_sort(s);
}

static uint32_t index_of(const struct comparisons *rules, int64_t x)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < rules->n; k++)
        index |= (uint32_t)is_true(rules->kinds[k], x, rules->with[k]) << k;
    return index;
}

static uint32_t index_of_nan(const struct comparisons *rules)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < rules->n; k++)
        index |= (uint32_t)(rules->kinds[k] == GPUPRIM_NOT_EQUAL) << k;
    return index;
}

int gp_classify_rules(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p)
{
    struct comparisons rules;
    struct classify_search s = { .keys = NULL };
    uint32_t *table = NULL, map[2 * CLASSIFY_MAX_COMPARISONS + 2];
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
        take_places(c, &rules, &s);
        // Below the first key: where no value is, the label is never asked for.
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
