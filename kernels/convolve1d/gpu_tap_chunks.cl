// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: any number of taps, on GPUs; also rows with taps of their own.
//
// As gpu_register_window (see there), but the number of taps is an argument. The taps come
// through local memory, CHUNK at a time, together with the tile of inputs that they need; all
// items read the same tap at once. The sums stay in registers from the first chunk to the last.
//
//     taps   | chunk 0            | chunk 1            | rest |
//     tile   inputs of TILE outputs for these taps: TILE + CHUNK elements
//     loop   trips of TRIP taps, after which the ring of inputs is where it began; then vectors
//            of taps, then the last taps one by one, with the window read afresh for each
//
// Macros   those of gpu_tile.cl
//          TRIP_TURNS    turns of the ring in a trip
//          CHUNK_TRIPS   trips in a chunk
// Barriers two per chunk: inputs and taps of the chunk before have been read; those of this one
//          are loaded. Two at the end: all inputs have been read; results are there. All items
//          reach them, because the number of chunks depends on the taps alone.
// Per output: an ADD for each tap. For each chunk a group reads TILE + CHUNK inputs and CHUNK
// taps for TILE * CHUNK ADDs. From local memory an item reads an operand and a tap for
// ITEM_OUTPUTS ADDs.
// Local memory: a tile of inputs, or of outputs, and a chunk of taps.

#if !defined(TRIP_TURNS) || !defined(CHUNK_TRIPS)
#error "TRIP_TURNS and CHUNK_TRIPS must be defined"
#endif
#if TRIP_TURNS < 1 || CHUNK_TRIPS < 1
#error "TRIP_TURNS and CHUNK_TRIPS must be at least 1"
#endif

#define TRIP       (TRIP_TURNS * RING)
#define CHUNK      (CHUNK_TRIPS * TRIP)
#define INPUT_VECS ((TILE + CHUNK) / VEC_N)

// Adds a vector of taps: number b of those of a trip.
#define ADD_TAPS(sums, ring, from, taps, b)                       \
    if ((b) < TRIP / VEC_N) {                                     \
        TAKE(ring, from, (b) + ITEM_VECS)                         \
        _Pragma("unroll") for (int u = 0; u < VEC_N; u++)         \
            ADD_ALL(sums, ring, (taps)[(b) * VEC_N + u], (b) * VEC_N + u) \
    }
#define ADD_TAPS_6(sums, ring, from, taps, b) \
    ADD_TAPS(sums, ring, from, taps, b)       \
    ADD_TAPS(sums, ring, from, taps, b + 1)   \
    ADD_TAPS(sums, ring, from, taps, b + 2)   \
    ADD_TAPS(sums, ring, from, taps, b + 3)   \
    ADD_TAPS(sums, ring, from, taps, b + 4)   \
    ADD_TAPS(sums, ring, from, taps, b + 5)
#if TRIP > 24 * VEC_N
#error "trips are longer than what is unrolled"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g)
{
    local vec16 tile[TILE_ROOM];
    local TAP_T chunk[CHUNK] __attribute__((aligned(16)));
    const uint item = get_local_id(0);
    uint slot;
    const struct phase s = find_phase(x, out, &g, false, &slot);
    const long first = (long)slot * TILE - s.skew;
    taps += g.tap_first + s.row * g.tap_row;

    SUM_T sums[ITEM_OUTPUTS];
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++)
        sums[o] = 0;
    #pragma unroll 1
    for (uint k = 0; k < g.taps; k += CHUNK) {
        const uint n = min(g.taps - k, (uint)CHUNK);
        const uint vecs = TILE / VEC_N + (n + VEC_N - 1) / VEC_N;
        const struct inputs in = find_inputs(&s, &g, first + k, vecs * VEC_N);
        barrier(CLK_LOCAL_MEM_FENCE);
        fill_tile(tile, vecs, &in, before, &s, &g, item);
        for (uint e = item; e < n; e += WG)
            chunk[e] = taps[k + e];
        barrier(CLK_LOCAL_MEM_FENCE);
        local const vec16 *w = tile + item * ITEM_VECS;
        local const TAP_T *tap = chunk;
        OPERAND window[RING];
        #pragma unroll
        for (int b = 0; b < ITEM_VECS; b++)
            TAKE(window, w, b)
        uint left = n;
        #pragma unroll 1
        for (; left >= TRIP; left -= TRIP, w += TRIP / VEC_N, tap += TRIP) {
            ADD_TAPS_6(sums, window, w, tap, 0)
            ADD_TAPS_6(sums, window, w, tap, 6)
            ADD_TAPS_6(sums, window, w, tap, 12)
            ADD_TAPS_6(sums, window, w, tap, 18)
        }
        // A vector of taps at a time, then what is left of one, with the window read afresh.
        #pragma unroll 1
        for (uint some = min(left, (uint)VEC_N); some; w++, tap += VEC_N) {
            #pragma unroll
            for (int b = 0; b <= ITEM_VECS; b++)
                TAKE(window, w, b)
            #pragma unroll
            for (int u = 0; u < VEC_N; u++)
                if (u < some)
                    ADD_ALL(sums, window, tap[u], u)
            left -= some;
            some = min(left, (uint)VEC_N);
        }
    }
    write_sums(&s, tile, sums, g.shift, first, item);
}
