// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_turned: brings columns to rows, so that gpu_words can take each row by groups that
// read it along; or, with TO_COLUMNS, the labels of such rows to columns. A group takes a tile, which
// passes through local memory:
//
//     columns   across ->        tile    . . . pad        rows      along ->
//     along     x0 x1 x2                 0 3 6  .          row 0    x0 x3 x6
//       |       x3 x4 x5                 1 4 7  .          row 1    x1 x4 x7
//       v       x6 x7 x8                 2 5 8  .          row 2    x2 x5 x8
//
// Columns lie anywhere. An item takes their elements one by one, and neighbouring items take
// neighbouring rows. An item takes as many elements of a row as a unit has: 4 bytes, or one
// element of 8. Local memory and the rows are read and written by units. The pad makes a row of
// the tile an odd number of units, so that neighbouring rows go to different banks.
//
// Rows begin at units. The last unit of a row is filled with zeros. Labels may be narrower in rows
// than in columns.
//
// An element takes BYTES in rows and in local memory, and COLUMN_BYTES in columns, each of which is
// read once or written once.
//
// Macros  TO_COLUMNS    1: rows become columns
//         COLUMN_BYTES  of an element in columns; TO_COLUMNS: BYTES or more
//         REJECTS       1: labels become wider, and all bits one, which are no label, stay so
//         TILE_ROWS     rows of a tile
//         TILE_COUNT    elements of each, a power of two
// Barriers: one, after the tile is filled.

#if !defined(TO_COLUMNS) || !defined(COLUMN_BYTES) || !defined(REJECTS) || \
    !defined(TILE_ROWS) || !defined(TILE_COUNT)
#error "TO_COLUMNS, COLUMN_BYTES, REJECTS, TILE_ROWS and TILE_COUNT must be defined"
#endif

#if BYTES == 8
typedef ulong unit;
#else
typedef uint unit;
#endif
#define AHEAD 4 // units that an item has in flight

enum {
    ELEMENTS = sizeof(unit) / BYTES, // of a unit
    UNITS = TILE_COUNT / ELEMENTS,   // of a row of a tile
    LINE = UNITS + 1,
    // Items that take elements of columns: one for each row of the tile, and how often a group has
    // so many.
    ACROSS = TILE_ROWS < WG ? TILE_ROWS : WG,
    ACROSS_LINES = WG / ACROSS,
    // Items that take units of rows: one for each unit of a row, and how often a group has so many.
    ALONG = UNITS < WG ? UNITS : WG,
    ALONG_LINES = WG / ALONG,
};

union parts {
    unit all;
    ELEM of[ELEMENTS];
};

// A tile: how many rows it has, how many elements and units of each, and where it begins in the
// columns and in the rows.
struct tile {
    uint rows, count, units;
    long columns_first;
    ulong rows_first;
};

static struct tile tile_of(const struct turn_arguments *g)
{
    const ulong across = (g->rows + TILE_ROWS - 1) / TILE_ROWS; // tiles
    const ulong along = get_group_id(0) / across;
    const ulong row = (get_group_id(0) - along * across) * TILE_ROWS, at = along * TILE_COUNT;
    struct tile t;
    t.rows = (uint)min(g->rows - row, (ulong)TILE_ROWS);
    t.count = (uint)min(g->count - at, (ulong)TILE_COUNT);
    t.units = (t.count + ELEMENTS - 1) / ELEMENTS;
    t.columns_first = g->first + (long)row * g->row_stride + (long)at * g->stride;
    t.rows_first = g->rows_first + row * g->pitch + at;
    return t;
}

#if !TO_COLUMNS
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void turn(global const ELEM *restrict columns, global ELEM *restrict rows,
          const struct turn_arguments g)
{
    local unit tile[TILE_ROWS * LINE];
    const struct tile t = tile_of(&g);
    const uint item = get_local_id(0), first = item / ACROSS, r0 = item / ALONG;
    for (uint r = item % ACROSS; first < ACROSS_LINES && r < t.rows; r += ACROSS) {
        global const ELEM *x = columns + t.columns_first + (long)r * g.row_stride;
        for (uint i = first; i < t.units; i += ACROSS_LINES * AHEAD) {
            union parts v[AHEAD];
            #pragma unroll
            for (uint u = 0; u < AHEAD * ELEMENTS; u++) {
                const uint k = (i + u / ELEMENTS * ACROSS_LINES) * ELEMENTS + u % ELEMENTS;
                v[u / ELEMENTS].of[u % ELEMENTS] = k < t.count ? x[(long)k * g.stride] : 0;
            }
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (i + u * ACROSS_LINES < t.units)
                    tile[r * LINE + i + u * ACROSS_LINES] = v[u].all;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item % ALONG; r0 < ALONG_LINES && i < t.units; i += ALONG) {
        global ELEM *y = rows + t.rows_first + i * ELEMENTS;
        #pragma unroll AHEAD
        for (uint r = r0; r < t.rows; r += ALONG_LINES)
            *(global unit *)(y + r * g.pitch) = tile[r * LINE + i];
    }
}
#else
#if COLUMN_BYTES == BYTES
typedef ELEM column_type;
#elif COLUMN_BYTES == 2
typedef ushort column_type;
#else
typedef uint column_type;
#endif

static column_type widened(ELEM label)
{
    return REJECTS && label == (ELEM)~(ELEM)0 ? (column_type)~(column_type)0 : label;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void turn(global const ELEM *restrict rows, global column_type *restrict columns,
          const struct turn_arguments g)
{
    local unit tile[TILE_ROWS * LINE];
    const struct tile t = tile_of(&g);
    const uint item = get_local_id(0), first = item / ACROSS, r0 = item / ALONG;
    for (uint i = item % ALONG; r0 < ALONG_LINES && i < t.units; i += ALONG) {
        global const ELEM *x = rows + t.rows_first + i * ELEMENTS;
        for (uint r = r0; r < t.rows; r += ALONG_LINES * AHEAD) {
            unit v[AHEAD];
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (r + u * ALONG_LINES < t.rows)
                    v[u] = *(global const unit *)(x + (r + u * ALONG_LINES) * g.pitch);
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (r + u * ALONG_LINES < t.rows)
                    tile[(r + u * ALONG_LINES) * LINE + i] = v[u];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = item % ACROSS; first < ACROSS_LINES && r < t.rows; r += ACROSS) {
        global column_type *y = columns + t.columns_first + (long)r * g.row_stride;
        #pragma unroll AHEAD
        for (uint i = first; i < t.units; i += ACROSS_LINES) {
            const union parts v = { tile[r * LINE + i] };
            #pragma unroll
            for (uint e = 0; e < ELEMENTS; e++)
                if (i * ELEMENTS + e < t.count)
                    y[(long)(i * ELEMENTS + e) * g.stride] = widened(v.of[e]);
        }
    }
}
#endif
