/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the public functions: status codes and their texts, contexts, the choice of a
 * device, the log. This file also starts the tests of its neighbours: arrays (api_arrays.c),
 * queries (api_queries.c), errors of gpuprim_reduce (api_reduce.c), sub-buffers
 * (api_buffers.c), contexts of several devices and options (api_contexts.c, api_staging.c),
 * fences (fences.c), file readers (program/readers.c), and tests that need a process of their
 * own (api_process.c).
 */
#include "api.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// Messages

static void texts(struct check *check)
{
    static const int own[] = { GPUPRIM_OK,          GPUPRIM_E_ARG,         GPUPRIM_E_RANGE,
                               GPUPRIM_E_TYPE,      GPUPRIM_E_MEMORY,      GPUPRIM_E_BUILD,
                               GPUPRIM_E_NO_DEVICE, GPUPRIM_E_UNSUPPORTED, GPUPRIM_E_FORKED };
    enum { OWN = sizeof own / sizeof *own };
    for (int i = 0; i < OWN; i++)
        for (int k = 0; k < i; k++)
            CHECK(check, strcmp(gpuprim_strerror(own[i]), gpuprim_strerror(own[k])) != 0,
                  "%d and %d have the same text", own[i], own[k]);
    for (int code = 0; code > -2100; code--) {
        check->cases++;
        CHECK(check, gpuprim_strerror(code) && gpuprim_strerror(code)[0], "no text for %d",
              code);
    }
    CHECK(check, gpuprim_strerror(12345) && gpuprim_strerror(12345)[0], "no text for 12345");
    CHECK(check, strcmp(gpuprim_strerror(CL_INVALID_KERNEL), gpuprim_strerror(-1999)) != 0,
          "an OpenCL code has no text of its own");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", GPUPRIM_VERSION_MAJOR, GPUPRIM_VERSION_MINOR,
             GPUPRIM_VERSION_PATCH);
    CHECK(check, strcmp(gpuprim_version(), version) == 0, "version %s, headers %s",
          gpuprim_version(), version);
    _Static_assert(GPUPRIM_VERSION_NUMBER >= 200 && GPUPRIM_VERSION_PATCH < 100 &&
                       GPUPRIM_VERSION_NUMBER % 100 == GPUPRIM_VERSION_PATCH,
                   "the number of the version");
#if GPUPRIM_VERSION_NUMBER < 200
#error "GPUPRIM_VERSION_NUMBER does not work in #if"
#endif
}

static void *fail_otherwise(void *argument)
{
    (void)argument;
    const struct gpuprim_options options = { .device = "no such device anywhere" };
    gpuprim *gp;
    return gpuprim_create(&options, &gp) == GPUPRIM_E_NO_DEVICE && gpuprim_last_error()[0]
               ? argument
               : NULL;
}

static void messages_per_thread(struct check *check)
{
    char before[256];
    pthread_t thread;
    void *right = NULL;
    gpuprim_create(NULL, NULL);
    snprintf(before, sizeof before, "%s", gpuprim_last_error());
    CHECK(check, before[0], "no message");
    if (CHECK(check, !pthread_create(&thread, NULL, fail_otherwise, check), "no thread"))
        pthread_join(thread, &right);
    check->cases++;
    CHECK(check, right, "the other thread's failure had no message");
    CHECK(check, strcmp(before, gpuprim_last_error()) == 0,
          "another thread's failure changed '%s' to '%s'", before, gpuprim_last_error());
}

// ---------------------------------------------------------------------------------------
// Creating and destroying contexts

static char anchor;
static gpuprim *const SENTINEL = (gpuprim *)&anchor;

static void create_fails(struct check *check, const struct gpuprim_options *options,
                         int expected, const char *name)
{
    gpuprim *gp = SENTINEL;
    const int status = gpuprim_create(options, &gp);
    check->cases++;
    CHECK(check, status == expected, "%s: %d (%s), expected %d", name, status,
          gpuprim_last_error(), expected);
    CHECK(check, gp == SENTINEL, "%s: *out was touched", name);
    CHECK(check, gpuprim_last_error()[0], "%s: no message", name);
    if (status == GPUPRIM_OK)
        gpuprim_destroy(&gp);
}

static void create_works(struct check *check, const struct gpuprim_options *options,
                         const char *name)
{
    gpuprim *gp = NULL;
    const int status = gpuprim_create(options, &gp);
    check->cases++;
    CHECK(check, status == GPUPRIM_OK && gp, "%s: %s", name, gpuprim_last_error());
    gpuprim_destroy(&gp);
    CHECK(check, gp == NULL, "%s: destroy leaves the pointer", name);
}

static void create(struct check *check)
{
    CHECK(check, gpuprim_create(NULL, NULL) == GPUPRIM_E_ARG, "out NULL is accepted");
    for (int i = 0; i < 4; i++) {
        struct gpuprim_options options = { 0 };
        options.reserved[i] = 1;
        create_fails(check, &options, GPUPRIM_E_ARG, "reserved");
    }
    create_fails(check, &(struct gpuprim_options){ .log_level = (enum gpuprim_log_level)9 },
                 GPUPRIM_E_ARG, "log_level");
    gpuprim *none = NULL;
    gpuprim_destroy(NULL);
    gpuprim_destroy(&none);
    create_works(check, &(struct gpuprim_options){ 0 }, "empty options");
}

// The option `device` and GPUPRIM_DEVICE take a number, a kind or a part of the name. The
// option wins.
static void devices(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return;
    char part[sizeof gp->caps.device];
    memcpy(part, gp->caps.device, sizeof part);
    for (char *p = part; *p; p++)
        *p = (char)(isupper((unsigned char)*p) ? tolower((unsigned char)*p)
                                               : toupper((unsigned char)*p));
    const char *kind = gp->caps.is_cpu ? "cpu" : "gpu";
    gpuprim_destroy(&gp);
    const char *inherited = getenv("GPUPRIM_DEVICE");
    char *kept = inherited ? strdup(inherited) : NULL;

    unsetenv("GPUPRIM_DEVICE");
    create_works(check, NULL, "the best device");
    create_works(check, &(struct gpuprim_options){ .device = "0" }, "device 0");
    create_works(check, &(struct gpuprim_options){ .device = kind }, kind);
    create_works(check, &(struct gpuprim_options){ .device = part + 1 }, "name in other case");
    create_fails(check, &(struct gpuprim_options){ .device = "no such device anywhere" },
                 GPUPRIM_E_NO_DEVICE, "unknown name");
    CHECK(check, strstr(gpuprim_last_error(), "\"no such device anywhere\""),
          "the message does not name the device: %s", gpuprim_last_error());
    create_fails(check, &(struct gpuprim_options){ .device = "9999" }, GPUPRIM_E_NO_DEVICE,
                 "index out of range");
    CHECK(check, strstr(gpuprim_last_error(), "the devices are 0 to "),
          "the message does not tell the indices: %s", gpuprim_last_error());
    create_fails(check, &(struct gpuprim_options){ .device = "18446744073709551616" },
                 GPUPRIM_E_NO_DEVICE, "index beyond 64 bits");
    setenv("GPUPRIM_DEVICE", "no such device anywhere", 1);
    create_fails(check, NULL, GPUPRIM_E_NO_DEVICE, "GPUPRIM_DEVICE unknown");
    create_fails(check, &(struct gpuprim_options){ 0 }, GPUPRIM_E_NO_DEVICE,
                 "GPUPRIM_DEVICE unknown, empty options");
    create_works(check, &(struct gpuprim_options){ .device = kind }, "options win");
    setenv("GPUPRIM_DEVICE", kind, 1);
    create_works(check, NULL, "GPUPRIM_DEVICE by kind");
    create_fails(check, &(struct gpuprim_options){ .device = "no such device anywhere" },
                 GPUPRIM_E_NO_DEVICE, "options win, unknown");
    if (kept)
        setenv("GPUPRIM_DEVICE", kept, 1);
    else
        unsetenv("GPUPRIM_DEVICE");
    free(kept);
}

// gpuprim_create_cl retains the OpenCL context.
static void create_cl(struct check *check)
{
    gpuprim *own = check_context(check, NULL, 0), *gp = SENTINEL;
    if (!own)
        return;
    cl_int error;
    cl_device_id device = own->device;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK(check, gpuprim_create_cl(NULL, device, NULL, &gp) == GPUPRIM_E_ARG, "context NULL");
    CHECK(check, gpuprim_create_cl(context, NULL, NULL, &gp) == GPUPRIM_E_ARG, "device NULL");
    CHECK(check, gpuprim_create_cl(context, device, NULL, NULL) == GPUPRIM_E_ARG, "out NULL");
    const struct gpuprim_options reserved = { .reserved = { 0, 0, 0, 1 } };
    CHECK(check, gpuprim_create_cl(context, device, &reserved, &gp) == GPUPRIM_E_ARG,
          "reserved");
    CHECK(check, gp == SENTINEL, "*out was touched");
    const struct gpuprim_options elsewhere = { .device = "no such device anywhere" };
    const int status = gpuprim_create_cl(context, device, &elsewhere, &gp);
    clReleaseContext(context); // gpuprim has its own reference
    check->cases += 5;
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        const int32_t x[] = { 1, 2, 3 };
        int64_t sum = 0;
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, 3);
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
        const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
        CHECK(check, !gpuprim_reduce(gp, &in, &out, &params, NULL) && sum == 6, "%s",
              gpuprim_last_error());
        gpuprim_destroy(&gp);
    }
    gpuprim_destroy(&own);
}

static void lives(struct check *check)
{
    const long before = shim_live();
    for (int i = 0; i < (check->quick ? 40 : 200); i++) {
        gpuprim *gp = check_context(check, NULL, 0);
        check->cases++;
        if (gp && i % 20 == 0) {
            const float x[] = { 1, 2, 3 };
            float sum = 0;
            const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, 3);
            const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &sum, 1);
            const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
            CHECK(check, !gpuprim_reduce(gp, &in, &out, &params, NULL) && sum == 6, "%s",
                  gpuprim_last_error());
        }
        gpuprim_destroy(&gp);
    }
    CHECK(check, shim_live() == before, "%ld OpenCL objects are left", shim_live() - before);
}

// ---------------------------------------------------------------------------------------
// Log

static void count_lines(void *user, enum gpuprim_log_level level, const char *text)
{
    unsigned *lines = user;
    lines[level] += text[0] != '\0';
}

static void logs(struct check *check)
{
    for (int level = GPUPRIM_LOG_NONE; level <= GPUPRIM_LOG_TRACE; level++) {
        unsigned lines[GPUPRIM_LOG_TRACE + 1] = { 0 };
        const struct gpuprim_options options = { .log = count_lines,
                                                 .log_user = lines,
                                                 .log_level = (enum gpuprim_log_level)level };
        gpuprim *gp = NULL;
        const float x = 1;
        float sum;
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, &x, 1);
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &sum, 1);
        CHECK(check, !gpuprim_create(&options, &gp), "%s", gpuprim_last_error());
        gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ 0 }, NULL);
        gpuprim_destroy(&gp);
        check->cases++;
        for (int higher = level + 1; higher <= GPUPRIM_LOG_TRACE; higher++)
            CHECK(check, lines[higher] == 0, "level %d also got level %d", level, higher);
        CHECK(check, level < GPUPRIM_LOG_INFO || lines[GPUPRIM_LOG_INFO],
              "no word on the device");
        CHECK(check, level < GPUPRIM_LOG_TRACE || lines[GPUPRIM_LOG_TRACE], "no launch traced");
    }
}

// ---------------------------------------------------------------------------------------
// The text of `gpuprim info`: every variant can be described

static void described(struct check *check)
{
    for (unsigned i = 0; i < gp_n_primitives; i++)
        for (unsigned v = 0; v < gp_primitives[i]->n_variants; v++) {
            const struct gp_primitive *primitive = gp_primitives[i];
            char variant[64], text[256] = "";
            snprintf(variant, sizeof variant, "%s:%s", primitive->name,
                     primitive->variants[v]->name);
            gpuprim *gp = check_context(check, variant, 0);
            if (!gp)
                return;
            const int status = primitive->describe(gp, text, sizeof text);
            check->cases++;
            CHECK(check,
                  status == GPUPRIM_E_UNSUPPORTED ||
                      (!status && strstr(text, primitive->variants[v]->name)),
                  "%s: %s, %s", variant, text, gpuprim_last_error());
            gpuprim_destroy(&gp);
        }
}

static void run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } tests[] = { { "texts", texts },         { "messages_per_thread", messages_per_thread },
                  { "create", create },       { "devices", devices },
                  { "create_cl", create_cl }, { "lives", lives },
                  { "logs", logs },           { "described", described } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        if (check_begin(check, "api/%s", tests[i].name)) {
            tests[i].run(check);
            check_end(check);
        }
    api_process_run(check);
    api_reduce_run(check);
    arrays_run(check);
    queries_run(check);
    buffers_run(check);
    contexts_run(check);
    staging_run(check);
    fences_run(check);
    repeats_run(check);
    readers_run(check);
}

const struct check_suite check_api = { .name = "api", .run = run };
