/* SPDX-License-Identifier: Apache-2.0
 *
 * The types that the tests of convolve1d go through, and what is in their arrays. case.c makes
 * calls of them. */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/half.h"

// Every input, kind of taps and output; kernels load and store by macros of their own, so not
// every combination.
const struct convolve_kind convolve_kinds[CONVOLVE_KINDS] = {
    { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F16 },
    { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F16 }, { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 },
    { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 }, { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 },
    { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, { GPUPRIM_I32, GPUPRIM_I8, GPUPRIM_I8 },
    { GPUPRIM_I32, GPUPRIM_I8, GPUPRIM_I16 },  { GPUPRIM_I32, GPUPRIM_I8, GPUPRIM_I64 },
    { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U8 },   { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U16 },
    { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_I32 },  { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I16 },
    { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I8 },  { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I32 },
    { GPUPRIM_I32, GPUPRIM_U16, GPUPRIM_U16 }, { GPUPRIM_I32, GPUPRIM_U16, GPUPRIM_U8 },
    { GPUPRIM_I32, GPUPRIM_U16, GPUPRIM_I64 }, { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I32 },
    { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I16 }, { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I64 },
    { GPUPRIM_F32, GPUPRIM_I8, GPUPRIM_I8 },   { GPUPRIM_F32, GPUPRIM_I8, GPUPRIM_F32 },
    { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 },   { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_F16 },
    { GPUPRIM_F32, GPUPRIM_I16, GPUPRIM_I16 }, { GPUPRIM_F32, GPUPRIM_I16, GPUPRIM_F32 },
    { GPUPRIM_F32, GPUPRIM_U16, GPUPRIM_U16 }, { GPUPRIM_F32, GPUPRIM_U16, GPUPRIM_I32 },
    { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_U8 },  { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_I32 },
    { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_I8 },  { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_I16 },
};

const char *convolve_taps_suffix(const struct convolve_kind *kind)
{
    return kind->taps == GPUPRIM_C32                             ? "_c32"
           : kind->taps == GPUPRIM_F32 && kind->in < GPUPRIM_F16 ? "_f32"
                                                                 : "";
}

enum gpuprim_method convolve_method_of(const char *variant)
{
    return strstr(variant, "_fft") ? GPUPRIM_METHOD_FFT : GPUPRIM_METHOD_DIRECT;
}

bool convolve_has_fft(const struct convolve_kind *kind)
{
    return kind->in >= GPUPRIM_F16 && kind->out >= GPUPRIM_F16;
}

uint64_t convolve_taps_of(const char *variant)
{
    static const struct {
        const char *variant;
        uint64_t taps;
    } own[] = { { "gpu_narrow", 13 },      { "gpu_register_window", 44 },
                { "gpu_tap_chunks", 200 }, { "gpu_tile", 17 },
                { "gpu_folds", 30 },       { "gpu_places", 30 },
                { "gpu_roll", 17 },        { "gpu_fft", 130 } };
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].variant, variant) == 0)
            return own[i].taps;
    return 9;
}

const struct convolve_kind *convolve_kind_of(const char *variant)
{
    const bool is_narrow =
        strcmp(variant, "gpu_narrow") == 0 || strcmp(variant, "gpu_stretches") == 0;
    return &convolve_kinds[is_narrow ? 10 : strcmp(variant, "gpu_byte_matrices") == 0 ? 13 : 0];
}

// ---------------------------------------------------------------------------------------
// Data

// Between -1 and 1, a multiple of 2^-20; coarse: of 2^-4, so that f32 may hold sums exactly.
static double fraction(struct check *check, bool is_coarse)
{
    const unsigned places = is_coarse ? 4 : 20;
    return ldexp((double)check_below(check, (2u << places) + 1), -(int)places) - 1;
}

static void put_float(enum gpuprim_type type, double re, double im, unsigned char *p)
{
    const float parts[2] = { (float)re, (float)im };
    const uint16_t half = half_from_float(parts[0]);
    if (type == GPUPRIM_F16)
        memcpy(p, &half, sizeof half);
    else if (type == GPUPRIM_F64)
        memcpy(p, &re, sizeof re);
    else
        memcpy(p, parts, gp_type_size(type));
}

void convolve_fill(struct check *check, const struct gpuprim_array *view, bool not_finite)
{
    static const double rare[] = { INFINITY, -INFINITY, NAN, 0, -0.0 };
    const bool is_coarse = check_once_in(check, 2);
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++)
        for (uint64_t i = 0; i < view->count; i++) {
            unsigned char *p = check_element(view, row, i);
            const uint64_t bits = check_random(check);
            const double re = fraction(check, is_coarse), im = fraction(check, is_coarse);
            if (view->type < GPUPRIM_F16)
                memcpy(p, &bits, gp_type_size(view->type));
            else
                put_float(view->type,
                          not_finite && check_once_in(check, 50) ? rare[check_below(check, 5)]
                                                                 : re,
                          im, p);
        }
}

// The largest magnitude of an input or output type is 2 to this power, or little more.
static int bits_of(enum gpuprim_type type)
{
    return type == GPUPRIM_F16  ? 15
           : type > GPUPRIM_F16 ? 0
                                : 8 * (int)gp_type_size(type) - gp_type_is_signed(type);
}

// Any sum of taps times the largest input stays below 2^31, or 2^63; or taps are smaller.
static int32_t any_whole_tap(struct check *check, const struct convolve_case *test)
{
    const uint64_t largest = (uint64_t)1 << (8 * gp_type_size(test->kind.in));
    const uint64_t most = test->small_taps ? INT32_MAX : INT64_MAX;
    uint64_t limit = most / largest / test->taps;
    if (limit > INT32_MAX)
        limit = INT32_MAX;
    if (test->tap_bits)
        limit = gp_min(limit, ((uint64_t)1 << test->tap_bits) - 1);
    return (int32_t)((int64_t)check_below(check, 2 * limit + 1) - (int64_t)limit);
}

// Taps of mixed types: many sums are within the range of the outputs, some are beyond. Coarse
// taps, of which few are not 0, sum integers and coarse floats exactly, so that many sums are
// half way between two integers.
struct mixed {
    bool is_coarse;
    int power;    // taps are about 2^power
    double least; // fine taps are multiplied by this besides
};

static struct mixed any_mixed(struct check *check, const struct convolve_case *test)
{
    const bool is_float = test->kind.in >= GPUPRIM_F16;
    const int power = bits_of(test->kind.out) - (is_float ? 0 : bits_of(test->kind.in));
    struct mixed m = { .is_coarse = check_once_in(check, 2), .power = power };
    if (m.is_coarse && power)
        m.power = power / abs(power) * (int)check_below(check, (uint64_t)abs(power) + 1);
    m.least = ldexp(1 / sqrt((double)test->taps), 2 - 2 * (int)check_below(check, 3));
    return m;
}

static double any_mixed_tap(struct check *check, const struct convolve_case *test,
                            const struct mixed *m)
{
    enum { NOT_ZERO = 12 };
    if (!m->is_coarse)
        return ldexp(fraction(check, false) * m->least, m->power);
    const double tap = ((double)check_below(check, 9) - 4) / 4;
    return check_below(check, test->taps) < NOT_ZERO ? ldexp(tap, m->power) : 0;
}

void convolve_fill_taps(struct check *check, const struct convolve_case *test,
                        const struct gpuprim_array *view)
{
    const struct convolve_kind *kind = &test->kind;
    const bool is_mixed =
        kind->taps == GPUPRIM_F32 && (kind->in < GPUPRIM_F16 || kind->out < GPUPRIM_F16);
    const bool is_coarse = check_once_in(check, 4);
    const struct mixed mixed = any_mixed(check, test);
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++)
        for (uint64_t i = 0; i < view->count; i++) {
            unsigned char *p = check_element(view, row, i);
            if (view->type == GPUPRIM_I32) {
                const int32_t whole = any_whole_tap(check, test);
                memcpy(p, &whole, sizeof whole);
            } else if (is_mixed)
                put_float(view->type, any_mixed_tap(check, test, &mixed), 0, p);
            else
                put_float(view->type, fraction(check, is_coarse), fraction(check, is_coarse),
                          p);
        }
}
