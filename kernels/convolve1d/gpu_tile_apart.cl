// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: where the rows of a tile begin, and how a group fills the tile
// with rows that lie apart. gpu_tile_rows.cl has a drawing of such a tile.
//
// Items take the loads of all rows in turn, so that none is idle where rows are short.
//
// Macros   those of gpu_tile.cl

#if ROWS
// Loads have 16 bytes: one vector, or several of narrow elements.
#if BYTES == 1
#define VECTORS    4
#define PART(v, k) ((k) == 0 ? (v).x : (k) == 1 ? (v).y : (k) == 2 ? (v).z : (v).w)
#elif BYTES == 2
#define VECTORS    2
#define PART(v, k) ((k) ? (v).hi : (v).lo)
#else
#define VECTORS    1
#define PART(v, k) (v)
#endif
#define LENGTH (VECTORS * VEC_N)

// How much a row of the tile begins behind `pitch`, so that its loads are aligned there, too.
// `low` is its element 0 in memory, as a number of elements; `way`: -1 where the row lies
// backwards.
static uint late_of(uint low, int way, uint pitch)
{
#if PADDED
    return 0;
#else
    return ((way < 0 ? 0 - (low + 1) : low) - pitch) % LENGTH;
#endif
}

// Rows whose inputs are neighbours come by vectors.
#define ROW_VECTORS (!BY_VECTORS && TYPE != C32)
#define ARE_LATE    (ROW_VECTORS && !PADDED)

// Where the rows of a tile begin. `low` is that of the first one in memory, `step` what lies
// between rows, as numbers of elements.
struct tile_rows {
    local OPERAND *tile;
    uint pitch, low, step;
    int way; // 1 or -1; 0: inputs of a row are no neighbours
};

static struct tile_rows rows_of(local OPERAND *tile, global const ELEM *x,
                                const struct arguments *g, const struct tile_arguments *t,
                                const struct place *s)
{
    const long first = g->first + (long)s->row * g->row_stride + s->p0 * g->stride;
    const struct tile_rows r = { tile, t->pitch, (uint)((size_t)(x + first) / BYTES),
                                 (uint)g->row_stride,
                                 g->stride == 1    ? 1
                                 : g->stride == -1 ? -1
                                                   : 0 };
    return r;
}

static local OPERAND *row_of(const struct tile_rows *r, uint line)
{
    const uint at = line * r->pitch;
#if ARE_LATE
    if (r->way)
        return r->tile + (at + late_of(r->low + line * r->step, r->way, at));
#endif
    return r->tile + at;
}

#if ROW_VECTORS
// Puts a load of neighbours into the tile. The lowest one in memory is element e of the row
// that begins at `own`, the next one is element e + way. Elements begin ... end - 1 are the
// row's.
__attribute__((always_inline))
static inline void put_wide(local OPERAND *own, const struct tile_arguments *t, uint4 v, int e,
                            int way, int begin, int end)
{
#if PADDED
    #pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        const vec16 w = unpack(PART(v, k));
        #pragma unroll
        for (int b = 0; b < VEC_N; b++) {
            const int at = e + way * (k * VEC_N + b);
            if (at >= begin && at < end)
                own[place_of(t, at, 0)] = ELEMENT(w, b);
        }
    }
#else
    // What is not the row's lies where nothing is yet, or between rows.
    own += way < 0 ? e - (LENGTH - 1) : e;
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        ((local vec16 *)own)[way < 0 ? VECTORS - 1 - k : k] =
            unpack(way < 0 ? turned(PART(v, k)) : PART(v, k));
#endif
}

// Rows that lie apart, elements head ... head + count - 1 of each, which are neighbours. Items
// take the loads of all rows in turn. Loads at the ends of a row hold elements beside it. In
// the first and the last group these may lie beside the array, and loads at the ends are left
// out.
static void fill_apart(local OPERAND *tile, global const ELEM *x, const struct arguments *g,
                       const struct tile_arguments *t, const struct place *s, int head, int count,
                       uint item)
{
    const struct tile_rows rows = rows_of(tile, x, g, t, s);
    const int way = g->stride < 0 ? -1 : 1, last = way < 0 ? max(count, 1) - 1 : 0;
    // The lowest in memory of the first row, which is element e0.
    const int e0 = head + last, begin = head, end = head + count;
    global const ELEM *p = x + (g->first + (long)s->row * g->row_stride + (s->p0 + e0) * g->stride);
    const uint low = (uint)((size_t)p / BYTES), row_step = (uint)g->row_stride;
    const bool is_within = s->row > 0 && s->row + s->rows < g->rows &&
                           (g->row_stride >= LENGTH || g->row_stride <= -LENGTH);
    const uint loads = t->row_loads, all = count > 0 ? s->rows * loads : 0;
    uint row = divide(item, t->by_row), i = item - row * loads;
    #pragma unroll 1
    for (uint u = item; u < all; u += ROWS_AHEAD * WG) {
        uint4 v[ROWS_AHEAD];
        uint own[ROWS_AHEAD]; // where the row begins in the tile; NOWHERE: there is no load
        int e[ROWS_AHEAD];    // of the lowest in memory
        #pragma unroll
        for (uint n = 0; n < ROWS_AHEAD; n++) {
            const uint own_low = low + row * row_step, pitch = row * t->pitch;
            const int at = (int)(i * LENGTH) - (int)(own_low % LENGTH); // from the lowest on
            const bool is_load = u + n * WG < all && at < count &&
                                 (is_within || (at >= 0 && at + LENGTH <= count));
            own[n] = is_load ? pitch + late_of(own_low - way * e0, way, pitch) : NOWHERE;
            e[n] = e0 + way * at;
            if (is_load)
                v[n] = load_16((global const uint4 *)(p + ((long)row * g->row_stride + at)));
            i += t->turn_rest;
            row += t->turn_rows + (i >= loads);
            i -= i >= loads ? loads : 0;
        }
        if (way > 0) {
            #pragma unroll
            for (uint n = 0; n < ROWS_AHEAD; n++)
                if (own[n] != NOWHERE)
                    put_wide(tile + own[n], t, v[n], e[n], 1, begin, end);
        } else {
            #pragma unroll
            for (uint n = 0; n < ROWS_AHEAD; n++)
                if (own[n] != NOWHERE)
                    put_wide(tile + own[n], t, v[n], e[n], -1, begin, end);
        }
    }
    if (is_within)
        return;
    // What was left out at both ends of each row: fewer than two loads.
    #pragma unroll 1
    for (uint u = item; u < s->rows * (2 * LENGTH); u += WG) {
        const uint line = u / (2 * LENGTH);
        const int n = (int)(u % (2 * LENGTH));
        global const ELEM *from = p + (long)line * g->row_stride;
        const int skew = (int)((uint)(size_t)from / BYTES % LENGTH);
        const int left_out = min(skew ? LENGTH - skew : 0, count);
        const int behind = max((skew + count) / LENGTH * LENGTH - skew, left_out);
        const int at = n < LENGTH ? n : behind + n - LENGTH;
        if (at < (n < LENGTH ? left_out : count))
            row_of(&rows, line)[place_of(t, e0 + way * at, 0)] = (OPERAND)LOAD(from, at);
    }
}
#endif
#endif
