/* SPDX-License-Identifier: Apache-2.0
 *
 * A checked view of a caller's array (array.c).
 */
#ifndef GP_ARRAY_H
#define GP_ARRAY_H

#include "error.h"

struct gp_array {
    enum gpuprim_type type;
    enum gpuprim_memory memory;
    void *base;
    size_t size;   // bytes of an element
    int64_t first; // elements
    uint64_t count, rows;
    int64_t stride, row_stride; // elements, resolved: never 0 by default
    int64_t low, high; // elements from base: the first that is touched, one past the last
    // The bytes touched: from begin up to end of the buffer `root`, or of memory itself where
    // root is NULL. Both are equal where nothing is touched or only a description was given.
    const void *root;
    uint64_t begin, end;
};

// Checks *array and resolves its defaults. A failure names the array by `name`. With
// `ignore_base` only the description is checked: that is what the prepare functions need.
int gp_array_resolve(const gpuprim *gp, const struct gpuprim_array *array, const char *name,
                     bool ignore_base, struct gp_array *out);

// Element `i` of row `row` of a host array.
static inline char *gp_array_element(const struct gp_array *array, uint64_t row, int64_t i)
{
    const int64_t at = array->first + (int64_t)row * array->row_stride + i * array->stride;
    return (char *)array->base + at * (int64_t)array->size;
}

// The bytes of its elements, *begin up to *end, where base lies at `address` of a memory whose
// last byte is at `last`. False where they leave that memory.
bool gp_array_place(const struct gp_array *array, uint64_t address, uint64_t last,
                    uint64_t *begin, uint64_t *end);

// Gives an array another place: base, and the first element. False, with a message, where it
// does not lie in memory there.
bool gp_array_move(const gpuprim *gp, struct gp_array *array, void *base, uint64_t first);

bool gp_arrays_overlap(const struct gp_array *a, const struct gp_array *b);

// Copies all elements to `to`, row by row without gaps, and waits. A failure names the array by
// `name`.
int gp_array_read(gpuprim *gp, const struct gp_array *array, const char *name, void *to);

#endif
