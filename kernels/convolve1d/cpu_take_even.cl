// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: which of the copies of cpu_take.cl takes inputs, and those of a few rows.
//
// Neighbouring elements of a few rows are copied together: of five rows and more a vector for each
// position. Rows that lie apart are interleaved by vectors, where FEW() and IS_SPACED() say so. All
// others come element by element.
//
// Macros  those of cpu_vector.cl
//
// Defines take_even()

// Copies `many` groups of neighbouring elements, `bytes` each, by one load and one store. What
// stands behind a group up to a power of two goes along, and the next group overwrites it.
#define MOST_GROUP 64 // bytes
#define COPY_GROUPS(type)                                                   \
    {                                                                       \
        typedef type __attribute__((aligned(1))) any;                       \
        NOT_VECTORS for (uint i = 0; i < many; i++)                         \
            *(any *)(to + i * line) = *(global const any *)(p + i * apart); \
    }
static void copy_groups(elem *to, uint line, global const elem *p, uint many, long apart,
                        uint bytes)
{
    if (bytes <= 2)
        COPY_GROUPS(ushort)
    else if (bytes <= 4)
        COPY_GROUPS(uint)
    else if (bytes <= 8)
        COPY_GROUPS(ulong)
    else if (bytes <= 16)
        COPY_GROUPS(ulong2)
    else if (bytes <= 32)
        COPY_GROUPS(ulong4)
    else
        COPY_GROUPS(ulong8)
}

// A few rows that lie apart. POSITIONS elements of each come to a buffer, and are interleaved from
// there: as 2, 4 or 8 rows, of which the last may have zeros.
#define INTERLEAVE(n, log)                                                    \
    for (uint k = 0; k < some; k += ORDER) {                                  \
        unit_vec v[n];                                                        \
        _Pragma("unroll") for (int c = 0; c < (n); c++)                       \
            v[c] = UNITS(LOAD_CALC(rows + (c * POSITIONS + k) * COMPONENTS)); \
        ROTATE_BITS(v, n, log);                                               \
        _Pragma("unroll") for (int c = 0; c < (n); c++)                       \
            TAKE(lines, k * (n) + c * ORDER, CALCS(v[c]));                    \
    }
static void take_few_rows(CALC_T *to, uint line, global const elem *p, uint many, long apart,
                          uint few, long few_apart)
{
    CALC_T rows[8 * POSITIONS * COMPONENTS], wide[WIDE_ROOM * COMPONENTS];
    const uint n = TOGETHER(few);
    for (uint c = few; c < n; c++)
        for (uint k = 0; k < POSITIONS; k += ORDER)
            TAKE(rows, c * POSITIONS + k, (calc_vec)(0));
    for (uint i = 0; i < many; i += POSITIONS, to += POSITIONS * line * COMPONENTS) {
        const uint some = min((uint)POSITIONS, many - i);
        CALC_T *lines = line == n ? to : wide;
        if (line != n)
            TAKE(wide, some * n, (calc_vec)(0)); // what is copied with the last line
        for (uint c = 0; c < few; c++) {
            global const elem *from = p + i * apart + c * few_apart;
            CALC_T *row = rows + c * POSITIONS * COMPONENTS;
            if (some % ORDER)
                TAKE(row, some - some % ORDER, (calc_vec)(0));
            if (apart == 1)
                take_run(row, from, some);
            else
                take_apart(row, from, some, apart, some < many - i);
        }
        if (n == 2)
            INTERLEAVE(2, 1)
        else if (n == 4)
            INTERLEAVE(4, 2)
        else
            INTERLEAVE(8, 3)
        if (line != n)
            copy_lines(to, line, wide, n, some, few);
    }
}

// Positions of neighbouring elements, a vector each: what it has behind them comes next. PoCL 3.1,
// both cores with AVX-512, 2026-11-28, us by groups and by vectors: 2 f32 718 959, 3 with a step
// 686 1030, 6 downwards 833 609; 5 i16 with a gap 852 829.
#define VECTORS_FROM 5
static void take_vectors(CALC_T *to, uint line, global const elem *p, uint many, long apart)
{
    for (uint i = 0; i < many; i++)
        TAKE(to, i * line, side_by_side(p + i * apart));
}

// Positions of fewer elements than a vector has, by chunks. Nothing may be read from `end` on.
static __attribute__((noinline)) // as a part of take_even() its loops take longer
void take_narrow(CALC_T *to, uint line, global const elem *p, global const elem *end,
                 uint many, long apart, uint few, long few_apart)
{
    elem chunk[CHUNK + MOST_GROUP / BYTES];
    const uint most = CHUNK / line;
    const long behind = max(0L, (long)(many - 1) * apart) + MOST_GROUP / BYTES;
    const bool are_groups =
        few > 1 && few_apart == 1 && few * BYTES <= MOST_GROUP && p + behind <= end;
    for (uint k = 0; k < CHUNK; k++) // lanes without inputs, and what stands behind the last line
        chunk[k] = (elem)(0);
    while (many) {
        const uint n = min(most, many);
        if (are_groups)
            copy_groups(chunk, line, p, n, apart, few * BYTES);
        else
            for (uint c = 0; c < few; c++)
                NOT_VECTORS
                for (uint i = 0; i < n; i++)
                    chunk[i * line + c] = p[i * apart + c * few_apart];
        for (uint k = 0; k < n * line; k += ORDER)
            TAKE(to, k, calc_of(*(const unaligned_part_vec *)(chunk + k)));
        to += n * line * COMPONENTS;
        p += n * apart;
        many -= n;
    }
}

// A copy of inputs that lie evenly. A position's inputs stand `line` elements behind those of
// the one before.
static __attribute__((noinline)) // compiles sooner
void take_even(CALC_T *to, uint line, global const elem *p, global const elem *end, uint many,
               long apart, uint few, long few_apart)
{
    if (few == 1 && line == 1) {
        if (apart == 1)
            take_run(to, p, many);
        else
            take_apart(to, p, many, apart, false);
    } else if (few_apart == 1 && apart == few && line == few)
        take_run(to, p, many * few);
    else if ((few_apart == 1 || few_apart == -1) && few >= ORDER)
        for (uint i = 0; i < many; i++) {
            // The next tile lies beside this one: its lines are in pages that are not near.
            global const char *next = (global const char *)(p + i * apart + few * few_apart);
            for (long c = 0; c < few * BYTES; c += CACHE_LINE)
                prefetch_line(next + c * few_apart);
            if (few_apart == 1)
                take_run(to + i * line * COMPONENTS, p + i * apart, few);
            else
                take_apart(to + i * line * COMPONENTS, p + i * apart, few, -1, false);
        }
    else if (few >= ORDER || line >= 2 * ORDER) {
        const bool is_taken =
            apart == 1 || apart == -1
                ? take_transposed(to, line, p, end, many, apart, few, few_apart)
                : apart >= -MOST_APART && apart <= MOST_APART && apart != 0 &&
                      take_some_transposed(to, line, p, end, many, (int)apart, few, few_apart);
        if (!is_taken)
            for (uint i = 0; i < many; i++)
                take_apart(to + i * line * COMPONENTS, p + i * apart, few, few_apart, false);
    } else if (few_apart == 1 && few >= VECTORS_FROM &&
               p + (max(0L, (long)(many - 1) * apart) + ORDER) <= end)
        take_vectors(to, line, p, many, apart);
    // Where the elements of rows come one by one, only eight rows gain when they are interleaved:
    // two of f32 took 622 us so and 534 without, eight of u8 2260 and 2680.
    else if (FEW(few) && few_apart != 1 && (line == few || line == TOGETHER(few)) &&
             (few == 8 || IS_SPACED(apart)))
        take_few_rows(to, line, p, many, apart, few, few_apart);
    else
        take_narrow(to, line, p, end, many, apart, few, few_apart);
}
