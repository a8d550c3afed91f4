/* SPDX-License-Identifier: Apache-2.0
 *
 * Filters: what is checked once for all calls; their making and their end. */
#include "convolve1d.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// The types that are offered: of each pair of taps and input a set of outputs.
#define ONE(type) (1u << GPUPRIM_##type)
enum {
    FLOATS = ONE(F16) | ONE(F32),
    INTEGERS = ONE(I8) | ONE(U8) | ONE(I16) | ONE(U16) | ONE(I32) | ONE(I64)
};
static const struct {
    enum gpuprim_type taps, in;
    unsigned outs;
} offers[] = {
    { GPUPRIM_F32, GPUPRIM_F16, FLOATS },   { GPUPRIM_F32, GPUPRIM_F32, FLOATS },
    { GPUPRIM_F64, GPUPRIM_F64, ONE(F64) }, { GPUPRIM_F32, GPUPRIM_C32, ONE(C32) },
    { GPUPRIM_C32, GPUPRIM_C32, ONE(C32) }, { GPUPRIM_I32, GPUPRIM_I8, INTEGERS },
    { GPUPRIM_I32, GPUPRIM_U8, INTEGERS },  { GPUPRIM_I32, GPUPRIM_I16, INTEGERS },
    { GPUPRIM_I32, GPUPRIM_U16, INTEGERS }, { GPUPRIM_I32, GPUPRIM_I32, INTEGERS },
};

static int check_types(const struct gpuprim_filter *f)
{
    // A number that is no type would be shifted out of the set.
    if (!gp_type_size(f->in) || !gp_type_size(f->out))
        return gp_fail(GPUPRIM_E_TYPE, "filter: %s is %d, no element type",
                       gp_type_size(f->in) ? "out" : "in",
                       gp_type_size(f->in) ? (int)f->out : (int)f->in);
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++)
        if (offers[i].taps == f->taps_type && offers[i].in == f->in &&
            (offers[i].outs >> f->out & 1))
            return GPUPRIM_OK;
    return gp_fail(GPUPRIM_E_TYPE, "filter: %s taps for %s input and %s output are not offered",
                   gp_type_name(f->taps_type), gp_type_name(f->in), gp_type_name(f->out));
}

// ---------------------------------------------------------------------------------------
// Constants

// Rounded to the 11 bits of an f16, of which the last is worth at least 2^-24: what is added is
// so large that a double has no bits left below those.
static double rounded_to_half(double value)
{
    double magnitude = value < 0 ? -value : value, unit = 0x1p-24;
    while (magnitude >= unit * 2048 && unit < 0x1p16)
        unit *= 2;
    const double coarse = unit * 0x1.8p52;
    magnitude = (magnitude + coarse) - coarse;
    return value < 0 ? -magnitude : magnitude;
}

// Converts a constant to the input's type; false if that does not hold it.
static bool bits_of(enum gpuprim_type type, const double constant[2], uint64_t *bits)
{
    const double limit = type == GPUPRIM_F16 ? 65504 : FLT_MAX;
    float parts[2];
    *bits = 0;
    if (constant[1] != 0 && type != GPUPRIM_C32)
        return false;
    if (type == GPUPRIM_F64) {
        memcpy(bits, constant, sizeof *bits);
        return true;
    }
    if (type < GPUPRIM_F16) {
        int64_t low, high;
        gp_filter_range(type, &low, &high);
        if (!(constant[0] >= (double)low && constant[0] <= (double)high) ||
            constant[0] != (double)(int64_t)constant[0])
            return false;
        *bits = (uint64_t)(int64_t)constant[0];
        return true;
    }
    for (int i = 0; i < 2; i++) {
        const bool finite = constant[i] - constant[i] == 0;
        const double value =
            finite && type == GPUPRIM_F16 ? rounded_to_half(constant[i]) : constant[i];
        if (finite && (value > limit || value < -limit))
            return false;
        parts[i] = (float)value;
    }
    memcpy(bits, parts, type == GPUPRIM_C32 ? 8 : 4);
    return true;
}

// ---------------------------------------------------------------------------------------
// Parameters

static int check_params(const struct gpuprim_filter_params *p, struct gpuprim_filter *f)
{
    if (p->reserved[0] | p->reserved[1] | p->reserved[2] | p->reserved[3])
        return gp_fail(GPUPRIM_E_ARG, "filter: reserved members of params must be zero");
    if ((unsigned)p->mode > GPUPRIM_EXPLICIT)
        return gp_fail(GPUPRIM_E_ARG, "filter: %d is no mode", (int)p->mode);
    if ((unsigned)p->left > GPUPRIM_HISTORY || (unsigned)p->right > GPUPRIM_HISTORY)
        return gp_fail(GPUPRIM_E_ARG, "filter: %d is no boundary",
                       (unsigned)p->left > GPUPRIM_HISTORY ? (int)p->left : (int)p->right);
    if (p->right == GPUPRIM_HISTORY)
        return gp_fail(GPUPRIM_E_ARG, "filter: HISTORY is for the left boundary only");
    if (p->offset && p->mode != GPUPRIM_EXPLICIT)
        return gp_fail(GPUPRIM_E_ARG, "filter: an offset is for the mode EXPLICIT only");
    // -0.0 counts as 0, which is none; a NaN is a value.
    if ((p->constant[0] != 0 || p->constant[1] != 0) && p->left != GPUPRIM_CONSTANT &&
        p->right != GPUPRIM_CONSTANT)
        return gp_fail(GPUPRIM_E_ARG, "filter: a constant is for the boundary CONSTANT only");
    if (p->stride > INT32_MAX || p->dilation > INT32_MAX)
        return gp_fail(GPUPRIM_E_ARG, "filter: stride or dilation is 2^31 or more");
    if (p->correlate > 1)
        return gp_fail(GPUPRIM_E_ARG, "filter: correlate is %u, neither 0 nor 1", p->correlate);
    if (p->shift > 62)
        return gp_fail(GPUPRIM_E_ARG, "filter: a shift of %u is beyond 62", p->shift);
    if (p->shift && f->taps_type != GPUPRIM_I32)
        return gp_fail(GPUPRIM_E_ARG, "filter: a shift is for integer data, not for %s",
                       gp_type_name(f->in));
    return GPUPRIM_OK;
}

// An offset and outputs beyond this are refused, so that no position leaves 64 bits.
enum { POSITION_BITS = 61 };

static int take_params(const struct gpuprim_filter_params *p, struct gpuprim_filter *f)
{
    f->mode = p->mode;
    f->left = p->left;
    f->right = p->right;
    f->shift = p->shift;
    f->stride = p->stride ? p->stride : 1;
    f->dilation = p->dilation ? p->dilation : 1;
    f->reach = (f->taps - 1) * f->dilation;
    const int64_t reach = (int64_t)f->reach;
    f->offset = p->mode == GPUPRIM_SAME         ? reach / 2
                : p->mode == GPUPRIM_SAME_UPPER ? reach - reach / 2
                : p->mode == GPUPRIM_VALID      ? reach
                : p->mode == GPUPRIM_EXPLICIT   ? p->offset
                                                : 0;
    if (gp_abs(f->offset) > (uint64_t)1 << POSITION_BITS)
        return gp_fail(GPUPRIM_E_RANGE, "filter: an offset of %lld", (long long)f->offset);
    if (f->left == GPUPRIM_HISTORY && f->offset < 0)
        return gp_fail(
            GPUPRIM_E_ARG,
            "filter: with an offset of %lld HISTORY would have to reach further back "
            "than the filter does",
            (long long)f->offset);
    const enum gpuprim_boundary sides[2] = { f->left, f->right };
    for (int i = 0; i < 2; i++)
        if (sides[i] == GPUPRIM_CONSTANT && !bits_of(f->in, p->constant, &f->constant[i]))
            return gp_fail(GPUPRIM_E_ARG, "filter: %s does not hold the constant %g, %g",
                           gp_type_name(f->in), p->constant[0], p->constant[1]);
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------

static int check(gpuprim *gp, const struct gpuprim_array *taps,
                 const struct gpuprim_filter_params *params, struct gp_array *array,
                 struct gpuprim_filter *f)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!params)
        return gp_fail(GPUPRIM_E_ARG, "filter: params is NULL");
    status = gp_array_resolve(gp, taps, "filter: taps", false, array);
    if (status)
        return status;
    if (array->rows == 0)
        return gp_fail(GPUPRIM_E_ARG,
                       "gpuprim_filter_create: taps has no rows, 1 is needed, or "
                       "one for each row of the data");
    if (array->count < 1 || array->count > CONVOLVE_MAX_TAPS)
        return gp_fail(GPUPRIM_E_ARG, "filter: %llu taps, not 1 to 2^20",
                       (unsigned long long)array->count);
    f->gp = gp;
    f->taps = array->count;
    f->rows = array->rows;
    f->taps_type = array->type;
    f->in = params->in ? params->in : array->type;
    f->out = params->out ? params->out : f->in;
    status = check_types(f);
    if (!status)
        status = check_params(params, f);
    if (!status)
        status = take_params(params, f);
    if (!status && f->in == GPUPRIM_F64 && !gp->caps.has_fp64)
        status = gp_fail(GPUPRIM_E_UNSUPPORTED, "filter: %s has no double precision",
                         gp->caps.device);
    return status;
}

// What a call like this one needs. A variant that is forced need not take it.
static int build(gpuprim *gp, const struct convolution *c)
{
    const unsigned kinds[GP_MAX_KERNELS] = { 0, 0 }; // device arrays
    if (!gp_variant_pick(gp, &gp_primitive_convolve1d, c))
        return GPUPRIM_OK;
    return gp_plan_prepare(gp, &gp_primitive_convolve1d, c, kinds);
}

// The taps on the device, and all programs that calls may need.
static int prepare(gpuprim *gp, struct gpuprim_filter *f)
{
    cl_int error;
    f->memory =
        clCreateBuffer(gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                       f->rows * f->taps * f->size + CONVOLVE_TAPS_PADDING, f->values, &error);
    if (error) {
        f->memory = NULL;
        return gp_fail_cl(error, "clCreateBuffer (taps)");
    }
    const struct convolution typical = gp_convolve_packed_call(f),
                             awkward = gp_convolve_strided_call(f);
    const int status = build(gp, &typical);
    return status ? status : build(gp, &awkward);
}

// A caller's filter is const because none of it changes but this count.
void gp_filter_retain(const struct gpuprim_filter *filter)
{
    struct gpuprim_filter *f = (struct gpuprim_filter *)(uintptr_t)filter;
    atomic_fetch_add(&f->references, 1);
}

void gp_filter_release(const struct gpuprim_filter *filter)
{
    struct gpuprim_filter *f = (struct gpuprim_filter *)(uintptr_t)filter;
    if (atomic_fetch_sub(&f->references, 1) != 1)
        return;
    if (f->memory)
        clReleaseMemObject(f->memory);
    free(f->values);
    free(f);
}

int gpuprim_filter_create(gpuprim *gp, const struct gpuprim_array *taps,
                          const struct gpuprim_filter_params *params, gpuprim_filter **out)
{
    gp_enter("gpuprim_filter_create");
    struct gp_array array;
    struct gpuprim_filter made = { .rows = 0 };
    if (!out)
        return gp_fail(GPUPRIM_E_ARG, "filter: out is NULL");
    int status = check(gp, taps, params, &array, &made);
    if (status)
        return status;
    struct gpuprim_filter *f = malloc(sizeof *f);
    if (!f)
        return gp_fail(GPUPRIM_E_MEMORY, "filter: out of memory");
    memcpy(f, &made, sizeof *f);
    atomic_init(&f->references, 1);
    status = gp_filter_take_taps(gp, &array, params->correlate, f);
    if (!status)
        status = gp_filter_check_sums(f);
    if (!status)
        status = prepare(gp, f);
    if (status)
        gp_filter_release(f);
    else
        *out = f;
    return status;
}

void gpuprim_filter_destroy(gpuprim_filter **filter)
{
    if (!filter || !*filter)
        return;
    gp_filter_release(*filter);
    *filter = NULL;
}
