/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim convolve1d: the command line. convolve1d.h names the other files of this subcommand.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "convolve1d.h"

extern const struct tool_command tool_convolve1d;

static const char *const mode_names[] = { "same", "same-upper", "full", "valid", "causal" };
static const char *const boundary_names[] = { "zero",         "constant:V",    "edge",
                                              "reflect-half", "reflect-whole", "wrap" };
enum { N_MODES = 5, N_BOUNDARIES = 6 };

static int parse_mode(enum gpuprim_mode *mode)
{
    for (int i = 0; i < N_MODES; i++) {
        if (strcmp(optarg, mode_names[i]) == 0) {
            *mode = (enum gpuprim_mode)i;
            return TOOL_GO_ON;
        }
    }
    return tool_fail(TOOL_MISUSED, "--mode: unknown '%s'; the modes are: %s", optarg,
                     "full same same-upper valid causal");
}

static int parse_method(enum gpuprim_method *method)
{
    static const char *const names[] = { "direct", "fft", "auto" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(optarg, names[i]) == 0) {
            *method = (enum gpuprim_method)i;
            return TOOL_GO_ON;
        }
    }
    return tool_fail(TOOL_MISUSED, "--method: unknown '%s'; the methods are: direct fft auto",
                     optarg);
}

// Parses V, or RE,IM for complex samples.
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
        return tool_fail(TOOL_MISUSED, "--boundary constant: '%s' is not a number", text);
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
    return tool_fail(TOOL_MISUSED, "--boundary: unknown '%s'; the boundaries are: %s", optarg,
                     "zero constant:V edge reflect-half reflect-whole wrap");
}

static int parse_operands(int argc, char **argv, struct convolve1d_request *request)
{
    if (argc == 0)
        return tool_fail(TOOL_MISUSED, "the file to filter is missing");
    if (argc > 1)
        return tool_fail(TOOL_MISUSED, "only one file can be filtered: '%s' is one too many",
                         argv[1]);
    if (!request->taps)
        return tool_fail(TOOL_MISUSED, "the taps are missing: add --taps TAPS.npy, or the taps "
                                       "themselves, as in --taps 1,2,1");
    if (!request->output)
        return tool_fail(TOOL_MISUSED, "the file for the results is missing: add -o OUT");
    request->file = argv[0];
    return tool_json_alone(&request->common, request->output);
}

enum {
    TAPS = TOOL_OPTION_OWN,
    MODE,
    BOUNDARY,
    STRIDE,
    DILATION,
    CORRELATE,
    METHOD,
    SHIFT,
    AS,
    RAW
};

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
    case METHOD:
        return parse_method(&params->method);
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
        { "method", required_argument, NULL, METHOD },
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

static int run(int argc, char **argv)
{
    struct convolve1d_request request = { 0 };
    struct tool_matrix samples = { 0 }, taps = { 0 };
    int code = parse(argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
    code = convolve1d_open(&request, &samples, &taps);
    if (code == TOOL_GOOD)
        code = convolve1d_run(&request, &samples, &taps);
    tool_matrix_close(&taps);
    tool_matrix_close(&samples);
    return code;
}

const struct tool_command tool_convolve1d = {
    .name = "convolve1d",
    .summary = "filter an array, each row of a matrix, or each channel of a sound",
    .usage =
        "Usage: gpuprim convolve1d FILE --taps TAPS -o OUT [OPTION...]\n"
        "Convolves a vector, each row of a matrix, or each channel of a .wav file with taps.\n"
        "TAPS has one row of taps for all signals, or one row per signal. OUT has the\n"
        "format of FILE, or is a .npy file if its name ends in .npy. A .wav file keeps its\n"
        "rate, its channels and its sample format.\n"
        "\n"
        "      --taps TAPS         a .npy file of integers, floats or complex64, or the taps\n"
        "                          themselves (1,2,1), or lowpass:CUT/RATE:N,\n"
        "                          highpass:CUT/RATE:N, bandpass:LO-HI/RATE:N,\n"
        "                          gaussian:SIGMA, mean:N; /RATE may be left out for .wav\n"
        "  -o, --output OUT        file for the results\n"
        "      --mode MODE         same (default: as many results as samples), same-upper,\n"
        "                          full, valid, causal\n"
        "      --boundary WHAT     values beyond both ends: zero (default), constant:V, edge,\n"
        "                          reflect-half (c b a|a b c), reflect-whole (c b|a b c),\n"
        "                          wrap\n"
        "      --stride N          compute every N-th result only\n"
        "      --dilation N        distance between neighbouring taps, in samples\n"
        "      --correlate         reverse the order of the taps\n"
        "      --method METHOD     direct, fft (by Fourier transforms), auto; default: direct\n"
        "      --shift N           integers only: divide the sums by 2^N\n"
        "      --as TYPE           type of the results; default: the type of the samples\n"
        "      --raw TYPE          FILE holds bare numbers:\n"
        "                          " TOOL_REAL_TYPES " c32\n",
    .run = run,
};
