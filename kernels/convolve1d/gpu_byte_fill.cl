// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: inputs beyond the ends, and all inputs of a group.
// gpu_byte_matrices.cl says what lanes, octets and planes are.
//
// Macros   those of gpu_byte_units.cl
//          TABLE   for how many items local memory has a table

#ifndef TABLE
#error "TABLE must be defined"
#endif

// ---------------------------------------------------------------- beyond the ends
// What stands for the four positions of a unit, in local memory. All rows have the same: it is
// found once, by one item.
#define ENTRIES (WG < TABLE ? WG : TABLE)
struct table {
    // Of each position: how many elements behind input 0 of a row, or behind the first one of
    // its history, or a constant.
    local long *from;
    local uint *kinds; // a bit for each position: a constant; 4 bits higher: of the history
};

static struct table table_of(local uint4 *room)
{
    struct table t = { .from = (local long *)room };
    t.kinds = (local uint *)(t.from + ENTRIES * UNIT);
    return t;
}

// Entry i: the unit that begins at position `at`.
static void resolve_unit(const struct table *t, uint i, long at, const struct arguments *g)
{
    uint kinds = 0;
    #pragma unroll 1
    for (int u = 0; u < UNIT; u++, at += g->dilation) {
        const long j = resolve(at, (long)g->n, g->left, g->right);
        const bool is_inside = (ulong)j < g->n;
        const bool is_past = !is_inside && j < 0 && g->left == BOUNDARY_HISTORY;
        t->from[i * UNIT + u] = is_inside ? j * g->stride
                                : is_past ? (j + (long)g->halo) * g->before_stride
                                : constant_of(j < 0 ? g->constant_left : g->constant_right);
        kinds |= (is_inside ? 0u : is_past ? 16u : 1u) << u;
    }
    t->kinds[i] = kinds;
}

// Loads the table's units, `count` of each lane, of which unit `first` is the first, in all
// rows. `x` is input 0 of the first row, `before` its history.
#define TABLE_BATCH 4
static void load_table(local uint *to, const struct table *t, global const ELEM *x,
                       global const ELEM *before, uint first, uint count, uint rows,
                       const struct path *p, const struct arguments *g,
                       const struct byte_arguments *b)
{
    // An item without a unit takes no row. With both conditions in the loop PoCL 3.1 let such items
    // into it, which read entries that nobody wrote.
    uint k = p->at, r = k < count ? p->row : rows;
    #pragma unroll 1
    while (r < rows) {
        int v[TABLE_BATCH][UNIT];
        local uint *unit[TABLE_BATCH];
        #pragma unroll
        for (int n = 0; n < TABLE_BATCH; n++) {
            unit[n] = 0;
            if (r < rows) {
                global const ELEM *line = x + (long)r * g->row_stride;
                global const ELEM *past = before + (long)r * g->before_row_stride;
                const uint entry = k * PHASES + p->phase, kinds = t->kinds[entry];
                local const long *from = t->from + entry * UNIT;
                if (kinds == 0) {
                    #pragma unroll
                    for (int u = 0; u < UNIT; u++)
                        v[n][u] = (int)LOAD(line, from[u]);
                } else {
                    #pragma unroll
                    for (int u = 0; u < UNIT; u++)
                        v[n][u] = kinds >> u & 1
                                      ? (int)from[u]
                                      : (int)LOAD(kinds >> u & 16 ? past : line, from[u]);
                }
                unit[n] = to + (lane_at(r, p->phase, b->pitch, 1) + first + k);
            }
            k += p->by;
            r += k < count ? 0 : p->rows_by;
            k = k < count ? k : p->at;
        }
        #pragma unroll
        for (int n = 0; n < TABLE_BATCH; n++)
            if (unit[n])
                put_unit(unit[n], v[n]);
    }
}

// Units first ... end - 1 of all lanes, as many at a time as the table has. Unit 0 would begin
// at position `begin`. Two barriers for each time: the table has been read, and is there.
static void load_resolved(local uint *to, local uint4 *room, global const ELEM *x,
                          global const ELEM *before, long begin, uint first, uint end,
                          uint rows, uint item, const struct path *p,
                          const struct arguments *g, const struct byte_arguments *b)
{
    const struct table t = table_of(room);
    const uint phase = item % PHASES, unit = item / PHASES;
    const long at = begin + (long)phase * g->step + unit * (long)UNIT * g->dilation;
    #pragma unroll 1
    for (uint i = first; i < end; i += ENTRIES / PHASES) {
        const uint count = min(end - i, (uint)(ENTRIES / PHASES));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (unit < count)
            resolve_unit(&t, item, at + i * (long)UNIT * g->dilation, g);
        barrier(CLK_LOCAL_MEM_FENCE);
        load_table(to, &t, x, before, i, count, rows, p, g, b);
    }
}

// Loads the inputs of all lanes: `rows` rows, and of each PHASES phases from `phase` on, from
// output `first` of each lane and tap `tap` on. `x` is input 0 of the first row, `before` where
// its history begins, `words` the units of a lane that its taps meet. Units in front of unit
// `inside` and from `outside` on may have inputs beyond the ends.
static void load_lanes(local uint *to, local uint4 *table, global const ELEM *x,
                       global const ELEM *before, ulong first, uint tap, uint phase,
                       uint rows, uint words, const struct arguments *g,
                       const struct byte_arguments *b, uint item)
{
    const struct path p = path_of(item, ACROSS, b->load_rows, b->load_units);
    const long begin =
        g->origin + ((long)first * STEP + tap) * g->dilation + (long)phase * g->step;
    // The units that are inside in all phases: inside ... outside - 1.
    const long most = (long)g->n - 1 - begin - (PHASES - 1) * (long)g->step;
    const uint count = min(words - min(words, tap / 4), (uint)CHUNK_WORDS);
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
        load_resolved(to, table, x, before, begin, from, end, rows, item, &p, g, b);
    }
}
