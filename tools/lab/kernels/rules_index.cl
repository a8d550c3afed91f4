// SPDX-License-Identifier: Apache-2.0
//
// lab, rows G1, G6 and G7: how indices are computed. All read x and write y.
//
//     G1  a matrix of WIDTH columns, y = x + 1, one item per element. 8 bytes per element
//         before  neighbouring items take elements of neighbouring rows, WIDTH apart
//         after   neighbouring items take neighbouring elements
//     G6  y[i] = the sum of 64 of TABLE values: the i-th, and every STEP-th after it, modulo TABLE.
//         64 indices and additions per value
//         before  each index is computed in 64 bits
//         after   in 32 bits, added to a base of 64 bits
//     G7  y[j] = x[j] * x[j] + x[j], with an offset for each of the arrays; an item takes 16
//         values, as far apart as there are items. 8 bytes per value
//         before  the offset is added at each access
//         after   it is added once, to the pointer
//
// No barriers.
//
// Macros: WG, items per group; WIDTH and TABLE, powers of two; STEP.

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
