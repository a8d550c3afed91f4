// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: rows as a matrix that is convolved down its columns. gpu_walk and
// gpu_roll share this.
//
// Output i of a row, and outputs i + phases, i + 2 * phases ... of the same row, need inputs
// that lie `dilation` apart: they are a lane. Neighbouring lanes are channels, or phases of the
// dilation, or both (struct convolve_shape). They lie next to each other in memory:
//
//              lane  0   1   2   3   4 ...          WORD_LANES neighbouring lanes are a word,
//     line 0        x00 x01 x02 x03 x04             which an item takes at once: one lane, or
//     line 1        x10 x11 x12 x13 x14             four of up to 4 bytes
//     line 2        x20 x21 x22 x23 x24
//     ...                                           output j of a lane needs its lines
//                                                   j * STEP ... j * STEP + TAPS - 1
//
// A strip is up to `strip` neighbouring outputs of all lanes. Words are numbered one behind the
// other through a strip, then through the strips, so that no item is without work where lines
// are short. Wide lines are cut in blocks first: what neighbouring strips share stays in the
// cache. A band is all blocks of one row or, where phases of several channels do not lie next
// to each other, of one phase. Lines of phases lie between each other: `near` of them are
// numbered through before the next strip is.
//
// Where lines of outputs do not begin where sectors of memory do, RUN neighbouring words are a
// run. Runs overlap by OVERLAP words, which are a sector. Of each line a run writes RUN -
// OVERLAP words, from the first whole sector on, so that no sector is written in two parts:
//
//     RUN 8, OVERLAP 2   word    0 1 2 3 4 5 6 7 8 9 ...
//     run 0 computes             x x x x x x               and two in front of the line
//     run 1 computes                     x x x x x x x x
//     line 0 is written by       0 0 0 0|1 1 1 1 1 1|2     where sectors begin at even words
//     line 1 is written by       0 0 0 0 0|1 1 1 1 1 1|    where they begin at odd words
//
// Sums are taken in ORDER 1: an output adds its taps one after the other.
//
// Macros  those of gpu_lane_types.cl
//         TAPS         number of taps
//         STEP         lines between the first inputs of neighbouring outputs of a lane
//         RUN          words of a run, a power of two
//         OVERLAP      words by which runs overlap; 0: they do not
//         FETCH        1: the memory at the ends of lines of outputs is asked for first
//
// Defines struct word, find_word(), is_own(), own_taps_at()

#if !defined(TAPS) || !defined(STEP) || !defined(RUN) || !defined(OVERLAP) || !defined(FETCH)
#error "TAPS, STEP, RUN, OVERLAP and FETCH must be defined"
#endif
#if OVERLAP & (OVERLAP - 1) || RUN & (RUN - 1) || OVERLAP >= RUN || (OVERLAP && WORD_LANES > 1)
#error "RUN and OVERLAP must be powers of two, OVERLAP the lower one, for words of one lane"
#endif
#if TAPS < 1 || STEP < 1
#error "TAPS and STEP must be at least 1"
#endif

struct taps {
    TAP_T g[TAPS];
};

#define NO_EDGE LONG_MIN

// ---------------------------------------------------------------- where an item works
struct word {
    global const ELEM *x; // line 0 of the strip, lane `lane`
    global OUT_T *out;    // output 0 of the strip
    long j;               // the position of x in its row
    ulong row;            // the row; with channels 0
    uint lane;            // the first lane
    uint count;           // outputs of the first lane in this strip; 0: no work
    uint full;            // lanes that have as many; the others have one less
    bool is_whole;        // the word is one aligned vector in memory
    bool is_inside;       // all lines of the strip are inside the row, as far as is known
    uint whole;           // outputs of the strip that are so
    long edge;            // FETCH: NO_EDGE, or how far the end of its line is from its first lane
    uint bits;            // MOVES: the bit of memory with which line 0 begins, modulo 32,
    uint line_bits;       // and bits from line to line
    uint in_run;          // OVERLAP: which word of its run,
    uint skip;            // words of the run in front of the first sector of output 0,
    uint turn;            // and more from output to output, modulo OVERLAP
};

// Whether its run writes a word of output i, and not a neighbour.
static bool is_own(const struct word *s, uint i)
{
#if OVERLAP
    return s->in_run - (s->skip + i * s->turn) % OVERLAP < RUN - OVERLAP;
#else
    return true;
#endif
}

// a / d, by 2^64 / d rounded down; *rest is what remains.
static ulong quotient(ulong a, uint d, ulong reciprocal, uint *rest)
{
    ulong q = mul_hi(a, reciprocal), r = a - q * d;
    q += r >= d;
    r -= r >= d ? d : 0;
    *rest = (uint)r;
    return q;
}

// Where the taps of lane u of a word begin, where rows have their own.
static ulong own_taps_at(const struct arguments *g, const struct lane_arguments *m,
                         const struct word *s, uint u)
{
    uint channel;
    quotient(s->lane + u, m->channels, m->channels_by, &channel);
    return g->tap_first + (s->row + channel) * g->tap_row;
}

// Finds word `id`. Its count is 0 where the matrix has no such word.
static struct word find_word(global const ELEM *x, global OUT_T *out, const struct arguments *g,
                             const struct lane_arguments *m, ulong id)
{
    struct word s;
    uint at, near, strip, block, channel;
    ulong band = quotient(id, m->width, m->width_by, &at);
    band = quotient(band, m->near, m->near_by, &near);
    band = quotient(band, m->strips, m->strips_by, &strip);
    band = quotient(band, m->blocks, m->blocks_by, &block);
    band = band * m->near + near;
    // The last word of a line begins so early that it is full. Where words begin at aligned
    // outputs, the first one begins later for the same reason. Lanes that they share with their
    // neighbours get the same results from both.
#if OVERLAP
    const long word = ((long)block * (m->width / RUN) + at / RUN) * (RUN - OVERLAP) +
                      (long)(at % RUN) - OVERLAP;
#else
    const long word = (long)block * m->width + at;
#endif
    long lane = word * WORD_LANES;
#if WORD_LANES > 1
    if (m->is_aligned) {
        const long distance = m->channels > 1 ? g->out_stride : g->out_row_stride; // of bands
        global const OUT_T *line = out + (g->out_first + (long)band * distance);
        lane -= (long)((size_t)line / OUT_BYTES % WORD_LANES);
    }
#endif
    s.lane = (uint)clamp(lane, 0L, (long)m->lanes - WORD_LANES);
    ulong phase = quotient(s.lane, m->channels, m->channels_by, &channel);
    phase += m->channels > 1 ? band : 0;
    s.row = m->channels > 1 ? 0 : band;
    const ulong row = s.row + channel, first = (ulong)strip * m->strip;
    const ulong outputs = m->outputs + (phase < m->longer);
    s.count = band < m->bands && lane < (long)m->lanes && lane > -WORD_LANES && outputs > first
                  ? (uint)min(outputs - first, (ulong)m->strip)
                  : 0;
    s.full = WORD_LANES;
    if (WORD_LANES > 1 && first + s.count > m->outputs) // the last output: not of every lane
        s.full = (uint)min((ulong)WORD_LANES, (m->longer - phase) * m->channels - channel);
    s.j = g->origin + (long)(phase * g->step) + (long)first * m->advance;
    s.x = x + (g->first + (long)row * g->row_stride + s.j * g->stride);
    s.out = out + (g->out_first + (long)row * g->out_row_stride +
                   (long)phase * g->out_stride + (long)first * m->out_line);
    s.is_inside = false;
#if FETCH
    const uint behind = channel + WORD_LANES >= m->channels ? WORD_LANES : 0;
    s.edge = channel == 0 || behind ? (long)behind * m->out_lane + (m->out_lane < 0) : NO_EDGE;
#endif
#if MOVES
    s.bits = 8 * (uint)(size_t)s.x;
    s.line_bits = 8 * BYTES * (uint)m->line;
#endif
#if OVERLAP
    // Sectors begin at elements whose number in memory is a multiple of OVERLAP.
    const size_t place = (size_t)(s.out + (lane - (long)s.lane) * m->out_lane);
    const uint number = (uint)(place / OUT_BYTES);
    s.in_run = at % RUN;
    s.skip = m->out_lane < 0 ? number + s.in_run + 1 : s.in_run - number;
    s.turn = m->out_lane < 0 ? (uint)m->out_line : 0 - (uint)m->out_line;
#endif
#if WORD_LANES == 1
    s.is_whole = TYPE != C32 || (size_t)s.x % sizeof(float2) == 0;
    s.whole = OUT_TYPE != C32 || (size_t)s.out % sizeof(float2) == 0 ? s.count : 0;
#else
    s.is_whole = !MOVES && m->line % WORD_LANES == 0 && (size_t)s.x % sizeof(in_vec) == 0;
    s.whole = m->out_lane == 1 && m->out_line % WORD_LANES == 0 &&
                      (size_t)s.out % sizeof(out_vec) == 0
                  ? s.count - (s.count && s.full < WORD_LANES)
                  : 0;
#endif
    return s;
}
