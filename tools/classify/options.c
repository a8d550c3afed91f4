/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of gpuprim classify.
 */
#include <stdlib.h>
#include <string.h>

#include "classify.h"

static const char *const closed_names[] = { "left", "right", NULL };
static const char *const outside_names[] = { "clamp", "reject", "classes", NULL };
static const char *const nan_names[] = { "high", "reject", "CLASS", NULL };
static const char *const default_names[] = { "reject", "CLASS", NULL };

// Reads a class or "reject". A word that is neither may be meant to be one of `words`.
static int take_class(const char *option, const char *text, const char *const *words,
                      uint32_t *class)
{
    uint64_t number = GPUPRIM_REJECT;
    if (strcmp(text, "reject") != 0) {
        if (text[0] >= 'a' && text[0] <= 'z')
            return tool_fail_word(option, text, words);
        const int code = tool_whole_option(option, text, 0, GPUPRIM_REJECT - 1, &number);
        if (code != TOOL_GO_ON)
            return code;
    }
    *class = (uint32_t)number;
    return TOOL_GO_ON;
}

static int take_default(const char *option, const char *text, void *request)
{
    struct classify_request *r = request;
    return take_class(option, text, default_names, &r->rules.cases.otherwise);
}

static int take_nan(const char *option, const char *text, void *request)
{
    struct gpuprim_classifier_params *params = &((struct classify_request *)request)->params;
    params->nan = GPUPRIM_NAN_HIGH;
    params->nan_class = 0;
    if (strcmp(text, "high") == 0)
        return TOOL_GO_ON;
    const int code = take_class(option, text, nan_names, &params->nan_class);
    params->nan = GPUPRIM_NAN_CLASS;
    if (params->nan_class == GPUPRIM_REJECT) {
        params->nan = GPUPRIM_NAN_REJECTED;
        params->nan_class = 0;
    }
    return code;
}

// Parses one end of LO:HI:N and the colon after it.
static bool take_end(const char **at, double *end)
{
    char *rest;
    *end = strtod(*at, &rest);
    if (rest == *at || *rest != ':')
        return false;
    *at = rest + 1;
    return true;
}

static int take_uniform(const char *option, const char *text, void *request)
{
    struct gpuprim_uniform *uniform = &((struct classify_request *)request)->rules.uniform;
    const char *at = text;
    uint64_t bins = 0;
    const bool has_ends = take_end(&at, &uniform->low) && take_end(&at, &uniform->high);
    const char *rest = has_ends ? tool_whole(at, &bins) : NULL;
    if (!rest || *rest || bins > UINT32_MAX)
        return tool_fail(TOOL_MISUSED, "%s: '%s' is not LO:HI:N, %s", option, text,
                         "two numbers and the number of intervals between them");
    uniform->bins = (uint32_t)bins;
    return TOOL_GO_ON;
}

#define AT(member) TOOL_AT(struct classify_request, member)
#define RULE       .group = "Rules", .flags = TOOL_REQUIRED | TOOL_ALTERNATIVE
#define BOUNDS     .needs = "thresholds uniform"
// clang-format off
const struct tool_option classify_options[] = {
    { .argument = "FILE", .help = TOOL_FILE_HELP, .flags = TOOL_REQUIRED, .kind = TOOL_INPUT, AT(file) },
    { "thresholds", .argument = "T", .help = "the class is the number of thresholds <= x; T is a .npy or .csv file, "
      "or the numbers (0.1,0.5); a matrix has a row of thresholds for each row, or channel, of FILE",
      .kind = TOOL_INPUT, RULE, AT(thresholds) },
    { "uniform", .argument = "LO:HI:N", .help = "N intervals of equal width",
      .kind = TOOL_OWN, .take = take_uniform, RULE },
    { "table", .argument = "LUT", .help = "the label is LUT[(x >> shift) & mask]; integers only; LUT is a "
      ".npy or .csv file, or the labels",
      .kind = TOOL_INPUT, RULE, AT(table) },
    { "cases", .argument = "CASES.csv", .help = "lines mask,value,class: the first one with "
      "(x & mask) == value decides; integers only",
      .kind = TOOL_INPUT, RULE, AT(cases) },
    { "closed", .argument = "SIDE", .help = "the end that an interval contains", .preset = "left",
      .kind = TOOL_WORD, .words = closed_names, .needs = "thresholds", AT(rules.thresholds.closed) },
    { "top-inclusive", .help = "the last interval contains HI",
      .needs = "uniform", AT(rules.uniform.top_inclusive) },
    { "outside", .argument = "WHAT", .help = "numbers outside get the class at that end, none, or the classes 0 and N + 1", .preset = "clamp",
      .kind = TOOL_WORD, .words = outside_names, .needs = "uniform", AT(rules.uniform.outside) },
    { "nan", .argument = "WHAT", .help = "the class of NaN: high (the last class), reject, or a number", .preset = "high",
      .kind = TOOL_OWN, .take = take_nan, .words = nan_names, BOUNDS },
    { "map", .argument = "LABELS", .help = "the label of each class, a .npy or .csv file, or the labels",
      .kind = TOOL_INPUT, BOUNDS, AT(map) },
    { "shift", .argument = "N", .help = "bits that are dropped", .preset = "0",
      .kind = TOOL_WHOLE, .high = 63, .needs = "table", AT(rules.table.shift) },
    { "mask", .argument = "M", .help = "bits that are kept", .preset = "the number of labels, a power of two, minus 1",
      .kind = TOOL_WHOLE, .low = 1, .high = UINT64_MAX, .needs = "table", AT(rules.table.mask) },
    { "default", .argument = "CLASS", .help = "the class if no case matches, or reject", .preset = "reject",
      .kind = TOOL_OWN, .take = take_default, .words = default_names, .needs = "cases" },
    { "output", 'o', "OUT", "write the labels in the narrowest type that holds them, to a .npy, .csv or image file, or - for standard output",
      .kind = TOOL_OUTPUT, AT(output) },
    { "counts", .argument = "COUNTS", .help = "write the counts to a .npy or .csv file",
      .kind = TOOL_OUTPUT, AT(counts) },
    { "raw", .argument = "TYPE", .help = TOOL_RAW_HELP,
      .kind = TOOL_WORD, .words = tool_real_types, .low = GPUPRIM_I8, AT(raw) },
    { 0 },
};
// clang-format on
