// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: one word: WORD neighbouring elements of a row, their labels, and the
// store of the labels. gpu_words.cl says which words there are.
//
// A word begins where its labels begin an aligned unit of 4 labels, or of 16 bytes. They leave
// as one store. Labels that are not neighbours, or are fewer than a word, leave one by one:
//
//     row              |   x0 | x1 x2 x3 x4 | x5 x6 x7 x8 | x9 x10     |      f32
//     labels of u8     | . . . 0 | 1  2  3  4 | 5  6  7  8 | 9 10 . .  |      units of 4 bytes
//
// Words of at least 16 bytes are loaded
//
//     by 16 bytes          where those are aligned in the input as the labels are. One by one
//                          the f32 took 7 to 50 % longer (H200, driver 580.159, 2026-11-22)
//     one by one           elsewhere, with any stride: the loads of a warp meet in the same
//                          cache lines
//     by 4 bytes, shifted  elsewhere, elements of 1 and 2 bytes without gaps, as one by one
//                          they are four or two times as many loads, which limit them
//
// With SPREAD a word is one element. Then neighbouring items take neighbouring elements, whose
// loads and stores meet in fewer units of 32 bytes.
//
// Macros  those of classify.cl, search.cl, bits.cl and label.cl
//         SPREAD  1: words have one element (src/classify/gpu_words.c says when)
//         ITEMS   words that an item has in flight
//         PACKED  1: elements, and labels if there are any, have stride 1
//
// Defines WORD            elements of a word
//         struct words    words that lie at the same place
//         word_offset()   how many elements a row's first word begins before the row
//         load_whole()    the elements of some words that lie inside a row, as in memory
//         load_word()     those of one that may lie across its ends
//         load_element()  one of them
//         element()       one of them, as KEY_T
//         store_whole(), store_word()  write labels of the one and the other

#if !defined(ITEMS) || !defined(PACKED) || !defined(SPREAD)
#error "ITEMS, PACKED and SPREAD must be defined"
#endif

#define WORD (SPREAD ? 1 : WORD_ELEMENTS(BYTES))

#define STRIDE(g)       (PACKED ? 1 : (g)->stride)
#define LABEL_STRIDE(g) (PACKED ? 1 : (g)->label_stride)

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
    bool is_wide; // loads of 16 bytes
};

// Sets w->offset and w->is_wide.
static void word_offset(struct words *w, const struct arguments *g)
{
    const uint inputs = 16 / BYTES; // elements of 16 bytes
    const uint of_input = ((uint)(size_t)w->x & 15) / BYTES;
    const bool is_packed = (!SPREAD) & (PACKED | (g->stride == 1));
    w->is_wide = is_packed;
    w->offset = (int)(is_packed ? of_input : 0);
#if LABEL_TYPE
    const uint outputs = UNIT_BYTES / LABEL_BYTES;
    const uint of_labels = ((uint)(size_t)w->labels & (UNIT_BYTES - 1)) / LABEL_BYTES;
    w->is_wide = is_packed & (((of_input ^ of_labels) & (min(inputs, outputs) - 1)) == 0);
    w->offset = (int)(w->is_wide && inputs > outputs ? of_input : of_labels);
#endif
}

// A word as it was loaded: PARTS of type PART. Elements of 1 and 2 bytes stay packed in u32.
#define PARTS (SPREAD ? 1 : 4)
#if SPREAD
#define PART KEY_T
#elif BYTES == 1
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
#if BYTES < 4 && !SPREAD
    const uint bits = (uint)((global const RAW *)x)[from] << (e * BYTES % 4 * 8);
    word[e * BYTES / 4] = e * BYTES % 4 ? word[e * BYTES / 4] | bits : bits;
#else
    word[e] = (KEY_T)LOAD(x, from);
#endif
}

static KEY_T element(const PART *word, uint e)
{
#if BYTES >= 4 || SPREAD
    return word[e];
#elif TYPE == F16
    const float2 pair = halves(word[e / 2]);
    return e % 2 ? pair.y : pair.x;
#else
    return (KEY_T)(ELEM)(word[e * BYTES / 4] >> (e * BYTES % 4 * 8));
#endif
}

#if !SPREAD
// 16 bytes from a boundary of 16. Beside a branch that loads the same elements one by one, a
// compiler may make four loads of this one. Inline PTX stays one.
static uint4 load_16(global const void *p)
{
#if PTX
    uint4 v;
    asm("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p));
    return v;
#else
    return *(global const uint4 *)p;
#endif
}

// A word at a boundary of 16 bytes.
static void load_wide(PART *word, global const ELEM *x)
{
    const uint4 v = load_16(x);
#if BYTES < 4
    word[0] = v.x;
    word[1] = v.y;
    word[2] = v.z;
    word[3] = v.w;
#elif BYTES == 4
    word[0] = JOIN_NAMES(as_, ELEM)(v.x);
    word[1] = JOIN_NAMES(as_, ELEM)(v.y);
    word[2] = JOIN_NAMES(as_, ELEM)(v.z);
    word[3] = JOIN_NAMES(as_, ELEM)(v.w);
#else
    const uint4 u = load_16(x + 2);
    word[0] = JOIN_NAMES(as_, ELEM)((ulong)v.y << 32 | v.x);
    word[1] = JOIN_NAMES(as_, ELEM)((ulong)v.w << 32 | v.z);
    word[2] = JOIN_NAMES(as_, ELEM)((ulong)u.y << 32 | u.x);
    word[3] = JOIN_NAMES(as_, ELEM)((ulong)u.w << 32 | u.z);
#endif
}

// A word of small elements that begins anywhere, from the 20 bytes around it.
#if BYTES < 4
static void load_shifted(PART *word, global const ELEM *x)
{
    const uint bytes = (uint)(size_t)x & 3;
    global const uint *around = (global const uint *)((global const uchar *)x - bytes);
    uint part[PARTS + 1];
    #pragma unroll
    for (uint i = 0; i <= PARTS; i++)
        part[i] = around[i];
    #pragma unroll
    for (uint i = 0; i < PARTS; i++)
        word[i] = (uint)(((ulong)part[i + 1] << 32 | part[i]) >> (8 * bytes));
}
#endif

#endif

#if WORDS == WORDS_OF_ROW
// The words whose numbers are given, of those behind w->x. All their elements exist.
static void load_whole(PART word[ITEMS][PARTS], const struct words *w, const uint *number,
                       const struct arguments *g)
{
#if !SPREAD
    if (w->is_wide) {
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            load_wide(word[i], w->x + number[i] * WORD);
        return;
    }
#endif
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
#if PACKED && BYTES < 4
        load_shifted(word[i], w->x + number[i] * WORD);
#elif PACKED
        #pragma unroll
        for (uint e = 0; e < WORD; e++)
            word[i][e] = w->x[number[i] * WORD + e];
#else
        global const ELEM *x = w->x + (long)(number[i] * WORD) * g->stride;
        #pragma unroll
        for (uint e = 0; e < WORD; e++)
            load_element(word[i], e, x, (long)e * g->stride);
#endif
    }
}
#endif

// The elements from position `at` on. One that does not exist is read as the nearest.
static void load_word(PART *word, const struct words *w, int at, const struct arguments *g)
{
#if BYTES < 4 && !SPREAD
    if (w->is_wide && at >= w->low && at + WORD <= w->high) {
        load_wide(word, w->x + at);
        return;
    }
#endif
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        load_element(word, (uint)e, w->x,
                     (long)clamp(at + e, w->low, w->high - 1) * g->stride);
}

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

static void store_word(const struct words *w, int at, const uint *label,
                       const struct arguments *g)
{
#if !SPREAD
    if (g->label_stride == 1 && at >= w->low && at + WORD <= w->high) {
        store_unit(w->labels + at, label);
        return;
    }
#endif
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        if (at + e >= w->low && at + e < w->high)
            w->labels[(long)(at + e) * g->label_stride] = (LABEL_T)label[e];
}
#endif
