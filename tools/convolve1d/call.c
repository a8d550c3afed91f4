/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of gpuprim convolve1d: chooses the types, filters along one axis or both (pass.c), and
 * has the results written (files.c).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convolve1d.h"
#include "src/core/types.h" // sizes and names of types
#include "tools/print.h"

const char *const convolve1d_axis_names[] = { "rows", "columns", "both", NULL };

struct call {
    const struct convolve1d_request *request;
    const struct tool_matrix *samples;
    gpuprim *gp;
    struct gpuprim_device device;
    struct convolve1d_types types;
    struct gpuprim_array taps;
    struct convolve1d_matrix in, out;
    void *own_taps; // converted, or NULL
    double seconds;
    bool agrees;
    char why[512]; // the reference disagrees
};

// ---------------------------------------------------------------------------------------
// Samples and taps

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

static int take_samples(struct call *c)
{
    const struct tool_matrix *samples = c->samples;
    c->in = (struct convolve1d_matrix){ .type = c->types.in,
                                        .rows = samples->rows,
                                        .columns = samples->columns };
    c->in.data = numbers(samples, c->types.in, &c->in.owned);
    return c->in.data ? TOOL_GOOD : short_of_memory(c->request->file);
}

static int prepare(struct call *c, const struct tool_matrix *taps)
{
    char why[TOOL_MESSAGE];
    int code = tool_device_open(&c->request->common, &c->gp);
    if (code != TOOL_GOOD)
        return code;
    c->device = tool_device_of(c->gp);
    if (!convolve1d_choose(c->samples->type, taps->type, c->request->as, c->device.fp64,
                           &c->types, why))
        return tool_fail(TOOL_FAILED, "%s", why);
    if ((code = convolve1d_writable(c->request, c->samples, c->types.written)) != TOOL_GOOD ||
        (code = take_taps(c, taps)) != TOOL_GOOD)
        return code;
    return take_samples(c);
}

// ---------------------------------------------------------------------------------------
// One pass, or two

// Which axis is meant without --axis: the channels of a sound are columns.
static enum convolve1d_axis axis_of(const struct call *c)
{
    return c->request->axis        ? c->request->axis
           : c->samples->wave.bits ? CONVOLVE1D_COLUMNS
                                   : CONVOLVE1D_ROWS;
}

static int check_axis(const struct call *c)
{
    const struct tool_matrix *samples = c->samples;
    const enum convolve1d_axis axis = axis_of(c);
    if (samples->wave.bits && axis != CONVOLVE1D_COLUMNS)
        return tool_fail(TOOL_MISUSED, "--axis: each channel of a sound is filtered, which is "
                                       "--axis columns");
    if (samples->n_dims == 1 && axis != CONVOLVE1D_ROWS)
        return tool_fail(TOOL_MISUSED, "--axis: %s is a vector, which is one row",
                         c->request->file);
    const bool is_split = axis == CONVOLVE1D_ROWS && samples->image.channels > 1;
    if (c->taps.rows > 1 && (axis == CONVOLVE1D_BOTH || is_split))
        return tool_fail(TOOL_MISUSED,
                         "--taps: %s needs one row of taps for all signals; there are %" PRIu64,
                         is_split ? "an image of several channels" : "--axis both",
                         c->taps.rows);
    return TOOL_GOOD;
}

static int run_pass(struct call *c, bool is_by_columns, enum gpuprim_type type,
                    const struct convolve1d_matrix *in, struct convolve1d_matrix *out)
{
    struct convolve1d_pass pass = { .request = c->request,
                                    .gp = c->gp,
                                    .taps = c->taps,
                                    .params = c->request->params,
                                    .is_by_columns = is_by_columns,
                                    .channels = c->samples->image.channels,
                                    .agrees = true };
    pass.params.in = in->type;
    pass.params.out = type;
    if (out != &c->out)
        pass.params.shift = 0; // the last pass divides
    const int code = convolve1d_pass(&pass, in, out);
    c->seconds += pass.seconds;
    if (c->agrees && !pass.agrees)
        memcpy(c->why, pass.why, sizeof c->why);
    c->agrees = c->agrees && pass.agrees;
    return code;
}

// Sums of integers along the rows stay in i32, and must fit.
static bool sums_fit(const struct call *c)
{
    const double *constant = c->request->params.constant;
    double largest = fabs(constant[0]), sum = 0;
    for (uint64_t i = 0; i < c->in.rows * c->in.columns; i++)
        largest = fmax(largest, fabs((double)tool_load(c->in.type, c->in.data, i)));
    for (uint64_t k = 0; k < c->taps.count; k++)
        sum += fabs((double)tool_load(c->taps.type, c->taps.base, k));
    return largest * sum <= INT32_MAX;
}

// Rows first, then the columns of what that gives. In between stand floats, or integers that are
// exact, so that results are rounded once.
static int run_both(struct call *c)
{
    const enum gpuprim_type type = convolve1d_middle(&c->types);
    struct convolve1d_matrix middle = { .data = NULL };
    if (type == GPUPRIM_I32 && !sums_fit(c))
        return tool_fail(TOOL_FAILED, "--axis both: the sums along the rows may exceed i32; "
                                      "--as f32 or --as f64 computes in floats");
    int code = run_pass(c, false, type, &c->in, &middle);
    if (code == TOOL_GOOD)
        code = run_pass(c, true, c->types.out, &middle, &c->out);
    free(middle.owned);
    return code;
}

static int compute(struct call *c)
{
    const enum convolve1d_axis axis = axis_of(c);
    int code = check_axis(c);
    c->agrees = true;
    if (code == TOOL_GOOD && axis == CONVOLVE1D_BOTH)
        code = run_both(c);
    else if (code == TOOL_GOOD)
        code = run_pass(c, axis == CONVOLVE1D_COLUMNS, c->types.out, &c->in, &c->out);
    if (code == TOOL_GOOD && c->request->common.check)
        code = tool_report_check(&c->request->common, c->agrees, c->why);
    return code;
}

// ---------------------------------------------------------------------------------------
// Results

static int write_results(struct call *c)
{
    const uint64_t shape[2] = { c->out.rows, c->out.columns };
    if (c->types.written != c->types.out) {
        void *values = convolve1d_convert(c->types.out, c->out.data, c->types.written,
                                          c->out.rows * c->out.columns);
        free(c->out.owned);
        c->out.data = c->out.owned = values;
    }
    if (!c->out.data)
        return short_of_memory(c->request->output);
    return convolve1d_write(c->request, c->samples, c->types.written, c->out.data, shape);
}

static void print_json(const struct call *c)
{
    const struct tool_matrix *samples = c->samples;
    struct tool_json json = { .file = stdout };
    tool_json_begin(&json, NULL, '{');
    tool_json_text(&json, "file", c->request->file);
    tool_json_text(&json, "type", gp_type_name(samples->type));
    tool_json_shape(&json, "shape", samples->n_dims, samples->rows, samples->columns);
    tool_json_text(&json, "axis", convolve1d_axis_names[axis_of(c) - CONVOLVE1D_ROWS]);
    tool_json_whole(&json, "taps", c->taps.count);
    tool_json_text(&json, "taps_type", gp_type_name(c->types.taps));
    tool_json_text(&json, "device", c->device.name);
    tool_json_text(&json, "driver", c->device.driver);
    tool_json_real(&json, "seconds", "%.9f", c->seconds);
    tool_json_text(&json, "output", c->request->output);
    tool_json_text(&json, "result_type", gp_type_name(c->types.written));
    tool_json_shape(&json, "result_shape", samples->n_dims, c->out.rows, c->out.columns);
    if (c->request->common.check)
        tool_json_flag(&json, "checked", c->agrees);
    tool_json_end(&json, '}');
}

static int finish(struct call *c, int code)
{
    const struct tool_common *common = &c->request->common;
    if (code == TOOL_GOOD)
        code = write_results(c);
    if (tool_wants_summary(common))
        fprintf(stderr,
                "convolve1d: %" PRIu64 " x %" PRIu64 " %s, %" PRIu64 " taps, in %.6f s on %s\n",
                c->in.rows, c->in.columns, gp_type_name(c->types.in), c->taps.count, c->seconds,
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
    if (code == TOOL_GOOD || (c.out.data && !c.agrees))
        code = finish(&c, code);
    free(c.own_taps);
    free(c.in.owned);
    free(c.out.owned);
    gpuprim_destroy(&c.gp);
    return code;
}
