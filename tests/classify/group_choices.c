/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: how many groups of gpu_words take rows on a GPU. Nothing is built, as in
 * choices.c. corners.c runs this file. */
#include "corners.h"

#include "src/classify/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

struct classify_division classify_divide(const gpuprim *gp,
                                         const gpuprim_classifier *classifier, uint64_t rows,
                                         uint64_t count, unsigned outputs)
{
    const struct gp_variant *v = &gp_classify_gpu_words;
    const struct classify_ops *ops = v->ops;
    struct classify_choice choice = { .items = 0 };
    struct classification c = gp_classify_packed_call(classifier, count, outputs & WITH_LABELS,
                                                      outputs & WITH_COUNTS, &choice);
    c.in.rows = c.labels.rows = rows;
    c.in.row_stride = c.labels.row_stride = (int64_t)count;
    struct gp_key key = { .n = 0 };
    struct classify_layout l = { .groups = 0 };
    ops->specialise(gp, &c, v, &key);
    const struct gp_program program = { .work_group = key.work_group };
    ops->lay_out(gp, &c, v, &program, rows, count, &l);
    const uint64_t tile = (uint64_t)key.work_group * choice.items * choice.word;
    return (struct classify_division){ .groups = l.groups,
                                       .tiles = gp_ceil_div(rows * gp_ceil_div(count, tile),
                                                            l.groups),
                                       .rows = l.block_rows,
                                       .words = choice.words,
                                       .counters = choice.counters.form };
}

// Each of a few rows has a group or more, and so has each row of 8192 elements. Of others a group
// takes several.
static void cut_rows(struct check *check, gpuprim *gp)
{
    enum { FEW = UNITS / 2 };
    static const struct {
        uint64_t rows, count;
        bool are_cut;
    } calls[] = { { FEW, 2048, true },
                  { FEW, 2047, false },
                  { FEW + 1, 2048, false },
                  { FEW + 1, 8191, false },
                  { FEW + 1, 8192, true } };
    gpuprim_classifier *classifier = classify_table_in_turn(check, gp, GPUPRIM_U16, 256, 10);
    for (unsigned i = 0; classifier && i < COUNT(calls); i++) {
        const struct classify_division d =
            classify_divide(gp, classifier, calls[i].rows, calls[i].count, WITH_LABELS);
        check->cases++;
        CHECK(check,
              (d.words == WORDS_OF_ROW) == calls[i].are_cut &&
                  (!calls[i].are_cut || d.groups >= calls[i].rows),
              "%llu rows of %llu: words %u, %llu groups", (unsigned long long)calls[i].rows,
              (unsigned long long)calls[i].count, d.words, (unsigned long long)d.groups);
    }
    gpuprim_classifier_destroy(&classifier);
}

// Items of a group that have no words are spared by passes over parts of more rows, but not where
// groups are fewer than the device runs. Rows of 885 u32 have up to 222 words. So 56 items take one
// in a pass, 4 words each, and a group has 4 rows at once; in two passes it has 9.
static void passes_of_rows(struct check *check, gpuprim *gp)
{
    enum { COUNT_OF_ROW = 885, FEW = 40, MANY = 1 << 20 };
    gpuprim_classifier *classifier = classify_table_in_turn(check, gp, GPUPRIM_U32, 256, 10);
    if (!classifier)
        return;
    const uint64_t few = classify_divide(gp, classifier, FEW, COUNT_OF_ROW, WITH_LABELS).rows,
                   many = classify_divide(gp, classifier, MANY, COUNT_OF_ROW, WITH_LABELS).rows;
    check->cases++;
    CHECK(check, few == 4 && many == 9, "a group has %llu of few rows and %llu of many",
          (unsigned long long)few, (unsigned long long)many);
    gpuprim_classifier_destroy(&classifier);
}

// A group takes a few tiles of one long row, more of them where it has counters to empty, so that
// groups that run at once are at few places of memory. It takes many where its tables or counters
// are large, and of several rows.
static void tiles_of_row(struct check *check, gpuprim *gp)
{
    enum { LONG = 1 << 30, SHORT = 1 << 20, MANY = 6, FIELDS = 20000 };
    static const struct {
        uint64_t entries;
        uint32_t labels;
        unsigned outputs;
        uint64_t rows, count;
        uint64_t least, most; // tiles of a group
    } calls[] = { { 256, 10, WITH_LABELS, 1, LONG, 3, 3 },
                  { 256, 10, WITH_LABELS, 1, SHORT, 1, 1 },
                  { 256, 10, WITH_LABELS, 2, LONG / 2, MANY, LONG },
                  { 256, 10, WITH_COUNTS, 1, LONG, MANY, LONG },
                  { 256, 15, WITH_LABELS | WITH_COUNTS, 1, LONG, 4, 4 },
                  { 256, 16, WITH_LABELS | WITH_COUNTS, 1, LONG, 5, 5 },
                  { 256, 100, WITH_LABELS | WITH_COUNTS, 1, LONG, 10, 10 },
                  { 1 << 13, 10, WITH_LABELS, 1, LONG, 3, 3 },
                  { 1 << 15, 10, WITH_LABELS, 1, LONG, MANY, LONG },
                  { 1 << 15, 10, WITH_LABELS | WITH_COUNTS, 1, LONG, MANY, LONG },
                  { 1 << 15, FIELDS, WITH_LABELS | WITH_COUNTS, 1, LONG, MANY, LONG } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, GPUPRIM_U16, calls[i].entries, calls[i].labels);
        if (!classifier)
            return;
        const uint64_t tiles =
            classify_divide(gp, classifier, calls[i].rows, calls[i].count, calls[i].outputs)
                .tiles;
        check->cases++;
        CHECK(check, tiles >= calls[i].least && tiles <= calls[i].most,
              "call %u: %llu tiles of a group", i, (unsigned long long)tiles);
        gpuprim_classifier_destroy(&classifier);
    }
}

// One long row by a table that local memory has in part has two groups for each unit. Of several
// rows each has more.
static void groups_of_part(struct check *check, gpuprim *gp)
{
    enum { LONG = 1 << 28 };
    const uint64_t wanted = 2 * (uint64_t)gp->caps.compute_units;
    gpuprim_classifier *classifier =
        classify_table_in_turn(check, gp, GPUPRIM_U16, 1 << 16, 200);
    for (uint64_t rows = 1; classifier && rows <= 2; rows++) {
        const uint64_t groups =
            classify_divide(gp, classifier, rows, LONG / rows, WITH_LABELS).groups;
        check->cases++;
        CHECK(check, rows == 1 ? groups == wanted : groups > rows * wanted,
              "%llu rows: %llu groups", (unsigned long long)rows, (unsigned long long)groups);
    }
    gpuprim_classifier_destroy(&classifier);
}

// Groups whose counters are FIELDS are not all given the same part of data that repeat.
static void groups_of_fields(struct check *check, gpuprim *gp)
{
    enum { LONG = 1 << 28 };
    static const uint32_t labels[] = { 20000, 65535 };
    for (unsigned i = 0; i < COUNT(labels); i++) {
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, GPUPRIM_U16, 1 << 16, labels[i]);
        if (!classifier)
            return;
        const struct classify_division d =
            classify_divide(gp, classifier, 1, LONG, WITH_COUNTS);
        check->cases++;
        CHECK(check, d.counters == COUNTERS_FIELDS && d.groups % 2,
              "%u labels: %llu groups with counters of form %u", labels[i],
              (unsigned long long)d.groups, d.counters);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Few intervals of a long row are counted by groups of many tiles.
static void tiles_of_intervals(struct check *check, gpuprim *gp)
{
    enum { LONG = 1 << 30, MANY = 6 };
    static const uint16_t keys[] = { 100, 200 };
    const struct gpuprim_thresholds rule = { .values =
                                                 gpuprim_host(GPUPRIM_U16, keys, COUNT(keys)) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
    if (!classifier)
        return;
    const struct classify_division d =
        classify_divide(gp, classifier, 1, LONG, WITH_LABELS | WITH_COUNTS);
    check->cases++;
    CHECK(check, d.counters == COUNTERS_INTERVALS, "counters of form %u", d.counters);
    CHECK(check, d.tiles >= MANY, "%llu tiles of a group", (unsigned long long)d.tiles);
    gpuprim_classifier_destroy(&classifier);
}

void classify_group_choices_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/group_choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        cut_rows(check, gp);
        passes_of_rows(check, gp);
        tiles_of_row(check, gp);
        groups_of_part(check, gp);
        groups_of_fields(check, gp);
        tiles_of_intervals(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
