// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: inputs of interleaved rows that lie in lines of neighbours, with
// gaps between the lines or in another order (LINE_VECTORS). They get into local memory by aligned
// vectors. What a vector has beside its line is left out:
//
//     x        | . . 0 1 | 2 3 4 5 | 6 . . . |       vectors of a line of 7 channels
//
// The lines at the ends of a row have memory beside them that may not be the array's. They come by
// elements (gpu_tile_elements.cl).
//
// Macros   those of gpu_tile.cl

#if LINE_VECTORS
// Positions low ... high - 1 of all channels, which have lines on both sides. `first` is element 0
// of the tile.
static void fill_lines(local OPERAND *tile, global const ELEM *first, const struct arguments *g,
                       const struct tile_arguments *t, int low, int high, uint item)
{
    const uint loads = t->row_loads, channels = t->channels;
    const uint all = high > low ? (uint)(high - low) * loads : 0;
    #pragma unroll 1
    for (uint i = item; i < all; i += TILE_LINE_AHEAD * WG) {
        in_vec v[TILE_LINE_AHEAD];
        int channel[TILE_LINE_AHEAD]; // of a vector's first element: negative in front of the line
        #pragma unroll
        for (int u = 0; u < TILE_LINE_AHEAD; u++) {
            const uint line = divide(i + u * WG, t->by_row), load = i + u * WG - line * loads;
            global const ELEM *p = first + (long)(low + (int)line) * g->stride;
            const uint skew = (uint)(size_t)p / BYTES % VEC_N;
            channel[u] = (int)(load * VEC_N) - (int)skew;
            if (i + u * WG < all && channel[u] < (int)channels)
                v[u] = load_vec((global const in_vec *)(p - skew), (int)load);
        }
        #pragma unroll
        for (int u = 0; u < TILE_LINE_AHEAD; u++) {
            if (i + u * WG >= all || channel[u] >= (int)channels)
                continue; // nothing was loaded
            const uint line = divide(i + u * WG, t->by_row);
            const int at = (low + (int)line) * (int)channels;
            const vec16 w = unpack(v[u]);
            #pragma unroll
            for (int b = 0; b < VEC_N; b++)
                if ((uint)(channel[u] + b) < channels)
                    tile[place_of(t, at + channel[u] + b, 0)] = ELEMENT(w, b);
        }
    }
}
#endif
