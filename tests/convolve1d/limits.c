/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: the limits of what it accepts. Numbers that are no type or option,
 * integer sums at the limits of 32 and 64 bits, histories that share memory, and rows that end
 * exactly where a tile of a kernel or a window of a host array ends. suite.c runs this file. */
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
// Rows that end where windows and tiles do

static const struct convolve_case plain = { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                            .rows = 1 };

// A pair of sides that makes a difference, and a mode.
static void any_sides(struct check *check, struct convolve_case *test)
{
    test->params = (struct gpuprim_filter_params){ .dilation = test->params.dilation,
                                                   .stride = test->params.stride };
    test->params.left = (enum gpuprim_boundary)(1 + check_below(check, 6));
    test->params.right = (enum gpuprim_boundary)(1 + check_below(check, 5));
    test->params.mode = check_once_in(check, 2) ? GPUPRIM_SAME : GPUPRIM_FULL;
    convolve_constant(test);
}

// Host arrays in windows of ROOM_IN inputs. Rows and filters are a little shorter or longer
// than a window, and than each other.
enum { ROOM_IN = 8 };

static void windows_on(struct check *check, const struct device_model *model)
{
    static const uint64_t halos[] = { ROOM_IN - 2, ROOM_IN - 1, ROOM_IN, ROOM_IN + 1, 21, 40 };
    static const uint64_t counts[] = { ROOM_IN + 1, ROOM_IN + 2, 2 * ROOM_IN, 20, 21, 22, 41 };
    struct convolve_case test = plain;
    gpuprim *gp = check_context_on(check, model, "convolve1d:baseline", 0);
    if (!gp)
        return;
    gp->staging_bytes = 4 * ROOM_IN * sizeof(float);
    gp->caps.max_alloc_bytes = ROOM_IN * sizeof(float);
    for (unsigned r = 0; r < COUNT(halos); r++)
        for (unsigned c = 0; c < COUNT(counts); c++)
            for (int turn = 0; turn < 3; turn++) {
                test.count = counts[c];
                test.rows = 1 + check_below(check, 3);
                test.taps = halos[r] % 2 ? halos[r] + 1 : 3; // even halos: 3 taps, dilated
                test.params.dilation = halos[r] % 2 ? 1 : halos[r] / 2;
                any_sides(check, &test);
                if (turn == 2)
                    test.params.left = GPUPRIM_HISTORY;
                convolve_constant(&test);
                test.params.stride = 1 + check_below(check, 2);
                test.updates_history = true;
                test.after_is_before = check_once_in(check, 2);
                test.history.memory = check_once_in(check, 2) ? GPUPRIM_BUFFER : GPUPRIM_HOST;
                convolve_run(check, gp, &test);
            }
    gpuprim_destroy(&gp);
}

static void windows(struct check *check, gpuprim *gp)
{
    if (gp->caps.is_cpu) // others cannot use host arrays in place
        windows_on(check, NULL);
    windows_on(check, &model_gpu);
}

// Rows of every length up to about two tiles, so that a tile ends one input before the end of
// the row, at it, and one behind. Inputs and outputs begin some elements behind an aligned
// vector. With so many taps a group of gpu_register_window takes two tiles, one of
// gpu_tap_chunks two chunks. gpu_tile takes lines of `dilation` inputs, or every stride-th
// line.
struct tiling {
    const char *name, *variant;
    uint64_t taps, dilation, stride;
    struct convolve_kind kind;
    unsigned tap_bits, shift;
    uint64_t rows; // 0: one
};

// Three calls on rows of `n` inputs.
static void tile_row(struct check *check, gpuprim *gp, struct convolve_case *test, uint64_t n,
                     unsigned shift)
{
    test->count = n;
    for (int turn = 0; turn < 3; turn++) {
        any_sides(check, test);
        test->params.shift = shift;
        if (turn == 0) { // only the last tile reaches the end of the row
            test->params.mode = GPUPRIM_CAUSAL;
            test->params.right = GPUPRIM_CONSTANT;
        }
        if (turn == 1)
            test->params.left = GPUPRIM_HISTORY;
        convolve_constant(test);
        test->in.lead = check_below(check, 16);
        test->out.lead = check_below(check, 16);
        test->updates_history = true;
        convolve_run(check, gp, test);
    }
}

static void tiles(struct check *check, const struct tiling *tiling)
{
    enum { GROUP = 4, MOST = 160, LENGTHS = 4 };
    const uint64_t taps = tiling->taps, most = gp_type_size(tiling->kind.in) == 1 ? 300 : MOST;
    gpuprim *gp =
        check_variant(check, "convolve1d", tiling->variant, tiling->rows ? 4 * GROUP : GROUP);
    // So that a group takes several tiles, or rows, in small launches, too.
    if (gp && (strcmp(tiling->variant, "gpu_narrow") == 0 || tiling->rows))
        gp->caps.compute_units = 0;
    struct convolve_case test = plain;
    test.taps = taps;
    test.params.dilation = tiling->dilation;
    test.params.stride = tiling->stride;
    test.rows = tiling->rows ? tiling->rows : 1;
    test.kind = tiling->kind;
    test.tap_bits = tiling->tap_bits;
    test.small_taps = true;
    test.is_tight = true;
    test.in.memory = test.out.memory = test.history.memory = GPUPRIM_BUFFER;
    const uint64_t step = !check->quick ? 1 : taps < 100 ? 7 : 40;
    // Several rows of different lengths have programs of their own, which take long to compile.
    if (gp && tiling->rows)
        for (unsigned i = 0; i < LENGTHS; i++)
            tile_row(check, gp, &test, 1 + check_below(check, most), tiling->shift);
    else
        for (uint64_t n = 1; gp && n <= most; n += step)
            tile_row(check, gp, &test, n, tiling->shift);
    CHECK(check, check->not_taken == 0, "the variant refused %u of %u cases",
          (unsigned)check->not_taken, (unsigned)check->cases);
    gpuprim_destroy(&gp);
}

#define KIND(taps, in, out)                                                                    \
    {                                                                                          \
        GPUPRIM_##taps, GPUPRIM_##in, GPUPRIM_##out                                            \
    }
#define F32 KIND(F32, F32, F32)
static const struct tiling tilings[] = {
    { "gpu_register_window", "gpu_register_window", 33, 1, 1, F32, 0, 0, 0 },
    { "gpu_register_window_u8", "gpu_register_window", 6, 1, 1, KIND(I32, U8, U8), 3, 4, 0 },
    { "gpu_register_window_i16", "gpu_register_window", 5, 1, 1, KIND(F32, I16, F32), 0, 0, 0 },
    { "gpu_tap_chunks", "gpu_tap_chunks", 200, 1, 1, F32, 0, 0, 0 },
    { "gpu_tap_chunks_few", "gpu_tap_chunks", 1, 1, 1, F32, 0, 0, 0 },
    { "gpu_tap_chunks_lanes", "gpu_tap_chunks", 50, 3, 1, F32, 0, 0, 0 },
    { "gpu_tap_chunks_step", "gpu_tap_chunks", 50, 1, 2, F32, 0, 0, 0 },
    { "gpu_tap_chunks_gaps", "gpu_tap_chunks", 50, 2, 26, F32, 0, 0, 0 },
    { "gpu_tile", "gpu_tile", 17, 1, 1, F32, 0, 0, 0 },
    { "gpu_tile_lanes", "gpu_tile", 17, 2, 1, F32, 0, 0, 0 },
    { "gpu_tile_step", "gpu_tile", 5, 1, 2, F32, 0, 0, 0 },
    { "gpu_tile_phases", "gpu_tile", 3, 4, 6, F32, 0, 0, 0 },
    { "gpu_tile_gaps", "gpu_tile", 2, 3, 13, F32, 0, 0, 0 },
    { "gpu_tile_rows", "gpu_tile", 5, 1, 1, F32, 0, 0, 7 },
    { "gpu_narrow_dot_u8", "gpu_narrow", 13, 1, 1, KIND(I32, U8, U8), 3, 5, 0 },
    { "gpu_narrow_dot_i8", "gpu_narrow", 34, 1, 1, KIND(I32, I8, I16), 7, 4, 0 },
    { "gpu_narrow_dot_i16", "gpu_narrow", 19, 1, 1, KIND(I32, I16, I16), 4, 6, 0 },
    { "gpu_narrow_dot_u16", "gpu_narrow", 8, 1, 1, KIND(I32, U16, U8), 5, 11, 0 },
    { "gpu_register_window_lanes", "gpu_register_window", 7, 3, 1, F32, 0, 0, 0 },
    { "gpu_narrow_lanes_dot", "gpu_narrow", 6, 2, 1, KIND(I32, U8, U8), 4, 5, 0 },
    { "gpu_narrow_lanes", "gpu_narrow", 4, 5, 1, KIND(F32, I16, I16), 0, 0, 0 },
    { "gpu_narrow_i8", "gpu_narrow", 3, 1, 1, KIND(I32, I8, I8), 12, 9, 0 },
    { "gpu_narrow_i16", "gpu_narrow", 6, 1, 1, KIND(F32, I16, I8), 0, 0, 0 },
    { "gpu_narrow_u16", "gpu_narrow", 3, 1, 1, KIND(I32, U16, I32), 0, 3, 0 },
    { "gpu_narrow_f16", "gpu_narrow", 13, 1, 1, KIND(F32, F16, F32), 0, 0, 0 },
};

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
                   { "sums64", sums64 },
                   { "sums_of_rows", sums_of_rows },
                   { "windows", windows } };
    for (unsigned i = 0; i < COUNT(groups); i++)
        if (check_begin(check, "convolve1d/limits/%s", groups[i].name)) {
            gpuprim *gp = check_context(check, NULL, 0);
            if (gp)
                groups[i].run(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
    for (unsigned i = 0; i < COUNT(tilings); i++)
        if (check_begin(check, "convolve1d/limits/tiles/%s", tilings[i].name)) {
            tiles(check, &tilings[i]);
            check_end(check);
        }
}
