/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses .npy files, numpy's format for one array, versions 1.0 and 2.0 (npy_write.c writes
 * them).
 *
 *     "\x93NUMPY"  major  minor  header length (2 bytes, version 2.0: 4)  header  data
 *
 * The header is a Python dict with exactly the keys descr, fortran_order and shape, in any
 * order and with any blanks. It is parsed, not evaluated. Everything else is refused with a
 * reason, because a file that is misread would give wrong numbers.
 */
#include <inttypes.h>
#include <string.h>

#include "files.h"
#include "src/core/types.h" // sizes and names of types

// numpy's codes of types, without the letter for the byte order.
static const struct {
    char code[3];
    enum gpuprim_type type;
} codes[] = {
    { "i1", GPUPRIM_I8 },  { "u1", GPUPRIM_U8 },  { "i2", GPUPRIM_I16 }, { "u2", GPUPRIM_U16 },
    { "i4", GPUPRIM_I32 }, { "u4", GPUPRIM_U32 }, { "i8", GPUPRIM_I64 }, { "u8", GPUPRIM_U64 },
    { "f2", GPUPRIM_F16 }, { "f4", GPUPRIM_F32 }, { "f8", GPUPRIM_F64 }, { "c8", GPUPRIM_C32 },
    { "b1", GPUPRIM_U8 },
};
enum { N_CODES = sizeof codes / sizeof codes[0] };

// ---------------------------------------------------------------------------------------
// The header's dict

struct cursor {
    const char *at, *end;
    char *why;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n'))
        c->at++;
}

// Skips `wanted` if it comes next; returns whether it did.
static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool garbled(const struct cursor *c, const char *where)
{
    return tool_refuse(c->why, "the header is malformed at its %s", where);
}

// Parses a quoted string. Escapes are refused; numpy never writes them here.
static bool take_string(struct cursor *c, char *out, size_t size, const char *where)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return garbled(c, where);
    const char *begin = c->at + 1;
    const char *end = memchr(begin, *c->at, (size_t)(c->end - begin));
    if (!end || (size_t)(end - begin) >= size || memchr(begin, '\\', (size_t)(end - begin)))
        return garbled(c, where);
    memcpy(out, begin, (size_t)(end - begin));
    out[end - begin] = 0;
    c->at = end + 1;
    return true;
}

static bool take_type(struct cursor *c, struct tool_matrix *out)
{
    skip_blanks(c);
    if (c->at < c->end && *c->at == '[')
        return tool_refuse(c->why, "structured types are not supported");

    char text[32];
    if (!take_string(c, text, sizeof text, "type"))
        return false;
    for (int i = 0; i < N_CODES; i++) {
        if (!text[0] || strcmp(text + 1, codes[i].code) != 0)
            continue;
        const bool one_byte = text[2] == '1';
        if (text[0] == '<' || text[0] == '>' || (one_byte && strchr("|=", text[0]))) {
            out->type = codes[i].type;
            out->is_big_endian = text[0] == '>' && !one_byte;
            return true;
        }
    }
    return tool_refuse(c->why,
                       "type '%s' is not supported; integers, f2, f4, f8, c8 and b1 are", text);
}

static bool take_order(struct cursor *c, bool *fortran)
{
    *fortran = take_word(c, "True");
    return *fortran || take_word(c, "False") || garbled(c, "fortran_order");
}

// Parses one number of the shape. The limit is that of numpy, whose sizes are signed.
static bool take_size(struct cursor *c, uint64_t *size)
{
    skip_blanks(c);
    if (c->at < c->end && *c->at == '-')
        return tool_refuse(c->why, "the shape has a negative size");
    const char *begin = c->at;
    for (*size = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const uint64_t digit = (uint64_t)(*c->at - '0');
        if (*size > (INT64_MAX - digit) / 10)
            return tool_refuse(c->why, "the shape has a size above 2^63 - 1");
        *size = *size * 10 + digit;
    }
    return c->at > begin || garbled(c, "shape");
}

static bool take_shape(struct cursor *c, struct tool_matrix *out)
{
    uint64_t sizes[2];
    int n = 0;
    if (!take(c, '('))
        return garbled(c, "shape");
    while (!take(c, ')')) {
        if (n == 2)
            return tool_refuse(c->why, "arrays of more than two dimensions are not supported");
        if (!take_size(c, &sizes[n++]))
            return false;
        const bool comma = take(c, ',');
        skip_blanks(c);
        const bool closed = c->at < c->end && *c->at == ')';
        // In Python (3) is a number; (3,) is a shape.
        if (closed ? n == 1 && !comma : !comma)
            return garbled(c, "shape");
    }
    if (n == 0)
        return tool_refuse(
            c->why,
            "a single number (0-d array) is not supported; save an array of one element");
    out->n_dims = n;
    out->rows = n == 2 ? sizes[0] : 1;
    out->columns = sizes[n - 1];
    return true;
}

static bool take_value(struct cursor *c, int key, struct tool_matrix *out, bool *fortran)
{
    switch (key) {
    case 0:
        return take_type(c, out);
    case 1:
        return take_order(c, fortran);
    default:
        return take_shape(c, out);
    }
}

static bool take_header(struct cursor *c, struct tool_matrix *out)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    enum { N_KEYS = 3, ALL_SEEN = 7 };
    unsigned seen = 0;
    bool fortran = false;

    if (!take(c, '{'))
        return garbled(c, "begin");
    while (!take(c, '}')) {
        char word[16];
        int key = 0;
        if (!take_string(c, word, sizeof word, "keys"))
            return false;
        while (key < N_KEYS && strcmp(word, keys[key]) != 0)
            key++;
        if (key == N_KEYS || (seen >> key & 1) || !take(c, ':'))
            return garbled(c, "keys");
        seen |= 1u << key;
        if (!take_value(c, key, out, &fortran))
            return false;
        if (!take(c, ',') && (c->at == c->end || *c->at != '}'))
            return garbled(c, keys[key]);
    }
    skip_blanks(c);
    if (c->at != c->end)
        return garbled(c, "end");
    if (seen != ALL_SEEN)
        return garbled(c, "keys");
    out->is_by_columns = fortran && out->n_dims == 2;
    return true;
}

bool tool_npy_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why)
{
    if (size < 10)
        return tool_refuse(why, "the .npy header is truncated");
    const unsigned major = file[6], minor = file[7];
    if ((major != 1 && major != 2) || minor != 0)
        return tool_refuse(why, ".npy version %u.%u is not supported; versions 1.0 and 2.0 are",
                           major, minor);
    const size_t begin = major == 1 ? 10 : 12;
    uint64_t length = 0;
    for (size_t i = begin; i > 8 && begin <= size; i--)
        length = length << 8 | file[i - 1];
    if (begin > size || length > size - begin)
        return tool_refuse(why, "the .npy header is truncated");

    const char *header = (const char *)file + begin;
    struct cursor c = { header, header + length, why };
    if (!take_header(&c, out))
        return false;

    const uint64_t item = gp_type_size(out->type), bytes = size - begin - length;
    if (out->columns && out->rows > bytes / item / out->columns)
        return tool_refuse(why,
                           "has only %" PRIu64 " bytes of data for its shape, "
                           "%" PRIu64 " x %" PRIu64 " %s",
                           bytes, out->rows, out->columns, gp_type_name(out->type));
    out->data = header + length;
    out->ending = "npy";
    return true;
}
