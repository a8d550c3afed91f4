/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim info: lists platforms and devices, and what each primitive would run on the chosen
 * device.
 *
 * The devices come from the public gpuprim_devices. The private src/core/core.h is needed for
 * the description of what a primitive would run.
 */
#include <gpuprim/gpuprim_cl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "print.h"
#include "src/core/core.h"

extern const struct tool_command tool_info;

enum { MAX_PLATFORMS = 32 };

struct inventory {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n_platforms;
    struct gpuprim_device *devices; // in the order of their indices
    unsigned n_devices;
    void *chosen; // id of the chosen device; NULL = none
};

static void list_platforms(struct inventory *out)
{
    // Without any driver the loader returns an error and does not set the number.
    if (clGetPlatformIDs(MAX_PLATFORMS, out->platforms, &out->n_platforms) != CL_SUCCESS)
        out->n_platforms = 0;
    if (out->n_platforms > MAX_PLATFORMS)
        out->n_platforms = MAX_PLATFORMS;
    // If a driver is registered twice, the loader lists its platform twice.
    cl_uint n = 0;
    for (cl_uint p = 0; p < out->n_platforms; p++) {
        cl_uint k = 0;
        while (k < n && out->platforms[k] != out->platforms[p])
            k++;
        out->platforms[k] = out->platforms[p];
        n += k == n;
    }
    out->n_platforms = n;
}

// The caller frees out->devices. Returns the library's status.
static int list_devices(struct inventory *out)
{
    unsigned n = 0;
    int status = gpuprim_devices(NULL, 0, &n);
    if (status != GPUPRIM_OK)
        return status;
    out->devices = calloc(n ? n : 1, sizeof *out->devices);
    if (!out->devices)
        return GPUPRIM_E_MEMORY;
    status = gpuprim_devices(out->devices, n, &out->n_devices);
    if (out->n_devices > n) // a device was added meanwhile
        out->n_devices = n;
    return status;
}

static const char *platform_name(cl_platform_id platform, char *text, size_t size)
{
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, text, NULL) != CL_SUCCESS)
        snprintf(text, size, "(nameless)");
    return text;
}

// "ok", or why a platform has no devices.
static const char *platform_state(cl_platform_id platform)
{
    cl_uint n = 0;
    const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && n == 0))
        return "no devices";
    return status == CL_SUCCESS ? "ok" : gpuprim_strerror(status);
}

static cl_platform_id platform_of(const struct gpuprim_device *device)
{
    cl_platform_id platform = NULL;
    clGetDeviceInfo((cl_device_id)device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform,
                    NULL);
    return platform;
}

// What a primitive would run, or why that cannot be said. Returns the library's status.
static int describe(gpuprim *gp, unsigned i, char *text, size_t size)
{
    gp_enter("gpuprim info"); // messages about failures name it
    const int status = gp_primitives[i]->describe(gp, text, size);
    if (status != GPUPRIM_OK) {
        const char *message = gp_last_message();
        snprintf(text, size, "failed: %.*s", (int)strcspn(message, "\n"), message);
    }
    return status;
}

// ---------------------------------------------------------------------------------------
// Text

static const char *bytes_text(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(text, size, "%.4g %s", value, units[unit]);
    return text;
}

static const char *kind_text(const struct gpuprim_device *device)
{
    return device->kind == GPUPRIM_DEVICE_GPU   ? "GPU"
           : device->kind == GPUPRIM_DEVICE_CPU ? "CPU"
                                                : "accelerator";
}

static void print_device(unsigned index, const struct gpuprim_device *device, bool is_chosen)
{
    char local[24], global[24], largest[24];
    if (device->status != GPUPRIM_OK) {
        printf("  %3u  not usable: %s\n", index, device->refusal);
        return;
    }
    printf("%c %3u  %s (%s)\n", is_chosen ? '*' : ' ', index, device->name, kind_text(device));
    printf("       %s, driver %s\n", device->version, device->driver);
    printf("       %" PRIu32 " compute units, width %" PRIu32 ", work-groups up to %" PRIu64
           "\n",
           device->compute_units, device->width, device->max_work_group);
    printf("       local memory %s, memory %s, largest buffer %s\n",
           bytes_text(device->local_bytes, local, sizeof local),
           bytes_text(device->global_bytes, global, sizeof global),
           bytes_text(device->max_alloc_bytes, largest, sizeof largest));
    printf("       f64 %s, SVM %s\n", device->fp64 ? "yes" : "no", device->svm ? "yes" : "no");
}

static void print_text(const struct inventory *all)
{
    char name[256];
    for (cl_uint p = 0; p < all->n_platforms; p++) {
        const char *state = platform_state(all->platforms[p]);
        const bool is_ok = strcmp(state, "ok") == 0;
        printf("%s%s%s\n", platform_name(all->platforms[p], name, sizeof name),
               is_ok ? "" : ": ", is_ok ? "" : state);
        for (unsigned d = 0; d < all->n_devices; d++)
            if (platform_of(&all->devices[d]) == all->platforms[p])
                print_device(d, &all->devices[d], all->devices[d].id == all->chosen);
    }
}

static int print_choices(gpuprim *gp, const struct tool_common *common)
{
    char text[512];
    int code = TOOL_GOOD;
    printf("\nOn the device marked *:\n");
    for (unsigned i = 0; i < gp_n_primitives; i++) {
        const int status = describe(gp, i, text, sizeof text);
        printf("  %-11s %s\n", gp_primitives[i]->name, text);
        if (status != GPUPRIM_OK)
            code = tool_fail_library(common, status);
    }
    return code;
}

// ---------------------------------------------------------------------------------------
// JSON

static void json_device(struct tool_json *json, const struct gpuprim_device *device,
                        unsigned index)
{
    char name[256];
    tool_json_begin(json, NULL, '{');
    tool_json_whole(json, "index", index);
    tool_json_text(json, "platform", platform_name(platform_of(device), name, sizeof name));
    if (device->status != GPUPRIM_OK) {
        tool_json_text(json, "unusable", device->refusal);
        tool_json_end(json, '}');
        return;
    }
    tool_json_text(json, "name", device->name);
    tool_json_text(json, "kind",
                   device->kind == GPUPRIM_DEVICE_GPU   ? "gpu"
                   : device->kind == GPUPRIM_DEVICE_CPU ? "cpu"
                                                        : "accelerator");
    tool_json_text(json, "version", device->version);
    tool_json_text(json, "driver", device->driver);
    tool_json_whole(json, "compute_units", device->compute_units);
    tool_json_whole(json, "width", device->width);
    tool_json_whole(json, "max_work_group", device->max_work_group);
    tool_json_whole(json, "local_bytes", device->local_bytes);
    tool_json_whole(json, "global_bytes", device->global_bytes);
    tool_json_whole(json, "max_alloc_bytes", device->max_alloc_bytes);
    tool_json_flag(json, "fp64", device->fp64);
    tool_json_flag(json, "svm", device->svm);
    tool_json_end(json, '}');
}

static int json_choices(struct tool_json *json, gpuprim *gp, const struct tool_common *common)
{
    char text[512];
    int code = TOOL_GOOD;
    tool_json_begin(json, "primitives", '{');
    for (unsigned i = 0; gp && i < gp_n_primitives; i++) {
        const int status = describe(gp, i, text, sizeof text);
        if (status != GPUPRIM_OK)
            code = tool_fail_library(common, status);
        tool_json_text(json, gp_primitives[i]->name, text);
    }
    tool_json_end(json, '}');
    return code;
}

static int print_json(const struct inventory *all, gpuprim *gp,
                      const struct tool_common *common)
{
    struct tool_json json = { .file = stdout };
    char name[256];
    tool_json_begin(&json, NULL, '{');
    tool_json_text(&json, "version", gpuprim_version());
    tool_json_begin(&json, "platforms", '[');
    for (cl_uint p = 0; p < all->n_platforms; p++) {
        tool_json_begin(&json, NULL, '{');
        tool_json_text(&json, "name", platform_name(all->platforms[p], name, sizeof name));
        tool_json_text(&json, "state", platform_state(all->platforms[p]));
        tool_json_end(&json, '}');
    }
    tool_json_end(&json, ']');
    tool_json_begin(&json, "devices", '[');
    int chosen = -1;
    for (unsigned d = 0; d < all->n_devices; d++) {
        json_device(&json, &all->devices[d], d);
        if (all->chosen && all->devices[d].id == all->chosen)
            chosen = (int)d;
    }
    tool_json_end(&json, ']');
    if (chosen < 0)
        tool_json_null(&json, "chosen");
    else
        tool_json_whole(&json, "chosen", (uint64_t)chosen);
    const int code = json_choices(&json, gp, common);
    tool_json_end(&json, '}');
    return code;
}

static int print_all(const struct inventory *all, gpuprim *gp, const struct tool_common *common)
{
    if (common->json)
        return print_json(all, gp, common);
    print_text(all);
    return gp ? print_choices(gp, common) : TOOL_GOOD;
}

static int run(int argc, char **argv)
{
    struct tool_common common = { 0 };
    const int parsed = tool_parse(&tool_info, argc, argv, &common);
    if (parsed != TOOL_GO_ON)
        return parsed;

    // Without a usable device the list of platforms may still show why.
    gpuprim *gp = NULL;
    int code = tool_device_open(&common, &gp);
    struct inventory all = { .chosen = gp ? gpuprim_cl_device(gp) : NULL };
    list_platforms(&all);
    const int status = list_devices(&all);
    if (status != GPUPRIM_OK)
        code = tool_fail_library(&common, status);
    const int choices = print_all(&all, gp, &common);
    free(all.devices);
    gpuprim_destroy(&gp);
    return code != TOOL_GOOD ? code : choices;
}

const struct tool_command tool_info = {
    .name = "info",
    .summary = "list platforms and devices, and what would run on the chosen one",
    .text =
        "Lists platforms and devices. * marks the device that --device names, or the one that "
        "is used without --device. Each primitive says what it would run on that device.",
    .common = TOOL_COMMON & ~(TOOL_CHECK | TOOL_QUIET),
    .failure = "failure, or a primitive cannot run on the device",
    .examples =
        (const struct tool_example[]){
            { "gpuprim info", "lists the devices and their numbers" },
            { "gpuprim info --device cpu --json", "does so as JSON, and chooses a CPU" },
            { 0 },
        },
    .run = run,
};
