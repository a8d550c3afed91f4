/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim convolve1d: the command line. convolve1d.h names the other files of this subcommand.
 */
#include <stdlib.h>
#include <string.h>

#include "convolve1d.h"

static const char *const mode_names[] = {
    "same", "same-upper", "full", "valid", "causal", NULL
};
static const char *const method_names[] = { "direct", "fft", "auto", NULL };
static const char *const boundary_names[] = {
    "zero", "constant:V", "edge", "reflect-half", "reflect-whole", "wrap", NULL
};
static const char *const recipes[] = { "lowpass:",  "highpass:", "bandpass:",
                                       "gaussian:", "mean:",     NULL };

// Reads V, or RE,IM for complex samples.
static int take_constant(const char *text, double *constant)
{
    char *end;
    constant[0] = strtod(text, &end);
    bool good = end != text;
    if (good && *end == ',') {
        const char *imaginary = end + 1;
        constant[1] = strtod(imaginary, &end);
        good = end != imaginary;
    }
    if (!good || *end)
        return tool_fail(TOOL_MISUSED, "--boundary constant: '%s' is not a number", text);
    return TOOL_GO_ON;
}

static int take_boundary(const char *option, const char *text, void *request)
{
    static const char prefix[] = "constant:";
    struct gpuprim_filter_params *params = &((struct convolve1d_request *)request)->params;
    uint64_t place = GPUPRIM_CONSTANT;
    int code = TOOL_GO_ON;
    if (strncmp(text, prefix, strlen(prefix)) == 0)
        code = take_constant(text + strlen(prefix), params->constant);
    else
        code = tool_word_option(option, text, boundary_names, &place);
    params->left = params->right = (enum gpuprim_boundary)place;
    return code;
}

static int run(int argc, char **argv)
{
    struct convolve1d_request request = { 0 };
    struct tool_matrix samples = { 0 }, taps = { 0 };
    int code = tool_parse(&tool_convolve1d, argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
    code = convolve1d_open(&request, &samples, &taps);
    if (code == TOOL_GOOD)
        code = convolve1d_run(&request, &samples, &taps);
    tool_matrix_close(&taps);
    tool_matrix_close(&samples);
    return code;
}

#define AT(member) TOOL_AT(struct convolve1d_request, member)
// clang-format off
static const struct tool_option options[] = {
    { .argument = "FILE", .help = TOOL_FILE_HELP, .flags = TOOL_REQUIRED,
      .kind = TOOL_INPUT, AT(file) },
    { "taps", .argument = "TAPS", .help = "a .npy or .csv file, the taps themselves (1,2,1), or one of "
      "lowpass:CUT/RATE:N, highpass:CUT/RATE:N, bandpass:LO-HI/RATE:N, gaussian:SIGMA, mean:N; /RATE may be left out for sounds",
      .flags = TOOL_REQUIRED, .kind = TOOL_TEXT, .words = recipes, AT(taps) },
    { "output", 'o', "OUT", "the file for the results, or - for standard output",
      .flags = TOOL_REQUIRED, .kind = TOOL_OUTPUT, AT(output) },
    { "axis", .argument = "AXIS", .help = "filter each row, each column, or both: the rows first, then the columns",
      .preset = "rows; for sounds columns, which are channels",
      .kind = TOOL_WORD, .words = convolve1d_axis_names, .low = CONVOLVE1D_ROWS, AT(axis) },
    { "mode", .argument = "MODE", .help = "how many results there are, and which", .preset = "same, as many as samples",
      .kind = TOOL_WORD, .words = mode_names, AT(params.mode) },
    { "boundary", .argument = "WHAT", .help = "values beyond both ends: zero, constant:V, edge, "
      "reflect-half (c b a|a b c), reflect-whole (c b|a b c) or wrap", .preset = "zero",
      .kind = TOOL_OWN, .take = take_boundary, .words = boundary_names },
    { "stride", .argument = "N", .help = "compute every N-th result only",
      .kind = TOOL_WHOLE, .low = 1, .high = INT32_MAX, AT(params.stride) },
    { "dilation", .argument = "N", .help = "the distance between neighbouring taps, in samples",
      .kind = TOOL_WHOLE, .low = 1, .high = INT32_MAX, AT(params.dilation) },
    { "correlate", .help = "reverse the order of the taps", AT(params.correlate) },
    { "method", .argument = "METHOD", .help = "add products, or use Fourier transforms", .preset = "direct",
      .kind = TOOL_WORD, .words = method_names, AT(params.method) },
    { "shift", .argument = "N", .help = "integers only: divide the sums by 2^N",
      .kind = TOOL_WHOLE, .high = 62, AT(params.shift) },
    { "as", .argument = "TYPE", .help = "the type of the results", .preset = "that of the samples",
      .kind = TOOL_WORD, .words = tool_types, .low = GPUPRIM_I8, AT(as) },
    { "raw", .argument = "TYPE", .help = TOOL_RAW_HELP,
      .kind = TOOL_WORD, .words = tool_types, .low = GPUPRIM_I8, AT(raw) },
    { 0 },
};
// clang-format on

const struct tool_command tool_convolve1d = {
    .name = "convolve1d",
    .summary = "filter an array, each row of a matrix, or each channel of a sound",
    .text = "Convolves a vector, each row of a matrix, or each channel of a sound with taps. "
            "TAPS has one row of taps for all signals, or one row for each signal. The "
            "name of OUT gives its format, such as .npy, .csv, .png, .wav or .flac; without an "
            "ending it is that of FILE. A sound keeps its rate, channels and sample format.",
    .options = options,
    .common = TOOL_COMMON,
    .failure = TOOL_CALL_FAILURE,
    .examples =
        (const struct tool_example[]){
            { "gpuprim convolve1d speech.wav --taps lowpass:3400:255 -o dull.wav",
              "takes out what lies above 3400 Hz" },
            { "gpuprim convolve1d table.npy --taps 1,2,1 --boundary edge -o smooth.npy",
              "smooths each row" },
            { "gpuprim convolve1d photo.pgm --taps gaussian:2 --axis both --boundary edge -o "
              "blurred.pgm",
              "blurs an image" },
            { "gpuprim convolve1d - --raw f32 --taps mean:8 --stride 8 -o - < samples.raw > "
              "means.raw",
              "the means of 8 numbers each, in a pipe" },
            { 0 },
        },
    .run = run,
};
