/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes text that csv_read.c parses: a line for each row of a matrix, with commas between its
 * numbers; of a vector each number has a line of its own. Floats have the fewest digits that read
 * back to the same bits of their type.
 */
#include "files.h"
#include "src/core/types.h" // sizes of types
#include "tools/print.h"

bool tool_csv_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    const size_t item = gp_type_size(matrix->type);
    const uint64_t columns = matrix->n_dims == 2 ? matrix->columns : 1;
    const char *value = matrix->data;
    char text[TOOL_NUMBER];
    if (matrix->type == GPUPRIM_C32)
        return tool_refuse(why, "a .csv file cannot hold complex numbers; a .npy file can");
    if (!file)
        return true;
    for (uint64_t i = 0; i < matrix->rows * matrix->columns; i++, value += item) {
        fputs(tool_number(matrix->type, value, text), file);
        putc((i + 1) % columns ? ',' : '\n', file);
    }
    return true;
}
