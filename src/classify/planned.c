/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of a call: variant, program, what the variant decides, and the layout. A classifier
 * keeps the newest plans, because most calls have the shape of one before. */
#include "classify.h"

#include <stdlib.h>

// What a plan follows from, beside the classifier; no place of an array is a part of it. Shapes are
// compared as bytes, and have no padding.
struct array_shape {
    uint64_t type, count, rows;
    int64_t stride, row_stride;
};
struct shape {
    struct array_shape in, labels, counts;
    uint64_t has_labels, has_counts, counts_rows;
};

struct classify_newest {
    struct gp_newest_plans plans;
    struct entry {
        struct shape shape;
        struct classify_choice choice;
        struct gp_plan plan;
        struct classify_layout layout;
    } entries[GP_NEWEST];
};

static struct array_shape array_shape_of(const struct gp_array *a)
{
    return (struct array_shape){ a->type, a->count, a->rows, a->stride, a->row_stride };
}

static struct shape shape_of(const struct classification *c)
{
    return (struct shape){ .in = array_shape_of(&c->in),
                           .labels = array_shape_of(&c->labels),
                           .counts = array_shape_of(&c->counts),
                           .has_labels = c->has_labels,
                           .has_counts = c->has_counts,
                           .counts_rows = c->counts_rows };
}

void gp_classify_lay_out(gpuprim *gp, const struct classification *c,
                         const struct gp_plan *plan, uint64_t rows, uint64_t count,
                         struct classify_layout *out)
{
    const struct classify_ops *ops = plan->variant->ops;
    *out = (struct classify_layout){ .groups = 0 };
    if (rows && count)
        ops->lay_out(gp, c, plan->variant, plan->program, rows, count, out);
}

bool gp_classify_is_on_host(const struct classification *c)
{
    return c->in.memory == GPUPRIM_HOST ||
           (c->has_labels && c->labels.memory == GPUPRIM_HOST) ||
           (c->has_counts && c->counts.memory == GPUPRIM_HOST);
}

int gp_classify_plan(gpuprim *gp, const struct classification *c, struct gp_plan *plan,
                     struct classify_layout *layout)
{
    const struct shape shape = shape_of(c);
    // Tests force one variant after another.
    struct classify_newest *newest =
        gp_classify_is_on_host(c) || gp->force_variant[0] || gp->force_work_group
            ? NULL
            : c->classifier->newest;
    struct entry *entry = newest ? gp_newest_find(&newest->plans, newest->entries,
                                                  sizeof *entry, &shape, sizeof shape)
                                 : NULL;
    if (entry) {
        *c->choice = entry->choice;
        *plan = entry->plan;
        *layout = entry->layout;
        return GPUPRIM_OK;
    }
    const int status = gp_plan(gp, &gp_primitive_classify, c, plan);
    if (status)
        return status;
    gp_classify_lay_out(gp, c, plan, c->in.rows, c->in.count, layout);
    if (newest) {
        entry = gp_newest_replace(&newest->plans, newest->entries, sizeof *entry);
        *entry = (struct entry){ shape, *c->choice, *plan, *layout };
    }
    return GPUPRIM_OK;
}

int gp_classify_make_newest(struct gpuprim_classifier *c)
{
    c->newest = calloc(1, sizeof *c->newest);
    c->repeats = calloc(1, sizeof *c->repeats);
    return c->newest && c->repeats ? GPUPRIM_OK : gp_classify_no_memory();
}
