/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the numbers of a file in the order that the library takes: little-endian, row by row, and
 * aligned to their type. They are copied only where the file has them in another way.
 */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "src/core/types.h" // sizes of types

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The files hold little-endian numbers, which this program uses without conversion."
#endif

static void copy_number(unsigned char *to, const unsigned char *from, size_t bytes, bool swap)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[swap ? bytes - 1 - i : i];
}

// Copies the numbers into row-major order.
static void copy(const struct tool_matrix *matrix, unsigned char *to)
{
    const unsigned char *from = matrix->data;
    const size_t item = gp_type_size(matrix->type), rows = (size_t)matrix->rows,
                 columns = (size_t)matrix->columns;
    const size_t part = matrix->type == GPUPRIM_C32 ? item / 2 : item; // of a complex number
    if (!matrix->is_big_endian && !matrix->is_by_columns) {
        memcpy(to, from, rows * columns * item);
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            const size_t at = matrix->is_by_columns ? c * rows + r : r * columns + c;
            for (size_t p = 0; p < item; p += part)
                copy_number(to + (r * columns + c) * item + p, from + at * item + p, part,
                            matrix->is_big_endian);
        }
    }
}

bool tool_arrange(struct tool_matrix *matrix, char *why)
{
    const size_t item = gp_type_size(matrix->type);
    const size_t alignment = matrix->type == GPUPRIM_C32 ? item / 2 : item;
    if ((uintptr_t)matrix->data % alignment == 0 && !matrix->is_big_endian &&
        !matrix->is_by_columns)
        return true;
    const size_t bytes = (size_t)(matrix->rows * matrix->columns) * item;
    void *numbers = malloc(bytes + 1);
    if (!numbers)
        return tool_refuse(why, "not enough memory for %zu bytes", bytes);
    copy(matrix, numbers);
    free(matrix->owned); // numbers that the parser converted
    matrix->data = matrix->owned = numbers;
    matrix->is_big_endian = matrix->is_by_columns = false;
    return true;
}
