// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_register_window: long rows without steps, on GPUs. Taps may lie some elements
// apart, because rows are interleaved or the filter is dilated.
//
// A group loads the inputs of a tile into local memory, boundaries resolved. Each item computes
// ITEM_OUTPUTS contiguous outputs from there: the inputs pass by once, a vector at a time, and
// each goes into all the sums that need it.
//
//     outputs   first ... first + TILE - 1; vectors of them are aligned
//     tile      X of first ... first + TILE - 1 + TAPS - 1: element e is what tap k and output
//               first + e - k need
//
//     tile   v0 v1 v2 v3 v4 v5 v6 ...    vectors in local memory, loaded by the whole group
//     item 0 |---------- - - ->          ITEM_VECS vectors for its own outputs, then those that
//     item 1          |---------- - ->   the taps need; ITEM_VECS is odd: the vectors of
//                                        neighbouring items lie in different banks
//
// Inputs are loaded by one of four methods, chosen for the whole group: by vectors, which are
// moved where elements of 8 or 16 bits begin inside of one; by elements of 32 or 64 bits that
// are not aligned; by steps, where elements lie apart; by steps and fetch(), where some lie
// beyond the ends. With each method neighbouring items read neighbours.
//
// Taps are an argument by value, so that an ADD finds its tap without a load. All loops over
// taps are unrolled by the preprocessor: compilers give up on loops as long as these.
//
// The sums go back through local memory, so that neighbouring items write neighbouring vectors.
// With TILES > 1 a group takes as many tiles one after the other, and loads the inputs of the
// next one before it computes.
//
// Macros   those of gpu_ring.cl
//          TAPS    number of taps
//          WIDTH   lanes: how far neighbouring taps lie apart
//          TILES   tiles that a group takes, one after the other
// Barriers four per tile, reached by all items: inputs are loaded; inputs have been read; sums
//          are there; sums have been written (with TILES > 1 only)
// Per output: TAPS ADDs. For each tile a group reads TILE + TAPS - 1 inputs and writes TILE
// outputs. An item reads ITEM_INPUT_VECS vectors of 16 bytes from local memory for
// ITEM_OUTPUTS * TAPS ADDs.
// Local memory: one tile of inputs or of outputs.

#if !defined(TAPS) || !defined(WIDTH) || !defined(TILES)
#error "TAPS, WIDTH and TILES must be defined"
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
// Vectors of local memory: of inputs or of outputs.
#define OUT_ROOM  (TILE_VECS * (OUT_BYTES * VEC_N) / 16)
#define TILE_ROOM (INPUT_VECS > OUT_ROOM ? INPUT_VECS : OUT_ROOM)

struct taps {
    TAP_T g[TAPS];
};

// ---------------------------------------------------------------- inputs
enum method { BY_VECTORS, BY_MOVED_VECTORS, BY_ELEMENTS, BY_STEPS, BY_FETCH };

// The inputs of a tile.
struct inputs {
    enum method method;
    long j;               // the first one's position in the row
    global const ELEM *x; // and in memory
    uint begin;           // which element of a vector that is
};

// Those from that of output `first` on.
static struct inputs find_inputs(const struct row *r, long first)
{
    struct inputs in;
    in.j = r->origin + first;
    in.x = r->x + in.j * r->stride;
    const uint low = (uint)(size_t)in.x;
    const bool is_aligned = low % sizeof(in_vec) == 0;
    in.begin = low / BYTES % VEC_N;
    const bool is_moved = BYTES < 4 && r->stride == 1 && !is_aligned;
    const long before = is_moved ? in.begin : 0, behind = is_moved ? VEC_N : 0;
    in.method = in.j < before || in.j - before + INPUT_VECS * VEC_N + behind > r->n
                    ? BY_FETCH
                : r->stride != 1 ? BY_STEPS
                : is_aligned     ? BY_VECTORS
                : is_moved       ? BY_MOVED_VECTORS
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
        (global const in_vec *)(in->x - (in->method == BY_MOVED_VECTORS ? in->begin : 0)) + item;
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
        global const in_vec *p = (global const in_vec *)in->x + item;
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item)) {
                const vec16 t = unpack(load_vec(p, i * WG));
                #pragma unroll
                for (int u = 0; u < VEC_N; u++)
                    v[i * VEC_N + u] = ELEMENT(t, u);
            }
    } else if (in->method == BY_ELEMENTS) {
        global const ELEM *p = in->x + item;
        #pragma unroll
        for (int i = 0; i < LOADS * VEC_N; i++)
            if (HAS(i, INPUT_VECS * VEC_N, item))
                v[i] = (OPERAND)LOAD(p, i * WG);
    }
#endif
}

// Vector i of those that the item holds.
static vec16 held_vec(const held *v, int i, const struct inputs *in)
{
#if BYTES >= 4
    return VEC_OF(v + i * VEC_N);
#else
    return unpack(in->method == BY_VECTORS ? v[i] : moved_vec(v[i], v[LOADS + i], in->begin));
#endif
}

// Inputs low ... high - 1 of the tile are inside.
#define IS_INSIDE(e) ((e) - low < high - low)

// Loads these, element by element. All loads of a batch are under way before the first of its
// elements goes to the tile. With few taps side by side, whose kernels are short, the code of
// batches costs more: H200, driver 580.159, 2026-11-23, 9 taps, 2^27 outputs of f16 and i16
// 138.4 and 143.4 us, without batches, in another form, 134.0 and 138.3.
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
static void fill_tile(local vec16 *tile, const held *v, const struct inputs *in,
                      global const ELEM *before, const struct row *r, const struct arguments *g,
                      uint item)
{
    local OPERAND *to = (local OPERAND *)tile;
    if (in->method <= BY_MOVED_VECTORS) {
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (HAS(i, INPUT_VECS, item))
                tile[i * WG + item] = held_vec(v, i, in);
#if BYTES >= 4
    } else if (in->method == BY_ELEMENTS) {
        #pragma unroll
        for (int i = 0; i < LOADS * VEC_N; i++)
            if (HAS(i, INPUT_VECS * VEC_N, item))
                to[i * WG + item] = v[i];
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

// ---------------------------------------------------------------- outputs
// Writes the sums of all items by way of the tile, so that neighbouring items write
// neighbouring vectors. Two barriers: all inputs have been read; all results are in the tile.
static void write_sums(const struct row *r, const struct arguments *g, bool by_vectors,
                       local vec16 *tile, const SUM_T *sums, long first, uint item)
{
    local out_vec *results = (local out_vec *)tile;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int q = 0; q < ITEM_VECS; q++)
        results[item * ITEM_VECS + q] = pack(sums + q * VEC_N, g->shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (by_vectors && first >= 0 && first + TILE <= r->outputs) {
        global out_vec *p = (global out_vec *)(r->out + first);
        #pragma unroll
        for (uint i = 0; i < TILE_VECS; i += WG)
            p[i + item] = results[i + item];
        return;
    }
    for (uint e = item; e < TILE; e += WG) {
        const long i = first + e;
        if (i >= 0 && i < r->outputs)
            COPY(r->out, i * r->out_stride, results, e);
    }
}

// ---------------------------------------------------------------- sums
// Adds the taps that meet output 0 in vector b, after the last vector that they need was taken.
#define ADD_TAPS(sums, ring, from, taps, b)                                   \
    if ((b) * VEC_N < SPAN) {                                                 \
        if ((b) + ITEM_VECS < ITEM_INPUT_VECS)                                \
            TAKE(ring, from, (b) + ITEM_VECS)                                 \
        _Pragma("unroll") for (int u = 0; u < VEC_N; u++)                     \
            if ((b) * VEC_N + u < SPAN && ((b) * VEC_N + u) % WIDTH == 0) {   \
                const TAP_T tap = (taps).g[((b) * VEC_N + u) / WIDTH];        \
                ADD_ALL(sums, ring, tap, (b) * VEC_N + u)                     \
            }                                                                 \
    }
#define ADD_TAPS_4(sums, ring, from, taps, b)   \
    ADD_TAPS(sums, ring, from, taps, b)         \
    ADD_TAPS(sums, ring, from, taps, b + 1)     \
    ADD_TAPS(sums, ring, from, taps, b + 2)     \
    ADD_TAPS(sums, ring, from, taps, b + 3)
#define ADD_TAPS_16(sums, ring, from, taps, b)  \
    ADD_TAPS_4(sums, ring, from, taps, b)       \
    ADD_TAPS_4(sums, ring, from, taps, b + 4)   \
    ADD_TAPS_4(sums, ring, from, taps, b + 8)   \
    ADD_TAPS_4(sums, ring, from, taps, b + 12)
#define ADD_TAPS_64(sums, ring, from, taps, b)  \
    ADD_TAPS_16(sums, ring, from, taps, b)      \
    ADD_TAPS_16(sums, ring, from, taps, b + 16) \
    ADD_TAPS_16(sums, ring, from, taps, b + 32) \
    ADD_TAPS_16(sums, ring, from, taps, b + 48)
#if SPAN > 160 * VEC_N
#error "more taps than are unrolled"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g)
{
    local vec16 tile[TILE_ROOM];
    const uint item = get_local_id(0);
    uint slot;
    const struct row r = find_row(x, out, &g, WIDTH == 1 ? 1 : (uint)g.share, &slot);
    const uint low = (uint)(size_t)r.out;
    const bool by_vectors = r.out_stride == 1 && low % OUT_BYTES == 0;
    long first = (long)slot * (TILE * TILES) - (by_vectors ? low / OUT_BYTES % VEC_N : 0);

    held v[HELD];
    struct inputs in = find_inputs(&r, first);
    load_ahead(v, &in, item);
    #pragma unroll 1
    for (int i = 0; i < TILES && first < r.outputs; i++, first += TILE) {
        fill_tile(tile, v, &in, before, &r, &g, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i + 1 < TILES) {
            in = find_inputs(&r, first + TILE);
            load_ahead(v, &in, item);
        }
        SUM_T sums[ITEM_OUTPUTS];
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = 0;
        local const vec16 *w = tile + item * ITEM_VECS;
        OPERAND window[RING];
        #pragma unroll
        for (int b = 0; b < ITEM_VECS; b++)
            TAKE(window, w, b)
        ADD_TAPS_64(sums, window, w, h, 0)
        ADD_TAPS_64(sums, window, w, h, 64)
        ADD_TAPS_16(sums, window, w, h, 128)
        ADD_TAPS_16(sums, window, w, h, 144)
        write_sums(&r, &g, by_vectors, tile, sums, first, item);
        if (TILES > 1)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
}
