// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles, gpu_channels and gpu_words: keys of each row's own (SEARCH_BINARY). A group
// has the keys of its rows in local memory, if they fit (KEYS_LOCAL), else it reads them through
// the caches.
//
//     keys    | row 0: k k k k k . | row 1: k k k . . . |      an odd number of places each
//
// A row with fewer keys has the type's largest value instead of those that it lacks. Where x
// reaches one of them, it reaches all keys. The search halves what is left of the row, so that
// its reads do not meet in one bank, as those at powers of two would.
//
// Without cells an element takes LEVELS reads that wait for one another, and four operations
// for each.
//
// Cells are the same for all rows, of equal width or of equally many values. A search halves
// only the keys of one cell. ROW_CELLS says which cells there are:
//
//     CELLS_LOCAL      beside the keys in local memory, where there is room: the keys before
//                      each cell. 2^CELL_MERGE cells of the host's are one. An element takes
//                      two reads, and one for each halving
//     CELLS_OF_VALUES  of elements of 8 bits, where keys are 4 to 255: the same for each
//                      value. An element takes one read, and there are no keys in local memory
//     CELLS_GLOBAL     of many keys that local memory has no room for: the host has made them
//                      for each row, and they come through the caches. Where rows have some ten
//                      thousand keys, an element read fifteen of them, each from another line,
//                      which took ten times as long as all else
//
// H200, driver 580.159.04, 2026-11-29, us without and with CELLS_LOCAL: i32, 3740 keys of each
// of 5 channels 582 394; f32, 565 keys of each of 17 292 255; but f64, 32 keys of each of 27
// 195 215. Rows of rows were not measured, nor what became of banks when ROW_WORDS became odd.
//
// KEYS_HELD: an item of gpu_tiles has its row's few keys in registers (held_keys.cl).
//
// LINE_ROWS: neighbouring items of gpu_tiles have neighbouring rows, and what local memory has of so
// many rows lies side by side: key 0 of each, then key 1 of each (line_keys.cl).
//
// Where local memory has no room for all keys of a row, gpu_words copies the last of each
// 2^KEYS_APART, and cells are made of these. row_places.cl reads the keys between two of them. H200,
// driver 580.159.04, 2026-11-30, us by CELLS_GLOBAL of gpu_tiles and so: f32, 39 090 keys of each of
// 8 rows 2028 1692; 45 317 of each of 2 channels 2898 1495.
//
//     keys     3 4 4 7                  (values 0 to 8)
//     starts   0 0 0 0 1 3 3 3 4 4      the keys <= x are those before the cell behind x
//
// Macros  LEVELS      the longest row has less than 2^LEVELS keys
//         KEYS_LOCAL  1: the keys are in local memory
//         KEYS_EVEN   1: all rows have g.n keys
//         KEYS_HELD   KEYS_LOCAL without cells: 1: as above
//         LINE_ROWS   0, or KEYS_LOCAL without cells: a power of two, as above
//         ROW_CELLS   0, or as above
//         ROW_GRID    1: cells have equal width (cells.cl)
//         CELL_MERGE  CELLS_LOCAL: as above
//         KEYS_APART  CELLS_LOCAL: as above; else 0
//
// Defines for label.cl what tree.cl defines for one row of keys, but for place_of(), and
//         row_table          a pointer to what a group has of its rows, or to their keys
//         ROW_TABLE_LOCAL    1: it has something in local memory
//         row_table_words()  u32 of local memory that it has of a row
//         fill_rows()        fills it; called by all items, before a barrier
//         fill_row()         an item's part of one row

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_BINARY && OWN_KEYS != OWN_TREE
#if !defined(LEVELS) || !defined(KEYS_LOCAL) || !defined(KEYS_EVEN) || !defined(ROW_CELLS)
#error "LEVELS, KEYS_LOCAL, KEYS_EVEN and ROW_CELLS must be defined"
#endif
#ifndef KEYS_HELD
#define KEYS_HELD 0
#endif
#ifndef LINE_ROWS
#define LINE_ROWS 0
#endif
#define LINE_KEYS 4 // that neighbouring items copy from a row, which lie side by side there
#define KEY_STEP (LINE_ROWS ? LINE_ROWS : 1) // from a row's key to its next one
#define HELD_KEYS ((1u << LEVELS) - 1) // with largest values behind the row's keys
#if ROW_CELLS && (!defined(ROW_GRID) || !defined(CELL_MERGE) || !defined(KEYS_APART))
#error "ROW_GRID, CELL_MERGE and KEYS_APART must be defined"
#endif

#if KEYS_LOCAL
#define KEY_SPACE local
#else
#define KEY_SPACE global
#endif
#define HAS_STARTS      (ROW_CELLS == CELLS_LOCAL || ROW_CELLS == CELLS_OF_VALUES)
#define HALVES_CELLS    (ROW_CELLS == CELLS_GLOBAL || ROW_CELLS == CELLS_LOCAL)
#define ROW_TABLE_LOCAL (KEYS_LOCAL || HAS_STARTS)

#if ROW_CELLS == CELLS_OF_VALUES
#define START_T uchar
#else
#define START_T ushort
#endif
#if ROW_TABLE_LOCAL
typedef local const uint *row_table;
#else
typedef global const KEY_T *row_table;
#endif

// How many of n keys local memory has, and has room for.
#define COPIED_KEYS(n) ((n) >> KEYS_APART)
#define COPIED_PLACES(n) MOST_COPIED(n, KEYS_APART, (uint)sizeof(KEY_T))

struct row_constants {
    KEY_SPACE const KEY_T *keys;
#if KEYS_APART
    global const KEY_T *all_keys; // of the row, from place 0 on (row_places.cl)
    uint ahead;
#endif
#if ROW_CELLS == CELLS_GLOBAL
    global const uint *cells; // of the row
#elif HAS_STARTS
    local const START_T *starts; // of the row
#endif
#if KEYS_HELD
    KEY_T held[HELD_KEYS];
#endif
    uint n; // of the row
};

static uint key_pitch(const struct arguments *g)
{
    return KEYS_LOCAL ? COPIED_PLACES(g->n) | 1 : g->n;
}

// The keys before those of a row, up to an aligned vector.
static uint keys_ahead(ulong row, const struct arguments *g)
{
    return (uint)(g->row + row) * g->n % KEY_VECTOR(KEYS_APART, sizeof(KEY_T));
}

// The keys of a row, from place 0 on.
static global const KEY_T *placed_keys(ulong row, global const uint *all_tables,
                                       const struct arguments *g)
{
    return (global const KEY_T *)all_tables + (g->row + row) * g->n - keys_ahead(row, g);
}

// How many keys a row has.
static uint keys_of_row(ulong row, global const uint *all_tables, const struct arguments *g)
{
    return KEYS_EVEN ? g->n : all_tables[g->rows_at + g->row + row];
}

#if HAS_STARTS
static uint local_cells(const struct arguments *g)
{
#if ROW_CELLS == CELLS_OF_VALUES
    return 256;
#else
    return ((g->cells - 1) >> CELL_MERGE) + 1;
#endif
}

static uint local_cell_of(KEY_T x, const struct arguments *g)
{
#if ROW_CELLS == CELLS_OF_VALUES
    return (uint)((int)x - (int)LOWEST);
#else
    return cell_of(x, g) >> CELL_MERGE;
#endif
}
#endif

#if ROW_TABLE_LOCAL
static uint key_words(const struct arguments *g)
{
    return KEYS_LOCAL ? (LINE_ROWS ? g->n : key_pitch(g)) * (uint)(sizeof(KEY_T) / 4) : 0;
}

static uint row_table_words(const struct arguments *g)
{
#if HAS_STARTS
    return ROW_WORDS(key_words(g), local_cells(g), (uint)sizeof(START_T), (uint)sizeof(KEY_T));
#else
    return key_words(g);
#endif
}

// Key k of those that local memory has; `keys` begin at place 0.
static KEY_T copied_key(global const KEY_T *keys, uint k)
{
    return keys[((k + 1) << KEYS_APART) - 1];
}

// Key k of a row that has n in local memory, and the starts that are k: those of the cells behind
// the cell of the key before, up to its own. k goes from 0 to COPIED_PLACES(g.n); behind n there is
// nothing but the largest value.
static void fill_row(local uint *words, global const KEY_T *keys, uint k, uint n,
                     const struct arguments *g)
{
#if KEYS_LOCAL
    if (k < COPIED_PLACES(g->n))
        ((local KEY_T *)words)[k * KEY_STEP] = k < n ? copied_key(keys, k) : (KEY_T)HIGHEST;
#endif
#if HAS_STARTS
    if (k > n)
        return;
    local START_T *starts = (local START_T *)(words + key_words(g));
    const uint end = k < n ? local_cell_of(copied_key(keys, k), g) : local_cells(g);
    for (uint cell = k ? local_cell_of(copied_key(keys, k - 1), g) + 1 : 0; cell <= end; cell++)
        starts[cell] = (START_T)k;
#endif
}

// What local memory has of a row.
static local const uint *words_of_row(local const uint *words, uint row, const struct arguments *g)
{
    return words + row * (LINE_ROWS ? (uint)sizeof(KEY_T) / 4 : row_table_words(g));
}

// Row by row the loads of one would wait for those of the row before. LINE_ROWS: by LINE_KEYS of a
// row, then as many of the next one.
static void fill_rows(local uint *words, ulong first_row, uint rows,
                      global const uint *all_tables, const struct arguments *g)
{
    const uint each = COPIED_PLACES(g->n) + HAS_STARTS;
    const uint of_row = LINE_ROWS ? LINE_KEYS : each;
    const uint n = LINE_ROWS ? (each + LINE_KEYS - 1) / LINE_KEYS * LINE_KEYS : each;
    for (uint i = get_local_id(0); i < rows * n; i += WG) {
        const uint of_line = i / of_row, line = LINE_ROWS ? of_line / rows : 0;
        const uint row = of_line - line * rows;
        fill_row((local uint *)words_of_row(words, row, g),
                 placed_keys(first_row + row, all_tables, g), line * of_row + i % of_row,
                 COPIED_KEYS(keys_of_row(first_row + row, all_tables, g) +
                             keys_ahead(first_row + row, g)),
                 g);
    }
}
#endif

// `row` is counted from first_row, where `table` begins.
static void load_keys_of(struct row_constants *k, row_table table, uint row, ulong first_row,
                         global const uint *all_tables, const struct arguments *g)
{
#if ROW_TABLE_LOCAL
    local const uint *words = words_of_row(table, row, g);
#endif
#if KEYS_LOCAL
    k->keys = (local const KEY_T *)words;
#elif ROW_TABLE_LOCAL
    k->keys = (global const KEY_T *)all_tables + (g->row + first_row + row) * g->n;
#else
    k->keys = table + row * key_pitch(g);
#endif
#if HAS_STARTS
    k->starts = (local const START_T *)(words + key_words(g));
#elif ROW_CELLS == CELLS_GLOBAL
    k->cells = all_tables + (g->index_at + (g->row + first_row + row) * g->cells);
#endif
    k->n = keys_of_row(first_row + row, all_tables, g);
#if KEYS_HELD
    #pragma unroll
    for (uint i = 0; i < HELD_KEYS; i++)
        k->held[i] = i < g->n ? k->keys[i * KEY_STEP] : (KEY_T)HIGHEST;
#endif
#if KEYS_APART
    k->ahead = keys_ahead(first_row + row, g);
    k->all_keys = placed_keys(first_row + row, all_tables, g);
#endif
}
#endif
