/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: `after` in the memory of `before`, described in every way that is
 * allowed, and descriptions that overlap and must be refused; histories of many rows. suite.c
 * runs this file. */
#include "case.h"

#include <stdio.h>
#include <string.h>

#include "src/convolve1d/arguments.h"
#include "src/convolve1d/convolve1d.h"

enum { N = 6, ROOM = 64, MOST_HALO = 4 };

struct shared {
    struct check *check;
    gpuprim *gp;
    gpuprim_filter *filters[MOST_HALO + 1]; // filters[halo], all taps 1
    float samples[ROOM];                    // before and after lie here
    cl_mem buffer, part;                    // the same on the device, and the second half of it
};

// The number of an element of the history among the samples.
static uint64_t sample_of(const struct shared *s, const struct gpuprim_array *a, uint64_t row,
                          uint64_t i)
{
    const int64_t stride = a->stride ? a->stride : 1;
    const int64_t row_stride = a->row_stride ? a->row_stride : (int64_t)a->count * stride;
    const int64_t base = a->memory == GPUPRIM_HOST ? (const float *)a->base - s->samples
                         : a->base == s->part      ? ROOM / 2
                                                   : 0;
    return (uint64_t)(base + (int64_t)a->first + (int64_t)row * row_stride +
                      (int64_t)i * stride);
}

// Convolves N inputs in each row. If OK is expected, outputs and samples must be what separate
// memory would give. If E_ARG is expected, there must be a message, and nothing may be changed.
static void one_history(struct shared *s, struct gpuprim_array before,
                        struct gpuprim_array after, int expected, const char *what)
{
    static const float x[2 * N] = { 1, -2, 4, -8, 16, -32, 3, 5, 7, 11, 13, 17 };
    const uint64_t rows = before.rows ? before.rows : 1, halo = before.count;
    float y[2 * N], samples[ROOM];
    struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, N);
    struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, y, N);
    in.rows = out.rows = rows;
    const struct gpuprim_history history = { .before = before, .after = after };
    for (int i = 0; i < ROOM; i++)
        samples[i] = s->samples[i] = (float)(i + 100);
    clEnqueueWriteBuffer(s->gp->queue, s->buffer, CL_TRUE, 0, sizeof samples, samples, 0, NULL,
                         NULL);
    s->check->cases++;
    const int status = gpuprim_convolve1d(s->gp, s->filters[halo], &in, &out, &history, NULL);
    CHECK(s->check, status == expected, "%s: status %d, not %d: %s", what, status, expected,
          status ? gpuprim_last_error() : "");
    if (status)
        CHECK(s->check, strstr(gpuprim_last_error(), "before and after"), "%s: %s", what,
              gpuprim_last_error());
    if (before.memory == GPUPRIM_BUFFER)
        clEnqueueReadBuffer(s->gp->queue, s->buffer, CL_TRUE, 0, sizeof s->samples, s->samples,
                            0, NULL, NULL);
    for (uint64_t r = 0; r < rows && !status; r++) {
        float sum = x[r * N]; // output 0: the first input and all samples before it
        for (uint64_t i = 0; i < halo; i++) {
            sum += (float)(100 + sample_of(s, &before, r, i));
            samples[sample_of(s, &after, r, i)] = x[r * N + N - halo + i];
        }
        CHECK(s->check, y[r * N] == sum, "%s: output %g, not %g", what, (double)y[r * N],
              (double)sum);
    }
    CHECK(s->check, memcmp(samples, s->samples, sizeof samples) == 0,
          "%s: not the next block's history", what);
}

static struct gpuprim_array host_at(const struct shared *s, int base, uint64_t first,
                                    uint64_t count)
{
    struct gpuprim_array a = gpuprim_host(GPUPRIM_F32, s->samples + base, count);
    a.first = first;
    return a;
}

static void on_host(struct shared *s)
{
    const struct gpuprim_array a = host_at(s, 8, 0, 4);
    struct gpuprim_array b = host_at(s, 5, 3, 4), c;
    one_history(s, a, a, GPUPRIM_OK, "the same descriptor");
    one_history(s, a, b, GPUPRIM_OK, "another base and first");
    b.stride = 1;
    b.rows = 1;
    b.row_stride = 99; // not used with one row
    one_history(s, a, b, GPUPRIM_OK, "stride and rows said and not");
    one_history(s, a, host_at(s, 12, 0, 4), GPUPRIM_OK, "neighbours");
    one_history(s, a, host_at(s, 11, 0, 4), GPUPRIM_E_ARG, "one sample in common");
    one_history(s, a, host_at(s, 5, 0, 4), GPUPRIM_E_ARG, "one sample in common, below");
    b = host_at(s, 11, 0, 4);
    b.stride = -1;
    one_history(s, a, b, GPUPRIM_E_ARG, "the same samples in reverse order");
    b = a;
    b.stride = 2;
    one_history(s, a, b, GPUPRIM_E_ARG, "the same first sample, another stride");
    // With a single sample the stride does not matter.
    b = c = host_at(s, 30, 0, 1);
    c.stride = 2;
    one_history(s, b, c, GPUPRIM_OK, "one sample, another stride");
    c = host_at(s, 29, 1, 1);
    c.stride = -7;
    one_history(s, b, c, GPUPRIM_OK, "one sample, another base and stride");
    // Two packed rows, with the row stride as default and as a number.
    b = c = host_at(s, 20, 0, 4);
    b.rows = c.rows = 2;
    c.row_stride = 4;
    one_history(s, b, c, GPUPRIM_OK, "two rows");
    c.row_stride = 5;
    one_history(s, b, c, GPUPRIM_E_ARG, "two rows of which only the first is the same");
}

// A buffer and a sub-buffer of it.
static void on_device(struct shared *s)
{
    const struct gpuprim_array a = gpuprim_buffer(GPUPRIM_F32, s->buffer, ROOM / 2 + 3, 4);
    struct gpuprim_array b = a;
    one_history(s, a, a, GPUPRIM_OK, "the same buffer");
    b.base = s->part;
    b.first = 3;
    one_history(s, a, b, GPUPRIM_OK, "a part of the buffer");
    one_history(s, b, a, GPUPRIM_OK, "a part of the buffer, the other way round");
    b.first = 4;
    one_history(s, a, b, GPUPRIM_E_ARG, "a part of the buffer, one sample further");
    b.first = 7;
    one_history(s, a, b, GPUPRIM_OK, "neighbours in the buffer");
}

static void histories(struct check *check, gpuprim *gp)
{
    static const float ones[MOST_HALO + 1] = { 1, 1, 1, 1, 1 };
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL,
                                                  .left = GPUPRIM_HISTORY };
    struct shared s = { .check = check, .gp = gp };
    const cl_buffer_region half = { sizeof s.samples / 2, sizeof s.samples / 2 };
    cl_int error;
    s.buffer = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, sizeof s.samples, NULL, &error);
    s.part = clCreateSubBuffer(s.buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half,
                               &error);
    int status = GPUPRIM_OK;
    for (uint64_t halo = 1; halo <= MOST_HALO && !status; halo++) {
        const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, ones, halo + 1);
        status = gpuprim_filter_create(gp, &taps, &params, &s.filters[halo]);
    }
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        on_host(&s);
        if (error) // a device whose sub-buffers begin at multiples of more than 128 bytes
            printf("# %s: no sub-buffers at 128 bytes (%d)\n", check->name, error);
        else
            on_device(&s);
    }
    for (uint64_t halo = 1; halo <= MOST_HALO; halo++)
        gpuprim_filter_destroy(&s.filters[halo]);
    if (!error)
        clReleaseMemObject(s.part);
    clReleaseMemObject(s.buffer);
}

// A case at random of a stream: its history is updated, in place too.
static void make_stream(struct check *check, const gpuprim *gp, struct convolve_case *test)
{
    convolve_shuffle(check, gp, test);
    test->params.mode = GPUPRIM_CAUSAL;
    test->params.left = GPUPRIM_HISTORY;
    test->params.stride = test->params.dilation = 1;
    test->params.offset = 0;
    convolve_constant(test);
    test->taps_per_row = false;
    test->updates_history = true;
    test->after_is_before = check_once_in(check, 2);
}

// Histories of more rows and elements than a group takes at once, by rows and by columns. In
// place, too: the rows are shorter and longer than the history. `variant`: of the program that
// has the kernel, with groups of one item or of many.
static void many(struct check *check, const char *variant, unsigned longest)
{
    gpuprim *gp = check_context(check, variant, 0);
    for (int i = 0; gp && i < (check->quick ? 4 : 16); i++) {
        struct convolve_case test = { .kind = convolve_kinds[0],
                                      .taps = 2 + check_below(check, longest),
                                      .count = 1 + check_below(check, 60) };
        make_stream(check, gp, &test);
        test.rows = 1 + check_below(check, i % 2 ? 100 : 6); // few: groups have parts of rows
        struct check_layout *layouts[] = { &test.in, &test.out, &test.history };
        for (int k = 0; k < 3; k++) {
            const bool by_columns = check_once_in(check, 2);
            layouts[k]->stride = by_columns ? (int64_t)test.rows : 1;
            layouts[k]->row_stride = by_columns ? 1 : (int64_t)longest + 4;
        }
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Histories of elements of 8 and 16 bits, of which most are kept: they move by words, unless groups
// that share rows take fewer turns. Rows are more than a group has, or longer than a turn of a
// group, and begin anywhere in a word.
static void narrow(struct check *check)
{
    gpuprim *gp = check_context(check, "convolve1d:gpu_tap_chunks", 0); // groups of many items
    for (int i = 0; gp && i < (check->quick ? 4 : 16); i++) {
        const bool is_long = i % 3 == 0;
        struct convolve_case test = { .taps = 66 + check_below(check, is_long ? 9000 : 200) };
        do
            test.kind = convolve_kinds[check_below(check, CONVOLVE_KINDS)];
        while (gp_type_size(test.kind.in) > 2);
        test.count = 1 + check_below(check, is_long ? 100 : (test.taps - 1) / 4);
        make_stream(check, gp, &test);
        test.rows = 2 + check_below(check, is_long ? 3 : 200);
        test.in.stride = check_once_in(check, 2) ? 1 : check_once_in(check, 2) ? -1 : 3;
        test.in.row_stride = 3 * (int64_t)test.count + 3;
        test.out.stride = test.history.stride = 1;
        test.out.row_stride = (int64_t)test.count + 3;
        test.history.row_stride = (int64_t)(test.taps - 1 + check_below(check, 3));
        if (i % 6 == 5) { // elements apart, which do not
            test.history.stride = (int64_t)test.rows;
            test.history.row_stride = 1;
        }
        test.after_apart =
            test.after_is_before || test.history.stride > 1 ? 0 : check_below(check, 8);
        if (test.after_apart == 0 && test.history.stride == 1 && check_once_in(check, 3))
            test.history.row_stride = -test.history.row_stride;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Rows without elements, behind histories in any memory: what is prepared is what the call needs,
// wherever the strides say that the elements would lie. gpu_turn has programs by strides.
static void without_inputs(struct check *check)
{
    gpuprim *gp = check_context(check, "convolve1d:gpu_turn", 0);
    for (int i = 0; gp && i < 12; i++) {
        struct convolve_case test = { .kind = convolve_kinds[0], .taps = 2 };
        convolve_shuffle(check, gp, &test);
        test.params.mode = GPUPRIM_FULL;
        test.params.left = GPUPRIM_HISTORY;
        test.params.right = GPUPRIM_ZERO;
        test.params.stride = test.params.dilation = 1;
        test.params.offset = 0;
        convolve_constant(&test);
        test.taps_per_row = false;
        test.rows = 2 + check_below(check, 100);
        test.in =
            (struct check_layout){ .stride = 1, .row_stride = 6, .memory = GPUPRIM_BUFFER };
        test.out = (struct check_layout){ .stride = (int64_t)test.rows,
                                          .row_stride = 1,
                                          .memory = GPUPRIM_BUFFER };
        test.history.memory = i % 2 ? GPUPRIM_BUFFER : GPUPRIM_HOST;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Groups of 256 items for `halo` elements of the history of `rows` rows.
static uint64_t groups_for(gpuprim *gp, enum gpuprim_type type, uint64_t halo, uint64_t rows,
                           bool by_columns, bool in_place, struct arguments *arguments)
{
    const struct gpuprim_filter filter = { .gp = gp, .in = type, .halo = halo };
    const struct convolution c = { .filter = &filter };
    const struct convolve_run run = { .call = { .gp = gp }, .c = &c };
    char memory[2];
    const struct convolve_view x = { .stride = by_columns ? (int64_t)rows : 1,
                                     .row_stride = by_columns ? 1 : (int64_t)halo };
    struct convolve_view before = x, after = x;
    before.memory = (cl_mem)(void *)memory;
    after.memory = (cl_mem)(void *)(memory + !in_place);
    const struct convolve_launch launch = {
        .x = &x, .before = &before, .out = &after, .n = 1, .rows = rows, .outputs = halo
    };
    memset(arguments, 0, sizeof *arguments);
    return gp_convolve_share_history(&launch, &before, &run, 256, arguments);
}

// How many groups update histories of few rows: enough for the device, if their memory is not
// that of the history before. In place a row has one group. Elements of 8 bits move by words, unless
// several groups are done earlier without.
static void few_rows(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        uint64_t halo, rows;
        bool by_columns, in_place;
        uint64_t strips; // that groups have
        unsigned row_groups;
        bool by_words;
    } calls[] = { { GPUPRIM_F32, 5000, 140, true, false, 5, 79, false },
                  { GPUPRIM_F32, 5000, 140, true, true, 140, 1, false },
                  { GPUPRIM_F32, 5000, 3, false, false, 3, 20, false },
                  { GPUPRIM_F32, 5000, 3, false, true, 3, 1, false },
                  { GPUPRIM_F32, 5000, 100000, true, true, 3125, 1, false },
                  { GPUPRIM_F32, 5000, 100000, true, false, 3125, 1, false },
                  { GPUPRIM_U8, 5000, 300, false, false, 300, 1, true },
                  { GPUPRIM_U8, 500000, 3, false, false, 3, 352, false },
                  { GPUPRIM_U8, 500000, 3, false, true, 3, 1, true } };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct arguments a;
        const uint64_t groups = groups_for(gp, calls[i].type, calls[i].halo, calls[i].rows,
                                           calls[i].by_columns, calls[i].in_place, &a);
        check->cases++;
        CHECK(check,
              groups == calls[i].strips * calls[i].row_groups &&
                  a.row_groups == calls[i].row_groups && (a.team > 0) == calls[i].by_words,
              "call %u: %llu groups, %u of a row, teams of %u", i, (unsigned long long)groups,
              a.row_groups, a.team);
    }
}

void convolve_histories_run(struct check *check)
{
    if (check_begin(check, "convolve1d/limits/history_groups")) {
        gpuprim *gp = convolve_large_gpu(check);
        if (gp)
            few_rows(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/no_inputs")) {
        without_inputs(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/many_histories")) {
        many(check, NULL, 60);
        many(check, "convolve1d:gpu_tap_chunks", 400);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/limits/narrow_histories")) {
        narrow(check);
        check_end(check);
    }
    if (!check_begin(check, "convolve1d/limits/histories"))
        return;
    gpuprim *gp = check_context(check, "convolve1d:baseline", 0); // one program for all
    if (gp)
        histories(check, gp);
    gpuprim_destroy(&gp);
    check_end(check);
}
