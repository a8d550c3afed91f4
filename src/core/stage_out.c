/* SPDX-License-Identifier: Apache-2.0
 *
 * Results on their way to host arrays. There are two kinds. Results are one or two per row:
 * they are packed in a buffer and read when a call has no room for more (gp_results_*). Outputs
 * are about as many as inputs: they are read piece by piece beside the launches (gp_output_*).
 * CPU devices write outputs into the caller's memory. The inputs are in stage_in.c. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

// Results take at most a quarter of the staging memory, and no more than this.
enum { RESULTS_BYTES = 4 << 20 };

// Above this size results are copied. The threshold is a guess that single stores across the
// bus take longer; only one value was measured.
enum { READBACK_BYTES = 4096 };

uint64_t gp_results_room(const gpuprim *gp, uint64_t least)
{
    const uint64_t room = gp_min(gp->staging_bytes / 4, RESULTS_BYTES);
    return room > least ? room : least;
}

int gp_call_results(struct gp_call *call, size_t bytes, cl_mem *out)
{
    const bool is_direct = call->gp->caps.create_buffer_nv && bytes <= READBACK_BYTES;
    return gp_call_memory(call, is_direct ? GP_READBACK : GP_RESULTS,
                          is_direct ? READBACK_BYTES : bytes, out);
}

// Scatters packed results over the caller's array. Row 0's first result goes to `to`.
static void scatter(const struct gp_array *array, char *to, const char *packed, uint64_t rows,
                    uint64_t per_row, int64_t row_step, int64_t step)
{
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t k = 0; k < per_row; k++, packed += array->size) {
            const int64_t at = (int64_t)row * row_step + (int64_t)k * step;
            memcpy(to + at * (int64_t)array->size, packed, array->size);
        }
}

int gp_results_read(struct gp_call *call, cl_mem memory, const struct gp_array *array,
                    uint64_t row, uint64_t rows, unsigned per_row, int64_t row_step,
                    int64_t step)
{
    const size_t size = array->size, bytes = (size_t)rows * per_row * size;
    char *first =
        (char *)array->base + (array->first + (int64_t)row * row_step) * (int64_t)size;
    const bool is_packed = (per_row == 1 || step == 1) && (rows == 1 || row_step == per_row);
    if (memory == call->scratch->memory[GP_READBACK]) {
        cl_int error;
        void *mapped = clEnqueueMapBuffer(call->queue, memory, CL_TRUE, CL_MAP_READ, 0, bytes,
                                          0, NULL, NULL, &error);
        if (error)
            return gp_fail_cl(error, "clEnqueueMapBuffer");
        scatter(array, first, mapped, rows, per_row, row_step, step);
        error = clEnqueueUnmapMemObject(call->queue, memory, mapped, 0, NULL, NULL);
        return error ? gp_fail_cl(error, "clEnqueueUnmapMemObject") : GPUPRIM_OK;
    }
    char *to = is_packed ? first : malloc(bytes);
    if (!to)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory while results are read");
    const cl_int error =
        clEnqueueReadBuffer(call->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    if (!is_packed && !error)
        scatter(array, first, to, rows, per_row, row_step, step);
    if (!is_packed)
        free(to);
    return error ? gp_fail_cl(error, "clEnqueueReadBuffer") : GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Outputs

int gp_output_bind(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, struct gp_bound *out)
{
    if (array->memory != GPUPRIM_HOST)
        return gp_piece_bind(call, array, piece, out);
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

// Makes what kernels wrote to a buffer on the caller's memory visible there: a map does that.
static int finish_in_place(cl_command_queue queue, cl_mem memory)
{
    cl_int error;
    void *mapped =
        clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &error);
    if (!error)
        error = clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
    return error ? gp_fail_cl(error, "clEnqueueMapBuffer") : GPUPRIM_OK;
}

// The caller's memory for row 0, element 0 of a piece.
static char *start_of(const struct gp_array *array, const struct gp_piece *piece)
{
    return gp_array_element(array, piece->row, (int64_t)piece->element);
}

// Enqueues the read of a piece: into the caller's array, or into memory to scatter from.
static int begin_read(cl_command_queue queue, const struct gp_array *array,
                      const struct gp_piece *piece, cl_mem memory, struct gp_readback *readback)
{
    const uint64_t bytes = piece->rows * piece->count * array->size;
    const bool is_packed =
        array->stride == 1 && (piece->rows == 1 || array->row_stride == (int64_t)piece->count);
    char *to = is_packed ? start_of(array, piece) : malloc(bytes);
    if (!to)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory while outputs are read");
    cl_event event = NULL;
    cl_int error = clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, bytes, to, 0, NULL, &event);
    if (error) {
        if (!is_packed)
            free(to);
        return gp_fail_cl(error, "clEnqueueReadBuffer");
    }
    *readback = (struct gp_readback){ event, is_packed ? NULL : to, *piece };
    error = clFlush(queue); // the read starts now
    return error ? gp_fail_cl(error, "clFlush") : GPUPRIM_OK;
}

// Waits for a read and scatters what it brought. The lock is not held.
static int finish_read(cl_command_queue queue, const struct gp_array *array,
                       struct gp_readback *readback)
{
    if (!readback->event)
        return GPUPRIM_OK;
    const struct gp_piece *piece = &readback->piece;
    const cl_int error = clWaitForEvents(1, &readback->event);
    if (error)
        clFinish(queue); // nothing may be written to memory that is freed
    else if (readback->packed)
        scatter(array, start_of(array, piece), readback->packed, piece->rows, piece->count,
                array->row_stride, array->stride);
    clReleaseEvent(readback->event);
    free(readback->packed);
    readback->event = NULL;
    return error ? gp_fail_cl(error, "reading outputs") : GPUPRIM_OK;
}

int gp_output_read(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, const struct gp_bound *bound,
                   struct gp_readback *readback)
{
    if (array->memory != GPUPRIM_HOST)
        return GPUPRIM_OK;
    struct gp_readback next = { .event = NULL };
    gp_call_unlock(call);
    const int status = bound->temporary
                           ? finish_in_place(call->queue, bound->memory)
                           : begin_read(call->queue, array, piece, bound->memory, &next);
    const int finished = finish_read(call->queue, array, readback);
    *readback = next;
    gp_call_lock(call);
    return status ? status : finished;
}

int gp_output_finish_read(struct gp_call *call, const struct gp_array *array,
                          struct gp_readback *readback)
{
    if (!readback->event) // without a wait there is no reason to let other calls in
        return GPUPRIM_OK;
    gp_call_unlock(call);
    const int status = finish_read(call->queue, array, readback);
    gp_call_lock(call);
    return status;
}
