/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: cases that make each form of tables, for each variant: one hash table and
 * two, codes that are labels and numbers of labels, several masks, bit vectors, lists, cases that
 * always match. The text of gpuprim_classifier_describe says which form it became. suite.c runs
 * this file. This file runs large_tables.c and unhashed.c. */
#include "corners.h"
#include "rank.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/classify/cases.h"
#include "tests/harness/model.h"

enum labels { FEW, RISING, WIDE };

// The device: any; no CPU, which takes other forms; one whose local memory has no room; or one
// where it has room for a sieve, but not for the tables.
enum device { ANY, NO_CPU, NO_ROOM, LITTLE_ROOM };

// Masks of most bits, whose values often differ in neighbouring bits alone; the same with any
// values; or masks of a quarter of the bits, so that no neighbouring bits tell cases apart.
enum bits { CROWDED, EVEN, THIN };

struct form {
    const char *name;
    enum device device;
    enum bits bits;
    uint32_t least, most; // cases
    unsigned masks;
    enum labels labels;
    bool always;          // a case that always matches is near the end
    const char *words[3]; // of classify_tells(), then NULL
};

static const struct form forms[] = {
    { "one", ANY, CROWDED, 30, 200, 1, FEW, false, { "table of 1 mask", "!labels by" } },
    { "numbers", ANY, CROWDED, 50, 200, 1, WIDE, false, { "hash table of", "labels by" } },
    { "two", ANY, CROWDED, 400, 2500, 1, FEW, true, { "two for each", "!labels by" } },
    { "two_numbers", ANY, CROWDED, 400, 2500, 1, WIDE, false, { "two for each", "labels by" } },
    { "masks", ANY, CROWDED, 60, 300, 2, RISING, true, { "tables of 2 masks", "!labels by" } },
    { "mask_numbers", ANY, CROWDED, 300, 900, 3, FEW, true, { "of 3 masks", "labels by" } },
    { "many_masks", ANY, THIN, 2000, 4000, 9, FEW, false, { "of 9 masks", "labels by" } },
    { "far", NO_ROOM, CROWDED, 100, 200, 1, FEW, false, { "hash table of", "!labels" } },
    { "far_masks", NO_ROOM, CROWDED, 900, 1500, 3, FEW, true, { "two for each", "labels" } },
    { "sieve", LITTLE_ROOM, CROWDED, 2500, 3500, 1, FEW, false, { "a sieve", "!labels by" } },
    { "sieve_masks", LITTLE_ROOM, CROWDED, 2500, 3500, 3, FEW, true, { "a sieve", "labels" } },
    { "sieve_9", LITTLE_ROOM, THIN, 2500, 3500, 9, WIDE, false, { "a sieve", "of 9 masks" } },
    { "bits", NO_CPU, THIN, 25, 32, 32, WIDE, false, { "of 32 bits in", "!hash" } },
    { "more_bits", NO_CPU, THIN, 90, 128, 64, FEW, true, { "vectors of", "!hash" } },
    { "most_bits", NO_CPU, THIN, 140, 300, 128, FEW, true, { "vectors of", "!hash" } },
    { "far_bits", NO_ROOM, THIN, 140, 300, 128, FEW, false, { "vectors of", "!hash" } },
    { "lists", NO_CPU, EVEN, 100, 300, 32, FEW, true, { "lists of", "!hash" } },
    { "more_lists", NO_CPU, EVEN, 800, 1200, 128, WIDE, false, { "lists of", "!hash" } },
    { "far_lists", NO_ROOM, EVEN, 100, 300, 32, FEW, false, { "lists of", "!hash" } },
};
enum { FORMS = sizeof forms / sizeof *forms };

// Masks of so many bits that no table has room for them, and that are no ranges; or of few.
static uint64_t any_mask(struct check *check, enum gpuprim_type type, bool is_thin)
{
    enum { LEAST_BITS = 10 }; // so that no case covers many others
    const uint64_t all = rank_all_bits(type);
    uint64_t mask = 0;
    while (is_thin && gp_bits_in(mask) < LEAST_BITS)
        mask = all & check_random(check) & check_random(check);
    if (is_thin)
        return mask;
    mask = all & ~(UINT64_C(1) << (8 + check_below(check, rank_bits(type) - 9)));
    for (int i = 0; i < 6; i++)
        mask &= ~(UINT64_C(1) << check_below(check, rank_bits(type)));
    return mask;
}

static uint32_t any_label(struct check *check, enum labels labels, uint32_t k, uint32_t n)
{
    switch (labels) {
    case FEW:
        return (uint32_t)check_below(check, 200);
    case RISING:
        return k * 200 / n;
    default:
        return check_once_in(check, 10) ? GPUPRIM_REJECT : (uint32_t)check_below(check, 70000);
    }
}

// The bits of k at the lowest places of the mask, or at the highest.
static uint64_t deposited(uint64_t k, uint64_t mask, bool is_high)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 64; i++) {
        const unsigned at = is_high ? 63 - i : i;
        if (mask >> at & 1) {
            value |= (k & 1) << at;
            k >>= 1;
        }
    }
    return value;
}

// A case that takes all that another one does, and more.
static struct gpuprim_case wider(struct check *check, enum gpuprim_type type,
                                 const struct gpuprim_case *x)
{
    const uint64_t kept = ~(UINT64_C(1) << check_below(check, rank_bits(type)));
    return (struct gpuprim_case){ .mask = x->mask & kept, .value = x->value & kept };
}

// Values that differ in the lowest or the highest bits alone, or in any; some twice. And 0 and
// all ones, under each mask or under one.
static void make(struct check *check, const struct form *form, enum gpuprim_type type,
                 struct gpuprim_classifier_params *params)
{
    const uint32_t n = form->least + (uint32_t)check_below(check, form->most - form->least + 1);
    const uint64_t spread = form->bits == EVEN ? 2 : check_below(check, 3);
    struct gpuprim_case *list = check_allocate(n * sizeof *list);
    struct gpuprim_cases *rule = check_allocate(sizeof *rule);
    uint64_t masks[128];
    *params = (struct gpuprim_classifier_params){ .cases = rule, .in = type };
    for (unsigned m = 0; m < form->masks; m++)
        masks[m] = any_mask(check, type, form->bits == THIN);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t mask = masks[k % form->masks];
        uint64_t value = spread == 2 ? check_random(check) : deposited(k, mask, spread);
        const unsigned extremes = form->bits == EVEN ? 1 : form->masks;
        if (k < 2 * extremes)
            value = k < extremes ? 0 : UINT64_MAX;
        list[k] = (struct gpuprim_case){ .mask = mask, .value = value & mask };
        if (k > 0 && check_once_in(check, 20))
            list[k] = list[check_below(check, k)];
        if (k > 0 && form->bits == EVEN && check_once_in(check, 5))
            list[k] = wider(check, type, &list[check_below(check, k)]);
        list[k].label = any_label(check, form->labels, k, n);
    }
    if (form->always) // with a label that goes with the others
        list[n - 1 - check_below(check, 5)] =
            (struct gpuprim_case){ .label = list[n - 1].label };
    *rule = (struct gpuprim_cases){ .list = list, .count = n };
    rule->otherwise = form->labels == WIDE ? GPUPRIM_REJECT : 7;
}

// Rows with counts of their own, one behind the other or interleaved, on the device: so that variants
// take part which take no other rows.
static void counted_rows(struct check *check, gpuprim *gp, struct classify_case *test,
                         bool by_columns, bool has_labels)
{
    enum { COLUMNS = 5 }; // a macro of gpu_channels
    test->rows = by_columns ? COLUMNS : 2 + check_below(check, 9);
    test->count = 2 + check_below(check, 700);
    classify_shuffle(check, gp, test);
    test->labels = has_labels ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
    test->counts = GPUPRIM_U32;
    test->counts_per_row = true;
    test->in.stride = test->out.stride = by_columns ? COLUMNS : 1;
    test->in.row_stride = test->out.row_stride = by_columns ? 1 : 0;
    test->in.memory = test->out.memory = test->counted.memory = GPUPRIM_BUFFER;
    test->data = FILL_AROUND;
    classify_run(check, gp, test);
}

static void one_form(struct check *check, gpuprim *gp, const struct form *form,
                     enum gpuprim_type type)
{
    // What is a macro of the kernels is drawn once.
    struct classify_case test = { .type = type };
    for (int i = 0; i < (check->quick ? 2 : 6); i++) {
        test.rows = check_once_in(check, 3) ? 3 : 1;
        test.count = 1 + check_below(check, 4000);
        make(check, form, type, &test.params);
        classify_tells(check, gp, &test.params, form->words);
        classify_shuffle(check, gp, &test);
        test.labels = GPUPRIM_U32;
        test.counts = GPUPRIM_TYPE_INVALID;
        if (i > 0) { // what all variants take
            test.in.stride = test.out.stride = 1;
            test.in.row_stride = test.out.row_stride = 0;
        }
        test.data = i % 2 ? FILL_RANDOM : FILL_AROUND;
        classify_run(check, gp, &test);
        if (form->bits == EVEN)
            counted_rows(check, gp, &test, i % 2, i & 2);
        classify_free(&test.params);
    }
}

void classify_forms_run(struct check *check)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I32, GPUPRIM_U32, GPUPRIM_I64,
                                               GPUPRIM_U64 };
    const struct gp_primitive *classify = check_primitive("classify");
    for (unsigned f = 0; f < FORMS; f++)
        for (unsigned t = 0; t < 4; t++)
            for (unsigned v = classify->n_variants; v-- > 0;) {
                const char *variant = classify->variants[v]->name;
                const bool is_for_cpus = check_is_for_cpus(variant);
                if (is_for_cpus && forms[f].device != ANY)
                    continue;
                if (!check_begin(check, "classify/forms/%s/%s/%s", forms[f].name,
                                 gp_type_name(types[t]), variant))
                    continue;
                const bool is_model =
                    forms[f].device != ANY || check_is_for_gpus(variant) || (f + t) % 2;
                struct device_model model = model_gpu;
                model.local_is_less = forms[f].device >= NO_ROOM;
                model.local_bytes = forms[f].device == NO_ROOM       ? 256
                                    : forms[f].device == LITTLE_ROOM ? 15000
                                                                     : 0;
                char forced[64];
                snprintf(forced, sizeof forced, "classify:%s", variant);
                gpuprim *gp = check_context_on(check, is_model && !is_for_cpus ? &model : NULL,
                                               forced, 0);
                if (gp)
                    one_form(check, gp, &forms[f], types[t]);
                gpuprim_destroy(&gp);
                if (check->not_taken == check->cases && !check->failures)
                    check_skip(check, "the variant takes none of it on this device");
                else
                    check_end(check);
            }
    classify_large_tables_run(check);
    classify_unhashed_run(check);
}
