// SPDX-License-Identifier: Apache-2.0
//
// lab, rows G1, G6 and G7: what becomes of an index. Read x, write y.
//
//     G1  a matrix of WIDTH columns, y = x + 1, an item per element
//         before  neighbours take elements of neighbouring rows, WIDTH apart
//         after   neighbours take neighbours
//     G6  y[i] = the sum of 64 of TABLE values, from the i-th on, STEP apart, around
//         before  each index is computed in 64 bits        after  in 32, from a base of 64 bits
//     G7  y[j] = x[j] * x[j] + x[j], each array with an offset of its own; an item takes 16 of
//         them, as far apart as there are items
//         before  the offset is added at each access       after  once, to the pointer
//
// Macros: WG, WIDTH, TABLE, STEP; WIDTH and TABLE are powers of two.

#if !defined(WG) || !defined(WIDTH) || !defined(TABLE) || !defined(STEP)
#error "WG, WIDTH, TABLE and STEP must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

GROUP void G1_before(global const uint *restrict x, global uint *restrict y)
{
    const uint id = get_global_id(0), rows = get_global_size(0) / WIDTH;
    const uint row = id % rows, column = id / rows;
    y[row * WIDTH + column] = x[row * WIDTH + column] + 1;
}

GROUP void G1_after(global const uint *restrict x, global uint *restrict y)
{
    const uint id = get_global_id(0);
    const uint column = id % WIDTH, row = id / WIDTH;
    y[row * WIDTH + column] = x[row * WIDTH + column] + 1;
}

GROUP void G6_before(global const uint *restrict x, global uint *restrict y)
{
    const ulong i = get_global_id(0);
    uint sum = 0;
    for (ulong k = 0; k < 64; k++)
        sum += x[(i + k * STEP) % TABLE];
    y[i] = sum;
}

GROUP void G6_after(global const uint *restrict x, global uint *restrict y)
{
    const uint i = (uint)get_global_id(0) % TABLE;
    uint sum = 0;
    for (uint k = 0; k < 64; k++)
        sum += x[(i + k * STEP) % TABLE];
    y[get_global_id(0)] = sum;
}

struct offsets {
    ulong a, b, c, y; // the first three into x
};

GROUP void G7_before(global const uint *restrict x, global uint *restrict y,
                     const struct offsets o)
{
    const ulong i = get_global_id(0), items = get_global_size(0);
    for (ulong k = 0; k < 16; k++) {
        const ulong j = i + k * items;
        y[o.y + j] = x[o.a + j] * x[o.b + j] + x[o.c + j];
    }
}

GROUP void G7_after(global const uint *restrict x, global uint *restrict y,
                    const struct offsets o)
{
    const uint i = get_global_id(0), items = get_global_size(0);
    global const uint *a = x + o.a, *b = x + o.b, *c = x + o.c;
    y += o.y;
    for (uint k = 0; k < 16; k++) {
        const uint j = i + k * items;
        y[j] = a[j] * b[j] + c[j];
    }
}
