// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: copies results out of a tile of cpu_matrix, the other way round as
// cpu_take.cl copies inputs.
//
// Macros  those of cpu_vector.cl
//
// Defines give()

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

// Results from p downwards, at least a vector of them.
static void give_reversed(const CALC_T *from, global out_elem *p, uint count, uint shift)
{
    for (uint i = 0; i < count; i += ORDER) {
        const uint at = min(i, count - ORDER);
        *(global unaligned_out_vec *)(p - at - (ORDER - 1)) =
            result_of(reversed(LOAD_CALC(from + at * COMPONENTS)), shift);
    }
}

// to = the sums of a block of ORDER rows, row by row, `count` sums each.
static void turn_block(CALC_T *to, uint count, const CALC_T *from, uint line)
{
    unit_vec v[ORDER];
    #pragma unroll
    for (int i = 0; i < ORDER; i++)
        v[i] = UNITS(LOAD_CALC(from + i * line * COMPONENTS));
    TRANSPOSE(v);
    #pragma unroll
    for (int i = 0; i < ORDER; i++)
        *(unaligned_calc_vec *)(to + i * count * COMPONENTS) = CALCS(v[i]);
}

// The results of rows of `many` neighbouring outputs. Their sums are transposed first.
static void give_rows(const CALC_T *from, uint line, global out_elem *p, uint many, uint few,
                      long few_apart, uint shift)
{
    CALC_T rows[SUMS_ROOM * COMPONENTS];
    for (uint c = 0; c < few; c += ORDER) {
        const uint row = min(c, few - ORDER);
        for (uint i = 0; i < many; i += ORDER) { // vectors of shorter rows end in the next
            const uint at = many < ORDER ? 0 : min(i, many - ORDER);
            turn_block(rows + (row * many + at) * COMPONENTS, many,
                       from + (at * line + row) * COMPONENTS, line);
        }
    }
    if (few_apart == many)
        give_run(rows, p, few * many, shift);
    else
        for (uint c = 0; c < few; c++)
            give_run(rows + c * many * COMPONENTS, p + c * few_apart, many, shift);
}

// The results of two, four or eight rows whose sums are interleaved, as many as a line has.
#define PART_ROWS(n)                                                                     \
    for (uint k = 0; k < many; k += ORDER) {                                             \
        unit_vec v[n];                                                                   \
        _Pragma("unroll") for (int c = 0; c < (n); c++)                                  \
            v[c] = UNITS(LOAD_CALC(from + (k * (n) + c * ORDER) * COMPONENTS));          \
        ROTATE_BITS(v, n, LOG_ORDER);                                                    \
        _Pragma("unroll") for (int c = 0; c < (n); c++)                                  \
            *(unaligned_calc_vec *)(rows + (c * length + k) * COMPONENTS) = CALCS(v[c]); \
    }
static void give_few_rows(const CALC_T *from, global out_elem *p, uint many, uint few,
                          long few_apart, uint shift)
{
    CALC_T rows[(SUMS_ROOM + 8 * ORDER) * COMPONENTS];
    const uint length = (many + ORDER - 1) / ORDER * ORDER;
    if (few == 2)
        PART_ROWS(2)
    else if (few == 4)
        PART_ROWS(4)
    else
        PART_ROWS(8)
    for (uint c = 0; c < few; c++)
        give_run(rows + c * length * COMPONENTS, p + c * few_apart, many, shift);
}

// The results of a part of a tile, to `many` positions in memory with `few` channels each. A
// position's stand `line` elements behind those of the one before.
static __attribute__((noinline)) // compiles sooner
void give(const CALC_T *from, uint line, global out_elem *p, uint many, long apart, uint few,
          long few_apart, uint shift)
{
    if (line == few && (few == 1 ? apart == 1 : few_apart == 1 && apart == few)) {
        give_run(from, p, many * few, shift);
        return;
    }
    // Of fewer elements the parts of vectors take longer than chunks. PoCL 3.1, both cores with
    // AVX-512, 2026-11-27, us before and after for 2^22 u8 and f32 in channels with a gap: 8
    // 2410 2309, 3723 2843; 12 2456 2030, 3077 2448; but 2 2332 7330 (u8), 4 3958 5083 (u8).
    if (few >= 8 && few_apart == 1) {
        for (uint i = 0; i < many; i++)
            give_run(from + i * line * COMPONENTS, p + i * apart, few, shift);
        return;
    }
    if (few >= ORDER && many >= FEWEST && apart == 1) {
        give_rows(from, line, p, many, few, few_apart, shift);
        return;
    }
    if (few == line && apart == 1 && INTERLEAVES(few)) {
        give_few_rows(from, p, many, few, few_apart, shift);
        return;
    }
    if (few >= ORDER && few_apart == -1) {
        for (uint i = 0; i < many; i++)
            give_reversed(from + i * line * COMPONENTS, p + i * apart, few, shift);
        return;
    }
    out_elem chunk[CHUNK];
    const uint most = line < 2 * ORDER ? CHUNK / line : 1;
    for (uint i = 0; i < many; i += most)
        for (uint first = 0; first < few; first += CHUNK) {
            const uint n = min(most, many - i), some = min((uint)CHUNK, few - first);
            global out_elem *to = p + i * apart + first * few_apart;
            for (uint k = 0; k < (n > 1 ? n * line : some); k += ORDER)
                *(unaligned_out_vec *)(chunk + k) = RESULTS(from, i * line + first + k);
            for (uint c = 0; c < some; c++)
                NOT_VECTORS
                for (uint k = 0; k < n; k++)
                    to[k * apart + c * few_apart] = chunk[k * line + c];
        }
}
