// SPDX-License-Identifier: Apache-2.0
//
// lab, rows W1-W3, W5 and W6: items that run in lockstep, how they wait, and what they read
// together.
//
//     W1  y = 64 rounds on x; launched in groups of any size. 8 bytes and 256 operations per value
//     W2  y = 64 rounds of one kind or of the other: of the first kind if the low byte of x is
//         below `taken`. 8 bytes and about 256 operations per value
//     W3  16 reads per item, each at an index that the read before it gave. The group allocates
//         local memory of a size that the launch sets
//     W5  16 reads per item. The p-th read of all items goes to element p * stride modulo 2^log2_n,
//         plus one for each time that it wrapped around. So each of the 2^log2_n elements is read
//         once
//
//             stride 1   | 0 1 2 3 | 4 5 6 7 |        stride 4   | 0 4 8 12 | ... | 1 5 9 13 | ...
//
//     W6  as many reads per item as the group has items: all values of the group in turn, `stride`
//         words apart in local memory; with `padded`, one word stays unused after each 32
//
// Barriers: W3 and W6 one, after local memory is written.
//
// Macros: WG (not for W1), items per group, a power of two; SPACE, words of local memory for
// W6: more than WG * stride * 33 / 32 for the widest stride.

#if !defined(WG) || !defined(SPACE)
#error "WG and SPACE must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

static uint one_kind(uint v)
{
    #pragma unroll 1
    for (uint k = 0; k < 64; k++)
        v = (v ^ (v >> 13)) * 0x5bd1e995u + k;
    return v;
}

static uint other_kind(uint v)
{
    #pragma unroll 1
    for (uint k = 0; k < 64; k++)
        v = rotate(v * 0xcc9e2d51u, 15u) ^ k;
    return v;
}

kernel void W1(global const uint *restrict x, global uint *restrict y)
{
    y[get_global_id(0)] = one_kind(x[get_global_id(0)]);
}

GROUP void W2(global const uint *restrict x, global uint *restrict y, uint taken)
{
    const uint v = x[get_global_id(0)];
    uint r;
    if ((v & 255) < taken)
        r = one_kind(v);
    else
        r = other_kind(v);
    y[get_global_id(0)] = r;
}

GROUP void W3(global const uint *restrict x, uint mask, global uint *restrict y,
              local uint *space)
{
    const uint item = get_local_id(0);
    uint at = get_global_id(0);
    space[item] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    at = space[WG - 1 - item]; // a use that keeps the compiler from removing the local memory
    for (uint k = 0; k < 16; k++)
        at = x[at & mask];
    y[get_global_id(0)] = at;
}

GROUP void W5(global const uint *restrict x, uint log2_n, global uint *restrict y, uint stride)
{
    const uint mask = (1u << log2_n) - 1;
    const ulong first = get_group_id(0) * 16 * WG + get_local_id(0);
    uint sum = 0;
    for (uint k = 0; k < 16; k++) {
        const ulong p = (first + k * WG) * stride;
        sum += x[((uint)p & mask) + (uint)(p >> log2_n)];
    }
    y[get_global_id(0)] = sum;
}

GROUP void W6(global const uint *restrict x, global uint *restrict y, uint stride, uint padded)
{
    local uint space[SPACE];
    const uint item = get_local_id(0);
#define PLACE(i) ((i) * stride + (padded ? (i) * stride / 32 : 0))
    space[PLACE(item)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint k = 0; k < WG; k++)
        sum = sum * 3 + space[PLACE((item + k) % WG)];
    y[get_global_id(0)] = sum;
}
