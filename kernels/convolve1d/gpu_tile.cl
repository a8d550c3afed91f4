// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tile: interleaved channels, dilation, output steps, and short rows, on GPUs.
//
// A row is a matrix of inputs, WIDTH wide, which is convolved down its columns
// (src/convolve1d/convolve1d.h). A group loads some lines of it into local memory as operands,
// boundaries resolved, or several short rows. Each item computes ITEM_OUTPUTS outputs of one
// column. It reads the inputs that they need once, and adds each to all sums that need it:
//
//     WIDTH 2, 3 taps, ITEM_OUTPUTS 3         STEP 2
//     line    0  1  2  3  4  5  6  7          line    0  1  2  3  4  5  6 ...
//     item 0  a  a  a  a  a                   item 0  a  a  a  a  a  a  a
//     item 1  b  b  b  b  b                   sums    |-----|
//     item 2           a  a  a  a  a                        |-----|
//     item 3           b  b  b  b  b                              |-----|
//
// Where that is little work, it does so in ITEM_ROWS rows, and keeps the sums of all of them.
// ITEM_OUTPUTS is odd, so that items read from different banks. With an even step, rows are
// padded: behind the lines of each line of outputs there is an unused one.
//
// The sums go back to local memory, so that neighbouring items write neighbouring vectors.
//
// Macros   those of gpu_vectors.cl and gpu_fetch.cl
//          TAPS          number of taps
//          ITEM_OUTPUTS  outputs of an item
//          STEP          lines of inputs between neighbouring lines of outputs
//          LANES         width of the lines of inputs and of outputs; 0: arguments say it
//          PADDED        1: rows are padded
//          GAPS          1: no output shares inputs, and only those that have outputs are there
//          SORTED        0, or the number of phases: inputs lie by phases, as gpu_tile_fill.cl
//                        says
//          INVERSE       of STEP modulo SORTED
//          ROWS          1: a group takes several rows
//          ITEM_ROWS     rows of an item: the next ones follow those of all items
//          ROW_LOADS     loads of an item that bring a group's rows, rounded up to a power of two,
//                        8 at most
//          MANY_ENDS     0: what stands beyond the ends of a group's rows is little, and code for
//                        more is not there
//          FILLER        1: most of what stands beyond the ends is the left constant, which is
//                        put everywhere first; 2: the right one; 0: it is not
//          OWN_TAPS      each row has taps of its own, which its items keep in registers (1), or
//                        read from memory as they add (OWN_IN_MEMORY)
//          BY_VECTORS    1: the inputs of a group are contiguous
//          REVERSED      1: BY_VECTORS, and the row lies from the last to the first; one channel
//          LINE_VECTORS  1: inputs lie in lines of neighbours, which come by vectors
//          TURNED        1: outputs are contiguous, or LINES, and lie from the last to the first
//          MIRRORED      1: they are contiguous, and rows lie the other way round than positions
//          LINES         0, or the number of phases: outputs of a row are contiguous, but not
//                        those of a group
//          LOOP          1: long filters go through a loop
//          ROOM          local memory, in vectors of 16 bytes
// Barriers three, reached by all items: inputs are loaded; inputs have been read; sums are
// there. With ROWS one more: what is inside the rows is loaded; with FILLER
// another: the constant is everywhere
// Per output: TAPS ADDs. For each tile a group reads its inputs and TAPS - 1 lines more, and
// writes its outputs, each once. An item reads TAPS + (ITEM_OUTPUTS - 1) * STEP operands from
// local memory.
// Local memory: one tile of inputs or of sums.

#if !defined(TAPS) || !defined(ITEM_OUTPUTS) || !defined(STEP) || !defined(LANES) || \
    !defined(PADDED) || !defined(GAPS) || !defined(ROWS) || !defined(BY_VECTORS) || \
    !defined(SORTED) || !defined(INVERSE) || !defined(OWN_TAPS) || !defined(TURNED) ||  \
    !defined(MIRRORED) || !defined(LINES) || !defined(LOOP) || !defined(ROOM) ||          \
    !defined(REVERSED) || !defined(LINE_VECTORS) || !defined(ROW_LOADS) ||                \
    !defined(ITEM_ROWS) || !defined(FILLER) || !defined(MANY_ENDS)
#error "a macro of gpu_tile.cl is not defined: its head lists them"
#endif
#if TAPS - FIRST_TAP + (ITEM_OUTPUTS - 1) * STEP > 256
#error "an item has more inputs than are unrolled"
#endif

// From an item's sum to its next one.
#define SUM_STEP (LINES ? LINES : (int)OUT_WIDTH)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                TAPS_PARAMETER, global OUT_T *restrict out, const struct arguments g,
                const struct tile_arguments own_arguments UPDATE_PARAMETERS)
{
    const struct tile_arguments *t = &own_arguments;
    local vec16 room[ROOM];
    local OPERAND *tile = (local OPERAND *)room;
    local SUM_T *results = (local SUM_T *)room;
    const uint item = get_local_id(0);
    const struct place s = find_place(&g, t);
    uint line = 0, number = item; // this item's first row, and its number in it
    uint lines = 1;               // from a row of an item to the next
    if (ROWS) {
        line = divide(item, t->by_items);
        number = item - line * t->items;
        lines = divide(WG, t->by_items);
    }
#if LANES
    const uint segment = number / LANES, column = number % LANES;
#else
    const uint segment = divide(number, t->by_out_lanes), column = number - segment * OUT_WIDTH;
#endif
    const uint own = segment * ITEM_OUTPUTS * OUT_WIDTH + column; // its first output
    const bool works = line < min(lines, s.rows) && own < s.outputs;

#if OWN_TAPS
    const uint channel = column - divide(column, t->by_channels) * t->channels;
    const ulong taps_row = s.row + (works ? (ROWS ? line : channel) : 0);
    struct taps h;
#endif
#if OWN_TAPS == OWN_IN_MEMORY
    h.g = taps + (g.tap_first + taps_row * g.tap_row);
#elif OWN_TAPS
    if (works)
        #pragma unroll
        for (int k = 0; k < TAPS; k++)
            h.g[k] = taps[g.tap_first + taps_row * g.tap_row + k];
#endif

#if !PTX
    // Items read some inputs that no output needs. Nobody wrote them, which simulators report.
    for (uint i = item; i < ROOM; i += WG)
        room[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if FILLER
    const OPERAND filler = constant_of(FILLER == 1 ? g.constant_left : g.constant_right);
    #pragma unroll 4
    for (uint i = item; i < ROOM; i += WG)
        room[i] = SPLAT(filler);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if PADDED || SORTED
    uint shift = LEAD;
#else
    uint shift = 0;
#endif
#if ROWS
    // fill_rows counts in 32 bits, and loads vectors of aligned elements.
    bool is_usual = !GAPS && g.origin < 1 << 24 && g.origin > -(1 << 24);
#if BY_VECTORS
    const uint low = (uint)(size_t)(x + (g.first + (long)s.row * g.row_stride));
    is_usual &= low % BYTES == 0;
#if !PADDED
    tile += (low / BYTES + (uint)g.origin) % LENGTH; // aligns what is aligned in x
    is_usual &= STEP > 1 || holds_rows(&g, &s);
#endif
#endif
    if (is_usual)
        fill_rows(tile, x, &g, t, &s, item);
    else
        fill_any(tile, x, before, &g, t, &s, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_usual)
        fill_ends(tile, x, before, &g, t, &s, item);
    const struct tile_rows rows = rows_of(tile, x, &g, t, &s);
#elif BY_VECTORS
#if PADDED || SORTED
    fill_flat(tile, x, before, &g, t, &s, item);
#else
    shift = fill_flat(tile, x, before, &g, t, &s, item);
#endif
#else
    fill_any(tile, x, before, &g, t, &s, item);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    // The last item of a column may have fewer outputs, but reads the inputs of all.
    SUM_T all_sums[ITEM_ROWS][ITEM_OUTPUTS];
    #pragma unroll
    for (uint r = 0; r < ITEM_ROWS; r++) {
        SUM_T *sums = all_sums[r];
        local const OPERAND *from = tile + shift;
        const uint own_line = line + r * lines;
        if (works && own_line < s.rows) {
#if ROWS
            from = shift + (is_usual ? row_of(&rows, own_line) : tile + own_line * t->pitch);
#endif
            from += segment * t->segment_pitch + column +
                    (t->spread ? divide(column, t->by_channels) * t->spread : 0);
        }
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = 0;
#if TURNS
#if WIDE_SUMS
        SUM_T window[PERIOD]; // converted once
#else
        OPERAND window[PERIOD];
#endif
        #pragma unroll
        for (int m = 0; m < (ITEM_OUTPUTS - 1) * STEP; m++)
            TAKE_INPUT(m)
        #pragma unroll 1
        for (int turn = 0; turn < FIRST_TAP; turn += PERIOD) {
            ADD_TAPS_16(0)
            ADD_TAPS_16(16)
            ADD_TAPS_16(32)
            ADD_TAPS_16(48)
            from += INPUT_AT(PERIOD);
        }
#endif
        ADD_INPUTS_64(sums, from, h, 0)
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 64
        ADD_INPUTS_64(sums, from, h, 64)
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 128
        ADD_INPUTS_64(sums, from, h, 128)
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 192
        ADD_INPUTS_64(sums, from, h, 192)
#endif
    }

    fetch_outputs(out + (g.out_first + (long)s.row * g.out_row_stride +
                         (long)((ulong)s.part * t->part_positions) * g.out_stride),
                  ROWS ? s.rows : t->channels, divide(s.outputs, t->by_channels), &g);
#if LINES
    const uint skew = 0;
#else
    global OUT_T *to = lowest(out, &g, t, &s);
    const uint out_low = (uint)(size_t)to;
    const bool is_flat = t->out_is_flat && out_low % OUT_BYTES == 0;
    const uint skew = is_flat ? out_low / OUT_BYTES % VEC_N : 0;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint r = 0; r < ITEM_ROWS; r++) {
        const uint own_line = line + r * lines;
        if (!works || own_line >= s.rows)
            continue;
        local SUM_T *p = results + (skew + place_of_sum(out, &g, t, &s, own_line, own));
#if ROWS && LINES && !TURNED
        const bool has_room = true; // also for those that the row lacks
#else
        const bool has_room = own + (ITEM_OUTPUTS - 1) * OUT_WIDTH < s.outputs;
#endif
        if (has_room) {
            #pragma unroll
            for (int o = 0; o < ITEM_OUTPUTS; o++)
                p[(TURNED ? -o : o) * SUM_STEP] = all_sums[r][o];
        } else {
            #pragma unroll
            for (int o = 0; o < ITEM_OUTPUTS; o++)
                if (own + o * OUT_WIDTH < s.outputs)
                    p[(TURNED ? -o : o) * SUM_STEP] = all_sums[r][o];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if LINES
    write_lines(out, &g, t, &s, results, item);
#else
    if (is_flat)
        write_flat(to, results, skew, s.rows * s.outputs, g.shift, item);
    else
        write_any(out, &g, t, &s, results, item);
#endif
    UPDATE_ROWS(x, before, &g, s.row, s.rows);
}
