/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes .npy files, version 1.0. npy_read.c describes the format.
 */
#include <inttypes.h>

#include "files.h"
#include "src/core/types.h" // sizes and names of types

static void write_array(FILE *file, enum gpuprim_type type, const void *data, int n_dims,
                        const uint64_t *shape)
{
    const size_t item = gp_type_size(type);
    char second[24] = "", text[128];
    if (n_dims == 2)
        snprintf(second, sizeof second, " %" PRIu64, shape[1]);
    // numpy names a type by the same letter as this project: i, u, f.
    snprintf(text, sizeof text,
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%" PRIu64 ",%s), }",
             item == 1 ? '|' : '<', gp_type_name(type)[0], item, shape[0], second);

    // The header ends with a newline, and the data starts at a multiple of 64 bytes.
    enum { BEFORE = 10, LENGTH = 128 - BEFORE };
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    putc(LENGTH & 0xff, file);
    putc(LENGTH >> 8, file);
    fprintf(file, "%-*s\n", LENGTH - 1, text);

    const size_t count = (size_t)(n_dims == 2 ? shape[0] * shape[1] : shape[0]);
    fwrite(data, item, count, file);
}

int tool_npy_write(const char *path, enum gpuprim_type type, const void *data, int n_dims,
                   const uint64_t *shape)
{
    struct tool_output out;
    const int code = tool_output_open(path, &out);
    if (code != TOOL_GOOD)
        return code;
    write_array(out.file, type, data, n_dims, shape);
    return tool_output_close(&out);
}
