/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of gpuprim convolve1d: opens samples and taps, decides the format of the output,
 * writes the results in it. tools/files/ reads and writes the formats.
 */
#include <string.h>

#include "convolve1d.h"
#include "src/core/types.h" // sizes of types

// The sample format of the output. A stride divides the rate, so that the sound lasts as long.
static struct tool_wave wave_of(const struct convolve1d_request *request,
                                const struct tool_matrix *samples, enum gpuprim_type type)
{
    struct tool_wave wave = samples->wave;
    const uint64_t stride = request->params.stride ? request->params.stride : 1;
    const uint64_t rate = (wave.rate + stride / 2) / stride;
    wave.rate = (uint32_t)(rate ? rate : 1);
    if (wave.bits && request->as) { // the sample format changes
        wave.bits = (unsigned)gp_type_size(type) * 8;
        wave.extension = NULL;
    }
    return wave;
}

// Results without numbers, in the format of the output.
static int describe(const struct convolve1d_request *request, const struct tool_matrix *samples,
                    enum gpuprim_type type, struct tool_matrix *out)
{
    *out = (struct tool_matrix){ .type = type,
                                 .rows = samples->rows,
                                 .columns = samples->columns,
                                 .n_dims = samples->n_dims,
                                 .wave = wave_of(request, samples, type),
                                 .image = samples->image };
    if (type != samples->type)
        out->image.largest = 0; // white is the largest number of the new type
    return tool_ending_of(request->output, request->file, samples->ending, &out->ending);
}

int convolve1d_writable(const struct convolve1d_request *request,
                        const struct tool_matrix *samples, enum gpuprim_type type)
{
    struct tool_matrix results;
    const int code = describe(request, samples, type, &results);
    return code == TOOL_GOOD ? tool_matrix_writable(request->output, &results) : code;
}

int convolve1d_write(const struct convolve1d_request *request,
                     const struct tool_matrix *samples, enum gpuprim_type type,
                     const void *data, const uint64_t *shape)
{
    struct tool_matrix results;
    const int code = describe(request, samples, type, &results);
    results.data = data;
    results.rows = shape[0];
    results.columns = shape[1];
    return code == TOOL_GOOD ? tool_matrix_write(request->output, &results) : code;
}

int convolve1d_open(const struct convolve1d_request *request, struct tool_matrix *samples,
                    struct tool_matrix *taps)
{
    int code = tool_matrix_open(request->file, request->raw, samples);
    if (code != TOOL_GOOD)
        return code;
    // A text file of one number per line is a signal, as a row of them is.
    if (!request->axis && samples->columns == 1 && strcmp(samples->ending, "csv") == 0) {
        samples->columns = samples->rows;
        samples->rows = 1;
        samples->n_dims = 1;
    }
    code = convolve1d_is_recipe(request->taps)
               ? convolve1d_recipe(request->taps, samples->wave.rate, taps)
               : tool_numbers_open("--taps", request->taps, taps);
    if (code != TOOL_GOOD)
        return code;
    if (taps->rows == 0 || taps->columns == 0)
        return tool_fail(TOOL_FAILED, "%s: has no taps; at least one is needed", request->taps);
    return TOOL_GOOD;
}
