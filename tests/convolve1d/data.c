/* SPDX-License-Identifier: Apache-2.0
 *
 * The types that the tests of convolve1d go through, and what is in their arrays. case.c makes
 * calls of them. */
#include "case.h"

#include <math.h>
#include <string.h>

#include "reference/half.h"

#define FROM(in)                                                                               \
    { GPUPRIM_I32, in, GPUPRIM_I8 }, { GPUPRIM_I32, in, GPUPRIM_U8 },                          \
        { GPUPRIM_I32, in, GPUPRIM_I16 }, { GPUPRIM_I32, in, GPUPRIM_U16 },                    \
        { GPUPRIM_I32, in, GPUPRIM_I32 },                                                      \
    {                                                                                          \
        GPUPRIM_I32, in, GPUPRIM_I64                                                           \
    }
const struct convolve_kind convolve_kinds[CONVOLVE_KINDS] = {
    { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
    { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F16 },
    { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F16 },
    { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 },
    { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 },
    { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 },
    { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 },
    FROM(GPUPRIM_I8),
    FROM(GPUPRIM_U8),
    FROM(GPUPRIM_I16),
    FROM(GPUPRIM_U16),
    FROM(GPUPRIM_I32),
};

uint64_t convolve_taps_of(const char *variant)
{
    static const struct {
        const char *variant;
        uint64_t taps;
    } own[] = { { "gpu_short_taps", 5 },
                { "gpu_register_window", 44 },
                { "gpu_tap_chunks", 1100 } };
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].variant, variant) == 0)
            return own[i].taps;
    return 9;
}

// ---------------------------------------------------------------------------------------
// Data

// Between -1 and 1, a multiple of 2^-20.
static double fraction(struct check *check)
{
    return ((double)check_below(check, 1 << 21) - (1 << 20)) * 0x1p-20;
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
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++)
        for (uint64_t i = 0; i < view->count; i++) {
            unsigned char *p = check_element(view, row, i);
            const uint64_t bits = check_random(check);
            if (view->type < GPUPRIM_F16)
                memcpy(p, &bits, gp_type_size(view->type));
            else if (not_finite && check_once_in(check, 50))
                put_float(view->type, rare[check_below(check, 5)], fraction(check), p);
            else
                put_float(view->type, fraction(check), fraction(check), p);
        }
}

void convolve_fill_taps(struct check *check, const struct convolve_case *test,
                        const struct gpuprim_array *view)
{
    // Any sum of taps times the largest input stays below 2^31, or 2^63.
    const bool whole_in = test->kind.in < GPUPRIM_F16;
    const uint64_t largest = whole_in ? (uint64_t)1 << (8 * gp_type_size(test->kind.in)) : 1;
    const uint64_t most = test->small_taps ? INT32_MAX : INT64_MAX;
    uint64_t limit = most / largest / test->taps;
    if (limit > INT32_MAX)
        limit = INT32_MAX;
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++)
        for (uint64_t i = 0; i < view->count; i++) {
            unsigned char *p = check_element(view, row, i);
            const int32_t whole =
                (int32_t)((int64_t)check_below(check, 2 * limit + 1) - (int64_t)limit);
            if (view->type == GPUPRIM_I32)
                memcpy(p, &whole, sizeof whole);
            else
                put_float(view->type, fraction(check), fraction(check), p);
        }
}
