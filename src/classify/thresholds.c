/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule THRESHOLDS: a search (search.c) among keys that are the thresholds, or the
 * next larger values where classes are closed on the right. classifier.c calls this file. */
#include "classifier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 32 };

// A threshold as the caller wrote it; of floats with all digits that tell neighbours apart.
static const char *text_of(enum gpuprim_type type, int64_t ordinal, char text[TEXT])
{
    uint64_t bits = 0;
    gp_key_store(type, ordinal, &bits);
    if (gp_type_is_float(type))
        snprintf(text, TEXT, "%.*g", gp_key_size(type) == 8 ? 17 : 9,
                 gp_place_number(gp_key_size(type), bits));
    else if (type == GPUPRIM_U64)
        snprintf(text, TEXT, "%" PRIu64, bits);
    else
        snprintf(text, TEXT, "%" PRId64, ordinal);
    return text;
}

static int descends(enum gpuprim_type type, uint64_t row, uint32_t k, int64_t before,
                    int64_t at)
{
    char first[TEXT], second[TEXT];
    return gp_fail(GPUPRIM_E_ARG,
                   "value %u of row %llu (%s) is less than value %u (%s), but thresholds must "
                   "ascend",
                   k, (unsigned long long)row, text_of(type, at, second), k - 1,
                   text_of(type, before, first));
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
            if (gp_ordinal_is_nan(c->in, at))
                return gp_fail(GPUPRIM_E_ARG, "value %u of row %llu must not be NaN", k,
                               (unsigned long long)row);
            if (at < before)
                return descends(c->in, row, k, before, at);
            before = at;
            // t < x means the same as: the next larger value <= x.
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
    int status = gp_classify_read_values(c, &rule->values, CLASSIFY_MAX_KEYS, &array, &values);
    if (!status)
        status = gp_search_allocate(&s, array.rows, (uint32_t)array.count);
    if (!status)
        status = take_thresholds(c, rule->closed == GPUPRIM_CLOSED_RIGHT, &array, values, &s);
    if (!status) {
        s.classes = (uint32_t)array.count + 1;
        status = gp_classify_finish_classes(c, p, &s);
    }
    gp_search_free(&s);
    free(values);
    return status;
}
