/* SPDX-License-Identifier: Apache-2.0
 *
 * Results on their way to host arrays: packed in staging memory until they are read, or, on CPU
 * devices, where the caller wants them from the start. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

// Of the staging memory up to a quarter holds results on their way home, no more than this.
enum { RESULTS_BYTES = 4 << 20 };

uint64_t gp_results_room(const gpuprim *gp, uint64_t least)
{
    const uint64_t room =
        gp->staging_bytes / 4 < RESULTS_BYTES ? gp->staging_bytes / 4 : RESULTS_BYTES;
    return room > least ? room : least;
}

// Packed results to where the caller wants them: row 0's first one goes to `to`.
static void spread(const struct gp_array *array, char *to, const char *packed, uint64_t rows,
                   uint64_t pairs, int64_t row_step, int64_t pair_step)
{
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t k = 0; k < pairs; k++, packed += array->size) {
            const int64_t at = (int64_t)row * row_step + (int64_t)k * pair_step;
            memcpy(to + at * (int64_t)array->size, packed, array->size);
        }
}

int gp_results_read(struct gp_call *call, cl_mem memory, const struct gp_array *array,
                    uint64_t row, uint64_t rows, unsigned pairs, int64_t row_step,
                    int64_t pair_step)
{
    const size_t size = array->size, bytes = (size_t)rows * pairs * size;
    char *first =
        (char *)array->base + (array->first + (int64_t)row * row_step) * (int64_t)size;
    const bool packed = (pairs == 1 || pair_step == 1) && (rows == 1 || row_step == pairs);
    if (memory == call->scratch->memory[GP_HOME]) {
        cl_int error;
        void *mapped = clEnqueueMapBuffer(call->queue, memory, CL_TRUE, CL_MAP_READ, 0, bytes,
                                          0, NULL, NULL, &error);
        if (error)
            return gp_fail_cl(error, "clEnqueueMapBuffer");
        spread(array, first, mapped, rows, pairs, row_step, pair_step);
        error = clEnqueueUnmapMemObject(call->queue, memory, mapped, 0, NULL, NULL);
        return error ? gp_fail_cl(error, "clEnqueueUnmapMemObject") : GPUPRIM_OK;
    }
    char *home = packed ? first : malloc(bytes);
    if (!home)
        return gp_fail(GPUPRIM_E_MEMORY, "results: out of memory");
    const cl_int error =
        clEnqueueReadBuffer(call->queue, memory, CL_TRUE, 0, bytes, home, 0, NULL, NULL);
    if (!packed && !error)
        spread(array, first, home, rows, pairs, row_step, pair_step);
    if (!packed)
        free(home);
    return error ? gp_fail_cl(error, "clEnqueueReadBuffer") : GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Outputs: as many results as there are elements

int gp_output_bind(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, struct gp_bound *out)
{
    if (array->memory != GPUPRIM_HOST)
        return gp_piece_bind(call, array, piece, NULL, out);
    *out = (struct gp_bound){ .stride = 1, .row_stride = (int64_t)piece->count };
    out->argument = (struct gp_argument){ &out->memory, sizeof out->memory, false };
    if (!call->gp->caps.is_cpu)
        return gp_call_memory(call, GP_RESULTS, piece->rows * piece->count * array->size,
                              &out->memory);
    int64_t first, low, high;
    cl_int error;
    gp_piece_span(array, piece, &first, &low, &high);
    cl_mem memory = clCreateBuffer(call->gp->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   (size_t)(high - low) * array->size,
                                   (char *)array->base + low * (int64_t)array->size, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (host array)");
    out->memory = out->temporary = memory;
    out->first = first - low;
    out->stride = array->stride;
    out->row_stride = array->row_stride;
    return GPUPRIM_OK;
}

// A buffer on the caller's memory: when it is mapped, that holds what kernels wrote.
static int settle(cl_command_queue queue, cl_mem memory)
{
    cl_int error;
    void *mapped =
        clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &error);
    if (!error)
        error = clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
    return error ? gp_fail_cl(error, "clEnqueueMapBuffer") : GPUPRIM_OK;
}

// The caller's memory for row 0, element 0 of a piece.
static char *place_of(const struct gp_array *array, const struct gp_piece *piece)
{
    return gp_array_element(array, piece->row, (int64_t)piece->element);
}

// Enqueues the copy of a piece to the caller's memory, or to memory from where it is spread.
static int send_home(cl_command_queue queue, const struct gp_array *array,
                     const struct gp_piece *piece, cl_mem memory, struct gp_home *home)
{
    const uint64_t bytes = piece->rows * piece->count * array->size;
    const bool is_packed =
        array->stride == 1 && (piece->rows == 1 || array->row_stride == (int64_t)piece->count);
    char *to = is_packed ? place_of(array, piece) : malloc(bytes);
    if (!to)
        return gp_fail(GPUPRIM_E_MEMORY, "results: out of memory");
    cl_event there = NULL;
    cl_int error = clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, bytes, to, 0, NULL, &there);
    if (error) {
        if (!is_packed)
            free(to);
        return gp_fail_cl(error, "clEnqueueReadBuffer");
    }
    *home = (struct gp_home){ there, is_packed ? NULL : to, *piece };
    error = clFlush(queue); // it shall run now
    return error ? gp_fail_cl(error, "clFlush") : GPUPRIM_OK;
}

// Waits for outputs to be where they belong. The lock is not held.
static int arrive(cl_command_queue queue, const struct gp_array *array, struct gp_home *home)
{
    if (!home->there)
        return GPUPRIM_OK;
    const struct gp_piece *piece = &home->piece;
    const cl_int error = clWaitForEvents(1, &home->there);
    if (error)
        clFinish(queue); // nothing may arrive in memory that is given back
    else if (home->packed)
        spread(array, place_of(array, piece), home->packed, piece->rows, piece->count,
               array->row_stride, array->stride);
    clReleaseEvent(home->there);
    free(home->packed);
    home->there = NULL;
    return error ? gp_fail_cl(error, "reading outputs") : GPUPRIM_OK;
}

int gp_output_home(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, const struct gp_bound *bound,
                   struct gp_home *home)
{
    if (array->memory != GPUPRIM_HOST)
        return GPUPRIM_OK;
    struct gp_home next = { .there = NULL };
    gp_call_unlock(call);
    const int status = bound->temporary
                           ? settle(call->queue, bound->memory)
                           : send_home(call->queue, array, piece, bound->memory, &next);
    const int arrived = arrive(call->queue, array, home);
    *home = next;
    gp_call_lock(call);
    return status ? status : arrived;
}

int gp_output_arrive(struct gp_call *call, const struct gp_array *array, struct gp_home *home)
{
    if (!home->there) // nor is there a reason to let other calls in
        return GPUPRIM_OK;
    gp_call_unlock(call);
    const int status = arrive(call->queue, array, home);
    gp_call_lock(call);
    return status;
}
