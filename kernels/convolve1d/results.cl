// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: what becomes of a sum. All kernels share this file.
//
// Macros   those of convolve1d.cl
//
// Defines  OUT_T                   an element of out in memory
//          RESULT(s, shift)        what out gets for a sum; f16: still as a float
//          LOW_BITS(s, shift)      8 and 16 bits: a uint that has it in its lowest bits
//          STORE(p, i, s, shift)   writes it to element i of p

#if OUT_TYPE == I8
#define OUT_T     char
#define SATURATED convert_char_sat
#define OUT_LOW   CHAR_MIN
#define OUT_HIGH  CHAR_MAX
#elif OUT_TYPE == U8
#define OUT_T     uchar
#define SATURATED convert_uchar_sat
#define OUT_LOW   0
#define OUT_HIGH  UCHAR_MAX
#elif OUT_TYPE == I16
#define OUT_T     short
#define SATURATED convert_short_sat
#define OUT_LOW   SHRT_MIN
#define OUT_HIGH  SHRT_MAX
#elif OUT_TYPE == U16
#define OUT_T     ushort
#define SATURATED convert_ushort_sat
#define OUT_LOW   0
#define OUT_HIGH  USHRT_MAX
#elif OUT_TYPE == I32
#define OUT_T     int
#define SATURATED convert_int_sat
#define OUT_LOW   INT_MIN
#define OUT_HIGH  INT_MAX
#elif OUT_TYPE == I64
#define OUT_T     long
#define SATURATED
#elif OUT_TYPE == F16
#define OUT_T     half
#elif OUT_TYPE == F32
#define OUT_T     float
#elif OUT_TYPE == F64
#define OUT_T     double
#elif OUT_TYPE == C32
#define OUT_T     float2
#else
#error "OUT_TYPE is not a type of results"
#endif

#if WHOLE_SUMS
// A sum divided by 2^shift, rounded half to even.
#if SUM32
#define UNSIGNED uint
#else
#define UNSIGNED ulong
#endif
static SUM_T scaled(SUM_T s, uint shift)
{
    const UNSIGNED unit = (UNSIGNED)1 << shift, below_half = shift ? (unit >> 1) - 1 : 0;
    const SUM_T q = s >> shift, odd = q & (shift > 0);
    const UNSIGNED rest = (UNSIGNED)s & (unit - 1);
    const SUM_T rounded = q + (uint)((rest + below_half + (UNSIGNED)odd) >> shift);
#if SUM32
    // As a mask: PoCL 3.1 makes 0 of a select here, where the loop of gpu_tile is unrolled.
    return -(SUM_T)(shift < 8 * sizeof(SUM_T)) & rounded;
#else
    return rounded; // shifts are below 63
#endif
}

#define RESULT(s, shift)   SATURATED(scaled((s), (shift)))
#define LOW_BITS(s, shift) ((uint)RESULT(s, shift))
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

#define RESULT(s, shift)   SATURATED(saturated(s))
#define LOW_BITS(s, shift) ((uint)RESULT(s, shift))
#endif
#elif OUT_TYPE < F16
// A sum rounded half to even and saturated, in the lowest bits; 0 for NaN, for which OpenCL
// only recommends that. After MAGIC is added, a float that is small enough has its integer in
// its lowest bits: it was rounded by the addition. That takes fewer instructions than
// convert_..._sat_rte.
#define MAGIC 0x1.8p23f
static int whole(float s)
{
#if !FINITE
    s = s == s ? s : 0.0f;
#endif
#if OUT_TYPE == I32
    return convert_int_sat_rte(s);
#else
    return as_int(clamp(s, (float)OUT_LOW, (float)OUT_HIGH) + MAGIC);
#endif
}

#define RESULT(s, shift)   ((OUT_T)whole(s))
#define LOW_BITS(s, shift) ((uint)whole(s))
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
