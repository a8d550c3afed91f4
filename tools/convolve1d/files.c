/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of gpuprim convolve1d: opens samples and taps, decides the format of the output,
 * writes the results in it. tools/files/ reads and writes the formats.
 */
#include <stdlib.h>
#include <string.h>

#include "convolve1d.h"
#include "src/core/types.h" // sizes and names of types

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int write_raw(const char *path, enum gpuprim_type type, const void *data, uint64_t count)
{
    struct tool_output out;
    const int code = tool_output_open(path, &out);
    if (code != TOOL_GOOD)
        return code;
    fwrite(data, gp_type_size(type), (size_t)count, out.file);
    return tool_output_close(&out);
}

static bool is_npy(const struct convolve1d_request *request, const struct tool_matrix *samples)
{
    return ends_with(request->output, ".npy") || (!samples->wave.bits && !request->raw);
}

// The sample format of the output. A stride divides the rate, so that the sound lasts as long.
static struct tool_wave wave_of(const struct convolve1d_request *request,
                                const struct tool_matrix *samples, enum gpuprim_type type)
{
    struct tool_wave wave = samples->wave;
    const uint64_t stride = request->params.stride ? request->params.stride : 1;
    const uint64_t rate = (wave.rate + stride / 2) / stride;
    wave.rate = (uint32_t)(rate ? rate : 1);
    if (request->as) { // the sample format changes
        wave.bits = (unsigned)gp_type_size(type) * 8;
        wave.extension = NULL;
    }
    return wave;
}

int convolve1d_writable(const struct convolve1d_request *request,
                        const struct tool_matrix *samples, enum gpuprim_type type)
{
    if (!samples->wave.bits || is_npy(request, samples) ||
        tool_wav_holds(type, wave_of(request, samples, type).bits))
        return TOOL_GOOD;
    return tool_fail(TOOL_FAILED, "%s: a .wav file of this sample format cannot hold %s",
                     request->output, gp_type_name(type));
}

int convolve1d_write(const struct convolve1d_request *request,
                     const struct tool_matrix *samples, enum gpuprim_type type,
                     const void *data, const uint64_t *shape)
{
    const char *path = request->output;
    if (is_npy(request, samples))
        return tool_npy_write(path, type, data, samples->n_dims,
                              samples->n_dims == 2 ? shape : shape + 1);
    if (!samples->wave.bits)
        return write_raw(path, type, data, shape[1]);

    const struct tool_wave wave = wave_of(request, samples, type);
    return tool_wav_write(path, &wave, type, data, shape[0], shape[1]);
}

int convolve1d_open(const struct convolve1d_request *request, struct tool_matrix *samples,
                    struct tool_matrix *taps)
{
    int code = tool_matrix_open(request->file, request->raw, samples);
    if (code != TOOL_GOOD)
        return code;
    if (ends_with(request->output, ".flac") || ends_with(request->output, ".ogg"))
        return tool_fail(TOOL_MISUSED, "%s: the output can be a .wav, .npy or raw file",
                         request->output);
    if (ends_with(request->output, ".wav") && !samples->wave.bits)
        return tool_fail(TOOL_MISUSED, "%s: the output can be a .wav file only if FILE is one",
                         request->output);
    code = convolve1d_is_recipe(request->taps)
               ? convolve1d_recipe(request->taps, samples->wave.rate, taps)
               : tool_numbers_open("--taps", request->taps, taps);
    if (code != TOOL_GOOD)
        return code;
    if (taps->wave.bits)
        return tool_fail(TOOL_FAILED, "%s: is a .wav file; the taps must be a .npy file",
                         request->taps);
    if (taps->rows == 0 || taps->columns == 0)
        return tool_fail(TOOL_FAILED, "%s: has no taps; at least one is needed", request->taps);
    return TOOL_GOOD;
}
