/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs (program.c): the kernels of a variant, built once for each key.
 */
#ifndef GP_PROGRAM_H
#define GP_PROGRAM_H

#include "plan.h"

// A kernel object is made for each combination of buffers and SVM pointers in its memory
// arguments: on some drivers an argument that once was an SVM pointer never takes a cl_mem
// again.
enum {
    GP_SVM_IN = 1,
    GP_SVM_OUT = 2,
    GP_SVM_THIRD = 4, // of a third array, where the primitive has one
    GP_SVM_FOURTH = 8,
    GP_ARG_KINDS = 16
};

struct gp_program {
    struct gp_key key;
    struct gp_program *next;
    cl_program program;
    cl_kernel kernels[GP_MAX_KERNELS][GP_ARG_KINDS]; // made when first asked for
    unsigned work_group;  // items per group, within every kernel's limit
    size_t limit;         // the smallest of the kernels' own limits
    size_t multiple;      // the largest of the multiples they prefer
    uint64_t local_bytes; // the hungriest kernel's
    unsigned registers;   // the hungriest kernel's; 0 = the driver does not say
    // The status and message of a program that this device cannot run. Such a program is kept,
    // too, so that it is not built again. GPUPRIM_OK: the device can run it.
    int refusal;
    char *message;
};

// Whether calls with these keys share a program.
bool gp_key_is_same(const struct gp_key *a, const struct gp_key *b);

// The program with this key. NULL: it is not built yet. The lock is held.
struct gp_program *gp_program_find(gpuprim *gp, const struct gp_key *key);

// Builds the program of this key and keeps it. Once it compiles, the work-group shrinks
// until every kernel's own limit and the local memory allow it; it is a multiple of what the
// kernels prefer if it is larger than that. A refusal is kept as well: where the compiler
// refuses the program, or the device has too little local memory even for one item, *out is a
// program that has only a refusal and its message. The lock is held.
int gp_program_build(gpuprim *gp, const struct gp_primitive *primitive,
                     const struct gp_key *key, struct gp_program **out);

// The kernel object for these kinds of memory arguments, made on first use. The lock is held.
int gp_program_kernel(struct gp_program *program, unsigned index, unsigned kinds,
                      const char *name, cl_kernel *out);

void gp_programs_release(gpuprim *gp);

// compile.c: what is built, and how a failure names it.
struct gp_program_request {
    const struct gp_primitive *primitive;
    const struct gp_key *key;
    char name[64]; // primitive and variant
};

// Compiles the program for groups of this size. A failure has the compiler's log among its
// words.
int gp_program_compile(gpuprim *gp, const struct gp_program_request *request,
                       unsigned work_group, cl_program *out);

// The most registers that a kernel of the program takes. NVIDIA's compiler reports them in its
// log; 0: the driver does not say.
unsigned gp_program_registers(const gpuprim *gp, cl_program program);

struct gp_source {
    const char *name;
    const unsigned char *text;
    size_t size;
};
extern const struct gp_source gp_sources[]; // made by kernels/embed.py
extern const unsigned gp_n_sources;

#endif
