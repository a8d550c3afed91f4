/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifiers and calls of which nothing is built, for tests of what the host decides
 * (corners.h). */
#include "corners.h"

#include <stdio.h>
#include <string.h>

#include "src/classify/classify.h"

void classify_force(gpuprim *gp, const char *variant)
{
    snprintf(gp->force_variant, sizeof gp->force_variant, "%s", variant);
}

gpuprim *classify_large_gpu(struct check *check, unsigned units)
{
    gpuprim *gp = NULL;
    if (!CHECK(check, gpuprim_create(NULL, &gp) == GPUPRIM_OK, "%s", gpuprim_last_error()))
        return NULL;
    gp->caps.is_cpu = false;
    gp->caps.compute_units = units;
    gp->caps.local_bytes = 48 << 10;
    classify_force(gp, "");
    return gp;
}

// Forces a variant that does not exist, so that no program is built.
int classify_make_unbuilt(gpuprim *gp, const struct gpuprim_classifier_params *params,
                          gpuprim_classifier **out)
{
    char forced[sizeof gp->force_variant];
    strcpy(forced, gp->force_variant);
    classify_force(gp, "classify:none");
    const int status = gpuprim_classifier_create(gp, params, out);
    classify_force(gp, forced);
    return status;
}

gpuprim_classifier *classify_unbuilt(struct check *check, gpuprim *gp,
                                     const struct gpuprim_classifier_params *params)
{
    gpuprim_classifier *c = NULL;
    CHECK(check, classify_make_unbuilt(gp, params, &c) == GPUPRIM_OK, "%s",
          gpuprim_last_error());
    return c;
}

gpuprim_classifier *classify_table_in_turn(struct check *check, gpuprim *gp,
                                           enum gpuprim_type type, uint64_t entries,
                                           unsigned labels)
{
    enum { MOST = 65536 };
    static uint8_t bytes[MOST];
    static uint16_t words[MOST];
    for (unsigned i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(words[i] = (uint16_t)(i % labels));
    const struct gpuprim_table rule = { .labels =
                                            labels > 256
                                                ? gpuprim_host(GPUPRIM_U16, words, entries)
                                                : gpuprim_host(GPUPRIM_U8, bytes, entries),
                                        .mask = entries - 1 };
    const struct gpuprim_classifier_params params = { .table = &rule, .in = type };
    return classify_unbuilt(check, gp, &params);
}

void classify_turn_columns(struct classification *c, uint64_t rows, uint64_t count)
{
    c->in.rows = c->labels.rows = rows;
    c->in.stride = (int64_t)rows;
    c->in.row_stride = 1;
    c->labels.row_stride = (int64_t)count;
}

void classify_count_each(struct classification *c)
{
    c->counts_rows = true;
    c->counts.rows = c->in.rows;
    c->counts.row_stride = (int64_t)c->classifier->labels;
}
