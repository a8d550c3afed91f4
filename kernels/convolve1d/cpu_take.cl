// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: copies inputs that lie evenly in memory into a tile of cpu_matrix,
// converted to CALC_T. A copy takes `many` positions of a row, of each the elements of `few`
// rows:
//
//     memory   a0 b0 . . a1 b1 . . a2 b2     rows a and b, and positions, lie anywhere
//     tile     a0 b0 a1 b1 a2 b2             a position has a line, of `few` elements or more
//
// Elements that lie side by side are taken a vector at a time, and of rows one behind the other
// blocks are transposed. cpu_spaced.cl has elements that lie apart, and cpu_take_even.cl a few
// rows; it also chooses.
//
// Macros  those of cpu_vector.cl
//
// Defines TAKE(), side_by_side(), take_run(), take_transposed(), take_some_transposed(), FEWEST,
//         and take_block(), which transposes

#define TAKE(to, i, v) (*(unaligned_calc_vec *)((to) + (i) * COMPONENTS) = (v))

// A vector of inputs side by side.
static calc_vec side_by_side(global const elem *p)
{
    return converted((global const PART_T *)p);
}

// What stands behind the last element up to the end of a vector is overwritten, here and below, by
// zeros, inputs, or elements of the array between inputs: it is filled later, or not used. What
// the stack has might be numbers so small that each operation with them takes a processor a
// hundred cycles.
static void take_run(CALC_T *to, global const elem *p, uint count)
{
    uint i = 0;
    for (; i + ORDER <= count; i += ORDER)
        TAKE(to, i, side_by_side(p + i));
    if (i == count)
        return;
    if (count >= ORDER) {
        TAKE(to, count - ORDER, side_by_side(p + count - ORDER));
        return;
    }
    elem last[ORDER];
    for (uint k = 0; k < ORDER; k++)
        last[k] = i + k < count ? p[i + k] : (elem)(0);
    TAKE(to, i, calc_of(*(const unaligned_part_vec *)last));
}

// A block of `many` neighbouring elements of ORDER rows, ORDER at most. Where there are fewer,
// it reads what stands behind them, too. Half as many take half as long: two rows begin as one.
static __attribute__((noinline)) // compiles sooner
void take_block(CALC_T *to, int line, global const elem *p, uint many, long few_apart)
{
#if REGISTER_BYTES == 32
    for (int row = 0; row < ORDER; row += SIDE)
        for (uint k = 0; k < many; k += SIDE) {
            unit_block v[SIDE];
            #pragma unroll
            for (int i = 0; i < SIDE; i++)
                v[i] = block_at(p + (row + i) * few_apart + k);
            TRANSPOSE_BLOCK(v);
            #pragma unroll
            for (int i = 0; i < SIDE; i++)
                if (k + i < many)
                    *(unaligned_block_vec *)(to + ((int)(k + i) * line + row) * COMPONENTS) =
                        CALC_BLOCK(v[i]);
        }
#else
    unit_vec v[ORDER];
    if (many <= ORDER / 2) {
        #pragma unroll
        for (int i = 0; i < ORDER / 2; i++) {
            const unit_vec a = UNITS(side_by_side(p + i * few_apart)),
                           b = UNITS(side_by_side(p + (i + ORDER / 2) * few_apart));
            v[i] = FIRST_HALVES(a, b);
        }
        ROTATE_BITS(v, ORDER / 2, LOG_ORDER - 1);
        #pragma unroll
        for (int i = 0; i < ORDER / 2; i++)
            if ((uint)i < many)
                TAKE(to, i * line, CALCS(v[i]));
        return;
    }
    #pragma unroll
    for (int i = 0; i < ORDER; i++)
        v[i] = UNITS(side_by_side(p + i * few_apart));
    TRANSPOSE(v);
    #pragma unroll
    for (int i = 0; i < ORDER; i++)
        if ((uint)i < many)
            TAKE(to, i * line, CALCS(v[i]));
#endif
}

// Blocks of fewer elements of a row take longer than those elements one by one.
#define FEWEST 2

// `few` rows of `many` neighbouring elements each, upwards (turn 1) or downwards (-1). Nothing
// may be read from `end` on. Returns false where that leaves no block.
static bool take_transposed(CALC_T *to, int line, global const elem *p, global const elem *end,
                            uint many, int turn, uint few, long few_apart)
{
    const uint most = min(many, (uint)ORDER);
    if (turn == -1) {
        to += (many - 1) * line * COMPONENTS;
        p -= many - 1;
        line = -line;
    }
    const long last = max(0L, (few - 1) * few_apart) + ORDER; // behind what blocks read
    if (few < ORDER || many < FEWEST || (many < ORDER && p + last > end))
        return false;
    for (uint c = 0; c < few; c += ORDER) {
        const uint row = min(c, few - ORDER);
        for (uint i = 0; i < many; i += most) {
            const uint at = min(i, many - most);
            take_block(to + ((int)at * line + (int)row) * COMPONENTS, line,
                       p + row * few_apart + at, most, few_apart);
        }
    }
    return true;
}

// Every apart-th element of `few` rows, `many` of each; downwards where `apart` is negative. Of a
// block of neighbours some lines are kept. Nothing may be read from `end` on. Returns false where that
// leaves no block. PoCL 3.1, both cores of an AMD EPYC with AVX-512, 2026-12-01, 64 rows to columns,
// 2^21 f32, us one by one and so: step 2, dilation 4 1903 468; step 5, dilation 5 1199 524; 8000 rows,
// step 2, dilation 30 1223 857; u8, step 3, dilation 3 808 416. More than five apart was not measured.
#define MOST_APART 5
static bool take_some_transposed(CALC_T *to, int line, global const elem *p,
                                 global const elem *end, uint many, int apart, uint few,
                                 long few_apart)
{
    CALC_T block[ORDER * ORDER * COMPONENTS];
    if (apart < 0) {
        to += (many - 1) * line * COMPONENTS;
        p += (many - 1) * (long)apart;
        line = -line;
        apart = -apart;
    }
    const uint kept = (ORDER + (uint)apart - 1) / (uint)apart;
    if (few < ORDER || many < kept)
        return false;
    const long last = max(0L, (few - 1) * few_apart) + (long)(many - kept) * apart + ORDER;
    if (p + last > end)
        return false;
    for (uint c = 0; c < few; c += ORDER) {
        const uint row = min(c, few - ORDER);
        for (uint i = 0; i < many; i += kept) {
            const uint at = min(i, many - kept);
            take_block(block, ORDER, p + row * few_apart + (long)at * apart, ORDER, few_apart);
            for (uint k = 0; k < kept; k++)
                TAKE(to + ((int)(at + k) * line + (int)row) * COMPONENTS, 0,
                     LOAD_CALC(block + k * apart * ORDER * COMPONENTS));
        }
    }
    return true;
}
