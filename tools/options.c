/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that all subcommands share, and the kinds of values that several options take:
 * types and whole numbers.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "src/core/types.h" // names of types

static const char common_usage[] =
    "\n"
    "Common options:\n"
    "  -d, --device WHICH  index as in `gpuprim info`, cpu, gpu, or a part of the name\n"
    "      --check         compare with the plain C reference; exit 1 if they differ\n"
    "      --json          print the results as one JSON object\n"
    "  -q, --quiet         print only results and errors\n"
    "  -v, --verbose       report what the library does; given twice: also every launch\n"
    "  -h, --help          print this text\n";

int tool_common_option(struct tool_common *common, const struct tool_command *command,
                       int option)
{
    switch (option) {
    case 'd':
        common->device = optarg;
        return TOOL_GO_ON;
    case TOOL_OPTION_CHECK:
        common->check = true;
        return TOOL_GO_ON;
    case TOOL_OPTION_JSON:
        common->json = true;
        return TOOL_GO_ON;
    case 'q':
        common->quiet = true;
        return TOOL_GO_ON;
    case 'v':
        common->verbose++;
        return TOOL_GO_ON;
    case 'h':
        printf("%s%s", command->usage, common_usage);
        return TOOL_GOOD;
    default: // getopt has printed the error
        return TOOL_MISUSED;
    }
}

int tool_json_alone(const struct tool_common *common, const char *output)
{
    if (common->json && output && strcmp(output, "-") == 0)
        return tool_fail(TOOL_MISUSED,
                         "--json and the numbers cannot both go to standard output");
    return TOOL_GO_ON;
}

// How many letters must be inserted, removed or replaced to make `b` of `a` (Levenshtein's
// distance). Names that are too long differ in all of their letters.
static size_t distance(const char *a, const char *b)
{
    enum { MOST = 24 };
    const size_t length = strlen(b);
    size_t row[MOST + 1];
    if (length > MOST)
        return length;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; *a; i++, a++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            const size_t replaced = diagonal + (*a != b[j - 1]),
                         other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[length];
}

const char *tool_nearest(const char *word, const char *const *names, int n)
{
    const char *nearest = NULL;
    size_t least = 3;
    for (int i = 0; i < n; i++) {
        const size_t letters = distance(word, names[i]);
        if (letters < least && letters < strlen(names[i])) {
            least = letters;
            nearest = names[i];
        }
    }
    return nearest;
}

int tool_type_option(const char *option, enum gpuprim_type *type)
{
    for (int i = GPUPRIM_I8; i <= GPUPRIM_C32; i++) {
        if (strcmp(optarg, gp_type_name((enum gpuprim_type)i)) == 0) {
            *type = (enum gpuprim_type)i;
            return TOOL_GO_ON;
        }
    }
    return tool_fail(TOOL_MISUSED, "%s: unknown type '%s'; the types are: %s", option, optarg,
                     TOOL_REAL_TYPES " c32");
}

const char *tool_whole(const char *text, uint64_t *out)
{
    const bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    // strtoull also accepts signs and leading blanks, which are refused here.
    if (errno || *text < '0' || *text > '9')
        return NULL;
    *out = value;
    return end;
}

int tool_whole_option(const char *option, uint64_t low, uint64_t high, uint64_t *out)
{
    uint64_t value;
    const char *end = tool_whole(optarg, &value);
    if (!end || *end || value < low || value > high)
        return tool_fail(TOOL_MISUSED,
                         "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, option,
                         optarg, low, high);
    *out = value;
    return TOOL_GO_ON;
}
