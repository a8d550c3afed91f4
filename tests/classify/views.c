/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: rows and columns at any place, by each variant. Input and labels lie
 * differently: by rows or by columns, with gaps, forwards or backwards, at any offset. Rows
 * have lengths around those at which blocks and tiles end. A group draws rule and types once,
 * so that it compiles one program. suite.c runs this file. */
#include "case.h"

static int64_t either_way(struct check *check, uint64_t step)
{
    return check_once_in(check, 3) ? -(int64_t)step : (int64_t)step;
}

static uint64_t gap(struct check *check)
{
    return check_once_in(check, 2) ? 0 : check_below(check, 70);
}

static void draw_layout(struct check *check, const gpuprim *gp, uint64_t count, uint64_t rows,
                        struct check_layout *layout)
{
    static const uint64_t steps[] = { 1, 1, 1, 1, 2, 3, 4, 7 };
    const uint64_t step = steps[check_below(check, 8)];
    *layout = (struct check_layout){ .lead = check_below(check, 70) };
    layout->memory = check_any_memory(check, gp);
    if (check_once_in(check, 2)) { // columns
        layout->row_stride = either_way(check, step);
        layout->stride = either_way(check, rows * step + gap(check));
    } else {
        layout->stride = either_way(check, step);
        layout->row_stride = either_way(check, count * step + gap(check));
    }
}

static void draw_size(struct check *check, struct classify_case *test)
{
    static const uint64_t rows[] = { 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 129, 300 };
    static const uint64_t counts[] = { 1,   2,   3,   4,   5,   7,   8,   11,   12,   15,  16,
                                       17,  20,  31,  42,  43,  63,  64,  65,   100,  127, 128,
                                       129, 130, 255, 257, 500, 511, 515, 1000, 2049, 5000 };
    enum { ROWS = sizeof rows / sizeof *rows, COUNTS = sizeof counts / sizeof *counts };
    do {
        test->rows = rows[check_below(check, ROWS)];
        test->count = counts[check_below(check, COUNTS)];
    } while (test->rows * test->count > 20000);
}

static void views(struct check *check, gpuprim *gp, bool own_keys)
{
    static const enum gpuprim_type labels[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    enum { KEYS = 40 };
    const enum gpuprim_type type = classify_types[check_below(check, CLASSIFY_TYPES - 1)];
    const uint64_t n = 1 + check_below(check, check_once_in(check, 2) ? 15 : KEYS);
    const unsigned wanted = 1 + (unsigned)check_below(check, 3);
    const enum gpuprim_type label = labels[check_below(check, 3)];
    for (int i = 0; i < (check->quick ? 40 : 200); i++) {
        struct classify_case test = { .type = type };
        draw_size(check, &test);
        classify_thresholds(check, type, n, own_keys ? test.rows : 1, SPREAD_RANDOM,
                            &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        classify_shuffle(check, gp, &test);
        draw_layout(check, gp, test.count, test.rows, &test.in);
        draw_layout(check, gp, test.count, test.rows, &test.out);
        test.data = FILL_AROUND;
        test.labels = wanted & 1 ? label : GPUPRIM_TYPE_INVALID;
        test.counts = wanted & 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

void classify_views_run(struct check *check)
{
    const struct gp_primitive *classify = check_primitive("classify");
    for (unsigned v = classify->n_variants; v-- > 0;)
        for (int own = 0; own < 2; own++) {
            const char *variant = classify->variants[v]->name;
            if (!check_begin(check, "classify/views/%s/%s", own ? "own_keys" : "one_rule",
                             variant))
                continue;
            gpuprim *gp = check_variant(check, "classify", variant, 0);
            if (gp)
                views(check, gp, own);
            const bool is_refused = check->not_taken == check->cases && !check->failures;
            if (gp && is_refused)
                check_skip(check, "the variant takes none of it on this device");
            else
                check_end(check);
            gpuprim_destroy(&gp);
        }
}
