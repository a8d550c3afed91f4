// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: how the blocks of cpu_blocks.cl are read and written. The elements
// of a block are numbered in lines, whose elements may lie anywhere:
//
//     long line   | v v v v v v v v |    a vector at a time from memory, and past the caches
//     lines       | x x x | x x x | ...  one by one into private memory, and vectors from there
//     square      VEC_N elements to a line, BLOCK / VEC_N lines, each side by side in memory:
//
//         input, a line to a column         labels, side by side across the lines
//         | x0 x1 x2 ... | line 0           | line 0, 1, 2 ... | x0
//         | x0 x1 x2 ... | line 1           | line 0, 1, 2 ... | x1
//
// The labels of a square are transposed by perfect shuffles. One takes numbers from both halves
// of the block in turn, which rotates the bits of a number's position by one. After as many as
// there are bits in the number of lines, line and position have changed places.
//
// PoCL 3.1, two cores that others used too, 2026-11-22, matrices of 6 to 7 million elements by
// columns to labels by rows, processor time of as many elements in one row over that of the
// call, two or three runs:
//     f32 by 8 keys, element by element  0.09 0.09 0.09    squares  0.69 0.74 0.71
//     i8 by 3 keys                       0.31 0.36 0.41             0.67 0.63 0.80
//     i16 by 2 keys of each row          0.12 0.10 0.13             0.43 0.69 0.60
// Squares with the next square's lines prefetched: f32 0.16, eight squares ahead 0.31.
//
// An element takes about two operations to convert; two more, and a store, for each of input
// and labels that does not lie side by side; a third of a shuffle in a square.
//
// Macros  VEC_N, LABEL_TYPE
//
// Defines struct lines               the lines of a block
//         RAW, raw_vec               elements as they are in memory
//         read_line(), write_line()  a long line; read_line_back(): downwards
//         read_lines(), write_lines()
//         read_square(), write_square()

// Elements in memory.
#if TYPE == F16 // loaded as bits first: PoCL 3.1 takes vload_half16's argument for aligned
#define RAW ushort
#else
#define RAW ELEM
#endif
typedef JOIN_NAMES(RAW, VEC_N) raw_vec;
typedef raw_vec __attribute__((aligned(BYTES))) raw_vec_unaligned; // begins at any element

#if BYTES == 8
#define SQUARE_LINES 16
#else
#define SQUARE_LINES 8
#endif
#if SQUARE_LINES * VEC_N != BLOCK
#error "a square is a block"
#endif

// The lines of a block, and what of them the block before has counted.
struct lines {
    uint length, n, pitch; // in the block they lie `pitch` apart
    uint counted, counted_lines;
};

// ---------------------------------------------------------------- reading
static key_vec keys_of(raw_vec v)
{
#if TYPE == F16
    return JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, KEY_T), VEC_N)(v);
#endif
}

// Reads a long line.
static void read_line(key_vec *restrict v, global const RAW *restrict p)
{
    #pragma unroll
    for (uint i = 0; i < BLOCK / VEC_N; i++) {
        if (i * VEC_N * BYTES % CACHE_LINE == 0)
            prefetch_ahead(p + i * VEC_N);
        v[i] = keys_of(*(global const raw_vec_unaligned *)(p + i * VEC_N));
    }
}

#if VEC_N == 16
#define REVERSED(v) (v).sfedcba9876543210
#else
#define REVERSED(v) (v).s76543210
#endif

// Reads a long line from p downwards. PoCL 3.1, both cores of an AMD EPYC with AVX-512, 2026-12-01, us
// one by one, by vectors, and by vectors with a prefetch: f32, 100 bins, 1292 rows of 4938 3925 2503 2384; 3
// bins, one row of 6 million 1400 530 539, of 40 million 9245 3512 4300; u8, 30 bins 2725 1817 1788.
static void read_line_back(key_vec *restrict v, global const RAW *restrict p)
{
    #pragma unroll
    for (uint i = 0; i < BLOCK / VEC_N; i++) {
        p -= VEC_N;
        v[i] = keys_of(REVERSED(*(global const raw_vec_unaligned *)(p + 1)));
    }
}

// Reads the lines of a square, each side by side in memory.
static void read_square(key_vec *restrict v, global const RAW *restrict p, long across)
{
    #pragma unroll
    for (uint l = 0; l < SQUARE_LINES; l++, p += across)
        v[l] = keys_of(*(global const raw_vec_unaligned *)p);
}

// Reads lines that lie anywhere. `raw` has room for a block and defined values.
static void read_lines(key_vec *restrict v, RAW *restrict raw, global const RAW *restrict p,
                       long along, long across, const struct lines *restrict b)
{
    for (uint l = 0; l < b->n; l++, p += across) {
        RAW *to = raw + l * b->pitch;
        if (along == 1)
            for (uint i = 0; i < b->length; i++)
                to[i] = p[i];
        else
            for (uint i = 0; i < b->length; i++)
                to[i] = p[(long)i * along];
    }
    for (uint i = 0; i < BLOCK / VEC_N; i++)
        v[i] = keys_of(((const raw_vec *)raw)[i]);
}

// ---------------------------------------------------------------- writing
#define LABEL_VEC 16 // labels that are narrowed at once
#if LABEL_TYPE == U8
typedef uchar16 label_vec;
#define NARROW convert_uchar16
#elif LABEL_TYPE == U16
typedef ushort16 label_vec;
#define NARROW convert_ushort16
#else
typedef uint16 label_vec;
#define NARROW
#endif

#if LABEL_TYPE
typedef uint16 __attribute__((aligned(1))) uint16_unaligned;

static void write_line(global LABEL_T *out, const LABEL_T *from, bool is_streamed)
{
    const uint16 *lines = (const uint16 *)from;
    if (is_streamed)
        for (uint i = 0; i < BLOCK * sizeof(LABEL_T) / CACHE_LINE; i++)
            STREAM((global uint16 *)out + i, lines[i]);
    else
        for (uint i = 0; i < BLOCK * sizeof(LABEL_T) / CACHE_LINE; i++)
            ((global uint16_unaligned *)out)[i] = lines[i];
}

static void write_lines(global LABEL_T *restrict out, const LABEL_T *restrict from, long along,
                        long across, const struct lines *restrict b)
{
    if (across == 1) { // side by side across the lines
        for (uint i = 0; i < b->length; i++, out += along)
            for (uint l = 0; l < b->n; l++)
                out[l] = from[l * b->pitch + i];
        return;
    }
    for (uint l = 0; l < b->n; l++, out += across, from += b->pitch)
        if (along == 1)
            for (uint i = 0; i < b->length; i++)
                out[i] = from[i];
        else
            for (uint i = 0; i < b->length; i++)
                out[(long)i * along] = from[i];
}

// ---------------------------------------------------------------- squares
typedef JOIN_NAMES(LABEL_T, SQUARE_LINES) label_row;
typedef label_row __attribute__((aligned(sizeof(LABEL_T)))) label_row_unaligned;
typedef JOIN_NAMES(LABEL_T, VEC_N) label_line;
typedef label_line __attribute__((aligned(sizeof(LABEL_T)))) label_line_unaligned;

// Numbers of both halves in turn.
static void shuffle_halves(label_vec *restrict to, const label_vec *restrict from)
{
    #pragma unroll
    for (uint i = 0; i < BLOCK / LABEL_VEC / 2; i++) {
        const label_vec a = from[i], b = from[i + BLOCK / LABEL_VEC / 2];
        to[2 * i] = (label_vec)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4,
                                a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
        to[2 * i + 1] = (label_vec)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc,
                                    a.sd, b.sd, a.se, b.se, a.sf, b.sf);
    }
}

// Writes labels that lie side by side along the lines or across them.
static void write_square(global LABEL_T *restrict out, const LABEL_T *restrict from, long along,
                         long across)
{
    if (along == 1) {
        #pragma unroll
        for (uint l = 0; l < SQUARE_LINES; l++, out += across)
            *(global label_line_unaligned *)out = ((const label_line *)from)[l];
        return;
    }
    label_vec a[BLOCK / LABEL_VEC], b[BLOCK / LABEL_VEC];
    shuffle_halves(a, (const label_vec *)from);
    shuffle_halves(b, a);
    shuffle_halves(a, b);
#if SQUARE_LINES == 16
    shuffle_halves(b, a);
    const label_row *rows = (const label_row *)b;
#else
    const label_row *rows = (const label_row *)a;
#endif
    #pragma unroll
    for (uint i = 0; i < VEC_N; i++, out += along)
        *(global label_row_unaligned *)out = rows[i];
}
#endif
