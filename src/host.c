/* SPDX-License-Identifier: Apache-2.0
 *
 * Host arrays on the device. A CPU device uses them in place; to others they go piece by piece
 * through staging memory of bounded size. Results come home the same way. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// How many steps of `step` elements fit into `room` elements beyond the first.
static uint64_t steps_within(uint64_t room, int64_t step, uint64_t most)
{
    if (step == 0)
        return most;
    const uint64_t n = room / gp_magnitude(step) + 1;
    return n < most ? n : most;
}

struct gp_piece gp_piece_largest(const gpuprim *gp, const struct gp_array *array,
                                 uint64_t max_rows)
{
    struct gp_piece piece = { 0, array->rows < max_rows ? array->rows : max_rows, 0,
                              array->count };
    if (array->memory != GPUPRIM_HOST || array->count == 0)
        return piece;
    uint64_t bytes = gp->caps.max_alloc_bytes;
    if (!gp->caps.is_cpu && gp->staging_bytes < bytes)
        bytes = gp->staging_bytes;
    const uint64_t room = bytes / array->size > 1 ? bytes / array->size - 1 : 0;

    // The axis of the longer steps is cut first: its pieces are whole stretches of memory.
    const bool rows_outside = gp_magnitude(array->row_stride) >= gp_magnitude(array->stride);
    uint64_t *outer = rows_outside ? &piece.rows : &piece.count;
    uint64_t *inner = rows_outside ? &piece.count : &piece.rows;
    const int64_t outer_step = rows_outside ? array->row_stride : array->stride;
    const int64_t inner_step = rows_outside ? array->stride : array->row_stride;
    *inner = steps_within(room, inner_step, *inner);
    *outer = steps_within(room - (*inner - 1) * gp_magnitude(inner_step), outer_step, *outer);
    return piece;
}

// The elements, relative to base, that a piece touches: from *low up to *high.
static void piece_span(const struct gp_array *array, const struct gp_piece *piece,
                       int64_t *first, int64_t *low, int64_t *high)
{
    const int64_t along = (int64_t)(piece->count - 1) * array->stride;
    const int64_t across = (int64_t)(piece->rows - 1) * array->row_stride;
    *first = array->first + (int64_t)piece->row * array->row_stride +
             (int64_t)piece->element * array->stride;
    *low = *first + (along < 0 ? along : 0) + (across < 0 ? across : 0);
    *high = *first + (along > 0 ? along : 0) + (across > 0 ? across : 0) + 1;
}

int gp_piece_bind(struct gp_call *call, const struct gp_array *array,
                  const struct gp_piece *piece, cl_mem spare, struct gp_bound *out)
{
    *out = (struct gp_bound){ .memory = spare };
    out->argument = (struct gp_argument){ &out->memory, sizeof out->memory, false };
    if (piece->count == 0 || piece->rows == 0)
        return GPUPRIM_OK;

    int64_t low, high;
    piece_span(array, piece, &out->first, &low, &high);
    if (array->memory == GPUPRIM_BUFFER) {
        out->memory = (cl_mem)array->base;
        return GPUPRIM_OK;
    }
    if (array->memory == GPUPRIM_SVM) {
        out->argument = (struct gp_argument){ array->base, 0, true };
        return GPUPRIM_OK;
    }
    char *bytes = (char *)array->base + low * (int64_t)array->size;
    const size_t size = (size_t)(high - low) * array->size;
    out->first -= low;
    cl_int error = CL_SUCCESS;
    if (call->gp->caps.is_cpu) {
        out->temporary = clCreateBuffer(
            call->gp->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, size, bytes, &error);
        out->memory = out->temporary;
        return error ? gp_fail_cl(error, "clCreateBuffer (host array)") : GPUPRIM_OK;
    }
    const int status = gp_call_memory(call, GP_STAGING, size, &out->memory);
    if (status)
        return status;
    error =
        clEnqueueWriteBuffer(call->queue, out->memory, CL_FALSE, 0, size, bytes, 0, NULL, NULL);
    if (error)
        return gp_fail_cl(error, "clEnqueueWriteBuffer");
    call->enqueued = true;
    return GPUPRIM_OK;
}

void gp_piece_release(struct gp_bound *bound)
{
    if (bound->temporary)
        clReleaseMemObject(bound->temporary);
    bound->temporary = NULL;
}

// Packed results to where the caller wants them: row 0's first one goes to `to`.
static void spread(const struct gp_array *array, char *to, const char *packed, uint64_t rows,
                   unsigned pairs, int64_t row_step, int64_t pair_step)
{
    for (uint64_t i = 0; i < rows * pairs; i++) {
        const int64_t at = (int64_t)(i / pairs) * row_step + (int64_t)(i % pairs) * pair_step;
        memcpy(to + at * (int64_t)array->size, packed + i * array->size, array->size);
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
