/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with arrays on the host: copies between arrays and packed memory, buffers, and one
 * piece of outputs from its launch to its readback. host.c, windows.c and history.c call it; it
 * calls launch.c alone. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

void gp_convolve_copy_rows(const struct gp_array *array, uint64_t row, uint64_t rows,
                           int64_t begin, uint64_t count, char *packed, bool to_array)
{
    const size_t size = array->size;
    const uint64_t run = array->stride == 1 ? count : 1; // elements that are copied at once
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t i = 0; i < count; i += run) {
            char *element = gp_array_element(array, row + r, begin + (int64_t)i);
            char *copy = packed + (r * count + i) * size;
            memcpy(to_array ? element : copy, to_array ? copy : element, run * size);
        }
}

void *gp_convolve_allocate(uint64_t rows, uint64_t count, size_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(rows, count * size, &bytes) || bytes > SIZE_MAX - 1)
        return NULL;
    return malloc((size_t)bytes + 1);
}

int gp_convolve_no_memory(void)
{
    return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
}

int gp_convolve_buffer(const struct convolve_host *h, uint64_t bytes, void *values, cl_mem *out)
{
    cl_int error;
    if (bytes > SIZE_MAX)
        return gp_convolve_no_memory();
    cl_mem memory = clCreateBuffer(h->run->call.gp->context,
                                   CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0u),
                                   (size_t)bytes, values, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (convolve1d)");
    *out = memory;
    return GPUPRIM_OK;
}

int gp_convolve_read(struct convolve_host *h, cl_mem memory, uint64_t bytes, void *to)
{
    struct gp_call *call = &h->run->call;
    gp_call_unlock(call);
    const cl_int error =
        clEnqueueReadBuffer(call->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    gp_call_lock(call);
    return error ? gp_fail_cl(error, "clEnqueueReadBuffer") : GPUPRIM_OK;
}

void gp_convolve_view_bound(const struct gp_bound *bound, struct convolve_view *out)
{
    *out = (struct convolve_view){ .argument = bound->argument,
                                   .first = bound->first,
                                   .stride = bound->stride,
                                   .row_stride = bound->row_stride };
}

int gp_convolve_run_piece(struct convolve_host *h, const struct gp_piece *piece,
                          const struct convolve_launch *from)
{
    const struct gp_array *array = &h->run->c->out;
    struct gp_bound bound;
    struct convolve_view out;
    struct convolve_launch launch = *from;
    int status = gp_output_bind(&h->run->call, array, piece, &bound);
    if (status)
        return status;
    gp_convolve_view_bound(&bound, &out);
    launch.out = &out;
    launch.row = piece->row;
    launch.rows = piece->rows;
    launch.outputs = piece->count;
    status = gp_convolve_launch(h->run, &launch);
    if (!status)
        status = gp_output_read(&h->run->call, array, piece, &bound, &h->readback);
    gp_piece_release(&bound);
    return status;
}
