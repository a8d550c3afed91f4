/* SPDX-License-Identifier: Apache-2.0
 *
 * Host memory of tests (memory.h): blocks with canaries around their elements, and memory
 * between pages without access. place.c copies blocks to where a call sees them. */
#include "memory.h"
#include "choice.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0xc5 };

void check_span(const struct gpuprim_array *view, int64_t *low, int64_t *high)
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
    check_span(&shape, &low, &high);
    block->size = (size_t)(lead + (uint64_t)(high - low) + tail) * size;
    block->bytes = check_allocate(block->size);
    block->view = shape;
    block->view.memory = GPUPRIM_HOST;
    block->view.base = block->bytes;
    block->view.first = lead + (uint64_t)-low;
}

// ---------------------------------------------------------------------------------------
// Canaries

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
