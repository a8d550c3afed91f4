/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the variants, which one takes a call, and its program. */
#include "classify.h"

#include <stdio.h>

bool gp_classify_is_forced(const gpuprim *gp)
{
    return gp_variant_is_forced(gp, "classify");
}

// ---------------------------------------------------------------------------------------
// baseline: any stride, any work-group size

static bool fits_all(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static void specialise_baseline(const gpuprim *gp, const struct classification *c,
                                const struct gp_variant *variant, struct classify_special *out)
{
    (void)c;
    out->work_group = gp->caps.is_cpu ? 1 : variant->work_group;
}

static void lay_out_baseline(const gpuprim *gp, const struct classification *c,
                             const struct gp_variant *variant, const struct gp_program *program,
                             uint64_t rows, uint64_t count, struct classify_layout *l)
{
    enum { CPU_SHARE = 4096, ITEM_SHARE = 4 }; // a group costs a CPU more than some elements
    // Counters in local memory are of 32 bits.
    const uint64_t most = (uint64_t)1 << 31;
    const uint64_t labels = c->classifier->labels, lines = c->counts_rows ? rows : 1;
    const uint64_t bytes = (labels + 1) * sizeof(cl_uint);
    l->length = c->counts_rows ? count : rows * count;
    l->gathers = c->has_counts && labels <= l->length && bytes <= CLASSIFY_ROOM &&
                 bytes + program->local_bytes <= gp_classify_local_room(gp);
    l->local_bytes = l->gathers ? bytes : 0;
    const uint64_t wanted = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    uint64_t least = gp->caps.is_cpu ? CPU_SHARE : (uint64_t)ITEM_SHARE * program->work_group;
    if (l->gathers && least < labels) // each group adds all its counts
        least = labels;
    l->share = gp_ceil_div(l->length, gp_ceil_div(wanted, lines));
    if (l->share < least)
        l->share = least;
    if (l->share > most)
        l->share = most;
    l->line_groups = gp_ceil_div(l->length, l->share);
    l->groups = lines * l->line_groups;
}

static const char *const form_words[] = {
    [CLASSIFY_SEARCH] = "search by halves, the same steps for every element",
    [CLASSIFY_TABLE] = "one look into the table",
    [CLASSIFY_CHAIN] = "all cases asked from last to first, without a branch",
};

static int describe_baseline(const struct gpuprim_classifier *c, char *text, size_t size)
{
    return snprintf(text, size, "%s; on any device", form_words[c->form]);
}

static const struct classify_shape baseline = { specialise_baseline, lay_out_baseline,
                                                describe_baseline };

// ---------------------------------------------------------------------------------------
// The table: first row that fits wins

static const char *const cpu_blocks_sources[] = { "classify/classify.cl",
                                                  "classify/place.cl",
                                                  "classify/guide.cl",
                                                  "classify/cpu_place.cl",
                                                  "classify/cpu_label.cl",
                                                  "classify/cpu_blocks.cl",
                                                  NULL };
static const char *const gpu_words_sources[] = { "classify/classify.cl",  "classify/place.cl",
                                                 "classify/guide.cl",     "classify/label.cl",
                                                 "classify/gpu_words.cl", NULL };
static const char *const baseline_sources[] = { "classify/classify.cl", "classify/halves.cl",
                                                "classify/label.cl", "classify/baseline.cl",
                                                NULL };

// clang-format off
static const struct gp_variant variants[] = {
    { "cpu_blocks", gp_classify_fits_cpu_blocks, cpu_blocks_sources, .work_group = 1, .groups_per_unit = 8,
      .ops = &gp_classify_cpu_blocks },
    { "gpu_words", gp_classify_fits_gpu_words, gpu_words_sources, .ops = &gp_classify_gpu_words },
    { "baseline", fits_all, baseline_sources, .work_group = 256, .items = 1,
      .groups_per_unit = 8, .ops = &baseline },
};
// clang-format on

const struct gp_variant *const gp_classify_variants[CLASSIFY_VARIANTS] = { &variants[0],
                                                                           &variants[1],
                                                                           &variants[2] };

// ---------------------------------------------------------------------------------------
// Programs

static enum gpuprim_type label_type(const struct classification *c)
{
    return c->has_labels ? c->labels.type : GPUPRIM_TYPE_INVALID;
}

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct classification *c = call;
    const struct classify_shape *shape = variant->ops;
    struct classify_special special = { 0, 0 };
    shape->specialise(gp, c, variant, &special);
    key->work_group = special.work_group;
    gp_define(key, "TYPE", c->classifier->in);
    gp_define(key, "FORM", c->classifier->form);
    gp_define(key, "LABEL_TYPE", label_type(c));
    gp_define(key, "COUNTS", c->has_counts);
    gp_define(key, "SHAPE", special.number);
}

const struct gp_primitive gp_primitive_classify = {
    .name = "classify",
    .variants = gp_classify_variants,
    .n_variants = CLASSIFY_VARIANTS,
    .kernels = { "classify", "classify_zero" },
    .local_bytes = sizeof(cl_uint), // of the argument, at least
    .specialise = specialise,
    .describe = gp_classify_describe,
};

// ---------------------------------------------------------------------------------------
// What is built when a classifier is made

enum gpuprim_type gp_classify_narrowest(const struct gpuprim_classifier *classifier)
{
    // What is rejected is all ones.
    const uint64_t values = classifier->labels + classifier->may_reject;
    return values <= 1u << 8 ? GPUPRIM_U8 : values <= 1u << 16 ? GPUPRIM_U16 : GPUPRIM_U32;
}

struct classification gp_classify_packed_call(const struct gpuprim_classifier *classifier,
                                              bool has_labels, bool has_counts)
{
    struct classification c = { .classifier = classifier,
                                .has_labels = has_labels,
                                .has_counts = has_counts };
    const uint64_t count = (uint64_t)1 << 26;
    c.in = (struct gp_array){ .type = classifier->in,
                              .memory = GPUPRIM_BUFFER,
                              .size = gp_type_size(classifier->in),
                              .count = count,
                              .rows = classifier->rows,
                              .stride = 1,
                              .row_stride = classifier->rows > 1 ? (int64_t)count : 0 };
    c.labels = c.in;
    c.labels.type = gp_classify_narrowest(classifier);
    c.labels.size = gp_type_size(c.labels.type);
    c.counts = (struct gp_array){ .type = GPUPRIM_U64,
                                  .memory = GPUPRIM_BUFFER,
                                  .size = 8,
                                  .count = classifier->labels,
                                  .rows = 1,
                                  .stride = 1 };
    return c;
}

const struct gp_variant *gp_classify_typical_variant(const struct gpuprim_classifier *c)
{
    const struct classification call = gp_classify_packed_call(c, true, false);
    struct gp_plan plan;
    if (gp_context_check(c->gp)) // the lock may never come free in the child of a fork
        return NULL;
    return gp_plan_alone(c->gp, &gp_primitive_classify, &call, &plan) ? NULL : plan.variant;
}

// Whether a kernel gets an SVM pointer for the array. One without elements stands for memory that
// no kernel touches, and gets a buffer.
static bool is_svm(const struct gp_array *array)
{
    return array->memory == GPUPRIM_SVM && array->count && array->rows;
}

int gp_classify_build(gpuprim *gp, const struct classification *c)
{
    const unsigned counts = is_svm(&c->counts) ? GP_SVM_THIRD : 0;
    const unsigned kinds[GP_MAX_KERNELS] = { (is_svm(&c->in) ? GP_SVM_IN : 0u) |
                                                 (is_svm(&c->labels) ? GP_SVM_OUT : 0u) |
                                                 counts,
                                             counts };
    const unsigned without_elements[GP_MAX_KERNELS] = { kinds[0], 0 }; // its launch: run.c
    const int status = gp_plan_prepare(gp, &gp_primitive_classify, c, kinds);
    return status || c->in.count
               ? status
               : gp_plan_prepare(gp, &gp_primitive_classify, c, without_elements);
}

int gp_classify_build_packed(const struct gpuprim_classifier *classifier)
{
    int status = GPUPRIM_OK;
    if (classifier->gp->build_late)
        return GPUPRIM_OK;
    for (int outputs = 1; !status && outputs < 4; outputs++) { // labels, counts, both
        const struct classification c =
            gp_classify_packed_call(classifier, outputs & 1, (outputs & 2) != 0);
        // A variant that is forced need not take this call.
        if (gp_variant_pick(classifier->gp, &gp_primitive_classify, &c))
            status = gp_classify_build(classifier->gp, &c);
    }
    return status;
}
