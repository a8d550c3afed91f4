/* SPDX-License-Identifier: Apache-2.0
 *
 * What every subcommand of the gpuprim program does alike: errors in one line, the common
 * options, the device, the clock.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools.h"

int tool_fail(int code, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    // What was printed before stands before the error where both go to one place.
    fflush(stdout);
    fprintf(stderr, "gpuprim: %s\n", line);
    return code;
}

int tool_fail_library(const struct tool_common *common, int status)
{
    const char *words = gpuprim_last_error();
    const int first = (int)strcspn(words, "\n");
    const int code = status == GPUPRIM_E_NO_DEVICE ? TOOL_NO_DEVICE : TOOL_FAILED;

    if (first == 0)
        return tool_fail(code, "%s", gpuprim_strerror(status));
    tool_fail(code, "%.*s", first, words);
    if (common->verbose && words[first]) // a compiler's log
        fprintf(stderr, "%s\n", words + first + 1);
    return code;
}

static const char common_usage[] =
    "\n"
    "Common options:\n"
    "  -d, --device WHICH  an index of `gpuprim info`, cpu, gpu, or a part of a name\n"
    "      --check         compare with the plain C reference; exit 1 if they differ\n"
    "      --json          results as one JSON object\n"
    "  -q, --quiet         results and errors only\n"
    "  -v, --verbose       say what the library does; twice: every launch\n"
    "  -h, --help\n";

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
    default: // getopt has said what is wrong
        return TOOL_MISUSED;
    }
}

int tool_type_option(const char *option, enum gpuprim_type *type)
{
    for (int i = GPUPRIM_I8; i <= GPUPRIM_C32; i++) {
        if (strcmp(optarg, gp_type_name((enum gpuprim_type)i)) == 0) {
            *type = (enum gpuprim_type)i;
            return TOOL_GO_ON;
        }
    }
    return tool_fail(TOOL_MISUSED, "%s: unknown type '%s', not one of: %s", option, optarg,
                     TOOL_REAL_TYPES " c32");
}

const char *tool_whole(const char *text, uint64_t *out)
{
    const bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    // strtoull takes signs and leading blanks, too.
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
                         "%s: '%s' is no whole number from %" PRIu64 " to %" PRIu64, option,
                         optarg, low, high);
    *out = value;
    return TOOL_GO_ON;
}

static void print_log(void *user, enum gpuprim_log_level level, const char *text)
{
    static const char *const names[] = { "", "warning", "info", "trace" };
    (void)user;
    fprintf(stderr, "gpuprim: %s: %s\n", names[level], text);
}

int tool_device_open(const struct tool_common *common, gpuprim **out)
{
    struct gpuprim_options options = { .device = common->device };
    if (common->verbose) {
        options.log = print_log;
        options.log_level = common->verbose > 1 ? GPUPRIM_LOG_TRACE : GPUPRIM_LOG_INFO;
    }
    const int status = gpuprim_create(&options, out);
    return status == GPUPRIM_OK ? TOOL_GOOD : tool_fail_library(common, status);
}

double tool_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
