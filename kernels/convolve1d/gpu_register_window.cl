// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_register_window: some tens to hundreds of taps, on GPUs.
//
// A group loads the inputs of a tile into local memory, boundaries resolved. Each item computes
// ITEM_OUTPUTS contiguous outputs from there: the inputs pass by once, a vector at a time, and
// each goes into all the sums that need it.
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
// Macros   those of gpu_tile.cl
//          TAPS    number of taps
//          TILES   tiles that a group takes, one after the other
// Barriers four per tile, reached by all items: inputs are loaded; inputs have been read; sums
//          are there; sums have been written (with TILES > 1 only)
// Per output: TAPS ADDs. For each tile a group reads TILE + TAPS - 1 inputs and writes TILE
// outputs. An item reads ITEM_INPUT_VECS vectors of 16 bytes from local memory for
// ITEM_OUTPUTS * TAPS ADDs.
// Local memory: one tile of inputs or of outputs.

#if !defined(TAPS) || !defined(TILES)
#error "TAPS and TILES must be defined"
#endif
#if TAPS < 1 || TILES < 1
#error "TAPS and TILES must be at least 1"
#endif

#define ITEM_INPUT_VECS ((ITEM_OUTPUTS + TAPS - 1 + VEC_N - 1) / VEC_N)
#define INPUT_VECS      ((WG - 1) * ITEM_VECS + ITEM_INPUT_VECS) // of a tile
#define LOADS           ((INPUT_VECS + WG - 1) / WG)             // vectors that an item loads

struct taps {
    TAP_T g[TAPS];
};

// Items share `n` loads. Whether the i-th load of this item is one of them.
#define HAS(i, n, item) (((i) + 1) * WG <= (n) || (i) * WG + (item) < (n))

// Loads this item's part of a tile into registers, where the inputs are contiguous.
static void load_ahead(OPERAND *v, const struct inputs *in, uint item)
{
    if (in->method == BY_VECTORS) {
        global const in_vec *p = (global const in_vec *)in->x + item;
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item)) {
                const vec16 t = unpack(load_vec(p, i * WG));
                #pragma unroll
                for (int u = 0; u < VEC_N; u++)
                    v[i * VEC_N + u] = ELEMENT(t, u);
            }
    } else if (in->method == BY_ELEMENTS) {
        global const ELEM *p = in->x + item;
        #pragma unroll
        for (int i = 0; i < LOADS * VEC_N; i++)
            if (HAS(i, INPUT_VECS * VEC_N, item))
                v[i] = (OPERAND)LOAD(p, i * WG);
    }
}

// Stores what load_ahead loaded to the tile.
static void put(local vec16 *tile, const OPERAND *v, const struct inputs *in, uint item)
{
    if (in->method == BY_VECTORS) {
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item))
                tile[i * WG + item] = VEC_OF(v + i * VEC_N);
    } else {
        local OPERAND *to = (local OPERAND *)tile;
        #pragma unroll
        for (int i = 0; i < LOADS * VEC_N; i++)
            if (HAS(i, INPUT_VECS * VEC_N, item))
                to[i * WG + item] = v[i];
    }
}

// Adds VEC_N taps, from tap VEC_N * b on, after the last vector that they need was taken.
#define ADD_TAPS(sums, ring, from, taps, b)                           \
    if ((b) * VEC_N < TAPS) {                                         \
        if ((b) + ITEM_VECS < ITEM_INPUT_VECS)                        \
            TAKE(ring, from, (b) + ITEM_VECS)                         \
        _Pragma("unroll") for (int u = 0; u < VEC_N; u++)             \
            if ((b) * VEC_N + u < TAPS) {                             \
                const TAP_T tap = (taps).g[(b) * VEC_N + u];          \
                ADD_ALL(sums, ring, tap, (b) * VEC_N + u)             \
            }                                                         \
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
#if TAPS > 160 * VEC_N
#error "more taps than are unrolled"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g)
{
    local vec16 tile[TILE_ROOM];
    const uint item = get_local_id(0);
    uint slot;
    const struct phase s = find_phase(x, out, &g, false, &slot);
    long first = (long)slot * (TILE * TILES) - s.skew;

    OPERAND v[LOADS * VEC_N];
    struct inputs in = find_inputs(&s, &g, first, INPUT_VECS * VEC_N);
    load_ahead(v, &in, item);
    #pragma unroll 1
    for (int i = 0; i < TILES && first < s.outputs; i++, first += TILE) {
        if (in.method <= BY_ELEMENTS)
            put(tile, v, &in, item);
        else
            fill_tile(tile, INPUT_VECS, &in, before, &s, &g, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i + 1 < TILES) {
            in = find_inputs(&s, &g, first + TILE, INPUT_VECS * VEC_N);
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
        write_sums(&s, tile, sums, g.shift, first, item);
        if (TILES > 1)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
}
