/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the variants in the order in which they are asked, and what their programs have in
 * common. Also builds before calls: when a classifier is made (classifier.c), and for
 * gpuprim_classify_prepare (call.c). */
#include "turned.h"

static const struct gp_variant *const variants[] = {
    &gp_classify_cpu_blocks, &gp_classify_gpu_channels, &gp_classify_gpu_counted_rows,
    &gp_classify_gpu_turned, &gp_classify_gpu_tiles,    &gp_classify_gpu_words,
    &gp_classify_baseline
};

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct classification *c = call;
    const struct classify_ops *ops = variant->ops;
    gp_define(key, "TYPE", c->classifier->in);
    gp_define(key, "METHOD", c->classifier->method);
    const enum gpuprim_type labels =
        gp_classify_turns(variant) ? gp_turned_label_type(gp, c) : c->labels.type;
    gp_define(key, "LABEL_TYPE", c->has_labels ? labels : GPUPRIM_TYPE_INVALID);
    gp_define(key, "COUNTS", c->has_counts);
    if (c->classifier->method == METHOD_TABLE || c->classifier->method == METHOD_SEARCH) {
        gp_define(key, "ENTRY_BYTES", c->classifier->entry_bytes);
        gp_define(key, "ENTRY_REJECTS",
                  c->classifier->may_reject && c->classifier->entry_bytes < sizeof(cl_uint));
    }
    c->choice->zeroes = false;
    c->choice->by_value = false;
    c->choice->is_multiples = false;
    c->choice->counters.of_ranks = false;
    c->choice->keys = (struct words_keys){ .form = 0 };
    ops->specialise(gp, c, variant, key);
}

const struct gp_primitive gp_primitive_classify = {
    .name = "classify",
    .variants = variants,
    .n_variants = sizeof variants / sizeof *variants,
    .kernels = { "classify", "classify_zero" },
    .local_bytes = sizeof(cl_uint), // of the kernel's argument, at least
    .specialise = specialise,
    .describe = gp_classify_describe,
};

// ---------------------------------------------------------------------------------------
// Building before calls

struct classification gp_classify_packed_call(const struct gpuprim_classifier *classifier,
                                              uint64_t count, bool has_labels, bool has_counts,
                                              struct classify_choice *choice)
{
    struct classification c = { .classifier = classifier,
                                .has_labels = has_labels,
                                .has_counts = has_counts,
                                .choice = choice };
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

const struct gp_variant *gp_classify_packed_variant(const struct gpuprim_classifier *c)
{
    struct classify_choice choice;
    const struct classification call =
        gp_classify_packed_call(c, CLASSIFY_LONG, true, false, &choice);
    struct gp_plan plan;
    if (gp_context_check(c->gp)) // the lock may never come free in the child of a fork
        return NULL;
    return gp_plan_alone(c->gp, &gp_primitive_classify, &call, &plan) ? NULL : plan.variant;
}

// Whether a kernel gets an SVM pointer for the array. One without elements stands for memory
// that no kernel touches, and gets a buffer.
static bool is_svm(const struct gp_array *array)
{
    return array->memory == GPUPRIM_SVM && array->count && array->rows;
}

static int build_alone(gpuprim *gp, const struct classification *c)
{
    const struct gp_variant *variant = gp_variant_pick(gp, &gp_primitive_classify, c);
    const bool turns = gp_classify_turns(variant);
    const unsigned counts = is_svm(&c->counts) ? GP_SVM_THIRD : 0;
    const unsigned all = (is_svm(&c->in) ? GP_SVM_IN : 0u) |
                         (c->has_labels && is_svm(&c->labels) ? GP_SVM_OUT : 0u) | counts;
    const unsigned kinds[GP_MAX_KERNELS] = { turns ? gp_turned_kinds(gp, c, all) : all,
                                             counts };
    const unsigned without_elements[GP_MAX_KERNELS] = { kinds[0], 0 }; // its launch: run.c
    const int turned = turns ? gp_turned_build(gp, c, all) : GPUPRIM_OK;
    int status = gp_plan_prepare(gp, &gp_primitive_classify, c, kinds);
    status = status ? status : turned;
    return status || c->in.count
               ? status
               : gp_plan_prepare(gp, &gp_primitive_classify, c, without_elements);
}

int gp_classify_build(gpuprim *gp, const struct classification *c)
{
    int status = GPUPRIM_OK;
    if (!gp_classify_has_parts(gp, c))
        return build_alone(gp, c);
    for (unsigned i = 0; i < CLASSIFY_PARTS && !status; i++) {
        struct classify_choice choice;
        const struct classification part = gp_classify_part(c, i, &choice);
        status = build_alone(gp, &part);
    }
    return status;
}

static int build_packed(const struct gpuprim_classifier *classifier, uint64_t count,
                        bool has_labels, bool has_counts)
{
    gpuprim *gp = classifier->gp;
    struct classify_choice choice;
    const struct classification c =
        gp_classify_packed_call(classifier, count, has_labels, has_counts, &choice);
    // A variant that is forced need not take this call.
    if (gp_variant_is_forced(gp, "classify") &&
        !gp_variant_pick(gp, &gp_primitive_classify, &c))
        return GPUPRIM_OK;
    return gp_classify_build(gp, &c);
}

int gp_classify_build_packed(const struct gpuprim_classifier *classifier)
{
    uint64_t sizes[CLASSIFY_SIZES]; // programs that are alike are built once
    int status = GPUPRIM_OK;
    gp_classify_sizes(classifier, sizes);
    for (unsigned i = 0; !classifier->gp->build_late && !status && i < CLASSIFY_SIZES; i++) {
        status = build_packed(classifier, sizes[i], true, false);
        if (!status)
            status = build_packed(classifier, sizes[i], false, true);
        if (!status)
            status = build_packed(classifier, sizes[i], true, true);
    }
    return status;
}
