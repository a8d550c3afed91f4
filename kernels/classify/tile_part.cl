// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: an item's part of a tile, which is ITEMS elements of one line across it.
// With PASSES there are several.
//
// Macros  those of gpu_tiles.cl
//
// Defines struct part    has_part(), find_part(), is_whole_part(); PASSES: next_part()
//         load_part()    LOADS_AHEAD: loads its elements
//         take_part()    labels and counts them

#if !TURNED
#define SIDES 1
#endif

// An item's part of a tile: element k is place_in(k) lines behind the first one.
struct part {
    global const ELEM *x; // its first element
    global LABEL_T *line; // the label of that
    uint a, b;            // its place along and across
    uint step;            // from SIDES elements that lie side by side to the next ones
    uint last;            // elements are up to so many lines from the first
};

static uint place_in(const struct part *p, uint k)
{
    return k / SIDES * p->step + k % SIDES;
}

// Puts the labels of an element and of those beside it that are in its word where they belong.
#if TURNED
static void turn_labels(local LABEL_T *to, const uint *label)
{
#if BY_WORDS
    uint word = 0;
    #pragma unroll
    for (uint e = 0; e < WORD_LABELS; e++)
        word |= (uint)(LABEL_T)label[e] << (e * LABEL_BYTES * 8);
    *(local uint *)to = word;
#else
    *to = (LABEL_T)*label;
#endif
}
#endif

#if LOADS_AHEAD
// Loads an item's elements. is_whole: there are ITEMS of them. If not, the last one stands for
// those that the tile does not have, so that no load or store has a condition.
static __attribute__((always_inline)) void load_part(KEY_T *value, struct part p,
                                                     const bool is_whole, const struct lines *l)
{
    const long next = l->across, next_side = (p.step - (SIDES - 1)) * l->across;
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        value[k] = (KEY_T)LOAD(p.x, 0);
        p.x += !is_whole && place_in(&p, k + 1) > p.last ? 0 : (k + 1) % SIDES ? next : next_side;
    }
}
#endif

// Labels and counts them. LOADS_AHEAD: load_part() gave `ahead`. Else they are loaded here: behind a call
// of load_part() compilers made other code, by which calls took 3 to 10 % longer.
static __attribute__((always_inline)) void take_part(struct part p, const bool is_whole,
                                                     const KEY_T *ahead, global uint *counts,
                                                     const struct tile *tile,
                                                     const struct lines *l, struct group *group,
                                                     const struct arguments *g)
{
#if LOADS_AHEAD
    const KEY_T *value = ahead;
    const ulong first_row = ROWS_ALONG ? first_along(tile, l) : first_across(tile, l);
#else
    const long next = l->across, next_side = (p.step - (SIDES - 1)) * l->across;
    const ulong first_row = ROWS_ALONG ? first_along(tile, l) : first_across(tile, l);
    KEY_T value[ITEMS];
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        value[k] = (KEY_T)LOAD(p.x, 0);
        p.x += !is_whole && place_in(&p, k + 1) > p.last ? 0 : (k + 1) % SIDES ? next : next_side;
    }
#endif
#if ROW_KEYS && ROWS_ALONG && !KEEPS_KEYS
    load_keys_of(&group->constants, group->table, p.a, first_row, group->all_tables, g);
#endif
#if TURNED
    const uint to = p.a * group->turned.pitch + p.b;
#endif
#if ROW_KEYS && !ROWS_ALONG
    uint row = p.b;
#endif
#if FEW_COUNTS
    uint fields[FEW_COUNTS] = { 0 };
#endif
    #pragma unroll
    for (uint first = 0; first < ITEMS; first += TOGETHER) {
        uint label[TOGETHER];
#if ROW_KEYS && !ROWS_ALONG
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
            row = is_whole || place_in(&p, first + e) <= p.last ? p.b + place_in(&p, first + e) : row;
            load_keys_of(&group->constants, group->table, row, first_row, group->all_tables, g);
            label[e] = label_of(value[first + e], &group->constants, group->tables, g);
        }
#elif LABEL_SHIFT < 32
        uint there = 0;
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++)
            there |= (is_whole || place_in(&p, first + e) <= p.last) << e;
        count_and_label(&group->counters, value + first, label, TOGETHER, there);
#else
        label_few(label, value + first, TOGETHER, &group->constants, group->tables, g);
#endif
#if COUNTED_TOGETHER
        uint exist = 0;
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++)
            exist |= (is_whole || place_in(&p, first + e) <= p.last) << e;
        count_elements(&group->counters, value + first, label, TOGETHER, exist, g);
#endif
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
            const uint k = first + e;
#if TURNED
            if (k % WORD_SIDES == 0 && (is_whole || place_in(&p, k) <= p.last))
                turn_labels(group->turned.labels + label_place(&group->turned, to + place_in(&p, k)),
                            label + e);
#elif LABEL_TYPE
            *p.line = (LABEL_T)label[e];
            p.line += is_whole || place_in(&p, k + 1) <= p.last ? p.step * l->label_across : 0;
#endif
            const bool is_there = is_whole || place_in(&p, k) <= p.last;
#if FEW_COUNTS
            if (is_there)
                count_in_fields(fields, label[e], g);
#else
            if ((COUNTS & (LABEL_SHIFT == 32) & !COUNTED_TOGETHER) && is_there)
                count_one(group, first_row, ROWS_ALONG ? p.a : p.b + place_in(&p, k), value[k], label[e],
                          counts, g);
#endif
        }
    }
#if FEW_COUNTS
    add_fields(group, p.a, fields, g);
#endif
}

// Whether an item has a part of a tile, and which. x and labels are the tile's.
static bool has_part(const struct part *p, const struct tile *tile)
{
    return p->b < min(p->step, tile->depth) && p->a < tile->width;
}

static void find_part(struct part *p, global const ELEM *x, global LABEL_T *labels,
                      const struct tile *tile, const struct lines *l)
{
    p->x = x + (long)p->a * l->along + (long)p->b * l->across;
    p->line = labels + (long)p->a * l->label_along + (long)p->b * l->label_across;
    p->last = tile->depth - 1 - p->b;
}

#if PASSES
// The part of the pass behind: across, and then along. False: there is none.
static bool next_part(struct part *p, const struct part *first, const struct tile *tile,
                      const struct lines *l, const struct arguments *g)
{
    const uint lines = p->step * (ITEMS / SIDES);
    if (p->b + lines < tile->depth) {
        p->b += lines;
        p->last -= lines;
        p->x += lines * l->across;
        return true;
    }
    const long back = (long)p->b - (long)first->b;
    p->a += g->row_factor;
    p->b = first->b;
    p->last = tile->depth - 1 - p->b;
    p->x += g->row_factor * l->along - back * l->across;
    return p->a < tile->width;
}
#endif

static bool is_whole_part(const struct part *p)
{
    return place_in(p, ITEMS - 1) <= p->last;
}
