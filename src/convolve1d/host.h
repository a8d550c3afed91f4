/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with arrays on the host: what its four files share. Each calls only those below
 * it:
 *
 *     host.c      such a call from beginning to end; rows that fit the device whole
 *     windows.c   longer rows, window by window
 *     history.c   the samples before the input and behind it
 *     transfer.c  copies, buffers, and one piece of outputs: launched and read back */
#ifndef GP_CONVOLVE1D_HOST_H
#define GP_CONVOLVE1D_HOST_H

#include "convolve1d.h"

struct convolve_host {
    struct convolve_run *run;
    struct gp_piece largest; // of the input, on the device at once
    struct gp_piece largest_out;
    bool windows;         // rows do not fit
    char *before;         // packed copies of the history: on the host,
    cl_mem before_memory; // and on the device
    cl_mem after_memory;  // where after is a host array
    struct gp_readback readback;
};

// ---------------------------------------------------------------------------------------
// host.c

// The launches of a call with an array on the host. Blocking.
int gp_convolve_host(struct convolve_run *run);

// ---------------------------------------------------------------------------------------
// windows.c

// All outputs of some rows.
int gp_convolve_run_windows(struct convolve_host *h, uint64_t row, uint64_t rows);

// ---------------------------------------------------------------------------------------
// history.c

// Brings the samples before the input to where they are needed. To be called before anything
// else runs.
int gp_convolve_open_history(struct convolve_host *h);

// The samples before the input, from a row on, where rows fit the device.
void gp_convolve_view_before(const struct convolve_host *h, uint64_t row,
                             struct convolve_view *out);

// Computes the history for the next block, of rows that are on the device whole.
int gp_convolve_update_rows(struct convolve_host *h, const struct gp_piece *piece,
                            const struct convolve_view *x, const struct convolve_view *before);

// Does the rest: the history of rows that went by in windows, and the copy to a host array. To
// be called when all pieces are done.
int gp_convolve_close_history(struct convolve_host *h);

// ---------------------------------------------------------------------------------------
// transfer.c

// Copies elements begin ... begin + count - 1 of `rows` rows of a host array to packed memory,
// or back (`to_array`).
void gp_convolve_copy_rows(const struct gp_array *array, uint64_t row, uint64_t rows,
                           int64_t begin, uint64_t count, char *packed, bool to_array);

// Memory for rows x count elements. Not NULL where there are no elements.
void *gp_convolve_allocate(uint64_t rows, uint64_t count, size_t size);
int gp_convolve_no_memory(void);

// A buffer of the call's own, filled from `values` where that is not NULL.
int gp_convolve_buffer(const struct convolve_host *h, uint64_t bytes, void *values,
                       cl_mem *out);

// Reads a buffer once all that is enqueued is done.
int gp_convolve_read(struct convolve_host *h, cl_mem memory, uint64_t bytes, void *to);

void gp_convolve_view_bound(const struct gp_bound *bound, struct convolve_view *out);

// Launches the outputs of a piece and starts their readback. The output and its extent, which
// `from` lacks, are the piece's.
// Where outputs are copied, the copy runs while the next piece goes to the device.
int gp_convolve_run_piece(struct convolve_host *h, const struct gp_piece *piece,
                          const struct convolve_launch *from);

#endif
