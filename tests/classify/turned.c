/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: columns with counts or keys of their own that are brought to rows first
 * (gpu_turned), with and without gaps, forwards and backwards, in one piece and in pieces of few
 * rows and few elements of each; without labels, with labels that are brought back, and with
 * labels of rows. suite.c runs this file. */
#include "case.h"

// Columns, or rows, with or without gaps.
static void lay_columns(struct check *check, gpuprim *gp, uint64_t rows,
                        struct check_layout *layout)
{
    const int64_t apart = check_once_in(check, 3) ? 3 : 1;
    const int64_t line = (int64_t)rows * apart + (int64_t)check_below(check, 9);
    layout->row_stride = check_once_in(check, 3) ? -apart : apart;
    layout->stride = check_once_in(check, 3) ? -line : line;
    layout->lead = check_below(check, 70);
    layout->memory = check_any_memory(check, gp);
}

// One program, by several shapes and sizes of the memory for pieces.
static void run_program(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t rows[] = { 2, 3, 5, 8, 15, 16, 17, 33, 64, 65, 130, 300 };
    static const uint64_t counts[] = { 2, 3, 31, 64, 129, 700, 2048, 5003 };
    enum { ROWS = sizeof rows / sizeof *rows, COUNTS = sizeof counts / sizeof *counts };
    struct classify_case test = { .type = type, .rows = rows[check_below(check, ROWS)] };
    const uint64_t keys = 1 + check_below(check, check_once_in(check, 2) ? 6 : 4000);
    const bool has_own_keys = keys < 90 && check_once_in(check, 3);
    classify_thresholds(check, type, keys, has_own_keys ? test.rows : 1,
                        (enum classify_spread)check_below(check, SPREADS), &test.params);
    if (check_once_in(check, 3))
        classify_map(check, &test.params);
    classify_nan(check, &test.params);
    const uint64_t staging = gp->staging_bytes;
    for (unsigned i = 0; i < COUNTS; i++) {
        test.count = counts[i];
        if (test.rows * test.count > 200000)
            continue;
        classify_shuffle(check, gp, &test);
        lay_columns(check, gp, test.rows, &test.in);
        if (check_once_in(check, 2))
            lay_columns(check, gp, test.rows, &test.out);
        if (!has_own_keys || !test.labels || check_once_in(check, 2)) {
            test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_U64;
            test.counts_per_row = true;
        }
        gp->staging_bytes =
            check_once_in(check, 2) ? (uint64_t)1 << (12 + check_below(check, 9)) : staging;
        classify_run(check, gp, &test);
    }
    gp->staging_bytes = staging;
    classify_free(&test.params);
}

void classify_turned_run(struct check *check)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I8,  GPUPRIM_U16, GPUPRIM_F16,
                                               GPUPRIM_F32, GPUPRIM_I64, GPUPRIM_F64 };
    enum { OTHER_GROUP = 48 }; // is no power of two
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        if (!check_begin(check, "classify/turned/%s", gp_type_name(types[t])))
            continue;
        for (int i = 0; i < (check->quick ? 2 : 6); i++) {
            gpuprim *gp =
                check_variant(check, "classify", "gpu_turned", i % 2 ? OTHER_GROUP : 0);
            if (gp)
                run_program(check, gp, types[t]);
            gpuprim_destroy(&gp);
        }
        check_end(check);
    }
}
