/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim convolve1d: the command line, and the files that come and go.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convolve1d.h"

extern const struct tool_command tool_convolve1d;

static const char *const mode_names[] = { "same", "same-upper", "full", "valid", "causal" };
static const char *const boundary_names[] = { "zero",         "constant:V",    "edge",
                                              "reflect-half", "reflect-whole", "wrap" };
enum { N_MODES = 5, N_BOUNDARIES = 6 };

// ---------------------------------------------------------------------------------------
// The command line

static int parse_mode(enum gpuprim_mode *mode)
{
    for (int i = 0; i < N_MODES; i++) {
        if (strcmp(optarg, mode_names[i]) == 0) {
            *mode = (enum gpuprim_mode)i;
            return TOOL_GO_ON;
        }
    }
    return tool_fail(TOOL_MISUSED, "--mode: unknown '%s', not one of: %s", optarg,
                     "full same same-upper valid causal");
}

// V, or RE,IM of complex samples.
static int parse_constant(const char *text, double *constant)
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
        return tool_fail(TOOL_MISUSED, "--boundary constant: '%s' is no number", text);
    return TOOL_GO_ON;
}

static int parse_boundary(struct gpuprim_filter_params *params)
{
    static const char prefix[] = "constant:";
    if (strncmp(optarg, prefix, strlen(prefix)) == 0) {
        params->left = params->right = GPUPRIM_CONSTANT;
        return parse_constant(optarg + strlen(prefix), params->constant);
    }
    for (int i = 0; i < N_BOUNDARIES; i++) {
        if (i != GPUPRIM_CONSTANT && strcmp(optarg, boundary_names[i]) == 0) {
            params->left = params->right = (enum gpuprim_boundary)i;
            return TOOL_GO_ON;
        }
    }
    return tool_fail(TOOL_MISUSED, "--boundary: unknown '%s', not one of: %s", optarg,
                     "zero constant:V edge reflect-half reflect-whole wrap");
}

static int parse_operands(int argc, char **argv, struct convolve1d_request *request)
{
    if (argc == 0)
        return tool_fail(TOOL_MISUSED, "a file to filter is missing");
    if (argc > 1)
        return tool_fail(TOOL_MISUSED, "one file at a time: '%s' is too many", argv[1]);
    if (!request->taps)
        return tool_fail(TOOL_MISUSED, "the taps are missing: --taps TAPS.npy");
    if (!request->output)
        return tool_fail(TOOL_MISUSED, "a file for the results is missing: -o OUT");
    request->file = argv[0];
    return TOOL_GO_ON;
}

enum { TAPS = TOOL_OPTION_OWN, MODE, BOUNDARY, STRIDE, DILATION, CORRELATE, SHIFT, AS, RAW };

static int parse_option(int option, struct convolve1d_request *request)
{
    enum { LARGEST_STEP = INT32_MAX, LARGEST_SHIFT = 62 };
    struct gpuprim_filter_params *params = &request->params;
    uint64_t shift = 0;
    int code = TOOL_GO_ON;

    switch (option) {
    case 'o':
        request->output = optarg;
        return TOOL_GO_ON;
    case TAPS:
        request->taps = optarg;
        return TOOL_GO_ON;
    case MODE:
        return parse_mode(&params->mode);
    case BOUNDARY:
        return parse_boundary(params);
    case STRIDE:
        return tool_whole_option("--stride", 1, LARGEST_STEP, &params->stride);
    case DILATION:
        return tool_whole_option("--dilation", 1, LARGEST_STEP, &params->dilation);
    case CORRELATE:
        params->correlate = 1;
        return TOOL_GO_ON;
    case SHIFT:
        code = tool_whole_option("--shift", 0, LARGEST_SHIFT, &shift);
        params->shift = (unsigned)shift;
        return code;
    case AS:
        return tool_type_option("--as", &request->as);
    case RAW:
        return tool_type_option("--raw", &request->raw);
    default:
        return tool_common_option(&request->common, &tool_convolve1d, option);
    }
}

// Returns TOOL_GO_ON, or the exit code where the program ends here.
static int parse(int argc, char **argv, struct convolve1d_request *request)
{
    static const struct option options[] = {
        { "taps", required_argument, NULL, TAPS },
        { "mode", required_argument, NULL, MODE },
        { "boundary", required_argument, NULL, BOUNDARY },
        { "stride", required_argument, NULL, STRIDE },
        { "dilation", required_argument, NULL, DILATION },
        { "correlate", no_argument, NULL, CORRELATE },
        { "shift", required_argument, NULL, SHIFT },
        { "as", required_argument, NULL, AS },
        { "raw", required_argument, NULL, RAW },
        { "output", required_argument, NULL, 'o' },
        TOOL_LONG,
    };
    for (int option;
         (option = getopt_long(argc, argv, "o:" TOOL_SHORT, options, NULL)) != -1;) {
        const int code = parse_option(option, request);
        if (code != TOOL_GO_ON)
            return code;
    }
    return parse_operands(argc - optind, argv + optind, request);
}

// ---------------------------------------------------------------------------------------
// Files

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

// The sound that comes of a sound: with a stride fewer samples last as long.
static struct tool_wave wave_of(const struct convolve1d_request *request,
                                const struct tool_matrix *samples, enum gpuprim_type type)
{
    struct tool_wave wave = samples->wave;
    const uint64_t stride = request->params.stride ? request->params.stride : 1;
    const uint64_t rate = (wave.rate + stride / 2) / stride;
    wave.rate = (uint32_t)(rate ? rate : 1);
    if (request->as) { // another sample format than that of the file
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
    return tool_fail(TOOL_FAILED, "%s: a .wav file cannot hold %s", request->output,
                     gp_type_name(type));
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

// Sound of 8 bits is stored from 0 to 255, and silence is 128: a filter, and what follows
// beyond the ends, mean the distance from it.
static int center(const char *path, struct tool_matrix *samples)
{
    const uint8_t *stored = samples->data;
    const size_t count = (size_t)(samples->rows * samples->columns);
    int8_t *values = malloc(count + 1);
    if (!values)
        return tool_fail(TOOL_FAILED, "%s: not enough memory", path);
    for (size_t i = 0; i < count; i++)
        values[i] = (int8_t)(stored[i] - 128);
    samples->type = GPUPRIM_I8;
    samples->data = samples->owned = values;
    return TOOL_GOOD;
}

static int open_files(const struct convolve1d_request *request, struct tool_matrix *samples,
                      struct tool_matrix *taps)
{
    int code = tool_matrix_open(request->file, request->raw, samples);
    if (code == TOOL_GOOD && samples->wave.bits == 8)
        code = center(request->file, samples);
    if (code != TOOL_GOOD)
        return code;
    if (ends_with(request->output, ".wav") && !samples->wave.bits)
        return tool_fail(TOOL_MISUSED, "%s: only a .wav file is filtered into a .wav file",
                         request->output);
    code = tool_matrix_open(request->taps, GPUPRIM_TYPE_INVALID, taps);
    if (code != TOOL_GOOD)
        return code;
    if (taps->wave.bits)
        return tool_fail(TOOL_FAILED, "%s: is a .wav file, taps come as .npy", request->taps);
    if (taps->rows == 0 || taps->columns == 0)
        return tool_fail(TOOL_FAILED, "%s: holds no taps", request->taps);
    return TOOL_GOOD;
}

static int run(int argc, char **argv)
{
    struct convolve1d_request request = { 0 };
    struct tool_matrix samples = { 0 }, taps = { 0 };
    int code = parse(argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
    code = open_files(&request, &samples, &taps);
    if (code == TOOL_GOOD)
        code = convolve1d_files(&request, &samples, &taps);
    tool_matrix_close(&taps);
    tool_matrix_close(&samples);
    return code;
}

const struct tool_command tool_convolve1d = {
    .name = "convolve1d",
    .summary = "filter an array, each row of a matrix, or each channel of a sound",
    .usage =
        "Usage: gpuprim convolve1d FILE --taps TAPS.npy -o OUT [OPTION...]\n"
        "Convolves a vector, each row of a matrix, or each channel of a .wav file with the\n"
        "taps: one filter for all, or a row of taps for each of them. OUT is of FILE's "
        "format,\n"
        "or .npy if it is called so; a .wav file keeps its rate, channels and sample format.\n"
        "\n"
        "      --taps TAPS.npy     integers, floats or complex64\n"
        "  -o, --output OUT        where the results go\n"
        "      --mode MODE         same (default: as many as there are samples), same-upper,\n"
        "                          full, valid, causal\n"
        "      --boundary WHAT     what follows beyond the ends: zero (default), constant:V,\n"
        "                          edge, reflect-half (c b a|a b c), reflect-whole (c b|a b "
        "c),\n"
        "                          wrap\n"
        "      --stride N          every N-th result only\n"
        "      --dilation N        taps N samples apart\n"
        "      --correlate         taps in reverse order\n"
        "      --shift N           integers: sums are divided by 2^N\n"
        "      --as TYPE           type of the results; default: that of the samples\n"
        "      --raw TYPE          FILE holds bare numbers:\n"
        "                          " TOOL_REAL_TYPES " c32\n",
    .run = run,
};
