/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: a few small cases of each variant, of few programs: a search, a table and
 * a hash table in one row, a search in rows and columns, and one with keys of each row's own.
 * They run often (harness/choice.c), also in a simulator that looks for races, which takes a
 * thousand times as long as a device. suite.c runs this file. */
#include "case.h"

#include <stdio.h>
#include <string.h>

// Small groups take a quarter of the time in a simulator. From MANY keys of a row on there are
// cells of them.
enum { KEYS = 7, MANY = 130, GROUP = 64 };

// Input and labels by rows and by columns, with gaps and without; then both interleaved, the input
// from its last row on, too, and both by rows, with counts of each row; and these alone of columns.
// Of many keys every third.
static void tiny_rows(struct check *check, gpuprim *gp, bool own_keys, uint64_t keys)
{
    enum { ROWS = 5, COUNT = 37, GAP = 3 };
    for (unsigned i = keys == MANY; i < 8; i += keys == MANY ? 3 : 1) {
        struct classify_case test = { .type = GPUPRIM_F32, .count = COUNT, .rows = ROWS };
        classify_thresholds(check, test.type, keys, own_keys ? ROWS : 1, SPREAD_RANDOM,
                            &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        classify_shuffle(check, gp, &test);
        test.labels = i == 7 ? GPUPRIM_TYPE_INVALID : GPUPRIM_U16;
        test.counts = GPUPRIM_U32;
        const bool is_line = i == 4 || i >= 6, in_columns = i == 1 || i == 3 || is_line,
                   out_columns = i == 3 || is_line;
        test.in.stride = in_columns ? ROWS : 1;
        test.in.row_stride = i == 6 ? -1 : in_columns ? 1 : COUNT + GAP;
        test.out.stride = out_columns ? ROWS + (i == 3 ? GAP : 0) : 1;
        test.out.row_stride = out_columns ? 1 : i == 2 ? COUNT + GAP : COUNT;
        test.counts_per_row = i >= 4;
        if (is_line) { // what runs on the device alone
            test.in.memory = test.out.memory = test.counted.memory = GPUPRIM_BUFFER;
            test.in.lead = 0;
        }
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// Short rows of small elements, with gaps, whose words are loaded from what lies around them.
static void tiny_ends(struct check *check, gpuprim *gp)
{
    enum { ROWS = 5, COUNT = 70, GAP = 3 };
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_U16 };
    for (unsigned i = 0; i < 2; i++) {
        struct classify_case test = { .type = types[i], .count = COUNT, .rows = ROWS };
        classify_thresholds(check, test.type, KEYS, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        classify_shuffle(check, gp, &test);
        test.labels = GPUPRIM_U8;
        test.counts = GPUPRIM_TYPE_INVALID;
        test.in = (struct check_layout){ .stride = 1,
                                         .row_stride = COUNT + GAP,
                                         .memory = GPUPRIM_BUFFER };
        test.out = (struct check_layout){
            .lead = 2, .stride = 1, .row_stride = COUNT + 2 * GAP, .memory = GPUPRIM_BUFFER
        };
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// 4 bytes, labels and counts: many copies of a few counters.
static void tiny_counted(struct check *check, gpuprim *gp)
{
    struct classify_case test = { .type = GPUPRIM_F32, .count = 600, .rows = 1 };
    classify_thresholds(check, test.type, KEYS, 1, SPREAD_RANDOM, &test.params);
    classify_shuffle(check, gp, &test);
    test.labels = GPUPRIM_U8;
    test.counts = GPUPRIM_U32;
    test.in.stride = test.out.stride = 1;
    test.in.row_stride = test.out.row_stride = 0;
    classify_run(check, gp, &test);
    classify_free(&test.params);
}

static void tiny(struct check *check, const char *variant)
{
    static const uint64_t counts[] = { 1, 65, 600, 3000 };
    gpuprim *gp =
        check_variant(check, "classify", variant, check_is_for_gpus(variant) ? GROUP : 0);
    // U32 is first: behind launches with local memory of other sizes Oclgrind 21.10 takes a part
    // of this one's for uninitialised (seen with right results; alone the launch is clean).
    static const enum gpuprim_type types[] = { GPUPRIM_U32, GPUPRIM_F32, GPUPRIM_U16 };
    for (unsigned i = 0; gp && i < 3 * sizeof counts / sizeof *counts; i++) {
        struct classify_case test = { .type = types[i % 3], .count = counts[i / 3], .rows = 1 };
        if (test.type == GPUPRIM_F32) {
            classify_thresholds(check, test.type, KEYS, 1, SPREAD_RANDOM, &test.params);
            classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        } else if (test.type == GPUPRIM_U16)
            classify_cases(check, test.type, KEYS, 0x1f, &test.params);
        else
            classify_switch(check, test.type, 20, &test.params);
        classify_shuffle(check, gp, &test);
        test.labels = GPUPRIM_U16;
        test.counts = GPUPRIM_U32;
        test.params.accumulate = i > 5;
        test.in.stride = test.out.stride = 1;
        test.in.row_stride = test.out.row_stride = 0;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    for (int own = 0; gp && own < 2; own++)
        tiny_rows(check, gp, own, KEYS);
    if (gp)
        tiny_ends(check, gp);
    const bool have_cells =
        strcmp(variant, "gpu_tiles") == 0 || strcmp(variant, "gpu_channels") == 0;
    if (gp && have_cells) {
        gp->as_if_large = true; // else rows are too short for cells
        tiny_rows(check, gp, true, MANY);
    }
    if (gp) {
        gp->as_if_large = true; // else there are no copies of counters of 4 bytes
        tiny_counted(check, gp);
    }
    gpuprim_destroy(&gp);
}

void classify_tiny_run(struct check *check)
{
    const struct gp_primitive *classify = check_primitive("classify");
    for (unsigned v = classify->n_variants; v-- > 0;)
        if (check_begin(check, "classify/tiny/%s", classify->variants[v]->name)) {
            tiny(check, classify->variants[v]->name);
            if (check->not_taken == check->cases && !check->failures)
                check_skip(check, "the variant takes none of it on this device");
            else
                check_end(check);
        }
}
