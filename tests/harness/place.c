/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays where a call sees them (place.h). */
#include "place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------
// Layouts

enum gpuprim_memory check_any_memory(struct check *check, const gpuprim *gp)
{
    return (enum gpuprim_memory)check_below(check, gp->caps.has_svm ? 3 : 2);
}

void check_layout_shuffle(struct check *check, const gpuprim *gp, uint64_t count, uint64_t rows,
                          struct check_layout *layout)
{
    static const int64_t strides[] = { 0, 1, 0, 1, 2, 3, -1 };
    const bool plain = check_once_in(check, 2);
    *layout = (struct check_layout){ .stride = strides[check_below(check, plain ? 4 : 7)] };
    const int64_t packed = (int64_t)count * (layout->stride ? layout->stride : 1);
    const int64_t gap = 1 + (int64_t)check_below(check, 20);
    switch (check_below(check, plain ? 3 : 5)) {
    case 0:
        layout->row_stride = packed < 0 ? packed - gap : packed + gap;
        break;
    case 1:
        layout->row_stride = -packed; // the last row lies first
        break;
    case 3: // interleaved
        layout->stride = (int64_t)rows;
        layout->row_stride = 1;
        break;
    default:
        break;
    }
    if (count == 0 && layout->row_stride == 0)
        layout->row_stride = 1;
    layout->lead = check_below(check, 18);
    layout->memory = check_any_memory(check, gp);
}

int check_layout_text(char *text, size_t size, const char *name,
                      const struct check_layout *layout)
{
    static const char *const memories[] = { "host", "buffer", "svm" };
    return snprintf(text, size, " %s=%s/%" PRId64 "/%" PRId64 "+%" PRIu64, name,
                    memories[layout->memory], layout->stride, layout->row_stride, layout->lead);
}

void check_layout_block(const struct check_layout *layout, enum gpuprim_type type,
                        uint64_t count, uint64_t rows, uint64_t tail, struct check_block *block)
{
    const struct gpuprim_array array = { .type = type,
                                         .count = count,
                                         .rows = rows,
                                         .stride = layout->stride,
                                         .row_stride = layout->row_stride };
    check_block_make(block, array, layout->lead, tail);
}

unsigned char *check_element(const struct gpuprim_array *view, uint64_t row, uint64_t i)
{
    const int64_t stride = view->stride ? view->stride : 1;
    const int64_t row_stride =
        view->row_stride ? view->row_stride : (int64_t)view->count * stride;
    return (unsigned char *)view->base +
           ((int64_t)view->first + (int64_t)row * row_stride + (int64_t)i * stride) *
               (int64_t)gp_type_size(view->type);
}

// ---------------------------------------------------------------------------------------
// Places

// Where the view's elements begin in the block, and how far they reach: all that a fence holds.
static size_t touched(const struct check_block *block, size_t *begin)
{
    const size_t size = gp_type_size(block->view.type);
    int64_t low, high;
    check_span(&block->view, &low, &high);
    *begin = ((size_t)block->view.first + (size_t)low) * size;
    return (size_t)(high - low) * size;
}

static bool place_in_fence(struct check *check, struct check_place *place,
                           const struct check_block *block)
{
    size_t begin;
    const size_t size = touched(block, &begin);
    if (!check_fence_make(check, &place->fence, size, check_once_in(check, 2)))
        return false;
    memcpy(place->fence.bytes, block->bytes + begin, size);
    // Element 0 of base need not be there.
    place->view.base = (void *)((uintptr_t)place->fence.bytes - begin);
    return true;
}

// A buffer that uses fenced memory, and a view of it.
static cl_int buffer_in_fence(struct check *check, const gpuprim *gp, struct check_place *place,
                              const struct check_block *block)
{
    size_t begin;
    cl_int status = CL_SUCCESS;
    const size_t size = touched(block, &begin);
    if (!place_in_fence(check, place, block))
        return CL_OUT_OF_HOST_MEMORY;
    place->buffer = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size,
                                   place->fence.bytes, &status);
    place->view.base = place->buffer;
    place->view.first -= begin / gp_type_size(block->view.type);
    return status;
}

bool check_place_make(struct check *check, const gpuprim *gp, struct check_place *place,
                      const struct check_block *block, enum gpuprim_memory memory)
{
    cl_int status = CL_SUCCESS;
    *place = (struct check_place){ .view = block->view };
    place->view.memory = memory;
    const size_t size = block->size ? block->size : 1; // a buffer has at least one byte
    if (memory == GPUPRIM_HOST && check_once_in(check, 3))
        return true;
    if (memory == GPUPRIM_HOST)
        return place_in_fence(check, place, block);
    size_t begin;
    if (memory == GPUPRIM_BUFFER && check->fences_buffers && touched(block, &begin))
        status = buffer_in_fence(check, gp, place, block);
    else if (memory == GPUPRIM_BUFFER) {
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
    size_t begin;
    const size_t size = touched(block, &begin);
    if (place->fence.pages && place->buffer)
        status = clEnqueueReadBuffer(gp->queue, place->buffer, CL_TRUE, 0, size,
                                     block->bytes + begin, 0, NULL, NULL);
    else if (place->fence.pages)
        memcpy(block->bytes + begin, place->fence.bytes, size);
    else if (place->buffer && block->size)
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
    check_fence_free(&place->fence);
}
