/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: rows that have counts or keys of their own, interleaved without gaps, by
 * gpu_channels, and one behind the other, by gpu_counted_rows and, bytes with keys, by
 * gpu_words. Rows and elements lie forwards and backwards, input and labels alike or not, at
 * any offset. suite.c runs this file. */
#include "case.h"

enum owns { OWN_KEYS = 1, OWN_COUNTS = 2 };

static const struct {
    const char *name;
    unsigned owns;
} kinds[] = { { "keys", OWN_KEYS },
              { "counts", OWN_COUNTS },
              { "both", OWN_KEYS | OWN_COUNTS } };

static struct check_layout interleaved(struct check *check, uint64_t rows, bool may_lie_back)
{
    const bool back = check_once_in(check, 3), elements_back = check_once_in(check, 3);
    return (struct check_layout){ .stride = may_lie_back && elements_back ? -(int64_t)rows
                                                                          : (int64_t)rows,
                                  .row_stride = back ? -1 : 1 };
}

// The variant takes no arrays on the host.
static enum gpuprim_memory device_memory(struct check *check, const gpuprim *gp)
{
    enum gpuprim_memory memory;
    do
        memory = check_any_memory(check, gp);
    while (memory == GPUPRIM_HOST);
    return memory;
}

// One program: rule, strides and outputs.
static void run_program(struct check *check, gpuprim *gp, enum gpuprim_type type, unsigned owns)
{
    static const uint64_t rows[] = { 2, 3, 4, 5, 7, 8, 11, 16, 31, 64, 65, 130, 257, 700 };
    static const uint64_t counts[] = { 2, 3, 9, 40, 333, 2048, 5003, 12011 };
    enum { ROWS = sizeof rows / sizeof *rows, COUNTS = sizeof counts / sizeof *counts };
    struct classify_case test = { .type = type, .rows = rows[check_below(check, ROWS)] };
    const uint64_t keys = 1 + check_below(check, check_once_in(check, 2) ? 6 : 90);
    classify_thresholds(check, type, keys, owns & OWN_KEYS ? test.rows : 1,
                        (enum classify_spread)check_below(check, SPREADS), &test.params);
    classify_close(&test.params, (enum gpuprim_closed)check_below(check, 2));
    if (check_once_in(check, 3))
        classify_map(check, &test.params);
    classify_nan(check, &test.params);
    const struct check_layout in = interleaved(check, test.rows, true),
                              out = interleaved(check, test.rows, check_once_in(check, 4));
    const unsigned wanted = (unsigned)check_below(check, 4); // 0, 1: both
    const uint64_t staging = gp->staging_bytes;
    for (unsigned i = 0; i < COUNTS; i++) {
        test.count = counts[i];
        if (test.rows * test.count > 400000)
            continue;
        classify_shuffle(check, gp, &test);
        test.in = in;
        test.out = out;
        test.in.lead = check_below(check, 70);
        test.out.lead = check_below(check, 70);
        test.in.memory = device_memory(check, gp);
        test.out.memory = device_memory(check, gp);
        test.labels = wanted == 2 ? GPUPRIM_TYPE_INVALID : GPUPRIM_U16;
        test.counts = wanted == 3 && owns == OWN_KEYS ? GPUPRIM_TYPE_INVALID
                      : i % 2                         ? GPUPRIM_U32
                                                      : GPUPRIM_U64;
        test.counts_per_row = (owns & OWN_COUNTS) != 0;
        // Counts on the host, which would be read back row by row through so little memory.
        gp->staging_bytes = check_once_in(check, 4) ? 1 << 14 : staging;
        classify_run(check, gp, &test);
    }
    gp->staging_bytes = staging;
    classify_free(&test.params);
}

// The same for rows one behind the other, with gaps and without.
static void run_rows(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t counts[] = { 2, 9, 40, 66, 100, 333, 1258, 2047, 4095, 5000, 16383 };
    enum { COUNTS = sizeof counts / sizeof *counts };
    struct classify_case test = { .type = type, .count = counts[check_below(check, COUNTS)] };
    classify_thresholds(check, type, 1 + check_below(check, check_once_in(check, 2) ? 6 : 90),
                        1, (enum classify_spread)check_below(check, SPREADS), &test.params);
    classify_close(&test.params, (enum gpuprim_closed)check_below(check, 2));
    if (check_once_in(check, 3))
        classify_map(check, &test.params);
    classify_nan(check, &test.params);
    const bool is_back = check_once_in(check, 3), has_labels = !check_once_in(check, 3);
    for (unsigned i = 0; i < 12; i++) {
        test.rows = 2 + check_below(check, gp_min(500, 200000 / test.count));
        classify_shuffle(check, gp, &test);
        const int64_t row =
            (int64_t)(test.count + check_below(check, 2) * check_below(check, 40));
        test.in.stride = is_back ? -1 : 1;
        test.out.stride = 1;
        test.in.row_stride = check_once_in(check, 8)   ? 0
                             : check_once_in(check, 8) ? 1
                             : check_once_in(check, 3) ? -row
                                                       : row;
        test.out.row_stride = (int64_t)(test.count + check_below(check, 3));
        test.in.lead = check_below(check, 70);
        test.out.lead = check_below(check, 70);
        test.labels = has_labels ? GPUPRIM_U16 : GPUPRIM_TYPE_INVALID;
        test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_U64;
        test.counts_per_row = true;
        classify_run(check, gp, &test);
    }
    classify_free(&test.params);
}

// Rows with keys of their own, by gpu_words: trees with a key at each node, and others; of bytes
// places of 8 bits, and of more.
static void run_own_keys(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t keys[] = { 1, 2, 7, 90, 255, 256, 300 };
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct classify_case test = { .type = type, .rows = 2 + check_below(check, 5) };
        classify_thresholds(check, type, keys[i], test.rows,
                            (enum classify_spread)check_below(check, SPREADS), &test.params);
        classify_nan(check, &test.params);
        test.count = 1 + check_below(check, 9000);
        classify_shuffle(check, gp, &test);
        test.in.stride = check_once_in(check, 3) ? -1 : 1;
        test.in.row_stride = (int64_t)(test.count + check_below(check, 20));
        test.out.stride = 1;
        test.out.row_stride = (int64_t)(test.count + check_below(check, 3));
        test.data = gp_type_size(type) == 1 ? FILL_RANDOM : FILL_AROUND;
        test.labels = GPUPRIM_U16;
        test.counts = i % 2 ? GPUPRIM_U32 : GPUPRIM_TYPE_INVALID;
        test.counts_per_row = check_once_in(check, 2);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// Groups that are smaller than a round of a window, and larger than the counters are made for.
static void other_groups(struct check *check)
{
    enum { SMALL = 8, LARGE = 1024 };
    if (!check_begin(check, "classify/channels/groups"))
        return;
    gpuprim *gp = check_variant(check, "classify", "gpu_channels", SMALL);
    for (int i = 0; gp && i < 4; i++)
        run_program(check, gp, GPUPRIM_U8, OWN_COUNTS);
    gpuprim_destroy(&gp);
    gp = check_variant(check, "classify", "gpu_counted_rows", LARGE);
    for (int i = 0; gp && i < 4; i++)
        run_rows(check, gp, GPUPRIM_U8);
    gpuprim_destroy(&gp);
    check_end(check);
}

// Counts of rows that come by pieces, of some rows or of a part of each. A launch may store the
// counts of rows that it has whole, where one group has all of a row.
static void run_pieces(struct check *check, gpuprim *gp, bool by_columns)
{
    const uint64_t staging = gp->staging_bytes;
    for (int i = 0; i < 8; i++) {
        struct classify_case test = { .type = i % 2 ? GPUPRIM_U16 : GPUPRIM_F32,
                                      .rows = 3 + check_below(check, 60),
                                      .count = 600 + check_below(check, 3000) };
        classify_thresholds(check, test.type, 300 + check_below(check, 400), 1, SPREAD_EVEN,
                            &test.params);
        test.params.accumulate = check_once_in(check, 4);
        classify_shuffle(check, gp, &test);
        test.in.stride = by_columns ? (int64_t)test.rows : 1;
        test.in.row_stride = by_columns ? 1 : (int64_t)test.count;
        test.in.memory = i % 4 < 2 ? GPUPRIM_HOST : device_memory(check, gp);
        test.labels = GPUPRIM_TYPE_INVALID;
        test.counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
        test.counts_per_row = true;
        test.counted.memory = i < 4 ? GPUPRIM_HOST : device_memory(check, gp);
        gp->staging_bytes = (size_t)1 << (12 + check_below(check, 4));
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    gp->staging_bytes = staging;
}

void classify_channels_run(struct check *check)
{
    other_groups(check);
    static const enum gpuprim_type types[] = { GPUPRIM_I8,  GPUPRIM_U8,  GPUPRIM_U16,
                                               GPUPRIM_F16, GPUPRIM_F32, GPUPRIM_I64 };
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
            if (!check_begin(check, "classify/channels/%s/%s", kinds[k].name,
                             gp_type_name(types[t])))
                continue;
            gpuprim *gp = check_variant(check, "classify", "gpu_channels", 0);
            for (int i = 0; gp && i < (check->quick ? 2 : 6); i++)
                run_program(check, gp, types[t], kinds[k].owns);
            gpuprim_destroy(&gp);
            check_end(check);
        }
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        if (!check_begin(check, "classify/own_keys/%s", gp_type_name(types[t])))
            continue;
        gpuprim *gp = check_variant(check, "classify", "gpu_words", 0);
        for (int i = 0; gp && i < (check->quick ? 1 : 3); i++)
            run_own_keys(check, gp, types[t]);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        if (!check_begin(check, "classify/counted_rows/%s", gp_type_name(types[t])))
            continue;
        gpuprim *gp = check_variant(check, "classify", "gpu_counted_rows", 0);
        for (int i = 0; gp && i < (check->quick ? 3 : 8); i++)
            run_rows(check, gp, types[t]);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    static const char *const counting[] = { "gpu_tiles", "gpu_counted_rows" };
    for (unsigned v = 0; v < 2; v++) {
        if (!check_begin(check, "classify/pieces_of_rows/%s", counting[v]))
            continue;
        gpuprim *gp = check_variant(check, "classify", counting[v], 0);
        for (int k = 0; gp && k < (v ? 1 : 2); k++)
            run_pieces(check, gp, k == 0 && v == 0);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
