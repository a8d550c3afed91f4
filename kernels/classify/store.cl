// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: the store of a word's labels (word.cl). Labels that are neighbours, as
// many as a word has elements, leave as one aligned store, the others one by one.
//
// Macros  those of word.cl
//         PLAIN_STEPS  1: the words of STEPS are stored without label_in_step() (steps.cl)
//
// Defines label_word()   labels of a word, for its store
//         store_whole(), store_at()  of a word inside a row
//         store_exchanged()  EXCHANGES: of the words of a warp
//         store_word()   WORDS_OF_ALL: of one that may lie across the ends of all rows
//         Without LABEL_TYPE there is nothing to store.

// Steps that are labels of words, and nothing else, are taken as they are: a label begins at byte
// LABEL_AT, and what stands beside it is dropped when labels are packed.
#ifndef PLAIN_STEPS
#define PLAIN_STEPS 0
#endif
#if PLAIN_STEPS
#define LABEL_AT (STEP_RISES ? 2 : 0)
#else
#define LABEL_AT 0
#endif

#ifndef PAIRED
#define PAIRED 0
#endif

// Labels of a few elements, for the functions below. With PAIRED (bits.cl) these are indices.
static __attribute__((always_inline)) void label_word(uint *label, const KEY_T *x, uint few,
                                                      const struct row_constants *k,
                                                      TABLE_SPACE const uint *tables,
                                                      const struct arguments *g)
{
#if PLAIN_STEPS
    steps_of(label, x, few, k, g);
#elif PAIRED
    #pragma unroll
    for (uint e = 0; e < few; e++)
        label[e] = label_of_index(BITS(x[e]), k, tables, g);
#else
    label_few(label, x, few, k, tables, g);
#endif
}

#if LABEL_TYPE && !SPREAD
#define EACH (4 / LABEL_BYTES) // labels in a u32

static uint pack_labels(const uint *label)
{
#if PLAIN_STEPS && LABEL_BYTES == 1
    return four_bytes(label[0], label[1], label[2], label[3], LABEL_AT);
#elif PLAIN_STEPS
    return joined_bytes(label[0], label[1], 0x5410 + 0x1111 * LABEL_AT);
#else
    uint out = 0;
    #pragma unroll
    for (uint k = 0; k < EACH; k++)
        out |= (uint)(LABEL_T)label[k] << (k * LABEL_BYTES * 8);
    return out;
#endif
}

// All labels of a word, to an aligned unit.
static void store_unit(global LABEL_T *to, const uint *label)
{
    const uint each = EACH;
    uint out[WORD]; // WORD / each of them are used
    #pragma unroll
    for (uint i = 0; i < WORD / each; i++)
        out[i] = pack_labels(label + i * each);
    #pragma unroll
    for (uint i = 0; i < WORD / each; i += 4) {
        if (WORD / each - i >= 4)
            *((global uint4 *)to + i / 4) = (uint4)(out[i], out[i + 1], out[i + 2], out[i + 3]);
        else if (WORD / each - i == 2)
            *((global uint2 *)to) = (uint2)(out[0], out[1]);
        else
            *((global uint *)to) = out[0];
    }
}

#if WORDS == WORDS_OF_ALL
// Those that exist, as far as they can by 4 bytes: each store of a few lanes takes as long as
// one of all.
static void store_part(global LABEL_T *to, uint there, const uint *label)
{
    const uint each = EACH, all = (1u << each) - 1;
    #pragma unroll
    for (uint i = 0; i < WORD; i += each) {
        const bool are_all = each > 1 && (there >> i & all) == all;
        if (are_all)
            *(global uint *)(to + i) = pack_labels(label + i);
        #pragma unroll
        for (uint k = 0; k < each; k++)
            if (!are_all && (there >> (i + k) & 1))
                to[i + k] = (LABEL_T)(label[i + k] >> (8 * LABEL_AT));
    }
}

#endif

// Of a word whose elements all exist, the first at `at`.
static void store_at(const struct words *w, uint at, const uint *label, const struct arguments *g)
{
    if (PACKED || g->label_stride == 1) {
        store_unit(w->labels + at, label);
        return;
    }
    global LABEL_T *to = w->labels + (long)at * g->label_stride;
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        to[e * g->label_stride] = (LABEL_T)(label[e] >> (8 * LABEL_AT));
}

// The labels of a word may have 32 bytes: two units, each half a sector of memory. A store of one half
// and then of the other took half as long again (prototype, H200, driver 580.159.04, 2026-11-27,
// u8 to u16, 2^27.7 elements: 258 us, and 176 us by this; the library was not measured). So
// neighbouring items exchange units, and a store has both halves. All items of a warp call it, with
// neighbouring words.
#define EXCHANGES (PTX && WORD * LABEL_BYTES == 32 && WG % 32 == 0 && PACKED)
#if EXCHANGES
static uint of_neighbour(uint value)
{
    uint other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(value));
    return other;
}

static void store_exchanged(const struct words *w, uint number, const uint *label)
{
    uint unit[2][4];
    const bool is_odd = number & 1;
    global uint4 *to = (global uint4 *)(w->labels + (number & ~1u) * WORD) + is_odd;
    #pragma unroll
    for (uint i = 0; i < 4; i++) {
        const uint first = pack_labels(label + i * EACH);
        const uint second = pack_labels(label + (4 + i) * EACH);
        const uint other = of_neighbour(is_odd ? first : second);
        unit[0][i] = is_odd ? other : first;
        unit[1][i] = is_odd ? second : other;
    }
    to[0] = (uint4)(unit[0][0], unit[0][1], unit[0][2], unit[0][3]);
    to[2] = (uint4)(unit[1][0], unit[1][1], unit[1][2], unit[1][3]);
}
#endif

// Of word `number` behind w->labels.
static void store_whole(const struct words *w, uint number, const uint *label,
                        const struct arguments *g)
{
    store_at(w, number * WORD, label, g);
}

#if WORDS == WORDS_OF_ALL
// Those that exist of a word whose first element is at `at`.
static void store_word(const struct words *w, int at, uint there, const uint *label,
                       const struct arguments *g)
{
    if (PACKED || g->label_stride == 1) {
        if (there == WHOLE_WORD)
            store_unit(w->labels + at, label);
        else
            store_part(w->labels + at, there, label);
        return;
    }
    global LABEL_T *to = w->labels + (long)at * LABEL_STRIDE(g);
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        if (there >> e & 1)
            to[e * LABEL_STRIDE(g)] = (LABEL_T)(label[e] >> (8 * LABEL_AT));
}
#endif
#endif
