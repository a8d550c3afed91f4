/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the functions that only return information: the list of devices, the OpenCL objects
 * of a context, the type of the results of a reduction, the number of outputs of a filter. The
 * answers must be those that gpuprim_reduce and gpuprim_convolve1d accept.
 */
#include "api.h"

#include <stdio.h>
#include <string.h>

#include "reference/reduce/reduce.h"
#include "src/reduce/operations.h"
#include "tests/harness/shim.h"

enum { LIMIT = 64 };

// ---------------------------------------------------------------------------------------
// Devices

static void device_is(struct check *check, const struct gpuprim_device *device, cl_device_id id)
{
    struct gp_caps caps;
    const int status = gp_caps_query(id, &caps);
    check->cases++;
    CHECK(check, device->id == id, "%s: another id", device->name);
    CHECK(check, device->status == status && (status != 0) == (device->refusal[0] != '\0'),
          "%s: status %d, \"%s\"", device->name, device->status, device->refusal);
    CHECK(check, strcmp(device->name, caps.device) == 0, "name %s", device->name);
    CHECK(check, strcmp(device->platform, caps.platform) == 0, "platform %s", device->platform);
    CHECK(check, strcmp(device->driver, caps.driver) == 0, "driver %s", device->driver);
    CHECK(check, strcmp(device->version, caps.version) == 0, "version %s", device->version);
    CHECK(check,
          (device->kind == GPUPRIM_DEVICE_GPU) == caps.is_gpu &&
              (device->kind == GPUPRIM_DEVICE_CPU) == caps.is_cpu,
          "%s: kind %d", device->name, (int)device->kind);
    CHECK(check,
          device->fp64 == caps.has_fp64 && device->svm == caps.has_svm &&
              device->compute_units == caps.compute_units && device->width == caps.width &&
              device->max_work_group == caps.max_work_group &&
              device->global_bytes == caps.global_bytes &&
              device->max_alloc_bytes == caps.max_alloc_bytes &&
              device->local_bytes == caps.local_bytes,
          "%s: a number is another than that of the query", device->name);
    for (int i = 0; i < 8; i++)
        CHECK(check, device->reserved[i] == 0, "reserved[%d] is not 0", i);
}

// The option `device` takes the index in the list.
static void index_names(struct check *check, unsigned index,
                        const struct gpuprim_device *device)
{
    char number[16];
    gpuprim *gp = NULL;
    snprintf(number, sizeof number, "%u", index);
    const int status = gpuprim_create(&(struct gpuprim_options){ .device = number }, &gp);
    CHECK(check, status == device->status, "device %u: %d, listed with %d", index, status,
          device->status);
    CHECK(check, gpuprim_cl_device(gp) == (status ? NULL : device->id), "device %u is another",
          index);
    gpuprim_destroy(&gp);
}

static cl_int(CL_API_CALL *true_info)(cl_device_id, cl_device_info, size_t, void *, size_t *);

static cl_int CL_API_CALL no_compiler(cl_device_id device, cl_device_info what, size_t size,
                                      void *value, size_t *wanted)
{
    if (what != CL_DEVICE_COMPILER_AVAILABLE)
        return true_info(device, what, size, value, wanted);
    *(cl_bool *)value = CL_FALSE;
    return CL_SUCCESS;
}

static void refused(struct check *check)
{
    struct gpuprim_device device;
    unsigned n = 0;
    shim_function before = shim_replace("clGetDeviceInfo", (shim_function)no_compiler);
    true_info = (__typeof__(true_info))before;
    const int status = gpuprim_devices(&device, 1, &n);
    shim_replace("clGetDeviceInfo", before);
    check->cases++;
    CHECK(check, !status && n && device.status == GPUPRIM_E_UNSUPPORTED,
          "a device without a compiler: %d, status %d", status, device.status);
    CHECK(check, device.name[0] && device.id && strstr(device.refusal, "compiler"),
          "\"%s\" is refused for \"%s\"", device.name, device.refusal);
}

static void devices(struct check *check, gpuprim *gp)
{
    (void)gp;
    static struct gpuprim_device list[LIMIT + 1], one[2];
    cl_device_id ids[LIMIT];
    unsigned n = 77, m = 77;
    memset(list, 0x5a, sizeof list);
    memset(one, 0x5a, sizeof one);
    CHECK(check, !gpuprim_devices(NULL, 0, &n), "no list: %s", gpuprim_last_error());
    CHECK(check, n == gp_devices(ids, LIMIT) && n <= LIMIT, "%u devices", n);
    CHECK(check, !gpuprim_devices(list, LIMIT, &m) && m == n, "%u devices, then %u", n, m);
    for (unsigned i = 0; i < n && i < LIMIT; i++) {
        device_is(check, &list[i], ids[i]);
        index_names(check, i, &list[i]);
    }
    CHECK(check, list[n].reserved[7] == one[1].reserved[7], "more than the devices is written");
    CHECK(check, !gpuprim_devices(one, 1, &m) && m == n, "limit 1: %u devices", m);
    CHECK(check, memcmp(one, list, sizeof *one) == 0, "limit 1: another device");
    CHECK(check, one[1].reserved[0] == UINT64_C(0x5a5a5a5a5a5a5a5a),
          "limit 1: two are written");
    m = 77;
    CHECK(check, gpuprim_devices(NULL, 1, &m) == GPUPRIM_E_ARG && m == 77, "list NULL");
    CHECK(check, gpuprim_devices(list, LIMIT, NULL) == GPUPRIM_E_ARG, "count NULL");
    CHECK(check, strstr(gpuprim_last_error(), "gpuprim_devices: count"), "the message is %s",
          gpuprim_last_error());
    check->cases += 6;
    refused(check);
}

static void objects(struct check *check, gpuprim *gp)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = gpuprim_cl_queue(gp);
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    CHECK(check, context && context == gpuprim_cl_context(gp), "another context");
    CHECK(check, device && device == gpuprim_cl_device(gp), "another device");
    CHECK(check,
          !gpuprim_cl_context(NULL) && !gpuprim_cl_device(NULL) && !gpuprim_cl_queue(NULL),
          "something for NULL");
    check->cases += 3;

    // The context and queue work for buffers of the caller.
    const int32_t x[] = { 1, 2, 3 };
    int64_t sum = 0;
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(gpuprim_cl_context(gp), CL_MEM_READ_WRITE, sizeof x, NULL, &error);
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_I32, buffer, 0, 3);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    CHECK(check, !gpuprim_reduce(gp, &in, &out, &params, NULL) && sum == 6, "%s",
          gpuprim_last_error());
    clReleaseMemObject(buffer);
}

// ---------------------------------------------------------------------------------------
// Types of results

// An array without rows: the call is checked like any other, but builds and launches nothing.
static struct gpuprim_array nothing(enum gpuprim_type type, uint64_t count)
{
    return gpuprim_as_rows(gpuprim_host(type, NULL, 0), 0, count);
}

static void result_types(struct check *check, gpuprim *gp)
{
    for (int op = 0; op <= REDUCE_N_OPERATIONS; op++)
        for (int in = 0; in <= GPUPRIM_C32 + 1; in++)
            for (int accumulator = 0; accumulator <= GPUPRIM_C32 + 1; accumulator++) {
                const enum gpuprim_type answer = gpuprim_reduce_type(
                    (enum gpuprim_op)op, (enum gpuprim_type)in, (enum gpuprim_type)accumulator);
                check->cases++;
                for (int out = GPUPRIM_I8; out <= GPUPRIM_C32; out++) {
                    const struct gpuprim_reduce_params params = {
                        .op = (enum gpuprim_op)op, .accumulator = (enum gpuprim_type)accumulator
                    };
                    const struct gpuprim_array x = nothing((enum gpuprim_type)in, 1);
                    const struct gpuprim_array y = nothing(
                        (enum gpuprim_type)out, reduce_reference_results((enum gpuprim_op)op));
                    const int status = gpuprim_reduce(gp, &x, &y, &params, NULL);
                    const bool takes = !status || status == GPUPRIM_E_UNSUPPORTED;
                    const bool narrow =
                        op == GPUPRIM_STATISTICS && answer && out == GPUPRIM_F32;
                    if (!CHECK(check, takes == (out == (int)answer || narrow),
                               "operation %d of %d by %d: %d is the answer, but %d gives %d "
                               "(%s)",
                               op, in, accumulator, (int)answer, out, status,
                               gpuprim_last_error()))
                        return;
                }
            }
    CHECK(check,
          gpuprim_reduce_type(GPUPRIM_ARGMAX, GPUPRIM_F32, GPUPRIM_TYPE_INVALID) == GPUPRIM_U64,
          "argmax is not u64");
}

// ---------------------------------------------------------------------------------------
// Outputs of a filter

// One more than the index of the last output that depends on an input, found by trying each.
static uint64_t last_output(const struct gpuprim_filter_params *p, int64_t halo, int64_t n)
{
    uint64_t outputs = 0;
    for (int64_t i = 0; n && i < 100; i++) {
        const int64_t newest = i * (int64_t)p->stride + p->offset;
        if (newest - halo <= n - 1 && newest >= 0)
            outputs = (uint64_t)i + 1;
    }
    return outputs;
}

static void outputs_of(struct check *check, gpuprim *gp, const struct gpuprim_filter_params *p)
{
    static const float taps[4] = { 1, 2, 3, 4 };
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, taps, 4);
    const uint64_t halo = 3 * p->dilation;
    gpuprim_filter *filter = NULL;
    if (!CHECK(check, !gpuprim_filter_create(gp, &h, p, &filter), "%s", gpuprim_last_error()))
        return;
    for (uint64_t n = 0; n < 20; n++) {
        const uint64_t outputs = gpuprim_filter_outputs(filter, n);
        check->cases++;
        if (p->mode == GPUPRIM_EXPLICIT) {
            const uint64_t wanted = last_output(p, (int64_t)halo, (int64_t)n);
            CHECK(check, n == 0 || outputs == wanted, "offset %lld of %llu: %llu, not %llu",
                  (long long)p->offset, (unsigned long long)n, (unsigned long long)outputs,
                  (unsigned long long)wanted);
            continue;
        }
        const struct gpuprim_array in = nothing(GPUPRIM_F32, n);
        for (uint64_t count = 0; count < 40; count++) {
            const struct gpuprim_array out = nothing(GPUPRIM_F32, count);
            const int status = gpuprim_convolve1d(gp, filter, &in, &out, NULL, NULL);
            const bool is_short = p->mode == GPUPRIM_VALID && n < halo;
            const int wanted = count == outputs && !is_short ? GPUPRIM_OK : GPUPRIM_E_ARG;
            CHECK(check, status == wanted,
                  "mode %d, %llu inputs, %llu outputs: %d, the answer is %llu", (int)p->mode,
                  (unsigned long long)n, (unsigned long long)count, status,
                  (unsigned long long)outputs);
        }
    }
    CHECK(check, gpuprim_filter_outputs(filter, UINT64_MAX) == 0, "2^64 inputs have outputs");
    CHECK(check, gpuprim_filter_outputs(NULL, 5) == 0, "no filter has outputs");
    gpuprim_filter_destroy(&filter);
}

static void outputs(struct check *check, gpuprim *gp)
{
    for (int mode = GPUPRIM_SAME; mode <= GPUPRIM_CAUSAL; mode++)
        for (unsigned stride = 1; stride <= 3; stride += 2)
            outputs_of(check, gp,
                       &(struct gpuprim_filter_params){ .mode = (enum gpuprim_mode)mode,
                                                        .stride = stride,
                                                        .dilation = 1 + (stride == 3) });
    for (int64_t offset = -4; offset <= 4; offset += 2)
        outputs_of(check, gp,
                   &(struct gpuprim_filter_params){ .mode = GPUPRIM_EXPLICIT,
                                                    .offset = offset,
                                                    .stride = offset ? 2 : 1,
                                                    .dilation = 1 });
}

// ---------------------------------------------------------------------------------------

void queries_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp);
    } tests[] = { { "devices", devices },
                  { "objects", objects },
                  { "result_types", result_types },
                  { "outputs", outputs } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (!check_begin(check, "api/queries/%s", tests[i].name))
            continue;
        gpuprim *gp = check_context(check, NULL, 0);
        if (gp)
            tests[i].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
