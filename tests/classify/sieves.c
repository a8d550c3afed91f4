/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: tables of which most entries are alike, where local memory has no room for
 * them but for their sieve: any number of entries, bits in one run and in several, usual labels
 * and none, and the calls that each variant takes. choices.c tests which tables have a sieve.
 * suite.c runs this file. */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ENTRIES = 8192, MOST_LABELS = 300 };

// Values whose bits under `mask` make an index, so many as it has bits.
static unsigned bits_in(uint64_t mask)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

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

// Cases under one mask of 13 to 16 bits, in several runs.
static void make_cases(struct check *check, enum gpuprim_type type, unsigned each,
                       struct gpuprim_classifier_params *params)
{
    uint64_t mask = 0;
    while (bits_in(mask) < 13 || bits_in(mask) > 16)
        mask = (check_random(check) | check_random(check)) & rank_all_bits(type);
    const uint32_t n = (UINT32_C(1) << bits_in(mask)) / each / 2;
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

static void some_calls(struct check *check, gpuprim *gp, enum takes takes)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U16, GPUPRIM_I16, GPUPRIM_U32 };
    struct classify_case test = { .type = types[check_below(check, 3)] };
    const unsigned each = 5 + (unsigned)check_below(check, 60);
    if (test.type != GPUPRIM_U32 && check_once_in(check, 2))
        make_cases(check, test.type, each, &test.params);
    else
        make_table(check, test.type, each, &test.params);
    for (int i = 0; i < 6; i++)
        one_call(check, gp, takes, &test);
    classify_free(&test.params);
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
    for (unsigned v = 0; v < sizeof variants / sizeof *variants; v++) {
        if (!check_begin(check, "classify/sieves/%s", variants[v].name))
            continue;
        for (int i = 0; i < (check->quick ? 2 : 8); i++) {
            // Room for the largest sieve and counters of each of some rows; not for a table.
            const cl_ulong local_bytes = 15000 + check_below(check, 9000);
            gpuprim *gp = classify_small_gpu(check, local_bytes, 0, variants[v].name);
            if (gp)
                some_calls(check, gp, variants[v].takes);
            gpuprim_destroy(&gp);
        }
        check_end(check);
    }
}
