// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: the loads of words (word.cl).
//
// Words of at least 16 bytes are loaded
//
//     by 16 bytes          where those are aligned in the input as the labels are. One by one
//                          the f32 took 7 to 50 % longer (H200, driver 580.159, 2026-11-22)
//     one by one           elsewhere, with any stride: the loads of a warp meet in the same
//                          cache lines
//     by 16 bytes, shifted elsewhere, elements of 1 and 2 bytes without gaps: from the two units
//                          of 16 bytes around the word, as one by one they are four or two times
//                          as many loads, which limit them
//
// Elements that lie backwards are loaded as if they lay forward, and turned round.
//
// Macros  those of word.cl
//
// Defines load_whole()   the elements of some words that lie inside a row, as in memory
//         load_words()   those of an item, of short rows

#if !SPREAD // else spread.cl
// Elements on each side of a word that may be loaded with it.
#define AROUND (BYTES < 4 ? WORD : 0)

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

// A word of small elements that begins anywhere, from the 32 bytes around it: two units of 16.
// Elements of 4 bytes take 7 to 18 % longer like this than one by one (H200, driver 580.159.04,
// 2026-11-23).
#if BYTES < 4
struct around {
    uint4 a, b;
};

// The second unit is `next` bytes behind the first: 16, or 0 where it is not needed.
static void load_around(struct around *units, global const ELEM *x, uint next)
{
    global const uchar *from = (global const uchar *)x - ((uint)(size_t)x & 15);
    units->a = load_16(from);
    units->b = load_16(from + next);
}

// The lower half of two words, moved down by up to 31 bits.
static uint moved_down(uint low, uint high, uint bits)
{
#if PTX // in a branch of its own it stays there
    uint moved;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(moved) : "r"(low), "r"(high), "r"(bits));
    return moved;
#else
    return (uint)(((ulong)high << 32 | low) >> bits);
#endif
}

// Leaves out the first `parts` parts of 4 bytes, and `bits`. `parts` and `n` are known when the
// kernel is compiled.
static __attribute__((always_inline)) void move_down(PART word[][PARTS],
                                                     const struct around *units, uint n,
                                                     uint parts, uint bits)
{
    #pragma unroll
    for (uint i = 0; i < n; i++) {
        const uint4 a = units[i].a, b = units[i].b;
        const uint x[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
        #pragma unroll
        for (uint k = 0; k < PARTS; k++)
            word[i][k] = moved_down(x[parts + k], x[parts + k + 1], bits);
    }
}

// Words that begin like the one at x. All of a warp mostly take the same branch. To choose each
// part took two operations for an element of 16 bits.
static __attribute__((always_inline)) void shift_around(PART word[][PARTS],
                                                        const struct around *units, uint n,
                                                        global const ELEM *x)
{
    const uint bytes = (uint)(size_t)x & 15, bits = 8 * (bytes & 3);
    if (bytes < 4)
        move_down(word, units, n, 0, bits);
    else if (bytes < 8)
        move_down(word, units, n, 1, bits);
    else if (bytes < 12)
        move_down(word, units, n, 2, bits);
    else
        move_down(word, units, n, 3, bits);
}
#endif

#if PACKED
static void turn_round(PART *word)
{
#if REVERSED
    #pragma unroll
    for (uint i = 0; i < PARTS / 2; i++) {
        const PART first = TURN(word[i]);
        word[i] = TURN(word[PARTS - 1 - i]);
        word[PARTS - 1 - i] = first;
    }
#endif
}

// A word whose first element is at x.
static void load_one(PART *word, global const ELEM *x, bool is_wide)
{
    x -= REVERSED ? WORD - 1 : 0;
    if (is_wide) {
        load_wide(word, x);
    } else {
#if BYTES < 4
        struct around units;
        load_around(&units, x, 16);
        shift_around((PART (*)[PARTS])word, &units, 1, x);
#else
        #pragma unroll
        for (uint e = 0; e < WORD; e++)
            word[e] = x[e];
#endif
    }
    turn_round(word);
}
#endif

#if WORDS == WORDS_OF_ROW
// The words whose numbers are given, of those behind w->x. All their elements exist.
static void load_whole(PART word[ITEMS][PARTS], const struct words *w, const uint *number,
                       const struct arguments *g)
{
#if PACKED
    if (w->is_wide) {
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            load_one(word[i], w->x + (long)(number[i] * WORD) * STRIDE(g), true);
        return;
    }
#else
    if (w->is_wide) {
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            load_wide(word[i], w->x + number[i] * WORD);
        return;
    }
#endif
#if PACKED && BYTES < 4
    // All loads are under way before one is waited for.
    const long last = REVERSED ? WORD - 1 : 0;
    struct around units[ITEMS];
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        load_around(&units[i], w->x + (long)(number[i] * WORD) * STRIDE(g) - last, 16);
    shift_around(word, units, ITEMS, w->x - last); // they are whole units apart
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        turn_round(word[i]);
#else
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
#if PACKED
        load_one(word[i], w->x + (long)(number[i] * WORD) * STRIDE(g), false);
#else
        global const ELEM *x = w->x + (long)(number[i] * WORD) * g->stride;
        #pragma unroll
        for (uint e = 0; e < WORD; e++)
            load_element(word[i], e, x, (long)e * g->stride);
#endif
    }
#endif
}
#endif

#if WORDS == WORDS_OF_ROWS
// A whole word of a row, or zeros if it has none. Where all words of an item were loaded
// together, as in load_whole(), f32 to u8, rows of 5847 with gaps, took 78 us instead of 66; a
// test of words that are not there was new then, too (H200, driver 580.159.04, 2026-11-23).
static void load_word(PART *word, const struct words *w, int at, const struct arguments *g)
{
    if (!w->words) {
        #pragma unroll
        for (uint k = 0; k < PARTS; k++)
            word[k] = 0;
        return;
    }
#if PACKED
    load_one(word, w->x + at * (int)STRIDE(g), w->is_wide);
#else
    if (w->is_wide) {
        load_wide(word, w->x + at);
        return;
    }
    #pragma unroll
    for (int e = 0; e < WORD; e++)
        load_element(word, (uint)e, w->x, (long)(at + e) * g->stride);
#endif
}

// An item's words of its rows, whose first elements are at these positions.
static void load_words(PART word[ITEMS][PARTS], const struct words *rows, const int *at,
                       const struct arguments *g)
{
#if PACKED && BYTES < 4
    bool all = true;
    #pragma unroll
    for (uint k = 0; k < ROWS_EACH; k++)
        all &= rows[k].words > 0;
    if (all) { // all loads are under way before one is waited for
        struct around units[ITEMS];
        global const ELEM *from[ITEMS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            from[i] = rows[i / ROW_ITEMS].x + at[i] * (int)STRIDE(g) - (REVERSED ? WORD - 1 : 0);
            load_around(&units[i], from[i], rows[i / ROW_ITEMS].is_wide ? 0 : 16);
        }
        #pragma unroll
        for (uint i = 0; i < ITEMS; i += ROW_ITEMS) // those of a row are whole units apart
            shift_around(word + i, units + i, ROW_ITEMS, from[i]);
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            turn_round(word[i]);
        return;
    }
#endif
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        load_word(word[i], rows + i / ROW_ITEMS, at[i], g);
}
#endif
#endif // !SPREAD
