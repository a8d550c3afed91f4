// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_turn and gpu_stretches: how a group fills its tile. gpu_turn.cl and
// gpu_stretches.cl say what the tile is, and sum.
//
// Without BACK neighbouring items load neighbours of a row. With WORDS these are neighbours in
// memory: the tile has them as memory does, and items copy words. A row of the tile begins at the
// same byte of a word as its inputs do. Words at the ends of a run may hold elements that nobody
// asked for: they lie in the array, or the group copies elements.
//
// With BACK gpu_turn_back.cl fills what is inside the rows.
//
// Macros   those of convolve1d.cl, and as gpu_turn.cl says them: TILE_ROWS, BACK, WORDS, BACKWARDS,
//          ALONG
// Barriers one where positions are beyond the ends of rows: inputs that these are copied from
//          are there

#if !defined(ALONG) || !defined(BACK) || !defined(WORDS) || !defined(BACKWARDS) || \
    !defined(TILE_ROWS)
#error "a macro of gpu_turn_fill.cl is not defined: its head lists them"
#endif

#define ROWS    ROWS_AT_ONCE(WG, TILE_ROWS)
#define TEAMS   (WG / ROWS)
#define COLUMNS SIDE_BY_SIDE(WG, ALONG) // items that load neighbours of a row
#define LOADERS (WG / COLUMNS)          // rows that are loaded at once
#define AHEAD   ((ROWS + LOADERS - 1) / LOADERS < 8 ? (ROWS + LOADERS - 1) / LOADERS : 8)

// Whether the tile has elements of less than 4 bytes as they are.
#define HAS_CELLS (BYTES < 4 && (WORDS || BACK))

// A cell of the tile, and cell i from p on as an operand.
#if WORDS
#define IN_WORD (4 / BYTES)
#endif
#if !HAS_CELLS
#define CELL       OPERAND
#define CELL_AT(p, i) (p)[i]
#define CELL_OF(p)    OPERAND_OF(LOAD((p), 0))
#define constant_cell(bits) constant_of(bits)
#else
#define constant_cell(bits) ((CELL)(bits))
#define CELL_OF(p)          (*(global const CELL *)(p))
#if BYTES == 1
#define CELL uchar
#else
#define CELL ushort
#endif
#if TYPE == F16
#define CELL_AT(p, i) vload_half((i), (local const half *)(p))
#else
#define CELL_AT(p, i) OPERAND_OF(((local const ELEM *)(p))[i])
#endif
#endif

// Cells of `width` positions lie as the inputs do in memory: from the last one on where rows lie
// backwards.
#if !BACKWARDS
#define PLACE(position, width) (position)
#else
#define PLACE(position, width) ((width) - 1 - (position))
#endif

// Cell 0 of a row, in memory: of `width` positions from j on, which may lie beyond the row.
static global const ELEM *lowest_cell(global const ELEM *x, const struct arguments *g,
                                      ulong row, long j, uint width)
{
    return x + (g->first + (long)row * g->row_stride + (BACKWARDS ? 1 - j - (long)width : j));
}

// Cells of a row in front of its lowest one, which is as `low` in memory.
static uint skew_of(global const ELEM *low)
{
#if WORDS
    return (uint)(size_t)low % 4 / BYTES;
#else
    return 0;
#endif
}

enum { BESIDE = 8 }; // rows of which an item loads a position at once

// Fills the positions in front of `front` and from `high` on. Those between them are there.
// What stands for a position is the same for all rows. So an item resolves it once for some
// rows. Behind `elements` positions nothing is needed, but up to `filled` there is something.
// `low`: cell 0 of the first row.
static void fill_beyond(local CELL *tile, global const ELEM *x, global const ELEM *before,
                        const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                        uint front, uint high, uint elements, uint width, uint filled,
                        global const ELEM *low)
{
    const uint item = get_local_id(0), first = item / COLUMNS;
    global const ELEM *own = low + (long)first * g->row_stride;
    const long step = LOADERS * g->row_stride;
    tile += first * pitch;
    #pragma unroll 1
    for (uint i = item % COLUMNS; i < filled - (high - front); i += COLUMNS) {
        const uint e = i < front ? i : i + (high - front), to = PLACE(e, width);
        const long k = resolve(j + e, (long)g->n, g->left, g->right);
        const bool is_past = k < 0 && g->left == BOUNDARY_HISTORY;
        if (e >= elements || (!is_past && (ulong)k >= g->n)) { // a constant
            const CELL value = e >= elements ? (CELL)0
                                             : constant_cell(j + e < 0 ? g->constant_left
                                                                       : g->constant_right);
            #pragma unroll 4
            for (uint r = first, u = 0; r < rows; r += LOADERS, u++)
                tile[u * (LOADERS * pitch) + skew_of(own + u * step) + to] = value;
        } else if (k - j >= front && k - j < high) {
            const uint from = PLACE((uint)(k - j), width);
            #pragma unroll 4
            for (uint r = first, u = 0; r < rows; r += LOADERS, u++) {
                local CELL *at = tile + (u * (LOADERS * pitch) + skew_of(own + u * step));
                at[to] = at[from];
            }
        } else {
            const long by = is_past ? g->before_row_stride : g->row_stride;
            global const ELEM *p =
                is_past ? before + (g->before_first + (k + (long)g->halo) * g->before_stride)
                        : x + (g->first + k * g->stride);
            p += (long)(row + first) * by;
            #pragma unroll 1
            for (uint r = first, u = 0; r < rows; r += BESIDE * LOADERS, u += BESIDE) {
                CELL v[BESIDE];
                #pragma unroll
                for (uint b = 0; b < BESIDE; b++, p += LOADERS * by)
                    if (r + b * LOADERS < rows)
                        v[b] = CELL_OF(p);
                #pragma unroll
                for (uint b = 0; b < BESIDE; b++)
                    if (r + b * LOADERS < rows)
                        tile[(u + b) * (LOADERS * pitch) + skew_of(own + (u + b) * step) + to] =
                            v[b];
            }
        }
    }
}

#if !BACK
#if WORDS
enum { WIDE = 4 }; // words of a row that an item copies at once

// Copies the words in which cells `begin` to `end` - 1 of `rows` rows are. `low`: cell 0 of the
// first row.
static void copy_words(local uint *tile, global const ELEM *low, long row_stride, uint begin,
                       uint end, uint rows, uint pitch)
{
    const uint item = get_local_id(0), first = item / COLUMNS;
    const uint last = (end + 2 * IN_WORD - 2) / IN_WORD; // some rows end a word earlier
    const long by = LOADERS * row_stride;
    #pragma unroll 1
    for (uint w = begin / IN_WORD + item % COLUMNS; w < last; w += WIDE * COLUMNS) {
        const uint words = (last - w + COLUMNS - 1) / COLUMNS;
        global const ELEM *p = low + (long)first * row_stride;
        local uint *to = tile + (first * pitch + w);
        #pragma unroll 1
        for (uint r = first; r < rows; r += AHEAD * LOADERS) {
            uint v[AHEAD][WIDE];
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++, p += by) {
                if (r + u * LOADERS >= rows)
                    break;
                global const uint *from =
                    (global const uint *)((global const uchar *)p - (size_t)p % 4) + w;
                #pragma unroll
                for (uint c = 0; c < WIDE; c++)
                    if (c < words)
                        v[u][c] = from[c * COLUMNS];
            }
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++, to += LOADERS * pitch) {
                if (r + u * LOADERS >= rows)
                    break;
                #pragma unroll
                for (uint c = 0; c < WIDE; c++)
                    if (c < words)
                        to[c * COLUMNS] = v[u][c];
            }
        }
    }
}

// Whether words at the ends of cells `begin` to `end` - 1 have elements of the array only.
static bool are_words_inside(global const ELEM *x, const struct arguments *g,
                             global const ELEM *low, uint rows, uint begin, uint end)
{
    const long beside = 2 * (IN_WORD - 1), at = low - x;
    const long to_last = ((long)g->n - 1) * g->stride, all = (long)(g->rows - 1) * g->row_stride;
    const long span = (long)(rows - 1) * g->row_stride;
    return at + begin + min(span, 0L) - beside >= g->first + min(to_last, 0L) + min(all, 0L) &&
           at + end - 1 + max(span, 0L) + beside <= g->first + max(to_last, 0L) + max(all, 0L);
}

// Copies cells `begin` to `end` - 1 of `rows` rows.
static void copy_cells(local CELL *tile, global const ELEM *low, long row_stride, uint begin,
                       uint end, uint rows, uint pitch)
{
    #pragma unroll 1
    for (uint r = get_local_id(0) / COLUMNS; r < rows; r += LOADERS) {
        global const ELEM *p = low + (long)r * row_stride;
        local CELL *to = tile + (r * pitch + skew_of(p));
        #pragma unroll 4
        for (uint e = begin + get_local_id(0) % COLUMNS; e < end; e += COLUMNS)
            to[e] = ((global const CELL *)p)[e];
    }
}
#else
// Loads `count` positions of `rows` rows. `from`: the first one of the first row.
static void load_run(local OPERAND *tile, global const ELEM *from, long stride, long row_stride,
                     uint count, uint rows, uint pitch)
{
    const uint item = get_local_id(0), first = item / COLUMNS;
    const long by = LOADERS * row_stride, next = COLUMNS * stride;
    from += (long)first * row_stride;
    tile += first * pitch;
    #pragma unroll 1
    for (uint e = item % COLUMNS; e < count; e += 2 * COLUMNS) {
        const bool has_other = e + COLUMNS < count;
        global const ELEM *p = from + e * stride, *q = has_other ? p + next : p;
        local OPERAND *to = tile + e;
        #pragma unroll 1
        for (uint r = first; r < rows; r += AHEAD * LOADERS) {
            OPERAND v[AHEAD], w[AHEAD];
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++, p += by, q += by)
                if (r + u * LOADERS < rows) {
                    v[u] = OPERAND_OF(LOAD(p, 0));
                    w[u] = OPERAND_OF(LOAD(q, 0));
                }
            #pragma unroll
            for (uint u = 0; u < AHEAD; u++, to += LOADERS * pitch)
                if (r + u * LOADERS < rows) {
                    to[0] = v[u];
                    if (has_other)
                        to[COLUMNS] = w[u];
                }
        }
    }
}
#endif

// Fills `elements` positions from j on, and those up to `filled` with anything. Cells lie as those
// of `width` positions.
static void fill(local CELL *tile, global const ELEM *x, global const ELEM *before,
                 const struct arguments *g, uint pitch, ulong row, uint rows, long j,
                 uint elements, uint width, uint filled)
{
    const uint front = (uint)clamp(-j, 0L, (long)elements); // positions in front of the rows
    const uint high = (uint)clamp((long)g->n - j, (long)front, (long)elements);
    global const ELEM *start = x + (g->first + (long)row * g->row_stride);
#if WORDS
    const uint begin = BACKWARDS ? width - high : front, end = begin + high - front;
    global const ELEM *low = lowest_cell(x, g, row, j, width);
    if (high > front && are_words_inside(x, g, low, rows, begin, end))
        copy_words((local uint *)tile, low, g->row_stride, begin, end, rows, pitch / IN_WORD);
    else
        copy_cells(tile, low, g->row_stride, begin, end, rows, pitch);
#else
    global const ELEM *low = start;
    load_run(tile + front, start + (j + front) * g->stride, g->stride, g->row_stride,
             high - front, rows, pitch);
#endif
    if (high - front == filled)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    fill_beyond(tile, x, before, g, pitch, row, rows, j, front, high, elements, width, filled,
                low);
}
#endif
