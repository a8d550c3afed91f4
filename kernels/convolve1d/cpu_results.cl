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

#if WHOLE_SUMS
#if ARITHMETIC == F32
#define WHOLE_T    int // sums are below 2^24: a division by 2^30 gives what larger ones give
#define MOST_SHIFT 30
#else
#define WHOLE_T    long
#define MOST_SHIFT 62
#endif
typedef JOIN_NAMES(WHOLE_T, VEC_N) whole_vec;
#endif

// What STORE would write for each sum.
static out_vec result_of(calc_vec a, uint shift)
{
#if WHOLE_SUMS
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
