/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: gpuprim_classify and gpuprim_classify_prepare check the arguments of a call and
 * settle its rows. run.c runs the call, plan.c builds for it. Also what `gpuprim info` prints
 * of classify. */
#include "classify.h"

#include <stdio.h>

static int check_labels(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const struct gp_array *in = &c->in, *labels = &c->labels;
    const enum gpuprim_type type = labels->type;
    if (type != GPUPRIM_U8 && type != GPUPRIM_U16 && type != GPUPRIM_U32)
        return gp_fail(GPUPRIM_E_TYPE, "labels must be of u8, u16 or u32, not of %s",
                       gp_type_name(type));
    if (labels->size < gp_type_size(gp_classify_narrowest(f)))
        return gp_fail(GPUPRIM_E_ARG, "%llu labels%s need %s at least, not %s",
                       (unsigned long long)f->labels,
                       f->may_reject ? " and the value of rejected elements" : "",
                       gp_type_name(gp_classify_narrowest(f)), gp_type_name(type));
    if (labels->rows != in->rows || labels->count != in->count)
        return gp_fail(GPUPRIM_E_ARG,
                       "in has %llu rows of %llu elements, labels must have as many, not "
                       "%llu rows of %llu",
                       (unsigned long long)in->rows, (unsigned long long)in->count,
                       (unsigned long long)labels->rows, (unsigned long long)labels->count);
    return GPUPRIM_OK;
}

static int check_counts(struct classification *c)
{
    const struct gp_array *in = &c->in, *counts = &c->counts;
    const uint64_t labels = c->classifier->labels;
    if (counts->type != GPUPRIM_U32 && counts->type != GPUPRIM_U64)
        return gp_fail(GPUPRIM_E_TYPE, "counts must be of u32 or u64, not of %s",
                       gp_type_name(counts->type));
    if (counts->count != labels || (counts->rows != 1 && counts->rows != in->rows))
        return gp_fail(GPUPRIM_E_ARG,
                       "counts must be one row of %llu, or one for each of the %llu rows, "
                       "not %llu rows of %llu",
                       (unsigned long long)labels, (unsigned long long)in->rows,
                       (unsigned long long)counts->rows, (unsigned long long)counts->count);
    c->counts_rows = counts->rows > 1;
    return GPUPRIM_OK;
}

static int check_input(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    uint64_t all;
    if (c->in.type != f->in)
        return gp_fail(GPUPRIM_E_TYPE, "in must be %s, which the classifier takes, not %s",
                       gp_type_name(f->in), gp_type_name(c->in.type));
    if (f->rows != 1 && f->rows != c->in.rows)
        return gp_fail(GPUPRIM_E_ARG,
                       "the classifier has thresholds for %llu rows, but in has %llu rows",
                       (unsigned long long)f->rows, (unsigned long long)c->in.rows);
    if (__builtin_mul_overflow(c->in.rows, c->in.count, &all))
        return gp_fail(GPUPRIM_E_RANGE, "the number of elements overflows 64 bits");
    return GPUPRIM_OK;
}

// The stretches of memory from the first to the last element of each array must be disjoint.
static int check_overlap(const struct classification *c)
{
    const char *what = NULL;
    if (gp_arrays_overlap(&c->in, &c->labels))
        what = "in and labels";
    else if (gp_arrays_overlap(&c->in, &c->counts))
        what = "in and counts";
    else if (gp_arrays_overlap(&c->labels, &c->counts))
        what = "labels and counts";
    return what ? gp_fail(GPUPRIM_E_ARG, "%s overlap", what) : GPUPRIM_OK;
}

// `ignore_base`: base of the arrays is not looked at.
static int check(gpuprim *gp, const gpuprim_classifier *classifier,
                 const struct gpuprim_array *in, const struct gpuprim_array *labels,
                 const struct gpuprim_array *counts, bool ignore_base, struct classification *c)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!classifier)
        return gp_fail(GPUPRIM_E_ARG, "classifier is NULL");
    if (classifier->gp != gp)
        return gp_fail(GPUPRIM_E_ARG, "the classifier belongs to another context");
    if (!labels && !counts)
        return gp_fail(GPUPRIM_E_ARG,
                       "labels and counts are both NULL: one of them must be given");
    c->classifier = classifier;
    c->has_labels = labels != NULL;
    c->has_counts = counts != NULL;
    status = gp_array_resolve(gp, in, "in", ignore_base, &c->in);
    if (!status && labels)
        status = gp_array_resolve(gp, labels, "labels", ignore_base, &c->labels);
    if (!status && counts)
        status = gp_array_resolve(gp, counts, "counts", ignore_base, &c->counts);
    if (!status)
        status = check_input(c);
    if (!status && labels)
        status = check_labels(c);
    if (!status && counts)
        status = check_counts(c);
    if (!status)
        status = check_overlap(c);
    return status;
}

// Settles how many rows there are. False: there is nothing to compute.
static bool settle_rows(struct classification *c)
{
    if (c->in.rows == 0) {
        if (!c->has_counts || c->counts.rows == 0)
            return false;
        // The counts of no rows are those of one row without elements.
        c->in.rows = c->labels.rows = 1;
        c->in.count = c->labels.count = 0;
    }
    gp_classify_normalise(c);
    return true;
}

int gpuprim_classify(gpuprim *gp, const gpuprim_classifier *classifier,
                     const struct gpuprim_array *in, const struct gpuprim_array *labels,
                     const struct gpuprim_array *counts, const struct gpuprim_sync *sync)
{
    gp_enter("gpuprim_classify");
    const struct gp_again again = { .kept = classifier ? classifier->repeats : NULL,
                                    .form = &gp_classify_form,
                                    .arrays = { in, labels, counts },
                                    .lasting = classifier ? classifier->by_value : NULL };
    int status;
    if (classifier && classifier->gp == gp && gp_repeat(gp, &again, sync, &status))
        return status;
    struct classify_choice choice;
    struct classification c = { .choice = &choice };
    status = check(gp, classifier, in, labels, counts, false, &c);
    if (status)
        return status;
    if (sync && gp_classify_is_on_host(&c))
        return gp_fail(GPUPRIM_E_ARG, "with host arrays sync must be NULL");
    if (!settle_rows(&c))
        return gp_call_nothing(gp, sync);
    return gp_classify_run(gp, &c, sync, &again);
}

int gpuprim_classify_prepare(gpuprim *gp, const gpuprim_classifier *classifier,
                             const struct gpuprim_array *in, const struct gpuprim_array *labels,
                             const struct gpuprim_array *counts)
{
    gp_enter("gpuprim_classify_prepare");
    struct classify_choice choice;
    struct classification c = { .choice = &choice };
    const int status = check(gp, classifier, in, labels, counts, true, &c);
    if (status)
        return status;
    return settle_rows(&c) ? gp_classify_build(gp, &c) : GPUPRIM_OK;
}

// A search among 255 thresholds.
int gp_classify_describe(gpuprim *gp, char *text, size_t size)
{
    const struct gpuprim_classifier classifier = {
        .gp = gp,
        .in = GPUPRIM_F32,
        .method = METHOD_SEARCH,
        .rows = 1,
        .n = 255,
        .classes = 256,
        .labels = 256,
        .entry_bytes = sizeof(cl_uint),
        .index = { .method = SEARCH_TREE, .levels = 8, .words = 256 },
        .index_at = 2,
        .words = 258
    };
    struct classify_choice choice;
    const struct classification c =
        gp_classify_packed_call(&classifier, CLASSIFY_LONG, true, false, &choice);
    struct gp_plan plan;
    const int status = gp_plan_alone(gp, &gp_primitive_classify, &c, &plan);
    if (status)
        return status;
    const struct classify_ops *ops = plan.variant->ops;
    struct classify_layout l = { .groups = 0 };
    ops->lay_out(gp, &c, plan.variant, plan.program, c.in.rows, c.in.count, &l);
    gp_plan_describe(gp, &plan, "2^26 f32 among 255 thresholds", l.groups, text, size);
    return GPUPRIM_OK;
}
