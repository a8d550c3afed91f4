// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_narrow: elements of 8 or 16 bits, contiguous, in long rows, on GPUs.
//
// Each item computes ITEM_OUTPUTS neighbouring outputs from the vectors of 16 bytes that hold
// their inputs. Vectors of outputs begin at aligned addresses. Inputs begin anywhere in a
// vector, at the same place for all items of a row. So each item moves its words by as much:
//
//     loaded   | . . . 0  1 2 3 4 | 5 6 7 8  9 a . . |   LOADS vectors
//     words    | 0 1 2 3  4 5 6 7 | 8 9 a .              WORDS words: input 0 begins word 0
//     out      | 0 1 2 3  4 5 6 7 |
//
// Items share nothing: what their neighbours load, too, comes from the cache. A group takes
// g.share tiles one after the other. Items load the next tile's vectors before they compute
// this one's sums. An item whose vectors reach beyond the ends of the row makes them of
// elements that fetch() returns.
//
// Macros   those of gpu_narrow_sums.cl. ITEM_OUTPUTS are whole vectors of 16 bytes in x and in
//          out
// Barriers those of the items of a warp, and of update.cl
// Per output: TAPS ADDs, or a quarter as many dot products. Elements are read and written once;
// an item loads LOADS vectors.

#if OUT_BYTES > 4
#error "results are too large"
#endif
#if ITEM_OUTPUTS * BYTES % 16 || ITEM_OUTPUTS * OUT_BYTES % 16
#error "an item must have whole vectors"
#endif

#define OUT_WORDS (ITEM_OUTPUTS * OUT_BYTES / 4)
#define TILE      (WG * ITEM_OUTPUTS)
#define LOADS     ((INPUTS * BYTES + 16 - BYTES + 15) / 16) // vectors
#define LOADED    (LOADS * 16 / BYTES)                      // elements

struct taps {
    TAP_T g[TAPS];
};

// ---------------------------------------------------------------- words
static uint4 load16(global const uint4 *p, int i)
{
#if PTX
    uint4 v;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p + i));
    return v;
#else
    return p[i];
#endif
}

// The bits of an element that fetch() returned.
static uint bits_of(OPERAND x)
{
#if TYPE == F16
    return two_halves(x, 0);
#else
    return (uint)(int)x & (BYTES == 1 ? 0xffu : 0xffffu);
#endif
}

// Loads the vectors from element j of the row on, which is the first one of a vector.
static void load_words(uint *loaded, const struct row *s, global const ELEM *before,
                       const struct arguments *g, long j)
{
    if (j >= 0 && j + LOADED <= s->n) {
        global const uint4 *p = (global const uint4 *)(s->x + j);
        #pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const uint4 v = load16(p, i);
            loaded[4 * i] = v.x, loaded[4 * i + 1] = v.y;
            loaded[4 * i + 2] = v.z, loaded[4 * i + 3] = v.w;
        }
        return;
    }
    // Each word comes in at the end. So `loaded` stays in registers: no index of it is known at
    // run time only.
    #pragma unroll 1
    for (int i = 0; i < 4 * LOADS; i++) {
        uint word = 0;
        #pragma unroll 1
        for (int u = 0; u < PER_WORD; u++, j++)
            word |= bits_of(fetch_flat(s, before, g, j)) << u * 8 * BYTES;
        #pragma unroll
        for (int k = 0; k + 1 < 4 * LOADS; k++)
            loaded[k] = loaded[k + 1];
        loaded[4 * LOADS - 1] = word;
    }
}

// Moves the words so that byte `at` of the loaded ones, below 16, begins word 0.
#define MOVE(words, loaded, first, bits)                                                      \
    _Pragma("unroll") for (int i = 0; i < WORDS; i++)                                         \
        (words)[i] = moved((loaded)[i + (first) < 4 * LOADS ? i + (first) : 0],               \
                           (loaded)[i + (first) + 1 < 4 * LOADS ? i + (first) + 1 : 0], bits);
static void move_words(uint *words, const uint *loaded, uint at)
{
    const uint bits = at % 4 * 8;
    switch (at / 4) {
    case 0: MOVE(words, loaded, 0, bits) break;
    case 1: MOVE(words, loaded, 1, bits) break;
    case 2: MOVE(words, loaded, 2, bits) break;
    default: MOVE(words, loaded, 3, bits)
    }
}

// ---------------------------------------------------------------- outputs
// Four results.
static void put_four(uint *words, out_vec v)
{
#if OUT_BYTES == 1
    words[0] = v;
#else
    words[0] = v.x, words[1] = v.y;
#if OUT_BYTES == 4
    words[2] = v.z, words[3] = v.w;
#endif
#endif
}

// Some dot products for an output leave time to move the vectors of a warp through local memory,
// so that neighbouring items write neighbouring vectors. H200, 2026-11-22, u8 to u8, shares of a
// copy without and with that: 3 taps 0.92, 0.87; 9 taps 0.825, 0.86; 9 taps of stereo 0.87, 0.90;
// 33 taps 0.75, 0.71; f32 taps, 9 of them, 0.75, 0.73.
#define OUT_VECS (OUT_WORDS / 4) // of an item
#define WARP     32
#if PTX && DOT && DOTS >= 3 && DOTS <= 5 && OUT_VECS > 1 && WG % WARP == 0
#define BY_WARPS 1
// Where vector q of an item lies: 8 items that write at once meet all banks.
#define OWN_PLACE(lane, q) ((lane) * OUT_VECS + ((q) ^ (lane) / (8 / OUT_VECS) % OUT_VECS))
#define WARP_BARRIER       asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
// A warp's vectors from output i on, the warp's first one. All its items take part.
static void write_warp(const struct row *s, long i, const uint *words, local uint4 *room)
{
    const uint lane = get_local_id(0) % WARP;
    room += get_local_id(0) / WARP * (WARP * OUT_VECS);
    global uint4 *p = (global uint4 *)(s->out + i) + lane;
    WARP_BARRIER;
    #pragma unroll
    for (uint q = 0; q < OUT_VECS; q++)
        room[OWN_PLACE(lane, q)] =
            (uint4)(words[4 * q], words[4 * q + 1], words[4 * q + 2], words[4 * q + 3]);
    WARP_BARRIER;
    #pragma unroll
    for (uint q = 0; q < OUT_VECS; q++) {
        const uint place = lane + q * WARP, owner = place / OUT_VECS;
        p[q * WARP] = room[OWN_PLACE(owner, place % OUT_VECS)];
    }
}
#else
#define BY_WARPS 0
#endif

// Writes the item's outputs from output i on, as far as there are such.
static void write_words(const struct row *s, long outputs, long i, uint *words)
{
    if (i >= 0 && i + ITEM_OUTPUTS <= outputs) {
        global uint4 *p = (global uint4 *)(s->out + i);
        #pragma unroll
        for (int q = 0; q < OUT_WORDS / 4; q++)
            p[q] = (uint4)(words[4 * q], words[4 * q + 1], words[4 * q + 2], words[4 * q + 3]);
        return;
    }
    #pragma unroll 1
    for (int q = 0; q < OUT_WORDS; q++) {
        for (int u = 0; u < 32; u += 8 * OUT_BYTES, i++)
            if (i >= 0 && i < outputs)
                ((global BITS *)s->out)[i] = (BITS)(words[0] >> u);
        #pragma unroll
        for (int k = 0; k + 1 < OUT_WORDS; k++)
            words[k] = words[k + 1];
    }
}

// ---------------------------------------------------------------- the kernel
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g,
                const struct narrow_arguments own UPDATE_PARAMETERS)
{
#if BY_WARPS
    local uint4 room[WG * OUT_VECS];
#endif
    uint slot;
    const struct row s = find_row(x, out, &g, WIDTH == 1 ? 1 : own.channels, &slot);
    const long outputs = s.outputs;
    const uint tiles = (uint)g.share, skew = (uint)(size_t)s.out % 16 / OUT_BYTES;
    long i = (long)slot * tiles * TILE + get_local_id(0) * ITEM_OUTPUTS - skew;
    // Where in a vector the inputs begin, in bytes.
    const uint at = (uint)(size_t)(s.x + (s.origin + i)) % 16;
    const long ahead = s.origin - (long)(at / BYTES);

#if DOT
    const uint *taps = own.taps;
#else
    const TAP_T *taps = h.g;
#endif
    uint loaded[4 * LOADS], words[WORDS];
    if (i < outputs)
        load_words(loaded, &s, before, &g, i + ahead);
    #pragma unroll 1
    for (uint t = 0; t < tiles && i < outputs; t++) {
        move_words(words, loaded, at);
        const long next = i + TILE;
        if (t + 1 < tiles && next < outputs)
            load_words(loaded, &s, before, &g, next + ahead);
        sum sums[ITEM_OUTPUTS];
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = ZERO_SUM;
        ADD_WORDS_16(sums, words, taps, 0)
        ADD_WORDS_16(sums, words, taps, 16)
        ADD_WORDS_16(sums, words, taps, 32)
        ADD_WORDS_16(sums, words, taps, 48)
        ADD_WORDS_16(sums, words, taps, 64)
        uint packed[OUT_WORDS];
        #pragma unroll
        for (int q = 0; q < ITEM_OUTPUTS / 4; q++)
            put_four(packed + q * OUT_BYTES, pack_four(sums + 4 * q, g.shift));
#if BY_WARPS
        const long first = i - (long)(get_local_id(0) % WARP) * ITEM_OUTPUTS;
        if (first >= 0 && first + WARP * ITEM_OUTPUTS <= outputs)
            write_warp(&s, first, packed, room);
        else
#endif
        write_words(&s, outputs, i, packed);
        i = next;
    }
    UPDATE_HISTORY(x, before, &g);
}
