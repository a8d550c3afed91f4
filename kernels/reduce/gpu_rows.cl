// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_long_rows: rows read as aligned vectors of 16 bytes, ITEMS of them in
// flight per item. Elements may lie backwards or apart (reduce/row_vectors.cl).
//
// LANES items share a row, or a slot of it. A group takes WG / LANES rows, or one slot of one
// row if LANES is WG.
//
//     row   | head |  tile 0  |  tile 1  | ...  |  last, part of a tile  | tail |
//              ^ up to an aligned address: GRID                          ^ less than a vector
//     tile  [ LANES vectors | LANES vectors | ... ITEMS times ]    lane i: vectors i, LANES + i ...
//
// Slot s takes tiles s, s + slots, s + 2 * slots ...: groups that run together read
// neighbouring tiles. Head and tail, the remainder, are slot 0's.
//
// Arg ops look for the value only, and keep the number of the tile in which it came up first.
// The items that share a row agree on the best, and look its position up in that one tile. Where
// rows are a few tiles, KEEP_POSITIONS keeps the position beside the value instead.
//
// Macros: WG; ITEMS vectors in flight per item; LANES_WANTED items for a row, WHOLE_GROUP =
// all; KEEP_POSITIONS. Local memory: one acc per item. Barriers: those of
// fold_group(), twice for arg ops and one between, and of emit_group(). Per element: its
// bytes, read once (arg ops: one tile of each slot again), and what reduce/vec16.cl says.

#if !defined(KEEP_POSITIONS)
#error "KEEP_POSITIONS must be defined"
#endif
#ifndef VEC16_IS_SETTLED
#define VEC16_IS_SETTLED(l) false
#endif

// An element as it lies in memory, and what it is as an operand.
#if TYPE == F16
typedef ushort raw;
static OPERAND operand_of(raw x)
{
    const ushort2 bits = x;
    return (OPERAND)vload_half(0, (const half *)&bits);
}
#else
typedef ELEM raw;
#define operand_of(x) ((OPERAND)(x))
#endif

// Elements of the remainder that an item has in flight beside its vectors: all of them, or four.
// What more than one bring has not been measured apart.
#define MOST_ENDS ((2 * VEC_N - 2 + LANES - 1) / LANES)
#define ENDS      (GRID > VEC16_BYTES || MOST_ENDS < 1 ? 1 : MOST_ENDS < 4 ? MOST_ENDS : 4)

// The place of element i of the remainder, which has the head and then the tail.
static ulong place_of_end(const struct vectors *x, uint i, ulong skip)
{
    return i < x->head ? i : i + skip;
}

static void take_tile(word_acc *l, const uint4 *v, const struct vectors *x, bool part)
{
    if (LANES == WG && VEC16_IS_SETTLED(l)) // rows of whole groups
        return;
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest)
            vec16_take(l, v[i]);
}

#if !IS_ARG
// Folds this lane's vectors of the tiles slot, slot + slots, ...
static void fold_vectors(acc *r, const struct vectors *x, uint slot, uint slots)
{
    word_acc l;
    uint4 v[ITEMS];
    vec16_start(&l);
    uint t = slot;
    #pragma unroll 1
    for (uint n = 1; t < x->tiles; t += slots, n++) {
        load_tile(v, x, t, false);
        take_tile(&l, v, x, false);
#if VEC16_CHAIN
        if (n % (VEC16_CHAIN / ITEMS) == 0) {
            vec16_merge(r, &l);
            vec16_start(&l);
        }
#endif
    }
    if (t == x->tiles) {
        load_tile(v, x, t, true);
        take_tile(&l, v, x, true);
    }
    vec16_merge(r, &l);
}
#else

#if HAS_KEYS && BYTES == 1 && ITEMS * VEC16_BYTES > MOST_KEY_BYTES
#error "a lane has more bytes than keys can number"
#endif

// *r takes in the best of this lane's vectors of one tile, with its position.
static void locate(acc *r, const struct vectors *x, uint tile)
{
    const bool part = tile == x->tiles;
    if (part && x->rest == 0)
        return;
    const ulong at = x->at + (ulong)tile * TILE * VEC_N;
    uint4 v[ITEMS];
    load_tile(v, x, tile, part);
#if HAS_KEYS
    keys k;
    keys_start(&k);
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest) {
            const uint words[4] = { v[i].x, v[i].y, v[i].z, v[i].w };
            #pragma unroll
            for (int w = 0; w < 4; w++)
                keys_take(&k, words[w], (i * 4 + w) * (4 / BYTES));
        }
    const uint key = keys_best(&k), n = number_of(key);
    take(r, value_of(key), 0, at + n / VEC_N * LANES * VEC_N + n % VEC_N);
#else
    a_subvec a;
    b_subvec b;
    START(SUBVEC_N, a, b, subvec_of(v[0], 0), POSITIONS);
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest)
            #pragma unroll
            for (int k = 0; k < SUBVECS; k++) {
                const x_subvec e = subvec_of(v[i], k);
                STEP(a, b, e, POSITIONS + (INDEX)(i * LANES * VEC_N + k * SUBVEC_N));
            }
    JOIN_NAMES(take, SUBVEC_N)(r, a, b, at);
#endif
}

#if KEEP_POSITIONS
static void fold_vectors(acc *r, const struct vectors *x, uint slot, uint slots)
{
    for (uint t = slot; t <= x->tiles; t += slots)
        locate(r, x, t);
}
#else

static bool is_better(OPERAND x, OPERAND best)
{
#if IS_FLOAT && SKIP_NAN
    return (BEFORE(x, best) | (best != best)) & (x == x);
#elif IS_FLOAT
    return BEFORE(x, best) | ((x != x) & (best == best));
#else
    return BEFORE(x, best);
#endif
}

// Finds the best value of this lane's vectors of the tiles slot, slot + slots, ..., and instead
// of its position the number of the tile where it came up first.
static void fold_vectors(acc *r, const struct vectors *x, uint slot, uint slots)
{
    OPERAND best = NONE_YET;
    uint winner = slot, t = slot;
    uint4 v[ITEMS];
    #pragma unroll 1
    for (; t < x->tiles; t += slots) {
        word_acc l;
        vec16_start(&l);
        load_tile(v, x, t, false);
        take_tile(&l, v, x, false);
        const OPERAND value = vec16_best(&l);
        const bool better = is_better(value, best);
        best = better ? value : best;
        winner = better ? t : winner;
    }
    const bool has_rest = t == x->tiles && x->rest;
    if (has_rest) {
        word_acc l;
        vec16_start(&l);
        load_tile(v, x, t, true);
        take_tile(&l, v, x, true);
        const OPERAND value = vec16_best(&l);
        const bool better = is_better(value, best);
        best = better ? value : best;
        winner = better ? t : winner;
    }
    if (slot < x->tiles || has_rest) {
        r->v = best;
        r->n = winner;
    }
}
#endif
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    SHARED acc shared[WG];
    const uint item = get_local_id(0), lane = item % LANES;
    // 32 bits: a division of 64 takes a GPU longer than a whole tile.
    const uint group = get_group_id(0), slots = (uint)g.slots, slot = group % slots;
    const ulong row = (ulong)(group / slots) * (WG / LANES) + item / LANES;

    acc r, inner;
    acc_start(&r);
    acc_start(&inner);
    struct vectors vectors;
    if (LANES == WG || row < g.rows) {
        global const ELEM *p = x + (g.first + (long)row * g.row_stride);
        vectors_of(&vectors, p, lane, &g);
        // The remainder comes first, so that it takes no registers from what follows, but for ENDS
        // elements of each item: nobody waits for those before the vectors are on their way.
        // H200, driver 580.159.04, 2026-11-23: a million rows of 731 u16 338 us, before 368.
        const uint ends = vectors.head + vectors.tail;
        const ulong skip = length_of(&g) - ends, index = APART ? 0 : g.index;
        raw end[ENDS];
        #pragma unroll
        for (uint k = 0; k < ENDS; k++) {
            const uint i = k * LANES + lane;
            // Not 0: of an element or a constant compilers make an operand at once, and so wait for
            // the element. The same: sum of 265181 rows of 639 i32 158 us, with 0 189.
            end[k] = (raw)lane;
            if (slot == 0 && i < ends && is_element(&vectors, i))
                end[k] = ((global const raw *)p)[WAY(place_of_end(&vectors, i, skip))];
        }
        if (slot == 0)
            #pragma unroll 1
            for (uint i = lane + ENDS * LANES; i < ends; i += LANES) {
                const ulong e = place_of_end(&vectors, i, skip);
                if (is_element(&vectors, i))
                    take_one(&r, (OPERAND)LOAD(p, WAY(e)), index + e);
            }
        fold_vectors(&inner, &vectors, slot, slots);
        #pragma unroll
        for (uint k = 0; k < ENDS; k++) {
            const uint i = k * LANES + lane;
            if (slot == 0 && i < ends && is_element(&vectors, i))
                take_one(&r, operand_of(end[k]), index + place_of_end(&vectors, i, skip));
        }
    }
#if IS_ARG && !KEEP_POSITIONS
    shared[item] = inner;
    fold_group(shared, item, lane, LANES, 1);
    inner = shared[item - lane];
    barrier(CLK_LOCAL_MEM_FENCE); // all have read it
    if (inner.n != NONE)
        locate(&r, &vectors, (uint)inner.n);
#else
    merge(&r, &inner);
#endif
#if IS_ARG && APART
    if (r.n != NONE)
        r.n = g.index + r.n / vectors.stride; // a place until here
#endif
#if LANES == WG
    shared[item] = r;
    fold_group(shared, item, lane, LANES, 1);
    emit_group(scratch, out, shared, item, &g, row, slot);
#else
#if HAS_SHUFFLE && LANES <= 32 // a warp waits for no other
    fold_warp(&r, LANES);
#else
    shared[item] = r;
    fold_group(shared, item, lane, LANES, 1);
    r = shared[item];
#endif
    if (lane == 0 && row < g.rows)
        emit(partials_of(scratch), out, &g, row, slot + 1, &r);
#endif
}
