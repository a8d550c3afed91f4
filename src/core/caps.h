/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device can do (caps.c); which devices there are, and which one is meant (devices.c).
 */
#ifndef GP_CAPS_H
#define GP_CAPS_H

#include "error.h"

struct gp_caps {
    char device[128], platform[128], driver[128], version[128];
    bool is_gpu;
    bool is_cpu;    // host arrays are used in place
    bool is_nvidia; // inline PTX and -cl-nv-verbose are there
    unsigned ptx;   // compute capability (90 = 9.0) where kernels may use inline PTX, else 0
    bool counts_arrivals; // kernels may use arrive() of kernels/common.cl
    bool has_fp64;
    bool has_fast_fp64;   // and multiplies half as many f64 as f32, at least
    bool has_svm;         // OpenCL 2.0 or later, at least coarse-grained
    bool divides_exactly; // correctly rounded f32 division on request
    unsigned compute_units;
    unsigned width;          // warp, wavefront or SIMD width: work-groups are multiples of it
    unsigned vector_bytes;   // of the device's native vector of f32: a register, on a CPU
    unsigned registers;      // of 32 bits per compute unit; 0 = the driver does not say
    uint64_t max_work_group; // the least of the work-group and the work-item limit
    uint64_t local_bytes;
    uint64_t max_alloc_bytes;
    uint64_t global_bytes;
    size_t max_parameter_bytes; // of a kernel's arguments together
    // cl_nv_create_buffer, or NULL: memory on the host that kernels write to directly.
    cl_mem(CL_API_CALL *create_buffer_nv)(cl_context, cl_mem_flags, cl_bitfield flags_nv,
                                          size_t, void *, cl_int *);
};

// Fills *caps. Fails with E_UNSUPPORTED where the device cannot run gpuprim at all.
int gp_caps_query(cl_device_id device, struct gp_caps *caps);

// Every device of every platform, in the order in which `gpuprim info` counts them. A platform
// that fails or has no devices is passed over. A device counts once, also where its driver is
// registered twice. Returns how many there are and stores at most `limit`.
unsigned gp_devices(cl_device_id *devices, unsigned limit);

// The device that `text` names (see struct gpuprim_options), or the best one if it is NULL.
int gp_device_find(const char *text, cl_device_id *out);

#endif
