/* SPDX-License-Identifier: Apache-2.0
 *
 * A program's source and its compilation. The source is the preamble, common.cl, and the files
 * of the variant. The preamble holds the macros, because options with blanks in -D fail on
 * PoCL. Each file stands behind a #line of its own, so that the compiler's messages name it.
 * program.c keeps what is compiled here. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STRINGS = 80 }; // of a program: the preamble, and two for each file

// Builds take turns in the whole process: not every driver's compiler is safe to run twice at
// once. There are reports of crashes.
static pthread_mutex_t compiler_lock = PTHREAD_MUTEX_INITIALIZER;

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

static int add_source(struct strings *s, const char *name)
{
    const struct gp_source *source = source_find(name);
    if (!source || s->n + 2 > MAX_STRINGS)
        return gp_fail(GPUPRIM_E_BUILD, "source %s: %s", name,
                       source ? "a variant has too many sources" : "it is not in kernels/");
    const int n = snprintf(s->line[s->n], sizeof *s->line, "#line 1 \"%s\"\n", name);
    s->text[s->n] = s->line[s->n];
    s->size[s->n++] = (size_t)n;
    s->text[s->n] = (const char *)source->text;
    s->size[s->n++] = source->size;
    return GPUPRIM_OK;
}

// Adds "#define NAME VALUE" lines at text[n]; returns the length that this makes.
static size_t write_macros(const struct gp_macro *macros, unsigned count, char *text, size_t n,
                           size_t size)
{
    for (unsigned i = 0; i < count && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "#define %s %u\n", macros[i].name,
                              (unsigned)macros[i].value);
    return n;
}

// The preamble: the numbers of all types, the constants of the primitive, and the macros of the
// key.
static int write_preamble(const gpuprim *gp, const struct gp_program_request *request,
                          unsigned work_group, char *text, size_t size)
{
    const struct gp_primitive *primitive = request->primitive;
    const struct gp_key *key = request->key;
    size_t n = 0;
    for (unsigned i = 1; i < GP_TYPE_NUMBERS && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "#define %s %u\n", gp_types[i].macro, i);
    n = write_macros(primitive->constants, primitive->n_constants, text, n, size);
    n = write_macros(key->macros, key->n, text, n, size);
    if (n < size)
        n += (size_t)snprintf(text + n, size - n,
                              "#define WG %u\n#define PTX %u\n#define CACHE_LINE %d\n",
                              work_group, gp->caps.ptx, (int)GP_CACHE_LINE);
    return n < size ? GPUPRIM_OK
                    : gp_fail(GPUPRIM_E_BUILD, "the preamble of a program is too long");
}

// Makes the compiler's log part of the message. Logs of one byte and of megabytes both occur.
static int build_failed(gpuprim *gp, cl_program program, cl_int error,
                        const struct gp_program_request *request, const char *preamble)
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

unsigned gp_program_registers(const gpuprim *gp, cl_program program)
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

int gp_program_compile(gpuprim *gp, const struct gp_program_request *request,
                       unsigned work_group, cl_program *out)
{
    char preamble[2048];
    int status = write_preamble(gp, request, work_group, preamble, sizeof preamble);
    if (status)
        return status;
    struct strings s = { .n = 1 };
    s.text[0] = preamble;
    s.size[0] = strlen(preamble);
    status = add_source(&s, "common.cl");
    for (const char *const *name = request->key->variant->sources; !status && *name; name++)
        status = add_source(&s, *name);
    if (status)
        return status;

    cl_int error;
    cl_program program = clCreateProgramWithSource(gp->context, s.n, s.text, s.size, &error);
    if (error)
        return gp_fail_cl(error, "clCreateProgramWithSource");
    char options[128];
    snprintf(options, sizeof options, "-cl-std=CL1.2%s%s%s",
             gp->caps.divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
             gp->caps.is_nvidia ? " -cl-nv-verbose" : "",
             gp->build_options ? gp->build_options : "");
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
