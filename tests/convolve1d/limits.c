/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: the limits of what it accepts. Numbers that are no type or option, and
 * integer sums at the limits of 24, 32 and 64 bits. suite.c runs this file. */
#include "case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---------------------------------------------------------------------------------------
// What is refused

// Makes a filter of three taps and checks the status. Where a failure is expected, nothing may
// be built, and the message must contain `named`.
static void make(struct check *check, gpuprim *gp, enum gpuprim_type taps,
                 struct gpuprim_filter_params params, int expected, const char *named)
{
    static const double zeros[3];
    const struct gpuprim_array h = gpuprim_host(taps, zeros, 3);
    gpuprim_filter *filter = NULL;
    shim_fail(-1, 0);
    const int status = gpuprim_filter_create(gp, &h, &params, &filter);
    const unsigned builds = shim_calls_of("clBuildProgram");
    check->cases++;
    CHECK(check, status == expected,
          "taps %d, in %d, out %d, mode %d, %d|%d, constant %g, %g: status %d, not %d",
          (int)taps, (int)params.in, (int)params.out, (int)params.mode, (int)params.left,
          (int)params.right, params.constant[0], params.constant[1], status, expected);
    if (expected) {
        CHECK(check, builds == 0, "refused, but %u programs were built", builds);
        CHECK(check, strstr(gpuprim_last_error(), named), "the message does not contain %s: %s",
              named, gpuprim_last_error());
    }
    gpuprim_filter_destroy(&filter);
}

// Numbers outside an enumeration. The lowest bits of some are a member of it.
static const int beside[] = {
    13, 99, 255, 256, 257, 266, 512, 65546, -1, -246, INT32_MIN + 10
};

// The outputs that gpuprim.h lists for a type of taps and of input, as bits.
static unsigned outs_of(int taps, int in)
{
#define ONE(type) (1u << GPUPRIM_##type)
    const unsigned whole = ONE(I8) | ONE(U8) | ONE(I16) | ONE(U16) | ONE(I32);
    if (taps == GPUPRIM_F32 && (in <= GPUPRIM_U16 || in == GPUPRIM_F16 || in == GPUPRIM_F32))
        return whole | ONE(F16) | ONE(F32);
    if (taps == GPUPRIM_F64 && in == GPUPRIM_F64)
        return ONE(F64);
    if ((taps == GPUPRIM_F32 || taps == GPUPRIM_C32) && in == GPUPRIM_C32)
        return ONE(C32);
    return taps == GPUPRIM_I32 && in <= GPUPRIM_I32 ? whole | ONE(I64) : 0;
}

static bool is_input(int type)
{
    return type <= GPUPRIM_I32 || type >= GPUPRIM_F16;
}

static void types(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < COUNT(beside); i++) {
        const enum gpuprim_type type = (enum gpuprim_type)beside[i];
        for (unsigned k = 0; k < CONVOLVE_KINDS; k++) {
            const struct convolve_kind *kind = &convolve_kinds[k];
            make(check, gp, kind->taps,
                 (struct gpuprim_filter_params){ .in = kind->in, .out = type }, GPUPRIM_E_TYPE,
                 "out");
            make(check, gp, kind->taps,
                 (struct gpuprim_filter_params){ .in = type, .out = kind->out }, GPUPRIM_E_TYPE,
                 "in");
            make(check, gp, type,
                 (struct gpuprim_filter_params){ .in = kind->in, .out = kind->out },
                 GPUPRIM_E_TYPE, "taps");
        }
    }
    // Each combination of types. The message says what would be right of the first type that
    // is wrong. No variant is forced that could be built.
    strcpy(gp->force_variant, "convolve1d:none");
    for (int taps = GPUPRIM_I8; taps <= GPUPRIM_C32; taps++)
        for (int in = GPUPRIM_I8; in <= GPUPRIM_C32; in++)
            for (int out = GPUPRIM_I8; out <= GPUPRIM_C32; out++) {
                const unsigned outs = outs_of(taps, in);
                const bool is_offered = outs >> out & 1;
                const bool is_fine = is_offered && (in != GPUPRIM_F64 || gp->caps.has_fp64);
                make(check, gp, (enum gpuprim_type)taps,
                     (struct gpuprim_filter_params){ .in = (enum gpuprim_type)in,
                                                     .out = (enum gpuprim_type)out },
                     is_fine      ? GPUPRIM_OK
                     : is_offered ? GPUPRIM_E_UNSUPPORTED
                                  : GPUPRIM_E_TYPE,
                     is_offered     ? "f64"
                     : outs         ? " taps gives "
                     : is_input(in) ? " data takes "
                                    : "data must be ");
            }
    gp->force_variant[0] = '\0';
}

static void options(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < COUNT(beside); i++) {
        struct gpuprim_filter_params p = { .mode = (enum gpuprim_mode)beside[i] };
        make(check, gp, GPUPRIM_F32, p, GPUPRIM_E_ARG, "mode");
        p = (struct gpuprim_filter_params){ .left = (enum gpuprim_boundary)beside[i] };
        make(check, gp, GPUPRIM_F32, p, GPUPRIM_E_ARG, "boundary");
        p = (struct gpuprim_filter_params){ .right = (enum gpuprim_boundary)beside[i] };
        make(check, gp, GPUPRIM_F32, p, GPUPRIM_E_ARG, "boundary");
    }
}

// A constant is accepted only where a boundary is CONSTANT.
static void constants(struct check *check, gpuprim *gp)
{
    static const double values[][2] = { { 1, 0 },   { 0, 1 },   { -2.5, 3 },
                                        { NAN, 0 }, { 0, NAN }, { INFINITY, 0 } };
    strcpy(gp->force_variant, "convolve1d:none"); // so that nothing is built
    for (int left = GPUPRIM_ZERO; left <= GPUPRIM_HISTORY; left++)
        for (int right = GPUPRIM_ZERO; right < GPUPRIM_HISTORY; right++) {
            struct gpuprim_filter_params p = { .left = (enum gpuprim_boundary)left,
                                               .right = (enum gpuprim_boundary)right };
            const bool has = left == GPUPRIM_CONSTANT || right == GPUPRIM_CONSTANT;
            for (unsigned i = 0; i < COUNT(values); i++) {
                memcpy(p.constant, values[i], sizeof p.constant);
                make(check, gp, GPUPRIM_C32, p, has ? GPUPRIM_OK : GPUPRIM_E_ARG, "constant");
            }
            p.constant[0] = p.constant[1] = -0.0; // counts as no constant
            make(check, gp, GPUPRIM_C32, p, GPUPRIM_OK, "");
            make(check, gp, GPUPRIM_F32, p, GPUPRIM_OK, "");
            make(check, gp, GPUPRIM_I32, p, GPUPRIM_OK, "");
        }
    gp->force_variant[0] = '\0';
}

// ---------------------------------------------------------------------------------------
// Integer sums

// Computes one output from `taps` and as many inputs, all of one value.
static void one_sum(struct check *check, gpuprim *gp, enum gpuprim_type in,
                    enum gpuprim_type out, const int32_t *taps, uint64_t n, int64_t value,
                    int expected)
{
    const uint64_t size = gp_type_size(in);
    unsigned char x[4 * 8];
    int64_t sum = 0, got = 0;
    for (uint64_t i = 0; i < n; i++) {
        memcpy(x + i * size, &value, size);
        sum += expected ? 0 : taps[i] * value; // a refused sum would leave 64 bits
    }
    const struct gpuprim_filter_params params = { .in = in, .out = out, .mode = GPUPRIM_VALID };
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_I32, taps, n);
    const struct gpuprim_array from = gpuprim_host(in, x, n), to = gpuprim_host(out, &got, 1);
    gpuprim_filter *filter = NULL;
    check->cases++;
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    CHECK(check, status == expected, "%s by %d, %d: status %d, not %d", gp_type_name(in),
          (int)taps[0], (int)taps[1], status, expected);
    if (!status) {
        status = gpuprim_convolve1d(gp, filter, &from, &to, NULL, NULL);
        got = out == GPUPRIM_I32 ? (int32_t)got : got;
        CHECK(check, status == GPUPRIM_OK && got == sum, "%s by %d, %d: %lld, not %lld",
              gp_type_name(in), (int)taps[0], (int)taps[1], (long long)got, (long long)sum);
    }
    gpuprim_filter_destroy(&filter);
}

// Sums that just fit 32 bits, and sums that just do not, of inputs of -128, the largest
// magnitude.
static void sums32(struct check *check, gpuprim *gp)
{
    static const int32_t halves[] = { 1 << 23, 1 << 24 }; // of the sum of all taps
    for (int i = 0; i < 2; i++) {
        const int32_t half = halves[i];
        const int32_t taps[][2] = {
            { -half, -half }, { half, half }, { -half, 1 - half }, { half, half - 1 }
        };
        for (unsigned t = 0; t < COUNT(taps); t++)
            one_sum(check, gp, GPUPRIM_I8, GPUPRIM_I64, taps[t], 2, -128, GPUPRIM_OK);
    }
    // The largest input of i8 is 127, and of the taps' magnitudes no more than 2^24 - 1 fit.
    const int32_t fits[2] = { 1 << 23, (1 << 23) - 1 };
    one_sum(check, gp, GPUPRIM_I8, GPUPRIM_I64, fits, 2, 127, GPUPRIM_OK);
}

// Sums that just fit 24 bits, which GPUs add in f32, and odd ones that do not.
static void sums24(struct check *check, gpuprim *gp)
{
    static const int32_t taps[][2] = { { 65792, 1 }, { 65792, 3 }, { -65794, -1 } };
    gpuprim *gpu = check_context_on(check, &model_gpu, NULL, 0);
    for (unsigned t = 0; gpu && t < COUNT(taps); t++) {
        one_sum(check, gp, GPUPRIM_U8, GPUPRIM_I32, taps[t], 2, 255, GPUPRIM_OK);
        one_sum(check, gpu, GPUPRIM_U8, GPUPRIM_I32, taps[t], 2, 255, GPUPRIM_OK);
    }
    gpuprim_destroy(&gpu);
}

// Sums with and without room for half of 2^shift more, of 31 and 63 bits and a bit less.
static void sums_shifted(struct check *check, gpuprim *own)
{
    (void)own;
    static const struct {
        enum gpuprim_type in;
        int32_t taps[2], value;
        unsigned shift;
        int64_t result;
    } cases[] = {
        { GPUPRIM_I8, { 1 << 23, (1 << 23) - 1 }, 127, 30, 2 }, // 31 bits
        { GPUPRIM_I8, { 1 << 22, (1 << 22) - 1 }, 127, 29, 2 },
        { GPUPRIM_I8, { 1 << 22, 1 << 22 }, -64, 30, 0 }, // halves
        { GPUPRIM_I8, { 1 << 22, 1 << 23 }, -128, 30, -2 },
        { GPUPRIM_I32, { INT32_MAX, INT32_MAX }, INT32_MAX, 62, 2 }, // 63 bits
        { GPUPRIM_I32, { INT32_MAX, INT32_MAX }, INT32_MIN, 62, -2 },
        { GPUPRIM_I32, { 1 << 30, (1 << 30) - 1 }, INT32_MAX, 61, 2 },
        { GPUPRIM_I32, { 1 << 30, 1 << 29 }, INT32_MIN, 60, -3 },
        { GPUPRIM_I32, { 1 << 29, 1 << 28 }, INT32_MIN, 60, -2 }, // a half
    };
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    for (unsigned i = 0; gp && i < COUNT(cases); i++) {
        const int32_t x[2] = { cases[i].value, cases[i].value };
        const signed char bytes[2] = { (signed char)x[0], (signed char)x[1] };
        const bool is_byte = cases[i].in == GPUPRIM_I8;
        const struct gpuprim_array h = gpuprim_host(GPUPRIM_I32, cases[i].taps, 2);
        const struct gpuprim_array from =
            gpuprim_host(cases[i].in, is_byte ? (const void *)bytes : x, 2);
        const struct gpuprim_filter_params params = { .in = cases[i].in,
                                                      .out = GPUPRIM_I64,
                                                      .mode = GPUPRIM_VALID,
                                                      .shift = cases[i].shift };
        int64_t got = 0;
        const struct gpuprim_array to = gpuprim_host(GPUPRIM_I64, &got, 1);
        gpuprim_filter *filter = NULL;
        check->cases++;
        const int status = gpuprim_filter_create(gp, &h, &params, &filter);
        CHECK(check,
              status == GPUPRIM_OK &&
                  gpuprim_convolve1d(gp, filter, &from, &to, NULL, NULL) == GPUPRIM_OK &&
                  got == cases[i].result,
              "sum %u: status %d, %lld, not %lld", i, status, (long long)got,
              (long long)cases[i].result);
        gpuprim_filter_destroy(&filter);
    }
    gpuprim_destroy(&gp);
}

// Sums that just fit 51 bits, which GPUs with fast f64 add in f64, and longer ones.
static void sums51(struct check *check, gpuprim *gp)
{
    static const int32_t taps[][2] = { { 1048574, 1 }, { -1048574, -1 }, { 2097150, 1 } };
    gpuprim *gpu = check_context_on(check, &model_gpu, NULL, 0);
    if (gpu)
        gpu->caps.has_fast_fp64 = gpu->caps.has_fp64;
    for (unsigned t = 0; gpu && t < COUNT(taps); t++) {
        one_sum(check, gp, GPUPRIM_I32, GPUPRIM_I64, taps[t], 2, INT32_MIN, GPUPRIM_OK);
        one_sum(check, gpu, GPUPRIM_I32, GPUPRIM_I64, taps[t], 2, INT32_MIN, GPUPRIM_OK);
        one_sum(check, gpu, GPUPRIM_I32, GPUPRIM_I32, taps[t], 2, -999, GPUPRIM_OK);
    }
    gpuprim_destroy(&gpu);
}

// 64 bits hold (2^32 - 1) * 2^31, and no larger multiple of 2^31.
static void sums64(struct check *check, gpuprim *gp)
{
    static const int32_t fits[][3] = { { INT32_MAX, INT32_MAX, 1 },
                                       { -INT32_MAX, -INT32_MAX, -1 },
                                       { INT32_MIN, -INT32_MAX, 0 } };
    static const int32_t beyond[][3] = { { INT32_MAX, INT32_MAX, 2 },
                                         { INT32_MIN, INT32_MIN, 0 },
                                         { INT32_MIN, INT32_MAX, -1 } };
    for (int i = 0; i < 3; i++) {
        one_sum(check, gp, GPUPRIM_I32, GPUPRIM_I64, fits[i], 3, INT32_MIN, GPUPRIM_OK);
        one_sum(check, gp, GPUPRIM_I32, GPUPRIM_I64, fits[i], 3, INT32_MAX, GPUPRIM_OK);
        one_sum(check, gp, GPUPRIM_I32, GPUPRIM_I64, beyond[i], 3, INT32_MIN, GPUPRIM_E_RANGE);
    }
}

// The same with rows of taps: the row with the largest sum counts, wherever it stands.
static void sums_of_rows(struct check *check, gpuprim *gp)
{
    static const int32_t taps[3][3] = { { 1, 1, 1 }, { INT32_MIN, INT32_MIN, 0 }, { 1, 2, 3 } };
    const struct gpuprim_filter_params params = { .in = GPUPRIM_I32 };
    for (uint64_t first = 0; first < 2; first++) {
        struct gpuprim_array h = gpuprim_host(GPUPRIM_I32, taps[first], 3);
        gpuprim_filter *filter = NULL;
        h.rows = 2;
        check->cases++;
        const int status = gpuprim_filter_create(gp, &h, &params, &filter);
        CHECK(check, status == GPUPRIM_E_RANGE, "rows from %d on: status %d", (int)first,
              status);
        gpuprim_filter_destroy(&filter);
    }
}

// ---------------------------------------------------------------------------------------

void convolve_limits_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp);
    } groups[] = { { "types", types },
                   { "options", options },
                   { "constants", constants },
                   { "sums24", sums24 },
                   { "sums32", sums32 },
                   { "sums51", sums51 },
                   { "sums64", sums64 },
                   { "sums_of_rows", sums_of_rows },
                   { "sums_shifted", sums_shifted } };
    for (unsigned i = 0; i < COUNT(groups); i++)
        if (check_begin(check, "convolve1d/limits/%s", groups[i].name)) {
            gpuprim *gp = check_context(check, NULL, 0);
            if (gp)
                groups[i].run(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
