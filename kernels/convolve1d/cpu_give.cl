// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: copies results out of a tile of cpu_matrix, to rows whose outputs lie side by
// side, upwards or downwards. cpu_give_even.cl has all others, and chooses.
//
// Needs cpu_take.cl and cpu_spaced.cl.
// Macros  those of cpu_vector.cl
//
// Defines give_run(), give_reversed(), give_packed(), give_mirrored(), give_rows(), give_few_rows()

// A vector of out at any address, and parts of it.
#if OUT_TYPE == F16
#define OUT_PART ushort
#elif OUT_TYPE == C32
#define OUT_PART float
#else
#define OUT_PART OUT_T
#endif
#define ANY_ADDRESS __attribute__((aligned(sizeof(OUT_PART))))
typedef out_vec ANY_ADDRESS unaligned_out_vec;
typedef JOIN_NAMES(OUT_PART, 8) ANY_ADDRESS out_part8;
typedef JOIN_NAMES(OUT_PART, 4) ANY_ADDRESS out_part4;
typedef JOIN_NAMES(OUT_PART, 2) ANY_ADDRESS out_part2;

#define RESULTS(from, i) result_of(LOAD_CALC((from) + (i) * COMPONENTS), shift)

static void give_some(const CALC_T *from, global out_elem *p, uint count, uint shift)
{
    uint i = 0;
    for (; i + ORDER <= count; i += ORDER)
        *(global unaligned_out_vec *)(p + i) = RESULTS(from, i);
#define GIVE_PART(n, part, type) \
    if (count & (n)) { \
        *(global type *)(p + i) = RESULTS(from, i) part; \
        i += (n); \
    }
#if VEC_N == 16
    GIVE_PART(8 / COMPONENTS, .lo, out_part8)
    GIVE_PART(4 / COMPONENTS, .lo.lo, out_part4)
#else
    GIVE_PART(4, .lo, out_part4)
#endif
#if COMPONENTS == 2
    GIVE_PART(1, .lo.lo.lo, out_part2)
#elif VEC_N == 16
    GIVE_PART(2, .lo.lo.lo, out_part2)
#else
    GIVE_PART(2, .lo.lo, out_part2)
#endif
#if COMPONENTS == 1
    GIVE_PART(1, .s0, OUT_PART)
#endif
}

// Whole lines of the cache are streamed: an ordinary store would read each before it is
// written.
static __attribute__((noinline)) // compiles sooner
void give_run(const CALC_T *from, global out_elem *p, uint count, uint shift)
{
    enum {
        BLOCK = sizeof(out_vec) > CACHE_LINE ? sizeof(out_vec) : CACHE_LINE, // bytes
        LENGTH = BLOCK / sizeof(out_elem)
    };
    const uint head = (uint)(-(size_t)p % BLOCK / sizeof(out_elem));
    if ((size_t)p % sizeof(out_elem) || count < head + LENGTH) {
        give_some(from, p, count, shift);
        return;
    }
    const uint body = (count - head) / LENGTH * LENGTH;
    give_some(from, p, head, shift);
    for (uint i = head; i < head + body; i += ORDER)
        STREAM((global out_vec *)(p + i), RESULTS(from, i));
    give_some(from + (head + body) * COMPONENTS, p + head + body, count - head - body, shift);
}

// The results of `count` outputs from p downwards. They are put in the order of memory first, so
// that whole lines of the cache are streamed.
static void give_reversed(const CALC_T *from, global out_elem *p, uint count, uint shift)
{
    CALC_T turned[SUMS_ROOM * COMPONENTS];
    const uint vectors = (count + ORDER - 1) / ORDER;
    for (uint i = 0; i < vectors; i++)
        TAKE(turned, (vectors - 1 - i) * ORDER,
             reversed(LOAD_CALC(from + i * ORDER * COMPONENTS)));
    give_run(turned + (vectors * ORDER - count) * COMPONENTS, p - (count - 1), count, shift);
}

// The same of `many` positions of `few` elements each, upwards (turn 1) or downwards (-1).
static void give_packed(const CALC_T *from, uint line, global out_elem *p, uint many, int turn,
                        uint few, uint shift)
{
    CALC_T packed[SUMS_ROOM * COMPONENTS];
    copy_lines(packed, few, turn == 1 ? from : from + (many - 1) * line * COMPONENTS,
               turn * (int)line, many, few);
    give_run(packed, turn == 1 ? p : p - (many - 1) * few, many * few, shift);
}

// The same of positions whose `few` elements lie downwards, ORDER at most. They are turned round from
// the last one in memory to the first, because what stands in front of one is written with it. PoCL
// 3.1, both cores with AVX-512, 2026-12-01, us one by one and so: 8 f32 1352 583, 3 503 524, 2 919
// 1005; 8 u8 7223 1833, 3 1232 891.
static void give_mirrored(const CALC_T *from, uint line, global out_elem *p, uint many, int turn,
                          uint few, uint shift)
{
    CALC_T packed[(SUMS_ROOM + ORDER) * COMPONENTS];
    for (int k = (int)many - 1; k >= 0; k--) {
        const uint i = turn == 1 ? (uint)k : many - 1 - (uint)k;
        TAKE(packed, k * (int)few, reversed(LOAD_CALC(from + i * line * COMPONENTS)));
    }
    p -= few - 1 + (turn == 1 ? 0 : (many - 1) * few);
    give_run(packed + (ORDER - few) * COMPONENTS, p, many * few, shift);
}

// to = the sums of a block of ORDER rows, row by row, `count` sums each: those of lines `first`,
// first + turn ... of lines 0 ... last. Where these are fewer than ORDER, one of them is read
// again, and nothing uses it.
static void turn_block(CALC_T *to, uint count, const CALC_T *from, uint line, int first,
                       int turn, int last)
{
#if REGISTER_BYTES == 32
    for (int row = 0; row < ORDER; row += SIDE)
        for (int k = ORDER - SIDE; k >= 0; k -= SIDE) { // the last ones reach into the next row
            unit_block v[SIDE];
            #pragma unroll
            for (int i = 0; i < SIDE; i++)
                v[i] = UNIT_BLOCK(*(const unaligned_block_vec *)(
                    from + (clamp(first + (k + i) * turn, 0, last) * line + row) * COMPONENTS));
            TRANSPOSE_BLOCK(v);
            #pragma unroll
            for (int i = 0; i < SIDE; i++)
                *(unaligned_block_vec *)(to + ((row + i) * count + k) * COMPONENTS) =
                    CALC_BLOCK(v[i]);
        }
#else
    unit_vec v[ORDER];
    #pragma unroll
    for (int i = 0; i < ORDER; i++)
        v[i] = UNITS(LOAD_CALC(from + clamp(first + i * turn, 0, last) * line * COMPONENTS));
    TRANSPOSE(v);
    #pragma unroll
    for (int i = 0; i < ORDER; i++)
        *(unaligned_calc_vec *)(to + i * count * COMPONENTS) = CALCS(v[i]);
#endif
}

// The results of rows of `many` outputs, upwards (turn 1) or downwards (-1). Their sums are
// transposed first, into the order of memory.
static void give_rows(const CALC_T *from, uint line, global out_elem *p, uint many, int turn,
                      uint few, long few_apart, uint shift)
{
    CALC_T rows[SUMS_ROOM * COMPONENTS];
    for (uint c = 0; c < few; c += ORDER) {
        const uint row = min(c, few - ORDER);
        for (uint i = 0; i < many; i += ORDER) { // vectors of shorter rows end in the next
            const uint at = many < ORDER ? 0 : min(i, many - ORDER);
            turn_block(rows + (row * many + at) * COMPONENTS, many, from + row * COMPONENTS,
                       line, turn == 1 ? (int)at : (int)(many - 1 - at), turn, (int)many - 1);
        }
    }
    if (turn == -1)
        p -= many - 1;
    if (few_apart == many)
        give_run(rows, p, few * many, shift);
    else
        for (uint c = 0; c < few; c++)
            give_run(rows + c * many * COMPONENTS, p + c * few_apart, many, shift);
}

// The results of a few rows whose sums are interleaved. They are taken apart as 2, 4 or 8 rows.
#define PART_ROWS(n)                                                                        \
    for (uint k = 0; k < some; k += ORDER) {                                                \
        unit_vec v[n];                                                                      \
        _Pragma("unroll") for (int c = 0; c < (n); c++)                                     \
            v[c] = UNITS(LOAD_CALC(lines + (k * (n) + c * ORDER) * COMPONENTS));            \
        ROTATE_BITS(v, n, LOG_ORDER);                                                       \
        _Pragma("unroll") for (int c = 0; c < (n); c++)                                     \
            TAKE(rows, c * length + i + k, CALCS(v[c]));                                    \
    }
static void give_few_rows(const CALC_T *from, uint line, global out_elem *p, uint many,
                          int turn, uint few, long few_apart, uint shift)
{
    CALC_T rows[2 * SUMS_ROOM * COMPONENTS], wide[WIDE_ROOM * COMPONENTS];
    const uint n = TOGETHER(few), length = (many + ORDER - 1) / ORDER * ORDER;
    for (uint i = 0; i < many; i += POSITIONS) {
        const uint some = min((uint)POSITIONS, many - i);
        const CALC_T *lines = from + i * line * COMPONENTS;
        if (line != n) {
            copy_lines(wide, n, lines, line, some, few);
            lines = wide;
        }
        if (n == 2)
            PART_ROWS(2)
        else if (n == 4)
            PART_ROWS(4)
        else
            PART_ROWS(8)
    }
    for (uint c = 0; c < few; c++)
        if (turn == 1)
            give_run(rows + c * length * COMPONENTS, p + c * few_apart, many, shift);
        else
            give_reversed(rows + c * length * COMPONENTS, p + c * few_apart, many, shift);
}
