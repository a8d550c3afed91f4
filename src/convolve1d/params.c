/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the types and parameters of a filter, checked once for all calls with it.
 * filter.c calls this file. */
#include "convolve1d.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------
// Types

// What is offered: types of input and of taps that go together, and the set of outputs.
#define ONE(type) (1u << GPUPRIM_##type)
enum {
    // Sums in f32 become any of these: i64 is beyond what they resolve.
    FROM_F32 = ONE(F16) | ONE(F32) | ONE(I8) | ONE(U8) | ONE(I16) | ONE(U16) | ONE(I32),
    FROM_I32 = ONE(I8) | ONE(U8) | ONE(I16) | ONE(U16) | ONE(I32) | ONE(I64)
};
static const struct {
    enum gpuprim_type taps, in;
    unsigned outs;
} offers[] = {
    { GPUPRIM_F32, GPUPRIM_F16, FROM_F32 }, { GPUPRIM_F32, GPUPRIM_F32, FROM_F32 },
    { GPUPRIM_F32, GPUPRIM_I8, FROM_F32 },  { GPUPRIM_F32, GPUPRIM_U8, FROM_F32 },
    { GPUPRIM_F32, GPUPRIM_I16, FROM_F32 }, { GPUPRIM_F32, GPUPRIM_U16, FROM_F32 },
    { GPUPRIM_F64, GPUPRIM_F64, ONE(F64) }, { GPUPRIM_F32, GPUPRIM_C32, ONE(C32) },
    { GPUPRIM_C32, GPUPRIM_C32, ONE(C32) }, { GPUPRIM_I32, GPUPRIM_I8, FROM_I32 },
    { GPUPRIM_I32, GPUPRIM_U8, FROM_I32 },  { GPUPRIM_I32, GPUPRIM_I16, FROM_I32 },
    { GPUPRIM_I32, GPUPRIM_U16, FROM_I32 }, { GPUPRIM_I32, GPUPRIM_I32, FROM_I32 },
};
enum { OFFERS = sizeof offers / sizeof *offers };

// "i8, u8 or i16" for a set of types.
static const char *names_of(unsigned types, char text[128])
{
    size_t length = 0;
    text[0] = '\0';
    for (int type = 0; types; type++, types >>= 1)
        if (types & 1)
            length += (size_t)snprintf(text + length, 128 - length, "%s%s",
                                       length == 0   ? ""
                                       : types == 1u ? " or "
                                                     : ", ",
                                       gp_type_name((enum gpuprim_type)type));
    return text;
}

int gp_filter_check_types(const struct gpuprim_filter *f)
{
    char text[128];
    unsigned ins = 0, taps = 0, outs = 0;
    // A number that is no type would be shifted out of the set.
    if (!gp_type_size(f->in) || !gp_type_size(f->out))
        return gp_fail(GPUPRIM_E_TYPE, "%s is %d, which is no type",
                       gp_type_size(f->in) ? "params->out" : "params->in",
                       gp_type_size(f->in) ? (int)f->out : (int)f->in);
    for (size_t i = 0; i < OFFERS; i++) {
        ins |= 1u << offers[i].in;
        taps |= offers[i].in == f->in ? 1u << offers[i].taps : 0;
        outs |= offers[i].in == f->in && offers[i].taps == f->taps_type ? offers[i].outs : 0;
    }
    if (!taps)
        return gp_fail(GPUPRIM_E_TYPE, "data must be %s, not %s", names_of(ins, text),
                       gp_type_name(f->in));
    if (!outs)
        return gp_fail(GPUPRIM_E_TYPE, "%s data takes %s taps, not %s", gp_type_name(f->in),
                       names_of(taps, text), gp_type_name(f->taps_type));
    if (!(outs >> f->out & 1))
        return gp_fail(GPUPRIM_E_TYPE, "%s data with %s taps gives %s outputs, not %s",
                       gp_type_name(f->in), gp_type_name(f->taps_type), names_of(outs, text),
                       gp_type_name(f->out));
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Constants

// Stores the bits of one part of a constant in a float type or c32. False if a finite value is
// beyond the type's range. Infinities and NaNs are values, too.
static bool store_part(enum gpuprim_type type, double value, char *to)
{
    const bool is_finite = value - value == 0;
    if (type == GPUPRIM_F16) {
        const uint16_t half = value != value ? 0x7e00 : gp_f16_bits(value);
        memcpy(to, &half, sizeof half);
        return !is_finite || (half & 0x7c00) != 0x7c00;
    }
    if (is_finite && !(value <= FLT_MAX && value >= -FLT_MAX))
        return false;
    const float number = (float)value;
    memcpy(to, &number, sizeof number);
    return true;
}

// Converts a constant to the bits of an element, integers to those of a long. False if the type
// has no such value.
static bool bits_of(enum gpuprim_type type, const double constant[2], uint64_t *bits)
{
    *bits = 0;
    if (constant[1] != 0 && type != GPUPRIM_C32)
        return false;
    if (type == GPUPRIM_F64) {
        memcpy(bits, constant, sizeof *bits);
        return true;
    }
    if (gp_type_is_integer(type)) {
        int64_t low, high;
        gp_filter_range(type, &low, &high);
        if (!(constant[0] >= (double)low && constant[0] <= (double)high) ||
            constant[0] != (double)(int64_t)constant[0])
            return false;
        *bits = (uint64_t)(int64_t)constant[0];
        return true;
    }
    char *to = (char *)bits;
    return store_part(type, constant[0], to) &&
           (type != GPUPRIM_C32 || store_part(type, constant[1], to + sizeof(float)));
}

static int take_constants(const struct gpuprim_filter_params *p, struct gpuprim_filter *f)
{
    const enum gpuprim_boundary sides[2] = { f->left, f->right };
    for (int i = 0; i < 2; i++)
        if (sides[i] == GPUPRIM_CONSTANT && !bits_of(f->in, p->constant, &f->constant[i]))
            return gp_fail(GPUPRIM_E_ARG,
                           gp_type_is_integer(f->in) ? "the constant must be a whole number "
                                                       "within the range of %s, not (%g, %g)"
                                                     : "the constant must be a value of %s, "
                                                       "not (%g, %g)",
                           gp_type_name(f->in), p->constant[0], p->constant[1]);
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Parameters

static int check_params(const struct gpuprim_filter_params *p, const struct gpuprim_filter *f)
{
    const int status = gp_reserved_check(p->reserved, "params");
    if (status)
        return status;
    if ((unsigned)p->mode > GPUPRIM_EXPLICIT)
        return gp_fail(GPUPRIM_E_ARG, "mode is %d, which is no mode", (int)p->mode);
    if ((unsigned)p->left > GPUPRIM_HISTORY || (unsigned)p->right > GPUPRIM_HISTORY)
        return gp_fail(GPUPRIM_E_ARG, "%s is %d, which is no boundary",
                       (unsigned)p->left > GPUPRIM_HISTORY ? "left" : "right",
                       (unsigned)p->left > GPUPRIM_HISTORY ? (int)p->left : (int)p->right);
    if (p->right == GPUPRIM_HISTORY)
        return gp_fail(GPUPRIM_E_ARG, "HISTORY may be the left boundary only");
    if (p->offset && p->mode != GPUPRIM_EXPLICIT)
        return gp_fail(GPUPRIM_E_ARG, "offset must be 0 unless the mode is EXPLICIT");
    // -0.0 counts as 0, which is none; a NaN is a value.
    if ((p->constant[0] != 0 || p->constant[1] != 0) && p->left != GPUPRIM_CONSTANT &&
        p->right != GPUPRIM_CONSTANT)
        return gp_fail(GPUPRIM_E_ARG, "constant must be 0 unless a boundary is CONSTANT");
    if (p->stride > INT32_MAX || p->dilation > INT32_MAX)
        return gp_fail(GPUPRIM_E_ARG, "stride and dilation must be below 2^31");
    if ((unsigned)p->method > GPUPRIM_METHOD_AUTO)
        return gp_fail(GPUPRIM_E_ARG, "method is %d, which is no method", (int)p->method);
    if (p->method == GPUPRIM_METHOD_FFT && (f->in < GPUPRIM_F16 || f->out < GPUPRIM_F16))
        return gp_fail(GPUPRIM_E_TYPE,
                       "METHOD_FFT takes f16, f32, f64 and c32 in and out, not %s to %s; "
                       "METHOD_DIRECT and METHOD_AUTO do",
                       gp_type_name(f->in), gp_type_name(f->out));
    if (p->correlate > 1)
        return gp_fail(GPUPRIM_E_ARG, "correlate must be 0 or 1, not %u", p->correlate);
    if (p->shift > 62)
        return gp_fail(GPUPRIM_E_ARG, "shift must be below 63, not %u", p->shift);
    if (p->shift && !gp_filter_sums_whole(f))
        return gp_fail(GPUPRIM_E_ARG, "shift must be 0 for %s taps",
                       gp_type_name(f->taps_type));
    return GPUPRIM_OK;
}

// An offset and outputs beyond this are refused, so that no position leaves 64 bits.
enum { POSITION_BITS = 61 };

int gp_filter_take_params(const struct gpuprim_filter_params *p, struct gpuprim_filter *f)
{
    const int status = check_params(p, f);
    if (status)
        return status;
    f->mode = p->mode;
    f->left = p->left;
    f->right = p->right;
    f->shift = p->shift;
    f->method = p->method;
    f->stride = p->stride ? p->stride : 1;
    f->dilation = p->dilation && f->taps > 1 ? p->dilation : 1; // of one tap it means nothing
    f->halo = (f->taps - 1) * f->dilation;
    const int64_t halo = (int64_t)f->halo;
    f->offset = p->mode == GPUPRIM_SAME         ? halo / 2
                : p->mode == GPUPRIM_SAME_UPPER ? halo - halo / 2
                : p->mode == GPUPRIM_VALID      ? halo
                : p->mode == GPUPRIM_EXPLICIT   ? p->offset
                                                : 0;
    if (gp_abs(f->offset) > (uint64_t)1 << POSITION_BITS)
        return gp_fail(GPUPRIM_E_RANGE, "offset must be within 2^61, not %lld",
                       (long long)f->offset);
    if (f->left == GPUPRIM_HISTORY && f->offset < 0)
        return gp_fail(GPUPRIM_E_ARG,
                       "with HISTORY offset must be 0 or more, not "
                       "%lld: outputs would need samples before the history",
                       (long long)f->offset);
    return take_constants(p, f);
}
