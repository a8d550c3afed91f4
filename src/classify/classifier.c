/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: makes, destroys and asks classifiers (gpuprim_classifier_create, _destroy, _labels
 * and _edges). Checks which rule is given and the parameters that several rules share. The
 * rule's own file does the rest: thresholds.c, uniform.c, table.c, cases.c or comparisons.c. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------
// Parameters

// A rule: whether the params give it, and what makes a classifier of it.
struct rule {
    const char *name;
    bool is_given;
    bool has_classes;  // takes nan, nan_class and map
    bool has_integers; // takes integers only
    const uint64_t *reserved;
    const struct gpuprim_array *values; // whose type is the input's, or NULL
    gp_classify_rule *compile;
};
enum { RULES = 5 };

static bool is_given(const struct gpuprim_array *array)
{
    return array->base || array->count;
}

// Finds the one rule that the params give.
static int find_rule(const struct gpuprim_classifier_params *p, struct rule *out)
{
    const struct rule rules[RULES] = {
        { .name = "thresholds",
          .is_given = p->thresholds,
          .has_classes = true,
          .reserved = p->thresholds ? p->thresholds->reserved : NULL,
          .values = p->thresholds ? &p->thresholds->values : NULL,
          .compile = gp_classify_thresholds },
        { .name = "uniform",
          .is_given = p->uniform,
          .has_classes = true,
          .reserved = p->uniform ? p->uniform->reserved : NULL,
          .compile = gp_classify_uniform },
        { .name = "table",
          .is_given = p->table,
          .has_integers = true,
          .reserved = p->table ? p->table->reserved : NULL,
          .compile = gp_classify_table },
        { .name = "cases",
          .is_given = p->cases,
          .has_integers = true,
          .reserved = p->cases ? p->cases->reserved : NULL,
          .compile = gp_classify_cases },
        { .name = "rules",
          .is_given = p->rules,
          .reserved = p->rules ? p->rules->reserved : NULL,
          .values = p->rules ? &p->rules->values : NULL,
          .compile = gp_classify_comparisons },
    };
    const struct rule *found = NULL;
    for (int i = 0; i < RULES; i++) {
        if (!rules[i].is_given)
            continue;
        if (found)
            return gp_fail(GPUPRIM_E_ARG, "exactly one rule must be given, not both %s and %s",
                           found->name, rules[i].name);
        found = &rules[i];
    }
    if (!found)
        return gp_fail(GPUPRIM_E_ARG, "no rule is given: one of thresholds, uniform, "
                                      "table, cases and rules must not be NULL");
    *out = *found;
    return GPUPRIM_OK;
}

// Options that are set although the rule has no classes.
static int check_classes(const struct rule *rule, const struct gpuprim_classifier_params *p)
{
    const char *option = p->nan              ? "nan"
                         : p->nan_class      ? "nan_class"
                         : is_given(&p->map) ? "a map"
                                             : NULL;
    if (option && !rule->has_classes)
        return gp_fail(GPUPRIM_E_ARG, "only thresholds and uniform take %s, not %s", option,
                       rule->name);
    return GPUPRIM_OK;
}

static int check_flag(const char *name, unsigned flag)
{
    if (flag > 1)
        return gp_fail(GPUPRIM_E_ARG, "%s must be 0 or 1, not %u", name, flag);
    return GPUPRIM_OK;
}

static int check_options(const struct rule *rule, const struct gpuprim_classifier_params *p)
{
    const struct gpuprim_thresholds *t = p->thresholds;
    const struct gpuprim_uniform *u = p->uniform;
    int status = gp_reserved_check(p->reserved, "params");
    if (!status)
        status = gp_reserved_check(rule->reserved, rule->name);
    if (!status)
        status = check_flag("accumulate", p->accumulate);
    if (!status && u)
        status = check_flag("top_inclusive", u->top_inclusive);
    if (status)
        return status;
    if (t && (unsigned)t->closed > GPUPRIM_CLOSED_RIGHT)
        return gp_fail(GPUPRIM_E_ARG,
                       "closed must be CLOSED_LEFT (0) or CLOSED_RIGHT (1), not %d",
                       (int)t->closed);
    if (u && (unsigned)u->outside > GPUPRIM_OUTSIDE_CLASSES)
        return gp_fail(GPUPRIM_E_ARG, "outside must be 0 to 2 (enum gpuprim_outside), not %d",
                       (int)u->outside);
    if ((unsigned)p->nan > GPUPRIM_NAN_REJECTED)
        return gp_fail(GPUPRIM_E_ARG, "nan must be 0 to 2 (enum gpuprim_nan_class), not %d",
                       (int)p->nan);
    return check_classes(rule, p);
}

static int check_type(gpuprim *gp, const struct rule *rule,
                      const struct gpuprim_classifier_params *p, enum gpuprim_type *in)
{
    *in = p->in || !rule->values ? p->in : rule->values->type;
    if (!gp_type_size(*in) || *in == GPUPRIM_C32)
        return gp_fail(GPUPRIM_E_TYPE, "in must be a real type, not %s (%d)", gp_type_name(*in),
                       (int)*in);
    if (gp_type_is_float(*in) && rule->has_integers)
        return gp_fail(GPUPRIM_E_TYPE, "%s takes integers, not %s", rule->name,
                       gp_type_name(*in));
    if (*in == GPUPRIM_F64 && !gp->caps.has_fp64)
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "%s has no double precision, which f64 needs",
                       gp->caps.device);
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Making

static int upload(struct gpuprim_classifier *c)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(c->gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   c->words * sizeof *c->tables, c->tables, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (classifier)");
    c->memory = memory;
    if (c->words <= MOST_BY_VALUE)
        memcpy(c->by_value, c->tables, c->words * sizeof *c->tables);
    free(c->tables); // the device has them
    c->tables = NULL;
    return GPUPRIM_OK;
}

static void warn_of_shadowed(const struct gpuprim_classifier *c)
{
    if (c->n_shadowed)
        gp_log(c->gp, GPUPRIM_LOG_WARN,
               "gpuprim_classifier_create: %u of the cases can never decide; the first of them "
               "is case %u",
               c->n_shadowed, c->shadowed[0]);
}

int gpuprim_classifier_create(gpuprim *gp, const struct gpuprim_classifier_params *params,
                              gpuprim_classifier **out)
{
    gp_enter("gpuprim_classifier_create");
    struct rule rule = { .name = NULL };
    enum gpuprim_type in;
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!params || !out)
        return gp_fail(GPUPRIM_E_ARG, "%s is NULL", params ? "out" : "params");
    status = find_rule(params, &rule);
    if (!status)
        status = check_options(&rule, params);
    if (!status)
        status = check_type(gp, &rule, params, &in);
    if (status)
        return status;
    struct gpuprim_classifier *c = calloc(1, sizeof *c);
    if (!c)
        return gp_classify_no_memory();
    c->gp = gp;
    c->rule = rule.name;
    c->in = in;
    c->rows = 1;
    c->accumulates = params->accumulate;
    status = gp_classify_make_newest(c);
    if (!status)
        status = rule.compile(c, params);
    if (!status)
        status = gp_classify_table_intervals(c);
    if (!status)
        status = upload(c);
    if (!status)
        status = gp_classify_build_packed(c);
    if (status) {
        gpuprim_classifier_destroy(&c);
        return status;
    }
    warn_of_shadowed(c);
    *out = c;
    return GPUPRIM_OK;
}

void gpuprim_classifier_destroy(gpuprim_classifier **classifier)
{
    if (!classifier || !*classifier)
        return;
    struct gpuprim_classifier *c = *classifier;
    if (c->memory)
        clReleaseMemObject(c->memory);
    free(c->tables);
    free(c->edges);
    free(c->shadowed);
    free(c->newest);
    free(c->repeats);
    free(c);
    *classifier = NULL;
}

// ---------------------------------------------------------------------------------------
// Asking

uint64_t gpuprim_classifier_labels(const gpuprim_classifier *classifier)
{
    return classifier ? classifier->labels : 0;
}

int gpuprim_classifier_edges(const gpuprim_classifier *classifier,
                             const struct gpuprim_array *edges)
{
    gp_enter("gpuprim_classifier_edges");
    struct gp_array to;
    if (!classifier)
        return gp_fail(GPUPRIM_E_ARG, "classifier is NULL");
    int status = gp_context_check(classifier->gp);
    if (!status)
        status = gp_array_resolve(classifier->gp, edges, "edges", false, &to);
    if (status)
        return status;
    if (!classifier->edges)
        return gp_fail(GPUPRIM_E_ARG,
                       "only a classifier of the rule uniform has edges, not of %s",
                       classifier->rule);
    if (to.type != classifier->in)
        return gp_fail(GPUPRIM_E_TYPE, "edges must be of %s, as the input is, not of %s",
                       gp_type_name(classifier->in), gp_type_name(to.type));
    const uint64_t n = (uint64_t)classifier->bins + 1;
    if (to.memory != GPUPRIM_HOST || to.rows != 1 || to.stride != 1 || to.count != n)
        return gp_fail(GPUPRIM_E_ARG, "edges must be a packed host array of %llu elements",
                       (unsigned long long)n);
    memcpy((char *)to.base + to.first * (int64_t)to.size, classifier->edges, n * to.size);
    return GPUPRIM_OK;
}
