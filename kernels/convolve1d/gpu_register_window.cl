// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_register_window: long rows without steps, on GPUs. Taps may lie some elements
// apart, because rows are interleaved or the filter is dilated.
//
// A group loads the inputs of a tile into local memory, boundaries resolved. Each item computes
// ITEM_OUTPUTS contiguous outputs from there: the inputs pass by once, a vector at a time, and
// each goes into all the sums that need it.
//
//     outputs   first ... first + TILE - 1; vectors of them are aligned
//     tile      X of first ... first + TILE - 1 + TAPS - 1: element e is what tap k and output
//               first + e - k need
//
//     tile   v0 v1 v2 v3 v4 v5 v6 ...    vectors in local memory, loaded by the whole group
//     item 0 |---------- - - ->          ITEM_VECS vectors for its own outputs, then those that
//     item 1          |---------- - ->   the taps need; ITEM_VECS is odd: the vectors of
//                                        neighbouring items lie in different banks
//
// Taps are an argument by value, so that an ADD finds its tap without a load. All loops over
// taps are unrolled by the preprocessor: compilers give up on loops as long as these.
//
// The sums go back through local memory, so that neighbouring items write neighbouring vectors.
// With TILES > 1 a group takes as many tiles one after the other, and loads the inputs of the
// next one before it computes.
//
// Macros   those of gpu_window_inputs.cl, which loads the inputs
//          OUT_BACKWARDS  1: neighbouring outputs of a row are neighbours in memory, in front of
//                         each other; PACKED, and WIDTH is 1
// Barriers four per tile, reached by all items: inputs are loaded; inputs have been read; sums
//          are there; sums have been written (with TILES > 1 only)
// Per output: TAPS ADDs. For each tile a group reads TILE + TAPS - 1 inputs and writes TILE
// outputs. An item reads ITEM_INPUT_VECS vectors of 16 bytes from local memory for
// ITEM_OUTPUTS * TAPS ADDs.
// Local memory: one tile of inputs or of outputs.

#ifndef OUT_BACKWARDS
#error "OUT_BACKWARDS must be defined"
#endif

// Vectors of local memory: of inputs or of outputs.
#define OUT_ROOM  (TILE_VECS * (OUT_BYTES * VEC_N) / 16)
#define TILE_ROOM (INPUT_VECS > OUT_ROOM ? INPUT_VECS : OUT_ROOM)

struct taps {
    TAP_T g[TAPS];
};

// ---------------------------------------------------------------- outputs
// Place i of n in the tile as a place in memory.
#define IN_MEMORY(i, n) (OUT_BACKWARDS ? (n) - 1 - (i) : (i))

// The results of vector q of an item, as they lie in memory.
static out_vec results_of(const SUM_T *sums, int q, uint shift)
{
    SUM_T s[VEC_N];
    #pragma unroll
    for (int u = 0; u < VEC_N; u++)
        s[u] = sums[q * VEC_N + IN_MEMORY(u, VEC_N)];
    return pack(s, shift);
}

// Writes the sums of all items by way of the tile, so that neighbouring items write
// neighbouring vectors. Two barriers: all inputs have been read; all results are in the tile.
static void write_sums(const struct row *r, const struct arguments *g, bool by_vectors,
                       local vec16 *tile, const SUM_T *sums, long first, uint item)
{
    local out_vec *results = (local out_vec *)tile;
    local out_vec *own = results + IN_MEMORY((int)item * ITEM_VECS, TILE_VECS);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int q = 0; q < ITEM_VECS; q++)
        own[OUT_BACKWARDS ? -q : q] = results_of(sums, q, g->shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (by_vectors && first >= 0 && first + TILE <= r->outputs) {
        global out_vec *p =
            (global out_vec *)(r->out + (OUT_BACKWARDS ? 1 - first - TILE : first)) + item;
        own = results + item;
        #pragma unroll
        for (int q = 0; q < ITEM_VECS; q++)
            p[q * WG] = own[q * WG];
        return;
    }
#if PACKED || TILES > 1
    for (uint e = item; e < TILE; e += WG) {
        const long i = first + e;
        if (i >= 0 && i < r->outputs)
            COPY(r->out, i * r->out_stride, results, IN_MEMORY(e, TILE));
    }
#else
    // All tiles come here. H100, driver 580.159.04, 2026-11-27, us by the loop above and by this: i8,
    // 7 taps, every third element 433, 420; i32, 3 taps, every fifth 409, 387; f32 409, 407; i16, 4
    // taps, every second 508, 507; but f32 to f16, 27 taps, two tiles, every sixth 246, 253.
    const uint low = first < 0 ? (uint)-first : 0;
    const uint high = (uint)min((long)TILE, r->outputs - first);
    global OUT_T *to = r->out + (first + item) * r->out_stride;
    const long by = WG * r->out_stride;
    #pragma unroll 4
    for (uint e = item; e < TILE; e += WG, to += by)
        if (e - low < high - low)
            COPY(to, 0, results, IN_MEMORY(e, TILE));
#endif
}

// ---------------------------------------------------------------- sums
// Adds the taps that meet output 0 in vector b, after the last vector that they need was taken.
#define ADD_TAPS(sums, ring, from, taps, b)                                   \
    if ((b) * VEC_N < SPAN) {                                                 \
        if ((b) + ITEM_VECS < ITEM_INPUT_VECS)                                \
            TAKE(ring, from, (b) + ITEM_VECS)                                 \
        _Pragma("unroll") for (int u = 0; u < VEC_N; u++)                     \
            if ((b) * VEC_N + u < SPAN && ((b) * VEC_N + u) % WIDTH == 0) {   \
                const TAP_T tap = (taps).g[((b) * VEC_N + u) / WIDTH];        \
                ADD_ALL(sums, ring, tap, (b) * VEC_N + u)                     \
            }                                                                 \
    }
#define ADD_TAPS_4(sums, ring, from, taps, b)   \
    ADD_TAPS(sums, ring, from, taps, b)         \
    ADD_TAPS(sums, ring, from, taps, b + 1)     \
    ADD_TAPS(sums, ring, from, taps, b + 2)     \
    ADD_TAPS(sums, ring, from, taps, b + 3)
#define ADD_TAPS_16(sums, ring, from, taps, b)  \
    ADD_TAPS_4(sums, ring, from, taps, b)       \
    ADD_TAPS_4(sums, ring, from, taps, b + 4)   \
    ADD_TAPS_4(sums, ring, from, taps, b + 8)   \
    ADD_TAPS_4(sums, ring, from, taps, b + 12)
#define ADD_TAPS_64(sums, ring, from, taps, b)  \
    ADD_TAPS_16(sums, ring, from, taps, b)      \
    ADD_TAPS_16(sums, ring, from, taps, b + 16) \
    ADD_TAPS_16(sums, ring, from, taps, b + 32) \
    ADD_TAPS_16(sums, ring, from, taps, b + 48)
#if SPAN > 160 * VEC_N
#error "more taps than are unrolled"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g
                UPDATE_PARAMETERS)
{
    local vec16 tile[TILE_ROOM];
    const uint item = get_local_id(0);
    uint slot;
    struct row r = find_row(x, out, &g, WIDTH == 1 ? 1 : (uint)g.share, &slot);
    if (BACKWARDS)
        r.stride = -1;
    if (OUT_BACKWARDS)
        r.out_stride = -1;
    const uint low = (uint)(size_t)r.out;
    const bool by_vectors = (OUT_BACKWARDS || r.out_stride == 1) && low % OUT_BYTES == 0;
    // Outputs of the first vector that lie outside the row.
    const uint place = low / OUT_BYTES % VEC_N;
    const uint outside = OUT_BACKWARDS ? VEC_N - 1 - place : place;
    long first = (long)slot * (TILE * TILES) - (by_vectors ? outside : 0);

    held v[HELD];
    struct inputs in = find_inputs(&r, first);
    load_ahead(v, &in, item);
    #pragma unroll 1
    for (int i = 0; i < TILES && first < r.outputs; i++, first += TILE) {
        fill_tile(tile, v, &in, before, &r, &g, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i + 1 < TILES) {
            in = find_inputs(&r, first + TILE);
            load_ahead(v, &in, item);
        }
        SUM_T sums[ITEM_OUTPUTS];
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = 0;
        local const vec16 *w = tile + item * ITEM_VECS;
        OPERAND window[RING];
        #pragma unroll
        for (int b = 0; b < ITEM_VECS; b++)
            TAKE(window, w, b)
        ADD_TAPS_64(sums, window, w, h, 0)
        ADD_TAPS_64(sums, window, w, h, 64)
        ADD_TAPS_16(sums, window, w, h, 128)
        ADD_TAPS_16(sums, window, w, h, 144)
        write_sums(&r, &g, by_vectors, tile, sums, first, item);
        if (TILES > 1)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    UPDATE_HISTORY(x, before, &g);
}
