/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of convolve1d for `check --sources` (harness/sources.h): for each variant a filter
 * of every kind of types, whose integer sums fit 32 bits or do not. */
#include "case.h"

#include <stdlib.h>

static int call(struct check *check, gpuprim *gp, const char *variant, unsigned i,
                enum gpuprim_type *type)
{
    const struct convolve_kind *kind = &convolve_kinds[i];
    const uint64_t taps = convolve_taps_of(variant);
    const struct convolve_case test = { .kind = *kind, .taps = taps, .small_taps = i % 2 };
    const struct gpuprim_filter_params params = { .in = kind->in, .out = kind->out };
    gpuprim_filter *filter = NULL;
    void *values = check_allocate(taps * gp_type_size(kind->taps));
    const struct gpuprim_array h = gpuprim_host(kind->taps, values, taps);
    convolve_fill_taps(check, &test, &h);
    *type = kind->in;
    sources_name("%s%s.%s", gp_type_name(kind->in), kind->taps == GPUPRIM_C32 ? "_c32" : "",
                 gp_type_name(kind->out));
    const int status = gpuprim_filter_create(gp, &h, &params, &filter);
    gpuprim_filter_destroy(&filter);
    free(values);
    // A filter that nothing was built for is one that the variant does not take.
    return status ? status : GPUPRIM_E_UNSUPPORTED;
}

const struct check_sources convolve1d_sources = { CONVOLVE_KINDS, call };
