/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks an array of the caller (type, strides, and that every element lies inside its memory),
 * resolves its defaults, and copies its elements to the host. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

// Extends the span low ... high by n - 1 steps, upwards or downwards. False on overflow.
static bool extend(uint64_t n, int64_t step, int64_t *low, int64_t *high)
{
    int64_t offset;
    if (n > INT64_MAX || __builtin_mul_overflow((int64_t)n - 1, step, &offset))
        return false;
    return !__builtin_add_overflow(offset < 0 ? *low : *high, offset, offset < 0 ? low : high);
}

// Sets low and high: the array touches the elements from low up to, but not including, high.
static bool span(struct gp_array *array)
{
    array->low = array->first;
    if (__builtin_add_overflow(array->first, 1, &array->high))
        return false;
    if (array->count == 0 || array->rows == 0) {
        array->high = array->low;
        return true;
    }
    int64_t low_byte, high_byte;
    return extend(array->count, array->stride, &array->low, &array->high) &&
           extend(array->rows, array->row_stride, &array->low, &array->high) &&
           !__builtin_mul_overflow(array->low, (int64_t)array->size, &low_byte) &&
           !__builtin_mul_overflow(array->high, (int64_t)array->size, &high_byte);
}

static int check_buffer(const gpuprim *gp, struct gp_array *array, const char *name)
{
    cl_context context;
    size_t bytes, offset = 0;
    cl_mem memory = (cl_mem)array->base, parent;
    cl_int error = clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (!error)
        error = clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (!error)
        error = clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                                   NULL);
    if (!error && parent) // what is no part of another buffer begins at 0
        error = clGetMemObjectInfo(memory, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
    if (error)
        return gp_fail(error, "%s: base is no cl_mem: clGetMemObjectInfo gives %s (%d)", name,
                       gpuprim_strerror(error), (int)error);
    if (context != gp->context)
        return gp_fail(GPUPRIM_E_ARG, "%s: the buffer is of another OpenCL context than gp",
                       name);
    if (array->low < 0 || (uint64_t)array->high > bytes / array->size)
        return gp_fail(GPUPRIM_E_RANGE,
                       "%s: the array reaches from element %lld to %lld, the buffer has %llu "
                       "elements, from 0 on",
                       name, (long long)array->low, (long long)array->high - 1,
                       (unsigned long long)(bytes / array->size));
    array->root = parent ? (void *)parent : array->base;
    array->begin = offset + (uint64_t)array->low * array->size;
    array->end = offset + (uint64_t)array->high * array->size;
    return GPUPRIM_OK;
}

// Addresses are unsigned: with pointers of 32 bits, half of the memory lies beyond 2^31.
bool gp_array_place(const struct gp_array *array, uint64_t address, uint64_t last,
                    uint64_t *begin, uint64_t *end)
{
    const int64_t size = (int64_t)array->size;
    const uint64_t low = gp_abs(array->low * size);
    const uint64_t bytes = ((uint64_t)array->high - (uint64_t)array->low) * array->size;
    if (address > last || low > (array->low < 0 ? address : last - address))
        return false;
    *begin = array->low < 0 ? address - low : address + low;
    // The end of a memory of 2^64 bytes has no number, so no array may reach its last byte.
    if (bytes > last - *begin + (last < UINT64_MAX))
        return false;
    *end = *begin + bytes;
    return true;
}

// What a pointer must be a multiple of. On the host complex numbers are two floats. Kernels load
// them as one value.
static size_t alignment_of(const struct gp_array *array)
{
    return array->type == GPUPRIM_C32 && array->memory == GPUPRIM_HOST ? 4 : array->size;
}

static int check_memory(const gpuprim *gp, struct gp_array *array, const char *name)
{
    if (!array->base)
        return gp_fail(GPUPRIM_E_ARG, "%s: base is NULL, but the array has elements", name);
    if (array->memory == GPUPRIM_BUFFER)
        return check_buffer(gp, array, name);
    if ((uintptr_t)array->base % alignment_of(array))
        return gp_fail(GPUPRIM_E_ARG,
                       "%s: base is %p, it must be a multiple of %d bytes for %s", name,
                       array->base, (int)alignment_of(array), gp_type_name(array->type));
    if (!gp_array_place(array, (uintptr_t)array->base, UINTPTR_MAX, &array->begin, &array->end))
        return gp_fail(GPUPRIM_E_RANGE, "%s: the array leaves the address space", name);
    return GPUPRIM_OK;
}

int gp_array_resolve(const gpuprim *gp, const struct gpuprim_array *array, const char *name,
                     bool ignore_base, struct gp_array *out)
{
    if (!array)
        return gp_fail(GPUPRIM_E_ARG, "%s is NULL", name);
    const int status = gp_reserved_check(array->reserved, name);
    if (status)
        return status;
    if (array->type == GPUPRIM_TYPE_INVALID)
        return gp_fail(GPUPRIM_E_TYPE, "%s: type is not set (0)", name);
    if (!gp_type_size(array->type))
        return gp_fail(GPUPRIM_E_TYPE, "%s: type is %d, which no element type has", name,
                       (int)array->type);
    if ((unsigned)array->memory > GPUPRIM_SVM)
        return gp_fail(GPUPRIM_E_ARG,
                       "%s: memory is %d, it must be GPUPRIM_HOST (0), GPUPRIM_BUFFER (1) or "
                       "GPUPRIM_SVM (2)",
                       name, (int)array->memory);
    if (array->memory == GPUPRIM_SVM && !gp->caps.has_svm)
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "%s: %s has no shared virtual memory", name,
                       gp->caps.device);
    if (array->first > INT64_MAX)
        return gp_fail(GPUPRIM_E_RANGE, "%s: first is %llu, it must be below 2^63", name,
                       (unsigned long long)array->first);

    *out = (struct gp_array){
        .type = array->type,
        .memory = array->memory,
        .base = array->base,
        .size = gp_type_size(array->type),
        .first = (int64_t)array->first,
        .count = array->count,
        .rows = array->rows || array->row_stride ? array->rows : 1,
        .stride = array->stride ? array->stride : 1,
        .row_stride = array->row_stride,
    };
    // A single row needs no row stride, and count * stride might not fit 64 bits.
    if (out->rows <= 1)
        out->row_stride = 0;
    else if (!out->row_stride &&
             (out->count > INT64_MAX ||
              __builtin_mul_overflow((int64_t)out->count, out->stride, &out->row_stride)))
        return gp_fail(GPUPRIM_E_RANGE,
                       "%s: count * stride, the size of a row, overflows 64 bits", name);
    if (!span(out))
        return gp_fail(GPUPRIM_E_RANGE, "%s: the offset of its last element overflows 64 bits",
                       name);
    if (ignore_base || out->low == out->high)
        return GPUPRIM_OK;
    return check_memory(gp, out, name);
}

bool gp_array_move(const gpuprim *gp, struct gp_array *array, void *base, uint64_t first)
{
    int64_t low, high, low_byte, high_byte;
    if (first > INT64_MAX)
        return false;
    const int64_t moved = (int64_t)first - array->first; // neither is negative
    if (__builtin_add_overflow(array->low, moved, &low) ||
        __builtin_add_overflow(array->high, moved, &high) ||
        __builtin_mul_overflow(low, (int64_t)array->size, &low_byte) ||
        __builtin_mul_overflow(high, (int64_t)array->size, &high_byte))
        return false;
    array->base = base;
    array->first = (int64_t)first;
    array->low = low;
    array->high = high;
    return !check_memory(gp, array, "the array");
}

bool gp_arrays_overlap(const struct gp_array *a, const struct gp_array *b)
{
    return a->root == b->root && a->begin < b->end && b->begin < a->end;
}

// ---------------------------------------------------------------------------------------
// Reading

// Copies `bytes` bytes of the array, from byte `at` after base on.
static int read_bytes(gpuprim *gp, const struct gp_array *array, const char *name, int64_t at,
                      size_t bytes, void *to)
{
    const char *base = array->base;
    cl_int error = CL_SUCCESS;
    if (array->memory == GPUPRIM_HOST)
        memcpy(to, base + at, bytes);
    else if (array->memory == GPUPRIM_SVM)
        error = clEnqueueSVMMemcpy(gp->queue, CL_TRUE, to, base + at, bytes, 0, NULL, NULL);
    else
        error = clEnqueueReadBuffer(gp->queue, (cl_mem)array->base, CL_TRUE, (size_t)at, bytes,
                                    to, 0, NULL, NULL);
    return error ? gp_fail(error, "reading %s: %s (%d)", name, gpuprim_strerror(error),
                           (int)error)
                 : GPUPRIM_OK;
}

// Copies elements `begin` to `begin + n - 1` of a row. All bytes from the first to the last
// one are read into `span`, and the elements are picked out of them.
static int read_elements(gpuprim *gp, const struct gp_array *array, const char *name,
                         uint64_t row, uint64_t begin, uint64_t n, char *span, char *to)
{
    const int64_t size = (int64_t)array->size, step = array->stride * size;
    const int64_t first =
        (array->first + (int64_t)row * array->row_stride) * size + (int64_t)begin * step;
    const int64_t length = (int64_t)(n - 1) * step;
    const int64_t low = length < 0 ? first + length : first;
    const int status =
        read_bytes(gp, array, name, low, (size_t)(gp_abs(length) + (uint64_t)size), span);
    for (uint64_t i = 0; !status && i < n; i++)
        memcpy(to + i * array->size, span + (first - low) + (int64_t)i * step, array->size);
    return status;
}

int gp_array_read(gpuprim *gp, const struct gp_array *array, const char *name, void *to)
{
    enum { SPAN = 1 << 20 }; // bytes read at once, unless a single stride is longer
    if (array->count == 0 || array->rows == 0)
        return GPUPRIM_OK;
    const uint64_t step = gp_abs(array->stride) * array->size;
    uint64_t most = step < SPAN ? SPAN / step : 1;
    if (most > array->count)
        most = array->count;
    char *span = malloc((most - 1) * step + array->size);
    int status =
        span ? GPUPRIM_OK : gp_fail(GPUPRIM_E_MEMORY, "out of memory while %s is read", name);
    for (uint64_t row = 0; !status && row < array->rows; row++)
        for (uint64_t i = 0; !status && i < array->count; i += most) {
            const uint64_t n = array->count - i < most ? array->count - i : most;
            status = read_elements(gp, array, name, row, i, n, span,
                                   (char *)to + (row * array->count + i) * array->size);
        }
    free(span);
    return status;
}
