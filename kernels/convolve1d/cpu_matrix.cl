// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, cpu_matrix: CPU devices; any strides, dilation and rows.
//
// An item is a group. It takes its share of tiles, one by one. A tile of outputs is `lines`
// lines of `pitch` lanes. For each span of taps the inputs of the tile are put into a buffer in
// the same form, boundaries resolved and converted to CALC_T. Then a tap stands at one distance
// from all its outputs, and vectors of outputs run through the tile as if it were one row:
//
//     buffer, pitch 4       outputs (3 lines)     tap k of output e is buffer[e + places[k]]
//     a0 b0 c0 d0           0 1 2 3
//     a1 b1 c1 d1           4 5 6 7
//     a2 b2 c2 d2           8 9 . .
//     a3 b3 c3 d3
//
// What a lane is the host decides (src/convolve1d/cpu_matrix.c):
//
//     lanes                    line         for
//     neighbouring channels    a position   columns of matrices
//     neighbouring rows        a position   short rows beside the reach of the taps, if their
//                                           inputs do not lie apart
//     one                      a position   other short rows, one behind the other, each with
//                                           the inputs beyond its ends (cpu_padded.cl)
//     neighbouring positions   `fold`, the dilation, positions further on than the one before
//     the channels of a row    a position   few channels, or none, and small dilations; taps
//                                           are `spread` lines apart
//
// Channels with taps of their own have a vector of taps for each vector of lanes. Few such
// channels have lanes up to a power of two.
//
// The lines of outputs of short rows read the same few lines of inputs, most taps beyond the
// ends. So where all inputs of a row have room, each has one line, and so has each constant. A
// table of `places` says which line stands for an input. A line has OUTPUTS lanes then. Where the
// taps reach too far for a table of all inputs, each span of taps has one: a line of places for
// each output.
//
//     rows of 2, reflected   buffer   a0 b0 c0 d0    table   X(-3) X(-2) X(-1) X(0) X(1) ...
//                                     a1 b1 c1 d1    line      1     1     0     0    1
//
// With a step, the lines that taps k, k + step, k + 2 step ... meet are a phase of the buffer:
//
//     step 3         | 0 3 6 ... | 1 4 7 ... | 2 5 8 ... |    lines of inputs
//     tap k          reads phase k % step from place k / step on
//
// Macros  those of cpu_matrix_sums.cl, whose functions add the taps
// Per vector of outputs: an fma for each tap; a load for each tap, or for one in WINDOW; a store
// and a load of the sums for each span. Each input is read, converted and stored
// (lines + taps / step) / lines times for each span. No local memory, no barrier.

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct matrix_arguments m)
{
    CALC_T buffer[INPUTS_ROOM * COMPONENTS] __attribute__((aligned(CACHE_LINE)));
    CALC_T sums[SUMS_ROOM * COMPONENTS] __attribute__((aligned(CACHE_LINE)));
    ushort places[MATRIX_PLACES]; // elements of the buffer are fewer than 2^16
#if MATRIX_INPUT_VECS * VEC_N >= 1 << 16
#error "places in the buffer need more bits"
#endif
#if MATRIX_SUM_VECS / TILE_VECS * SPAN > MATRIX_PLACES
#error "the places of a span need a larger table"
#endif
#if LANE_TAPS
    lane_tap lane_taps[SPAN * TAP_VECS];
    for (uint i = 0; i * sizeof(CALC_T) < sizeof(lane_taps); i++) // lanes without rows
        ((CALC_T *)lane_taps)[i] = 0;
#endif
    for (uint i = 0; i < INPUTS_ROOM * COMPONENTS; i++) // lanes without inputs
        buffer[i] = 0;
    const bool has_all = m.places <= MATRIX_PLACES;
    for (uint i = 0; has_all && i < m.places; i++)
        places[i] = (ushort)(line_of(&g, g.origin + i) * m.pitch * COMPONENTS);
    const ulong begin = get_group_id(0) * g.share, end = min(m.tiles, begin + g.share);
    ulong filled = ~0UL; // the rows that are in the buffer
    for (ulong i = begin; i < end; i++) {
        const struct tile t = find_tile(i, &g, &m);
        const struct source s =
            source_of((global const elem *)x, (global const elem *)before, &g, t.row);
        global const TAP_T *own = taps + (g.tap_first + t.row * g.tap_row);
        const uint all = t.lines * m.pitch;
        if (m.places && t.row != filled)
            fill_whole(buffer, &s, &g, &m, &t);
        filled = t.row;
        for (uint b = 0; b < g.taps; b += SPAN) {
            const uint count = min((uint)SPAN, g.taps - b);
            struct access from = { buffer, places, OUTPUTS * COMPONENTS, 0, 1 };
            if (m.places && has_all) {
                from.places += t.line * g.step + b * g.dilation;
                from.apart = 0;
                from.line = g.step;
                from.tap = g.dilation;
            } else if (m.places) {
                if (i == begin || g.taps > SPAN || m.line_tiles > 1)
                    fill_places(places, &g, &m, &t, b, count);
                from.apart = 0;
                from.line = count;
            } else {
                if (i == begin || g.taps > SPAN)
                    for (uint k = 0; k < count; k++)
                        places[k] = (ushort)((k % m.step * m.length + k / m.step * m.spread) *
                                             m.pitch * COMPONENTS);
                if (m.padded)
                    fill_padded(buffer, &s, &g, &m, t.channels, b, count);
                else
                    fill(buffer, &s, &g, &m, &t, b, count);
            }
#if LANE_TAPS
            fill_taps(lane_taps, own + b, g.tap_row, t.channels, m.pitch, count);
            const tap_source span = lane_taps;
#else
            const tap_source span = own + b;
#endif
            uint done = 0;
            if (!m.places && m.step == 1 && count > ORDER)
                done = add_residues(sums, buffer, m.spread * m.pitch, span, count, all, b == 0);
            from.buffer += done * COMPONENTS;
            if (done < all)
                add_taps(sums + done * COMPONENTS, from, span, count, all - done, b == 0);
        }
        write(sums, (global out_elem *)out, &g, &m, &t);
    }
}
