/* SPDX-License-Identifier: Apache-2.0
 *
 * The counts of a call of classify: where kernels add to them, and how they get to a host
 * array, which may hold counts already. run.c calls this before and after the pieces. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

// The row of counts in which a row is counted: its own, or the only one.
static uint64_t first_of(const struct classification *c, uint64_t row)
{
    return c->counts_rows ? row : 0;
}

// Whether launches can store the counts of these rows, as each takes whole rows, and one group
// all of a row.
static bool can_store(const struct classify_run *run, uint64_t rows)
{
    const struct classification *c = run->c;
    if (!c->counts_rows || !c->in.count || run->largest.count < c->in.count)
        return false;
    struct classify_layout layout = run->layout;
    if (rows != c->in.rows)
        gp_classify_lay_out(run->call.gp, c, &run->plan, rows, c->in.count, &layout);
    return layout.stores;
}

int gp_classify_open_counts(struct classify_run *run, uint64_t row, uint64_t rows)
{
    const struct classification *c = run->c;
    const struct gp_piece piece = { first_of(c, row), rows, 0, c->counts.count, false };
    run->stores = false;
    run->ticket = (struct gp_ticket){ 0 };
    if (c->counts.count == 0)
        return gp_piece_bind(&run->call, &c->counts, &piece, &run->counts);
    if (c->counts.memory != GPUPRIM_HOST) {
        const int status = gp_piece_bind(&run->call, &c->counts, &piece, &run->counts);
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
    if (c->choice->zeroes && c->in.count && c->in.rows && // else nothing is launched
        gp_call_ticket(&run->call, gp_classify_form.last_launch, &run->ticket))
        return GPUPRIM_OK;
    run->stores = !c->choice->zeroes && can_store(run, rows);
    return run->stores ? GPUPRIM_OK : gp_classify_zero(run, rows, false);
}

// Adds a count to the caller's, or stores it there.
static void take_count(const struct classification *c, char *to, const char *from)
{
    const size_t size = c->counts.size;
    uint64_t count = 0, before = 0;
    memcpy(&count, from, size);
    if (c->classifier->accumulates)
        memcpy(&before, to, size);
    count += before; // u32 keeps the low 32 bits
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
