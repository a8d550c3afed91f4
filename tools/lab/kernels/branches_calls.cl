// SPDX-License-Identifier: Apache-2.0
//
// lab, rows B1 and B4: functions called under conditions, y[i] = f(x[i]).
//
//     B1  before  an expensive function is called in both branches: a warp with both kinds of items
//                 runs it twice
//         after   the condition swaps its arguments; one call
//     B4  before  a switch of 16 cases that call three functions
//         after   a table of 16 bytes gives the function (upper four bits) and its argument (lower
//                 four bits); each function is called from one place. The table is not in constant
//                 memory, because items need different entries (row G10).
//
// One item per value: item i reads x[i] and writes y[i]. Per value: 8 bytes, and about 1800
// operations in B1 (160 rounds of 11), 32 in B4. No barriers.
//
// Macros: WG, items per group.

#ifndef WG
#error "WG must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

// 160 rounds of 11 instructions and the loop, about as many as the text's function has.
static uint heavy(uint a, uint b, uint d, uint e, uint f)
{
    #pragma unroll 1
    for (int round = 0; round < 160; round++) {
        a = a * b + d;
        d ^= a >> 7;
        e += f ^ d;
        f = rotate(f, 5u) + a;
        b = b * 5 + e;
    }
    return a ^ b ^ d ^ e ^ f;
}

GROUP void B1_before(global const uint *restrict x, global uint *restrict y)
{
    const uint i = get_global_id(0), v = x[i];
    uint r;
    if (v & 1)
        r = heavy(v, 3, 5, v >> 9, v >> 3);
    else
        r = heavy(v, 3, 5, v >> 3, v >> 9);
    y[i] = r;
}

GROUP void B1_after(global const uint *restrict x, global uint *restrict y)
{
    const uint i = get_global_id(0), v = x[i];
    const uint e = v & 1 ? v >> 9 : v >> 3, f = v & 1 ? v >> 3 : v >> 9;
    y[i] = heavy(v, 3, 5, e, f);
}

// ---------------------------------------------------------------------------------------

static uint corner(uint v, uint which)
{
    for (int k = 0; k < 8; k++)
        v = (v ^ (v >> 5)) * 9 + which;
    return v;
}

static uint interior(uint v, uint which)
{
    for (int k = 0; k < 8; k++)
        v = rotate(v, which + 3) + (v ^ 0x9e3779b9u);
    return v;
}

static uint edge(uint v, uint which)
{
    for (int k = 0; k < 8; k++)
        v = v * (2 * which + 3) ^ (v >> 11);
    return v;
}

GROUP void B4_before(global const uint *restrict x, global uint *restrict y)
{
    const uint i = get_global_id(0), v = x[i];
    uint r = 0;
    switch (v & 15) {
    case 0: r = corner(v, 0); break;
    case 3: r = corner(v, 1); break;
    case 15: r = corner(v, 2); break;
    case 12: r = corner(v, 3); break;
    case 5: r = interior(v, 0); break;
    case 6: r = interior(v, 1); break;
    case 10: r = interior(v, 2); break;
    case 9: r = interior(v, 3); break;
    case 1: r = edge(v, 0); break;
    case 2: r = edge(v, 1); break;
    case 13: r = edge(v, 2); break;
    case 14: r = edge(v, 3); break;
    case 4: r = edge(v, 4); break;
    case 8: r = edge(v, 5); break;
    case 7: r = edge(v, 6); break;
    case 11: r = edge(v, 7); break;
    }
    y[i] = r;
}

GROUP void B4_after(global const uint *restrict x, global uint *restrict y,
                    global const uchar *restrict calls)
{
    const uint i = get_global_id(0), v = x[i], call = calls[v & 15], which = call & 15;
    uint r;
    if (call >> 4 == 0)
        r = corner(v, which);
    else if (call >> 4 == 1)
        r = interior(v, which);
    else
        r = edge(v, which);
    y[i] = r;
}
