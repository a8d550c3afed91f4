/* SPDX-License-Identifier: Apache-2.0
 *
 * Device models, their private part: the model in use, and the driver's functions, which
 * model.c, model_limits.c and copies.c replace or call. */
#ifndef MODEL_DRIVER_H
#define MODEL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "model.h"

extern struct device_model model_now; // all zero: the device as it is

// The functions that are replaced, and the driver's own ones as driver_NAME.
// clang-format off
#define MODEL_REPLACES(X) \
    X(clGetPlatformIDs) X(clGetDeviceInfo) X(clGetKernelWorkGroupInfo) X(clCreateContext) \
    X(clCreateBuffer) \
    X(clCreateProgramWithSource) X(clSetKernelArg) X(clEnqueueNDRangeKernel) \
    X(clEnqueueWriteBufferRect) X(clWaitForEvents) X(clFinish)
// These are only called: past the shim, which would count the calls.
#define MODEL_CALLS(X) \
    X(clGetCommandQueueInfo) X(clGetMemObjectInfo) X(clCreateUserEvent) X(clReleaseEvent) \
    X(clRetainEvent) X(clSetUserEventStatus) X(clRetainContext)
// clang-format on
#define MODEL_DECLARE(name) extern __typeof__(&name) driver_##name;
MODEL_REPLACES(MODEL_DECLARE)
MODEL_CALLS(MODEL_DECLARE)

// Counts a refusal and returns the code.
cl_int model_refuse(cl_int code);

// What stands in for each replaced function.
__typeof__(clGetPlatformIDs) model_clGetPlatformIDs;
__typeof__(clGetDeviceInfo) model_clGetDeviceInfo;
__typeof__(clGetKernelWorkGroupInfo) model_clGetKernelWorkGroupInfo;
__typeof__(clCreateContext) model_clCreateContext;
__typeof__(clCreateBuffer) model_clCreateBuffer;
__typeof__(clCreateProgramWithSource) model_clCreateProgramWithSource;
__typeof__(clSetKernelArg) model_clSetKernelArg;
__typeof__(clEnqueueNDRangeKernel) model_clEnqueueNDRangeKernel;
__typeof__(clEnqueueWriteBufferRect) model_clEnqueueWriteBufferRect;
__typeof__(clWaitForEvents) model_clWaitForEvents;
__typeof__(clFinish) model_clFinish;

// copies.c: makes the copy that is still held back.
void copies_finish(void);

#endif
