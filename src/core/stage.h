/* SPDX-License-Identifier: Apache-2.0
 *
 * Host arrays on the device: inputs piece by piece (stage_in.c), results and outputs on their
 * way back (stage_out.c).
 */
#ifndef GP_STAGE_H
#define GP_STAGE_H

#include "array.h"
#include "call.h"

// ---------------------------------------------------------------------------------------
// stage_in.c

// A part of an array: rows row ... row + rows - 1, of each the elements from `element` on.
struct gp_piece {
    uint64_t row, rows, element, count;
    bool packed; // copied without the gaps between its lines (see stage_in.c)
};

// The largest piece, from its row 0 and element 0, that the device takes at once: all of a
// device array; of a host array what fits an allocation or, where it is copied, a quarter of
// the staging memory. At most `max_rows` rows.
struct gp_piece gp_piece_largest(const gpuprim *gp, const struct gp_array *array,
                                 uint64_t max_rows);

// A piece as a kernel's argument: where its memory is, and the offset of its first element and
// the steps there, which are not the array's where the piece was packed.
struct gp_bound {
    struct gp_argument argument;
    cl_mem memory;    // what argument.value points to
    cl_mem temporary; // to be released after the launch, or NULL
    int64_t first, stride, row_stride;
};

// The element at which a piece begins, and those it touches: from *low up to *high; all counted
// from base.
void gp_piece_span(const struct gp_array *array, const struct gp_piece *piece, int64_t *first,
                   int64_t *low, int64_t *high);

// Makes a piece reachable for kernels. CPU devices use host arrays in place. For other devices
// they are copied to the staging memory: before the launches that follow, and beside those of
// the piece before. Other calls may take the lock meanwhile. An array without elements is bound
// to no buffer (NULL).
int gp_piece_bind(struct gp_call *call, const struct gp_array *array,
                  const struct gp_piece *piece, struct gp_bound *out);

void gp_piece_release(struct gp_bound *bound);

// ---------------------------------------------------------------------------------------
// stage_out.c: results on their way to host arrays

// Device memory for `bytes` of packed results, which gp_results_read reads.
int gp_call_results(struct gp_call *call, size_t bytes, cl_mem *out);

// Bytes of packed results, at least `least`, that may wait on the device for gp_results_read.
uint64_t gp_results_room(const gpuprim *gp, uint64_t least);

// Reads packed results, `per_row` for each of `rows` rows, from `memory` into a host array,
// beginning at its row `row`. There rows are row_step elements apart, and the results of a row
// are `step` apart. Waits. The lock must not be held.
int gp_results_read(struct gp_call *call, cl_mem memory, const struct gp_array *array,
                    uint64_t row, uint64_t rows, unsigned per_row, int64_t row_step,
                    int64_t step);

// Makes a piece of an array reachable for kernels that write it, as gp_piece_bind does for
// those that read. Where a host array cannot be written in place, the kernels write packed
// staging memory.
int gp_output_bind(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, struct gp_bound *out);

// Outputs that are being read to a host array.
struct gp_readback {
    cl_event event; // of the read; NULL: nothing is being read
    char *packed;   // host staging to scatter from; NULL: read directly into the caller's array
    struct gp_piece piece;
};

// Begins to read a piece that was launched, and finishes the read before it, which `readback`
// holds. So the next piece of the inputs is copied meanwhile.
int gp_output_read(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, const struct gp_bound *bound,
                   struct gp_readback *readback);

// Finishes the last read, also after a failure.
int gp_output_finish_read(struct gp_call *call, const struct gp_array *array,
                          struct gp_readback *readback);

#endif
