/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of options: words of an enumeration, with a guess at what was meant, and whole numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "src/core/types.h" // names of types

#define NAME(NAME, name, bytes, kind) #name,
const char *const tool_types[] = { GP_TYPES(NAME) NULL };
#undef NAME
const char *const tool_real_types[] = { "i8",  "u8",  "i16", "u16", "i32", "u32",
                                        "i64", "u64", "f16", "f32", "f64", NULL };

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

// The one of the words that differs from `text` in the fewest letters, if these are at most two
// and fewer than the word has; or NULL.
static const char *nearest(const char *text, const char *const *words)
{
    const char *found = NULL;
    size_t least = 3;
    for (; *words; words++) {
        const size_t letters = distance(text, *words);
        if (letters < least && letters < strlen(*words)) {
            least = letters;
            found = *words;
        }
    }
    return found;
}

int tool_fail_word(const char *what, const char *text, const char *const *words)
{
    const char *near = nearest(text, words);
    char list[512] = "";
    if (near)
        return tool_fail(TOOL_MISUSED, "%s '%s' is unknown; did you mean %s?", what, text,
                         near);
    for (size_t at = 0; *words && at < sizeof list; words++)
        at += (size_t)snprintf(list + at, sizeof list - at, " %s", *words);
    return tool_fail(TOOL_MISUSED, "%s '%s' is unknown; it is one of:%s", what, text, list);
}

int tool_word_option(const char *option, const char *text, const char *const *words,
                     uint64_t *place)
{
    for (*place = 0; words[*place]; ++*place)
        if (strcmp(text, words[*place]) == 0)
            return TOOL_GO_ON;
    return tool_fail_word(option, text, words);
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

int tool_whole_option(const char *option, const char *text, uint64_t low, uint64_t high,
                      uint64_t *out)
{
    uint64_t value;
    const char *end = tool_whole(text, &value);
    if (!end || *end || value < low || value > high)
        return tool_fail(TOOL_MISUSED,
                         "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, option,
                         text, low, high);
    *out = value;
    return TOOL_GO_ON;
}
