/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes .npy files, version 1.0 (npy.c has the format). The file appears at its path whole or
 * not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools.h"

static bool write_array(FILE *file, enum gpuprim_type type, const void *data, int n_dims,
                        const uint64_t *shape)
{
    const size_t item = gp_type_size(type);
    char second[24] = "", text[128];
    if (n_dims == 2)
        snprintf(second, sizeof second, " %" PRIu64, shape[1]);
    // numpy's letter for a type is ours.
    snprintf(text, sizeof text,
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%" PRIu64 ",%s), }",
             item == 1 ? '|' : '<', gp_type_name(type)[0], item, shape[0], second);

    // The header ends in a newline, and the data begins at a multiple of 64 bytes.
    enum { BEFORE = 10, LENGTH = 128 - BEFORE };
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    putc(LENGTH & 0xff, file);
    putc(LENGTH >> 8, file);
    fprintf(file, "%-*s\n", LENGTH - 1, text);

    const size_t count = (size_t)(n_dims == 2 ? shape[0] * shape[1] : shape[0]);
    fwrite(data, item, count, file);
    return fflush(file) == 0 && !ferror(file);
}

// Creates a file of a name that nobody has, beside `path`.
static FILE *open_beside(const char *path, char *name, size_t size)
{
    for (int i = 0; i < 100; i++) {
        if (snprintf(name, size, "%s.%ld-%d.tmp", path, (long)getpid(), i) >= (int)size) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fdopen(fd, "wb");
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

int tool_npy_write(const char *path, enum gpuprim_type type, const void *data, int n_dims,
                   const uint64_t *shape)
{
    char temporary[4096];
    struct stat status;

    // The rename would replace a device such as /dev/null, not write to it.
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return tool_fail(TOOL_FAILED, "%s: is not a regular file, not replaced", path);

    FILE *file = open_beside(path, temporary, sizeof temporary);
    if (!file)
        return tool_fail(TOOL_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    bool good = write_array(file, type, data, n_dims, shape);
    good = fclose(file) == 0 && good;
    if (good && rename(temporary, path) == 0)
        return TOOL_GOOD;
    const int code = tool_fail(TOOL_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    unlink(temporary);
    return code;
}
