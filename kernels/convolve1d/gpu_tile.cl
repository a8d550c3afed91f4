// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: a tile of a strand in local memory, as operands, and the outputs' way back.
// An item has R contiguous outputs.
//
//     outputs   first ... first + TILE - 1
//     tile      X of first ... first + TILE - 1 + taps - 1: element e is what tap k and output
//               first + e - k need
//
// Four ways in, chosen for the whole group: by words, where all of them are inside and aligned;
// by elements and by steps, where all are inside, side by side or apart; by fetch(), where some
// lie beyond the ends. In all of them neighbouring items read neighbours.
//
// SHAPE  ITS_WORDS, below 16, times 512, and what each kernel adds: a number below 512, and one
//        times 8192

#define ITS_WORDS (SHAPE / 512 % 16)
#define R         (ITS_WORDS * VEC)
#define TILE      (WG * R)
#define OUT_WORDS (WG * ITS_WORDS)
#if R < 1
#error "SHAPE names no outputs"
#endif

enum way { BY_WORDS, BY_ELEMENTS, BY_STEPS, BY_FETCH };

// A tile's inputs: `elements` from that of output `first` on.
struct inputs {
    enum way way;
    long j;              // the first one's number
    global const T *x;   // the first one's place
};

static struct inputs find_inputs(const struct strand *s, const struct arguments *g, long first,
                                 uint elements)
{
    struct inputs in;
    in.j = s->j + first * s->apart;
    in.x = s->x + in.j * s->stride;
    const long last = in.j + (long)(elements - 1) * s->apart;
    const bool is_aligned = ((uint)(size_t)in.x & (sizeof(raw_in) - 1)) == 0;
    in.way = in.j < 0 || last >= (long)g->n ? BY_FETCH
             : s->in_step != 1              ? BY_STEPS
             : is_aligned                   ? BY_WORDS
                                            : BY_ELEMENTS;
    return in;
}

// The whole tile, `words` words of it.
static void fill_tile(local word *tile, uint words, const struct inputs *in,
                      global const T *before, const struct strand *s,
                      const struct arguments *g, uint item)
{
    local W *to = (local W *)tile;
    if (in->way == BY_WORDS) {
        #pragma unroll 1
        for (uint i = item; i < words; i += WG)
            tile[i] = unpack(load_word((global const raw_in *)in->x, i));
    } else if (in->way != BY_FETCH) {
        global const T *p = in->x + item * s->in_step;
        #pragma unroll 1
        for (uint e = item; e < words * VEC; e += WG, p += WG * s->in_step)
            to[e] = (W)LOAD(p, 0);
    } else {
        #pragma unroll 1
        for (uint e = item; e < words * VEC; e += WG)
            // In front of output 0's are those of none, which a history need not have.
            to[e] = fetch(s->x, before, g, 0, s->before_at,
                          max(in->j + (long)e * s->apart, s->j));
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

// Outputs first, first + 1, ... of the strand from local memory.
static void write_tile(const struct strand *s, local const raw_out *tile, long first, uint item)
{
    if (s->by_words && first >= 0 && first + TILE <= s->outputs) {
        global raw_out *p = (global raw_out *)(s->out + first);
        #pragma unroll
        for (uint i = 0; i < OUT_WORDS; i += WG)
            p[i + item] = tile[i + item];
        return;
    }
    for (uint e = item; e < TILE; e += WG) {
        const long i = first + e;
        if (i >= 0 && i < s->outputs)
            COPY(s->out, i * s->out_step, tile, e);
    }
}

// The sums of all items, by way of the tile, so that neighbours write neighbouring words. Two
// barriers: nobody reads inputs any more; all results are there.
static void write_sums(const struct strand *s, local word *tile, const S *sums, uint shift,
                       long first, uint item)
{
    local raw_out *results = (local raw_out *)tile;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int q = 0; q < ITS_WORDS; q++)
        results[item * ITS_WORDS + q] = pack(sums + q * VEC, shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    write_tile(s, results, first, item);
}

// A tile of IN_WORDS inputs, which is each kernel's own, or of outputs, in words of inputs.
#define OUT_ROOM  (OUT_WORDS * (OUT_BYTES * VEC) / 16)
#define TILE_ROOM (IN_WORDS > OUT_ROOM ? IN_WORDS : OUT_ROOM)

// ---------------------------------------------------------------- sums over a tile
// The window of an item is a ring of the inputs that its R outputs need for VEC taps. TAKE:
// word w[b] of the tile becomes the ring's number b. ADD_ALL: adds to all sums what they get for
// a tap, whose input for output 0 has number `place`.
#define RING (R + VEC)
#define TAKE(b)                                         \
    {                                                   \
        const word t = w[b];                            \
        _Pragma("unroll") for (int u = 0; u < VEC; u++) \
            window[((b) * VEC + u) % RING] = PART(t, u); \
    }
#define ADD_ALL(tap, place)                       \
    _Pragma("unroll") for (int j = 0; j < R; j++) \
        sums[j] = ADD(sums[j], tap, window[((place) + j) % RING]);
