/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a file. A regular file is mapped, so that it may be larger than the memory. A pipe,
 * and standard input for the name "-", is read to its end.
 *
 * If another program truncates a mapped file meanwhile, SIGBUS ends this program, as it does for
 * every mapped file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "tools/progress.h"

static bool map(int fd, const struct stat *status, struct tool_content *out, char *why)
{
    if ((uint64_t)status->st_size > SIZE_MAX)
        return tool_refuse(why, "is larger than the address space of this machine");
    out->size = (size_t)status->st_size;
    if (out->size == 0)
        return true;
    void *bytes = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return tool_refuse(why, "cannot be mapped: %s", strerror(errno));
    out->bytes = bytes;
    out->is_mapped = true;
    return true;
}

// Makes room for at least one more byte.
static bool grow(struct tool_content *out, size_t *room)
{
    enum { FIRST = 1 << 16 };
    if (out->size < *room)
        return true;
    *room = *room ? 2 * *room : FIRST;
    void *larger = realloc(out->bytes, *room);
    if (larger)
        out->bytes = larger;
    return larger != NULL;
}

static bool read_more(int fd, struct tool_content *out, char *why)
{
    size_t room = 0;
    ssize_t n = 1;
    while (n) {
        if (!grow(out, &room))
            return tool_refuse(why, "not enough memory for more than %zu bytes", out->size);
        n = read(fd, out->bytes + out->size, room - out->size);
        if (n < 0 && errno != EINTR)
            return tool_refuse(why, "cannot be read: %s", strerror(errno));
        out->size += n > 0 ? (size_t)n : 0;
        tool_progress_bytes(out->size);
    }
    return true;
}

static bool read_all(int fd, struct tool_content *out, char *why)
{
    tool_progress_begin("reading");
    const bool good = read_more(fd, out, why);
    tool_progress_end();
    return good;
}

static bool take(int fd, bool is_input, struct tool_content *out, char *why)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return tool_refuse(why, "%s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return tool_refuse(why, "is a directory");
    if (is_input && isatty(fd))
        return tool_refuse(why, "is a terminal; the numbers must come from a file or a pipe");
    if (S_ISREG(status.st_mode) && (!is_input || lseek(fd, 0, SEEK_CUR) == 0))
        return map(fd, &status, out, why);
    if (is_input || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return read_all(fd, out, why);
    return tool_refuse(why, "is neither a regular file nor a pipe");
}

bool tool_content_open(const char *path, struct tool_content *out, char *why)
{
    const bool is_input = strcmp(path, "-") == 0;
    *out = (struct tool_content){ 0 };
    const int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tool_refuse(why, "%s", strerror(errno));
    bool good = take(fd, is_input, out, why);
    if (good && out->size == 0)
        good = tool_refuse(why, "is empty");
    if (!is_input)
        close(fd);
    if (!good)
        tool_content_close(out);
    return good;
}

void tool_content_close(struct tool_content *content)
{
    if (content->is_mapped)
        munmap(content->bytes, content->size);
    else
        free(content->bytes);
    *content = (struct tool_content){ 0 };
}
