/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the sources of programs to files (sources.h). The calls are real ones, on a model of a
 * GPU and on one of a CPU (model.h). Their programs' strings are taken on the way to the
 * driver, and then every build fails. So a call of the map meets one variant after another. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "sources.h"
#include "choice.h"
#include "map.h"
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shim.h"

enum { MOST_SOURCES = 4096, MOST_TYPES = 32 };

static struct {
    const char *folder;
    char name[64];    // of the call
    char variant[96]; // primitive, variant and model
    uint64_t hashes[MOST_SOURCES];
    unsigned n, failures; // files written
    bool *reached;        // of gp_sources
} out;

static __typeof__(&clCreateProgramWithSource) driver_create;

void sources_name(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out.name, sizeof out.name, format, arguments);
    va_end(arguments);
}

static void fail(const char *what, const char *which)
{
    printf("%s: %s\n", what, which);
    out.failures++;
}

static void note_file(const char *text, size_t size)
{
    for (unsigned i = 0; i < gp_n_sources; i++) {
        char line[96];
        const int n = snprintf(line, sizeof line, "#line 1 \"%s\"", gp_sources[i].name);
        if ((size_t)n <= size && memcmp(text, line, (size_t)n) == 0)
            out.reached[i] = true;
    }
}

static bool is_new(uint64_t hash)
{
    for (unsigned i = 0; i < out.n; i++)
        if (out.hashes[i] == hash)
            return false;
    if (out.n == MOST_SOURCES) {
        fail("more sources than there is room for", out.name);
        return false;
    }
    out.hashes[out.n++] = hash;
    return true;
}

static cl_program take_source(cl_context context, cl_uint n, const char **text,
                              const size_t *sizes, cl_int *error)
{
    uint64_t hash = 0;
    char path[512];
    for (cl_uint i = 0; i < n; i++) {
        note_file(text[i], sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            hash = (hash ^ (unsigned char)text[i][k]) * 0x100000001b3;
    }
    snprintf(path, sizeof path, "%s/%s.%s.%u.cl", out.folder, out.variant, out.name, out.n);
    FILE *file = is_new(hash) ? fopen(path, "w") : NULL;
    if (file) {
        for (cl_uint i = 0; i < n; i++)
            fwrite(text[i], 1, sizes[i], file);
        if (fclose(file))
            fail(path, strerror(errno));
    }
    return driver_create(context, n, text, sizes, error);
}

static cl_int build_nothing(cl_program program, cl_uint n, const cl_device_id *devices,
                            const char *options, void(CL_CALLBACK *done)(cl_program, void *),
                            void *user)
{
    (void)program, (void)n, (void)devices, (void)options, (void)done, (void)user;
    return CL_BUILD_PROGRAM_FAILURE;
}

// All calls of a variant on one model.
static void write_variant(const struct check_suite *suite, const char *variant,
                          const struct device_model *model)
{
    const struct check_choice choice = { .sample = 1, .parts = 1 };
    struct check check = { .program = "check", .choice = &choice };
    bool asked[MOST_TYPES] = { false }, written[MOST_TYPES] = { false };
    snprintf(check.name, sizeof check.name, "%s:%s", suite->name, variant);
    gpuprim *gp = check_context_on(&check, model, check.name, 0);
    snprintf(out.variant, sizeof out.variant, "%s.%s.%s", suite->name, variant, model->name);
    for (unsigned i = 0; gp && i < suite->sources->calls; i++) {
        enum gpuprim_type type = GPUPRIM_TYPE_INVALID;
        check.random = i;
        const int status = suite->sources->call(&check, gp, variant, i, &type);
        asked[type] = true;
        written[type] |= status == GPUPRIM_E_BUILD;
        if (status != GPUPRIM_E_BUILD && status != GPUPRIM_E_UNSUPPORTED)
            fail(out.name, gpuprim_last_error());
    }
    bool any = false;
    for (int type = 1; type < MOST_TYPES; type++) {
        any |= written[type];
        if (asked[type] && !written[type])
            printf("%s takes no %s\n", check.name, gp_type_name((enum gpuprim_type)type));
    }
    if (!any)
        fail(check.name, "no source");
    out.failures += check.failures;
    gpuprim_destroy(&gp);
}

// Calls of the map (map.h) on a model that has inline PTX; its arrays are as large as on an
// H200. The seed and the number of a call are in the names of its files.
static void write_map(const struct check_suite *suite, uint64_t seed)
{
    enum { CALLS = 100, PTX = 90, UNITS = 132, PARAMETERS = 4352, LARGEST = 1792 << 20 };
    static const struct device_model gpu = { "gpu", .type = CL_DEVICE_TYPE_GPU };
    const struct check_choice choice = { .sample = 1, .parts = 1 };
    const struct map_primitive *p = suite->map;
    struct check check = { .program = "check", .choice = &choice };
    snprintf(check.name, sizeof check.name, "%s:map", suite->name);
    gpuprim *gp = check_context_on(&check, &gpu, NULL, 0);
    snprintf(out.variant, sizeof out.variant, "%s.gpu_map.%s", suite->name, gpu.name);
    if (gp) {
        gp->caps.ptx = PTX;
        gp->caps.compute_units = UNITS;
        gp->caps.max_parameter_bytes = PARAMETERS;
    }
    for (unsigned i = 0; gp && i < CALLS; i++) {
        struct map_call call;
        void *object = NULL;
        map_draw_call(p, suite->name, seed, i, gp, LARGEST, &call);
        sources_name("%llu.%u", (unsigned long long)seed, i);
        const int made = p->make ? p->make(gp, &call, &object) : GPUPRIM_OK;
        if (made || p->prepare(gp, object, &call) != GPUPRIM_E_BUILD)
            fail(call.text, gpuprim_last_error());
        if (p->destroy)
            p->destroy(&object);
        if (p->release)
            p->release(&call);
    }
    out.failures += check.failures;
    gpuprim_destroy(&gp);
}

static void write_suite(const struct check_suite *suite)
{
    static const struct device_model gpu = { "gpu", .type = CL_DEVICE_TYPE_GPU },
                                     cpu = { "cpu", .type = CL_DEVICE_TYPE_CPU };
    for (unsigned p = 0; p < gp_n_primitives; p++) {
        const struct gp_primitive *primitive = gp_primitives[p];
        for (unsigned v = 0; v < primitive->n_variants; v++) {
            const char *name = primitive->variants[v]->name;
            if (strcmp(primitive->name, suite->name) != 0)
                continue;
            if (strncmp(name, "cpu_", 4) != 0)
                write_variant(suite, name, &gpu);
            if (strncmp(name, "gpu_", 4) != 0)
                write_variant(suite, name, &cpu);
        }
    }
}

int sources_write(const struct check_suite *const *suites, unsigned n, const char *folder,
                  uint64_t seed)
{
    out.folder = folder;
    out.reached = calloc(gp_n_sources, sizeof *out.reached);
    if (!out.reached || (mkdir(folder, 0777) && errno != EEXIST)) {
        printf("%s: %s\n", folder, strerror(errno));
        return 1;
    }
    driver_create = (__typeof__(driver_create))shim_replace("clCreateProgramWithSource",
                                                            (shim_function)take_source);
    shim_replace("clBuildProgram", (shim_function)build_nothing);
    for (unsigned i = 0; i < n; i++)
        if (suites[i]->sources)
            write_suite(suites[i]);
    for (unsigned i = 0; i < gp_n_sources; i++)
        if (!out.reached[i])
            fail("no source has this file", gp_sources[i].name);
    // Last, so that the names of the others do not depend on the seed.
    for (unsigned i = 0; i < n; i++)
        if (suites[i]->sources && suites[i]->map)
            write_map(suites[i], seed);
    free(out.reached);
    printf("%u sources in %s\n", out.n, folder);
    return out.failures ? 1 : 0;
}
