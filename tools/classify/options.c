/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of gpuprim classify.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

extern const struct tool_command tool_classify;

const char *const classify_rule_names[CLASSIFY_RULE_KINDS] = { "thresholds", "uniform", "table",
                                                               "cases" };

enum {
    THRESHOLDS = TOOL_OPTION_OWN,
    UNIFORM,
    TABLE,
    CASES,
    CLOSED, // from here to MAP: options of some rules only, in the order of `owners`
    TOP_INCLUSIVE,
    OUTSIDE,
    SHIFT,
    MASK,
    DEFAULT,
    NAN_CLASS,
    MAP,
    COUNTS,
    RAW
};

// The rules that an option belongs to.
static const struct {
    const char *name, *rules;
    unsigned set; // 1 << kind
} owners[] = {
    { "--closed", "--thresholds", 1u << CLASSIFY_THRESHOLDS },
    { "--top-inclusive", "--uniform", 1u << CLASSIFY_UNIFORM },
    { "--outside", "--uniform", 1u << CLASSIFY_UNIFORM },
    { "--shift", "--table", 1u << CLASSIFY_TABLE },
    { "--mask", "--table", 1u << CLASSIFY_TABLE },
    { "--default", "--cases", 1u << CLASSIFY_CASES },
    { "--nan", "--thresholds or --uniform",
      1u << CLASSIFY_THRESHOLDS | 1u << CLASSIFY_UNIFORM },
    { "--map", "--thresholds or --uniform",
      1u << CLASSIFY_THRESHOLDS | 1u << CLASSIFY_UNIFORM },
};
enum { N_OWNERS = sizeof owners / sizeof owners[0] };

// The options that were given. They are checked against each other at the end.
struct given {
    bool rule;
    bool options[N_OWNERS];
};

static int choose_rule(enum classify_rule_kind kind, struct given *given,
                       struct classify_request *request)
{
    if (given->rule)
        return tool_fail(TOOL_MISUSED, "only one rule is possible, but --%s follows --%s",
                         classify_rule_names[kind], classify_rule_names[request->kind]);
    given->rule = true;
    request->kind = kind;
    return TOOL_GO_ON;
}

// Finds getopt's argument among `n` words; `all` lists them for the message.
static int parse_word(const char *option, const char *const *words, int n, const char *all,
                      int *place)
{
    for (*place = 0; *place < n; ++*place)
        if (strcmp(optarg, words[*place]) == 0)
            return TOOL_GO_ON;
    return tool_fail(TOOL_MISUSED, "%s: unknown '%s'; it is one of: %s", option, optarg, all);
}

static int parse_closed(enum gpuprim_closed *closed)
{
    static const char *const words[] = { "left", "right" };
    int place;
    const int code = parse_word("--closed", words, 2, "left right", &place);
    *closed = (enum gpuprim_closed)place;
    return code;
}

static int parse_outside(enum gpuprim_outside *outside)
{
    static const char *const words[] = { "clamp", "reject", "classes" };
    int place;
    const int code = parse_word("--outside", words, 3, "clamp reject classes", &place);
    *outside = (enum gpuprim_outside)place;
    return code;
}

static int parse_class(const char *option, uint32_t *class)
{
    uint64_t number = GPUPRIM_REJECT;
    if (strcmp(optarg, "reject") != 0) {
        const int code = tool_whole_option(option, 0, GPUPRIM_REJECT - 1, &number);
        if (code != TOOL_GO_ON)
            return code;
    }
    *class = (uint32_t)number;
    return TOOL_GO_ON;
}

static int parse_nan(struct gpuprim_classifier_params *params)
{
    params->nan = GPUPRIM_NAN_HIGH;
    params->nan_class = 0;
    if (strcmp(optarg, "high") == 0)
        return TOOL_GO_ON;
    const int code = parse_class("--nan", &params->nan_class);
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

static int parse_uniform(struct gpuprim_uniform *uniform)
{
    const char *at = optarg;
    uint64_t bins = 0;
    const bool has_ends = take_end(&at, &uniform->low) && take_end(&at, &uniform->high);
    const char *rest = has_ends ? tool_whole(at, &bins) : NULL;
    if (!rest || *rest || bins > UINT32_MAX)
        return tool_fail(TOOL_MISUSED, "--uniform: '%s' is not LO:HI:N, %s", optarg,
                         "two numbers and the number of intervals between them");
    uniform->bins = (uint32_t)bins;
    return TOOL_GO_ON;
}

static int parse_rule(int option, struct given *given, struct classify_request *request)
{
    const int code =
        choose_rule((enum classify_rule_kind)(option - THRESHOLDS), given, request);
    if (code != TOOL_GO_ON)
        return code;
    if (option == UNIFORM)
        return parse_uniform(&request->rules.uniform);
    const char **file = option == THRESHOLDS ? &request->thresholds
                        : option == TABLE    ? &request->table
                                             : &request->cases;
    *file = optarg;
    return TOOL_GO_ON;
}

static int parse_option(int option, struct given *given, struct classify_request *request)
{
    struct classify_rules *rules = &request->rules;
    uint64_t shift = 0;
    int code;

    if (option >= CLOSED && option < CLOSED + N_OWNERS)
        given->options[option - CLOSED] = true;
    switch (option) {
    case THRESHOLDS:
    case UNIFORM:
    case TABLE:
    case CASES:
        return parse_rule(option, given, request);
    case CLOSED:
        return parse_closed(&rules->thresholds.closed);
    case TOP_INCLUSIVE:
        rules->uniform.top_inclusive = 1;
        return TOOL_GO_ON;
    case OUTSIDE:
        return parse_outside(&rules->uniform.outside);
    case SHIFT:
        code = tool_whole_option("--shift", 0, 63, &shift);
        rules->table.shift = (unsigned)shift;
        return code;
    case MASK:
        return tool_whole_option("--mask", 1, UINT64_MAX, &rules->table.mask);
    case DEFAULT:
        return parse_class("--default", &rules->cases.otherwise);
    case NAN_CLASS:
        return parse_nan(&request->params);
    case MAP:
        request->map = optarg;
        return TOOL_GO_ON;
    case COUNTS:
        request->counts = optarg;
        return TOOL_GO_ON;
    case 'o':
        request->output = optarg;
        return TOOL_GO_ON;
    case RAW:
        return tool_type_option("--raw", &request->raw);
    default:
        return tool_common_option(&request->common, &tool_classify, option);
    }
}

// Checks what only the complete command line shows.
static int check_all(int argc, char **argv, const struct given *given,
                     struct classify_request *request)
{
    if (argc == 0)
        return tool_fail(TOOL_MISUSED, "the file to classify is missing");
    if (argc > 1)
        return tool_fail(TOOL_MISUSED, "only one file can be classified: '%s' is one too many",
                         argv[1]);
    if (!given->rule)
        return tool_fail(TOOL_MISUSED, "the rule is missing; it is one of: %s",
                         "--thresholds --uniform --table --cases");
    for (int i = 0; i < N_OWNERS; i++)
        if (given->options[i] && !(owners[i].set >> request->kind & 1))
            return tool_fail(TOOL_MISUSED, "%s needs the rule %s", owners[i].name,
                             owners[i].rules);
    if (request->output && request->counts && strcmp(request->output, request->counts) == 0)
        return tool_fail(TOOL_MISUSED, "labels and counts cannot go to the same file");
    // Numbers that no case matches are rejected unless --default gives a class.
    if (request->cases && !given->options[DEFAULT - CLOSED])
        request->rules.cases.otherwise = GPUPRIM_REJECT;
    request->file = argv[0];
    const int code = tool_json_alone(&request->common, request->output);
    return code == TOOL_GO_ON ? tool_json_alone(&request->common, request->counts) : code;
}

int classify_parse(int argc, char **argv, struct classify_request *request)
{
    static const struct option options[] = {
        { "thresholds", required_argument, NULL, THRESHOLDS },
        { "uniform", required_argument, NULL, UNIFORM },
        { "table", required_argument, NULL, TABLE },
        { "cases", required_argument, NULL, CASES },
        { "closed", required_argument, NULL, CLOSED },
        { "top-inclusive", no_argument, NULL, TOP_INCLUSIVE },
        { "outside", required_argument, NULL, OUTSIDE },
        { "shift", required_argument, NULL, SHIFT },
        { "mask", required_argument, NULL, MASK },
        { "default", required_argument, NULL, DEFAULT },
        { "nan", required_argument, NULL, NAN_CLASS },
        { "map", required_argument, NULL, MAP },
        { "counts", required_argument, NULL, COUNTS },
        { "raw", required_argument, NULL, RAW },
        { "output", required_argument, NULL, 'o' },
        TOOL_LONG,
    };
    struct given given = { 0 };
    for (int option;
         (option = getopt_long(argc, argv, "o:" TOOL_SHORT, options, NULL)) != -1;) {
        const int code = parse_option(option, &given, request);
        if (code != TOOL_GO_ON)
            return code;
    }
    return check_all(argc - optind, argv + optind, &given, request);
}
