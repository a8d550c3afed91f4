/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: columns with counts or keys of their own that are brought to rows first
 * (gpu_turned), with and without gaps, forwards and backwards, in one piece and in pieces of few
 * rows and few elements of each; without labels, with labels that are brought back, and with
 * labels of rows. Rows whose labels alone are brought to columns, likewise. turned_choices.c has
 * the choice of the variant and its pieces. suite.c runs this file. */
#include "corners.h"

// Lines of `n` neighbours, one behind the other, with or without gaps: rows, or lines of columns.
static void lay_lines(struct check *check, gpuprim *gp, uint64_t n, bool by_columns,
                      struct check_layout *layout)
{
    const int64_t apart = check_once_in(check, 3) ? 3 : 1;
    const int64_t line = (int64_t)n * apart + (int64_t)check_below(check, 9);
    const int64_t along = check_once_in(check, 3) ? -apart : apart,
                  across = check_once_in(check, 3) ? -line : line;
    layout->row_stride = by_columns ? along : across;
    layout->stride = by_columns ? across : along;
    layout->lead = check_below(check, 70);
    layout->memory = check_any_memory(check, gp);
}

// Data, outputs and the places of all arrays: columns to columns or to any labels, or rows to columns
// of labels.
static void shape(struct check *check, gpuprim *gp, struct classify_case *test)
{
    const bool are_rows = check_once_in(check, 2);
    do
        classify_shuffle(check, gp, test);
    while (are_rows && !test->labels);
    lay_lines(check, gp, are_rows ? test->count : test->rows, !are_rows, &test->in);
    if (are_rows || check_once_in(check, 2))
        lay_lines(check, gp, test->rows, true, &test->out);
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
        shape(check, gp, &test);
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
    enum { OTHER_GROUP = 48, LOCAL_BYTES = 49152 }; // 48 is no power of two
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        if (!check_begin(check, "classify/turned/%s", gp_type_name(types[t])))
            continue;
        for (int i = 0; i < (check->quick ? 3 : 6); i++) {
            // The model of a GPU has elements of the host in staging memory.
            gpuprim *gp = i % 3 == 2 ? classify_small_gpu(check, LOCAL_BYTES, 0, "gpu_turned")
                                     : check_variant(check, "classify", "gpu_turned",
                                                     i % 3 ? OTHER_GROUP : 0);
            if (gp)
                run_program(check, gp, types[t]);
            gpuprim_destroy(&gp);
        }
        check_end(check);
    }
    classify_turned_choices_run(check);
}
