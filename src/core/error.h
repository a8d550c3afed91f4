/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of failures, the log (error.c), and the environment variables (environment.c). Every
 * file of src/ includes OpenCL by way of this one.
 */
#ifndef GP_ERROR_H
#define GP_ERROR_H

// clCreateCommandQueue is the one that OpenCL 1.2 has.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <gpuprim/gpuprim_cl.h>

#include "types.h"

#if defined(__GNUC__)
#define GP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GP_PRINTF(text, first)
#endif

// Every public function that can fail, or leave a message, calls this first. gp_fail then puts
// the name before the message.
void gp_enter(const char *name);

// Stores the message for gpuprim_last_error() and returns `code`.
int gp_fail(int code, const char *format, ...) GP_PRINTF(2, 3);

// This thread's last message without the name of the function.
const char *gp_last_message(void);

// The same as gp_fail for an OpenCL code. `call` names the function that returned it.
int gp_fail_cl(cl_int code, const char *call);

// E_ARG where one of the reserved members is not zero. `name` is the struct's.
int gp_reserved_check(const uint64_t reserved[4], const char *name);

void gp_log(const gpuprim *gp, enum gpuprim_log_level level, const char *format, ...)
    GP_PRINTF(3, 4);

// What the environment asked for (docs/environment.md). The strings belong to the environment:
// copy what is kept.
struct gp_environment {
    const char *device;  // GPUPRIM_DEVICE
    const char *variant; // GPUPRIM_VARIANT
    uint64_t work_group; // GPUPRIM_WORK_GROUP, 0 = not set
};
void gp_environment_read(struct gp_environment *environment);

#endif
