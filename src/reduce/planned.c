/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of all launches of a call: variant, program, pieces and their layout. The newest plans
 * are kept, because most calls have the shape of one before. */
#include "arguments.h"
#include "reduce.h"

enum { MAX_ROWS = 1 << 30 }; // of a launch: kernels count groups in 32 bits

// What a plan follows from. Of the place of the first element only matters where it lies in a
// line of memory, and to columns alone: gp_reduce_line().
struct shape {
    enum gpuprim_op op;
    enum gpuprim_type in, out, sum;
    uint64_t skip_nan, first; // without padding: shapes are compared as bytes
    uint64_t count, rows;
    int64_t stride, row_stride;
};

struct newest {
    struct gp_newest_plans plans;
    struct entry {
        struct shape shape;
        struct reduce_planned planned;
    } entries[GP_NEWEST];
};

uint64_t gp_reduce_line(const struct reduction *r)
{
    return r->in.stride == 1 && r->in.row_stride != 1 ? 0 : LINE_BYTES;
}

static struct shape shape_of(const struct reduction *r)
{
    const uint64_t line = gp_reduce_line(r);
    return (struct shape){
        .op = r->op,
        .in = r->in.type,
        .out = r->out.type,
        .sum = r->sum,
        .skip_nan = r->skip_nan,
        .first = line ? (uint64_t)r->in.first * r->in.size % line : 0,
        .count = r->in.count,
        .rows = r->in.rows,
        .stride = r->in.stride,
        .row_stride = r->in.row_stride,
    };
}

// Finds the pieces and the layout. The partials of all rows of a piece must fit the scratch
// memory, and its results the room for results of a host array.
static void plan_pieces(gpuprim *gp, const struct reduction *r, struct reduce_planned *p)
{
    const struct gp_array *in = &r->in;
    p->largest = gp_piece_largest(gp, in, MAX_ROWS);
    const uint64_t room = REDUCE_SCRATCH_BYTES / gp_reduce_partial_bytes(r);
    const uint64_t row_room = room / p->largest.rows;
    p->layout = gp_reduce_layout(gp, r, &p->plan, &p->largest, row_room > 1 ? row_room - 1 : 1);
    p->pitch = p->layout.partials + 1;
    p->keeps_partials = p->layout.partials > 1 || p->largest.count < in->count;
    uint64_t most = p->keeps_partials ? room / p->pitch : MAX_ROWS;
    if (r->out.memory == GPUPRIM_HOST) {
        const uint64_t row_bytes = r->results * r->out.size;
        p->results_rows = gp_min(gp_results_room(gp, row_bytes) / row_bytes, in->rows);
        most = gp_min(most, p->results_rows);
    }
    if (p->largest.rows > most) { // fewer rows may mean more of each
        p->largest = gp_piece_largest(gp, in, most ? most : 1);
        p->layout = gp_reduce_layout(gp, r, &p->plan, &p->largest, p->pitch - 1);
    }
}

int gp_reduce_plan(gpuprim *gp, const struct reduction *r, struct reduce_planned *out)
{
    const struct shape shape = shape_of(r);
    struct newest *newest = NULL;
    int status = GPUPRIM_OK;
    // Tests force one variant after another.
    if (r->in.memory != GPUPRIM_HOST && r->out.memory != GPUPRIM_HOST &&
        !gp->force_variant[0] && !gp->force_work_group) {
        void *memory;
        status = gp_newest(gp, &gp_primitive_reduce, sizeof *newest, &memory);
        if (status)
            return status;
        newest = memory;
    }
    struct entry *entry = newest ? gp_newest_find(&newest->plans, newest->entries,
                                                  sizeof *entry, &shape, sizeof shape)
                                 : NULL;
    if (entry) {
        *out = entry->planned;
        return GPUPRIM_OK;
    }
    *out = (struct reduce_planned){ .pitch = 0 };
    status = gp_plan(gp, &gp_primitive_reduce, r, &out->plan);
    if (status)
        return status;
    plan_pieces(gp, r, out);
    if (newest) {
        entry = gp_newest_replace(&newest->plans, newest->entries, sizeof *entry);
        *entry = (struct entry){ shape, *out };
    }
    return GPUPRIM_OK;
}
