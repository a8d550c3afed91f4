/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: a few small cases of each variant, with two programs. They run often
 * (harness/choice.c), also in a simulator that looks for races and takes a thousand times as
 * long as a device. suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 32, CASES = 5 };

// Sizes below and above what a group takes at once.
static void shape(struct check *check, const gpuprim *gp, enum reduce_case_kind kind,
                  unsigned i, struct reduce_case *test)
{
    static const uint64_t counts[CASES] = { 1, GROUP + 1, 7 * GROUP, 20 * GROUP + 3,
                                            70 * GROUP + 1 };
    static const uint64_t lengths[CASES] = { 1, 5, 40, 3 * GROUP + 1, 20 * GROUP + 3 };
    static const uint64_t widths[CASES] = { 3, 33, 40, 16, 7 };
    static const uint64_t heights[CASES] = { 1, 7, 66, 130, 300 };
    test->count = kind == KIND_COLUMNS ? heights[i] : kind == KIND_ANY ? counts[i] : lengths[i];
    test->rows = kind == KIND_COLUMNS ? widths[i] : kind == KIND_ANY ? 1 + i % 2 : 2 + i % 3;
    if (kind == KIND_SHORT_ROWS) {
        const uint64_t longest = gp_min(50, reduce_longest_row(gp, test->type));
        test->count = 1 + i * (longest - 1) / (CASES - 1);
        test->rows = i == 3 ? 2 * GROUP + 1 : GROUP / 2 + i;
    }
    reduce_shuffle(check, gp, test);
    test->stride = kind == KIND_COLUMNS ? (int64_t)test->rows : 1;
    test->row_stride = kind == KIND_COLUMNS ? 1 : (int64_t)test->count;
}

static bool reads_vectors_of_rows(const char *variant)
{
    return strcmp(variant, "gpu_rows") == 0 || strcmp(variant, "gpu_long_rows") == 0;
}

// Variants that are not for CPUs alone run as on a GPU of some units, so that partials of
// several groups are folded.
static const char *tiny(struct check *check, const char *variant)
{
    static const struct reduce_kind kinds[] = { { GPUPRIM_SUM, GPUPRIM_I32 },
                                                { GPUPRIM_ARGMAX, GPUPRIM_U8 } };
    static const struct device_model device = { .type = CL_DEVICE_TYPE_GPU, .units = 3 };
    char forced[64];
    snprintf(forced, sizeof forced, "reduce:%s", variant);
    gpuprim *gp = check_is_for_cpus(variant) ? check_context(check, forced, 0)
                                             : check_context_on(check, &device, forced, GROUP);
    if (!gp)
        return NULL;
    const char *why = reduce_cannot(gp, variant);
    for (unsigned k = 0; !why && k < 2; k++)
        for (unsigned i = 0; i < CASES; i++) {
            struct reduce_case test = { .type = kinds[k].type,
                                        .params = { .op = kinds[k].op },
                                        .data = i % 2 ? DATA_TIES : DATA_RANDOM };
            shape(check, gp, reduce_case_kind_of(variant), i, &test);
            if (reads_vectors_of_rows(variant) && i % 2) { // that lie apart, and backwards
                test.stride = k ? -2 : 3;
                test.row_stride = test.stride * (int64_t)test.count;
            }
            reduce_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
    if (!why)
        reduce_expect_taken(check, check->cases);
    return why;
}

void reduce_tiny_run(struct check *check)
{
    const struct gp_primitive *reduce = check_primitive("reduce");
    for (unsigned v = reduce->n_variants; v-- > 0;)
        if (check_begin(check, "reduce/tiny/%s", reduce->variants[v]->name)) {
            const char *why = tiny(check, reduce->variants[v]->name);
            if (why)
                check_skip(check, "%s", why);
            else
                check_end(check);
        }
}
