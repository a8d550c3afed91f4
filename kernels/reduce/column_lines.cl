// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the lines of a matrix, as the drawing in gpu_columns.cl shows them, and how
// an item goes down those of its slot. It has DEPTH vectors in flight and gives them to its chains
// (reduce/column_chains.cl).
//
// Defines struct lines, lines_of(), lanes_of(), fold_lines(), fold_some()
//
// Macros: see gpu_columns.cl. Per vector: a load, an addition of 64 bits for its address, and with
// HOLD one operation for each word and one more.

#if !defined(COLUMNS) || !defined(DEPTH) || !defined(PART_LOADS) || !defined(SIDE)
#error "COLUMNS, DEPTH, PART_LOADS and SIDE must be defined"
#endif
#if !defined(SMALL) || !defined(HOLD)
#error "SMALL and HOLD must be defined"
#endif
#if VEC_BYTES >= 4
#define WORD_OF_VEC uint
#elif VEC_BYTES == 2
#define WORD_OF_VEC ushort
#else
#define WORD_OF_VEC uchar
#endif
#define IS_SKIPPED(g) (FUSES && ((g)->flags & SKIPPED))

// The first `columns` of a vector, which may lie anywhere and end early; zeros behind them.
static vec load_some(global const ELEM *p, uint columns)
{
    vec v = 0;
    #pragma unroll
    for (uint c = 0; c < VEC_N; c++)
        if (c < columns)
            ((BITS *)&v)[c] = ((global const BITS *)p)[c];
    return v;
}

// The lines as the items see them.
struct lines {
    global const ELEM *p; // the first line's first vector
    uint head;         // elements before it
    ulong pitch;       // elements from line to line
    ulong count;
};

static struct lines lines_of(global const ELEM *p, const struct arguments *g)
{
    struct lines l = { p, 0, (ulong)g->stride, g->count };
    if (IS_FUSED(g)) {
        const uint width = (uint)g->stride, begin = IS_SKIPPED(g) ? width : 0;
        const uint grid = begin ? VEC_N * BYTES : LINE_BYTES;
        const uint past = (uint)(size_t)(p + begin) & (grid - 1);
        l.head = begin ? begin - past / BYTES : ((grid - past) & (grid - 1)) / BYTES;
        if (l.head > l.pitch * (g->count - 1) + g->rows) // there is only a remainder
            l.head = (uint)(l.pitch * (g->count - 1) + g->rows);
        l.p += l.head;
        l.pitch <<= g->fuse;
        const uint others = (width > g->rows) + (l.head + width - 1) / width;
        l.count = g->count > others ? (g->count - others) >> g->fuse : 0;
    }
    return l;
}

// Lanes of a group. Lines without gaps are read by lanes that take whole lines of memory together,
// so that all loads begin there.
static uint lanes_of(const struct arguments *g)
{
    enum { FEW = 4 };
    const uint lanes = WG / g->block;
    uint step = LINE_BYTES / (VEC_N * BYTES);
    while (step > 1 && g->block * (step / 2) * (VEC_N * BYTES) % LINE_BYTES == 0)
        step /= 2;
    return IS_FUSED(g) && g->blocks == 1 && lanes >= FEW * step ? lanes - lanes % step : lanes;
}

// Lets none of n vectors be used before all are asked for. Compilers would use the first ones
// before, which takes fewer registers, and wait twice. `all` is 0, but follows from all vectors.
#if HOLD
union held {
    vec v;
    WORD_OF_VEC word[VEC_BYTES / sizeof(WORD_OF_VEC)];
};
#define HOLD_VECTORS(v_, n, g) \
    do { \
        WORD_OF_VEC all = 0; \
        _Pragma("unroll") \
        for (int i_ = 0; i_ < (n); i_++) { \
            const union held h = { (v_)[i_] }; \
            all |= h.word[0]; \
        } \
        all &= (WORD_OF_VEC)(g)->zero; \
        _Pragma("unroll") \
        for (int i_ = 0; i_ < (n); i_++) { \
            union held h = { (v_)[i_] }; \
            _Pragma("unroll") \
            for (int k_ = 0; k_ < VEC_BYTES / (int)sizeof(WORD_OF_VEC); k_++) \
                h.word[k_] ^= all; \
            (v_)[i_] = h.v; \
        } \
    } while (0)
#else
#define HOLD_VECTORS(v, n, g)
#endif

// Folds the lines t, t + lanes, ... of one lane in the last tile, or in a tile of a small matrix:
// DEPTH, or fewer.
static void fold_part(acc *r, global const ELEM *q, const struct lines *l, ulong t, uint lanes,
                      const struct arguments *g)
{
    enum { LOADS = DEPTH < PART_LOADS ? DEPTH : PART_LOADS };
    const struct places places = { 0, lanes, g->fuse };
    const uint left = (uint)min(l->count - t, (ulong)DEPTH * lanes);
    const uint lines = (left + lanes - 1) / lanes;
    const ulong apart = lanes * l->pitch;
    chains s;
    #pragma unroll 1
    for (uint n = 0; n < lines; n += LOADS) {
        // Behind the last line that line again: loads without a condition are all under way at
        // once.
        vec v[LOADS];
        #pragma unroll
        for (uint i = 0; i < LOADS; i++)
            v[i] = *(global const vec *)(q + min(n + i, lines - 1) * apart);
        HOLD_VECTORS(v, LOADS, g);
        if (n == 0)
            chains_start(&s, v[0]);
#if CHOOSES_PIVOTS
        chains_choose(&s, v, LOADS);
#endif
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (n + i < lines)
                chains_take(&s, v[i], n + i, (INDEX)((n + i) * lanes) << g->fuse);
        if (LOADS == DEPTH)
            break;
    }
    chains_end(r, &s, g->index + (t << g->fuse), &places);
}

#if !SMALL
// Where an item is on its way down the lines. Little is kept from tile to tile, so that
// registers are left for loads in flight.
struct way {
    global const ELEM *q; // this lane's first line of the next tile
    long left;            // lines from there to the end
    ulong step, apart;    // elements from tile to tile and from line to line
    uint jump, lanes;     // lines from tile to tile and from line to line
};

// Folds one chain of whole tiles.
static void fold_chain(acc *r, struct way *w, const struct lines *l, const struct arguments *g)
{
    const struct places places = { w->jump, w->lanes, g->fuse };
    const long last = (DEPTH - 1) * w->lanes;
    const ulong first = l->count - w->left; // of the chain's lines
    uint at = 0;                            // lines from there; those of keys may pass 2^32
    chains s;
    chains_start(&s, *(global const vec *)w->q);
    #pragma unroll 1
    for (uint n = 0; (!CHAIN_LINES || n < CHAIN_LINES / DEPTH * DEPTH) && w->left > last;
         n += DEPTH, at += w->jump, w->left -= w->jump, w->q += w->step) {
        vec v[DEPTH];
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            v[i] = *(global const vec *)(w->q + i * w->apart);
        HOLD_VECTORS(v, DEPTH, g);
#if CHOOSES_PIVOTS
        chains_choose(&s, v, DEPTH);
#endif
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            chains_take(&s, v[i], n + i, (INDEX)(at + i * w->lanes) << g->fuse);
#if IN_MOMENTS
        if ((n + DEPTH) % CHAIN == 0)
            chains_close(&s);
#endif
    }
    chains_end(r, &s, g->index + (first << g->fuse), &places);
}
#endif

// Folds the lines of a slot that belong to `lane` of `lanes` into r[VEC_N], for the whole
// vector that begins at p. The accs in r are empty.
static void fold_lines(acc *r, global const ELEM *p, const struct lines *l, uint slot, uint lane,
                       uint lanes, const struct arguments *g)
{
    const uint tile = DEPTH * lanes, jump = (uint)g->slots * tile;
    const ulong t = (ulong)slot * tile + lane;
#if SMALL
    #pragma unroll 1
    for (ulong at = t; at < l->count; at += jump)
        fold_part(r, p + at * l->pitch, l, at, lanes, g);
#else
    struct way w = { p + t * l->pitch, (long)(l->count - t), jump * l->pitch, lanes * l->pitch,
                     jump, lanes };
    const long last = tile - lanes;
    // The first chain apart, where it is mostly the only one: no accs take registers beside it.
#if CHAIN_LINES == 0 || CHAIN_LINES >= 1 << 16
    if (w.left > last)
        fold_chain(r, &w, l, g);
#endif
    if (CHAIN_LINES)
        #pragma unroll 1
        while (w.left > last)
            fold_chain(r, &w, l, g);
    if (w.left > 0)
        fold_part(r, w.q, l, l->count - w.left, lanes, g);
#endif
}

// The same for the `columns` that are no whole vector, line by line.
static void fold_some(acc *r, global const ELEM *p, const struct lines *l, uint columns, ulong t,
                      uint step, const struct arguments *g)
{
    #pragma unroll 1
    for (; t < l->count; t += step) {
        const vec v = load_some(p + t * l->pitch, columns);
        #pragma unroll
        for (int c = 0; c < VEC_N; c++)
            take_one(&r[c], column_of(v, c), g->index + (t << g->fuse));
    }
}
