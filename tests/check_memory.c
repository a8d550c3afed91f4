/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays with something around them, on the host and on the device.
 */
#include "check_memory.h"

#include <string.h>

enum { CANARY = 0xc5 };

void check_block_make(struct check_block *block, struct gpuprim_array shape, uint64_t lead,
                      uint64_t tail)
{
    const size_t size = gp_type_size(shape.type);
    const uint64_t rows = shape.rows ? shape.rows : 1;
    const int64_t stride = shape.stride ? shape.stride : 1;
    const int64_t row_stride =
        shape.row_stride ? shape.row_stride : (int64_t)shape.count * stride;
    int64_t low = 0, high = 0; // of the elements, counted from element 0
    if (shape.count) {
        const int64_t row = (int64_t)(rows - 1) * row_stride;
        const int64_t in_row = (int64_t)(shape.count - 1) * stride;
        low = (row < 0 ? row : 0) + (in_row < 0 ? in_row : 0);
        high = (row > 0 ? row : 0) + (in_row > 0 ? in_row : 0) + 1;
    }
    block->size = (size_t)(lead + (uint64_t)(high - low) + tail) * size;
    block->bytes = check_allocate(block->size);
    block->view = shape;
    block->view.memory = GPUPRIM_HOST;
    block->view.base = block->bytes;
    block->view.first = lead + (uint64_t)-low;
}

bool check_place_make(struct check *check, const gpuprim *gp, struct check_place *place,
                      const struct check_block *block, enum gpuprim_memory memory)
{
    cl_int status = CL_SUCCESS;
    *place = (struct check_place){ .view = block->view };
    place->view.memory = memory;
    const size_t size = block->size ? block->size : 1; // a buffer has at least one byte
    if (memory == GPUPRIM_BUFFER) {
        place->buffer = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, size, NULL, &status);
        place->view.base = place->buffer;
        if (place->buffer && block->size)
            status = clEnqueueWriteBuffer(gp->queue, place->buffer, CL_TRUE, 0, block->size,
                                          block->bytes, 0, NULL, NULL);
    } else if (memory == GPUPRIM_SVM) {
        place->svm = clSVMAlloc(gp->context, CL_MEM_READ_WRITE, size, 0);
        place->view.base = place->svm;
        if (!place->svm)
            status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        else if (block->size)
            status = clEnqueueSVMMemcpy(gp->queue, CL_TRUE, place->svm, block->bytes,
                                        block->size, 0, NULL, NULL);
    }
    return CHECK(check, status == CL_SUCCESS, "no device memory for a test: %d", status);
}

bool check_place_read(struct check *check, const gpuprim *gp, const struct check_place *place,
                      struct check_block *block)
{
    cl_int status = CL_SUCCESS;
    if (place->buffer && block->size)
        status = clEnqueueReadBuffer(gp->queue, place->buffer, CL_TRUE, 0, block->size,
                                     block->bytes, 0, NULL, NULL);
    else if (place->svm && block->size)
        status = clEnqueueSVMMemcpy(gp->queue, CL_TRUE, block->bytes, place->svm, block->size,
                                    0, NULL, NULL);
    return CHECK(check, status == CL_SUCCESS, "reading back failed: %d", status);
}

void check_place_free(const gpuprim *gp, struct check_place *place)
{
    if (place->buffer)
        clReleaseMemObject(place->buffer);
    if (place->svm)
        clSVMFree(gp->context, place->svm);
}

// ---------------------------------------------------------------------------------------
// What is around the elements

void check_block_canaries(struct check_block *block)
{
    memset(block->bytes, CANARY, block->size);
}

bool check_block_intact(struct check_block *block)
{
    const struct gpuprim_array *out = &block->view;
    const size_t size = gp_type_size(out->type);
    const int64_t stride = out->stride ? out->stride : 1;
    const int64_t row_stride = out->row_stride ? out->row_stride : (int64_t)out->count * stride;
    // Once the elements are canaries again, nothing else may be left.
    for (uint64_t row = 0; row < (out->rows ? out->rows : 1); row++)
        for (uint64_t i = 0; i < out->count; i++) {
            const int64_t at =
                (int64_t)out->first + (int64_t)row * row_stride + (int64_t)i * stride;
            memset(block->bytes + at * (int64_t)size, CANARY, size);
        }
    for (size_t i = 0; i < block->size; i++)
        if (block->bytes[i] != CANARY)
            return false;
    return true;
}

uint64_t check_block_checksum(const struct check_block *block)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < block->size; i++)
        sum = (sum ^ block->bytes[i]) * 0x100000001b3;
    return sum;
}
