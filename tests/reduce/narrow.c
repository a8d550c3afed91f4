/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: the edges of gpu_columns and gpu_tiles. Widths, lengths and places in memory
 * that make whole vectors, no whole vector, or vectors and a remainder before and behind them;
 * counts around the lengths of chains and tiles. shapes.c has matrices for all variants.
 * suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <stdio.h>

// Operations and types that have, among them, every kind of chain, of partial and of element
// size.
static const struct {
    enum gpuprim_op op;
    enum gpuprim_type type;
} mix[] = { { GPUPRIM_SUM, GPUPRIM_F32 },       { GPUPRIM_ARGMIN, GPUPRIM_F32 },
            { GPUPRIM_ARGMAX, GPUPRIM_U8 },     { GPUPRIM_MINMAX, GPUPRIM_I16 },
            { GPUPRIM_MEAN, GPUPRIM_I64 },      { GPUPRIM_COUNT, GPUPRIM_U8 },
            { GPUPRIM_MAX, GPUPRIM_F16 },       { GPUPRIM_ARGMAX, GPUPRIM_F64 },
            { GPUPRIM_PRODUCT, GPUPRIM_U32 },   { GPUPRIM_SUM, GPUPRIM_I8 },
            { GPUPRIM_ARGMIN, GPUPRIM_I8 },     { GPUPRIM_STATISTICS, GPUPRIM_U8 },
            { GPUPRIM_STATISTICS, GPUPRIM_F32 } };
enum { MIX = sizeof mix / sizeof *mix };

static const uint64_t lengths[] = { 1,  2,  3,  4,  5,  7,   15,  16,  17,  31,   33,
                                    63, 64, 65, 66, 99, 127, 129, 255, 257, 1000, 4097 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static enum reduce_data any_data(struct check *check, enum gpuprim_type type)
{
    static const enum reduce_data some[] = { DATA_RANDOM,  DATA_TIES,      DATA_EXTREMES,
                                             DATA_FALLING, DATA_NAN_OFTEN, DATA_NAN_LAST,
                                             DATA_NAN_ALL };
    return some[check_below(check, type >= GPUPRIM_F16 ? 7 : 4)];
}

// A quick test runs a third of the mix.
static unsigned first_of(struct check *check)
{
    return check->quick ? (unsigned)check_below(check, 3) : 0;
}

static unsigned step_of(const struct check *check)
{
    return check->quick ? 3 : 1;
}

// A context on the device as it is or, where `unlike` is set, on one that has many units, is no
// CPU and takes host arrays in small pieces.
static gpuprim *context(struct check *check, const char *forced, bool unlike)
{
    static const struct device_model other = { .type = CL_DEVICE_TYPE_GPU,
                                               .units = 13,
                                               .work_group = 64 };
    gpuprim *gp = check_context_on(check, unlike ? &other : NULL, forced, 0);
    if (gp && unlike)
        gp->staging_bytes = 16384;
    return gp;
}

static struct reduce_case any_case(struct check *check, const gpuprim *gp, unsigned m,
                                   uint64_t rows, uint64_t most)
{
    struct reduce_case test = { .type = mix[m].type,
                                .params = { .op = mix[m].op },
                                .rows = rows };
    do {
        test.count = lengths[check_below(check, LENGTHS)];
    } while (test.count > 1 && test.count * rows > most);
    test.data = any_data(check, test.type);
    test.params.nan = (enum gpuprim_nan)check_below(check, test.type >= GPUPRIM_F16 ? 2 : 1);
    reduce_shuffle(check, gp, &test);
    if (check_once_in(check, 2))
        test.lead = 0;
    return test;
}

static void columns(struct check *check, bool unlike)
{
    gpuprim *gp = context(check, "reduce:gpu_columns", unlike);
    for (unsigned m = first_of(check); gp && m < MIX; m += step_of(check))
        for (unsigned i = 1; i <= 48; i++) {
            static const uint64_t wide[] = { 63, 64, 65, 255, 256, 257, 1000, 2052 };
            const uint64_t width = i <= 40 ? i : wide[i - 41];
            struct reduce_case test =
                any_case(check, gp, m, width, check->quick ? 3000 : 60000);
            test.row_stride = 1;
            test.stride = (int64_t)width;
            if (check_once_in(check, 3))
                test.stride += (int64_t)check_below(check, 9);
            else if (check_once_in(check, 3)) // a gap that is not read
                test.stride += (int64_t)(width + 64 + check_below(check, 9));
            reduce_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
}

// More columns than the scratch memory has partials for, with each size of vectors.
static void many_columns(struct check *check)
{
    gpuprim *gp = context(check, "reduce:gpu_columns", true);
    for (unsigned m = first_of(check); gp && m < MIX; m += step_of(check))
        for (unsigned i = 0; i < 4; i++) {
            struct reduce_case test = any_case(check, gp, m, 40001 + 30003 * i, 0);
            test.count = 3;
            test.row_stride = 1;
            test.stride = (int64_t)(test.rows + i / 2);
            reduce_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
}

// So many lines for each item of gpu_columns that the fields of its words are full several times.
static void tall_columns(struct check *check)
{
    enum { WIDTH = 2048, HEIGHT = 2100 };
    static const struct device_model one = { .type = CL_DEVICE_TYPE_GPU, .units = 1 };
    static const struct reduce_kind kinds[] = { { GPUPRIM_SUM, GPUPRIM_U8 },
                                                { GPUPRIM_SUM, GPUPRIM_I8 },
                                                { GPUPRIM_COUNT, GPUPRIM_I8 } };
    gpuprim *gp = check_context_on(check, &one, "reduce:gpu_columns", 0);
    for (unsigned k = 0; gp && k < sizeof kinds / sizeof *kinds; k++) {
        struct reduce_case test = { .type = kinds[k].type,
                                    .params = { .op = kinds[k].op },
                                    .data = DATA_RANDOM,
                                    .count = HEIGHT + check_below(check, 100),
                                    .rows = WIDTH,
                                    .stride = WIDTH,
                                    .row_stride = 1,
                                    .in_memory = GPUPRIM_BUFFER };
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Small matrices of many groups, whose partials one group or several fold. On GPUs with PTX they
// are told by signals. Each is repeated, because groups seldom come in the same order.
static void partials_of_columns(struct check *check)
{
    enum { TIMES = 4 };
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
        uint64_t rows, count;
    } calls[] = {
        { GPUPRIM_SUM, GPUPRIM_U8, 25, 58354 },        { GPUPRIM_SUM, GPUPRIM_I16, 16, 46778 },
        { GPUPRIM_ARGMAX, GPUPRIM_I32, 3, 100003 },    { GPUPRIM_MEAN, GPUPRIM_I64, 30, 7001 },
        { GPUPRIM_STATISTICS, GPUPRIM_U16, 7, 40009 }, { GPUPRIM_SUM, GPUPRIM_I8, 300, 9001 }
    };
    gpuprim *gp = check_context(check, "reduce:gpu_columns", 0);
    for (unsigned i = 0; gp && i < TIMES * sizeof calls / sizeof *calls; i++) {
        struct reduce_case test = { .type = calls[i / TIMES].type,
                                    .params = { .op = calls[i / TIMES].op },
                                    .data = i % 2 ? DATA_RANDOM : DATA_TIES,
                                    .count = calls[i / TIMES].count,
                                    .rows = calls[i / TIMES].rows,
                                    .stride = (int64_t)calls[i / TIMES].rows,
                                    .row_stride = 1,
                                    .lead = i % TIMES,
                                    .in_memory = GPUPRIM_BUFFER,
                                    .out_memory = GPUPRIM_BUFFER };
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Every length up to 70. Then lengths at which the rows of a tile of 4 KiB, and so the items that
// share one, change, and those of whole vectors.
static uint64_t short_length(struct check *check, enum gpuprim_type type, unsigned i)
{
    enum { TILE_BYTES = 4096, LONGEST = 1024 };
    const uint64_t size = gp_type_size(type);
    if (i <= 70 && i * size <= LONGEST)
        return i;
    const uint64_t bytes = check_once_in(check, 2) ? TILE_BYTES / (4 + check_below(check, 29))
                                                   : 16 * (1 + check_below(check, 64));
    const uint64_t count = bytes / size + check_below(check, 3) - 1;
    return gp_min(count, LONGEST / size);
}

static void short_rows(struct check *check, bool unlike)
{
    static const uint64_t row_counts[] = { 1, 2, 3, 7, 33, 63, 64, 65, 100, 257, 1000, 4097 };
    gpuprim *gp = context(check, "reduce:gpu_tiles", unlike);
    for (unsigned m = first_of(check); gp && m < MIX; m += step_of(check))
        for (unsigned i = 1; i <= 80; i++) {
            const uint64_t most = check->quick ? 3000 : 30000;
            uint64_t rows;
            do {
                rows = row_counts[check_below(check, 12)];
            } while (rows * i > most);
            struct reduce_case test = any_case(check, gp, m, rows, 0);
            test.count = short_length(check, test.type, i);
            test.stride = 1;
            // Packed, with gaps, or overlapping.
            test.row_stride = (int64_t)test.count;
            if (check_once_in(check, 4))
                test.row_stride += (int64_t)check_below(check, 40);
            else if (check_once_in(check, 6))
                test.row_stride = (int64_t)check_below(check, test.count) + 1;
            reduce_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
}

// Rows that fill the tiles of a group to the last byte, or of which one more just does not fit,
// where the first row begins within a vector, too. There are enough for full tiles.
static void full_tiles(struct check *check)
{
    static const struct {
        enum gpuprim_type type;
        uint64_t fits, exceeds;
    } sets[] = { { GPUPRIM_U8, 32, 685 },
                 { GPUPRIM_I16, 32, 342 },
                 { GPUPRIM_F32, 32, 171 },
                 { GPUPRIM_I64, 32, 57 } };
    enum { SETS = sizeof sets / sizeof *sets };
    gpuprim *gp = check_context(check, "reduce:gpu_tiles", 32);
    if (gp)
        gp->caps.compute_units = 1;
    for (unsigned i = 0; gp && i < 8 * SETS; i++) {
        const bool exceeds = i / 2 % 2; // tiles of statistics have fewer rows then
        struct reduce_case test = { .params.op = i % 2     ? GPUPRIM_SUM
                                                 : exceeds ? GPUPRIM_MIN
                                                           : GPUPRIM_STATISTICS,
                                    .type = sets[i / 8].type,
                                    .in_memory = GPUPRIM_BUFFER,
                                    .out_memory = GPUPRIM_BUFFER };
        test.count = exceeds ? sets[i / 8].exceeds : sets[i / 8].fits;
        test.rows = exceeds ? 200 : 4096 + check_below(check, 200);
        test.lead = i / 4 % 2 ? 1 + 2 * check_below(check, 2) : 0;
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Means of integers, and variances by gpu_tiles, are the quotients of two integers, rounded once.
static void exact_quotients(struct check *check, const char *variant, bool has_variances)
{
    enum { ROWS = 40, MOST = 500, MEAN = 3, RESULTS = 5 };
    static uint16_t x[ROWS * MOST];
    static double y[ROWS * RESULTS];
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_STATISTICS };
    gpuprim *gp = check_context(check, variant, 0);
    for (unsigned i = 0; gp && gp->caps.has_fp64 && i < 20; i++) {
        const uint64_t count = 1 + check_below(check, i % 2 ? 64 : MOST);
        struct gpuprim_array in = gpuprim_host(GPUPRIM_U16, x, count),
                             out = gpuprim_host(GPUPRIM_F64, y, RESULTS);
        in.rows = out.rows = ROWS;
        for (uint64_t k = 0; k < ROWS * count; k++)
            x[k] = (uint16_t)check_below(check, UINT64_C(1) << (1 + k / count % 16));
        const int status = gpuprim_reduce(gp, &in, &out, &params, NULL);
        check->cases++;
        if (!CHECK(check, !status, "%s", gpuprim_last_error()))
            break;
        for (uint64_t row = 0; row < ROWS; row++) {
            uint64_t sum = 0, squares = 0;
            for (uint64_t k = row * count; k < (row + 1) * count; k++) {
                sum += x[k];
                squares += (uint64_t)x[k] * x[k];
            }
            const double mean = (double)sum / (double)count,
                         variance =
                             (double)(count * squares - sum * sum) / (double)(count * count),
                         *got = y + row * RESULTS + MEAN;
            CHECK(check, got[0] == mean && (!has_variances || got[1] == variance),
                  "%s, %u elements: mean %a, not %a, or variance %a, not %a", variant,
                  (unsigned)count, got[0], mean, got[1], variance);
        }
    }
    gpuprim_destroy(&gp);
}

void reduce_narrow_run(struct check *check)
{
    if (check_begin(check, "reduce/short_rows/full_tiles")) {
        full_tiles(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/short_rows/exact_quotients")) {
        exact_quotients(check, "reduce:baseline", false);
        exact_quotients(check, "reduce:gpu_tiles", true);
        check_end(check);
    }
    for (int unlike = 0; unlike < 2; unlike++)
        if (check_begin(check, "reduce/columns/%s", unlike ? "unlike" : "here")) {
            columns(check, unlike);
            check_end(check);
        }
    for (int unlike = 0; unlike < 2; unlike++)
        if (check_begin(check, "reduce/short_rows/%s", unlike ? "unlike" : "here")) {
            short_rows(check, unlike);
            check_end(check);
        }
    if (check_begin(check, "reduce/columns/tall")) {
        tall_columns(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/columns/many")) {
        many_columns(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/columns/partials")) {
        partials_of_columns(check);
        check_end(check);
    }
}
