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

#if PTX >= 80
// local pointers are addresses of local memory.
#define COPY_BYTES(way, bytes, to, from)                                              \
    asm volatile("cp.async." way ".shared.global [%0], [%1], " bytes ";"              \
                 :                                                                    \
                 : "r"((uint)(size_t)(to)), "l"(from)                                 \
                 : "memory")
static void wait_for_copies(void)
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}
#else
static void wait_for_copies(void)
{
}
#endif

// p, `elements` further. Compilers add multiples of a distance to one pointer, three
// instructions each, where adding it again and again takes two.
static global const ELEM *beyond(global const ELEM *p, long elements)
{
#if PTX
    asm("add.s64 %0, %0, %1;" : "+l"(p) : "l"(elements * (long)sizeof(ELEM)));
    return p;
#else
    return p + elements;
#endif
}

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
    if (item < elements % VEC_N) {
        const uint e = elements - 1 - item;
        ((local OPERAND *)room)[e] = (OPERAND)LOAD(from, e);
    }
}

// ---------------------------------------------------------------- steps
// A step is STEP inputs, one for each residue: what it takes to find them is shared, and
// neighbouring items write neighbouring operands.
#if STEP
#define BATCH (STEP < 12 ? 12 / STEP : 1) // steps
#define REST  (STEP < 4 ? 4 / STEP : 1)   // where steps may be missing

// Takes up to `count` steps, q, q + along, ..., as far as they lie in front of `end`; `all`:
// they do. Returns where those behind them are.
static global const ELEM *take_steps(local OPERAND *to, global const ELEM *from, uint q,
                                     uint end, uint count, bool all, uint along, uint pitch,
                                     long apart)
{
    const long by = (long)along * STEP * apart;
#if IS_COPIED
    #pragma unroll
    for (uint u = 0; u < count; u++, from = beyond(from, by), to += along)
        if (all || q + u * along < end) {
            #pragma unroll
            for (uint s = 0; s < STEP; s++) {
#if TYPE == F64
                COPY_BYTES("ca", "8", to + s * pitch, from + s * apart);
#elif TYPE == C32 // aligned to 4 bytes
                local float *two = (local float *)(to + s * pitch);
                COPY_BYTES("ca", "4", two, from + s * apart);
                COPY_BYTES("ca", "4", two + 1, (global const float *)(from + s * apart) + 1);
#else
                COPY_BYTES("ca", "4", to + s * pitch, from + s * apart);
#endif
            }
        }
#else
    OPERAND v[BATCH][STEP];
    #pragma unroll
    for (uint u = 0; u < count; u++, from = beyond(from, by))
        if (all || q + u * along < end) {
            #pragma unroll
            for (uint s = 0; s < STEP; s++)
                v[u][s] = (OPERAND)LOAD(from, s * apart);
        }
    #pragma unroll
    for (uint u = 0; u < count; u++, to += along)
        if (all || q + u * along < end) {
            #pragma unroll
            for (uint s = 0; s < STEP; s++)
                to[s * pitch] = v[u][s];
        }
#endif
    return from;
}

// Of the steps low ... end - 1 of a lane, whose inputs all are inside, this item's: those from
// low + element on, `along` apart. Batches of which no item lacks a step ask for none.
static void load_steps(local OPERAND *to, global const ELEM *from, uint low, uint element,
                       uint end, uint along, uint pitch, long apart)
{
    from += (long)(low + element) * STEP * apart;
    to += element;
    #pragma unroll 1
    for (; low + BATCH * along <= end; low += BATCH * along)
        from = take_steps(to + low, from, 0, 0, BATCH, true, along, pitch, apart);
    #pragma unroll 1
    for (; low + element < end; low += REST * along)
        from = take_steps(to + low, from, low + element, end, REST, false, along, pitch, apart);
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
    #pragma unroll 1
    for (; e < n; e += 4 * along) {
        TAP_T v[4];
        #pragma unroll
        for (uint u = 0; u < 4; u++, taps += along)
            if (e + u * along < n)
                v[u] = *taps;
        #pragma unroll
        for (uint u = 0; u < 4; u++, to += along)
            if (e + u * along < n)
                *to = v[u];
    }
#endif
}
