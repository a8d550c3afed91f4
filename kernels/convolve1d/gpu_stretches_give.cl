// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_stretches: how results get from registers to local memory and from there to
// the outputs. They lie in local memory as they do in memory, from the lowest on:
//
//     those of a group are contiguous   as one line, 16 bytes of which are a vector of memory
//     LINES                             each row for itself, words as words of memory
//
// A row begins anywhere in a word, so an item moves its words, and stores those bytes one by one
// that share a word with other items.
//
// Macros   those of gpu_vectors.cl
//          LINES     1: outputs of a row are contiguous, but not those of a group
//          TURNED    1: they lie from the last to the first
//          MIRRORED  1: those of a group are contiguous, and its last row is the lowest
//          PADDED    1: behind the length of a row are STRETCH_PAD bytes that nothing uses: rows
//                    that are multiples of 32 bytes would lie in few banks

#if !defined(LINES) || !defined(TURNED) || !defined(MIRRORED) || !defined(PADDED)
#error "a macro of gpu_stretches_give.cl is not defined: its head lists them"
#endif

#define RESULT_WORDS (ITEM_OUTPUTS * OUT_BYTES / 4)

// Where the results of a row lie in local memory, in bytes: the lowest one, and the end of its
// length, behind which there is a pad.
struct row_place {
    uint at, end;
};

#if PADDED
#define SPOT(at, end) ((at) + ((at) >= (end) ? STRETCH_PAD : 0))
#else
#define SPOT(at, end) (at)
#endif

// The lowest in memory of the outputs of the group's first row, or with !LINES of the group.
static global OUT_T *lowest_result(global OUT_T *out, const struct arguments *g, ulong row,
                                   uint rows)
{
    return out + (g->out_first + (long)(row + (MIRRORED ? rows - 1 : 0)) * g->out_row_stride -
                  (TURNED ? (long)g->outputs - 1 : 0));
}

static struct row_place place_of_row(global OUT_T *lowest, const struct arguments *g,
                                     const struct stretch_arguments *t, uint rows, uint line)
{
    struct row_place p;
#if LINES
    const uint low = (uint)(size_t)(lowest + (long)line * g->out_row_stride) % 4;
    p.at = line * t->out_pitch + low;
#else
    const uint rank = MIRRORED ? rows - 1 - line : line;
    p.at = rank * t->out_pitch + (uint)(size_t)lowest % 16;
#endif
    p.end = p.at - (LINES ? 0 : (uint)(size_t)lowest % 16) + (uint)g->outputs * OUT_BYTES;
    return p;
}

// 32 of the 64 bits high:low, moved up by `shift` below 32: the upper word.
static uint raised(uint low, uint high, uint shift)
{
#if PTX
    uint r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));
    return r;
#else
    return (uint)(((ulong)high << 32 | low) << shift >> 32);
#endif
}

// Stores result words of which the first begins at byte `at`.
__attribute__((always_inline))
static inline void put_words(local uchar *results, uint at, uint end, const uint *w)
{
    const uint late = at % 4, first = at - late, up = 8 * late;
    #pragma unroll
    for (uint i = 1; i < RESULT_WORDS; i++)
        *(local uint *)(results + SPOT(first + 4 * i, end)) = raised(w[i - 1], w[i], up);
    local uchar *head = results + SPOT(first, end);
    if (late == 0) {
        *(local uint *)head = w[0];
        return;
    }
#if OUT_BYTES < 4
    const uint begin = w[0] << up, rest = raised(w[RESULT_WORDS - 1], 0, up);
    local uchar *tail = results + SPOT(first + 4 * RESULT_WORDS, end);
    #pragma unroll
    for (uint k = 0; k < 4; k += OUT_BYTES)
        if (k >= late)
            *(local BITS *)(head + k) = (BITS)(begin >> 8 * k);
    #pragma unroll
    for (uint k = 0; k < 4; k += OUT_BYTES)
        if (k < late)
            *(local BITS *)(tail + k) = (BITS)(rest >> 8 * k);
#endif
}

// Puts the results of a stretch, which begins with output `own` of the row, into local memory.
__attribute__((always_inline))
static inline void keep_results(local uchar *results, const struct row_place *to,
                                const SUM_T *sums, uint own, uint outputs, uint shift)
{
    uint w[RESULT_WORDS]; // the lowest in memory first
    #pragma unroll
    for (int i = 0; i < ITEM_OUTPUTS / VEC_N; i++) {
        SUM_T s[VEC_N];
        #pragma unroll
        for (int u = 0; u < VEC_N; u++)
            s[u] = sums[TURNED ? ITEM_OUTPUTS - 1 - (i * VEC_N + u) : i * VEC_N + u];
        const out_vec four = pack(s, shift);
#if OUT_BYTES == 1
        w[i] = four;
#elif OUT_BYTES == 2
        w[2 * i] = four.x;
        w[2 * i + 1] = four.y;
#else
        w[4 * i] = four.x;
        w[4 * i + 1] = four.y;
        w[4 * i + 2] = four.z;
        w[4 * i + 3] = four.w;
#endif
    }
    if (own + ITEM_OUTPUTS <= outputs) {
        const uint low = TURNED ? outputs - own - ITEM_OUTPUTS : own;
        put_words(results, to->at + low * OUT_BYTES, to->end, w);
        return;
    }
    #pragma unroll
    for (uint o = 0; o < ITEM_OUTPUTS; o++)
        if (own + o < outputs) {
            const uint at = to->at + (TURNED ? outputs - 1 - own - o : own + o) * OUT_BYTES;
            const uint byte = (TURNED ? ITEM_OUTPUTS - 1 - o : o) * OUT_BYTES;
            *(local BITS *)(results + SPOT(at, to->end)) = (BITS)(w[byte / 4] >> byte % 4 * 8);
        }
}

// Writes the results of a group. Neighbouring items write neighbours.
static void give_results(global OUT_T *lowest, local const uchar *results,
                         const struct arguments *g, const struct stretch_arguments *t,
                         uint rows, uint item)
{
    const uint bytes = (uint)g->outputs * OUT_BYTES;
#if LINES
#if PTX
    #pragma unroll 4
#endif
    for (uint u = item; u < rows * t->units; u += WG) {
        const uint line = mul_hi(u, t->by_units), at = (u - line * t->units) * 4;
        global uchar *p = (global uchar *)(lowest + (long)line * g->out_row_stride);
        const uint skew = (uint)(size_t)p % 4, end = skew + bytes;
        global uchar *to = p - skew + at;
        local const uchar *from = results + (line * t->out_pitch + at);
        if (at >= skew && at + 4 <= end)
            *(global uint *)to = *(local const uint *)from;
        else
            #pragma unroll
            for (uint k = 0; k < 4; k += OUT_BYTES)
                if (at + k >= skew && at + k < end)
                    *(global BITS *)(to + k) = *(local const BITS *)(from + k);
    }
#else
    const uint skew = (uint)(size_t)lowest % 16, end = skew + rows * bytes;
    const uint low = skew ? 1 : 0, high = end / 16; // full vectors
    global uchar *to = (global uchar *)lowest - skew;
#if PADDED
#define VECTOR_SPOT(i) ((i) + mul_hi((i), t->by_units) * (STRETCH_PAD / 16))
#else
#define VECTOR_SPOT(i) (i)
#endif
#if PTX
    #pragma unroll 4
#endif
    for (uint i = low + item; i < high; i += WG)
        ((global uint4 *)to)[i] = ((local const uint4 *)results)[VECTOR_SPOT(i)];
    // What is left at both ends: fewer bytes than two vectors have.
    for (uint k = item * OUT_BYTES; k < 32; k += WG * OUT_BYTES) {
        const uint at = k < 16 ? k : max(high, low) * 16 + k - 16;
        if (at >= skew && at < (k < 16 ? min(low * 16, end) : end))
            *(global BITS *)(to + at) =
                *(local const BITS *)(results + VECTOR_SPOT(at / 16) * 16 + at % 16);
    }
#endif
}
