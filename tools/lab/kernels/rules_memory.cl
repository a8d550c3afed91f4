// SPDX-License-Identifier: Apache-2.0
//
// lab, rows G8-G11: kinds of memory, what the compiler knows about it, and atomics.
//
//     G8   y[i] = the sum of 33 values of x from i on, read from a tile in local memory that holds
//          the values of the group. 8 bytes and 33 additions per value
//          before  the size of the tile is an argument
//          after   it is a macro
//     G9   16 y from one x and one scale. 68 bytes per x
//          before  what is written may alias what is read
//          after   restrict says that it does not
//     G10  y[i] = the sum of 64 entries of a table of 1024. All items read the same entries (spread
//          = 0), or each item others (spread = 7)
//          before  constant memory
//          after   global const restrict
//     G11  atomic additions to 256 cells, 8 per item: to ints; to floats by compare-and-swap; to
//          floats by the native instruction. The floats are small whole numbers, so that sums are
//          exact
//
// Local memory: G8 WG + 32 words. Barriers: G8 one, after the tile is filled.
//
// Macros: WG, items per group; FLOAT_ATOMICS: 0 = none, 1 = cl_ext_float_atomics, 2 = inline
// PTX.

#if !defined(WG) || !defined(FLOAT_ATOMICS)
#error "WG and FLOAT_ATOMICS must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

static uint sum_tile(local uint *tile, uint tile_size, global const uint *x)
{
    const uint item = get_local_id(0);
    for (uint k = item; k < tile_size; k += WG)
        tile[k] = x[get_group_id(0) * WG + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint k = 0; k < tile_size - WG + 1; k++)
        sum += tile[item + k];
    return sum;
}

GROUP void G8_before(global const uint *restrict x, global uint *restrict y, local uint *tile,
                     uint tile_size)
{
    const uint sum = sum_tile(tile, tile_size, x);
    y[get_global_id(0)] = sum;
}

GROUP void G8_after(global const uint *restrict x, global uint *restrict y)
{
    local uint tile[WG + 32];
    const uint sum = sum_tile(tile, WG + 32, x);
    y[get_global_id(0)] = sum;
}

GROUP void G9_before(global const uint *x, global uint *y, global const uint *scale)
{
    const uint i = get_global_id(0);
    for (uint k = 0; k < 16; k++)
        y[i * 16 + k] = x[i] * scale[k % 2] + k;
}

GROUP void G9_after(global const uint *restrict x, global uint *restrict y,
                    global const uint *restrict scale)
{
    const uint i = get_global_id(0);
    for (uint k = 0; k < 16; k++)
        y[i * 16 + k] = x[i] * scale[k % 2] + k;
}

GROUP void G10_before(constant uint *table, global uint *restrict y, uint spread)
{
    const uint first = (uint)get_global_id(0) * spread;
    uint sum = 0;
    for (uint k = 0; k < 64; k++)
        sum += table[(first + k) % 1024];
    y[get_global_id(0)] = sum;
}

GROUP void G10_after(global const uint *restrict table, global uint *restrict y, uint spread)
{
    const uint first = (uint)get_global_id(0) * spread;
    uint sum = 0;
    for (uint k = 0; k < 64; k++)
        sum += table[(first + k) % 1024];
    y[get_global_id(0)] = sum;
}

// ---------------------------------------------------------------------------------------

#define CELL(k) ((get_global_id(0) * 2654435761u + (k) * 97) % 256)

GROUP void G11_int(global int *cells)
{
    for (uint k = 0; k < 8; k++)
        atomic_add(&cells[CELL(k)], 1);
}

GROUP void G11_swap(global float *cells)
{
    for (uint k = 0; k < 8; k++) {
        volatile global uint *cell = (volatile global uint *)&cells[CELL(k)];
        uint seen = 0, expected; // a guess; the first exchange returns the real value
        do {
            expected = seen;
            seen = atomic_cmpxchg(cell, expected, as_uint(as_float(expected) + 1));
        } while (seen != expected);
    }
}

#if FLOAT_ATOMICS
GROUP void G11_native(global float *cells)
{
    for (uint k = 0; k < 8; k++) {
#if FLOAT_ATOMICS == 1
        atomic_fetch_add_explicit((volatile global atomic_float *)&cells[CELL(k)], 1.0f,
                                  memory_order_relaxed, memory_scope_device);
#else
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&cells[CELL(k)]), "f"(1.0f)
                     : "memory");
#endif
    }
}
#endif
