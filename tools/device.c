/* SPDX-License-Identifier: Apache-2.0
 *
 * The device that a subcommand runs on: opening it with its log, reporting the library's
 * failures and the outcome of --check, the clock.
 */
#include <gpuprim/gpuprim_cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

int tool_fail_library(const struct tool_common *common, int status)
{
    const char *message = gpuprim_last_error();
    const int first_line = (int)strcspn(message, "\n");
    const int code = status == GPUPRIM_E_NO_DEVICE ? TOOL_NO_DEVICE : TOOL_FAILED;

    if (first_line == 0)
        return tool_fail(code, "%s", gpuprim_strerror(status));
    tool_fail(code, "%.*s", first_line, message);
    if (common->verbose && message[first_line]) // a compiler's log
        fprintf(stderr, "%s\n", message + first_line + 1);
    return code;
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
    if (status != GPUPRIM_E_NO_DEVICE)
        return status == GPUPRIM_OK ? TOOL_GOOD : tool_fail_library(common, status);
    return tool_fail(TOOL_NO_DEVICE, "%s; %s", gpuprim_last_error(),
                     common->device ? "gpuprim info lists the devices"
                                    : "for CPUs there is PoCL (pocl-opencl-icd in Debian)");
}

struct gpuprim_device tool_device_of(const gpuprim *gp)
{
    struct gpuprim_device found = { .name = "unknown", .driver = "unknown" };
    struct gpuprim_device *list = NULL;
    unsigned n = 0;
    if (gpuprim_devices(NULL, 0, &n) == GPUPRIM_OK)
        list = calloc(n ? n : 1, sizeof *list);
    if (list && gpuprim_devices(list, n, &n) == GPUPRIM_OK)
        for (unsigned i = 0; i < n; i++)
            if (list[i].id == gpuprim_cl_device(gp))
                found = list[i];
    free(list);
    return found;
}

int tool_report_check(const struct tool_common *common, bool agrees, const char *why)
{
    if (!agrees)
        return tool_fail(TOOL_FAILED, "check: differs from the reference: %s", why);
    if (!common->quiet) {
        fputs("check: ", stderr);
        tool_paint(stderr, TOOL_GREEN, "agrees");
        fputs(" with the reference\n", stderr);
    }
    return TOOL_GOOD;
}

bool tool_wants_summary(const struct tool_common *common)
{
    return !common->quiet && (common->verbose || isatty(STDERR_FILENO));
}

double tool_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
