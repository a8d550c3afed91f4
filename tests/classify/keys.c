/* SPDX-License-Identifier: Apache-2.0
 *
 * Each key of a search, the next values on both sides, and some between, with the labels that
 * they should get. */
#include "keys.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 3, BETWEEN = 2, EACH = 2 * AROUND + 1 + BETWEEN, FAR = 6 };

uint64_t classify_one_zero(enum gpuprim_type type, uint64_t rank)
{
    return rank_is_float(type) && rank + 1 == rank_of(type, 0) ? rank + 1 : rank;
}

// How many keys are less than the value, or not greater (or_equal).
static uint32_t place_of(const struct classify_keys *keys, uint64_t rank, bool or_equal)
{
    uint32_t begin = 0, end = keys->n;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (keys->rank[middle] < rank || (or_equal && keys->rank[middle] == rank))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

// Each key, with the next values on both sides, and some between it and the next key. Behind them
// floats have some values that are far from keys.
static struct gpuprim_array around(struct check *check, const struct classify_keys *keys)
{
    const struct gpuprim_array x =
        classify_packed(keys->type, (uint64_t)keys->n * EACH + FAR, 1);
    for (uint64_t i = 0; i < x.count - FAR; i++) {
        const uint64_t k = i / EACH, key = keys->rank[k];
        const int64_t step = (int64_t)(i % EACH) - AROUND;
        uint64_t rank = rank_step(keys->type, key, step > AROUND ? 0 : step);
        if (step > AROUND && k + 1 < keys->n)
            rank = key + check_below(check, keys->rank[k + 1] - key + 1);
        rank_write(&x, 0, i, rank_to_bits(keys->type, rank));
    }
    const double far[FAR] = { -fabs(keys->first), -0.0,     FLT_TRUE_MIN,
                              -INFINITY,          INFINITY, -FLT_MAX };
    for (uint64_t i = 0; i < FAR; i++) {
        const uint64_t rank =
            rank_is_float(keys->type) ? rank_of_double(keys->type, far[i]) : keys->rank[0];
        rank_write(&x, 0, x.count - FAR + i, rank_to_bits(keys->type, rank));
    }
    return x;
}

// Elements are counted without labels, which another search method may do. The counts must agree
// with the labels.
static void count_alone(struct check *check, gpuprim *gp, const char *rule,
                        const gpuprim_classifier *classifier, const struct gpuprim_array *x,
                        const uint32_t *label)
{
    const uint64_t n = gpuprim_classifier_labels(classifier);
    uint32_t *count = check_allocate(n * sizeof *count),
             *expected = check_allocate(n * sizeof *expected);
    const struct gpuprim_array counts = gpuprim_host(GPUPRIM_U32, count, n);
    memset(expected, 0, n * sizeof *expected);
    for (uint64_t i = 0; i < x->count; i++)
        if (label[i] < n) // not a NaN's that no count has
            expected[label[i]]++;
    const int status = gpuprim_classify(gp, classifier, x, NULL, &counts, NULL);
    bool good = CHECK(check, status == GPUPRIM_OK, "%s: %s", rule, gpuprim_last_error());
    for (uint64_t k = 0; good && k < n; k++)
        good =
            CHECK(check, count[k] == expected[k], "%s: %u elements are counted as %llu, not %u",
                  rule, count[k], (unsigned long long)k, expected[k]);
    free(count), free(expected);
}

bool classify_label_around(struct check *check, gpuprim *gp, const char *rule,
                           const struct gpuprim_classifier_params *params,
                           const struct classify_keys *keys, bool closed_left, uint32_t wrap,
                           const char *word)
{
    char text[512] = "";
    gpuprim_classifier *classifier = NULL;
    const struct gpuprim_array x = around(check, keys);
    uint32_t *label = check_allocate(x.count * sizeof *label);
    const struct gpuprim_array labels = gpuprim_host(GPUPRIM_U32, label, x.count);
    check->cases++;
    int status = gpuprim_classifier_create(gp, params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &x, &labels, NULL, NULL);
    if (!status)
        gpuprim_classifier_describe(classifier, text, sizeof text);
    bool good = CHECK(check, status == GPUPRIM_OK, "%s: %s", rule, gpuprim_last_error());
    for (uint64_t i = 0; good && i < x.count; i++) {
        const uint64_t bits = rank_read(&x, 0, i),
                       rank = classify_one_zero(keys->type, rank_of(keys->type, bits));
        const uint32_t place = place_of(keys, rank, closed_left),
                       expected = place == wrap ? 0 : place;
        good = CHECK(check, label[i] == expected,
                     "%s of %s from %a, %a apart, %u keys: bits %llx are in class %u, not %u",
                     rule, gp_type_name(keys->type), keys->first, keys->step, keys->n,
                     (unsigned long long)bits, label[i], expected);
    }
    if (good && keys->are_counted)
        count_alone(check, gp, rule, classifier, &x, label);
    gpuprim_classifier_destroy(&classifier);
    free(x.base), free(label);
    return strstr(text, word) != NULL;
}

bool classify_label_thresholds(struct check *check, gpuprim *gp,
                               const struct classify_keys *keys, bool closed_left,
                               const char *word)
{
    const struct gpuprim_thresholds thresholds = {
        .values = classify_packed(keys->type, keys->n, 1),
        .closed = closed_left ? GPUPRIM_CLOSED_LEFT : GPUPRIM_CLOSED_RIGHT,
    };
    const struct gpuprim_classifier_params params = { .thresholds = &thresholds };
    for (uint32_t k = 0; k < keys->n; k++)
        rank_write(&thresholds.values, 0, k, rank_to_bits(keys->type, keys->rank[k]));
    const bool says = classify_label_around(check, gp, "THRESHOLDS", &params, keys, closed_left,
                                            UINT32_MAX, word);
    free(thresholds.values.base);
    return says;
}
