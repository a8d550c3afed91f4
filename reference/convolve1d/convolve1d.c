/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of convolve1d: the formula of gpuprim_convolve1d, tap by tap. convolve1d.h says
 * what it gives. */
#include "convolve1d.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "number.h"
#include "reference/half.h"
#include "reference/reduce/row.h"

// What one output must be, and by how much a float may differ from it. An integer may be any
// from `low` to `high`.
struct expected {
    struct number value;
    int64_t low, high;
    real slack_re, slack_im;
};

static unsigned char *at(const struct gpuprim_array *array, uint64_t row, int64_t i)
{
    const int64_t stride = array->stride ? array->stride : 1;
    const int64_t row_stride =
        array->row_stride ? array->row_stride : (int64_t)array->count * stride;
    return (unsigned char *)array->base +
           ((int64_t)array->first + (int64_t)row * row_stride + i * stride) *
               (int64_t)convolve_size(array->type);
}

// ---------------------------------------------------------------------------------------
// Inputs

// X(j), folded as often as needed.
static struct number input(const struct gpuprim_array *in,
                           const struct gpuprim_filter_params *params,
                           const struct gpuprim_array *before, uint64_t row, int64_t j)
{
    const int64_t n = (int64_t)in->count;
    const enum gpuprim_boundary side = j < 0 ? params->left : params->right;
    const struct number zero = { 0, 0, 0 };
    while (j < 0 || j >= n) {
        switch (side) {
        case GPUPRIM_ZERO:
            return zero;
        case GPUPRIM_CONSTANT:
            return convolve_constant_of(in->type, params->constant);
        case GPUPRIM_EDGE:
            j = j < 0 ? 0 : n - 1;
            break;
        case GPUPRIM_REFLECT_HALF: // about the boundary before 0, or behind n - 1
            j = j < 0 ? -1 - j : 2 * n - 1 - j;
            break;
        case GPUPRIM_REFLECT_WHOLE: // about 0, or n - 1
            if (n == 1)
                j = 0;
            else
                j = j < 0 ? -j : 2 * (n - 1) - j;
            break;
        case GPUPRIM_WRAP:
            j += j < 0 ? n : -n;
            break;
        default: // GPUPRIM_HISTORY
            return convolve_load(in->type, at(before, row, (int64_t)before->count + j));
        }
    }
    return convolve_load(in->type, at(in, row, j));
}

// ---------------------------------------------------------------------------------------
// Sums

// A sum of floats. Where it is exact in f32 in any order, no rounding error is allowed: where
// all products are multiples of 2^unit, and their magnitudes sum to at most 2^24 of these.
struct sum {
    real value, size; // the sum; the sum of magnitudes
    int unit;
};

static void add(struct sum *s, real product)
{
    int exponent;
    s->value += product;
    s->size += fabsl(product);
    if (!isfinite(product) || product == 0)
        return;
    const real fraction = fabsl(frexpl(product, &exponent)); // 0.5 ... 1
    const int unit = exponent - 64 + __builtin_ctzll((uint64_t)ldexpl(fraction, 64));
    if (unit < s->unit)
        s->unit = unit;
}

static bool is_exact(const struct sum *s)
{
    return s->size <= ldexpl(1, s->unit + 24) && s->unit >= FLT_MIN_EXP && s->size <= FLT_MAX;
}

// By how much a result may differ from the sum of `taps` products. Each addition rounds by at
// most u times the magnitudes added so far. Denormals round by half of the smallest one. Where
// there are products of both signs, and those of one sign leave the range, a sum of some of
// them may be infinite, and then the result may be anything.
static real slack_of(const struct sum *s, int64_t taps, bool is_f64)
{
    const real u = is_f64 ? 0x1p-53L : 0x1p-24L, tiny = is_f64 ? 0x1p-1074L : 0x1p-149L;
    const real most = is_f64 ? (real)DBL_MAX : (real)FLT_MAX;
    if ((s->size + fabsl(s->value)) / 2 > most && fabsl(s->value) < s->size)
        return INFINITY;
    return !is_f64 && is_exact(s) ? 0 : (real)(2 * taps + 2) * (u * s->size + tiny);
}

static uint64_t step_of(uint64_t given)
{
    return given ? given : 1;
}

static real size_of(struct number x)
{
    return hypotl(x.re, x.im);
}

// The largest magnitude of a row's elements; infinity where one is a NaN.
static real largest_of(const struct gpuprim_array *array, uint64_t row)
{
    real largest = 0;
    for (uint64_t i = 0; i < array->count; i++) {
        const real size = size_of(convolve_load(array->type, at(array, row, (int64_t)i)));
        if (!(size <= largest))
            largest = isnan(size) ? INFINITY : size;
    }
    return largest;
}

// By how much a result of the method FFT may differ, as gpuprim.h says of filters of few parts.
// `largest`: the largest |X| of the row. Points of transforms are sums of up to 2^14 numbers.
static real fft_slack(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                      const struct gpuprim_filter_params *params,
                      const struct gpuprim_array *before, uint64_t row)
{
    const bool is_f64 = in->type == GPUPRIM_F64;
    real largest = largest_of(in, row), sum = 0;
    if (before && before->count)
        largest = fmaxl(largest, largest_of(before, row));
    if (params->left == GPUPRIM_CONSTANT || params->right == GPUPRIM_CONSTANT) {
        const real size = size_of(convolve_constant_of(in->type, params->constant));
        largest = isnan(size) ? INFINITY : fmaxl(largest, size);
    }
    for (uint64_t k = 0; k < taps->count; k++)
        sum += size_of(convolve_load(taps->type,
                                     at(taps, reference_rows(taps) > 1 ? row : 0, (int64_t)k)));
    if (!(largest * fmaxl(sum, 1) < (is_f64 ? 0x1p1000L : 0x1p100L)))
        return INFINITY;
    return (is_f64 ? 0x1p-47L : 0x1p-18L) * sum * largest + (is_f64 ? 0x1p-1050L : 0x1p-130L);
}

static int64_t offset_of(const struct gpuprim_filter_params *params, uint64_t taps)
{
    const int64_t halo = (int64_t)((taps - 1) * step_of(params->dilation));
    switch (params->mode) {
    case GPUPRIM_SAME:
        return halo / 2;
    case GPUPRIM_SAME_UPPER:
        return (halo + 1) / 2;
    case GPUPRIM_VALID:
        return halo;
    case GPUPRIM_EXPLICIT:
        return params->offset;
    default:
        return 0;
    }
}

int64_t convolve_reference_outputs(const struct gpuprim_filter_params *params, uint64_t taps,
                                   uint64_t n)
{
    const int64_t halo = (int64_t)((taps - 1) * step_of(params->dilation));
    const int64_t step = (int64_t)step_of(params->stride);
    int64_t all = (int64_t)n;
    if (params->mode == GPUPRIM_FULL)
        all += halo;
    if (params->mode == GPUPRIM_VALID)
        all -= halo;
    if (params->mode == GPUPRIM_EXPLICIT || all < 0)
        return all;
    return (all + step - 1) / step;
}

static struct expected expect(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                              const struct gpuprim_filter_params *params,
                              const struct gpuprim_array *before, enum gpuprim_type out,
                              uint64_t row, uint64_t i)
{
    const int64_t n_taps = (int64_t)taps->count;
    const int64_t position =
        (int64_t)(i * step_of(params->stride)) + offset_of(params, taps->count);
    const uint64_t tap_row = reference_rows(taps) > 1 ? row : 0;
    const bool is_whole = taps->type == GPUPRIM_I32;
    int64_t whole = 0;
    struct sum re = { .unit = INT_MAX - 64 }, im = re;
    for (int64_t k = 0; k < n_taps; k++) {
        const struct number h = convolve_load(
            taps->type, at(taps, tap_row, params->correlate ? n_taps - 1 - k : k));
        const struct number x =
            input(in, params, before, row, position - k * (int64_t)step_of(params->dilation));
        if (is_whole) {
            whole += h.whole * x.whole;
            continue;
        }
        add(&re, h.re * (convolve_is_integer(in->type) ? (real)x.whole : x.re));
        if (in->type == GPUPRIM_C32)
            add(&im, h.re * x.im);
        if (taps->type == GPUPRIM_C32) {
            add(&re, -h.im * x.im);
            add(&im, h.im * x.re);
        }
    }
    struct expected e = { .value = { 0, re.value, im.value } };
    e.slack_re = slack_of(&re, n_taps, in->type == GPUPRIM_F64);
    e.slack_im = slack_of(&im, n_taps, in->type == GPUPRIM_F64);
    if (is_whole)
        e.value.whole = e.low = e.high = convolve_scaled(whole, params->shift, out);
    else if (convolve_is_integer(out)) {
        const real slack = isfinite(re.value) ? e.slack_re : 0;
        e.value.whole = convolve_rounded(re.value, out);
        e.low = convolve_rounded(re.value - slack, out);
        e.high = convolve_rounded(re.value + slack, out);
    } else if (out == GPUPRIM_F16) { // is rounded once more
        if (e.slack_re == 0)
            e.value.re = half_to_float(half_from_float((float)re.value));
        else
            e.slack_re += fabsl(re.value) * 0x1.02p-11L + 0x1p-25L;
    }
    return e;
}

void convolve_reference(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                        const struct gpuprim_filter_params *params,
                        const struct gpuprim_array *before, const struct gpuprim_array *out)
{
    for (uint64_t row = 0; row < reference_rows(in); row++)
        for (uint64_t i = 0; i < out->count; i++)
            convolve_store(out->type, expect(in, taps, params, before, out->type, row, i).value,
                           at(out, row, (int64_t)i));
}

// The largest finite value. Results beyond it may be infinite.
static real limit_of(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 ? 65504.0L : type == GPUPRIM_F64 ? (real)DBL_MAX : (real)FLT_MAX;
}

static bool is_close(enum gpuprim_type type, real got, real expected, real slack)
{
    if (isnan(expected))
        return isnan(got);
    if (isinf(expected))
        return got == expected;
    if (isinf(slack))
        return true;
    if (isinf(got)) // rounded up beyond the range
        return fabsl(expected) + slack >= limit_of(type) && (got > 0) == (expected > 0);
    return fabsl(got - expected) <= slack;
}

bool convolve_reference_agrees(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                               const struct gpuprim_filter_params *params,
                               const struct gpuprim_array *before,
                               const struct gpuprim_array *out, char *why, size_t size)
{
    for (uint64_t row = 0; row < reference_rows(in); row++) {
        const bool is_direct = params->method == GPUPRIM_METHOD_DIRECT ||
                               convolve_is_integer(in->type) || convolve_is_integer(out->type);
        const real fft = is_direct ? 0 : fft_slack(in, taps, params, before, row);
        if (isinf(fft))
            continue;
        for (uint64_t i = 0; i < out->count; i++) {
            struct expected e = expect(in, taps, params, before, out->type, row, i);
            e.slack_re += fft;
            e.slack_im += fft;
            // A sum near the middle of two numbers may be rounded the other way.
            if (!is_direct && out->type == GPUPRIM_F16)
                e.slack_re += fabsl(e.value.re) * 0x1.02p-10L + 0x1p-24L;
            const struct number got = convolve_load(out->type, at(out, row, (int64_t)i));
            if (convolve_is_integer(out->type)) {
                if (got.whole >= e.low && got.whole <= e.high)
                    continue;
                snprintf(why, size, "row %llu, output %llu: %lld instead of %lld to %lld",
                         (unsigned long long)row, (unsigned long long)i, (long long)got.whole,
                         (long long)e.low, (long long)e.high);
                return false;
            }
            if (is_close(out->type, got.re, e.value.re, e.slack_re) &&
                is_close(out->type, got.im, e.value.im, e.slack_im))
                continue;
            snprintf(why, size,
                     "row %llu, output %llu: %.9Lg, %.9Lg instead of %.9Lg, %.9Lg; allowed "
                     "errors %.2Lg, %.2Lg",
                     (unsigned long long)row, (unsigned long long)i, got.re, got.im, e.value.re,
                     e.value.im, e.slack_re, e.slack_im);
            return false;
        }
    }
    return true;
}
