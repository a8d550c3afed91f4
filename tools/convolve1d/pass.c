/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of gpuprim convolve1d: filters each row or each column of a matrix. The channels of an
 * image are interleaved in its rows, so that each channel of the rows takes a call of its own;
 * for columns they make no difference.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "convolve1d.h"
#include "reference/convolve1d/convolve1d.h"
#include "src/core/types.h" // sizes of types
#include "tools/progress.h"

static unsigned calls_of(const struct convolve1d_pass *pass)
{
    return pass->is_by_columns || !pass->channels ? 1 : pass->channels;
}

// The signals of call number `call`.
static struct gpuprim_array signals(const struct convolve1d_pass *pass,
                                    const struct convolve1d_matrix *matrix, unsigned call)
{
    struct gpuprim_array all = gpuprim_host(matrix->type, matrix->data, 0);
    const unsigned channels = calls_of(pass);
    if (pass->is_by_columns)
        return gpuprim_as_columns(all, matrix->rows, matrix->columns);
    all.first = call;
    all.stride = channels;
    all = gpuprim_as_rows(all, matrix->rows, matrix->columns / channels);
    all.row_stride = matrix->rows ? (int64_t)matrix->columns : 1;
    return all;
}

// Allocates the results, laid out like the samples. The filter exists already, so that the
// number of taps and the dilation are within the library's limits.
static int make_results(const struct convolve1d_pass *pass, const gpuprim_filter *filter,
                        const struct convolve1d_matrix *in, struct convolve1d_matrix *out)
{
    const struct gpuprim_filter_params *params = &pass->params;
    const struct convolve1d_request *request = pass->request;
    const uint64_t n = signals(pass, in, 0).count, count = gpuprim_filter_outputs(filter, n);
    const uint64_t span =
        (pass->taps.count - 1) * (params->dilation ? params->dilation : 1) + 1;
    uint64_t total, bytes;

    if (params->mode == GPUPRIM_VALID && n + 1 < span)
        return tool_fail(TOOL_FAILED,
                         "%s: --mode valid: the taps span %" PRIu64
                         " samples, but a signal has only %" PRIu64,
                         request->file, span, n);
    out->type = params->out;
    out->rows = pass->is_by_columns ? count : in->rows;
    out->columns = in->columns;
    if (!pass->is_by_columns && __builtin_mul_overflow(count, calls_of(pass), &out->columns))
        return tool_fail(TOOL_FAILED, "%s: not enough memory", request->output);
    if (!__builtin_mul_overflow(out->rows, out->columns, &total) &&
        !__builtin_mul_overflow(total, gp_type_size(out->type), &bytes) && bytes < SIZE_MAX)
        out->data = out->owned = calloc(1, (size_t)bytes + 1);
    return out->data ? TOOL_GOOD
                     : tool_fail(TOOL_FAILED, "%s: not enough memory", request->output);
}

// A file may declare very many empty rows; there is nothing to compute then.
static bool is_empty(const struct gpuprim_array *in, const struct gpuprim_array *out)
{
    return in->rows == 0 || out->count == 0;
}

static int compute(struct convolve1d_pass *pass, const gpuprim_filter *filter,
                   const struct convolve1d_matrix *in, const struct convolve1d_matrix *out)
{
    int status = GPUPRIM_OK;
    tool_progress_begin("filtering");
    const double start = tool_seconds();
    for (unsigned call = 0; status == GPUPRIM_OK && call < calls_of(pass); call++) {
        const struct gpuprim_array from = signals(pass, in, call),
                                   to = signals(pass, out, call);
        if (!is_empty(&from, &to))
            status = gpuprim_convolve1d(pass->gp, filter, &from, &to, NULL, NULL);
    }
    pass->seconds = tool_seconds() - start;
    tool_progress_end();
    return status == GPUPRIM_OK ? TOOL_GOOD : tool_fail_library(&pass->request->common, status);
}

static void check(struct convolve1d_pass *pass, const struct convolve1d_matrix *in,
                  const struct convolve1d_matrix *out)
{
    tool_progress_begin("checking");
    pass->agrees = true;
    for (unsigned call = 0; pass->agrees && call < calls_of(pass); call++) {
        const struct gpuprim_array from = signals(pass, in, call),
                                   to = signals(pass, out, call);
        pass->agrees = is_empty(&from, &to) ||
                       convolve_reference_agrees(&from, &pass->taps, &pass->params, NULL, &to,
                                                 pass->why, sizeof pass->why);
    }
    tool_progress_end();
}

int convolve1d_pass(struct convolve1d_pass *pass, const struct convolve1d_matrix *in,
                    struct convolve1d_matrix *out)
{
    gpuprim_filter *filter = NULL;
    tool_progress_begin("preparing kernels");
    const int status = gpuprim_filter_create(pass->gp, &pass->taps, &pass->params, &filter);
    tool_progress_end();
    *out = (struct convolve1d_matrix){ .data = NULL };
    int code = status == GPUPRIM_OK ? make_results(pass, filter, in, out)
                                    : tool_fail_library(&pass->request->common, status);
    if (code == TOOL_GOOD)
        code = compute(pass, filter, in, out);
    if (code == TOOL_GOOD && pass->request->common.check)
        check(pass, in, out);
    gpuprim_filter_destroy(&filter);
    return code;
}
