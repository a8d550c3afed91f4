// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: one aligned vector of 16 bytes (vec16): its elements, their labels, and
// the store of the labels. gpu_words.cl reads the vectors and counts the labels.
//
// The labels of a vec16 lie together. They leave as one store where the first lies at a
// boundary of their size, else one by one:
//
//     vec16 of f32   | x0 x1 x2 x3 |   16 bytes
//     labels of u8   | 0 | 1 | 2 | 3 |  one store of 4 bytes
//
// Macros  those of classify.cl, search.cl, bits.cl and label.cl
//
// Defines VEC_N           elements of a vec16
//         label_vec16()   the labels of a vec16, which is given as its four u32
//         store_labels()  writes them

#define VEC_N (16 / BYTES)

// Element e of a vec16, which is given as its four u32.
static KEY_T element(const uint *vec, uint e)
{
#if TYPE == F64
    return as_double((ulong)vec[2 * e + 1] << 32 | vec[2 * e]);
#elif BYTES == 8
    return (KEY_T)((ulong)vec[2 * e + 1] << 32 | vec[2 * e]);
#elif TYPE == F32
    return as_float(vec[e]);
#elif TYPE == F16
    const float2 pair = halves(vec[e / 2]);
    return e % 2 ? pair.y : pair.x;
#else
    return (KEY_T)(ELEM)(vec[e * BYTES / 4] >> (e * BYTES % 4 * 8));
#endif
}

// INTERPOLATE compares keys only where some element of the vec16 is in doubt.
static void label_vec16(uint *label, const uint *vec, const struct row_constants *constants,
                        TABLE_SPACE const uint *tables, const struct arguments *g)
{
#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_INTERPOLATE
    uint doubt = ~0u;
    #pragma unroll
    for (uint e = 0; e < VEC_N; e++) {
        const KEY_T x = element(vec, e);
        const uint fractions = fractions_of(x, constants);
        doubt = min(doubt, doubt_of(fractions, constants));
        label[e] = label_at(x, place_without_doubt(fractions, constants, g), tables, g);
    }
    if (doubt > 2 * (uint)g->slack)
        return;
#endif
    #pragma unroll
    for (uint e = 0; e < VEC_N; e++)
        label[e] = label_of(element(vec, e), constants, tables, g);
}

#if LABEL_TYPE
#define LABEL_BYTES ((int)sizeof(LABEL_T))
#define STORE_BYTES (VEC_N * LABEL_BYTES) // of a vec16's labels

static void store_labels(global LABEL_T *at, const uint *label, bool is_aligned)
{
    if (!is_aligned) {
        #pragma unroll
        for (uint e = 0; e < VEC_N; e++)
            at[e] = (LABEL_T)label[e];
        return;
    }
#if LABEL_TYPE == U8 && VEC_N == 2
    *(global ushort *)at = (ushort)((label[0] & 255) | label[1] << 8);
#else
    uint out[VEC_N]; // VEC_N / each of them are used
    const uint each = 4 / LABEL_BYTES; // labels in a u32
    #pragma unroll
    for (uint i = 0; i < VEC_N / each; i++) {
        out[i] = 0;
        #pragma unroll
        for (uint k = 0; k < each; k++)
            out[i] |= (uint)(LABEL_T)label[i * each + k] << (k * LABEL_BYTES * 8);
    }
    #pragma unroll
    for (uint i = 0; i < VEC_N / each; i += 4) {
        if (VEC_N / each - i >= 4)
            *((global uint4 *)at + i / 4) = (uint4)(out[i], out[i + 1], out[i + 2], out[i + 3]);
        else if (VEC_N / each - i == 2)
            *((global uint2 *)at) = (uint2)(out[0], out[1]);
        else
            *((global uint *)at) = out[0];
    }
#endif
}
#endif
