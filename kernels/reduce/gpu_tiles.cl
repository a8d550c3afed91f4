// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_tiles: many short rows, of any length and at any place, with small gaps or none
// between rows and between elements. A group of one warp copies a tile of whole rows to local
// memory by aligned vectors, and folds the rows there.
//
//     x       ...| vec 0   | vec 1   | vec 2   | ...  | vec n   |...      group 0's tile
//                   | row 0  | row 1  | row 2  | ... | row tile - 1 | row of the next group
//     items        0  1  2  3 ... WG - 1, 0 ...  ITEMS vectors each, all in flight
//     then         `lanes` items take each row: one where a tile has as many rows as the group
//                  has items, else the power of two that fills the group
//
// A tile whose first row begins within a vector may touch one vector more than the items have. The
// first item copies that one, too. So the number of rows in a tile does not depend on where they
// lie. The results of 32 rows are whole lines of memory. Neighbouring tiles share the vector
// between them. Vectors that leave the array, at its ends, are copied by elements.
//
// A row is read word by word: WORD_N elements of 4 bytes, or one of 8. Rows of whole vectors that
// begin at one are read by vectors. In a word that a row shares with others, what is theirs is
// replaced by elements f that leave the result as it is:
//
//     words   | . . . e | e e e e | e e e e | e e . . |
//     read    | f f f e | e e e e | e e e e | e e f f |
//
// Where rows lie backwards, the tile is turned when it is copied, vectors and the elements of each.
// So its rows lie forwards, the last one first:
//
//     x       | . . c2 c1 | c0 b2 b1 b0 | a2 a1 a0 . |
//     tile    | . a0 a1 a2 | b0 b1 b2 c0 | c1 c2 . . |
//
// Elements that lie apart are read one by one. WORD_N of them become a word, but for positions and
// for those that are left. Statistics also take elements one by one where they share a word with
// other rows, and in rows of less than 16 bytes.
//
// Banks: local memory has 32 of 4 bytes. Items that read rows at once meet in few banks where
// rows begin at about multiples of 64 bytes. PAD leaves 16 bytes free after each 128, so that
// eight rows of 128 bytes are in different banks for reads of 16 bytes. The host counts whether that
// spares conflicts (src/reduce/gpu_tiles.c).
//
// Macros: WG; ITEMS vectors of 16 bytes per item; PAD; APART: the elements of a row lie apart;
// BACKWARDS: they lie side by side, backwards, in arg operations alone; SHORT_ROWS: 1 if rows have at
// most CHAIN elements: a lane has one chain of words, and one of the elements beside them. The compiler
// then makes no loops over chains.
// Local memory: WG * ITEMS + 1 vectors, with PAD one more for each eight, one acc per item where
// a group is no warp that can shuffle, and the results of one row per item of statistics.
// Barriers: one between copying and folding, those of fold_group() where a group is no warp that
// can shuffle, and two around results. Per element: its bytes, read once and rounded up to whole
// vectors per tile; 1 / WORD_N of a load from local memory; one STEP (reduce/chain.cl), or 1 /
// WORD_N of what reduce/dots.cl, reduce/vec16_bits.cl and reduce/packs.cl take, or a key or a
// half of a pair (reduce/keys.cl). A row ends with a merge for each of its lanes.

// Whether items of a group exchange their accs by themselves, without local memory.
#define IS_WARP (HAS_SHUFFLE && WG == 32)

// ---------------------------------------------------------------- words
// Folds this lane's words of the `words` from `first` on. Positions count from `index`.
static void fold_words(acc *r, local const WORD *tile, uint first, uint words, uint lane,
                       uint lanes, ulong index)
{
    const uint chain = CHAIN_WORDS * lanes;
    for (uint w = lane; w < words; w += chain) {
        const uint end = SHORT_ROWS ? words : min(words, w + chain);
        a_word a;
        b_word b;
        START_WORD(a, b, tile[PLACE(first + w)]);
        uint k = w;
        for (; k + lanes < end; k += 2 * lanes) { // two loads in flight
            const WORD one = tile[PLACE(first + k)], next = tile[PLACE(first + k + lanes)];
            TAKE_TWO_WORDS(a, b, one, next, (k - w) * WORD_N, (k + lanes - w) * WORD_N);
        }
        if (k < end)
            TAKE_WORD(a, b, tile[PLACE(first + k)], (k - w) * WORD_N);
        TAKE_CHAIN(r, a, b, index + w * WORD_N);
        if (SHORT_ROWS)
            break;
    }
}

// The same for vectors. Volatile, because clang makes four loads of one whose words are used
// one by one.
static void fold_vectors(acc *r, volatile local const uint4 *tile, uint first, uint vectors,
                         uint lane, uint lanes, ulong index)
{
    const uint chain = CHAIN_WORDS / VEC_WORDS * lanes;
    for (uint v = lane; v < vectors; v += chain) {
        const uint end = SHORT_ROWS ? vectors : min(vectors, v + chain);
        a_word a;
        b_word b;
        START_WORD(a, b, *(volatile local const WORD *)&tile[PLACE_VEC(first + v)]);
        uint k = v;
        for (; k + lanes < end; k += 2 * lanes) {
            const uint4 one = tile[PLACE_VEC(first + k)];
            const uint4 next = tile[PLACE_VEC(first + k + lanes)];
            TAKE_VECTOR_OF_WORDS(a, b, one, (k - v) * VEC_N);
            TAKE_VECTOR_OF_WORDS(a, b, next, (k + lanes - v) * VEC_N);
        }
        if (k < end) {
            const uint4 one = tile[PLACE_VEC(first + k)];
            TAKE_VECTOR_OF_WORDS(a, b, one, (k - v) * VEC_N);
        }
        TAKE_CHAIN(r, a, b, index + v * VEC_N);
        if (SHORT_ROWS)
            break;
    }
}

// Folds this lane's part of the row whose first element is number `at` of the tile.
// `is_vectors`: all rows are whole vectors.
static void fold_row(acc *r, local const uint4 *tile, uint at, bool is_vectors, uint lane,
                     uint lanes, const struct arguments *g)
{
    const uint count = (uint)g->count;
    acc_start(r);
    if (APART) {
        fold_apart(r, (local const BITS *)tile, at, lane, lanes, g);
        return;
    }
    if (is_vectors) {
        fold_vectors(r, tile, at / VEC_N, count / VEC_N, lane, lanes, g->index);
        return;
    }
#if WORD_N == 1
    fold_words(r, (local const WORD *)tile, at, count, lane, lanes, g->index);
#elif HAS_KEYS
    fold_keys(r, (local const uint *)tile, at, at + count, lane, lanes, g->index);
#else
    const uint first = (at + WORD_N - 1) / WORD_N, end = (at + count) / WORD_N;
#if OP == STATISTICS
    const bool has_words = count * BYTES >= VEC16_BYTES;
    const uint head = has_words ? first * WORD_N - at : count;
    const uint tail = has_words ? at + count - end * WORD_N : 0;
    fold_ends(r, (local const BITS *)tile, at, head, tail, lane, lanes, g);
#else
    const bool has_words = first < end;
    const uint head = first * WORD_N - at;
    if (lane == 0)
        fold_ends(r, (local const uint *)tile, at, at + count, g->index);
#endif
    if (has_words)
        fold_words(r, (local const WORD *)tile, first, end - first, lane, lanes, g->index + head);
#endif
}

// ---------------------------------------------------------------- tiles
// A vector's elements from `begin` up to `end`; zeros around them.
static uint4 load_within(global const BITS *vector, int begin, int end)
{
    uint4 v = 0;
    for (int i = max(begin, 0); i < min(end, VEC_N); i++)
        ((BITS *)&v)[i] = vector[i];
    return v;
}

// Vector i of the `vectors` of a tile goes to its place.
static void put(local uint4 *tile, uint i, uint vectors, uint4 v)
{
    if (!BACKWARDS)
        tile[PLACE_VEC(i)] = v;
    else if (i < vectors)
        tile[PLACE_VEC(vectors - 1 - i)] = turned(v);
}

// Vectors of the tile in which `length` elements lie from element `off` on.
static uint vectors_of(uint off, uint length)
{
    return (off + length + VEC_N - 1) / VEC_N;
}

// Copies the `length` elements at p to the tile, from element `off` on. The array has `before`
// elements in front of them and `behind` after them.
static void copy_tile(local uint4 *tile, global const BITS *p, uint off, uint length, ulong before,
                      ulong behind, uint item)
{
    const uint vectors = vectors_of(off, length);
    global const uint4 *q = (global const uint4 *)(p - off);
    if (off <= before && vectors * VEC_N - off - length <= behind) {
        uint4 v[ITEMS], last = 0;
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            v[i] = q[min(i * WG + item, vectors - 1)]; // no condition: all are in flight
        if (item == 0 && vectors > WG * ITEMS)
            last = q[WG * ITEMS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            put(tile, i * WG + item, vectors, v[i]);
        if (item == 0)
            put(tile, WG * ITEMS, vectors, last);
    } else
        for (uint w = item; w < vectors; w += WG)
            put(tile, w, vectors,
                w > 0 && w < vectors - 1
                    ? q[w]
                    : load_within((global const BITS *)(q + w), (int)off - (int)(w * VEC_N),
                                  (int)(off + length) - (int)(w * VEC_N)));
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    global acc *part = partials_of(scratch);
    local uint4 tile[PLACE_VEC(WG * ITEMS) + 1];
#if !IS_WARP
    SHARED acc shared[WG];
#endif
#ifdef RESULTS
    local OUT_T results[WG * RESULTS];
    const REAL share = 1 / (REAL)g.count;
#endif
    const uint item = get_local_id(0), halvings = 31 - clz(g.lanes); // lanes: a power of two
    const uint set = item >> halvings, lane = item & (g.lanes - 1), sets = WG >> halvings;
    const ulong row0 = (ulong)get_group_id(0) * g.tile, step = (ulong)g.row_stride;
    const uint rows = (uint)min((ulong)g.tile, g.rows - row0), apart = (uint)step;
    const uint span = APART ? (uint)((g.count - 1) * abs(g.stride)) + 1 : (uint)g.count;
    const uint length = (uint)((rows - 1) * step) + span; // of the rows together
    const uint begin = g.stride < 0 ? span - 1 : 0; // where a row's first element lies in its span
    global const BITS *p = (global const BITS *)x + g.first + row0 * step - begin;
    const uint off = ((uint)(size_t)p & (VEC16_BYTES - 1)) / BYTES;
    copy_tile(tile, p, off, length, row0 * step, (g.rows - row0 - rows) * step, item);
    barrier(CLK_LOCAL_MEM_FENCE);

    const bool is_vectors = (off | apart | (uint)g.count) % VEC_N == 0;
    #pragma unroll 1
    for (uint row = 0; row < rows; row += sets) {
        const bool has_row = row + set < rows;
        acc r;
        acc_start(&r);
        if (has_row) {
            const uint at = off + (row + set) * apart + begin;
            fold_row(&r, tile, BACKWARDS ? vectors_of(off, length) * VEC_N - 1 - at : at,
                     is_vectors, lane, g.lanes, &g);
        }
        if (g.lanes > 1) {
#if IS_WARP
            fold_warp(&r, g.lanes);
#else
            shared[item] = r;
            fold_group(shared, item, lane, g.lanes, 1);
            r = shared[item];
#endif
        }
#ifdef RESULTS
        if (g.flags & DIRECT) {
            write_results(out, results, &r, share, set, has_row && lane == 0, row0 + row,
                          min(sets, rows - row), &g);
            continue;
        }
#endif
        if (has_row && lane == 0)
            emit(part, out, &g, row0 + row + set, 1, &r);
    }
}
