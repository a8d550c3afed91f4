/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim info: platforms, devices, and what the library would do on the chosen one.
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "print.h"
#include "src/core/core.h"

extern const struct tool_command tool_info;

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

struct inventory {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n_platforms;
    cl_device_id devices[MAX_DEVICES];
    unsigned n_devices;
    cl_device_id chosen; // NULL = none
};

static void take_inventory(struct inventory *out)
{
    // Without any driver the loader returns an error and leaves the number as it is.
    if (clGetPlatformIDs(MAX_PLATFORMS, out->platforms, &out->n_platforms) != CL_SUCCESS)
        out->n_platforms = 0;
    if (out->n_platforms > MAX_PLATFORMS)
        out->n_platforms = MAX_PLATFORMS;
    // A driver that is registered twice gives the same platform twice.
    cl_uint n = 0;
    for (cl_uint p = 0; p < out->n_platforms; p++) {
        cl_uint k = 0;
        while (k < n && out->platforms[k] != out->platforms[p])
            k++;
        out->platforms[k] = out->platforms[p];
        n += k == n;
    }
    out->n_platforms = n;
    out->n_devices = gp_devices(out->devices, MAX_DEVICES);
    if (out->n_devices > MAX_DEVICES)
        out->n_devices = MAX_DEVICES;
}

static const char *platform_name(cl_platform_id platform, char *text, size_t size)
{
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, text, NULL) != CL_SUCCESS)
        snprintf(text, size, "(nameless)");
    return text;
}

// "ok", or why a platform has nothing to offer.
static const char *platform_state(cl_platform_id platform)
{
    cl_uint n = 0;
    const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && n == 0))
        return "no devices";
    return status == CL_SUCCESS ? "ok" : gpuprim_strerror(status);
}

static cl_platform_id platform_of(cl_device_id device)
{
    cl_platform_id platform = NULL;
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return platform;
}

static const char *kind_of(const struct gp_caps *caps)
{
    return caps->is_gpu ? "GPU" : caps->is_cpu ? "CPU" : "accelerator";
}

// What a primitive would run, or why nothing can be said of it. Returns the library's status.
static int describe(gpuprim *gp, unsigned i, char *text, size_t size)
{
    const int status = gp_primitives[i]->describe(gp, text, size);
    if (status != GPUPRIM_OK) {
        const char *words = gpuprim_last_error();
        snprintf(text, size, "failed: %.*s", (int)strcspn(words, "\n"), words);
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

static void print_device(unsigned index, cl_device_id device, bool is_chosen)
{
    struct gp_caps caps;
    char local[24], global[24], largest[24];
    if (gp_caps_query(device, &caps) != GPUPRIM_OK) {
        printf("  %3u  not usable: %s\n", index, gpuprim_last_error());
        return;
    }
    printf("%c %3u  %s (%s)\n", is_chosen ? '*' : ' ', index, caps.device, kind_of(&caps));
    printf("       %s, driver %s\n", caps.version, caps.driver);
    printf("       %u compute units, width %u, work-groups up to %" PRIu64 "\n",
           caps.compute_units, caps.width, caps.max_work_group);
    printf("       local memory %s, memory %s, largest buffer %s\n",
           bytes_text(caps.local_bytes, local, sizeof local),
           bytes_text(caps.global_bytes, global, sizeof global),
           bytes_text(caps.max_alloc_bytes, largest, sizeof largest));
    printf("       f64 %s, SVM %s\n", caps.has_fp64 ? "yes" : "no",
           caps.has_svm ? "yes" : "no");
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
            if (platform_of(all->devices[d]) == all->platforms[p])
                print_device(d, all->devices[d], all->devices[d] == all->chosen);
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

static void json_member(const char *name, const char *value)
{
    printf(", \"%s\": ", name);
    tool_json_string(stdout, value);
}

static void json_device(const struct inventory *all, unsigned index)
{
    char name[256];
    struct gp_caps caps;
    printf("%s\n    {\"index\": %u", index ? "," : "", index);
    json_member("platform", platform_name(platform_of(all->devices[index]), name, sizeof name));
    if (gp_caps_query(all->devices[index], &caps) != GPUPRIM_OK) {
        json_member("unusable", gpuprim_last_error());
        printf("}");
        return;
    }
    json_member("name", caps.device);
    json_member("kind", caps.is_gpu ? "gpu" : caps.is_cpu ? "cpu" : "accelerator");
    json_member("version", caps.version);
    json_member("driver", caps.driver);
    printf(", \"compute_units\": %u, \"width\": %u, \"max_work_group\": %" PRIu64
           ", \"local_bytes\": %" PRIu64 ", \"global_bytes\": %" PRIu64
           ", \"max_alloc_bytes\": %" PRIu64 ", \"fp64\": %s, \"svm\": %s}",
           caps.compute_units, caps.width, caps.max_work_group, caps.local_bytes,
           caps.global_bytes, caps.max_alloc_bytes, caps.has_fp64 ? "true" : "false",
           caps.has_svm ? "true" : "false");
}

static int json_choices(gpuprim *gp, const struct tool_common *common)
{
    char text[512];
    int code = TOOL_GOOD;
    printf("  \"primitives\": {");
    for (unsigned i = 0; gp && i < gp_n_primitives; i++) {
        const int status = describe(gp, i, text, sizeof text);
        if (status != GPUPRIM_OK)
            code = tool_fail_library(common, status);
        printf("%s\n    ", i ? "," : "");
        tool_json_string(stdout, gp_primitives[i]->name);
        printf(": ");
        tool_json_string(stdout, text);
    }
    printf("}\n}\n");
    return code;
}

static int print_json(const struct inventory *all, gpuprim *gp,
                      const struct tool_common *common)
{
    char name[256];
    printf("{\n  \"version\": \"%s\",\n  \"platforms\": [", gpuprim_version());
    for (cl_uint p = 0; p < all->n_platforms; p++) {
        printf("%s\n    {\"name\": ", p ? "," : "");
        tool_json_string(stdout, platform_name(all->platforms[p], name, sizeof name));
        json_member("state", platform_state(all->platforms[p]));
        printf("}");
    }
    printf("],\n  \"devices\": [");
    int chosen = -1;
    for (unsigned d = 0; d < all->n_devices; d++) {
        json_device(all, d);
        if (all->devices[d] == all->chosen)
            chosen = (int)d;
    }
    if (chosen < 0)
        printf("],\n  \"chosen\": null,\n");
    else
        printf("],\n  \"chosen\": %d,\n", chosen);
    return json_choices(gp, common);
}

static int run(int argc, char **argv)
{
    static const struct option options[] = { TOOL_LONG };
    struct tool_common common = { 0 };
    for (int option; (option = getopt_long(argc, argv, TOOL_SHORT, options, NULL)) != -1;) {
        const int code = tool_common_option(&common, &tool_info, option);
        if (code != TOOL_GO_ON)
            return code;
    }
    if (optind < argc)
        return tool_fail(TOOL_MISUSED, "info takes no operand, but '%s' is given",
                         argv[optind]);

    // Without a usable device there may still be platforms to see, and why they do not help.
    gpuprim *gp = NULL;
    int code = tool_device_open(&common, &gp);
    struct inventory all = { .chosen = gp ? gp->device : NULL };
    take_inventory(&all);
    int choices = TOOL_GOOD;
    if (common.json)
        choices = print_json(&all, gp, &common);
    else
        print_text(&all);
    if (gp && !common.json)
        choices = print_choices(gp, &common);
    gpuprim_destroy(&gp);
    return code != TOOL_GOOD ? code : choices;
}

const struct tool_command tool_info = {
    .name = "info",
    .summary = "platforms, devices, and what would run on the chosen one",
    .usage =
        "Usage: gpuprim info [OPTION...]\n"
        "Lists platforms and devices. * marks the device that is used without --device, or\n"
        "the one that --device names; for that one each primitive says what it would run.\n",
    .run = run,
};
