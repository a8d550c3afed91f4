/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a command line by the table of options. getopt_long takes it apart; the messages are
 * made here.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "progress.h"

enum { MOST = 64, LONG = 256 }; // rows; getopt's number of the first row as a long option

struct parse {
    const struct tool_command *command;
    const struct tool_option *rows[MOST];
    unsigned n;
    bool given[MOST];
    void *request;
};

// ---------------------------------------------------------------------------------------
// Values

enum { NAME = 64 };
static const char *name_of(const struct tool_option *option, char *text)
{
    snprintf(text, NAME, "%s%s", option->name ? "--" : "",
             option->name ? option->name : option->argument);
    return text;
}

static void *member_of(const struct parse *p, const struct tool_option *option)
{
    return (char *)p->request + option->offset;
}

static void store(const struct parse *p, const struct tool_option *option, uint64_t value)
{
    void *member = member_of(p, option);
    const uint8_t byte = (uint8_t)value;
    const uint32_t word = (uint32_t)value;
    if (option->size == sizeof byte)
        memcpy(member, &byte, sizeof byte);
    else if (option->size == sizeof word)
        memcpy(member, &word, sizeof word);
    else
        memcpy(member, &value, sizeof value);
}

static int take(struct parse *p, unsigned i, const char *text)
{
    const struct tool_option *option = p->rows[i];
    char name[NAME];
    uint64_t value = 1;
    int code = TOOL_GO_ON;
    p->given[i] = true;
    name_of(option, name);
    switch (option->kind) {
    case TOOL_TEXT:
    case TOOL_INPUT:
    case TOOL_OUTPUT:
        memcpy(member_of(p, option), &text, sizeof text);
        return TOOL_GO_ON;
    case TOOL_OWN:
        return option->take(name, text, p->request);
    case TOOL_COUNT:
        ++*(int *)member_of(p, option);
        return TOOL_GO_ON;
    case TOOL_WORD:
        code = tool_word_option(name, text, option->words, &value);
        value += option->low;
        break;
    case TOOL_WHOLE:
        code = tool_whole_option(name, text, option->low, option->high, &value);
        break;
    case TOOL_FLAG:
        break;
    }
    if (code == TOOL_GO_ON)
        store(p, option, value);
    return code;
}

// ---------------------------------------------------------------------------------------
// Options that are not there

static int refuse(const struct parse *p, const char *option, const char *why)
{
    const char *name = p->command->name;
    return tool_fail(TOOL_MISUSED, "%s %s; gpuprim help%s%s lists the options", option, why,
                     name ? " " : "", name ? name : "");
}

// A long option that is no row's, or the beginning of several.
static int refuse_long(const struct parse *p, const char *word)
{
    const size_t length = strcspn(word, "=");
    const char *names[MOST + 1] = { NULL };
    char lines[MOST][NAME], name[NAME], list[TOOL_LINE] = "";
    unsigned n = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (unsigned i = 0; i < p->n; i++) {
        if (!p->rows[i]->name)
            continue;
        names[n] = name_of(p->rows[i], lines[n]);
        if (strncmp(names[n], name, length) == 0)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                     *list ? " or " : "", names[n]);
        n++;
    }
    if (*list)
        return tool_fail(TOOL_MISUSED, "option '%s' may be %s; write more of it", name, list);
    return tool_fail_word("option", name, names);
}

static int refuse_option(const struct parse *p, int letter, char **argv)
{
    char text[NAME] = { '-', (char)letter, 0 };
    if (letter >= LONG)
        return refuse(p, name_of(p->rows[letter - LONG], text), "takes no value");
    if (letter)
        return refuse(p, text, "is unknown");
    return refuse_long(p, argv[optind - 1]);
}

// ---------------------------------------------------------------------------------------
// What only the complete command line shows

// Rows that follow each other exclude each other, if they are alternatives of one group.
static bool are_alternatives(const struct tool_option *a, const struct tool_option *b)
{
    return a->flags & b->flags & TOOL_ALTERNATIVE && a->group == b->group;
}

static int missing(const struct parse *p, const char *what)
{
    const struct tool_example *examples = p->command->examples;
    return tool_fail(TOOL_MISUSED, "%s is missing; an example: %s", what,
                     examples ? examples[0].line : "gpuprim help");
}

static int check_alternatives(const struct parse *p, unsigned i)
{
    char a[NAME], b[NAME], all[TOOL_LINE] = "";
    unsigned n_given = 0;
    for (unsigned k = 0; k < p->n; k++) {
        if (!are_alternatives(p->rows[i], p->rows[k]))
            continue;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? " or " : "",
                 name_of(p->rows[k], b));
        n_given += p->given[k];
        if (k > i && p->given[i] && p->given[k])
            return tool_fail(TOOL_MISUSED, "only one of %s and %s is possible",
                             name_of(p->rows[i], a), b);
    }
    return !n_given && p->rows[i]->flags & TOOL_REQUIRED ? missing(p, all) : TOOL_GO_ON;
}

static bool needs_are_met(const struct parse *p, const struct tool_option *option)
{
    for (unsigned k = 0; k < p->n; k++) {
        const char *name = p->rows[k]->name;
        const char *found = name && p->given[k] ? strstr(option->needs, name) : NULL;
        if (found && strchr(" ", found[strlen(name)]) &&
            (found == option->needs || found[-1] == ' '))
            return true;
    }
    return false;
}

static const char *output_of(const struct parse *p, unsigned i)
{
    const char *path = NULL;
    if (p->given[i] && p->rows[i]->kind == TOOL_OUTPUT)
        memcpy(&path, member_of(p, p->rows[i]), sizeof path);
    return path;
}

static int check_output(const struct parse *p, unsigned i)
{
    const struct tool_common *common = p->request;
    const char *path = output_of(p, i);
    char a[NAME], b[NAME];
    if (path && common->json && strcmp(path, "-") == 0)
        return tool_fail(TOOL_MISUSED,
                         "--json and the numbers of %s cannot both go to standard "
                         "output; one of them needs a file",
                         name_of(p->rows[i], a));
    for (unsigned k = 0; path && k < i; k++)
        if (output_of(p, k) && strcmp(path, output_of(p, k)) == 0)
            return tool_fail(TOOL_MISUSED, "%s and %s cannot go to the same file",
                             name_of(p->rows[k], a), name_of(p->rows[i], b));
    return TOOL_GO_ON;
}

static int check_all(const struct parse *p)
{
    char name[NAME], names[TOOL_LINE];
    for (unsigned i = 0; i < p->n; i++) {
        const struct tool_option *option = p->rows[i];
        int code = TOOL_GO_ON;
        if (option->flags & TOOL_ALTERNATIVE)
            code = check_alternatives(p, i);
        else if (option->flags & TOOL_REQUIRED && !p->given[i])
            code = missing(p, name_of(option, name));
        if (code == TOOL_GO_ON)
            code = check_output(p, i);
        if (code != TOOL_GO_ON)
            return code;
        if (p->given[i] && option->needs && !needs_are_met(p, option))
            return tool_fail(TOOL_MISUSED, "%s needs %s", name_of(option, name),
                             tool_names(option->needs, names));
    }
    return TOOL_GO_ON;
}

// ---------------------------------------------------------------------------------------

static unsigned row_of(const struct parse *p, int letter)
{
    unsigned i = 0;
    while (letter < LONG && p->rows[i]->letter != letter)
        i++;
    return letter < LONG ? i : (unsigned)(letter - LONG);
}

// Takes the options, in front of the first operand alone or all of them.
static int take_options(struct parse *p, int argc, char **argv, bool in_front)
{
    const struct tool_common *common = p->request;
    struct option options[MOST + 1] = { { NULL, 0, NULL, 0 } };
    char letters[2 * MOST + 3];
    unsigned n = 0, n_letters = (unsigned)sprintf(letters, "%s:", in_front ? "+" : "");
    while (p->n < MOST && (p->rows[p->n] = tool_option_at(p->command, p->n))) {
        const struct tool_option *row = p->rows[p->n++];
        if (!row->name)
            continue;
        const int how = row->flags & TOOL_MAYBE ? optional_argument
                        : row->argument         ? required_argument
                                                : no_argument;
        options[n++] = (struct option){ row->name, how, NULL, LONG + (int)p->n - 1 };
        if (row->letter)
            n_letters += (unsigned)sprintf(letters + n_letters, "%c%s", row->letter,
                                           row->argument ? ":" : "");
    }
    opterr = 0; // the messages are made here
    optind = 0; // getopt begins anew
    for (int letter; (letter = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        char name[NAME];
        if (letter == '?')
            return refuse_option(p, optopt, argv);
        if (letter == ':')
            return refuse(p, name_of(p->rows[row_of(p, optopt)], name), "needs a value");
        const int code = take(p, row_of(p, letter), optarg);
        if (code != TOOL_GO_ON || common->help)
            return code;
    }
    return TOOL_GO_ON;
}

static int take_operands(struct parse *p, int argc, char **argv)
{
    unsigned row = 0;
    char line[TOOL_LINE];
    for (int i = 0; i < argc; i++) {
        while (row < p->n && (p->rows[row]->name || p->given[row]) &&
               !(!p->rows[row]->name && p->rows[row]->flags & TOOL_MANY))
            row++;
        if (row == p->n)
            return tool_fail(TOOL_MISUSED, "'%s' is one operand too many for: %s", argv[i],
                             tool_synopsis(p->command, line));
        const int code = take(p, row, argv[i]);
        if (code != TOOL_GO_ON)
            return code;
    }
    return TOOL_GO_ON;
}

int tool_parse(const struct tool_command *command, int argc, char **argv, void *request)
{
    struct parse p = { .command = command, .request = request };
    const struct tool_common *common = request;
    int code = take_options(&p, argc, argv, false);
    if (code == TOOL_GO_ON && common->help) {
        tool_help(command);
        return TOOL_GOOD;
    }
    if (code == TOOL_GO_ON)
        code = take_operands(&p, argc - optind, argv + optind);
    tool_progress_allow(common);
    return code == TOOL_GO_ON ? check_all(&p) : code;
}

int tool_parse_front(const struct tool_command *command, int argc, char **argv, void *request,
                     int *first)
{
    struct parse p = { .command = command, .request = request };
    const int code = take_options(&p, argc, argv, true);
    *first = optind;
    return code;
}
