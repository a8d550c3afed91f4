/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses the cases of gpuprim classify: a text with one case per line, "mask,value,class".
 * Numbers are decimal, or hexadecimal after 0x. The class may be the word `reject`. Blanks are
 * ignored, and # starts a comment. A message names the line; so the faults that the library
 * would report with the number of a case are checked here, too.
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

// Parses a number and the character `behind` that must follow it; 0 = none.
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
        return tool_refuse(why, "mask 0x%" PRIx64 " has bits beyond the %u bits of an element",
                           out->mask, bits);
    if (out->value & ~out->mask)
        return tool_refuse(why,
                           "value 0x%" PRIx64 " has bits that mask 0x%" PRIx64
                           " excludes, so that it never matches",
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
        return tool_refuse(why, "exceeds the limit of %d cases", MOST);
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
            code =
                tool_fail(TOOL_FAILED, "%s: line %zu: contains a zero byte, so it is not text",
                          path, number);
        else if (!take_line(line, bits, &list, why))
            code = tool_fail(TOOL_FAILED, "%s: line %zu: %s", path, number, why);
    }
    if (code == TOOL_GOOD && !feof(file)) // for instance a folder
        code = tool_fail(TOOL_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    *cases = list.cases;
    *n_cases = list.n;
    return code;
}
