/* SPDX-License-Identifier: Apache-2.0
 *
 * PNG images, by libpng where it was there when the program was built. Numbers are used as they are
 * stored: no profile or gamma is applied. Palettes and grey of 1, 2 and 4 bits become bytes, and
 * transparency becomes one more channel.
 */
#include "files.h"

#ifdef TOOL_HAS_PNG
#include <inttypes.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/types.h" // sizes and names of types

// What libpng reads, or where it writes.
struct stream {
    const unsigned char *at, *end;
    FILE *file;
    char *why;
};

static void fail(png_structp png, png_const_charp message)
{
    const struct stream *stream = png_get_error_ptr(png);
    tool_refuse(stream->why, "libpng: %s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep to, size_t bytes)
{
    struct stream *stream = png_get_io_ptr(png);
    if ((size_t)(stream->end - stream->at) < bytes)
        png_error(png, "the file is truncated");
    memcpy(to, stream->at, bytes);
    stream->at += bytes;
}

// Errors of the file are seen when it is closed.
static void write_bytes(png_structp png, png_bytep from, size_t bytes)
{
    const struct stream *stream = png_get_io_ptr(png);
    fwrite(from, 1, bytes, stream->file);
}

static void flush(png_structp png)
{
    (void)png;
}

// ---------------------------------------------------------------------------------------

static void read_header(png_structp png, png_infop info, size_t size, struct tool_matrix *out)
{
    enum { MOST = 1100 }; // times as many bytes as before are the most that zlib expands to
    png_read_info(png, info);
    out->rows = png_get_image_height(png, info);
    if (out->rows > (uint64_t)size * MOST / png_get_rowbytes(png, info))
        png_error(png, "the file is too short for its width and height");
    png_set_expand(png);
    if (png_get_bit_depth(png, info) == 16)
        png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    out->type = png_get_bit_depth(png, info) == 16 ? GPUPRIM_U16 : GPUPRIM_U8;
    out->image.channels = png_get_channels(png, info);
    out->columns = (uint64_t)png_get_image_width(png, info) * out->image.channels;
    out->n_dims = 2;
    out->ending = "png";
}

// Returns false after fail.
static bool read_image(png_structp png, png_infop info, size_t size, struct tool_matrix *out)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    read_header(png, info, size, out);
    const size_t row = png_get_rowbytes(png, info);
    out->owned = calloc((size_t)out->rows, row);
    if (!out->owned)
        png_error(png, "not enough memory");
    out->data = out->owned;
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (size_t r = 0; r < out->rows; r++)
            png_read_row(png, (png_bytep)out->owned + r * row, NULL);
    png_read_end(png, NULL);
    return true;
}

bool tool_png_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why)
{
    struct stream stream = { .at = file, .end = file + size, .why = why };
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &stream, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info || tool_refuse(why, "not enough memory");
    if (good) {
        png_set_read_fn(png, &stream, read_bytes);
        good = read_image(png, info, size, out);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return good;
}

// ---------------------------------------------------------------------------------------

static bool write_image(png_structp png, png_infop info, const struct tool_matrix *matrix)
{
    static const int colours[] = { PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                   PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
    const unsigned channels = matrix->image.channels ? matrix->image.channels : 1;
    const size_t item = gp_type_size(matrix->type), row = (size_t)matrix->columns * item;
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, (png_uint_32)(matrix->columns / channels),
                 (png_uint_32)matrix->rows, (int)item * 8, colours[channels - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (item == 2)
        png_set_swap(png);
    for (size_t r = 0; r < matrix->rows; r++)
        png_write_row(png, (png_const_bytep)matrix->data + r * row);
    png_write_end(png, info);
    return true;
}

static bool holds(const struct tool_matrix *matrix, char *why)
{
    if (matrix->type != GPUPRIM_U8 && matrix->type != GPUPRIM_U16)
        return tool_refuse(why,
                           "a .png file holds u8 and u16, not %s; a .npy or .csv file "
                           "holds every type, and convolve1d gives u8 with --as u8",
                           gp_type_name(matrix->type));
    return true;
}

bool tool_png_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    struct stream stream = { .file = file, .why = why };
    if (!holds(matrix, why))
        return false;
    if (!file)
        return true;
    if (!matrix->rows || !matrix->columns || matrix->rows > PNG_UINT_31_MAX ||
        matrix->columns > PNG_UINT_31_MAX)
        return tool_refuse(why,
                           "a .png file cannot hold %" PRIu64 " rows of %" PRIu64 " numbers",
                           matrix->rows, matrix->columns);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &stream, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info || tool_refuse(why, "not enough memory");
    if (good) {
        png_set_write_fn(png, &stream, write_bytes, flush);
        good = write_image(png, info, matrix);
    }
    png_destroy_write_struct(&png, &info);
    return good;
}

#else

static const char absent[] =
    "PNG needs libpng, which was not there when this gpuprim was built; "
    "install libpng-dev and build again, or convert the image to .ppm";

bool tool_png_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why)
{
    (void)file;
    (void)size;
    (void)out;
    return tool_refuse(why, "%s", absent);
}

bool tool_png_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    (void)file;
    (void)matrix;
    return tool_refuse(why, "%s", absent);
}

#endif
