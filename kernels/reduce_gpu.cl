// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs: rows of stride 1 read as aligned 16-byte words, ITEMS of them in flight.
//
// LANES items share a row, or a slot of it; a group takes WG / LANES rows (one if LANES is WG).
//
//     row   | head |  tile 0  |  tile 1  |  tile 2  | ...  | rest | tail |
//              ^ up to the first 16-byte boundary             ^      ^ less than a word
//     tile  [ LANES words | LANES words | ... ITEMS times ]   lane i takes words i, LANES + i, ...
//
// Slot s takes tiles s, s + slots, s + 2 * slots ...: groups that run together stream
// neighbouring tiles. The rest is the last slot's; head and tail are slot 0's.
//
// Arg ops look for the value only, and keep the number of the tile in which it came up; its
// position is looked up once, in that tile, at the end.
//
// Macros: WG; ITEMS words in flight per item; SHAPE items for a row, 0 = all of a group.
// Local memory: one acc per item.

#if !defined(ITEMS) || !defined(SHAPE)
#error "ITEMS and SHAPE must be defined"
#endif
// The host's lanes_within(), number for number.
#if SHAPE == 0 || SHAPE >= WG
#define LANES WG
#elif WG % SHAPE
#define LANES 1
#else
#define LANES SHAPE
#endif

// A word is N elements.
#if BYTES == 1
#define N 16
#elif BYTES == 2
#define N 8
#elif BYTES == 4
#define N 4
#else
#define N 2
#endif
#define TILE (LANES * ITEMS) // words

typedef JOIN_NAMES(A, N) a_vector;
typedef JOIN_NAMES(B_LANE, N) b_vector;
typedef JOIN_NAMES(W, N) w_vector;

#if TYPE == F16
typedef uint4 word;
#else
typedef JOIN_NAMES(T, N) word;
#endif

static w_vector widen(word v)
{
#if TYPE == F16 && defined(W_IS_64)
    return convert_double8(vload_half8(0, (const half *)&v));
#elif TYPE == F16
    return vload_half8(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, W), N)(v);
#endif
}

#define POSITIONS (JOIN_NAMES(B, N))(JOIN_NAMES(UP_TO_, N))

// One element at `at`, for what does not fill a word.
static acc acc_of_element(global const T *p, ulong at)
{
    A a;
    B_LANE b;
    const W v = (W)LOAD(p, 0);
    START(, a, b, v, 0);
    STEP(a, b, v, 0);
    return acc_of(a, b, at);
}

// One word whose first element is at `at`, for what does not fill a tile.
static acc acc_of_word(word v, ulong at)
{
    a_vector a;
    b_vector b;
    const w_vector x = widen(v);
    START(N, a, b, x, POSITIONS);
    STEP(a, b, x, POSITIONS);
    return JOIN_NAMES(acc_of, N)(a, b, at);
}

static void load_tile(word *v, global const word *q)
{
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        v[i] = q[i * LANES];
}

#if !IS_ARG
// This lane's words of the tiles first, first + step ... of `tiles`; `body` is the row's first
// word, `at` the position of its first element.
static acc fold_tiles(global const word *body, uint lane, uint first, ulong tiles, uint step,
                      ulong at)
{
    acc r = acc_start();
    global const word *q = body + (ulong)first * TILE + lane;
    for (ulong t = first; t < tiles;) {
        a_vector a;
        b_vector b;
        START(N, a, b, 0, 0);
        for (uint k = 0; k < CHAIN / ITEMS && t < tiles; k++, t += step) {
            word v[ITEMS];
            load_tile(v, q);
            #pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const w_vector x = widen(v[i]);
                STEP(a, b, x, 0);
            }
            q += (ulong)step * TILE;
        }
        r = merge(r, JOIN_NAMES(acc_of, N)(a, b, at));
    }
    return r;
}
#else

// EXTREME: the better one of a and x, for vectors too; NONE_YET what any x is better than. A NaN
// is the best there is or, where NaNs are skipped, the worst.
#if IS_FLOAT && SKIP_NAN
#define NONE_YET      NAN
#define EXTREME(a, x) ((a) = (BEFORE(x, a) | ((a) != (a))) ? (x) : (a))
#elif IS_FLOAT
#define NONE_YET      START_A
#define EXTREME(a, x) ((a) = (BEFORE(x, a) | ((x) != (x))) ? (x) : (a))
#else
#define NONE_YET      START_A
#define EXTREME(a, x) ((a) = BEFORE(x, a) ? (x) : (a))
#endif

static W extreme(W a, W x)
{
    EXTREME(a, x);
    return a;
}
static W extreme2(JOIN_NAMES(W, 2) v)
{
    return extreme(v.x, v.y);
}
static W extreme4(JOIN_NAMES(W, 4) v)
{
    JOIN_NAMES(W, 2) a = v.lo;
    EXTREME(a, v.hi);
    return extreme2(a);
}
static W extreme8(JOIN_NAMES(W, 8) v)
{
    JOIN_NAMES(W, 4) a = v.lo;
    EXTREME(a, v.hi);
    return extreme4(a);
}
static W extreme16(JOIN_NAMES(W, 16) v)
{
    JOIN_NAMES(W, 8) a = v.lo;
    EXTREME(a, v.hi);
    return extreme8(a);
}

// The position, with the value, of the best among this lane's words of one tile.
static acc locate(global const word *q, ulong at)
{
    acc r = acc_start();
    for (int i = 0; i < ITEMS; i++)
        r = merge(r, acc_of_word(q[i * LANES], at + (ulong)i * (LANES * N)));
    return r;
}

static acc fold_tiles(global const word *body, uint lane, uint first, ulong tiles, uint step,
                      ulong at)
{
    W best = NONE_YET;
    ulong winner = first;
    global const word *q = body + (ulong)first * TILE + lane;
    for (ulong t = first; t < tiles; t += step, q += (ulong)step * TILE) {
        word v[ITEMS];
        w_vector a = (w_vector)(NONE_YET);
        load_tile(v, q);
        #pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const w_vector x = widen(v[i]);
            EXTREME(a, x);
        }
        const W x = JOIN_NAMES(extreme, N)(a), before = best;
#if IS_FLOAT && SKIP_NAN
        const bool better = (BEFORE(x, before) | (before != before)) & (x == x);
#elif IS_FLOAT
        const bool better = BEFORE(x, before) | ((x != x) & (before == before));
#else
        const bool better = BEFORE(x, before);
#endif
        best = better ? x : before;
        winner = better ? t : winner;
    }
    if (first >= tiles)
        return acc_start();
    return locate(body + winner * TILE + lane, at + (winner * TILE + lane) * N);
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
{
    local acc shared[WG];
    local uint last;
    const uint item = get_local_id(0), lane = item % LANES;
    // 32 bits: a division of 64 takes a GPU longer than a whole tile.
    const uint group = get_group_id(0), slots = (uint)g.slots, slot = group % slots;
    const ulong row = (ulong)(group / slots) * (WG / LANES) + item / LANES;

    acc r = acc_start();
    if (LANES == WG || row < g.rows) {
        global const T *p = x + (g.first + (long)row * g.row_stride);
        const ulong head = min(g.count, (ulong)((16 - ((size_t)p & 15)) & 15) / BYTES);
        const ulong words = (g.count - head) / N, tiles = words / TILE;
        global const word *body = (global const word *)(p + head);

        r = fold_tiles(body, lane, slot, tiles, slots, g.index + head);
        if (slot == slots - 1) // it has the fewest tiles
            for (ulong i = tiles * TILE + lane; i < words; i += LANES)
                r = merge(r, acc_of_word(body[i], g.index + head + i * N));
        if (slot == 0) {
            for (ulong e = lane; e < head; e += LANES)
                r = merge(r, acc_of_element(p + e, g.index + e));
            for (ulong e = head + words * N + lane; e < g.count; e += LANES)
                r = merge(r, acc_of_element(p + e, g.index + e));
        }
    }
    shared[item] = r;
    fold_group(shared, item, lane, LANES, 1);
#if LANES == WG
    emit_group(part, counters, out, shared, &last, item, &g, row, slot);
#else
    if (lane == 0 && row < g.rows)
        emit(part, out, &g, row, slot + 1, shared[item]);
#endif
}
