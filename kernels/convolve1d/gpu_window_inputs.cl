// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_register_window: how a group loads the inputs of a tile into local
// memory, boundaries resolved. gpu_register_window.cl says what a tile is, and sums.
//
// Inputs are loaded by one of four methods, chosen for the whole group: by vectors, which are
// moved where elements of 8 or 16 bits begin inside of one; by elements of 32 or 64 bits that
// are not aligned; by steps, where elements lie apart; by steps and fetch(), where some lie
// beyond the ends. With each method neighbouring items read neighbours. Rows that lie backwards
// are loaded as they lie in memory, and turned on the way to the tile.
//
// Macros   those of gpu_ring.cl and gpu_row.cl
//          TAPS       number of taps
//          WIDTH      lanes: how far neighbouring taps lie apart
//          TILES      tiles that a group takes, one after the other
//          BACKWARDS  1: neighbouring elements of a row are neighbours in memory, in front of each
//                     other; PACKED, and WIDTH is 1

#if !defined(TAPS) || !defined(WIDTH) || !defined(TILES) || !defined(BACKWARDS)
#error "TAPS, WIDTH, TILES and BACKWARDS must be defined"
#endif
#if TAPS < 1 || TILES < 1
#error "TAPS and TILES must be at least 1"
#endif

#define SPAN            ((TAPS - 1) * WIDTH + 1) // inputs from the first tap's to the last one's
#define TILE            (WG * ITEM_OUTPUTS)
#define TILE_VECS       (WG * ITEM_VECS)
#define ITEM_INPUT_VECS ((ITEM_OUTPUTS + SPAN - 1 + VEC_N - 1) / VEC_N)
#define INPUT_VECS      ((WG - 1) * ITEM_VECS + ITEM_INPUT_VECS) // of a tile
#define LOADS           ((INPUT_VECS + WG - 1) / WG)             // vectors that an item loads

enum method { BY_VECTORS, BY_MOVED_VECTORS, BY_ELEMENTS, BY_STEPS, BY_FETCH };

// The inputs of a tile.
struct inputs {
    enum method method;
    long j;                  // the first one's position in the row
    global const ELEM *x;    // and in memory
    global const ELEM *from; // the one at the lowest address, where they are contiguous
    uint begin;              // which element of a vector that is
};

// Those from that of output `first` on.
static struct inputs find_inputs(const struct row *r, long first)
{
    struct inputs in;
    in.j = r->origin + first;
    in.x = r->x + in.j * r->stride;
    in.from = in.x - (BACKWARDS ? INPUT_VECS * VEC_N - 1 : 0);
    const uint low = (uint)(size_t)in.from;
    const bool is_near = BACKWARDS || r->stride == 1;
    const bool is_aligned = low % (uint)sizeof(in_vec) == 0;
    in.begin = low / BYTES % VEC_N;
    const bool is_moved = BYTES < 4 && is_near && !is_aligned;
    // Elements that moved vectors have in front of those of the tile, and behind them.
    const long lower = is_moved ? in.begin : 0, upper = is_moved ? VEC_N - in.begin : 0;
    const long before = BACKWARDS ? upper : lower, behind = BACKWARDS ? lower : upper;
    in.method = in.j < before || in.j + INPUT_VECS * VEC_N + behind > r->n ? BY_FETCH
                : !is_near                                                 ? BY_STEPS
                : is_aligned                                               ? BY_VECTORS
                : is_moved                                                 ? BY_MOVED_VECTORS
                                                                           : BY_ELEMENTS;
    return in;
}

// Items share `n` loads. Whether the i-th load of this item is one of them.
#define HAS(i, n, item) (((i) + 1) * WG <= (n) || (i) * WG + (item) < (n))

// What an item holds of the next tile: its loads as they come. Elements of 8 and 16 bits are
// converted only when they go to the tile, so that no load waits for another one.
#if BYTES < 4
typedef in_vec held;
#define HELD (2 * LOADS) // each vector and the one behind it
#else
typedef OPERAND held;
#define HELD (LOADS * VEC_N)
#endif

// Loads this item's part of a tile into registers, where the inputs are contiguous.
static void load_ahead(held *v, const struct inputs *in, uint item)
{
#if BYTES < 4
    global const in_vec *p =
        (global const in_vec *)(in->from - (in->method == BY_MOVED_VECTORS ? in->begin : 0)) +
        item;
    if (in->method <= BY_MOVED_VECTORS) {
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item))
                v[i] = load_vec(p, i * WG);
    }
    if (in->method == BY_MOVED_VECTORS) {
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item))
                v[LOADS + i] = load_vec(p, i * WG + 1);
    }
#else
    if (in->method == BY_VECTORS) {
        global const in_vec *p = (global const in_vec *)in->from + item;
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item)) {
                const vec16 t = unpack(load_vec(p, i * WG));
                #pragma unroll
                for (int u = 0; u < VEC_N; u++)
                    v[i * VEC_N + u] = ELEMENT(t, u);
            }
    } else if (in->method == BY_ELEMENTS) {
        global const ELEM *p = in->from + item;
        #pragma unroll
        for (int i = 0; i < LOADS * VEC_N; i++)
            if (HAS(i, INPUT_VECS * VEC_N, item))
                v[i] = (OPERAND)LOAD(p, i * WG);
    }
#endif
}

#if !BACKWARDS
#define TURNED(v) (v)
#elif TYPE == C32
#define TURNED(v) (v).zwxy
#elif TYPE == F64
#define TURNED(v) (v).yx
#else
#define TURNED(v) (v).wzyx
#endif

// Vector i of those that the item holds, as it lies in the tile.
static vec16 held_vec(const held *v, int i)
{
#if BYTES >= 4
    const vec16 t = VEC_OF(v + i * VEC_N);
#else
    const vec16 t = unpack(v[i]);
#endif
    return TURNED(t);
}

// Place i of n in memory as a place of the tile.
#define IN_TILE(i, n) (BACKWARDS ? (n) - 1 - (i) : (i))

// Inputs low ... high - 1 of the tile are inside.
#define IS_INSIDE(e) ((e) - low < high - low)

// Loads these, element by element. All loads of a batch are under way before the first of its
// elements goes to the tile. With few taps side by side, whose kernels are short, the code of
// batches costs more: H200, driver 580.159, 2026-11-23, 9 taps, 2^27 outputs of f16 and i16
// 138.4 and 143.4 us, without batches, in another form, 134.0 and 138.3. Eight at a time where
// elements lie apart, H100, driver 580.159.04, 2026-11-27: i8, 7 taps, every third element 420, 403;
// f32, 3 taps, every fifth 407, 395; but i32, 3 taps, every fifth 387, 402; i16, 4 taps, every
// second 507, 519.
#define BATCH (WIDTH == 1 && TAPS <= 24 ? 1 : 4)
static void load_by_steps(local OPERAND *to, const struct inputs *in, long stride, uint low,
                          uint high, uint item)
{
    global const ELEM *p = in->x + item * stride;
    #pragma unroll 1
    for (uint e = item; e < high; e += WG * BATCH) {
        OPERAND v[BATCH];
        #pragma unroll
        for (uint u = 0; u < BATCH; u++, p += WG * stride)
            if (IS_INSIDE(e + u * WG))
                v[u] = (OPERAND)LOAD(p, 0);
        #pragma unroll
        for (uint u = 0; u < BATCH; u++)
            if (IS_INSIDE(e + u * WG))
                to[e + u * WG] = v[u];
    }
}

// Stores what load_ahead loaded to the tile, or loads the inputs by the other methods.
static void fill_tile(local vec16 *tile, held *v, const struct inputs *in,
                      global const ELEM *before, const struct row *r, const struct arguments *g,
                      uint item)
{
    local OPERAND *to = (local OPERAND *)tile;
    if (in->method <= BY_MOVED_VECTORS) {
        local vec16 *own = tile + IN_TILE((int)item, INPUT_VECS);
#if BYTES < 4
        if (in->method == BY_MOVED_VECTORS) {
            #pragma unroll
            for (int i = 0; i < LOADS; i++)
                if (HAS(i, INPUT_VECS, item))
                    v[i] = moved_vec(v[i], v[LOADS + i], in->begin);
        }
#endif
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item))
                own[BACKWARDS ? -i * WG : i * WG] = held_vec(v, i);
#if BYTES >= 4
    } else if (in->method == BY_ELEMENTS) {
        #pragma unroll
        for (int i = 0; i < LOADS * VEC_N; i++)
            if (HAS(i, INPUT_VECS * VEC_N, item))
                to[IN_TILE(i * WG + item, INPUT_VECS * VEC_N)] = v[i];
#endif
    } else {
        const long count = INPUT_VECS * VEC_N;
        const uint low = (uint)clamp(-in->j, 0L, count);
        const uint high = (uint)clamp((long)r->n - in->j, 0L, count);
        load_by_steps(to, in, r->stride, low, high, item);
        #pragma unroll 1
        for (uint e = item; in->method == BY_FETCH && e < INPUT_VECS * VEC_N; e += WG)
            if (!IS_INSIDE(e))
                to[e] = fetch_flat(r, before, g, in->j + e);
    }
}
