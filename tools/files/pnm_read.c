/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses grey and colour images of the formats PGM and PPM (pnm_write.c writes them):
 *
 *     "P2" "P3" "P5" "P6"  columns  rows  largest  one blank  numbers
 *
 * P2 and P5 are grey; P3 and P6 have three channels, which stay interleaved in each row. P2 and P3
 * hold text, P5 and P6 bytes, or two bytes for a number if `largest` exceeds 255, the upper one
 * first. # starts a comment between the words.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "src/core/types.h" // sizes of types

struct cursor {
    const unsigned char *at, *end;
};

static bool is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool tool_is_pnm(const unsigned char *file, size_t size)
{
    return size >= 3 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' &&
           (is_blank(file[2]) || file[2] == '#');
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (is_blank(*c->at) || *c->at == '#')) {
        if (*c->at++ != '#')
            continue;
        while (c->at < c->end && *c->at != '\n')
            c->at++;
    }
}

// Parses a number of at most 31 bits.
static bool take_number(struct cursor *c, uint32_t *number)
{
    skip_blanks(c);
    const unsigned char *begin = c->at;
    for (*number = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const uint32_t digit = (uint32_t)(*c->at - '0');
        if (*number > (INT32_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return c->at > begin;
}

static bool fill(struct cursor *c, struct tool_matrix *out, uint64_t count, char *why)
{
    void *numbers = malloc((size_t)count * gp_type_size(out->type));
    if (!numbers)
        return tool_refuse(why, "not enough memory for %" PRIu64 " numbers", count);
    out->data = out->owned = numbers;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t number;
        if (!take_number(c, &number))
            return tool_refuse(why, "number %" PRIu64 " of the image is malformed or missing",
                               i + 1);
        if (number > out->image.largest)
            return tool_refuse(why, "number %" PRIu64 " of the image is %u; the largest is %u",
                               i + 1, number, out->image.largest);
        if (out->type == GPUPRIM_U8)
            ((uint8_t *)numbers)[i] = (uint8_t)number;
        else
            ((uint16_t *)numbers)[i] = (uint16_t)number;
    }
    skip_blanks(c);
    return true;
}

static bool take_header(struct cursor *c, struct tool_matrix *out, uint32_t *width, char *why)
{
    uint32_t height;
    if (!take_number(c, width) || !take_number(c, &height) ||
        !take_number(c, &out->image.largest) || c->at == c->end || !is_blank(*c->at))
        return tool_refuse(why, "the header of the image is malformed");
    c->at++;
    if (!*width || !height)
        return tool_refuse(why, "the image has no pixels");
    if (!out->image.largest || out->image.largest > UINT16_MAX)
        return tool_refuse(why,
                           "the largest number of the image is %u; 1 to 65535 are possible",
                           out->image.largest);
    out->type = out->image.largest > UINT8_MAX ? GPUPRIM_U16 : GPUPRIM_U8;
    out->rows = height;
    out->columns = (uint64_t)*width * out->image.channels;
    return true;
}

bool tool_pnm_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why)
{
    const char kind = (char)file[1];
    const bool is_binary = kind == '5' || kind == '6';
    struct cursor c = { file + 2, file + size };
    uint32_t width;
    if (kind == '1' || kind == '4')
        return tool_refuse(why, "is an image of one bit a pixel; pbmtopgm makes one of bytes");
    out->image.channels = kind == '3' || kind == '6' ? 3 : 1;
    if (!take_header(&c, out, &width, why))
        return false;
    out->n_dims = 2;
    out->ending = out->image.channels == 3 ? "ppm" : "pgm";

    // A number in text takes a digit and, but for the last one, a blank.
    const uint64_t rest = (uint64_t)(c.end - c.at), item = gp_type_size(out->type),
                   room = is_binary ? rest / item : rest / 2 + 1;
    if (out->rows > room / out->columns)
        return tool_refuse(
            why, "is truncated: has only %" PRIu64 " bytes for %" PRIu64 " rows of %u pixels",
            rest, out->rows, width);
    const uint64_t count = out->rows * out->columns;
    if (is_binary) {
        out->data = c.at;
        out->is_big_endian = item == 2;
        c.at += count * item;
    } else if (!fill(&c, out, count, why)) {
        return false;
    }
    if (tool_is_pnm(c.at, (size_t)(c.end - c.at)))
        return tool_refuse(why, "holds more than one image");
    return true;
}
