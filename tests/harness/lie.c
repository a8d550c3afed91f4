/* SPDX-License-Identifier: Apache-2.0
 *
 * The lying device of lie.h: functions that stand between the shim and the driver. And, for all
 * tests, a driver that is strict about rectangles, as NVIDIA's is. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "lie.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static struct lie lie; // all zero: the truth
static atomic_uint refusals;

// The driver's functions, by their names.
// clang-format off
#define EACH(X) \
    X(clGetPlatformIDs) X(clGetDeviceInfo) X(clGetKernelWorkGroupInfo) X(clCreateBuffer) \
    X(clCreateProgramWithSource) X(clSetKernelArg) X(clEnqueueNDRangeKernel) \
    X(clEnqueueWriteBufferRect) X(clWaitForEvents) X(clFinish)
// Only called, by what stands in: past the shim, which would count.
#define EACH_CALLED(X) \
    X(clGetCommandQueueInfo) X(clGetMemObjectInfo) X(clCreateUserEvent) X(clReleaseEvent) \
    X(clRetainEvent) X(clSetUserEventStatus)
// clang-format on
#define TRUTH(name) static __typeof__(&name) true_##name;
EACH(TRUTH)
EACH_CALLED(TRUTH)

static cl_int refuse(cl_int code)
{
    atomic_fetch_add(&refusals, 1);
    return code;
}

unsigned lie_refusals(void)
{
    return atomic_load(&refusals);
}

// ---------------------------------------------------------------------------------------
// What the device says

// An answer of `bytes`, given as OpenCL does.
static cl_int answer(const void *said, size_t bytes, size_t size, void *value, size_t *wanted)
{
    if (wanted)
        *wanted = bytes;
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, said, bytes);
    return CL_SUCCESS;
}

static cl_int say_platforms(cl_uint n, cl_platform_id *list, cl_uint *found)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    const cl_int error = true_clGetPlatformIDs(16, platforms, &count);
    if (error || !lie.twice)
        return error ? error : true_clGetPlatformIDs(n, list, found);
    count = count > 16 ? 16 : count;
    memcpy(platforms + count, platforms, count * sizeof *platforms);
    for (cl_uint i = 0; list && i < n && i < 2 * count; i++)
        list[i] = platforms[i];
    if (found)
        *found = 2 * count;
    return CL_SUCCESS;
}

static cl_int say(cl_device_id device, cl_device_info what, size_t size, void *value,
                  size_t *wanted)
{
    const char *const extensions = lie.wave ? "cl_amd_device_attribute_query" : "";
    const char *const version = "OpenCL 1.2 as it was";
    const cl_ulong none = 0;
    const bool says_list = lie.wave || lie.is_plain;
    size_t items[3] = { lie.items, lie.items, lie.items };
#define SAY(said) return answer(&(said), sizeof(said), size, value, wanted)
    if (what == CL_DEVICE_TYPE && lie.type)
        SAY(lie.type);
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && lie.work_group)
        SAY(lie.work_group);
    if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES && lie.items)
        SAY(items);
    if (what == CL_DEVICE_LOCAL_MEM_SIZE && lie.local_is_less)
        SAY(lie.local_bytes);
    if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && lie.allocation)
        SAY(lie.allocation);
    if (what == 0x4043 && lie.wave) // CL_DEVICE_WAVEFRONT_WIDTH_AMD
        SAY(lie.wave);
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG && (lie.is_plain || lie.no_doubles))
        SAY(none);
    if (what == CL_DEVICE_EXTENSIONS && says_list)
        return answer(extensions, strlen(extensions) + 1, size, value, wanted);
    if (what == CL_DEVICE_VERSION && lie.is_plain)
        return answer(version, strlen(version) + 1, size, value, wanted);
    if (what == CL_DEVICE_SVM_CAPABILITIES && lie.is_plain)
        return CL_INVALID_VALUE;
    return true_clGetDeviceInfo(device, what, size, value, wanted);
}

static cl_int say_of_kernel(cl_kernel kernel, cl_device_id device,
                            cl_kernel_work_group_info what, size_t size, void *value,
                            size_t *wanted)
{
    size_t limit = 0;
    const cl_int error =
        true_clGetKernelWorkGroupInfo(kernel, device, what, size, value, wanted);
    if (error || what != CL_KERNEL_WORK_GROUP_SIZE || !value)
        return error;
    memcpy(&limit, value, sizeof limit);
    if (lie.kernel_group && lie.kernel_group < limit)
        limit = lie.kernel_group;
    if (lie.work_group && lie.work_group < limit)
        limit = lie.work_group;
    memcpy(value, &limit, sizeof limit);
    return CL_SUCCESS;
}

// ---------------------------------------------------------------------------------------
// What it refuses

static cl_mem create(cl_context context, cl_mem_flags flags, size_t size, void *p,
                     cl_int *error)
{
    if (lie.allocation && size > lie.allocation) {
        if (error)
            *error = refuse(CL_INVALID_BUFFER_SIZE);
        return NULL;
    }
    return true_clCreateBuffer(context, flags, size, p, error);
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                     const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
                     const cl_event *list, cl_event *event)
{
    cl_device_id device;
    cl_ulong bytes = 0; // with those of arguments in local memory
    const size_t most[] = { lie.work_group, lie.items, lie.kernel_group };
    for (int i = 0; i < 3; i++)
        if (most[i] && local && local[0] > most[i])
            return refuse(CL_INVALID_WORK_GROUP_SIZE);
    if (lie.local_is_less &&
        (true_clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) ||
         true_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                       &bytes, NULL) ||
         bytes > lie.local_bytes))
        return refuse(CL_OUT_OF_RESOURCES);
    return true_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n,
                                       list, event);
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (!value && lie.local_is_less && size > lie.local_bytes)
        return refuse(CL_INVALID_ARG_SIZE);
    return true_clSetKernelArg(kernel, index, size, value);
}

// Programs without the types that the device has not, and with an error where it shall not
// compile.
static cl_program make_program(cl_context context, cl_uint n, const char **text,
                               const size_t *sizes, cl_int *error)
{
    enum { MOST = 64 };
    static const char no_doubles[] =
        "#undef cl_khr_fp64\n#define double no_double\n#define double2 no_double\n"
        "#define double3 no_double\n#define double4 no_double\n#define double8 no_double\n"
        "#define double16 no_double\n";
    static const char wrong[] = "\nthis does not compile\n";
    const char *all[MOST + 2];
    size_t all_sizes[MOST + 2], k = 0;
    if (lie.is_plain || lie.no_doubles) {
        all[k] = no_doubles;
        all_sizes[k++] = strlen(no_doubles);
    }
    bool is_broken = false;
    for (cl_uint i = 0; i < n && i < MOST; i++) {
        const size_t size = sizes && sizes[i] ? sizes[i] : strlen(text[i]);
        const size_t length = lie.broken ? strlen(lie.broken) : 0;
        for (size_t at = 0; length && size < 64 && at + length < size; at++) // of a #line
            is_broken |= memcmp(text[i] + at, lie.broken, length) == 0;
        all[k] = text[i];
        all_sizes[k++] = size;
    }
    if (is_broken) {
        all[k] = wrong;
        all_sizes[k++] = strlen(wrong);
    }
    return true_clCreateProgramWithSource(context, (cl_uint)k, all, all_sizes, error);
}

// ---------------------------------------------------------------------------------------
// Rectangles

// OpenCL's rules, and NVIDIA's: the last line needs as much room on the device as the others.
static bool is_legal(cl_mem memory, const size_t *at, const size_t *offset,
                     const size_t *region, size_t row, size_t slice, size_t p_row,
                     size_t p_slice, const void *p)
{
    size_t bytes = 0;
    if (!at || !offset || !region || !region[0] || !region[1] || !region[2] || !p ||
        (row && row < region[0]) || (p_row && p_row < region[0]))
        return false;
    row = row ? row : region[0];
    p_row = p_row ? p_row : region[0];
    if ((slice && (slice < region[1] * row || slice % row)) ||
        (p_slice && (p_slice < region[1] * p_row || p_slice % p_row)) ||
        true_clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL))
        return false;
    slice = slice ? slice : region[1] * row;
    return (at[2] + region[2] - 1) * slice + (at[1] + region[1]) * row + at[0] <= bytes;
}

// A copy that waits for `pending` to be complete, and who is not to see it before.
static cl_event pending, late;
static cl_command_queue late_queue;
static void *late_lines; // what the caller's memory held: it may be gone by then

static void let_go(void)
{
    if (!pending)
        return;
    true_clSetUserEventStatus(pending, CL_COMPLETE);
    true_clReleaseEvent(pending);
    true_clWaitForEvents(1, &late);
    true_clReleaseEvent(late);
    free(late_lines);
    late_lines = NULL;
    pending = late = NULL;
}

static cl_int copy_late(cl_command_queue queue, cl_mem memory, const size_t *at,
                        const size_t *offset, const size_t *region, size_t row, size_t slice,
                        size_t p_row, size_t p_slice, const void *p, cl_event *event)
{
    cl_context context = NULL;
    let_go();
    true_clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    pending = true_clCreateUserEvent(context, NULL);
    const size_t bytes = (region[1] - 1) * p_row + region[0];
    late_lines = check_allocate(bytes);
    memcpy(late_lines, p, bytes);
    const cl_int error =
        true_clEnqueueWriteBufferRect(queue, memory, CL_FALSE, at, offset, region, row, slice,
                                      p_row, p_slice, late_lines, 1, &pending, &late);
    if (error) {
        true_clReleaseEvent(pending);
        free(late_lines);
        late_lines = NULL;
        pending = NULL;
        return error;
    }
    late_queue = queue;
    if (event) {
        true_clRetainEvent(late);
        *event = late;
    }
    return CL_SUCCESS;
}

static cl_int copy(cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *at,
                   const size_t *offset, const size_t *region, size_t row, size_t slice,
                   size_t p_row, size_t p_slice, const void *p, cl_uint n, const cl_event *list,
                   cl_event *event)
{
    if (!is_legal(memory, at, offset, region, row, slice, p_row, p_slice, p))
        return refuse(CL_INVALID_VALUE);
    if (lie.late_copies && blocking && n == 0)
        return copy_late(queue, memory, at, offset, region, row, slice, p_row, p_slice, p,
                         event);
    return true_clEnqueueWriteBufferRect(queue, memory, blocking, at, offset, region, row,
                                         slice, p_row, p_slice, p, n, list, event);
}

static cl_int wait(cl_uint n, const cl_event *list)
{
    for (cl_uint i = 0; list && i < n; i++)
        if (late && list[i] == late) {
            let_go();
            break;
        }
    return true_clWaitForEvents(n, list);
}

static cl_int finish(cl_command_queue queue)
{
    if (late && queue == late_queue)
        let_go();
    return true_clFinish(queue);
}

// ---------------------------------------------------------------------------------------

#define clGetPlatformIDs_OURS          say_platforms
#define clGetDeviceInfo_OURS           say
#define clGetKernelWorkGroupInfo_OURS  say_of_kernel
#define clCreateBuffer_OURS            create
#define clCreateProgramWithSource_OURS make_program
#define clSetKernelArg_OURS            set_argument
#define clEnqueueNDRangeKernel_OURS    launch
#define clEnqueueWriteBufferRect_OURS  copy
#define clWaitForEvents_OURS           wait
#define clFinish_OURS                  finish

// For the whole run, as the rules for rectangles hold in all tests.
__attribute__((constructor)) static void install(void)
{
#define PUT(name)                                                                              \
    true_##name = (__typeof__(&name))shim_replace(#name, (shim_function)name##_OURS);
#define LOOK(name) true_##name = (__typeof__(&name))shim_replace(#name, NULL);
    EACH(PUT)
    EACH_CALLED(LOOK)
}

void lie_begin(const struct lie *told)
{
    atomic_store(&refusals, 0);
    lie = *told;
}

void lie_end(void)
{
    let_go();
    lie = (struct lie){ .name = NULL };
}
