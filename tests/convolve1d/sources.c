/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of convolve1d for `check --sources` (harness/sources.h): for each variant a filter
 * of every kind of types, whose integer sums fit 32 bits or do not. It meets long rows or,
 * where the variant does not take those, short ones. */
#include "case.h"

#include <stdlib.h>

static int prepare_short_rows(gpuprim *gp, const gpuprim_filter *filter,
                              const struct convolve_kind *kind)
{
    struct gpuprim_array in = {
        .type = kind->in, .memory = GPUPRIM_BUFFER, .count = 3, .rows = 1 << 20
    };
    struct gpuprim_array out = in;
    out.type = kind->out;
    return gpuprim_convolve1d_prepare(gp, filter, &in, &out, NULL);
}

// Rows that become columns.
static int prepare_columns(gpuprim *gp, const gpuprim_filter *filter,
                           const struct convolve_kind *kind)
{
    enum { ROWS = 1000, COUNT = 100 };
    struct gpuprim_array in = {
        .type = kind->in, .memory = GPUPRIM_BUFFER, .count = COUNT, .rows = ROWS
    };
    struct gpuprim_array out = in;
    out.type = kind->out;
    out.stride = ROWS;
    out.row_stride = 1;
    return gpuprim_convolve1d_prepare(gp, filter, &in, &out, NULL);
}

static int call(struct check *check, gpuprim *gp, const char *variant, unsigned i,
                enum gpuprim_type *type)
{
    const struct convolve_kind *kind = &convolve_kinds[i];
    const uint64_t taps = convolve_taps_of(variant);
    const struct convolve_case test = { .kind = *kind, .taps = taps, .small_taps = i % 2 };
    struct gpuprim_filter_params params = { .in = kind->in, .out = kind->out };
    if (convolve_has_fft(kind))
        params.method = convolve_method_of(variant);
    gpuprim_filter *filter = NULL;
    void *values = check_allocate(taps * gp_type_size(kind->taps));
    const struct gpuprim_array h = gpuprim_host(kind->taps, values, taps);
    convolve_fill_taps(check, &test, &h);
    *type = kind->in;
    sources_name("%s%s.%s", gp_type_name(kind->in), convolve_taps_suffix(kind),
                 gp_type_name(kind->out));
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    // Where nothing was built, the variant does not take long rows. It may take short ones, or
    // those that become columns.
    if (!status)
        status = prepare_short_rows(gp, filter, kind);
    if (!status || status == GPUPRIM_E_UNSUPPORTED)
        status = prepare_columns(gp, filter, kind);
    gpuprim_filter_destroy(&filter);
    free(values);
    return status ? status : GPUPRIM_E_UNSUPPORTED;
}

const struct check_sources convolve1d_sources = { CONVOLVE_KINDS, call };
