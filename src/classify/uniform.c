/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule UNIFORM: edges by the formula that gpuprim.h states, then a search
 * (search.c) among keys that are the edges. classifier.c calls this file. */
#include "classifier.h"

#include <stdlib.h>
#include <string.h>

// Each operation is rounded by itself: three statements keep compilers from fusing two of them.
static double edge_of(const struct gpuprim_uniform *p, uint32_t j)
{
    const double bins = p->bins;
    const double from_low = p->low * ((bins - j) / bins);
    const double from_high = p->high * (j / bins);
    return j == 0 ? p->low : j == p->bins ? p->high : from_low + from_high;
}

// Whether `value` is an integer type's largest value plus one. As `high` it makes the bins fill
// the type.
static bool is_one_beyond(enum gpuprim_type type, double value)
{
    if (gp_type_is_float(type))
        return false;
    const double half =
        type == GPUPRIM_U64 ? 0x1p63 : (double)(gp_ordinal_highest(type) / 2 + 1);
    return value == 2 * half;
}

// Stores the edge that no element reaches: the type's largest value.
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
                       "low must be less than high, and both finite; they are %g and %g",
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
            return gp_fail(GPUPRIM_E_ARG,
                           "edge %u is %.9g; edges must lie within the range of %s", j,
                           edge_of(p, j), gp_type_name(c->in));
        if (j && gp_ordinal(c->in, edge - size) >= gp_ordinal(c->in, edge))
            return gp_fail(
                GPUPRIM_E_ARG,
                "edges %u and %u are the same value of %s: take fewer bins, or a wider range",
                j - 1, j, gp_type_name(c->in));
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
    // With CLAMP the outer edges decide nothing.
    const bool inner = rule->outside == GPUPRIM_OUTSIDE_CLAMP;
    for (uint32_t j = inner; j <= rule->bins - inner; j++)
        gp_search_add(c, &s, 0, gp_ordinal(c->in, (char *)c->edges + j * gp_type_size(c->in)),
                      j == rule->bins && top_inclusive);
    s.classes = rule->bins + (rule->outside == GPUPRIM_OUTSIDE_CLASSES ? 2 : 0);
    s.first_class = rule->outside == GPUPRIM_OUTSIDE_REJECTED;
    c->may_reject |= rule->outside == GPUPRIM_OUTSIDE_REJECTED;
    status = gp_classify_finish_classes(c, p, &s);
    gp_search_free(&s);
    return status;
}
