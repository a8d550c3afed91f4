// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_roll: tens to hundreds of taps down the columns of a matrix, on GPUs.
//
// A group takes COLUMNS neighbouring words of lanes (gpu_lanes.cl) and rolls down a strip of
// them. They are 128 bytes, and more where lanes are short or runs overlap. In local memory it
// has the lines of TILE outputs. Of its items COLUMNS are side by side; SEGMENTS of them below
// each other share a column. An item computes OUTPUTS outputs of its word: a line passes by once
// and goes into all the sums that need it.
//
//            word  0 1 2 ... 31                  lines of neighbouring segments overlap:
//     line 0       . . . ... .    KEEP lines
//     ...                                        segment 0   |----------|
//     line KEEP    . . . ... .    FRESH lines    segment 1       |----------|
//     ...                                        segment 2           |----------|
//
// After each TILE outputs the last KEEP lines move to the front, and FRESH lines follow, which
// were loaded while the sums were taken. The strip begins with as many tiles without outputs as
// it takes to fill the KEEP lines.
//
// Macros   those of gpu_roll_results.cl
//          OWN_TAPS  0: all rows have the same taps, an argument by value. 1: each row has
//                    its own. Words have one lane. A group has the taps of its columns in local
//                    memory, tap by tap. H200, driver 580.159.04, 2026-11-28, us by
//                    gpu_tap_chunks and so: i16, 108 taps, 11247 of 12220 columns 542, 442;
//                    f64, 83 taps, dilation 22, 2 channels 482, 375
// Barriers two per tile, reached by all items: all lines are there; all lines have been read.
//          With ACROSS two more: all results are there; all have been written. Two at the
//          beginning: the number of outputs is known
// Per output: TAPS ADDs. A group loads each line of the strip once, and TAPS - STEP lines more.
// An item reads OUTPUTS * STEP + TAPS - STEP words from local memory for OUTPUTS * TAPS ADDs of
// each lane.
// Local memory: KEEP + FRESH lines of COLUMNS words. With ACROSS two lines more, and 12
// bytes for each lane. With OWN_TAPS a tap of each column, TAPS times; an item reads each of
// its column once for a tile.

#define FRESH    (AHEAD * SEGMENTS)   // lines
#define KEEP     (TAPS > STEP ? TAPS - STEP : 0)
#define KEPT     ((KEEP + SEGMENTS - 1) / SEGMENTS) // of them an item's
#define ITEM_LINES ((OUTPUTS - 1) * STEP + TAPS)
#if ITEM_LINES > 256
#error "more lines than are unrolled"
#endif

#if !defined(OWN_TAPS) || (OWN_TAPS && WORD_LANES > 1)
#error "OWN_TAPS must be defined, and 0 where words have several lanes"
#endif
#if OWN_TAPS
#define TAP(k) own[(k) * COLUMNS + column]
#else
#define TAP(k) h.g[k]
#endif

// Adds line p of an item to the sums that need it.
#define LINE(p)                                                                           \
    if ((p) < ITEM_LINES) {                                                               \
        OPERAND e[WORD_LANES];                                                            \
        take_apart(e, from[(p) * COLUMNS]);                                               \
        _Pragma("unroll") for (int o = 0; o < OUTPUTS; o++)                               \
            if ((p) - o * STEP >= 0 && (p) - o * STEP < TAPS) {                           \
                SUM_T *sum = sums + o * WORD_LANES;                                       \
                const TAP_T tap = TAP((p) - o * STEP);                                    \
                _Pragma("unroll") for (int u = 0; u < WORD_LANES; u++)                    \
                    sum[u] = ADD(sum[u], tap, e[u]);                                      \
            }                                                                             \
    }
#define LINE_4(p)  LINE(p) LINE(p + 1) LINE(p + 2) LINE(p + 3)
#define LINE_16(p) LINE_4(p) LINE_4(p + 4) LINE_4(p + 8) LINE_4(p + 12)
#define LINE_64(p) LINE_16(p) LINE_16(p + 16) LINE_16(p + 32) LINE_16(p + 48)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                TAPS_PARAMETER, global OUT_T *restrict out, const struct arguments g,
                const struct lane_arguments m UPDATE_PARAMETERS)
{
    local OPERANDS_T tile[(KEEP + FRESH + 2 * ACROSS) * COLUMNS];
    local uint most, least; // outputs of a lane
    const int item = (int)get_local_id(0), column = item % COLUMNS, segment = item / COLUMNS;
    const struct word s =
        find_word(x, out, &g, &m, (ulong)get_group_id(0) * COLUMNS + (uint)column);
    const int need = s.count ? (int)(s.count - 1) * STEP + TAPS : 0;
#if OWN_TAPS // all items are behind a barrier before they read them
    local TAP_T own[TAPS * COLUMNS];
    const ulong own_at = s.count ? own_taps_at(&g, &m, &s, 0) : g.tap_first;
    for (int k = segment; k < TAPS; k += SEGMENTS)
        own[k * COLUMNS + column] = taps[own_at + (ulong)k];
#endif
#if ACROSS
    local struct results lanes;
    if (segment == 0)
        find_results(&lanes, out, &s, &m, column);
#endif
    // All items take the tiles that the longest column of the group has.
    if (item == 0) {
        most = 0;
        least = UINT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (segment == 0 && s.count) {
        atomic_max(&most, s.count);
        atomic_min(&least, s.count - (s.full < WORD_LANES));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int all = (int)most;

    // The first tile moves lines that were never loaded. No output needs them.
    for (int e = FRESH * COLUMNS + item; e < KEEP * COLUMNS; e += WG)
        tile[e] = operands(held(word_of(0), 0), 0);
    HELD_T ahead[AHEAD];
    int i = -(KEEP + FRESH - 1) / FRESH * TILE;
    load_lines(ahead, x, before, &g, &m, &s, i * STEP + KEEP + segment, SEGMENTS, need);
    #pragma unroll 1
    for (; i < all; i += TILE) {
        const int line = i * STEP + KEEP + segment;
        #pragma unroll
        for (int u = 0; u < AHEAD; u++)
            tile[(KEEP + u * SEGMENTS + segment) * COLUMNS + column] =
                operands(ahead[u], s.bits + (uint)(line + u * SEGMENTS) * s.line_bits);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int next = i + TILE;
        if (next < all)
            load_lines(ahead, x, before, &g, &m, &s, next * STEP + KEEP + segment, SEGMENTS,
                       need);
        const int first = i + segment * OUTPUTS, left = i >= 0 ? (int)s.count - first : 0;
        SUM_T sums[OUTPUTS * WORD_LANES];
        #pragma unroll
        for (int o = 0; o < OUTPUTS * WORD_LANES; o++)
            sums[o] = 0;
        if (left > 0) {
            local const OPERANDS_T *from = tile + segment * (OUTPUTS * STEP * COLUMNS) + column;
            LINE_64(0)
            LINE_64(64)
            LINE_64(128)
            LINE_64(192)
#if !ACROSS
            global OUT_T *to = s.out + first * m.out_line;
            #pragma unroll
            for (int o = 0; o < OUTPUTS; o++, to += m.out_line)
                if (o < left && is_own(&s, (uint)(first + o)))
                    store_sums(to, sums + o * WORD_LANES, &s, (uint)(first + o), g.shift);
#endif
        }
        OPERANDS_T kept[KEPT + 1];
        #pragma unroll
        for (int u = 0; u < KEPT; u++)
            if (u * SEGMENTS + segment < KEEP)
                kept[u] = tile[(FRESH + u * SEGMENTS + segment) * COLUMNS + column];
        barrier(CLK_LOCAL_MEM_FENCE);
#if ACROSS
        if (i >= 0) {
            // The word in front of the results is some word of the tile.
            local uint *results = (local uint *)tile + 1;
            put_results(results + column * WORD_LANES * PITCH * (OUT_BYTES / 8 + 1), sums,
                        segment * OUTPUTS, g.shift);
            barrier(CLK_LOCAL_MEM_FENCE);
#if HAS_WORDS
            if (i + TILE <= least)
                write_words(out, results, &lanes, m.out_line, i, (uint)item);
            else
#endif
                write_each(out, results, &lanes, m.out_line, i, (uint)item);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        #pragma unroll
        for (int u = 0; u < KEPT; u++)
            if (u * SEGMENTS + segment < KEEP)
                tile[(u * SEGMENTS + segment) * COLUMNS + column] = kept[u];
    }
    UPDATE_HISTORY(x, before, &g);
}
