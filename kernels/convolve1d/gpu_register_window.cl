// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_register_window: some tens to hundreds of taps, on GPUs.
//
// Each item computes R contiguous outputs. The inputs pass by once, a word at a time, and each
// goes into all the sums that need it: its work is R ADDs for every element read.
//
//     tile   w0 w1 w2 w3 w4 w5 w6 ...    words in local memory, read by whole groups
//     item 0 |---------- - - ->          R / VEC words for its own outputs, and those of the taps
//     item 1          |---------- - ->   R / VEC is odd: items' words lie in different banks
//
// Taps are the kernel's argument, so that an ADD finds its tap without a load of its own. All is
// unrolled by the preprocessor: compilers give up on loops as long as this one.
//
// The sums go back through local memory, so that neighbouring items write neighbouring words.
// With TILES > 1 a group does as many tiles one after the other, and asks for the inputs of the
// next before it computes.
//
// Macros   SHAPE  K taps; times 8192: TILES (see convolve1d/gpu_tile.cl)
// Barriers four per tile, reached by all: filled, read, sums there, sums gone (for the next).
// Local memory: one tile of inputs or of outputs.

#define K     (SHAPE % 512)
#define TILES (SHAPE / 8192)
#if K < 1 || TILES < 1
#error "SHAPE names no taps or no tiles"
#endif

#define PASSING  ((R + K - 1 + VEC - 1) / VEC) // words that an item needs
#define IN_WORDS ((WG - 1) * ITS_WORDS + PASSING)
#define AHEAD    ((IN_WORDS + WG - 1) / WG)    // words that an item loads

struct taps {
    H g[K];
};

// Of the i-th of what an item takes out of n: whether it is there.
#define HAS(i, n, item) (((i) + 1) * WG <= (n) || (i) * WG + (item) < (n))

// This item's part of a tile, where inputs lie side by side.
static void load_ahead(W *v, const struct inputs *in, uint item)
{
    if (in->way == BY_WORDS) {
        global const raw_in *p = (global const raw_in *)in->x + item;
        #pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (HAS(i, IN_WORDS, item)) {
                const word t = unpack(load_word(p, i * WG));
                #pragma unroll
                for (int u = 0; u < VEC; u++)
                    v[i * VEC + u] = PART(t, u);
            }
    } else if (in->way == BY_ELEMENTS) {
        global const T *p = in->x + item;
        #pragma unroll
        for (int i = 0; i < AHEAD * VEC; i++)
            if (HAS(i, IN_WORDS * VEC, item))
                v[i] = (W)LOAD(p, i * WG);
    }
}

static void put(local word *tile, const W *v, const struct inputs *in, uint item)
{
    if (in->way == BY_WORDS) {
        #pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (HAS(i, IN_WORDS, item))
                tile[i * WG + item] = JOIN(v + i * VEC);
    } else {
        local W *to = (local W *)tile;
        #pragma unroll
        for (int i = 0; i < AHEAD * VEC; i++)
            if (HAS(i, IN_WORDS * VEC, item))
                to[i * WG + item] = v[i];
    }
}

// VEC taps, from VEC * b on, and the last word that they need.
#define TAPS(b)                                                       \
    if ((b) * VEC < K) {                                              \
        if ((b) + ITS_WORDS < PASSING)                                \
            TAKE((b) + ITS_WORDS)                                     \
        _Pragma("unroll") for (int u = 0; u < VEC; u++)               \
            if ((b) * VEC + u < K) {                                  \
                const H tap = h.g[(b) * VEC + u];                     \
                ADD_ALL(tap, (b) * VEC + u)                           \
            }                                                         \
    }
#define TAPS_4(b)  TAPS(b) TAPS(b + 1) TAPS(b + 2) TAPS(b + 3)
#define TAPS_16(b) TAPS_4(b) TAPS_4(b + 4) TAPS_4(b + 8) TAPS_4(b + 12)
#define TAPS_64(b) TAPS_16(b) TAPS_16(b + 16) TAPS_16(b + 32) TAPS_16(b + 48)
#if K > 160 * VEC
#error "more taps than are unrolled"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const T *restrict x, global const T *restrict before,
                const struct taps h, global U *restrict out, const struct arguments g)
{
    local word tile[TILE_ROOM];
    const uint item = get_local_id(0);
    uint slot;
    const struct strand s = find_strand(x, out, &g, false, &slot);
    long first = (long)slot * (TILE * TILES) - s.skew;

    W v[AHEAD * VEC];
    struct inputs in = find_inputs(&s, &g, first, IN_WORDS * VEC);
    load_ahead(v, &in, item);
    #pragma unroll 1
    for (int i = 0; i < TILES && first < s.outputs; i++, first += TILE) {
        if (in.way <= BY_ELEMENTS)
            put(tile, v, &in, item);
        else
            fill_tile(tile, IN_WORDS, &in, before, &s, &g, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i + 1 < TILES) {
            in = find_inputs(&s, &g, first + TILE, IN_WORDS * VEC);
            load_ahead(v, &in, item);
        }
        S sums[R];
        #pragma unroll
        for (int j = 0; j < R; j++)
            sums[j] = 0;
        local const word *w = tile + item * ITS_WORDS;
        W window[RING];
        #pragma unroll
        for (int b = 0; b < ITS_WORDS; b++)
            TAKE(b)
        TAPS_64(0)
        TAPS_64(64)
        TAPS_16(128)
        TAPS_16(144)
        write_sums(&s, tile, sums, g.shift, first, item);
        if (TILES > 1)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
}
