/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim classify: the subcommand and its help text. classify.h names the other files.
 */
#include "classify.h"

static int run(int argc, char **argv)
{
    struct classify_request request = { 0 };
    struct tool_matrix matrix;
    int code = classify_parse(argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
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
    .usage =
        "Usage: gpuprim classify FILE RULE [OPTION...]\n"
        "Labels each number of a .npy or .wav file. Prints how often each label occurs,\n"
        "unless labels or counts are written to a file.\n"
        "\n"
        "RULE (T, LUT and LABELS are .npy files, or numbers such as 0.1,0.5):\n"
        "      --thresholds T      the class is the number of thresholds <= x; a matrix has a\n"
        "                          row of thresholds for each row, or channel, of FILE\n"
        "      --uniform LO:HI:N   N intervals of equal width\n"
        "      --table LUT         the label is LUT[(x >> shift) & mask]; integers only\n"
        "      --cases CASES.csv   lines `mask,value,class`: the first one with\n"
        "                          (x & mask) == value decides; integers only\n"
        "\n"
        "      --closed SIDE       thresholds: left (default: t <= x) or right (t < x)\n"
        "      --top-inclusive     uniform: the last interval contains HI\n"
        "      --outside WHAT      uniform: clamp (default), reject, or classes (0 and N + 1)\n"
        "      --nan WHAT          thresholds, uniform: high (default: the last class),\n"
        "                          reject, or a class\n"
        "      --map LABELS        thresholds, uniform: the label of each class\n"
        "      --shift N           table: default 0\n"
        "      --mask M            table: default: number of entries (a power of two) minus 1\n"
        "      --default C         cases: the class if none matches, or reject (default)\n"
        "  -o, --output OUT.npy    write the labels in the narrowest type that holds them\n"
        "      --counts COUNTS.npy write the counts\n"
        "      --raw TYPE          FILE holds bare numbers:\n"
        "                          " TOOL_REAL_TYPES "\n",
    .run = run,
};
