// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs: rows of stride 1 read as aligned 16-byte words, ITEMS of them in flight.
//
//     row   | head |  tile 0  |  tile 1  |  tile 2  | ...  | rest | tail |
//              ^ up to the first 16-byte boundary             ^      ^ less than a word
//     tile  [ WG words | WG words | ... ITEMS times ]   item i takes words i, WG + i, ...
//
// Slot s takes tiles s, s + slots, s + 2 * slots ...: groups that run together stream
// neighbouring tiles. The rest is the next slot's in turn; head and tail are slot 0's.
//
// Macros: WG a work-group size, ITEMS words in flight per item. Local memory: one acc per item.

#ifndef ITEMS
#error "ITEMS must be defined"
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

typedef JOIN_NAMES(A, N) a_vector;
typedef JOIN_NAMES(B_LANE, N) b_vector;
typedef JOIN_NAMES(B, N) i_vector;
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

#define POSITIONS (i_vector)(JOIN_NAMES(UP_TO_, N))

// One element, one word: for what does not fill a tile.
static acc acc_of_element(global const T *p, ulong at)
{
    A a;
    B_LANE b;
    const W v = (W)LOAD(p, 0);
    START(, a, b, v, 0);
    STEP(a, b, v, 0);
    return acc_of(a, b, at);
}

static acc acc_of_word(word v, ulong at)
{
    a_vector a;
    b_vector b;
    const w_vector x = widen(v);
    START(N, a, b, x, POSITIONS);
    STEP(a, b, x, POSITIONS);
    return JOIN_NAMES(acc_of, N)(a, b, at);
}

// Tiles a lane takes before it becomes an acc. Positions are 32 bits wide and count from the
// tile, so that arg ops take one at a time.
#if IS_ARG
#define TILES 1
#else
#define TILES (CHAIN / ITEMS)
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global R *out,
                    const struct arguments g)
{
    local acc shared[WG];
    const uint item = get_local_id(0);
    const ulong row = get_group_id(0) / g.slots, slot = get_group_id(0) % g.slots;
    global const T *p = x + (g.first + (long)row * g.row_stride);

    const ulong head = min(g.count, (ulong)((16 - ((size_t)p & 15)) & 15) / BYTES);
    const ulong words = (g.count - head) / N, tiles = words / (WG * ITEMS);
    global const word *body = (global const word *)(p + head);

    acc r = acc_start();
    for (ulong t = slot; t < tiles; t += g.slots * TILES) {
        a_vector a;
        b_vector b;
        const uint n = (uint)min((ulong)TILES, (tiles - t + g.slots - 1) / g.slots);
        global const word *q = body + t * (WG * ITEMS) + item;
        START(N, a, b, widen(q[0]), POSITIONS);
        for (uint k = 0; k < n; k++, q += g.slots * (WG * ITEMS)) {
            word v[ITEMS];
            #pragma unroll
            for (int i = 0; i < ITEMS; i++)
                v[i] = q[i * WG];
            #pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const w_vector y = widen(v[i]);
                STEP(a, b, y, POSITIONS + (B)(i * WG * N));
            }
        }
        r = merge(r, JOIN_NAMES(acc_of, N)(a, b, g.index + head + (t * (WG * ITEMS) + item) * N));
    }
    if (slot == tiles % g.slots)
        for (ulong i = tiles * (WG * ITEMS) + item; i < words; i += WG)
            r = merge(r, acc_of_word(body[i], g.index + head + i * N));
    if (slot == 0) {
        for (ulong e = item; e < head; e += WG)
            r = merge(r, acc_of_element(p + e, g.index + e));
        for (ulong e = head + words * N + item; e < g.count; e += WG)
            r = merge(r, acc_of_element(p + e, g.index + e));
    }
    shared[item] = r;
    fold_group(shared, item, item, WG, 1);
    if (item == 0)
        emit(part, out, &g, row, slot + 1, shared[0]);
}
