/* SPDX-License-Identifier: Apache-2.0
 *
 * The gpuprim program: finds the subcommand and runs it. meson generates commands.h, the list
 * of subcommands; command.h describes what a subcommand is.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"

#define DECLARE(name) extern const struct tool_command tool_##name;
TOOL_COMMANDS(DECLARE)

#define ADDRESS(name) &tool_##name,
static const struct tool_command *const commands[] = { TOOL_COMMANDS(ADDRESS) };
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const struct tool_command *find(const char *word)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

static int help(void)
{
    printf(
        "Usage: gpuprim SUBCOMMAND ...\n"
        "Parallel primitives for arrays, on every GPU or CPU that has an OpenCL driver.\n\n");
    for (int i = 0; i < N_COMMANDS; i++)
        printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
    printf("\ngpuprim SUBCOMMAND --help and gpuprim help SUBCOMMAND describe a subcommand.\n"
           "gpuprim -V prints the version. Common options may stand before the subcommand.\n"
           "Exit status: 0 success, 1 failure or wrong result, 2 wrong usage, 77 no device.\n");
    return TOOL_GOOD;
}

static int unknown(const char *word)
{
    const char *names[N_COMMANDS];
    char list[256] = "";
    for (int i = 0; i < N_COMMANDS; i++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, " %s", commands[i]->name);
        names[i] = commands[i]->name;
    }
    if (!word)
        return tool_fail(TOOL_MISUSED, "a subcommand is missing; the subcommands are:%s", list);
    const char *near = tool_nearest(word, names, N_COMMANDS);
    if (near)
        return tool_fail(TOOL_MISUSED, "unknown subcommand '%s'; did you mean %s?", word, near);
    return tool_fail(TOOL_MISUSED, "unknown subcommand '%s'; the subcommands are:%s", word,
                     list);
}

// Steps over the common options before the subcommand. Returns TOOL_GO_ON and sets getopt's optind
// to the subcommand, or the exit code where the program ends here.
static int step_over_options(int argc, char **argv)
{
    static const struct option options[] = { { "version", no_argument, NULL, 'V' }, TOOL_LONG };
    for (int option;
         (option = getopt_long(argc, argv, "+V" TOOL_SHORT, options, NULL)) != -1;) {
        if (option == 'h')
            return help();
        if (option == 'V') {
            printf("gpuprim %s\n", gpuprim_version());
            return TOOL_GOOD;
        }
        if (option == '?') // getopt has printed the error
            return TOOL_MISUSED;
    }
    return TOOL_GO_ON;
}

static int run(int argc, char **argv)
{
    static char program[] = "gpuprim", ask[] = "--help";
    char *words[] = { program, ask, NULL };
    argv[0] = program; // getopt starts its messages with it
    const int code = step_over_options(argc, argv);
    if (code != TOOL_GO_ON)
        return code;
    const int at = optind;
    if (at == argc)
        return unknown(NULL);
    const bool wants_help = strcmp(argv[at], "help") == 0;
    if (wants_help && at + 1 == argc)
        return help();
    const char *word = argv[at + wants_help];
    const struct tool_command *command = find(word);
    if (!command)
        return unknown(word);
    optind = 0; // getopt begins anew
    if (wants_help)
        return command->run(2, words);
    // The subcommand sees the options before it as its own.
    memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof *argv);
    return command->run(argc - 1, argv);
}

int main(int argc, char **argv)
{
    const int code = run(argc, argv);

    // A full disk is noticed here at the latest. The results are lost then.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == TOOL_GOOD)
        return tool_fail(TOOL_FAILED, "cannot write to standard output: %s", strerror(errno));
    return code;
}
