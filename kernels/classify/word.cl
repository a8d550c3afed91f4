// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: one word: WORD neighbouring elements of a row. word_loads.cl loads them,
// store.cl stores their labels. gpu_words.cl says which words there are.
//
// A word begins where its labels begin an aligned unit of 4 labels, or of 16 bytes. They leave
// as one store. Labels that are not neighbours, or are fewer than a word, leave one by one:
//
//     row              |   x0 | x1 x2 x3 x4 | x5 x6 x7 x8 | x9 x10     |      f32
//     labels of u8     | . . . 0 | 1  2  3  4 | 5  6  7  8 | 9 10 . .  |      units of 4 bytes
//
// With SPREAD a word is one element, and spread.cl takes the place of what follows here.
//
// Macros  those of classify.cl, search.cl, bits.cl and label.cl
//         SPREAD    1: words have one element (src/classify/gpu_words.c says when)
//         ITEMS     words that an item has in flight
//         PACKED    1: labels, if there are any, have stride 1, and elements have 1 or -1
//         REVERSED  1: PACKED, and elements have stride -1
//
// Defines WORD            elements of a word
//         struct words    words that lie at the same place
//         word_offset()   how many elements a row's first word begins before the row
//         load_element()  one of them
//         element()       one of them, as KEY_T
//         are_there()     which of them exist

#if !defined(ITEMS) || !defined(PACKED) || !defined(REVERSED) || !defined(SPREAD)
#error "ITEMS, PACKED, REVERSED and SPREAD must be defined"
#endif

#define WORD      (SPREAD ? 1 : WORD_ELEMENTS(BYTES))
#define TILE      (WG * ITEMS)                        // words that a group has in flight
#define ROWS_EACH (ITEMS / ROW_ITEMS)                 // WORDS_OF_ROWS: rows that an item has in flight

#if !SPREAD // else spread.cl
#define STRIDE(g)       (PACKED ? (REVERSED ? -1 : 1) : (g)->stride)
#define LABEL_STRIDE(g) (PACKED ? 1 : (g)->label_stride)

#if LABEL_TYPE
#define LABEL_BYTES (LABEL_TYPE == U8 ? 1 : LABEL_TYPE == U16 ? 2 : 4)
#define UNIT_BYTES  (WORD * LABEL_BYTES < 16 ? WORD * LABEL_BYTES : 16) // of a store
#endif

// Element 0 and label 0 of a row, or of a part of it.
struct words {
    global const ELEM *x;
    global LABEL_T *labels;
    int offset;
    bool is_wide;     // loads of 16 bytes
    int high;         // WORDS_OF_ALL: how many elements exist
    uint head, words; // WORDS_OF_ROWS: elements before the first whole word; whole words
    bool is_idle;     // WORDS_OF_ROWS: the row stands for one that is not there
};

// Sets w->offset and w->is_wide.
static void word_offset(struct words *w, const struct arguments *g)
{
    const uint inputs = 16 / BYTES; // elements of 16 bytes
    const uint in_unit = ((uint)(size_t)w->x & 15) / BYTES;
    const uint of_input = REVERSED ? inputs - 1 - in_unit : in_unit;
    const bool is_packed = PACKED | (g->stride == 1);
    w->is_wide = is_packed;
    w->offset = (int)(is_packed ? of_input : 0);
#if LABEL_TYPE
    const uint outputs = UNIT_BYTES / LABEL_BYTES;
    const uint of_labels = ((uint)(size_t)w->labels & (UNIT_BYTES - 1)) / LABEL_BYTES;
    w->is_wide = is_packed & (((of_input ^ of_labels) & (min(inputs, outputs) - 1)) == 0);
    w->offset = (int)(w->is_wide && inputs > outputs ? of_input : of_labels);
#endif
}

// Which elements of a word exist, whose first one is at `at`: a bit for each.
#define WHOLE_WORD ((1u << WORD) - 1)
#if WORDS == WORDS_OF_ALL
static uint are_there(const struct words *w, int at)
{
    const int first = clamp(-at, 0, WORD), end = clamp(w->high - at, 0, WORD);
    return ((1u << end) - 1) & ~((1u << first) - 1);
}
#endif

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

// The elements of a part in their reverse order.
#if BYTES == 1
#define TURN(part) as_uint(as_uchar4(part).s3210)
#elif BYTES == 2
#define TURN(part) rotate(part, 16u)
#else
#define TURN(part) (part)
#endif

// Puts element `from` of memory in as number e, the first of a part before the others.
static void load_element(PART *word, uint e, global const ELEM *x, long from)
{
#if BYTES < 4
    const uint bits = (uint)((global const RAW *)x)[from] << (e * BYTES % 4 * 8);
    word[e * BYTES / 4] = e * BYTES % 4 ? word[e * BYTES / 4] | bits : bits;
#else
    word[e] = (KEY_T)LOAD(x, from);
#endif
}

static KEY_T element(const PART *word, uint e)
{
#if BYTES >= 4
    return word[e];
#elif TYPE == F16 && !BITS_OF_F16
    const float2 pair = halves(word[e / 2]);
    return e % 2 ? pair.y : pair.x;
#else
    return (KEY_T)(ELEM)(word[e * BYTES / 4] >> (e * BYTES % 4 * 8));
#endif
}
#endif // !SPREAD
