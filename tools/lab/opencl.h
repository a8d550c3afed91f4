/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenCL for the rows of the lab: opencl.c has programs, kernels and buffers, data.c buffers
 * with data, device.c sizes and what the device offers. measure.h measures launches.
 *
 * The first failure is kept in struct lab. Every function called after it does nothing, so that
 * a row need not check each step.
 *
 * The lab uses the private src/core/core.h: it runs its kernels in the library's context, and
 * it measures calls of the library by the events of their launches (struct gp_trace).
 */
#ifndef GP_LAB_OPENCL_H
#define GP_LAB_OPENCL_H

#include "lab.h"
#include "src/core/core.h"

enum { LAB_PROGRAMS = 24, LAB_KERNELS = 24, LAB_BUFFERS = 24 };

struct lab {
    gpuprim *gp;            // the lab uses its device and context
    cl_command_queue queue; // with profiling
    bool quick;
    double read_gbps, copy_gbps, fma_gflops; // ceilings measured on this device; 0 with --quick
    uint64_t n;                              // values in the sums: a power of two
    unsigned group;                          // items per group unless a row says otherwise
    unsigned largest;       // largest power of two of items per group that every kernel may use
    double others;          // processors that other programs kept busy when the lab was started
    struct lab_usage usage; // when the row began
    unsigned n_ceilings;    // how often the ceilings were measured

    // Belongs to the row that runs.
    cl_program programs[LAB_PROGRAMS];
    cl_kernel kernels[LAB_KERNELS];
    cl_mem buffers[LAB_BUFFERS];
    unsigned n_programs, n_kernels, n_buffers;
    bool failed;
    char why[1024];
};

// ---------------------------------------------------------------------------------------
// opencl.c

// Marks the row as failed. The first message is kept.
void lab_fail(struct lab *lab, const char *format, ...) TOOL_PRINTF(2, 3);
// Fails if `error` is not 0. Returns whether the row is still good.
bool lab_good(struct lab *lab, int error, const char *call);
void lab_release(struct lab *lab); // releases what the row created

// The compiler's output, which the caller frees; NULL = there is none.
char *lab_build_log(const struct lab *lab, cl_program program);

// Builds a file of tools/lab/kernels/ after a preamble of #define lines. `options`: NULL =
// OpenCL C 1.2.
cl_program lab_program(struct lab *lab, const char *file, const char *options,
                       const char *format, ...) TOOL_PRINTF(4, 5);
cl_kernel lab_kernel(struct lab *lab, cl_program program, const char *name);

// Sets arguments of a kernel, starting with number `first`:
//     LAB_SET(lab, kernel, 0, LAB_ARG(x), LAB_LOCAL(bytes));
struct lab_argument {
    size_t size;
    const void *value;
};
#define LAB_ARG(variable)                                                                      \
    {                                                                                          \
        sizeof(variable), &(variable)                                                          \
    }
#define LAB_LOCAL(bytes)                                                                       \
    {                                                                                          \
        bytes, NULL                                                                            \
    }
#define LAB_SET(lab, kernel, first, ...)                                                       \
    lab_set(lab, kernel, first, (const struct lab_argument[]){ __VA_ARGS__, { 0, NULL } })
void lab_set(struct lab *lab, cl_kernel kernel, cl_uint first,
             const struct lab_argument *arguments);

cl_mem lab_buffer(struct lab *lab, uint64_t bytes);
void lab_fill(struct lab *lab, cl_mem buffer, uint64_t bytes, cl_uint word);
void lab_write(struct lab *lab, cl_mem buffer, const void *data, size_t bytes);
void lab_read(struct lab *lab, cl_mem buffer, void *data, size_t bytes);
bool lab_same(struct lab *lab, cl_mem a, cl_mem b, uint64_t bytes); // compares bit by bit

// ---------------------------------------------------------------------------------------
// data.c: buffers filled by tools/lab/kernels/device.cl

cl_program lab_device_program(struct lab *lab);
cl_mem lab_hashed(struct lab *lab, uint64_t n); // u32 of random bits
cl_mem lab_small(struct lab *lab, uint64_t n);  // random i32 from -128 to 127
cl_mem lab_linear(struct lab *lab);             // lab->n values u32, and their sum modulo 2^32
cl_uint lab_linear_sum(uint64_t n);

// ---------------------------------------------------------------------------------------
// device.c

void lab_prepare(struct lab *lab); // queue, sizes and, unless --quick, ceilings

// The number of items of a row: 2^cpu_log2 or 2^gpu_log2, fewer on a device with little memory.
// `bytes`: per item of the row's largest buffer. All others together may have three times as
// many.
uint64_t lab_items(const struct lab *lab, unsigned cpu_log2, unsigned gpu_log2, unsigned bytes);

// What the device offers beyond OpenCL 1.2. lab_builtin_sum returns the compiler options for
// row A5, with which work_group_reduce_add or (*sub_groups) sub_group_reduce_add exists, or
// NULL.
const char *lab_builtin_sum(const struct lab *lab, bool *sub_groups);
bool lab_has_extension(const struct lab *lab, const char *name);
unsigned lab_opencl_major(const struct lab *lab);

#endif
