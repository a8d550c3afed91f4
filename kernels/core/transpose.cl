// SPDX-License-Identifier: Apache-2.0
//
// Brings columns to rows, so that kernels can take each row by groups that read it along; or, with
// TO_COLUMNS, such rows to columns. A group takes a tile, which passes through local memory:
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
// Rows begin at units, and the last unit of a row is filled with zeros. With ANYWHERE rows begin at
// any element, and their elements may lie apart. Then they are written one by one. Those that lie side
// by side are written by the units of memory. Each is made of the elements of two units of the tile:
//
//     tile     a b c d | e f g h         what a row of the tile has
//     memory   . . . a | b c d e | f     units that do not begin where the tile's do
//
// An element takes BYTES in rows and in local memory, and COLUMN_BYTES in columns, each of which is
// read once or written once.
//
// Macros  TO_COLUMNS    1: rows become columns
//         COLUMN_BYTES  of an element in columns; TO_COLUMNS: BYTES or more
//         REJECTS       1: elements become wider, and all bits one stay so
//         ANYWHERE      1: rows lie anywhere, too; not with TO_COLUMNS
//         PAIRS         1: elements are pairs of 4 bytes, and begin where 4 bytes do
//         TILE_ROWS     rows of a tile
//         TILE_COUNT    elements of each, a power of two
// Barriers: one, after the tile is filled.

#if !defined(TO_COLUMNS) || !defined(COLUMN_BYTES) || !defined(REJECTS) || !defined(ANYWHERE) || \
    !defined(PAIRS) || !defined(TILE_ROWS) || !defined(TILE_COUNT)
#error "a macro of the list above is not defined"
#endif
#if TO_COLUMNS && ANYWHERE
#error "rows that become columns begin at units"
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
    // Items that take units of rows: one for each that a row meets, and how often a group has so many.
    MET = UNITS + (ANYWHERE ? ELEMENTS > 1 : 0),
    ALONG = MET < WG ? MET : WG,
    ALONG_LINES = WG / ALONG,
};

union parts {
    unit all;
    ELEM of[ELEMENTS];
#if BYTES == 8
    uint2 pair;
#endif
};

#if PAIRS
static inline ELEM load_element(global const ELEM *p)
{
    union parts v;
    v.pair = vload2(0, (global const uint *)p);
    return v.of[0];
}
static inline void store_element(global ELEM *p, ELEM element)
{
    const union parts v = { element };
    vstore2(v.pair, 0, (global uint *)p);
}
#else
#define load_element(p)           (*(p))
#define store_element(p, element) (*(p) = (element))
#endif

// A tile: how many rows it has, how many elements and units of each, and where it begins in the
// columns and in the rows.
struct tile {
    uint rows, count, units;
    long columns_first, rows_first;
};

static struct tile tile_of(const struct transpose_arguments *g)
{
    const ulong across = (g->rows + TILE_ROWS - 1) / TILE_ROWS; // tiles
    const ulong along = get_group_id(0) / across;
    const ulong row = (get_group_id(0) - along * across) * TILE_ROWS, at = along * TILE_COUNT;
    struct tile t;
    t.rows = (uint)min(g->rows - row, (ulong)TILE_ROWS);
    t.count = (uint)min(g->count - at, (ulong)TILE_COUNT);
    t.units = (t.count + ELEMENTS - 1) / ELEMENTS;
    t.columns_first = g->first + (long)row * g->row_stride + (long)at * g->stride;
    t.rows_first = g->rows_first + (long)row * g->pitch + (long)at * g->rows_stride;
    return t;
}

#if !TO_COLUMNS
// An item's unit of a row of the tile, which lies in memory from y on.
static inline void store_unit(global ELEM *y, local const unit *line, uint i,
                              const struct tile *t, long stride)
{
#if ANYWHERE
    local const ELEM *from = (local const ELEM *)line;
    if (stride == 1) {
        // Elements of the unit of memory that lie in front of the row.
        const uint before = (uint)((size_t)y / BYTES) % ELEMENTS;
        const int first = (int)(i * ELEMENTS) - (int)before;
        if (ELEMENTS > 1 && first >= 0 && first + ELEMENTS <= (int)t->count) {
            union parts v;
            #pragma unroll
            for (int e = 0; e < ELEMENTS; e++)
                v.of[e] = from[first + e];
            *(global unit *)(y + first) = v.all;
            return;
        }
        #pragma unroll
        for (int e = first; e < first + ELEMENTS; e++)
            if (e >= 0 && e < (int)t->count)
                store_element(y + e, from[e]);
        return;
    }
    #pragma unroll
    for (uint e = i * ELEMENTS; e < (i + 1) * ELEMENTS; e++)
        if (e < t->count)
            store_element(y + e * stride, from[e]);
#else
    *(global unit *)(y + i * ELEMENTS) = line[i];
#endif
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void transpose(global const ELEM *restrict columns, global ELEM *restrict rows,
               const struct transpose_arguments g)
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
                v[u / ELEMENTS].of[u % ELEMENTS] =
                    k < t.count ? load_element(x + (long)k * g.stride) : 0;
            }
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++)
                if (i + u * ACROSS_LINES < t.units)
                    tile[r * LINE + i + u * ACROSS_LINES] = v[u].all;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint units = t.units + MET - UNITS;
    for (uint i = item % ALONG; r0 < ALONG_LINES && i < units; i += ALONG) {
        #pragma unroll AHEAD
        for (uint r = r0; r < t.rows; r += ALONG_LINES)
            store_unit(rows + t.rows_first + (long)r * g.pitch, tile + r * LINE, i, &t,
                       g.rows_stride);
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

static column_type widened(ELEM element)
{
    return REJECTS && element == (ELEM)~(ELEM)0 ? (column_type)~(column_type)0 : element;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void transpose(global const ELEM *restrict rows, global column_type *restrict columns,
               const struct transpose_arguments g)
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
                    v[u] = *(global const unit *)(x + (long)(r + u * ALONG_LINES) * g.pitch);
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
                    store_element(y + (long)(i * ELEMENTS + e) * g.stride, widened(v.of[e]));
        }
    }
}
#endif
