// SPDX-License-Identifier: Apache-2.0
//
// lab, rows L1-L6: the sums of the lecture, res[0] = x[0] + x[1] + ... modulo 2^32. Who reads
// what:
//
//     L1, L2   item i takes x[i]
//     L3       item i takes x[64 i ... 64 i + 63]                 | 0 0 0 ... | 1 1 1 ... | 2 2 ...
//     L4       the items of a group interleave its 64 WG values   | 0 1 2 3 ... | 0 1 2 3 ... |
//     L5, L6   item i copies x[i] to local memory; item 0 adds all, or a tree does
//
// L1 has a race, L5a lacks a barrier, and L5b adds the sum of each group WG times. They are
// wrong on purpose, and access nothing out of bounds.
//
// 4 bytes and one addition per value. Atomics: one per item in L2, L3, L4; one per group in L5,
// L6. Launched with one item per value; L3 and L4 with a 64th. Local memory: L5, L6 one word
// per item. Barriers: L5 one, after the copy; L6 one before each step of the tree.
//
// Macros: WG, items per group, a power of two.

#ifndef WG
#error "WG must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
#define EACH  64

GROUP void sum_L1(global const uint *x, uint n, global uint *res)
{
    res[0] += x[get_global_id(0)];
}

GROUP void sum_L2(global const uint *x, uint n, global uint *res)
{
    atomic_add(res, x[get_global_id(0)]);
}

GROUP void sum_L3(global const uint *x, uint n, global uint *res)
{
    const uint first = get_global_id(0) * EACH;
    uint sum = 0;
    for (uint k = 0; k < EACH; k++)
        sum += x[first + k];
    atomic_add(res, sum);
}

GROUP void sum_L4(global const uint *x, uint n, global uint *res)
{
    const uint first = get_group_id(0) * EACH * WG + get_local_id(0);
    uint sum = 0;
    for (uint k = 0; k < EACH; k++)
        sum += x[first + k * WG];
    atomic_add(res, sum);
}

GROUP void sum_L5(global const uint *x, uint n, global uint *res)
{
    local uint values[WG];
    values[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        uint sum = 0;
        for (uint k = 0; k < WG; k++)
            sum += values[k];
        atomic_add(res, sum);
    }
}

GROUP void sum_L5a(global const uint *x, uint n, global uint *res)
{
    local uint values[WG];
    values[get_local_id(0)] = x[get_global_id(0)];
    if (get_local_id(0) == 0) { // too early: others have not written yet
        uint sum = 0;
        for (uint k = 0; k < WG; k++)
            sum += values[k];
        atomic_add(res, sum);
    }
}

GROUP void sum_L5b(global const uint *x, uint n, global uint *res)
{
    local uint values[WG];
    values[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint k = 0; k < WG; k++)
        sum += values[k];
    atomic_add(res, sum); // each item
}

GROUP void sum_L6(global const uint *x, uint n, global uint *res)
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
