/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: makes and destroys filters. params.c checks types and parameters, taps.c reads
 * the taps, fft.c computes their spectra, plan.c builds the programs that calls will need. */
#include "convolve1d.h"

#include <stdlib.h>
#include <string.h>

static int check(gpuprim *gp, const struct gpuprim_array *taps,
                 const struct gpuprim_filter_params *params, struct gp_array *array,
                 struct gpuprim_filter *f)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!params)
        return gp_fail(GPUPRIM_E_ARG, "params is NULL");
    status = gp_array_resolve(gp, taps, "taps", false, array);
    if (status)
        return status;
    if (array->rows == 0)
        return gp_fail(GPUPRIM_E_ARG, "taps has no rows, 1 is needed, or "
                                      "one for each row of the data");
    if (array->count < 1 || array->count > CONVOLVE_MAX_TAPS)
        return gp_fail(GPUPRIM_E_ARG, "a row must have 1 to 2^20 taps, not %llu",
                       (unsigned long long)array->count);
    f->gp = gp;
    f->taps = array->count;
    f->rows = array->rows;
    f->taps_type = array->type;
    f->in = params->in ? params->in : array->type;
    f->out = params->out ? params->out : f->in;
    status = gp_filter_check_types(f);
    if (!status)
        status = gp_filter_take_params(params, f);
    if (!status && f->in == GPUPRIM_F64 && !gp->caps.has_fp64)
        status = gp_fail(GPUPRIM_E_UNSUPPORTED, "%s has no double precision, which f64 needs",
                         gp->caps.device);
    return status;
}

// Copies the taps to the device and builds the program for long contiguous rows. A variant that
// is forced need not take them.
static int prepare(gpuprim *gp, struct gpuprim_filter *f)
{
    const unsigned kinds[GP_MAX_KERNELS] = { 0, 0 }; // device arrays
    cl_int error;
    f->memory =
        clCreateBuffer(gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                       f->rows * f->taps * f->size + CONVOLVE_TAPS_PADDING, f->values, &error);
    if (error) {
        f->memory = NULL;
        return gp_fail_cl(error, "clCreateBuffer (taps)");
    }
    const struct convolve_shape packed = gp_convolve_packed_shape(f);
    if (gp->build_late || !gp_variant_pick(gp, &gp_primitive_convolve1d, &packed))
        return GPUPRIM_OK;
    return gp_plan_prepare(gp, &gp_primitive_convolve1d, &packed, kinds);
}

int gpuprim_filter_create(gpuprim *gp, const struct gpuprim_array *taps,
                          const struct gpuprim_filter_params *params, gpuprim_filter **out)
{
    gp_enter("gpuprim_filter_create");
    struct gp_array array;
    struct gpuprim_filter made = { .rows = 0 };
    if (!out)
        return gp_fail(GPUPRIM_E_ARG, "out is NULL");
    int status = check(gp, taps, params, &array, &made);
    if (status)
        return status;
    struct gpuprim_filter *f = malloc(sizeof *f);
    if (!f)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    memcpy(f, &made, sizeof *f);
    f->plans = calloc(1, sizeof *f->plans);
    if (!f->plans)
        status = gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    if (!status)
        status = gp_filter_take_taps(gp, &array, params->correlate, f);
    if (!status) {
        gp_filter_find_signs(f);
        status = gp_filter_check_sums(f);
    }
    if (!status)
        status = gp_filter_make_planes(f);
    if (!status)
        status = gp_filter_choose_sums(f);
    if (!status)
        status = gp_filter_transform(gp, f);
    if (!status)
        status = prepare(gp, f);
    if (status)
        gpuprim_filter_destroy(&f);
    else
        *out = f;
    return status;
}

// Kernels that are enqueued hold f->memory, and taps by value were copied when they were set:
// nothing here is needed for calls that are still running on the device.
void gpuprim_filter_destroy(gpuprim_filter **filter)
{
    if (!filter || !*filter)
        return;
    struct gpuprim_filter *f = *filter;
    *filter = NULL;
    if (f->memory)
        clReleaseMemObject(f->memory);
    if (f->fft.memory)
        clReleaseMemObject(f->fft.memory);
    if (f->planes)
        clReleaseMemObject(f->planes);
    free(f->values);
    free(f->plans);
    free(f);
}
