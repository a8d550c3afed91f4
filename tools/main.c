/* SPDX-License-Identifier: Apache-2.0
 *
 * The gpuprim program: finds the subcommand and runs it, and the subcommand `help`. meson generates
 * commands.h, the list of the other subcommands; command.h describes what a subcommand is.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"

static const struct tool_command tool_help_command;
#define DECLARE(name) extern const struct tool_command tool_##name;
TOOL_COMMANDS(DECLARE)

#define ADDRESS(name) &tool_##name,
static const struct tool_command *const commands[] = { TOOL_COMMANDS(ADDRESS) &
                                                       tool_help_command };
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

#define NAME(name) #name,
static const char *const names[] = { TOOL_COMMANDS(NAME) "help", NULL };

// ---------------------------------------------------------------------------------------
// gpuprim help

enum print { MANUAL = 1, BASH, ZSH, FISH };
static const char *const prints[] = { "man", "bash", "zsh", "fish", NULL };

struct request {
    struct tool_common common;
    unsigned command; // its place + 1; 0 = none
    enum print print;
    bool version; // of the options before the subcommand
};

// The options before the subcommand.
static const struct tool_option front_options[] = {
    { "version", 'V', .help = "print the version", TOOL_AT(struct request, version) },
    { 0 },
};
static const struct tool_command front = { .options = front_options, .common = TOOL_COMMON };

static const struct tool_program program = { &front, commands, N_COMMANDS };

static int list(void)
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

static int run_help(int argc, char **argv)
{
    struct request request = { 0 };
    const int code = tool_parse(&tool_help_command, argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
    if (request.print == MANUAL)
        tool_manual(&program);
    else if (request.print == BASH)
        tool_completion_bash(&program);
    else if (request.print == ZSH)
        tool_completion_zsh(&program);
    else if (request.print == FISH)
        tool_completion_fish(&program);
    else if (request.command)
        tool_help(commands[request.command - 1]);
    else
        return list();
    return TOOL_GOOD;
}

// clang-format off
static const struct tool_option help_options[] = {
    { .argument = "SUBCOMMAND", .help = "the subcommand to describe", .kind = TOOL_WORD,
      .words = names, .low = 1, TOOL_AT(struct request, command) },
    { "print", .argument = "WHAT", .help = "print the man page, or the completion of a shell",
      .kind = TOOL_WORD, .words = prints, .low = 1, TOOL_AT(struct request, print) },
    { 0 },
};
// clang-format on

static const struct tool_command tool_help_command = {
    .name = "help",
    .summary = "describe a subcommand, or print the man page or completions",
    .text = "Describes a subcommand; without one, lists them.",
    .options = help_options,
    .common = TOOL_HELP,
    .examples =
        (const struct tool_example[]){
            { "gpuprim help reduce", "describes reduce" },
            { "gpuprim help --print man", "prints this manual for man -l -" },
            { 0 },
        },
    .run = run_help,
};

// ---------------------------------------------------------------------------------------

static int run(int argc, char **argv)
{
    static char name[] = "gpuprim";
    struct request request = { 0 };
    uint64_t place;
    int at;
    argv[0] = name; // instead of a path
    int code = tool_parse_front(&front, argc, argv, &request, &at);
    if (code != TOOL_GO_ON)
        return code;
    if (request.common.help)
        return list();
    if (request.version) {
        printf("gpuprim %s\n", gpuprim_version());
        return TOOL_GOOD;
    }
    if (at == argc)
        return tool_fail(TOOL_MISUSED, "a subcommand is missing; gpuprim help lists them");
    code = tool_word_option("subcommand", argv[at], names, &place);
    if (code != TOOL_GO_ON)
        return code;
    // The subcommand sees the options before it as its own.
    memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof *argv);
    return commands[place]->run(argc - 1, argv);
}

int main(int argc, char **argv)
{
    const int code = run(argc, argv);

    // A full disk is noticed here at the latest. The results are lost then.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == TOOL_GOOD)
        return tool_fail(TOOL_FAILED, "cannot write to standard output: %s", strerror(errno));
    return code;
}
