// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_tiles: where words lie in local memory, and the elements of a row that are not taken
// in as whole words.
//
// Defines PLACE(), PLACE_VEC(), BITS, an element as it lies there; fold_apart(); fold_ends(), for
//         positions of narrow elements fold_keys()
//
// Macros: see gpu_tiles.cl.

#if !defined(ITEMS) || !defined(PAD) || !defined(APART) || !defined(BACKWARDS) || \
    !defined(SHORT_ROWS)
#error "ITEMS, PAD, APART, BACKWARDS and SHORT_ROWS must be defined"
#endif

// Where word or vector i of a tile lies in local memory.
#define PLACE(i)     (PAD ? (i) + (i) / (128 / WORD_BYTES) * VEC_WORDS : (i))
#define PLACE_VEC(i) (PAD ? (i) + (i) / 8 : (i))

#if TYPE == F16
#define BITS ushort
#else
#define BITS ELEM
#endif

static OPERAND element_of(local const BITS *tile, uint i)
{
#if WORD_N == 1
    return (OPERAND)tile[PLACE(i)];
#else
    const uint at = PLACE(i / WORD_N) * WORD_N + i % WORD_N;
#if TYPE == F16
    const ushort2 bits = tile[at];
    return vload_half(0, (const half *)&bits);
#else
    return (OPERAND)tile[at];
#endif
#endif
}

// Elements that lie apart become words. H200, driver 580.159.04, 2026-11-30, statistics of rows of
// 80 i8, every second, us by elements, by words, and with padding as well (is_padded() of
// src/reduce/gpu_tiles.c): 980, 890, 593.
#define BY_WORDS (WORD_N > 1 && !IS_ARG)

#if BY_WORDS
// The WORD_N elements from `at` on.
static uint word_apart(local const BITS *tile, uint at, uint stride)
{
    uint word = 0;
    #pragma unroll
    for (uint i = 0; i < WORD_N; i++, at += stride) {
        const uint bits = (uint)tile[PLACE(at / WORD_N) * WORD_N + at % WORD_N] & FIELD;
        word |= bits << (FIELD_BITS * i);
    }
    return word;
}

// Folds this lane's whole words of the row at `at`.
static void fold_words_apart(acc *r, local const BITS *tile, uint at, uint lane, uint lanes,
                             const struct arguments *g)
{
    const uint words = (uint)g->count / WORD_N, chain = CHAIN_WORDS * lanes;
    const uint stride = (uint)g->stride, step = WORD_N * stride;
    for (uint w = lane; w < words; w += chain) {
        const uint end = SHORT_ROWS ? words : min(words, w + chain);
        a_word a;
        b_word b;
        START_WORD(a, b, word_apart(tile, at + w * step, stride));
        for (uint k = w; k < end; k += lanes)
            TAKE_WORD(a, b, word_apart(tile, at + k * step, stride), 0);
        TAKE_CHAIN(r, a, b, 0);
        if (SHORT_ROWS)
            break;
    }
}
#endif

// Folds this lane's elements of the row at `at` where they lie apart.
static void fold_apart(acc *r, local const BITS *tile, uint at, uint lane, uint lanes,
                       const struct arguments *g)
{
    const uint count = (uint)g->count, chain = CHAIN * lanes;
    const int stride = (int)g->stride;
    uint first = 0;
#if BY_WORDS
    fold_words_apart(r, tile, at, lane, lanes, g);
    first = count / WORD_N * WORD_N;
#endif
    for (uint e = first + lane; e < count; e += chain) {
        const uint end = SHORT_ROWS ? count : min(count, e + chain);
        CHAIN_A a;
        CHAIN_B b;
        START(, a, b, element_of(tile, at + (int)e * stride), 0);
        for (uint i = e; i < end; i += lanes) {
            const OPERAND x = element_of(tile, at + (int)i * stride);
            STEP(a, b, x, (INDEX)(i - e));
        }
        take(r, a, b, g->index + e);
        if (SHORT_ROWS)
            break;
    }
}

#if WORD_N > 1 && OP == STATISTICS
// Folds this lane's part of the first `head` and the last `tail` elements of the row at `at`.
static void fold_ends(acc *r, local const BITS *tile, uint at, uint head, uint tail, uint lane,
                      uint lanes, const struct arguments *g)
{
    const uint ends = head + tail, skip = (uint)g->count - ends;
    if (lane >= ends)
        return;
    CHAIN_A a;
    CHAIN_B b;
    const uint e0 = lane < head ? lane : lane + skip;
    START(, a, b, element_of(tile, at + e0), (INDEX)e0);
    for (uint i = lane; i < ends; i += lanes) {
        const uint e = i < head ? i : i + skip;
        const OPERAND x = element_of(tile, at + e);
        STEP(a, b, x, (INDEX)e);
    }
    take(r, a, b, g->index);
}
#elif WORD_N > 1
// The elements of word `place` that `mask` has, and others that leave the result as it is.
static uint masked_word(local const uint *tile, uint place, uint mask, uint fill)
{
    return (tile[PLACE(place)] & mask) | (fill & ~mask);
}

// What is the row's in the word where it begins, and in the one where it ends.
#define FROM(head) (0xffffffff << (FIELD_BITS * (head)))
#define TO(tail)   ((tail) ? ~(0xffffffff << (FIELD_BITS * (tail))) : 0xffffffff)

static uint fill_of(local const uint *tile, uint at)
{
    const BITS element = ((local const BITS *)tile)[PLACE(at / WORD_N) * WORD_N + at % WORD_N];
    return neutral_word((uint)element & FIELD);
}

#if HAS_KEYS
// Folds this lane's words of the row from element `at` up to `to`, with those that it shares with
// other rows. A key has the number that an element has in its lane. What is not the row's becomes the
// row's first element. In the first word it has a lower number than that, else a higher position.
static void fold_keys(acc *r, local const uint *tile, uint at, uint to, uint lane, uint lanes,
                      ulong index)
{
    const uint first = at / WORD_N, head = at % WORD_N, words = (to - 1) / WORD_N - first;
    const uint fill = fill_of(tile, at);
    keys a;
    keys_start(&a);
    uint k = 0;
    if (lane == 0 && words > 0) {
        keys_take(&a, masked_word(tile, first, FROM(head), fill), 0);
        k = 1;
    }
    for (; lane + (k + 1) * lanes < words; k += 2) { // two loads in flight
        const uint one = tile[PLACE(first + lane + k * lanes)];
        const uint next = tile[PLACE(first + lane + (k + 1) * lanes)];
        keys_take(&a, one, k * WORD_N);
        keys_take(&a, next, (k + 1) * WORD_N);
    }
    if (lane + k * lanes < words) {
        keys_take(&a, tile[PLACE(first + lane + k * lanes)], k * WORD_N);
        k++;
    }
    if (lane + k * lanes == words) {
        const uint mask = TO(to % WORD_N) & (words ? 0xffffffff : FROM(head));
        keys_take(&a, masked_word(tile, first + words, mask, fill), k * WORD_N);
        k++;
    }
    if (k == 0)
        return;
    const uint key = keys_best(&a), number = number_of(key);
    const uint place = (number / WORD_N * lanes + lane) * WORD_N + number % WORD_N;
    take(r, value_of(key), 0, index + max(place, head) - head);
}
#else
// Folds the words that the row from element `at` up to `to` shares with other rows. What belongs
// to these becomes neutral.
static void fold_ends(acc *r, local const uint *tile, uint at, uint to, ulong index)
{
    const uint first = at / WORD_N, head = at % WORD_N, last = to / WORD_N, tail = to % WORD_N;
    if (head == 0 && tail == 0)
        return;
    const uint fill = fill_of(tile, at);
    a_word a;
    b_word b;
    START_WORD(a, b, fill);
    if (head)
        TAKE_WORD(a, b,
                  masked_word(tile, first, FROM(head) & (first == last ? TO(tail) : 0xffffffff),
                              fill),
                  0);
    if (tail && !(head && first == last))
        TAKE_WORD(a, b, masked_word(tile, last, TO(tail), fill), WORD_N);
    TAKE_CHAIN(r, a, b, index);
}
#endif
#endif
