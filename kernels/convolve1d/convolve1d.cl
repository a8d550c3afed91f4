// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: what its kernels share: types, one multiply-add, inputs beyond the ends.
// results.cl is the other file that all of them have.
//
//     out[r][i] = sum over k of g[k] * X(i * step + origin + k * dilation),  k = 0 ... taps - 1
//
// g are the taps in the order in which they meet ascending inputs (reversed, unless the filter
// correlates). X is row r of x, continued at both ends:
//
//     j   -halo ... -1           | 0 ... n - 1 | n ...
//         boundary `left`,       | x           | boundary `right`
//         before where HISTORY   |             |
//
// Order of summation. All variants that a device may choose give the same bits, because they
// add in the same order: one sum per output, which starts at zero. It takes the taps in spans
// of SPAN_ORDERS * ORDER. Of each span it takes the residues r = 0 ... ORDER - 1 of k modulo
// ORDER in turn, and of each residue the taps k = r, r + ORDER, r + 2 ORDER ... Each step is
// one ADD. ORDER is 1 on GPUs, where items read neighbouring inputs. On CPUs, whose unit is a
// vector, it is as many elements as a vector holds.
//
// Macros  TYPE      of x and before; see common.cl
//         TAP_TYPE  of g: F32, F64, I32 or C32
//         OUT_TYPE  of out
//         SUM32     1: sums of integer taps fit 32 bits, whatever the input
//         FINITE    1: no float sum is NaN, whatever the input
//         BOUNDARY_CONSTANT ... BOUNDARY_HISTORY   numbers of enum gpuprim_boundary. There is
//                   no ZERO: it comes as CONSTANT with the constant 0
//         WG        items per group, any number from 1 up
//
// Defines WHOLE_SUMS  1: taps and data are integers, and so are the sums. 0: sums are floats,
//                   whatever the data
//         WIDE_SUMS   1: sums of integers are in f64, because f32 or 32 bits do not hold them.
//                   Operands are integers
//         OPERAND   what an element of x is to calculate with: (OPERAND)LOAD(x, i)
//         OPERAND_OF(v)    the same of a loaded element, where conversions are slow
//         TAP_T     a tap: g[k]
//         TAPS_PARAMETER   the taps of variants that take them by value, as a struct of the
//                   variant's, or in memory where rows have their own (OWN_TAPS)
//         SUM_T     a sum
//         ADD(s, h, w)     s + h * w. Floats: one fma. Complex: the two parts
//                          s.re = fma(h.re, w.re, s.re), then s.re = fma(-h.im, w.im, s.re);
//                          s.im = fma(h.re, w.im, s.im), then s.im = fma(h.im, w.re, s.im);
//                          with real taps the first of each
//         resolve(), fetch()   an input beyond the ends

#if !defined(TAP_TYPE) || !defined(OUT_TYPE) || !defined(SUM32) || !defined(FINITE)
#error "TAP_TYPE, OUT_TYPE, SUM32 and FINITE must be defined"
#endif
#if !defined(BOUNDARY_CONSTANT) || !defined(BOUNDARY_EDGE) || \
    !defined(BOUNDARY_REFLECT_HALF) || !defined(BOUNDARY_REFLECT_WHOLE) || \
    !defined(BOUNDARY_WRAP) || !defined(BOUNDARY_HISTORY)
#error "the boundaries must be defined"
#endif
#if !defined(WG) || WG < 1
#error "WG must be defined, at least 1"
#endif

// ---------------------------------------------------------------- types
#define WHOLE_SUMS (TAP_TYPE == I32)
#define WIDE_SUMS  (TAP_TYPE == F64 && TYPE < F16)

#if TYPE == C32
#define OPERAND float2
#elif TYPE == F64
#define OPERAND double
#elif WHOLE_SUMS || WIDE_SUMS
#define OPERAND int
#else
#define OPERAND float
#endif

#if PTX && BYTES < 4 && !IS_FLOAT && !WHOLE_SUMS && !WIDE_SUMS
// Conversions from 16 bits have an eighth of the rate of those from 32.
static float float_of_int(int v)
{
    float r;
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(r) : "r"(v));
    return r;
}
#define OPERAND_OF(v) float_of_int(v)
#else
#define OPERAND_OF(v) ((OPERAND)(v))
#endif

#if TAP_TYPE == C32
#define TAP_T float2
#elif TAP_TYPE == F64
#define TAP_T double
#elif TAP_TYPE == F32
#define TAP_T float
#else
#define TAP_T int
#endif
#if defined OWN_TAPS && OWN_TAPS
#define TAPS_PARAMETER global const TAP_T *restrict taps
#else
#define TAPS_PARAMETER const struct taps h
#endif

#if WIDE_SUMS
#define SUM_T double
#elif !WHOLE_SUMS
#define SUM_T OPERAND
#elif SUM32
#define SUM_T int
#else
#define SUM_T long
#endif

#if TYPE == C32 && TAP_TYPE == C32
#define ADD(s, h, w) \
    fma((float2)(-(h).y, (h).y), (w).yx, fma((float2)((h).x, (h).x), (w), (s)))
#elif TYPE == C32
#define ADD(s, h, w) fma((float2)((h), (h)), (w), (s))
#elif !WHOLE_SUMS
#define ADD(s, h, w) fma((h), (SUM_T)(w), (s))
#elif PTX && !SUM32
// In a loop compilers extend taps to 64 bits in front of it, and multiply 64-bit numbers: six
// instructions for one. Of mad.wide ptxas makes three instructions half of the times.
static long product(int h, int w)
{
    long r;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(r) : "r"(h), "r"(w));
    return r;
}
#define ADD(s, h, w) ((s) + product((h), (w)))
#else
#define ADD(s, h, w) ((s) + (SUM_T)(h) * (SUM_T)(w))
#endif

// ---------------------------------------------------------------- elements as bits
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

// ---------------------------------------------------------------- beyond the ends
// Returns the input that stands for X(j): one of 0 ... n - 1. Returns j itself where it is
// inside, and where it is outside and CONSTANT or HISTORY says what is there. The side on which
// j lies decides alone. Only rows shorter than the filter fold more than once, and only that
// costs a division. On NVIDIA's GPUs this is a function of its own, because its registers would
// otherwise be those of the whole kernel.
#if PTX
__attribute__((noinline))
#endif
static long resolve(long j, long n, uint left, uint right)
{
    const uint mode = j < 0 ? left : right;
    if ((ulong)j < (ulong)n || mode == BOUNDARY_CONSTANT || mode == BOUNDARY_HISTORY)
        return j;
    if (mode == BOUNDARY_EDGE)
        return j < 0 ? 0 : n - 1;
    // Positions j and last - j have the same input.
    const long last = mode == BOUNDARY_REFLECT_HALF ? 2 * n - 1 : 2 * n - 2;
    const long period = mode == BOUNDARY_WRAP           ? n
                        : mode == BOUNDARY_REFLECT_HALF ? 2 * n
                                                        : max(last, 1L);
    j += j < 0 ? period : 0;
    j -= j >= period ? period : 0;
    if ((ulong)j >= (ulong)period) {
        j %= period;
        j += j < 0 ? period : 0;
    }
    return mode == BOUNDARY_WRAP ? j : min(j, last - j);
}

static OPERAND constant_of(ulong bits)
{
#if TYPE == C32
    return as_float2(bits);
#elif TYPE == F64
    return as_double(bits);
#elif TYPE == F16
    return halves((uint)bits).x;
#elif IS_FLOAT
    return as_float((uint)bits);
#else
    return (OPERAND)(int)bits;
#endif
}

// X(j). x and before are the buffers; element 0 of the row stands at `at` of x and `before_at`
// of before.
static OPERAND fetch(global const ELEM *x, global const ELEM *before, const struct arguments *g,
                     long at, long before_at, long j)
{
    j = resolve(j, (long)g->n, g->left, g->right);
    if ((ulong)j < g->n)
        return (OPERAND)LOAD(x, at + j * g->stride);
    if (j < 0 && g->left == BOUNDARY_HISTORY)
        return (OPERAND)LOAD(before, before_at + (j + (long)g->halo) * g->before_stride);
    return constant_of(j < 0 ? g->constant_left : g->constant_right);
}
