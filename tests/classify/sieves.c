/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: tables of which most entries are alike, where local memory has no room for
 * them but for their sieve: any number of entries, bits in one run and in several, usual labels
 * and none, and the calls that each variant takes; and which tables have a sieve. suite.c runs
 * this file. */
#include "corners.h"
#include "rank.h"

#include <stdlib.h>
#include <string.h>

#include "src/classify/classify.h"

// Tables of LEAST_ENTRIES bytes have no room in MOST_LOCAL bytes.
enum { LEAST_ENTRIES = 24576, LEAST_BITS = 15, MOST_LABELS = 300, MOST_LOCAL = 24000 };

// A table by a mask of any bits, of which one entry in `each` is not the usual one.
static void make_table(struct check *check, enum gpuprim_type type, unsigned each,
                       struct gpuprim_classifier_params *params)
{
    const uint64_t entries = LEAST_ENTRIES + check_below(check, 65536 - LEAST_ENTRIES + 1),
                   labels = 1 + check_below(check, MOST_LABELS),
                   usual =
                       check_once_in(check, 3) ? GPUPRIM_REJECT : check_below(check, labels);
    struct gpuprim_table *rule = check_allocate(sizeof *rule);
    *rule = (struct gpuprim_table){
        .labels = classify_packed(GPUPRIM_U32, entries, 1),
        .mask = entries - 1,
        .shift = rank_bits(type) > 16 ? (unsigned)check_below(check, 17) : 0,
    };
    for (uint64_t i = 0; i < entries; i++)
        rank_write(&rule->labels, 0, i,
                   check_once_in(check, each) ? check_below(check, labels) : usual);
    *params = (struct gpuprim_classifier_params){ .table = rule, .in = type };
}

// Cases under one mask of 15 or 16 bits, in several runs or one.
static void make_cases(struct check *check, enum gpuprim_type type, unsigned each,
                       struct gpuprim_classifier_params *params)
{
    uint64_t mask = 0;
    while (gp_bits_in(mask) < LEAST_BITS)
        mask = (check_random(check) | check_random(check)) & rank_all_bits(type);
    const uint32_t n = (UINT32_C(1) << gp_bits_in(mask)) / each / 2;
    struct gpuprim_case *list = check_allocate(n * sizeof *list);
    struct gpuprim_cases *rule = check_allocate(sizeof *rule);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct gpuprim_case){ .mask = mask,
                                         .value = check_random(check) & mask,
                                         .label = (uint32_t)check_below(check, MOST_LABELS) };
    *rule = (struct gpuprim_cases){ .list = list, .count = n, .otherwise = GPUPRIM_REJECT };
    *params = (struct gpuprim_classifier_params){ .cases = rule, .in = type };
}

// What a variant takes: rows with counts of their own alone, as columns or one behind the other;
// or any.
enum takes { ANY_ROWS, COUNTED_ROWS, COUNTED_COLUMNS };

// Rows one behind the other, or columns; counts of all or of each row; labels likewise or turned.
static void one_call(struct check *check, gpuprim *gp, enum takes takes,
                     struct classify_case *test)
{
    const bool is_any = takes == ANY_ROWS,
               by_columns = is_any ? check_once_in(check, 2) : takes == COUNTED_COLUMNS,
               turns = is_any && check_once_in(check, 3);
    test->rows = by_columns ? 2 + check_below(check, 6) : 1 + check_below(check, 5);
    test->count = 64 + check_below(check, 900);
    classify_shuffle(check, gp, test);
    test->labels = check_once_in(check, 3) ? GPUPRIM_TYPE_INVALID : GPUPRIM_U32;
    const bool has_counts =
        !is_any || test->labels == GPUPRIM_TYPE_INVALID || check_once_in(check, 2);
    test->counts = has_counts ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
    test->counts_per_row = has_counts && (!is_any || check_once_in(check, 2));
    const int64_t rows = (int64_t)test->rows;
    test->in.stride = by_columns ? rows : 1;
    test->in.row_stride = by_columns ? 1 : 0;
    test->out.stride = by_columns != turns ? rows : 1;
    test->out.row_stride = by_columns != turns ? 1 : 0;
    test->in.memory = test->out.memory = test->counted.memory = GPUPRIM_BUFFER;
    test->data = FILL_RANDOM;
    classify_run(check, gp, test);
}

// Local memory has the sieve of the classifier.
static void has_sieve(struct check *check, gpuprim *gp,
                      const struct gpuprim_classifier_params *params)
{
    gpuprim_classifier *c = classify_unbuilt(check, gp, params);
    if (!c)
        return;
    const uint64_t bytes = gp_classify_local_tables(c, COUNTED_NOT, gp_classify_local_room(gp));
    CHECK(check, gp_classify_is_sieve(c, bytes), "local memory has %llu bytes of a table",
          (unsigned long long)bytes);
    gpuprim_classifier_destroy(&c);
}

static void some_calls(struct check *check, gpuprim *gp, enum takes takes)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U16, GPUPRIM_I16, GPUPRIM_U32 };
    struct classify_case test = { .type = types[check_below(check, 3)] };
    const unsigned each = 5 + (unsigned)check_below(check, 60);
    if (test.type != GPUPRIM_U32 && check_once_in(check, 2))
        make_cases(check, test.type, each, &test.params);
    else
        make_table(check, test.type, each, &test.params);
    has_sieve(check, gp, &test.params);
    for (int i = 0; i < 6; i++)
        one_call(check, gp, takes, &test);
    classify_free(&test.params);
}

// A table for u16 of which so many entries are others than the usual one.
static gpuprim_classifier *make_usual(struct check *check, gpuprim *gp, unsigned entries,
                                      unsigned others)
{
    enum { MOST = 65536 };
    static uint8_t labels[MOST];
    for (unsigned i = 0; i < entries; i++)
        labels[i] = i < others ? (uint8_t)(i % 9 + 1) : 0;
    const struct gpuprim_table rule = { .labels = gpuprim_host(GPUPRIM_U8, labels, entries),
                                        .mask = entries - 1 };
    const struct gpuprim_classifier_params params = { .table = &rule, .in = GPUPRIM_U16 };
    return classify_unbuilt(check, gp, &params);
}

// Tables that local memory has no room for have a sieve there, if a quarter of their entries
// at most are others.
static void sieves(struct check *check, gpuprim *gp)
{
    enum { ENTRIES = 32768, QUARTER = ENTRIES / 4, LITTLE = 20000, ENOUGH = 40000 };
    for (unsigned more = 0; more < 2; more++) {
        gpuprim_classifier *classifier = make_usual(check, gp, ENTRIES, QUARTER + more);
        if (!classifier)
            return;
        const uint64_t little = gp_classify_local_tables(classifier, COUNTED_NOT, LITTLE),
                       enough = gp_classify_local_tables(classifier, COUNTED_NOT, ENOUGH);
        check->cases++;
        CHECK(check, gp_classify_is_sieve(classifier, little) == !more, "%u others: %llu bytes",
              QUARTER + more, (unsigned long long)little);
        CHECK(check, !gp_classify_is_sieve(classifier, enough) && enough > little,
              "%llu bytes where there is room", (unsigned long long)enough);
        gpuprim_classifier_destroy(&classifier);
    }
}

// The text of gpuprim_classifier_describe tells whether local memory has a sieve or a part of a
// table, or all of it.
static void sieve_texts(struct check *check, gpuprim *gp)
{
    static const struct {
        unsigned entries, others;
        const char *text;
    } tables[] = { { 65536, 1000, ", behind a sieve in local memory;" },
                   { 65536, 60000, ", of which local memory has a part;" },
                   { 32768, 1000, "" } };
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
        gpuprim_classifier *classifier =
            make_usual(check, gp, tables[i].entries, tables[i].others);
        if (!classifier)
            return;
        char text[1024] = "";
        gpuprim_classifier_describe(classifier, text, sizeof text);
        check->cases++;
        for (unsigned k = 0; k < 2; k++)
            CHECK(check, (strstr(text, tables[k].text) != NULL) == (k == i), "'%s' in: %s",
                  tables[k].text, text);
        gpuprim_classifier_destroy(&classifier);
    }
}

static void choices(struct check *check)
{
    enum { UNITS = 132 };
    if (!check_begin(check, "classify/sieves/choices"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        sieves(check, gp);
        sieve_texts(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}

void classify_sieves_run(struct check *check)
{
    static const struct {
        const char *name;
        enum takes takes;
    } variants[] = { { "gpu_words", ANY_ROWS },
                     { "gpu_tiles", ANY_ROWS },
                     { "gpu_channels", COUNTED_COLUMNS },
                     { "gpu_counted_rows", COUNTED_ROWS } };
    choices(check);
    for (unsigned v = 0; v < sizeof variants / sizeof *variants; v++) {
        if (!check_begin(check, "classify/sieves/%s", variants[v].name))
            continue;
        for (int i = 0; i < (check->quick ? 2 : 8); i++) {
            // Room for the largest sieve and counters of each of some rows.
            const cl_ulong local_bytes = 15000 + check_below(check, MOST_LOCAL - 15000);
            gpuprim *gp = classify_small_gpu(check, local_bytes, 0, variants[v].name);
            if (gp)
                some_calls(check, gp, variants[v].takes);
            gpuprim_destroy(&gp);
        }
        CHECK(check, check->not_taken < check->cases, "the variant took no case");
        check_end(check);
    }
}
