/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: rows and columns at any place, by each variant. Input and labels lie
 * differently: by rows or by columns, with gaps, forwards or backwards, at any offset. Rows
 * have lengths around those at which blocks and tiles end. A group draws rule and types once,
 * so that it compiles few programs. suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

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

// u16 labels by columns, and counts.
static void turn(struct check *check, gpuprim *gp, uint64_t labels, bool counts_per_row)
{
    struct classify_case test = { .type = GPUPRIM_U16, .rows = 100, .count = 1000 };
    struct gpuprim_table table = { .labels = gpuprim_host(GPUPRIM_U16, NULL, 1024),
                                   .mask = 1023 };
    uint16_t *values = check_allocate(1024 * sizeof *values);
    for (unsigned k = 0; k < 1024; k++)
        values[k] = (uint16_t)check_below(check, labels);
    values[0] = (uint16_t)(labels - 1);
    table.labels.base = values;
    test.params.table = &table;
    test.params.in = GPUPRIM_U16;
    test.data = FILL_RANDOM;
    test.labels = GPUPRIM_U16;
    test.counts = GPUPRIM_U32;
    test.counts_per_row = counts_per_row;
    test.in = (struct check_layout){ .stride = 1, .row_stride = 1000 };
    test.out = (struct check_layout){ .stride = 100, .row_stride = 1 };
    classify_run(check, gp, &test);
    free(values);
}

// Rows that have counts of their own: the more labels, the fewer rows a tile has, and the fewer
// elements an item. 800 labels leave ten rows in 48 KiB.
static void turned(struct check *check, gpuprim *gp)
{
    static const uint64_t labels[] = { 800, 500, 1300, 2000 };
    for (int i = 0; i < (check->quick ? 2 : 4); i++)
        turn(check, gp, labels[i], true);
}

// Counters of few bits beside the labels of a tile.
static void turned_planes(struct check *check, gpuprim *gp)
{
    static const uint64_t labels[] = { 30000, 50000, 20000 };
    for (int i = 0; i < (check->quick ? 2 : 3); i++)
        turn(check, gp, labels[i], false);
}

// Columns of f32 that become rows, with many counters: the next tile is loaded while one is stored.
static void turned_ahead(struct check *check, gpuprim *gp)
{
    static const uint32_t bins[] = { 30000, 5000, 50000 };
    for (int i = 0; i < (check->quick ? 2 : 3); i++) {
        struct classify_case test = { .type = GPUPRIM_F32, .rows = 20 * (uint64_t)i + 3 };
        test.count = 900 + check_below(check, 500);
        classify_uniform(check, test.type, bins[i], &test.params);
        test.data = FILL_AROUND;
        test.labels = GPUPRIM_U16;
        test.counts = GPUPRIM_U32;
        test.in = (struct check_layout){ .stride = (int64_t)test.rows, .row_stride = 1 };
        test.out = (struct check_layout){ .stride = 1, .row_stride = (int64_t)test.count };
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// Labels of small elements in short rows with gaps, whose words begin elsewhere in each row, or
// alike in all; some are shorter than words, some have labels without gaps. The first are so many
// that an item takes several words of a row, one after the other, on a device of one unit.
static void short_rows(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I16, GPUPRIM_U8, GPUPRIM_F16 };
    for (unsigned t = 0; t < (check->quick ? 1 : 3); t++) {
        struct classify_case test = { .type = types[t], .labels = GPUPRIM_U8 };
        classify_thresholds(check, test.type, 20, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        const int64_t step = check_once_in(check, 2) ? 1 : -1;
        for (int i = 0; i < 40; i++) {
            const bool are_alike = check_once_in(check, 3), are_many = i < 2;
            test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
            test.rows = are_many ? 300 : 2 + check_below(check, 60);
            test.count = are_many ? 1100 + check_below(check, 100)
                         : are_alike
                             ? 16 * (2 + check_below(check, 20))
                             : 2 + check_below(check, check_once_in(check, 3) ? 30 : 300);
            const int64_t more = are_alike ? 16 : 3,
                          apart = (int64_t)(test.count + (are_alike ? 16 * check_below(check, 4)
                                                                    : check_below(check, 40)));
            test.in = (struct check_layout){ .lead = check_below(check, 70),
                                             .memory = are_alike || check_once_in(check, 2)
                                                           ? GPUPRIM_BUFFER
                                                           : GPUPRIM_HOST,
                                             .stride = step,
                                             .row_stride = either_way(check, (uint64_t)apart) };
            test.out = (struct check_layout){ .lead = are_alike ? 16 : check_below(check, 70),
                                              .memory = test.in.memory,
                                              .stride = 1,
                                              .row_stride = check_once_in(check, 3)
                                                                ? (int64_t)test.count
                                                                : apart + more };
            classify_run(check, gp, &test);
        }
        classify_free(&test.params);
    }
}

// Labels that are twice or four times as large as elements, in a row that has several tiles.
static void wide_labels(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type, labels;
    } kinds[] = { { GPUPRIM_U8, GPUPRIM_U16 },
                  { GPUPRIM_U16, GPUPRIM_U32 },
                  { GPUPRIM_I8, GPUPRIM_U32 } };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct classify_case test = { .type = kinds[i].type,
                                      .labels = kinds[i].labels,
                                      .rows = 1 };
        classify_thresholds(check, test.type, 20, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        for (unsigned lead = 0; lead < 3; lead++) {
            test.count = 100000 + check_below(check, 100000);
            test.data = FILL_AROUND;
            test.in = (struct check_layout){ .lead = check_below(check, 70),
                                             .stride = lead == 2 ? -1 : 1,
                                             .memory = GPUPRIM_BUFFER };
            test.out = (struct check_layout){ .lead = 8 * lead,
                                              .stride = 1,
                                              .memory = GPUPRIM_BUFFER };
            classify_run(check, gp, &test);
        }
        classify_free(&test.params);
    }
}

// Rows that are cut into parts where they are few, around the length from which on they are; the
// device has many units.
static void few_rows(struct check *check, gpuprim *gp)
{
    static const uint64_t counts[] = { 2047, 2048, 2049, 5714, 8191, 8192 };
    static const uint64_t rows[] = { 2, 9, 49, 50, 51 };
    static const int64_t steps[] = { 1, -1, 3, -10 };
    for (unsigned kind = 0; kind < 4; kind++) {
        struct classify_case test = { .type = kind % 2 ? GPUPRIM_F32 : GPUPRIM_U16 };
        classify_thresholds(check, test.type, 60, 1, SPREAD_RANDOM, &test.params);
        classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        for (unsigned i = 0; i < (check->quick ? 4 : 12); i++) {
            test.count = counts[check_below(check, 6)];
            test.rows = rows[check_below(check, 5)];
            classify_shuffle(check, gp, &test);
            test.labels = GPUPRIM_U16;
            test.counts = kind < 2 ? GPUPRIM_TYPE_INVALID : GPUPRIM_U32;
            test.counts_per_row = false;
            test.in.stride = steps[kind];
            test.in.row_stride = (int64_t)(test.count * gp_abs(steps[kind]) + 7);
            test.out.stride = steps[3 - kind];
            test.out.row_stride = (int64_t)(test.count * gp_abs(steps[3 - kind]) + 3);
            classify_run(check, gp, &test);
        }
        classify_free(&test.params);
    }
}

// Keys of each row's own in rows of so many elements of 16 bits that groups have ranks of their
// row. 20 000 of them, which differ, have no room as a tree. Nothing is above the last key of the
// first row, which it lacks where that is asked.
static void ranked_rows(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_I16, GPUPRIM_F16, GPUPRIM_U16 };
    static const uint16_t lasts[] = { INT16_MAX, 0x7c00, UINT16_MAX };
    static const enum classify_spread spreads[] = { SPREAD_RANDOM, SPREAD_EVEN, SPREAD_LOG };
    for (unsigned i = 0; i < (check->quick ? 6 : 18); i++) {
        struct classify_case test = { .type = types[i % 3],
                                      .rows = 2 + check_below(check, 3),
                                      .count = 32768 + check_below(check, 3000) };
        const bool are_many = test.type != GPUPRIM_F16 && i / 3 % 2;
        const uint64_t n = are_many ? 20000 : 8 + check_below(check, 40);
        const enum classify_spread spread = are_many ? SPREAD_EVEN : spreads[i / 3 % 3];
        classify_thresholds(check, test.type, n, test.rows, spread, &test.params);
        ((uint16_t *)test.params.thresholds->values.base)[n - 1] = lasts[i % 3];
        if (check_once_in(check, 2))
            classify_close(&test.params, GPUPRIM_CLOSED_RIGHT);
        classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
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
    if (check_begin(check, "classify/views/wide_labels")) { // as the device is
        gpuprim *gp = check_variant(check, "classify", "gpu_words", 0);
        if (gp)
            wide_labels(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    static const struct {
        const char *name;
        cl_ulong local_bytes;
        const char *variant;
        void (*run)(struct check *check, gpuprim *gp);
    } small[] = { { "many_own_keys", LOCAL_BYTES, "classify:gpu_tiles", many_own_keys },
                  { "passes", 49152, "classify:gpu_tiles", passes },
                  { "turned", 49152, "classify:gpu_tiles", turned },
                  { "turned_planes", 49152, "classify:gpu_tiles", turned_planes },
                  { "turned_ahead", 49152, "classify:gpu_tiles", turned_ahead },
                  { "short_rows", 49152, "classify:gpu_words", short_rows },
                  { "ranked_rows", 49152, "classify:gpu_words", ranked_rows },
                  { "few_rows", 49152, "classify:gpu_words", few_rows } };
    for (unsigned k = 0; k < sizeof small / sizeof *small; k++) {
        if (!check_begin(check, "classify/views/%s", small[k].name))
            continue;
        struct device_model model = model_gpu;
        model.local_is_less = true;
        model.local_bytes = small[k].local_bytes;
        if (small[k].run == passes || small[k].run == short_rows || small[k].run == ranked_rows)
            model.units = 1;
        if (small[k].run == few_rows)
            model.units = 100;
        gpuprim *gp = check_context_on(check, &model, small[k].variant, 0);
        if (gp)
            small[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
