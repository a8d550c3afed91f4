/* SPDX-License-Identifier: Apache-2.0
 *
 * Device models: the library sees another device than the one it runs on. The device that is
 * there answers queries as the model says. It also refuses what the model cannot do, with
 * OpenCL's own code. So kernels for GPUs run on PoCL, and small, old or odd devices are tested
 * without having one.
 *
 * model.c answers queries, model_limits.c refuses, copies.c checks and delays copies. All three
 * replace functions behind the shim (shim.h).
 */
#ifndef MODEL_H
#define MODEL_H

#include "check.h"

// A member that is zero stays as the device has it.
struct device_model {
    const char *name;
    cl_device_type type;
    cl_uint units;       // compute units
    size_t work_group;   // most items of a group
    size_t items;        // most items of a group in the first dimension
    size_t kernel_group; // most items of a group, of every kernel
    bool local_is_less;  // local memory has at most local_bytes
    cl_ulong local_bytes;
    cl_ulong allocation; // bytes of the largest buffer
    cl_uint wave;        // width of a wavefront, told by AMD's extension
    bool is_plain;       // OpenCL 1.2 without extensions, double precision or SVM
    bool no_doubles;     // no double precision
    const char *broken;  // programs with this .cl file do not compile
    bool late_copies;    // a blocking clEnqueueWriteBufferRect returns too early
    bool twice;          // every platform is listed twice
};

// Processors and memory as they are here, but no CPU: kernels for GPUs are chosen, and host
// arrays are copied to the device. PoCL compiles small groups sooner.
extern const struct device_model model_gpu;

// From now on the device is as the model says. One model at a time.
void model_begin(const struct device_model *model);
void model_end(void);

// Launches, buffers and arguments that were refused since model_begin: none, if the library
// believes what it was told.
unsigned model_refusals(void);

// Whether the device under test is a CPU, whatever a model says.
bool model_device_is_cpu(void);

// gpuprim_create on the device under test, found by its own type before the model changes it.
// On CPUs all of these contexts share one of OpenCL's.
int model_create(const struct device_model *model, const struct gpuprim_options *options,
                 gpuprim **out);

// As check_context, but what the context asks of the device while it is created is answered as
// the model says; NULL: no model. The device refuses nothing. A GPU keeps its work-groups.
gpuprim *check_context_on(struct check *check, const struct device_model *model,
                          const char *variant, unsigned work_group);

#endif
