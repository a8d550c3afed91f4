/* SPDX-License-Identifier: Apache-2.0
 *
 * What faults.c does with classify: a classifier, a call for labels and counts, and whether
 * those are right, or untouched. */
#include "classify_faults.h"

#include <stdlib.h>
#include <string.h>

enum { BOUND = 1000, CANARY = 0xc5 };

// Elements below BOUND have label 1, others 0.
static bool is_right(const int32_t *x, uint64_t n, const uint8_t *labels,
                     const uint64_t counts[2])
{
    uint64_t below = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (labels[i] != (x[i] < BOUND))
            return false;
        below += x[i] < BOUND;
    }
    return counts[0] == n - below && counts[1] == below;
}

static bool is_untouched(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != CANARY)
            return false;
    return true;
}

int classify_fault(struct check *check, gpuprim *gp, const int32_t *x, uint64_t n, bool *right,
                   bool *untouched)
{
    const int32_t bound = BOUND;
    const uint8_t map[] = { 1, 0 };
    const struct gpuprim_classifier_params params = {
        .thresholds = gpuprim_host(GPUPRIM_I32, &bound, 1),
        .map = gpuprim_host(GPUPRIM_U8, map, 2),
    };
    uint64_t counts[2];
    uint8_t *labels = check_allocate(n);
    memset(labels, CANARY, n);
    memset(counts, CANARY, sizeof counts);
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, n);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_U8, labels, n);
    const struct gpuprim_array counted = gpuprim_host(GPUPRIM_U64, counts, 2);
    gpuprim_classifier *made = NULL;
    int status = gpuprim_classifier_create(gp, &params, &made);
    CHECK(check, (status == GPUPRIM_OK) == (made != NULL),
          "status %d, but the classifier is %s", status, made ? "there" : "not there");
    if (!status)
        status = gpuprim_classify(gp, made, &in, &out, &counted, NULL);
    gpuprim_classifier_destroy(&made);
    *right = is_right(x, n, labels, counts);
    *untouched =
        is_untouched(labels, n) && is_untouched((unsigned char *)counts, sizeof counts);
    free(labels);
    return status;
}
