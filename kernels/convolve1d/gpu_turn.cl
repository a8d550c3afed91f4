// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_turn: rows that become columns, and columns that become rows, on GPUs.
//
// The elements of a row are neighbours in x, those of different rows in out. A group takes some
// positions of ROWS neighbouring rows, and loads the inputs that they need into local memory.
// Items that are neighbours load neighbours of one row. In the sums they are neighbouring rows,
// so that they write neighbours, too:
//
//     tile     position 0 1 2 3 4 ...          item 0 of a team
//     row 0             a a a a a ...          item 1
//     row 1             b b b b b ...          item 2
//     row 2             c c c c c ...          ...
//
// A group has TEAMS teams of ROWS items. A unit is up to ITEM_OUTPUTS outputs of each of the rows,
// `phases` positions apart: the taps, which lie `dilation` apart, meet them in inputs that lie so,
// too. The teams share the units of the group. For a unit an item reads each input once, and adds
// it to all sums that need it.
//
// The rows of a tile lie an odd number of elements apart, in different banks. Positions beyond
// the ends are filled from the tile, where it has what stands for them.
//
// With BACK the elements of a row are neighbours in out, those of different rows in x. Then items
// that are neighbours load neighbouring rows, and take neighbouring units of one row: phases, so that
// they write neighbours.
//
// Sums are taken in ORDER 1: an output adds its taps one after the other.
//
// Macros   those of convolve1d.cl
//          TAPS          number of taps
//          STEP          inputs of a phase between neighbouring outputs
//          DILATION      from the input of a tap to that of the next
//          ITEM_OUTPUTS  outputs of an item
//          BACK          1: columns become rows
//          ALONG         items that load neighbours of a row, where WG is a multiple of it
//          ROOM          local memory, in units of 16 bytes
// Barriers one, reached by all items: inputs are there. One more where positions are beyond the
//          ends: inputs from which these are filled are there
// Per output: TAPS ADDs. An item reads TAPS + (ITEM_OUTPUTS - 1) * STEP operands from local memory
// for ITEM_OUTPUTS outputs.
// Local memory: one tile of inputs.

#if !defined(TAPS) || !defined(STEP) || !defined(ITEM_OUTPUTS) || !defined(ALONG) || \
    !defined(BACK) || !defined(ROOM) || !defined(DILATION)
#error "a macro of gpu_turn.cl is not defined: its head lists them"
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 256
#error "an item has more inputs than are unrolled"
#endif

#define ROWS    TURN_ROWS(WG)
#define TEAMS   (WG / ROWS)
#define COLUMNS SIDE_BY_SIDE(WG, ALONG) // items that load neighbours of a row
#define LOADERS (WG / COLUMNS)          // rows that are loaded at once
#define AHEAD   ((ROWS + LOADERS - 1) / LOADERS < 8 ? (ROWS + LOADERS - 1) / LOADERS : 8)

struct taps {
    TAP_T g[TAPS];
};

#if BACK
// What stands for a position in all rows.
struct source {
    global const ELEM *from; // of the group's first row
    long row_stride;
    OPERAND value; // of all rows, where it is a constant
    bool is_constant;
};

// Finds X(j).
static struct source find(global const ELEM *x, global const ELEM *before,
                          const struct arguments *g, ulong row, long j)
{
    struct source s;
    j = (ulong)j < g->n ? j : resolve(j, (long)g->n, g->left, g->right);
    const bool is_inside = (ulong)j < g->n;
    s.is_constant = !is_inside && (j >= 0 || g->left != BOUNDARY_HISTORY);
    s.value = constant_of(j < 0 ? g->constant_left : g->constant_right);
    s.row_stride = is_inside ? g->row_stride : g->before_row_stride;
    s.from = (is_inside ? x : before) +
             ((is_inside ? g->first + j * g->stride
                         : g->before_first + (j + (long)g->halo) * g->before_stride) +
              (long)row * s.row_stride);
    return s;
}

enum { DOWN = 8 }; // positions that an item loads at once

static void fill(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements)
{
    const uint item = get_local_id(0), own = min(item % ROWS, rows - 1);
    global const ELEM *from = x + (g->first + (long)(row + own) * g->row_stride);
    tile += item % ROWS * pitch;
    #pragma unroll 1
    for (uint e = item / ROWS; e < elements; e += DOWN * TEAMS) {
        const uint last = e + (DOWN - 1) * TEAMS;
        if (last < elements && j + e >= 0 && j + last < (long)g->n) {
            global const ELEM *p = from + (j + e) * g->stride;
            OPERAND v[DOWN];
            #pragma unroll
            for (uint u = 0; u < DOWN; u++, p += TEAMS * g->stride)
                v[u] = (OPERAND)LOAD(p, 0);
            #pragma unroll
            for (uint u = 0; u < DOWN; u++)
                tile[e + u * TEAMS] = v[u];
            continue;
        }
        #pragma unroll 1
        for (uint k = e; k <= min(last, elements - 1); k += TEAMS) {
            const struct source s = find(x, before, g, row, j + k);
            tile[k] = s.is_constant ? s.value : (OPERAND)LOAD(s.from, own * s.row_stride);
        }
    }
}
#else
// Loads `count` positions of `rows` rows. `from`: the first one of the first row.
static void load_run(local OPERAND *tile, global const ELEM *from, long stride, long row_stride,
                     uint count, uint rows, uint pitch)
{
    const uint item = get_local_id(0), first = item / COLUMNS;
    const long by = LOADERS * row_stride, next = COLUMNS * stride;
    from += (long)first * row_stride;
    tile += first * pitch;
    #pragma unroll 1
    for (uint e = item % COLUMNS; e < count; e += 2 * COLUMNS) {
        const bool has_other = e + COLUMNS < count;
        global const ELEM *p = from + e * stride, *q = has_other ? p + next : p;
        local OPERAND *to = tile + e;
        #pragma unroll 1
        for (uint r = first; r < rows; r += AHEAD * LOADERS) {
            OPERAND v[AHEAD], w[AHEAD];
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++, p += by, q += by)
                if (r + u * LOADERS < rows) {
                    v[u] = (OPERAND)LOAD(p, 0);
                    w[u] = (OPERAND)LOAD(q, 0);
                }
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++, to += LOADERS * pitch)
                if (r + u * LOADERS < rows) {
                    to[0] = v[u];
                    if (has_other)
                        to[COLUMNS] = w[u];
                }
        }
    }
}

// Fills the positions in front of `low` and from `high` on. Those between them are there. What
// stands for a position is the same for all rows. So an item resolves it once for some rows.
static void fill_beyond(local OPERAND *tile, global const ELEM *x, const struct arguments *g,
                        uint pitch, ulong row, uint rows, long j, uint low, uint high,
                        uint elements)
{
    const uint item = get_local_id(0);
    #pragma unroll 1
    for (uint i = item % COLUMNS; i < elements - (high - low); i += COLUMNS) {
        const uint e = i < low ? i : i + (high - low);
        const long k = resolve(j + e, (long)g->n, g->left, g->right);
        const bool is_inside = (ulong)k < g->n, is_here = k - j >= low && k - j < high;
        const OPERAND value = constant_of(j + e < 0 ? g->constant_left : g->constant_right);
        local OPERAND *at = tile + item / COLUMNS * pitch;
        global const ELEM *p =
            x + (g->first + (long)(row + item / COLUMNS) * g->row_stride + k * g->stride);
        #pragma unroll 4
        for (uint r = item / COLUMNS; r < rows; r += LOADERS) {
            at[e] = !is_inside ? value : is_here ? at[k - j] : (OPERAND)LOAD(p, 0);
            at += LOADERS * pitch;
            p += LOADERS * g->row_stride;
        }
    }
}

// Fills `elements` positions from j on.
static void fill(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements)
{
    const uint front = (uint)clamp(-j, 0L, (long)elements); // positions in front of the rows
    const uint high = (uint)clamp((long)g->n - j, (long)front, (long)elements);
    const bool is_past = g->left == BOUNDARY_HISTORY;
    const uint low = is_past ? 0 : front;
    load_run(tile + front, x + (g->first + (long)row * g->row_stride + (j + front) * g->stride),
             g->stride, g->row_stride, high - front, rows, pitch);
    if (is_past)
        load_run(tile,
                 before + (g->before_first + (long)row * g->before_row_stride +
                           (j + (long)g->halo) * g->before_stride),
                 g->before_stride, g->before_row_stride, front, rows, pitch);
    if (high - low == elements)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    fill_beyond(tile, x, g, pitch, row, rows, j, low, high, elements);
}
#endif

// Adds input p of the item to the sums that need it.
#define ADD_INPUT(p)                                                                     \
    if ((p) < TAPS + (ITEM_OUTPUTS - 1) * STEP) {                                        \
        const OPERAND v = from[(p) * DILATION];                                        \
        _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)                         \
            if ((p) - o * STEP >= 0 && (p) - o * STEP < TAPS)                            \
                sums[o] = ADD(sums[o], h.g[(p) - o * STEP], v);                          \
    }
#define ADD_INPUTS_4(p)  ADD_INPUT(p) ADD_INPUT(p + 1) ADD_INPUT(p + 2) ADD_INPUT(p + 3)
#define ADD_INPUTS_16(p) \
    ADD_INPUTS_4(p) ADD_INPUTS_4(p + 4) ADD_INPUTS_4(p + 8) ADD_INPUTS_4(p + 12)
#define ADD_INPUTS_64(p) \
    ADD_INPUTS_16(p) ADD_INPUTS_16(p + 16) ADD_INPUTS_16(p + 32) ADD_INPUTS_16(p + 48)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g,
                const struct turn_arguments t)
{
    local float4 room[ROOM];
    local OPERAND *tile = (local OPERAND *)room;
    const uint item = get_local_id(0);
    // Blocks of rows side by side first, then parts of the rows: what both share is still in
    // the cache.
    const uint group = get_group_id(0), rest = group / t.near, part = rest % t.parts;
    const ulong row = ((ulong)(rest / t.parts) * t.near + group % t.near) * ROWS;
    const uint rows = row < g.rows ? (uint)min((ulong)ROWS, g.rows - row) : 0;
    const ulong first = (ulong)part * t.outputs; // of the row's outputs
    const uint outputs = (uint)min((ulong)t.outputs, g.outputs - first);
    const uint segment_outputs = ITEM_OUTPUTS * t.phases;
    const uint segments = (outputs + segment_outputs - 1) / segment_outputs;
    const uint elements = (outputs - 1) * g.step + (uint)g.halo + 1;
    const uint width = (segments * segment_outputs - 1) * g.step + (uint)g.halo + 1;
    if (rows)
        fill(tile, x, before, &g, t.pitch, row, rows, g.origin + (long)first * g.step, elements);
    // Sums that are not written have inputs, too.
    for (uint i = item; i < (width - elements) * ROWS; i += WG)
        tile[i % ROWS * t.pitch + (elements + i / ROWS)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint units = segments * t.phases;
    #pragma unroll 1
    for (uint n = item; n < ROWS * units; n += WG) {
        const uint lane = BACK ? n / units : item % ROWS;
        const uint unit = BACK ? n - lane * units : n / ROWS;
        if (lane >= rows)
            break;
        const uint segment = unit / t.phases;
        const uint own = segment * (ITEM_OUTPUTS * t.phases) + unit - segment * t.phases;
        local const OPERAND *from = tile + (lane * t.pitch + own * g.step);
        global OUT_T *to = out + (g.out_first + (long)(row + lane) * g.out_row_stride +
                                  (long)first * g.out_stride);
        SUM_T sums[ITEM_OUTPUTS];
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = 0;
        ADD_INPUTS_64(0)
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 64
        ADD_INPUTS_64(64)
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 128
        ADD_INPUTS_64(128)
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 192
        ADD_INPUTS_64(192)
#endif
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++)
            if (own + o * t.phases < outputs)
                STORE(to, (long)(own + o * t.phases) * g.out_stride, sums[o], g.shift);
    }
}
