/* SPDX-License-Identifier: Apache-2.0
 *
 * Variants in `check --bench`: which one a call has launched, and the measurement of all of
 * them.
 *
 * A variant is measured in a context of its own, to which it is forced from beginning to end,
 * so that no other variant has a program there. Which one was launched is not taken from what
 * was asked for: the log names each program when it is built, and the launched kernel tells its
 * program. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

struct bench_programs {
    gpuprim *gp;     // NULL until the context is made: it builds nothing before
    char forced[64]; // when it was made, such as "reduce:baseline", or ""
    unsigned n;
    struct named {
        cl_program program;
        char name[64]; // "reduce (baseline)"
    } * of;
};

static const char *name_of(const struct bench_programs *known, cl_program program)
{
    for (unsigned i = 0; i < known->n; i++)
        if (known->of[i].program == program)
            return known->of[i].name;
    return NULL;
}

// The log's "built NAME: ..." is of the program that is new in the context.
static void note(void *user, enum gpuprim_log_level level, const char *text)
{
    struct bench_programs *known = user;
    struct named it;
    (void)level;
    if (!known->gp || sscanf(text, "built %63[^:]:", it.name) != 1)
        return;
    for (unsigned i = 0; i < GP_BUCKETS; i++)
        for (const struct gp_program *p = known->gp->programs[i]; p; p = p->next) {
            if (name_of(known, p->program))
                continue;
            struct named *more = realloc(known->of, (known->n + 1) * sizeof *more);
            if (!more)
                return;
            it.program = p->program;
            more[known->n++] = it;
            known->of = more;
        }
}

// ---------------------------------------------------------------------------------------
// Launches, on their way to the driver

typedef cl_int(CL_API_CALL *launch_function)(cl_command_queue, cl_kernel, cl_uint,
                                             const size_t *, const size_t *, const size_t *,
                                             cl_uint, const cl_event *, cl_event *);
static launch_function launch_on;
static cl_kernel launched[2]; // by the newest launch and the one before

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global,
                                 const size_t *local, cl_uint n, const cl_event *list,
                                 cl_event *event)
{
    launched[1] = launched[0];
    launched[0] = kernel;
    return launch_on(queue, kernel, dimensions, offset, global, local, n, list, event);
}

static void watch_launches(void)
{
    if (!launch_on)
        launch_on =
            (launch_function)shim_replace("clEnqueueNDRangeKernel", (shim_function)launch);
}

// ---------------------------------------------------------------------------------------
// Contexts

bool bench_open(struct bench *b, const gpuprim *parent, const char *variant)
{
    struct bench_programs *known = calloc(1, sizeof *known);
    const struct gpuprim_options options = { .log = note,
                                             .log_user = known,
                                             .log_level = GPUPRIM_LOG_INFO };
    const int status =
        !known   ? GPUPRIM_E_MEMORY
        : parent ? gpuprim_create_cl(parent->context, parent->device, &options, &b->gp)
                 : gpuprim_create(&options, &b->gp);
    if (status) {
        printf("no OpenCL device: %s\n", gpuprim_last_error());
        free(known);
        return false;
    }
    if (variant)
        snprintf(b->gp->force_variant, sizeof b->gp->force_variant, "%s", variant);
    snprintf(known->forced, sizeof known->forced, "%s",
             variant ? variant : b->gp->force_variant);
    known->gp = b->gp;
    b->programs = known;
    launched[0] = launched[1] = NULL;
    watch_launches();
    return true;
}

void bench_close(struct bench *b)
{
    gpuprim_destroy(&b->gp);
    free(b->programs->of);
    free(b->programs);
    b->programs = NULL;
}

// The name of the program that a kernel is of, or NULL.
static const char *name_of_kernel(const struct bench *b, cl_kernel kernel)
{
    cl_program program = NULL;
    if (kernel)
        clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    return program ? name_of(b->programs, program) : NULL;
}

static const struct gp_primitive *primitive_of(const char *name)
{
    for (unsigned i = 0; i < gp_n_primitives; i++)
        if (strcmp(gp_primitives[i]->name, name) == 0)
            return gp_primitives[i];
    return NULL;
}

// The variant whose launches are those of other plans, or NULL.
static const char *without_program(const char *primitive)
{
    const struct gp_primitive *p = primitive_of(primitive);
    for (unsigned i = 0; p && i < p->n_variants; i++)
        if (!p->variants[i]->sources)
            return p->variants[i]->name;
    return NULL;
}

bool bench_launched(const struct bench *b, const char *primitive, char variant[32])
{
    const char *forced = b->programs->forced;
    const size_t n = strlen(primitive);
    const bool is_forced = strncmp(forced, primitive, n) == 0 && forced[n] == ':';
    const char *name = name_of_kernel(b, launched[0]);
    const char *parts = without_program(primitive);
    variant[0] = '\0';
    // What brings results to columns or to rows may come last.
    if (name && strncmp(name, "transpose ", strlen("transpose ")) == 0) {
        name = name_of_kernel(b, launched[1]);
        if (parts)
            snprintf(variant, 32, "%s", parts);
    }
    if (!variant[0] && name && strncmp(name, primitive, n) == 0)
        sscanf(name + n, " (%31[^)])", variant);
    const bool good = variant[0] && (!is_forced || strcmp(forced + n + 1, variant) == 0);
    if (!good)
        printf("%s was launched, forced is %s\n", name ? name : "an unknown program",
               is_forced ? forced : "none");
    return good;
}

// ---------------------------------------------------------------------------------------
// --variants

// One variant, in b->gp, which is forced to it.
static void one(struct bench *b, const struct bench_row *row, const char *variant,
                const struct bench_figures *choice, double *baseline)
{
    struct bench_figures f;
    const int status = bench_measure(b, row, &f);
    if (status == GPUPRIM_E_UNSUPPORTED) {
        printf("    %-16s not taken: %s\n", variant, gpuprim_last_error());
        return;
    }
    if (status || !f.verified)
        b->failed++;
    if (status) {
        printf("    %-16s failed: %s\n", variant, gpuprim_last_error());
        return;
    }
    if (strcmp(variant, "baseline") == 0)
        *baseline = f.seconds;
    f.forced = true;
    f.over_baseline = *baseline / f.seconds;
    f.over_choice = choice->seconds / f.seconds;
    printf("    %-16s %11.2f us  +-%4.1f %%  %8.3f x baseline  %8.3f x choice%s%s\n", variant,
           1e6 * f.seconds, 50 * f.spread, f.over_baseline, f.over_choice,
           strcmp(variant, choice->variant) == 0 ? " (the choice)" : "",
           f.verified ? "" : "  WRONG");
    fflush(stdout);
    bench_print_json(b, row, &f);
}

void bench_variants(struct bench *b, const struct bench_row *row,
                    const struct bench_figures *choice)
{
    const struct gp_primitive *primitive = primitive_of(row->primitive);
    struct bench measured = *b;
    double baseline = 0;
    for (unsigned v = primitive->n_variants; v-- > 0;) { // baseline stands last
        char forced[64];
        snprintf(forced, sizeof forced, "%s:%s", row->primitive, primitive->variants[v]->name);
        if (!bench_open(b, measured.gp, forced)) {
            b->failed++;
            break;
        }
        one(b, row, primitive->variants[v]->name, choice, &baseline);
        if (row->forget)
            row->forget(row->what);
        bench_close(b);
    }
    b->gp = measured.gp;
    b->programs = measured.programs;
}
