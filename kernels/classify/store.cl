// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: the store of a word's labels (word.cl). Labels that are neighbours, as many as
// a word has elements, leave as one aligned store, the others one by one.
//
// Macros  those of word.cl
//
// Defines store_whole()  of a word inside a row
//         store_word()   of one that may lie across its ends
//         Without LABEL_TYPE there is nothing to store.

#if LABEL_TYPE
#if !SPREAD
// All labels of a word, to an aligned unit.
static void store_unit(global LABEL_T *to, const uint *label)
{
    uint out[WORD]; // WORD / each of them are used
    const uint each = 4 / LABEL_BYTES; // labels in a u32
    #pragma unroll
    for (uint i = 0; i < WORD / each; i++) {
        out[i] = 0;
        #pragma unroll
        for (uint k = 0; k < each; k++)
            out[i] |= (uint)(LABEL_T)label[i * each + k] << (k * LABEL_BYTES * 8);
    }
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

#endif

// Of word `number` behind w->labels, whose elements all exist.
static void store_whole(const struct words *w, uint number, const uint *label,
                        const struct arguments *g)
{
#if !SPREAD
    if (PACKED || g->label_stride == 1) {
        store_unit(w->labels + number * WORD, label);
        return;
    }
#endif
    global LABEL_T *to = w->labels + (long)(number * WORD) * g->label_stride;
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        to[e * g->label_stride] = (LABEL_T)label[e];
}

// Those that exist of a word whose first element is at `at`.
static void store_word(const struct words *w, int at, uint there, const uint *label,
                       const struct arguments *g)
{
#if !SPREAD
    if (g->label_stride == 1 && there == WHOLE_WORD) {
        store_unit(w->labels + at, label);
        return;
    }
#endif
    global LABEL_T *to = w->labels + (long)at * LABEL_STRIDE(g);
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        if (there >> e & 1)
            to[e * LABEL_STRIDE(g)] = (LABEL_T)label[e];
}
#endif
