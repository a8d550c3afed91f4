/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels: built once for each key, then found by it. A program's source is the
 * preamble of #define lines (options with blanks in -D fail on PoCL), common.cl, and the files
 * of the primitive, each behind a #line of its own so that the compiler's words name it. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STRINGS = 32 }; // of a program: one, and two for each of its files

// Compilers inside drivers are not all safe to run twice at once (reports of crashes exist),
// so that builds take turns in the whole process.
static pthread_mutex_t compiler_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same(const struct gp_key *a, const struct gp_key *b)
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
    while (program && !is_same(&program->key, key))
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
    free(program->words);
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

static const struct gp_source *source_find(const char *name)
{
    for (unsigned i = 0; i < gp_n_sources; i++)
        if (strcmp(gp_sources[i].name, name) == 0)
            return &gp_sources[i];
    return NULL;
}

// The strings of a program and the #line texts they stand behind.
struct strings {
    const char *text[MAX_STRINGS];
    size_t size[MAX_STRINGS];
    char line[MAX_STRINGS][64];
    cl_uint n;
};

static void add_source(struct strings *s, const char *name)
{
    const struct gp_source *source = source_find(name);
    const int n = snprintf(s->line[s->n], sizeof *s->line, "#line 1 \"%s\"\n", name);
    s->text[s->n] = s->line[s->n];
    s->size[s->n++] = (size_t)n;
    s->text[s->n] = (const char *)source->text;
    s->size[s->n++] = source->size;
}

// What is built: a variant's program for a key.
struct request {
    const struct gp_primitive *primitive;
    const struct gp_key *key;
    char name[64]; // for words: primitive and variant
};

// The preamble: the numbers of all types, and the macros of the key.
static int write_preamble(const gpuprim *gp, const struct gp_key *key, unsigned work_group,
                          char *text, size_t size)
{
    size_t n = 0;
    for (unsigned i = 1; i < GP_TYPE_NUMBERS && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "#define %s %u\n", gp_types[i].macro, i);
    for (unsigned i = 0; i < key->n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "#define %s %u\n", key->macros[i].name,
                              (unsigned)key->macros[i].value);
    if (n < size)
        n += (size_t)snprintf(text + n, size - n, "#define WG %u\n#define PTX %u\n", work_group,
                              gp->caps.ptx);
    return n < size ? GPUPRIM_OK
                    : gp_fail(GPUPRIM_E_BUILD, "the preamble of a program is too long");
}

// The compiler's log as words of the failure. Logs of one byte and of megabytes both occur.
static int build_failed(gpuprim *gp, cl_program program, cl_int error,
                        const struct request *request, const char *preamble)
{
    size_t size = 0;
    char *log = NULL;
    if (!clGetProgramBuildInfo(program, gp->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) &&
        size && (log = calloc(1, size + 1)))
        if (clGetProgramBuildInfo(program, gp->device, CL_PROGRAM_BUILD_LOG, size, log, NULL))
            log[0] = '\0';
    const int code = error == CL_BUILD_PROGRAM_FAILURE ? GPUPRIM_E_BUILD : error;
    gp_fail(code, "building %s for %s: %s\n%s%s", request->name, gp->caps.device,
            gpuprim_strerror(error), preamble, log ? log : "");
    free(log);
    return code;
}

// NVIDIA's compiler reports registers in its log; the hungriest kernel counts.
static unsigned registers_of(gpuprim *gp, cl_program program)
{
    char log[8192];
    size_t size = 0;
    unsigned most = 0;
    if (!gp->caps.is_nvidia || clGetProgramBuildInfo(program, gp->device, CL_PROGRAM_BUILD_LOG,
                                                     sizeof log - 1, log, &size))
        return 0;
    log[size < sizeof log ? size : sizeof log - 1] = '\0';
    for (const char *at = log; (at = strstr(at, "Used ")); at++) {
        unsigned n = 0;
        if (sscanf(at, "Used %u registers", &n) == 1 && n > most)
            most = n;
    }
    return most;
}

static int compile(gpuprim *gp, const struct request *request, unsigned work_group,
                   cl_program *out)
{
    char preamble[2048];
    const int status = write_preamble(gp, request->key, work_group, preamble, sizeof preamble);
    if (status)
        return status;
    struct strings s = { .n = 1 };
    s.text[0] = preamble;
    s.size[0] = strlen(preamble);
    add_source(&s, "common.cl");
    for (const char *const *source = request->key->variant->sources; *source; source++)
        add_source(&s, *source);

    cl_int error;
    cl_program program = clCreateProgramWithSource(gp->context, s.n, s.text, s.size, &error);
    if (error)
        return gp_fail_cl(error, "clCreateProgramWithSource");
    char options[128];
    snprintf(options, sizeof options, "-cl-std=CL1.2%s%s",
             gp->caps.divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
             gp->caps.is_nvidia ? " -cl-nv-verbose" : "");
    pthread_mutex_lock(&compiler_lock);
    error = clBuildProgram(program, 1, &gp->device, options, NULL, NULL);
    pthread_mutex_unlock(&compiler_lock);
    if (error) {
        const int code = build_failed(gp, program, error, request, preamble);
        clReleaseProgram(program);
        return code;
    }
    *out = program;
    return GPUPRIM_OK;
}

// Makes the kernels and asks how many items each allows and how much local memory it takes.
static int measure(gpuprim *gp, const struct request *request, struct gp_program *program)
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
        // NVIDIA reports 256 for every kernel; what reqd_work_group_size asked for is what its
        // compiler made room for, and launches.
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

static int build_once(gpuprim *gp, const struct request *request, unsigned work_group,
                      struct gp_program **out)
{
    struct gp_program *program = calloc(1, sizeof *program);
    if (!program)
        return gp_fail(GPUPRIM_E_MEMORY, "program: out of memory");
    program->key = *request->key;
    program->work_group = work_group;
    int status = compile(gp, request, work_group, &program->program);
    if (!status)
        status = measure(gp, request, program);
    if (status) {
        program_free(program);
        return status;
    }
    program->registers = registers_of(gp, program->program);
    *out = program;
    return GPUPRIM_OK;
}

// The work-group size to build with after this one, or the same where it is good.
static size_t next_work_group(const gpuprim *gp, const struct request *request,
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

// Keeps the failure, of which gp_fail has the words, in place of the program.
static int keep_refusal(gpuprim *gp, const struct request *request, int status,
                        struct gp_program **out)
{
    if (!is_refusal(status))
        return status;
    struct gp_program *program = calloc(1, sizeof *program);
    char *words = program ? strdup(gp_last_message()) : NULL;
    if (!words) {
        free(program);
        return gp_fail(GPUPRIM_E_MEMORY, "program: out of memory");
    }
    program->key = *request->key;
    program->refusal = status;
    program->words = words;
    keep(gp, program);
    *out = program;
    gp_log(gp, GPUPRIM_LOG_WARN, "a program of %s does not run here: %s", request->name, words);
    return GPUPRIM_OK;
}

int gp_program_build(gpuprim *gp, const struct gp_primitive *primitive,
                     const struct gp_key *key, struct gp_program **out)
{
    struct request what = { .primitive = primitive, .key = key };
    const struct request *request = &what;
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
