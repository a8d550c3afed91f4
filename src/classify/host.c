/* SPDX-License-Identifier: Apache-2.0
 *
 * classify with arrays on the host: pieces that fit, and counts that come home. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1 << 30 };

// Of the staging memory as much may hold labels, and as much counts; at least one of them.
static uint64_t room_for(const gpuprim *gp, uint64_t bytes)
{
    const uint64_t room = gp->staging_bytes / 8 / (bytes ? bytes : 1);
    return room ? room : 1;
}

struct gp_piece gp_classify_largest(const gpuprim *gp, const struct classification *c)
{
    const struct gp_array *counts = &c->counts, *labels = &c->labels;
    uint64_t rows = MAX_ROWS;
    if (c->has_counts && c->counts_rows && counts->memory == GPUPRIM_HOST)
        rows = gp_min(rows, room_for(gp, counts->count * counts->size));
    struct gp_piece piece = gp_piece_largest(gp, &c->in, rows);
    if (!c->has_labels || labels->memory != GPUPRIM_HOST)
        return piece;
    const struct gp_piece out = gp_piece_largest(gp, labels, piece.rows);
    piece.rows = gp_min(piece.rows, out.rows);
    piece.count = gp_min(piece.count, out.count);
    if (!gp->caps.is_cpu && piece.count) { // they are packed
        const uint64_t room = room_for(gp, labels->size);
        piece.count = gp_min(piece.count, room);
        piece.rows = gp_min(piece.rows, room / piece.count);
    }
    return piece;
}

// ---------------------------------------------------------------------------------------
// Counts

// A row of counts for each row, or one for all.
static uint64_t first_of(const struct classification *c, uint64_t row)
{
    return c->counts_rows ? row : 0;
}

int gp_classify_open_counts(struct classify_run *run, uint64_t row, uint64_t rows)
{
    const struct classification *c = run->c;
    const struct gp_piece piece = { first_of(c, row), rows, 0, c->counts.count, false };
    if (c->counts.count == 0)
        return gp_piece_bind(&run->call, &c->counts, &piece, c->classifier->memory,
                             &run->counts);
    if (c->counts.memory != GPUPRIM_HOST) {
        const int status = gp_piece_bind(&run->call, &c->counts, &piece, NULL, &run->counts);
        if (status || c->classifier->accumulates)
            return status;
    } else {
        run->counts = (struct gp_bound){ .stride = 1, .row_stride = (int64_t)c->counts.count };
        run->counts.argument =
            (struct gp_argument){ &run->counts.memory, sizeof run->counts.memory, false };
        const int status =
            gp_call_memory(&run->call, GP_ADDENDS, rows * c->counts.count * c->counts.size,
                           &run->counts.memory);
        if (status)
            return status;
    }
    return gp_classify_zero(run, rows, false);
}

// Where it belongs on the host, adds or sets one count.
static void take_count(const struct classification *c, char *to, const char *from)
{
    const size_t size = c->counts.size;
    uint64_t count = 0, before = 0;
    memcpy(&count, from, size);
    if (c->classifier->accumulates)
        memcpy(&before, to, size);
    count += before; // of 32 bits, the upper ones fall away
    memcpy(to, &count, size);
}

int gp_classify_close_counts(struct classify_run *run, uint64_t row, uint64_t rows)
{
    const struct classification *c = run->c;
    const struct gp_array *counts = &c->counts;
    const uint64_t n = counts->count, bytes = rows * n * counts->size;
    if (counts->memory != GPUPRIM_HOST || bytes == 0)
        return GPUPRIM_OK;
    char *packed = malloc(bytes);
    if (!packed)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    gp_call_unlock(&run->call);
    const cl_int error = clEnqueueReadBuffer(run->call.queue, run->counts.memory, CL_TRUE, 0,
                                             bytes, packed, 0, NULL, NULL);
    gp_call_lock(&run->call);
    for (uint64_t i = 0; !error && i < rows * n; i++) {
        char *to = gp_array_element(counts, first_of(c, row) + i / n, (int64_t)(i % n));
        take_count(c, to, packed + i * counts->size);
    }
    free(packed);
    return error ? gp_fail_cl(error, "clEnqueueReadBuffer") : GPUPRIM_OK;
}
