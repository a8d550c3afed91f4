// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: what out gets for a vector of sums.
//
// Macros  those of cpu_vector.cl
//
// Defines out_vec      ORDER elements of out
//         result_of()  what STORE would write for each sum

#if OUT_TYPE == F16
typedef JOIN_NAMES(ushort, VEC_N) out_vec;
#elif OUT_TYPE == C32
typedef calc_vec out_vec;
#else
typedef JOIN_NAMES(OUT_T, VEC_N) out_vec;
#endif

// BY_MAGIC: sums of integers are divided and rounded in their float type, which holds quotients by
// powers of two exactly. They are limited to the range of out's type. Then the addition of MAGIC
// rounds half to even and leaves the integer in the lowest bits. The other way needs integers of 64
// bits for sums in f64. Without AVX-512 each double is converted to them by itself. PoCL 3.1, both
// cores of an AMD EPYC with AVX2, 2026-11-30, 2^24 outputs, ms by integers and so, the least of 60
// calls in 5 processes of each, which took turns, sums of more than 24 bits: u8, 3 taps 17.3 6.3, 11
// taps 21.0 12.7, 31 taps 29.2 21.7; i16, 11 taps 21.1 12.3; i32, 11 taps 21.5 12.1; u8, 11 taps, to
// i32 20.7 12.5, to i64 18.8 11.1; i32 to i64, 31 taps 26.5 18.7. Sums of 24 bits: u8, 3 taps 3.2
// 3.4, 11 taps 6.6 6.6; u16, 11 taps 6.3 5.9. With AVX-512, both cores of another EPYC, 2026-12-01,
// the least of 45, more than 24 bits: u8, 3 taps 6.2 5.9, 11 taps 8.9 8.5, 31 taps 14.4 13.7; i16, 11
// taps 8.0 7.7; i32 8.4 7.6; u8, 11 taps, to i32 7.9 7.5, to i64 8.0 7.2; 24 bits: u8, 3 taps 3.1 2.9,
// 11 taps 5.2 5.0; u16, 11 taps 6.6 5.1. Lost: rint(), which PoCL 3.1 computes by some 15
// instructions.
#if WHOLE_SUMS
#define BY_MAGIC (ARITHMETIC == F64 || (ARITHMETIC == F32 && OUT_TYPE < I32))
#if ARITHMETIC == F32
#define WHOLE_T    int // sums are below 2^24: a division by 2^30 gives what larger ones give
#define MOST_SHIFT 30
#else
#define WHOLE_T    long
#define MOST_SHIFT 62
#endif
typedef JOIN_NAMES(WHOLE_T, VEC_N) whole_vec;
#endif

#if WHOLE_SUMS && BY_MAGIC
#if ARITHMETIC == F32
#define MAGIC             0x1.8p23f
#define INVERSE_OF(shift) as_float((127 - (shift)) << 23)
#define LOW_WORDS(a)      JOIN_NAMES(as_int, VEC_N)(a)
#else
#define MAGIC             0x1.8p52
#define INVERSE_OF(shift) as_double((ulong)(1023 - (shift)) << 52)
#define LOW_WORDS(a)      as_int16(a).even // of eight
#endif

#ifdef OUT_LOW
// One instruction each, as no sum is a NaN.
static calc_vec limited(calc_vec a)
{
    const calc_vec low = (calc_vec)((CALC_T)OUT_LOW), high = (calc_vec)((CALC_T)OUT_HIGH);
    a = a > low ? a : low;
    return a < high ? a : high;
}
#endif
#endif

// What STORE would write for each sum.
static out_vec result_of(calc_vec a, uint shift)
{
#if WHOLE_SUMS && BY_MAGIC && OUT_TYPE == I64 // sums are below 2^51
    return as_long8(a * INVERSE_OF(shift) + MAGIC) - as_long(MAGIC);
#elif WHOLE_SUMS && BY_MAGIC
    a = limited(a * INVERSE_OF(shift)) + MAGIC;
    return JOIN_NAMES(JOIN_NAMES(convert_, OUT_T), VEC_N)(LOW_WORDS(a));
#elif WHOLE_SUMS
    const uint by = min(shift, (uint)MOST_SHIFT);
    const WHOLE_T unit = (WHOLE_T)1 << by, odd = by ? 1 : 0;
    const whole_vec places = (whole_vec)((WHOLE_T)by);
    const whole_vec s = JOIN_NAMES(JOIN_NAMES(convert_, WHOLE_T), VEC_N)(a), q = s >> places;
    whole_vec r = q + (((s & (unit - 1)) + ((unit >> 1) - odd) + (q & odd)) >> places);
#ifdef OUT_LOW
    r = clamp(r, (whole_vec)((WHOLE_T)OUT_LOW), (whole_vec)((WHOLE_T)OUT_HIGH));
#endif
    return JOIN_NAMES(JOIN_NAMES(convert_, OUT_T), VEC_N)(r);
#elif OUT_TYPE < F16 // as whole() in results.cl
#define AS_CALC  JOIN_NAMES(JOIN_NAMES(as_, CALC_T), VEC_N)
#define AS_WHOLE JOIN_NAMES(as_int, VEC_N)
    a = AS_CALC(AS_WHOLE(a) & (a == a));
#if OUT_TYPE == I32
    return JOIN_NAMES(JOIN_NAMES(convert_int, VEC_N), _sat_rte)(a);
#else
    a = clamp(a, (calc_vec)((CALC_T)OUT_LOW), (calc_vec)((CALC_T)OUT_HIGH)) + MAGIC;
    return JOIN_NAMES(JOIN_NAMES(convert_, OUT_T), VEC_N)(AS_WHOLE(a));
#endif
#elif OUT_TYPE == F16
    out_vec r;
    JOIN_NAMES(JOIN_NAMES(vstore_half, VEC_N), _rte)(a, 0, (half *)&r);
    return r;
#else
    return a;
#endif
}
