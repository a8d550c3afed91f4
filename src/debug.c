/* SPDX-License-Identifier: Apache-2.0
 *
 * Words: status codes, the thread's last error, the log, and the environment, which is read
 * here and nowhere else. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Long enough for a sentence and the part of a compiler's log that matters. A thread's own, so
// that failures need no context and no lock.
static _Thread_local char last_error[8192];

const char *gpuprim_last_error(void)
{
    return last_error[0] ? last_error : "no failure in this thread";
}

const char *gpuprim_version(void)
{
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
    return TEXT(GPUPRIM_VERSION_MAJOR) "." TEXT(GPUPRIM_VERSION_MINOR) "." TEXT(
        GPUPRIM_VERSION_PATCH);
}

int gp_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return code;
}

int gp_fail_cl(cl_int code, const char *call)
{
    return gp_fail(code, "%s: %s (%d)", call, gpuprim_strerror(code), (int)code);
}

void gp_log(const gpuprim *gp, enum gpuprim_log_level level, const char *format, ...)
{
    if (!gp->log || level > gp->log_level)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gp->log(gp->log_user, level, text);
}

void gp_environment_read(struct gp_environment *environment)
{
    environment->device = secure_getenv("GPUPRIM_DEVICE");
    environment->variant = secure_getenv("GPUPRIM_VARIANT");
    const char *work_group = secure_getenv("GPUPRIM_WORK_GROUP");
    environment->work_group = work_group ? strtoull(work_group, NULL, 10) : 0;
}

static const struct {
    int code;
    const char *text;
} texts[] = {
    { GPUPRIM_OK, "success" },
    { GPUPRIM_E_ARG, "bad argument" },
    { GPUPRIM_E_RANGE, "array out of range" },
    { GPUPRIM_E_TYPE, "type not offered here" },
    { GPUPRIM_E_MEMORY, "out of host memory" },
    { GPUPRIM_E_BUILD, "kernel did not compile" },
    { GPUPRIM_E_NO_DEVICE, "no OpenCL device" },
    { GPUPRIM_E_UNSUPPORTED, "not supported by this device" },
    { GPUPRIM_E_FORKED, "context used after fork" },
    { CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND" },
    { CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE" },
    { CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE" },
    { CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
    { CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES" },
    { CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY" },
    { CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP" },
    { CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE" },
    { CL_MAP_FAILURE, "CL_MAP_FAILURE" },
    { CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET" },
    { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
      "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST" },
    { CL_INVALID_VALUE, "CL_INVALID_VALUE" },
    { CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM" },
    { CL_INVALID_DEVICE, "CL_INVALID_DEVICE" },
    { CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT" },
    { CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES" },
    { CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE" },
    { CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR" },
    { CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT" },
    { CL_INVALID_BINARY, "CL_INVALID_BINARY" },
    { CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS" },
    { CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM" },
    { CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE" },
    { CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME" },
    { CL_INVALID_KERNEL, "CL_INVALID_KERNEL" },
    { CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX" },
    { CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE" },
    { CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE" },
    { CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS" },
    { CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION" },
    { CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE" },
    { CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE" },
    { CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET" },
    { CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST" },
    { CL_INVALID_EVENT, "CL_INVALID_EVENT" },
    { CL_INVALID_OPERATION, "CL_INVALID_OPERATION" },
    { CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE" },
    { CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE" },
    { -1001, "no OpenCL platform" }, // the ICD loader's, where no driver is installed
};

const char *gpuprim_strerror(int code)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code)
            return texts[i].text;
    return "unknown status";
}
