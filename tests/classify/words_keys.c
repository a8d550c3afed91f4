/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: what a group of gpu_words has of its row's own keys, on models of a GPU: ranks,
 * places of equal keys, and cells; src/classify/words_keys.c chooses. suite.c runs this file. */
#include "corners.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

#include "src/classify/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// In pieces arrays are on the host, rows one behind the other, and staging memory has room for few rows.
static void run_case(struct check *check, gpuprim *gp, struct classify_case *test,
                     bool in_pieces)
{
    enum { FEW_ROWS = 1 << 17 }; // bytes
    const uint64_t staging = gp->staging_bytes;
    if (in_pieces) {
        gp->staging_bytes = FEW_ROWS;
        test->in = (struct check_layout){ .stride = 1, .row_stride = (int64_t)test->count };
        test->out = test->in;
    }
    classify_run(check, gp, test);
    gp->staging_bytes = staging;
}

static void refuses_none(struct check *check)
{
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
}

// Makes about a third of the keys of 16 bits equal to the ones before. The first row keeps all of its keys, so
// that ranks are as many as places, or it does not. Where that is asked, all keys of the last row are equal.
static void repeat_keys(struct check *check, struct gpuprim_classifier_params *params,
                        uint64_t n, uint64_t rows)
{
    uint16_t *keys = params->thresholds->values.base;
    const bool all = check_once_in(check, 2);
    for (uint64_t row = check_below(check, 2); row < rows; row++)
        for (uint64_t k = 1; k < n; k++)
            if ((all && row + 1 == rows) || check_once_in(check, 3))
                keys[row * n + k] = keys[row * n + k - 1];
}

// Keys of each row's own in rows of so many elements of 16 bits that groups have ranks of their
// row. 20 000 of them have no room as a tree, nor have the places of those that are equal. Nothing
// is above the last key of the first row, which it lacks where that is asked.
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
        if (i % 2)
            repeat_keys(check, &test.params, n, test.rows);
        const bool has_last_nan = i % 6 == 1; // behind equal keys of f16
        if (has_last_nan)
            classify_close(&test.params, GPUPRIM_CLOSED_LEFT);
        else if (check_once_in(check, 2))
            classify_close(&test.params, GPUPRIM_CLOSED_RIGHT);
        if (!has_last_nan)
            classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        if (has_last_nan)
            test.data = FILL_RANDOM;
        const enum gpuprim_type labels = test.labels;
        if (i % 2) { // by rank
            test.labels = GPUPRIM_TYPE_INVALID;
            test.counts = test.counts ? test.counts : GPUPRIM_U32;
            run_case(check, gp, &test, i % 3 == 0);
            test.labels = labels ? labels : GPUPRIM_U32;
        }
        run_case(check, gp, &test, i % 3 == 0);
        classify_free(&test.params);
    }
    refuses_none(check);
}

// Closed right, the highest value is no key: the second row has a few keys less, and the last row may
// have none.
static void leave_out_keys(struct check *check, struct classify_case *test, uint64_t n)
{
    const struct gpuprim_array *keys = &test->params.thresholds->values;
    const uint64_t first = rank_of(test->type, rank_read(keys, 0, 0)),
                   highest = rank_to_bits(test->type,
                                          rank_step(test->type,
                                                    rank_step(test->type, first, INT64_MAX),
                                                    INT64_MAX));
    const bool none = check_once_in(check, 2);
    for (uint64_t row = 1; row < test->rows; row++) {
        const uint64_t few = 1 + check_below(check, 9),
                       all = row + 1 == test->rows && none ? n : few;
        for (uint64_t k = n - all; k < n; k++)
            rank_write(keys, row, k, highest);
    }
    classify_close(&test->params, GPUPRIM_CLOSED_RIGHT);
}

// Keys of each row's own that have no room as a tree in 4 KiB: a group has cells, and all keys, or
// every second, fourth or eighth.
static void celled_rows(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_F32, GPUPRIM_I64, GPUPRIM_U32,
                                               GPUPRIM_F64, GPUPRIM_I16 };
    // Of 4 and of 8 bytes.
    static const uint64_t keys[2][6] = { { 1024, 1213, 1535, 2013, 2718, 3003 },
                                         { 512, 700, 1023, 1501, 1790, 600 } };
    enum { PAIRS = 30 };    // of a type and a number of keys
    gp->as_if_large = true; // else rows are too short for cells
    const unsigned first = check_below(check, PAIRS);
    for (unsigned i = first; i < first + (check->quick ? 5 : PAIRS); i++) {
        struct classify_case test = { .type = types[i % 5], .rows = 2 + check_below(check, 3) };
        const uint64_t n = keys[gp_type_size(test.type) == 8][i % 6];
        test.count = 4 * n + check_below(check, 3000);
        if (test.type == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        const enum classify_spread spread = i % 2 ? SPREAD_RANDOM : SPREAD_EVEN;
        classify_thresholds(check, test.type, n, test.rows, spread, &test.params);
        if (check_once_in(check, 2))
            leave_out_keys(check, &test, n);
        classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        test.data = check_once_in(check, 2) ? FILL_AROUND : FILL_RANDOM;
        run_case(check, gp, &test, i % 3 == 0);
        classify_free(&test.params);
    }
    refuses_none(check);
}

// ---------------------------------------------------------------------------------------
// The choice

// Keys whose distances grow, or are even.
static gpuprim_classifier *classifier_of(struct check *check, gpuprim *gp, uint64_t n,
                                         bool are_even, enum gpuprim_type type)
{
    enum { ROWS = 8 };
    const struct gpuprim_thresholds rule = { .values = classify_packed(type, n, ROWS) };
    for (uint64_t row = 0; row < ROWS; row++)
        for (uint64_t k = 0; k < n; k++)
            rank_write(&rule.values, row, k,
                       are_even ? k : k + (uint64_t)(4e9 * pow((double)k / (double)n, 12)));
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
    free(rule.values.base);
    return classifier;
}

// A group that fills in cells has so many elements that these take longer, or all of a row.
static void fills_seldom(struct check *check, gpuprim *gp, const gpuprim_classifier *f,
                         uint64_t count, bool has_counts)
{
    const uint64_t least = RANKED_PART + RANKED_KEY * (uint64_t)f->n,
                   groups = classify_divide(gp, f, f->rows, count,
                                            WITH_LABELS | (has_counts ? WITH_COUNTS : 0))
                                .groups;
    CHECK(check, groups == f->rows || groups * least <= f->rows * count,
          "%u keys, rows of %llu: %llu groups", f->n, (unsigned long long)count,
          (unsigned long long)groups);
}

// On both sides of the limits: a tree, cells of all keys, or of some. Counters take half of the room,
// if they need it.
static void forms(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t keys, count;
        bool are_even;
        enum gpuprim_type type;
        bool has_counts;
        unsigned form, apart;
    } calls[] = {
        { 127, 1 << 20, true, GPUPRIM_U32, false, OWN_TREE, 0 },
        { 128, 1 << 20, true, GPUPRIM_U32, false, OWN_CELLS, 0 },
        { 1000, 16000, true, GPUPRIM_U32, false, OWN_TREE, 0 }, // 8 rows: a small call
        { 40000, 159999, true, GPUPRIM_U64, false, OWN_TREE, 0 },
        { 40000, 160000, true, GPUPRIM_U64, false, OWN_CELLS, 3 },
        { 1000, 1 << 20, false, GPUPRIM_U32, false, OWN_TREE, 0 },
        { 20000, 1 << 20, false, GPUPRIM_U32, false, OWN_CELLS, 1 },
        { 9000, 1 << 20, true, GPUPRIM_U32, false, OWN_CELLS, 0 },
        { 9000, 1 << 20, true, GPUPRIM_U32, true, OWN_CELLS, 1 },
        { 40000, 1 << 20, true, GPUPRIM_U32, false, OWN_CELLS, 2 },
        { 60000, 1 << 20, true, GPUPRIM_U32, true, OWN_TREE, 0 },
        { 40000, 1 << 20, true, GPUPRIM_U64, false, OWN_CELLS, 3 },
        { 60000, 1 << 20, true, GPUPRIM_U64, false, OWN_TREE, 0 },
        { 200, 1 << 24, true, GPUPRIM_U8, false, OWN_TREE, 0 }, // places of values
    };
    gp->as_if_large = false;
    for (unsigned i = 0; i < COUNT(calls); i++) {
        gpuprim_classifier *classifier =
            classifier_of(check, gp, calls[i].keys, calls[i].are_even, calls[i].type);
        if (!classifier)
            return;
        struct classify_choice choice;
        const struct classification c = gp_classify_packed_call(
            classifier, calls[i].count, true, calls[i].has_counts, &choice);
        const struct words_keys keys = gp_words_keys(&c);
        check->cases++;
        CHECK(check, keys.form == calls[i].form && keys.apart == calls[i].apart,
              "call %u: form %u, 2^%u apart", i, keys.form, keys.apart);
        if (keys.form == OWN_CELLS)
            fills_seldom(check, gp, classifier, calls[i].count, calls[i].has_counts);
        gpuprim_classifier_destroy(&classifier);
    }
}

// Places of keys of 16 bits, some of them equal, where they leave room for the counters.
static void places(struct check *check, gpuprim *gp)
{
    enum { ROWS = 200, KEYS = 7000, COUNT_OF_ROW = 1 << 20 };
    gp->as_if_large = false;
    for (unsigned i = 0; i < 4; i++) {
        const bool has_counts = i % 2, are_equal = i / 2;
        const struct gpuprim_thresholds rule = { .values =
                                                     classify_packed(GPUPRIM_U16, KEYS, ROWS) };
        for (uint64_t row = 0; row < ROWS; row++)
            for (uint64_t k = 0; k < KEYS; k++)
                rank_write(&rule.values, row, k, are_equal && row == 1 ? k / 2 : k);
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        free(rule.values.base);
        if (!classifier)
            return;
        struct classify_choice choice;
        const struct classification c =
            gp_classify_packed_call(classifier, COUNT_OF_ROW, true, has_counts, &choice);
        const struct words_keys keys = gp_words_keys(&c);
        const unsigned expected = !are_equal ? 0 : has_counts ? PLACES_GLOBAL : PLACES_LOCAL;
        check->cases++;
        CHECK(check, keys.form == OWN_RANKS && keys.places == expected,
              "call %u: form %u, places %u", i, keys.form, keys.places);
        gpuprim_classifier_destroy(&classifier);
    }
}

static uint64_t key_of(enum gpuprim_type type, uint64_t k)
{
    return rank_to_bits(type, rank_of_double(type, (double)k));
}

// Elements that are counted alone are counted by the keys of their row that differ: some keys of one row are
// equal, there is no map, and NaNs, if any, are behind all keys of each row.
static void ranks(struct check *check, gpuprim *gp)
{
    enum { ROWS = 200, KEYS = 9000, DIFFERENT = 8000, COUNT_OF_ROW = 1 << 20 };
    static uint32_t map[KEYS + 1];
    static const struct {
        enum gpuprim_type type;
        bool are_equal, has_labels, has_map, has_first_nan, counts;
    } calls[] = { { GPUPRIM_U16, true, false, false, false, true },
                  { GPUPRIM_U16, false, false, false, false, false },
                  { GPUPRIM_U16, true, true, false, false, false },
                  { GPUPRIM_U16, true, false, true, false, false },
                  { GPUPRIM_F16, true, false, false, false, true },
                  { GPUPRIM_F16, true, false, false, true, false } };
    for (uint32_t k = 0; k <= KEYS; k++)
        map[k] = k;
    gp->as_if_large = false;
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const struct gpuprim_thresholds rule = { .values = classify_packed(calls[i].type, KEYS,
                                                                           ROWS) };
        for (uint64_t row = 0; row < ROWS; row++)
            for (uint64_t k = 0; k < KEYS; k++)
                rank_write(&rule.values, row, k,
                           key_of(calls[i].type,
                                  calls[i].are_equal && k >= DIFFERENT ? DIFFERENT - 1 : k));
        const struct gpuprim_classifier_params params = {
            .thresholds = &rule,
            .nan = calls[i].has_first_nan ? GPUPRIM_NAN_CLASS : GPUPRIM_NAN_HIGH,
            .map = calls[i].has_map ? gpuprim_host(GPUPRIM_U32, map, KEYS + 1)
                                    : (struct gpuprim_array){ .count = 0 },
        };
        gpuprim_classifier *classifier = classify_unbuilt(check, gp, &params);
        free(rule.values.base);
        if (!classifier)
            return;
        struct classify_choice choice = { .items = 0 };
        const struct classification c = gp_classify_packed_call(
            classifier, COUNT_OF_ROW, calls[i].has_labels, true, &choice);
        check->cases++;
        CHECK(check, gp_words_count_ranks(&c) == calls[i].counts, "call %u: %d", i,
              gp_words_count_ranks(&c));
        struct gp_key key = { .n = 0 };
        ((const struct classify_ops *)gp_classify_gpu_words.ops)
            ->specialise(gp, &c, &gp_classify_gpu_words, &key);
        // Beside the words of RANK there is room for counters of 32 bits of ranks, and of 16 of labels.
        CHECK(check, (choice.counters.form == COUNTERS_WORDS) == calls[i].counts,
              "call %u: form %u", i, choice.counters.form);
        if (calls[i].counts)
            CHECK(check, gp_words_keys(&c).places == PLACES_GLOBAL && classifier->ranks < KEYS,
                  "call %u: places %u, %u ranks", i, gp_words_keys(&c).places,
                  classifier->ranks);
        gpuprim_classifier_destroy(&classifier);
    }
}

void classify_words_keys_run(struct check *check)
{
    static const struct {
        const char *name;
        unsigned local, units;
        void (*run)(struct check *check, gpuprim *gp);
    } groups[] = { { "ranked_rows", 49152, 1, ranked_rows },
                   { "celled_rows", 4096, 100, celled_rows },
                   { "forms", 49152, 100, forms },
                   { "places", 49152, 100, places },
                   { "ranks", 49152, 100, ranks } };
    for (unsigned k = 0; k < COUNT(groups); k++) {
        if (!check_begin(check, "classify/words_keys/%s", groups[k].name))
            continue;
        gpuprim *gp = classify_small_gpu(check, groups[k].local, groups[k].units, "gpu_words");
        if (gp)
            groups[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
