// SPDX-License-Identifier: Apache-2.0
//
// lab, rows A1-A7: the sums of the article, res[0] = x[0] + x[1] + ... modulo 2^32. Who reads
// what:
//
//     A1  item i takes x[i]
//     A2  each item a block of its own                 | 0 0 0 0 ... | 1 1 1 1 ... | 2 ...
//     A3  items interleaved over all memory            | 0 1 2 3 ... | 0 1 2 3 ... |
//     A4  a tree in local memory, one value per item
//     A6  16 items (LANES) share a block of 512 vectors of 8 values, interleaved, 32 vectors each.
//         A tree in local memory adds the vectors of the group, and item 0 the components of the
//         last
//     A7  one vector of 4 values per item, whose components are added at once
//
// 4 bytes and one addition per value. Atomics: one per item in A1, A2, A3; one per group in A4,
// A6, A7 (A7 also one in local memory per item).
//
// Launched with one item per value; A2 and A3 with as many items as the device holds, A6 with a
// 256th of the values, A7 with a 4th. Local memory: A4 one word per item, A6 eight, A7 one word
// per group. Barriers: A4 and A6 one before each step of the tree; A7 one before and one after
// the local atomics.
//
// Macros: WG, items per group, a power of two.

#ifndef WG
#error "WG must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
#define LANES (WG < 16 ? WG : 16)

GROUP void sum_A1(global const uint *x, uint n, global uint *res)
{
    atomic_add(res, x[get_global_id(0)]);
}

GROUP void sum_A2(global const uint *x, uint n, global uint *res)
{
    const uint items = get_global_size(0), share = (n + items - 1) / items;
    const uint begin = min(n, (uint)get_global_id(0) * share), end = min(n, begin + share);
    uint sum = 0;
    for (uint i = begin; i < end; i++)
        sum += x[i];
    atomic_add(res, sum);
}

GROUP void sum_A3(global const uint *x, uint n, global uint *res)
{
    const uint items = get_global_size(0);
    uint sum = 0;
    for (uint i = get_global_id(0); i < n; i += items)
        sum += x[i];
    atomic_add(res, sum);
}

GROUP void sum_A4(global const uint *x, uint n, global uint *res)
{
    local uint values[WG];
    const uint item = get_local_id(0);
    values[item] = x[get_global_id(0)];
    for (uint active = WG / 2; active > 0; active /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < active)
            values[item] += values[item + active];
    }
    if (item == 0)
        atomic_add(res, values[0]);
}

GROUP void sum_A6(global const uint8 *x, uint n, global uint *res)
{
    local uint8 vectors[WG];
    const uint item = get_local_id(0), lane = item % LANES;
    const uint first = ((uint)get_global_id(0) - lane) * 32 + lane;
    uint8 sum = 0;
    for (uint k = 0; k < 32; k++)
        sum += x[first + LANES * k];
    vectors[item] = sum;
    for (uint active = WG / 2; active > 0; active /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < active)
            vectors[item] += vectors[item + active];
    }
    if (item == 0) {
        const uint4 half_sum = vectors[0].lo + vectors[0].hi;
        atomic_add(res, half_sum.x + half_sum.y + half_sum.z + half_sum.w);
    }
}

GROUP void sum_A7(global const uint4 *x, uint n, global uint *res)
{
    local uint sum;
    const uint4 v = x[get_global_id(0)];
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, v.x + v.y + v.z + v.w);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(res, sum);
}
