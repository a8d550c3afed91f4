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
// The rows of a tile lie an odd number of elements apart, in different banks. What stands for a
// position beyond the ends is the same for all rows. So an item resolves it once and loads it of
// many rows.
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
//          ITEM_OUTPUTS  outputs of an item
//          BACK          1: columns become rows
//          ALONG         items that load neighbours of a row, where WG is a multiple of it
//          ROOM          local memory, in units of 16 bytes
// Barriers one, reached by all items: inputs are there
// Per output: TAPS ADDs. An item reads TAPS + (ITEM_OUTPUTS - 1) * STEP operands from local memory
// for ITEM_OUTPUTS outputs.
// Local memory: one tile of inputs.

#if !defined(TAPS) || !defined(STEP) || !defined(ITEM_OUTPUTS) || !defined(ALONG) || \
    !defined(BACK) || !defined(ROOM)
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

// What stands for a position in all rows.
struct source {
    global const ELEM *from; // of the group's first row
    long row_stride;
    OPERAND value; // of all rows, where it is a constant
    bool is_constant;
};

// Finds X(j). If no sum that is stored needs X(j), a constant does.
static struct source find(global const ELEM *x, global const ELEM *before,
                          const struct arguments *g, ulong row, long j, bool is_needed)
{
    struct source s;
    j = (ulong)j < g->n ? j : resolve(j, (long)g->n, g->left, g->right);
    const bool is_inside = (ulong)j < g->n;
    s.is_constant = !is_needed || (!is_inside && (j >= 0 || g->left != BOUNDARY_HISTORY));
    s.value = constant_of(j < 0 ? g->constant_left : g->constant_right);
    s.row_stride = is_inside ? g->row_stride : g->before_row_stride;
    s.from = (is_inside ? x : before) +
             ((is_inside ? g->first + j * g->stride
                         : g->before_first + (j + (long)g->halo) * g->before_stride) +
              (long)row * s.row_stride);
    return s;
}

// Loads AHEAD rows of a position: those from r on, LOADERS apart. Rows behind row `last` have the
// elements of one in front of it. Moves s->from on to the next row.
static void load_rows(OPERAND *v, struct source *s, uint r, uint last)
{
    #pragma unroll
    for (uint u = 0; u < AHEAD; u++) {
        v[u] = s->is_constant ? s->value : (OPERAND)LOAD(s->from, 0);
        if (r + (u + 1) * LOADERS <= last)
            s->from += LOADERS * s->row_stride;
    }
}

static void store_rows(local OPERAND *tile, const OPERAND *v, uint r, uint pitch)
{
    #pragma unroll
    for (uint u = 0; u < AHEAD; u++)
        if (ROWS % (AHEAD * LOADERS) == 0 || r + u * LOADERS < ROWS)
            tile[u * LOADERS * pitch] = v[u];
}

// Fills `width` positions from j on. The first `elements` are loaded.
#if BACK
enum { DOWN = 8 }; // positions that an item loads at once

static void fill(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements, uint width)
{
    const uint item = get_local_id(0), own = min(item % ROWS, rows - 1);
    global const ELEM *from = x + (g->first + (long)(row + own) * g->row_stride);
    tile += item % ROWS * pitch;
    #pragma unroll 1
    for (uint e = item / ROWS; e < width; e += DOWN * TEAMS) {
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
        for (uint k = e; k <= min(last, width - 1); k += TEAMS) {
            const struct source s = find(x, before, g, row, j + k, k < elements);
            tile[k] = s.is_constant ? s.value : (OPERAND)LOAD(s.from, own * s.row_stride);
        }
    }
}
#else
static void fill(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements, uint width)
{
    const uint item = get_local_id(0), first = item / COLUMNS, last = rows - 1;
    #pragma unroll 1
    for (uint e = item % COLUMNS; e < width; e += 2 * COLUMNS) {
        const uint next = e + COLUMNS;
        const bool has_other = next < width;
        struct source a = find(x, before, g, row, j + e, e < elements);
        struct source b = has_other ? find(x, before, g, row, j + next, next < elements) : a;
        a.from += (long)min(first, last) * a.row_stride;
        b.from += (long)min(first, last) * b.row_stride;
        #pragma unroll 1
        for (uint r = first; r < ROWS; r += AHEAD * LOADERS) {
            OPERAND v[AHEAD], w[AHEAD];
            load_rows(v, &a, r, last);
            if (has_other)
                load_rows(w, &b, r, last);
            store_rows(tile + (r * pitch + e), v, r, pitch);
            if (has_other)
                store_rows(tile + (r * pitch + next), w, r, pitch);
        }
    }
}
#endif

// Adds input p of the item to the sums that need it.
#define ADD_INPUT(p)                                                                     \
    if ((p) < TAPS + (ITEM_OUTPUTS - 1) * STEP) {                                        \
        const OPERAND v = from[(p) * g.dilation];                                        \
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
    // Of the outputs of the last units some may not exist. Constants stand for their inputs.
    const uint segment_outputs = ITEM_OUTPUTS * t.phases;
    const uint segments = (outputs + segment_outputs - 1) / segment_outputs;
    const uint elements = (outputs - 1) * g.step + (uint)g.halo + 1;
    const uint width = (segments * segment_outputs - 1) * g.step + (uint)g.halo + 1;
    if (rows)
        fill(tile, x, before, &g, t.pitch, row, rows, g.origin + (long)first * g.step, elements,
             width);
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
