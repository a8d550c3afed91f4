/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device can do: the queries of gp_caps_query, made once for each context. Which devices
 * there are is in devices.c. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers of vendors' queries. cl_ext.h, which has them, is not installed everywhere.
#define DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define DEVICE_REGISTERS_PER_BLOCK_NV      0x4002
#define DEVICE_WARP_SIZE_NV                0x4003
#define DEVICE_WAVEFRONT_WIDTH_AMD         0x4043

// The queries that every device must answer. `error` keeps the first failure.
struct query {
    cl_device_id device;
    cl_int error;
    bool no_memory; // the host has none left
};

static bool ask(struct query *query, cl_device_info what, void *value, size_t size)
{
    const cl_int error = clGetDeviceInfo(query->device, what, size, value, NULL);
    if (error && !query->error)
        query->error = error;
    return !error;
}

// Asks for a text of any length and cuts it to `limit` bytes.
static void ask_text(struct query *query, cl_device_info what, char *text, size_t limit)
{
    size_t size = 0;
    const cl_int error = clGetDeviceInfo(query->device, what, 0, NULL, &size);
    char *whole = error ? NULL : calloc(1, size + 1);
    if (whole && ask(query, what, whole, size))
        snprintf(text, limit, "%s", whole);
    free(whole);
    query->no_memory |= !error && !whole;
    if (!whole && !query->error)
        query->error = error ? error : CL_OUT_OF_HOST_MEMORY;
}

static size_t ask_size(struct query *query, cl_device_info what)
{
    size_t value = 0;
    ask(query, what, &value, sizeof value);
    return value;
}

static cl_ulong ask_ulong(struct query *query, cl_device_info what)
{
    cl_ulong value = 0;
    ask(query, what, &value, sizeof value);
    return value;
}

static cl_uint ask_uint(struct query *query, cl_device_info what)
{
    cl_uint value = 0;
    ask(query, what, &value, sizeof value);
    return value;
}

// The device's extensions with a blank before and after each, so that " name " finds a whole
// name. The caller frees the text. NULL on failure: query->error has it, or the host has no
// memory left.
static char *extensions_of(struct query *query)
{
    size_t size = 0;
    const cl_int error = clGetDeviceInfo(query->device, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
    char *list = error ? NULL : calloc(1, size + 3);
    if (error)
        query->error = error;
    if (!list)
        return NULL;
    list[0] = ' ';
    if (size && !ask(query, CL_DEVICE_EXTENSIONS, list + 1, size)) {
        free(list);
        return NULL;
    }
    list[strlen(list)] = ' ';
    return list;
}

static void query_names(struct query *query, struct gp_caps *caps)
{
    cl_platform_id platform;
    ask_text(query, CL_DEVICE_NAME, caps->device, sizeof caps->device);
    ask_text(query, CL_DRIVER_VERSION, caps->driver, sizeof caps->driver);
    ask_text(query, CL_DEVICE_VERSION, caps->version, sizeof caps->version);
    if (ask(query, CL_DEVICE_PLATFORM, &platform, sizeof platform))
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof caps->platform - 1, caps->platform,
                          NULL);
}

static int refuse(const struct gp_caps *caps, const char *why)
{
    return gp_fail(GPUPRIM_E_UNSUPPORTED, "%s: %s", caps->device, why);
}

// The properties that gpuprim needs.
static int query_demands(struct query *query, const struct gp_caps *caps, unsigned *major)
{
    char profile[32] = "";
    ask(query, CL_DEVICE_PROFILE, profile, sizeof profile - 1);
    if (!query->error && strcmp(profile, "FULL_PROFILE") != 0)
        return refuse(caps, "it has the embedded profile, gpuprim needs the full one");
    if (!ask_uint(query, CL_DEVICE_ENDIAN_LITTLE) && !query->error)
        return refuse(caps, "it is big-endian, gpuprim needs little-endian");
    if (!ask_uint(query, CL_DEVICE_COMPILER_AVAILABLE) && !query->error)
        return refuse(caps, "it has no compiler, which gpuprim needs");
    if (!ask_uint(query, CL_DEVICE_AVAILABLE) && !query->error)
        return refuse(caps, "it is not available");
    unsigned minor = 0;
    if (!query->error && sscanf(caps->version, "OpenCL %u.%u", major, &minor) != 2)
        return gp_fail(GPUPRIM_E_UNSUPPORTED,
                       "%s: its version is \"%s\", not \"OpenCL\" and two numbers",
                       caps->device, caps->version);
    if (*major == 1 && minor < 2)
        return refuse(caps, "it is older than OpenCL 1.2, which gpuprim needs");
    return GPUPRIM_OK;
}

// Work-groups are multiples of this width. It is the vendor's number if there is one. Kernels
// may ask for larger multiples (program.c).
static unsigned query_width(struct query *query, const struct gp_caps *caps,
                            const char *extensions)
{
    cl_uint width = 0;
    if (caps->is_cpu)
        return 1;
    if (strstr(extensions, " cl_nv_device_attribute_query "))
        width = ask_uint(query, DEVICE_WARP_SIZE_NV);
    if (!width && strstr(extensions, " cl_amd_device_attribute_query "))
        width = ask_uint(query, DEVICE_WAVEFRONT_WIDTH_AMD);
    return width ? width : 32;
}

static void query_limits(struct query *query, struct gp_caps *caps)
{
    size_t items[16] = { 0 };
    ask(query, CL_DEVICE_MAX_WORK_ITEM_SIZES, items, sizeof items);
    caps->max_work_group = ask_size(query, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (items[0] && items[0] < caps->max_work_group)
        caps->max_work_group = items[0];
    if (caps->max_work_group == 0)
        caps->max_work_group = 1;
    caps->compute_units = ask_uint(query, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (caps->compute_units == 0)
        caps->compute_units = 1;
    caps->vector_bytes =
        ask_uint(query, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) * (unsigned)sizeof(cl_float);
    caps->local_bytes = ask_ulong(query, CL_DEVICE_LOCAL_MEM_SIZE);
    caps->max_alloc_bytes = ask_ulong(query, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (caps->max_alloc_bytes > SIZE_MAX) // clCreateBuffer takes no more
        caps->max_alloc_bytes = SIZE_MAX;
    caps->global_bytes = ask_ulong(query, CL_DEVICE_GLOBAL_MEM_SIZE);
    caps->max_parameter_bytes = ask_size(query, CL_DEVICE_MAX_PARAMETER_SIZE);
}

static void query_create_buffer(struct query *query, struct gp_caps *caps)
{
    cl_platform_id platform;
    if (!ask(query, CL_DEVICE_PLATFORM, &platform, sizeof platform))
        return;
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clCreateBufferNV");
    memcpy(&caps->create_buffer_nv, &address, sizeof address);
}

int gp_caps_query(cl_device_id device, struct gp_caps *caps)
{
    struct query query = { .device = device };
    unsigned major = 2;
    memset(caps, 0, sizeof *caps);
    query_names(&query, caps);
    const int status = query_demands(&query, caps, &major);
    if (status)
        return status;

    // The type is a set of bits. Oclgrind sets all of them.
    const cl_ulong type = ask_ulong(&query, CL_DEVICE_TYPE);
    caps->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    caps->is_cpu = (type & CL_DEVICE_TYPE_CPU) && !caps->is_gpu;
    caps->has_fp64 = ask_ulong(&query, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    const cl_ulong single = ask_ulong(&query, CL_DEVICE_SINGLE_FP_CONFIG);
    caps->divides_exactly = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    if (major >= 2)
        caps->has_svm = (ask_ulong(&query, CL_DEVICE_SVM_CAPABILITIES) &
                         CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
    query_limits(&query, caps);

    char *extensions = query.error ? NULL : extensions_of(&query);
    if (extensions) {
        caps->is_nvidia = strstr(extensions, " cl_nv_compiler_options ") != NULL;
        caps->width = query_width(&query, caps, extensions);
        if (strstr(extensions, " cl_nv_create_buffer "))
            query_create_buffer(&query, caps);
        if (strstr(extensions, " cl_nv_device_attribute_query ")) {
            caps->registers = ask_uint(&query, DEVICE_REGISTERS_PER_BLOCK_NV);
            // Devices before 7.0 have no fences between groups.
            const unsigned capability =
                10 * ask_uint(&query, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV) +
                ask_uint(&query, DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
            caps->ptx = caps->is_nvidia && capability >= 70 ? capability : 0;
            caps->counts_arrivals = caps->ptx != 0;
            // V100, A100, H100 and B200. Other GPUs have a 32nd or 64th of the rate of f32.
            caps->has_fast_fp64 = caps->has_fp64 && (caps->ptx == 70 || caps->ptx == 80 ||
                                                     caps->ptx == 90 || caps->ptx == 100);
        }
    }
    query.no_memory |= !extensions && !query.error;
    free(extensions);
    if (query.no_memory)
        return gp_fail(GPUPRIM_E_MEMORY, "%s: out of memory", caps->device);
    return query.error ? gp_fail_cl(query.error, "clGetDeviceInfo") : GPUPRIM_OK;
}
