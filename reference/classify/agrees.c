/* SPDX-License-Identifier: Apache-2.0
 *
 * Which labels a rule can give, and whether labels and counts agree with the reference
 * (classify.c). */
#include "classify.h"

#include <stdlib.h>

#include "reference/reduce/row.h"

static uint64_t integer(const struct gpuprim_array *array, uint64_t row, uint64_t i)
{
    return (uint64_t)reference_integer(reference_element(array, row, i), array->type);
}

// ---------------------------------------------------------------------------------------
// Labels

// Notes a label that the rule can give.
static void note(uint32_t label, uint64_t *labels, bool *rejects)
{
    if (label == GPUPRIM_REJECT)
        *rejects = true;
    else if (label >= *labels)
        *labels = (uint64_t)label + 1;
}

static void survey(const struct gpuprim_classifier_params *params, uint64_t *labels,
                   bool *rejects)
{
    const uint64_t classes = classify_reference_classes(params);
    const struct gpuprim_cases *cases = params->cases;
    const struct gpuprim_array *named = params->table   ? &params->table->labels
                                        : params->rules ? &params->rules->labels
                                                        : &params->map;
    *labels = classes && named->count == 0 ? classes : 0;
    *rejects = false;
    if (cases) {
        for (uint32_t i = 0; i < cases->count; i++)
            note(cases->list[i].label, labels, rejects);
        note(cases->otherwise, labels, rejects);
    } else
        for (uint64_t i = 0; i < named->count; i++)
            note((uint32_t)integer(named, 0, i), labels, rejects);
}

uint64_t classify_reference_labels(const struct gpuprim_classifier_params *params)
{
    uint64_t labels;
    bool rejects;
    survey(params, &labels, &rejects);
    return labels;
}

bool classify_reference_rejects(const struct gpuprim_classifier_params *params,
                                enum gpuprim_type type)
{
    uint64_t labels;
    bool rejects;
    survey(params, &labels, &rejects);
    if (classify_reference_classes(params) && reference_is_float(type))
        rejects |= params->nan == GPUPRIM_NAN_REJECTED;
    if (params->uniform)
        rejects |= params->uniform->outside == GPUPRIM_OUTSIDE_REJECTED;
    return rejects;
}

// ---------------------------------------------------------------------------------------
// Comparing

static bool labels_agree(const struct gpuprim_array *labels, uint64_t row,
                         const uint32_t *expected, char *why, size_t size)
{
    const unsigned bits = 8 * (unsigned)reduce_reference_size(labels->type);
    const uint64_t all_ones = UINT32_MAX >> (32 - bits);
    for (uint64_t i = 0; i < labels->count; i++) {
        const uint64_t got = integer(labels, row, i);
        const uint64_t right = expected[i] == GPUPRIM_REJECT ? all_ones : expected[i];
        if (got != right)
            return reference_wrong(why, size, "row %llu, element %llu: label %llu, not %llu",
                                   (unsigned long long)row, (unsigned long long)i,
                                   (unsigned long long)got, (unsigned long long)right);
    }
    return true;
}

// Adds a row's labels to `counted`, one number for each label.
static bool count_labels(const uint32_t *labels, uint64_t n, uint64_t *counted,
                         uint64_t n_counts, char *why, size_t size)
{
    for (uint64_t i = 0; i < n; i++) {
        if (labels[i] == GPUPRIM_REJECT)
            continue;
        if (labels[i] >= n_counts)
            return reference_wrong(why, size, "no room for label %lu among %llu counts",
                                   (unsigned long)labels[i], (unsigned long long)n_counts);
        counted[labels[i]]++;
    }
    return true;
}

static bool counts_agree(const struct gpuprim_array *counts, const struct gpuprim_array *before,
                         uint64_t row, const uint64_t *counted, char *why, size_t size)
{
    for (uint64_t l = 0; l < counts->count; l++) {
        uint64_t right = counted[l] + (before ? integer(before, row, l) : 0);
        if (counts->type == GPUPRIM_U32)
            right = (uint32_t)right; // wraps
        const uint64_t got = integer(counts, row, l);
        if (got != right)
            return reference_wrong(why, size,
                                   "counts of row %llu: label %llu %llu times, not %llu",
                                   (unsigned long long)row, (unsigned long long)l,
                                   (unsigned long long)got, (unsigned long long)right);
    }
    return true;
}

bool classify_reference_agrees(const struct gpuprim_classifier_params *params,
                               const struct gpuprim_array *in,
                               const struct gpuprim_array *labels,
                               const struct gpuprim_array *counts,
                               const struct gpuprim_array *before, char *why, size_t size)
{
    const uint64_t rows = reference_rows(in), n_counts = counts ? counts->count : 0;
    uint32_t *expected = malloc((rows * in->count + 1) * sizeof *expected);
    uint64_t *counted = calloc(n_counts + 1, sizeof *counted);
    bool good = expected && counted && classify_reference(params, in, expected);
    if (!good)
        reference_wrong(why, size, "no reference: no memory, or edges that do not ascend");
    for (uint64_t row = 0; good && row < rows; row++) {
        const uint32_t *of_row = expected + row * in->count;
        good = !labels || labels_agree(labels, row, of_row, why, size);
        if (!counts || !good)
            continue;
        good = count_labels(of_row, in->count, counted, n_counts, why, size);
        const bool per_row = reference_rows(counts) > 1;
        if (!good || !(per_row || row + 1 == rows))
            continue;
        good = counts_agree(counts, before, per_row ? row : 0, counted, why, size);
        for (uint64_t l = 0; l < n_counts; l++)
            counted[l] = 0;
    }
    if (good && counts && rows == 0 && reference_rows(counts) == 1) // those of no elements
        good = counts_agree(counts, before, 0, counted, why, size);
    free(expected);
    free(counted);
    return good;
}
