/* SPDX-License-Identifier: Apache-2.0
 *
 * A lying device: the one that is there, which says of itself what a test wants to hear, and
 * keeps to it: what it said it cannot do, it refuses, with the code of OpenCL for that.
 */
#ifndef LIE_H
#define LIE_H

#include "check.h"

// Zero everywhere is the truth.
struct lie {
    const char *name;
    cl_device_type type; // CL_DEVICE_TYPE_GPU: the shapes for GPUs run on any device
    size_t work_group;   // items of a group at most
    size_t items;        // items of a group in the first dimension at most
    size_t kernel_group; // items of a group that every kernel allows at most
    bool local_is_less;  // there are local_bytes of local memory
    cl_ulong local_bytes;
    cl_ulong allocation; // bytes of the largest buffer
    cl_uint wave;        // width of a wavefront, as AMD's extension tells it
    bool is_plain;       // OpenCL 1.2 without extensions, double precision or SVM
    bool no_doubles;     // no double precision
    const char *broken;  // programs with this .cl file do not compile
    bool late_copies;    // a blocking clEnqueueWriteBufferRect comes back too early
    bool twice;          // every platform is there twice
};

// From now on the device lies so; NULL: it tells the truth. One lie at a time.
void lie_begin(const struct lie *lie);
void lie_end(void);

// Launches, buffers and arguments that the lie refused since lie_begin: none, where the library
// believes what it was told.
unsigned lie_refusals(void);

#endif
