/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of gpuprim convolve1d: makes arrays of the opened files, filters, checks, and has
 * the results written (files.c).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "convolve1d.h"
#include "reference/convolve1d/convolve1d.h"
#include "src/core/types.h" // sizes and names of types
#include "tools/print.h"
#include "tools/progress.h"

struct call {
    const struct convolve1d_request *request;
    const struct tool_matrix *samples;
    gpuprim *gp;
    struct gpuprim_device device;
    gpuprim_filter *filter;
    struct gpuprim_filter_params params;
    struct convolve1d_types types;
    struct gpuprim_array in, taps, out;
    void *own_samples, *own_taps, *own_results; // converted numbers, or NULL
    double seconds;
    bool agrees;
};

// ---------------------------------------------------------------------------------------
// Arrays

static int short_of_memory(const char *path)
{
    return tool_fail(TOOL_FAILED, "%s: not enough memory", path);
}

// The numbers of a file in the type `type`: in place, or converted into *own.
static const void *numbers(const struct tool_matrix *matrix, enum gpuprim_type type, void **own)
{
    const uint64_t count = matrix->rows * matrix->columns;
    if (matrix->type == type)
        return matrix->data;
    *own = convolve1d_convert(matrix->type, matrix->data, type, count);
    return *own;
}

static int take_taps(struct call *c, const struct tool_matrix *taps)
{
    char why[TOOL_MESSAGE];
    const char *path = c->request->taps;
    if (taps->type != c->types.taps && !convolve1d_fits(taps->type, taps->data, c->types.taps,
                                                        taps->rows * taps->columns, why))
        return tool_fail(TOOL_FAILED, "%s: %s", path, why);
    const void *values = numbers(taps, c->types.taps, &c->own_taps);
    if (!values)
        return short_of_memory(path);
    c->taps =
        gpuprim_as_rows(gpuprim_host(c->types.taps, values, 0), taps->rows, taps->columns);
    return TOOL_GOOD;
}

// Each row is a signal. In a .wav file each column is one.
static struct gpuprim_array matrix_of(const struct call *c, enum gpuprim_type type,
                                      const void *values, uint64_t rows, uint64_t columns)
{
    const struct gpuprim_array all = gpuprim_host(type, values, 0);
    return c->samples->wave.bits ? gpuprim_as_columns(all, rows, columns)
                                 : gpuprim_as_rows(all, rows, columns);
}

static int take_samples(struct call *c)
{
    const struct tool_matrix *samples = c->samples;
    const void *values = numbers(samples, c->types.in, &c->own_samples);
    if (!values)
        return short_of_memory(c->request->file);
    c->in = matrix_of(c, c->types.in, values, samples->rows, samples->columns);
    return TOOL_GOOD;
}

// Allocates the results, laid out like the samples. The filter exists already, so that the
// number of taps and the dilation are within the library's limits.
static int make_results(struct call *c)
{
    const struct gpuprim_filter_params *params = &c->params;
    const uint64_t n = c->in.count, count = gpuprim_filter_outputs(c->filter, n);
    const uint64_t span = (c->taps.count - 1) * (params->dilation ? params->dilation : 1) + 1;
    uint64_t total, bytes;

    if (params->mode == GPUPRIM_VALID && n + 1 < span)
        return tool_fail(TOOL_FAILED,
                         "%s: --mode valid: the taps span %" PRIu64
                         " samples, but a signal has only %" PRIu64,
                         c->request->file, span, n);
    if (__builtin_mul_overflow(count, c->in.rows, &total) ||
        __builtin_mul_overflow(total, gp_type_size(c->types.out), &bytes) || bytes >= SIZE_MAX)
        return short_of_memory(c->request->output);
    void *values = calloc(1, (size_t)bytes + 1);
    if (!values)
        return short_of_memory(c->request->output);
    c->out = c->samples->wave.bits ? matrix_of(c, c->types.out, values, count, c->in.rows)
                                   : matrix_of(c, c->types.out, values, c->in.rows, count);
    return TOOL_GOOD;
}

// ---------------------------------------------------------------------------------------
// The call and what follows

static int prepare(struct call *c, const struct tool_matrix *taps)
{
    const struct tool_common *common = &c->request->common;
    char why[TOOL_MESSAGE];
    int code = tool_device_open(common, &c->gp);
    if (code != TOOL_GOOD)
        return code;
    c->device = tool_device_of(c->gp);
    if (!convolve1d_choose(c->samples->type, taps->type, c->request->as, c->device.fp64,
                           &c->types, why))
        return tool_fail(TOOL_FAILED, "%s", why);
    if ((code = convolve1d_writable(c->request, c->samples, c->types.written)) != TOOL_GOOD ||
        (code = take_taps(c, taps)) != TOOL_GOOD || (code = take_samples(c)) != TOOL_GOOD)
        return code;

    c->params = c->request->params;
    c->params.in = c->types.in;
    c->params.out = c->types.out;
    tool_progress_begin("preparing kernels");
    const int status = gpuprim_filter_create(c->gp, &c->taps, &c->params, &c->filter);
    tool_progress_end();
    return status == GPUPRIM_OK ? make_results(c) : tool_fail_library(common, status);
}

// A file may declare very many empty rows; there is nothing to compute then.
static bool is_empty(const struct call *c)
{
    return c->in.rows == 0 || c->out.count == 0;
}

static int compute(struct call *c)
{
    tool_progress_begin("filtering");
    const double start = tool_seconds();
    int status = GPUPRIM_OK;
    if (!is_empty(c))
        status = gpuprim_convolve1d(c->gp, c->filter, &c->in, &c->out, NULL, NULL);
    c->seconds = tool_seconds() - start;
    tool_progress_end();
    return status == GPUPRIM_OK ? TOOL_GOOD : tool_fail_library(&c->request->common, status);
}

static int check(struct call *c)
{
    char why[512] = "";
    tool_progress_begin("checking");
    c->agrees = is_empty(c) || convolve_reference_agrees(&c->in, &c->taps, &c->params, NULL,
                                                         &c->out, why, sizeof why);
    tool_progress_end();
    return tool_report_check(&c->request->common, c->agrees, why);
}

static void shape_of(const struct call *c, uint64_t *shape)
{
    const bool is_wave = c->samples->wave.bits != 0;
    shape[0] = is_wave ? c->out.count : c->in.rows;
    shape[1] = is_wave ? c->in.rows : c->out.count;
}

static int write_results(struct call *c)
{
    const void *values = c->out.base;
    uint64_t shape[2];
    shape_of(c, shape);
    if (c->types.written != c->types.out) {
        c->own_results = convolve1d_convert(c->types.out, values, c->types.written,
                                            c->in.rows * c->out.count);
        values = c->own_results;
    }
    if (!values)
        return short_of_memory(c->request->output);
    return convolve1d_write(c->request, c->samples, c->types.written, values, shape);
}

static void print_shape(int n_dims, uint64_t rows, uint64_t columns)
{
    if (n_dims == 2)
        printf("[%" PRIu64 ", %" PRIu64 "]", rows, columns);
    else
        printf("[%" PRIu64 "]", columns);
}

static void print_json(const struct call *c)
{
    const struct tool_matrix *samples = c->samples;
    uint64_t shape[2];
    shape_of(c, shape);
    fputs("{\"file\": ", stdout);
    tool_json_string(stdout, c->request->file);
    printf(", \"type\": \"%s\", \"shape\": ", gp_type_name(samples->type));
    print_shape(samples->n_dims, samples->rows, samples->columns);
    printf(", \"taps\": %" PRIu64 ", \"taps_type\": \"%s\", \"device\": ", c->taps.count,
           gp_type_name(c->types.taps));
    tool_json_string(stdout, c->device.name);
    fputs(", \"driver\": ", stdout);
    tool_json_string(stdout, c->device.driver);
    printf(", \"seconds\": %.9f, \"output\": ", c->seconds);
    tool_json_string(stdout, c->request->output);
    printf(", \"result_type\": \"%s\", \"result_shape\": ", gp_type_name(c->types.written));
    print_shape(samples->n_dims, shape[0], shape[1]);
    if (c->request->common.check)
        printf(", \"checked\": %s", c->agrees ? "true" : "false");
    puts("}");
}

static int finish(struct call *c)
{
    const struct tool_common *common = &c->request->common;
    int code = common->check ? check(c) : TOOL_GOOD;
    if (code == TOOL_GOOD)
        code = write_results(c);
    if (tool_wants_summary(common))
        fprintf(stderr,
                "convolve1d: %" PRIu64 " x %" PRIu64 " %s, %" PRIu64 " taps, in %.6f s on %s\n",
                c->in.rows, c->in.count, gp_type_name(c->types.in), c->taps.count, c->seconds,
                c->device.name);
    if (common->json)
        print_json(c);
    return code;
}

int convolve1d_run(const struct convolve1d_request *request, const struct tool_matrix *samples,
                   const struct tool_matrix *taps)
{
    struct call c = { .request = request, .samples = samples };
    int code = prepare(&c, taps);
    if (code == TOOL_GOOD)
        code = compute(&c);
    if (code == TOOL_GOOD)
        code = finish(&c);
    free(c.own_results);
    free(c.out.base);
    free(c.own_samples);
    free(c.own_taps);
    gpuprim_filter_destroy(&c.filter);
    gpuprim_destroy(&c.gp);
    return code;
}
