/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes images in the formats PGM and PPM, with bytes (P5 and P6). pnm_read.c describes them. A
 * number above the one that means white is written as white.
 */
#include <inttypes.h>
#include <string.h>

#include "files.h"
#include "src/core/types.h" // names of types

static void put_numbers(FILE *file, const struct tool_matrix *matrix, unsigned largest)
{
    const uint8_t *bytes = matrix->data;
    const uint16_t *words = matrix->data;
    const bool is_wide = matrix->type == GPUPRIM_U16;
    for (uint64_t i = 0; i < matrix->rows * matrix->columns; i++) {
        const unsigned stored = is_wide ? words[i] : bytes[i];
        const unsigned number = stored < largest ? stored : largest;
        if (largest > UINT8_MAX)
            putc((int)(number >> 8), file);
        putc((int)(number & 0xff), file);
    }
}

bool tool_pnm_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    const struct tool_image *image = &matrix->image;
    const unsigned channels = image->channels ? image->channels : 1,
                   largest = image->largest                ? image->largest
                             : matrix->type == GPUPRIM_U16 ? UINT16_MAX
                                                           : UINT8_MAX;
    if (matrix->type != GPUPRIM_U8 && matrix->type != GPUPRIM_U16)
        return tool_refuse(why,
                           "a .%s file holds u8 and u16, not %s; a .npy or .csv file "
                           "holds every type, and convolve1d gives u8 with --as u8",
                           matrix->ending, gp_type_name(matrix->type));
    if (channels != 3 && (channels != 1 || !strcmp(matrix->ending, "ppm")))
        return tool_refuse(why,
                           "a .%s file cannot hold an image of %u channels; write a .%s file",
                           matrix->ending, channels, channels == 1 ? "pgm" : "png");
    if (channels == 3 && !strcmp(matrix->ending, "pgm"))
        return tool_refuse(why, "a .pgm file holds grey images; colours need a .ppm file");
    if (!file)
        return true;
    if (!matrix->rows || !matrix->columns)
        return tool_refuse(why, "an image without pixels cannot be written");
    fprintf(file, "P%d\n%" PRIu64 " %" PRIu64 "\n%u\n", channels == 3 ? 6 : 5,
            matrix->columns / channels, matrix->rows, largest);
    put_numbers(file, matrix, largest);
    return true;
}
