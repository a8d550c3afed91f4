/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: the method FFT. Its error is within 4 u log2(points of a segment) * the
 * sum of |taps| * the largest |input|, in sums that are computed in double precision here; with
 * several parts of the taps, whose products are added one after the other, u * parts more. Rows
 * and filters end near the ends of segments, and NaNs stay in their blocks. suite.c runs this
 * file; all other tests force the variants of this method, too. */
#include "fft_signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"

static const char *const variants[] = { "gpu_fft", "gpu_fft_columns", "cpu_fft" };
enum { VARIANTS = sizeof variants / sizeof *variants };

// A context with the variant forced; NULL where it is for other devices.
static gpuprim *context_of(struct check *check, const char *variant, unsigned work_group)
{
    return check_is_for_cpus(variant) ? convolve_cpu_context(check, variant)
                                      : check_variant(check, "convolve1d", variant, work_group);
}

static bool has_columns(const char *variant)
{
    return strcmp(variant, "gpu_fft_columns") == 0;
}

// Whether it takes filters that are longer than its segments.
static bool takes_parts(const char *variant)
{
    return strcmp(variant, "gpu_fft") != 0;
}

// The same with segments of few points: 512 on a CPU, 256 where taps are divided; on other
// devices 16 for each item of a group, from groups of 32 items on 32 (f64: 16). A matrix has as
// many rows of them.
static gpuprim *few_points(struct check *check, const char *variant, unsigned work_group)
{
    static const struct device_model small = { .type = CL_DEVICE_TYPE_CPU,
                                               .local_is_less = true,
                                               .local_bytes = 1 << 12 };
    if (!check_is_for_cpus(variant))
        return check_context_on(check, NULL,
                                has_columns(variant) ? "convolve1d:gpu_fft_columns"
                                                     : "convolve1d:gpu_fft",
                                work_group);
    return model_device_is_cpu() ? check_context_on(check, &small, "convolve1d:cpu_fft", 0)
                                 : NULL;
}

// ---------------------------------------------------------------------------------------
// The error

// The largest error of causal outputs, in units of what the bound is relative to.
static double error_of(const struct fft_signal *s)
{
    double sum = 0, largest = 0, error = 0;
    for (uint64_t k = 0; k < s->taps; k++)
        sum += hypot(s->h[2 * k], s->h[2 * k + 1]);
    for (uint64_t i = 0; i < s->n; i++)
        largest = fmax(largest, hypot(s->x[2 * i], s->x[2 * i + 1]));
    for (uint64_t i = 0; i < s->n; i++) {
        long double re = 0, im = 0;
        for (uint64_t k = 0; k < s->taps && k <= i; k++) {
            const double *h = s->h + 2 * k, *x = s->x + 2 * (i - k);
            re += (long double)h[0] * x[0] - (long double)h[1] * x[1];
            im += (long double)h[0] * x[1] + (long double)h[1] * x[0];
        }
        const double off = hypot((double)(re - s->y[2 * i]), (double)(im - s->y[2 * i + 1]));
        if (!(off <= error))
            error = isnan(off) ? INFINITY : off;
    }
    return error / (sum * largest);
}

static double bound_of(const gpuprim_filter *filter)
{
    const double u = filter->in == GPUPRIM_F64 ? 0x1p-53 : 0x1p-24;
    const unsigned parts = filter->fft.parts;
    return u * (4 * log2(filter->fft.length) + (parts > 1 ? parts : 0));
}

// How many of `taps` below a variant takes. gpu_fft takes no more than nine sixteenths of the
// segment that a group has: 1152 taps with groups of 64 items.
static unsigned sizes_of(const struct check *check, const gpuprim *gp, const char *variant)
{
    if (check->quick)
        return 2;
    return takes_parts(variant) ? 7 : gp->caps.max_work_group < 256 ? 3 : 5;
}

static void errors(struct check *check, const char *variant, enum gpuprim_type type)
{
    static const uint64_t taps[] = { 40, 300, 700, 1500, 3000, 6000, 12000 };
    gpuprim *gp = context_of(check, variant, 0);
    for (int i = 0; gp && i < 2; i++) {
        const uint64_t k = taps[check_below(check, sizes_of(check, gp, variant))];
        // 60000: some blocks of 16384 points have all of their inputs.
        const uint64_t n = (k == 700 ? 60000 : 4000) + check_below(check, 4000);
        for (int is_wide = 0; is_wide < 2; is_wide++) {
            struct fft_signal s;
            fft_signal_make(check, type, k, n, is_wide, &s);
            const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL };
            gpuprim_filter *filter = fft_filter(check, gp, &s, params);
            check->cases++;
            if (filter) {
                fft_convolve(check, gp, filter, &s, 0, s.n, NULL);
                const double error = error_of(&s), bound = bound_of(filter);
                CHECK(check, error <= bound,
                      "%llu taps, %llu inputs%s: error %g, %g is allowed",
                      (unsigned long long)k, (unsigned long long)s.n,
                      is_wide ? " of many magnitudes" : "", error, bound);
            }
            gpuprim_filter_destroy(&filter);
            fft_signal_free(&s);
        }
    }
    gpuprim_destroy(&gp);
}

// Constant data, also in the history, and taps. Products of all parts are added one after the
// other: with these numbers, all sums of 128 parts and more are rounded down.
static void constant(struct check *check, gpuprim *gp, uint64_t taps)
{
    struct fft_signal s;
    fft_signal_make(check, GPUPRIM_F32, taps, 500, false, &s);
    for (uint64_t i = 0; i < s.taps + s.n; i++) // inputs lie behind the taps
        s.h[2 * i] = i < s.taps ? 0x1.00007ep-11 : 1;
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL,
                                                  .left = GPUPRIM_HISTORY };
    gpuprim_filter *filter = fft_filter(check, gp, &s, params);
    float *past = check_allocate(taps * sizeof *past);
    for (uint64_t i = 0; i < taps; i++)
        past[i] = 1;
    const struct gpuprim_history history = { .before =
                                                 gpuprim_host(GPUPRIM_F32, past, taps - 1) };
    if (filter) {
        double error = 0;
        fft_convolve(check, gp, filter, &s, 0, s.n, &history);
        for (uint64_t i = 0; i < s.n; i++) {
            const double off = s.y[2 * i] - s.h[0] * (double)taps;
            error = isnan(off) ? INFINITY : fmax(error, fabs(off));
        }
        error /= s.h[0] * (double)taps;
        check->cases++;
        CHECK(check, error <= bound_of(filter) && filter->fft.parts > 190,
              "%llu taps in %u parts: error %g, %g is allowed", (unsigned long long)taps,
              (unsigned)filter->fft.parts, error, bound_of(filter));
        CHECK(check, (filter->fft.parts - 1) * (uint64_t)filter->fft.part_taps < taps,
              "%llu taps: the last of %u parts has none", (unsigned long long)taps,
              (unsigned)filter->fft.parts);
    }
    free(past);
    gpuprim_filter_destroy(&filter);
    fft_signal_free(&s);
}

static void constants(struct check *check, const char *variant)
{
    gpuprim *gp = few_points(check, variant, 16);
    const uint64_t half = has_columns(variant) ? 2048 : 128; // of a segment
    if (gp) {
        constant(check, gp, 250 * half);
        // Parts of a tap more than half a segment: fewer of them have all taps.
        constant(check, gp, 200 * half + 1 + check_below(check, half / 2 - 1));
    }
    gpuprim_destroy(&gp);
}

// Blocks of a signal, chained by their history, are within the bound as one call is.
static void chain(struct check *check, const char *variant)
{
    gpuprim *gp = context_of(check, variant, 0);
    const uint64_t taps = check_once_in(check, 2) ? 100 : 1200;
    struct fft_signal s;
    fft_signal_make(check, GPUPRIM_F32, taps, 6000, false, &s);
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL,
                                                  .left = GPUPRIM_HISTORY };
    gpuprim_filter *filter = gp ? fft_filter(check, gp, &s, params) : NULL;
    float *past = check_allocate(taps * sizeof *past);
    memset(past, 0, taps * sizeof *past);
    const struct gpuprim_array view = gpuprim_host(GPUPRIM_F32, past, taps - 1);
    const struct gpuprim_history history = { .before = view, .after = view };
    for (uint64_t first = 0; filter && first < s.n;) {
        const uint64_t n = gp_min(1 + check_below(check, 2500), s.n - first);
        fft_convolve(check, gp, filter, &s, first, n, &history);
        first += n;
    }
    check->cases++;
    if (filter)
        CHECK(check, error_of(&s) <= bound_of(filter), "%llu taps: error %g, %g is allowed",
              (unsigned long long)taps, error_of(&s), bound_of(filter));
    free(past);
    gpuprim_filter_destroy(&filter);
    fft_signal_free(&s);
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Blocks

// A NaN spoils outputs of blocks that read it, and those that depend on it are NaN. The others
// have the bits that they have without it, as they have in a second call. With many taps the
// filter has several parts.
static void nan_stays(struct check *check, const char *variant, bool has_parts)
{
    gpuprim *gp = has_parts ? few_points(check, variant, 16) : context_of(check, variant, 0);
    struct fft_signal s;
    const uint64_t least = !has_parts ? 30 : has_columns(variant) ? 3000 : 400;
    fft_signal_make(check, GPUPRIM_F32, least + check_below(check, 200), 20000, false, &s);
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL };
    gpuprim_filter *filter = gp ? fft_filter(check, gp, &s, params) : NULL;
    if (filter) {
        double *clean = check_allocate(2 * s.n * sizeof *clean);
        const uint64_t at = check_below(check, s.n), reach = 2 * filter->fft.length;
        uint64_t spoiled = 0;
        CHECK(check, (filter->fft.parts > 1) == has_parts, "%u parts",
              (unsigned)filter->fft.parts);
        for (int turn = 0; turn < 3; turn++) {
            if (turn == 2)
                s.x[2 * at] = NAN;
            fft_convolve(check, gp, filter, &s, 0, s.n, NULL);
            check->cases++;
            for (uint64_t i = 0; turn && i < s.n; i++) {
                const bool depends = turn == 2 && i >= at && i < at + s.taps;
                const bool is_near = turn == 2 && i + reach > at && i < at + s.taps + reach;
                const double got = s.y[2 * i];
                spoiled += !depends && isnan(got);
                if (!CHECK(check,
                           depends    ? isnan(got)
                           : !is_near ? got == clean[2 * i]
                                      : true,
                           "output %llu is %g, without a NaN at %llu %g", (unsigned long long)i,
                           got, (unsigned long long)at, clean[2 * i]))
                    break;
            }
            if (turn == 0)
                memcpy(clean, s.y, 2 * s.n * sizeof *clean);
        }
        CHECK(check, spoiled < 4 * filter->fft.length, "%llu outputs that do not depend on it",
              (unsigned long long)spoiled);
        free(clean);
    }
    gpuprim_filter_destroy(&filter);
    fft_signal_free(&s);
    gpuprim_destroy(&gp);
}

// Rows that end near the end of a segment or a block; filters near the lengths from which
// segments are longer, or taps are divided. Small groups have short segments.
static void edges(struct check *check, const char *variant, unsigned work_group)
{
    const bool is_cpu = check_is_for_cpus(variant);
    const uint64_t points = work_group < 32 ? 16 : 32; // of an item
    const uint64_t length =
        is_cpu ? 512 : points * work_group * (has_columns(variant) ? points : 1);
    // Taps from which segments are packed, and twice as long, and which they have room for.
    const uint64_t packed = length / 16 * 7, most = is_cpu ? length / 8 * 5 : length / 16 * 9;
    const uint64_t taps[] = { 1,      2,          length / 4, length / 4 + 1, most,
                              packed, packed + 1, most + 1,   length,         3 * length };
    gpuprim *gp = few_points(check, variant, work_group);
    for (int i = 0; gp && i < (check->quick ? 4 : 12); i++) {
        const bool is_complex = i % 4 == 0 && !is_cpu;
        const unsigned longest = takes_parts(variant) ? 10 : is_complex ? 7 : 9; // of the taps
        struct convolve_case test = { .kind = convolve_kinds[i % 4    ? 0
                                                             : is_cpu ? 2
                                                                      : 6],
                                      .taps = taps[check_below(check, longest)],
                                      .count = 1 };
        const bool is_packed = !takes_parts(variant) && !is_complex && test.taps > packed;
        const uint64_t part_taps = test.taps > most && !is_packed ? length / 2 : test.taps;
        const uint64_t valid = (is_packed ? 2 : 1) * length + 1 - part_taps;
        test.count = (1 + check_below(check, 4)) * valid + check_below(check, 3) - 1;
        convolve_shuffle(check, gp, &test);
        test.not_finite = false;
        test.taps_per_row &= !is_cpu;
        // A filter of one tap has no dilation.
        const bool is_dense = test.taps == 1 || check_once_in(check, 2);
        test.params.stride = is_dense ? 1 : test.params.dilation;
        test.params.mode = (enum gpuprim_mode)check_below(check, GPUPRIM_EXPLICIT);
        test.params.offset = 0;
        if (test.params.mode == GPUPRIM_VALID)
            test.params.mode = GPUPRIM_SAME;
        if (i % 3 == 0) { // segments begin in front of the history
            test.params.left = GPUPRIM_HISTORY;
            test.params.mode = GPUPRIM_CAUSAL;
            convolve_constant(&test);
        }
        // The layouts were drawn for another number of outputs.
        test.out.stride = 1;
        test.out.row_stride = 0;
        convolve_run(check, gp, &test);
    }
    CHECK(check, check->not_taken == 0, "%u cases were refused", (unsigned)check->not_taken);
    gpuprim_destroy(&gp);
}

void convolve_fft_run(struct check *check)
{
    static const enum gpuprim_type types[] = { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_F64 };
    for (unsigned v = 0; v < VARIANTS; v++) {
        for (int t = 0; t < (check_is_for_cpus(variants[v]) ? 1 : 3); t++)
            if (check_begin(check, "convolve1d/fft/error/%s/%s", gp_type_name(types[t]),
                            variants[v])) {
                errors(check, variants[v], types[t]);
                check_end(check);
            }
        if (check_begin(check, "convolve1d/fft/chain/%s", variants[v])) {
            chain(check, variants[v]);
            check_end(check);
        }
        if (check_begin(check, "convolve1d/fft/nan/%s", variants[v])) {
            nan_stays(check, variants[v], false);
            if (takes_parts(variants[v]))
                nan_stays(check, variants[v], true);
            check_end(check);
        }
        if (takes_parts(variants[v]) &&
            check_begin(check, "convolve1d/fft/constant/%s", variants[v])) {
            constants(check, variants[v]);
            check_end(check);
        }
    }
    for (unsigned work_group = 16; work_group <= 64; work_group *= 2)
        if (check_begin(check, "convolve1d/fft/edges/%u", work_group)) {
            edges(check, "gpu_fft", work_group);
            check_end(check);
        }
    if (check_begin(check, "convolve1d/fft/edges/gpu_fft_columns")) {
        edges(check, "gpu_fft_columns", 16);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/fft/edges/cpu_fft")) {
        edges(check, "cpu_fft", 0);
        check_end(check);
    }
}
