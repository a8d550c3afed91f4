/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs, each built once for its key and then found by it. Building picks the work-group
 * size that the device allows, and keeps the refusals of a device, too. compile.c makes the
 * source and calls the compiler. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gp_key_is_same(const struct gp_key *a, const struct gp_key *b)
{
    if (a->variant != b->variant || a->work_group != b->work_group || a->exact != b->exact ||
        a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++) {
        const struct gp_macro *x = &a->macros[i], *y = &b->macros[i];
        if (x->value != y->value || (x->name != y->name && strcmp(x->name, y->name) != 0))
            return false;
    }
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t member)
{
    return (hash ^ hash >> 29 ^ member) * 0x9e3779b97f4a7c15u;
}

static unsigned bucket_of(const struct gp_key *key)
{
    uint64_t hash = mix(mix((uintptr_t)key->variant, key->work_group), key->exact);
    for (unsigned i = 0; i < key->n; i++)
        hash = mix(hash, key->macros[i].value);
    return (unsigned)(hash >> 32) % GP_BUCKETS;
}

struct gp_program *gp_program_find(gpuprim *gp, const struct gp_key *key)
{
    if (key->n > GP_MAX_MACROS)
        return NULL;
    struct gp_program *program = gp->programs[bucket_of(key)];
    while (program && !gp_key_is_same(&program->key, key))
        program = program->next;
    return program;
}

static void program_free(struct gp_program *program)
{
    for (unsigned i = 0; i < GP_MAX_KERNELS; i++)
        for (unsigned kinds = 0; kinds < GP_ARG_KINDS; kinds++)
            if (program->kernels[i][kinds])
                clReleaseKernel(program->kernels[i][kinds]);
    if (program->program)
        clReleaseProgram(program->program);
    free(program->message);
    free(program);
}

void gp_programs_release(gpuprim *gp)
{
    for (unsigned i = 0; i < GP_BUCKETS; i++)
        while (gp->programs[i]) {
            struct gp_program *program = gp->programs[i];
            gp->programs[i] = program->next;
            program_free(program);
        }
}

// Makes the kernels and asks how many items each allows and how much local memory it takes.
static int measure(gpuprim *gp, const struct gp_program_request *request,
                   struct gp_program *program)
{
    const char *const *names = request->primitive->kernels;
    program->limit = SIZE_MAX;
    for (unsigned i = 0; i < GP_MAX_KERNELS && names[i]; i++) {
        cl_kernel kernel = NULL;
        const int status = gp_program_kernel(program, i, 0, names[i], &kernel);
        if (status)
            return status;
        size_t items = 0, multiple = 0;
        cl_ulong local = 0;
        cl_int error = clGetKernelWorkGroupInfo(kernel, gp->device, CL_KERNEL_WORK_GROUP_SIZE,
                                                sizeof items, &items, NULL);
        if (!error)
            error = clGetKernelWorkGroupInfo(kernel, gp->device,
                                             CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                             sizeof multiple, &multiple, NULL);
        if (!error)
            error = clGetKernelWorkGroupInfo(kernel, gp->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                             sizeof local, &local, NULL);
        if (error)
            return gp_fail_cl(error, "clGetKernelWorkGroupInfo");
        // NVIDIA reports 256 for every kernel, but its compiler makes room for the size that
        // reqd_work_group_size asks for, and groups of that size launch.
        if (gp->caps.is_nvidia && items < program->work_group)
            items = program->work_group;
        if (items < program->limit)
            program->limit = items;
        if (multiple > program->multiple)
            program->multiple = multiple;
        if (local > program->local_bytes)
            program->local_bytes = local;
    }
    return GPUPRIM_OK;
}

static int build_once(gpuprim *gp, const struct gp_program_request *request,
                      unsigned work_group, struct gp_program **out)
{
    struct gp_program *program = calloc(1, sizeof *program);
    if (!program)
        return gp_fail(GPUPRIM_E_MEMORY, "program: out of memory");
    program->key = *request->key;
    program->work_group = work_group;
    int status = gp_program_compile(gp, request, work_group, &program->program);
    if (!status)
        status = measure(gp, request, program);
    if (status) {
        program_free(program);
        return status;
    }
    program->registers = gp_program_registers(gp, program->program);
    *out = program;
    return GPUPRIM_OK;
}

// The work-group size to build with after this one, or the same where it is good.
static size_t next_work_group(const gpuprim *gp, const struct gp_program_request *request,
                              const struct gp_program *program)
{
    const size_t now = program->work_group;
    const size_t multiple =
        program->multiple > gp->caps.width ? program->multiple : gp->caps.width;
    if (program->limit && program->limit < now) // the kernel's own limit says where to go on
        return program->limit;
    if (program->local_bytes + request->primitive->local_bytes > gp->caps.local_bytes)
        return now / 2;
    if (!request->key->exact && now > multiple && now % multiple)
        return now - now % multiple;
    return now;
}

static void keep(gpuprim *gp, struct gp_program *program)
{
    struct gp_program **bucket = &gp->programs[bucket_of(&program->key)];
    program->next = *bucket;
    *bucket = program;
}

// Whether the failure means that the device's compiler refuses the program, also one that
// compiles when the kernels are made. Such a program is not tried again in this context. Other
// failures, such as a lack of memory, may pass.
static bool is_refusal(int status)
{
    return status == GPUPRIM_E_BUILD || status == GPUPRIM_E_UNSUPPORTED ||
           status == CL_COMPILE_PROGRAM_FAILURE || status == CL_LINK_PROGRAM_FAILURE ||
           status == CL_INVALID_PROGRAM_EXECUTABLE || status == CL_INVALID_KERNEL_DEFINITION;
}

// Keeps the failure, with its message, in place of the program.
static int keep_refusal(gpuprim *gp, const struct gp_program_request *request, int status,
                        struct gp_program **out)
{
    if (!is_refusal(status))
        return status;
    struct gp_program *program = calloc(1, sizeof *program);
    char *message = program ? strdup(gp_last_message()) : NULL;
    if (!message) {
        free(program);
        return gp_fail(GPUPRIM_E_MEMORY, "program: out of memory");
    }
    program->key = *request->key;
    program->refusal = status;
    program->message = message;
    keep(gp, program);
    *out = program;
    gp_log(gp, GPUPRIM_LOG_WARN, "a program of %s does not run here: %s", request->name,
           message);
    return GPUPRIM_OK;
}

int gp_program_build(gpuprim *gp, const struct gp_primitive *primitive,
                     const struct gp_key *key, struct gp_program **out)
{
    struct gp_program_request what = { .primitive = primitive, .key = key };
    const struct gp_program_request *request = &what;
    snprintf(what.name, sizeof what.name, "%s (%s)", primitive->name, key->variant->name);
    if (key->n > GP_MAX_MACROS)
        return gp_fail(GPUPRIM_E_BUILD, "%s has more than %d macros", what.name,
                       (int)GP_MAX_MACROS);
    size_t work_group = gp_min(key->work_group, gp->caps.max_work_group);
    for (;;) {
        struct gp_program *program = NULL;
        const int status = build_once(gp, request, (unsigned)work_group, &program);
        if (status)
            return keep_refusal(gp, request, status, out);
        work_group = next_work_group(gp, request, program);
        if (work_group == program->work_group) {
            keep(gp, program);
            *out = program;
            gp_log(gp, GPUPRIM_LOG_INFO, "built %s: %u items per group, %llu bytes local",
                   request->name, program->work_group,
                   (unsigned long long)program->local_bytes);
            return GPUPRIM_OK;
        }
        const uint64_t local = program->local_bytes + request->primitive->local_bytes;
        program_free(program);
        if (work_group == 0)
            return keep_refusal(
                gp, request,
                gp_fail(GPUPRIM_E_UNSUPPORTED,
                        "%s does not run %s: even one item needs %llu bytes of local memory",
                        gp->caps.device, request->name, (unsigned long long)local),
                out);
    }
}

int gp_program_kernel(struct gp_program *program, unsigned index, unsigned kinds,
                      const char *name, cl_kernel *out)
{
    cl_kernel *kernel = &program->kernels[index][kinds];
    if (!*kernel) {
        cl_int error;
        cl_kernel made = clCreateKernel(program->program, name, &error);
        if (error)
            return gp_fail_cl(error, "clCreateKernel");
        *kernel = made;
    }
    *out = *kernel;
    return GPUPRIM_OK;
}
