/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays with something around them, on the host and on the device.
 */
#include "memory.h"
#include "choice.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0xc5 };

// From the lowest element of a view to the one behind the highest, counted from element 0.
static void span_of(const struct gpuprim_array *view, int64_t *low, int64_t *high)
{
    const uint64_t rows = view->rows ? view->rows : 1;
    const int64_t stride = view->stride ? view->stride : 1;
    const int64_t row_stride =
        view->row_stride ? view->row_stride : (int64_t)view->count * stride;
    *low = *high = 0;
    if (view->count == 0)
        return;
    const int64_t row = (int64_t)(rows - 1) * row_stride;
    const int64_t in_row = (int64_t)(view->count - 1) * stride;
    *low = (row < 0 ? row : 0) + (in_row < 0 ? in_row : 0);
    *high = (row > 0 ? row : 0) + (in_row > 0 ? in_row : 0) + 1;
}

void check_block_make(struct check_block *block, struct gpuprim_array shape, uint64_t lead,
                      uint64_t tail)
{
    const size_t size = gp_type_size(shape.type);
    int64_t low, high;
    span_of(&shape, &low, &high);
    block->size = (size_t)(lead + (uint64_t)(high - low) + tail) * size;
    block->bytes = check_allocate(block->size);
    block->view = shape;
    block->view.memory = GPUPRIM_HOST;
    block->view.base = block->bytes;
    block->view.first = lead + (uint64_t)-low;
}

// ---------------------------------------------------------------------------------------
// Fences

// What a signal handler may print; nothing where no group with fences is running.
static char beyond[512];
static struct sigaction before[2];

static void on_fault(int signal)
{
    const ssize_t written = write(STDOUT_FILENO, beyond, strlen(beyond));
    (void)written;
    // The access is repeated and ends the program as it would have without this.
    sigaction(signal, &before[signal == SIGBUS], NULL);
}

static void watch_faults(const struct check *check)
{
    static bool is_watching;
    snprintf(beyond, sizeof beyond,
             "# %s: something went beyond an array into a page without access; repeat with\n"
             "#     %s --seed=%llu%s%s --filter='%s'\nBail out! access beyond an array\n",
             check->name, check->program, (unsigned long long)check->choice->seed,
             check->quick ? " --quick" : "", check->large ? " --large" : "", check->name);
    if (is_watching)
        return;
    const struct sigaction action = { .sa_handler = on_fault };
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
    is_watching = true;
}

bool check_fence_make(struct check *check, struct check_fence *fence, size_t size, bool at_end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (size + page - 1) / page * page;
    *fence = (struct check_fence){ .size = size, .mapped = inside + 2 * page };
    unsigned char *pages =
        mmap(NULL, fence->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(check, pages != MAP_FAILED, "no memory for a fence"))
        return false;
    watch_faults(check);
    fence->pages = pages;
    fence->bytes = pages + page + (at_end ? inside - size : 0);
    return CHECK(check, !inside || !mprotect(pages + page, inside, PROT_READ | PROT_WRITE),
                 "no access within a fence");
}

void check_fences_end(void)
{
    beyond[0] = 0;
}

void check_fence_free(struct check_fence *fence)
{
    if (fence->pages)
        munmap(fence->pages, fence->mapped);
    *fence = (struct check_fence){ .pages = NULL };
}

// ---------------------------------------------------------------------------------------

// Where the view's elements begin in the block, and how far they reach: all that a fence holds.
static size_t touched(const struct check_block *block, size_t *begin)
{
    const size_t size = gp_type_size(block->view.type);
    int64_t low, high;
    span_of(&block->view, &low, &high);
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
    if (place->fence.pages) {
        size_t begin;
        const size_t size = touched(block, &begin);
        memcpy(block->bytes + begin, place->fence.bytes, size);
    }
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
    check_fence_free(&place->fence);
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
