// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_turned: `turn` brings columns to rows, so that gpu_words can take each row by
// groups that read it along. `turn_back` brings the labels of such rows to columns. A group takes
// a tile, which passes through local memory:
//
//     columns   across ->        tile    . . . pad        rows      along ->
//     along     x0 x1 x2                 0 3 6  .          row 0    x0 x3 x6
//       |       x3 x4 x5                 1 4 7  .          row 1    x1 x4 x7
//       v       x6 x7 x8                 2 5 8  .          row 2    x2 x5 x8
//
// Columns lie anywhere. Neighbouring items take elements of neighbouring rows, one by one, and
// join those of a word: 4 bytes, or one element of 8. Rows lie in scratch memory and begin at
// words. The pad makes a row of the tile an odd number of words, so that neighbouring rows go to
// different banks.
//
// What lies between two rows of elements is set to zero, because gpu_words reads whole words.
//
// An element takes BYTES of reading and of writing in global memory, and the same in local
// memory.
//
// Macros  TILE_ROWS   rows of a tile
//         TILE_COUNT  elements of each, a power of two
// Barriers: one, after the tile is filled.

#if !defined(TILE_ROWS) || !defined(TILE_COUNT)
#error "TILE_ROWS and TILE_COUNT must be defined"
#endif

#if BYTES == 1
typedef uchar part;
#elif BYTES == 2
typedef ushort part;
#elif BYTES == 4
typedef uint part;
#else
typedef ulong part;
#endif
#if BYTES == 8
typedef ulong word;
#else
typedef uint word;
#endif

enum {
    PARTS = sizeof(word) / sizeof(part),
    WORDS = TILE_COUNT / PARTS, // of a row of a tile
    LINE = WORDS + 1,
    // Items side by side, and how many times a group has so many: across the rows, and along them.
    ACROSS = TILE_ROWS < WG ? TILE_ROWS : WG,
    ACROSS_STEP = WG / ACROSS,
    ALONG = WORDS < WG ? WORDS : WG,
    ALONG_STEP = WG / ALONG,
    AHEAD = 4, // words that an item has in flight
};

union parts {
    word all;
    part p[PARTS];
};

// A tile: how many rows, elements, and words of rows it has, and where it begins.
struct tile {
    uint rows, count, words;
    long columns;
    ulong first;
};

static struct tile tile_of(const struct turn_arguments *g)
{
    const ulong across = (g->rows + TILE_ROWS - 1) / TILE_ROWS; // tiles
    const ulong along = get_group_id(0) / across;
    const ulong row = (get_group_id(0) - along * across) * TILE_ROWS, at = along * TILE_COUNT;
    struct tile t;
    t.rows = (uint)min(g->rows - row, (ulong)TILE_ROWS);
    t.count = (uint)min(g->count - at, (ulong)TILE_COUNT);
    t.words = (uint)min(g->pitch - at, (ulong)TILE_COUNT) / PARTS;
    t.columns = g->first + (long)row * g->row_stride + (long)at * g->stride;
    t.first = g->rows_first + row * g->pitch + at;
    return t;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void turn(global const part *restrict columns, global part *restrict rows,
          const struct turn_arguments g)
{
    local word tile[TILE_ROWS * LINE];
    const struct tile t = tile_of(&g);
    const uint item = get_local_id(0), w0 = item / ACROSS, r0 = item / ALONG;
    for (uint r = item % ACROSS; w0 < ACROSS_STEP && r < t.rows; r += ACROSS) {
        global const part *x = columns + t.columns + (long)r * g.row_stride;
        for (uint w = w0; w < t.words; w += ACROSS_STEP * AHEAD) {
            union parts v[AHEAD];
            #pragma unroll
            for (uint u = 0; u < AHEAD * PARTS; u++) {
                const uint k = (w + u / PARTS * ACROSS_STEP) * PARTS + u % PARTS;
                v[u / PARTS].p[u % PARTS] = k < t.count ? x[(long)k * g.stride] : 0;
            }
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (w + u * ACROSS_STEP < t.words)
                    tile[r * LINE + w + u * ACROSS_STEP] = v[u].all;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = item % ALONG; r0 < ALONG_STEP && w < t.words; w += ALONG) {
        global part *y = rows + t.first + w * PARTS;
        #pragma unroll AHEAD
        for (uint r = r0; r < t.rows; r += ALONG_STEP)
            *(global word *)(y + r * g.pitch) = tile[r * LINE + w];
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void turn_back(global const part *restrict rows, global part *restrict columns,
               const struct turn_arguments g)
{
    local word tile[TILE_ROWS * LINE];
    const struct tile t = tile_of(&g);
    const uint item = get_local_id(0), w0 = item / ACROSS, r0 = item / ALONG;
    for (uint w = item % ALONG; r0 < ALONG_STEP && w < t.words; w += ALONG) {
        global const part *x = rows + t.first + w * PARTS;
        for (uint r = r0; r < t.rows; r += ALONG_STEP * AHEAD) {
            word v[AHEAD];
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (r + u * ALONG_STEP < t.rows)
                    v[u] = *(global const word *)(x + (r + u * ALONG_STEP) * g.pitch);
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (r + u * ALONG_STEP < t.rows)
                    tile[(r + u * ALONG_STEP) * LINE + w] = v[u];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = item % ACROSS; w0 < ACROSS_STEP && r < t.rows; r += ACROSS) {
        global part *y = columns + t.columns + (long)r * g.row_stride;
        #pragma unroll AHEAD
        for (uint w = w0; w < t.words; w += ACROSS_STEP) {
            const union parts v = { tile[r * LINE + w] };
            #pragma unroll
            for (uint e = 0; e < PARTS; e++)
                if (w * PARTS + e < t.count)
                    y[(long)(w * PARTS + e) * g.stride] = v.p[e];
        }
    }
}
