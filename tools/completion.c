/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion for bash, zsh and fish, made of the table of options.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"

static bool takes_file(const struct tool_option *option)
{
    return option->kind == TOOL_INPUT || option->kind == TOOL_OUTPUT;
}

static void put_words(const char *const *words)
{
    for (unsigned i = 0; words && words[i]; i++)
        printf("%s%s", i ? " " : "", words[i]);
}

static void put_names(const struct tool_program *program, const char *between)
{
    for (unsigned i = 0; i < program->n; i++)
        printf("%s%s", i ? between : "", program->commands[i]->name);
}

// Whether the first operand has values, which are offered right behind the subcommand.
static bool has_words(const struct tool_command *command)
{
    const struct tool_option *first = tool_option_at(command, 0);
    return first && !first->name && first->words;
}

// ---------------------------------------------------------------------------------------
// bash

static void bash_value(const struct tool_command *command, const struct tool_option *option)
{
    const char *name = command->name ? command->name : "";
    if (!option->argument || !option->name || option->flags & TOOL_MAYBE)
        return;
    printf("    '%s --%s'", name, option->name);
    if (option->letter)
        printf(" | '%s -%c'", name, option->letter);
    if (!option->words) {
        printf(") return ;;\n");
        return;
    }
    printf(") words='");
    put_words(option->words);
    printf("' ;;\n");
}

static void bash_options(const struct tool_command *command)
{
    const struct tool_option *option;
    for (unsigned i = 0; (option = tool_option_at(command, i)); i++)
        if (option->name)
            printf("--%s ", option->name);
}

static void bash_command(const struct tool_command *command)
{
    printf("    '%s '*)\n        words='", command->name);
    bash_options(command);
    printf("'\n");
    if (has_words(command)) {
        printf("        [[ $before == %s && $word != -* ]] && words='", command->name);
        put_words(tool_option_at(command, 0)->words);
        printf("'\n        [[ $before == %s || $word == -* ]] || return\n", command->name);
    } else {
        printf("        [[ $word == -* ]] || return\n");
    }
    printf("        ;;\n");
}

void tool_completion_bash(const struct tool_program *program)
{
    const struct tool_option *option;
    printf("# bash completion for gpuprim\n"
           "_gpuprim()\n"
           "{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command= words= i\n"
           "    COMPREPLY=()\n"
           "    # bash divides --nan=ignore into three words.\n"
           "    if [[ $word == = ]]; then\n"
           "        word=\n"
           "    elif [[ $before == = ]]; then\n"
           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case ${COMP_WORDS[i]} in\n"
           "        ");
    put_names(program, " | ");
    printf(")\n            command=${COMP_WORDS[i]}\n            break\n            ;;\n"
           "        esac\n"
           "    done\n"
           "    # Where this function returns early, bash completes the names of files.\n"
           "    case \"$command $before\" in\n");
    for (unsigned i = 0; (option = tool_option_at(program->front, i)); i++)
        bash_value(program->front, option);
    for (unsigned c = 0; c < program->n; c++)
        for (unsigned i = 0; (option = tool_option_at(program->commands[c], i)); i++)
            bash_value(program->commands[c], option);
    for (unsigned c = 0; c < program->n; c++)
        bash_command(program->commands[c]);
    printf("    *)\n        words='");
    put_names(program, " ");
    printf("'\n        [[ $word == -* ]] && words='");
    bash_options(program->front);
    printf("'\n        ;;\n"
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -F _gpuprim gpuprim\n");
}

// ---------------------------------------------------------------------------------------
// zsh

// Text inside single quotes, in which these characters need a backslash.
static void put_escaped(const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(quote, stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_text(const char *text)
{
    put_escaped(text, "[]:\\", "'\\''");
}

static void zsh_value(const struct tool_option *option)
{
    printf("%s:", option->flags & TOOL_MAYBE ? ":" : "");
    zsh_text(option->argument);
    if (option->words) {
        printf(":(");
        put_words(option->words);
        printf(")");
    } else {
        printf(":%s", option->kind == TOOL_WHOLE ? " " : "_files");
    }
}

static void zsh_row(const struct tool_option *option)
{
    const char *equals = !option->argument ? "" : option->flags & TOOL_MAYBE ? "=-" : "=";
    printf(" \\\n            '");
    if (!option->name)
        printf("%s", option->flags & TOOL_MANY ? "*" : "");
    else if (option->letter)
        printf("%s'{-%c,--%s%s}'[", option->kind == TOOL_COUNT ? "*" : "", option->letter,
               option->name, equals);
    else
        printf("--%s%s[", option->name, equals);
    if (option->name) {
        zsh_text(option->help);
        printf("]");
    }
    if (option->argument)
        zsh_value(option);
    printf("'");
}

void tool_completion_zsh(const struct tool_program *program)
{
    const struct tool_option *option;
    printf("#compdef gpuprim\n"
           "_gpuprim() {\n"
           "    local state line\n"
           "    local -a subcommands\n"
           "    subcommands=(\n");
    for (unsigned c = 0; c < program->n; c++) {
        printf("        '%s:", program->commands[c]->name);
        zsh_text(program->commands[c]->summary);
        printf("'\n");
    }
    printf("    )\n"
           "    _arguments -C '1: :->subcommand' '*:: :->rest'");
    for (unsigned i = 0; (option = tool_option_at(program->front, i)); i++)
        zsh_row(option);
    printf("\n"
           "    case $state in\n"
           "    subcommand) _describe subcommand subcommands ;;\n"
           "    rest)\n"
           "        case $words[1] in\n");
    for (unsigned c = 0; c < program->n; c++) {
        printf("        %s) _arguments", program->commands[c]->name);
        for (unsigned i = 0; (option = tool_option_at(program->commands[c], i)); i++)
            zsh_row(option);
        printf(" ;;\n");
    }
    printf("        esac ;;\n"
           "    esac\n"
           "}\n"
           "_gpuprim \"$@\"\n");
}

// ---------------------------------------------------------------------------------------
// fish

static void fish_text(const char *text)
{
    putchar('\'');
    put_escaped(text, "\\", "\\'");
    putchar('\'');
}

static void fish_row(const struct tool_command *command, const struct tool_option *option)
{
    if (command->name)
        printf("complete -c gpuprim -n '__fish_seen_subcommand_from %s' -l %s", command->name,
               option->name);
    else
        printf("complete -c gpuprim -n __fish_use_subcommand -l %s", option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->argument && !(option->flags & TOOL_MAYBE))
        printf(takes_file(option) || !option->words ? " -r" : " -x");
    if (option->words) {
        printf(" -a '");
        put_words(option->words);
        printf("'");
    }
    printf(" -d ");
    fish_text(option->help);
    printf("\n");
}

void tool_completion_fish(const struct tool_program *program)
{
    const struct tool_option *option;
    printf("# fish completion for gpuprim\n");
    for (unsigned i = 0; (option = tool_option_at(program->front, i)); i++)
        fish_row(program->front, option);
    for (unsigned c = 0; c < program->n; c++) {
        printf("complete -c gpuprim -n __fish_use_subcommand -f -a %s -d ",
               program->commands[c]->name);
        fish_text(program->commands[c]->summary);
        printf("\n");
    }
    for (unsigned c = 0; c < program->n; c++) {
        if (has_words(program->commands[c])) {
            const char *name = program->commands[c]->name;
            printf("complete -c gpuprim -f -n '__fish_seen_subcommand_from %s; and test "
                   "(commandline -opc)[-1] = %s' -a '",
                   name, name);
            put_words(tool_option_at(program->commands[c], 0)->words);
            printf("'\n");
        }
        for (unsigned i = 0; (option = tool_option_at(program->commands[c], i)); i++)
            if (option->name)
                fish_row(program->commands[c], option);
    }
}
