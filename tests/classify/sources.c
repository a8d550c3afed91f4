/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of classify for `check --sources` (harness/sources.h): for each variant and type
 * keys that lie in every way, tables, chains and hash tables, with labels, counts and both. */
#include "case.h"

static void rule(struct check *check, enum gpuprim_type type, unsigned method,
                 struct gpuprim_classifier_params *params)
{
    static const struct {
        uint64_t keys;
        enum classify_spread spread;
    } searches[] = { { 3, SPREAD_RANDOM }, { 100, SPREAD_EVEN },    { 100, SPREAD_NEARLY },
                     { 100, SPREAD_LOG },  { 1000, SPREAD_RANDOM }, { 100, SPREAD_CLUSTER } };
    if (method < 6)
        classify_thresholds(check, type, searches[method].keys, 1, searches[method].spread,
                            params);
    else if (method > 7)
        classify_switch(check, type, method == 8 ? 20 : 1000, params);
    else
        classify_cases(check, type, method == 6 ? 14 : 3, method == 6 ? 0x1f : UINT64_MAX,
                       params);
}

static int call(struct check *check, gpuprim *gp, const char *variant, unsigned i,
                enum gpuprim_type *type)
{
    static const enum gpuprim_type labels[] = { GPUPRIM_U16, GPUPRIM_U32, GPUPRIM_U16 };
    uint64_t x[1] = { 0 }, out[1] = { 0 };
    static uint64_t counts[1 << 16];
    struct gpuprim_classifier_params params = { .in = GPUPRIM_TYPE_INVALID };
    gpuprim_classifier *classifier = NULL;
    const unsigned outputs = (i + i / CLASSIFY_TYPES) % 3; // labels, counts, both
    const unsigned method = i / CLASSIFY_TYPES;
    (void)variant;
    *type = classify_types[i % CLASSIFY_TYPES];
    if (method > 5 && i % CLASSIFY_TYPES >= CLASSIFY_INTEGERS)
        *type = GPUPRIM_U32;
    rule(check, *type, method, &params);
    sources_name("%u.%s", method, gp_type_name(*type));
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status) {
        const struct gpuprim_array in = gpuprim_host(*type, x, 1);
        const struct gpuprim_array label = gpuprim_host(labels[i % 3], out, 1);
        const struct gpuprim_array counted =
            gpuprim_host(GPUPRIM_U32, counts, gpuprim_classifier_labels(classifier));
        status = gpuprim_classify(gp, classifier, &in, outputs == 1 ? NULL : &label,
                                  outputs == 0 ? NULL : &counted, NULL);
    }
    gpuprim_classifier_destroy(&classifier);
    classify_free(&params);
    return status;
}

const struct check_sources classify_sources = { 10 * CLASSIFY_TYPES, call };
