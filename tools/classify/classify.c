/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim classify: the subcommand. classify.h names the other files.
 */
#include "classify.h"

const char *const classify_rule_names[CLASSIFY_RULE_KINDS] = { "thresholds", "uniform", "table",
                                                               "cases" };

extern const struct tool_command tool_classify;

static int run(int argc, char **argv)
{
    // A number that no case matches is rejected unless --default gives a class.
    struct classify_request request = { .rules.cases.otherwise = GPUPRIM_REJECT };
    struct tool_matrix matrix;
    int code = tool_parse(&tool_classify, argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
    request.kind = request.thresholds ? CLASSIFY_THRESHOLDS
                   : request.table    ? CLASSIFY_TABLE
                   : request.cases    ? CLASSIFY_CASES
                                      : CLASSIFY_UNIFORM;
    code = tool_matrix_open(request.file, request.raw, &matrix);
    if (code != TOOL_GOOD)
        return code;
    code = classify_matrix(&request, &matrix);
    tool_matrix_close(&matrix);
    return code;
}

const struct tool_command tool_classify = {
    .name = "classify",
    .summary = "label the elements of an array by a rule, and count the labels",
    .text =
        "Labels each number of a file by one rule. Prints how often each label occurs, unless "
        "labels or counts are written to a file.",
    .options = classify_options,
    .common = TOOL_COMMON,
    .failure = TOOL_CALL_FAILURE,
    .examples =
        (const struct tool_example[]){
            { "gpuprim classify speech.wav --uniform -16384:16384:4",
              "a histogram of the samples in 4 intervals" },
            { "gpuprim classify table.npy --thresholds 0.1,0.5 --nan reject -o classes.npy",
              "classes 0, 1 and 2; NaNs are rejected" },
            { "gpuprim classify blocks.raw --raw u32 --cases modes.csv --counts modes.npy",
              "how often each case decides" },
            { 0 },
        },
    .run = run,
};
