// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: a tile of a strand in local memory, as operands, and the outputs' way back.
//
//     outputs   first ... first + TILE - 1
//     tile      X of first ... first + TILE - 1 + taps - 1: element e is what tap k and output
//               first + e - k need
//
// Four ways in, chosen for the whole group: by words, where all of them are inside and aligned;
// by elements and by steps, where all are inside, side by side or apart; by fetch(), where some
// lie beyond the ends. In all of them neighbouring items read neighbours.

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

// Outputs first, first + 1, ... of the strand from local memory. `words` is a constant.
static void write_tile(const struct strand *s, local const raw_out *tile, uint words, long first,
                       uint item)
{
    if (s->by_words && first >= 0 && first + (long)(words * VEC) <= s->outputs) {
        global raw_out *p = (global raw_out *)(s->out + first);
        #pragma unroll
        for (uint i = 0; i < words; i += WG)
            if (i + WG <= words || i + item < words)
                p[i + item] = tile[i + item];
        return;
    }
    for (uint e = item; e < words * VEC; e += WG) {
        const long i = first + e;
        if (i >= 0 && i < s->outputs)
            COPY(s->out, i * s->out_step, tile, e);
    }
}
