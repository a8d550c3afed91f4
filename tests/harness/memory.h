/* SPDX-License-Identifier: Apache-2.0
 *
 * Host memory of tests. A block holds the elements of an array and what lies around and between
 * them, canaries for example. A fence is memory whose neighbouring pages nobody may touch.
 * place.h copies blocks to where a call sees them.
 */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include "check.h"

struct check_block {
    unsigned char *bytes; // from malloc; free() it
    size_t size;
    struct gpuprim_array view; // on the host, base = bytes
};

// Makes a block for an array like `shape`, of which type, count, stride, rows and row_stride
// are read, with `lead` elements before the lowest and `tail` after the highest.
void check_block_make(struct check_block *block, struct gpuprim_array shape, uint64_t lead,
                      uint64_t tail);

// The first fills the whole block with canaries. The second says later whether nothing but the
// elements of the view changed, and overwrites those.
void check_block_canaries(struct check_block *block);
bool check_block_intact(struct check_block *block);

// From the lowest element of a view to the one behind the highest, counted from element 0.
void check_span(const struct gpuprim_array *view, int64_t *low, int64_t *high);

uint64_t check_block_checksum(const struct check_block *block);

// Host memory between two pages that nobody may read or write. An access beyond it ends the
// program, with a message that names the group. `bytes` touch one of the two pages.
struct check_fence {
    unsigned char *bytes;
    size_t size;
    void *pages;
    size_t mapped;
};

// False, with a failure counted, where there is no memory.
bool check_fence_make(struct check *check, struct check_fence *fence, size_t size, bool at_end);
void check_fence_free(struct check_fence *fence);
// Tells that the group has ended, so that the message about a later crash does not name it.
void check_fences_end(void);

#endif
