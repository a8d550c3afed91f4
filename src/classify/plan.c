/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the variants, which one takes a call, and its program. */
#include "classify.h"

#include <stdio.h>
#include <string.h>

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
      .shape = &gp_classify_cpu_blocks },
    { "gpu_words", gp_classify_fits_gpu_words, gpu_words_sources, .shape = &gp_classify_gpu_words },
    { "baseline", fits_all, baseline_sources, .work_group = 256, .items = 1,
      .groups_per_unit = 8, .shape = &baseline },
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

struct gp_key gp_classify_key(const struct classification *c, const struct gp_variant *variant,
                              const struct classify_special *special, bool exact)
{
    return (struct gp_key){ .variant = variant,
                            .type = c->classifier->in,
                            .with = { c->classifier->form, label_type(c), c->has_counts },
                            .shape = special->number,
                            .work_group = special->work_group,
                            .exact = exact };
}

static int program_for(gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_program **out)
{
    const struct classification *c = call;
    const struct gpuprim_classifier *f = c->classifier;
    const struct classify_shape *shape = variant->shape;
    struct classify_special special = { 0, 0 };
    shape->specialise(gp, c, variant, &special);
    const bool exact = gp->force_work_group != 0;
    if (exact)
        special.work_group = gp->force_work_group;
    const struct gp_key key = gp_classify_key(c, variant, &special, exact);
    *out = gp_program_find(gp, &key);
    if (*out)
        return GPUPRIM_OK;

    char preamble[256], name[64];
    snprintf(name, sizeof name, "classify (%s)", variant->name);
    snprintf(preamble, sizeof preamble,
             "#define TYPE %d\n#define FORM %d\n#define LABEL_TYPE %d\n#define COUNTS %d\n"
             "#define SHAPE %u\n",
             (int)f->in, (int)f->form, (int)label_type(c), (int)c->has_counts, special.number);
    const struct gp_program_request request = {
        .key = key,
        .name = name,
        .sources = variant->sources,
        .preamble = preamble,
        .kernels = { "classify", "classify_zero" },
        .work_group = special.work_group,
        .exact = exact,
        .local_bytes = sizeof(cl_uint), // of the argument, at least
    };
    return gp_program_build(gp, &request, out);
}

static const struct gp_table table = { "classify", gp_classify_variants, CLASSIFY_VARIANTS,
                                       program_for };

int gp_classify_choose(gpuprim *gp, const struct classification *c, struct gp_choice *out)
{
    return gp_variant_choose(gp, &table, c, out);
}

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
    struct gp_choice choice;
    if (gp_context_check(c->gp)) // the lock may never come free in the child of a fork
        return NULL;
    pthread_mutex_lock(&c->gp->lock);
    const int status = gp_classify_choose(c->gp, &call, &choice);
    pthread_mutex_unlock(&c->gp->lock);
    return status ? NULL : choice.variant;
}

// What a call like this one needs. A variant that is forced need not take it.
static int build(gpuprim *gp, const struct classification *c)
{
    if (!gp_variant_pick(gp, &table, c))
        return GPUPRIM_OK;
    struct gp_choice choice;
    cl_kernel kernel;
    pthread_mutex_lock(&gp->lock);
    int status = gp_classify_choose(gp, c, &choice);
    if (!status)
        status = gp_program_kernel(choice.program, 0, 0, "classify", &kernel);
    if (!status)
        status = gp_program_kernel(choice.program, 1, 0, "classify_zero", &kernel);
    pthread_mutex_unlock(&gp->lock);
    return status;
}

int gp_classify_prepare(const struct gpuprim_classifier *classifier)
{
    int status = GPUPRIM_OK;
    if (classifier->gp->build_late)
        return GPUPRIM_OK;
    for (int outputs = 1; !status && outputs < 4; outputs++) { // labels, counts, both
        const struct classification c =
            gp_classify_packed_call(classifier, outputs & 1, (outputs & 2) != 0);
        status = build(classifier->gp, &c);
    }
    return status;
}
