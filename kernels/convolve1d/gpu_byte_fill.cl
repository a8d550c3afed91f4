// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: inputs beyond the ends, and all inputs of a group.
// gpu_byte_matrices.cl says what lanes, octets and planes are.
//
// Macros   those of gpu_byte_units.cl

// ---------------------------------------------------------------- beyond the ends
// How an end goes on: inputs repeat after a period, in which positions `at` and last - at have
// the same one, number base + the lower of both. EDGE has a period of 1.
struct repeat {
    uint period, last, base, near, far; // near, far: the next position, the item's next unit
};

// The remainder of j by a period, of negative ones, too.
#if PTX
__attribute__((noinline))
#endif
static uint rest_of(long j, uint period)
{
    const ulong distance = j < 0 ? ~j : j;
    const uint rest =
        distance >> 32 ? (uint)(distance % period) : (uint)distance % period;
    return j < 0 ? period - 1 - rest : rest;
}

static struct repeat repeat_of(uint side, bool left, uint by, const struct arguments *g)
{
    const uint n = g->n >> 30 ? 1 : (uint)g->n; // longer rows have resolve() instead
    struct repeat r = { 1, 0, left ? 0 : n - 1, 0, 0 };
    if (side >= BOUNDARY_REFLECT_HALF && side <= BOUNDARY_WRAP) {
        r.period = side == BOUNDARY_WRAP           ? n
                   : side == BOUNDARY_REFLECT_HALF ? 2 * n
                                                   : max(2 * n - 2, 1u);
        r.last = side == BOUNDARY_WRAP           ? UINT_MAX
                 : side == BOUNDARY_REFLECT_HALF ? 2 * n - 1
                                                 : 2 * n - 2;
        r.base = 0;
    }
    r.near = rest_of((long)g->dilation, r.period);
    r.far = rest_of((long)(by * UNIT - (UNIT - 1)) * g->dilation, r.period);
    return r;
}

// The position in the period, `by` further.
static uint repeated(uint rest, uint by, uint period)
{
    return min(rest + by, rest + by - period); // which wraps around, where it is not taken away
}

// Units first, first + by, ... up to `end` of a lane, and the same of the item's other rows.
// `x` is input 0; unit 0 would begin at position `begin`.
static void load_resolved(local uint *to, global const ELEM *x, global const ELEM *before,
                          long before_at, long begin, uint first, uint end, uint rows,
                          const struct path *p, const struct arguments *g,
                          const struct byte_arguments *b)
{
    const bool is_far = g->n >> 30 != 0; // whose period may have more than 31 bits
    const bool has_past = g->left == BOUNDARY_HISTORY;
    const bool is_left = g->left != BOUNDARY_CONSTANT, is_right = g->right != BOUNDARY_CONSTANT;
    const struct repeat left = repeat_of(g->left, true, p->by, g);
    const struct repeat right = repeat_of(g->right, false, p->by, g);
    long at = begin + (long)p->phase * g->step + first * (long)UNIT * g->dilation;
    uint in_left = rest_of(at, left.period), in_right = rest_of(at, right.period);
    const long by_row = (long)p->rows_by * g->row_stride;
    const long more = (long)(p->by * UNIT - UNIT) * g->dilation;
    const long by_past = (long)p->rows_by * g->before_row_stride;
    x += (long)p->row * g->row_stride;
    // What stands at the position, if it is inside, or in the history.
    global const ELEM *line = x + at * g->stride;
    before += before_at + (long)p->row * g->before_row_stride +
              (at + (long)g->halo) * g->before_stride;
    const long hop = (long)g->dilation * g->stride;
    const long old_hop = (long)g->dilation * g->before_stride;
    #pragma unroll 1
    for (uint i = first; i < end; i += p->by, at += more) {
        size_t from[UNIT], by[UNIT]; // 0: a constant
        int beyond[UNIT];
        #pragma unroll
        for (int u = 0; u < UNIT; u++, at += g->dilation) {
            const bool is_inside = (ulong)at < g->n, is_there = at < 0 ? is_left : is_right;
            const uint j = at < 0 ? left.base + min(in_left, left.last - in_left)
                                  : right.base + min(in_right, right.last - in_right);
            global const ELEM *p_u = is_inside ? line : x + (long)j * g->stride;
            if (is_far)
                p_u = x + resolve(at, (long)g->n, g->left, g->right) * g->stride;
            from[u] = is_inside || is_there ? (size_t)p_u : 0;
            by[u] = is_inside || is_there ? (size_t)(by_row * (long)sizeof(ELEM)) : 0;
            if (has_past && at < 0) {
                from[u] = (size_t)before;
                by[u] = (size_t)(by_past * (long)sizeof(ELEM));
            }
            line += hop + (u < UNIT - 1 ? 0 : more * g->stride);
            before += old_hop + (u < UNIT - 1 ? 0 : more * g->before_stride);
            beyond[u] = constant_of(at < 0 ? g->constant_left : g->constant_right);
            in_left = repeated(in_left, u < UNIT - 1 ? left.near : left.far, left.period);
            in_right = repeated(in_right, u < UNIT - 1 ? right.near : right.far, right.period);
        }
        local uint *unit = to + p->phase * b->pitch + i;
        #pragma unroll 4
        for (uint r = p->row; r < rows; r += p->rows_by) {
            int v[UNIT];
            #pragma unroll
            for (int u = 0; u < UNIT; u++) {
                v[u] = from[u] ? (int)LOAD((global const ELEM *)from[u], 0) : beyond[u];
                from[u] += by[u];
            }
            put_unit(unit + r * PHASES * b->pitch, v);
        }
    }
}

// Loads the inputs of all lanes: `rows` rows, and of each PHASES phases from `phase` on, from
// output `first` of each lane and tap `tap` on. `x` is input 0 of the first row, before_at
// where its history begins. Units in front of unit `inside` and from `outside` on may have
// inputs beyond the ends.
static void load_lanes(local uint *to, global const ELEM *x, global const ELEM *before,
                       long before_at, ulong first, uint tap, uint phase, uint rows,
                       const struct arguments *g, const struct byte_arguments *b, uint item)
{
    const struct path p = path_of(item, ACROSS, b->load_rows, b->load_units);
    const long begin =
        g->origin + ((long)first * STEP + tap) * g->dilation + (long)phase * g->step;
    // The units that are inside in all phases: inside ... outside - 1. An item that has many
    // rows resolves all.
    const long most = (long)g->n - 1 - begin - (PHASES - 1) * (long)g->step;
    const uint count = min(b->words - min(b->words, tap / 4), (uint)CHUNK_WORDS);
    const ulong unit = (ulong)g->dilation * UNIT, units = count;
    uint inside = 0, outside = count;
    if (begin < 0 || most < (long)(count * UNIT - 1) * (long)g->dilation) {
        inside = begin < 0 ? (uint)min(((ulong)-begin + unit - 1) / unit, units) : 0;
        outside = most < 0 ? 0 : (uint)min(((ulong)most + g->dilation) / unit, units);
        if (outside < inside || rows >= 4 * b->load_rows)
            inside = outside = 0;
    }
    load_inside(to, x + begin * g->stride, inside, outside, rows, &p, g, b);
    #pragma unroll 1
    for (int side = 0; side < 2; side++) {
        const uint from = side ? outside : 0, end = side ? count : inside;
        if (from < end)
            load_resolved(to, x, before, before_at, begin, from + p.at, end, rows, &p, g, b);
    }
}
