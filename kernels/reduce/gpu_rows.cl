// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs: rows of stride 1 read as aligned 16-byte words, ITEMS of them in flight.
//
// LANES items share a row, or a slot of it; a group takes WG / LANES rows (one if LANES is WG).
//
//     row   | head |  tile 0  |  tile 1  | ...  |  last, part of a tile  | tail |
//              ^ up to the first 16-byte boundary                        ^ less than a word
//     tile  [ LANES words | LANES words | ... ITEMS times ]   lane i takes words i, LANES + i, ...
//
// Slot s takes tiles s, s + slots, s + 2 * slots ...: groups that run together stream
// neighbouring tiles. Head and tail are slot 0's.
//
// Arg ops look for the value only, and keep the number of the tile in which it came up first. The
// items that share a row agree on the best, and look its position up in that one tile.
//
// Macros: WG; ITEMS words in flight per item; LANES_WANTED items for a row, WHOLE_GROUP = all.
// Local memory: one acc per item.

#if !defined(ITEMS) || !defined(LANES_WANTED)
#error "ITEMS and LANES_WANTED must be defined"
#endif
#define LANES LANES_OF_GROUP(WG, LANES_WANTED)
#define TILE (LANES * ITEMS) // words

// The words of a row: this lane's first one of tile 0, and what of them there is.
struct words {
    global const uint4 *first;
    uint tiles; // whole ones; 32 bits hold 2^39 bytes even where a lane has a row for itself
    uint rest;  // words of the last tile from this lane's first on
    ulong at;   // position of this lane's first element
};

// Reads this lane's words of one tile; `part`: of the last, where words may lack.
static void load_tile(uint4 *v, const struct words *x, uint tile, bool part)
{
    global const uint4 *q = x->first + (ulong)tile * TILE;
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest)
            v[i] = q[i * LANES];
}

static void take_tile(lanes *l, const uint4 *v, const struct words *x, bool part)
{
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest)
            words_take(l, v[i]);
}

#if !IS_ARG
// This lane's words of the tiles slot, slot + slots, ...
static void fold_words(acc *r, const struct words *x, uint slot, uint slots)
{
    lanes l;
    uint4 v[ITEMS];
    words_start(&l);
    uint t = slot;
    #pragma unroll 1
    for (uint n = 1; t < x->tiles; t += slots, n++) {
        load_tile(v, x, t, false);
        take_tile(&l, v, x, false);
#if WORD_CHAIN
        if (n % (WORD_CHAIN / ITEMS) == 0) {
            words_merge(r, &l);
            words_start(&l);
        }
#endif
    }
    if (t == x->tiles) {
        load_tile(v, x, t, true);
        take_tile(&l, v, x, true);
    }
    words_merge(r, &l);
}
#else

static bool is_better(W x, W best)
{
#if IS_FLOAT && SKIP_NAN
    return (BEFORE(x, best) | (best != best)) & (x == x);
#elif IS_FLOAT
    return BEFORE(x, best) | ((x != x) & (best == best));
#else
    return BEFORE(x, best);
#endif
}

// The best value of this lane's words of the tiles slot, slot + slots, ..., and instead of its
// position the number of the tile where it came up first.
static void fold_words(acc *r, const struct words *x, uint slot, uint slots)
{
    W best = NONE_YET;
    uint winner = slot, t = slot;
    uint4 v[ITEMS];
    #pragma unroll 1
    for (; t < x->tiles; t += slots) {
        lanes l;
        words_start(&l);
        load_tile(v, x, t, false);
        take_tile(&l, v, x, false);
        const W value = words_best(&l);
        const bool better = is_better(value, best);
        best = better ? value : best;
        winner = better ? t : winner;
    }
    const bool has_rest = t == x->tiles && x->rest;
    if (has_rest) {
        lanes l;
        words_start(&l);
        load_tile(v, x, t, true);
        take_tile(&l, v, x, true);
        const W value = words_best(&l);
        const bool better = is_better(value, best);
        best = better ? value : best;
        winner = better ? t : winner;
    }
    if (slot < x->tiles || has_rest) {
        r->v = best;
        r->n = winner;
    }
}

// The best of this lane's words of one tile, with its position.
static void locate(acc *r, const struct words *x, uint tile)
{
    uint4 v[ITEMS];
    load_tile(v, x, tile, tile == x->tiles);
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        if (tile < x->tiles || i * LANES < x->rest)
            take_word(r, v[i], x->at + ((ulong)tile * TILE + i * LANES) * N);
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
{
    SHARED acc shared[WG];
    local uint last;
    const uint item = get_local_id(0), lane = item % LANES;
    // 32 bits: a division of 64 takes a GPU longer than a whole tile.
    const uint group = get_group_id(0), slots = (uint)g.slots, slot = group % slots;
    const ulong row = (ulong)(group / slots) * (WG / LANES) + item / LANES;

    acc r, all_words;
    acc_start(&r);
    acc_start(&all_words);
    struct words words;
    if (LANES == WG || row < g.rows) {
        global const T *p = x + (g.first + (long)row * g.row_stride);
        const uint head = min(g.count, (ulong)((16 - ((uint)(size_t)p & 15)) & 15) / BYTES);
        const ulong n = (g.count - head) / N;
        const uint left = n % TILE, tail = (g.count - head) % N;
        words.first = (global const uint4 *)(p + head) + lane;
        words.tiles = n / TILE;
        words.rest = left > lane ? left - lane : 0;
        words.at = g.index + head + lane * N;
        if (slot == 0) // first, so that nothing of it takes registers from the rest
            #pragma unroll 1
            for (uint i = lane; i < head + tail; i += LANES) {
                const ulong e = i < head ? i : g.count - tail + (i - head);
                take_one(&r, (W)LOAD(p, e), g.index + e);
            }
        fold_words(&all_words, &words, slot, slots);
    }
#if IS_ARG
    shared[item] = all_words;
    fold_group(shared, item, lane, LANES, 1);
    all_words = shared[item - lane];
    barrier(CLK_LOCAL_MEM_FENCE); // all have read it
    if (all_words.n != NONE)
        locate(&r, &words, (uint)all_words.n);
#else
    merge(&r, &all_words);
#endif
    shared[item] = r;
    fold_group(shared, item, lane, LANES, 1);
#if LANES == WG
    emit_group(part, counters, out, shared, &last, item, &g, row, slot);
#else
    r = shared[item];
    if (lane == 0 && row < g.rows)
        emit(part, out, &g, row, slot + 1, &r);
#endif
}
