// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: how inputs that are inside, and taps, get into local memory.
// gpu_chunk_fill.cl says which item loads what.
//
// Where an operand is what lies in memory, NVIDIA's GPUs copy it without a register: all that
// an item loads is under way at once. Other elements come in batches: all loads of a batch are
// under way before the first of its elements is put into local memory.
//
// Macros   those of gpu_ring.cl
//          STEP   inputs between neighbouring outputs of a lane; 0: any number

#ifndef STEP
#error "STEP must be defined"
#endif

// ---------------------------------------------------------------- copies
#define IS_COPIED                                                                      \
    (PTX >= 80 && (TYPE == F32 || TYPE == F64 || TYPE == C32 ||                        \
                   (TYPE == I32 && (WHOLE_SUMS || WIDE_SUMS))))

#if IS_COPIED
static void copy_element(local OPERAND *to, global const ELEM *from)
{
#if TYPE == F64
    COPY_BYTES("ca", "8", to, from);
#elif TYPE == C32 // aligned to 4 bytes
    COPY_BYTES("ca", "4", (local float *)to, from);
    COPY_BYTES("ca", "4", (local float *)to + 1, (global const float *)from + 1);
#else
    COPY_BYTES("ca", "4", to, from);
#endif
}
#endif

// ---------------------------------------------------------------- vectors
// All inputs of a lane, where they are inside, contiguous, and aligned.
static void load_vectors(local vec16 *room, global const ELEM *from, uint elements)
{
    const uint item = get_local_id(0);
    global const in_vec *vecs = (global const in_vec *)from;
#if IS_COPIED
    #pragma unroll 4
    for (uint i = item; i < elements / VEC_N; i += WG)
        COPY_BYTES("cg", "16", room + i, vecs + i);
#else
    #pragma unroll 1
    for (uint i = item; i < elements / VEC_N; i += WG * 2) {
        const bool two = i + WG < elements / VEC_N;
        const in_vec v = load_vec(vecs, i), w = load_vec(vecs, two ? i + WG : i);
        room[i] = unpack(v);
        if (two)
            room[i + WG] = unpack(w);
    }
#endif
    #pragma unroll 1
    for (uint e = elements / VEC_N * VEC_N + item; e < elements; e += WG)
        ((local OPERAND *)room)[e] = (OPERAND)LOAD(from, e);
}

// ---------------------------------------------------------------- steps
// A step is STEP inputs, one for each residue: what it takes to find them is shared, and
// neighbouring items write neighbouring operands.
#if STEP
// Steps that are under way at once, and where some may be missing. Long steps take so many
// registers for windows that there are more for loads. Copies wait for nothing.
#define AT_ONCE(inputs) ((inputs) > STEP ? (inputs) / STEP : 1)
#define IS_WIDE         (STEP >= 4 && !IS_COPIED)
#define BATCH           AT_ONCE(IS_WIDE ? 24 : 12)
#define REST            AT_ONCE(IS_WIDE ? 8 : 4)

// Takes steps q, q + along, ..., as many as `count`, or as far as they lie in front of `end`;
// `all`: none is missing. Their inputs lie at `from`, which moves on.
#if IS_COPIED
#define TAKE_STEPS(count, all)                                                               \
    {                                                                                        \
        local OPERAND *at = to + q;                                                          \
        _Pragma("unroll") for (uint u = 0; u < (count);                                      \
                               u++, from = beyond(from, by), at += along)                    \
            if ((all) || q + u * along < end) {                                              \
                _Pragma("unroll") for (uint s = 0; s < STEP; s++)                            \
                    copy_element(at + s * pitch, from + s * apart);                          \
            }                                                                                \
    }
#else
#define TAKE_STEPS(count, all)                                                               \
    {                                                                                        \
        OPERAND v[count][STEP];                                                              \
        local OPERAND *at = to + q;                                                          \
        _Pragma("unroll") for (uint u = 0; u < (count); u++, from = beyond(from, by))        \
            if ((all) || q + u * along < end) {                                              \
                _Pragma("unroll") for (uint s = 0; s < STEP; s++)                            \
                    v[u][s] = (OPERAND)LOAD(from, s * apart);                                \
            }                                                                                \
        _Pragma("unroll") for (uint u = 0; u < (count); u++, at += along)                    \
            if ((all) || q + u * along < end) {                                              \
                _Pragma("unroll") for (uint s = 0; s < STEP; s++)                            \
                    at[s * pitch] = v[u][s];                                                 \
            }                                                                                \
    }
#endif

// Of the steps 0 ... end - 1 of a lane, whose inputs all are inside, this item's: those from
// `element` on, `along` apart. Batches of which no item lacks a step ask for none.
static void load_steps(local OPERAND *to, global const ELEM *from, uint element, uint end,
                       uint along, uint pitch, long apart)
{
    const long by = (long)along * STEP * apart;
    uint q = element;
    from += (long)element * STEP * apart;
    #pragma unroll 1
    for (; q - element + BATCH * along <= end; q += BATCH * along)
        TAKE_STEPS(BATCH, true)
    #pragma unroll 1
    for (; q < end; q += REST * along)
        TAKE_STEPS(REST, false)
}
#endif

// ---------------------------------------------------------------- taps
// This item's of n taps: those from e on, `along` apart.
static void load_row_of_taps(local TAP_T *to, global const TAP_T *taps, uint e, uint n,
                             uint along)
{
    taps += e;
    to += e;
#if PTX >= 80
    #pragma unroll 1
    for (; e < n; e += along, taps += along, to += along) {
#if TAP_TYPE == F64 || TAP_TYPE == C32
        COPY_BYTES("ca", "8", to, taps);
#else
        COPY_BYTES("ca", "4", to, taps);
#endif
    }
#else
    // Unrolled, some stores got lost on PoCL 3.1 (convolve1d/limits/tiles/gpu_tap_chunks).
    #pragma unroll 1
    for (; e < n; e += along, taps += along, to += along)
        *to = *taps;
#endif
}
