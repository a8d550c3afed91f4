// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: copies inputs that lie evenly in memory into a tile of cpu_matrix,
// converted to CALC_T. A copy takes `many` positions of a row, of each the elements of `few`
// rows:
//
//     memory   a0 b0 . . a1 b1 . . a2 b2     rows a and b, and positions, lie anywhere
//     tile     a0 b0 a1 b1 a2 b2             a position has a line, of `few` elements or more
//
// Elements that lie side by side, or every second or fourth one, are taken a vector at a time;
// of rows one behind the other, blocks are transposed. All others are copied one by one, a
// CHUNK of them, and converted in vectors: to convert one f16 takes PoCL as long as a vector.
// cpu_take_even.cl has a few rows, and chooses.
//
// Macros  those of cpu_vector.cl
//
// Defines take_run(), take_apart(), take_transposed(), and take_block(), which transposes

#define TAKE(to, i, v) (*(unaligned_calc_vec *)((to) + (i) * COMPONENTS) = (v))

// A vector of inputs side by side.
static calc_vec side_by_side(global const elem *p)
{
    return converted((global const PART_T *)p);
}

// What stands behind the last element up to the end of a vector is overwritten, here and below, by
// zeros or inputs: it is filled later, or not used. Anything else might be numbers so small that
// each operation with them takes a processor a hundred cycles.
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

// The first of each pair of elements of two vectors, and the second.
static calc_vec evens(calc_vec v, calc_vec w)
{
#if COMPONENTS == 2
    return (calc_vec)(v.s014589cd, w.s014589cd);
#else
    return (calc_vec)(v.even, w.even);
#endif
}

static calc_vec odds(calc_vec v, calc_vec w)
{
#if COMPONENTS == 2
    return (calc_vec)(v.s2367abef, w.s2367abef);
#else
    return (calc_vec)(v.odd, w.odd);
#endif
}

static calc_vec reversed(calc_vec v)
{
#if COMPONENTS == 2
    return v.sefcdab8967452301;
#elif VEC_N == 16
    return v.sfedcba9876543210;
#else
    return v.s76543210;
#endif
}

// A vector of elements 2, 4 or -1 apart, of a row of more than ORDER. One whose last element is
// the row's last reads nothing behind it.
static calc_vec spaced(global const elem *p, long apart, bool is_last)
{
    if (apart == -1)
        return reversed(side_by_side(p - ORDER + 1));
    if (is_last)
        p -= apart - 1;
    const calc_vec v = side_by_side(p), w = side_by_side(p + ORDER);
    const calc_vec pairs = is_last ? odds(v, w) : evens(v, w);
    if (apart == 2)
        return pairs;
    const calc_vec v2 = side_by_side(p + 2 * ORDER), w2 = side_by_side(p + 3 * ORDER);
    return is_last ? odds(pairs, odds(v2, w2)) : evens(pairs, evens(v2, w2));
}

// Elements `apart` from each other.
static void take_apart(CALC_T *to, global const elem *p, uint count, long apart)
{
    uint i = 0;
    if (count > ORDER && (apart == 2 || apart == 4 || apart == -1)) {
        for (; i + ORDER < count; i += ORDER)
            TAKE(to, i, spaced(p + i * apart, apart, false));
        i = count - ORDER;
        TAKE(to, i, spaced(p + i * apart, apart, true));
        return;
    }
    elem chunk[CHUNK];
    while (i < count) {
        const uint n = min((uint)CHUNK, count - i);
        NOT_VECTORS
        for (uint k = 0; k < n; k++)
            chunk[k] = p[k * apart];
        for (uint k = n; k % ORDER; k++)
            chunk[k] = (elem)(0);
        for (uint k = 0; k < n; k += ORDER)
            TAKE(to, i + k, calc_of(*(const unaligned_part_vec *)(chunk + k)));
        i += n;
        p += n * apart;
    }
}

// A block of `many` neighbouring elements of ORDER rows, ORDER at most. Where there are fewer,
// it reads what stands behind them, too. Half as many take half as long: two rows begin as one.
static __attribute__((noinline)) // compiles sooner
void take_block(CALC_T *to, int line, global const elem *p, uint many, long few_apart)
{
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
