// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_turned: brings columns to rows, so that gpu_words can count each row by a group
// that reads it along. A group takes a tile, which passes through local memory:
//
//     input     across ->        tile    . . . pad        output    along ->
//     along     x0 x1 x2                 0 1 2  .          row 0    x0 x3 x6
//       |       x3 x4 x5                 3 4 5  .          row 1    x1 x4 x7
//       v       x6 x7 x8                 6 7 8  .          row 2    x2 x5 x8
//
// Neighbouring items read neighbours of different rows and write neighbours of one row. The pad
// makes a line of the tile an odd number of words, so that both ways go to different banks.
//
// What lies between two rows is set to zero, because gpu_words reads whole words.
//
// An element takes BYTES of reading and of writing in global memory, and the same in local
// memory.
//
// Macros  TILE_ROWS   rows of a tile, a power of two
//         TILE_COUNT  elements of each, a power of two
//         LINE        elements of a line of the tile, with its pad
// Barriers: one, after the tile is filled.

#if !defined(TILE_ROWS) || !defined(TILE_COUNT) || !defined(LINE)
#error "TILE_ROWS, TILE_COUNT and LINE must be defined"
#endif

#if BYTES == 1
#define WORD_T uchar
#elif BYTES == 2
#define WORD_T ushort
#elif BYTES == 4
#define WORD_T uint
#else
#define WORD_T ulong
#endif

enum { TILE_ELEMENTS = TILE_ROWS * TILE_COUNT, IN_FLIGHT = 8 };

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void turn(global const WORD_T *restrict x, global WORD_T *restrict y,
          const struct turn_arguments g)
{
    local WORD_T tile[LINE * TILE_COUNT];
    const ulong across = (g.rows + TILE_ROWS - 1) / TILE_ROWS; // tiles
    const ulong part = get_group_id(0) / across;
    const ulong row = (get_group_id(0) - part * across) * TILE_ROWS, at = part * TILE_COUNT;
    const uint rows = (uint)min(g.rows - row, (ulong)TILE_ROWS);
    const uint count = (uint)min(g.count - at, (ulong)TILE_COUNT);
    x += g.first + (long)row * g.row_stride + (long)at * g.stride;
    y += row * g.pitch + at;
    for (uint first = get_local_id(0); first < TILE_ELEMENTS; first += WG * IN_FLIGHT) {
        WORD_T value[IN_FLIGHT];
        #pragma unroll
        for (uint u = 0; u < IN_FLIGHT; u++) {
            const uint i = first + u * WG, r = i % TILE_ROWS, k = i / TILE_ROWS;
            if (r < rows && k < count)
                value[u] = x[(long)r * g.row_stride + (long)k * g.stride];
        }
        #pragma unroll
        for (uint u = 0; u < IN_FLIGHT; u++) {
            const uint i = first + u * WG, r = i % TILE_ROWS, k = i / TILE_ROWS;
            if (r < rows && k < count)
                tile[k * LINE + r] = value[u];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint width = (uint)min(g.pitch - at, (ulong)TILE_COUNT);
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += WG) {
        const uint r = i / TILE_COUNT, k = i % TILE_COUNT;
        if (r < rows && k < width)
            y[(ulong)r * g.pitch + k] = k < count ? tile[k * LINE + r] : 0;
    }
}
