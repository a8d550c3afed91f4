// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: what its kernels share, and the kernel that hands on the history.
//
//     out[r][i] = sum over k of g[k] * X(i * step + lo + k * dilation),   k = 0 ... taps - 1
//
// g are the taps in the order in which they meet ascending inputs (reversed, where the call does
// not correlate), X is row r of x continued at both ends:
//
//     j   -reach ... -1          | 0 ... n - 1 | n ...
//         boundary `left`,       | x           | boundary `right`
//         before where HISTORY   |             |
//
// Order of summation, the same in all variants so that all give the same bits on a device: one
// sum per output, which starts at zero and takes the taps in spans of SPAN, of each span the
// residues r = 0 ... ORDER - 1 of k modulo ORDER in turn, of each residue k = r, r + ORDER,
// r + 2 ORDER ... Each step is one ADD, below.
//
// Macros  TYPE      of x and before; see common.cl
//         TAP_TYPE  of g: F32, F64, I32 or C32
//         OUT_TYPE  of out
//         SUM32     1: integer sums fit 32 bits, whatever the input
//         ORDER     1 where items read neighbouring inputs; where vectors are the unit (CPUs)
//                   as many elements as a vector holds
//         WG        items per group, any number from 1 up
//         SHAPE, ITEMS   each variant's own
//
// Defines W     what an element of x is as an operand: (W)LOAD(x, i)
//         H     a tap: g[k]
//         S     a sum
//         U     an element of out in memory
//         ADD(s, h, w)     s + h * w. Floats: one fma. Complex: the two parts
//                          s.re = fma(h.re, w.re, s.re), then s.re = fma(-h.im, w.im, s.re);
//                          s.im = fma(h.re, w.im, s.im), then s.im = fma(h.im, w.re, s.im);
//                          with real taps the first of each
//         resolve(), fetch()   an input beyond the ends
//         STORE(p, i, s, shift)   what out gets for a sum, to element i of p

#if !defined(TAP_TYPE) || !defined(OUT_TYPE) || !defined(SUM32)
#error "TAP_TYPE, OUT_TYPE and SUM32 must be defined"
#endif
#if !defined(WG) || WG < 1
#error "WG must be defined, at least 1"
#endif

// enum gpuprim_boundary. ZERO comes as CONSTANT with the constant 0 in its place.
#define CONSTANT      1
#define EDGE          2
#define REFLECT_HALF  3
#define REFLECT_WHOLE 4
#define WRAP          5
#define HISTORY       6

// The host's struct convolve_arguments, member for member.
struct arguments {
    long first, stride, row_stride; // where x lies, elements
    long before_first, before_stride, before_row_stride; // only read where left is HISTORY
    long out_first, out_stride, out_row_stride;
    ulong n;        // inputs of a row
    ulong outputs;  // of a row, in this launch
    ulong rows;     // at least 1, as are outputs
    long lo;        // which input g[0] meets for output 0
    ulong reach;    // (taps - 1) * dilation
    ulong tap_first; // where the taps of the first row begin, elements
    ulong tap_row;  // from the taps of a row to the next row's; 0: one row for all
    ulong constant_left, constant_right; // the bits of an element; integers: as a long
    ulong share;    // the variant's own: outputs of an item, or a group
    uint taps, step, dilation;
    uint left, right;
    uint shift;
    uint row_groups, extra; // the variant's own
};

// ---------------------------------------------------------------- types
#if TYPE == C32
#define W float2
#elif TYPE == F64
#define W double
#elif TYPE == F16 || TYPE == F32
#define W float
#else
#define W int
#endif

#if TAP_TYPE == C32
#define H float2
#elif TAP_TYPE == F64
#define H double
#elif TAP_TYPE == F32
#define H float
#else
#define H int
#endif

#if IS_FLOAT
#define S W
#elif SUM32
#define S int
#else
#define S long
#endif

#if TYPE == C32 && TAP_TYPE == C32
#define ADD(s, h, w) \
    fma((float2)(-(h).y, (h).y), (w).yx, fma((float2)((h).x, (h).x), (w), (s)))
#elif TYPE == C32
#define ADD(s, h, w) fma((float2)((h), (h)), (w), (s))
#elif IS_FLOAT
#define ADD(s, h, w) fma((h), (w), (s))
#else
#define ADD(s, h, w) ((s) + (S)(h) * (S)(w))
#endif

// ---------------------------------------------------------------- beyond the ends
// The input that stands for X(j): one of 0 ... n - 1, or j itself where it is outside and
// CONSTANT or HISTORY says what is there. The side on which j lies decides alone. Rows shorter
// than the filter fold more than once, which only then costs a division: on NVIDIA's GPUs a
// function of its own, for its registers would be those of the whole kernel.
#if PTX
__attribute__((noinline))
#endif
static long resolve(long j, long n, uint left, uint right)
{
    const uint mode = j < 0 ? left : right;
    if ((ulong)j < (ulong)n || mode == CONSTANT || mode == HISTORY)
        return j;
    if (mode == EDGE)
        return j < 0 ? 0 : n - 1;
    const long last = mode == REFLECT_HALF ? 2 * n - 1 : 2 * n - 2; // j and last - j are equal
    const long period = mode == WRAP ? n : mode == REFLECT_HALF ? 2 * n : max(last, 1L);
    j += j < 0 ? period : 0;
    j -= j >= period ? period : 0;
    if ((ulong)j >= (ulong)period) {
        j %= period;
        j += j < 0 ? period : 0;
    }
    return mode == WRAP ? j : min(j, last - j);
}

static W constant_of(ulong bits)
{
#if TYPE == C32
    return as_float2(bits);
#elif TYPE == F64
    return as_double(bits);
#elif IS_FLOAT
    return as_float((uint)bits);
#else
    return (int)bits;
#endif
}

// X(j). x and before are the buffers; element 0 of the row stands at `at` of x and `before_at`
// of before.
static W fetch(global const T *x, global const T *before, const struct arguments *g, long at,
               long before_at, long j)
{
    j = resolve(j, (long)g->n, g->left, g->right);
    if ((ulong)j < g->n)
        return (W)LOAD(x, at + j * g->stride);
    if (j < 0 && g->left == HISTORY)
        return (W)LOAD(before, before_at + (j + (long)g->reach) * g->before_stride);
    return constant_of(j < 0 ? g->constant_left : g->constant_right);
}

// ---------------------------------------------------------------- results
// An integer sum divided by 2^shift, rounded half to even.
static long scaled(long s, uint shift)
{
    const ulong unit = 1UL << shift, rest = (ulong)s & (unit - 1);
    const ulong half_unit = shift ? unit >> 1 : 1;
    const long q = s >> shift;
    return q + ((rest > half_unit) | ((rest == half_unit) & (q & 1)));
}

#if OUT_TYPE == I8
#define U         char
#define SATURATED convert_char_sat
#elif OUT_TYPE == U8
#define U         uchar
#define SATURATED convert_uchar_sat
#elif OUT_TYPE == I16
#define U         short
#define SATURATED convert_short_sat
#elif OUT_TYPE == U16
#define U         ushort
#define SATURATED convert_ushort_sat
#elif OUT_TYPE == I32
#define U         int
#define SATURATED convert_int_sat
#elif OUT_TYPE == I64
#define U         long
#define SATURATED
#elif OUT_TYPE == F16
#define U half
#elif OUT_TYPE == F32
#define U float
#elif OUT_TYPE == F64
#define U double
#elif OUT_TYPE == C32
#define U float2
#else
#error "OUT_TYPE is no type of results"
#endif

#if !IS_FLOAT
#define STORE(p, i, s, shift) ((p)[i] = SATURATED(scaled((s), (shift))))
#elif OUT_TYPE == F16
#define STORE(p, i, s, shift) vstore_half_rte((s), (i), (p))
#elif OUT_TYPE == C32
#define STORE(p, i, s, shift) vstore2((s), (i), (global float *)(p))
#else
#define STORE(p, i, s, shift) ((p)[i] = (s))
#endif

// ---------------------------------------------------------------- history
// after = the last `outputs` elements of before and x, one behind the other:
//
//     before  | - - - b b b |
//     x                     | x x x |
//     after         | b b b x x x |       outputs = reach
//
// A group takes a row, WG elements at a time. after may be the memory of before: an element
// moves down only, to where all have been read, but for those of the same turn, for which the
// barrier is.
#if BYTES == 1
#define RAW uchar
#elif BYTES == 2
#define RAW ushort
#elif BYTES == 4
#define RAW uint
#else
#define RAW uint2
#endif
#if BYTES == 8
#define RAW_LOAD(p, i)     vload2((i), (global const uint *)(p))
#define RAW_STORE(p, i, v) vstore2((v), (i), (global uint *)(p))
#else
#define RAW_LOAD(p, i)     (((global const RAW *)(p))[i])
#define RAW_STORE(p, i, v) (((global RAW *)(p))[i] = (v))
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d_history(global const T *x, global const T *before, global T *after,
                        const struct arguments g)
{
    const long row = get_group_id(0), length = (long)g.outputs, n = (long)g.n;
    const long at = g.first + row * g.row_stride;
    const long before_at = g.before_first + row * g.before_row_stride;
    const long after_at = g.out_first + row * g.out_row_stride;
    for (long begin = 0; begin < length; begin += WG) {
        const long i = begin + (long)get_local_id(0);
        const long j = i + n - length; // of x; negative: of before, from its end
        RAW v = 0;
        if (i < length)
            v = j < 0 ? RAW_LOAD(before, before_at + (j + length) * g.before_stride)
                      : RAW_LOAD(x, at + j * g.stride);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i < length)
            RAW_STORE(after, after_at + i * g.out_stride, v);
    }
}
