/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of gpuprim classify: a text with a line for each, "mask,value,class". Numbers are
 * decimal or begin with 0x; the class may be the word `reject`; blanks are free, # begins a
 * comment. What is wrong is told with its line, so that what the library would refuse by a
 * case's number is found here, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

// Takes one of the numbers and the comma, or with ',' == 0 nothing, behind it.
static bool take(const char **at, uint64_t *number, char behind)
{
    const char *end = tool_whole(skip_blanks(*at), number);
    if (!end)
        return false;
    *at = skip_blanks(end);
    if (behind && *(*at)++ != behind)
        return false;
    return true;
}

static bool take_class(const char **at, uint64_t *class)
{
    static const char word[] = "reject";
    const char *begin = skip_blanks(*at);
    if (strncmp(begin, word, strlen(word)) != 0)
        return take(at, class, 0) && *class < GPUPRIM_REJECT;
    *at = skip_blanks(begin + strlen(word));
    *class = GPUPRIM_REJECT;
    return true;
}

static bool parse(const char *line, unsigned bits, struct gpuprim_case *out, char *why)
{
    const uint64_t all = UINT64_MAX >> (64 - bits);
    uint64_t class;
    if (!take(&line, &out->mask, ',') || !take(&line, &out->value, ',') ||
        !take_class(&line, &class) || *line)
        return tool_refuse(why, "is not `mask,value,class`");
    out->label = (uint32_t) class;
    if (out->mask > all)
        return tool_refuse(why, "mask 0x%" PRIx64 " has more than the %u bits of an element",
                           out->mask, bits);
    if (out->value & ~out->mask)
        return tool_refuse(why,
                           "value 0x%" PRIx64 " has bits that mask 0x%" PRIx64
                           " leaves out, and never matches",
                           out->value, out->mask);
    return true;
}

struct list {
    struct gpuprim_case *cases;
    uint32_t n, room;
};

static bool append(struct list *list, const struct gpuprim_case *one, char *why)
{
    enum { MOST = 65536, FIRST = 64 };
    if (list->n == MOST)
        return tool_refuse(why, "is one more than the %d cases that there may be", MOST);
    if (list->n == list->room) {
        const uint32_t room = list->room ? 2 * list->room : FIRST;
        struct gpuprim_case *cases = realloc(list->cases, room * sizeof *cases);
        if (!cases)
            return tool_refuse(why, "not enough memory");
        list->cases = cases;
        list->room = room;
    }
    list->cases[list->n++] = *one;
    return true;
}

static bool take_line(char *line, unsigned bits, struct list *list, char *why)
{
    struct gpuprim_case one = { 0 };
    line[strcspn(line, "#")] = 0;
    if (!*skip_blanks(line))
        return true;
    return parse(line, bits, &one, why) && append(list, &one, why);
}

int classify_cases_read(const char *path, unsigned bits, struct gpuprim_case **cases,
                        uint32_t *n_cases)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return tool_fail(TOOL_FAILED, "%s: %s", path, strerror(errno));

    struct list list = { 0 };
    char *line = NULL, why[TOOL_MESSAGE];
    size_t size = 0, number = 1;
    ssize_t length;
    int code = TOOL_GOOD;
    for (; code == TOOL_GOOD && (length = getline(&line, &size, file)) >= 0; number++) {
        if (strlen(line) != (size_t)length)
            code = tool_fail(TOOL_FAILED, "%s: line %zu: is no text", path, number);
        else if (!take_line(line, bits, &list, why))
            code = tool_fail(TOOL_FAILED, "%s: line %zu: %s", path, number, why);
    }
    if (code == TOOL_GOOD && !feof(file)) // of a folder, for one
        code = tool_fail(TOOL_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    *cases = list.cases;
    *n_cases = list.n;
    return code;
}
