/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses text as a matrix: a line for each row, between the numbers commas, semicolons, or blanks
 * and tabs. The first line may be a header of names; # starts a comment; empty lines are skipped.
 * csv_write.c writes such files.
 *
 * The first line decides what separates numbers: a semicolon if it has one, else a comma, else
 * blanks. Whole numbers become i32, i64 or u64, the first that holds all of them; others become
 * f64. The text is read twice: first for the shape and the type, then for the numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

struct span {
    const char *at, *end;
};

struct text {
    struct span rest;
    size_t line; // number of the line that was taken last, from 1 up
    char separator;
    char *why;
};

struct number {
    bool is_whole; // and its size is below 2^64
    bool is_negative;
    uint64_t size;
    double value;
};

bool tool_is_text(const unsigned char *file, size_t size)
{
    enum { LOOK = 4096 };
    for (size_t i = 0; i < size && i < LOOK; i++)
        if ((file[i] < ' ' && !strchr("\t\n\r", file[i])) || file[i] == 0x7f || file[i] == 0)
            return false;
    return true;
}

static struct span trimmed(struct span span)
{
    while (span.at < span.end && strchr(" \t\r", *span.at) && *span.at)
        span.at++;
    while (span.end > span.at && strchr(" \t\r", span.end[-1]) && span.end[-1])
        span.end--;
    return span;
}

// Takes the next line that is neither empty nor a comment.
static bool take_line(struct text *text, struct span *line)
{
    while (text->rest.at < text->rest.end) {
        const char *at = text->rest.at;
        const char *end = memchr(at, '\n', (size_t)(text->rest.end - at));
        line->at = at;
        line->end = end ? end : text->rest.end;
        text->rest.at = end ? end + 1 : text->rest.end;
        text->line++;
        const char *comment = memchr(at, '#', (size_t)(line->end - at));
        line->end = comment ? comment : line->end;
        *line = trimmed(*line);
        if (line->at < line->end)
            return true;
    }
    return false;
}

static bool separates(char c, char separator)
{
    return separator == ' ' ? c == ' ' || c == '\t' : c == separator;
}

// Takes the next field of a line, without the quotes around it. Behind the last one line->at is
// NULL.
static bool take_field(struct span *line, char separator, struct span *field)
{
    if (!line->at)
        return false;
    const char *end = line->at;
    while (end < line->end && !separates(*end, separator))
        end++;
    *field = trimmed((struct span){ line->at, end });
    if (field->end - field->at >= 2 && *field->at == '"' && field->end[-1] == '"')
        *field = trimmed((struct span){ field->at + 1, field->end - 1 });
    while (separator == ' ' && end < line->end && separates(end[0], ' ') &&
           end + 1 < line->end && separates(end[1], ' '))
        end++;
    line->at = end < line->end ? end + 1 : NULL;
    return true;
}

static bool to_number(struct span field, struct number *out)
{
    enum { LONGEST = 400 }; // more digits than a double can need at its ends
    char word[LONGEST + 1], *end;
    const size_t length = (size_t)(field.end - field.at);
    if (length == 0 || length > LONGEST || memchr(field.at, 0, length))
        return false;
    memcpy(word, field.at, length);
    word[length] = 0;
    const char *digits = word + (word[0] == '-' || word[0] == '+');
    *out = (struct number){ .is_negative = word[0] == '-' };
    errno = 0;
    if (*digits && digits[strspn(digits, "0123456789")] == 0) {
        out->size = strtoull(digits, &end, 10);
        out->is_whole = errno == 0;
    }
    out->value = strtod(word, &end);
    return *end == 0;
}

static bool refuse_field(const struct text *text, struct span field)
{
    const int length = field.end - field.at > 40 ? 40 : (int)(field.end - field.at);
    if (length == 0)
        return tool_refuse(text->why, "line %zu has an empty field; a missing number is `nan`",
                           text->line);
    return tool_refuse(
        text->why, "line %zu: '%.*s' is not a number%s", text->line, length, field.at,
        memchr(field.at, ',', (size_t)length) ? "; the decimal sign of numbers is a point"
                                              : "");
}

// A header has no number.
static bool is_header(struct span line, char separator)
{
    struct number number;
    for (struct span field; take_field(&line, separator, &field);)
        if (to_number(field, &number))
            return false;
    return true;
}

struct shape {
    uint64_t rows, columns;
    bool is_whole;
    uint64_t largest, lowest; // sizes of the whole numbers above and below 0
};

static bool measure_line(const struct text *text, struct span line, struct shape *shape)
{
    uint64_t columns = 0;
    struct number number;
    for (struct span field; take_field(&line, text->separator, &field); columns++) {
        if (!to_number(field, &number))
            return refuse_field(text, field);
        uint64_t *most = number.is_negative ? &shape->lowest : &shape->largest;
        shape->is_whole = shape->is_whole && number.is_whole;
        *most = number.size > *most ? number.size : *most;
    }
    if (shape->rows && columns != shape->columns)
        return tool_refuse(text->why,
                           "line %zu has %" PRIu64 " numbers, the lines before have %" PRIu64,
                           text->line, columns, shape->columns);
    shape->columns = columns;
    shape->rows++;
    return true;
}

static bool measure(struct text *text, struct shape *shape)
{
    struct span line;
    bool is_first = true;
    *shape = (struct shape){ .is_whole = true };
    for (; take_line(text, &line); is_first = false) {
        const size_t length = (size_t)(line.end - line.at);
        if (is_first)
            text->separator = (char)(memchr(line.at, ';', length)   ? ';'
                                     : memchr(line.at, ',', length) ? ','
                                                                    : ' ');
        if (is_first && is_header(line, text->separator))
            continue;
        if (!measure_line(text, line, shape))
            return false;
    }
    if (!shape->rows)
        return tool_refuse(text->why, "is neither a file of a known format nor a table of "
                                      "numbers; for bare numbers use --raw TYPE");
    return true;
}

static enum gpuprim_type type_of(const struct shape *shape)
{
    if (!shape->is_whole)
        return GPUPRIM_F64;
    if (shape->largest <= INT32_MAX && shape->lowest <= (uint64_t)INT32_MAX + 1)
        return GPUPRIM_I32;
    if (shape->largest <= INT64_MAX && shape->lowest <= (uint64_t)INT64_MAX + 1)
        return GPUPRIM_I64;
    return shape->lowest ? GPUPRIM_F64 : GPUPRIM_U64;
}

static void store(enum gpuprim_type type, void *data, uint64_t i, const struct number *number)
{
    const uint64_t bits = number->is_negative ? 0 - number->size : number->size;
    if (type == GPUPRIM_I32)
        ((uint32_t *)data)[i] = (uint32_t)bits;
    else if (type == GPUPRIM_F64)
        ((double *)data)[i] = number->value;
    else
        ((uint64_t *)data)[i] = bits;
}

static void fill(struct text *text, enum gpuprim_type type, void *data)
{
    struct span line;
    struct number number;
    uint64_t i = 0;
    for (bool is_first = true; take_line(text, &line); is_first = false) {
        if (is_first && is_header(line, text->separator))
            continue;
        for (struct span field; take_field(&line, text->separator, &field);)
            if (to_number(field, &number))
                store(type, data, i++, &number);
    }
}

bool tool_csv_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why)
{
    const char *begin = (const char *)file;
    if (size >= 3 && memcmp(file, "\xef\xbb\xbf", 3) == 0) // the mark of UTF-8
        begin += 3;
    const struct span all = { begin, (const char *)file + size };
    struct text text = { .rest = all, .why = why };
    struct shape shape;
    if (!measure(&text, &shape))
        return false;
    out->type = type_of(&shape);
    out->rows = shape.rows;
    out->columns = shape.columns;
    out->n_dims = 2;
    out->ending = "csv";
    if (shape.rows == 1)
        out->n_dims = 1;
    // Each number takes two bytes of text at least, so that the product cannot overflow.
    void *numbers = malloc((size_t)(shape.rows * shape.columns) * sizeof(uint64_t));
    if (!numbers)
        return tool_refuse(why, "not enough memory for %" PRIu64 " numbers",
                           shape.rows * shape.columns);
    out->data = out->owned = numbers;
    text = (struct text){ .rest = all, .separator = text.separator, .why = why };
    fill(&text, out->type, numbers);
    return true;
}
