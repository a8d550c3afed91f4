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

#if OVERLAP && WORD_LANES > 1
// Lanes of a run in front of the first whole sector of output i.
static uint before_sector(const struct word *s, uint i)
{
    return (s->skip + i * s->turn) % SECTOR_LANES;
}

#if IS_JOINED
// The vector of the next item of the warp, which has the next word of the run.
static out_vec of_next(out_vec v, uint here)
{
    out_vec r;
    asm volatile("shfl.sync.down.b32 %0, %2, 1, 31, %4; shfl.sync.down.b32 %1, %3, 1, 31, %4;"
                 : "=&r"(r.x), "=r"(r.y)
                 : "r"(v.x), "r"(v.y), "r"(here));
    return r;
}

// Stores a vector that begins in an item's word and ends in the next one's, if it is in a whole
// sector of the run.
static void store_in_run(global OUT_T *to, out_vec v, const struct word *s, uint i)
{
    const uint first = before_sector(s, i), skew = first % WORD_LANES;
    if (s->late > 0) // a line's last word, which begins earlier than its place
        v = moved_halves(v, v, s->late);
    v = moved_halves(v, of_next(v, s->here), skew);
    if (s->in_run - first / WORD_LANES >= RUN - OVERLAP)
        return;
    to += s->late + (int)skew;
    const int low = s->low - (int)skew;
    const int high = (i == s->last ? s->last_high : s->high) - (int)skew;
    if (low <= 0 && high >= WORD_LANES) {
        *(global out_vec *)to = v;
        return;
    }
    #pragma unroll
    for (int u = 0; u < WORD_LANES; u++)
        if (u >= low && u < high)
            COPY_LANE(to, v, u);
}
#else
// Stores those lanes of a word that are in its run's whole sectors.
static void store_in_run(global OUT_T *to, out_vec v, const struct word *s, uint i)
{
    const int place = (int)(s->in_run * WORD_LANES) - s->late - (int)before_sector(s, i);
    const int high = s->late + (i == s->last ? s->last_high : s->high);
    #pragma unroll
    for (int u = 0; u < WORD_LANES; u++)
        if (u < high && place + u >= 0 && place + u < (RUN - OVERLAP) * WORD_LANES)
            COPY_LANE(to, v, u);
}
#endif
#endif

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
#if OVERLAP
    store_in_run(to, v, s, i);
#else
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
#endif
}
