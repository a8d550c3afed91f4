// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_walk: a few taps, or more with a step, down the columns of a matrix, on GPUs.
//
// An item takes one word of lanes (gpu_lanes.cl) and walks down a strip. Each line goes into
// all the sums that need it, which are in registers:
//
//     line      0  1  2  3  4  5 ...      TAPS = 3, STEP = 1
//     sum 0     g0 g1 g2 -> output 0      output j is complete at line j * STEP + TAPS - 1
//     sum 1        g0 g1 g2 -> output 1
//     sum 2           g0 g1 g2 -> output 2
//
// Lines are loaded in batches of AHEAD, while those of BATCHES - 1 are under way: a ring in
// registers. The loop takes all BATCHES a turn, so that all indices are constants. Items share
// nothing. The TAPS - STEP lines that neighbouring strips share come from the cache: short
// strips run at the same time as their neighbours.
//
// Macros   those of gpu_lane_words.cl; AHEAD is a multiple of STEP
//          BATCHES   batches of lines in registers
//          OWN_TAPS  0: all rows have the same taps, an argument by value. Else each row has
//                    its own, and an item keeps those of so many rows in registers. 1: the
//                    lanes of a word are of one row. WORD_LANES: each is of another
// Barriers those of update.cl alone
// Per output: TAPS ADDs. Of a strip each line is loaded once: STEP elements per output, and
// (TAPS - STEP) / strip more from the cache, as are own taps, once a strip. No local memory.

#if !defined(BATCHES) || !defined(OWN_TAPS)
#error "BATCHES and OWN_TAPS must be defined"
#endif
#if OWN_TAPS != 0 && OWN_TAPS != 1 && OWN_TAPS != WORD_LANES
#error "OWN_TAPS must be 0, 1 or WORD_LANES"
#endif
#define LINES (BATCHES * AHEAD) // in registers
#if AHEAD % STEP || BATCHES < 2 || LINES > 16
#error "AHEAD must be a multiple of STEP, BATCHES at least 2, and lines 16 at most"
#endif

#define SUMS ((TAPS + STEP - 1) / STEP) // outputs that meet a line

// Tap k of lane u.
#if OWN_TAPS
#define TAP(k, u) own[(u) % OWN_TAPS].g[k]

// The taps of a row. Where they have the bytes of vectors they lie as such, and the alignment
// tells compilers to load them so.
#define ROW_BYTES (TAPS * sizeof(TAP_T))
struct tap_row {
    TAP_T g[TAPS];
} __attribute__((aligned(ROW_BYTES % 16 == 0 ? 16 : ROW_BYTES % 8 == 0 ? 8 : 4)));

static void load_taps(struct tap_row *own, global const TAP_T *taps, const struct arguments *g,
                      const struct lane_arguments *m, const struct word *s)
{
    #pragma unroll
    for (uint u = 0; u < OWN_TAPS; u++) {
        own[u] = *(global const struct tap_row *)(taps + own_taps_at(g, m, s, u));
    }
}
#else
#define TAP(k, u) h.g[k]
#endif

// Loads the batch that begins with line t of the strip, line r of a turn.
#define LOAD_BATCH(t, r)                                                                     \
    if ((t) < need)                                                                          \
        load_lines(lines + (r) % LINES, x, before, &g, &m, &s, (t), 1, need);

// Line r of a turn. `sums` begins with the sums of output i + SUMS - 1 and ends with those of
// output i, which is complete next.
#define LINE(r)                                                                              \
    if ((r) < LINES) {                                                                       \
        if ((r) % AHEAD == 0) {                                                              \
            if ((r) && t + (r) >= need)                                                      \
                break;                                                                       \
            LOAD_BATCH(t + (r) + LINES - AHEAD, (r) + LINES - AHEAD)                         \
        }                                                                                    \
        OPERAND e[WORD_LANES];                                                               \
        take_apart(e, operands(lines[r], bits));                                             \
        bits += s.line_bits;                                                                 \
        _Pragma("unroll") for (int k = (r) % STEP; k < TAPS; k += STEP)                      \
        {                                                                                    \
            SUM_T *sum = sums + k / STEP * WORD_LANES;                                       \
            _Pragma("unroll") for (int u = 0; u < WORD_LANES; u++)                           \
                sum[u] = ADD(k ? sum[u] : (SUM_T)0, TAP(k, u), e[u]);                        \
        }                                                                                    \
        if ((r) % STEP == (TAPS - 1) % STEP && (uint)i < s.count && is_own(&s, (uint)i))     \
        {                                                                                    \
            fetch_edge(to, &s);                                                              \
            store_sums(to, sums + (SUMS - 1) * WORD_LANES, &s, (uint)i, g.shift);            \
        }                                                                                    \
        if ((r) % STEP == STEP - 1) {                                                        \
            _Pragma("unroll") for (int o = SUMS * WORD_LANES - 1; o >= WORD_LANES; o--)      \
                sums[o] = sums[o - WORD_LANES];                                              \
            i++;                                                                             \
            to += m.out_line;                                                                \
        }                                                                                    \
    }
#define LINE_4(r)  LINE(r) LINE(r + 1) LINE(r + 2) LINE(r + 3)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                TAPS_PARAMETER, global OUT_T *restrict out, const struct arguments g,
                const struct lane_arguments m UPDATE_PARAMETERS)
{
    struct word s = find_word(x, out, &g, &m, (ulong)get_group_id(0) * WG + get_local_id(0));
    if (s.count) {
        const int need = (int)(s.count - 1) * STEP + TAPS;
        s.is_inside = is_strip_inside(&s, &m, &g, need);
        HELD_T lines[LINES];
        uint bits = s.bits; // of the line that is used next
        #pragma unroll
        for (int b = 0; b < LINES - AHEAD; b += AHEAD)
            LOAD_BATCH(b, b)
#if OWN_TAPS
        struct tap_row own[OWN_TAPS];
        load_taps(own, taps, &g, &m, &s);
#endif
        SUM_T sums[SUMS * WORD_LANES];
        #pragma unroll
        for (int o = 0; o < SUMS * WORD_LANES; o++)
            sums[o] = 0;
        int i = 1 - SUMS; // the output that is complete next; negative: there is none
        global OUT_T *to = s.out + i * m.out_line;
        #pragma unroll 1
        for (int t = 0; t < need; t += LINES) {
            LINE_4(0)
            LINE_4(4)
            LINE_4(8)
            LINE_4(12)
        }
    }
    UPDATE_HISTORY(x, before, &g);
}
