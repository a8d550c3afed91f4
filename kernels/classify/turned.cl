// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: a tile's labels on their way through local memory (TURNED). Items put
// them there in lines across the input's lines, and then copy the lines to where they belong.
//
// With TURNED_BY_WORDS labels that lie side by side across, as many as 4 bytes hold, are one
// item's: it puts them there as one word. A line in local memory has g.row_words words, an odd
// number, so that neighbouring items, whose labels are of neighbouring lines, write to
// different banks. Else labels go there one by one, and lines that lie one behind the other in
// memory do so here. With TURNED_PADDED such lines have 4, 8, ... 32 words, so that neighbouring
// items would write to few banks. Then a word stays free behind each 32.
//
//     local memory, u8   line 0 | 0 1 2 3 | 4 5 6 7 | 8 . . . |      global     . | . 0 1 2 | 3 ...
//                        line 1 | 0 1 2 3 | ...                                 units of 16 bytes
//
// Whole units of 16 bytes leave together. Where their labels begin within a word of local
// memory they are shifted. A line's labels before the first such unit and behind the last leave
// one by one, neighbours by neighbouring items: memory takes one store for each end.
//
// Macros  those of gpu_tiles.cl
//
// Defines SIDES   elements side by side across that are one item's
//         struct turned, start_turned(), place_turned(), store_turned()
//         label_place()  where local memory has a label

#define BY_WORDS ((TURNED & TURNED_BY_WORDS) != 0)
#define PASSES   ((TURNED & TURNED_PASSES) != 0)
#define PADDED   ((TURNED & TURNED_PADDED) != 0)

#if TURNED
#define LABEL_BYTES ((uint)sizeof(LABEL_T))
#define WORD_LABELS (4 / LABEL_BYTES)
#define WORD_SIDES  (BY_WORDS ? WORD_LABELS : 1)
#define SIDES       (TURNED & TURNED_SIDE_BY_SIDE ? ITEMS : WORD_SIDES)
#define UNIT        16u // bytes

// `lines` lines of `n` labels. Line 0 begins at `to`, and each `along` behind the one before.
// In local memory they are `pitch` labels apart.
struct turned {
    local LABEL_T *labels;
    global LABEL_T *to;
    long along;
    uint lines, n, pitch;
    bool is_dense; // lines lie one behind the other, and are taken for one
    // The unit of a line that the item takes, the first of its lines, and how far the next one
    // is.
    uint unit, line, more_lines;
};

// What is the same for all tiles. Units are as many as a line of a whole tile has, or all items
// take units of one line.
static void start_turned(struct turned *t, uint width, uint depth, bool is_dense,
                         const struct arguments *g)
{
    const uint n = is_dense ? width * depth : depth;
    const uint units = clamp(n * LABEL_BYTES / UNIT, 1u, (uint)WG);
    t->is_dense = is_dense;
    t->pitch = is_dense ? depth : g->row_words * WORD_LABELS;
    t->more_lines = WG / units;
    t->unit = get_local_id(0) % units;
    t->line = get_local_id(0) / units;
    t->line = t->line < t->more_lines ? t->line : ~0u; // the last items have none
}

// The lines of a tile, of `width` by `depth` labels.
static void place_turned(struct turned *t, global LABEL_T *to, long along, uint width, uint depth)
{
    t->to = to;
    t->along = along;
    t->lines = t->is_dense ? 1 : width;
    t->n = t->is_dense ? width * depth : depth;
}

// Where local memory has label number `i` of all lines.
static uint label_place(const struct turned *t, uint i)
{
    const uint line = 32 * WORD_LABELS;
    return PADDED && t->is_dense ? i + i / line * WORD_LABELS : i;
}

// Word number `i` of the lines.
static uint turned_word(const struct turned *t, int i)
{
    return ((local const uint *)t->labels)[PADDED && t->is_dense ? i + (i >> 5) : i];
}

// The 16 bytes from byte `from` of the lines on.
static uint4 load_unit(const struct turned *t, int from)
{
    const int word = from >> 2;
    const uint bits = LABEL_BYTES == 4 ? 0 : (uint)from % 4 * 8;
    const uint w0 = turned_word(t, word), w1 = turned_word(t, word + 1),
               w2 = turned_word(t, word + 2), w3 = turned_word(t, word + 3);
    const uint w4 = bits ? turned_word(t, word + 4) : 0;
    return (uint4)((uint)(((ulong)w1 << 32 | w0) >> bits), (uint)(((ulong)w2 << 32 | w1) >> bits),
                   (uint)(((ulong)w3 << 32 | w2) >> bits), (uint)(((ulong)w4 << 32 | w3) >> bits));
}

// Bytes before a line's first whole unit, if it has so many.
static uint head_of(const struct turned *t, global const LABEL_T *to)
{
    return min(-(uint)(size_t)to % UNIT, t->n * LABEL_BYTES);
}

static void store_units(const struct turned *t)
{
    const uint bytes = t->n * LABEL_BYTES;
    for (uint line = t->line; line < t->lines; line += t->more_lines) {
        global LABEL_T *to = t->to + (long)line * t->along;
        const uint place = line * t->pitch * LABEL_BYTES;
        for (uint from = head_of(t, to) + t->unit * UNIT; from + UNIT <= bytes; from += WG * UNIT)
            *(global uint4 *)((global uchar *)to + from) = load_unit(t, (int)(place + from));
    }
}

// Both ends of each line, label by label: those of an end are neighbouring items' and leave
// together. Whole units between the ends leave n % END labels to them, or END more: lines of
// whole units take half as many items.
static void store_ends(const struct turned *t)
{
    enum { END = UNIT / sizeof(LABEL_T) }; // labels of a unit
    const uint each = t->n % END ? 2 * END : END, of_all = each * t->lines;
    for (uint i = get_local_id(0); i < of_all; i += WG) {
        const uint line = t->n % END ? i / (2 * END) : i / END, k = i % each;
        global LABEL_T *to = t->to + (long)line * t->along;
        const uint head = head_of(t, to) / LABEL_BYTES, tail = (t->n - head) % END;
        const uint at = k < head ? k : k + (t->n - head - tail);
        if (k < head + tail)
            to[at] = t->labels[label_place(t, line * t->pitch + at)];
    }
}

// Labels that are not neighbours.
static void store_each(const struct turned *t, long across)
{
    for (uint i = get_local_id(0); i < t->lines * t->n; i += WG) {
        const uint line = i / t->n, k = i % t->n;
        t->to[(long)line * t->along + (long)k * across] = t->labels[line * t->pitch + k];
    }
}

static void store_turned(const struct turned *t, long across)
{
    if (across == 1) {
        store_units(t);
        store_ends(t);
    } else {
        store_each(t, across);
    }
}
#endif
