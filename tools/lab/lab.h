/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim lab: what its files share. A row is a technique, as a kernel or a pair of them in
 * tools/lab/kernels/, with a function that checks the answers and measures the times.
 */
#ifndef GP_LAB_H
#define GP_LAB_H

#include <stdio.h>

#include "src/core/core.h"
#include "tools/command.h"

// ---------------------------------------------------------------------------------------
// Rows and what comes of them

enum lab_status { LAB_OK, LAB_EXPECTED_WRONG, LAB_NOT_OFFERED, LAB_FAILED };

// A curve or two over a parameter.
enum { LAB_POINTS = 12 };
struct lab_sweep {
    const char *x_name, *y_name;
    const char *names[2]; // of the curves; the second may be NULL
    unsigned n_points;
    double x[LAB_POINTS], y[2][LAB_POINTS];
};

struct lab_result {
    enum lab_status status;
    double before, after; // seconds; 0 = there is none
    double share;         // of the device's ceiling that `after` reaches; 0 = none is meant
    char text[1024];
    struct lab_sweep sweep;
};

struct lab;
struct lab_row {
    const char *id;
    const char *title; // one line for --list
    void (*run)(struct lab *lab, const char *id, struct lab_result *result);
};

// One family of rows each, ended by a row without an ID.
extern const struct lab_row lab_sums[], lab_convolutions[], lab_branches[],
    lab_classifications[], lab_rules[], lab_memory_rules[], lab_warps[], lab_memory_warps[];

void lab_axes(struct lab_sweep *sweep, const char *x, const char *y, const char *curve,
              const char *other);                                        // `other` may be NULL
void lab_point(struct lab_sweep *sweep, double x, double y0, double y1); // appended

// Appends to result->text.
void lab_say(struct lab_result *result, const char *format, ...) GP_PRINTF(2, 3);

// sums_table.c: the article's times of a row, in ms on its two GPUs; false where it has
// none.
bool lab_article(const char *id, double *iris_xe, double *hd_630);

// print.c
void lab_print_header(const struct lab *lab);
void lab_print_ceilings(const struct lab *lab);
void lab_print_row(const struct lab_row *row, const struct lab_result *result);
void lab_print_table(const struct lab *lab, const struct lab_row *const *rows,
                     const struct lab_result *results, unsigned n);
void lab_print_json(FILE *file, const struct lab_row *const *rows,
                    const struct lab_result *results, unsigned n);

// plot.c: which rows are curves; and an SVG file of theirs. The latter returns an exit
// code.
bool lab_is_curve(const struct lab_row *row);
int lab_plot(const char *path, const struct lab_row *const *rows,
             const struct lab_result *results, unsigned n);

// ---------------------------------------------------------------------------------------
// run.c, conclude.c: OpenCL for rows. The first failure stays in the lab, and what is
// called after it does nothing, so that a row need not ask after each step.

enum { LAB_PROGRAMS = 24, LAB_KERNELS = 24, LAB_BUFFERS = 24 };

struct lab {
    gpuprim *gp;            // its device and context are the lab's
    cl_command_queue queue; // with profiling
    bool quick;
    double read_gbps, copy_gbps, fma_gflops; // of this device, measured; 0 = quick
    uint64_t n;                              // values of the sums: a power of two
    unsigned group;                          // items per group where nothing else is said
    unsigned largest;                        // a power of two that every kernel may ask for

    // Of the row that runs.
    cl_program programs[LAB_PROGRAMS];
    cl_kernel kernels[LAB_KERNELS];
    cl_mem buffers[LAB_BUFFERS];
    unsigned n_programs, n_kernels, n_buffers;
    bool failed;
    char why[1024];
};

// Sets `failed` and the words, unless there are some. lab_good() is true while all is well.
void lab_fail(struct lab *lab, const char *format, ...) GP_PRINTF(2, 3);
bool lab_good(struct lab *lab, int error, const char *call);
void lab_release(struct lab *lab); // at the end of a row

// What the compiler said, to be freed; NULL = nothing.
char *lab_build_log(const struct lab *lab, cl_program program);

// A file of tools/lab/kernels/ behind a preamble of #define lines. `options`: NULL = OpenCL C 1.2.
cl_program lab_program(struct lab *lab, const char *file, const char *options,
                       const char *format, ...) GP_PRINTF(4, 5);
cl_kernel lab_kernel(struct lab *lab, cl_program program, const char *name);

// Arguments of a kernel, from the first or a later one on:
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
cl_mem lab_hashed(struct lab *lab, uint64_t n); // words of random bits, see device.cl
cl_mem lab_small(struct lab *lab, uint64_t n);  // random ints from -128 to 127
void lab_fill(struct lab *lab, cl_mem buffer, uint64_t bytes, cl_uint word);
void lab_write(struct lab *lab, cl_mem buffer, const void *data, size_t bytes);
void lab_read(struct lab *lab, cl_mem buffer, void *data, size_t bytes);
bool lab_same(struct lab *lab, cl_mem a, cl_mem b, uint64_t bytes); // bit by bit

// What is timed: a kernel, or a call of the library.
struct lab_launch {
    cl_kernel kernel;
    uint64_t items;
    size_t group;
    cl_mem zeroed; // its first word is set to 0 before; NULL = nothing is
    int (*call)(struct lab *lab, const void *what, const struct gpuprim_sync *sync);
    const void *what;
    // Of the device, set by lab_time: the median, and what lies between the quartiles over it.
    double seconds, spread;
};
double lab_once(struct lab *lab, const struct lab_launch *launch); // waits; returns seconds
void lab_time(struct lab *lab, struct lab_launch *launches, unsigned n); // by turns

// What a row does at least; its share is the time that the device's ceilings allow for it over
// the time it took.
struct lab_work {
    double read, copied; // bytes; what is written counts twice, as a copy's
    double flops;        // a multiply-add counts 2
    unsigned passes;     // over the same bytes; 0 = one
};
// 0 where the bytes bound it and may sit in a cache, as the ceilings are those of the memory.
double lab_share(const struct lab *lab, const struct lab_work *work, double seconds);

// Why a row came out as it did: faster, or not on a CPU, or not on a GPU.
struct lab_reasons {
    const char *gain, *cpu, *gpu;
    const char *cpu_gain; // where a CPU is faster for another reason; NULL = for the same
};
// Fills before, after, share and the sentence. A difference below a tenth, or below the spread
// of either, is none. `before` may be NULL.
void lab_conclude(struct lab *lab, const struct lab_launch *before,
                  const struct lab_launch *after, const struct lab_work *work,
                  const struct lab_reasons *reasons, struct lab_result *result);

// Two launches whose outputs must be the same: checked, timed, concluded.
struct lab_pair {
    struct lab_launch before, after;
    cl_mem out_before, out_after;
    uint64_t bytes; // of either
    struct lab_work work;
    struct lab_reasons reasons;
};
// Of kernels whose first arguments are x and y, with outputs of `bytes` each.
struct lab_pair lab_pair_of(struct lab *lab, cl_kernel before, cl_kernel after, cl_mem x,
                            uint64_t items, uint64_t bytes);
void lab_pair(struct lab *lab, struct lab_pair *pair, struct lab_result *result);

// device.c: sizes for the device, its ceilings where a row will need them, and x[i] for the
// sums, whose sum modulo 2^32 has a closed form.
void lab_prepare(struct lab *lab);
void lab_raise_ceilings(struct lab *lab); // measures them again; the higher ones stay
// Of a row, whose largest buffer has so many bytes of an item and whose others together three
// times as many at most.
uint64_t lab_items(const struct lab *lab, unsigned cpu_log2, unsigned gpu_log2, unsigned bytes);
cl_mem lab_linear(struct lab *lab);
cl_uint lab_linear_sum(uint64_t n);

// What is beyond OpenCL 1.2. The first returns the compiler's options for row A5, with one of
// work_group_reduce_add and sub_group_reduce_add, or NULL.
const char *lab_builtin_sum(const struct lab *lab, bool *sub_groups);
bool lab_has_extension(const struct lab *lab, const char *name);
unsigned lab_opencl_major(const struct lab *lab);

#endif
