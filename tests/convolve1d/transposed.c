/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: rows that become columns and columns that become rows by way of scratch memory
 * (gpu_transposed), with and without gaps, forwards and backwards, in one piece and in pieces of few
 * rows or few outputs. The sizes of pieces, and which calls go so, by the limits of a large GPU. suite.c
 * runs this file. */
#include "case.h"

#include <string.h>

#include "src/convolve1d/transposed.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Lines of `count` elements, with gaps or without, in any direction: how far apart elements and lines are.
static void lay_lines(struct check *check, uint64_t count, int64_t *element, int64_t *line)
{
    const int64_t apart = check_once_in(check, 4) ? 3 : 1,
                  pitch = (int64_t)count * apart + (int64_t)check_below(check, 5);
    *element = check_once_in(check, 4) ? -apart : apart;
    *line = check_once_in(check, 4) ? -pitch : pitch;
}

static void lay_columns(struct check *check, uint64_t rows, struct check_layout *layout)
{
    lay_lines(check, rows, &layout->row_stride, &layout->stride);
    layout->lead = check_below(check, 9);
}

// `count`: inputs or outputs of a row, at most.
static void lay_rows(struct check *check, uint64_t count, struct check_layout *layout)
{
    lay_lines(check, count, &layout->stride, &layout->row_stride);
    layout->lead = check_below(check, 9);
}

// Mostly the device's.
static enum gpuprim_memory any_memory(struct check *check, gpuprim *gp)
{
    enum gpuprim_memory memory;
    do {
        memory = check_any_memory(check, gp);
    } while (memory == GPUPRIM_HOST && !check_once_in(check, 4));
    return memory;
}

// Filters of one kind, and calls with several shapes and sizes of the memory for pieces.
static void run_kind(struct check *check, gpuprim *gp, const struct convolve_kind *kind)
{
    static const uint64_t rows[] = { 2, 3, 7, 8, 9, 31, 64, 65, 130, 400 };
    static const uint64_t counts[] = { 2, 3, 17, 64, 129, 700, 2500 };
    enum { MOST = 30000, CALLS = 4 };
    struct convolve_case test = { .kind = *kind, .taps = 1 + check_below(check, 12) };
    const uint64_t staging = gp->staging_bytes;
    for (unsigned i = 0; i < CALLS; i++) {
        test.rows = rows[check_below(check, COUNT(rows))];
        test.count = gp_min(counts[check_below(check, COUNT(counts))], MOST / test.rows);
        test.params = (struct gpuprim_filter_params){
            .mode = check_once_in(check, 3) ? GPUPRIM_FULL : GPUPRIM_CAUSAL,
            .left = check_once_in(check, 3)
                        ? GPUPRIM_HISTORY
                        : (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY),
            .right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY),
            .stride = check_once_in(check, 3) && test.count > 3 ? 1 + check_below(check, 3) : 1,
            .dilation = check_once_in(check, 3) ? 1 + check_below(check, 30) : 1,
        };
        convolve_constant(&test);
        test.taps_per_row = check_once_in(check, 4);
        test.updates_history = check_once_in(check, 2);
        test.after_is_before = test.updates_history && check_once_in(check, 2);
        const bool to_columns = check_once_in(check, 2);
        const uint64_t most = test.count + (test.taps - 1) * test.params.dilation;
        (to_columns ? lay_rows : lay_columns)(check, to_columns ? most : test.rows, &test.in);
        (to_columns ? lay_columns : lay_rows)(check, to_columns ? test.rows : most, &test.out);
        // A history on the host would make the call one of host arrays.
        test.history.memory = any_memory(check, gp);
        if (check_once_in(check, 2))
            lay_columns(check, test.rows, &test.history);
        else
            test.history.stride = test.history.row_stride = 0;
        test.in.memory = any_memory(check, gp);
        test.out.memory = any_memory(check, gp);
        gp->staging_bytes =
            check_once_in(check, 3) ? staging : (uint64_t)1 << (10 + check_below(check, 6));
        const uint64_t refused = check->not_taken;
        convolve_run(check, gp, &test);
        // Host arrays are packed rows on the device.
        CHECK(check,
              check->not_taken == refused || test.in.memory == GPUPRIM_HOST ||
                  test.out.memory == GPUPRIM_HOST,
              "the variant refused arrays on the device");
    }
    gp->staging_bytes = staging;
}

// Histories that are updated, in place or not, of rows in two pieces, forwards and backwards.
static void run_histories(struct check *check, gpuprim *gp)
{
    enum { ROWS = 700, COUNT_OF_ROW = 20, MEMORY = 1 << 16 };
    const uint64_t staging = gp->staging_bytes;
    gp->staging_bytes = MEMORY;
    for (unsigned i = 0; i < 4; i++) {
        struct convolve_case test = { .kind = convolve_kinds[0],
                                      .taps = 3,
                                      .rows = ROWS,
                                      .count = COUNT_OF_ROW,
                                      .updates_history = true,
                                      .after_is_before = i % 2 };
        test.params.mode = GPUPRIM_CAUSAL;
        test.params.left = GPUPRIM_HISTORY;
        lay_rows(check, COUNT_OF_ROW, &test.in);
        if ((test.in.row_stride < 0) != (i / 2))
            test.in.row_stride = -test.in.row_stride;
        lay_columns(check, ROWS, &test.out);
        test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
        convolve_run(check, gp, &test);
    }
    gp->staging_bytes = staging;
}

// The text names the variant, and the groups of the one that does its work.
static void describes(struct check *check, gpuprim *gp)
{
    enum { ROWS = 100, COUNT_OF_ROW = 64, TAPS = 3 };
    static const float values[TAPS] = { 1, 2, 1 };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, values, TAPS),
                               any = { .type = GPUPRIM_F32,
                                       .memory = GPUPRIM_BUFFER,
                                       .count = ROWS * COUNT_OF_ROW },
                               in = gpuprim_as_rows(any, ROWS, COUNT_OF_ROW),
                               out = gpuprim_as_columns(any, COUNT_OF_ROW, ROWS);
    const struct gpuprim_filter_params params = { .in = GPUPRIM_F32 };
    gpuprim_filter *f = NULL;
    char text[1024] = "";
    check->cases++;
    if (CHECK(check, gpuprim_filter_create(gp, &taps, &params, &f) == GPUPRIM_OK, "%s",
              gpuprim_last_error()))
        CHECK(check,
              gpuprim_filter_describe(f, &in, &out, text, sizeof text) &&
                  strstr(text, "gpu_transposed, because") && strstr(text, " groups of "),
              "'%s' (%s)", text, gpuprim_last_error());
    gpuprim_filter_destroy(&f);
}

// A plan of a part is none of a call: rows that stay rows are refused by the forced variant.
static void plans_parts(struct check *check, gpuprim *gp)
{
    static const float values[] = { 1, 2, 1 };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, values, COUNT(values));
    const struct gpuprim_filter_params params = { .in = GPUPRIM_F32 };
    gpuprim_filter *f = NULL;
    check->cases++;
    if (!CHECK(check, gpuprim_filter_create(gp, &taps, &params, &f) == GPUPRIM_OK, "%s",
               gpuprim_last_error()))
        return;
    struct convolve_shape s = convolve_shape_of(f, 8, 100, AS_ROWS);
    const struct convolve_planned *planned;
    pthread_mutex_lock(&gp->lock);
    s.is_part = 1;
    const int of_part = gp_convolve_plan(gp, &s, &planned);
    s.is_part = 0;
    const int of_call = gp_convolve_plan(gp, &s, &planned);
    pthread_mutex_unlock(&gp->lock);
    CHECK(check, of_part == GPUPRIM_OK && of_call == GPUPRIM_E_UNSUPPORTED, "%d and %d",
          of_part, of_call);
    gpuprim_filter_destroy(&f);
}

// ---------------------------------------------------------------------------------------
// Pieces

// They stay within the memory, and have whole lines of it.
static void pieces(struct check *check, gpuprim *gp)
{
    enum { LINE = 128, OF_LINE = 1024 };
    static const struct {
        enum gpuprim_type type;
        uint64_t rows, n, bytes;
        bool cuts_rows;
    } calls[] = { { GPUPRIM_F32, 1000000, 500, 1 << 28, true },
                  { GPUPRIM_F32, 4, 100000001, 1 << 28, false },
                  { GPUPRIM_U8, 100, 30000001, 1 << 28, false },
                  { GPUPRIM_F64, 70000, 7001, 1 << 28, true },
                  { GPUPRIM_F64, 100, 100, 1 << 28, false },
                  { GPUPRIM_U16, 5000, 5000, 1 << 12, false } };
    for (unsigned i = 0; i < 2 * COUNT(calls); i++) {
        struct gpuprim_filter f = convolve_filter_of(gp, calls[i / 2].type, 9, 1, 1);
        const struct convolve_shape s = convolve_shape_of(
            &f, calls[i / 2].rows, calls[i / 2].n, i % 2 ? ROWS_TO_COLUMNS : COLUMNS_TO_ROWS);
        const size_t size = gp_type_size(f.out);
        const struct transposed_piece p = gp_transposed_largest(&s, calls[i / 2].bytes);
        const uint64_t bytes = gp_transposed_place(&s, &p).elements * size;
        const bool is_whole = p.rows == s.rows && p.outputs == s.outputs;
        check->cases++;
        CHECK(check,
              p.rows && p.outputs && p.rows <= s.rows && p.outputs <= s.outputs &&
                  (p.rows == s.rows || p.rows * size % LINE == 0) &&
                  (p.outputs == s.outputs || p.outputs * size % LINE == 0),
              "call %u: %llu rows, %llu outputs", i, (unsigned long long)p.rows,
              (unsigned long long)p.outputs);
        // The smallest memory has room for a line of each row of a line.
        CHECK(check, bytes <= calls[i / 2].bytes || bytes <= (uint64_t)LINE * LINE / size,
              "call %u: %llu bytes", i, (unsigned long long)bytes);
        CHECK(check, is_whole || 4 * bytes > calls[i / 2].bytes, "call %u: only %llu bytes", i,
              (unsigned long long)bytes);
        CHECK(check,
              !calls[i / 2].cuts_rows || (p.outputs == s.outputs && p.rows * size >= OF_LINE),
              "call %u has parts of rows", i);
    }
}

// ---------------------------------------------------------------------------------------
// The choice

// Stores of gpu_tap_chunks that lie alone take longer than another copy of the outputs. Those of
// gpu_turn do not.
static void takes(struct check *check, gpuprim *gp)
{
    static const struct {
        const char *variant;
        enum gpuprim_type in, out;
        uint64_t taps, stride, dilation, rows, n;
        enum convolve_rows layout;
    } calls[] = {
        { "gpu_transposed", GPUPRIM_C32, GPUPRIM_C32, 180, 5, 6, 1071, 148665,
          ROWS_TO_COLUMNS },
        { "gpu_transposed", GPUPRIM_F64, GPUPRIM_F64, 227, 3, 4, 63, 1054079, ROWS_TO_COLUMNS },
        { "gpu_turn", GPUPRIM_F32, GPUPRIM_F32, 3, 1, 1, 100000, 300, ROWS_TO_COLUMNS },
        { "gpu_turn", GPUPRIM_I8, GPUPRIM_I8, 16, 1, 1, 661821, 2162, ROWS_TO_COLUMNS },
    };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        struct gpuprim_filter f = convolve_filter_of(gp, calls[i].in, calls[i].taps,
                                                     calls[i].stride, calls[i].dilation);
        f.out = calls[i].out;
        const struct convolve_shape s =
            convolve_shape_of(&f, calls[i].rows, calls[i].n, calls[i].layout);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0, "call %u: %s, not %s", i,
              v ? v->name : "none", calls[i].variant);
    }
}

static void choices_run(struct check *check)
{
    if (!check_begin(check, "convolve1d/transposed/choices"))
        return;
    gpuprim *gp = convolve_large_gpu(check);
    if (gp) {
        pieces(check, gp);
        takes(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}

void convolve_transposed_run(struct check *check)
{
    enum { OTHER_GROUP = 48 }; // is no power of two
    for (int other = 0; other < 2; other++) {
        if (!check_begin(check, "convolve1d/transposed/%s", other ? "groups_of_48" : "calls"))
            continue;
        // PoCL 3.1 loses stores of unrolled loops of gpu_tile, which parts may run by, where it
        // optimises them: i16, columns, lines that are aligned to 16 bytes.
        check->optimises_all = false;
        gpuprim *gp =
            check_variant(check, "convolve1d", "gpu_transposed", other ? OTHER_GROUP : 0);
        for (int i = 0; gp && i < (check->quick ? 4 : 20); i++) {
            const struct convolve_kind *kind =
                &convolve_kinds[check_below(check, CONVOLVE_KINDS)];
            if (kind->in != GPUPRIM_F64 || gp->caps.has_fp64)
                run_kind(check, gp, kind);
        }
        if (gp) {
            run_histories(check, gp);
            describes(check, gp);
            plans_parts(check, gp);
        }
        gpuprim_destroy(&gp);
        check_end(check);
    }
    choices_run(check);
}
