// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: a tile of a phase in local memory, as operands; how its inputs get there,
// how they are summed from there, and how its outputs get to memory. An item computes
// ITEM_OUTPUTS contiguous outputs, a group TILE. The kernels of gpu_short_taps.cl,
// gpu_register_window.cl and gpu_tap_chunks.cl stand on this file.
//
//     outputs   first ... first + TILE - 1
//     tile      X of first ... first + TILE - 1 + taps - 1: element e is what tap k and output
//               first + e - k need
//
// Inputs are loaded by one of four methods, chosen for the whole group: by vectors, where all
// of them are inside and aligned; by elements or by steps, where all are inside, contiguous or
// apart; by fetch(), where some lie beyond the ends. With each method neighbouring items read
// neighbours.
//
// Macros   those of gpu_vectors.cl
//          ITEM_VECS   vectors of outputs that an item computes

#ifndef ITEM_VECS
#error "ITEM_VECS must be defined"
#endif
#if ITEM_VECS < 1
#error "ITEM_VECS must be at least 1"
#endif

#define ITEM_OUTPUTS (ITEM_VECS * VEC_N)
#define TILE         (WG * ITEM_OUTPUTS)
#define TILE_VECS    (WG * ITEM_VECS)

enum method { BY_VECTORS, BY_ELEMENTS, BY_STEPS, BY_FETCH };

// The inputs of a tile.
struct inputs {
    enum method method;
    long j;            // the first one's position in the row
    global const ELEM *x; // and in memory
};

// `elements` inputs from that of output `first` on.
static struct inputs find_inputs(const struct phase *s, const struct arguments *g, long first,
                                 uint elements)
{
    struct inputs in;
    in.j = s->origin + first * s->dilation;
    in.x = s->x + in.j * s->stride;
    const long last = in.j + (long)(elements - 1) * s->dilation;
    const bool is_aligned = ((uint)(size_t)in.x & (sizeof(in_vec) - 1)) == 0;
    in.method = in.j < 0 || last >= (long)g->n ? BY_FETCH
                : s->in_step != 1              ? BY_STEPS
                : is_aligned                   ? BY_VECTORS
                                               : BY_ELEMENTS;
    return in;
}

// Loads `vecs` vectors of inputs into the tile.
static void fill_tile(local vec16 *tile, uint vecs, const struct inputs *in,
                      global const ELEM *before, const struct phase *s,
                      const struct arguments *g, uint item)
{
    local OPERAND *to = (local OPERAND *)tile;
    if (in->method == BY_VECTORS) {
        #pragma unroll 1
        for (uint i = item; i < vecs; i += WG)
            tile[i] = unpack(load_vec((global const in_vec *)in->x, i));
    } else if (in->method != BY_FETCH) {
        global const ELEM *p = in->x + item * s->in_step;
        #pragma unroll 1
        for (uint e = item; e < vecs * VEC_N; e += WG, p += WG * s->in_step)
            to[e] = (OPERAND)LOAD(p, 0);
    } else {
        #pragma unroll 1
        for (uint e = item; e < vecs * VEC_N; e += WG)
            // No output needs the inputs in front of output 0's, and a history need not have
            // them.
            to[e] = fetch(s->x, before, g, 0, s->before_at,
                          max(in->j + (long)e * s->dilation, s->origin));
    }
}

#if OUT_BYTES == 8
#define COPY(to, i, from, e) \
    vstore2(vload2((e), (local const uint *)(from)), (i), (global uint *)(to))
#else
#if OUT_BYTES == 1
#define BITS uchar
#elif OUT_BYTES == 2
#define BITS ushort
#else
#define BITS uint
#endif
#define COPY(to, i, from, e) (((global BITS *)(to))[i] = ((local const BITS *)(from))[e])
#endif

// Writes outputs first, first + 1, ... of the phase from local memory.
static void write_tile(const struct phase *s, local const out_vec *tile, long first, uint item)
{
    if (s->by_vectors && first >= 0 && first + TILE <= s->outputs) {
        global out_vec *p = (global out_vec *)(s->out + first);
        #pragma unroll
        for (uint i = 0; i < TILE_VECS; i += WG)
            p[i + item] = tile[i + item];
        return;
    }
    for (uint e = item; e < TILE; e += WG) {
        const long i = first + e;
        if (i >= 0 && i < s->outputs)
            COPY(s->out, i * s->out_step, tile, e);
    }
}

// Writes the sums of all items by way of the tile, so that neighbouring items write
// neighbouring vectors. Two barriers: all inputs have been read; all results are in the tile.
static void write_sums(const struct phase *s, local vec16 *tile, const SUM_T *sums, uint shift,
                       long first, uint item)
{
    local out_vec *results = (local out_vec *)tile;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int q = 0; q < ITEM_VECS; q++)
        results[item * ITEM_VECS + q] = pack(sums + q * VEC_N, shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    write_tile(s, results, first, item);
}

// Vectors of local memory for a tile: of INPUT_VECS inputs, which each kernel defines, or of
// outputs.
#define OUT_ROOM  (TILE_VECS * (OUT_BYTES * VEC_N) / 16)
#define TILE_ROOM (INPUT_VECS > OUT_ROOM ? INPUT_VECS : OUT_ROOM)

// ---------------------------------------------------------------- sums over a tile
// The window of an item is a ring of RING operands: the inputs that its outputs need for VEC_N
// taps. TAKE: vector b of `from` becomes vector b of the ring. ADD_ALL: adds to each of the
// item's sums its product with a tap, whose input for output 0 is number `place`.
#define RING (ITEM_OUTPUTS + VEC_N)
#define TAKE(ring, from, b)                                   \
    {                                                         \
        const vec16 taken = (from)[b];                        \
        _Pragma("unroll") for (int u = 0; u < VEC_N; u++)     \
            (ring)[((b) * VEC_N + u) % RING] = ELEMENT(taken, u); \
    }
#define ADD_ALL(sums, ring, tap, place)                      \
    _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++) \
        (sums)[o] = ADD((sums)[o], tap, (ring)[((place) + o) % RING]);
