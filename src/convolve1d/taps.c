/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: reads the taps of a filter from wherever they are, in the order in which kernels
 * take them, and checks whether integer sums have room. filter.c calls this file. */
#include "convolve1d.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gp_filter_range(enum gpuprim_type type, int64_t *low, int64_t *high)
{
    const unsigned bits = 8 * (unsigned)gp_type_size(type);
    const bool is_unsigned = type == GPUPRIM_U8 || type == GPUPRIM_U16;
    *low = is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
    *high = ((int64_t)1 << (bits - !is_unsigned)) - 1;
}

static void reverse(char *taps, uint64_t n, size_t size)
{
    char spare[16];
    for (uint64_t i = 0; i < n / 2; i++) {
        char *a = taps + i * size, *b = taps + (n - 1 - i) * size;
        memcpy(spare, a, size);
        memcpy(a, b, size);
        memcpy(b, spare, size);
    }
}

int gp_filter_take_taps(gpuprim *gp, const struct gp_array *array, bool correlate,
                        struct gpuprim_filter *f)
{
    f->size = array->size;
    uint64_t bytes;
    if (__builtin_mul_overflow(f->rows, f->taps * f->size, &bytes) ||
        bytes > SIZE_MAX - CONVOLVE_TAPS_PADDING)
        return gp_fail(GPUPRIM_E_RANGE, "the size of all taps overflows 64 bits");
    f->values = calloc(1, bytes + CONVOLVE_TAPS_PADDING);
    if (!f->values)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    const int status = gp_array_read(gp, array, "taps", f->values);
    for (uint64_t row = 0; !status && !correlate && row < f->rows; row++)
        reverse((char *)f->values + row * f->taps * f->size, f->taps, f->size);
    return status;
}

void gp_filter_find_signs(struct gpuprim_filter *f)
{
    const bool is_f64 = f->taps_type == GPUPRIM_F64, is_whole = f->taps_type == GPUPRIM_I32;
    const uint64_t parts = f->taps_type == GPUPRIM_C32 ? 2 : 1;
    f->taps_are_finite = true;
    for (uint64_t k = 0; !is_whole && k < f->rows * f->taps * parts; k++) {
        const double tap =
            is_f64 ? ((const double *)f->values)[k] : ((const float *)f->values)[k];
        f->taps_are_finite &= isfinite(tap) != 0;
        if (k < f->taps && !signbit(tap))
            f->plus_taps = k + 1;
    }
}

int gp_filter_check_sums(struct gpuprim_filter *f)
{
    if (!gp_filter_sums_whole(f))
        return GPUPRIM_OK;
    int64_t low, high;
    gp_filter_range(f->in, &low, &high);
    const uint64_t largest = gp_abs(low) > (uint64_t)high ? gp_abs(low) : (uint64_t)high;
    const int32_t *taps = f->values;
    f->sum_bits = 0;
    f->taps_are_i8 = true;
    f->tap_bytes = 1;
    for (uint64_t row = 0; row < f->rows; row++) {
        uint64_t sum = 0; // at most 2^20 * 2^31
        for (uint64_t k = 0; k < f->taps; k++) {
            const int32_t tap = taps[row * f->taps + k];
            sum += gp_abs(tap);
            f->taps_are_i8 &= tap == (int8_t)tap;
            while (f->tap_bytes < 4 &&
                   gp_abs(tap < 0 ? tap + 1 : tap) >> (8 * f->tap_bytes - 1))
                f->tap_bytes++;
        }
        if (sum > INT64_MAX / largest)
            return gp_fail(GPUPRIM_E_RANGE,
                           "the taps' magnitudes must sum to at most "
                           "%llu for %s data, not to %llu: 64 bits could overflow",
                           (unsigned long long)(INT64_MAX / largest), gp_type_name(f->in),
                           (unsigned long long)sum);
        while (f->sum_bits < 63 && sum > (((uint64_t)1 << f->sum_bits) - 1) / largest)
            f->sum_bits++;
    }
    return GPUPRIM_OK;
}

// Whether floats of `bits` bits hold all sums, and kernels may sum in them.
static bool is_exact(const struct gpuprim_filter *f, unsigned bits)
{
    return !f->gp->caps.is_cpu && f->taps_type == GPUPRIM_I32 && f->sum_bits <= bits;
}

// Makes the taps f64. Their memory is then twice as long.
static int widen_taps(struct gpuprim_filter *f, double unit)
{
    const uint64_t count = f->rows * f->taps;
    uint64_t bytes;
    if (__builtin_mul_overflow(count, sizeof(double), &bytes) ||
        bytes > SIZE_MAX - CONVOLVE_TAPS_PADDING)
        return gp_fail(GPUPRIM_E_RANGE, "the size of all taps overflows 64 bits");
    double *taps = calloc(1, bytes + CONVOLVE_TAPS_PADDING);
    if (!taps)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    for (uint64_t k = 0; k < count; k++)
        taps[k] = (double)((const int32_t *)f->values)[k] * unit;
    free(f->values);
    f->values = taps;
    f->size = sizeof *taps;
    return GPUPRIM_OK;
}

// Sums of integers that fit 24 bits are summed in f32 on GPUs. Each tap is divided by 2^shift.
// All sums are then multiples of 2^-shift below 2^(24 - shift), so that f32 holds them exactly.
// Kernels round and saturate them as they do with f32 taps, which cannot give i64. Longer sums
// of up to MOST_F64 bits are summed in f64 where that is faster than in 64-bit integers: kernels
// round by the addition of 1.5 * 2^52.
int gp_filter_choose_sums(struct gpuprim_filter *f)
{
    enum { MOST_F32 = 24, MOST_INT = 31, MOST_F64 = 51 };
    const double unit = 1 / (double)((uint64_t)1 << f->shift);
    f->sums_in_f32 = is_exact(f, MOST_F32) && f->out != GPUPRIM_I64;
    f->sums_in_f64 =
        is_exact(f, MOST_F64) && f->sum_bits > MOST_INT && f->gp->caps.has_fast_fp64;
    if (f->sums_in_f64)
        return widen_taps(f, unit);
    char *tap = f->values;
    for (uint64_t k = 0; f->sums_in_f32 && k < f->rows * f->taps; k++, tap += sizeof(float)) {
        int32_t whole;
        memcpy(&whole, tap, sizeof whole);
        const float divided = (float)whole * (float)unit;
        memcpy(tap, &divided, sizeof divided);
    }
    return GPUPRIM_OK;
}
