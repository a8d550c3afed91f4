/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: rows and columns at any place, by each variant. Input and labels lie
 * differently: by rows or by columns, with gaps, forwards or backwards, at any offset. Rows
 * have lengths around those at which blocks and tiles end. A group draws rule and types once,
 * so that it compiles few programs. tiles.c has views for the limits of one variant. suite.c
 * runs this file. */
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

// What all cases of a group have in common.
struct group {
    enum gpuprim_type type, labels; // of the input, and of labels
    unsigned wanted;                // 1: labels, 2: counts
    uint64_t n;                     // thresholds
};

static struct group draw_group(struct check *check)
{
    static const enum gpuprim_type labels[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    enum { KEYS = 40 };
    struct group group = { .type = classify_types[check_below(check, CLASSIFY_TYPES - 1)] };
    group.n = 1 + check_below(check, check_once_in(check, 2) ? 15 : KEYS);
    group.wanted = 1 + (unsigned)check_below(check, 3);
    group.labels = labels[check_below(check, 3)];
    return group;
}

static void view(struct check *check, gpuprim *gp, const struct group *group,
                 struct classify_case *test)
{
    classify_shuffle(check, gp, test);
    draw_layout(check, gp, test->count, test->rows, &test->in);
    draw_layout(check, gp, test->count, test->rows, &test->out);
    test->data = FILL_AROUND;
    test->labels = group->wanted & 1 ? group->labels : GPUPRIM_TYPE_INVALID;
    test->counts = group->wanted & 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
    classify_run(check, gp, test);
}

static int cases_of(const struct check *check)
{
    return check->quick ? 40 : 200;
}

static void thresholds(struct check *check, gpuprim *gp, bool own_keys)
{
    const struct group group = draw_group(check);
    for (int i = 0; i < cases_of(check); i++) {
        struct classify_case test = { .type = group.type };
        draw_size(check, &test);
        classify_thresholds(check, test.type, group.n, own_keys ? test.rows : 1, SPREAD_RANDOM,
                            &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        view(check, gp, &group, &test);
        classify_free(&test.params);
    }
}

static void one_rule(struct check *check, gpuprim *gp)
{
    thresholds(check, gp, false);
}

static void own_keys(struct check *check, gpuprim *gp)
{
    thresholds(check, gp, true);
}

enum { LOCAL_BYTES = 16384 };

// So many keys of each row's own that those of two rows do not fit LOCAL_BYTES.
static void many_own_keys(struct check *check, gpuprim *gp)
{
    enum { KEYS = 3000 };
    static const enum classify_spread spreads[] = { SPREAD_RANDOM, SPREAD_EVEN, SPREAD_LOG };
    struct group group = draw_group(check);
    group.labels = GPUPRIM_U16;
    for (int i = 0; i < (check->quick ? 3 : 12); i++) {
        struct classify_case test = { .type = group.type };
        draw_size(check, &test);
        test.rows = 2 + check_below(check, 2);
        classify_thresholds(check, test.type, KEYS, test.rows, spreads[i % 3], &test.params);
        classify_close(&test.params, i % 2 ? GPUPRIM_CLOSED_LEFT : GPUPRIM_CLOSED_RIGHT);
        view(check, gp, &group, &test);
        classify_free(&test.params);
    }
}

// The other methods, and many labels. Types and rule are the same in all cases.
static void other_rules(struct check *check, gpuprim *gp)
{
    struct group group = draw_group(check);
    struct gpuprim_classifier_params params = { .in = group.type };
    group.labels = check_once_in(check, 2) ? GPUPRIM_U16 : GPUPRIM_U32;
    const unsigned rule = (unsigned)check_below(check, 6);
    if (rule < 3)
        group.type = classify_types[check_below(check, CLASSIFY_INTEGERS)];
    if (rule == 0)
        classify_table(check, group.type, &params);
    else if (rule == 1)
        classify_cases(check, group.type, 40, 0x1f, &params);
    else if (rule == 2)
        classify_switch(check, group.type, 20, &params);
    else if (rule == 3)
        classify_rules(check, group.type, 5, &params);
    else
        classify_thresholds(check, group.type, rule == 4 ? 250 : 3000, 1,
                            rule == 4 ? SPREAD_EVEN : SPREAD_LOG, &params);
    for (int i = 0; i < cases_of(check); i++) {
        struct classify_case test = { .type = group.type, .params = params };
        draw_size(check, &test);
        view(check, gp, &group, &test);
    }
    classify_free(&params);
}

// Counts of each row, in columns that are longer than there are labels: counters of all rows that
// a vector has do not always have room.
static void own_counts(struct check *check, gpuprim *gp)
{
    static const uint64_t keys[] = { 6, 3000, 9000, 40000 };
    const struct group group = { GPUPRIM_I32, GPUPRIM_U32, 2, keys[check_below(check, 4)] };
    struct gpuprim_classifier_params params = { .in = group.type };
    classify_thresholds(check, group.type, group.n, 1, SPREAD_EVEN, &params);
    for (int i = 0; i < (check->quick ? 2 : 6); i++) {
        struct classify_case test = { .type = group.type, .params = params };
        test.rows = 1 + check_below(check, gp_min(20, 120000 / group.n));
        test.count = group.n + 1 + check_below(check, 500);
        classify_shuffle(check, gp, &test);
        test.labels = GPUPRIM_TYPE_INVALID;
        test.counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
        test.counts_per_row = true;
        test.in = (struct check_layout){ .lead = check_below(check, 70),
                                         .stride = (int64_t)test.rows,
                                         .row_stride = 1,
                                         .memory = test.in.memory };
        classify_run(check, gp, &test);
    }
    classify_free(&params);
}

// Turned labels of so many elements that tiles take several passes: down, beside, or both ways.
static void passes(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t rows, count;
    } sizes[] = { { 1400, 24 }, { 5, 9000 },  { 40, 1100 },
                  { 9001, 4 },  { 200, 210 }, { 24, 1400 } };
    struct group group = draw_group(check);
    group.labels = check_once_in(check, 2) ? GPUPRIM_U8 : group.labels;
    group.wanted |= 1;
    for (unsigned i = 0; i < (check->quick ? 2 : 6); i++) {
        const uint64_t rows = sizes[i].rows, count = sizes[i].count;
        struct classify_case test = { .type = group.type, .rows = rows, .count = count };
        const bool by_columns = check_once_in(check, 2);
        classify_thresholds(check, test.type, group.n, check_once_in(check, 4) ? rows : 1,
                            SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        const struct check_layout in_rows = { .lead = check_below(check, 70),
                                              .stride = either_way(check, 1),
                                              .row_stride = (int64_t)(count + gap(check)) },
                                  in_columns = { .lead = check_below(check, 70),
                                                 .row_stride = either_way(check, 1),
                                                 .stride = (int64_t)(rows + gap(check)) };
        test.in = by_columns ? in_columns : in_rows;
        test.out = by_columns ? in_rows : in_columns;
        test.data = FILL_AROUND;
        test.labels = group.labels;
        test.counts = group.wanted & 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
        test.counts_per_row = check_once_in(check, 2);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

static const struct {
    const char *name;
    void (*run)(struct check *check, gpuprim *gp);
} kinds[] = { { "one_rule", one_rule },
              { "own_keys", own_keys },
              { "other_rules", other_rules },
              { "own_counts", own_counts } };

void classify_views_run(struct check *check)
{
    const struct gp_primitive *classify = check_primitive("classify");
    for (unsigned v = classify->n_variants; v-- > 0;)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const char *variant = classify->variants[v]->name;
            if (!check_begin(check, "classify/views/%s/%s", kinds[k].name, variant))
                continue;
            gpuprim *gp = check_variant(check, "classify", variant, 0);
            if (gp)
                kinds[k].run(check, gp);
            const bool is_refused = check->not_taken == check->cases && !check->failures;
            if (gp && is_refused)
                check_skip(check, "the variant takes none of it on this device");
            else
                check_end(check);
            gpuprim_destroy(&gp);
        }
    static const struct {
        const char *name;
        cl_ulong local_bytes;
        unsigned units;
        void (*run)(struct check *check, gpuprim *gp);
    } small[] = { { "many_own_keys", LOCAL_BYTES, 0, many_own_keys },
                  { "passes", 49152, 1, passes } };
    for (unsigned k = 0; k < sizeof small / sizeof *small; k++) {
        if (!check_begin(check, "classify/views/%s", small[k].name))
            continue;
        gpuprim *gp =
            classify_small_gpu(check, small[k].local_bytes, small[k].units, "gpu_tiles");
        if (gp)
            small[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
