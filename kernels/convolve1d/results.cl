// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: what becomes of a sum. All kernels share this file.
//
// Macros   those of convolve1d.cl
//          SHIFT  the shift of integer sums, where it is compiled in, else 63
//          FITS   1: integer sums divided by 2^(shift - 1), and 1 more, fit 32 bits
//          ROOMY  1: integer sums have room for half of 2^SHIFT more, which is at least 1
//
// Defines  OUT_T                   an element of out in memory
//          RESULT(s, shift)        what out gets for a sum; f16: still as a float
//          LOW_BITS(s, shift)      8 and 16 bits: a uint that has it in its lowest bits
//          STORE(p, i, s, shift)   writes it to element i of p

#if !defined(SHIFT) || !defined(FITS) || !defined(ROOMY)
#error "SHIFT, FITS and ROOMY must be defined"
#endif

#if OUT_TYPE == I8
#define OUT_T    char
#define OUT_LOW   CHAR_MIN
#define OUT_HIGH  CHAR_MAX
#elif OUT_TYPE == U8
#define OUT_T    uchar
#define OUT_LOW   0
#define OUT_HIGH  UCHAR_MAX
#elif OUT_TYPE == I16
#define OUT_T    short
#define OUT_LOW   SHRT_MIN
#define OUT_HIGH  SHRT_MAX
#elif OUT_TYPE == U16
#define OUT_T    ushort
#define OUT_LOW   0
#define OUT_HIGH  USHRT_MAX
#elif OUT_TYPE == I32
#define OUT_T    int
#define OUT_LOW   INT_MIN
#define OUT_HIGH  INT_MAX
#elif OUT_TYPE == I64
#define OUT_T    long
#elif OUT_TYPE == F16
#define OUT_T    half
#elif OUT_TYPE == F32
#define OUT_T    float
#elif OUT_TYPE == F64
#define OUT_T    double
#elif OUT_TYPE == C32
#define OUT_T    float2
#else
#error "OUT_TYPE is not a type of results"
#endif

#if WHOLE_SUMS
#if SUM32
#define UNSIGNED uint
#else
#define UNSIGNED ulong
#endif
// Whether it is enough to limit the upper half of a sum: what is limited saturates in any case.
#define LIMITED (!FITS && !SUM32 && OUT_TYPE < I32 && SHIFT >= 5 && SHIFT <= 32)
#if FITS || LIMITED
#define SCALED_T int
#else
#define SCALED_T SUM_T
#endif
#if !ROOMY && !LIMITED
// Whether exactly half a unit remains of a sum. Where the shift is known, a word may not matter.
static bool is_tie(SUM_T s, uint shift)
{
#if SHIFT == 0
    return false;
#elif !SUM32 && SHIFT <= 32
    return (((uint)s ^ 1u << (SHIFT - 1)) & ~0u >> (32 - SHIFT)) == 0;
#elif !SUM32 && SHIFT < 63
    const uint high = (uint)(s >> 32) ^ 1u << (SHIFT - 33);
    return ((uint)s | (high & ((1u << (SHIFT - 32)) - 1))) == 0;
#else
    const uint one = shift > 0;
    const UNSIGNED half_unit = (UNSIGNED)one << (shift - one);
    return (((UNSIGNED)s ^ half_unit) & (half_unit + half_unit - one)) == 0;
#endif
}
#endif

// A sum divided by 2^shift, rounded half to even. Where there is room: half a unit less 1 is
// added, and 1 more where the result would be odd. Else: rounded half up, and then the lowest bit
// is taken away where half a unit remained. Shifts by `one` less give twice the result.
static SCALED_T scaled(SUM_T s, uint shift)
{
#if LIMITED
    const int most = (1 << (SHIFT - 3)) - 1;
    s = (long)clamp((int)(s >> 32), -most, most) << 32 | (uint)s;
#endif
#if ROOMY || LIMITED
    const UNSIGNED half_unit = (UNSIGNED)1 << (SHIFT - 1);
    return (SCALED_T)((s + (SUM_T)(half_unit - 1 + ((UNSIGNED)s >> SHIFT & 1))) >> SHIFT);
#else
#if SHIFT < 63
    shift = SHIFT;
#endif
#if SUM32
    shift = min(shift, 32u); // gives 0, as larger ones do
#endif
    const uint one = shift > 0;
    const SCALED_T twice = (SCALED_T)(s >> (shift - one));
#if FITS
    const SCALED_T r = (twice + (SCALED_T)one) >> one;
#else
    const SCALED_T r = (twice >> one) + (SCALED_T)(twice & one); // twice + 1 might overflow
#endif
    return is_tie(s, shift) ? r & ~(SCALED_T)one : r;
#endif
}

#if OUT_TYPE == I64
#define RESULT(s, shift) ((long)scaled((s), (shift)))
#else
// The same; beyond 32 bits the end of their range.
static int whole(SUM_T s, uint shift)
{
    const SCALED_T r = scaled(s, shift);
#if SUM32 || FITS || LIMITED
    return r;
#else
    const int low = (int)r, high = (int)(r >> 32);
    return high == low >> 31 ? low : high >> 31 ^ INT_MAX;
#endif
}
#if OUT_TYPE == I32
#define RESULT(s, shift)   whole((s), (shift))
#else
#define RESULT(s, shift)   ((OUT_T)clamp(whole((s), (shift)), OUT_LOW, OUT_HIGH))
#define LOW_BITS(s, shift) ((uint)clamp(whole((s), (shift)), OUT_LOW, OUT_HIGH))
#endif
#endif
#elif WIDE_SUMS
// A sum is below 2^51 in magnitude. The addition of MAGIC rounds it half to even and leaves the
// integer in the lowest bits.
#define MAGIC 0x1.8p52

#if OUT_TYPE == I64
#define RESULT(s, shift) (as_long((s) + MAGIC) - as_long(MAGIC))
#else
// Saturated to 32 bits.
static int saturated(double sum)
{
#if PTX
    int r;
    asm("cvt.rni.s32.f64 %0, %1;" : "=r"(r) : "d"(sum));
    return r;
#else
    return convert_int_sat_rte(sum);
#endif
}

#if OUT_TYPE == I32
#define RESULT(s, shift)   saturated(s)
#else
#define RESULT(s, shift)   ((OUT_T)clamp(saturated(s), OUT_LOW, OUT_HIGH))
#define LOW_BITS(s, shift) ((uint)clamp(saturated(s), OUT_LOW, OUT_HIGH))
#endif
#endif
#elif OUT_TYPE < F16
// A sum rounded half to even and saturated, in the lowest bits; 0 for NaN, for which OpenCL
// only recommends that. After MAGIC is added, a float that is small enough has its integer in
// its lowest bits: it was rounded by the addition. That takes fewer instructions than
// convert_..._sat_rte.
#define MAGIC 0x1.8p23f
#if PTX
// Half to even, saturated to 32 bits; 0 for NaN.
static int nearest(float s)
{
    int r;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(s));
    return r;
}
#endif
static int whole(float s)
{
#if OUT_TYPE == I32 && PTX
    return nearest(s);
#else
#if !FINITE
    s = s == s ? s : 0.0f;
#endif
#if OUT_TYPE == I32
    return convert_int_sat_rte(s);
#else
    return as_int(clamp(s, (float)OUT_LOW, (float)OUT_HIGH) + MAGIC);
#endif
#endif
}

#define LOW_BITS(s, shift) ((uint)whole(s))
#if PTX && OUT_TYPE < I32
// The same in one instruction, which of 16 bits has an eighth of the rate of additions: for results
// that are stored one by one.
#define RESULT(s, shift) saturated(s)
static OUT_T saturated(float s)
{
    int r;
#if OUT_TYPE == I8
    asm("cvt.rni.s8.f32 %0, %1;" : "=r"(r) : "f"(s));
#elif OUT_TYPE == U8
    asm("cvt.rni.u8.f32 %0, %1;" : "=r"(r) : "f"(s));
#elif OUT_TYPE == I16
    asm("{ .reg .s16 low; cvt.rni.s16.f32 low, %1; cvt.s32.s16 %0, low; }" : "=r"(r) : "f"(s));
#else
    asm("{ .reg .u16 low; cvt.rni.u16.f32 low, %1; cvt.u32.u16 %0, low; }" : "=r"(r) : "f"(s));
#endif
    return (OUT_T)r;
}
#else
#define RESULT(s, shift)   ((OUT_T)whole(s))
#endif
#else
#define RESULT(s, shift) (s)
#endif

#if OUT_TYPE == F16
#define STORE(p, i, s, shift) vstore_half_rte((s), (i), (p))
#elif OUT_TYPE == C32
#define STORE(p, i, s, shift) vstore2((s), (i), (global float *)(p))
#else
#define STORE(p, i, s, shift) ((p)[i] = RESULT((s), (shift)))
#endif
