/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifiers: what is checked of all rules alike; their making, their end, and what can be
 * asked of them. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

int gp_classify_no_memory(void)
{
    return gp_fail(GPUPRIM_E_MEMORY, "classifier: out of memory");
}

int gp_classify_read(gpuprim *gp, const struct gp_array *array, const char *name,
                     unsigned char **out)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(array->rows, array->count * array->size, &bytes) ||
        bytes > SIZE_MAX - 1)
        return gp_fail(GPUPRIM_E_RANGE, "%s: its size overflows", name);
    *out = malloc((size_t)bytes + 1);
    return *out ? gp_array_read(gp, array, name, *out) : gp_classify_no_memory();
}

// ---------------------------------------------------------------------------------------
// Labels

void gp_classify_note_label(struct gpuprim_classifier *c, uint32_t label)
{
    if (label == GPUPRIM_REJECT)
        c->may_reject = true;
    else if (label >= c->labels)
        c->labels = (uint64_t)label + 1;
}

int gp_classify_read_labels(struct gpuprim_classifier *c, const struct gpuprim_array *array,
                            const char *name, uint32_t **out, uint64_t *n)
{
    struct gp_array labels;
    unsigned char *values = NULL;
    int status = gp_array_resolve(c->gp, array, name, false, &labels);
    if (status)
        return status;
    if (labels.type != GPUPRIM_U8 && labels.type != GPUPRIM_U16 && labels.type != GPUPRIM_U32)
        return gp_fail(GPUPRIM_E_TYPE, "%s: labels of %s, not of u8, u16 or u32", name,
                       gp_type_name(labels.type));
    // A map for CLASSES has two entries beyond the most bins.
    if (labels.rows != 1 || labels.count < 1 || labels.count > CLASSIFY_MAX_KEYS + 2)
        return gp_fail(GPUPRIM_E_ARG, "%s: %llu rows of %llu labels", name,
                       (unsigned long long)labels.rows, (unsigned long long)labels.count);
    status = gp_classify_read(c->gp, &labels, name, &values);
    uint32_t *wide = status ? NULL : calloc(labels.count, sizeof *wide);
    if (!status && !wide)
        status = gp_classify_no_memory();
    for (uint64_t i = 0; !status && i < labels.count; i++) {
        memcpy(&wide[i], values + i * labels.size, labels.size);
        gp_classify_note_label(c, wide[i]);
    }
    free(values);
    *out = wide;
    *n = labels.count;
    return status;
}

// ---------------------------------------------------------------------------------------
// Parameters

#define RULE(name) (1u << GPUPRIM_##name)

static bool is_given(const struct gpuprim_array *array)
{
    return array->base || array->count;
}

// Options that are set although the rule does not have them.
static int check_strays(const struct gpuprim_classifier_params *p)
{
    const unsigned searches = RULE(THRESHOLDS) | RULE(UNIFORM);
    const struct {
        const char *name;
        bool is_set;
        unsigned rules;
    } options[] = {
        { "thresholds", is_given(&p->thresholds), RULE(THRESHOLDS) | RULE(RULES) },
        { "closed", p->closed != 0, RULE(THRESHOLDS) },
        { "nan", p->nan != 0, searches },
        { "nan_class", p->nan_class != 0, searches },
        { "low", p->low != 0, RULE(UNIFORM) },
        { "high", p->high != 0, RULE(UNIFORM) },
        { "bins", p->bins != 0, RULE(UNIFORM) },
        { "outside", p->outside != 0, RULE(UNIFORM) },
        { "top_inclusive", p->top_inclusive != 0, RULE(UNIFORM) },
        { "table", is_given(&p->table), RULE(TABLE) | RULE(RULES) },
        { "shift", p->shift != 0, RULE(TABLE) },
        { "mask", p->mask != 0, RULE(TABLE) },
        { "cases", p->cases || p->n_cases, RULE(CASES) },
        { "otherwise", p->otherwise != 0, RULE(CASES) },
        { "comparisons", p->comparisons != NULL, RULE(RULES) },
        { "map", is_given(&p->map), searches },
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_set && !(options[i].rules & 1u << p->rule))
            return gp_fail(GPUPRIM_E_ARG, "classifier: the rule has no option %s",
                           options[i].name);
    return GPUPRIM_OK;
}

static int check_options(const struct gpuprim_classifier_params *p)
{
    if (p->reserved[0] | p->reserved[1] | p->reserved[2] | p->reserved[3])
        return gp_fail(GPUPRIM_E_ARG, "classifier: reserved members of params must be zero");
    if ((unsigned)p->rule > GPUPRIM_RULES)
        return gp_fail(GPUPRIM_E_ARG, "classifier: %d is no rule", (int)p->rule);
    if ((unsigned)p->closed > GPUPRIM_CLOSED_RIGHT)
        return gp_fail(GPUPRIM_E_ARG, "classifier: closed is %d", (int)p->closed);
    if ((unsigned)p->nan > GPUPRIM_NAN_REJECTED)
        return gp_fail(GPUPRIM_E_ARG, "classifier: nan is %d", (int)p->nan);
    if ((unsigned)p->outside > GPUPRIM_OUTSIDE_CLASSES)
        return gp_fail(GPUPRIM_E_ARG, "classifier: outside is %d", (int)p->outside);
    if (p->top_inclusive > 1 || p->accumulate > 1)
        return gp_fail(GPUPRIM_E_ARG, "classifier: %s is %u, neither 0 nor 1",
                       p->accumulate > 1 ? "accumulate" : "top_inclusive",
                       p->accumulate > 1 ? p->accumulate : p->top_inclusive);
    return check_strays(p);
}

static int check_type(gpuprim *gp, const struct gpuprim_classifier_params *p,
                      enum gpuprim_type *in)
{
    const bool has_thresholds = p->rule == GPUPRIM_THRESHOLDS || p->rule == GPUPRIM_RULES;
    *in = p->in || !has_thresholds ? p->in : p->thresholds.type;
    if (!gp_type_size(*in) || *in == GPUPRIM_C32)
        return gp_fail(GPUPRIM_E_TYPE, "classifier: input of type %s (%d)", gp_type_name(*in),
                       (int)*in);
    if (gp_type_is_float(*in) && (p->rule == GPUPRIM_TABLE || p->rule == GPUPRIM_CASES))
        return gp_fail(GPUPRIM_E_TYPE, "classifier: TABLE and CASES take integers, not %s",
                       gp_type_name(*in));
    if (*in == GPUPRIM_F64 && !gp->caps.has_fp64)
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "classifier: %s has no double precision",
                       gp->caps.device);
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Making

static int compile(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p)
{
    switch (p->rule) {
    case GPUPRIM_THRESHOLDS:
        return gp_classify_thresholds(c, p);
    case GPUPRIM_UNIFORM:
        return gp_classify_uniform(c, p);
    case GPUPRIM_TABLE:
        return gp_classify_table(c, p);
    case GPUPRIM_CASES:
        return gp_classify_cases(c, p);
    default:
        return gp_classify_rules(c, p);
    }
}

static int upload(struct gpuprim_classifier *c)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(c->gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   c->words * sizeof *c->tables, c->tables, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (classifier)");
    c->memory = memory;
    free(c->tables); // the device has them
    c->tables = NULL;
    return GPUPRIM_OK;
}

static void warn_of_shadowed(const struct gpuprim_classifier *c)
{
    if (c->n_shadowed)
        gp_log(c->gp, GPUPRIM_LOG_WARN,
               "classifier: %u of the cases can never decide, the first of them %u",
               c->n_shadowed, c->shadowed[0]);
}

int gpuprim_classifier_create(gpuprim *gp, const struct gpuprim_classifier_params *params,
                              gpuprim_classifier **out)
{
    gp_enter("gpuprim_classifier_create");
    enum gpuprim_type in;
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!params || !out)
        return gp_fail(GPUPRIM_E_ARG, "classifier: %s is NULL", params ? "out" : "params");
    status = check_options(params);
    if (!status)
        status = check_type(gp, params, &in);
    if (status)
        return status;
    struct gpuprim_classifier *c = calloc(1, sizeof *c);
    if (!c)
        return gp_classify_no_memory();
    atomic_init(&c->references, 1);
    c->gp = gp;
    c->rule = params->rule;
    c->in = in;
    c->rows = 1;
    c->accumulates = params->accumulate;
    status = compile(c, params);
    if (!status)
        status = upload(c);
    if (!status)
        status = gp_classify_prepare(c);
    if (status) {
        gp_classifier_release(c);
        return status;
    }
    warn_of_shadowed(c);
    *out = c;
    return GPUPRIM_OK;
}

// A caller's classifier is const because none of it changes but this count.
void gp_classifier_retain(const struct gpuprim_classifier *classifier)
{
    struct gpuprim_classifier *c = (struct gpuprim_classifier *)(uintptr_t)classifier;
    atomic_fetch_add(&c->references, 1);
}

void gp_classifier_release(const struct gpuprim_classifier *classifier)
{
    struct gpuprim_classifier *c = (struct gpuprim_classifier *)(uintptr_t)classifier;
    if (atomic_fetch_sub(&c->references, 1) != 1)
        return;
    if (c->memory)
        clReleaseMemObject(c->memory);
    free(c->tables);
    free(c->edges);
    free(c->shadowed);
    free(c);
}

void gpuprim_classifier_destroy(gpuprim_classifier **classifier)
{
    if (!classifier || !*classifier)
        return;
    gp_classifier_release(*classifier);
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
        return gp_fail(GPUPRIM_E_ARG, "edges: the classifier is NULL");
    int status = gp_context_check(classifier->gp);
    if (!status)
        status = gp_array_resolve(classifier->gp, edges, "edges", false, &to);
    if (status)
        return status;
    if (!classifier->edges)
        return gp_fail(GPUPRIM_E_ARG, "edges: only the rule UNIFORM has edges");
    if (to.type != classifier->in)
        return gp_fail(GPUPRIM_E_TYPE, "edges: they are %s, the array is %s",
                       gp_type_name(classifier->in), gp_type_name(to.type));
    const uint64_t n = (uint64_t)classifier->bins + 1;
    if (to.memory != GPUPRIM_HOST || to.rows != 1 || to.stride != 1 || to.count != n)
        return gp_fail(GPUPRIM_E_ARG, "edges: needed is a packed host array of %llu elements",
                       (unsigned long long)n);
    memcpy((char *)to.base + to.first * (int64_t)to.size, classifier->edges, n * to.size);
    return GPUPRIM_OK;
}
