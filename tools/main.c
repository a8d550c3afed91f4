/* SPDX-License-Identifier: Apache-2.0
 *
 * The gpuprim program: finds the subcommand and runs it. meson generates commands.h, the list
 * of subcommands; command.h describes what a subcommand is.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"

#define DECLARE(name) extern const struct tool_command tool_##name;
TOOL_COMMANDS(DECLARE)

#define ADDRESS(name) &tool_##name,
static const struct tool_command *const commands[] = { TOOL_COMMANDS(ADDRESS) };
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void help(void)
{
    printf(
        "Usage: gpuprim SUBCOMMAND ...\n"
        "Parallel primitives for arrays, on every GPU or CPU that has an OpenCL driver.\n\n");
    for (int i = 0; i < N_COMMANDS; i++)
        printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
    printf("\ngpuprim SUBCOMMAND --help describes a subcommand.\n"
           "Exit status: 0 success, 1 failure or wrong result, 2 wrong usage, 77 no device.\n");
}

static int unknown(const char *word)
{
    char list[256] = "";
    for (int i = 0; i < N_COMMANDS; i++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, " %s", commands[i]->name);
    }
    if (!word)
        return tool_fail(TOOL_MISUSED, "a subcommand is missing; the subcommands are:%s", list);
    return tool_fail(TOOL_MISUSED, "unknown %s '%s'; the subcommands are:%s",
                     word[0] == '-' ? "option" : "subcommand", word, list);
}

static int run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word)
        return unknown(NULL);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help();
        return TOOL_GOOD;
    }
    if (strcmp(word, "--version") == 0) {
        printf("gpuprim %s\n", gpuprim_version());
        return TOOL_GOOD;
    }
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(word, commands[i]->name) != 0)
            continue;
        static char program[] = "gpuprim"; // getopt starts its messages with it
        argv[1] = program;
        return commands[i]->run(argc - 1, argv + 1);
    }
    return unknown(word);
}

int main(int argc, char **argv)
{
    const int code = run(argc, argv);

    // A full disk is noticed here at the latest. The results are lost then.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == TOOL_GOOD)
        return tool_fail(TOOL_FAILED, "cannot write to standard output: %s", strerror(errno));
    return code;
}
