// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: one word: WORD neighbouring elements of a row, their labels, and the
// store of the labels. gpu_words.cl says which words there are.
//
// A word begins where its labels begin an aligned unit of 4 labels, or of 16 bytes. They leave
// as one store. Elements are loaded one by one, with any stride: the loads of a warp meet in
// the same cache lines, and cost no more than wide ones. Labels that are not neighbours, or
// are fewer than a word, leave one by one:
//
//     row              |   x0 | x1 x2 x3 x4 | x5 x6 x7 x8 | x9 x10     |      f32
//     labels of u8     | . . . 0 | 1  2  3  4 | 5  6  7  8 | 9 10 . .  |      units of 4 bytes
//
// Elements of 1 and 2 bytes would take four or two loads where one of 4 bytes could do, and
// loads are what limits them. Their words are 16 bytes. Where those are aligned in the input
// as the labels are, a word is one load.
//
// Macros  those of classify.cl, search.cl, bits.cl and label.cl
//
// Defines WORD            elements of a word
//         struct words    words that lie at the same place
//         word_offset()   how many elements a row's first word begins before the row
//         load_word()     its elements, as they are in memory
//         load_element()  one of them
//         element()       one of them, as KEY_T
//         store_word()    writes them

#define WORD WORD_ELEMENTS(BYTES)

#if LABEL_TYPE
#define LABEL_BYTES ((int)sizeof(LABEL_T))
#define UNIT_BYTES  (WORD * LABEL_BYTES < 16 ? WORD * LABEL_BYTES : 16) // of a store
#endif

// Element 0 and label 0 of a row, or of a part of it. The elements from `low` up to `high`
// exist, counted from there.
struct words {
    global const ELEM *x;
    global LABEL_T *labels;
    int offset, low, high;
    bool is_wide; // one load for a word
};

// Sets w->offset and w->is_wide.
static void word_offset(struct words *w, const struct arguments *g)
{
    // Elements between the boundary of a word's bytes and element 0.
    const uint of_input = ((uint)(size_t)w->x & (min(WORD * BYTES, 16) - 1)) / BYTES;
    const bool is_packed = g->stride == 1;
    uint offset = is_packed ? of_input : 0;
    bool is_wide = is_packed;
#if LABEL_TYPE
    const uint of_labels = ((uint)(size_t)w->labels & (UNIT_BYTES - 1)) / LABEL_BYTES;
    const bool is_aligned = (offset & (UNIT_BYTES / LABEL_BYTES - 1)) == of_labels;
    is_wide = is_packed & is_aligned;
    offset = is_wide ? offset : of_labels;
#endif
    w->offset = (int)offset;
    w->is_wide = BYTES < 4 && is_wide;
}

// A word as it was loaded: PARTS of type PART. Elements of 1 and 2 bytes stay packed in u32.
#define PARTS 4
#if BYTES == 1
#define PART uint
#define RAW  uchar
#elif BYTES == 2
#define PART uint
#define RAW  ushort
#else
#define PART KEY_T
#endif

// Puts element `from` of memory in as number e, the first of a part before the others.
static void load_element(PART *word, uint e, global const ELEM *x, long from)
{
#if BYTES < 4
    const uint bits = (uint)((global const RAW *)x)[from] << (e * BYTES % 4 * 8);
    word[e * BYTES / 4] = e * BYTES % 4 ? word[e * BYTES / 4] | bits : bits;
#else
    word[e] = x[from];
#endif
}

static KEY_T element(const PART *word, uint e)
{
#if BYTES >= 4
    return word[e];
#elif TYPE == F16
    const float2 pair = halves(word[e / 2]);
    return e % 2 ? pair.y : pair.x;
#else
    return (KEY_T)(ELEM)(word[e * BYTES / 4] >> (e * BYTES % 4 * 8));
#endif
}

// The elements from position `at` on. One that does not exist is read as the nearest.
static void load_word(PART *word, const struct words *w, int at, const struct arguments *g)
{
#if BYTES < 4
    if (w->is_wide && at >= w->low && at + WORD <= w->high) {
        const uint4 v = *(global const uint4 *)(w->x + at);
        word[0] = v.x;
        word[1] = v.y;
        word[2] = v.z;
        word[3] = v.w;
        return;
    }
#endif
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        load_element(word, (uint)e, w->x,
                     (long)clamp(at + e, w->low, w->high - 1) * g->stride);
}

#if LABEL_TYPE
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

static void store_word(const struct words *w, int at, const uint *label,
                       const struct arguments *g)
{
    if (g->label_stride == 1 && at >= w->low && at + WORD <= w->high) {
        store_unit(w->labels + at, label);
        return;
    }
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        if (at + e >= w->low && at + e < w->high)
            w->labels[(long)(at + e) * g->label_stride] = (LABEL_T)label[e];
}
#endif
