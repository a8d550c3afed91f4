/* SPDX-License-Identifier: Apache-2.0
 *
 * Creates a file. The content goes to a temporary file in the same folder, which is renamed at
 * the end. So the file appears at its path completely or not at all, and a subcommand may
 * replace the file that it reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

// Creates a file with an unused name in the folder of `path`.
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

int tool_output_open(const char *path, struct tool_output *out)
{
    struct stat status;

    // The rename would replace a device such as /dev/null instead of writing to it.
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return tool_fail(TOOL_FAILED, "%s: is not a regular file, so it is not replaced", path);

    out->path = path;
    out->file = open_beside(path, out->temporary, sizeof out->temporary);
    if (!out->file)
        return tool_fail(TOOL_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    return TOOL_GOOD;
}

int tool_output_close(struct tool_output *out)
{
    bool good = fflush(out->file) == 0 && !ferror(out->file);
    good = fclose(out->file) == 0 && good;
    if (good && rename(out->temporary, out->path) == 0)
        return TOOL_GOOD;
    const int code =
        tool_fail(TOOL_FAILED, "%s: cannot be written: %s", out->path, strerror(errno));
    unlink(out->temporary);
    return code;
}
