// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_row_registers: many rows of a few elements, on GPUs.
//
// An item takes a row, or a few very short ones. It holds all inputs of the row in registers, the
// part of the history that outputs need, and the two constants. The taps of such rows mostly meet
// inputs beyond the ends. Which input stands there is known when the program is compiled. So a
// multiply-add is one instruction, whose operands are a register and an argument:
//
//     N = 3, EDGE, 5 taps, ORIGIN -2       output 0   g0 v0  g1 v0  g2 v0  g3 v1  g4 v2
//                                          output 1   g0 v0  g1 v0  g2 v1  g3 v2  g4 v2
//                                          output 2   g0 v0  g1 v1  g2 v2  g3 v2  g4 v2
//
// Rows that lie one behind the other, perhaps with small gaps, come by way of local memory, as
// they lie in memory: the group copies the span of its rows by vectors of 16 bytes. Outputs go
// back by local memory, too. Neighbouring rows that are neighbours in memory need none of that.
//
// Sums are taken in ORDER 1: an output adds its taps one after the other.
//
// Macros   those of gpu_vectors.cl and gpu_row_spans.cl
//          TAPS, STEP, DILATION   of the filter
//          N, OUTPUTS    of a row
//          ORIGIN        the position that tap 0 meets for output 0
//          PAST          elements of the history that are needed: positions -PAST ... -1
//          LEFT, RIGHT   boundaries
//          IN_SPAN       1: inputs come by way of local memory
//          ITEM_ROWS     rows that an item takes, one after the other
//          ROOM, PAST_ROOM   local memory, in vectors of 16 bytes: for inputs, whose place results
//                        take where ITEM_ROWS is 1, and for a history whose rows lie one behind the
//                        other
// Barriers one where anything comes by local memory: it is there. One where results go by it:
//          they are there; one more where they take the place of inputs: these have been read.
//          All items reach them
// Per output: TAPS ADDs. Each input is read once, and each output is written once.
// Local memory: the spans of the inputs, of the history and of the results.

#if !defined(TAPS) || !defined(STEP) || !defined(DILATION) || !defined(N) || \
    !defined(OUTPUTS) || !defined(ORIGIN) || !defined(PAST) || !defined(LEFT) ||           \
    !defined(RIGHT) ||                                                                     \
    !defined(IN_SPAN) || !defined(ROOM) || !defined(PAST_ROOM) || !defined(ITEM_ROWS)
#error "a macro of gpu_row_registers.cl is not defined: its head lists them"
#endif
#if TAPS > 1024
#error "more taps than are unrolled"
#endif

#define FIRST ((int)ORIGIN)

// Room for the results of more than one row of an item, as above.
#if ITEM_ROWS > 1 && OUT_WAY != OUT_EACH
#define RESULTS_ROOM \
    ((WG * ITEM_ROWS * (OUTPUTS * OUT_BYTES + (OUT_BYTES < 4 ? 0 : 8)) + 15) / 16 + 1)
#else
#define RESULTS_ROOM 0
#endif

struct taps {
    TAP_T g[TAPS];
};

// ---------------------------------------------------------------- places
// Registers of an item: the inputs, two constants, the history.
#define HELD (N + 2 + PAST)

#define REST(j, period)   ((((j) % (period)) + (period)) % (period))
#define MIRRORED(m, last) ((m) < (last) - (m) ? (m) : (last) - (m))
#define WHOLE_PERIOD      (N > 1 ? 2 * N - 2 : 1)
// Which input stands for position j beyond an end.
#define FOLDED(j, mode)                                                                      \
    ((mode) == BOUNDARY_EDGE           ? ((j) < 0 ? 0 : N - 1)                               \
     : (mode) == BOUNDARY_WRAP         ? REST(j, N)                                          \
     : (mode) == BOUNDARY_REFLECT_HALF ? MIRRORED(REST(j, 2 * N), 2 * N - 1)                 \
                                       : MIRRORED(REST(j, WHOLE_PERIOD), 2 * N - 2))
#define LEFT_PLACE(j)                         \
    (LEFT == BOUNDARY_CONSTANT  ? N           \
     : LEFT == BOUNDARY_HISTORY ? HELD + (j)  \
                                : FOLDED(j, LEFT))
#define RIGHT_PLACE(j) (RIGHT == BOUNDARY_CONSTANT ? N + 1 : FOLDED(j, RIGHT))
#define PLACE(j)       ((j) < 0 ? LEFT_PLACE(j) : (j) < N ? (j) : RIGHT_PLACE(j))

// ---------------------------------------------------------------- sums
// Adds tap k to all sums.
#define ADD_TAP(k)                                                          \
    if ((k) < TAPS) {                                                       \
        _Pragma("unroll") for (int o = 0; o < OUTPUTS; o++)                 \
            sums[o] = ADD(sums[o], h.g[(k) < TAPS ? (k) : 0],               \
                          v[PLACE(FIRST + o * STEP + (k) * DILATION)]);     \
    }
#define ADD_TAPS_4(k)   ADD_TAP(k) ADD_TAP(k + 1) ADD_TAP(k + 2) ADD_TAP(k + 3)
#define ADD_TAPS_16(k)  ADD_TAPS_4(k) ADD_TAPS_4(k + 4) ADD_TAPS_4(k + 8) ADD_TAPS_4(k + 12)
#define ADD_TAPS_64(k) \
    ADD_TAPS_16(k) ADD_TAPS_16(k + 16) ADD_TAPS_16(k + 32) ADD_TAPS_16(k + 48)
#define ADD_TAPS_256(k) \
    ADD_TAPS_64(k) ADD_TAPS_64(k + 64) ADD_TAPS_64(k + 128) ADD_TAPS_64(k + 192)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g
                UPDATE_PARAMETERS)
{
#if IN_SPAN || PAST_ROOM || OUT_WAY != OUT_EACH
    local uint4 room[ROOM + PAST_ROOM + RESULTS_ROOM];
#endif
#if OUT_WAY != OUT_EACH
    local uint4 *results = room + (RESULTS_ROOM ? ROOM + PAST_ROOM : 0);
#endif
    const ulong row = (ulong)get_group_id(0) * (WG * ITEM_ROWS);
    const uint rows = (uint)min((ulong)(WG * ITEM_ROWS), g.rows - row);
    global const ELEM *from = x + (g.first + (long)row * g.row_stride);
    global const ELEM *past = before + (g.before_first + (long)row * g.before_row_stride +
                                        ((long)g.halo - PAST) * g.before_stride);
    global OUT_T *to = out + (g.out_first + (long)row * g.out_row_stride);
#if IN_SPAN
    const long low = lowest(g.stride, N);
    copy_span(room, from + low, span_bytes(rows, g.row_stride, g.stride, N));
#endif
#if PAST_ROOM
    const bool is_packed = g.before_stride == 1 && g.before_row_stride == (long)g.halo;
    if (is_packed)
        copy_bytes(room + ROOM, past, span_bytes(rows, g.before_row_stride, 1, PAST));
#endif
#if IN_SPAN || PAST_ROOM
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if OUT_WAY == OUT_VECTORS && !OUT_WORDS
    const uint skew = (uint)(size_t)to % 16;
#else
    const uint skew = 0;
#endif
    const uint pitch = OUTPUTS * OUT_BYTES + (OUT_WORDS ? PAD(OUT_BYTES) * 4 : 0);
    #pragma unroll 1
    for (uint r = get_local_id(0); r < WG * ITEM_ROWS; r += WG) {
        // Items without a row take the last one, and do not write it.
        const uint own = min(r, rows - 1);
        OPERAND v[HELD];
        v[N] = constant_of(g.constant_left);
        v[N + 1] = constant_of(g.constant_right);
#if IN_SPAN
#if IN_WORDS
        local const char *own_span = (local const char *)room +
                                     (own * (IN_WORDS + PAD(BYTES)) * 4 - (int)low * BYTES);
#else
        local const char *own_span =
            (local const char *)room + ((uint)(size_t)(from + low) % 16 +
                                        ((int)own * (int)g.row_stride - (int)low) * BYTES);
#endif
        #pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = OPERAND_OF(LOCAL_LOAD(own_span, i * (int)g.stride));
#else
        global const ELEM *own_from = from + (long)own * g.row_stride;
        #pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = OPERAND_OF(LOAD(own_from, i * g.stride));
#endif
#if PAST_ROOM
        if (is_packed) {
            local const char *own_past = (local const char *)(room + ROOM) +
                                         (uint)(size_t)past % 16 + own * (uint)g.halo * BYTES;
            #pragma unroll
            for (int i = 0; i < PAST; i++)
                v[N + 2 + i] = OPERAND_OF(LOCAL_LOAD(own_past, i));
        } else
#endif
        {
            global const ELEM *own_past = past + (long)own * g.before_row_stride;
            #pragma unroll
            for (int i = 0; i < PAST; i++)
                v[N + 2 + i] = OPERAND_OF(LOAD(own_past, i * g.before_stride));
        }
        SUM_T sums[OUTPUTS];
        #pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sums[o] = 0;
        ADD_TAPS_64(0)
#if TAPS > 64
        ADD_TAPS_64(64)
        ADD_TAPS_64(128)
        ADD_TAPS_64(192)
#endif
#if TAPS > 256
        ADD_TAPS_256(256)
        ADD_TAPS_256(512)
        ADD_TAPS_256(768)
#endif
#if OUT_WAY == OUT_EACH
        if (r < rows) {
            global OUT_T *own_to = to + (long)r * g.out_row_stride;
            #pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                STORE(own_to, o * g.out_stride, sums[o], g.shift);
        }
#else
#if !RESULTS_ROOM
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (r < rows) {
            local OUT_T *own_results =
                (local OUT_T *)((local char *)results + (skew + r * pitch));
            #pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                PUT(own_results, o, sums[o], g.shift);
        }
#endif
    }
#if OUT_WAY != OUT_EACH
    barrier(CLK_LOCAL_MEM_FENCE);
    write_results(to, results, skew, rows, &g);
#endif
    UPDATE_ROWS(x, before, &g, row, rows);
}
