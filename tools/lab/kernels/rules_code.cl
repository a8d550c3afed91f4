// SPDX-License-Identifier: Apache-2.0
//
// lab, rows G2-G5: what the compiler knows.
//
//     G2  y = a polynomial of x, 32 multiply-adds per value, in vectors of V; one item per vector.
//         8 bytes per value
//     G3  y = 32 rounds of a helper of 8 operations, which is inlined or (NOINLINE) called. 8 bytes
//         per value
//     G4  y = a function of x, by the precise or the native function: which = 0 divide, 1 exp2, 2
//         log2, 3 sin. x is from 1 to 2 and is divided by 1.7. 8 bytes per value
//     G5  y = the sums of 256 values per item, the loop unrolled UNROLL times. The values are
//         STRIDE apart, so that neighbouring items read neighbouring values; on CPUs 1, so that the
//         values of an item are adjacent. 4 bytes and one addition per value
//
//     G5 on a GPU   | 0 1 2 3 ... | 0 1 2 3 ... |      on a CPU   | 0 0 0 0 ... | 1 1 1 1 ... |
//
// No barriers.
//
// Macros: WG, items per group; V, NOINLINE, NATIVE, UNROLL, STRIDE as above.

#if !defined(V) || !defined(NOINLINE) || !defined(NATIVE) || !defined(UNROLL) || !defined(STRIDE)
#error "WG, V, NOINLINE, NATIVE, UNROLL and STRIDE must be defined"
#endif
#pragma OPENCL FP_CONTRACT OFF
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

GROUP void G2(global const V *restrict x, global V *restrict y)
{
    const V v = x[get_global_id(0)];
    V r = v;
    for (int k = 0; k < 32; k++)
        r = r * v + (V)0.5f;
    y[get_global_id(0)] = r;
}

#if NOINLINE
__attribute__((noinline))
#endif
static uint helper(uint v, uint k)
{
    v ^= v << 13;
    v ^= v >> 17;
    v ^= v << 5;
    return v * 9 + k;
}

GROUP void G3(global const uint *restrict x, global uint *restrict y)
{
    uint v = x[get_global_id(0)];
    for (uint k = 0; k < 32; k++)
        v = helper(v, k);
    y[get_global_id(0)] = v;
}

#if NATIVE
#define DIVIDE native_divide
#define EXP2   native_exp2
#define LOG2   native_log2
#define SIN    native_sin
#else
#define DIVIDE(a, b) ((a) / (b))
#define EXP2         exp2
#define LOG2         log2
#define SIN          sin
#endif

GROUP void G4(global const float *restrict x, global float *restrict y, uint which)
{
    const float v = x[get_global_id(0)];
    float r;
    if (which == 0)
        r = DIVIDE(v, 1.7f);
    else if (which == 1)
        r = EXP2(v);
    else if (which == 2)
        r = LOG2(v);
    else
        r = SIN(v);
    y[get_global_id(0)] = r;
}

GROUP void G5(global const uint *restrict x, global uint *restrict y)
{
    const uint item = get_local_id(0);
    global const uint *p =
        x + get_group_id(0) * 256 * WG + (STRIDE == 1 ? item * 256 : item);
    uint sum = 0;
    #pragma unroll UNROLL
    for (uint k = 0; k < 256; k++)
        sum += p[k * STRIDE];
    y[get_global_id(0)] = sum;
}
