// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: how taps get into local memory as bytes. gpu_byte_matrices.cl
// says what lanes, octets and planes are.
//
// Macros   those of convolve1d.cl; TAP_TYPE is I32
//          OWN_TAPS     1: rows have taps of their own, which the kernel divides into bytes;
//                       0: it gets planes
//          RAW_TYPE     type of the taps in memory: I32, or F32 or F64, divided by 2^shift
//          TAP_PLANES   bytes of a tap
//          STEP         inputs of a lane between neighbouring outputs
//          PHASES       lanes of a row in a group
//          KSTEPS       32 inputs of a lane each that the taps of an octet span, or a
//                       chunk of them
//          CHUNK_WORDS  most words of a lane's inputs in a chunk
//          CHUNKS       parts in which taps and their inputs come, one after the other
//          DENSE        1: neighbouring inputs of a lane are neighbours in memory
//          PLANE        words of a plane of inputs
//          ACROSS       1: neighbouring items load neighbouring rows; 0: neighbouring inputs

#if !defined(RAW_TYPE) || !defined(TAP_PLANES) || !defined(STEP) || !defined(PHASES) || \
    !defined(KSTEPS) || !defined(DENSE) || !defined(PLANE) || !defined(ACROSS) || \
    !defined(OWN_TAPS) || !defined(CHUNK_WORDS) || !defined(CHUNKS)
#error "a macro of gpu_byte_taps.cl is not defined: its head lists them"
#endif

#if !OWN_TAPS
#define RAW_TAP uint
#elif RAW_TYPE == F64
#define RAW_TAP double
#elif RAW_TYPE == F32
#define RAW_TAP float
#else
#define RAW_TAP int
#endif

#define PLANES BYTES

// Arrays that a call is given lie in memory.
#define INLINE static __attribute__((always_inline))

// Byte p of each of four numbers.
static uint byte_plane(const int *v, uint p)
{
    return four_bytes((uint)v[0], (uint)v[1], (uint)v[2], (uint)v[3], p);
}

// ---------------------------------------------------------------- taps
// In words: zeros in front of the taps; a copy of them, which begins eight banks behind the one
// before; a plane. Rows with taps of their own have one copy each.
#define TAP_LEAD BYTE_TAP_LEAD(STEP)
#if OWN_TAPS
#define TAP_PLANE BYTE_OWN_PLANE(STEP, KSTEPS)
#else
#define TAP_COPY  BYTE_TAP_COPY(STEP, KSTEPS)
#define TAP_PLANE (4 * TAP_COPY)
#endif

// The first byte of the taps of output o of an octet that meet its input 4 t.
#define TAP_BYTE(o, t) (4 * (TAP_LEAD + (t)) - (o) * STEP)

#if OWN_TAPS
static int tap_of(global const RAW_TAP *taps, const struct arguments *g, int k)
{
    if ((uint)k >= g->taps)
        return 0;
#if RAW_TYPE == I32
    return taps[k];
#else
    return (int)(taps[k] * (RAW_TAP)((ulong)1 << g->shift));
#endif
}

// Makes the planes of the taps of each row from `first` on. The loads of TAP_BATCH words are
// under way before the first of them is stored.
#define TAP_BATCH 4
static void load_taps(local uint *room, global const RAW_TAP *taps, uint first, uint rows,
                      const struct arguments *g, const struct byte_arguments *b, uint item)
{
    (void)b;
    #pragma unroll 1
    for (uint i = item; i < rows * TAP_PLANE; i += TAP_BATCH * WG) {
        int v[TAP_BATCH][4];
        #pragma unroll
        for (uint n = 0; n < TAP_BATCH; n++) {
            const uint at = min(i + n * WG, rows * TAP_PLANE - 1);
            const uint row = at / TAP_PLANE, word = at % TAP_PLANE;
            #pragma unroll
            for (int u = 0; u < 4; u++)
                v[n][u] = tap_of(taps + row * g->tap_row, g,
                                 (int)(first + (word - TAP_LEAD) * 4 + u));
        }
        #pragma unroll
        for (uint n = 0; n < TAP_BATCH; n++) {
            const uint at = i + n * WG, row = at / TAP_PLANE, word = at % TAP_PLANE;
            #pragma unroll
            for (int p = 0; p < TAP_PLANES; p++)
                if (at < rows * TAP_PLANE)
                    room[(row * TAP_PLANES + p) * TAP_PLANE + word] = byte_plane(v[n], p);
        }
    }
}
#else
// Copies the planes of the taps from `first` on, a multiple of 16. The host made them when the
// filter was created.
static void load_taps(local uint *room, global const RAW_TAP *planes, uint first, uint rows,
                      const struct arguments *g, const struct byte_arguments *b, uint item)
{
    (void)g, (void)rows;
    const uint vectors = TAP_COPY / 4, from = (BYTE_MOST_LEAD - TAP_LEAD + first / 4) / 4;
    const uint all = b->tap_words / 4; // of a copy
    #pragma unroll 2
    for (uint i = item; i < 4 * TAP_PLANES * vectors; i += WG) {
        const uint copy = i / vectors, at = from + i % vectors;
        local uint4 *to = (local uint4 *)room + i;
        global const uint4 *vector = (global const uint4 *)planes + (copy * all + at);
        if (at >= all)
            *to = 0;
        else
#if PTX >= 80
            COPY_BYTES("cg", "16", to, vector);
#else
            *to = *vector;
#endif
    }
}
#endif
