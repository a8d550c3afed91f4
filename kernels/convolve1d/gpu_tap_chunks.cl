// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: any number of taps, on GPUs; also rows with taps of their own.
//
// As gpu_register_window (see there), but the number of taps is known when it runs: they come
// CHUNK at a time, with the tile of inputs that they need, through local memory, where all items read
// the same tap at once. The sums stay in registers from the first chunk to the last.
//
//     taps   | chunk 0            | chunk 1            | part |
//     tile   inputs of TILE outputs for these taps: TILE + CHUNK elements
//     loop   trips of TRIP taps, after which the ring of inputs is where it was; then words of
//            taps, then the last taps one by one, with the window read afresh for each
//
// Macros   SHAPE  turns of the ring in a trip; times 8192: trips in a chunk (see
//                 convolve1d/gpu_tile.cl)
// Barriers two per chunk: read (before the next is filled), filled; two at the end: all read,
//          results there. Reached by all items: their number depends on the taps alone.
// Local memory: a tile of inputs, or of outputs, and a chunk of taps.

#define TRIP     (SHAPE % 512 * RING)
#define CHUNK    (SHAPE / 8192 * TRIP)
#define IN_WORDS ((TILE + CHUNK) / VEC)
#if CHUNK < 1
#error "SHAPE names no taps"
#endif

// A word of taps, of those that the ring turns for.
#define TAPS(b)                                             \
    if ((b) < TRIP / VEC) {                                 \
        TAKE((b) + ITS_WORDS)                               \
        _Pragma("unroll") for (int u = 0; u < VEC; u++)     \
            ADD_ALL(tap[(b) * VEC + u], (b) * VEC + u)      \
    }
#define TAPS_6(b) TAPS(b) TAPS(b + 1) TAPS(b + 2) TAPS(b + 3) TAPS(b + 4) TAPS(b + 5)
#if TRIP > 24 * VEC
#error "SHAPE asks for longer trips than are unrolled"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const T *restrict x, global const T *restrict before,
                global const H *restrict taps, global U *restrict out, const struct arguments g)
{
    local word tile[TILE_ROOM];
    local H chunk[CHUNK] __attribute__((aligned(16)));
    const uint item = get_local_id(0);
    uint slot;
    const struct strand s = find_strand(x, out, &g, false, &slot);
    const long first = (long)slot * TILE - s.skew;
    taps += g.tap_first + s.row * g.tap_row;

    S sums[R];
    #pragma unroll
    for (int j = 0; j < R; j++)
        sums[j] = 0;
    #pragma unroll 1
    for (uint k = 0; k < g.taps; k += CHUNK) {
        const uint n = min(g.taps - k, (uint)CHUNK);
        const uint words = TILE / VEC + (n + VEC - 1) / VEC;
        const struct inputs in = find_inputs(&s, &g, first + k, words * VEC);
        barrier(CLK_LOCAL_MEM_FENCE);
        fill_tile(tile, words, &in, before, &s, &g, item);
        for (uint e = item; e < n; e += WG)
            chunk[e] = taps[k + e];
        barrier(CLK_LOCAL_MEM_FENCE);
        local const word *w = tile + item * ITS_WORDS;
        local const H *tap = chunk;
        W window[RING];
        #pragma unroll
        for (int b = 0; b < ITS_WORDS; b++)
            TAKE(b)
        uint left = n;
        #pragma unroll 1
        for (; left >= TRIP; left -= TRIP, w += TRIP / VEC, tap += TRIP) {
            TAPS_6(0)
            TAPS_6(6)
            TAPS_6(12)
            TAPS_6(18)
        }
        // A word at a time, and what is left of one, with the window read afresh.
        #pragma unroll 1
        for (uint some = min(left, (uint)VEC); some; w++, tap += VEC) {
            #pragma unroll
            for (int b = 0; b <= ITS_WORDS; b++)
                TAKE(b)
            #pragma unroll
            for (int u = 0; u < VEC; u++)
                if (u < some)
                    ADD_ALL(tap[u], u)
            left -= some;
            some = min(left, (uint)VEC);
        }
    }
    write_sums(&s, tile, sums, g.shift, first, item);
}
