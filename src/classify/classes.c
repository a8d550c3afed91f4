/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: what the rules THRESHOLDS (thresholds.c) and UNIFORM (uniform.c) have in common
 * once their keys are known: the class of NaNs, and the map from classes to labels. search.c
 * then makes the tables. */
#include "classifier.h"

#include <stdlib.h>

// Takes nan, nan_class and the map from *p. The caller frees *map.
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

int gp_classify_finish_classes(struct gpuprim_classifier *c,
                               const struct gpuprim_classifier_params *p,
                               struct classify_search *s)
{
    uint32_t *map = NULL;
    int status = take_classes(c, p, s, &map);
    if (!status)
        status = gp_search_finish(c, s);
    free(map);
    return status;
}
