// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: stores the sums of words of lanes. Follows gpu_lanes.cl; gpu_walk and
// gpu_roll share both.
//
// Macros  those of gpu_lanes.cl
//
// Defines store_sums()

#if WORD_LANES > 1
// Lane u of a vector of results. By a pointer to the vector, NVIDIA's compiler would take it to
// pieces for good, and put them together by seven instructions where it is stored as a whole.
#if OUT_BYTES == 8
#define COPY_LANE(to, v, u) (((global ulong *)(to))[u] = ELEMENT(v, u))
#elif OUT_BYTES == 4
#define COPY_LANE(to, v, u) (((global uint *)(to))[u] = ELEMENT(v, u))
#elif OUT_BYTES == 2
#define COPY_LANE(to, v, u) \
    (((global ushort *)(to))[u] = (ushort)(((u) < 2 ? (v).x : (v).y) >> (u) % 2 * 16))
#else
#define COPY_LANE(to, v, u) (((global uchar *)(to))[u] = (uchar)((v) >> (u) * 8))
#endif

// Stores all lanes of a vector, which begins at any element.
static void store_apart(global OUT_T *to, out_vec v)
{
#if OUT_BYTES <= 2
    // Two halves, or one in the middle and what is beside it.
#if OUT_BYTES == 1
    const ushort half_words[] = { (ushort)v, (ushort)(v >> 16), (ushort)(v >> 8) };
    typedef ushort half_t;
#else
    const uint half_words[] = { v.x, v.y, v.x >> 16 | v.y << 16 };
    typedef uint half_t;
#endif
    if ((size_t)to % (2 * OUT_BYTES) == 0) {
        ((global half_t *)to)[0] = half_words[0];
        ((global half_t *)to)[1] = half_words[1];
    } else {
        COPY_LANE(to, v, 0);
        *(global half_t *)(to + 1) = half_words[2];
        COPY_LANE(to, v, 3);
    }
#else
    #pragma unroll
    for (uint u = 0; u < WORD_LANES; u++)
        COPY_LANE(to, v, u);
#endif
}
#endif

// Asks for the memory at the end of a line of outputs, as gpu_fetch.cl says. `to`: the word's first
// lane there.
static void fetch_edge(global OUT_T *to, const struct word *s)
{
#if FETCH
    if (s->edge != NO_EDGE)
        prefetch_end(to + s->edge);
#endif
}

// Stores the sums of a word's lanes, output i of the strip.
static void store_sums(global OUT_T *to, const SUM_T *sums, const struct word *s, uint i,
                       uint shift)
{
#if WORD_LANES == 1 && OUT_TYPE == C32
    if (i < s->whole)
        *to = sums[0];
    else
        STORE(to, 0, sums[0], shift);
#elif WORD_LANES == 1
    STORE(to, 0, sums[0], shift);
#else
    const out_vec v = pack(sums, shift);
    if (i < s->whole) {
        *(global out_vec *)to = v;
        return;
    }
    if (i + 1 < s->count || s->full == WORD_LANES) {
        store_apart(to, v);
        return;
    }
    #pragma unroll
    for (uint u = 0; u < WORD_LANES; u++)
        if (u < s->full)
            COPY_LANE(to, v, u);
#endif
}
