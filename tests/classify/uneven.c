/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: keys at uneven distances, by the search methods that only GPUs have:
 * PIECEWISE (src/classify/piecewise.c), CELL_KEYS of few integers (src/classify/cell_keys.c) and,
 * for elements of 16 bits, RANK (src/classify/rank.c) and, where keys are even, LINEAR
 * (src/classify/linear.c). Each key and its neighbours get the exact label. suite.c runs this file. */
#include "keys.h"

#include <math.h>
#include <stdlib.h>

#include "tests/harness/model.h"

// How keys lie, from 0 to 1.
enum spread {
    POWERS,    // each the same multiple of the one before
    FOURTHS,   // fourth powers of even keys
    EVENLY,    // most of 64-bit integers are for INTERPOLATE
    FROM_ZERO, // even; of floats 0 is at, before, between or behind them
    TWICE,     // even, each there twice
    UNSMOOTH,  // random, so that some ranges have no lines
    BOTH,      // powers on both sides of 0, which is a key
    SPREADS_OF_KEYS
};

static double part(struct check *check, enum spread spread, uint32_t k, uint32_t n)
{
    const double even = (k + 1.0) / (n + 1.0);
    switch (spread) {
    case POWERS:
        return exp2(-24 * (1 - even));
    case FOURTHS:
        return even * even * even * even;
    case EVENLY:
        return even;
    case FROM_ZERO:
        return (double)k / n;
    case TWICE:
        return (k / 2 + 1.0) / (n + 1.0);
    case UNSMOOTH:
        return k > n / 8 ? even : (double)check_below(check, 1 << 20) * 0x1p-23;
    default:
        return 0.5 + (2 * k == n
                          ? 0
                          : copysign(exp2(-20 * (1 - fabs(2 * even - 1))) / 2, even - 0.5));
    }
}

static int by_rank(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Floats are between -1 and 1 or of another magnitude, integers take the whole type or a part.
static struct classify_keys make_keys(struct check *check, enum gpuprim_type type,
                                      enum spread spread, uint32_t n)
{
    const bool is_float = rank_is_float(type), is_narrow = check_once_in(check, 4);
    const unsigned bits = rank_bits(type);
    const double below = spread == BOTH        ? 0.5 // of the width
                         : spread == FROM_ZERO ? (double)check_below(check, 5) / 2
                                               : 0;
    double width = is_float ? ldexp(1, bits == 16 ? 0 : (int)check_below(check, 40) - 20)
                            : ldexp(1, (int)bits - (is_narrow ? (int)bits / 3 : 0)) * 0.9999;
    double first = is_float               ? -width * below
                   : rank_is_signed(type) ? -ldexp(1, (int)bits - 1)
                                          : 0;
    if (check_once_in(check, 3))
        first += width / 64;
    struct classify_keys keys = { type, first, width, n, check_allocate(n * sizeof(uint64_t)),
                                  false };
    for (uint32_t k = 0; k < n; k++) {
        const double at = first + width * part(check, spread, k, n);
        keys.rank[k] = classify_one_zero(type, rank_of_double(type, is_float ? at : floor(at)));
    }
    if (is_float && check_once_in(check, 4)) {
        keys.rank[0] = rank_of_double(type, -INFINITY);
        keys.rank[n - 1] = rank_of_double(type, INFINITY);
    }
    qsort(keys.rank, n, sizeof *keys.rank, by_rank);
    return keys;
}

// Powers on both sides of the key 0, from 2^-19 to 4. Closed on the right +0 and -0 are in the class
// below 0, and the least number above 0 is not.
static void around_zero(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    const uint32_t n = 20000;
    struct classify_keys keys = { type, -4, 8, n, check_allocate(n * sizeof(uint64_t)), false };
    for (uint32_t k = 0; k < n; k++)
        keys.rank[k] =
            classify_one_zero(type, rank_of_double(type, -4 + 8 * part(check, BOTH, k, n)));
    qsort(keys.rank, n, sizeof *keys.rank, by_rank);
    for (int left = 0; left < 2; left++)
        classify_label_thresholds(check, gp, &keys, left, "");
    free(keys.rank);
}

// Even keys from -1 to -0.5, of f16. With sums of too few bits behind the point one value in
// some of these sets is in a wrong class.
static void below_zero(struct check *check, gpuprim *gp)
{
    static const uint32_t bins[] = { 141, 198, 238, 307, 387 };
    unsigned computed = 0;
    for (unsigned i = 0; i < 2 * sizeof bins / sizeof *bins; i++) {
        const uint32_t n = bins[i / 2] + 1;
        struct classify_keys keys = {
            GPUPRIM_F16, -1, 0.5 / (n - 1), n, check_allocate(n * sizeof(uint64_t)), false
        };
        for (uint32_t k = 0; k < n; k++)
            keys.rank[k] = rank_of_double(GPUPRIM_F16, -1 + keys.step * k);
        computed += classify_label_thresholds(check, gp, &keys, i % 2, "even keys computed");
        free(keys.rank);
    }
    CHECK(check, computed, "no place was computed, so that these keys do not test it");
}

// Integers of 24 powers of two, of which the lowest keys are equal, as distances are below 1: each of these values
// has its line, and the other keys have enough cells.
static void lowest_equal(struct check *check, gpuprim *gp)
{
    const uint32_t n = 47184;
    struct classify_keys keys = {
        GPUPRIM_U32, 0, 0x1p32, n, check_allocate(n * sizeof(uint64_t)), false
    };
    for (uint32_t k = 0; k < n; k++)
        keys.rank[k] = rank_of_double(GPUPRIM_U32, floor(0x1p32 * part(check, POWERS, k, n)));
    CHECK(check, classify_label_thresholds(check, gp, &keys, true, "piecewise linear"),
          "another method takes keys of which the lowest are equal");
    free(keys.rank);
}

// So few keys of integers of 32 bits that each has a cell (src/classify/cell_keys.c).
static void single(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    unsigned computed = 0;
    for (int i = 0; i < 8; i++) {
        const uint32_t n = 20 + (uint32_t)check_below(check, 250);
        const struct classify_keys keys = make_keys(check, type, POWERS, n);
        computed +=
            classify_label_thresholds(check, gp, &keys, i % 2, "values by powers of two");
        free(keys.rank);
    }
    CHECK(check, computed, "no keys were spread as powers, so that these do not test it");
}

static void uneven(struct check *check, gpuprim *gp, enum gpuprim_type type, enum spread spread)
{
    static const uint32_t counts[] = { 5, 16, 63, 255, 1000, 4095, 20000, 65535 };
    const bool is_short = gp_type_size(type) == 2;
    const char *word = !is_short                                 ? "piecewise linear"
                       : spread == EVENLY || spread == FROM_ZERO ? "even keys computed"
                                                                 : "bits of keys";
    unsigned computed = 0;
    for (int i = 0; i < (check->quick ? 5 : 16); i++) {
        const uint32_t any = (uint32_t)check_below(check, spread == FROM_ZERO ? 500 : 8);
        const uint32_t n = i < 8 ? counts[i] : spread == FROM_ZERO ? 8 + any : counts[any];
        const struct classify_keys keys = make_keys(check, type, spread, n);
        computed += classify_label_thresholds(check, gp, &keys, !check_once_in(check, 4), word);
        free(keys.rank);
    }
    if (spread == BOTH && rank_is_float(type))
        around_zero(check, gp, type);
    if (spread == FROM_ZERO && type == GPUPRIM_F16)
        below_zero(check, gp);
    if (spread == POWERS && gp_type_size(type) == 4 && !rank_is_float(type))
        single(check, gp, type);
    if (spread == POWERS && type == GPUPRIM_U32)
        lowest_equal(check, gp);
    const bool must = spread <= (is_short ? FROM_ZERO : FOURTHS) && !check->quick;
    CHECK(check, computed || !must, "'%s' was never said: these keys do not test it", word);
}

// Any data, counts, maps and classes of NaNs.
static void calls(struct check *check, gpuprim *gp, enum gpuprim_type type, enum spread spread)
{
    static const enum classify_spread spreads[] = { SPREAD_LOG, SPREAD_FEW, SPREAD_RANDOM };
    (void)spread;
    for (int i = 0; i < (check->quick ? 3 : 12); i++) {
        struct classify_case test = { .type = type, .rows = 1 + check_below(check, 2) };
        test.count = 300 + check_below(check, 3000);
        classify_thresholds(check, type, check_once_in(check, 2) ? 40 : 300, 1, spreads[i % 3],
                            &test.params);
        classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        classify_shuffle(check, gp, &test);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

void classify_uneven_run(struct check *check)
{
    static const char *const names[] = { "powers", "fourths",  "evenly", "from_zero",
                                         "twice",  "unsmooth", "both",   "calls" };
    for (unsigned s = 0; s <= SPREADS_OF_KEYS; s++)
        for (unsigned t = 0; t < CLASSIFY_TYPES; t++) {
            const enum gpuprim_type type = classify_types[t];
            // Bytes have tables. INTERPOLATE takes even keys of the other types, and there are
            // no lines for keys that are there twice.
            const bool is_short = gp_type_size(type) == 2,
                       is_long = gp_type_size(type) == 8 && !rank_is_float(type);
            if (gp_type_size(type) == 1 || (s == EVENLY && !is_short && !is_long) ||
                ((s == FROM_ZERO || s == TWICE) && !is_short))
                continue;
            if (!check_begin(check, "classify/uneven/%s/%s/gpu_words", names[s],
                             gp_type_name(type)))
                continue;
            struct device_model model = model_gpu;
            model.local_is_less = true; // so that other search methods have no room
            model.local_bytes = 49152;
            gpuprim *gp = check_context_on(check, &model, "classify:gpu_words", 0);
            if (gp && type == GPUPRIM_F64 && !gp->caps.has_fp64)
                check_skip(check, "no double precision");
            else {
                if (gp)
                    (s < SPREADS_OF_KEYS ? uneven : calls)(check, gp, type, (enum spread)s);
                check_end(check);
            }
            gpuprim_destroy(&gp);
        }
}
