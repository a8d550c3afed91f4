// SPDX-License-Identifier: Apache-2.0
//
// lab: data, and the most that the device can do. The shares that the lab prints refer to these
// rates.
//
//     fill_linear   x[i] = A * i + B           its sum has a closed form
//     fill_hashed   x[i] = hash(i)             each of its bits is random
//     fill_small    x[i] = -128 ... 127
//     read_all      combines x by xor          GPU: neighbouring items read neighbouring words, 4
//                                              loads in flight. CPU: the one item of a group reads
//                                              a block of its own, 4 vectors in flight. 4 bytes per
//                                              word.
//     copy_all      y[i] = x[i]                the same order; 8 bytes per word
//     multiply_add  40 * n multiply-adds of V per item, in ten independent chains; no memory
//
// No barriers.
//
// Macros  CPU   1: one item per group
//         V, W  vectors of float and uint that fill the device's registers, or scalars
//         A, B  of fill_linear

#if !defined(CPU) || !defined(V) || !defined(W) || !defined(A) || !defined(B)
#error "CPU, V, W, A and B must be defined"
#endif

kernel void fill_linear(global uint *x)
{
    const uint i = get_global_id(0);
    x[i] = A * i + B;
}

static uint hash(uint h)
{
    h = h * 2654435761u + 12345u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    return h ^ (h >> 16);
}

kernel void fill_hashed(global uint *x)
{
    x[get_global_id(0)] = hash(get_global_id(0));
}

kernel void fill_small(global int *x)
{
    x[get_global_id(0)] = (int)(hash(get_global_id(0)) >> 24) - 128;
}

// The first word of this item, the distance to its next ones, and the end.
#if CPU
#define SPREAD(n)                                                                                 \
    const ulong share = (n) / get_num_groups(0), begin = share * get_group_id(0),                 \
                end = begin + share, step = 1
#else
#define SPREAD(n)                                                                                 \
    const ulong begin = get_group_id(0) * 4 * get_local_size(0) + get_local_id(0), end = (n),     \
                step = get_local_size(0)
#endif
#define NEXT (CPU ? 4 : get_num_groups(0) * 4 * get_local_size(0))

kernel void read_all(global const W *restrict x, ulong n, global uint *restrict y)
{
    SPREAD(n);
    W a = 0, b = 0, c = 0, d = 0;
    for (ulong i = begin; i + 3 * step < end; i += NEXT) {
#if CPU && defined(POCL_DEVICE_ADDRESS_BITS) // as in kernels/reduce/cpu_vector.cl
        for (int k = 0; k < 4; k++)
            __builtin_prefetch((const void *)((size_t)(x + i + k) + 4096), 0, 3);
#endif
        a ^= x[i];
        b ^= x[i + step];
        c ^= x[i + 2 * step];
        d ^= x[i + 3 * step];
    }
    union {
        W w;
        uint u[sizeof(W) / 4];
    } all;
    all.w = (a ^ b) ^ (c ^ d);
    uint r = 0;
    for (uint k = 0; k < sizeof(W) / 4; k++)
        r ^= all.u[k];
    if (r == 0x13579bdf) // keeps the loads alive
        y[0] = r;
}

kernel void copy_all(global const W *restrict x, ulong n, global W *restrict y)
{
    SPREAD(n);
    for (ulong i = begin; i + 3 * step < end; i += NEXT) {
        const W a = x[i], b = x[i + step], c = x[i + 2 * step], d = x[i + 3 * step];
        y[i] = a;
        y[i + step] = b;
        y[i + 2 * step] = c;
        y[i + 3 * step] = d;
    }
}

#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
#define SET(k)  V a##k = (V)((float)get_global_id(0) * m + k);
#define STEP(k) a##k = a##k * (V)m + (V)c; // PoCL compiles mad() to two instructions
#define ADD(k)  sum += a##k;

kernel void multiply_add(float m, float c, uint n, global float *y)
{
    EACH(SET)
    for (uint i = 0; i < n; i++) {
        EACH(STEP) EACH(STEP) EACH(STEP) EACH(STEP)
    }
    V sum = 0;
    EACH(ADD)
    union {
        V v;
        float f;
    } u;
    u.v = sum;
    if (u.f == 12345)
        y[0] = u.f;
}
