// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: elements as vectors, and how they move. The variants that list
// this file stand on it.
//
// A vector has VEC_N neighbouring elements: an in_vec of x, an out_vec of out, and between them
// a vec16 of operands, 16 bytes, which is what local memory holds. Arrays begin anywhere.
//
// These kernels sum in ORDER 1: an output takes its taps one after the other.
//
// Macros   those of convolve1d.cl
//          VEC_N   elements of a vector: 2 where inputs have 8 bytes, else 4

#ifndef VEC_N
#error "VEC_N must be defined"
#endif
#if VEC_N != (BYTES == 8 ? 2 : 4)
#error "VEC_N operands do not have 16 bytes"
#endif

// ---------------------------------------------------------------- vectors of operands
#if TYPE == C32
typedef float4 vec16;
#define ELEMENT(v, u) ((u) == 0 ? (v).lo : (v).hi)
#define VEC_OF(v)     (vec16)((v)[0], (v)[1])
#elif TYPE == F64
typedef double2 vec16;
#define ELEMENT(v, u) ((u) == 0 ? (v).x : (v).y)
#define VEC_OF(v)     (vec16)((v)[0], (v)[1])
#else
#if WHOLE_SUMS || WIDE_SUMS
typedef int4 vec16;
#else
typedef float4 vec16;
#endif
#define ELEMENT(v, u) ((u) == 0 ? (v).x : (u) == 1 ? (v).y : (u) == 2 ? (v).z : (v).w)
#define VEC_OF(v)     (vec16)((v)[0], (v)[1], (v)[2], (v)[3])
#endif

// ---------------------------------------------------------------- vectors of x
#if BYTES == 1
typedef uint in_vec;
#elif BYTES == 2
typedef uint2 in_vec;
#else
typedef uint4 in_vec;
#endif

// One element as it is loaded. What makes an operand of it waits for the memory.
#if TYPE == F16
#define RAW_ONE uint
#define OPERAND_OF_ONE(v) (halves(v).x)
#elif BYTES < 4
#define RAW_ONE int
#define OPERAND_OF_ONE(v) OPERAND_OF(v)
#else
#define RAW_ONE OPERAND
#define OPERAND_OF_ONE(v) (v)
#endif
static RAW_ONE load_one(global const ELEM *p)
{
#if TYPE == F16
    return *(global const ushort *)p;
#else
    return (RAW_ONE)LOAD(p, 0);
#endif
}

// 16 bytes. Compilers split a load into loads of single elements, four times the requests,
// where not all elements are used, or they are used one by one. PTX prevents that.
static uint4 load_16(global const uint4 *p)
{
#if PTX
    uint4 v;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p));
    return v;
#else
    return *p;
#endif
}

// Vector i from p on.
static in_vec load_vec(global const in_vec *p, int i)
{
#if BYTES >= 4
    return load_16(p + i);
#elif PTX && BYTES == 2
    in_vec v;
    asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p + i));
    return v;
#else
    return p[i];
#endif
}

// 32 of the 64 bits high:low, from bit `shift` modulo 32 on.
static uint moved(uint low, uint high, uint shift)
{
#if PTX
    uint r;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));
    return r;
#else
    return (uint)(((ulong)high << 32 | low) >> (shift % 32));
#endif
}

#if BYTES < 4
// The vector that begins with element `first` of `a` and goes on in `b`.
static in_vec moved_vec(in_vec a, in_vec b, uint first)
{
#if BYTES == 1
    return moved(a, b, 8 * first);
#else
    const bool far = first >= VEC_N / 2;
    const uint bits = first % 2 * 16, middle = far ? b.x : a.y;
    return (uint2)(moved(far ? a.y : a.x, middle, bits), moved(middle, far ? b.y : b.x, bits));
#endif
}
#endif

// Integers become floats by a permutation and an addition where bytes become bytes, and where an
// output takes several inputs: all conversions take the unit that has an eighth of the rate of
// additions. i8 to i16, 7 taps, step 4 (gpu_walk): H100, driver 580.159.04, 2026-11-27, 132 us by
// conversions, 125.
#if defined(STEP) && STEP > 1
#define HAS_MANY_INPUTS 1
#else
#define HAS_MANY_INPUTS 0
#endif
#define MAKES_FLOATS                                                                     \
    (PTX && !IS_FLOAT && !WHOLE_SUMS && !WIDE_SUMS &&                                    \
     ((BYTES == 1 && (OUT_TYPE == I8 || OUT_TYPE == U8)) || (BYTES <= 2 && HAS_MANY_INPUTS)))
#if MAKES_FLOATS
// Element u of a word as a number: below the upper bytes of 2^23 it is the float 2^23 + that
// number. What is signed becomes unsigned before: 2^7 or 2^15 more.
static float float_of(uint word, int u)
{
    float r;
#if BYTES == 1
    const uint sign = 0x80808080, bytes = 0x7440 + u;
    const float least = 0x1p7f;
#else
    const uint sign = 0x80008000, bytes = 0x7610 + u * 0x22;
    const float least = 0x1p15f;
#endif
    asm("prmt.b32 %0, %1, 0x4b000000, %2;"
        : "=f"(r)
        : "r"(IS_SIGNED ? word ^ sign : word), "r"(bytes));
    return r - (0x1p23f + (IS_SIGNED ? least : 0));
}
#endif

static vec16 unpack(in_vec v)
{
#if TYPE == F16
    return (vec16)(halves(v.x), halves(v.y));
#elif MAKES_FLOATS && BYTES == 1
    return (float4)(float_of(v, 0), float_of(v, 1), float_of(v, 2), float_of(v, 3));
#elif MAKES_FLOATS
    return (float4)(float_of(v.x, 0), float_of(v.x, 1), float_of(v.y, 0), float_of(v.y, 1));
#elif TYPE == F64
    return as_double2(v);
#elif IS_FLOAT
    return as_float4(v);
#elif WHOLE_SUMS || WIDE_SUMS
    return convert_int4(JOIN_NAMES(JOIN_NAMES(as_, ELEM), 4)(v));
#else
    return convert_float4(JOIN_NAMES(JOIN_NAMES(as_, ELEM), 4)(v));
#endif
}

// ---------------------------------------------------------------- vectors of out
#if OUT_TYPE == I8 || OUT_TYPE == U8
typedef uint out_vec;
#define AS_OUT_VEC as_uint
#define OUT_BYTES 1
#elif OUT_TYPE == I16 || OUT_TYPE == U16 || OUT_TYPE == F16
typedef uint2 out_vec;
#define AS_OUT_VEC as_uint2
#define OUT_BYTES 2
#elif OUT_TYPE == I64
typedef ulong4 out_vec;
#define AS_OUT_VEC as_ulong4
#define OUT_BYTES 8
#else
typedef uint4 out_vec;
#define AS_OUT_VEC as_uint4
#define OUT_BYTES (BYTES == 8 ? 8 : 4)
#endif

#if TYPE == F16 || OUT_TYPE == F16
static uint two_halves(float x, float y)
{
    uint r;
#if PTX
    asm("{ .reg .b16 a, b; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; mov.b32 %0, {a, b}; }"
        : "=r"(r)
        : "f"(x), "f"(y));
#else
    vstore_half2_rte((float2)(x, y), 0, (half *)&r);
#endif
    return r;
}
#endif

// The lowest bytes, or the lower halves, of some results as one word. What is above is ignored.
static uint join_bytes(uint a, uint b, uint c, uint d)
{
#if PTX
    uint r;
    asm("{ .reg .b32 low, high; prmt.b32 low, %1, %2, 0x40; prmt.b32 high, %3, %4, 0x40; "
        "prmt.b32 %0, low, high, 0x5410; }"
        : "=r"(r)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    return r;
#else
    return (a & 0xff) | (b & 0xff) << 8 | (c & 0xff) << 16 | d << 24;
#endif
}

#if PTX >= 72 && OUT_BYTES == 1
static uint saturated_bytes(int4 v)
{
    uint r;
#if OUT_TYPE == I8
#define PACK "cvt.pack.sat.s8.s32.b32"
#else
#define PACK "cvt.pack.sat.u8.s32.b32"
#endif
    asm("{ .reg .b32 high; " PACK " high, %4, %3, 0; " PACK " %0, %2, %1, high; }"
        : "=r"(r)
        : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
    return r;
}
#elif PTX >= 72 && OUT_BYTES == 2 && OUT_TYPE != F16
static uint saturated_halves(int low, int high)
{
    uint r;
#if OUT_TYPE == I16
    asm("cvt.pack.sat.s16.s32 %0, %2, %1;" : "=r"(r) : "r"(low), "r"(high));
#else
    asm("cvt.pack.sat.u16.s32 %0, %2, %1;" : "=r"(r) : "r"(low), "r"(high));
#endif
    return r;
}
#endif

#if WHOLE_SUMS
#define NEAREST(s) whole((s), shift)
#elif WIDE_SUMS
#define NEAREST(s) saturated(s)
#else
#define NEAREST(s) nearest(s)
#endif

static uint join_halves(uint a, uint b)
{
    return (a & 0xffff) | b << 16;
}

static out_vec pack(const SUM_T *s, uint shift)
{
#if OUT_TYPE == F16
    return (uint2)(two_halves(s[0], s[1]), two_halves(s[2], s[3]));
#elif OUT_TYPE > F16
    return AS_OUT_VEC(VEC_OF(s));
#elif OUT_BYTES == 1 && PTX >= 72
    return saturated_bytes((int4)(NEAREST(s[0]), NEAREST(s[1]), NEAREST(s[2]), NEAREST(s[3])));
#elif OUT_BYTES == 2 && PTX >= 72
    return (uint2)(saturated_halves(NEAREST(s[0]), NEAREST(s[1])),
                   saturated_halves(NEAREST(s[2]), NEAREST(s[3])));
#elif OUT_BYTES == 1
    return join_bytes(LOW_BITS(s[0], shift), LOW_BITS(s[1], shift), LOW_BITS(s[2], shift),
                      LOW_BITS(s[3], shift));
#elif OUT_BYTES == 2
    return (uint2)(join_halves(LOW_BITS(s[0], shift), LOW_BITS(s[1], shift)),
                   join_halves(LOW_BITS(s[2], shift), LOW_BITS(s[3], shift)));
#else
    return AS_OUT_VEC((JOIN_NAMES(OUT_T, 4))(RESULT(s[0], shift), RESULT(s[1], shift),
                                             RESULT(s[2], shift), RESULT(s[3], shift)));
#endif
}

#if OUT_BYTES == 8
#define COPY(to, i, from, e) \
    vstore2(vload2((e), (local const uint *)(from)), (i), (global uint *)(to))
#else
#if OUT_BYTES == 1
#define BITS uchar
#elif OUT_BYTES == 2
#define BITS ushort
#else
#define BITS uint
#endif
// Element e of local memory to element i of out.
#define COPY(to, i, from, e) (((global BITS *)(to))[i] = ((local const BITS *)(from))[e])
#endif
