/* SPDX-License-Identifier: Apache-2.0
 *
 * Creates a file. The content goes to a temporary file in the same folder, which is renamed at
 * the end. So the file appears at its path completely or not at all, and a subcommand may
 * replace the file that it reads. A link stays, and the file that it leads to is replaced. The
 * name "-" is standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

bool tool_is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

int tool_output_open(const char *path, struct tool_output *out)
{
    struct stat status;

    *out = (struct tool_output){ .path = path };
    if (tool_is_standard(path)) {
        out->file = stdout;
        if (isatty(STDOUT_FILENO))
            return tool_fail(TOOL_FAILED, "standard output is a terminal; a file or a pipe can "
                                          "take the numbers");
        return TOOL_GOOD;
    }
    // The rename would replace a device such as /dev/null instead of writing to it.
    const bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return tool_fail(TOOL_FAILED, "%s: is not a regular file, so it is not replaced", path);

    out->target = exists ? realpath(path, NULL) : strdup(path);
    if (out->target)
        out->file = open_beside(out->target, out->temporary, sizeof out->temporary);
    if (out->file)
        return TOOL_GOOD;
    const int code = tool_fail(TOOL_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    free(out->target);
    return code;
}

static void forget(const struct tool_output *out)
{
    if (out->file != stdout)
        unlink(out->temporary);
}

int tool_output_close(struct tool_output *out)
{
    const bool is_output = out->file == stdout;
    bool good = fflush(out->file) == 0 && !ferror(out->file);
    if (!is_output) {
        good = fclose(out->file) == 0 && good;
        good = good && rename(out->temporary, out->target) == 0;
    }
    int code = TOOL_GOOD;
    if (!good) {
        code = tool_fail(TOOL_FAILED, "%s: cannot be written: %s",
                         is_output ? "standard output" : out->path, strerror(errno));
        forget(out);
    }
    free(out->target);
    return code;
}

void tool_output_drop(struct tool_output *out)
{
    if (out->file != stdout)
        fclose(out->file);
    forget(out);
    free(out->target);
}
