/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays where a call sees them: layouts by chance, blocks (memory.h) laid out so, and copies
 * of them in host memory, buffers or SVM.
 */
#ifndef CHECK_PLACE_H
#define CHECK_PLACE_H

#include "memory.h"

// How an array lies in its memory.
struct check_layout {
    int64_t stride, row_stride; // as in struct gpuprim_array
    uint64_t lead;              // elements of the block before the array's lowest
    enum gpuprim_memory memory;
};

// A layout for rows x count elements: packed, with gaps, upside down, backwards or interleaved.
void check_layout_shuffle(struct check *check, const gpuprim *gp, uint64_t count, uint64_t rows,
                          struct check_layout *layout);

// Memory of any kind that the device has.
enum gpuprim_memory check_any_memory(struct check *check, const gpuprim *gp);

// Writes " name=memory/stride/row_stride+lead" and returns its length, as snprintf does.
int check_layout_text(char *text, size_t size, const char *name,
                      const struct check_layout *layout);

// A block laid out so, with `tail` elements behind the highest.
void check_layout_block(const struct check_layout *layout, enum gpuprim_type type,
                        uint64_t count, uint64_t rows, uint64_t tail,
                        struct check_block *block);

// An element of a view on the host.
unsigned char *check_element(const struct gpuprim_array *view, uint64_t row, uint64_t i);

struct check_place {
    struct gpuprim_array view; // what to call with
    cl_mem buffer;
    void *svm;
    struct check_fence fence;
};

// Copies the block to memory of a kind. With check->fences_buffers a buffer is made of fenced
// host memory, which holds the elements alone. For GPUPRIM_HOST chance decides between the
// block itself and a copy of its elements that begins or ends at a fence. False, with a failure
// counted, if there is no memory. check_place_free may follow in either case.
bool check_place_make(struct check *check, const gpuprim *gp, struct check_place *place,
                      const struct check_block *block, enum gpuprim_memory memory);

// Reads back to the block what the device wrote.
bool check_place_read(struct check *check, const gpuprim *gp, const struct check_place *place,
                      struct check_block *block);

void check_place_free(const gpuprim *gp, struct check_place *place);

#endif
