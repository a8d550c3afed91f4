/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: calls on GPUs that update the history in the launch of the convolution,
 * because they are small, or groups have whole rows (kernels/convolve1d/update.cl). Each
 * variant that can is forced, on PoCL too. Outputs and the history for the next block are
 * compared with the reference by convolve_run(); here the launches are counted. suite.c runs
 * this file. */
#include "case.h"

#include <string.h>

#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"
#include "tests/harness/shim.h"

enum { MOST_HISTORY = 1 << 12 }; // elements that are updated so: src/convolve1d/shape.c

static bool updates(const struct gp_variant *variant)
{
    return ((const struct convolve_ops *)variant->ops)->updates_history;
}

// Runs a case, which takes so many launches if the variant takes it, and groups can count.
static void run_case(struct check *check, gpuprim *gp, const struct convolve_case *test,
                     unsigned launches)
{
    const uint64_t refused = check->not_taken;
    shim_fail(-1, 0);
    if (!convolve_run(check, gp, test) || check->not_taken > refused)
        return;
    const unsigned n = shim_calls_of("clEnqueueNDRangeKernel");
    const bool is_right = gp->caps.counts_arrivals ? n == launches : n <= 2;
    CHECK(check, is_right, "%u launches, not %u: taps=%u count=%u rows=%u", n, launches,
          (unsigned)test->taps, (unsigned)test->count, (unsigned)test->rows);
}

static int64_t any_sign(struct check *check, uint64_t stride)
{
    return check_once_in(check, 3) ? -(int64_t)stride : (int64_t)stride;
}

// Arrays on the device by rows or by columns; rows and elements each from the first to the last or
// the other way.
static void lay_out(struct check *check, const gpuprim *gp, struct check_layout *layout,
                    uint64_t rows, uint64_t count)
{
    const bool by_columns = check_once_in(check, 2),
               is_svm = gp->caps.has_svm && check_once_in(check, 3);
    const uint64_t gap = check_below(check, 3) + (count == 0); // no row stride may be 0
    *layout = (struct check_layout){ .memory = is_svm ? GPUPRIM_SVM : GPUPRIM_BUFFER };
    layout->stride = any_sign(check, by_columns ? rows + gap : 1);
    layout->row_stride = any_sign(check, by_columns ? 1 : count + gap);
}

static void draw(struct check *check, const gpuprim *gp, const char *variant,
                 struct convolve_case *test)
{
    static const uint64_t counts[] = { 0, 1, 3, 7, 16, 50, 100, 300, 1000, 3000 };
    static const uint64_t rows[] = { 1, 2, 5, 33, 70, 150 };
    *test = (struct convolve_case){ .kind = *convolve_kind_of(variant),
                                    .taps = check_once_in(check, 2) ? convolve_taps_of(variant)
                                                                    : 2 + check_below(check, 8),
                                    .count = counts[check_below(check, 10)],
                                    .rows = rows[check_below(check, 6)],
                                    .taps_per_row = check_once_in(check, 3),
                                    .tap_bits = 5,
                                    .updates_history = true };
    test->params = (struct gpuprim_filter_params){
        .mode = check_once_in(check, 2) ? GPUPRIM_CAUSAL : GPUPRIM_FULL,
        .left = GPUPRIM_HISTORY,
        .right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY),
        .dilation = check_once_in(check, 4) ? 3 : 1
    };
    if (test->count == 0) { // outputs, and what an empty input has
        test->params.mode = GPUPRIM_FULL;
        test->params.right = check_once_in(check, 2) ? GPUPRIM_ZERO : GPUPRIM_CONSTANT;
    }
    convolve_constant(test);
    const uint64_t halo = (test->taps - 1) * test->params.dilation;
    while (test->rows > 1 &&
           (test->count * test->rows > 20000 || halo * test->rows > MOST_HISTORY))
        test->rows /= 2;
    lay_out(check, gp, &test->in, test->rows, test->count);
    lay_out(check, gp, &test->out, test->rows, test->count + halo);
    lay_out(check, gp, &test->history, test->rows, halo);
}

// In place and to other memory. Each call finds the counters as the one before left them.
static void variant_cases(struct check *check, const char *variant)
{
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    const unsigned wanted = check->quick ? 2 : 4;
    unsigned taken = 0;
    for (unsigned tries = 0; gp && taken < wanted && tries < 300; tries++) {
        struct convolve_case test;
        const uint64_t refused = check->not_taken;
        draw(check, gp, variant, &test);
        run_case(check, gp, &test, 1);
        if (check->not_taken > refused)
            continue;
        taken++;
        test.after_is_before = true;
        run_case(check, gp, &test, 1);
        run_case(check, gp, &test, 1);
    }
    CHECK(check, !gp || taken == wanted, "the variant took %u calls", taken);
    gpuprim_destroy(&gp);
}

// As much history as one group updates, in place, by rows and by columns; and one row more.
static void limits(struct check *check)
{
    gpuprim *gp = check_variant(check, "convolve1d", "gpu_tap_chunks", 0);
    for (unsigned i = 0; gp && i < 4; i++) {
        struct convolve_case test = { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                      .taps = 129,
                                      .count = i < 2 ? 50 : 3,
                                      .rows = MOST_HISTORY / 128 + i % 2,
                                      .updates_history = true,
                                      .after_is_before = true };
        test.params.mode = GPUPRIM_CAUSAL;
        test.params.left = GPUPRIM_HISTORY;
        lay_out(check, gp, &test.in, test.rows, test.count);
        lay_out(check, gp, &test.out, test.rows, test.count);
        lay_out(check, gp, &test.history, test.rows, test.taps);
        run_case(check, gp, &test, 1 + i % 2);
    }
    gpuprim_destroy(&gp);
}

// Groups that have whole rows update the history of these, where all of it is more than one
// group would update. Rows are longer and shorter than what their outputs need before them.
static void whole_rows(struct check *check)
{
    static const struct {
        const char *variant;
        struct convolve_kind kind;
        uint64_t counts[3], taps;
    } owners[] = {
        { "gpu_tile", { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, { 59, 14, 9 }, 15 },
        { "gpu_row_registers", { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, { 20, 8, 3 }, 9 },
        { "gpu_stretches", { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 }, { 61, 12, 7 }, 13 },
    };
    for (unsigned i = 0; i < sizeof owners / sizeof *owners; i++) {
        gpuprim *gp = check_variant(check, "convolve1d", owners[i].variant, 0);
        for (unsigned k = 0; gp && k < 6; k++) {
            struct convolve_case test = { .kind = owners[i].kind,
                                          .taps = owners[i].taps,
                                          .count = owners[i].counts[k % 3],
                                          .rows =
                                              MOST_HISTORY / 8 + 100 + check_below(check, 99),
                                          .tap_bits = 5,
                                          .updates_history = true,
                                          .after_is_before = k < 3 };
            test.params.mode = GPUPRIM_CAUSAL;
            test.params.left = GPUPRIM_HISTORY;
            lay_out(check, gp, &test.history, test.rows, test.taps - 1);
            test.in.memory = test.out.memory = GPUPRIM_BUFFER;
            shim_fail(-1, 0);
            convolve_run(check, gp, &test);
            const unsigned n = shim_calls_of("clEnqueueNDRangeKernel");
            CHECK(check, n == 1, "%s: %u launches of %u rows of %u", owners[i].variant, n,
                  (unsigned)test.rows, (unsigned)test.count);
        }
        gpuprim_destroy(&gp);
    }
    CHECK(check, check->not_taken == 0, "%u calls were not taken", (unsigned)check->not_taken);
}

void convolve_updates_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = 0; v < convolve->n_variants; v++) {
        const char *variant = convolve->variants[v]->name;
        if (!updates(convolve->variants[v]) ||
            !check_begin(check, "convolve1d/updates/%s", variant))
            continue;
        variant_cases(check, variant);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/updates/limits")) {
        limits(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/updates/whole_rows")) {
        whole_rows(check);
        check_end(check);
    }
}
