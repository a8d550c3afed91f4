/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant baseline of classify: any device, any stride, any number of rows of keys, any
 * work-group size. The kernel is kernels/classify/baseline.cl. */
#include "classify.h"

#include <stdio.h>

enum {
    // Elements of a group, at least. A guess: a group costs a CPU more than some elements.
    CPU_SHARE = 4096,
    ITEM_SHARE = 4, // the same for each item elsewhere
};

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)c;
    key->work_group = gp->caps.is_cpu ? 1 : variant->work_group;
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    const uint64_t most = (uint64_t)1 << 31; // counters in local memory have 32 bits
    const uint64_t labels = c->classifier->labels, segments = c->counts_rows ? rows : 1;
    const uint64_t bytes = (labels + 1) * sizeof(cl_uint);
    l->segment = c->counts_rows ? count : rows * count;
    l->privatised = c->has_counts && labels <= l->segment && bytes <= CLASSIFY_ROOM &&
                    bytes + program->local_bytes <= gp_classify_local_room(gp);
    l->local_bytes = l->privatised ? bytes : 0;
    const uint64_t wanted = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    uint64_t least = gp->caps.is_cpu ? CPU_SHARE : (uint64_t)ITEM_SHARE * program->work_group;
    if (l->privatised && least < labels) // each group adds all its counts
        least = labels;
    l->share = gp_ceil_div(l->segment, gp_ceil_div(wanted, segments));
    if (l->share < least)
        l->share = least;
    if (l->share > most)
        l->share = most;
    l->segment_groups = gp_ceil_div(l->segment, l->share);
    l->groups = segments * l->segment_groups;
}

static int describe(const struct gpuprim_classifier *c, char *text, size_t size)
{
    static const char *const methods[] = {
        [METHOD_SEARCH] = "search by halves, the same steps for every element",
        [METHOD_TABLE] = "one look into the table",
        [METHOD_CHAIN] = "all cases asked from last to first, without a branch",
        [METHOD_HASH] = "hash tables of the masks, two looks for each",
        [METHOD_BITS] = "bit vectors, by some bits of the element at a time",
        [METHOD_LISTS] = "lists of the cases that some bits allow, tried in turn",
    };
    return snprintf(text, size, "%s; on any device", methods[c->method]);
}

static const char *const sources[] = {
    "classify/arguments.h", "classify/classify.cl",  "classify/binary.cl",
    "classify/hash.cl",     "classify/case_bits.cl", "classify/case_lists.cl",
    "classify/label.cl",    "classify/baseline.cl",  NULL
};
static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_baseline = { .name = "baseline",
                                                 .fits = fits,
                                                 .sources = sources,
                                                 .work_group = 256,
                                                 .items = 1,
                                                 .groups_per_unit = 8,
                                                 .ops = &ops };
