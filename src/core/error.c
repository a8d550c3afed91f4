/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages: the texts of status codes, the thread's last error, and the log. */
#include "core.h"

#include <stdarg.h>
#include <stdio.h>

// Long enough for a sentence and the part of a compiler's log that matters. A thread's own, so
// that failures need no context and no lock.
static _Thread_local char last_error[8192];
static _Thread_local size_t message; // where the message begins, after the function's name
static _Thread_local const char *function; // the public function that was entered last

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

void gp_enter(const char *name)
{
    function = name;
}

int gp_fail(int code, const char *format, ...)
{
    const int n = function ? snprintf(last_error, sizeof last_error, "%s: ", function) : 0;
    message = n > 0 ? (size_t)n : 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error + message, sizeof last_error - message, format, arguments);
    va_end(arguments);
    return code;
}

int gp_reserved_check(const uint64_t reserved[4], const char *name)
{
    for (int i = 0; i < 4; i++)
        if (reserved[i])
            return gp_fail(GPUPRIM_E_ARG,
                           "%s: reserved[%d] is %llu, it must be 0: zero-initialise the struct",
                           name, i, (unsigned long long)reserved[i]);
    return GPUPRIM_OK;
}

const char *gp_last_message(void)
{
    return last_error + message;
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
#define CODE(name)                                                                             \
    {                                                                                          \
        CL_##name, "CL_" #name                                                                 \
    }
    // clang-format off
    CODE(DEVICE_NOT_FOUND), CODE(DEVICE_NOT_AVAILABLE), CODE(COMPILER_NOT_AVAILABLE),
    CODE(MEM_OBJECT_ALLOCATION_FAILURE), CODE(OUT_OF_RESOURCES), CODE(OUT_OF_HOST_MEMORY),
    CODE(PROFILING_INFO_NOT_AVAILABLE), CODE(MEM_COPY_OVERLAP), CODE(IMAGE_FORMAT_MISMATCH),
    CODE(IMAGE_FORMAT_NOT_SUPPORTED), CODE(BUILD_PROGRAM_FAILURE), CODE(MAP_FAILURE),
    CODE(MISALIGNED_SUB_BUFFER_OFFSET), CODE(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(COMPILE_PROGRAM_FAILURE),
    CODE(LINKER_NOT_AVAILABLE), CODE(LINK_PROGRAM_FAILURE), CODE(DEVICE_PARTITION_FAILED),
    CODE(KERNEL_ARG_INFO_NOT_AVAILABLE), CODE(INVALID_VALUE), CODE(INVALID_DEVICE_TYPE),
    CODE(INVALID_PLATFORM), CODE(INVALID_DEVICE), CODE(INVALID_CONTEXT),
    CODE(INVALID_QUEUE_PROPERTIES), CODE(INVALID_COMMAND_QUEUE), CODE(INVALID_HOST_PTR),
    CODE(INVALID_MEM_OBJECT), CODE(INVALID_IMAGE_FORMAT_DESCRIPTOR), CODE(INVALID_IMAGE_SIZE),
    CODE(INVALID_SAMPLER), CODE(INVALID_BINARY), CODE(INVALID_BUILD_OPTIONS),
    CODE(INVALID_PROGRAM), CODE(INVALID_PROGRAM_EXECUTABLE), CODE(INVALID_KERNEL_NAME),
    CODE(INVALID_KERNEL_DEFINITION), CODE(INVALID_KERNEL), CODE(INVALID_ARG_INDEX),
    CODE(INVALID_ARG_VALUE), CODE(INVALID_ARG_SIZE), CODE(INVALID_KERNEL_ARGS),
    CODE(INVALID_WORK_DIMENSION), CODE(INVALID_WORK_GROUP_SIZE), CODE(INVALID_WORK_ITEM_SIZE),
    CODE(INVALID_GLOBAL_OFFSET), CODE(INVALID_EVENT_WAIT_LIST), CODE(INVALID_EVENT),
    CODE(INVALID_OPERATION), CODE(INVALID_GL_OBJECT), CODE(INVALID_BUFFER_SIZE),
    CODE(INVALID_MIP_LEVEL), CODE(INVALID_GLOBAL_WORK_SIZE), CODE(INVALID_PROPERTY),
    CODE(INVALID_IMAGE_DESCRIPTOR), CODE(INVALID_COMPILER_OPTIONS),
    CODE(INVALID_LINKER_OPTIONS),
    CODE(INVALID_DEVICE_PARTITION_COUNT), CODE(INVALID_PIPE_SIZE), CODE(INVALID_DEVICE_QUEUE),
    // clang-format on
    { -1001, "no OpenCL platform" }, // the ICD loader's, where no driver is installed
};

const char *gpuprim_strerror(int code)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code)
            return texts[i].text;
    return "unknown status";
}
