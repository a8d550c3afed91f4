/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a file as a matrix. The file is mapped and its numbers are used in place, so that a
 * file larger than the memory can be reduced. The first bytes of the file decide which parser
 * reads it (npy_read.c or wav_read.c); its name does not matter. If another program truncates
 * the file meanwhile, SIGBUS ends this program, as it does for every mapped file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "src/core/types.h" // sizes and names of types

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The files hold little-endian numbers, which this program uses without conversion."
#endif

// Maps the whole file read-only. On failure stores a message in `why` and returns false.
static bool map_file(const char *path, struct tool_matrix *out, char *why)
{
    // Without O_NONBLOCK, opening a pipe that has no writer would block.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return tool_refuse(why, "%s", strerror(errno));

    struct stat status;
    bool good = false;
    if (fstat(fd, &status) != 0)
        tool_refuse(why, "%s", strerror(errno));
    else if (S_ISDIR(status.st_mode))
        tool_refuse(why, "is a directory");
    else if (!S_ISREG(status.st_mode))
        tool_refuse(why, "is not a regular file; only regular files can be mapped");
    else if (status.st_size == 0)
        tool_refuse(why, "is empty");
    else if ((uint64_t)status.st_size > SIZE_MAX)
        tool_refuse(why, "is larger than the address space of this machine");
    else {
        out->map_bytes = (size_t)status.st_size;
        void *map = mmap(NULL, out->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            tool_refuse(why, "cannot be mapped: %s", strerror(errno));
        } else {
            out->map = map;
            good = true;
        }
    }
    close(fd);
    return good;
}

static bool raw_parse(enum gpuprim_type type, size_t size, struct tool_matrix *out, char *why)
{
    const size_t item = gp_type_size(type);
    if (size % item)
        return tool_refuse(why, "has %zu bytes, which is not a multiple of the %zu bytes of %s",
                           size, item, gp_type_name(type));
    out->type = type;
    out->data = out->map;
    out->rows = 1;
    out->columns = size / item;
    out->n_dims = 1;
    return true;
}

// The library requires arrays that are aligned to their element type. The numbers are copied
// where the header of the file breaks that, such as the 44 bytes before 64-bit samples in a
// .wav file.
static bool align(struct tool_matrix *matrix, char *why)
{
    const size_t item = gp_type_size(matrix->type);
    const size_t alignment = matrix->type == GPUPRIM_C32 ? item / 2 : item;
    if ((uintptr_t)matrix->data % alignment == 0)
        return true;
    const size_t bytes = (size_t)(matrix->rows * matrix->columns) * item;
    matrix->owned = malloc(bytes ? bytes : 1);
    if (!matrix->owned)
        return tool_refuse(why, "not enough memory for %zu bytes", bytes);
    memcpy(matrix->owned, matrix->data, bytes);
    matrix->data = matrix->owned;
    return true;
}

int tool_matrix_open(const char *path, enum gpuprim_type raw, struct tool_matrix *out)
{
    char why[TOOL_MESSAGE] = "";
    bool good;

    *out = (struct tool_matrix){ 0 };
    if (!map_file(path, out, why))
        return tool_fail(TOOL_FAILED, "%s: %s", path, why);

    const unsigned char *bytes = out->map;
    const size_t size = out->map_bytes;
    if (raw)
        good = raw_parse(raw, size, out, why);
    else if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        good = tool_npy_parse(bytes, size, out, why);
    else if (size >= 4 && memcmp(bytes, "RIFF", 4) == 0)
        good = tool_wav_parse(bytes, size, out, why);
    else
        good = tool_refuse(
            why, "is neither a .npy nor a .wav file; for bare numbers use --raw TYPE");

    if (good && align(out, why))
        return TOOL_GOOD;
    tool_matrix_close(out);
    return tool_fail(TOOL_FAILED, "%s: %s", path, why);
}

void tool_matrix_close(struct tool_matrix *matrix)
{
    if (matrix->map)
        munmap(matrix->map, matrix->map_bytes);
    free(matrix->owned);
    *matrix = (struct tool_matrix){ 0 };
}
