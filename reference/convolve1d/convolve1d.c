/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of convolve1d: the formula of gpuprim_convolve1d, tap by tap. convolve1d.h says
 * what it gives. */
#include "convolve1d.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference/half.h"
#include "reference/reduce/row.h"

typedef long double real;

// An element of any type: integers in `whole`, floats in re and im.
struct number {
    int64_t whole;
    real re, im;
};

// What one output must be, and by how much a float may differ from it.
struct expected {
    struct number value;
    real slack_re, slack_im;
};

static bool is_integer(enum gpuprim_type type)
{
    return type < GPUPRIM_F16;
}

static size_t size_of(enum gpuprim_type type)
{
    return type == GPUPRIM_C32 ? 8 : reduce_reference_size(type);
}

static unsigned char *at(const struct gpuprim_array *array, uint64_t row, int64_t i)
{
    const int64_t stride = array->stride ? array->stride : 1;
    const int64_t row_stride =
        array->row_stride ? array->row_stride : (int64_t)array->count * stride;
    return (unsigned char *)array->base +
           ((int64_t)array->first + (int64_t)row * row_stride + i * stride) *
               (int64_t)size_of(array->type);
}

static struct number load(enum gpuprim_type type, const void *p)
{
    struct number x = { 0, 0, 0 };
    float parts[2];
    uint16_t half;
    double d;
#define INTEGER(name, c)                                                                       \
    case name: {                                                                               \
        c v;                                                                                   \
        memcpy(&v, p, sizeof v);                                                               \
        x.whole = (int64_t)v;                                                                  \
        return x;                                                                              \
    }
    switch (type) {
        INTEGER(GPUPRIM_I8, int8_t)
        INTEGER(GPUPRIM_U8, uint8_t)
        INTEGER(GPUPRIM_I16, int16_t)
        INTEGER(GPUPRIM_U16, uint16_t)
        INTEGER(GPUPRIM_I32, int32_t)
        INTEGER(GPUPRIM_I64, int64_t)
    case GPUPRIM_F16:
        memcpy(&half, p, sizeof half);
        x.re = half_to_float(half);
        return x;
    case GPUPRIM_F32:
        memcpy(parts, p, 4);
        x.re = parts[0];
        return x;
    case GPUPRIM_F64:
        memcpy(&d, p, sizeof d);
        x.re = d;
        return x;
    default:
        memcpy(parts, p, 8);
        x.re = parts[0];
        x.im = parts[1];
        return x;
    }
}

static void store(enum gpuprim_type type, struct number x, void *p)
{
    const float parts[2] = { (float)x.re, (float)x.im };
    const double d = (double)x.re;
    if (is_integer(type)) {
        memcpy(p, &x.whole, size_of(type)); // hosts are little-endian
    } else if (type == GPUPRIM_F16) {
        const uint16_t half = half_from_float(parts[0]);
        memcpy(p, &half, sizeof half);
    } else if (type == GPUPRIM_F64)
        memcpy(p, &d, sizeof d);
    else
        memcpy(p, parts, size_of(type));
}

// ---------------------------------------------------------------------------------------
// Inputs

static struct number constant_of(enum gpuprim_type type, const double constant[2])
{
    struct number x = { 0, constant[0], constant[1] };
    if (is_integer(type))
        x.whole = (int64_t)constant[0];
    else if (type == GPUPRIM_F16)
        x.re = half_to_float(half_from_float((float)constant[0]));
    else if (type != GPUPRIM_F64) {
        x.re = (float)constant[0];
        x.im = (float)constant[1];
    }
    return x;
}

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
            return constant_of(in->type, params->constant);
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
            return load(in->type, at(before, row, (int64_t)before->count + j));
        }
    }
    return load(in->type, at(in, row, j));
}

// ---------------------------------------------------------------------------------------
// Outputs

// Divides by 2^shift, rounds half to even, and saturates to the range of the type.
static int64_t scaled(int64_t sum, unsigned shift, enum gpuprim_type type)
{
    const int64_t unit = (int64_t)1 << shift;
    int64_t q = sum / unit, rest = sum % unit;
    if (rest < 0) {
        q--;
        rest += unit;
    }
    if (rest > unit - rest || (rest == unit - rest && q % 2 != 0))
        q++;
    if (type == GPUPRIM_I64)
        return q;
    const unsigned bits = 8 * (unsigned)size_of(type);
    const bool is_unsigned = type == GPUPRIM_U8 || type == GPUPRIM_U16;
    const int64_t high = ((int64_t)1 << (bits - !is_unsigned)) - 1;
    const int64_t low = is_unsigned ? 0 : -high - 1;
    return q < low ? low : q > high ? high : q;
}

static uint64_t step_of(uint64_t given)
{
    return given ? given : 1;
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
    int64_t whole = 0;
    real re = 0, im = 0, size_re = 0, size_im = 0;
    for (int64_t k = 0; k < n_taps; k++) {
        const struct number h =
            load(taps->type, at(taps, tap_row, params->correlate ? n_taps - 1 - k : k));
        const struct number x =
            input(in, params, before, row, position - k * (int64_t)step_of(params->dilation));
        if (is_integer(in->type)) {
            whole += h.whole * x.whole;
            continue;
        }
        re += h.re * x.re;
        size_re += fabsl(h.re * x.re);
        if (in->type == GPUPRIM_C32) {
            im += h.re * x.im;
            size_im += fabsl(h.re * x.im);
        }
        if (taps->type == GPUPRIM_C32) {
            re -= h.im * x.im;
            im += h.im * x.re;
            size_re += fabsl(h.im * x.im);
            size_im += fabsl(h.im * x.re);
        }
    }
    // Each addition rounds by at most u times the magnitudes added so far. The conversion to
    // f16 rounds once more. Denormals round by half of the smallest one.
    const real u = in->type == GPUPRIM_F64 ? 0x1p-53L : 0x1p-24L;
    const real tiny = in->type == GPUPRIM_F64 ? 0x1p-1074L : 0x1p-149L;
    const real errors = (real)(2 * n_taps + 2);
    struct expected e = { { 0, re, im }, 0, 0 };
    if (is_integer(in->type))
        e.value.whole = scaled(whole, params->shift, out);
    e.slack_re = errors * (u * size_re + tiny);
    e.slack_im = errors * (u * size_im + tiny);
    if (out == GPUPRIM_F16)
        e.slack_re += fabsl(re) * 0x1.02p-11L + 0x1p-25L;
    return e;
}

void convolve_reference(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                        const struct gpuprim_filter_params *params,
                        const struct gpuprim_array *before, const struct gpuprim_array *out)
{
    for (uint64_t row = 0; row < reference_rows(in); row++)
        for (uint64_t i = 0; i < out->count; i++)
            store(out->type, expect(in, taps, params, before, out->type, row, i).value,
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
        return got == expected || isnan(slack);
    if (isinf(got)) // rounded up beyond the range
        return fabsl(expected) + slack >= limit_of(type) && (got > 0) == (expected > 0);
    return fabsl(got - expected) <= slack;
}

bool convolve_reference_agrees(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                               const struct gpuprim_filter_params *params,
                               const struct gpuprim_array *before,
                               const struct gpuprim_array *out, char *why, size_t size)
{
    for (uint64_t row = 0; row < reference_rows(in); row++)
        for (uint64_t i = 0; i < out->count; i++) {
            const struct expected e = expect(in, taps, params, before, out->type, row, i);
            const struct number got = load(out->type, at(out, row, (int64_t)i));
            if (is_integer(out->type)) {
                if (got.whole == e.value.whole)
                    continue;
                snprintf(why, size, "row %llu, output %llu: %lld instead of %lld",
                         (unsigned long long)row, (unsigned long long)i, (long long)got.whole,
                         (long long)e.value.whole);
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
    return true;
}
