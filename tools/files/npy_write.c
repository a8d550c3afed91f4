/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes .npy files, version 1.0 (npy_read.c describes the format), and files of bare numbers.
 */
#include <inttypes.h>

#include "files.h"
#include "src/core/types.h" // sizes and names of types

bool tool_raw_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    (void)why;
    if (file)
        fwrite(matrix->data, gp_type_size(matrix->type),
               (size_t)(matrix->rows * matrix->columns), file);
    return true;
}

bool tool_npy_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    const size_t item = gp_type_size(matrix->type);
    char shape[64], text[128];
    if (!file)
        return true;
    if (matrix->n_dims == 2)
        snprintf(shape, sizeof shape, "%" PRIu64 ", %" PRIu64, matrix->rows, matrix->columns);
    else
        snprintf(shape, sizeof shape, "%" PRIu64 ",", matrix->columns);
    // numpy names a type by the same letter as this project: i, u, f, c.
    snprintf(text, sizeof text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
             item == 1 ? '|' : '<', gp_type_name(matrix->type)[0], item, shape);

    // The header ends with a newline, and the data starts at a multiple of 64 bytes.
    enum { BEFORE = 10, LENGTH = 128 - BEFORE };
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    putc(LENGTH & 0xff, file);
    putc(LENGTH >> 8, file);
    fprintf(file, "%-*s\n", LENGTH - 1, text);
    return tool_raw_write(file, matrix, why);
}
