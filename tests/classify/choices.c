/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: which variant takes rows with counts of their own on a GPU, which tables come
 * by value, and how many copies counters have, on both sides of the limits. column_choices.c has
 * columns and keys of each row's own, tile_choices.c has tiles, and group_choices.c tells how many
 * groups take rows. Nothing is built: the context is one of the device at hand, with the limits of
 * a large GPU. corners.c runs this file. */
#include "corners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/classify/tiles.h"
#include "src/classify/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// Rows one behind the other, with labels, or with counts of each.
static struct classification call_of(const gpuprim_classifier *classifier, uint64_t rows,
                                     uint64_t count, bool counts_rows,
                                     struct classify_choice *choice)
{
    struct classification c =
        gp_classify_packed_call(classifier, count, !counts_rows, counts_rows, choice);
    c.in.rows = c.labels.rows = rows;
    c.in.row_stride = c.labels.row_stride = (int64_t)count;
    if (counts_rows)
        classify_count_each(&c);
    return c;
}

// Rows of 4096 elements and more share a group's tables where these have half of a row's bytes, and
// groups have two rows or more.
static void large_tables(struct check *check, gpuprim *gp)
{
    enum { LARGE = 32768, SMALL = 8192, MANY = 2 * UNITS * 8192 / 256 };
    static const struct {
        uint64_t entries, rows, count; // entries of one byte, elements of two
        const char *variant;
    } calls[] = {
        { LARGE, MANY, 4096, "gpu_counted_rows" },  { LARGE, MANY - 1, 4096, "gpu_words" },
        { LARGE, MANY, 16383, "gpu_counted_rows" }, { LARGE, MANY - 1, 16383, "gpu_words" },
        { LARGE, MANY, 16384, "gpu_words" },        { LARGE, 100, 4095, "gpu_counted_rows" },
        { SMALL, MANY, 4096, "gpu_counted_rows" },  { SMALL, MANY, 16383, "gpu_words" },
    };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        struct classify_choice choice;
        gpuprim_classifier *classifier =
            classify_table_in_turn(check, gp, GPUPRIM_U16, calls[i].entries, 10);
        if (!classifier)
            return;
        const struct classification c =
            call_of(classifier, calls[i].rows, calls[i].count, true, &choice);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0,
              "%llu rows of %llu, %llu entries: %s, not %s", (unsigned long long)calls[i].rows,
              (unsigned long long)calls[i].count, (unsigned long long)calls[i].entries,
              v ? v->name : "none", calls[i].variant);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Few tables come by value where they have room beside the counters of a group.
static void few_tables(struct check *check, gpuprim *gp)
{
    enum { ENTRIES = 4, COUNT_OF_ROW = 1 << 22, BESIDE = 64 };
    const uint64_t room = gp_classify_local_room(gp);
    const struct classify_ops *ops = gp_classify_gpu_words.ops;
    unsigned by_value = 0, apart = 0;
    for (uint32_t most = (uint32_t)room / 4 - BESIDE; most < room / 4 + BESIDE; most++) {
        const uint32_t labels[ENTRIES] = { 0, 1, 2, most };
        const struct gpuprim_table rule = { .labels =
                                                gpuprim_host(GPUPRIM_U32, labels, ENTRIES),
                                            .mask = ENTRIES - 1 };
        const struct gpuprim_classifier_params params = { .table = &rule, .in = GPUPRIM_U32 };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice = { .items = 0 };
        const struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, false, true, &choice);
        struct gp_key key = { .n = 0 };
        ops->specialise(gp, &c, &gp_classify_gpu_words, &key);
        check->cases++;
        CHECK(check, choice.local_bytes <= room, "label %u: %llu bytes, there are %llu", most,
              (unsigned long long)choice.local_bytes, (unsigned long long)room);
        by_value += choice.by_value;
        apart += !choice.by_value;
        gpuprim_classifier_destroy(&classifier);
    }
    CHECK(check, by_value && apart, "%u by value, %u not", by_value, apart);
}

// Elements of rows with gaps are taken one by one if rows are shorter than `from`.
static void rows_apart(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        bool has_labels, has_counts;
        uint64_t from;
    } calls[] = { { GPUPRIM_U32, true, false, 96 }, { GPUPRIM_U32, false, true, 96 },
                  { GPUPRIM_I64, true, false, 96 }, { GPUPRIM_I64, false, true, 96 },
                  { GPUPRIM_U16, true, false, 64 }, { GPUPRIM_U16, false, true, 176 },
                  { GPUPRIM_U8, true, false, 64 },  { GPUPRIM_U8, false, true, 176 },
                  { GPUPRIM_U16, true, true, 96 },  { GPUPRIM_U8, true, true, 96 } };
    for (unsigned i = 0; i < COUNT(calls); i++)
        for (uint64_t count = calls[i].from - 1; count <= calls[i].from; count++) {
            const uint8_t labels[] = { 1, 2 };
            const struct gpuprim_table rule = { .labels = gpuprim_host(GPUPRIM_U8, labels, 2),
                                                .mask = 1 };
            const struct gpuprim_classifier_params params = { .table = &rule,
                                                              .in = calls[i].type };
            gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
            if (!classifier)
                return;
            struct classify_choice choice;
            struct classification c = gp_classify_packed_call(
                classifier, count, calls[i].has_labels, calls[i].has_counts, &choice);
            c.in.rows = c.labels.rows = 100000;
            c.in.row_stride = c.labels.row_stride = 2 * (int64_t)count;
            const bool are_apart = gp_words_are_spread(&c, gp_words_kind(&c));
            check->cases++;
            CHECK(check, are_apart == (count < calls[i].from), "%s, rows of %llu: %d",
                  gp_type_name(calls[i].type), (unsigned long long)count, are_apart);
            gpuprim_classifier_destroy(&classifier);
        }
}

// Counters of f32 beside labels: as many copies as there are banks, if these have 16 KiB at most.
static void copies_of_counters(struct check *check, gpuprim *gp)
{
    enum { BANKS = 32, MOST = 128, LARGE = 1 << 22 };
    const struct classify_ops *ops = gp_classify_gpu_words.ops;
    for (uint32_t bins = MOST - 4; bins < MOST + 2; bins++) {
        const struct gpuprim_uniform rule = { .low = 0, .high = 1, .bins = bins };
        const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_F32 };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice = { .items = 0 };
        const struct classification c =
            gp_classify_packed_call(classifier, LARGE, true, true, &choice);
        struct gp_key key = { .n = 0 };
        ops->specialise(gp, &c, &gp_classify_gpu_words, &key);
        const uint64_t slots = classifier->labels + classifier->may_reject + 1;
        const unsigned copies = slots <= MOST ? BANKS : 1;
        check->cases++;
        CHECK(check,
              choice.counters.copies == copies &&
                  choice.counters.bytes == slots * copies * sizeof(cl_uint),
              "%u bins: %u copies, %llu bytes", bins, choice.counters.copies,
              (unsigned long long)choice.counters.bytes);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Elements that are counted alone have MULTIPLES where keys are 1, 2, 3 ... times one number. A key
// that is a float off, keys so few that they are compared, a map and labels are in the way.
static void multiples(struct check *check, gpuprim *gp)
{
    enum { N = 100, FEW = 4 };
    static const struct {
        uint32_t n, moved; // the key that is a float off, or N
        bool has_map, has_labels, expected;
    } calls[] = { { N, N, false, false, true },
                  { N, 70, false, false, false },
                  { N, N, true, false, false },
                  { N, N, false, true, false },
                  { FEW, N, false, false, false } };
    const struct classify_ops *ops = gp_classify_gpu_words.ops;
    float keys[N];
    uint8_t map[N + 1] = { 1 };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        for (uint32_t k = 0; k < calls[i].n; k++)
            keys[k] = (float)((k + 1) * 0.01);
        if (calls[i].moved < N)
            keys[calls[i].moved] = nextafterf(keys[calls[i].moved], 0);
        const struct gpuprim_thresholds rule = {
            .values = gpuprim_host(GPUPRIM_F32, keys, calls[i].n),
        };
        struct gpuprim_classifier_params params = { .thresholds = &rule };
        if (calls[i].has_map)
            params.map = gpuprim_host(GPUPRIM_U8, map, calls[i].n + 1);
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        if (!classifier)
            return;
        struct classify_choice choice = { .items = 0 };
        const struct classification c =
            gp_classify_packed_call(classifier, 1 << 28, calls[i].has_labels, true, &choice);
        struct gp_key key = { .n = 0 };
        ops->specialise(gp, &c, &gp_classify_gpu_words, &key);
        check->cases++;
        CHECK(check, choice.is_multiples == calls[i].expected, "call %u: %smultiples", i,
              choice.is_multiples ? "" : "no ");
        gpuprim_classifier_destroy(&classifier);
    }
}

// Few elements for each of many labels are counted in the result at once; four for each are few.
static void few_elements(struct check *check, gpuprim *gp)
{
    enum { BINS = 5000, FEW = 4 * BINS };
    const struct gpuprim_uniform rule = { .low = 0, .high = 1, .bins = BINS };
    const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_F32 };
    gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
    if (!classifier)
        return;
    const struct classify_ops *ops = gp_classify_gpu_words.ops;
    for (uint64_t n = FEW; n <= FEW + 1; n++) {
        struct classify_choice choice = { .items = 0 };
        const struct classification c =
            gp_classify_packed_call(classifier, n, true, true, &choice);
        struct gp_key key = { .n = 0 };
        ops->specialise(gp, &c, &gp_classify_gpu_words, &key);
        check->cases++;
        CHECK(check, (choice.counters.form == COUNTERS_DIRECT) == (n == FEW),
              "%llu elements: form %u", (unsigned long long)n, choice.counters.form);
    }
    gpuprim_classifier_destroy(&classifier);
}

void classify_choices_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        large_tables(check, gp);
        few_tables(check, gp);
        rows_apart(check, gp);
        copies_of_counters(check, gp);
        multiples(check, gp);
        few_elements(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
