/* SPDX-License-Identifier: Apache-2.0
 *
 * Random rules for the tests of classify. */
#include "rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"

// ---------------------------------------------------------------------------------------
// Thresholds

static int by_rank(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The end of a wide range of the type's values, whose length is finite.
static double reach(enum gpuprim_type type)
{
    static const double floats[] = { 6e4, 1e6, 1e6 };
    return rank_is_float(type) ? floats[type - GPUPRIM_F16]
                               : ldexp(0.99, (int)rank_bits(type) - 1);
}

static double chance(struct check *check)
{
    return ldexp((double)check_below(check, 1 << 20), -20);
}

static void spread_row(struct check *check, enum gpuprim_type type, enum classify_spread spread,
                       uint64_t *ranks, uint64_t n)
{
    const uint64_t base = rank_random(check, type), zero = rank_of(type, 0);
    const uint64_t from = check_once_in(check, 3) ? zero : base;
    const double most = reach(type),
                 low = rank_is_float(type) || rank_is_signed(type) ? -most : 0;
    static const double jitters[] = { 0, 1e-4, 0.1, 0.4, 0.6 }; // of the distance
    const double width = ldexp(most - low, -(int)check_below(check, 24)),
                 start = low + (most - low - width) * chance(check),
                 jitter = jitters[check_below(check, 5)];
    for (uint64_t k = 0; k < n; k++) {
        const double part = (double)(k + 1) / (double)(n + 1);
        switch (spread) {
        case SPREAD_EVEN:
            ranks[k] = rank_of_double(type, low + (most - low) * part);
            break;
        case SPREAD_NEARLY:
            ranks[k] = rank_of_double(
                type, start + width * (part + jitter * chance(check) / (double)(n + 1)));
            break;
        case SPREAD_LOG:
            ranks[k] = rank_of_double(type, pow(most, part));
            break;
        case SPREAD_CLUSTER: // zero and its neighbours, or others
            ranks[k] = k + 1 < n ? rank_step(type, from, (int64_t)k) : base;
            break;
        case SPREAD_EQUAL:
            ranks[k] = base;
            break;
        case SPREAD_FEW:
            ranks[k] = rank_step(type, from, 3 * (int64_t)check_below(check, 5));
            break;
        default:
            ranks[k] = rank_random(check, type);
        }
    }
    qsort(ranks, n, sizeof *ranks, by_rank);
}

struct gpuprim_array classify_packed(enum gpuprim_type type, uint64_t n, uint64_t rows)
{
    struct gpuprim_array array =
        gpuprim_host(type, check_allocate(n * rows * gp_type_size(type)), n);
    array.rows = rows;
    if (n == 0)
        array.row_stride = 1;
    return array;
}

// Rows of values, each row in ascending order.
static struct gpuprim_array spread_values(struct check *check, enum gpuprim_type type,
                                          uint64_t n, uint64_t rows,
                                          enum classify_spread spread)
{
    uint64_t *ranks = check_allocate(n * sizeof *ranks);
    const struct gpuprim_array values = classify_packed(type, n, rows);
    for (uint64_t row = 0; row < rows; row++) {
        spread_row(check, type, spread, ranks, n);
        for (uint64_t k = 0; k < n; k++)
            rank_write(&values, row, k, rank_to_bits(type, ranks[k]));
    }
    free(ranks);
    return values;
}

void classify_thresholds(struct check *check, enum gpuprim_type type, uint64_t n, uint64_t rows,
                         enum classify_spread spread, struct gpuprim_classifier_params *params)
{
    struct gpuprim_thresholds *rule = check_allocate(sizeof *rule);
    *params = (struct gpuprim_classifier_params){ .thresholds = rule };
    params->in = check_once_in(check, 2) ? type : GPUPRIM_TYPE_INVALID; // the values' type
    *rule = (struct gpuprim_thresholds){ .closed = (enum gpuprim_closed)check_below(check, 2) };
    rule->values = spread_values(check, type, n, rows, spread);
}

void classify_close(const struct gpuprim_classifier_params *params, enum gpuprim_closed closed)
{
    ((struct gpuprim_thresholds *)params->thresholds)->closed = closed; // it was allocated
}

void classify_end_first_row(const struct gpuprim_classifier_params *params,
                            enum gpuprim_type type)
{
    static const float f32 = (float)INFINITY;
    static const double f64 = (double)INFINITY;
    static const uint16_t f16 = 0x7c00;
    const struct gpuprim_array *values = &params->thresholds->values;
    char *last = (char *)values->base + (values->count - 1) * gp_type_size(type);
    const bool is_signed = gp_type_is_signed(type);
    const uint64_t integer =
        (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * gp_type_size(type));
    const void *highest = type == GPUPRIM_F16   ? (const void *)&f16
                          : type == GPUPRIM_F32 ? (const void *)&f32
                          : type == GPUPRIM_F64 ? (const void *)&f64
                                                : (const void *)&integer;
    memcpy(last, highest, gp_type_size(type));
}

// ---------------------------------------------------------------------------------------
// The other rules

void classify_uniform(struct check *check, enum gpuprim_type type, uint32_t bins,
                      struct gpuprim_classifier_params *params)
{
    const double most = reach(type);
    struct gpuprim_uniform *rule = check_allocate(sizeof *rule);
    *params = (struct gpuprim_classifier_params){ .uniform = rule, .in = type };
    *rule = (struct gpuprim_uniform){ .bins = bins };
    rule->low = rank_is_float(type) || rank_is_signed(type) ? -floor(most) : 0;
    rule->high = floor(most);
    if (rank_is_float(type) && check_once_in(check, 2)) {
        rule->low = (double)check_below(check, 1000) / 8 - 60;
        rule->high = rule->low + 1 + (double)check_below(check, 300) / 7;
    }
    // Half as many bins while edges coincide. edges.c tests that coinciding edges are refused.
    const struct gpuprim_array edges = classify_packed(type, (uint64_t)bins + 1, 1);
    while (!classify_reference_edges(rule, &edges) && rule->bins > 1)
        rule->bins /= 2;
    free(edges.base);
    rule->outside = (enum gpuprim_outside)check_below(check, 3);
    rule->top_inclusive = (unsigned)check_below(check, 2);
}

static uint64_t random_label(struct check *check, enum gpuprim_type type, uint64_t limit)
{
    if (type == GPUPRIM_U32 && check_once_in(check, 5))
        return GPUPRIM_REJECT;
    return check_below(check, limit);
}

static struct gpuprim_array labels_array(struct check *check, uint64_t n, uint64_t limit)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    const enum gpuprim_type type = types[check_below(check, 3)];
    const struct gpuprim_array array = classify_packed(type, n, 1);
    if (limit > rank_all_bits(type))
        limit = rank_all_bits(type) + 1;
    for (uint64_t i = 0; i < n; i++)
        rank_write(&array, 0, i, random_label(check, type, limit));
    return array;
}

void classify_table(struct check *check, enum gpuprim_type type,
                    struct gpuprim_classifier_params *params)
{
    static const uint64_t entries[] = { 1, 2, 3, 16, 100, 256, 1000, 1024, 4096, 65536 };
    uint64_t n = entries[check_below(check, check_once_in(check, 4) ? 10 : 8)];
    struct gpuprim_table *rule = check_allocate(sizeof *rule);
    *params = (struct gpuprim_classifier_params){ .table = rule, .in = type };
    *rule = (struct gpuprim_table){ .shift = 0 };
    if (n - 1 > rank_all_bits(type))
        n = rank_all_bits(type) + 1;
    rule->labels = labels_array(check, n, check_once_in(check, 2) ? 5 : 300);
    rule->shift = (unsigned)check_below(check, check_once_in(check, 2) ? 1 : rank_bits(type));
    if ((n & (n - 1)) != 0 || check_once_in(check, 2))
        rule->mask = 1 + check_below(check, n); // 1 ... n
    if (rule->mask >= n)
        rule->mask = n > 1 ? n - 1 : 0;
}

void classify_cases(struct check *check, enum gpuprim_type type, uint32_t n, uint64_t within,
                    struct gpuprim_classifier_params *params)
{
    struct gpuprim_case *cases = check_allocate(n * sizeof *cases);
    const uint64_t bits = within & rank_all_bits(type), labels = 1 + check_below(check, 200);
    struct gpuprim_cases *rule = check_allocate(sizeof *rule);
    *params = (struct gpuprim_classifier_params){ .cases = rule, .in = type };
    const bool prefixes = check_once_in(check, 3); // what fits is a range of values
    for (uint32_t i = 0; i < n; i++) {
        // Narrow masks and equal cases shadow later ones.
        const uint64_t mask = prefixes
                                  ? rank_all_bits(type) << check_below(check, rank_bits(type))
                                  : (check_random(check) | check_random(check)) & bits;
        cases[i] = (struct gpuprim_case){ .mask = mask & rank_all_bits(type) };
        cases[i].value = check_random(check) & cases[i].mask;
        if (i > 0 && check_once_in(check, 10))
            cases[i] = cases[check_below(check, i)];
        cases[i].label = (uint32_t)random_label(check, GPUPRIM_U32, labels);
    }
    *rule = (struct gpuprim_cases){ .list = cases, .count = n };
    rule->otherwise = (uint32_t)random_label(check, GPUPRIM_U32, labels);
}

void classify_switch(struct check *check, enum gpuprim_type type, uint32_t n,
                     struct gpuprim_classifier_params *params)
{
    struct gpuprim_case *list = check_allocate(n * sizeof *list);
    struct gpuprim_cases *rule = check_allocate(sizeof *rule);
    *params = (struct gpuprim_classifier_params){ .cases = rule, .in = type };
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t mask = rank_all_bits(type), value = check_random(check) & mask;
        list[k] = (struct gpuprim_case){ mask, value, (uint32_t)check_below(check, 200) };
    }
    *rule = (struct gpuprim_cases){ .list = list, .count = n, .otherwise = 200 };
}

void classify_rules(struct check *check, enum gpuprim_type type, unsigned n,
                    struct gpuprim_classifier_params *params)
{
    enum gpuprim_comparison *comparisons = check_allocate(n * sizeof *comparisons);
    struct gpuprim_rules *rule = check_allocate(sizeof *rule);
    *params = (struct gpuprim_classifier_params){ .rules = rule };
    params->in = check_once_in(check, 2) ? type : GPUPRIM_TYPE_INVALID; // the values' type
    *rule = (struct gpuprim_rules){ .comparisons = comparisons };
    rule->values = spread_values(check, type, n, 1,
                                 check_once_in(check, 2) ? SPREAD_RANDOM : SPREAD_CLUSTER);
    for (unsigned k = 0; k < n; k++) {
        // In any order, each of the six about as often.
        const uint64_t other = check_below(check, n), kept = rank_read(&rule->values, 0, k);
        rank_write(&rule->values, 0, k, rank_read(&rule->values, 0, other));
        rank_write(&rule->values, 0, other, kept);
        comparisons[k] = (enum gpuprim_comparison)((k + other) % 6);
    }
    rule->labels = labels_array(check, UINT64_C(1) << n, check_once_in(check, 2) ? 5 : 300);
}

void classify_nan(struct check *check, struct gpuprim_classifier_params *params)
{
    params->nan = (enum gpuprim_nan_class)check_below(check, 3);
    if (params->nan == GPUPRIM_NAN_CLASS)
        params->nan_class = (uint32_t)check_below(check, classify_reference_classes(params));
}

void classify_map(struct check *check, struct gpuprim_classifier_params *params)
{
    const uint64_t classes = classify_reference_classes(params);
    if (check_once_in(check, 2)) // merged, some to nothing
        params->map = labels_array(check, classes, 1 + check_below(check, classes));
    else { // descending
        params->map = classify_packed(classes <= 256 ? GPUPRIM_U8 : GPUPRIM_U32, classes, 1);
        for (uint64_t c = 0; c < classes; c++)
            rank_write(&params->map, 0, c, classes - 1 - c);
    }
}

void classify_free(struct gpuprim_classifier_params *params)
{
    if (params->thresholds)
        free(params->thresholds->values.base);
    if (params->table)
        free(params->table->labels.base);
    if (params->cases)
        free((void *)params->cases->list);
    if (params->rules) {
        free(params->rules->values.base);
        free(params->rules->labels.base);
        free((void *)params->rules->comparisons);
    }
    free(params->map.base);
    free((void *)params->thresholds);
    free((void *)params->uniform);
    free((void *)params->table);
    free((void *)params->cases);
    free((void *)params->rules);
}
