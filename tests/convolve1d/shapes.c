/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: every variant gives the bits of baseline in every shape of device
 * arrays: one row, short rows, columns, channels, every k-th element, columns to rows, rows to
 * columns, with steps and dilations. And blocks of a signal that are chained by their history give the bits
 * of one long call. suite.c runs this file. */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/model.h"

enum { MOST_TAPS = 300, MOST_ELEMENTS = 1 << 17, BLOCKS = 3 };

// Rows and their strides, in the input and in the outputs.
struct shape {
    const char *layout;
    uint64_t n, rows, outputs;
    int64_t stride, row_stride, out_stride, out_row_stride;
    uint64_t first, out_first;
};

struct trial {
    struct convolve_kind kind;
    struct gpuprim_filter_params params;
    uint64_t taps;
    bool taps_per_row;
    struct shape shape;
    unsigned char *h, *x, *a, *b; // taps, input, outputs of the variant and what is expected
    cl_mem in, out, history;
    uint64_t in_bytes, out_bytes, history_bytes;
};

// ---------------------------------------------------------------------------------------
// Shapes by chance

static uint64_t any_of(struct check *check, const uint64_t *list, unsigned n)
{
    return list[check_below(check, n)];
}
#define ANY_OF(check, ...)                                                                     \
    any_of(check, (const uint64_t[]){ __VA_ARGS__ },                                           \
           sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void choose_filter(struct check *check, struct trial *t)
{
    t->taps = ANY_OF(check, 1, 2, 3, 5, 9, 12, 17, 33, 65, 129, 200, 261, MOST_TAPS);
    t->params = (struct gpuprim_filter_params){
        .in = t->kind.in,
        .out = t->kind.out,
        .mode = check_once_in(check, 2) ? GPUPRIM_SAME : GPUPRIM_FULL,
        .left = (enum gpuprim_boundary)check_below(check, 7),
        .right = (enum gpuprim_boundary)check_below(check, 6),
        .stride = ANY_OF(check, 1, 1, 1, 1, 2, 3, 4, 8),
        .dilation = ANY_OF(check, 1, 1, 1, 1, 2, 3, 16, 33, 40),
        .shift = t->kind.taps == GPUPRIM_I32 ? (unsigned)ANY_OF(check, 0, 1, 8, 15) : 0,
    };
    if (check_once_in(check, 8)) { // most inputs are not needed
        t->taps = 1 + check_below(check, 3);
        t->params.stride = t->taps * (6 + check_below(check, 5));
        t->params.dilation = 1;
    }
    t->taps_per_row = check_once_in(check, 8);
}

static void choose_shape(struct check *check, struct trial *t)
{
    struct shape *s = &t->shape;
    enum { ONE_ROW, ROWS, COLUMNS, APART, TO_ROWS, TO_COLUMNS, LAYOUTS };
    static const char *const names[] = { "one row",         "rows",
                                         "columns",         "apart",
                                         "columns to rows", "rows to columns" };
    const unsigned layout = (unsigned)check_below(check, LAYOUTS);
    const uint64_t gap = check_once_in(check, 2) ? 0 : check_below(check, 6);
    s->layout = names[layout];
    s->n = layout == ONE_ROW ? 1 + check_below(check, 20000)
                             : ANY_OF(check, 1, 2, 7, 30, 63, 64, 65, 100, 129, 300, 1000);
    s->rows = layout == ONE_ROW || layout == APART
                  ? 1
                  : ANY_OF(check, 1, 2, 3, 4, 6, 8, 16, 31, 32, 33, 64, 100, 129);
    if (s->n * s->rows > MOST_ELEMENTS / 8)
        s->rows = 1 + MOST_ELEMENTS / 8 / s->n / 2;
    const struct gpuprim_filter_params *p = &t->params;
    const uint64_t halo = (t->taps - 1) * p->dilation;
    const uint64_t all = p->mode == GPUPRIM_FULL ? s->n + halo : s->n;
    s->outputs = gp_ceil_div(all, p->stride);
    const bool is_columns = layout == COLUMNS || layout == TO_ROWS,
               to_columns = layout == COLUMNS || layout == TO_COLUMNS;
    s->stride = is_columns        ? (int64_t)(s->rows + gap)
                : layout == APART ? (int64_t)(2 + gap)
                                  : 1;
    s->row_stride = is_columns ? 1 : (int64_t)(s->n + gap);
    s->out_stride = to_columns ? (int64_t)(s->rows + gap / 2) : 1;
    s->out_row_stride = to_columns ? 1 : (int64_t)(s->outputs + gap / 2);
    s->first = check_below(check, 5);
    s->out_first = check_below(check, 5);
}

// ---------------------------------------------------------------------------------------
// Memory

// Elements from the first of an array to behind its last.
static uint64_t extent(uint64_t n, uint64_t rows, int64_t stride, int64_t row_stride)
{
    return n && rows ? (n - 1) * (uint64_t)stride + (rows - 1) * (uint64_t)row_stride + 1 : 0;
}

static cl_mem buffer_of(gpuprim *gp, uint64_t bytes, void *values)
{
    cl_int error;
    return clCreateBuffer(gp->context, CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0u),
                          bytes, values, &error);
}

static bool trial_make(struct check *check, gpuprim *gp, struct trial *t)
{
    const struct shape *s = &t->shape;
    const size_t in = gp_type_size(t->kind.in), out = gp_type_size(t->kind.out);
    const uint64_t rows = t->taps_per_row ? s->rows : 1;
    const struct convolve_case small = { .kind = t->kind,
                                         .taps = t->taps,
                                         .small_taps = true,
                                         .tap_bits = check_once_in(check, 2) ? 7 : 0 };
    const uint64_t x = s->first + extent(s->n, s->rows, s->stride, s->row_stride) + 8;
    t->in_bytes = x * in;
    t->out_bytes =
        (s->out_first + 8 + extent(s->outputs, s->rows, s->out_stride, s->out_row_stride)) *
        out;
    t->history_bytes = ((t->taps - 1) * t->params.dilation * s->rows + 1) * in;
    t->h = check_allocate(t->taps * rows * 8);
    t->x = check_allocate(t->in_bytes);
    t->a = check_allocate(t->out_bytes);
    t->b = check_allocate(t->out_bytes);
    struct gpuprim_array taps = gpuprim_host(t->kind.taps, t->h, t->taps);
    taps.rows = rows;
    const struct gpuprim_array values = gpuprim_host(t->kind.in, t->x, x);
    convolve_fill_taps(check, &small, &taps);
    convolve_fill(check, &values, false);
    t->in = buffer_of(gp, t->in_bytes, t->x);
    t->out = buffer_of(gp, t->out_bytes, NULL);
    t->history = buffer_of(gp, t->history_bytes, NULL);
    return CHECK(check, t->in && t->out && t->history, "no device memory");
}

static void trial_free(struct trial *t)
{
    cl_mem memories[] = { t->in, t->out, t->history };
    for (int i = 0; i < 3; i++)
        if (memories[i])
            clReleaseMemObject(memories[i]);
    free(t->h);
    free(t->x);
    free(t->a);
    free(t->b);
}

// ---------------------------------------------------------------------------------------
// Calls

// Convolves inputs begin ... begin + n - 1 of all rows to the outputs from begin / stride on.
static int convolve(gpuprim *gp, const struct trial *t, const gpuprim_filter *filter,
                    uint64_t begin, uint64_t n, uint64_t outputs)
{
    const struct shape *s = &t->shape;
    struct gpuprim_array in = { .type = t->kind.in,
                                .memory = GPUPRIM_BUFFER,
                                .base = t->in,
                                .first = s->first + begin * (uint64_t)s->stride,
                                .count = n,
                                .stride = s->stride,
                                .rows = s->rows,
                                .row_stride = s->row_stride };
    struct gpuprim_array out = in, past = in;
    out.type = t->kind.out;
    out.base = t->out;
    out.first = s->out_first + begin / t->params.stride * (uint64_t)s->out_stride;
    out.count = outputs;
    out.stride = s->out_stride;
    out.row_stride = s->out_row_stride;
    past.base = t->history; // interleaved where the input is
    past.first = 0;
    past.count = (t->taps - 1) * t->params.dilation;
    past.stride = s->row_stride == 1 ? (int64_t)s->rows : 1;
    past.row_stride = s->row_stride == 1 ? 1 : (int64_t)past.count;
    const struct gpuprim_history history = { .before = past, .after = past };
    const bool has_history = t->params.left == GPUPRIM_HISTORY;
    return gpuprim_convolve1d(gp, filter, &in, &out, has_history ? &history : NULL, NULL);
}

// All outputs, in `blocks` calls, with noise around them. The history begins as part of the
// input.
static int run(gpuprim *gp, const struct trial *t, const char *variant, unsigned blocks,
               unsigned char *outputs)
{
    const struct shape *s = &t->shape;
    char forced[sizeof gp->force_variant];
    gpuprim_filter *filter = NULL;
    struct gpuprim_array taps = gpuprim_host(t->kind.taps, t->h, t->taps);
    taps.rows = t->taps_per_row ? s->rows : 1;
    const unsigned char poison = 0xc5;
    const uint64_t kept = gp_min(t->history_bytes, t->in_bytes);
    clEnqueueFillBuffer(gp->queue, t->out, &poison, 1, 0, t->out_bytes, 0, NULL, NULL);
    clEnqueueFillBuffer(gp->queue, t->history, &poison, 1, 0, t->history_bytes, 0, NULL, NULL);
    clEnqueueWriteBuffer(gp->queue, t->history, CL_TRUE, 0, kept, t->x, 0, NULL, NULL);
    strcpy(forced, gp->force_variant);
    if (variant)
        strcpy(gp->force_variant, variant);
    int status = gpuprim_filter_create(gp, &taps, &t->params, &filter);
    uint64_t share = gp_ceil_div(s->n, blocks);
    share = gp_ceil_div(share, t->params.stride) * t->params.stride;
    for (uint64_t i = 0; i < s->n && !status; i += share) {
        const uint64_t n = gp_min(share, s->n - i);
        status = convolve(gp, t, filter, i, n,
                          blocks > 1 ? gp_ceil_div(n, t->params.stride) : s->outputs);
    }
    gpuprim_filter_destroy(&filter);
    strcpy(gp->force_variant, forced);
    clEnqueueReadBuffer(gp->queue, t->out, CL_TRUE, 0, t->out_bytes, outputs, 0, NULL, NULL);
    return status;
}

static void compare(struct check *check, gpuprim *gp, const struct trial *t, int status,
                    const char *what)
{
    const struct shape *s = &t->shape;
    const struct gpuprim_filter_params *p = &t->params;
    check->cases++;
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    uint64_t at = 0;
    while (at < t->out_bytes && t->a[at] == t->b[at])
        at++;
    CHECK(check, status == GPUPRIM_OK && at == t->out_bytes,
          "%s: %s; element %" PRIu64 " of the buffer differs: %s, %" PRIu64 " of %s to %s, "
          "taps=%" PRIu64 "%s stride=%" PRIu64 " dilation=%" PRIu64
          " %d|%d mode=%d rows=%" PRIu64 " strides %" PRId64 "/%" PRId64 " to %" PRId64
          "/%" PRId64 " first=%" PRIu64 "/%" PRIu64,
          what, status ? gpuprim_last_error() : "ran", at / gp_type_size(t->kind.out),
          s->layout, s->n, gp_type_name(t->kind.in), gp_type_name(t->kind.out), t->taps,
          t->taps_per_row ? " per row" : "", p->stride, p->dilation, (int)p->left,
          (int)p->right, (int)p->mode, s->rows, s->stride, s->row_stride, s->out_stride,
          s->out_row_stride, s->first, s->out_first);
}

static void one_trial(struct check *check, gpuprim *gp, struct trial *t, bool chained)
{
    if (chained) {
        t->params.mode = GPUPRIM_CAUSAL;
        t->params.left = GPUPRIM_HISTORY;
    }
    choose_shape(check, t);
    if (trial_make(check, gp, t)) {
        int status = run(gp, t, NULL, chained ? BLOCKS : 1, t->a);
        if (!status)
            status = run(gp, t, chained ? NULL : "convolve1d:baseline", 1, t->b);
        compare(check, gp, t, status, chained ? "blocks and one call" : "variant and baseline");
    }
    trial_free(t);
}

// Each trial may compile two programs, which takes most of the time.
static void trials(struct check *check, gpuprim *gp)
{
    const int most = check->quick ? 3 : 10;
    for (int i = 0, tries = 0; gp && i < most && tries < 100 * most; tries++) {
        const struct convolve_kind *kind =
            &convolve_kinds[check_once_in(check, 2) ? 0 : check_below(check, CONVOLVE_KINDS)];
        if (kind->in == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        struct trial t = { .kind = *kind };
        const uint64_t refused = check->not_taken;
        choose_filter(check, &t);
        one_trial(check, gp, &t, i % 4 == 3);
        i += check->not_taken == refused;
    }
    gpuprim_destroy(&gp);
}

static void variant_trials(struct check *check, const char *variant)
{
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    if (gp && check_is_for_cpus(variant) && !gp->caps.is_cpu) {
        gpuprim_destroy(&gp);
        check_skip(check, "the variant is for other devices");
        return;
    }
    trials(check, gp);
    check_end(check);
}

void convolve_shapes_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    static const struct device_model gpu = { .type = CL_DEVICE_TYPE_GPU };
    for (unsigned v = convolve->n_variants; v-- > 0;) {
        const char *variant = convolve->variants[v]->name;
        if (!convolve_method_of(variant) && check_begin(check, "convolve1d/shapes/%s", variant))
            variant_trials(check, variant);
    }
    // What the library chooses on the device, and what it would choose on a GPU.
    if (check_begin(check, "convolve1d/shapes/chosen")) {
        trials(check, check_context(check, NULL, 0));
        check_end(check);
    }
    if (check_begin(check, "convolve1d/shapes/chosen_on_gpu")) {
        trials(check, check_context_on(check, &gpu, NULL, 0));
        check_end(check);
    }
}
