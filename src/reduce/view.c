/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the views of a checked call so that variants see ascending steps where the result does
 * not depend on their direction. */
#include "reduce.h"

// The last element is the first of the turned row. Positions would change, so arg operations
// keep theirs.
static void turn_elements(struct gp_array *in)
{
    in->first += (int64_t)(in->count - 1) * in->stride;
    in->stride = -in->stride;
}

// The last row becomes the first, and so do its results.
static void turn_rows(struct reduction *r)
{
    const int64_t last = (int64_t)(r->in.rows - 1);
    r->in.first += last * r->in.row_stride;
    r->in.row_stride = -r->in.row_stride;
    r->out.first += last * r->out_row;
    r->out_row = -r->out_row;
}

void gp_reduce_turn(struct reduction *r)
{
    const struct gp_array *in = &r->in;
    if (in->rows == 0 || in->count == 0)
        return;
    if (in->stride < 0 && !gp_reduce_is_arg(r))
        turn_elements(&r->in);
    if (in->rows > 1 && in->row_stride < 0)
        turn_rows(r);
}
