// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_turn: columns that become rows. How a group fills its tile, and with EXCHANGE
// how its results get out. gpu_turn.cl says what the tile is, and sums.
//
// Neighbouring items load neighbouring rows.
//
// Macros   those of gpu_turn.cl

#if BACK
enum { DOWN = 8 }; // positions that an item loads at once

// Fills `elements` positions from j on, and those up to `filled` with anything.
static void fill(local CELL *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements, uint width, uint filled)
{
    const uint item = get_local_id(0), own = item % ROWS, first = item / ROWS;
    const uint front = (uint)clamp(-j, 0L, (long)elements); // positions in front of the rows
    const uint high = (uint)clamp((long)g->n - j, (long)front, (long)elements);
    if (first < TEAMS) {
        const long from = (long)(row + min(own, rows - 1)) * g->row_stride;
        global const ELEM *p = x + (g->first + from + (j + front + first) * g->stride);
        const long step = TEAMS * g->stride;
        local CELL *to = tile + own * pitch;
        #pragma unroll 1
        for (uint e = front + first; e < high; e += DOWN * TEAMS) {
            CELL v[DOWN];
            #pragma unroll
            for (uint u = 0; u < DOWN; u++, p += step)
                if (e + u * TEAMS < high)
                    v[u] = CELL_OF(p);
            #pragma unroll
            for (uint u = 0; u < DOWN; u++)
                if (e + u * TEAMS < high)
                    to[e + u * TEAMS] = v[u];
        }
    }
    if (high - front == filled)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    fill_beyond(tile, x, before, g, pitch, row, rows, j, front, high, elements, width, filled,
                x);
}

#if EXCHANGE
// A result in local memory, and in out.
#if OUT_TYPE == F16
#define KEEP(p, i, s, shift) vstore_half_rte((s), (i), (p))
#define GIVE(to, i, p)       (((global ushort *)(to))[i] = *(local const ushort *)(p))
#elif OUT_TYPE == C32
#define KEEP(p, i, s, shift) ((p)[i] = (s))
#define GIVE(to, i, p)       vstore2(*(p), (i), (global float *)(to))
#else
#define KEEP(p, i, s, shift) STORE((p), (i), (s), (shift))
#define GIVE(to, i, p)       ((to)[i] = *(p))
#endif

// Writes the results of `rows` rows, `outputs` of each: neighbouring items write neighbours.
static void give(global OUT_T *to, const struct arguments *g, local const OUT_T *results,
                 uint rows, uint outputs)
{
    enum { ACROSS = SIDE_BY_SIDE(WG, 32) };
    const uint item = get_local_id(0);
    #pragma unroll 1
    for (uint r = item / ACROSS; r < rows; r += WG / ACROSS) {
        global OUT_T *own = to + (long)r * g->out_row_stride;
        #pragma unroll 4
        for (uint k = item % ACROSS; k < outputs; k += ACROSS)
            GIVE(own, (long)k * g->out_stride, results + (r * outputs + k));
    }
}
#endif
#endif
