// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: the whole words of short rows (WORDS_OF_ROWS), and the elements at the ends
// of rows, which are no whole words. So a word is loaded and stored without asking which of its
// elements exist. An item takes one element of an end:
//
//     rows      | head | word word | tail |     | head | word word | tail |
//     items     | 0  1 |           |  2   |     | 3  4 |           |  5   |      `each` is 3
//
// The items begin at another warp for each block of rows, so that all warps have as much to do.
//
// Macros  those of word.cl
//         FETCH_LABELS  1: the labels at the ends of rows are fetched before they are written
//
// Defines find_words()  the whole words of a row
//         most_ends()   how many items a row has for its ends
//         take_ends()   labels and counts the ends of the rows of a group
//         fetch_ends()  FETCH_LABELS: asks for the memory of their labels

#if !SPREAD && WORDS == WORDS_OF_ROWS
#ifndef FETCH_LABELS
#error "FETCH_LABELS must be defined"
#endif

// Finds the whole words of a row.
static void find_words(struct words *w, global const ELEM *x, global LABEL_T *labels, uint row,
                       const struct arguments *g)
{
    const uint count = (uint)g->count;
    w->x = x;
    w->labels = labels;
    word_offset(w, g);
    // Where words are loaded from what lies around them, there is memory of the input for two
    // words at either end of the row, as other rows are there, or a word on each side.
    const ulong apart = max(abs(g->row_stride), 1ul);
    const uint far = apart < 2 * WORD ? 2 * WORD / (uint)apart + 1 : 1;
    const bool is_inside = row >= far && row + far < (uint)g->rows;
    const uint around = (PACKED & !w->is_wide & !is_inside) ? AROUND : 0;
    w->head = min(count, around + (WORD - (uint)w->offset) % WORD);
    const uint rest = count - w->head;
    w->words = rest < around ? 0 : (rest - around) / WORD;
}

// Elements of a row that are no whole words.
static uint ends_of(const struct words *w, const struct arguments *g)
{
    return (uint)g->count - w->words * WORD;
}

// How many items a row has for them: as many as there are at most, if a group has so many. Where
// neighbouring rows begin alike within a word, all but the first and the last have as many as one
// in the middle, and these may have more.
static uint most_ends(global const ELEM *x, global LABEL_T *labels, const struct arguments *g)
{
    const uint more = (uint)g->count % WORD, most = more + 1 < WORD ? more + WORD : more;
    bool are_alike = ((ulong)g->row_stride * BYTES & 15) == 0;
#if LABEL_TYPE
    are_alike &= ((ulong)g->label_row_stride * LABEL_BYTES & (UNIT_BYTES - 1)) == 0;
#endif
    struct words w;
    find_words(&w, x, labels, (uint)g->rows / 2, g);
    const uint each = are_alike ? ends_of(&w, g) : min(most, (uint)g->count);
    return min((PACKED & (AROUND > 0) & !w.is_wide) ? max(each, 4u) : each, (uint)WG);
}

// The elements of g.block_rows rows from `first` on that are no whole words: `each` items take
// those of a row, from item `turn` on.
static void take_ends(global const ELEM *x, global LABEL_T *labels, uint first, uint each,
                      uint turn, struct counters *counters, const struct row_constants *constants,
                      TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const uint item = (get_local_id(0) + WG - turn) % WG;
    const uint own = item / each, lane = item - own * each;
    const uint at_once = WG / each, end = min(g->block_rows, (uint)g->rows - first);
    #pragma unroll 1
    for (uint k = own < at_once ? own : end; k < end; k += at_once) {
        const uint row = first + k;
        struct words w;
        find_words(&w, x + (long)row * g->row_stride, labels + (long)row * g->label_row_stride,
                   row, g);
        const uint ends = ends_of(&w, g);
        #pragma unroll 1
        for (uint i = lane; i < ends; i += each) {
            const long e = i < w.head ? i : i + w.words * WORD;
            const KEY_T key = (KEY_T)LOAD(w.x, e * STRIDE(g));
            const uint label = take_one(key, counters, constants, tables, g);
#if LABEL_TYPE
            w.labels[e * LABEL_STRIDE(g)] = (LABEL_T)label;
#endif
        }
    }
}

// Asks for the labels at the ends of a row, where the first or the last item of a row calls it.
static void fetch_ends(const struct words *w, uint lane, const struct arguments *g)
{
#if FETCH_LABELS
    if (lane == 0)
        prefetch_end(w->labels);
    if (lane == g->row_words - 1)
        prefetch_end(w->labels + g->count);
#endif
}
#endif
