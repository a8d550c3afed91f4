// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_turn: columns that become rows. How a group fills its tile, and with EXCHANGE
// how its results get out. gpu_turn.cl says what the tile is, and sums.
//
// Neighbouring items load neighbouring rows.
//
// Macros   those of gpu_turn.cl

#if BACK
// What stands for a position in all rows.
struct source {
    global const ELEM *from; // of the group's first row
    long row_stride;
    CELL value; // of all rows, where it is a constant
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
    s.value = constant_cell(j < 0 ? g->constant_left : g->constant_right);
    s.row_stride = is_inside ? g->row_stride : g->before_row_stride;
    s.from = (is_inside ? x : before) +
             ((is_inside ? g->first + j * g->stride
                         : g->before_first + (j + (long)g->halo) * g->before_stride) +
              (long)row * s.row_stride);
    return s;
}

enum { DOWN = 8 }; // positions that an item loads at once

static void fill(local CELL *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements, uint width)
{
    const uint item = get_local_id(0), own = min(item % ROWS, rows - 1);
    global const ELEM *from = x + (g->first + (long)(row + own) * g->row_stride);
    for (uint i = item; i < (width - elements) * ROWS; i += WG)
        tile[i % ROWS * pitch + (elements + i / ROWS)] = 0;
    tile += item % ROWS * pitch;
    #pragma unroll 1
    for (uint e = item / ROWS; e < elements; e += DOWN * TEAMS) {
        const uint last = e + (DOWN - 1) * TEAMS;
        if (last < elements && j + e >= 0 && j + last < (long)g->n) {
            global const ELEM *p = from + (j + e) * g->stride;
            CELL v[DOWN];
            #pragma unroll
            for (uint u = 0; u < DOWN; u++, p += TEAMS * g->stride)
                v[u] = CELL_OF(p);
            #pragma unroll
            for (uint u = 0; u < DOWN; u++)
                tile[e + u * TEAMS] = v[u];
            continue;
        }
        #pragma unroll 1
        for (uint k = e; k <= min(last, elements - 1); k += TEAMS) {
            const struct source s = find(x, before, g, row, j + k);
            tile[k] = s.is_constant ? s.value : CELL_OF(s.from + own * s.row_stride);
        }
    }
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
