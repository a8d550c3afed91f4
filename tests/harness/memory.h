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

// Lays out what `shape` says (type, count, stride, rows, row_stride; the rest is not read) with
// `lead` elements before the lowest and `tail` after the highest.
void check_block_make(struct check_block *block, struct gpuprim_array shape, uint64_t lead,
                      uint64_t tail);

// Fills the whole block with canaries; later: true if nothing but the view's elements changed.
// The latter ends those elements.
void check_block_canaries(struct check_block *block);
bool check_block_intact(struct check_block *block);

// From the lowest element of a view to the one behind the highest, counted from element 0.
void check_span(const struct gpuprim_array *view, int64_t *low, int64_t *high);

uint64_t check_block_checksum(const struct check_block *block);

// Memory of the host between two pages that nobody may read or write: whoever goes beyond it by
// a byte ends the program, with words that name the group. `bytes` fill its end or its
// beginning.
struct check_fence {
    unsigned char *bytes;
    size_t size;
    void *pages;
    size_t mapped;
};

// False, with a failure counted, where there is no memory.
bool check_fence_make(struct check *check, struct check_fence *fence, size_t size, bool at_end);
void check_fence_free(struct check_fence *fence);
// The group has ended: what crashes later is not said to be of its arrays.
void check_fences_end(void);

#endif
