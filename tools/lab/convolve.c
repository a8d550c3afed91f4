/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows C1-C4 of the lab: one convolution with zeros beyond the ends (CORRELATE + SAME of the
 * library), by three kernels and by gpuprim_convolve1d.
 */
#include <stdlib.h>

#include "measure.h"

enum { M = 257 };

struct convolution {
    uint64_t n;
    cl_mem x, taps, y[4]; // an output for each row
    struct lab_launch rows[4], pad;
    gpuprim_filter *filter;
    struct gpuprim_array in, out;
};
enum { C1, C2, C3, C4 };

static int call_library(struct lab *lab, const void *context, const struct gpuprim_sync *sync)
{
    const struct convolution *c = context;
    return gpuprim_convolve1d(lab->gp, c->filter, &c->in, &c->out, NULL, sync);
}

static void make_filter(struct lab *lab, struct convolution *c)
{
    const struct gpuprim_filter_params params = { .correlate = 1 };
    const struct gpuprim_array taps = gpuprim_buffer(GPUPRIM_I32, c->taps, 0, M);
    c->in = gpuprim_buffer(GPUPRIM_I32, c->x, 0, c->n);
    c->out = gpuprim_buffer(GPUPRIM_I32, c->y[C4], 0, c->n);
    c->rows[C4].call = call_library;
    c->rows[C4].context = c;
    if (!lab->failed && gpuprim_filter_create(lab->gp, &taps, &params, &c->filter))
        lab_fail(lab, "%s", gpuprim_last_error());
}

static void prepare(struct lab *lab, struct convolution *c)
{
    static const char *const names[] = { "C1", "C2", "C3" };
    c->n = lab_items(lab, 20, 24, 4);
    c->x = lab_small(lab, c->n);
    c->taps = lab_small(lab, 512);
    for (int i = 0; i < 4; i++)
        c->y[i] = lab_buffer(lab, c->n * sizeof(cl_int));
    const uint64_t padded_n = c->n + gp_ceil_div(M, lab->group) * lab->group;
    cl_mem padded = lab_buffer(lab, padded_n * sizeof(cl_int));
    cl_program program =
        lab_program(lab, "convolve.cl", NULL, "#define M %d\n#define WG %u\n", M, lab->group);
    const cl_int n = (cl_int)c->n;
    for (int i = 0; i < 3; i++) {
        c->rows[i] = (struct lab_launch){ .kernel = lab_kernel(lab, program, names[i]),
                                          .items = c->n,
                                          .group = lab->group };
        LAB_SET(lab, c->rows[i].kernel, 0, LAB_ARG(*(i == C2 ? &padded : &c->x)),
                LAB_ARG(c->taps), LAB_ARG(c->y[i]), LAB_ARG(n));
    }
    c->pad = (struct lab_launch){ .kernel = lab_kernel(lab, program, "C2_pad"),
                                  .items = padded_n,
                                  .group = lab->group };
    LAB_SET(lab, c->pad.kernel, 0, LAB_ARG(c->x), LAB_ARG(padded), LAB_ARG(n));
    make_filter(lab, c);
}

// Compares C1 with the formula, at both ends and at samples between them, and the others with
// C1.
static void check(struct lab *lab, struct convolution *c)
{
    const size_t bytes = (size_t)c->n * sizeof(cl_int);
    const int64_t n = (int64_t)c->n;
    cl_int taps[M], *x = calloc(2, bytes), *y = x ? x + n : NULL;
    lab_once(lab, &c->pad);
    for (int i = 0; i < 4; i++) {
        lab_fill(lab, c->y[i], bytes, 0x55555555u + (cl_uint)i);
        lab_once(lab, &c->rows[i]);
    }
    if (!x)
        lab_fail(lab, "not enough memory");
    lab_read(lab, c->taps, taps, sizeof taps);
    lab_read(lab, c->x, x, bytes);
    lab_read(lab, c->y[C1], y, bytes);
    for (int64_t i = 0; i < n && !lab->failed; i += i < 600 || i >= n - 600 ? 1 : 97) {
        cl_int sum = 0;
        for (int k = 0; k < M; k++) {
            const int64_t j = i - M / 2 + k;
            sum += j >= 0 && j < n ? taps[k] * x[j] : 0;
        }
        if (y[i] != sum)
            lab_fail(lab, "C1: y[%lld] is %d instead of %d", (long long)i, y[i], sum);
    }
    free(x);
    for (int i = 1; i < 4; i++)
        if (!lab->failed && !lab_same(lab, c->y[C1], c->y[i], bytes))
            lab_fail(lab, "the results of C1 and C%d differ", i + 1);
}

static const struct lab_reasons reasons[] = {
    [C1] = { .gain =
                 "only the groups at the ends test positions; the others run a plain loop" },
    [C2] = { .gain =
                 "no item has a condition, and the copy costs little compared with the taps",
             .cpu =
                 "the inner groups of C1 had no condition either, and the copy is extra work",
             .gpu =
                 "the inner groups of C1 had no condition either, and the copy is extra work" },
    [C3] = { .gain = "the loop has no condition, and nothing is copied",
             .cpu =
                 "the bounds of the loop differ between items, so that items do not run as one "
                 "vector; those of the inner groups of C1 are fixed",
             .gpu = "the inner groups of C1 had no condition either" },
    [C4] = { .gain = "an input is read once for many outputs",
             .cpu = "the taps cost as much as before",
             .gpu = "the taps cost as much as before" },
};

// The time of C2 includes its copy.
static void add_copy(struct lab_time *time, const struct lab_time *copy)
{
    time->median += copy->median;
    time->low += copy->low;
    time->high += copy->high;
}

static int fastest(struct lab *lab, const struct convolution *c)
{
    enum { PAD = C4 };
    struct lab_launch all[] = { c->rows[C1], c->rows[C2], c->rows[C3], c->pad };
    int best = C1;
    lab_measure(lab, all, 4);
    add_copy(&all[C2].time, &all[PAD].time);
    for (int i = C2; i <= C3; i++)
        best = all[i].time.median < all[best].time.median ? i : best;
    return best;
}

static void measure(struct lab *lab, struct convolution *c, int row, struct lab_result *result)
{
    enum { BEFORE, AFTER, PAD };
    const int rival = row == C4 ? fastest(lab, c) : C1;
    struct lab_launch timed[] = { c->rows[rival], c->rows[row], c->pad };
    if (row == C1)
        lab_measure(lab, &timed[AFTER], 1);
    else
        lab_measure(lab, timed, row == C2 || rival == C2 ? 3 : 2);
    if (row == C2 || rival == C2)
        add_copy(&timed[row == C2 ? AFTER : BEFORE].time, &timed[PAD].time);
    if (row == C4)
        lab_say(result, "against C%d, the fastest of the others: ", rival + 1);
    const struct lab_work work = { .copied = 2.0 * (double)c->n * sizeof(cl_int),
                                   .flops = 2.0 * M * (double)c->n };
    lab_conclude(lab, row == C1 ? NULL : &timed[BEFORE], &timed[AFTER], &work, &reasons[row],
                 result);
    if (row == C2 && !lab->quick)
        lab_say(result, " (the copy takes %.2g %% of the time)",
                100 * timed[PAD].time.median / timed[AFTER].time.median);
}

static void run(struct lab *lab, const char *id, struct lab_result *result)
{
    struct convolution c = { 0 };
    prepare(lab, &c);
    check(lab, &c);
    if (!lab->failed)
        measure(lab, &c, id[1] - '1', result);
    gpuprim_filter_destroy(&c.filter);
}

// clang-format off
const struct lab_row lab_convolutions[] = {
    { "C1", "Only the groups at the ends need conditions",
      "convolution, 257 taps: only the groups at the ends test positions", run },
    { "C2", "A copy with zeros at both ends removes all conditions",
      "convolution: a copy with zeros at both ends, no condition; before: C1", run },
    { "C3", "A loop over the taps that exist needs no conditions",
      "convolution: each item computes its first and last tap; before: C1", run },
    { "C4", "The library is at least as fast as the best of these kernels",
      "convolution: gpuprim_convolve1d; before: the fastest of C1-C3", run },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
