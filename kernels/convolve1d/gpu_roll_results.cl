// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_roll: what a group takes, and how its results get out where neighbouring
// outputs of a lane are contiguous, unlike those of neighbouring lanes: columns that become
// rows. gpu_roll.cl sums them.
//
// Macros   those of gpu_lane_words.cl; AHEAD is a multiple of STEP
//          WORDS    COLUMNS, where WG is a multiple of it
//          ACROSS   1: outputs of a lane are contiguous, unlike lanes. Results go back through
//                   local memory, and neighbouring items write neighbouring outputs, narrow
//                   ones as words
//
// Defines COLUMNS, SEGMENTS, OUTPUTS, TILE; with ACROSS struct results, find_results(),
//         put_results(), write_each(), perhaps write_words()

#if !defined(WORDS) || !defined(ACROSS)
#error "WORDS and ACROSS must be defined"
#endif
#if AHEAD % STEP || WORDS < 1
#error "AHEAD must be a multiple of STEP, WORDS at least 1"
#endif

#define COLUMNS  SIDE_BY_SIDE(WG, WORDS)
#define SEGMENTS (WG / COLUMNS)
#define OUTPUTS  (AHEAD / STEP)      // of an item
#define TILE     (OUTPUTS * SEGMENTS) // outputs of a lane

#if ACROSS
// The results of a tile, lane by lane, in the memory of its lines. They fit: a result is no longer
// than an operand. Narrow ones lie in words, PART in each. PITCH, of words or of longer results, is
// odd, so that lanes lie in different banks.
#define LANES (COLUMNS * WORD_LANES)
#define PART      (OUT_BYTES < 4 ? 4 / OUT_BYTES : 1)
#define PITCH     ((TILE + PART - 1) / PART | 1)
#define HAS_WORDS (OUT_BYTES < 4 && TILE % PART == 0)
#define LANE_WORDS (TILE / PART)

// Where the lanes' outputs are, and how many. A place behind the words has no lanes: NO_LANE.
#define NO_LANE LONG_MIN
struct results {
    long at[LANES];
    uint count[LANES];
};

static void find_results(local struct results *r, global OUT_T *out, const struct word *s,
                         const struct lane_arguments *m, int column)
{
    for (uint u = 0; u < WORD_LANES; u++) {
        r->at[column * WORD_LANES + u] =
            s->count ? (s->out - out) + u * m->out_lane : NO_LANE;
        r->count[column * WORD_LANES + u] = s->count - (s->count && u >= s->full);
    }
}

// Puts the results of an item's sums to those of its first lane, `first` behind the tile's first.
static void put_results(local uint *results, const SUM_T *sums, uint first, uint shift)
{
    #pragma unroll
    for (int u = 0; u < WORD_LANES; u++, results += PITCH * (OUT_BYTES / 8 + 1)) {
        int o = 0;
#if OUT_BYTES < 4 && OUTPUTS % PART == 0
        #pragma unroll
        for (; o + 4 <= OUTPUTS; o += 4) {
            const SUM_T own[] = { sums[o * WORD_LANES + u], sums[(o + 1) * WORD_LANES + u],
                                  sums[(o + 2) * WORD_LANES + u],
                                  sums[(o + 3) * WORD_LANES + u] };
            const out_vec v = pack(own, shift);
            local uint *to = results + (first + o) / PART;
#if OUT_BYTES == 1
            to[0] = v;
#else
            to[0] = v.x;
            to[1] = v.y;
#endif
        }
#endif
        #pragma unroll
        for (; o < OUTPUTS; o++) {
            const SUM_T sum = sums[o * WORD_LANES + u];
#if OUT_TYPE == F16
            vstore_half_rte(sum, first + o, (local half *)results);
#elif OUT_BYTES == 8
            vstore2(as_uint2(sum), first + o, results);
#else
            ((local OUT_T *)results)[first + o] = RESULT(sum, shift);
#endif
        }
    }
}

// Writes the results of a tile whose first output is i, neighbours by neighbouring items.
static void write_each(global OUT_T *out, local const uint *results,
                       local const struct results *r, long out_line, int i, uint item)
{
    for (uint e = item; e < LANES * TILE; e += WG) {
        const uint lane = e / TILE, o = e % TILE;
        if (i + o < r->count[lane])
            COPY(out, r->at[lane] + (long)(i + o) * out_line, results, lane * PITCH * PART + o);
    }
}

#if HAS_WORDS
// The same where lanes have all outputs of the tile, or none at all. A word of out has results
// of two words, which may lie the other way round; what is in front of `results` is read, too,
// but not written. The first word of a lane may be another's, too: it is left to the end, with
// the last.
static void write_words(global OUT_T *out, local const uint *results,
                        local const struct results *r, long out_line, int i, uint item)
{
    const bool is_back = out_line < 0;
    out += is_back ? -(long)(i + TILE - 1) : (long)i; // the lowest of lane 0, without its own place
    uint w = item % LANE_WORDS;
    #pragma unroll 1
    for (uint lane = item / LANE_WORDS; lane < LANES;) {
        const long at = r->at[lane];
        global OUT_T *to = out + at;
        const uint skew = (uint)(size_t)to / OUT_BYTES % PART;
        local const uint *pair = results + lane * PITCH;
        pair += is_back ? LANE_WORDS - 1 - (int)w : (int)w - (skew > 0);
        uint v = moved(pair[0], pair[1], (is_back ? skew : (0 - skew) % PART) * (8 * OUT_BYTES));
        if (is_back)
            v = OUT_BYTES == 1 ? as_uint(as_uchar4(v).wzyx) : rotate(v, 16u);
        if (at != NO_LANE && (w > 0 || skew == 0))
            ((global uint *)(to - skew))[w] = v;
        w += WG % LANE_WORDS;
        lane += WG / LANE_WORDS + (w >= LANE_WORDS);
        w -= w >= LANE_WORDS ? LANE_WORDS : 0;
    }
    for (uint e = item; e < LANES * PART; e += WG) {
        const uint lane = e / PART, u = e % PART;
        const long at = r->at[lane];
        global OUT_T *to = out + at;
        const uint skew = (uint)(size_t)to / OUT_BYTES % PART;
        const uint place = u + skew < PART ? u : TILE - PART + u;
        if (at != NO_LANE && skew)
            COPY(to, place, results, lane * PITCH * PART + (is_back ? TILE - 1 - place : place));
    }
}
#endif
#endif
