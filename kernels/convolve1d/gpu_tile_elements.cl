// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: inputs that get into local memory by elements, because they lie
// apart, or in another order than in the tile.
//
//     fill_line   a part of a row, by a team of items
//     fill_any    everything, boundaries included: along a row or across rows and channels,
//                 whichever lie closer together in memory
//
// Macros   those of gpu_tile.cl

#if ROWS && !BY_VECTORS
// Inputs of a row, `count` of them, by elements. The items of a team share them. p is the first
// one, element e of the tile.
static void fill_line(local OPERAND *tile, global const ELEM *p, long stride,
                      const struct tile_arguments *t, int number, int e, int count)
{
    const int team = (int)t->team;
    p += number * stride;
    stride *= team;
    #pragma unroll 1
    for (int i = number; i < count; i += INSIDE_AHEAD * team) {
        OPERAND v[INSIDE_AHEAD];
        #pragma unroll
        for (int u = 0; u < INSIDE_AHEAD; u++) {
            if (i + u * team < count)
                v[u] = (OPERAND)LOAD(p, 0);
            p += stride;
        }
        #pragma unroll
        for (int u = 0; u < INSIDE_AHEAD; u++)
            if (i + u * team < count)
                tile[place_of(t, e + i + u * team, 0)] = v[u];
    }
}
#endif

static void fill_any(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                     const struct arguments *g, const struct tile_arguments *t,
                     const struct place *s, uint item)
{
    const uint rows = ROWS ? s->rows : t->channels;
    const uint inputs = divide(s->elements, t->by_channels);
    #pragma unroll 1
    for (uint i = item; i < t->in_near * t->in_far; i += ANY_AHEAD * WG) {
        OPERAND v[ANY_AHEAD];
        uint to[ANY_AHEAD];
        #pragma unroll
        for (int u = 0; u < ANY_AHEAD; u++) {
            const uint far = divide(i + u * WG, t->by_in_near);
            const uint near = i + u * WG - far * t->in_near;
            const uint row = t->in_rows_near ? near : far, j = t->in_rows_near ? far : near;
            const uint q = divide(j, t->by_taps_lines);
            to[u] = NOWHERE;
            if (row < rows && j < inputs) {
                to[u] = place_of(t, ROWS ? j : j * t->channels + row, 0) + q * t->pad;
                to[u] += ROWS ? row * t->pitch : 0;
                v[u] = input(x, before, g, t, s->row + row,
                             s->p0 + (long)q * t->inputs +
                                 (long)(j - q * t->taps_lines) * t->line_inputs);
            }
        }
        #pragma unroll
        for (int u = 0; u < ANY_AHEAD; u++)
            if (to[u] != NOWHERE)
                tile[to[u]] = v[u];
    }
}
